/**
 * The linear programme of a horizon problem with rules, over some of the moves.
 *
 *   Σ_p s_kpjt + w_kjt + Σ m leaving − w_kj,t−1 − Σ P_ij,t−1 s_kpi,t−1 − Σ m arriving = supply_kjt
 *   stay_g + Σ m of the group = its vehicles                            vehicles with a previous target
 *   Σ_k c_k s_kpjt ≤ d_pjt                                              several classes; with one, a bound of s
 *   least_jt ≤ Σ_k (s + w) + few_jt − many_jt ≤ most_jt                 bounds; few and many are artificial
 *   Σ cost · m_t ≤ ceiling                                              of each step, with a ceiling
 *   Σ_kpj s_kpjt ≤ fleet size                                           of each step, with a fleet size
 *   Σ_{levels ≥ l} a_p c_k s ≥ F_l,   Σ a_p c_k s ≥ R                   what has to be served, once that is known
 *
 * Of demand in parts, those that are ready for part p serve with its chance a_p, and wait otherwise. A rule that is
 * loosened (`looser-rules.ts`) has columns of its own in its rows: by how much.
 *
 * What is minimised changes from search to search (`Weights`). The first basis is the plan in which nobody moves, and
 * vehicles serve where they are.
 */
import { createRowBuilder, type LinearModel } from '../highs/linear-model.ts';
import type { SolverModel } from '../highs/solver-model.ts';
import { fromUnits } from '../problem/costs.ts';
import { partsOf, tripsWithChance } from './demand-parts.ts';
import type { RulePrices, Weights } from './ruled-bound.ts';
import {
  createRuledMoves,
  type FirstGroup,
  freeSupply,
  levelsOf,
  type RuledHorizon,
  type RuledMoves,
} from './rules.ts';

const STATUS = { lower: 0, basic: 1, upper: 2 } as const;

/** A move that is a column. `group` −1: of vehicles without a previous target; `arc` is a position in the pairs. */
export type RuledColumn = { capacityClass: number; group: number; step: number; from: number; arc: number };

type Rows = {
  groups: number;
  /** −1 without such rows. */
  shared: number;
  present: number;
  ceilings: number;
  fleet: number;
  /** Of the bounds that are loosened: the rows of bounds per location have the other side. */
  loose: number;
  floors: number;
  service: number;
};

/**
 * A rule that may be broken at a price, as much in all steps: bounds at each location by an amount of its own, if
 * `byLocation`.
 */
export type Loosened = { rule: 'least' | 'most' | 'ceiling' | 'fleet'; byLocation: boolean };

export type RuledMaster = {
  problem: RuledHorizon;
  model: LinearModel;
  columnStatus: Int32Array;
  rowStatus: Int32Array;
  rows: Rows;
  /** Priority levels of the floors, in the order of their rows. */
  levels: readonly number[];
  /** Columns: s (part by part, class by class), w, stay, loose, few and many; then moves. */
  columns: {
    waiting: number;
    staying: number;
    loose: number;
    few: number;
    firstMove: number;
  };
  loosened: Loosened | null;
  moves: RuledColumn[];
  isColumn: Set<number>;
};

export function createRuledMaster(problem: RuledHorizon, loosened: Loosened | null = null): RuledMaster {
  const draft = createDraft(problem, loosened);
  const { rows, columns, levels, entries, lower, upper, columnUpper, columnStatus, rowStatus } = draft;
  for (const [g, group] of (problem.previous?.groups ?? []).entries()) writeGroup(draft, g, group);
  for (let u = 0; u < problem.base.demand.length; u++) {
    writeVehicles(draft, u);
    if (rows.present >= 0) writeBounds(draft, u);
  }
  const { sizes } = partsOf(problem.base);
  for (let k = 0; rows.shared >= 0 && k < sizes.length; k++) {
    lower[rows.shared + k] = Number.NEGATIVE_INFINITY;
    upper[rows.shared + k] = sizes[k];
  }
  for (let t = 0; rows.fleet >= 0 && t < problem.base.steps; t++) {
    lower[rows.fleet + t] = Number.NEGATIVE_INFINITY;
    upper[rows.fleet + t] = problem.fleetSize!;
  }
  if (loosened) writeLoose(draft, loosened);
  for (let t = 0; rows.ceilings >= 0 && t < problem.base.steps; t++) {
    lower[rows.ceilings + t] = Number.NEGATIVE_INFINITY;
    upper[rows.ceilings + t] = fromUnits(problem.ceilingUnits!);
  }
  lower.fill(Number.NEGATIVE_INFINITY, rows.floors);
  const builder = createRowBuilder(8 * columns.waiting);
  for (const [r, list] of entries.entries()) {
    for (const { column, value } of list) builder.add(column, value);
    builder.end(lower[r], upper[r]);
  }
  const size = columns.firstMove;
  return {
    problem,
    model: {
      columnCount: size,
      cost: new Float64Array(size),
      lower: new Float64Array(size),
      upper: columnUpper,
      ...builder.finish(),
    },
    columnStatus,
    rowStatus,
    rows,
    levels,
    columns,
    loosened,
    moves: [],
    isColumn: new Set(),
  };
}

