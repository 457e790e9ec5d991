import { describe, expect, test } from 'vitest';
import { chooseRung } from '../../../src/core/forecast/components.ts';
import { forecastMany } from '../../../src/core/forecast/forecast.ts';
import { profileForecast, seasonalProfile } from '../../../src/core/forecast/profiles.ts';
import { planOrigins } from '../../../src/core/forecast/rolling-origins.ts';
import { fitSar, type SarInput } from '../../../src/core/forecast/sar.ts';
import { hoursOf, MONDAY, normal, seededRandom, seriesOf, sum, weeklyShape } from './samples.ts';

const sarInput = (z: Float64Array, overrides: Partial<SarInput> = {}): SarInput => ({
  z,
  observed: new Uint8Array(z.length).fill(1),
  lowestZ: -10,
  highestZ: 10,
  ...overrides,
});

describe('seasonal profile', () => {
  test('weighs earlier periods with the decay and knows nothing of the present one', () => {
    const z = Float64Array.of(1, 2, 10, 20, 100, 200);
    const profile = seasonalProfile(z, 2, 0.5);
    expect([...profile]).toEqual([1, 2, 1, 2, 5.5, 11, 52.75, 105.5]);
    expect([...profileForecast(profile, 2, 6, 5)]).toEqual([52.75, 105.5, 52.75, 105.5, 52.75]);
    expect([...profileForecast(profile, 2, 4, 1)]).toEqual([5.5]);
  });
});

describe('SAR', () => {
  test('continues a strictly weekly series', () => {
    const z = hoursOf(8, (hour) => weeklyShape(hour, 1) - 1);
    const forecast = fitSar(sarInput(z), [z.length])[0]!(336);
    forecast.forEach((value, h) => {
      expect(value).toBeCloseTo(weeklyShape(h, 1) - 1, 1);
    });
  });

  test('follows persistence that the weekly profile cannot see', () => {
    const random = seededRandom(8);
    const z = new Float64Array(10 * 168);
    for (let t = 1; t < z.length; t++) z[t] = 0.95 * z[t - 1] + 0.3 * normal(random);
    z.fill(2.5, z.length - 6);
    expect(fitSar(sarInput(z), [z.length])[0]!(1)[0]).toBeGreaterThan(1.5);
  });

  test('a forecast from an earlier origin is the one the shorter history gives', () => {
    const random = seededRandom(9);
    const z = hoursOf(8, (hour) => weeklyShape(hour, 1) - 1 + 0.2 * normal(random));
    const origin = 6 * 168 + 24;
    const [rolling] = fitSar(sarInput(z), [origin, z.length]);
    const [alone] = fitSar(sarInput(z.slice(0, origin)), [origin]);
    const expected = alone!(100);
    rolling!(100).forEach((value, h) => {
      expect(value).toBeCloseTo(expected[h], 7);
    });
  });

  test('with one week of history it is the prior: the week before, whatever yesterday was', () => {
    const z = hoursOf(1, (hour) => Math.floor(hour / 24) - 3);
    const forecast = fitSar(sarInput(z), [168])[0]!(1);
    expect(forecast[0]).toBeCloseTo(-3, 9);
  });

  test('Friday does not lift Saturday: a weekend is forecast as one from few weeks with a noisy level', () => {
    const random = seededRandom(14);
    const shape = (hour: number): number => (hour % 168 < 120 ? 1 : -1);
    let error = 0;
    for (let round = 0; round < 20; round++) {
      const z = hoursOf(5, (hour) => shape(hour) + 0.3 * normal(random)).slice(0, 4 * 168 + 120);
      fitSar(sarInput(z), [z.length])[0]!(48).forEach((value) => {
        error += (value + 1) / (20 * 48);
      });
    }
    expect(Math.abs(error)).toBeLessThan(0.1);
  });

  test('a surprise in the last hour fades as in the process that made the series, never beyond it', () => {
    // z[t] = 0.8 z[t − 1] + noise: 0.8^h of the newest hour's deviation remains; the ridge takes some of that back.
    const random = seededRandom(15);
    const z = new Float64Array(60 * 168);
    for (let t = 1; t < z.length; t++) z[t] = 0.8 * z[t - 1] + 0.6 * normal(random);
    const endingIn = (last: number) => fitSar(sarInput(z.with(z.length - 1, last)), [z.length])[0]!(6);
    const [high, low] = [endingIn(1), endingIn(-1)];
    for (let h = 0; h < 6; h++) {
      const share = (high[h] - low[h]) / 2;
      expect(share).toBeGreaterThan(0.55 ** (h + 1));
      expect(share).toBeLessThan(0.85 ** (h + 1));
    }
  });

  test('learns nothing from hours that were filled in', () => {
    const random = seededRandom(10);
    const z = hoursOf(8, () => normal(random));
    const filled = sarInput(z, { observed: new Uint8Array(z.length) });
    const n = z.length;
    const profile = seasonalProfile(z, 168, 0.7);
    const prior = 0.75 * profile[n] + 0.25 * z[n - 168] + 0.25 * (z[n - 24] - profile[n - 24]);
    expect(fitSar(filled, [n])[0]!(1)[0]).toBeCloseTo(prior, 9);
    expect(Math.abs(fitSar(sarInput(z), [n])[0]!(1)[0] - prior)).toBeGreaterThan(0.05);
  });

  test('stays inside the range it is given', () => {
    const z = hoursOf(6, (hour) => 1.02 ** hour / 1e8);
    const forecast = fitSar(sarInput(z, { lowestZ: -1, highestZ: 4 }), [z.length])[0]!(2000);
    expect(Math.max(...forecast)).toBeLessThanOrEqual(4);
    expect(Math.min(...forecast)).toBeGreaterThanOrEqual(-1);
  });
});

