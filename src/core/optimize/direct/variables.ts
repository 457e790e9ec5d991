/**
 * Columns of the model, in this order:
 *   arcs    x_ijk  vehicles of class k that go from i to j (i = j: stay), only for allowed moves
 *   steps   whole vehicles that are counted as serving at j (`problem/steps.ts`)
 *   served  y_j, only with several classes: demand served at j
 *   unmet   u_j, only if unmet demand has a cost: demand not served at j
 *   changed w_g, only if changes of a previous plan cost something: vehicles of a group that leave its target
 */
import type { Problem } from '../problem/model.ts';
import { isAllowed, isEveryMoveWithin } from '../problem/network.ts';
import { countPinnedChanged, hasChangeCost, targetGroups } from '../problem/previous.ts';
import { createSteps, locationsWithDemand } from '../problem/steps.ts';
import { hasUnmetCost } from '../problem/unmet-cost.ts';
import { hasLocationBounds } from '../problem/variants.ts';
import type { Check } from '../run/stopping.ts';

/** Arcs between two calls of the check: a few milliseconds of work. */
const ARCS_PER_LOOK = 1 << 17;

export type Variables = {
  /** Arcs by source row: class, then source, then target, ascending. */
  arcClass: Int32Array;
  arcSource: Int32Array;
  arcTarget: Int32Array;
  /** Sources (class, location) that have a supply row; arcs of source r: `sourceStart[r]` up to `sourceStart[r+1]`. */
  sourceClass: Int32Array;
  sourceLocation: Int32Array;
  sourceStart: Int32Array;
  /** Arcs into (k, j): `byTarget` from `targetStart[k·n + j]` up to the next. */
  targetStart: Int32Array;
  byTarget: Int32Array;
  /** First step column; steps are in order of location, then class, `full` before `part`. */
  firstStep: number;
  stepClass: Int32Array;
  stepLocation: Int32Array;
  /** The most demand that one vehicle of this step serves. */
  stepGain: Float64Array;
  stepUpper: Float64Array;
  /** First served column, or −1 with one class; one per location with demand, in order. */
  firstServed: number;
  servedLocation: Int32Array;
  /** First column of unmet demand, or −1 if it has no cost; one per location with demand, in order. */
  firstUnmet: number;
  unmetLocation: Int32Array;
  /** First column of changed vehicles, one per entry of `kept`. */
  firstChanged: number;
  kept: readonly KeptArc[];
  columnCount: number;
};

/** The vehicles that keep to the previous plan on an arc, at most `count`; −1: none can. */
type KeptArc = { arc: number; count: number };

/**
 * Number of arc columns, known before anything large is allocated. O(sources · n).
 * @param keepEmptySources counts the arcs of sources without vehicles too
 * @param check called every few milliseconds; it throws to stop the work
 * @param targetsOf restricts the arcs
 */
export function countArcs(
  problem: Problem,
  keepEmptySources: boolean,
  check: Check = () => {},
  targetsOf: TargetsOf = allTargets(problem),
): number {
  const n = problem.locationIds.length;
  const classes = problem.capacities.length;
  const mayGo = arcFilter(problem);
  let count = 0;
  let pairs = 0;
  for (let i = 0; i < n; i++) {
    let sources = keepEmptySources ? classes : 0;
    for (let k = 0; k < classes && !keepEmptySources; k++) if (problem.supply[k * n + i] > 0) sources++;
    if (sources === 0) continue;
    pairs += n;
    if (pairs >= ARCS_PER_LOOK) {
      pairs = 0;
      check();
    }
    // Allowed targets are the same for all classes.
    const targets = targetsOf(i);
    for (let t = 0; t < targets.length; t++) if (mayGo(i, targets[t])) count += sources;
  }
  return count;
}

/** All targets of a source, ascending, the source included. */
export type TargetsOf = (source: number) => Int32Array;

function allTargets({ locationIds }: Problem): TargetsOf {
  const all = Int32Array.from(locationIds.keys());
  return () => all;
}

/**
 * @param check called every few milliseconds; it throws to stop the work
 * @param targetsOf restricts the arcs
 */
