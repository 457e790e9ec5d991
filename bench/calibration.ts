/**
 * `npm run bench:calibration -- [--calls 28] [--places 30] [--weeks 5,13] [--horizons 48,168]`: reported accuracy
 * compared with the accuracy of the forecasts that follow: reported error over true error, and the share of steps that
 * intervals hold. Simulated demand whose law never changes, of five kinds (Poisson, overdispersed, correlated days or
 * hours, slow drift), at locations with 0.3 to 200 an hour. Mean over the kinds (lowest – highest).
 */
import {
  reportedOverFollowed,
  STEADY_DEMAND,
  type SteadyDemand,
  shareHeld,
  steadyForecasts,
} from '../test/core/forecast/steady-demand.ts';
import { readArguments, reportTable } from './cli.ts';

const { calls, places, weeks, horizons, json } = readArguments({
  calls: 28,
  places: 30,
  weeks: [5, 13],
  horizons: [48, 168],
});
const LEVELS = [0.3, 2, 10, 50, 200];
const CONFIDENCE = [0.8, 0.95];
const KINDS = Object.keys(STEADY_DEMAND) as SteadyDemand[];

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Mean (lowest – highest). */
function ofKinds(figures: readonly number[], format: (figure: number) => string): string {
  const mean = figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
  return `${format(mean)} (${format(Math.min(...figures))} – ${format(Math.max(...figures))})`;
}

function rowOf(weeksStored: number, horizonHours: number, stepHours: number): string[] {
  const setting = { levels: LEVELS, weeks: weeksStored, horizonHours, stepHours, places, calls };
  const made = KINDS.map((kind) => steadyForecasts(1, kind, { ...setting, confidenceLevels: CONFIDENCE }));
  return [
    ...[`${weeksStored} weeks`, `${horizonHours} h`, `${stepHours} h`],
    ofKinds(made.map(reportedOverFollowed), (ratio) => ratio.toFixed(2)),
    ...CONFIDENCE.map((_, i) =>
      ofKinds(
        made.map((one) => shareHeld(one, i)),
        percent,
      ),
    ),
  ];
}

const columns = ['stored', 'ahead', 'step', 'reported / true error', '80 % holds', '95 % holds'];
const rows = weeks.flatMap((weeksStored) =>
  horizons.flatMap((horizon) => [1, 6, 24, horizon].map((step) => rowOf(weeksStored, horizon, step))),
);
reportTable({ columns, rows }, json);
