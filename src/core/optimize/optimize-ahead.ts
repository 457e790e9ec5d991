/**
 * A plan that looks ahead: build → solve all steps → plan of the first moves → verify. The plan is an ordinary
 * one, for the demand of the first step; the outlook says what all steps would bring. Requests of one step have
 * nothing to look ahead to, and are planned as any other.
 */
import type {
  OptimizationResult,
  OptimizeRequest,
  PlanLocation,
  Shortfall,
} from '../../contracts/optimize.ts';
import { describeShortfall, explainAhead, knownLevel, shortOf } from './ahead-reasons.ts';
import { planToAnswer, readAllSteps, type StepsAhead } from './all-steps.ts';
import { moveDistances } from './answer/locations.ts';
import { describeLevels, describeOutlook, rounded } from './answer/outlook.ts';
import { createStability } from './answer/stability.ts';
import { verifyPlan } from './answer/verify.ts';
import { VERIFIED_OUTLOOK, verifyOutlook } from './answer/verify-outlook.ts';
import { createCertificate, createResult, namesOf } from './create-result.ts';
import { buildHorizon } from './horizon/build-horizon.ts';
import type { HorizonOutcome, HorizonSolution } from './horizon/outcome.ts';
import type { HorizonProblem } from './horizon/types.ts';
import type { Explained } from './infeasible/infeasible.ts';
import { fromUnits } from './problem/costs.ts';
import { evaluateMoves } from './problem/evaluate.ts';
import type {
  BoundProof,
  OptimizeInput,
  OptimizeOutcome,
  Problem,
  RequestFault,
  Solution,
} from './problem/model.ts';
import { vehiclesByPair } from './problem/pairs.ts';
import { withLimits } from './problem/variants.ts';
import { createProgress, type ProgressReport, type ProgressReporter } from './progress.ts';
import { isOperational } from './request/capacity.ts';
import { firstStepRequest, type HorizonSteps, readHorizon, withoutBounds } from './request/horizon.ts';
import { asksForPairs, readLimits, readOptions, type SolveOptions } from './request/limits.ts';
import { buildProblem } from './request/problem.ts';
import { RefusedError } from './request/refusals.ts';
import { answerMs, explanationMs, msOf } from './run/budget.ts';
import type { Cache } from './run/cache.ts';
import { nowMs } from './run/clock.ts';
import type { Control, SolveControl } from './run/control.ts';
import { failedOutcome } from './run/solver-fault.ts';
import { type Check, flagCheckOf, isStopped, OutOfTime } from './run/stopping.ts';

type Hooks = Pick<Control<ProgressReport>, 'stopFlag' | 'onProgress' | 'progressIntervalMs'>;
type Optimize = (input: OptimizeInput, cache: Cache, hooks: Hooks) => Promise<OptimizeOutcome>;

/** Rules of a plan that are those of all steps here: the check of the plan itself does not know them. */
const OF_ALL_STEPS = ['min_service_level', 'vehicles per location', 'critical demand'];

/**
 * @param input with `options.horizon`
 * @param planOneStep plans a request without it
 */
export async function optimizeAhead(
  input: OptimizeInput,
  cache: Cache,
  hooks: Hooks,
  planOneStep: Optimize,
): Promise<OptimizeOutcome> {
  const { request, settings } = input;
  const horizon = readHorizon(request);
  const first = firstStepRequest(request, horizon);
  // The plan of one step is for one demand.
  if (horizon.steps === 1 && !input.outcomes)
    return withOneStep(input, first, horizon, (one) => planOneStep(one, cache, hooks));
  // Levels stored with locations count for all steps, as those of the request do.
  const locations = input.locations.map(({ priority: _, ...point }) => point);
  const options = readOptions(request, settings);
  const progress = createProgress(false, hooks.onProgress, hooks.progressIntervalMs, asksForPairs(request));
  const control: SolveControl = {
    deadlineMs: nowMs() + options.timeLimitSeconds * 1000,
    stopFlag: hooks.stopFlag,
    progressIntervalMs: hooks.progressIntervalMs,
    onProgress: progress.solving,
  };
  if (isStopped(hooks.stopFlag)) return { status: 'cancelled' };
  progress.at('build');
  const check = flagCheckOf(hooks);
  let problem: Problem;
  let ahead: HorizonProblem | RequestFault;
  let all: StepsAhead;
  try {
    problem = buildProblem(first, locations, settings, cache, check, input.travel, input.previous);
    all = readAllSteps(input, problem, horizon);
    const level = readLimits(request, settings).minServiceLevel;
    const asked = withLimits(problem, { minServiceLevel: level, maxCostUnits: Number.POSITIVE_INFINITY });
    const isMixed = all.classes.capacities.length > 1;
    const inputs = { ...horizon, ...all, isAhead: true, isMixed };
    ahead = buildHorizon(asked, inputs, { ...control, deadlineMs: Infinity });
  } catch (error) {
    if (error instanceof OutOfTime) return { status: 'cancelled' };
    if (error instanceof RefusedError) return { status: 'refused', faults: [error.fault] };
    throw error;
  }
  if ('field' in ahead) return { status: 'refused', faults: [ahead] };
  progress.at('solve');
  const lastMs = answerMs(
    problem.fleet.location.length,
    problem.locationIds.length,
    options.timeLimitSeconds * 1000,
  );
  const { maxCostUnits } = readLimits(request, settings);
  const deadlineMs = control.deadlineMs - lastMs;
  const planning = {
    gap: options.optimalityGap,
    control: { ...control, deadlineMs },
    cache,
    maxCostUnits,
  };
  let found = await planToAnswer(problem, ahead, all, planning);
  // The highest level that can be asked for is that of plans which serve critical demand no better.
  if (found.kind === 'solved' && found.solution.isShort && !options.serveMost && all.levels)
    found = await planToAnswer(problem, ahead, { ...all, levels: null }, planning);
  const planned = { input, horizon, first, locations, problem, ahead, all, found, options };
  return await answerAhead(planned, { control, lastMs, cache, progress, check });
}

