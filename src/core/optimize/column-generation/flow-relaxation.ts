/**
 * The relaxation of several capacity classes as one min-cost flow, solved by the network simplex.
 *
 * Without cuts nothing in the model of `classes.ts` is counted in vehicles: a unit of demand served by class k from i
 * costs c_ij / cap_k, so with y = cap_k · x the relaxation over all moves is
 *
 *   sources   capacity of class k at i: cap_k s_ik        demand that is not served: (1 − level) Σ D_j
 *   sinks     demand of j: D_j                            capacity that serves nobody
 *   arcs      (k, i) → j at c_ij / cap_k, (k, i) → i at 0, not served → j at the cost of unmet demand
 *
 * a pure flow of O(nK) nodes. Its tree is a basis of the master's programme, so that HiGHS starts at the optimum: for
 * 5,000 locations it takes longer to get there than all that follows.
 *
 * Nothing has to trust it. Amounts are rounded to whole units and costs down to whole ones; its prices are multipliers
 * of the master's rows, of which `dual-bound.ts` and `pricing.ts` compute what they prove about all moves.
 */
import { flowCosts } from '../flow/flow-costs.ts';
import { solveFlow } from '../flow/solve-flow.ts';
import type { FlowProblem, SolvedFlow } from '../flow/types.ts';
import type { LinearBasis } from '../highs/solver-model.ts';
import { fromUnits, UNITS_PER_COST } from '../problem/costs.ts';
import { hasFurtherRules } from '../problem/floors.ts';
import type { Problem } from '../problem/model.ts';
import { requiredDemand, totalDemand } from '../problem/service-level.ts';
import type { Stopping } from '../run/stopping.ts';
import type { BaseModel } from './base-model.ts';
import { usefulCapacities } from './classes.ts';
import type { MoveArcs } from './pricing.ts';

export type FlowRelaxation = {
  /** The moves of the optimal tree, and those that came closest to entering it. */
  moves: MoveArcs;
  /** Values of the columns of the base model and of these moves. Unmet demand is left out. */
  values: Float64Array;
  /** Multipliers of the rows of the base model. */
  rowDual: Float64Array;
  /** For a programme of the base model and these moves; null: the tree gives none. */
  basis: LinearBasis | null;
};

/** Largest sum of flow units. */
const MAX_SUM = 2 ** 29;
/** Flow units per unit of demand are at most 10 to this power: demand in decimals is then whole. */
const MAX_DIGITS = 6;
const AT_LOWER = 0;
const BASIC = 1;
const AT_UPPER = 2;

/** Whether the relaxation is a flow: no rule beyond demand, the service level and the vehicles that are there. */
export function hasFlowRelaxation(problem: Problem, base: BaseModel): boolean {
  return base.firstUnmet >= 0 && !base.hasIdle && !hasFurtherRules(problem);
}

/** @returns null if time is up, if the level is out of reach, or if numbers are too large for exact sums */
export function relaxByFlow(problem: Problem, base: BaseModel, control: Stopping): FlowRelaxation | null {
  const scaled = scaledFlow(problem, control);
  const solved = solveScaled(scaled, control);
  if (!solved) return null;
  const arcs = movesOfTree(problem, scaled, solved);
  return {
    moves: arcs.moves,
    values: valuesOfMoves(problem, base, arcs),
    rowDual: multipliers(problem, base, scaled, solved),
    basis: basisOfTree(problem, base, scaled, solved, arcs),
  };
}

type ScaledFlow = {
  /** Source of class k at i: k · n + i; sink of j: j. */
  flow: FlowProblem;
  capacities: Float64Array;
  /** Flow units per unit of demand. */
  perDemand: number;
  /** Cost units of the flow per cost unit and unit of demand. */
  perCost: number;
};