/** Rows, columns and first basis while they are written. */
type Draft = Pick<RuledMaster, 'problem' | 'rows' | 'columns' | 'levels' | 'columnStatus' | 'rowStatus'> & {
  entries: { column: number; value: number }[][];
  /** Of rows. */
  lower: Float64Array;
  upper: Float64Array;
  columnUpper: Float64Array;
  free: Int32Array;
  /** K × (T + 1) × n: vehicles that are there if nobody moves. */
  there: Float64Array;
};

function createDraft(problem: RuledHorizon, loosened: Loosened | null): Draft {
  const { base, capacities, previous, ceilingUnits = Number.POSITIVE_INFINITY } = problem;
  const { fleetSize = Number.POSITIVE_INFINITY } = problem;
  const { n, steps, least, most } = base;
  const size = n * steps;
  const classes = capacities.length;
  const groups = previous?.groups.length ?? 0;
  const levels = levelsOf(problem);
  const isBounded = least !== undefined || most !== undefined;
  const vehicles = classes * size;
  const parts = partsOf(base).chances.length;
  const waiting = parts * vehicles;
  const staying = waiting + vehicles;
  const loose = staying + groups;
  const few = loose + (loosened ? (loosened.byLocation ? n : 1) : 0);
  const columns = { waiting, staying, loose, few, firstMove: few + (isBounded ? 2 * size : 0) };
  let next = vehicles + groups;
  /** The first of so many rows; −1 if they are not needed. */
  const take = (count: number, isNeeded: boolean) => {
    if (!isNeeded) return -1;
    next += count;
    return next - count;
  };
  const rows: Rows = {
    groups: vehicles,
    shared: take(parts * size, classes > 1),
    present: take(size, isBounded),
    ceilings: take(steps, ceilingUnits !== Number.POSITIVE_INFINITY),
    fleet: take(steps, fleetSize !== Number.POSITIVE_INFINITY),
    loose: take(size, loosened?.rule === 'least' || loosened?.rule === 'most'),
    floors: take(levels.length, true),
    service: take(1, true),
  };
  const free = freeSupply(problem);
  const there = new Float64Array(classes * (size + n));
  for (let k = 0; k < classes; k++) there.set(free.subarray(k * size, (k + 1) * size), k * (size + n));
  return {
    problem,
    rows,
    columns,
    levels,
    columnStatus: new Int32Array(columns.firstMove).fill(STATUS.lower),
    rowStatus: new Int32Array(next).fill(STATUS.basic),
    entries: Array.from({ length: next }, () => []),
    lower: new Float64Array(next),
    upper: new Float64Array(next).fill(Number.POSITIVE_INFINITY),
    columnUpper: new Float64Array(columns.firstMove).fill(Number.POSITIVE_INFINITY),
    free,
    there,
  };
}

/** Vehicles of a group stay, and are at their location one step later, or move. */
function writeGroup(draft: Draft, g: number, { capacityClass: k, location, count }: FirstGroup): void {
  const { problem, rows, columns, entries, lower, upper, columnStatus, rowStatus, there } = draft;
  const { n, steps } = problem.base;
  const row = rows.groups + g;
  entries[row].push({ column: columns.staying + g, value: 1 });
  lower[row] = count;
  upper[row] = count;
  columnStatus[columns.staying + g] = STATUS.basic;
  rowStatus[row] = STATUS.lower;
  entries[vehicleRow(problem.base, k, n + location)].push({ column: columns.staying + g, value: -1 });
  there[k * n * (steps + 1) + n + location] += count;
}

