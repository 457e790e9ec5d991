/**
 * Rules about pairs of locations: gap and pairs of the plan against the time limit. The first row of a city is the
 * cheapest plan without rules.
 *
 *   npm run bench:refine -- [--only TEXT] [--seconds 1,5,20] [--json FILE]
 */
import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import { optimize } from '../src/core/optimize/optimize.ts';
import { createCache } from '../src/core/optimize/run/cache.ts';
import { digits, readArguments, reportTable } from './cli.ts';
import { BENCH_SETTINGS, cityRequest, type RequestShape } from './requests.ts';

const { only, seconds, json } = readArguments({ only: '', seconds: [1, 5, 20] });

type Refine = NonNullable<NonNullable<OptimizeRequest['options']>['refine']>;

const SHAPES: Record<string, RequestShape> = {
  '73 locations, 730 vehicles': { locations: 73, vehicles: 730, classes: 1, isFractional: true },
  '73 locations, capacities 1 to 3': { locations: 73, vehicles: 730, classes: 3, isFractional: true },
  '263 locations, 2,630 vehicles': { locations: 263, vehicles: 2_630, classes: 1, isFractional: true },
};
/** @param pairs of the cheapest plan without rules */
const RULES: Record<string, (pairs: number) => Refine> = {
  'a pair costs 5': () => ({ cost_per_pair: 5 }),
  'a pair costs 20': () => ({ cost_per_pair: 20 }),
  'at least 4 vehicles': () => ({ min_vehicles_per_move: 4 }),
  '10 % fewer pairs': (pairs) => ({ max_pairs: Math.floor(0.9 * pairs) }),
  'at most 3 from a location': () => ({ max_moves_from: 3 }),
};

const cache = createCache();

async function solve({ request, locations }: ReturnType<typeof cityRequest>, refine: Refine, limit: number) {
  const options = { refine, time_limit_seconds: limit };
  const startedMs = performance.now();
  const outcome = await optimize(
    { request: { ...request, options }, locations, settings: BENCH_SETTINGS },
    cache,
  );
  const ms = performance.now() - startedMs;
  if (!('result' in outcome)) return { outcome: outcome.status, ms, plan: null };
  const { result, certificate } = outcome;
  const pairs = new Set(
    result.allocation_plan
      .filter(({ assignment }) => assignment === 'rebalance')
      .map(({ source_location, target_location }) => `${source_location} ${target_location}`),
  ).size;
  const { objective, gap } = certificate;
  return { outcome: result.solver_status, ms, plan: { pairs, cost: result.total_cost, objective, gap } };
}

const rows: string[][] = [];
for (const [name, shape] of Object.entries(SHAPES)) {
  if (!name.includes(only)) continue;
  const city = cityRequest(1, shape);
  const free = await solve(city, {}, 20);
  const add = (rule: string, limit: string, found: Awaited<ReturnType<typeof solve>>) => {
    const { pairs, cost, objective, gap } = found.plan ?? {};
    const figures = [
      pairs?.toString(),
      cost?.toFixed(1),
      objective?.toFixed(1),
      gap === undefined ? undefined : `${(100 * gap).toFixed(1)} %`,
    ].map((figure) => figure ?? '–');
    rows.push([name, rule, limit, digits(found.ms / 1000), found.outcome, ...figures]);
  };
  add('none', '–', free);
  for (const [rule, refineOf] of Object.entries(RULES)) {
    for (const limit of seconds) {
      add(rule, `${limit} s`, await solve(city, refineOf(free.plan?.pairs ?? 0), limit));
    }
  }
}
reportTable(
  {
    columns: ['city', 'rule', 'limit', 'seconds', 'outcome', 'pairs', 'total cost', 'objective', 'gap'],
    rows,
  },
  json,
);
