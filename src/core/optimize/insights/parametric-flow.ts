/**
 * One class and fractional demand: bounds of the cheapest plan's cost from both sides, unchanged and after a change, on
 * the flow at the best Lagrangian multiplier (`lagrangian-flow.ts`).
 *
 * From below: added or removed vehicles and demand, and closed moves, change L along residual paths, which bounds their
 * effect on the cost. From above: the changed flow is repaired into a plan by more or fewer steps along cycles of least
 * reduced cost, a few at a time, until enough is served with little surplus. Demand of many sizes leaves little
 * surplus, so the two bounds are close.
 *
 * Complexity: three searches from below for all vehicles and demand; O(m log n) per exploration and repair at worst, m
 * moves; much less in practice, because they end nearby.
 */

import { type Change, chooseChanges } from '../lagrangian/step-changes.ts';
import type { Problem, Solution } from '../problem/model.ts';
import { leastServed } from '../problem/service-level.ts';
import type { Effort } from './effort.ts';
import type { Range } from './estimate.ts';
import {
  arcOf,
  createLagrangianFlow,
  gainAt,
  gainOf,
  gainOfFlow,
  holdStep,
  type LagrangianFlow,
  lagrangianBound,
  perGain,
  reopenSteps,
  worthOfFlow,
} from './lagrangian-flow.ts';
import { flowsOf, type MoveGroup, mostGained } from './move-figures.ts';
import { closeArc, sendUnits, widenArc } from './residual/flow-changes.ts';
import { flowOn, markState, reducedCost, residualOf } from './residual/residual-network.ts';
import { distances, explore, weighPath } from './residual/shortest-paths.ts';

/** A gap below this share of the cost is not worth another repair. */
const MIN_SLACK = 5e-6;
const MAX_REPAIRS = 6;
/** Candidate steps to add, and to remove. */
const MAX_CHANGES = 24;
/** A cycle is used only if it improves by this much, in scaled units. */
const MIN_BETTER = 1;

/** Bounds of a changed problem, and the location that takes most of the vehicles of a forbidden move. */
export type FlowBounds = { range: Range; next: number | null };

export type ParametricFlow = {
  readonly problem: Problem;
  readonly flow: LagrangianFlow;
  /** Restores the flow. */
  readonly back: () => void;
  /** Value of the unchanged flow. */
  readonly base: number;
  /** Demand to serve if demand grows by a vehicle's load. */
  readonly requiredWithMore: number;
  readonly goingBefore: (source: number, j: number) => number;
  readonly toSink: Float64Array;
  readonly fromSink: Float64Array;
  readonly fromServed: Float64Array;
  /** The gap of the unchanged problem, scaled. */
  slack: number;
};

/** @throws OutOfTime, here and from every function below; the state is unusable afterwards */
export function createParametricFlow(problem: Problem, solution: Solution, effort: Effort): ParametricFlow {
  const flow = createLagrangianFlow(problem, solution, effort);
  const { network, served, sink } = flow;
  return {
    problem,
    flow,
    back: markState(network),
    base: flow.value,
    requiredWithMore: leastServed(problem, flow.capacity),
    goingBefore: flowsOf(problem, solution.moves),
    toSink: distances(network, sink, true),
    fromSink: distances(network, sink),
    fromServed: distances(network, served),
    slack: 0,
  };
}

/** Bounds of the unchanged problem, from both sides. */
export function boundUnchanged(parametric: ParametricFlow): FlowBounds {
  const { flow, base } = parametric;
  const found = repaired(parametric, () => 0, flow.required);
  const { least, most } = found.range;
  if (Number.isFinite(most))
    parametric.slack = Math.max(flow.scale * (most - least), MIN_SLACK * Math.abs(base));
  return found;
}

/** Bounds with one vehicle more at i, from below alone, like the next three. */
export function boundMore(parametric: ParametricFlow, i: number): FlowBounds {
  return bounded(parametric, parametric.toSink[parametric.flow.source(i)]);
}

