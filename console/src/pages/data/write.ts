import type { Place } from '../../api/locations.ts';
import { zoneOf } from '../../city-time.ts';
import { momentIn } from '../../format.ts';
import { texts } from '../../texts.ts';
import { type DataRow, NUMBERS, TIMES } from './sets.ts';

const words = texts.data;
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
/** Writes the values of rows as a reader sees them: locations by name, times on their clock. */
export function writerOf(places: readonly Place[]) {
  const known = new Map(places.map((place) => [place.id, place]));
  const cityZone = zoneOf(places);
  const nameOf = (id: unknown) => known.get(Number(id))?.name ?? String(id);
  const write = (row: DataRow, field: string, own?: Place): string => {
    const value = row[field];
    if (field === 'active') return value === false ? words.no : words.yes;
    if (field === 'location_id' && value === null) return words.everywhere;
    if (value === undefined || value === null) return '–';
    if (field.endsWith('location_id')) return nameOf(value);
    if (TIMES.has(field)) {
      const place = own ?? known.get(Number(row.location_id));
      return momentIn(place?.time_zone ?? cityZone ?? 'UTC', String(value));
    }
    return NUMBERS.has(field) ? number.format(Number(value)) : String(value);
  };
  return { write, nameOf };
}
