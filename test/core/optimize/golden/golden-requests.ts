/** The requests whose answers `answers.json` keeps, by kind. `write-answers.ts` beside this file writes it. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import { optimize } from '../../../../src/core/optimize/optimize.ts';
import type { OptimizeInput } from '../../../../src/core/optimize/problem/model.ts';
import { checkRequest } from '../../../../src/core/optimize/request/check.ts';
import type { Cache } from '../../../../src/core/optimize/run/cache.ts';
import { tinyAhead } from '../horizon/tiny-requests.ts';
import { SETTINGS } from '../instances.ts';
import { mediumRequest } from '../medium-instances.ts';
import { mixedInstance } from '../mixed/every-rule.ts';

/** Objective and bound are in money, null without a plan. */
export type Golden = { verdict: string; objective: number | null; bound: number | null; conflicts: string[] };

const GAP = 0.01;
const SETTINGS_OF_DAY = { ...SETTINGS, maxRebalancingCost: null, optimalityGap: GAP };

const SAMPLE = new URL('../../../../data/nyc/', import.meta.url);
const linesOf = (name: string) => {
  const file = readFileSync(new URL(name, SAMPLE));
  return (name.endsWith('.gz') ? gunzipSync(file) : file).toString().trim().split('\n').slice(1);
};

/** An hour of a day of the sample: vehicles stand where the demand of the hour before was. */
function sampleHour(seed: number): OptimizeInput {
  const hour = seed % 8;
  const locations = linesOf('locations.csv').map((line) => {
    const [id, , latitude, longitude] = line.split(',').map(Number);
    return { id, latitude, longitude };
  });
  const stampOf = (h: number) => `2017-04-27T${String(12 + h).padStart(2, '0')}:`;
  const pickups = new Map<string, number>();
  for (const line of linesOf('demand_hourly.csv.gz')) {
    const [id, time, count] = line.split(',');
    pickups.set(`${id} ${time.slice(0, 14)}`, Number(count));
  }
  const at = (id: number, h: number) => pickups.get(`${id} ${stampOf(h)}`) ?? 0;
  const classes = seed < 8 ? 1 : 3;
  const vehicles = locations.flatMap(({ id }) =>
    Array.from({ length: Math.ceil(at(id, hour) / 2) }, (_, v) => ({
      id: `${id}-${v}`,
      location: id,
      capacity: 1 + (v % classes),
    })),
  );
  const request: OptimizeRequest = {
    demand_forecast: Object.fromEntries(locations.map(({ id }) => [id, [0.9 * at(id, hour + 1)]])),
    fleet_state: { vehicles },
    constraints: { min_service_level: 0.9 },
    options: { trips_per_vehicle_hour: 2 },
  };
  return { request, locations, settings: SETTINGS_OF_DAY };
}

/** 0 … count − 1 by kind; null: the service refuses such a request before it is solved. */
export const KINDS: Record<
  string,
  { count: number; gap: number; input(seed: number): OptimizeInput | null }
> = {
  'every rule': {
    count: 600,
    gap: 0,
    input: (seed) => {
      const mixed = mixedInstance(10_000 + seed);
      const stored = new Set(mixed.locations.map(({ id }) => id));
      return checkRequest(mixed.request, stored, SETTINGS).length > 0
        ? null
        : { ...mixed, settings: SETTINGS };
    },
  },
  'middle size': {
    count: 250,
    gap: GAP,
    input: (seed) => ({
      ...mediumRequest(20_000 + seed),
      settings: { ...SETTINGS, optimalityGap: GAP, timeLimitSeconds: 60 },
    }),
  },
  horizon: { count: 100, gap: 0, input: (seed) => tinyAhead(30_000 + seed).input },
  "the sample's day": { count: 14, gap: GAP, input: (seed) => sampleHour(seed < 7 ? seed : seed + 1) },
};

/** Reasons get all the time of the request, so that they are the same on a slow machine. */
export async function answerTo(input: OptimizeInput, cache: Cache): Promise<Golden> {
  const outcome = await optimize(input, cache);
  if ('certificate' in outcome) {
    const { objective, bound } = outcome.certificate;
    return { verdict: outcome.status, objective, bound, conflicts: [] };
  }
  const { request } = input;
  const options = { ...request.options, explain: true };
  const explained =
    outcome.status === 'infeasible'
      ? await optimize({ ...input, request: { ...request, options } }, cache)
      : outcome;
  const conflicts = explained.status === 'infeasible' ? explained.conflicts : [];
  const names = conflicts.map(({ constraint }) => constraint).sort();
  return { verdict: explained.status, objective: null, bound: null, conflicts: names };
}