type PlannedAhead = {
  input: OptimizeInput;
  horizon: HorizonSteps;
  first: OptimizeRequest;
  locations: OptimizeInput['locations'];
  problem: Problem;
  ahead: HorizonProblem;
  all: StepsAhead;
  found: HorizonOutcome;
  options: SolveOptions;
};

type Run = {
  control: SolveControl;
  /** Time for the answer, before the deadline. */
  lastMs: number;
  cache: Cache;
  progress: ProgressReporter;
  check: Check;
};

/** The answer to what was found: a plan, or why there is none. */
async function answerAhead(planned: PlannedAhead, run: Run): Promise<OptimizeOutcome> {
  const { input, problem, ahead, all, found, options } = planned;
  const { control, lastMs, cache } = run;
  const { request, settings } = input;
  if (found.kind === 'cancelled') return { status: 'cancelled' };
  if (found.kind === 'error') return failedOutcome(found);
  if (found.kind === 'timeout') return noPlanInTime(options.timeLimitSeconds);
  const { minServiceLevel, maxCostUnits } = readLimits(request, settings);
  const stated = withLimits(problem, { minServiceLevel, maxCostUnits });
  const names = namesOf(request, input.locations);
  const solution = found.kind === 'solved' ? found.solution : null;
  const short = solution?.isShort ? shortOf(stated, ahead, all, solution) : null;
  const isLate = nowMs() >= control.deadlineMs - lastMs;
  if (short && !options.serveMost && isLate && short.reached_at_most >= short.requested)
    return noPlanInTime(options.timeLimitSeconds);
  let reasons: Explained | null = null;
  if (!solution || short) {
    const mostMs =
      solution && options.serveMost ? msOf('brief') : explanationMs(all.classes.capacities.length);
    // Plans that serve the most have no level to reach.
    const asked = !solution && options.serveMost ? { ...ahead, required: 0 } : ahead;
    const { withoutCeiling } = solution ?? (found as Extract<HorizonOutcome, { kind: 'infeasible' }>);
    reasons = await explainAhead(
      {
        request,
        problem: stated,
        ahead: asked,
        all,
        level: short && knownLevel(short),
        withoutCeiling,
        names,
      },
      { stopFlag: control.stopFlag, deadlineMs: Math.min(control.deadlineMs - lastMs, nowMs() + mostMs) },
      cache,
    );
  }
  if (isStopped(control.stopFlag)) return { status: 'cancelled' };
  if (reasons && !(solution && options.serveMost)) return { status: 'infeasible', ...reasons };
  const shortfall = short && reasons && describeShortfall(short, reasons, options.optimalityGap);
  return describePlan(planned, solution!, shortfall, run);
}

