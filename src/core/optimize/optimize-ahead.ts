/**
 * A plan that looks ahead: build → solve all steps → plan of the first moves → verify. The plan is an ordinary one, for
 * the demand of the first step; the outlook says what all steps would bring. Requests of one step have nothing to look
 * ahead to, and are planned as any other.
 */
import type { ErrorItem } from '../../contracts/envelope.ts';
import type { OptimizationResult, OptimizeRequest, Shortfall } from '../../contracts/optimize.ts';
import { moveDistances } from './answer/locations.ts';
import { type AllSteps, describeOutlook, rounded } from './answer/outlook.ts';
import { verifyPlan } from './answer/verify.ts';
import { VERIFIED_OUTLOOK, verifyOutlook } from './answer/verify-outlook.ts';
import { createCertificate, createResult, namesOf } from './create-result.ts';
import { buildHorizon } from './horizon/build-horizon.ts';
import { type HorizonSolution, planHorizon } from './horizon/plan-horizon.ts';
import { stepFlows } from './horizon/step-flows.ts';
import type { HorizonProblem, TripFlows } from './horizon/types.ts';
import { fromUnits } from './problem/costs.ts';
import { evaluateMoves } from './problem/evaluate.ts';
import type { OptimizeInput, OptimizeOutcome, Problem, RequestFault, Solution } from './problem/model.ts';
import { withLimits } from './problem/variants.ts';
import { createProgress, type ProgressReport } from './progress.ts';
import { isOperational, readCapacity } from './request/capacity.ts';
import {
  firstStepRequest,
  freeFrom,
  type HorizonSteps,
  readHorizon,
  withoutBounds,
} from './request/horizon.ts';
import { readLimits, readOptions } from './request/limits.ts';
import { readPriorities } from './request/priorities.ts';
import { buildProblem } from './request/problem.ts';
import { RefusedError } from './request/refusals.ts';
import { answerMs } from './run/budget.ts';
import type { Cache } from './run/cache.ts';
import { nowMs } from './run/clock.ts';
import type { Control, SolveControl } from './run/control.ts';
import { flagCheckOf, isStopped, OutOfTime } from './run/stopping.ts';

type Hooks = Pick<Control<ProgressReport>, 'stopFlag' | 'onProgress' | 'progressIntervalMs'>;
type Steps = AllSteps<readonly TripFlows[]>;
type Optimize = (input: OptimizeInput, cache: Cache, hooks: Hooks) => Promise<OptimizeOutcome>;

