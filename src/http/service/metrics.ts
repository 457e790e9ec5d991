import type { Gauge } from 'prom-client';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/client.ts';
import { readServiceFigures, type ServiceFigures } from '../../db/service/service-figures.ts';
import type { Metrics } from '../../process/metrics.ts';
import type { App, Deps } from '../deps.ts';
import { openForecastError } from '../forecasts/forecast-error.ts';

/** However many scrape, PostgreSQL is asked once in this time by each process. */
const FIGURES_MS = 1000;
/** A scrape does not wait longer for PostgreSQL; the figures are absent then. */
const MAX_FIGURES_MS = 2000;

/** `/metrics`. Call it after `protect`: with authentication it is for operators. */
export function registerMetrics(app: App, deps: Deps, metrics: Metrics): void {
  const { registry } = metrics;
  const refreshFigures = addServiceFigures(deps.config, deps.database.db, metrics);
  const onError = (err: unknown) => deps.logger.warn({ err }, 'error of the forecast unknown');
  const readForecastError = openForecastError(deps, onError);
  const forecastError = new metrics.client.Gauge({
    name: 'fleet_forecast_error_ratio',
    help:
      "Error of yesterday's forecast (UTC), made from what was observed before that day: sum of the absolute errors " +
      'by location and hour, over the sum of the demand that came; absent while nothing is observed of that day',
    registers: [registry],
  });
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    setKnown(forecastError, readForecastError());
    await refreshFigures();
    return reply
      .header('cache-control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics());
  });
}

/** Shows a figure, or none: the library would show 0 for a figure that is not known. */
function setKnown(gauge: Gauge, value: number | null): void {
  if (value === null) gauge.remove();
  else gauge.set(value);
}

/**
 * Figures of the whole service: every API process has the same, so take the `max` of all.
 * @returns brings them up to date
 */
function addServiceFigures(
  config: Pick<Config, 'JOB_LOCK_SECONDS' | 'QUEUE_MAX_WAITING'>,
  db: Database,
  { client, registry }: Metrics,
): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new client.Gauge({ name, help, labelNames, registers: [registry] });
  const waiting = gauge('fleet_queue_jobs', 'Jobs that wait', ['priority']);
  const oldest = gauge('fleet_queue_oldest_seconds', 'Age of the oldest waiting job; 0: none waits', [
    'priority',
  ]);
  const limit = gauge('fleet_queue_limit', 'Jobs that may wait; further ones get 503 (QUEUE_MAX_WAITING)');
  const running = gauge('fleet_jobs_running', 'Jobs that workers work on');
  const workers = gauge('fleet_workers', 'Workers with a heartbeat within JOB_LOCK_SECONDS');
  const slots = gauge('fleet_worker_slots', 'Jobs that these workers can work on at once');
  const webhooks = gauge(
    'fleet_webhook_oldest_seconds',
    'Age of the oldest event that waits for a webhook which is switched on; 0: none waits',
  );
  const utilization = gauge(
    'fleet_utilization_ratio',
    "Demand served over capacity of the fleet, in the newest stored plan: the plan's kpis.utilization",
  );
  const coverage = gauge(
    'fleet_demand_coverage_ratio',
    "Share of demand that is served in the newest stored plan: the plan's kpis.demand_coverage",
  );
  const up = gauge(
    'fleet_database_up',
    'Whether PostgreSQL gave the figures of the whole service; without it these are absent',
  );
  limit.set(config.QUEUE_MAX_WAITING);

  const show = (figures: ServiceFigures | null) => {
    up.set(figures === null ? 0 : 1);
    setKnown(running, figures?.running ?? null);
    setKnown(workers, figures?.workers ?? null);
    setKnown(slots, figures?.slots ?? null);
    setKnown(webhooks, figures?.oldestWebhookSeconds ?? null);
    setKnown(utilization, figures?.newestPlan?.utilization ?? null);
    setKnown(coverage, figures?.newestPlan?.demandCoverage ?? null);
    waiting.reset();
    oldest.reset();
    for (const { priority, jobs, oldestSeconds } of figures?.waiting ?? []) {
      waiting.set({ priority }, jobs);
      oldest.set({ priority }, oldestSeconds);
    }
  };

  let reading: Promise<ServiceFigures | null> | undefined;
  let isFresh = false;
  const read = () =>
    readServiceFigures(db, config.JOB_LOCK_SECONDS)
      .catch(() => null)
      .finally(() => {
        reading = undefined;
        isFresh = true;
        setTimeout(() => (isFresh = false), FIGURES_MS).unref();
      });
  return async () => {
    if (isFresh) return;
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(late.resolve, MAX_FIGURES_MS, null);
    reading ??= read();
    show(await Promise.race([reading, late.promise]));
    clearTimeout(timer);
  };
}