/** The plan of the first moves, what all steps would bring, and their check. */
function describePlan(
  { input, horizon, first, locations, problem, ahead, all }: PlannedAhead,
  solution: HorizonSolution,
  shortfall: Shortfall | null,
  { control: { stopFlag }, progress, check }: Run,
): OptimizeOutcome {
  const { request, settings } = input;
  const planned = describeSolution(problem, solution, ahead);
  progress.at('verify', 0, {
    incumbent: fromUnits(solution.objectiveUnits),
    bound: fromUnits(solution.boundUnits),
    gap: solution.gap,
  });
  if (isStopped(stopFlag)) return { status: 'cancelled' };
  let plan: OptimizationResult;
  let wrong: string[];
  const outlook = describeOutlook(problem, solution, all, horizon, request.options?.locations !== false);
  try {
    plan = createResult(first, problem, planned, namesOf(first, input.locations), check);
    const stability = createStability(problem, plan.allocation_plan, planned, null);
    if (stability) plan.stability = stability;
    const { travel = null, previous = null } = input;
    wrong = verifyPlan(withoutBounds(first), locations, settings, plan, check, travel, previous);
  } catch (error) {
    if (error instanceof OutOfTime) return { status: 'cancelled' };
    throw error;
  }
  const { levels: served = [] } = solution;
  const { demand, levels } = all;
  const result: OptimizationResult = {
    ...plan,
    ...outlook,
    ...(shortfall && { shortfall }),
    ...(levels && {
      priorities: describeLevels({ demand, levels }, ahead.demand.subarray(ahead.n), served),
      stages: ['critical_demand', ...(plan.stages ?? ['min_cost_flow' as const])],
    }),
  };
  wrong.push(...verifyOutlook(input, result));
  if (wrong.length > 0)
    return { status: 'error', message: `the plan failed its verification: ${wrong.join('; ')}` };
  const certificate = createCertificate(planned, problem.previous !== undefined);
  const checks = certificate.checks.filter((check) => !OF_ALL_STEPS.includes(check));
  return {
    status: result.solver_status,
    result,
    certificate: { ...certificate, checks: [...checks, ...VERIFIED_OUTLOOK] },
    moveDistances: moveDistances(problem, planned.moves),
  };
}

/** The plan's moves with the figures of all steps. */
function describeSolution(problem: Problem, found: HorizonSolution, { n, steps }: HorizonProblem): Solution {
  const { moves, objectiveUnits, boundUnits, gap, proved, method, columns, iterations } = found;
  const { costUnits, served } = evaluateMoves(problem, moves);
  const boundBy: BoundProof = found.isBranched ? 'bound of branch and cut' : 'bound from prices of all moves';
  const figures = { method, columns, rows: n * steps, iterations, nodes: 0, boundBy: [boundBy] };
  const { withoutPairs } = found;
  const before = withoutPairs && {
    costUnits: evaluateMoves(problem, withoutPairs).costUnits,
    pairs: vehiclesByPair(problem, withoutPairs).size,
  };
  return {
    ...{ moves, costUnits, objectiveUnits, boundUnits, gap, proved, served, figures },
    ...(before && { before }),
  };
}

function noPlanInTime(seconds: number): OptimizeOutcome {
  const message = `no plan was found within the time limit of ${seconds} s; raise options.time_limit_seconds`;
  return { status: 'error', message };
}

/** The outlook of a plan for one step: the plan itself. */
async function withOneStep(
  input: OptimizeInput,
  first: OptimizeRequest,
  { startMs }: HorizonSteps,
  plan: (input: OptimizeInput) => Promise<OptimizeOutcome>,
): Promise<OptimizeOutcome> {
  const { request } = input;
  const plain = { ...first, constraints: request.constraints ?? {} };
  const outcome = await plan({ ...input, request: plain });
  if (!('result' in outcome)) return outcome;
  const { result, certificate } = outcome;
  const demand = Object.values(request.demand_forecast).reduce((sum, [first]) => sum + first, 0);
  const { unmet_demand: unmet } = result.kpis;
  const operational = request.fleet_state.vehicles.filter(isOperational);
  const vehicles = result.allocation_plan.length;
  const step = {
    starts_at: startMs === null ? null : new Date(startMs).toISOString(),
    demand: rounded(demand),
    served: rounded(demand - unmet),
    unmet: rounded(unmet),
    vehicles,
    on_the_way: operational.length - vehicles,
    moves: [],
    ...(request.options?.locations !== false && firstByLocation(result.locations ?? [])),
  };
  const figures = {
    outlook: [step],
    horizon_cost: certificate.objective,
    horizon_bound: certificate.bound,
    rounding_cost: 0,
  };
  return { ...outcome, result: { ...result, ...figures } };
}

function firstByLocation(locations: readonly PlanLocation[]) {
  return {
    demand_by_location: locations.map(({ demand }) => rounded(demand)),
    unmet_by_location: locations.map(({ unmet }) => rounded(unmet)),
    vehicles_by_location: locations.map(({ vehicles_after: after }) => rounded(after)),
  };
}