/** Rules of a plan that are those of all steps here: the check of the plan itself does not know them. */
const OF_ALL_STEPS = ['min_service_level', 'vehicles per location'];

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
  if (horizon.steps === 1) {
    const plain = { ...first, constraints: request.constraints ?? {} };
    return withOneStep(input, horizon, await planOneStep({ ...input, request: plain }, cache, hooks));
  }
  const fault = findFault(input, first);
  if (fault) return { status: 'refused', faults: [fault] };
  const options = readOptions(request, settings);
  const progress = createProgress(false, hooks.onProgress, hooks.progressIntervalMs);
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
  let all: Steps;
  try {
    problem = buildProblem(first, input.locations, settings, cache, check, input.travel);
    all = readSteps(input, problem, horizon);
    const level = readLimits(request, settings).minServiceLevel;
    const asked = withLimits(problem, { minServiceLevel: level, maxCostUnits: Number.POSITIVE_INFINITY });
    ahead = buildHorizon(asked, { ...horizon, ...all, isAhead: true }, { ...control, deadlineMs: Infinity });
  } catch (error) {
    if (error instanceof OutOfTime) return { status: 'cancelled' };
    if (error instanceof RefusedError) return { status: 'refused', faults: [error.fault] };
    return { status: 'error', message: error instanceof Error ? error.message : String(error) };
  }
  if ('field' in ahead) return { status: 'refused', faults: [ahead] };
  progress.at('solve');
  const lastMs = answerMs(
    problem.fleet.location.length,
    problem.locationIds.length,
    options.timeLimitSeconds * 1000,
  );
  const found = await planHorizon(
    ahead,
    options.optimalityGap,
    { ...control, deadlineMs: control.deadlineMs - lastMs },
    cache,
  );
  switch (found.kind) {
    case 'cancelled':
      return { status: 'cancelled' };
    case 'error':
      return { status: 'error', message: found.message };
    case 'timeout':
      return noPlanInTime(options.timeLimitSeconds);
    case 'infeasible':
      return infeasible([boundsError()]);
    case 'solved':
      break;
  }
  const { solution } = found;
  const short = solution.isShort ? shortfallOf(input, ahead, all, solution) : null;
  if (short && !options.serveMost) {
    if (short.reached_at_most >= short.requested) return noPlanInTime(options.timeLimitSeconds);
    return infeasible([levelError(short, horizon.steps)]);
  }
  const planned = describeSolution(problem, solution, ahead);
  const ceiling = refuseCeiling(input, planned);
  if (ceiling) return { status: 'refused', faults: [ceiling] };
  progress.at('verify', 0, {
    incumbent: fromUnits(solution.objectiveUnits),
    bound: fromUnits(solution.boundUnits),
    gap: solution.gap,
  });
  if (isStopped(hooks.stopFlag)) return { status: 'cancelled' };
  let plan: OptimizationResult;
  let wrong: string[];
  const outlook = describeOutlook(problem, solution, all, horizon);
  try {
    plan = createResult(first, problem, planned, namesOf(first, input.locations), check);
    wrong = verifyPlan(withoutBounds(first), input.locations, settings, plan, check, input.travel ?? null);
  } catch (error) {
    if (error instanceof OutOfTime) return { status: 'cancelled' };
    throw error;
  }
  const result = { ...plan, ...outlook, ...(short && { shortfall: short }) };
  wrong.push(...verifyOutlook(request, result, settings));
  if (wrong.length > 0)
    return { status: 'error', message: `the plan failed its verification: ${wrong.join('; ')}` };
  const certificate = createCertificate(planned, false);
  const checks = certificate.checks.filter((check) => !OF_ALL_STEPS.includes(check));
  return {
    status: result.solver_status,
    result,
    certificate: { ...certificate, checks: [...checks, ...VERIFIED_OUTLOOK] },
    moveDistances: moveDistances(problem, planned.moves),
  };
}

/** A rule that plans of many steps do not support, and that only all steps or the whole fleet show. */
function findFault(
  { request, locations, settings }: OptimizeInput,
  first: OptimizeRequest,
): RequestFault | null {
  const refuse = (field: string, what: string) => ({
    field,
    message: `a plan that looks ahead does not support ${what}; leave it out, or leave options.horizon out`,
    detail: null,
  });
  const capacity = readCapacity(first, settings);
  const operational = request.fleet_state.vehicles.filter(isOperational);
  const capacities = new Set(operational.map((vehicle) => capacity.of(vehicle)));
  if (capacities.size > 1) return refuse('fleet_state.vehicles', `${capacities.size} different capacities`);
  const most = request.constraints?.total_fleet_size;
  if (most !== undefined && most < operational.length)
    return refuse('constraints.total_fleet_size', `${most} serving vehicles of ${operational.length}`);
  const ids = Int32Array.from(Object.keys(request.demand_forecast), Number);
  const wanted = Float64Array.from(ids, (id) => request.demand_forecast[id].reduce((a, b) => Math.max(a, b)));
  if (readPriorities(request, locations, ids, wanted))
    return refuse('constraints.priorities', 'priorities (those stored with the locations count, too)');
  return null;
}

/** Demand, vehicles on the way and trips of all steps. O(vehicles + demand values) */
function readSteps({ request, tripCounts }: OptimizeInput, problem: Problem, horizon: HorizonSteps): Steps {
  const { locationIds } = problem;
  const n = locationIds.length;
  const position = new Map(Array.from(locationIds, (id, j) => [id, j]));
  const demand = new Float64Array(horizon.steps * n);
  for (const [id, steps] of Object.entries(request.demand_forecast))
    for (const [t, value] of steps.entries()) demand[t * n + position.get(Number(id))!] = value;
  const onTheWay = new Int32Array(horizon.steps * n);
  let later = 0;
  for (const vehicle of request.fleet_state.vehicles) {
    if (!isOperational(vehicle)) continue;
    const step = freeFrom(vehicle, horizon);
    if (step >= horizon.steps) later++;
    else if (step > 0) onTheWay[step * n + position.get((vehicle.location ?? vehicle.location_id)!)!]++;
  }
  const isStored = (request.options?.horizon?.trip_flows ?? 'stored') === 'stored' && !request.network;
  const counts = isStored && tripCounts && tripCounts.trips.length > 0 ? tripCounts : null;
  return { demand, onTheWay, later, ...(counts && { flows: stepFlows(locationIds, counts, horizon) }) };
}

