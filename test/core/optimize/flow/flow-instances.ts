/** Random flow problems of every kind, from a seed, and the problem written as a linear programme for HiGHS. */
import highsModule, { type Highs } from 'highs';
import type { FlowProblem } from '../../../../src/core/optimize/flow/types.ts';
import type { SparseCosts } from '../../../../src/core/optimize/problem/distances/move-costs.ts';
import { createRandom, type Random } from '../instances.ts';

// The package's ES module exports the loader itself; its declarations are read as those of a CommonJS module.
const loadHighs = highsModule as unknown as typeof highsModule.default;

export type DenseProblem = FlowProblem & { cost: { kind: 'dense'; units: Float64Array } };

export type Shape = { locations: number; vehicles: number; demand: number };

const SMALL: Shape = { locations: 8, vehicles: 6, demand: 6 };

/** Costs of any kind: usually not metric, with gaps, zero, equal or huge. */
export function randomProblem(seed: number, shape: Shape = SMALL): DenseProblem {
  const random = createRandom(seed);
  const n = random.integer(1, shape.locations);
  const largest = random.pick([0, 1, 5, 1000, 1e10]);
  const density = random.pick([1, 1, 0.7, 0.3, 0.1]);
  return withAmounts(random, n, shape, randomCosts(n, random, largest, density));
}

/** Costs that satisfy the triangle inequality, with all moves allowed. */
export function metricProblem(seed: number, shape: Shape = SMALL): DenseProblem {
  const random = createRandom(seed);
  const n = random.integer(1, shape.locations);
  const points = Array.from({ length: n }, () => [random.integer(0, 30), random.integer(0, 30)]);
  const units = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      units[i * n + j] = Math.ceil(
        100 * Math.hypot(points[i][0] - points[j][0], points[i][1] - points[j][1]),
      );
    }
  }
  return withAmounts(random, n, shape, units);
}

function randomCosts(n: number, random: Random, largest: number, density: number): Float64Array {
  const units = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i !== j)
        units[i * n + j] = random.chance(density) ? random.integer(0, largest) : Number.POSITIVE_INFINITY;
    }
  }
  return units;
}

function withAmounts(random: Random, n: number, shape: Shape, units: Float64Array): DenseProblem {
  const amounts = (largest: number) =>
    Int32Array.from({ length: n }, () => (random.chance(0.3) ? 0 : random.integer(0, largest)));
  const supply = amounts(shape.vehicles);
  const demand = random.chance(0.05) ? new Int32Array(n) : amounts(shape.demand);
  const total = demand.reduce((a, b) => a + b, 0);
  const required = Math.ceil(total * random.pick([0, 0.5, 0.8, 0.95, 1])) + (random.chance(0.02) ? 1 : 0);
  return { n, supply, demand, required, cost: { kind: 'dense', units } };
}

/** The same costs by rows; staying is left out. */
export function toSparse({ n, cost: { units } }: DenseProblem): SparseCosts {
  const starts = new Int32Array(n + 1);
  const targets: number[] = [];
  const listed: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i === j || units[i * n + j] === Number.POSITIVE_INFINITY) continue;
      targets.push(j);
      listed.push(units[i * n + j]);
    }
    starts[i + 1] = targets.length;
  }
  return { kind: 'sparse', starts, targets: Int32Array.from(targets), units: Float64Array.from(listed) };
}

let loading: Promise<Highs> | undefined;

/**
 * Optimum by HiGHS of the model as the specification states it: Σ_j x_ij = s_i, y_j ≤ Σ_i x_ij, 0 ≤ y_j ≤ D_j, Σ y ≥ R.
 * @returns null if it is infeasible
 */
