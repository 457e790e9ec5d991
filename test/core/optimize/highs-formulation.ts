/**
 * A request as the specification's model, written move by move and solved by HiGHS. Shares no code with the optimizer,
 * and none of its steps, cuts or tightened coefficients. It is the independent check for requests with too many plans
 * to try.
 */
import highsModule from 'highs';
import type { OptimizeRequest } from '../../../src/contracts/optimize.ts';
import type {
  LocationPoint,
  OptimizeSettings,
  PreviousPlan,
} from '../../../src/core/optimize/problem/model.ts';
import { type RequestFacts, readFacts } from './exhaustive.ts';

// The package's ES module exports the loader itself; its declarations are read as those of a CommonJS module.
const highs = await (highsModule as unknown as typeof highsModule.default)();

/**
 * The least known cost, that of unmet demand included, and the proved lower bound, in units of 1e-4. `unknown`: not
 * decided within the time.
 */
export type HighsAnswer =
  | { kind: 'solved'; costUnits: number; boundUnits: number }
  | { kind: 'infeasible' }
  | { kind: 'unknown' };

type Column = { cost: number; upper: number; isWhole: boolean };
type Row = { lower: number; upper: number; terms: [column: number, factor: number][] };

/** Demand to serve at all locations of at least a priority level. */
export type LevelDemand = { level: number; served: number };

export function solveByHighs(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  settings: OptimizeSettings,
  limits: { gap: number; seconds: number; floors?: readonly LevelDemand[] },
  previous: PreviousPlan | null = null,
): HighsAnswer {
  const { columns, rows, allUnmet } = writeModel(request, locations, settings, previous, limits.floors);
  const starts = new Int32Array(rows.length + 1);
  rows.forEach(({ terms }, r) => {
    starts[r + 1] = starts[r] + terms.length;
  });
  return highs.withModel((model): HighsAnswer => {
    model.options.set({
      output_flag: false,
      // With presolve, HiGHS 1.15 calls some plans with rules about pairs optimal that are not.
      ...(request.options?.refine && { presolve: 'off' as const }),
      primal_feasibility_tolerance: 1e-9,
      mip_feasibility_tolerance: 1e-9,
      mip_rel_gap: limits.gap,
      time_limit: limits.seconds,
    });
    model.passModel({
      numCols: columns.length,
      numRows: rows.length,
      colCost: Float64Array.from(columns, ({ cost }) => cost),
      colLower: new Float64Array(columns.length),
      colUpper: Float64Array.from(columns, ({ upper }) => upper),
      rowLower: Float64Array.from(rows, ({ lower }) => lower),
      rowUpper: Float64Array.from(rows, ({ upper }) => upper),
      matrix: {
        format: 'csr',
        numRows: rows.length,
        numCols: columns.length,
        starts,
        indices: Int32Array.from(rows.flatMap(({ terms }) => terms.map(([column]) => column))),
        values: Float64Array.from(rows.flatMap(({ terms }) => terms.map(([, factor]) => factor))),
      },
    });
    const { variableType, modelStatus, solutionStatus } = highs.constants;
    model.changeColsIntegrality(
      { kind: 'range', from: 0, to: columns.length - 1 },
      Int32Array.from(columns, ({ isWhole }) => (isWhole ? variableType.integer : variableType.continuous)),
    );
    const status = model.run().modelStatus;
    if (status === modelStatus.infeasible) return { kind: 'infeasible' };
    const hasPoint = Number(model.info.get('primal_solution_status')) === solutionStatus.feasible;
    if (!hasPoint) return { kind: 'unknown' };
    return {
      kind: 'solved',
      costUnits: (model.getObjectiveValue() + allUnmet) * 1e4,
      boundUnits: (Number(model.info.get('mip_dual_bound')) + allUnmet) * 1e4,
    };
  });
}

/**
 * Columns: x whole, vehicles of one location, capacity and previous target that go to a location, pinned ones to their
 * own; u whole, vehicles of a capacity that count as serving there; y served demand. Rows: Σ_j x = s;  least_j ≤ Σ x ≤
 * most_j;  u ≤ Σ_i x;  y ≤ Σ cap · u, y ≤ D;  Σ y ≥ level · Σ D;  Σ u ≤ fleet size;  Σ cost · x ≤ ceiling.
 */
