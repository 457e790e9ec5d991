/** A plan as values of the pair model's columns, from which branch and cut starts. */
import type { Formulation } from '../direct/formulation.ts';
import { evaluateMoves } from '../problem/evaluate.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { vehiclesByPair } from '../problem/pairs.ts';
import type { PairModel } from './pair-model.ts';
import type { Pairs } from './pairs-of-moves.ts';

/**
 * Columns of which it does not know the value are 0: HiGHS then completes the plan, or goes without. The steps of the
 * largest gain serve first, up to the fleet size.
 */
export function startingPoint(
  problem: Problem,
  { variables: v, demandScale }: Formulation,
  { columns, chosen, model }: PairModel,
  pairs: Pairs,
  moves: Moves,
): Float64Array {
  const n = problem.locationIds.length;
  const { presence } = evaluateMoves(problem, moves);
  const key = (k: number, i: number, j: number) => (k * n + i) * n + j;
  const going = new Map<number, number>();
  const leaving = new Int32Array(problem.supply.length);
  for (let m = 0; m < moves.count.length; m++) {
    const at = key(moves.capacityClass[m], moves.source[m], moves.target[m]);
    going.set(at, (going.get(at) ?? 0) + moves.count[m]);
    leaving[moves.capacityClass[m] * n + moves.source[m]] += moves.count[m];
  }
  const onArc = (a: number) => {
    const [k, i, j] = [v.arcClass[a], v.arcSource[a], v.arcTarget[a]];
    return i === j ? problem.supply[k * n + i] - leaving[k * n + i] : (going.get(key(k, i, j)) ?? 0);
  };
  const steps = servedSteps(problem, v, presence);
  const served = new Float64Array(v.servedLocation.length);
  for (let c = 0, s = 0; c < served.length; c++) {
    for (; s < v.stepClass.length && v.stepLocation[s] === v.servedLocation[c]; s++)
      served[c] += steps[s] * v.stepGain[s];
    served[c] = Math.min(served[c], problem.demand[v.servedLocation[c]]) / demandScale;
  }
  const values = new Float64Array(model.columnCount);
  for (let c = 0; c < columns.length; c++) {
    const whole = columns[c];
    const at = chosen.length + c;
    if (whole < v.firstStep) values[at] = onArc(whole);
    else if (whole < v.firstStep + steps.length) values[at] = steps[whole - v.firstStep];
    else if (v.firstServed >= 0 && whole >= v.firstServed && whole < v.firstServed + served.length)
      values[at] = served[whole - v.firstServed];
    else if (whole >= v.firstChanged) {
      const { arc, count } = v.kept[whole - v.firstChanged];
      values[at] = arc < 0 ? count : Math.max(0, count - onArc(arc));
    }
  }
  const byPair = vehiclesByPair(problem, moves);
  for (let z = 0; z < chosen.length; z++)
    if (byPair.has(pairs.source[chosen[z]] * n + pairs.target[chosen[z]])) values[z] = 1;
  return values;
}

function servedSteps(problem: Problem, v: Formulation['variables'], presence: Int32Array): Float64Array {
  const n = problem.locationIds.length;
  const steps = new Float64Array(v.stepClass.length);
  const free = presence.slice();
  let left = problem.limits.totalFleetSize;
  const open = problem.demand.slice();
  for (const s of [...steps.keys()].sort((a, b) => v.stepGain[b] - v.stepGain[a])) {
    const at = v.stepClass[s] * n + v.stepLocation[s];
    const useful = Math.ceil(open[v.stepLocation[s]] / v.stepGain[s] - 1e-9);
    steps[s] = Math.max(0, Math.min(free[at], v.stepUpper[s], left, useful));
    free[at] -= steps[s];
    left -= steps[s];
    open[v.stepLocation[s]] -= steps[s] * v.stepGain[s];
  }
  return steps;
}
