import highsModule from 'highs';
import { expect, test } from 'vitest';
import { solveTransport, type Transport } from '../../../../src/core/optimize/flow/transport.ts';
import type { SparseCosts } from '../../../../src/core/optimize/problem/distances/move-costs.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { createRandom, type Random } from '../instances.ts';

// The package's ES module exports the loader itself; its declarations are read as those of a CommonJS module.
const highs = await (highsModule as unknown as typeof highsModule.default)();

const control = { deadlineMs: Number.POSITIVE_INFINITY };

type Shape = { places: number; units: number };

/** Amounts with many zeros, arcs with gaps and ties, by lists and at the costs of moves, dense and sparse. */
function randomTransport(seed: number, shape: Shape): Transport {
  const random = createRandom(seed);
  const sources = Int32Array.from({ length: random.integer(1, shape.places) }, () => amount(random, shape));
  const sinks = new Int32Array(random.integer(1, shape.places));
  for (let left = sum(sources); left > 0; left--) {
    sinks[random.integer(0, sinks.length - 1)]++;
  }
  const largest = random.pick([0, 1, 3, 1000]);
  const density = random.pick([1, 0.7, 0.4]);
  const cost = () => random.integer(0, largest);
  const listed = listArcs(random, sources.length, sinks.length, density * random.pick([0.3, 1]), cost);
  if (random.chance(0.3)) return { sources, sinks, listed };
  const n = random.integer(1, shape.places);
  const units = Float64Array.from({ length: n * n }, () =>
    random.chance(density) ? cost() : Number.POSITIVE_INFINITY,
  );
  const sparse = listArcs(random, n, n, density, cost);
  const row = Int32Array.from(sources, () => random.integer(-1, n - 1));
  const column = Int32Array.from(sinks, () => random.integer(-1, n - 1));
  return {
    sources,
    sinks,
    listed,
    moves: { costs: random.chance(0.5) ? { kind: 'dense', units } : sparse, row, column },
    homes: random.chance(0.7) ? randomHomes(random, row, column) : undefined,
  };
}

/** Some of the sources that have a sink where they are get one of these as their home, each sink once. */
function randomHomes(random: Random, row: Int32Array, column: Int32Array): Int32Array {
  const taken = new Set<number>();
  return row.map((i) => {
    const home = column.findIndex((j, t) => j === i && !taken.has(t));
    if (i < 0 || home < 0 || random.chance(0.2)) return -1;
    taken.add(home);
    return home;
  });
}

function amount(random: Random, { units }: Shape): number {
  return random.chance(0.3) ? 0 : random.integer(0, units);
}

function listArcs(
  random: Random,
  rows: number,
  columns: number,
  density: number,
  cost: () => number,
): SparseCosts {
  const starts = new Int32Array(rows + 1);
  const targets: number[] = [];
  const units: number[] = [];
  for (let s = 0; s < rows; s++) {
    for (let t = 0; t < columns; t++) {
      if (!random.chance(density)) continue;
      targets.push(t);
      units.push(cost());
    }
    starts[s + 1] = targets.length;
  }
  return { kind: 'sparse', starts, targets: Int32Array.from(targets), units: Float64Array.from(units) };
}

/** Cost of each pair, from the definition; Infinity: no arc. */
function pairCosts({ sources, sinks, moves, listed }: Transport): number[][] {
  return Array.from(sources, (_, s) =>
    Array.from(sinks, (__, t) => {
      const costs = [Number.POSITIVE_INFINITY];
      for (let a = listed.starts[s]; a < listed.starts[s + 1]; a++) {
        if (listed.targets[a] === t) costs.push(listed.units[a]);
      }
      if (moves && moves.row[s] >= 0 && moves.column[t] >= 0) {
        const [i, j] = [moves.row[s], moves.column[t]];
        if (i === j) costs.push(0);
        else if (moves.costs.kind === 'dense') {
          costs.push(moves.costs.units[i * Math.sqrt(moves.costs.units.length) + j]);
        } else {
          const { starts, targets, units } = moves.costs;
          for (let a = starts[i]; a < starts[i + 1]; a++) if (targets[a] === j) costs.push(units[a]);
        }
      }
      return Math.min(...costs);
    }),
  );
}