export function createVariables(
  problem: Problem,
  check: Check = () => {},
  targetsOf: TargetsOf = allTargets(problem),
): Variables {
  const n = problem.locationIds.length;
  const classes = problem.capacities.length;
  const arcCount = countArcs(problem, false, check, targetsOf);
  const arcClass = new Int32Array(arcCount);
  const arcSource = new Int32Array(arcCount);
  const arcTarget = new Int32Array(arcCount);
  const sourceClass: number[] = [];
  const sourceLocation: number[] = [];
  const sourceStart: number[] = [];
  const targetStart = new Int32Array(classes * n + 1);
  let a = 0;
  const note = (k: number, i: number, j: number, isFirst: boolean) => {
    if (isFirst) {
      sourceClass.push(k);
      sourceLocation.push(i);
      sourceStart.push(a);
    }
    arcClass[a] = k;
    arcSource[a] = i;
    arcTarget[a] = j;
    targetStart[k * n + j + 1]++;
    a++;
  };
  forEachArc(problem, targetsOf, note, check);
  sourceStart.push(a);
  for (let t = 0; t < classes * n; t++) targetStart[t + 1] += targetStart[t];
  const fill = targetStart.slice();
  const byTarget = new Int32Array(arcCount);
  for (a = 0; a < arcCount; a++) {
    if (a % ARCS_PER_LOOK === 0) check();
    byTarget[fill[arcClass[a] * n + arcTarget[a]]++] = a;
  }

  const kept = keptArcs(problem, { arcClass, arcSource, arcTarget });
  const steps = createSteps(problem);
  const servedLocation = classes > 1 ? locationsWithDemand(problem) : new Int32Array(0);
  const unmetLocation = hasUnmetCost(problem) ? locationsWithDemand(problem) : new Int32Array(0);
  const afterSteps = arcCount + steps.stepClass.length;
  const afterServed = afterSteps + servedLocation.length;
  return {
    arcClass,
    arcSource,
    arcTarget,
    sourceClass: Int32Array.from(sourceClass),
    sourceLocation: Int32Array.from(sourceLocation),
    sourceStart: Int32Array.from(sourceStart),
    targetStart,
    byTarget,
    firstStep: arcCount,
    ...steps,
    firstServed: classes > 1 ? afterSteps : -1,
    servedLocation,
    firstUnmet: hasUnmetCost(problem) ? afterServed : -1,
    unmetLocation,
    firstChanged: afterServed + unmetLocation.length,
    kept,
    columnCount: afterServed + unmetLocation.length + kept.length,
  };
}

/** Groups of vehicles by the arc to their target, and last all that cannot go to theirs. O(arcs + groups) */
function keptArcs(
  problem: Problem,
  { arcClass, arcSource, arcTarget }: Pick<Variables, 'arcClass' | 'arcSource' | 'arcTarget'>,
): KeptArc[] {
  if (!hasChangeCost(problem)) return [];
  const n = problem.locationIds.length;
  const arcOf = new Map<number, number>();
  for (let a = 0; a < arcClass.length; a++) arcOf.set((arcClass[a] * n + arcSource[a]) * n + arcTarget[a], a);
  const kept: KeptArc[] = [];
  let lost = countPinnedChanged(problem);
  for (const { capacityClass, location, target, count } of targetGroups(problem)) {
    const arc = arcOf.get((capacityClass * n + location) * n + target);
    if (arc === undefined) lost += count;
    else kept.push({ arc, count });
  }
  if (lost > 0) kept.push({ arc: -1, count: lost });
  return kept;
}

/**
 * Whether the model has an arc from i to j. A vehicle has a reason to move only to demand, to its target in a previous
 * plan or, if bounds per location require arrivals or departures, to any location.
 */
function arcFilter(problem: Problem): (i: number, j: number) => boolean {
  const { locationIds, limits, demand, network } = problem;
  const n = locationIds.length;
  const anyTarget = hasLocationBounds(problem);
  const isTarget = new Uint8Array(n);
  if (hasChangeCost(problem)) for (const { target } of targetGroups(problem)) isTarget[target] = 1;
  const isWanted = (i: number, j: number) => j === i || anyTarget || demand[j] !== 0 || isTarget[j] === 1;
  if (isEveryMoveWithin(problem, limits.maxDistanceKm)) return isWanted;
  const { costUnits, distanceKm } = network;
  const matrices = { costUnits, distanceKm };
  return (i, j) => isWanted(i, j) && isAllowed(matrices, n, limits.maxDistanceKm, i, j);
}

/** Arcs in column order. */
function forEachArc(
  problem: Problem,
  targetsOf: TargetsOf,
  visit: (k: number, i: number, j: number, isFirst: boolean) => void,
  check: Check,
): void {
  const n = problem.locationIds.length;
  const { supply } = problem;
  const mayGo = arcFilter(problem);
  let pairs = 0;
  for (let k = 0; k < problem.capacities.length; k++) {
    for (let i = 0; i < n; i++) {
      if (supply[k * n + i] === 0) continue;
      pairs += n;
      if (pairs >= ARCS_PER_LOOK) {
        pairs = 0;
        check();
      }
      let isFirst = true;
      const targets = targetsOf(i);
      for (let t = 0; t < targets.length; t++) {
        if (!mayGo(i, targets[t])) continue;
        visit(k, i, targets[t], isFirst);
        isFirst = false;
      }
    }
  }
}
