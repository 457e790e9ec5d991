import { metadata } from '../../src/answers/envelope.ts';
import { AppError } from '../../src/answers/errors.ts';
import type { BacktestResponse, BacktestScore } from '../../src/contracts/backtest.ts';
import { type BacktestReport, backtestHistoryHours } from '../../src/core/forecast/backtest.ts';
import type { EngineScore } from '../../src/core/forecast/backtest-score.ts';
import { HISTORY_WEEKS } from '../../src/core/forecast/local-series.ts';
import { FORECAST_MODEL } from '../../src/core/forecast/types.ts';
import {
  backtestLocations,
  buffersOf,
  checkForecastLocations,
  readForecastInput,
} from '../../src/inputs/forecast-input.ts';
import type { JobWork } from '../run/job-run.ts';

/** Longer than the largest permitted backtest takes. */
const LIMIT_SECONDS = 3600;

/** Forecasts from earlier dates, compared with the actual demand. */
export const runBacktest: JobWork<'backtest'> = async (run) => {
  const { db, config, calendar } = run.deps;
  const request = run.facts;
  const {
    horizon_hours: horizonHours = 168,
    step_hours: stepHours = 24,
    origins = 8,
    confidence_levels: confidenceLevels = [0.8, 0.95],
  } = request;
  const { series, ...known } = await run.query(async () => {
    // Some may have been deleted since the request was accepted.
    if (request.location_ids) await checkForecastLocations(db, request.location_ids);
    const { locationIds, beforeHour } = await backtestLocations(db, config, request);
    const fromHour = beforeHour - backtestHistoryHours(horizonHours, origins);
    return readForecastInput(db, config, calendar, {
      locationIds,
      fromHour,
      beforeHour,
      untilHour: beforeHour,
      aheadFromHour: fromHour + HISTORY_WEEKS * 168,
    });
  });
  const options = {
    horizonsHours: [horizonHours],
    stepHours,
    origins,
    confidenceLevels,
    ...known,
  };
  const { report } = await run.inThread(
    'backtest',
    { series, options },
    { limitSeconds: LIMIT_SECONDS, transfer: buffersOf(series) },
  );
  if (report.startDates.length === 0) {
    const message =
      'the stored history is too short for a backtest: it must span four weeks plus the horizon ' +
      `(${horizonHours} hours); ` +
      'add observations with POST /api/v1/data/demand, or request a shorter horizon';
    throw new AppError('MODEL_NOT_LOADED', [{ field: 'horizon_hours', message }]);
  }
  const answer: BacktestResponse = {
    status: 'success',
    data: {
      model: FORECAST_MODEL,
      horizon_hours: horizonHours,
      step_hours: stepHours,
      confidence_levels: confidenceLevels,
      ...figures(report),
    },
    metadata: { ...metadata(run.job.requestId), job_id: run.job.jobId },
  };
  return { solverStatus: null, answer: { httpStatus: 200, body: JSON.stringify(answer) } };
};

function figures({ startDates, horizons: [{ overall, weeks, locations }] }: BacktestReport) {
  return {
    start_dates: startDates,
    overall: scoreOnWire(overall),
    weeks: Object.fromEntries(Object.entries(weeks).map(([kind, score]) => [kind, scoreOnWire(score)])),
    locations: Object.fromEntries(locations.map((one) => [String(one.locationId), scoreOnWire(one)])),
  };
}

function scoreOnWire({ steps, accuracy, coverage }: EngineScore): BacktestScore {
  const { engine, last_week, weekday_mean } = accuracy;
  return { steps, service: engine, last_week, weekday_mean, coverage };
}
