/**
 * The model of the README as a linear programme: columns from `variables.ts`, one named function per constraint.
 *
 * Given whole steps, the rest is a transportation problem (a network with integral vertices). So only steps are
 * declared integer; x then is integral too. With one capacity class and no `part` steps the whole model is a network,
 * because service level and fleet size bound the flow into one common sink, and the linear programme has integral
 * vertices.
 *
 * Complexity: columns A + O(nK), entries at most 4A + O(nK), A allowed arcs of sources with supply.
 * Reference: Ahuja, Magnanti, Orlin, Network Flows (1993), chapters 1, 9 and 11.
 */

import { costScaleOf } from '../highs/cost-scale.ts';
import { createRowBuilder, type LinearModel, type RowBuilder } from '../highs/linear-model.ts';
import type { NewRow } from '../highs/solver-model.ts';
import { fromUnits } from '../problem/costs.ts';
import { floorsOf, levelAt } from '../problem/floors.ts';
import { leastAt, mostAt } from '../problem/location-bounds.ts';
import type { Problem } from '../problem/model.ts';
import { movingCost } from '../problem/moving-cost.ts';
import { allDemand, requiredDemand, SERVICE_TOLERANCE, totalDemand } from '../problem/service-level.ts';
import { hasUnmetCost } from '../problem/unmet-cost.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import type { Check } from '../run/stopping.ts';
import { createVariables, type TargetsOf, type Variables } from './variables.ts';

/** Locations whose rows are written between two calls of the check. */
const ROWS_PER_LOOK = 64;

/** The plan that serves the most at locations of at least this priority level, with the service level. */
type ServedFrom = { servedFrom: number };

export type FormulationOptions = {
  /** `cost`: the cheapest plan. `served`: the plan that serves the most, without a service level. */
  objective?: 'cost' | 'served' | ServedFrom;
  /** Called every few milliseconds: a million columns take some tenths of a second. */
  check?: Check;
  /** Restricts the moves. */
  targetsOf?: TargetsOf | undefined;
};

export type Formulation = {
  model: LinearModel;
  variables: Variables;
  /** Cost of moving of each column in money, independent of the objective. */
  columnCost: Float64Array;
  /** Whether every vertex of the linear programme is integral. */
  isNetwork: boolean;
  /** Unit of demand in the served-demand rows: the largest gain of a step. */
  demandScale: number;
  /** Feasibility tolerance that the solver must keep for the service level to hold within its own tolerance. */
  tolerance: number;
  /** Supply row of source r is row r. */
  supplyRows: number;
};

/** @throws what `check` throws */
export function formulate(
  problem: Problem,
  { objective = 'cost', check = () => {}, targetsOf }: FormulationOptions = {},
): Formulation {
  const variables = createVariables(problem, check, targetsOf);
  const isNetwork =
    problem.capacities.length === 1 && variables.stepGain.every((g) => g === problem.capacities[0]);
  const demandScale = variables.stepGain.reduce((largest, g) => Math.max(largest, g), 0) || 1;
  const rows = createRowBuilder(4 * variables.columnCount);
  addSupplyRows(rows, problem, variables);
  check();
  addPresenceRows(rows, problem, variables, check);
  if (variables.firstServed >= 0) addServedDemandRows(rows, problem, variables, demandScale);
  if (objective !== 'served') addServiceLevelRow(rows, problem, variables, demandScale, isNetwork);
  addFloorRows(rows, problem, variables, demandScale, isNetwork);
  addFleetSizeRow(rows, problem, variables);
  addVehiclesPerLocationRows(rows, problem, variables);
  if (variables.firstUnmet >= 0) addUnmetDemandRows(rows, problem, variables, demandScale);
  addKeptRows(rows, variables);
  const columnCost = moveCosts(problem, variables);
  const objectiveCost = withOtherCosts(problem, variables, demandScale, columnCost);
  check();
  const columns = columnBounds(problem, variables, demandScale);
  return {
    model: {
      columnCount: variables.columnCount,
      cost:
        objective === 'cost'
          ? objectiveCost
          : servedObjective(
              problem,
              variables,
              demandScale,
              objective === 'served' ? 0 : objective.servedFrom,
            ),
      costScale:
        objective === 'cost' ? costScaleOf(objectiveCost.reduce((most, cost) => Math.max(most, cost), 0)) : 1,
      ...columns,
      ...rows.finish(),
    },
    variables,
    columnCost,
    isNetwork,
    demandScale,
    tolerance: feasibilityTolerance(problem, demandScale),
    supplyRows: variables.sourceClass.length,
  };
}

/** Supply: every operational vehicle stays or moves, Σ_j x_ijk = s_ik. */
function addSupplyRows(rows: RowBuilder, problem: Problem, v: Variables): void {
  const n = problem.locationIds.length;
  for (let r = 0; r < v.sourceClass.length; r++) {
    for (let a = v.sourceStart[r]; a < v.sourceStart[r + 1]; a++) rows.add(a, 1);
    const supply = problem.supply[v.sourceClass[r] * n + v.sourceLocation[r]];
    rows.end(supply, supply);
  }
}

