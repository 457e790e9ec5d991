import type { TravelPair } from '../../contracts/data.ts';
import type { DecisionResponse } from '../../contracts/decisions.ts';
import type { ForecastData } from '../../contracts/forecast.ts';
import type { PlanLocation } from '../../contracts/optimize.ts';

const SHOWN_MOVES = 10;
const SHOWN_SHORT = 5;

type Plan = DecisionResponse['data']['plan'];
type ErrorItem = { code: string; field: string | null; message: string };

/**
 * Plans tomorrow with the public API, as any client would: a decision with every default.
 * @param url base URL of the service
 * @returns lines to print
 */
export async function makeFirstPlan(url: string): Promise<string[]> {
  const stored = await get<{ locations: unknown[] }>(`${url}/api/v1/data/locations?limit=1`);
  if (stored.locations.length === 0) {
    return [
      'The database is empty, so there is no first plan.',
      'README.md, "Your city in five commands", says how to store locations, vehicles and demand.',
    ];
  }
  const { data, metadata } = await succeed<DecisionResponse>(await post(`${url}/api/v1/decisions`, {}));
  const { inputs } = await get<{ inputs: { forecast: ForecastData } }>(
    `${url}/api/v1/decisions/${data.decision_id}`,
  );
  const { plan } = data;
  const { kpis, locations = [] } = plan;
  const names = new Map(locations.map(({ location_id, name }) => [location_id, name ?? String(location_id)]));
  const demand = locations.reduce((sum, location) => sum + location.demand, 0);
  const hour = busiestHour(inputs.forecast);
  return [
    `First plan: ${data.start_date}, ${locations.length} locations, ` +
      `${whole(plan.allocation_plan.length)} operational vehicles`,
    '',
    ...table([
      [`demand from ${clock(hour)} to ${clock(hour + 1)}, the busiest hour`, whole(demand)],
      ['served if the vehicles below move first', percent(kpis.demand_coverage)],
      ['vehicles that move', whole(kpis.rebalanced_count)],
      ['total cost', `${kpis.total_cost}${distance(kpis.total_distance_km)}`],
      ['solver status', `${plan.solver_status}, after ${Math.round(metadata.solve_time_ms)} ms`],
    ]),
    ...(await largestMoves(url, plan, names)),
    ...shortPlaces(locations),
    '',
    ...table([
      ['API documentation', `${url}/docs`],
      ['this decision', `${url}/api/v1/decisions/${data.decision_id}`],
      ['this plan as CSV', `curl -H 'Accept: text/csv' ${url}/api/v1/plans/${metadata.plan_id}`],
      ['its work list', `curl -H 'Accept: text/csv' '${url}/api/v1/plans/${metadata.plan_id}?part=moves'`],
    ]),
  ];
}

/** The step of the largest demand of all locations, which a decision plans for by default. */
function busiestHour({ forecasts }: ForecastData): number {
  const totals: number[] = [];
  for (const values of Object.values(forecasts)) {
    for (const [step, value] of values.entries()) totals[step] = (totals[step] ?? 0) + value;
  }
  return totals.indexOf(totals.reduce((most, total) => Math.max(most, total), 0));
}

/** The pairs of locations between which most vehicles move, with the minutes of the stored travel table. */
async function largestMoves(
  url: string,
  { allocation_plan }: Plan,
  names: ReadonlyMap<number, string>,
): Promise<string[]> {
  const flows = new Map<string, { from: number; to: number; vehicles: number; cost: number }>();
  for (const { assignment, source_location: from, target_location: to, cost } of allocation_plan) {
    if (assignment !== 'rebalance') continue;
    const flow = flows.get(`${from}>${to}`) ?? { from, to, vehicles: 0, cost: 0 };
    flows.set(`${from}>${to}`, { from, to, vehicles: flow.vehicles + 1, cost: flow.cost + cost });
  }
  if (flows.size === 0) return [];
  const largest = [...flows.values()].sort((a, b) => b.vehicles - a.vehicles || b.cost - a.cost);
  const shown = largest.slice(0, SHOWN_MOVES);
  const minutes = await Promise.all(shown.map(({ from, to }) => minutesBetween(url, from, to)));
  const rows = shown.map(({ from, to, vehicles, cost }, i) => [
    String(vehicles),
    names.get(from)!,
    names.get(to)!,
    minutes[i],
    cost.toFixed(1),
  ]);
  return [
    '',
    ...table([['vehicles', 'from', 'to', 'minutes', 'cost'], ...rows]),
    ...andMore(largest.length - shown.length, 'pair of locations', 'pairs of locations'),
  ];
}

async function minutesBetween(url: string, from: number, to: number): Promise<string> {
  const pairs = await get<{ travel: TravelPair[] }>(`${url}/api/v1/data/travel?from_location_id=${from}`);
  const pair = pairs.travel.find(({ to_location_id }) => to_location_id === to);
  return pair ? pair.duration_minutes.toFixed(0) : '–';
}

/** Locations with unserved demand, the largest part first. */
function shortPlaces(locations: readonly PlanLocation[]): string[] {
  const short = locations.filter(({ unmet }) => unmet > 0).sort((a, b) => b.unmet - a.unmet);
  if (short.length === 0) return [];
  const rows = short
    .slice(0, SHOWN_SHORT)
    .map(({ name, location_id, unmet, demand }) => [
      whole(unmet),
      whole(demand),
      name ?? String(location_id),
    ]);
  return [
    '',
    ...table([['unserved', 'of', 'at'], ...rows]),
    ...andMore(short.length - rows.length, 'location', 'locations'),
  ];
}

function andMore(count: number, one: string, several: string): string[] {
  return count > 0 ? [`  and ${count} more ${count === 1 ? one : several}`] : [];
}

/** Columns as wide as their widest cell. */
function table(rows: string[][]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`.trimEnd(),
  );
}

async function get<D>(url: string): Promise<D> {
  return (await succeed<{ data: D }>(await fetch(url))).data;
}

function post(url: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** The body of a successful answer. @throws Error with the fault that the service reports */
async function succeed<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const { errors } = (await response.json()) as { errors: ErrorItem[] };
  throw new Error(`${response.status} ${errors.map(({ message }) => message).join('; ')}`);
}

function distance(km: number | null): string {
  return km === null ? '' : ` (${km.toFixed(1)} km)`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function clock(hour: number): string {
  return `${String(hour % 24).padStart(2, '0')}:00`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
