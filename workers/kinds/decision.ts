import {
  DECISION_CONFIDENCE_LEVEL,
  DECISION_HORIZON_HOURS,
  DECISION_STEP_HOURS,
  type DecisionResult,
} from '../../src/contracts/decisions.ts';
import type { DecisionFacts, TripHours } from '../../src/contracts/job-facts.ts';
import { hourOfWeek } from '../../src/contracts/time.ts';
import { dayStart } from '../../src/core/decision.ts';
import type { ForecastStart } from '../../src/core/forecast/types.ts';
import { inSnapshot, type Queryable } from '../../src/db/client.ts';
import { readFleetLocationIds, readFleetText } from '../../src/db/data/fleet.ts';
import { readLocations } from '../../src/db/data/locations.ts';
import { insertDecision, readDecisionInputs, type StoredInputs } from '../../src/db/plans/decisions.ts';
import { readJobTrips } from '../../src/db/travel/trip-pieces.ts';
import {
  buffersOf,
  checkForecastLocations,
  decisionHistory,
  describeAhead,
  locationField,
  noObservations,
  readForecastInput,
  readMissingHistory,
  requestedLocations,
  startText,
} from '../../src/inputs/forecast-input.ts';
import { forecastSpan, readPlanZone, startHourOf } from '../../src/inputs/forecast-start.ts';
import { optimizeSettings, riskSettings } from '../../src/inputs/settings.ts';
import { readTrips } from '../../src/inputs/trip-input.ts';
import type { JobRun, JobWork } from '../run/job-run.ts';
import { previousOf } from '../run/previous.ts';
import { travelOf } from '../run/travel.ts';
import { planEnd, solveLimit } from './optimize.ts';

/** Longer than the forecast of the largest request takes. */
const INPUTS_LIMIT_SECONDS = 600;
/** Progress when the inputs are complete and the optimization begins. */
const INPUTS_SHARE = 0.3;

type Taken = { inputs: StoredInputs; trips: readonly Uint8Array[] | null };

/**
 * Collects the inputs and stores them, then plans with the stored ones. If inputs are already stored, because an
 * earlier attempt crashed, it plans with these.
 */
export const runDecision: JobWork<'decision'> = async (run) => {
  const { deps, job } = run;
  const { db, config } = deps;
  const { facts } = run;
  const previous = await previousOf(run, facts);
  const { inputs, trips } =
    (await run.query(() => readTaken(db, job.jobId))) ?? (await takeInputs(run, facts));
  const settings = optimizeSettings(config);
  const limitSeconds = solveLimit(facts, settings);
  const { startDate, fleet, risk, forecast, locations } = inputs;
  const travel = await travelOf(run, facts.storedTravel, locations);
  const outcome = await run.inThread(
    'plan',
    {
      travel,
      previous,
      trips,
      timeZone: inputs.timeZone,
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
  const { leftOut, unscored, withoutHistory, startsAt, ...planned } = outcome;
  const ahead = 'ahead' in planned && planned.ahead ? `${planned.ahead.slice(0, -1)},` : '{';
  const decision: Omit<DecisionResult, 'plan'> = {
    decision_id: job.jobId,
    start_date: startDate,
    ...(startsAt !== undefined && { starts_at: startsAt }),
    demand: facts.demand ?? 'mean',
    left_out: leftOut,
    unscored,
    without_history: withoutHistory,
  };
  const about = JSON.stringify(decision).slice(1);
  const end = await planEnd(job, facts, planned, [`${ahead}${about.slice(0, -1)},"plan":`, '}']);
  return facts.carry_out && end.plan ? { ...end, plan: { ...end.plan, isCarriedOut: true } } : end;
};

/** The inputs that an earlier attempt stored, and its trips; undefined if there was none. */
async function readTaken(db: Queryable, jobId: string): Promise<Taken | undefined> {
  const inputs = await readDecisionInputs(db, jobId);
  return inputs && { inputs, trips: (await readJobTrips(db, jobId)) ?? null };
}

async function takeInputs(run: JobRun, facts: DecisionFacts): Promise<Taken> {
  const { deps, job } = run;
  const { db, config } = deps;
  const {
    horizon_hours: horizonHours = DECISION_HORIZON_HOURS,
    step_hours: stepHours = DECISION_STEP_HOURS,
    confidence_level: confidenceLevel = DECISION_CONFIDENCE_LEVEL,
  } = facts;
  const read = await run.query(() => inSnapshot(db, (tx) => readInputs(tx, deps, facts)));
  const { start, timeZone, series, otherSeries, known, missing, storedFleet } = read;
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
      options: { ...start, horizonHours, stepHours, confidenceLevel, ...known },
      ahead: describeAhead(known, zones, { ...start, horizonHours }),
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
      noObservations(db, locationIds, startText(start), locationField(facts.location_ids)),
    );
  }
  const { locationIds, ...taken } = outcome.inputs;
  const { places, trips } = read.places
    ? { places: read.places, trips: read.trips }
    : await run.query(() =>
        inSnapshot(db, (tx) => readPlaces(tx, facts, locationIds, tripHours(read, facts))),
      );
  const locations = facts.network ? null : JSON.stringify(places);
  const { startDate } = start;
  const inputs = {
    ...taken,
    ...{ startDate, startHour: startHourOf(start), timeZone },
    ...{ horizonHours, stepHours, locations },
  };
  if (!(await run.query(() => insertDecision(db, job, inputs, trips)))) run.lose();
  return { inputs, trips };
}

/** The hours of the week that a plan looks ahead to, on the clock that it begins on. */
function tripHours(
  { start, timeZone }: { start: ForecastStart; timeZone: string },
  { horizon_hours: count = DECISION_HORIZON_HOURS }: DecisionFacts,
): TripHours {
  return { first: hourOfWeek(start.startsAt ?? dayStart(start.startDate, timeZone)), count };
}

/** The part of a request that makes its trips many. */
const boundField = ({ location_ids }: DecisionFacts) => (location_ids ? 'location_ids' : null);

/** The places where vehicles of a decision may be, and the trips between them, if it looks ahead. */
async function readPlaces(tx: Queryable, facts: DecisionFacts, ids: readonly number[], hours: TripHours) {
  return {
    places: await readLocations(tx, ids),
    trips: facts.tripFlows ? await readTrips(tx, ids, hours, boundField(facts)) : null,
  };
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
  const { start, ...hours } = await decisionHistory(tx, config, locationIds, facts);
  const { until: untilHour } = forecastSpan(start, horizonHours);
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
  const timeZone = await readPlanZone(tx, config, locationIds);
  const all = { start, timeZone, series, known, ...history, storedFleet };
  if (hasFleet) return { ...all, places: null, trips: null };
  const ids = [...new Set([...locationIds, ...(await readFleetLocationIds(tx)), ...boundedLocationIds])];
  return { ...all, ...(await readPlaces(tx, facts, ids, tripHours(all, facts))) };
}
