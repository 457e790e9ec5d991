/**
 * Reported accuracy compared with the accuracy of the forecasts that follow: simulated demand whose law never changes.
 */
import { expect, test } from 'vitest';
import { casesOfDay } from '../../helpers/depth.ts';
import { sum } from './samples.ts';
import { reportedOverFollowed, type SteadyDemand, shareHeld, steadyForecasts } from './steady-demand.ts';

const KINDS: SteadyDemand[] = ['poisson', 'overdispersed', 'correlated days'];
const PANEL = { levels: [2, 10, 50], places: 30 };

const meanOf = (figures: readonly number[]): number => sum(figures) / figures.length;

test('the error that a forecast of two days reports of itself is the one that follows, five weeks stored', {
  tags: ['slow'],
}, () => {
  const setting = { ...PANEL, weeks: 5, horizonHours: 48, stepHours: 48, confidenceLevels: [], calls: 42 };
  const ratio = meanOf(KINDS.map((kind) => reportedOverFollowed(steadyForecasts(1, kind, setting))));
  expect(ratio).toBeGreaterThan(0.97);
  expect(ratio).toBeLessThan(1.03);
});

test('intervals of 80 and 95 %, 168 hours ahead, hold that share over kinds of demand', {
  tags: 'slow',
}, () => {
  const cases = [
    { weeks: 13, stepHours: 24, of80: 0.025, of95: 0.015 },
    { weeks: 5, stepHours: 24, of80: 0.025, of95: 0.015 },
    { weeks: 5, stepHours: 168, of80: 0.025, of95: 0.025 },
  ];
  for (const { of80, of95, ...history } of casesOfDay(cases)) {
    const setting = { ...PANEL, ...history, horizonHours: 168, confidenceLevels: [0.8, 0.95], calls: 14 };
    const made = KINDS.map((kind) => steadyForecasts(2, kind, setting));
    const held = [0, 1].map((level) => meanOf(made.map((one) => shareHeld(one, level))));
    const where = `${history.weeks} weeks stored, in steps of ${history.stepHours} hours`;
    expect(Math.abs(held[0]! - 0.8), where).toBeLessThan(of80);
    expect(Math.abs(held[1]! - 0.95), where).toBeLessThan(of95);
  }
});
