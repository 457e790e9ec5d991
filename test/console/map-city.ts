import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buildConsole } from '../../src/commands/start/build-console.ts';
import { randomFrom } from '../../src/core/optimize/problem/random.ts';

const BUILT = path.join(import.meta.dirname, '../../console/dist');
const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
};

type Location = { id: number; name: string; longitude: number; latitude: number; demand: number };

/** Locations that are denser in the middle of a city, with demands of which few are large. */
function drawLocations(count: number): Location[] {
  const next = randomFrom(1);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    name: `Location ${i + 1}`,
    longitude: -73.97 + 0.08 * normal(),
    latitude: 40.72 + 0.06 * normal(),
    demand: Math.exp(3 + normal()),
  }));
}

/** A plan with as many pairs of locations between which vehicles move, drawn without regard to distance. */
function drawPlan(city: Location[], moves: number, seed: number) {
  const next = randomFrom(seed);
  const pick = () => city[Math.floor(next() * city.length)].id;
  const pairs = new Map<string, { source_location: number; target_location: number }>();
  while (pairs.size < moves) {
    const [from, to] = [pick(), pick()];
    if (from !== to) pairs.set(`${from}-${to}`, { source_location: from, target_location: to });
  }
  const allocation = [...pairs.values()].flatMap((pair, i) =>
    Array.from({ length: 1 + Math.floor(-2 * Math.log(1 - next())) }, (_, j) => ({
      vehicle_id: `${i}-${j}`,
      assignment: 'rebalance',
      cost: 1,
      ...pair,
    })),
  );
  const locations = city.map(({ id, name, demand }) => {
    const after = Math.round(demand * (0.7 + 0.6 * next()));
    return {
      location_id: id,
      name,
      demand,
      vehicles_before: Math.round(demand * (0.5 + next())),
      vehicles_after: after,
      capacity_after: after,
      unmet: Math.max(0, demand - after),
    };
  });
  const vehicles = allocation.length;
  return {
    job_id: 'opt_city',
    allocation_plan: allocation,
    total_cost: vehicles,
    solver_status: 'optimal',
    locations,
    kpis: { demand_coverage: 0.95, rebalanced_count: vehicles, total_distance_km: vehicles },
  };
}

/** A plan of which a share of the moves and locations is as in another one: what a slider makes of it. */
function changedPlan(plan: DrawnPlan, other: DrawnPlan, share: number): DrawnPlan {
  const next = randomFrom(4);
  const pairOf = ({ vehicle_id }: DrawnPlan['allocation_plan'][number]) => vehicle_id.split('-')[0];
  const pairs = new Set([...plan.allocation_plan, ...other.allocation_plan].map(pairOf));
  const changed = new Set([...pairs].filter(() => next() < share));
  return {
    ...plan,
    allocation_plan: [
      ...plan.allocation_plan.filter((vehicle) => !changed.has(pairOf(vehicle))),
      ...other.allocation_plan.filter((vehicle) => changed.has(pairOf(vehicle))),
    ],
    locations: plan.locations.map((location, i) => (next() < share ? other.locations[i] : location)),
  };
}
type DrawnPlan = ReturnType<typeof drawPlan>;

/** What a service answers that has such a city and three plans, by path: b has no move of a, c most of them. */
function answersOf(locations: number, moves: number): Record<string, unknown> {
  const city = drawLocations(locations);
  const [a, b] = [drawPlan(city, moves, 2), drawPlan(city, moves, 3)];
  const c = changedPlan(a, b, 0.1);
  const plans = Object.entries({ a, b, c }).map(([plan_id, { job_id, kpis, total_cost }]) => ({
    plan_id,
    job_id,
    created_at: '2017-05-04T00:00:00Z',
    kpis,
    total_cost,
    vehicle_count: total_cost,
  }));
  const same = { demand_coverage: 0, total_cost: 0, rebalanced_count: 0, total_distance_km: 0 };
  const compared = {
    data: { kpi_differences: same, vehicles: { different: 1, same: 1 }, locations: [] },
  };
  return {
    '/console/settings.json': { map_url: null },
    '/api/v1/data/locations': { data: { locations: city, next_cursor: null } },
    '/api/v1/plans': { data: { plans, next_cursor: null } },
    '/api/v1/plans/a': { data: a },
    '/api/v1/plans/b': { data: b },
    '/api/v1/plans/c': { data: c },
    '/api/v1/plans/a/compare/b': compared,
    '/api/v1/plans/a/compare/c': compared,
  };
}

function fileOf(name: string): string {
  return path.join(BUILT, path.extname(name) === '' ? 'index.html' : name.slice('/console/'.length));
}

/**
 * Serves the console as it is built, with the answers that its map asks for. The plans are drawn, not solved.
 */
export async function serveCity(locations: number, moves: number) {
  await buildConsole();
  const answers = new Map(
    Object.entries(answersOf(locations, moves)).map(([name, answer]) => [name, JSON.stringify(answer)]),
  );
  const server = createServer(({ url = '' }, response) => {
    const name = url.split('?')[0];
    const answer = answers.get(name);
    try {
      const body = answer ?? readFileSync(fileOf(name));
      const type = answer ? 'application/json' : TYPES[path.extname(fileOf(name))];
      response.setHeader('content-type', type ?? 'text/html').end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
