import {
  DECISION_HORIZON_HOURS,
  DECISION_STEP_HOURS,
  type DecisionResult,
} from '../../src/contracts/decisions.ts';
import type { DecisionFacts } from '../../src/contracts/job-facts.ts';
import { inSnapshot, type Queryable } from '../../src/db/client.ts';
import { insertDecision, readDecisionInputs, type StoredInputs } from '../../src/db/decisions.ts';
import { readFleetLocationIds, readFleetText } from '../../src/db/fleet.ts';
import { readLocations } from '../../src/db/locations.ts';
import {
  buffersOf,
  checkForecastLocations,
  decisionHistory,
  describeAhead,
  forecastEnd,
  locationField,
  noObservations,
  readForecastInput,
  readMissingHistory,
  requestedLocations,
} from '../../src/inputs/forecast-input.ts';
import { optimizeSettings, riskSettings } from '../../src/inputs/settings.ts';
import type { JobRun, JobWork } from '../job-run.ts';
import { previousOf } from '../previous.ts';
import { travelOf } from '../travel.ts';
import { tripCountsOf, zoneOf } from '../trip-counts.ts';
import { planEnd, solveLimit } from './optimize.ts';

/** Longer than the forecast of the largest request takes. */
const INPUTS_LIMIT_SECONDS = 600;
/** Progress when the inputs are complete and the optimization begins. */
const INPUTS_SHARE = 0.3;

/**
 * Collects the inputs and stores them, then plans with the stored ones. If inputs are already stored, because an
 * earlier attempt crashed, it plans with these.
 */
export const runDecision: JobWork<'decision'> = async (run) => {
  const { deps, job } = run;
  const { db, config } = deps;
  const facts = await run.facts();
  const inputs = (await run.query(() => readDecisionInputs(db, job.jobId))) ?? (await takeInputs(run, facts));
  const settings = optimizeSettings(config);
  const limitSeconds = solveLimit(facts, settings);
  const { startDate, fleet, risk, forecast, locations } = inputs;
  const travel = await travelOf(run, facts.storedTravel, locations);
  const outcome = await run.inThread(
    'plan',
    {
      travel,
      previous: await previousOf(run, facts),
      tripCounts: await tripCountsOf(run, facts, locations),
      timeZone: await zoneOf(run, locations),
      request: inputs.request,
      fleet,
      risk,
      forecast,
      locations,
      isFleetSent: facts.hasFleet,
      settings,
    },
    { limitSeconds, share: [INPUTS_SHARE, 1] },
  );
  const { leftOut, unscored, withoutHistory, ...planned } = outcome;
  const ahead = 'ahead' in planned && planned.ahead ? `${planned.ahead.slice(0, -1)},` : '{';
  const decision: Omit<DecisionResult, 'plan'> = {
    decision_id: job.jobId,
    start_date: startDate,
    demand: facts.demand ?? 'mean',
    left_out: leftOut,
    unscored,
    without_history: withoutHistory,
  };
  const about = JSON.stringify(decision).slice(1);
  const end = planEnd(job, planned, (plan) => `${ahead}${about.slice(0, -1)},"plan":${plan}}`);
  return facts.carry_out && end.plan ? { ...end, plan: { ...end.plan, isCarriedOut: true } } : end;
};

async function takeInputs(run: JobRun, facts: DecisionFacts): Promise<StoredInputs> {
  const { deps, job } = run;
  const { db, config } = deps;
  const {
    horizon_hours: horizonHours = DECISION_HORIZON_HOURS,
    step_hours: stepHours = DECISION_STEP_HOURS,
    confidence_level: confidenceLevel = 0.95,
  } = facts;
  const read = await run.query(() => inSnapshot(db, (tx) => readInputs(tx, deps, facts)));
  const { startDate, series, otherSeries, known, missing, storedFleet, places } = read;
  const zones = new Map(series.map(({ locationId, timeZone }) => [locationId, timeZone]));
  const outcome = await run.inThread(
    'inputs',
    {
      request: (await run.input()).request,
      vehicles: storedFleet,
      threshold: facts.risk?.threshold ?? null,
      riskSettings: riskSettings(config),
      series,
      otherSeries,
      missing,
      options: { startDate, horizonHours, stepHours, confidenceLevel, ...known },
      ahead: describeAhead(known, zones, { startDate, horizonHours }),
      generatedAt: new Date().toISOString(),
    },
    {
      limitSeconds: INPUTS_LIMIT_SECONDS,
      share: [0, INPUTS_SHARE],
      transfer: buffersOf([...series, ...otherSeries]),
    },
  );
  if (outcome.status === 'silent') {
    const { locationIds } = outcome;
    throw await run.query(() =>
      noObservations(db, config, locationIds, startDate, locationField(facts.location_ids)),
    );
  }
  const { locationIds, ...taken } = outcome.inputs;
  const locations = facts.network
    ? null
    : JSON.stringify(places ?? (await run.query(() => readLocations(db, locationIds))));
  const inputs = { ...taken, startDate, horizonHours, stepHours, locations };
  if (!(await run.query(() => insertDecision(db, job, inputs)))) run.lose();
  return inputs;
}

/**
 * Reads all inputs of a decision as of one moment: fleet, demand and costs agree on whether a location exists. If the
 * request has the fleet, the locations of its vehicles are read later, when they are known.
 */
async function readInputs(tx: Queryable, { config, calendar }: JobRun['deps'], facts: DecisionFacts) {
  const {
    location_ids,
    network,
    hasFleet,
    boundedLocationIds = [],
    horizon_hours: horizonHours = DECISION_HORIZON_HOURS,
  } = facts;
  const locationIds = await requestedLocations(tx, facts);
  // Some may have been deleted since the request was accepted.
  await checkForecastLocations(
    tx,
    locationIds,
    location_ids || !network ? 'location_ids' : 'network.location_ids',
  );
  const { startDate, ...hours } = await decisionHistory(tx, config, locationIds, facts);
  const untilHour = forecastEnd(startDate, horizonHours);
  const { series, ...known } = await readForecastInput(tx, config, calendar, {
    locationIds,
    ...hours,
    untilHour,
  });
  const history =
    facts.on_missing_history === 'fail'
      ? { missing: null, otherSeries: [] }
      : await readMissingHistory(tx, config, series, hours);
  const storedFleet = hasFleet ? null : await readFleetText(tx);
  const places = hasFleet
    ? null
    : await readLocations(tx, [
        ...new Set([...locationIds, ...(await readFleetLocationIds(tx)), ...boundedLocationIds]),
      ]);
  return { startDate, series, known, ...history, storedFleet, places };
}