/** The least cost of all ways to send the units one by one; Infinity if there is none. */
function leastByTryingAll(transport: Transport): number {
  const costs = pairCosts(transport);
  const units = [...transport.sources].flatMap((count, s) => Array.from({ length: count }, () => s));
  const open = [...transport.sinks];
  const known = new Map<string, number>();
  const least = (at: number): number => {
    if (at === units.length) return 0;
    const key = `${at}:${open}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    let best = Number.POSITIVE_INFINITY;
    for (let t = 0; t < open.length; t++) {
      if (open[t] === 0) continue;
      open[t]--;
      best = Math.min(best, costs[units[at]][t] + least(at + 1));
      open[t]++;
    }
    known.set(key, best);
    return best;
  };
  return least(0);
}

/** The arcs between sources and sinks that have units. */
function arcsOf(transport: Transport) {
  return pairCosts(transport).flatMap((row, s) =>
    row.flatMap((cost, t) =>
      cost === Number.POSITIVE_INFINITY || transport.sources[s] === 0 || transport.sinks[t] === 0
        ? []
        : [{ s, t, cost }],
    ),
  );
}

const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);

/** Source sums and sink sums are rows; null if there is no solution. */
function leastByHighs(transport: Transport): number | null {
  const { sources, sinks } = transport;
  const arcs = arcsOf(transport);
  if (arcs.length === 0) return sum(sources) === 0 ? 0 : null;
  const rows = [
    ...Array.from(sources, (amountAt, s) => ({
      amountAt,
      columns: [...arcs.keys()].filter((a) => arcs[a].s === s),
    })),
    ...Array.from(sinks, (amountAt, t) => ({
      amountAt,
      columns: [...arcs.keys()].filter((a) => arcs[a].t === t),
    })),
  ];
  const starts = new Int32Array(rows.length + 1);
  rows.forEach(({ columns }, r) => {
    starts[r + 1] = starts[r] + columns.length;
  });
  return highs.withModel((model) => {
    model.options.set({ output_flag: false });
    model.passModel({
      numCols: arcs.length,
      numRows: rows.length,
      colCost: Float64Array.from(arcs, ({ cost }) => cost),
      colLower: new Float64Array(arcs.length),
      colUpper: new Float64Array(arcs.length).fill(highs.infinity),
      rowLower: Float64Array.from(rows, ({ amountAt }) => amountAt),
      rowUpper: Float64Array.from(rows, ({ amountAt }) => amountAt),
      matrix: {
        format: 'csr',
        numRows: rows.length,
        numCols: arcs.length,
        starts,
        indices: Int32Array.from(rows.flatMap(({ columns }) => columns)),
        values: new Float64Array(starts[rows.length]).fill(1),
      },
    });
    return model.run().modelStatus === highs.constants.modelStatus.optimal ? model.getObjectiveValue() : null;
  });
}

/** Solves, and checks flow, prices or cover from the definition. @returns the cost; Infinity if infeasible */
async function solveAndCheck(transport: Transport, name: string): Promise<number> {
  const outcome = await solveTransport(transport, control, threadCache);
  if (!outcome || outcome.kind === 'stopped') throw new Error(`${name}: not solved`);
  const costs = pairCosts(transport);
  const { sources, sinks } = transport;
  if (outcome.kind === 'infeasible') {
    const { cover, carried } = outcome;
    const covered = [...sources].map((units, s) => cover.sources[s] * units);
    covered.push(...[...sinks].map((units, t) => cover.sinks[t] * units));
    expect(sum(covered), name).toBe(carried);
    expect(carried, name).toBeLessThan(sum(sources));
    for (const { s, t } of arcsOf(transport)) {
      expect(cover.sources[s] + cover.sinks[t], name).toBeGreaterThan(0);
    }
    return Number.POSITIVE_INFINITY;
  }
  const { flow, duals } = outcome;
  const [left, open] = [[...sources], [...sinks]];
  let cost = 0;
  flow.units.forEach((units, m) => {
    left[flow.from[m]] -= units;
    open[flow.to[m]] -= units;
    cost += units * costs[flow.from[m]][flow.to[m]];
    expect(duals.source[flow.from[m]] + duals.sink[flow.to[m]], name).toBe(costs[flow.from[m]][flow.to[m]]);
  });
  transport.homes?.forEach((t, s) => {
    if (t < 0) return;
    const units = Math.min(left[s], open[t]);
    left[s] -= units;
    open[t] -= units;
    if (units > 0) expect(duals.source[s] + duals.sink[t], name).toBe(0);
  });
  expect(
    [...left, ...open].every((units) => units === 0),
    name,
  ).toBe(true);
  expect(cost, name).toBe(outcome.cost);
  for (const arc of arcsOf(transport)) {
    expect(duals.source[arc.s] + duals.sink[arc.t], name).toBeLessThanOrEqual(arc.cost);
  }
  expect(outcome.confirmedWithin, name).not.toBe(null);
  return cost;
}

test('the cost is the least of all ways to send the units, tried one by one, on tiny instances', async () => {
  let infeasible = 0;
  for (const seed of seeds(0, 1499)) {
    const transport = randomTransport(seed, { places: 4, units: 3 });
    const cost = await solveAndCheck(transport, `seed ${seed}`);
    expect(cost, `seed ${seed}`).toBe(leastByTryingAll(transport));
    if (cost === Number.POSITIVE_INFINITY) infeasible++;
  }
  expect(infeasible).toBeGreaterThan(enough(200));
  expect(infeasible).toBeLessThan(1300);
});

test('the cost is the optimum of HiGHS on larger instances, and infeasible where HiGHS says so', {
  tags: 'slow',
}, async () => {
  let solved = 0;
  for (const seed of seeds(0, 299)) {
    const transport = randomTransport(10_000 + seed, { places: 25, units: 40 });
    const cost = await solveAndCheck(transport, `seed ${seed}`);
    expect(cost, `seed ${seed}`).toBeCloseTo(leastByHighs(transport) ?? Number.POSITIVE_INFINITY, 5);
    if (cost < Number.POSITIVE_INFINITY) solved++;
  }
  expect(solved).toBeGreaterThan(enough(60));
});

test('sums that differ are an error of the caller', async () => {
  const listed: SparseCosts = {
    kind: 'sparse',
    starts: Int32Array.of(0, 1),
    targets: Int32Array.of(0),
    units: Float64Array.of(1),
  };
  const transport = { sources: Int32Array.of(2), sinks: Int32Array.of(1), listed };
  await expect(solveTransport(transport, control, threadCache)).rejects.toThrow('2 units leave');
});

test('a stop flag that is set ends the search without a flow', async () => {
  const transport = randomTransport(10_002, { places: 25, units: 40 });
  const stopFlag = Int32Array.of(1);
  const outcome = await solveTransport(transport, { ...control, stopFlag }, threadCache);
  expect(outcome).toMatchObject({ kind: 'stopped', plan: null });
});
