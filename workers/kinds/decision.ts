import type { DecisionRequest, DecisionResult } from '../../src/contracts/decisions.ts';
import { insertDecision, readDecisionInputs, type StoredInputs } from '../../src/db/decisions.ts';
import { readFleetText } from '../../src/db/fleet.ts';
import { readLocations } from '../../src/db/locations.ts';
import { AppError } from '../../src/errors.ts';
import {
  forecastEnd,
  forecastHistory,
  noObservations,
  readForecastInput,
  requestedLocations,
} from '../../src/forecasting.ts';
import { riskSettings } from '../../src/risk-settings.ts';
import type { JobRun, JobWork } from '../job-run.ts';
import { optimizeSettings, planEnd, solveLimit } from './optimize.ts';

/** Longer than the forecast of the largest request takes. */
const INPUTS_LIMIT_SECONDS = 600;
/** Progress at which the inputs are taken, and the optimization begins. */
const INPUTS_SHARE = 0.3;

/**
 * Takes the inputs and stores them; then plans with what is stored. An attempt that finds inputs stored, because the
 * one before crashed, plans with these.
 */
export const runDecision: JobWork = async (run, input) => {
  const { deps, job } = run;
  const { db, config } = deps;
  const { fleet_state, ...request } = JSON.parse(input) as DecisionRequest;
  const inputs =
    (await run.query(() => readDecisionInputs(db, job.jobId))) ??
    (await takeInputs(run, request, fleet_state && JSON.stringify(fleet_state.vehicles)));
  const settings = optimizeSettings(config);
  const limitSeconds = solveLimit(request.options, settings);
  const { startDate, fleet, risk, forecast, locations } = inputs;
  const outcome = await run.inThread(
    'plan',
    { request: inputs.request, fleet, risk, forecast, locations, settings },
    { limitSeconds, share: [INPUTS_SHARE, 1] },
  );
  if (outcome.status === 'faults') throw new AppError('VALIDATION_ERROR', outcome.faults);
  const { leftOut, unscored, ...planned } = outcome;
  const decision: Omit<DecisionResult, 'plan'> = {
    decision_id: job.jobId,
    start_date: startDate,
    demand: request.demand ?? 'mean',
    left_out: leftOut,
    unscored,
  };
  return planEnd(job, planned, (plan) => `${JSON.stringify(decision).slice(0, -1)},"plan":${plan}}`);
};

/** @param fleet vehicles of the request as JSON text; undefined: the stored fleet */
async function takeInputs(
  run: JobRun,
  request: Omit<DecisionRequest, 'fleet_state'>,
  fleet: string | undefined,
): Promise<StoredInputs> {
  const { deps, job } = run;
  const { db, config, calendar } = deps;
  const {
    horizon_hours: horizonHours = config.FORECASTING_HORIZON_DAYS * 24,
    step_hours: stepHours = 24,
    confidence_level: confidenceLevel = 0.95,
  } = request;
  const { startDate, series, holidays, vehicles } = await run.query(async () => {
    const locationIds = await requestedLocations(db, request);
    const { startDate, ...hours } = await forecastHistory(db, config, locationIds, request.start_date);
    const untilHour = forecastEnd(startDate, horizonHours);
    const [forecastInput, vehicles] = await Promise.all([
      readForecastInput(db, config, calendar, { locationIds, ...hours, untilHour }),
      fleet ?? readFleetText(db),
    ]);
    return { startDate, vehicles, ...forecastInput };
  });
  const outcome = await run.inThread(
    'inputs',
    {
      vehicles,
      threshold: request.risk?.threshold ?? null,
      riskSettings: riskSettings(config),
      series,
      options: { startDate, horizonHours, stepHours, confidenceLevel, ...(holidays && { holidays }) },
      generatedAt: new Date().toISOString(),
    },
    {
      limitSeconds: INPUTS_LIMIT_SECONDS,
      share: [0, INPUTS_SHARE],
      transfer: series.map(({ values }) => values.buffer as ArrayBuffer),
    },
  );
  if (outcome.status === 'silent') {
    const { locationIds } = outcome;
    throw await run.query(() => noObservations(db, config, locationIds, startDate));
  }
  const { locationIds, ...taken } = outcome.inputs;
  const locations = request.network
    ? null
    : JSON.stringify(await run.query(() => readLocations(db, locationIds)));
  const inputs = { ...taken, startDate, request: JSON.stringify(request), locations };
  if (!(await run.query(() => insertDecision(db, job, inputs)))) run.lose();
  return inputs;
}
