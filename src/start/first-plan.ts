import type { FleetVehicle } from '../contracts/data.ts';
import type { ForecastData } from '../contracts/forecast.ts';
import type { OptimizeResponse } from '../contracts/optimize.ts';

/** Share of the operational fleet that the plan is to keep busy: the middle of the target range 0.70 to 0.85. */
const TARGET_UTILIZATION = 0.8;
const SHOWN_MOVES = 10;

type Success<D> = { status: 'success'; data: D };

/**
 * Plans tomorrow with the public API, as any client would: forecast per location and hour, fleet, optimize.
 * The city's demand is scaled to the fleet: a fleet of some hundred vehicles serves a share of it.
 * @param url base URL of the service
 * @returns lines to print
 */
export async function makeFirstPlan(url: string): Promise<string[]> {
  const { locations } = await call<{ locations: { id: number; name: string }[] }>(
    `${url}/api/v1/data/locations`,
  );
  const { fleet } = await call<{ fleet: FleetVehicle[] }>(`${url}/api/v1/data/fleet`);
  const forecast = await call<ForecastData>(`${url}/api/v1/forecast`, {
    location_ids: locations.map((location) => location.id).slice(0, 5000),
    horizon_hours: 24,
    features: { step_hours: 1 },
  });
  const operational = fleet.filter((vehicle) => vehicle.status === 'operational');
  const peaks = Object.values(forecast.forecasts).reduce((sum, hours) => sum + Math.max(...hours), 0);
  const share = (TARGET_UTILIZATION * operational.length) / peaks;
  const demand = Object.fromEntries(
    Object.entries(forecast.forecasts).map(([id, hours]) => [
      id,
      hours.map((value) => round(value * share, 4)),
    ]),
  );
  const answer = await post<OptimizeResponse>(`${url}/api/v1/optimize`, {
    demand_forecast: demand,
    fleet_state: { vehicles: fleet },
  });

  const names = new Map(locations.map((location) => [location.id, location.name]));
  const { data, metadata } = answer;
  return [
    `First plan: ${forecast.metadata.start_date}, ${locations.length} locations, ${operational.length} operational vehicles of ${fleet.length}`,
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
    ]),
  ];
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

async function call<D>(url: string, body?: unknown): Promise<D> {
  return (body === undefined ? await read<Success<D>>(await fetch(url)) : await post<Success<D>>(url, body))
    .data;
}

async function post<T>(url: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return read(await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function read<T>(response: Response): Promise<T> {
  const body = (await response.json()) as { errors?: { message: string }[] };
  if (!response.ok) throw new Error(`${response.status} ${body.errors?.map((e) => e.message).join('; ')}`);
  return body as T;
}

function round(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
