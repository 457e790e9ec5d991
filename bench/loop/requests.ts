/** The largest allowed requests, one of each operation. */
import type pg from 'pg';

export type Request = {
  name: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** text of the body, created when it is sent */
  body?: () => string;
  /** keeps values that later requests need */
  then?: (text: string) => void;
};

const JSON_LIMIT = 48 * 1024 * 1024;
const CSV_LIMIT = 64 * 1024 * 1024;
const DAYS = ['2015-06-01', '2017-04-20'];

const list = (count: number, item: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => item(i)).join(',');

/** Adds items until a body is full. */
function fill(limit: number, most: number, separator: string, item: (i: number) => string): string {
  const parts: string[] = [];
  for (let i = 0, bytes = 0; i < most; i++) {
    const text = item(i);
    bytes += text.length + separator.length;
    if (bytes > limit - 5000) break;
    parts.push(text);
  }
  return parts.join(separator);
}

/** Locations 1 … `count` in a grid of about 500 km, with `weeks` of hourly demand at each. */
export async function storeCity(pool: pg.Pool, count: number, weeks: number): Promise<void> {
  await pool.query(
    `insert into locations (id, name, latitude, longitude)
     select i, 'Place ' || i, 40 + (i % 71) * 0.06, -74 + (i / 71) * 0.06 from generate_series(1, $1::int) i`,
    [count],
  );
  for (let from = 1; from <= count; from += 250) {
    await pool.query(
      `insert into demand_observations select i, timestamptz '2026-01-05T00:00Z' + h * interval '1 hour',
         round((5 + 4 * sin(h * 0.2618) + (i * 31 + h * 17) % 7)::numeric, 2)
       from generate_series($1::int, $2::int) i, generate_series(0, $3::int * 168 - 1) h`,
      [from, Math.min(count, from + 249), weeks],
    );
  }
  await pool.query('update demand_revision set revision = revision + 1');
  await pool.query('analyze');
}

