import { type Envelope, fleet, get, pagesOf, send } from './client.ts';
import type { RiskVehicle, VehicleRisk } from './types.ts';

/** How many rows were stored, and how many of them are new. */
type Stored = { created: number; updated: number };

/** Vehicles of one request for scores; the service takes more, but a page should not wait for one answer. */
const SCORED_AT_ONCE = 50_000;

/**
 * All rows of a stored list, in the order of the service.
 * @param path with its filter, as `/api/v1/data/travel?from_location_id=4`
 * @param name of the list in `data`
 */
export async function readRows<T>(path: string, name: string, signal?: AbortSignal): Promise<T[]> {
  return (await get<Record<string, T[]>>(path, signal))[name];
}

/** Rows that a page reads at most. An hour of demand is a row: these are 11 years of a location. */
const MOST_ROWS = 100_000;

/** The first rows of a stored list, and where it goes on. @param path as for `readRows` */
export async function readFirstRows<T>(
  path: string,
  name: string,
  signal?: AbortSignal,
): Promise<{ rows: T[]; next: string | undefined }> {
  const rows: T[] = [];
  let next: string | undefined;
  for await (const page of pagesOf<T>(path, name, signal)) {
    rows.push(...page.rows);
    next = page.next;
    if (rows.length >= MOST_ROWS) break;
  }
  return { rows, next };
}

/**
 * The rows of a stored list that fit, looked for from `from` to its end or until there are `most`.
 * @param onProgress hears how many rows have been read
 */
export async function findRows<T>(
  { path, name, from }: { path: string; name: string; from: string },
  fits: (row: T) => boolean,
  most: number,
  onProgress: (read: number) => void,
  signal: AbortSignal,
): Promise<T[]> {
  const found: T[] = [];
  let read = 0;
  for await (const { rows } of pagesOf<T>(path, name, signal, from)) {
    read += rows.length;
    found.push(...rows.filter(fits));
    onProgress(read);
    if (found.length >= most) break;
  }
  return found;
}

/** Changes fields of one location or vehicle. @throws FleetError if the service refuses a value */
export async function patchRow(path: string, body: object): Promise<void> {
  await send('PATCH', path, { body });
}

/** Stores one whole row of a list in place of the one with its key. @throws FleetError if the service refuses it */
export async function storeRow(method: string, path: string, list: string, row: object): Promise<void> {
  await send(method, path, { body: { [list]: [row] } });
}

/** @throws FleetError if there is no such row any more, or if a location still has data */
export async function deleteRow(path: string): Promise<void> {
  await send('DELETE', path);
}

/**
 * Stores a CSV, packed if its name ends in `.gz`: all of it, or nothing.
 * @throws FleetError with the faults by line, FleetConnectionError, the signal's reason
 */
export async function storeCsv(
  method: string,
  path: string,
  file: File,
  signal: AbortSignal,
): Promise<Stored> {
  const packed: Record<string, string> = file.name.endsWith('.gz') ? { 'content-encoding': 'gzip' } : {};
  const headers = { accept: 'application/json', 'content-type': 'text/csv', ...packed };
  const response = await fleet.send(path, { method, headers, body: file, signal });
  return ((await response.json()) as Envelope<Stored>).data;
}

/** The risk of each vehicle, in the order given. @throws FleetError also if scoring is switched off */
export async function scoreRisk(
  vehicles: readonly RiskVehicle[],
  signal?: AbortSignal,
): Promise<VehicleRisk[]> {
  const scores: VehicleRisk[] = [];
  for (let i = 0; i < vehicles.length; i += SCORED_AT_ONCE) {
    const body = { vehicles: vehicles.slice(i, i + SCORED_AT_ONCE) };
    const answer = await send<{ risk_scores: VehicleRisk[] }>('POST', '/api/v1/risk/score', { body, signal });
    for (const score of answer.data.risk_scores) scores.push(score);
  }
  return scores;
}