export function boundFewer(parametric: ParametricFlow, i: number): FlowBounds {
  return bounded(parametric, parametric.fromSink[parametric.flow.source(i)]);
}

/** A vehicle's load of demand more at j. */
export function boundDemand(parametric: ParametricFlow, j: number): FlowBounds {
  const { flow, fromServed, requiredWithMore } = parametric;
  const isOpen = residualOf(flow.network, 2 * arcOf(flow, j)) > 0;
  const added = isOpen ? 0 : Math.min(0, fromServed[flow.departure(j)] - flow.worth[j]);
  return bounded(parametric, added, requiredWithMore);
}

/** Without moves from a location to another. */
export function boundMove(parametric: ParametricFlow, move: MoveGroup): FlowBounds {
  const added = close(parametric, move);
  parametric.back();
  return bounded(parametric, added);
}

/** Bounds with one vehicle more at i, from both sides, like the next three. */
export function repairMore(parametric: ParametricFlow, i: number): FlowBounds {
  const { flow } = parametric;
  return repaired(parametric, () => sendUnits(flow.network, flow.source(i), flow.sink, 1), flow.required);
}

export function repairFewer(parametric: ParametricFlow, i: number): FlowBounds {
  const { flow } = parametric;
  return repaired(parametric, () => sendUnits(flow.network, flow.sink, flow.source(i), 1), flow.required);
}

export function repairDemand(parametric: ParametricFlow, j: number): FlowBounds {
  const { flow, requiredWithMore } = parametric;
  return repaired(parametric, () => 0 - widenArc(flow.network, 2 * arcOf(flow, j), 1), requiredWithMore);
}

export function repairMove(parametric: ParametricFlow, move: MoveGroup): FlowBounds {
  return repaired(
    parametric,
    () => close(parametric, move),
    parametric.flow.required,
    () => nextFrom(parametric, move),
  );
}

/** Whether a step can be increased, or decreased, by one. */
function canChange(flow: LagrangianFlow, step: number, by: 1 | -1): boolean {
  return !flow.isFixed[step] && residualOf(flow.network, 2 * arcOf(flow, step) + (by > 0 ? 0 : 1)) > 0;
}

/** Steps that can change, those of least reduced cost first, with the cost and the served demand that each adds. */
function findChanges(flow: LagrangianFlow, limit: number): Change[] {
  return [...lookForChanges(flow, limit, 1), ...lookForChanges(flow, limit, -1)].sort(
    (a, b) => a.reduced - b.reduced,
  );
}

function lookForChanges(flow: LagrangianFlow, limit: number, by: 1 | -1): Change[] {
  const { n, network, served, sink, noise } = flow;
  const first = flow.departure(0);
  const gainAtArc = (arc: number) => gainAt(flow, arc);
  const found: Change[] = [];
  let within = limit;
  explore(network, by > 0 ? served : sink, by < 0, (node, reduced) => {
    const j = node - first;
    if (j < 0 || j >= n) return within;
    for (const step of [j, n + j]) {
      if (!canChange(flow, step, by)) continue;
      const closing = reduced + reducedCost(network, 2 * arcOf(flow, step) + (by > 0 ? 0 : 1));
      if (closing > within) continue;
      const gain = by * gainOf(flow, step) + weighPath(network, node, by < 0, gainAtArc);
      if (Math.abs(gain) <= noise) continue;
      found.push({ step, by, reduced: closing, gain });
      if (found.length < 2 * MAX_CHANGES) continue;
      found.sort((a, b) => a.reduced - b.reduced).length = MAX_CHANGES;
      within = found[MAX_CHANGES - 1].reduced;
    }
    return within;
  });
  return found;
}

