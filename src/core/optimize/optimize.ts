/** Entry of the optimizer: a checked request in, a tagged outcome out: build, solve, plan, verify, explain. */

import type { OptimizationResult } from '../../contracts/optimize.ts';
import { requireFinite } from '../finite.ts';
import { moveDistances } from './answer/locations.ts';
import { createStability } from './answer/stability.ts';
import { verifyPlan } from './answer/verify.ts';
import { createCertificate, createResult, namesOf } from './create-result.ts';
import { type Asked, explainInfeasible } from './infeasible/infeasible.ts';
import { computeInsights } from './insights/insights.ts';
import { optimizeAhead } from './optimize-ahead.ts';
import { levelFigures, type ServedByPriority, solveByPriority } from './priorities/solve-by-priority.ts';
import { fromUnits } from './problem/costs.ts';
import type { OptimizeInput, OptimizeOutcome, Problem, Solution } from './problem/model.ts';
import { TooManyLocationsError } from './problem/network.ts';
import { withoutPinnedMoves } from './problem/pinned-places.ts';
import { withoutPrevious } from './problem/previous.ts';
import { serviceLevelOf } from './problem/service-level.ts';
import { withoutUnmetCost } from './problem/unmet-cost.ts';
import { withLimits } from './problem/variants.ts';
import type { ProgressReport, ProgressReporter } from './progress.ts';
import { createProgress } from './progress.ts';
import { asksForHorizon, withArrivals } from './request/horizon.ts';
import { asksForPairs, readOptions, type SolveOptions } from './request/limits.ts';
import { buildProblem } from './request/problem.ts';
import { RefusedError } from './request/refusals.ts';
import { answerMs, msOf } from './run/budget.ts';
import type { Cache } from './run/cache.ts';
import { nowMs } from './run/clock.ts';
import type { Control, SolveControl, SolveProgress } from './run/control.ts';
import { failedOutcome } from './run/solver-fault.ts';
import {
  checkOf,
  createAllowance,
  flagCheckOf,
  isOver,
  isStopped,
  OutOfTime,
  type Stopping,
  untilOutOfTime,
} from './run/stopping.ts';
import { type ServedMost, solveOrServeMost } from './shortage/serve-most.ts';
import { createShortfall } from './shortage/shortfall.ts';
import { solveProblem } from './solve.ts';
import { type SolvePlain, solveStable } from './stability/solve-stable.ts';

export type { OptimizeInput, OptimizeOutcome } from './problem/model.ts';

/** `progressIntervalMs`: between two reports of a stage; default 100, or 200 from within the solver. */
export type OptimizeHooks = Pick<Control<ProgressReport>, 'stopFlag' | 'onProgress' | 'progressIntervalMs'>;

/**
 * Optimizes a request that `checkRequest` has passed. Blocks the thread while the solver runs.
 * @param input the request, the stored locations it names, the service's defaults
 * @param cache of the thread, kept across requests: the loaded solver, networks of recent locations
 * @returns never throws for what a request can cause: infeasible, cancelled and failed solves are outcomes
 * @throws NotFiniteError, see `finite.ts`; errors that no request can cause: a stored location that is missing
 */
export async function optimize(
  input: OptimizeInput,
  cache: Cache,
  hooks: OptimizeHooks = {},
): Promise<OptimizeOutcome> {
  return requireFinite('optimization', await run(input, cache, hooks));
}

