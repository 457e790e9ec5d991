/**
 * Reported accuracy compared with the accuracy of the forecasts that follow: simulated demand whose law never changes.
 */
import { describe, expect, test } from 'vitest';
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

describe('intervals of 80 and 95 %, 168 hours ahead', { tags: 'slow' }, () => {
  test.each([
    [13, 24, 0.025, 0.015],
    [5, 24, 0.025, 0.015],
    [5, 168, 0.025, 0.025],
  ])(
    'of %i weeks stored, in steps of %i hours hold that share within %f and %f over kinds of demand',
    (weeks, stepHours, of80, of95) => {
      const setting = {
        ...PANEL,
        weeks,
        horizonHours: 168,
        stepHours,
        confidenceLevels: [0.8, 0.95],
        calls: 14,
      };
      const made = KINDS.map((kind) => steadyForecasts(2, kind, setting));
      const held = [0, 1].map((level) => meanOf(made.map((one) => shareHeld(one, level))));
      expect(Math.abs(held[0]! - 0.8)).toBeLessThan(of80);
      expect(Math.abs(held[1]! - 0.95)).toBeLessThan(of95);
    },
    30_000,
  );
});