function writeModel(
  request: OptimizeRequest,
  locations: readonly LocationPoint[],
  settings: OptimizeSettings,
  previous: PreviousPlan | null,
  floors: readonly LevelDemand[] = [],
): { columns: Column[]; rows: Row[]; allUnmet: number } {
  const facts = readFacts(request, locations, settings, null, previous);
  const columns: Column[] = [];
  const rows: Row[] = [];
  const infinity = highs.infinity;
  const finite = (value: number) => (value === Number.POSITIVE_INFINITY ? infinity : value);
  const add = (column: Column) => columns.push(column) - 1;

  const groups = new Map<string, RequestFacts['vehicles'][number] & { count: number }>();
  for (const vehicle of facts.vehicles) {
    const key = [vehicle.location, vehicle.capacity, vehicle.previousTarget, vehicle.pinned].join();
    const group = groups.get(key) ?? { ...vehicle, count: 0 };
    group.count++;
    groups.set(key, group);
  }
  /** Moves by pair of locations. */
  const pairs = new Map<string, { from: number; columns: number[] }>();
  /** Arrivals by location, with their capacity, including the vehicles that stay. */
  const arrivals = new Map(facts.ids.map((id) => [id, [] as { column: number; capacity: number }[]]));
  const paid: Row['terms'] = [];
  for (const { location, capacity, previousTarget, pinned, count } of groups.values()) {
    const leaving: Row['terms'] = [];
    for (const to of pinned ? [location] : facts.ids) {
      const cost = facts.costUnits(location, to) / 1e4;
      if (cost === Number.POSITIVE_INFINITY) continue;
      const isChange = previousTarget !== undefined && previousTarget !== to;
      const change = isChange ? facts.changeUnits / 1e4 : 0;
      const column = add({ cost: cost + change, upper: count, isWhole: true });
      leaving.push([column, 1]);
      if (cost > 0) paid.push([column, cost]);
      if (to !== location) {
        const pair = pairs.get(`${location} ${to}`) ?? { from: location, columns: [] };
        pair.columns.push(column);
        pairs.set(`${location} ${to}`, pair);
      }
      arrivals.get(to)!.push({ column, capacity });
    }
    rows.push({ lower: count, upper: count, terms: leaving });
  }
  const served: Row['terms'] = [];
  /** The cost of unmet demand if nothing is served. */
  let allUnmet = 0;
  const fromLevel = floors.map((): Row['terms'] => []);
  const counted: Row['terms'] = [];
  for (const id of facts.ids) {
    const here = arrivals.get(id)!;
    const all = here.map(({ column }): [number, number] => [column, 1]);
    rows.push({ lower: facts.minVehicles(id), upper: finite(facts.maxVehicles(id)), terms: all });
    const demand = facts.demand.get(id) ?? 0;
    const y = add({ cost: -facts.unmetUnits(id) / 1e4, upper: demand, isWhole: false });
    allUnmet += (facts.unmetUnits(id) / 1e4) * demand;
    served.push([y, 1]);
    for (const [f, { level }] of floors.entries()) if (facts.level(id) >= level) fromLevel[f].push([y, 1]);
    const serves: Row['terms'] = [[y, -1]];
    for (const capacity of new Set(here.map((arrival) => arrival.capacity))) {
      const u = add({ cost: 0, upper: infinity, isWhole: true });
      counted.push([u, 1]);
      serves.push([u, capacity]);
      const present = here.filter((arrival) => arrival.capacity === capacity);
      rows.push({
        lower: 0,
        upper: infinity,
        terms: [...present.map(({ column }): [number, number] => [column, 1]), [u, -1]],
      });
    }
    rows.push({ lower: 0, upper: infinity, terms: serves });
  }
  const least = facts.serviceLevel * facts.totalDemand;
  rows.push({ lower: least * (1 - 1e-9), upper: infinity, terms: served });
  for (const [f, floor] of floors.entries())
    rows.push({ lower: floor.served - 1e-9 * facts.totalDemand, upper: infinity, terms: fromLevel[f] });
  rows.push({ lower: 0, upper: finite(facts.fleetSize), terms: counted });
  addPairs(facts, pairs, add, rows, infinity);
  rows.push({ lower: 0, upper: finite((facts.ceilingUnits + 0.5) / 1e4), terms: paid });
  return { columns, rows, allUnmet };
}

/** A binary per pair: x ≤ fleet · b,  x ≥ least · b;  Σ b ≤ most, in all and by source. */
function addPairs(
  { pairs: rules, vehicles }: RequestFacts,
  pairs: ReadonlyMap<string, { from: number; columns: number[] }>,
  add: (column: Column) => number,
  rows: Row[],
  infinity: number,
): void {
  const finite = (value: number) => (value === Number.POSITIVE_INFINITY ? infinity : value);
  const isRuled =
    rules.costUnits > 0 || rules.least > 1 || Math.min(rules.most, rules.mostFrom) < Number.POSITIVE_INFINITY;
  if (!isRuled) return;
  const all: Row['terms'] = [];
  const bySource = new Map<number, Row['terms']>();
  for (const { from, columns } of pairs.values()) {
    const b = add({ cost: rules.costUnits / 1e4, upper: 1, isWhole: true });
    const x = columns.map((column): [number, number] => [column, 1]);
    rows.push({ lower: -infinity, upper: 0, terms: [...x, [b, -vehicles.length]] });
    rows.push({ lower: 0, upper: infinity, terms: [...x, [b, -rules.least]] });
    all.push([b, 1]);
    bySource.set(from, [...(bySource.get(from) ?? []), [b, 1]]);
  }
  rows.push({ lower: 0, upper: finite(rules.most), terms: all });
  for (const terms of bySource.values()) rows.push({ lower: 0, upper: finite(rules.mostFrom), terms });
}
