import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import { localDate } from '../../../src/core/forecast/local-time.ts';
import { runs } from '../../helpers/depth.ts';
import { MONDAY, poisson, seededRandom, seriesOf } from './samples.ts';

const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia'];

/** Kinds of series that have broken forecasters: levels, zeros, holes, spikes, units from 1e-12 to 1e15. */
const KINDS: Record<string, (random: () => number, hour: number) => number> = {
  constant: () => 7,
  zero: () => 0,
  sparse: (random) => (random() < 0.03 ? 1 : 0),
  poisson: (random, hour) => poisson(random, 3 + 2 * Math.sin(hour / 4)),
  spiky: (random) => (random() < 0.01 ? 1e9 * random() : 2),
  huge: (random) => 1e15 * random(),
  tiny: (random) => 1e-12 * random(),
  wide: (random) => 10 ** (30 * random() - 15),
  step: (_random, hour) => (hour < 300 ? 0 : 50),
  growing: (_random, hour) => 1.01 ** hour,
  fading: (_random, hour) => Math.max(0, 100 - hour / 5),
  alternating: (_random, hour) => (hour % 2) * 1000,
  nonsense: (random) => [NaN, -5, Infinity, -Infinity, 3][Math.floor(5 * random())],
};

const request = fc.record({
  kinds: fc.array(fc.constantFrom(...Object.keys(KINDS)), { minLength: 1, maxLength: 3 }),
  seed: fc.integer(),
  hours: fc.oneof(
    fc.integer({ min: 0, max: 60 }),
    fc.integer({ min: 0, max: 900 }),
    fc.integer({ min: 0, max: 2500 }),
  ),
  missing: fc.constantFrom(0, 0, 0.1, 0.9),
  zone: fc.constantFrom(...ZONES),
  startOffset: fc.integer({ min: -2000, max: 12_000 }),
  horizonHours: fc.integer({ min: 1, max: 200 }),
  leadHours: fc.oneof(fc.constant(null), fc.integer({ min: -200, max: 1500 })),
  stepHours: fc.constantFrom(1, 2, 3, 6, 12, 24, 168),
  confidenceLevel: fc.constantFrom(null, 0.5, 0.95, 0.999),
  /** Days from the first hour that are holidays. */
  holidays: fc.oneof(
    fc.constant<number[]>([]),
    fc.array(fc.integer({ min: -50, max: 120 }), { maxLength: 20 }),
  ),
  /** Start, in days from the first hour, length in hours and factor of events. */
  events: fc.array(
    fc.tuple(
      fc.integer({ min: -50, max: 120 }),
      fc.integer({ min: 1, max: 400 }),
      fc.constantFrom(null, 0, 0.5, 3),
    ),
    { maxLength: 4 },
  ),
});

test('no series whatever gives NaN, a negative, an infinite value, bounds on the wrong side or an exception', {
  tags: 'slow',
}, () => {
  fc.assert(
    fc.property(request, (asked) => {
      const random = seededRandom(asked.seed);
      const series = asked.kinds.map((kind, locationId) => {
        const demand = (length: number) =>
          Float64Array.from({ length }, (_, hour) =>
            random() < asked.missing ? NaN : KINDS[kind]!(random, hour),
          );
        const startHour = MONDAY + asked.startOffset;
        const values = demand(asked.hours);
        // Every other location has older demand in two stretches before the history.
        const older = [0, 500].map((ago) => ({ startHour: startHour - 700 - ago, values: demand(600) }));
        return seriesOf(values, {
          locationId,
          timeZone: asked.zone,
          startHour,
          ...(locationId % 2 === 1 && { older }),
        });
      });
      const { horizonHours, stepHours, confidenceLevel, leadHours } = asked;
      const origin =
        leadHours === null ? {} : { originHour: MONDAY + asked.startOffset + asked.hours + leadHours };
      const holidays = asked.holidays.map((day) => ({
        date: localDate(MONDAY + asked.startOffset + 24 * day),
        name: `holiday ${day % 3}`,
      }));
      const events = asked.events.map(([day, hours, factor], i) => {
        const fromHour = MONDAY + asked.startOffset + 24 * day;
        return {
          kind: 'strike',
          locationId: i === 0 ? null : 0,
          fromHour,
          untilHour: fromHour + hours,
          factor,
        };
      });
      const options = { horizonHours, stepHours, confidenceLevel, holidays, events, ...origin };
      const set = forecastMany(series, options);
      expect(set.results.length).toBe(series.length);
      for (const result of set.results) {
        if (result.status === 'no_observations') continue;
        expect(result.values.length).toBe(Math.ceil(horizonHours / stepHours));
        expect(result.lower === undefined).toBe(confidenceLevel === null);
        if (result.backtestWape !== null) expect(result.backtestWape).toBeGreaterThanOrEqual(0);
        result.values.forEach((value, i) => {
          const lower = result.lower?.[i] ?? value;
          const upper = result.upper?.[i] ?? value;
          const isSane = 0 <= lower && lower <= value && value <= upper && upper < Infinity;
          if (!isSane) expect.fail(`step ${i}: ${lower} ≤ ${value} ≤ ${upper}, ${result.method}`);
        });
      }
    }),
    runs(2500),
  );
});