/** The row of the vehicles of class k at node u; −1 at the end. */
function vehicleRow({ n, steps }: RuledHorizon['base'], k: number, u: number): number {
  const size = n * steps;
  return u < size ? k * size + u : -1;
}

/** The column of the vehicles of a class that are ready for a part of the demand of node u. */
function servingColumn({ base, capacities }: RuledHorizon, p: number, k: number, u: number): number {
  return (p * capacities.length + k) * base.demand.length + u;
}

/** The vehicles of all classes at node u: those that serve and those that wait. */
function writeVehicles(draft: Draft, u: number): void {
  const { problem, rows, columns, levels, entries, lower, upper, columnUpper, free } = draft;
  const { base, capacities } = problem;
  const { n } = base;
  const size = base.demand.length;
  const { chances, sizes } = partsOf(base);
  const trips = tripsFrom(base, u);
  for (const [k, capacity] of capacities.entries()) {
    const c = k * size + u;
    lower[c] = free[c];
    upper[c] = free[c];
    draft.rowStatus[c] = STATUS.lower;
    for (const [p, chance] of chances.entries()) {
      const column = servingColumn(problem, p, k, u);
      entries[c].push({ column, value: 1 });
      if (rows.shared >= 0) entries[rows.shared + p * size + u].push({ column, value: capacity });
      else columnUpper[column] = sizes[p * size + u] / capacity;
      if (rows.fleet >= 0) entries[rows.fleet + Math.floor(u / n)].push({ column, value: 1 });
      for (const [l, level] of levels.entries())
        if (problem.levels![u % n] >= level)
          entries[rows.floors + l].push({ column, value: capacity * chance });
      entries[rows.service].push({ column, value: capacity * chance });
      for (const { node, share } of tripsWithChance(trips, chance, u + n)) {
        const row = vehicleRow(base, k, node);
        if (row >= 0) entries[row].push({ column, value: -share });
      }
    }
    entries[c].push({ column: columns.waiting + c, value: 1 });
    const next = vehicleRow(base, k, u + n);
    if (next >= 0) entries[next].push({ column: columns.waiting + c, value: -1 });
  }
  startAt(draft, u, trips);
}

/**
 * The first basis at node u: the largest vehicles serve the surest part until they or the part are used up; what is
 * used up is not in the basis, and what uses it is. With a fleet size nobody serves, which keeps it.
 */
function startAt(draft: Draft, u: number, trips: readonly { node: number; share: number }[]): void {
  const { problem, rows, columns, columnStatus, there } = draft;
  const { base, capacities } = problem;
  const { n } = base;
  const size = base.demand.length;
  const { chances, sizes } = partsOf(base);
  let p = rows.fleet < 0 ? 0 : chances.length;
  let open = sizes[p * size + u];
  for (let k = capacities.length - 1; k >= 0; k--) {
    const rowOfClass = k * (size + n);
    let left = there[rowOfClass + u];
    for (; p < chances.length; open = sizes[++p * size + u]) {
      const column = servingColumn(problem, p, k, u);
      const isAll = left * capacities[k] <= open;
      const serving = isAll ? left : open / capacities[k];
      left -= serving;
      for (const { node, share } of tripsWithChance(trips, chances[p], u + n))
        there[rowOfClass + node] += serving * share;
      if (isAll) {
        columnStatus[column] = STATUS.basic;
        open -= serving * capacities[k];
        break;
      }
      if (rows.shared < 0) columnStatus[column] = STATUS.upper;
      else if (open > 0) {
        columnStatus[column] = STATUS.basic;
        draft.rowStatus[rows.shared + p * size + u] = STATUS.upper;
      }
    }
    if (p === chances.length) columnStatus[columns.waiting + k * size + u] = STATUS.basic;
    there[rowOfClass + u + n] += left;
  }
}