export type Sizes = { locations: number; vehicles: number; backtestLocations: number };

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list with an entry per request
export function largestRequests({ locations, vehicles, backtestLocations }: Sizes): Request[] {
  const known = { plan: '', earlier: '', job: '', decision: '' };
  const keep = (text: string) => {
    known.earlier = known.plan;
    known.plan = /"plan_id":"(plan_[^"]*)"/.exec(text)?.[1] ?? '';
    known.job = /"job_id":"([^"]*)"/.exec(text)?.[1] ?? '';
  };
  const ids = list(locations, (i) => String(i + 1));
  const vehicle = (i: number) => `{"id":"V${i}","location":${1 + (i % locations)}}`;
  const demand = `"demand_forecast":{${list(locations, (i) => `"${i + 1}":[${(vehicles / locations) * 0.9}]`)}}`;
  const optimize = () =>
    `{${demand},"constraints":{"max_rebalancing_cost":null},"fleet_state":{"vehicles":[${fill(JSON_LIMIT - demand.length, vehicles, ',', vehicle)}]}}`;
  const post = (name: string, path: string, body: () => string, then?: Request['then']): Request => ({
    name,
    method: 'POST',
    path,
    body,
    ...(then && { then }),
  });
  const json = { 'content-type': 'application/json' };
  const csv = { 'content-type': 'text/csv' };
  const hours = Math.floor(1_000_000 / locations);
  const row = (i: number) =>
    `{"vehicle_id":"VEHICLE-${i}","location_id":${1 + (i % locations)},"status":"operational","capacity":1,"acquired_on":"${DAYS[0]}","last_maintenance_on":"${DAYS[1]}","utilization_rate":0.7512}`;
  const observation = (i: number, separator: [string, string, string]) =>
    `${separator[0]}${1 + (i % locations)}${separator[1]}${new Date(Date.UTC(2026, 4, 1, Math.floor(i / locations))).toISOString()}${separator[2]}${i % 13}`;
  const size = (MiB: number) => Math.floor(Math.sqrt((MiB * 1024 * 1024) / 8));

  return [
    post('optimize: vehicles', '/api/v1/optimize', optimize, keep),
    post('optimize: vehicles, again', '/api/v1/optimize', optimize, keep),
    post('optimize: network', '/api/v1/optimize', () => {
      const n = size(47);
      const cell = (i: number, j: number) =>
        (1 + ((i * 7919 + j * 104729) % 100_000) / 1000).toFixed(3).padStart(7, '1');
      const costs = Array.from(
        { length: n },
        (_, i) => `[${list(n, (j) => (i === j ? '0' : cell(i, j)))}]`,
      ).join(',');
      return (
        `{"network":{"location_ids":[${list(n, (i) => String(i))}],"costs":[${costs}]},"demand_forecast":{"1":[1]},` +
        `"constraints":{"max_rebalancing_cost":null},"fleet_state":{"vehicles":[{"id":"a","location":1}]}}`
      );
    }),
    {
      name: 'GET plan',
      method: 'GET',
      get path() {
        return `/api/v1/plans/${known.plan}`;
      },
    },
    {
      name: 'GET plan as CSV',
      method: 'GET',
      headers: { accept: 'text/csv' },
      get path() {
        return `/api/v1/plans/${known.plan}`;
      },
    },
    {
      name: 'GET plan compared',
      method: 'GET',
      get path() {
        return `/api/v1/plans/${known.plan}/compare/${known.earlier}?limit=1000`;
      },
    },
    {
      name: 'GET job with its result',
      method: 'GET',
      get path() {
        return `/api/v1/jobs/${known.job}`;
      },
    },
    post(
      'forecast with intervals',
      '/api/v1/forecast',
      () =>
        `{"location_ids":[${ids}],"horizon_hours":${hours},"features":{"step_hours":1,"include_intervals":true}}`,
    ),
    post(
      'forecast with intervals, cached',
      '/api/v1/forecast',
      () =>
        `{"location_ids":[${ids}],"horizon_hours":${hours},"features":{"step_hours":1,"include_intervals":true}}`,
    ),
    post(
      'risk',
      '/api/v1/risk/score',
      () =>
        `{"vehicles":[${fill(JSON_LIMIT, 500_000, ',', (i) => `{"id":"V${i}","age_days":${i % 900},"utilization_rate":0.6,"days_since_maintenance":${i % 50}}`)}]}`,
    ),
    {
      name: 'PUT locations',
      method: 'PUT',
      path: '/api/v1/data/locations',
      headers: json,
      body: () =>
        `{"locations":[${fill(JSON_LIMIT, 200_000, ',', (i) => `{"id":${100_000 + i},"name":"A place with a name ${i}","latitude":40.5,"longitude":-74.25,"time_zone":"America/New_York"}`)}]}`,
    },
    {
      name: 'PUT fleet',
      method: 'PUT',
      path: '/api/v1/data/fleet',
      headers: json,
      body: () => `{"fleet":[${fill(JSON_LIMIT, 200_000, ',', row)}]}`,
    },
    post(
      'POST demand',
      '/api/v1/data/demand',
      () =>
        `{"observations":[${fill(JSON_LIMIT, 200_000, ',', (i) => `${observation(i, ['{"location_id":', ',"hour":"', '","demand":'])}}`)}]}`,
    ),
    {
      name: 'PUT fleet as CSV',
      method: 'PUT',
      path: '/api/v1/data/fleet',
      headers: csv,
      body: () =>
        `vehicle_id,location_id\n${fill(CSV_LIMIT, 500_000, '\n', (i) => `VEHICLE-${i},${1 + (i % locations)}`)}\n`,
    },
    {
      name: 'POST demand as CSV',
      method: 'POST',
      path: '/api/v1/data/demand',
      headers: csv,
      body: () =>
        `location_id,hour,demand\n${fill(CSV_LIMIT, 600_000, '\n', (i) => observation(i, ['', ',', ',']))}\n`,
    },
    { name: 'GET fleet', method: 'GET', path: '/api/v1/data/fleet' },
    { name: 'GET locations', method: 'GET', path: '/api/v1/data/locations' },
    post(
      'decision, stored fleet',
      '/api/v1/decisions',
      () => `{"location_ids":[${ids}],"horizon_hours":${hours},"step_hours":1}`,
      (text) => {
        known.decision = /"decision_id":"([^"]*)"/.exec(text)?.[1] ?? '';
      },
    ),
    {
      name: 'GET decision',
      method: 'GET',
      get path() {
        return `/api/v1/decisions/${known.decision}`;
      },
    },
    post(
      'backtest',
      '/api/v1/forecast/backtest',
      () =>
        `{"location_ids":[${list(backtestLocations, (i) => String(i + 1))}],"horizon_hours":168,"step_hours":1}`,
    ),
    { name: 'GET jobs', method: 'GET', path: '/api/v1/jobs?limit=1000' },
    { name: 'GET plans', method: 'GET', path: '/api/v1/plans?limit=1000' },
    { name: 'GET openapi.json', method: 'GET', path: '/openapi.json' },
  ];
}