/** Presence: only vehicles present after the moves can serve, Σ_i x_ijk − steps_jk ≥ 0. */
function addPresenceRows(rows: RowBuilder, problem: Problem, v: Variables, check: Check): void {
  const n = problem.locationIds.length;
  for (let s = 0; s < v.stepClass.length; ) {
    const j = v.stepLocation[s];
    const k = v.stepClass[s];
    if (j % ROWS_PER_LOOK === 0) check();
    for (let t = v.targetStart[k * n + j]; t < v.targetStart[k * n + j + 1]; t++) rows.add(v.byTarget[t], 1);
    for (; s < v.stepClass.length && v.stepLocation[s] === j && v.stepClass[s] === k; s++) {
      rows.add(v.firstStep + s, -1);
    }
    rows.end(0, Number.POSITIVE_INFINITY);
  }
}

/**
 * Demand served by capacity, with several classes: Σ_k min(capacity_k, D_j) · z_jk − y_j ≥ 0. The coefficient is cut
 * to D_j, which keeps every whole z (one such vehicle serves all) and removes fractional ones.
 */
function addServedDemandRows(rows: RowBuilder, _problem: Problem, v: Variables, demandScale: number): void {
  let s = 0;
  for (let c = 0; c < v.servedLocation.length; c++) {
    for (; s < v.stepClass.length && v.stepLocation[s] === v.servedLocation[c]; s++) {
      rows.add(v.firstStep + s, v.stepGain[s] / demandScale);
    }
    rows.add(v.firstServed + c, -1);
    rows.end(0, Number.POSITIVE_INFINITY);
  }
}

/** Service level: Σ_j y_j ≥ min_service_level · Σ_j D_j, in whole vehicles if all demand is in whole vehicles. */
function addServiceLevelRow(
  rows: RowBuilder,
  problem: Problem,
  v: Variables,
  demandScale: number,
  isNetwork: boolean,
): void {
  for (const [column, factor] of servedTerms(problem, v, demandScale, 0)) rows.add(column, factor);
  rows.end(leastUnits(problem, requiredDemand(problem), demandScale, isNetwork), Number.POSITIVE_INFINITY);
}

/**
 * Floors: Σ y_j ≥ served, over the locations of the floor's level or a higher one. They are nested, so they keep the
 * model of one class and whole loads a network.
 */
function addFloorRows(
  rows: RowBuilder,
  problem: Problem,
  v: Variables,
  demandScale: number,
  isNetwork: boolean,
): void {
  for (const { level, served } of floorsOf(problem)) {
    for (const [column, factor] of servedTerms(problem, v, demandScale, level)) rows.add(column, factor);
    rows.end(leastUnits(problem, served, demandScale, isNetwork), Number.POSITIVE_INFINITY);
  }
}

/**
 * An amount of demand to serve, in units of `demandScale`. A network has whole numbers. Otherwise the model uses half
 * of the tolerance, and the other half is left to the solver's arithmetic.
 */
export function leastUnits(
  problem: Problem,
  required: number,
  demandScale: number,
  isNetwork: boolean,
): number {
  const slack = SERVICE_TOLERANCE * allDemand(problem);
  return isNetwork ? Math.ceil((required - slack) / demandScale) : (required - slack / 2) / demandScale;
}

/** Columns that add up to the demand served at locations of at least this level, with their factors. */
function* servedTerms(
  problem: Problem,
  v: Variables,
  demandScale: number,
  level: number,
): Generator<[column: number, factor: number]> {
  if (v.firstServed >= 0) {
    for (let c = 0; c < v.servedLocation.length; c++)
      if (levelAt(problem, v.servedLocation[c]) >= level) yield [v.firstServed + c, 1];
  } else {
    for (let s = 0; s < v.stepGain.length; s++)
      if (levelAt(problem, v.stepLocation[s]) >= level) yield [v.firstStep + s, v.stepGain[s] / demandScale];
  }
}

/**
 * Unmet demand, if it has a cost: u_j + served demand ≥ D_j, and the objective has Σ unmetCost_j · u_j. Served demand
 * is y_j, or with one class the gain of the steps.
 */
function addUnmetDemandRows(rows: RowBuilder, problem: Problem, v: Variables, demandScale: number): void {
  for (let c = 0, s = 0; c < v.unmetLocation.length; c++) {
    const j = v.unmetLocation[c];
    rows.add(v.firstUnmet + c, 1);
    if (v.firstServed >= 0) rows.add(v.firstServed + c, 1);
    for (; v.firstServed < 0 && s < v.stepClass.length && v.stepLocation[s] === j; s++) {
      rows.add(v.firstStep + s, v.stepGain[s] / demandScale);
    }
    rows.end(problem.demand[j] / demandScale, Number.POSITIVE_INFINITY);
  }
}

/** Changes of a previous plan, if they have a cost: x_ijk + w_g ≥ vehicles of the group at i that should go to j. */
function addKeptRows(rows: RowBuilder, v: Variables): void {
  for (const [g, { arc, count }] of v.kept.entries()) {
    if (arc >= 0) rows.add(arc, 1);
    rows.add(v.firstChanged + g, 1);
    rows.end(count, Number.POSITIVE_INFINITY);
  }
}

