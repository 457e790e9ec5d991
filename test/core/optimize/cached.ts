import { type OptimizeHooks, optimize } from '../../../src/core/optimize/optimize.ts';
import type { OptimizeInput } from '../../../src/core/optimize/problem/model.ts';
import { buildProblem } from '../../../src/core/optimize/request/problem.ts';
import { createCache } from '../../../src/core/optimize/run/cache.ts';

/** The cache of a test file's thread, like that of a worker's thread: the solver is loaded once. */
export const threadCache = createCache();

export const optimizeCached = (input: OptimizeInput, hooks?: OptimizeHooks) =>
  optimize(input, threadCache, hooks);

export const buildCached = (
  request: Parameters<typeof buildProblem>[0],
  locations: Parameters<typeof buildProblem>[1],
  settings: Parameters<typeof buildProblem>[2],
  previous: OptimizeInput['previous'] = null,
) => buildProblem(request, locations, settings, threadCache, undefined, null, previous);

/** The caches of a problem that a test builds itself. */
export const newCaches = () => ({ thread: threadCache, problem: createCache() });