function findRepair(flow: LagrangianFlow, least: number, have: number): Change[] {
  const limit = have >= least ? perGain(flow) * (have - least) - MIN_BETTER : Number.POSITIVE_INFINITY;
  const changes = findChanges(flow, Math.min(limit, flow.multiplier));
  const best = chooseChanges(changes, have - least, perGain(flow), limit);
  if (best || have >= least) return best ?? [];
  return changes
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain)
    .slice(0, 1);
}

/** Makes the change of a step permanent. @returns its cost minus the worth of the step; null if there is no way */
function apply(flow: LagrangianFlow, { step, by }: Change): number | null {
  const { n, network, served, sink, worth } = flow;
  if (!canChange(flow, step, by)) return null;
  holdStep(flow, step, by);
  const node = flow.departure(step % n);
  if (by > 0) {
    const sent = sendUnits(network, served, node, 1);
    return sent === null ? null : sent - worth[step];
  }
  const sent = sendUnits(network, node, sink, 1);
  const closed = sent === null ? null : sendUnits(network, sink, served, 1);
  return closed === null ? null : sent! + closed + worth[step];
}

/** The cost of a plan from the flow as changed, in units; Infinity if none was found. */
function repair({ flow, slack }: ParametricFlow, changedValue: number, least: number): number {
  const { scale, noise } = flow;
  let cheapest = Number.POSITIVE_INFINITY;
  let at = changedValue;
  for (let r = 0; r <= MAX_REPAIRS; r++) {
    const have = gainOfFlow(flow);
    if (have >= least + noise) {
      cheapest = Math.min(cheapest, (at + worthOfFlow(flow)) / scale);
      // No figure is known better than the problem itself.
      if (perGain(flow) * (have - least) + at - changedValue <= slack) break;
    }
    const changes = r === MAX_REPAIRS ? [] : findRepair(flow, least + noise, have);
    if (changes.length === 0) break;
    for (const change of changes) {
      const added = apply(flow, change);
      if (added === null) return cheapest;
      at += added;
    }
  }
  return cheapest;
}

/**
 * @param added by the change to the flow's value; null or Infinity: no plan is left. @param most cost of a plan,
 * units
 */
function boundsOf(
  { problem, flow, base }: ParametricFlow,
  added: number | null,
  least: number,
  most: number,
  next: number | null,
): FlowBounds {
  const { maxCostUnits } = problem.limits;
  const bound = added === null ? Number.POSITIVE_INFINITY : lagrangianBound(flow, base + added, least);
  const upTo = (units: number) => (units > maxCostUnits ? Number.POSITIVE_INFINITY : units);
  return { range: { least: upTo(bound), most: upTo(most) }, next };
}

/**
 * Changes the flow, repairs it and restores it. @param change makes the change and returns what it adds to the value
 */
function repaired(
  parametric: ParametricFlow,
  change: () => number | null,
  least: number,
  observe = (): number | null => null,
): FlowBounds {
  const added = change();
  const most = added === null ? Number.POSITIVE_INFINITY : repair(parametric, parametric.base + added, least);
  const found = boundsOf(parametric, added, least, most, observe());
  reopenSteps(parametric.flow);
  parametric.back();
  return found;
}

function bounded(
  parametric: ParametricFlow,
  added: number | null,
  least = parametric.flow.required,
): FlowBounds {
  return boundsOf(parametric, added, least, Number.POSITIVE_INFINITY, null);
}

function close({ flow }: ParametricFlow, { source, target }: MoveGroup): number | null {
  const { network } = flow;
  const arc = flow.moveArc(source, target);
  return closeArc(network, arc, flowOn(network, arc));
}

/** The location where more vehicles of the source go than in the plan. */
function nextFrom(
  { problem, flow, goingBefore }: ParametricFlow,
  { source, target }: MoveGroup,
): number | null {
  const { n, network } = flow;
  const gained = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    const to = flow.moveArc(source, j);
    gained[j] = (to < 0 ? 0 : flowOn(network, to)) - goingBefore(source, j);
  }
  return mostGained(problem, gained, source, target);
}
