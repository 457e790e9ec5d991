/**
 * `npm run bench:growth -- [--repeats 7] [--svg FOLDER]`: how the time to a verified plan grows with the fleet and with
 * the share of allowed moves. For growth with the number of locations see `optimizer.ts`.
 *
 * Measures the whole core in one thread, from the parsed request; medians with the 10th and 90th percentile. Instances
 * take turns within each repeat.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OptimizeRequest } from '../src/contracts/optimize.ts';
import { solveFlow } from '../src/core/optimize/flow/solve-flow.ts';
import { nearCosts, shareWithin } from '../src/core/optimize/problem/distances/near-costs.ts';
import type { LocationPoint } from '../src/core/optimize/problem/model.ts';
import { optimizeCached as optimize } from '../test/core/optimize/cached.ts';
import { percentile, readArguments, reportTable, spread } from './cli.ts';
import { cityFlow } from './instances.ts';
import { plotLogLog, type Series } from './plot.ts';
import { BENCH_SETTINGS, cityRequest } from './requests.ts';

const { repeats, svg, json } = readArguments({ repeats: 7, svg: '' });
const rows: string[][] = [];

type Case = { series: string; x: number; request: OptimizeRequest; locations: LocationPoint[] };

/** 263 locations with growing fleets. */
function fleetCases(): Case[] {
  const fleets = [300, 1000, 3000, 10_000, 30_000, 100_000];
  return fleets.flatMap((vehicles) =>
    [false, true].map((isFractional) => ({
      series: isFractional ? 'fractional demand' : 'whole demand',
      x: vehicles,
      ...cityRequest(1, { locations: 263, vehicles, classes: 1, isFractional }),
    })),
  );
}

/**
 * 1,000 locations with growing distance limits. The service level is 99 % of what can be served within the limit, at
 * most 95 %.
 */
function densityCases(): Case[] {
  const { points, supply, demand, n, required } = cityFlow(1, 1000);
  const locations = points.map((point, id) => ({ id, ...point }));
  const total = demand.reduce((sum, d) => sum + d, 0);
  const vehicles = Array.from(supply).flatMap((count, location) =>
    Array.from({ length: count }, (_, v) => ({ id: `${location}-${v}`, location })),
  );
  return [1, 2, 3, 5, 10, 20, 100].map((km) => {
    const most = solveFlow({ n, supply, demand, required: total, cost: nearCosts(points, 1, km) });
    const reachable = most.kind === 'infeasible' ? most.served : total;
    return {
      series: `1,000 locations, ${vehicles.length.toLocaleString('en')} vehicles`,
      x: 100 * shareWithin(points, km),
      locations,
      request: {
        demand_forecast: Object.fromEntries(Array.from(demand, (d, id) => [id, [d]])),
        fleet_state: { vehicles },
        constraints: {
          max_distance: km,
          min_service_level: Math.min(required, Math.floor(0.99 * reachable)) / total,
        },
      },
    };
  });
}

async function measure(name: string, title: string, xLabel: string, cases: Case[]): Promise<void> {
  const times = cases.map((): number[] => []);
  for (let r = -2; r < repeats; r++) {
    for (const [at, { request, locations }] of cases.entries()) {
      const startedMs = performance.now();
      const outcome = await optimize({ request, locations, settings: BENCH_SETTINGS });
      if (outcome.status !== 'optimal') throw new Error(`${name} ${cases[at].x}: ${outcome.status}`);
      if (r >= 0) times[at].push(performance.now() - startedMs);
    }
  }
  const series = new Map<string, Series>();
  for (const [at, { series: line, x }] of cases.entries()) {
    const [low, median, high] = [0.1, 0.5, 0.9].map((share) => percentile(times[at], share));
    rows.push([
      line,
      `${x < 100 ? x.toPrecision(2) : x.toLocaleString('en-US')} ${xLabel}`,
      spread(times[at]),
    ]);
    const drawn = series.get(line) ?? { name: line, points: [] };
    drawn.points.push({ x, median, low, high });
    series.set(line, drawn);
  }
  if (svg) {
    writeFileSync(join(svg, `${name}.svg`), plotLogLog(title, xLabel, 'milliseconds', [...series.values()]));
  }
}

await measure(
  'optimizer-fleet',
  'Request to verified plan, 263 locations',
  'operational vehicles',
  fleetCases(),
);
await measure(
  'optimizer-density',
  'Request to verified plan',
  '% of pairs within max_distance',
  densityCases(),
);
reportTable({ columns: ['request', 'size', 'ms'], rows }, json);
