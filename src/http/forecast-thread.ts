import { forecastMany } from '../core/forecast/forecast.ts';
import type { DemandSeries, ForecastOptions } from '../core/forecast/types.ts';

/** Entry of a forecast thread: keeps the engine off the event loop that serves requests. */
export default function run(task: { series: DemandSeries[]; options: ForecastOptions }) {
  return forecastMany(task.series, task.options);
}