async function run(given: OptimizeInput, cache: Cache, hooks: OptimizeHooks): Promise<OptimizeOutcome> {
  const request = withArrivals(given.request);
  const input = { ...given, request };
  const { settings } = input;
  if (asksForHorizon(request)) return optimizeAhead(input, cache, hooks, run);
  const options = readOptions(request, settings);
  const isRefined = asksForPairs(request);
  const progress = createProgress(options.explain, hooks.onProgress, hooks.progressIntervalMs, isRefined);
  const control: SolveControl = {
    deadlineMs: nowMs() + options.timeLimitSeconds * 1000,
    stopFlag: hooks.stopFlag,
    progressIntervalMs: hooks.progressIntervalMs,
    onProgress: progress.solving,
  };
  if (isStopped(hooks.stopFlag)) return { status: 'cancelled' };
  progress.at('build');
  const noPlan = describeNoPlan(options);
  let problem: Problem;
  try {
    const isSpent = createAllowance(msOf('latePlan'));
    problem = buildProblem(
      request,
      input.locations,
      settings,
      cache,
      () => {
        if (isStopped(hooks.stopFlag) || (isOver(control) && isSpent())) throw new OutOfTime();
      },
      input.travel,
      input.previous,
    );
  } catch (error) {
    if (error instanceof OutOfTime) return isStopped(hooks.stopFlag) ? { status: 'cancelled' } : noPlan;
    if (error instanceof RefusedError) return { status: 'refused', faults: [error.fault] };
    throw error;
  }
  progress.at('solve');
  const limitMs = options.timeLimitSeconds * 1000;
  const lastMs = answerMs(problem.fleet.location.length, problem.locationIds.length, limitMs);
  const { solved, without } = await solveStable(
    problem,
    options.optimalityGap,
    { ...control, deadlineMs: control.deadlineMs - lastMs },
    solverFor(problem, options, progress),
  );
  /** Why there is no plan. */
  const explain = async (asked: Problem, beside: Asked = {}) => {
    progress.at('explain');
    await buildMatrices(problem, control);
    const onProgress = ({ share }: SolveProgress) => progress.at('explain', share);
    // A caller that requested explanations waits for them as long as for a plan.
    const names = namesOf(request, input.locations);
    const limits = { names, ...beside, ...(options.explain && { mostMs: Number.POSITIVE_INFINITY, gap: 0 }) };
    const free = withoutUnmetCost(withoutPrevious(asked));
    return explainInfeasible(request, free, { ...control, onProgress }, limits);
  };
  switch (solved.kind) {
    case 'cancelled':
      return { status: 'cancelled' };
    case 'error':
      return failedOutcome(solved);
    case 'timeout':
      return noPlan;
    case 'refused':
      return { status: 'refused', faults: [solved.fault] };
    case 'infeasible': {
      // Without a plan that serves most, the service level is not in the way.
      const explained = await explain(
        options.serveMost ? withLimits(problem, { minServiceLevel: 0 }) : problem,
      )
        .then((found) => (found.errors.length > 0 ? found : infeasibleWithoutReasons(null)))
        .catch(infeasibleWithoutReasons);
      if (isStopped(hooks.stopFlag)) return { status: 'cancelled' };
      return { status: 'infeasible', ...explained };
    }
    case 'solved':
    case 'served':
    case 'prioritized':
      break;
  }
  const solution = { ...solved.solution, moves: withoutPinnedMoves(problem, solved.solution.moves) };
  const { previous } = problem;
  const planned = solved.kind === 'solved' ? problem : { ...solved.problem, ...(previous && { previous }) };
  progress.at('verify', 0, {
    incumbent: fromUnits(solution.objectiveUnits),
    bound: fromUnits(solution.boundUnits),
    gap: solution.gap,
  });
  const short = solved.kind === 'solved' ? null : shortOf(solved);
  // Values are as close as the plan is.
  const asked = { mostMs: msOf('brief'), gap: options.optimalityGap, ...short?.known };
  const reasons = short && (await explain(problem, asked).catch(() => null));
  const shortfall = short && createShortfall(problem, short, reasons, options.optimalityGap);
  const further = {
    ...(shortfall && { shortfall }),
    ...(solved.kind === 'prioritized' && { priorities: levelFigures({ ...solved, problem: planned }) }),
  };
  if (isStopped(hooks.stopFlag)) return { status: 'cancelled' };
  const answered = answer(input, planned, { solution, without, further }, hooks.stopFlag);
  if (!answered) return { status: 'cancelled' };
  const { result, wrong } = answered;
  if (wrong.length > 0) {
    return { status: 'error', message: `the plan failed its verification: ${wrong.join('; ')}` };
  }
  if (options.explain) {
    progress.at('explain');
    result.insights = await computeInsights(planned, solution, {
      ...control,
      onProgress: ({ share }) => progress.at('explain', share),
    });
    if (isStopped(hooks.stopFlag)) return { status: 'cancelled' };
  }
  return {
    status: result.solver_status,
    result,
    certificate: createCertificate(solution, previous !== undefined),
    moveDistances: moveDistances(problem, solution.moves),
  };
}