/** Fleet size: at most total_fleet_size vehicles count as serving, Σ steps ≤ total_fleet_size. */
function addFleetSizeRow(rows: RowBuilder, problem: Problem, v: Variables): void {
  if (problem.limits.totalFleetSize === Number.POSITIVE_INFINITY) return;
  for (let s = 0; s < v.stepClass.length; s++) rows.add(v.firstStep + s, 1);
  rows.end(Number.NEGATIVE_INFINITY, problem.limits.totalFleetSize);
}

/** Vehicles per location: min_j ≤ Σ_ik x_ijk ≤ max_j at every location of the problem. */
function addVehiclesPerLocationRows(rows: RowBuilder, problem: Problem, v: Variables): void {
  if (!hasLocationBounds(problem)) return;
  const n = problem.locationIds.length;
  for (let j = 0; j < n; j++) {
    for (let k = 0; k < problem.capacities.length; k++) {
      for (let t = v.targetStart[k * n + j]; t < v.targetStart[k * n + j + 1]; t++)
        rows.add(v.byTarget[t], 1);
    }
    rows.end(leastAt(problem, j), mostAt(problem, j));
  }
}

/**
 * Cost ceiling: Σ cost · x ≤ max_rebalancing_cost. Plans cost whole units, so half a cost unit of slack admits no
 * dearer plan.
 */
export function costCeilingRow(problem: Problem, f: Formulation): NewRow {
  const { arcSource, arcTarget, firstStep } = f.variables;
  const paid = Float64Array.from({ length: firstStep }, (_, a) =>
    fromUnits(movingCost(problem, arcSource[a], arcTarget[a])),
  );
  const indices = Int32Array.from(paid.keys().filter((a) => paid[a] !== 0));
  return {
    indices,
    values: Float64Array.from(indices, (a) => paid[a]),
    lower: Number.NEGATIVE_INFINITY,
    upper: fromUnits(problem.limits.maxCostUnits + 0.5),
  };
}

function moveCosts(problem: Problem, v: Variables): Float64Array {
  const n = problem.locationIds.length;
  const cost = new Float64Array(v.columnCount);
  for (let a = 0; a < v.firstStep; a++) {
    cost[a] = fromUnits(problem.network.costUnits[v.arcSource[a] * n + v.arcTarget[a]]);
  }
  return cost;
}

/** Costs of moving, and of unmet demand and changes if they have any. */
function withOtherCosts(
  problem: Problem,
  v: Variables,
  demandScale: number,
  columnCost: Float64Array,
): Float64Array {
  if (v.firstUnmet < 0 && v.kept.length === 0) return columnCost;
  const cost = columnCost.slice();
  for (let c = 0; c < v.unmetLocation.length; c++) {
    cost[v.firstUnmet + c] = problem.unmetCost![v.unmetLocation[c]] * demandScale;
  }
  if (v.kept.length > 0) cost.fill(fromUnits(problem.previous!.changeUnits), v.firstChanged);
  return cost;
}

function servedObjective(problem: Problem, v: Variables, demandScale: number, level: number): Float64Array {
  const cost = new Float64Array(v.columnCount);
  for (const [column, factor] of servedTerms(problem, v, demandScale, level)) cost[column] = -factor;
  return cost;
}

/** All bounds are finite; a bound proved from duals requires that. */
function columnBounds(
  problem: Problem,
  v: Variables,
  demandScale: number,
): { lower: Float64Array; upper: Float64Array } {
  const n = problem.locationIds.length;
  const upper = new Float64Array(v.columnCount);
  for (let a = 0; a < v.firstStep; a++) upper[a] = problem.supply[v.arcClass[a] * n + v.arcSource[a]];
  upper.set(v.stepUpper, v.firstStep);
  for (let c = 0; c < v.servedLocation.length; c++) {
    upper[v.firstServed + c] = problem.demand[v.servedLocation[c]] / demandScale;
  }
  for (let c = 0; c < v.unmetLocation.length; c++) {
    upper[v.firstUnmet + c] = problem.demand[v.unmetLocation[c]] / demandScale;
  }
  for (const [g, { count }] of v.kept.entries()) upper[v.firstChanged + g] = count;
  return { lower: new Float64Array(v.columnCount), upper };
}

const TIGHTEST_TOLERANCE = 1e-10;
const LOOSEST_TOLERANCE = 1e-7;
const PRICED_TOLERANCE = 1e-9;

/** Tolerance of the rows. With a cost of unmet demand, what they leave out is money. */
export function feasibilityTolerance(problem: Problem, demandScale: number): number {
  if (hasUnmetCost(problem)) return PRICED_TOLERANCE;
  const share = (SERVICE_TOLERANCE / 8) * (totalDemand(problem.demand) / demandScale);
  return Math.min(LOOSEST_TOLERANCE, Math.max(TIGHTEST_TOLERANCE, share));
}