/** What loosens a rule: more of it in each of its rows. */
function writeLoose(draft: Draft, { rule, byLocation }: Loosened): void {
  const { problem, rows, columns, entries, lower, upper } = draft;
  const { n, steps, demand, least, most } = problem.base;
  if (rule === 'ceiling' || rule === 'fleet') {
    const first = rule === 'ceiling' ? rows.ceilings : rows.fleet;
    for (let t = 0; t < steps; t++) entries[first + t].push({ column: columns.loose, value: -1 });
    return;
  }
  for (let u = 0; u < demand.length; u++) {
    const [present, row] = [rows.present + u, rows.loose + u];
    const vehicles = entries[present].filter(({ column }) => column < columns.loose);
    const column = columns.loose + (byLocation ? u % n : 0);
    entries[row].push(...vehicles, { column, value: rule === 'least' ? 1 : -1 });
    lower[row] = rule === 'least' ? (least?.[u] ?? 0) : Number.NEGATIVE_INFINITY;
    if (rule === 'most') upper[row] = most?.[u] ?? Number.POSITIVE_INFINITY;
    if (rule === 'least') lower[present] = 0;
    else upper[present] = Number.POSITIVE_INFINITY;
  }
}

/** The fewest and the most vehicles at node u. */
function writeBounds({ problem, rows, columns, ...draft }: Draft, u: number): void {
  const { n, demand, least, most } = problem.base;
  const size = demand.length;
  const row = rows.present + u;
  const few = columns.few + u;
  draft.lower[row] = least?.[u] ?? 0;
  draft.upper[row] = most?.[u] ?? Number.POSITIVE_INFINITY;
  let all = 0;
  for (let k = 0; k < problem.capacities.length; k++) {
    const c = k * size + u;
    for (let column = c; column < columns.waiting; column += problem.capacities.length * size)
      draft.entries[row].push({ column, value: 1 });
    draft.entries[row].push({ column: columns.waiting + c, value: 1 });
    all += draft.there[k * (size + n) + u];
  }
  draft.entries[row].push({ column: few, value: 1 }, { column: few + size, value: -1 });
  if (all >= draft.lower[row] && all <= draft.upper[row]) return;
  const isFew = all < draft.lower[row];
  draft.columnStatus[isFew ? few : few + size] = STATUS.basic;
  draft.rowStatus[row] = isFew ? STATUS.lower : STATUS.upper;
}

/** Nodes where the trips that begin at node u end. */
function tripsFrom({ n, flows }: RuledHorizon['base'], u: number): { node: number; share: number }[] {
  if (!flows) return [{ node: u + n, share: 1 }];
  const t = Math.floor(u / n);
  const j = u % n;
  const { starts, targets, shares } = flows[t];
  const trips: { node: number; share: number }[] = [];
  for (let a = starts[j]; a < starts[j + 1]; a++)
    trips.push({ node: (t + 1) * n + targets[a], share: shares[a] });
  return trips;
}

/** Costs of all columns, those of moves included. */
export function costsOf({ problem, moves, columns }: RuledMaster, weights: Weights): Float64Array {
  const { base, capacities, previous } = problem;
  const { n, unmetUnits } = base;
  const size = base.demand.length;
  const cost = new Float64Array(columns.firstMove + moves.length);
  const { chances } = partsOf(base);
  for (let column = 0; column < columns.waiting; column++) {
    const u = column % size;
    const c = (column - u) / size;
    const price = weights.cost * fromUnits(unmetUnits?.[u] ?? 0) + weights.served[u % n];
    const k = c % capacities.length;
    cost[column] = 0 - price * capacities[k] * chances[(c - k) / capacities.length];
  }
  cost.fill(weights.loose ?? 0, columns.loose, columns.few);
  for (const [g, { location, target }] of (previous?.groups ?? []).entries())
    if (location !== target) cost[columns.staying + g] = weights.cost * fromUnits(previous!.changeUnits);
  if (weights.beyond !== Number.POSITIVE_INFINITY) cost.fill(weights.beyond, columns.few, columns.firstMove);
  for (const [m, move] of moves.entries())
    cost[columns.firstMove + m] = weights.cost * fromUnits(unitsOf(problem, move));
  return cost;
}

/** What a move costs, a change of the previous plan included. */
function unitsOf({ base: { pairs }, previous }: RuledHorizon, { group, arc }: RuledColumn): number {
  const at = previous?.groups[group];
  return pairs.units[arc] + (at && at.target !== pairs.targets[arc] ? previous!.changeUnits : 0);
}

export function keyOf({ base }: RuledHorizon, { capacityClass, group, step, arc }: RuledColumn): number {
  const arcs = base.pairs.targets.length;
  const first = group < 0 ? capacityClass * base.steps + step : -1 - group;
  return first * arcs + arc;
}

