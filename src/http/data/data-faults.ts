import { AppError, type Fault } from '../../answers/errors.ts';
import type {
  DemandObservation,
  FleetVehicleInput,
  KnownEvent,
  LocationInput,
  TravelPair,
  TripFlow,
} from '../../contracts/data.ts';
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import { parseHour, tooLate } from '../../db/data/hour.ts';
import type { HourlyEvent, Observation } from '../../db/data/packed-rows.ts';

/**
 * Faults of bulk data that a schema cannot express, because they concern several rows, or a row and the stored data.
 * Each function returns at most 100. `known`: the stored ones among the locations that the rows name; null: assume that
 * all are stored.
 */
export function findLocationFaults(rows: readonly LocationInput[]): Fault[] {
  const faults: Fault[] = [];
  const firstRows = new Map<number, number>();
  for (const [i, { id }] of rows.entries()) {
    addRepeated(
      faults,
      firstRows,
      id,
      i,
      (row) => `locations[${row}].id`,
      () => `location ${id}`,
    );
    if (faults.length >= MAX_REPORTED_ERRORS) break;
  }
  return faults;
}

/** Checks a patch of one vehicle. @throws AppError VALIDATION_ERROR */
export function checkLocation(id: number, known: ReadonlySet<number>): void {
  const faults: Fault[] = [];
  addUnknown(faults, 'location_id', id, known);
  if (faults.length > 0) throw new AppError('VALIDATION_ERROR', faults);
}

export function findFleetFaults(
  rows: readonly FleetVehicleInput[],
  known: ReadonlySet<number> | null,
): Fault[] {
  const faults: Fault[] = [];
  const firstRows = new Map<string, number>();
  for (const [i, { vehicle_id, location_id }] of rows.entries()) {
    addRepeated(
      faults,
      firstRows,
      vehicle_id,
      i,
      (row) => `fleet[${row}].vehicle_id`,
      () => `vehicle ${show(vehicle_id)}`,
    );
    addUnknown(faults, `fleet[${i}].location_id`, location_id, known);
    if (faults.length >= MAX_REPORTED_ERRORS) break;
  }
  return faults.slice(0, MAX_REPORTED_ERRORS);
}

/** @returns the faults, and the observations with their hours as numbers */
export function findDemandFaults(
  rows: readonly DemandObservation[],
  known: ReadonlySet<number> | null,
  now = Date.now(),
): { faults: Fault[]; found: Observation[] } {
  const faults: Fault[] = [];
  const found: Observation[] = [];
  const firstRows = new Map<number, Map<number, number>>();
  for (const [i, { location_id, hour: text, demand }] of rows.entries()) {
    addUnknown(faults, `observations[${i}].location_id`, location_id, known);
    const hour = parseHour(text);
    const wrong = typeof hour === 'string' ? hour : tooLate(hour, now);
    if (typeof hour === 'string' || wrong !== undefined) {
      faults.push({ field: `observations[${i}].hour`, message: `${show(text)} ${wrong}` });
    } else {
      const hours = firstRows.get(location_id) ?? new Map<number, number>();
      firstRows.set(location_id, hours);
      addRepeated(
        faults,
        hours,
        hour,
        i,
        (row) => `observations[${row}].hour`,
        () => `location ${location_id} at ${show(text)}`,
      );
      found.push({ locationId: location_id, hour, demand });
    }
    if (faults.length >= MAX_REPORTED_ERRORS) break;
  }
  return { faults: faults.slice(0, MAX_REPORTED_ERRORS), found };
}

/** @returns the faults, and the events with their hours as numbers */
export function findEventFaults(
  rows: readonly KnownEvent[],
  known: ReadonlySet<number> | null,
): { faults: Fault[]; found: HourlyEvent[] } {
  const faults: Fault[] = [];
  const found: HourlyEvent[] = [];
  const firstRows = new Map<string, number>();
  for (const [i, row] of rows.entries()) {
    addRepeated(
      faults,
      firstRows,
      row.event_id,
      i,
      (at) => `events[${at}].event_id`,
      () => `event ${show(row.event_id)}`,
    );
    if (row.location_id !== null) addUnknown(faults, `events[${i}].location_id`, row.location_id, known);
    const [fromHour, untilHour] = (['from', 'to'] as const).map((field) => {
      const hour = parseHour(row[field]);
      if (typeof hour === 'number') return hour;
      faults.push({ field: `events[${i}].${field}`, message: `${show(row[field])} ${hour}` });
      return NaN;
    });
    if (untilHour <= fromHour) {
      const message = `${show(row.to)} is not later than from (${show(row.from)}); give a later time`;
      faults.push({ field: `events[${i}].to`, message });
    }
    found.push({ ...row, fromHour, untilHour });
    if (faults.length >= MAX_REPORTED_ERRORS) break;
  }
  return { faults: faults.slice(0, MAX_REPORTED_ERRORS), found };
}

export function findTravelFaults(rows: readonly TravelPair[], known: ReadonlySet<number> | null): Fault[] {
  return findPairFaults('travel', rows, known, pairOf, (row) => `travel ${pairOf(row)}`);
}

export function findTripFlowFaults(rows: readonly TripFlow[], known: ReadonlySet<number> | null): Fault[] {
  const key = (row: TripFlow) =>
    pairOf(row) + (row.hour_of_week === undefined ? '' : ` in hour ${row.hour_of_week} of the week`);
  return findPairFaults('trip_flows', rows, known, key, (row) => `trips ${key(row)}`);
}

type Pair = Pick<TravelPair, 'from_location_id' | 'to_location_id'>;

const pairOf = ({ from_location_id, to_location_id }: Pair) =>
  `from ${from_location_id} to ${to_location_id}`;

function findPairFaults<R extends Pair>(
  list: string,
  rows: readonly R[],
  known: ReadonlySet<number> | null,
  keyOf: (row: R) => string,
  name: (row: R) => string,
): Fault[] {
  const faults: Fault[] = [];
  const firstRows = new Map<string, number>();
  for (const [i, pair] of rows.entries()) {
    addRepeated(
      faults,
      firstRows,
      keyOf(pair),
      i,
      (row) => `${list}[${row}]`,
      () => name(pair),
    );
    addUnknown(faults, `${list}[${i}].from_location_id`, pair.from_location_id, known);
    addUnknown(faults, `${list}[${i}].to_location_id`, pair.to_location_id, known);
    if (faults.length >= MAX_REPORTED_ERRORS) break;
  }
  return faults.slice(0, MAX_REPORTED_ERRORS);
}

function addRepeated<K>(
  faults: Fault[],
  firstRows: Map<K, number>,
  key: K,
  row: number,
  field: (row: number) => string,
  name: () => string,
): void {
  const first = firstRows.get(key);
  if (first === undefined) firstRows.set(key, row);
  else {
    const message = `${name()} is a duplicate of ${field(first)}; send each once`;
    faults.push({ field: field(row), message });
  }
}

function addUnknown(faults: Fault[], field: string, id: number, known: ReadonlySet<number> | null): void {
  if (!known || known.has(id)) return;
  const message = `location ${id} is not stored; PUT /api/v1/data/locations stores it`;
  faults.push({ field, message });
}

function show(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
