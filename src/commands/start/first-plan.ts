import type { FleetVehicle, Location } from '../../contracts/data.ts';
import type { ForecastData } from '../../contracts/forecast.ts';
import type { OptimizeResponse } from '../../contracts/optimize.ts';

/** Share of the operational fleet that the plan aims to keep busy: the middle of the target range 0.70 to 0.85. */
const TARGET_UTILIZATION = 0.8;
const SHOWN_MOVES = 10;

type Success<D> = { status: 'success'; data: D };
type ErrorItem = { code: string; field: string | null; message: string };

/**
 * Plans tomorrow with the public API, as any client would: forecast per location and hour, fleet, optimize. The city's
 * demand is scaled down to the fleet, since a few hundred vehicles can serve only a share of it.
 * @param url base URL of the service
 * @returns lines to print
 */
export async function makeFirstPlan(url: string): Promise<string[]> {
  const { locations } = await get<{ locations: Location[] }>(`${url}/api/v1/data/locations`);
  const { fleet } = await get<{ fleet: FleetVehicle[] }>(`${url}/api/v1/data/fleet`);
  const forecast = await forecastObserved(url, locations);
  const operational = fleet.filter((vehicle) => vehicle.status === 'operational');
  const peaks = Object.values(forecast.forecasts).reduce((sum, hours) => sum + Math.max(...hours), 0);
  // Without demand every share is the same.
  const share = peaks > 0 ? (TARGET_UTILIZATION * operational.length) / peaks : 1;
  const demand = Object.fromEntries(
    Object.entries(forecast.forecasts).map(([id, hours]) => [
      id,
      hours.map((value) => round(value * share, 4)),
    ]),
  );
  const answer = await succeed<OptimizeResponse>(
    await post(`${url}/api/v1/optimize`, { demand_forecast: demand, fleet_state: { vehicles: fleet } }),
  );

  const names = new Map(locations.map((location) => [location.id, location.name]));
  const { data, metadata } = answer;
  return [
    `First plan: ${forecast.metadata.start_date}, ${locations.length} locations, ${operational.length} ` +
      `operational vehicles of ${fleet.length}`,
    `(peak hour of each location; this fleet's share of the demand: ${round(share * 100, 2)} %)`,
    '',
    ...table([
      ['solver status', data.solver_status],
      ['solve time', `${Math.round(metadata.solve_time_ms)} ms`],
      ['demand coverage', percent(data.kpis.demand_coverage)],
      ['utilization', percent(data.kpis.utilization)],
      ['vehicles moved', String(data.kpis.rebalanced_count)],
      ['total cost', `${data.total_cost} (${data.kpis.total_distance_km?.toFixed(1)} km)`],
    ]),
    '',
    ...moves(data.allocation_plan, names),
    '',
    ...table([
      ['API documentation', `${url}/docs`],
      ['this job', `${url}/api/v1/jobs/${metadata.job_id}`],
      ['this plan as CSV', `curl -H 'Accept: text/csv' ${url}/api/v1/plans/${metadata.plan_id}`],
      ['its work list', `curl -H 'Accept: text/csv' '${url}/api/v1/plans/${metadata.plan_id}?part=moves'`],
    ]),
  ];
}

/**
 * Tomorrow's forecast by the hour, for the active locations with observations. The service reports locations without
 * observations a hundred at a time. It is an error if no location has any.
 */
async function forecastObserved(url: string, locations: readonly Location[]): Promise<ForecastData> {
  let ids = locations.filter(({ active = true }) => active).map(({ id }) => id);
  for (;;) {
    const request = { location_ids: ids.slice(0, 5000), horizon_hours: 24, features: { step_hours: 1 } };
    const response = await post(`${url}/api/v1/forecast`, request);
    if (response.ok) return (await succeed<Success<ForecastData>>(response)).data;
    const errors = await errorsOf(response);
    const silent = new Set(errors.map(({ code, field }) => (code === 'MODEL_NOT_LOADED' ? field : null)));
    const observed = ids.filter((_, i) => !silent.has(`location_ids[${i}]`));
    if (observed.length === ids.length || observed.length === 0) throw refusal(response, errors);
    ids = observed;
  }
}

function moves(plan: OptimizeResponse['data']['allocation_plan'], names: Map<number, string>): string[] {
  const flows = new Map<string, { from: string; to: string; vehicles: number; cost: number }>();
  for (const item of plan) {
    if (item.assignment !== 'rebalance') continue;
    const key = `${item.source_location}>${item.target_location}`;
    const from = names.get(item.source_location) ?? '';
    const flow = flows.get(key) ?? { from, to: names.get(item.target_location) ?? '', vehicles: 0, cost: 0 };
    flows.set(key, { ...flow, vehicles: flow.vehicles + 1, cost: flow.cost + item.cost });
  }
  const largest = [...flows.values()].sort((a, b) => b.vehicles - a.vehicles || b.cost - a.cost);
  const rows = largest
    .slice(0, SHOWN_MOVES)
    .map((flow) => [String(flow.vehicles), flow.from, flow.to, flow.cost.toFixed(1)]);
  const more = largest.length - rows.length;
  return [
    ...table([['vehicles', 'from', 'to', 'cost'], ...rows]),
    ...(more > 0 ? [`and ${more} more ${more === 1 ? 'pair' : 'pairs'} of locations`] : []),
  ];
}

/** Columns as wide as their widest cell. */
function table(rows: string[][]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`.trimEnd(),
  );
}

async function get<D>(url: string): Promise<D> {
  return (await succeed<Success<D>>(await fetch(url))).data;
}

function post(url: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** The body of a successful answer. @throws Error with the fault that the service reports */
async function succeed<T>(response: Response): Promise<T> {
  if (!response.ok) throw refusal(response, await errorsOf(response));
  return (await response.json()) as T;
}

async function errorsOf(response: Response): Promise<ErrorItem[]> {
  return ((await response.json()) as { errors: ErrorItem[] }).errors;
}

function refusal({ status }: Response, errors: readonly ErrorItem[]): Error {
  return new Error(`${status} ${errors.map(({ message }) => message).join('; ')}`);
}

function round(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
