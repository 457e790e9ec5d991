/** Solves of a city from a parsed request to a verified plan, and by HiGHS alone, in processor time. */
import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import { solveDirect } from '../src/core/optimize/direct/direct.ts';
import { findMostServed } from '../src/core/optimize/infeasible/most-served.ts';
import { type OptimizeOutcome, optimize } from '../src/core/optimize/optimize.ts';
import { createIncumbent } from '../src/core/optimize/problem/incumbent.ts';
import type { Problem } from '../src/core/optimize/problem/model.ts';
import { serviceLevelOf } from '../src/core/optimize/problem/service-level.ts';
import { withLimits } from '../src/core/optimize/problem/variants.ts';
import { buildProblem } from '../src/core/optimize/request/problem.ts';
import { createCache } from '../src/core/optimize/run/cache.ts';
import { digits } from './cli.ts';
import { BENCH_SETTINGS, type cityRequest } from './requests.ts';

export type City = ReturnType<typeof cityRequest>;
type Limits = NonNullable<OptimizeRequest['constraints']>;

/** HiGHS alone ends after this, and is then above it in the tables. */
const ALONE_SECONDS = 60;

const cache = createCache();

/** Processor time of this process so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The way of a request, in ms of processor time: other work on the machine does not count. */
export async function solveTimed(
  { request, locations }: City,
  constraints: Limits,
): Promise<{ outcome: OptimizeOutcome; ms: number }> {
  const input = { request: { ...request, constraints }, locations, settings: BENCH_SETTINGS };
  const startedMs = cpuMs();
  const outcome = await optimize(input, cache);
  return { outcome, ms: cpuMs() - startedMs };
}

/**
 * HiGHS alone with all moves in one model, to the same gap: the cheapest plan; with `shortage: serve_most` the most
 * demand that can be served first.
 * @returns ms of processor time for a table; above the limit, or without a proof, "> 60,000"
 */
export async function solveAlone({ request, locations }: City, constraints: Limits): Promise<string> {
  const problem = buildProblem({ ...request, constraints }, locations, BENCH_SETTINGS, cache);
  const control = { deadlineMs: performance.now() + 1000 * ALONE_SECONDS };
  const startedMs = cpuMs();
  const asked = constraints.shortage === 'serve_most' ? await atMostServed(problem, control) : problem;
  const incumbent = createIncumbent(problem, BENCH_SETTINGS.optimalityGap, control);
  const isDone = asked !== null && (await solveDirect(asked, incumbent, control)) === 'done';
  return isDone ? digits(cpuMs() - startedMs) : `> ${digits(1000 * ALONE_SECONDS)}`;
}

/** With the most demand that can be served as its service level; null if time ends the search. */
async function atMostServed(problem: Problem, control: { deadlineMs: number }): Promise<Problem | null> {
  const { plan, proved } = await findMostServed(problem, control);
  if (!plan || !proved) return null;
  return withLimits(problem, { minServiceLevel: serviceLevelOf(problem, plan.served) });
}
