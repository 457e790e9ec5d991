import { signal } from '@preact/signals';
import { cityZone, zoneOf } from '../city-time.ts';
import { getAll } from './client.ts';

export type Place = { id: number; name: string; latitude: number; longitude: number; time_zone?: string };

const MAX_LOCATIONS = 20_000;

/** The stored locations; empty until they are loaded. */
export const locations = signal<Place[]>([]);

let loading: Promise<Place[]> | undefined;

/** Loads the locations once; after a failure, again. */
export function loadLocations(): Promise<Place[]> {
  loading ??= getAll<Place>('/api/v1/data/locations', 'locations', MAX_LOCATIONS).then(
    (rows) => {
      locations.value = rows;
      cityZone.value = zoneOf(rows);
      return rows;
    },
    (error) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** Loads the locations anew, after they were changed. */
export function reloadLocations(): Promise<Place[]> {
  loading = undefined;
  return loadLocations();
}
