/**
 * How many vehicles change when plans are made again, and what calm costs, on a week of the New York sample: its real
 * demand as forecast on the eve, its generated fleet at its real size, great-circle costs of 1 per km.
 *
 *   npm run bench:stability -- [--costs 0,0.5,1,2,5] [--only TEXT] [--json FILE]
 */
import { readFileSync } from 'node:fs';
import { DEFAULT_FILE, readDemand } from '../src/commands/backtest.ts';
import { generateFleet } from '../src/commands/import/sample-fleet.ts';
import type { OptimizeRequest, VehicleInput } from '../src/contracts/optimize.ts';
import { forecastMany } from '../src/core/forecast/forecast.ts';
import { optimize } from '../src/core/optimize/optimize.ts';
import type { LocationPoint, PreviousPlan } from '../src/core/optimize/problem/model.ts';
import { createCache } from '../src/core/optimize/run/cache.ts';
import { digits, readArguments, reportTable } from './cli.ts';
import { BENCH_SETTINGS } from './requests.ts';

const { costs, only, json } = readArguments({ costs: [0, 0.5, 1, 2, 5], only: '' });

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
    options: {
      demand_aggregation: 'system_peak',
      ...(previous && { previous_plan_id: 'previous', change_cost: changeCost }),
    },
  };
  const startedMs = performance.now();
  const outcome = await optimize({ request, locations, settings: BENCH_SETTINGS, previous }, cache);
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
