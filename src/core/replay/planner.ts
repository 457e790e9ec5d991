/** Plans of replays, made by the optimizer of the service from counts of vehicles instead of a list of them. */
import type { Constraints } from '../../contracts/optimize.ts';
import { buildHorizon, type HorizonInput } from '../optimize/horizon/build-horizon.ts';
import { coarsen, worthAtStep, wrapAround } from '../optimize/horizon/end-of-horizon.ts';
import type { MoveColumn } from '../optimize/horizon/flow-master.ts';
import { type HorizonSolution, planHorizon } from '../optimize/horizon/plan-horizon.ts';
import type { EndValues, HorizonProblem } from '../optimize/horizon/types.ts';
import { toUnitsUp } from '../optimize/problem/costs.ts';
import type { Moves, OptimizeSettings, Problem } from '../optimize/problem/model.ts';
import { buildProblem } from '../optimize/request/problem.ts';
import { type Cache, createCache } from '../optimize/run/cache.ts';
import { nowMs } from '../optimize/run/clock.ts';
import { solveOrServeMost } from '../optimize/shortage/serve-most.ts';
import { solveProblem } from '../optimize/solve.ts';
import type { ReplayedPast } from './types.ts';

export type PlannerOptions = {
  /** As in a request. What they leave out does not constrain a plan. */
  constraints: Constraints;
  /** Of one plan. */
  timeLimitSeconds: number;
  /** Relative, that proves a plan. */
  gap: number;
};

/** Nothing is limited but by the constraints of a policy. */
const NO_LIMITS: OptimizeSettings = {
  maxDistanceKm: Number.POSITIVE_INFINITY,
  minServiceLevel: 0,
  maxRebalancingCost: null,
  capacityPerVehicle: 1,
  tripsPerVehicleHour: null,
  timeLimitSeconds: Number.POSITIVE_INFINITY,
  maxTimeLimitSeconds: Number.POSITIVE_INFINITY,
  optimalityGap: 0,
  costPerKm: 1,
};

export type Planner = {
  base: Problem;
  options: PlannerOptions;
  cache: Cache;
};

/** The problem that all plans of a replay change: its locations, costs and constraints. O(n²) */
export function createPlanner(
  { locationIds, travel, tripsPerHour }: Pick<ReplayedPast, 'locationIds' | 'travel' | 'tripsPerHour'>,
  options: PlannerOptions,
  cache: Cache,
): Planner {
  const ids = [...locationIds];
  const n = ids.length;
  const rows = <V>(values: Float64Array, read: (value: number) => V) =>
    ids.map((_, i) => Array.from(values.subarray(i * n, (i + 1) * n), read));
  const base = buildProblem(
    {
      demand_forecast: Object.fromEntries(ids.map((id) => [id, [0]])),
      fleet_state: { vehicles: [{ id: 'any', location: ids[0] }] },
      constraints: options.constraints,
      network: {
        location_ids: ids,
        costs: rows(travel.cost, (cost) => (cost === Number.POSITIVE_INFINITY ? null : cost)),
        distances_km: rows(travel.km, (km) => km),
      },
      options: { trips_per_vehicle_hour: tripsPerHour, step_hours: 1 },
    },
    [],
    NO_LIMITS,
    cache,
  );
  return { base, options, cache };
}

/**
 * The plan for one step, as `POST /api/v1/optimize` makes it.
 * @param supply n: vehicles that may move
 * @param demand n: what these have to serve
 */
export async function planStep(
  { base, options }: Planner,
  supply: Int32Array,
  demand: Float64Array,
): Promise<Moves> {
  const problem = { ...base, supply, demand, caches: { ...base.caches, problem: createCache() } };
  const control = { deadlineMs: nowMs() + options.timeLimitSeconds * 1000 };
  const solveStep = options.constraints.shortage === 'serve_most' ? solveOrServeMost : solveProblem;
  const solved = await solveStep(problem, options.gap, control);
  if (solved.kind === 'solved' || solved.kind === 'served') return solved.solution.moves;
  throw new Error(solved.kind === 'error' ? solved.message : `no plan: ${solved.kind}`);
}

export type HorizonPlanned = {
  moves: Moves;
  /** Moves that the next plan, one step later, is likely to use. */
  known: MoveColumn[];
};

/** What a plan that looks ahead knows of vehicles after its last step. */
export type EndOfPlan =
  /** Every location wants back as many vehicles as it has, worth so much money each. */
  | { kind: 'wrap'; worth: number }
  /** Vehicles are worth what a longer plan in coarser steps says: `factor` steps make one. */
  | { kind: 'salvage'; longer: HorizonInput; factor: number };

/**
 * The plan that looks ahead: the moves of its first step.
 * @param known moves of the plan one step before
 * @param end absent: vehicles are left anywhere
 */
export async function planAhead(
  planner: Planner,
  supply: Int32Array,
  input: HorizonInput,
  known: readonly MoveColumn[],
  end?: EndOfPlan,
): Promise<HorizonPlanned> {
  const asked = build(planner, supply, input);
  const problem = end ? { ...asked, end: await valuesAt(planner, supply, asked, end) } : asked;
  const usable = known.filter(({ step }) => step < problem.steps);
  const { moves, outlook } = await solve(planner, problem, usable);
  const next = outlook.flatMap((step, t) =>
    t === 0 ? [] : step.moves.map(({ from, to }) => ({ step: t - 1, arc: arcOf(problem, from, to) })),
  );
  return { moves, known: next };
}

async function valuesAt(
  planner: Planner,
  supply: Int32Array,
  problem: HorizonProblem,
  end: EndOfPlan,
): Promise<EndValues> {
  if (end.kind === 'wrap') return wrapAround(problem, toUnitsUp(end.worth));
  const longer = coarsen(build(planner, supply, end.longer), end.factor);
  const { values } = await solve(planner, longer);
  return worthAtStep(problem.n, values, Math.min(longer.steps, Math.floor(problem.steps / end.factor)));
}

function build({ base }: Planner, supply: Int32Array, input: HorizonInput): HorizonProblem {
  const problem = buildHorizon({ ...base, supply }, input);
  if ('field' in problem) throw new Error(problem.message);
  return problem;
}

async function solve(
  { options, cache }: Planner,
  problem: HorizonProblem,
  known?: readonly MoveColumn[],
): Promise<HorizonSolution> {
  const deadlineMs = nowMs() + options.timeLimitSeconds * 1000;
  const planned = await planHorizon(problem, options.gap, { deadlineMs }, cache, known);
  if (planned.kind === 'solved') return planned.solution;
  throw new Error(planned.kind === 'error' ? planned.message : `no plan: ${planned.kind}`);
}

function arcOf({ pairs: { starts, targets } }: HorizonProblem, from: number, to: number): number {
  return starts[from] + targets.subarray(starts[from], starts[from + 1]).indexOf(to);
}
