import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import loadHighs from 'highs';
import { afterAll, describe, expect, test } from 'vitest';
import { assignmentFlow, readAssignment, toRequest } from '../../bench/assignment.ts';
import { type FlowNetwork, readDimacs, toFlowProblem } from '../../bench/dimacs.ts';
import { BENCH_SETTINGS } from '../../bench/requests.ts';
import { solveFlow } from '../../src/core/optimize/flow/solve-flow.ts';
import { checkRequest } from '../../src/core/optimize/request/check.ts';
import { optimizeCached as optimize } from '../core/optimize/cached.ts';
import { createRandom } from '../core/optimize/instances.ts';

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

const highs = await (loadHighs as unknown as typeof loadHighs.default)();

/** The optimum of a network by HiGHS on the network as it stands, or null where there is none. */
function optimumByHighs(network: FlowNetwork): number | null {
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
  const transformed = toFlowProblem(network);
  if (transformed.kind === 'infeasible') return null;
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
      // Not balanced: no flow.
      if (random(10) === 0) balance[random(nodes)] += random(2) === 0 ? 1 : -1;
      const network = { nodes, balance, arcs };
      const expected = optimumByHighs(network);
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
    ['p min 2 1\np min 2 1', /line 2: there is a problem line already/],
    ['p min 2 2\na 1 2 0 1 1', /says 2 arcs, the file has 1/],
    ['p min 2', /line 1: the number of arcs is missing/],
    ['p min -2 1', /line 1: .* not negative/],
  ])('that is malformed (%j) is refused with its line', (text, message) => {
    expect(() => readDimacs(text)).toThrow(message);
  });
});

/** As the service: request, checks, solve, verification. */
async function optimumOfRequest(text: string): Promise<number | string> {
  const request = toRequest(readAssignment(text));
  expect(checkRequest(request, new Set(), BENCH_SETTINGS)).toEqual([]);
  const outcome = await optimize({ request, locations: [], settings: BENCH_SETTINGS });
  return outcome.status === 'optimal' ? outcome.result.total_cost : outcome.status;
}

describe('an OR-Library assignment file', () => {
  test.each([
    ['dense', '3\n4 1 3\n2 0 5\n3 2 2\n', 5],
    ['as triples', '3\n1 1 4\n1 2 1\n2 1 2\n2 2 0\n3 3 2\n', 5],
    ['with a pair twice', '2\n1 1 4\n1 1 3\n2 2 2\n1 1 9', 5],
    ['of zeros', '2\n0 0\n0 0', 0],
    ['that cannot be assigned', '2\n1 1 4\n2 1 1\n', 'infeasible'],
  ])(
    '%s is solved as a request with network costs, and the same by the flow core',
    async (_, text, optimum) => {
      expect(await optimumOfRequest(text)).toBe(optimum);
      const outcome = solveFlow(assignmentFlow(readAssignment(text)));
      expect(outcome.kind === 'solved' ? outcome.cost : outcome.kind).toBe(optimum);
    },
  );

  test('costs as a request what it costs HiGHS as a network of capacities, on 60 random ones', async () => {
    const random = createRandom(3);
    for (let round = 0; round < 60; round++) {
      const n = random.integer(1, 7);
      const rows = Array.from({ length: n }, () =>
        Array.from({ length: n }, () => random.integer(0, random.pick([2, 100]))),
      );
      const arcs = rows.flatMap((costs, i) =>
        costs.map((cost, j) => ({ from: i, to: n + j, low: 0, capacity: 1, cost })),
      );
      const balance = Array.from({ length: 2 * n }, (_, v) => (v < n ? 1 : -1));
      const text = `${n}\n${rows.map((row) => row.join(' ')).join('\n')}\n`;
      expect(await optimumOfRequest(text), text).toBe(optimumByHighs({ nodes: 2 * n, balance, arcs }));
    }
  });

  test('that is malformed is refused', () => {
    expect(() => readAssignment('2\n1 2 3 4 5\n')).toThrow(/neither 2 × 2/);
    expect(() => readAssignment('2 x')).toThrow(/whole numbers/);
    expect(() => readAssignment('2\n1 3 4\n')).toThrow(/outside/);
    expect(() => readAssignment('1\n-4\n')).toThrow(/pair 1 1 costs -4/);
  });
});

describe('the command', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-files-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: string | Uint8Array) => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  const run = (...args: string[]) => {
    const command = path.join(import.meta.dirname, '../../bench/files.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' });
    // Without the two lines of the head.
    return { status, out: stdout.trim().split('\n').slice(2), err: stderr.trim() };
  };

  test('prints a row per file, plain or gzipped, with optimum, proof and time', () => {
    const files = [
      write('a.min', DIMACS),
      write('b.min.gz', gzipSync(DIMACS)),
      write('c.txt', '3\n4 1 3\n2 0 5\n3 2 2\n'),
      write('d.gz', gzipSync('2\n1 1 4\n2 1 1\n')),
    ];
    const { status, out, err } = run('--repeats', '2', ...files);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const time = String.raw`[\d.,]+ \([\d.,]+ – [\d.,]+\)`;
    expect(out).toHaveLength(4);
    for (const [i, line] of [
      String.raw`a\.min \| 9 \| optimum 14, proved by reduced costs of all moves \| ${time}`,
      String.raw`b\.min\.gz \| 9 \| optimum 14, proved by reduced costs of all moves \| ${time}`,
      String.raw`c\.txt \| 6 \| optimum 5, gap 0\.00 %, proved by reduced costs of all moves, tree confirmed optimal by HiGHS \| ${time}`,
      String.raw`d\.gz \| 4 \| infeasible, .+ \| ${time}`,
    ].entries()) {
      expect(out[i]).toMatch(new RegExp(`^\\| ${line} \\|$`));
    }
  });

  test('says why a file has no flow, names what cannot be read without a stack trace, and goes on', () => {
    const { status, out, err } = run(
      write('unbalanced.min', 'p min 2 1\nn 1 5\nn 2 -3\na 1 2 0 10 1\n'),
      write('narrow.min', 'p min 2 1\nn 1 5\nn 2 -5\na 1 2 0 3 1\n'),
      write('broken.min', 'p min 2 1\na 1 2 0 x 1\n'),
      write('damaged.gz', gzipSync(DIMACS).subarray(0, 30)),
      write('large.min', 'p min 2 1\nn 1 5\nn 2 -5\na 1 2 0 3000000000 1\n'),
      path.join(folder, 'absent'),
      write('last.min', DIMACS),
    );
    expect(status).toBe(1);
    expect(out.slice(0, 2)).toEqual([
      '| unbalanced.min | – | infeasible: supplies and demands of the nodes add up to 2, not to 0 | – |',
      '| narrow.min | – | infeasible: node 1 supplies more than its arcs can carry | – |',
    ]);
    expect(out).toHaveLength(3);
    expect(out[2]).toMatch(/^\| last\.min \| 9 \| optimum 14/);
    expect(err.split('\n')).toEqual([
      expect.stringMatching(/^broken\.min: line 2: "x" is no whole number/),
      expect.stringMatching(/^damaged\.gz: unexpected end/),
      expect.stringMatching(/^large\.min: capacities add up to 3000000000, more than/),
      expect.stringMatching(/^absent: ENOENT/),
    ]);
  });

  test.each([[[]], [['--repeats', '0', 'x']]])('without anything to do (%j) says how it is used', (args) => {
    expect(run(...args)).toEqual({ status: 1, out: [], err: expect.stringContaining('usage:') });
  });
});