/** Appends moves as columns. */
export function addRuledColumns(
  master: RuledMaster,
  model: SolverModel,
  added: readonly RuledColumn[],
  weights: Weights,
): void {
  const { problem, rows } = master;
  const { base } = problem;
  const { n, steps, pairs } = base;
  const size = n * steps;
  const starts = [0];
  const indices: number[] = [];
  const values: number[] = [];
  for (const move of added) {
    const { capacityClass: k, group, step, from, arc } = move;
    const row = group < 0 ? k * size + step * n + from : rows.groups + group;
    const arrival = Math.min(steps, step + pairs.delay[arc]);
    indices.push(row, vehicleRow(base, k, arrival * n + pairs.targets[arc]));
    values.push(1, -1);
    if (rows.ceilings >= 0) {
      indices.push(rows.ceilings + step);
      values.push(fromUnits(pairs.units[arc]));
    }
    starts.push(indices.length);
    master.isColumn.add(keyOf(problem, move));
    master.moves.push(move);
  }
  model.addColumns({
    cost: Float64Array.from(added, (move) => weights.cost * fromUnits(unitsOf(problem, move))),
    lower: new Float64Array(added.length),
    upper: new Float64Array(added.length).fill(Number.POSITIVE_INFINITY),
    starts: Int32Array.from(starts),
    indices: Int32Array.from(indices),
    values: Float64Array.from(values),
  });
}

/** The prices that the duals of the rows are. */
export function readPrices(master: RuledMaster, rowDual: Float64Array): RulePrices {
  const { problem, rows, levels, loosened } = master;
  const { n, steps, least, most } = problem.base;
  const size = n * steps;
  const prices: RulePrices = {
    values: new Float64Array(problem.capacities.length * size),
    groups: new Float64Array(problem.previous?.groups.length ?? 0),
    least: new Float64Array(size),
    most: new Float64Array(size),
    ceiling: new Float64Array(steps),
    fleet: new Float64Array(steps),
    floors: new Float64Array(10),
    required: Math.max(0, rowDual[rows.service]),
  };
  for (let r = 0; r < prices.values.length; r++) prices.values[r] = 0 - rowDual[r];
  for (let g = 0; g < prices.groups.length; g++) prices.groups[g] = 0 - rowDual[rows.groups + g];
  for (let u = 0; rows.present >= 0 && u < size; u++) {
    const dualOf = (rule: Loosened['rule']) =>
      rowDual[(loosened?.rule === rule ? rows.loose : rows.present) + u];
    if (least) prices.least[u] = Math.max(0, dualOf('least'));
    if (most && most[u] !== Number.POSITIVE_INFINITY) prices.most[u] = Math.max(0, -dualOf('most'));
  }
  for (let t = 0; rows.ceilings >= 0 && t < steps; t++)
    prices.ceiling[t] = Math.max(0, -rowDual[rows.ceilings + t]);
  for (let t = 0; rows.fleet >= 0 && t < steps; t++) prices.fleet[t] = Math.max(0, -rowDual[rows.fleet + t]);
  for (const [l, level] of levels.entries()) prices.floors[level] = Math.max(0, rowDual[rows.floors + l]);
  return prices;
}

/** Moves of a point, and the vehicles that serve. @param noise amounts below count as none */
export function readRuledPoint(
  { problem, columns, moves }: RuledMaster,
  point: Float64Array,
  noise: number,
): { moves: RuledMoves; serving: Float64Array } {
  const { targets } = problem.base.pairs;
  const used = moves
    .map((move, m) => ({ ...move, vehicles: point[columns.firstMove + m] }))
    .filter(({ vehicles }) => vehicles > noise)
    .sort(
      (a, b) =>
        a.step - b.step ||
        a.capacityClass - b.capacityClass ||
        a.from - b.from ||
        a.group - b.group ||
        a.arc - b.arc,
    );
  const read = createRuledMoves();
  for (const { step, capacityClass, group, from, arc, vehicles } of used) {
    read.step.push(step);
    read.capacityClass.push(capacityClass);
    read.group.push(group);
    read.from.push(from);
    read.to.push(targets[arc]);
    read.vehicles.push(vehicles);
  }
  return { moves: read, serving: point.slice(0, columns.waiting).map((one) => Math.max(0, one)) };
}
