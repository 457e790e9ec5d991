import { get, send } from './client.ts';
import type { BacktestData, DemandObservation, ForecastData, ForecastRequest } from './types.ts';

/** A forecast; it is answered at once, and not stored. */
export async function readForecast(body: ForecastRequest, signal?: AbortSignal): Promise<ForecastData> {
  return (await send<ForecastData>('POST', '/api/v1/forecast', { body, signal })).data;
}

/** The observed demand of a location in the hours that begin within `[fromMs, toMs)`, ms since the epoch. */
export async function readDemand(
  locationId: number,
  fromMs: number,
  toMs: number,
  signal?: AbortSignal,
): Promise<DemandObservation[]> {
  const within = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
  const path = `/api/v1/data/demand?location_id=${locationId}&${within}`;
  return (await get<{ observations: DemandObservation[] }>(path, signal)).observations;
}

/** A backtest as its job keeps it; undefined until it has ended with a result. */
export async function readBacktest(jobId: string, signal?: AbortSignal): Promise<BacktestData | undefined> {
  const job = await get<{ result?: { data: BacktestData | null } }>(
    `/api/v1/jobs/${encodeURIComponent(jobId)}`,
    signal,
  );
  return job.result?.data ?? undefined;
}
