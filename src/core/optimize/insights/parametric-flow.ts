/**
 * One class and fractional demand: bounds of the cheapest plan's cost from both sides, unchanged and after a change, on
 * the flow in which service is priced (`priced-flow.ts`).
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
import { SERVICE_TOLERANCE, totalDemand } from '../problem/service-level.ts';
import type { Effort } from './effort.ts';
import type { Range } from './estimate.ts';
import { flowsOf, type MoveGroup, mostGained } from './move-figures.ts';
import { createPricedFlow } from './priced-flow.ts';
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

export type ParametricFlow = ReturnType<typeof createParametricFlow>;

/** @throws OutOfTime, here and from every function below; the state is unusable afterwards */
export function createParametricFlow(problem: Problem, solution: Solution, effort: Effort) {
  const n = problem.locationIds.length;
  const { limits } = problem;
  const flow = createPricedFlow(problem, solution, effort);
  const { network, served, sink, arcOf, gainOf, isFixed, sumOver, price, perGain, required, noise, scale } =
    flow;
  const back = markState(network);
  const base = flow.value;
  const requiredWithMore =
    (limits.minServiceLevel - SERVICE_TOLERANCE) * (totalDemand(problem.demand) + flow.capacity);
  const goingBefore = flowsOf(problem, solution.moves);
  const toSink = distances(network, sink, true);
  const fromSink = distances(network, sink);
  const fromServed = distances(network, served);
  /** The gap of the unchanged problem, scaled. */
  let slack = 0;

  /** Whether a step can be increased, or decreased, by one. */
  const canChange = (step: number, by: 1 | -1) =>
    !isFixed[step] && residualOf(network, 2 * arcOf(step) + (by > 0 ? 0 : 1)) > 0;

  /** Steps that can change, those of least reduced cost first, with the cost and the served demand that each adds. */
  function findChanges(limit: number): Change[] {
    const first = flow.departure(0);
    const look = (by: 1 | -1): Change[] => {
      const found: Change[] = [];
      let within = limit;
      explore(network, by > 0 ? served : sink, by < 0, (node, reduced) => {
        const j = node - first;
        if (j < 0 || j >= n) return within;
        for (const step of [j, n + j]) {
          if (!canChange(step, by)) continue;
          const closing = reduced + reducedCost(network, 2 * arcOf(step) + (by > 0 ? 0 : 1));
          if (closing > within) continue;
          const gain = by * gainOf(step) + weighPath(network, node, by < 0, flow.gainAt);
          if (Math.abs(gain) <= noise) continue;
          found.push({ step, by, reduced: closing, gain });
          if (found.length < 2 * MAX_CHANGES) continue;
          found.sort((a, b) => a.reduced - b.reduced).length = MAX_CHANGES;
          within = found[MAX_CHANGES - 1].reduced;
        }
        return within;
      });
      return found;
    };
    return [...look(1), ...look(-1)].sort((a, b) => a.reduced - b.reduced);
  }

  function findRepair(least: number, have: number): Change[] {
    const limit = have >= least ? perGain * (have - least) - MIN_BETTER : Number.POSITIVE_INFINITY;
    const changes = findChanges(Math.min(limit, flow.fullPrice));
    const best = chooseChanges(changes, have - least, perGain, limit);
    if (best || have >= least) return best ?? [];
    return changes
      .filter(({ gain }) => gain > 0)
      .sort((a, b) => b.gain - a.gain)
      .slice(0, 1);
  }

  /** Makes the change of a step permanent. @returns its cost beyond prices; null if there is no way */
  function apply({ step, by }: Change): number | null {
    if (!canChange(step, by)) return null;
    flow.hold(step, by);
    const node = flow.departure(step % n);
    if (by > 0) {
      const sent = sendUnits(network, served, node, 1);
      return sent === null ? null : sent - price[step];
    }
    const sent = sendUnits(network, node, sink, 1);
    const closed = sent === null ? null : sendUnits(network, sink, served, 1);
    return closed === null ? null : sent! + closed + price[step];
  }

  /** The cost of a plan from the flow as changed, in units; Infinity if none was found. */
  function repair(changedValue: number, least: number): number {
    let cheapest = Number.POSITIVE_INFINITY;
    let at = changedValue;
    for (let r = 0; r <= MAX_REPAIRS; r++) {
      const have = sumOver(gainOf);
      if (have >= least + noise) {
        cheapest = Math.min(cheapest, (at + sumOver((s) => price[s])) / scale);
        // No figure is known better than the problem itself.
        if (perGain * (have - least) + at - changedValue <= slack) break;
      }
      const changes = r === MAX_REPAIRS ? [] : findRepair(least + noise, have);
      if (changes.length === 0) break;
      for (const change of changes) {
        const added = apply(change);
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
  function boundsOf(added: number | null, least: number, most: number, next: number | null): FlowBounds {
    const bound = added === null ? Number.POSITIVE_INFINITY : flow.boundOf(base + added, least);
    const upTo = (units: number) => (units > limits.maxCostUnits ? Number.POSITIVE_INFINITY : units);
    return { range: { least: upTo(bound), most: upTo(most) }, next };
  }

  /**
   * Changes the flow, repairs it and restores it. @param change makes the change and returns what it adds to the value
   */
  function repaired(
    change: () => number | null,
    least: number,
    observe = (): number | null => null,
  ): FlowBounds {
    const added = change();
    const most = added === null ? Number.POSITIVE_INFINITY : repair(base + added, least);
    const found = boundsOf(added, least, most, observe());
    flow.reopen();
    back();
    return found;
  }

  const bounded = (added: number | null, least = required) =>
    boundsOf(added, least, Number.POSITIVE_INFINITY, null);

  function close({ source, target }: MoveGroup): number | null {
    const arc = flow.moveArc(source, target);
    return closeArc(network, arc, flowOn(network, arc));
  }

  /** The location where more vehicles of the source go than in the plan. */
  function nextFrom({ source, target }: MoveGroup): number | null {
    const gained = new Float64Array(n);
    for (let j = 0; j < n; j++) {
      const to = flow.moveArc(source, j);
      gained[j] = (to < 0 ? 0 : flowOn(network, to)) - goingBefore(source, j);
    }
    return mostGained(problem, gained, source, target);
  }

  return {
    /** The problem as it is. */
    unchanged(): FlowBounds {
      const found = repaired(() => 0, required);
      if (Number.isFinite(found.range.most))
        slack = Math.max(scale * (found.range.most - found.range.least), MIN_SLACK * Math.abs(base));
      return found;
    },
    /** From below alone. */
    bounds: {
      more: (i: number) => bounded(toSink[flow.source(i)]),
      fewer: (i: number) => bounded(fromSink[flow.source(i)]),
      /** A vehicle's load of demand more at j. */
      demand(j: number): FlowBounds {
        const isOpen = residualOf(network, 2 * arcOf(j)) > 0;
        return bounded(isOpen ? 0 : Math.min(0, fromServed[flow.departure(j)] - price[j]), requiredWithMore);
      },
      /** Without moves from a location to another. */
      move(move: MoveGroup): FlowBounds {
        const added = close(move);
        back();
        return bounded(added);
      },
    },
    /** From both sides. */
    repairs: {
      more: (i: number) => repaired(() => sendUnits(network, flow.source(i), sink, 1), required),
      fewer: (i: number) => repaired(() => sendUnits(network, sink, flow.source(i), 1), required),
      demand: (j: number) => repaired(() => 0 - widenArc(network, 2 * arcOf(j), 1), requiredWithMore),
      move: (move: MoveGroup) =>
        repaired(
          () => close(move),
          required,
          () => nextFrom(move),
        ),
    },
  };
}
