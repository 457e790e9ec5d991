import { forecastMany } from '../../core/forecast/forecast.ts';
import { type LocationText, locationText } from '../../core/forecast/forecast-text.ts';
import type { DemandSeries, ForecastOptions, NoObservations } from '../../core/forecast/types.ts';

/** Entry of a forecast thread: keeps the engine, and the writing of millions of numbers, off the event loop. */
export default function run(task: {
  series: DemandSeries[];
  options: ForecastOptions;
}): (LocationText | NoObservations)[] {
  return forecastMany(task.series, task.options).results.map(locationText);
}
