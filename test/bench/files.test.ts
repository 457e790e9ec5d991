import loadHighs from 'highs';
import { describe, expect, test } from 'vitest';
import { readAssignment } from '../../bench/assignment.ts';
import { type FlowNetwork, readDimacs, toFlowProblem } from '../../bench/dimacs.ts';
import { solveFlow } from '../../src/core/optimize/flow/solve-flow.ts';

const DIMACS = `c a node between two others
p min 4 5
n 1 4
n 4 -4
a 1 2 0 4 2
a 1 3 0 2 2
a 2 3 0 2 1
a 2 4 0 3 3
a 3 4 0 5 1
`;

/** The optimum of a network by HiGHS on the network as it stands, or null where there is none. */
async function optimumByHighs(network: FlowNetwork): Promise<number | null> {
  const highs = await (loadHighs as unknown as typeof loadHighs.default)();
  const terms = network.balance.map((): string[] => []);
  network.arcs.forEach(({ from, to }, a) => {
    terms[from].push(`+ x${a}`);
    terms[to].push(`- x${a}`);
  });
  const rows = terms.map((row, v) => `r${v}: 0 z ${row.join(' ')} = ${network.balance[v]}`);
  const costs = network.arcs.map(({ cost }, a) => `${cost < 0 ? '-' : '+'} ${Math.abs(cost)} x${a}`);
  const bounds = network.arcs.map(({ low, capacity }, a) => `${low} <= x${a} <= ${capacity}`);
  const text = `Minimize\n obj: 0 z ${costs.join(' ')}\nSubject To\n ${rows.join('\n ')}\nBounds\n ${bounds.join('\n ')}\nEnd`;
  const solution = highs.solve(text, { output_flag: false });
  return solution.Status === 'Optimal' ? Math.round(solution.ObjectiveValue) : null;
}

function optimumByFlow(network: FlowNetwork): number | null {
  let transformed: ReturnType<typeof toFlowProblem>;
  try {
    transformed = toFlowProblem(network);
  } catch {
    return null;
  }
  const outcome = solveFlow(transformed.problem);
  return outcome.kind === 'solved' ? outcome.cost + transformed.constant : null;
}

describe('a DIMACS file', () => {
  test('is read and solved to its known optimum through the flow core', () => {
    const network = readDimacs(DIMACS);
    expect(network.arcs).toHaveLength(5);
    expect(network.balance).toEqual([4, 0, 0, -4]);
    expect(optimumByFlow(network)).toBe(14);
  });

  test('with lower bounds, negative costs, transit nodes and infeasible ones agrees with HiGHS on the network itself', async () => {
    let state = 11;
    const random = (n: number) => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return Math.floor((state / 2147483648) * n);
    };
    let solved = 0;
    for (let round = 0; round < 150; round++) {
      const nodes = 2 + random(6);
      const arcs = Array.from({ length: 1 + random(14) }, () => {
        const low = random(4) === 0 ? random(3) : 0;
        return {
          from: random(nodes),
          to: random(nodes),
          low,
          capacity: low + random(6),
          cost: random(12) - 3,
        };
      }).filter(({ from, to }) => from !== to);
      const balance = new Array<number>(nodes).fill(0);
      for (let k = 0; k < 2; k++) {
        const units = random(4);
        balance[random(nodes)] += units;
        balance[random(nodes)] -= units;
      }
      const network = { nodes, balance, arcs };
      const expected = await optimumByHighs(network);
      expect(optimumByFlow(network), JSON.stringify(network)).toBe(expected);
      if (expected !== null) solved++;
    }
    expect(solved).toBeGreaterThan(30);
  });

  test.each([
    ['a 1 2 0 1 1', /line 1: the problem line/],
    ['p max 2 1', /line 1: only problems of kind "min"/],
    ['p min 2 1\na 1 3 0 1 1', /line 2: there is no node 3/],
    ['p min 2 1\na 1 2 0 x 1', /line 2: "x" is no whole number/],
    ['p min 2 1\na 1 2 3 2 1', /line 2: bounds/],
    ['c nothing', /no problem line/],
  ])('that is malformed (%j) is refused with its line', (text, message) => {
    expect(() => readDimacs(text)).toThrow(message);
  });
});

describe('an OR-Library assignment file', () => {
  test('is solved to its known optimum, dense or as triples', () => {
    const dense = solveFlow(readAssignment('3\n4 1 3\n2 0 5\n3 2 2\n'));
    expect(dense).toMatchObject({ kind: 'solved', cost: 5 });
    const triples = solveFlow(readAssignment('3\n1 1 4\n1 2 1\n2 1 2\n2 2 0\n3 3 2\n'));
    expect(triples).toMatchObject({ kind: 'solved', cost: 5 });
  });

  test('that cannot be assigned is infeasible, and one that is malformed is refused', () => {
    expect(solveFlow(readAssignment('2\n1 1 4\n2 1 1\n'))).toMatchObject({ kind: 'infeasible', served: 1 });
    expect(() => readAssignment('2\n1 2 3 4 5\n')).toThrow(/neither 2 × 2/);
    expect(() => readAssignment('2 x')).toThrow(/whole numbers/);
    expect(() => readAssignment('2\n1 3 4\n')).toThrow(/outside/);
  });
});