export async function optimumByHighs({
  n,
  supply,
  demand,
  required,
  cost,
}: DenseProblem): Promise<number | null> {
  loading ??= loadHighs();
  const highs = await loading;
  const arcs: [number, number][] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) if (i === j || Number.isFinite(cost.units[i * n + j])) arcs.push([i, j]);
  }
  const columns = arcs.length + n;
  const dense: number[][] = [];
  const lower: number[] = [];
  const upper: number[] = [];
  const row = (entry: (column: number) => number, from: number, to: number) => {
    dense.push(Array.from({ length: columns }, (_, c) => entry(c)));
    lower.push(from);
    upper.push(to);
  };
  for (let i = 0; i < n; i++) row((c) => (arcs[c]?.[0] === i ? 1 : 0), supply[i], supply[i]);
  for (let j = 0; j < n; j++) {
    row((c) => (arcs[c]?.[1] === j ? 1 : c === arcs.length + j ? -1 : 0), 0, highs.infinity);
  }
  row((c) => (c >= arcs.length ? 1 : 0), required, highs.infinity);
  const entries = dense.map((values) => Array.from(values.keys()).filter((c) => values[c] !== 0));
  const starts = [0];
  for (const list of entries) starts.push(starts.at(-1)! + list.length);
  return highs.withModel((model) => {
    model.options.set({ output_flag: false, presolve: 'off' });
    model.passModel({
      numCols: columns,
      numRows: dense.length,
      colCost: Float64Array.from({ length: columns }, (_, c) =>
        c < arcs.length && arcs[c][0] !== arcs[c][1] ? cost.units[arcs[c][0] * n + arcs[c][1]] : 0,
      ),
      colLower: new Float64Array(columns),
      colUpper: Float64Array.from({ length: columns }, (_, c) =>
        c < arcs.length ? highs.infinity : demand[c - arcs.length],
      ),
      rowLower: Float64Array.from(lower),
      rowUpper: Float64Array.from(upper),
      matrix: {
        format: 'csr',
        numRows: dense.length,
        numCols: columns,
        starts: Int32Array.from(starts),
        indices: Int32Array.from(entries.flat()),
        values: Float64Array.from(entries.flatMap((list, r) => list.map((c) => dense[r][c]))),
      },
    });
    const status = model.run().modelStatus;
    const { optimal, empty } = highs.constants.modelStatus;
    return status === optimal || status === empty ? model.getObjectiveValue() : null;
  });
}

/** The least cost, by trying every target of every vehicle; null if no assignment serves enough. */
export function optimumByTryingAll({ n, supply, demand, required, cost }: DenseProblem): number | null {
  const vehicles = Array.from(supply).flatMap((count, i) => new Array<number>(count).fill(i));
  const present = new Array<number>(n).fill(0);
  let best: number | null = null;
  const place = (v: number, total: number) => {
    if (v === vehicles.length) {
      const served = present.reduce((sum, count, j) => sum + Math.min(count, demand[j]), 0);
      if (served >= required && (best === null || total < best)) best = total;
      return;
    }
    for (let j = 0; j < n; j++) {
      const units = vehicles[v] === j ? 0 : cost.units[vehicles[v] * n + j];
      if (units === Number.POSITIVE_INFINITY) continue;
      present[j]++;
      place(v + 1, total + units);
      present[j]--;
    }
  };
  place(0, 0);
  return best;
}

/** The most demand that can be served, by augmenting paths on single vehicles. */
export function mostServedByMatching({ n, supply, demand, cost }: DenseProblem): number {
  const vehicles = Array.from(supply).flatMap((count, i) => new Array<number>(count).fill(i));
  const places = Array.from(demand).flatMap((count, j) => new Array<number>(count).fill(j));
  const holder = new Array<number>(places.length).fill(-1);
  const canServe = (i: number, j: number) => i === j || Number.isFinite(cost.units[i * n + j]);
  const assign = (v: number, seen: Set<number>): boolean =>
    places.some((j, p) => {
      if (seen.has(p) || !canServe(vehicles[v], j)) return false;
      seen.add(p);
      if (holder[p] >= 0 && !assign(holder[p], seen)) return false;
      holder[p] = v;
      return true;
    });
  return vehicles.filter((_, v) => assign(v, new Set())).length;
}