/** The plan's moves with the figures of all steps. */
function describeSolution(problem: Problem, found: HorizonSolution, { n, steps }: HorizonProblem): Solution {
  const { moves, objectiveUnits, boundUnits, gap, proved, method, columns, iterations } = found;
  const { costUnits, served } = evaluateMoves(problem, moves);
  const boundBy = ['bound from prices of all moves' as const];
  const figures = { method, columns, rows: n * steps, iterations, nodes: 0, boundBy };
  return { moves, costUnits, objectiveUnits, boundUnits, gap, proved, served, figures };
}

function refuseCeiling({ request, settings }: OptimizeInput, { costUnits }: Solution): RequestFault | null {
  const { maxCostUnits } = readLimits(request, settings);
  if (costUnits <= maxCostUnits) return null;
  const cost = fromUnits(costUnits);
  const message =
    `the first moves cost ${cost}, above max_rebalancing_cost ${fromUnits(maxCostUnits)}, and a plan that looks ` +
    `ahead is not planned below such a limit; raise it to ${cost}, lift it with null, or leave options.horizon out`;
  return { field: 'constraints.max_rebalancing_cost', message, detail: null };
}

function shortfallOf(
  { request, settings }: OptimizeInput,
  ahead: HorizonProblem,
  { demand }: AllSteps,
  { figures, mostServed }: HorizonSolution,
): Shortfall {
  const total = demand.reduce((sum, value) => sum + value, 0);
  const open = ahead.demand.reduce((sum, value) => sum + value, 0);
  const levelOf = (served: number) => Math.max(0, Math.min(1, (total - open + served) / total));
  const requested = readLimits(request, settings).minServiceLevel;
  const reached = levelOf(figures.totalServed);
  const reachedAtMost = Math.max(reached, levelOf(mostServed));
  // Six decimals, as in other messages.
  const relaxation = Math.floor(reached * 1e6) / 1e6;
  const message = `min_service_level ${requested} is out of reach in these steps; ${relaxation} is sufficient`;
  const proved = reachedAtMost < relaxation + 1e-6;
  return {
    requested,
    reached,
    reached_at_most: reachedAtMost,
    unserved: open - figures.totalServed,
    missing_vehicles: null,
    relaxations: [{ constraint: 'min_service_level', value: requested, relaxation, proved, message }],
  };
}

function levelError({ requested, reached }: Shortfall, steps: number): ErrorItem {
  const level = Math.floor(reached * 1e6) / 1e6;
  const message =
    `min_service_level ${requested} is out of reach over the ${steps} steps; lower it to ${level}, add vehicles, or ` +
    'set constraints.shortage to serve_most for the plan that serves the most';
  return { code: 'INFEASIBLE_PROBLEM', message, field: 'constraints.min_service_level', detail: null };
}

function boundsError(): ErrorItem {
  const message =
    'no plan keeps min_vehicles_per_location and max_vehicles_per_location in every step; loosen them, raise ' +
    'max_distance, or leave options.horizon out to see which of them are in conflict';
  return { code: 'INFEASIBLE_PROBLEM', message, field: 'constraints', detail: null };
}

function infeasible(errors: ErrorItem[]): OptimizeOutcome {
  return { status: 'infeasible', errors, conflicts: [], sets: [], together: null };
}

function noPlanInTime(seconds: number): OptimizeOutcome {
  const message = `no plan was found within the time limit of ${seconds} s; raise options.time_limit_seconds`;
  return { status: 'error', message };
}

/** The outlook of a plan for one step: the plan itself. */
function withOneStep(
  { request }: OptimizeInput,
  { startMs }: HorizonSteps,
  outcome: OptimizeOutcome,
): OptimizeOutcome {
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
  };
  const figures = {
    outlook: [step],
    horizon_cost: certificate.objective,
    horizon_bound: certificate.bound,
    rounding_cost: 0,
  };
  return { ...outcome, result: { ...result, ...figures } };
}
