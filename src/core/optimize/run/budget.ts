/**
 * How long each part of an optimization may take. A caller's time limit ends all of it; within that limit, these two
 * tables give each part's time and the reason for it. No other file holds a share of the time or a number of
 * milliseconds.
 */
import { nowMs } from './clock.ts';
import type { Stopping } from './stopping.ts';

type Table = Record<string, readonly [value: number, why: string]>;

/** Share of the time left when the part begins. */
const SHARES = {
  // infeasible/: why there is no plan
  firstConflict: [0.25, 'all other questions concern the constraints that it names'],
  ceilingAlone: [0.33, 'without interruption: what its one solve proves grows with uninterrupted time'],
  eachAlone: [0.4, 'for all constraints of the first conflict except the ceiling, in equal parts'],
  furtherConflicts: [0.3, 'a second conflict shows why one change alone does not help'],
  openConflicts: [0.6, 'if one change alone helps, its size tells a reader more than joint changes'],
  withoutCeiling: [
    0.6,
    'of one constraint: a ceiling outside the conflict rarely matters, and the question is easy without it',
  ],
  bisectionQuestion: [0.5, 'of a bisection: one hard question must leave time for others'],
  bisectionSureQuestion: [
    0.8,
    'after quick answers: the full answer at the value they found is nearly all the remaining work',
  ],
  likelierAnswer: [0.6, 'any plan: coverage or solving, whichever is likelier to decide, comes first'],
  coverageAnswer: [0.85, 'any plan, no bounds per location: solving seldom decides more than coverage'],
  serviceLevelModel: [0.5, 'highest service level: one model, if it is small'],
  serviceLevelCoverage: [
    0.6,
    'highest service level: coverage, if costs or bounds require further questions',
  ],
  serviceLevelGlance: [0.3, 'highest service level: whether coverage is far beyond the ceiling'],
  cheapestPlan: [0.7, 'a ceiling is at most what any plan costs, which the rest of the time finds'],
  looserBounds: [
    0.8,
    'bounds by location: the smallest change; the rest is for any change that is sufficient',
  ],
  fewLocations: [0.4, 'the smallest change at few locations; the same change at more of them is known'],
  pairCoverage: [0.5, 'highest service level within limits of pairs: a plan and a bound, seldom exact'],
  serviceLevelQuestion: [0.3, 'highest service level: one question of its bisection'],
  // solve.ts: unmet demand has a cost, and moving a ceiling
  withoutCostCeiling: [0.5, 'its plan is usually within the ceiling, and then the answer'],
  anyBelowCeiling: [
    0.5,
    'whether a plan exists, and a first one; the rest is for the search within the ceiling',
  ],
  // refine/: rules about pairs of locations
  beforeRefinement: [0.35, 'the cheapest plan without the rules, which they start from'],
  firstPairPlans: [0.3, 'plans that keep the rules guide all that follows'],
  pairTargets: [0.3, 'the better bound; it usually ends sooner, and branch and cut has fewer pairs'],
  betterPairPlans: [0.5, 'a better plan; it usually ends sooner, and the rest is for the proof'],
  pairRelaxation: [0.4, 'its prices choose the pairs of branch and cut, which has the rest'],
  // shortage/: the plan that serves most
  mostServed: [0.6, 'the cheapest plan that serves as much is usually the easier half'],
  beforeShortage: [0.85, 'the requested level first; the rest is for the plan that serves most'],
  // stability/: a plan close to a previous one
  beforeStability: [0.5, 'the plan without the cost of changes; the plan with it is the answer'],
  takingBack: [0.5, 'changes that do not pay for themselves; few, and the plan is complete'],
  // priorities/: critical demand first
  allPriorities: [0.5, 'usually every level can get the most by reach, and this is the answer'],
  priorities: [0.7, 'what each level gets; the cheapest plan that serves it is usually the easier half'],
  priorityCoverage: [0.3, 'several classes or bounds per location: the most of the level at any cost'],
  priorityModel: [0.5, 'the most of a level: one model, if it is small'],
  priorityQuestion: [0.3, 'the most of a level: one question of its bisection'],
  // horizon/: plans that look ahead
  wholeMoves: [
    0.8,
    'whole moves by branch and cut; the rest is for the later steps, and for what is missing if a level is out of reach',
  ],
  fewPairs: [0.3, 'first moves among the pairs of a draft: usually most of what is gained at all'],
  // insights/: what a plan is worth
  insights: [0.5, 'the plan is complete; a reader waits for its insights'],
  binding: [0.1, 'the binding constraints must be named even in little time'],
  bounds: [0.9, 'bounds of all changed problems; the rest is for solving those that bounds do not settle'],
  closer: [0.5, 'all figures start from the optimum'],
  changedProblem: [0.2, 'one solve of a changed problem'],
  // optimize.ts
  answer: [0.5, 'of the time limit at most, for building and checking the answer'],
} as const satisfies Table;

