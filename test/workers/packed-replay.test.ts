import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { StoredReplay } from '../../src/core/replay/stored-replay.ts';
import { packReplay, REPLAY_FORM, textOf, unpackReplay } from '../../workers/run/packed-replay.ts';

const stored: StoredReplay = {
  request: {
    ...{ from: '2026-02-04', to: '2026-02-05', trips_per_vehicle_hour: 2, unmet_demand_cost: 6 },
    policies: [{ mode: 'none' }],
  },
  series: [
    {
      ...{ locationId: 7, timeZone: 'America/New_York', startHour: 491_000 },
      values: Float64Array.of(0, 2.5, Number.NaN, 0.1 + 0.2, 1e-300),
      older: [{ startHour: 480_000, values: Float64Array.of(3, Number.NaN) }],
    },
    { locationId: 9, timeZone: 'UTC', startHour: 491_003, values: Float64Array.of(4), older: [] },
    { locationId: 11, timeZone: 'UTC', startHour: 491_003, values: new Float64Array() },
  ],
  points: [{ id: 7, latitude: 40.7000000000001, longitude: -73.9 }],
  known: {
    holidays: [{ date: '2026-01-01', name: 'New Year – 元日' }],
    events: [{ kind: 'strike', locationId: null, fromHour: 1, untilHour: 2, factor: null }],
  },
  ...{ firstHour: 491_002, hours: 24, timeZone: 'America/New_York' },
  vehicles: [[7, 3]],
  costPerKm: 0.30000000000000004,
};

test('what a replay keeps is read as it was stored, to the bit, without its request', async () => {
  const { request: _, ...kept } = stored;
  expect(await unpackReplay(await packReplay(stored))).toEqual(kept);
  const few = { ...stored, vehicles: null, known: {} };
  expect(await unpackReplay(await packReplay(few))).toMatchObject({ vehicles: null, known: {} });
});

test('the text of a form stays what it is: another one needs another version', () => {
  const digest = createHash('sha256').update(textOf(stored)).digest('hex');
  expect({ form: REPLAY_FORM, digest }).toEqual({
    form: 2,
    digest: '4dc0a2a3af06fe5d9ebb2f9fb0f182f0863d35627a6ce516ee384a155e59ff8d',
  });
});
