/**
 * How many vehicles change when plans are made again, and what calm costs, on a week of the New York sample: its real
 * demand as forecast on the eve, its generated fleet at its real size, great-circle costs of 1 per km.
 *
 * Then the same for 0.2 % more demand in 20 hard cities of `churn-city.ts`, and what a change cost takes beside the
 * plain plan at 1,000 locations and 100,000 vehicles, alternated.
 *
 *   npm run bench:stability -- [--costs 0,0.5,1,2,5] [--seeds 20] [--repeats 5] [--only TEXT] [--json FILE]
 */
import { readFileSync } from 'node:fs';
import { DEFAULT_FILE, readDemand } from '../src/commands/backtest.ts';
import { generateFleet } from '../src/commands/import/sample-fleet.ts';
import type { OptimizeRequest, VehicleInput } from '../src/contracts/optimize.ts';
import { forecastMany } from '../src/core/forecast/forecast.ts';
import { optimize } from '../src/core/optimize/optimize.ts';
import type { LocationPoint, PreviousPlan } from '../src/core/optimize/problem/model.ts';
import { createCache } from '../src/core/optimize/run/cache.ts';
import { CHURN_KINDS, churnCity } from './churn-city.ts';
import { digits, percentile, readArguments, reportTable, spread } from './cli.ts';
import { BENCH_SETTINGS, cityRequest } from './requests.ts';

const { costs, seeds, repeats, only, json } = readArguments({
  costs: [0, 0.5, 1, 2, 5],
  seeds: 20,
  repeats: 5,
  only: '',
});

const DAYS = Array.from({ length: 7 }, (_, day) => `2017-04-${24 + day}`);
/** How many days ahead a day is planned, once for each. */
const DAYS_AHEAD = [2, 1, 0];