/** Milliseconds. */
const TIMES = {
  explanation: [4_000, 'one class, not requested: the answer has no plan, and a reader waits for it'],
  explanationSeveralClasses: [10_000, 'the same with several classes, whose questions are harder'],
  shortfall: [1_000, 'why a service level is out of reach, not requested: the plan is complete'],
  takingBackMost: [1_000, 'it usually takes some 10, and a reader waits for the plan'],
  insightsMin: [5_000, 'one class: small problems'],
  insightsMax: [10_000, 'one class: large problems'],
  insightsPerLocation: [15, 'one class, per location'],
  insightsSeveralClasses: [20_000, 'several classes: changed problems are harder'],
  changedProblemMin: [50, 'a shorter solve finds nothing'],
  answerPerVehicle: [1e-3, 'building and checking the answer'],
  answerPerLocation: [5e-3, 'a first tree, building and checking the answer'],
  lateBuild: [40, 'CPU time past the deadline for reading a request: the plan then takes 0.1 s more'],
  latePlan: [75, 'CPU time past the deadline for a first plan: it takes 10 to 70'],
  lateCoverage: [50, 'past the deadline: turns what was found into a plan'],
  lateMoves: [100, 'past the deadline: the cheapest moves for the steps found'],
  solverThreadEnd: [40, 'for a solver to stop when asked; then its thread is ended'],
  solverThreadPoll: [5, 'between two looks at a solver in a thread of its own'],
  solverProgress: [200, 'between two reports from within the solver'],
  solverThreadProgress: [100, 'the same from its own thread, at most'],
  progress: [100, 'between two reports of a stage'],
  flowProgressHalf: [200, 'progress of the network simplex: the unfinished share halves in this time'],
} as const satisfies Table;

/** @returns a share of the time that is left, 0 … 1 */
export function shareOf(part: keyof typeof SHARES): number {
  return SHARES[part][0];
}

/** @returns milliseconds */
export function msOf(part: keyof typeof TIMES): number {
  return TIMES[part][0];
}

/** The time of one part of the work. */
export function timeFor(part: keyof typeof SHARES, control: Stopping): Stopping {
  return fractionOf(control, shareOf(part));
}

/** The time of the next of `parts` pieces of work that share the remaining time equally. */
export function evenPartOf(control: Stopping, parts: number): Stopping {
  return fractionOf(control, 1 / parts);
}

/** Flag and deadline unchanged, without progress reports. */
export function allTimeOf(control: Stopping): Stopping {
  return fractionOf(control, 1);
}

function fractionOf({ deadlineMs, stopFlag, onLook }: Stopping, fraction: number): Stopping {
  const now = nowMs();
  return { stopFlag, onLook, deadlineMs: now + fraction * Math.max(0, deadlineMs - now) };
}

/** Time for an explanation that the request did not ask for, in ms. */
export function explanationMs(classes: number): number {
  return msOf(classes > 1 ? 'explanationSeveralClasses' : 'explanation');
}

/** Time for insights, in ms. @param leftMs until the deadline */
export function insightsMs(classes: number, locations: number, leftMs: number): number {
  const byLocations = msOf('insightsPerLocation') * locations;
  const usual =
    classes > 1
      ? msOf('insightsSeveralClasses')
      : Math.min(msOf('insightsMax'), Math.max(msOf('insightsMin'), byLocations));
  return Math.min(usual, shareOf('insights') * Math.max(0, leftMs));
}

/**
 * How long before the time limit the solve ends, in ms: time for a first tree, and for building and checking the
 * answer.
 */
export function answerMs(vehicles: number, locations: number, limitMs: number): number {
  const needed = msOf('answerPerVehicle') * vehicles + msOf('answerPerLocation') * locations;
  return Math.min(needed, shareOf('answer') * limitMs);
}