function scaledFlow(problem: Problem, control: Stopping): ScaledFlow {
  const { demand, supply, unmetCost } = problem;
  const n = demand.length;
  const capacities = usefulCapacities(problem);
  const nodes = supply.length;
  let present = 0;
  for (let at = 0; at < nodes; at++) present += capacities[Math.floor(at / n)] * supply[at];
  const total = totalDemand(demand);
  const digits = Math.floor(Math.log10(MAX_SUM / Math.max(present, total)));
  const perDemand = 10 ** Math.min(MAX_DIGITS, digits);
  // The largest class costs what its moves cost.
  const perCost = capacities[capacities.length - 1];
  const wanted = new Int32Array(nodes);
  let required = -Math.floor((total - requiredDemand(problem)) * perDemand);
  for (let j = 0; j < n; j++) {
    wanted[j] = Math.round(demand[j] * perDemand);
    required += wanted[j];
  }
  const unservedCost = new Float64Array(nodes);
  for (let j = 0; j < n && unmetCost; j++)
    unservedCost[j] = Math.floor(unmetCost[j] * UNITS_PER_COST * perCost);
  return {
    flow: {
      n: nodes,
      supply: supply.map((count, at) => Math.round(capacities[Math.floor(at / n)] * count * perDemand)),
      demand: wanted,
      required: Math.max(0, required),
      cost: {
        kind: 'shared',
        moves: flowCosts(problem, control),
        size: n,
        row: Int32Array.from(supply, (_, at) => at % n),
        column: Int32Array.from(supply, (_, at) => (at < n ? at : -1)),
        listed: {
          kind: 'sparse',
          starts: new Int32Array(nodes + 1),
          targets: new Int32Array(0),
          units: new Float64Array(0),
        },
        factor: Float64Array.from(supply, (_, at) => perCost / capacities[Math.floor(at / n)]),
      },
      ...(unmetCost && { unservedCost }),
    },
    capacities,
    perDemand,
    perCost,
  };
}

function solveScaled({ flow }: ScaledFlow, { deadlineMs, stopFlag, onLook }: Stopping): SolvedFlow | null {
  try {
    // Vehicles of several classes at a place cannot all serve it first.
    const outcome = solveFlow(flow, {
      deadlineMs,
      stopFlag,
      onLook,
      nettingIsSafe: false,
      needsOptimum: true,
    });
    return outcome.kind === 'solved' ? outcome : null;
  } catch {
    // Sums beyond exact integers, or a certificate that does not hold: the master begins without a flow.
    return null;
  }
}

type TreeMoves = {
  moves: MoveArcs;
  /** On each of them, fractional. */
  vehicles: Float64Array;
  /** The first ones are in the tree. */
  inTree: number;
};

function movesOfTree(
  { demand }: Problem,
  { capacities, perDemand }: ScaledFlow,
  { basis, alternatives }: SolvedFlow,
): TreeMoves {
  const n = demand.length;
  const from: number[] = [];
  const to: number[] = [];
  const vehicles: number[] = [];
  const unserved = capacities.length * n;
  const add = (source: number, sink: number, units: number) => {
    if (source === unserved || source % n === sink) return;
    from.push(source);
    to.push(sink);
    vehicles.push(units / (capacities[Math.floor(source / n)] * perDemand));
  };
  for (let a = 0; a < basis.from.length; a++) add(basis.from[a], basis.to[a], basis.units[a]);
  const inTree = from.length;
  for (let a = 0; a < alternatives.from.length; a++) add(alternatives.from[a], alternatives.to[a], 0);
  return {
    moves: {
      capacityClass: Int32Array.from(from, (source) => Math.floor(source / n)),
      source: Int32Array.from(from, (source) => source % n),
      target: Int32Array.from(to),
    },
    vehicles: Float64Array.from(vehicles),
    inTree,
  };
}

/** Vehicles that arrive, vehicles that leave, and those on each move. */
function valuesOfMoves(
  { demand, supply }: Problem,
  base: BaseModel,
  { moves, vehicles }: TreeMoves,
): Float64Array {
  const n = demand.length;
  const firstArc = base.model.columnCount;
  const values = new Float64Array(firstArc + vehicles.length);
  values.set(vehicles, firstArc);
  for (let m = 0; m < vehicles.length; m++) {
    const first = moves.capacityClass[m] * n;
    values[first + moves.target[m]] += vehicles[m];
    values[supply.length + first + moves.source[m]] += vehicles[m];
  }
  return values;
}