describe('short-history ladder', () => {
  test.each([
    [1, 'mean'],
    [23, 'mean'],
    [24, 'daily_profile'],
    [167, 'daily_profile'],
    [168, 'sar_weekly_mean'],
    [671, 'sar_weekly_mean'],
    [672, 'combination'],
    [2184, 'combination'],
  ])('%i observed hours carry %s', (hours, method) => {
    expect(chooseRung(hours).method).toBe(method);
  });
});

test('a pattern of two days is followed below four weeks, where the weekly profile has it upside down', () => {
  const random = seededRandom(1);
  const demand = Float64Array.from(
    { length: 28 * 24 },
    (_, hour) => 1000 + 900 * Math.sin((2 * Math.PI * hour) / 48) + 20 * normal(random),
  );
  const start = 27 * 24;
  const options = { originHour: MONDAY + start, horizonHours: 24, stepHours: 1, confidenceLevel: 0.95 };
  const [result] = forecastMany([seriesOf(demand.slice(0, start))], options).results;
  if (result?.status !== 'ok') throw new Error('observations are there');
  expect(result.method).toBe('sar_weekly_mean');
  // Noise of 20 gives an error of 16; half of the weekly profile gave an error of more than 300.
  expect(sum(result.values.map((value, h) => Math.abs(value - demand[start + h]))) / 24).toBeLessThan(50);
});

describe('rolling origins', () => {
  test('stay inside the history, at its closing hour, and meet all weekdays for every length and horizon', () => {
    for (let n = 1; n <= 2184; n += 7) {
      for (const firstOrigin of [1, 24, 192, 360]) {
        for (const [lead, horizon] of [
          [0, 1],
          [0, 24],
          [5, 48],
          [0, 168],
          [17, 168],
          [400, 168],
          [0, 8784],
        ] as const) {
          const plan = planOrigins(n, firstOrigin, lead, horizon);
          expect(plan.origins.length).toBeLessThanOrEqual(12);
          expect(plan.leadHours % 24).toBe(plan.origins.length === 0 ? 0 : lead % 24);
          plan.origins.forEach((origin, i) => {
            if (origin < firstOrigin || origin + plan.horizonHours > n || (n - origin) % 24 !== 0) {
              expect.fail(
                `n ${n}, horizon ${horizon}, lead ${lead}: origin ${origin} of ${JSON.stringify(plan)}`,
              );
            }
            const spacing = i === 0 ? 24 : origin - plan.origins[i - 1];
            if (spacing <= 0 || spacing % 168 === 0) expect.fail(`spacing ${spacing} at n ${n}`);
          });
        }
      }
    }
  });

  test('13 weeks carry twelve origins for a week ahead', () => {
    expect(planOrigins(2184, 360, 0, 168).origins.length).toBe(12);
  });
});