const series = await readDemand(DEFAULT_FILE, 'America/New_York');
const locations: LocationPoint[] = readFileSync(new URL('../data/nyc/locations.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(','))
  .map(([id, ...rest]) => ({ id: +id, latitude: +rest.at(-2)!, longitude: +rest.at(-1)! }));
const fleet: VehicleInput[] = generateFleet(
  series
    .map(({ locationId, values }) => ({
      locationId,
      mean: values.reduce((sum, value) => sum + (value || 0), 0) / values.length,
    }))
    .sort((a, b) => a.locationId - b.locationId),
);

type Demand = Record<string, number[]>;

/** Demand of the 24 hours of a day as forecast so many days before it. */
function forecastOf(day: string, daysAhead: number): Demand {
  const start = new Date(`${day}T00:00Z`);
  start.setUTCDate(start.getUTCDate() - daysAhead);
  const hours = 24 * (daysAhead + 1);
  const asked = {
    startDate: start.toISOString().slice(0, 10),
    horizonHours: hours,
    stepHours: 1 as const,
    confidenceLevel: 0.95,
  };
  const { results } = forecastMany(series, asked);
  return Object.fromEntries(
    results.map((result) => {
      if (result.status !== 'ok') throw new Error(`zone ${result.locationId} has no forecast of ${day}`);
      return [String(result.locationId), [...result.values].slice(-24)];
    }),
  );
}

const cache = createCache();

async function plan(
  demand: Demand,
  vehicles: VehicleInput[],
  previous: PreviousPlan | null,
  changeCost: number,
) {
  const request: OptimizeRequest = {
    demand_forecast: demand,
    fleet_state: { vehicles },
    constraints: { shortage: 'serve_most' },
    options: { demand_aggregation: 'system_peak' },
  };
  return await planOf(request, locations, previous, changeCost);
}

async function planOf(
  asked: OptimizeRequest,
  places: readonly LocationPoint[],
  previous: PreviousPlan | null,
  changeCost: number,
) {
  const { vehicles } = asked.fleet_state;
  const request: OptimizeRequest = {
    ...asked,
    options: {
      ...asked.options,
      ...(previous && { previous_plan_id: 'previous', change_cost: changeCost }),
    },
  };
  const startedMs = performance.now();
  const outcome = await optimize({ request, locations: places, settings: BENCH_SETTINGS, previous }, cache);
  if (!('result' in outcome)) throw new Error(JSON.stringify(outcome));
  const { allocation_plan, total_cost, stability } = outcome.result;
  const targets = new Map(allocation_plan.map((item) => [item.vehicle_id, item.target_location]));
  const arrived = vehicles.map((vehicle) => ({
    ...vehicle,
    location_id: targets.get(vehicle.vehicle_id!) ?? vehicle.location_id!,
  }));
  return { targets, arrived, total_cost, stability, ms: performance.now() - startedMs };
}

type Sums = { plans: number; changed: number; cost: number; without: number; ms: number };

function addTo(sums: Sums, { total_cost, stability, ms }: Awaited<ReturnType<typeof plan>>): void {
  if (!stability) return;
  sums.plans++;
  sums.changed += stability.changed_vehicles;
  sums.cost += total_cost;
  sums.without += stability.cost_without!;
  sums.ms += ms;
}

/** Ways to make plans again; the first plan of each has no previous one. */
const WAYS: Record<string, (changeCost: number, sums: Sums) => Promise<void>> = {
  '0.2 % more demand': async (changeCost, sums) => {
    const demand = forecastOf(DAYS[0], 0);
    const more = Object.fromEntries(
      Object.entries(demand).map(([id, values]) => [id, values.map((value) => value * 1.002)]),
    );
    const first = await plan(demand, fleet, null, 0);
    addTo(sums, await plan(more, fleet, first.targets, changeCost));
  },
  'each day planned 2, 1 and 0 days ahead': async (changeCost, sums) => {
    for (const day of DAYS) {
      let previous: PreviousPlan | null = null;
      for (const daysAhead of DAYS_AHEAD) {
        const made = await plan(forecastOf(day, daysAhead), fleet, previous, changeCost);
        addTo(sums, made);
        previous = made.targets;
      }
    }
  },
  'each hour, every plan carried out': async (changeCost, sums) => {
    let vehicles = fleet;
    let previous: PreviousPlan | null = null;
    for (const day of DAYS) {
      const demand = forecastOf(day, 0);
      for (let hour = 0; hour < 24; hour++) {
        const ofHour = Object.fromEntries(Object.entries(demand).map(([id, values]) => [id, [values[hour]]]));
        const made = await plan(ofHour, vehicles, previous, changeCost);
        addTo(sums, made);
        previous = made.targets;
        vehicles = made.arrived;
      }
    }
  },
};

const rows: string[][] = [];
for (const [name, makeAgain] of Object.entries(WAYS)) {
  if (!name.includes(only)) continue;
  for (const changeCost of costs) {
    const sums: Sums = { plans: 0, changed: 0, cost: 0, without: 0, ms: 0 };
    await makeAgain(changeCost, sums);
    rows.push([
      name,
      String(changeCost),
      String(sums.plans),
      sums.changed.toLocaleString('en-US'),
      sums.cost.toFixed(1),
      sums.without.toFixed(1),
      digits(sums.ms / sums.plans),
    ]);
    console.log(rows.at(-1)!.join(' | '));
  }
}
type Made = Awaited<ReturnType<typeof planOf>>;

/** A row of plans each made again once: changes, and the time of a plan, as median and range. */
function report(name: string, changeCost: number, made: readonly Made[]): void {
  const sums: Sums = { plans: 0, changed: 0, cost: 0, without: 0, ms: 0 };
  for (const one of made) addTo(sums, one);
  rows.push([
    name,
    String(changeCost),
    String(sums.plans),
    spread(
      made.map(({ stability }) => stability!.changed_vehicles),
      String,
    ),
    sums.cost.toFixed(1),
    sums.without.toFixed(1),
    digits(
      percentile(
        made.map(({ ms }) => ms),
        0.5,
      ),
    ),
  ]);
  console.log(rows.at(-1)!.join(' | '));
}

for (const kind of CHURN_KINDS) {
  const name = `0.2 % more demand, hard cities: ${kind}`;
  if (!name.includes(only)) continue;
  const made = costs.map((): Made[] => []);
  for (let seed = 1; seed <= seeds; seed++) {
    const { request, more } = churnCity(seed, kind);
    const first = await planOf(request, [], null, 0);
    for (const [at, changeCost] of costs.entries())
      made[at].push(await planOf(more, [], first.targets, changeCost));
  }
  for (const [at, changeCost] of costs.entries()) report(name, changeCost, made[at]);
}

for (const isFractional of [false, true]) {
  const name = `1,000 locations, 100,000 vehicles, ${isFractional ? 'fractional demand' : 'whole loads'}`;
  if (!name.includes(only)) continue;
  const city = cityRequest(1, { locations: 1000, vehicles: 100_000, classes: 1, isFractional });
  const { targets } = await planOf(city.request, city.locations, null, 0);
  const more = Object.fromEntries(
    Object.entries(city.request.demand_forecast).map(([id, [value]]) => [
      id,
      [Number(id) % 50 === 0 ? value + 5 : value],
    ]),
  );
  const again = { ...city.request, demand_forecast: more };
  const made: Made[][] = [[], []];
  for (let repeat = 0; repeat < repeats; repeat++)
    for (const [at, changeCost] of [0, 1].entries())
      made[at].push(await planOf(again, city.locations, targets, changeCost));
  for (const [at, changeCost] of [0, 1].entries()) report(name, changeCost, made[at]);
}

const columns = [
  'plans made again',
  'change cost',
  'plans',
  'changed vehicles',
  'cost',
  'cost without',
  'ms per plan',
];
reportTable({ columns, rows }, json);