/** The failure of a search that time ended before it found a plan, or that none exists. */
function describeNoPlan({ timeLimitSeconds, serveMost }: SolveOptions): { status: 'error'; message: string } {
  const advice = serveMost
    ? ''
    : ', or ask for the plan that serves most with constraints.shortage "serve_most"';
  const message =
    `no plan was found within the time limit of ${timeLimitSeconds} s; raise ` +
    `options.time_limit_seconds${advice}`;
  return { status: 'error', message };
}

/** The solver of the problem without a previous plan, by the stages that the request asks for. */
function solverFor(problem: Problem, { serveMost }: SolveOptions, progress: ProgressReporter): SolvePlain {
  if (!problem.priorities) return serveMost ? solveOrServeMost : solveProblem;
  const onStage = (stage: 'critical_demand' | 'solve') => progress.at(stage);
  return (plain, gap, control) => solveByPriority(plain, gap, serveMost, { ...control, onStage });
}

/** Service levels in messages have six decimals. */
const LEVEL_UNIT = 1e-6;

/** The bounds of a service level out of reach; null if the plan reaches it. */
function shortOf(
  served: ServedMost | ServedByPriority,
): (Pick<ServedMost, 'solution' | 'most'> & { known: Asked }) | null {
  const { problem, solution } = served;
  const reached = levelInMessages(problem, solution);
  if (served.kind === 'served') return { ...served, known: { serviceLevel: served.level, reached } };
  const last = served.levels.find(({ level }) => level === 0);
  if (!last) return null;
  const short = { solution, most: Math.max(last.most, solution.served) };
  if (problem.capacities.length === 1) return { ...short, known: { reached } };
  // The search for a higher level would often find none in time; the plan shows that this one is sufficient.
  return { ...short, known: { serviceLevel: { relaxation: reached, insufficient: null, proved: false } } };
}

/** The highest service level of a message that a plan reaches. */
function levelInMessages(problem: Problem, { served }: Pick<Solution, 'served'>): number {
  const level = Math.floor(serviceLevelOf(problem, served) / LEVEL_UNIT) * LEVEL_UNIT;
  return Number(level.toFixed(6));
}

/**
 * Builds the matrices that the search for reasons needs, in steps that check flag and clock.
 * @throws OutOfTime, TooManyLocationsError
 */
async function buildMatrices({ greatCircle }: Problem, control: Stopping): Promise<void> {
  greatCircle?.buildCosts(checkOf(control));
  greatCircle?.buildDistances(checkOf(control));
}

/** The answer if no reason was found: the matrices do not fit in memory, time was up, or the search failed. */
function infeasibleWithoutReasons(error: unknown): Awaited<ReturnType<typeof explainInfeasible>> {
  const isLate = error instanceof OutOfTime;
  const why =
    error instanceof TooManyLocationsError
      ? 'are not determined for so many locations'
      : isLate
        ? 'were not found within the time limit; raise options.time_limit_seconds'
        : 'are not known';
  return {
    conflicts: [],
    sets: [],
    together: null,
    errors: [
      {
        code: 'INFEASIBLE_PROBLEM',
        message: `no plan satisfies all constraints; the conflicting constraints ${why}`,
        field: null,
        detail: error instanceof Error && !isLate ? error.message : null,
      },
    ],
  };
}

/** The parts of the answer. `without`: the plan without the cost of changes, if it is proved. */
type Found = {
  solution: Solution;
  without: Solution | null;
  further: Pick<OptimizationResult, 'shortfall' | 'priorities'>;
};

/** The result, and the faults that its verification found; null if the caller cancelled in the meantime. */
function answer(
  { request, locations, settings, travel, previous }: OptimizeInput,
  problem: Problem,
  { solution, without, further }: Found,
  stopFlag: Int32Array | undefined,
): { result: OptimizationResult; wrong: string[] } | null {
  let answered: { result: OptimizationResult; wrong: string[] } | null = null;
  const check = flagCheckOf({ stopFlag });
  untilOutOfTime(() => {
    const planned = createResult(request, problem, solution, namesOf(request, locations), check);
    const stability = createStability(problem, planned.allocation_plan, solution, without);
    const result = { ...planned, ...further, ...(stability && { stability }) };
    answered = { result, wrong: verifyPlan(request, locations, settings, result, check, travel, previous) };
  });
  return answered;
}