/** Prices of vehicles and demand as multipliers of the rows of the base model. */
function multipliers(
  { demand, supply, unmetCost }: Problem,
  base: BaseModel,
  { capacities, perCost }: ScaledFlow,
  { duals }: SolvedFlow,
): Float64Array {
  const n = demand.length;
  const money = (price: number) => fromUnits(price / perCost);
  const { rowCount } = base.model;
  const rowDual = new Float64Array(rowCount);
  const firstDemand = 2 * supply.length;
  /** What serving a unit of demand is worth. */
  const worth = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    const unmet = unmetCost ? Math.floor(unmetCost[j] * UNITS_PER_COST * perCost) : 0;
    worth[j] = demand[j] > 0 ? Math.max(0, money(duals.service + unmet - duals.demand[j])) : 0;
    rowDual[firstDemand + j] = worth[j] * base.demandScale;
  }
  for (let at = 0; at < supply.length; at++) {
    const capacity = capacities[Math.floor(at / n)];
    const present = capacity * worth[at % n];
    rowDual[base.targetRow[at]] = present;
    rowDual[base.sourceRow[at]] = Math.max(present, capacity * money(duals.supply[at]));
  }
  rowDual[base.serviceRow] = -money(duals.service) * base.demandScale;
  return rowDual;
}

/**
 * The tree as a basis. Each of its arcs makes one column or row basic, beside those of arriving vehicles and of
 * places without demand or vehicles:
 *
 *   (k, i) → j            the move
 *   (k, i) → i            the vehicles that leave; without it and without the next, all of them do
 *   (k, i) → nobody       the vehicles that leave, or, if (k, i) → i is in the tree too, the demand row: more is
 *                         present than is wanted
 *   not served → j        the unmet demand
 *   not served → nobody   the row of the service level
 */
function basisOfTree(
  { demand, supply }: Problem,
  base: BaseModel,
  { flow }: ScaledFlow,
  { basis }: SolvedFlow,
  { moves, inTree }: TreeMoves,
): LinearBasis | null {
  const n = demand.length;
  const size = supply.length;
  const out = size;
  const firstDemand = 2 * size;
  const { columnCount, rowCount } = base.model;
  const columnStatus = new Int32Array(columnCount + moves.source.length).fill(AT_LOWER);
  const rowStatus = new Int32Array(rowCount).fill(AT_LOWER);
  const stays = new Uint8Array(size);
  for (let a = 0; a < basis.from.length; a++) if (basis.from[a] % n === basis.to[a]) stays[basis.from[a]] = 1;
  columnStatus.fill(BASIC, columnCount, columnCount + inTree);
  for (let at = 0; at < size; at++) {
    columnStatus[at] = BASIC;
    if (flow.supply[at] === 0) rowStatus[base.sourceRow[at]] = BASIC;
    else if (stays[at] === 1 || basis.idle[at] === 1) columnStatus[out + at] = BASIC;
    else columnStatus[out + at] = AT_UPPER;
    if (stays[at] === 1 && basis.idle[at] === 1) rowStatus[firstDemand + (at % n)] = BASIC;
  }
  for (let j = 0; j < n; j++) {
    if (flow.demand[j] === 0) rowStatus[firstDemand + j] = BASIC;
    else if (basis.unserved[j] === 1) columnStatus[base.firstUnmet + j] = BASIC;
  }
  rowStatus[base.serviceRow] = basis.slack ? BASIC : AT_UPPER;
  const count = (sum: number, status: number) => (status === BASIC ? sum + 1 : sum);
  const basics = rowStatus.reduce(count, columnStatus.reduce(count, 0));
  return basics === rowCount ? { columnStatus, rowStatus } : null;
}
