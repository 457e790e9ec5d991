/**
 * The linear relaxation of the README's model, built so that a vehicle, a vehicle load of demand or a constraint can be changed
 * by bounds alone. Columns beside the moves, which are appended as they are needed:
 *   one class     `full_j` and `part_j` steps as in `variables.ts`; a load more of demand is one `full_j` more
 *   several       z_jk for the demand as it is, z'_jk for a load more (their coefficients differ), of which one set is shut;
 *                 y_j the demand served
 * Rows: supply (k, i); presence (j, k); with several classes served demand j; service level; fleet size; vehicles per
 * location j where bounded; with several classes rounding rows, which keep a plan's whole vehicles and cut parts of them off.
 */
import { createRowBuilder, type LinearModel } from '../linear-model.ts';
import type { Problem } from '../model.ts';
import { requiredDemand, SERVICE_TOLERANCE, totalDemand } from '../service-level.ts';
import { splitDemand } from '../variables.ts';

export type RelaxationRows = {
  model: LinearModel;
  supplyRow: (k: number, i: number) => number;
  presenceRow: (k: number, j: number) => number;
  serviceRow: number;
  fleetRow: number;
  /** −1 where vehicles per location are not bounded. */
  boundRow: (j: number) => number;
  /** Demand of 1 in the service row. */
  demandScale: number;
  /** Rows that hold for the demand of location j alone. */
  roundingRowsOf: (j: number) => RoundingRow[];
  /** Columns of location j: from, and upper bounds with demand as it is and with a load more. */
  columnsOf: (j: number) => { from: number; usual: Float64Array; more: Float64Array }[];
  /** Of location j's columns in that order, by these duals; `more`: without its rounding rows. */
  reducedCosts: (j: number, rowDual: Float64Array, which: 'usual' | 'more') => Float64Array;
};

/** Upper side with demand as it is and with a load more; Infinity: not in force. */
type RoundingRow = { row: number; usual: number; more: number };

/** A smaller rest of a vehicle is no row: its coefficients would be noise to the solver. */
const LEAST_REST = 1e-4;

type Column = { gain: number; usual: number; more: number; k: number };

/** Least demand, in scaled units, that the service row asks for. */
export function serviceSide(problem: Problem, extraDemand: number, scale: number): number {
  const total = totalDemand(problem.demand) + extraDemand;
  const required = requiredDemand(problem) + problem.limits.minServiceLevel * extraDemand;
  return (required - SERVICE_TOLERANCE * total) / scale;
}

