/** What a model says of its own past. */
import { expect, test } from 'vitest';
import { NO_EFFECTS } from '../../../src/core/forecast/effects.ts';
import { fitModel } from '../../../src/core/forecast/model.ts';
import { hoursOf, MONDAY, poisson, seededRandom, sum, weeklyShape } from './samples.ts';

const WEEKS = 13;
/** First hour of a day that was not observed. */
const GAP = 24 * 60;

/** What origins in the week after the gap said of the gap's weekday, which then had `factor` times its demand. */
function saidOfTheWeekday(factor: number): Float64Array[] {
  const random = seededRandom(3);
  const next = GAP + 168;
  const values = hoursOf(WEEKS, (hour) => poisson(random, weeklyShape(hour, 50)));
  values.fill(NaN, GAP, GAP + 24);
  for (let t = next; t < next + 24; t++) values[t] *= factor;
  const history = { firstHour: MONDAY, values, observedHours: values.length - 24 };
  const { past } = fitModel(history, 0, 168, NO_EFFECTS);
  const between = past.filter(({ origin }) => origin > GAP && origin <= next);
  return between.map(({ origin, hourly }) => hourly.slice(next - origin, next - origin + 24));
}

test('a past forecast after a gap does not know what it is compared with', () => {
  const said = saidOfTheWeekday(1);
  const saidOfMore = saidOfTheWeekday(1.5);
  expect(said.length).toBeGreaterThan(0);
  said.forEach((day, i) => {
    // Weights and the way back from the transform are learned from all of the history.
    expect(Math.abs(sum(saidOfMore[i]!) / sum(day) - 1)).toBeLessThan(0.01);
  });
});
