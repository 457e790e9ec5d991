/**
 * The sums of a backtest: errors of the service and of the simple rules, and how many steps fell inside the interval.
 */
import { type Accuracy, accuracyOf, addErrors, type ErrorSums, noErrors } from './accuracy.ts';
import type { Bounds } from './intervals.ts';

/** If nothing ever varied, the interval has no width. It still contains its value within this tolerance. */
const ROUNDING = 1e-9;

/** `last_week`: last week's value (seasonal naive); `weekday_mean`: mean of the last four same weekdays. */
export const BACKTEST_METHODS = ['engine', 'last_week', 'weekday_mean'] as const;
export type BacktestMethod = (typeof BACKTEST_METHODS)[number];

export type EngineScore = {
  steps: number;
  accuracy: Record<BacktestMethod, Accuracy>;
  /** Share of the steps inside the engine's interval, one per level; null if no step was compared. */
  coverage: (number | null)[];
};

/** Running sums of one location. */
export type ScoreSums = {
  errors: Record<BacktestMethod, ErrorSums>;
  inside: number[];
  steps: number;
};

export const noSums = (levels: number): ScoreSums => ({
  errors: { engine: noErrors(), last_week: noErrors(), weekday_mean: noErrors() },
  inside: new Array(levels).fill(0),
  steps: 0,
});

/**
 * Adds the steps of one origin.
 * @param actual NaN for a step that was not observed or does not count
 * @param scale denominator of MASE
 */
export function addSteps(
  sums: ScoreSums,
  forecasts: Record<BacktestMethod, Float64Array>,
  bounds: readonly Bounds[],
  actual: Float64Array,
  scale: number,
): void {
  for (const method of BACKTEST_METHODS) addErrors(sums.errors[method], forecasts[method], actual, scale);
  actual.forEach((y, i) => {
    if (Number.isNaN(y)) return;
    sums.steps++;
    bounds.forEach(({ lower, upper }, level) => {
      const slack = ROUNDING * y;
      if (y >= lower[i] - slack && y <= upper[i] + slack) sums.inside[level]++;
    });
  });
}

/** Scores of the sums of one or more locations taken together. */
export function scoreOf(parts: readonly ScoreSums[], levels: readonly number[]): EngineScore {
  const steps = parts.reduce((sum, part) => sum + part.steps, 0);
  const accuracy = (method: BacktestMethod): Accuracy => accuracyOf(parts.map((part) => part.errors[method]));
  return {
    steps,
    accuracy: {
      engine: accuracy('engine'),
      last_week: accuracy('last_week'),
      weekday_mean: accuracy('weekday_mean'),
    },
    coverage: levels.map((_, level) =>
      steps === 0 ? null : parts.reduce((sum, part) => sum + part.inside[level], 0) / steps,
    ),
  };
}
