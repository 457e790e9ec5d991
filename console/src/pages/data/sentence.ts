import type { Place } from '../../api/locations.ts';
import { count, kilometres, momentIn } from '../../format.ts';
import { texts } from '../../texts.ts';
import type { DataRow, SetName } from './sets.ts';

const words = texts.data;

/** The stored data in numbers. @param rows at least one; demand has the newest first */
export function sentenceOf(name: SetName, rows: readonly DataRow[], place: Place | undefined): string {
  const all = count(rows.length);
  const differ = (field: string) => count(new Set(rows.map((row) => row[field])).size);
  const numbers = (field: string) => rows.map((row) => Number(row[field]));
  const here = place?.name ?? '';
  if (name === 'locations')
    return words.locations(all, count(rows.filter(({ active }) => active !== false).length));
  if (name === 'fleet') {
    const operational = rows.filter(({ status }) => status === 'operational').length;
    return words.fleet(all, count(operational), differ('location_id'));
  }
  if (name === 'demand')
    return words.demand(here, all, momentIn(place?.time_zone ?? 'UTC', String(rows[0].hour)));
  if (name === 'events') {
    const coming = rows.filter(({ to }) => Date.parse(String(to)) > Date.now()).length;
    return words.events(all, count(coming));
  }
  if (name === 'travel') {
    const farthest = numbers('distance_km').reduce((most, km) => Math.max(most, km), 0);
    return words.travel(here, all, kilometres(farthest));
  }
  const trips = numbers('trips').reduce((sum, value) => sum + value, 0);
  return words.flows(here, count(trips), differ('to_location_id'));
}