/** @param load demand that counts as one more */
export function createRelaxationRows(problem: Problem, load: number): RelaxationRows {
  const n = problem.locationIds.length;
  const classes = problem.capacities.length;
  const isSingle = classes === 1;
  const { limits } = problem;
  const columns: Column[][] = Array.from(problem.demand, (d) =>
    isSingle ? singleColumns(d, problem.capacities[0]) : classColumns(d, problem.capacities, load),
  );
  const demandScale = Math.max(...columns.flat().map(({ gain }) => gain));
  const first = new Int32Array(n + 1);
  for (let j = 0; j < n; j++) first[j + 1] = first[j] + columns[j].length;
  const firstServed = first[n];
  const columnCount = firstServed + (isSingle ? 0 : n);

  const rows = createRowBuilder(4 * columnCount + 16);
  for (let at = 0; at < classes * n; at++) rows.end(problem.supply[at], problem.supply[at]);
  for (let j = 0; j < n; j++) {
    for (let k = 0; k < classes; k++) {
      columns[j].forEach((column, c) => {
        if (column.k === k) rows.add(first[j] + c, -1);
      });
      rows.end(0, Number.POSITIVE_INFINITY);
    }
  }
  if (!isSingle) {
    for (let j = 0; j < n; j++) {
      for (const [c, { gain }] of columns[j].entries()) rows.add(first[j] + c, gain / demandScale);
      rows.add(firstServed + j, -1);
      rows.end(0, Number.POSITIVE_INFINITY);
    }
  }
  if (isSingle) for (const [c, { gain }] of columns.flat().entries()) rows.add(c, gain / demandScale);
  else for (let j = 0; j < n; j++) rows.add(firstServed + j, 1);
  const serviceRow = rows.end(serviceSide(problem, 0, demandScale), Number.POSITIVE_INFINITY);
  for (let c = 0; c < firstServed; c++) rows.add(c, 1);
  const fleetRow = rows.end(Number.NEGATIVE_INFINITY, limits.totalFleetSize);
  const isBounded =
    limits.minVehiclesPerLocation > 0 || limits.maxVehiclesPerLocation !== Number.POSITIVE_INFINITY;
  if (isBounded) {
    for (let j = 0; j < n; j++) rows.end(limits.minVehiclesPerLocation, limits.maxVehiclesPerLocation);
  }

  const roundings: RoundingRow[][] = Array.from({ length: n }, () => []);
  if (!isSingle) {
    for (let j = 0; j < n; j++) {
      for (const [at, demand] of [problem.demand[j], problem.demand[j] + load].entries()) {
        for (const { weights, upper } of roundingRows(demand, problem.capacities)) {
          rows.add(firstServed + j, 1);
          for (const [k, weight] of weights.entries()) rows.add(first[j] + 2 * k + at, -weight / demandScale);
          const side = { usual: Number.POSITIVE_INFINITY, more: Number.POSITIVE_INFINITY };
          side[at === 0 ? 'usual' : 'more'] = upper / demandScale;
          roundings[j].push({ row: rows.end(Number.NEGATIVE_INFINITY, side.usual), ...side });
        }
      }
    }
  }

  const { starts, indices, values, ...sides } = rows.finish();
  /** Rows that location j's columns are in: its own, and those of all. */
  const rowsOf = (j: number, which: 'usual' | 'more'): number[] => [
    ...Array.from({ length: classes }, (_, k) => classes * n + j * classes + k),
    ...(isSingle ? [] : [2 * classes * n + j]),
    serviceRow,
    fleetRow,
    ...(which === 'usual' ? roundings[j].map(({ row }) => row) : []),
  ];

  const upper = new Float64Array(columnCount);
  columns.flat().forEach(({ usual }, c) => {
    upper[c] = usual;
  });
  if (!isSingle) for (let j = 0; j < n; j++) upper[firstServed + j] = problem.demand[j] / demandScale;
  return {
    model: {
      columnCount,
      cost: new Float64Array(columnCount),
      lower: new Float64Array(columnCount),
      upper,
      ...sides,
      starts,
      indices,
      values,
    },
    supplyRow: (k, i) => k * n + i,
    presenceRow: (k, j) => classes * n + j * classes + k,
    serviceRow,
    fleetRow,
    boundRow: (j) => (isBounded ? fleetRow + 1 + j : -1),
    demandScale,
    roundingRowsOf: (j) => roundings[j],
    reducedCosts(j, rowDual, which) {
      const own = first[j + 1] - first[j];
      const reduced = new Float64Array(own + (isSingle ? 0 : 1));
      for (const row of rowsOf(j, which)) {
        for (let e = starts[row]; e < starts[row + 1]; e++) {
          const c = indices[e] === firstServed + j ? own : indices[e] - first[j];
          if (c >= 0 && (c < own || indices[e] === firstServed + j)) reduced[c] -= rowDual[row] * values[e];
        }
      }
      return reduced;
    },
    columnsOf: (j) => {
      const steps = {
        from: first[j],
        usual: Float64Array.from(columns[j], ({ usual }) => usual),
        more: Float64Array.from(columns[j], ({ more }) => more),
      };
      if (isSingle) return [steps];
      const served = [problem.demand[j], problem.demand[j] + load].map((d) =>
        Float64Array.of(d / demandScale),
      );
      return [steps, { from: firstServed + j, usual: served[0], more: served[1] }];
    },
  };
}

function singleColumns(demand: number, capacity: number): Column[] {
  const { full, rest } = splitDemand(demand, capacity);
  const columns: Column[] = [{ gain: capacity, usual: full, more: full + 1, k: 0 }];
  if (rest > 0) columns.push({ gain: rest, usual: 1, more: 1, k: 0 });
  return columns;
}

function classColumns(demand: number, capacities: Float64Array, load: number): Column[] {
  const most = (d: number, capacity: number) => {
    const { full, rest } = splitDemand(d, capacity);
    return full + (rest > 0 ? 1 : 0);
  };
  return [...capacities].flatMap((capacity, k) => [
    { gain: Math.min(capacity, demand), usual: most(demand, capacity), more: 0, k },
    { gain: Math.min(capacity, demand + load), usual: 0, more: most(demand + load, capacity), k },
  ]);
}

/**
 * Mixed-integer rounding of  y ≤ D, y ≤ Σ c_k z_k  by each capacity δ: with r = D − δ⌊D/δ⌋ > 0,
 *   y ≤ D − r⌈D/δ⌉ + r Σ_k G(c_k/δ) z_k,   G(a) = ⌊a⌋ + min(1, (a − ⌊a⌋) · δ / r).
 * Without it a tenth of a vehicle serves a tenth of its capacity, and the relaxation is several per cent too cheap.
 * Reference: Nemhauser and Wolsey, A recursive procedure to generate all cuts, Mathematical Programming 46 (1990).
 */
function roundingRows(demand: number, capacities: Float64Array): { weights: number[]; upper: number }[] {
  const found: { weights: number[]; upper: number }[] = [];
  for (const unit of capacities) {
    const { full, rest } = splitDemand(demand, unit);
    if (rest < LEAST_REST * unit) continue;
    const weights = Array.from(capacities, (capacity) => {
      const whole = splitDemand(capacity, unit);
      return rest * (whole.full + Math.min(1, whole.rest / rest));
    });
    found.push({ weights, upper: demand - rest * (full + 1) });
  }
  return found;
}
