import { type SQL, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core';
import { ROLES, TIERS } from '../contracts/access.ts';
import {
  DEFAULT_SPEED_KMH,
  HOURS_OF_WEEK,
  MAX_CAPACITY,
  MAX_DAILY_DEMAND,
  MAX_DISTANCE_KM,
  MAX_EVENT_FACTOR,
  MAX_EVENT_ID_LENGTH,
  MAX_EVENT_KIND_LENGTH,
  MAX_HOURLY_DEMAND,
  MAX_LATITUDE,
  MAX_LONGITUDE,
  MAX_NAME_LENGTH,
  MAX_PRIORITY_LEVEL,
  MAX_TRAVEL_MINUTES,
  MAX_TRIPS,
  MAX_VEHICLE_ID_LENGTH,
  MAX_YEAR,
  MIN_CAPACITY,
  MIN_OBSERVED_YEAR,
  MIN_VEHICLE_YEAR,
} from '../contracts/bounds.ts';
import type { JobFacts } from '../contracts/job-facts.ts';
import { ATTEMPT_OUTCOMES, ENDED_JOB_STATUSES, JOB_KINDS, JOB_STATUSES } from '../contracts/jobs.ts';
import { SOLVER_STATUSES } from '../contracts/optimize.ts';
import { JOB_PRIORITIES } from '../contracts/priorities.ts';
import { MISSED_POLICIES, OCCURRENCE_OUTCOMES } from '../contracts/schedules.ts';
import { VEHICLE_STATUSES } from '../contracts/vehicles.ts';
import {
  DELIVERY_STATUSES,
  MAX_WEBHOOK_DESCRIPTION_LENGTH,
  MAX_WEBHOOK_URL_LENGTH,
  WEBHOOK_EVENTS,
} from '../contracts/webhooks.ts';

/**
 * JSON kept as the text that was sent: stored once, returned without parsing. Large values are compressed by lz4 where
 * the server has it (`compress_with_lz4` in the migration `tables`).
 */
const jsonText = customType<{ data: string; driverData: string }>({ dataType: () => 'json' });
const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** The start of a phase of an attempt, in milliseconds since its claim. */
export type PhaseMark = { phase: string; ms: number };

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
/**
 * The owner of a row: that of an API key, or the subject of a token. Null: it was made without authentication.
 */
const owner = () => text('owner');
const oneOf = (column: SQL | unknown, values: readonly string[]) =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`;

/** An array without elements. */
const NONE = sql`'{}'`;
const literal = (value: number | string) => sql.raw(typeof value === 'number' ? String(value) : `'${value}'`);

/** A check that arrays have as many elements as another one, or that all of them are null. */
const asLongAs = (array: SQL | unknown, others: readonly unknown[]) => {
  const lengths = sql.join(
    others.map((other) => sql`cardinality(${other})`),
    sql`, `,
  );
  return sql`array[${lengths}] = array_fill(cardinality(${array}), array[${literal(others.length)}])`;
};

/** A check that a column lies within bounds, both included; texts are dates. NaN and infinities never do. */
const between = (column: SQL | unknown, least: number | string, most: number | string) =>
  sql`${column} between ${literal(least)} and ${literal(most)}`;
const FIRST_OBSERVED_HOUR = literal(`${MIN_OBSERVED_YEAR}-01-01T00:00Z`);
const LAST_OBSERVED_HOUR = literal(`${MAX_YEAR}-12-31T23:00Z`);
const isWholeHour = (column: unknown) => sql`${column} = date_trunc('hour', ${column}, 'UTC')`;
/** Whether two columns are both null or both not null. */
const areNullTogether = (a: unknown, b: unknown) => sql`(${a} is null) = (${b} is null)`;
const allOf = (...conditions: SQL[]) => sql.join(conditions, sql` and `);
const haveSameLength = (a: unknown, b: unknown) => sql`cardinality(${a}) = cardinality(${b})`;
const day = (column: unknown) => between(column, `${MIN_VEHICLE_YEAR}-01-01`, `${MAX_YEAR}-12-31`);

export const locations = pgTable(
  'locations',
  {
    id: integer('id').primaryKey(),
    name: text('name').notNull(),
    latitude: doublePrecision('latitude').notNull(),
    longitude: doublePrecision('longitude').notNull(),
    timeZone: text('time_zone'),
    // false: retired. The location keeps its vehicles and history, but is planned only if a request names it.
    active: boolean('active').notNull().default(true),
    // Demand of a day for plans without observations.
    expectedDailyDemand: doublePrecision('expected_daily_demand'),
    // Demand of a higher level is served first; 0 is ordinary demand.
    priority: smallint('priority').notNull().default(0),
  },
  (t) => [
    check('locations_latitude', between(t.latitude, -MAX_LATITUDE, MAX_LATITUDE)),
    check('locations_longitude', between(t.longitude, -MAX_LONGITUDE, MAX_LONGITUDE)),
    check('locations_expected_daily_demand', between(t.expectedDailyDemand, 0, MAX_DAILY_DEMAND)),
    check('locations_priority', between(t.priority, 0, MAX_PRIORITY_LEVEL)),
    check('locations_name', between(sql`char_length(${t.name})`, 1, MAX_NAME_LENGTH)),
  ],
);

export const vehicles = pgTable(
  'vehicles',
  {
    vehicleId: text('vehicle_id').primaryKey(),
    locationId: integer('location_id')
      .notNull()
      .references(() => locations.id),
    status: text('status', { enum: VEHICLE_STATUSES }).notNull(),
    capacity: doublePrecision('capacity').notNull(),
    acquiredOn: date('acquired_on'),
    lastMaintenanceOn: date('last_maintenance_on'),
    utilizationRate: doublePrecision('utilization_rate'),
    /** It is on its way to its location, and there from then on. */
    availableAt: time('available_at'),
  },
  (t) => [
    index('vehicles_location').on(t.locationId),
    check('vehicles_status', oneOf(t.status, VEHICLE_STATUSES)),
    check('vehicles_capacity', between(t.capacity, MIN_CAPACITY, MAX_CAPACITY)),
    check('vehicles_utilization_rate', between(t.utilizationRate, 0, 1)),
    check('vehicles_id', between(sql`char_length(${t.vehicleId})`, 1, MAX_VEHICLE_ID_LENGTH)),
    check('vehicles_acquired_on', day(t.acquiredOn)),
    check('vehicles_last_maintenance_on', day(t.lastMaintenanceOn)),
  ],
);

export const demandObservations = pgTable(
  'demand_observations',
  {
    locationId: integer('location_id')
      .notNull()
      .references(() => locations.id),
    hour: time('hour').notNull(),
    demand: doublePrecision('demand').notNull(),
  },
  (t) => [
    // Its index also carries the demand (migration `tables`). Drizzle cannot express INCLUDE.
    primaryKey({ columns: [t.locationId, t.hour] }),
    check('demand_observations_demand', between(t.demand, 0, MAX_HOURLY_DEMAND)),
    check(
      'demand_observations_years',
      between(t.hour, `${MIN_OBSERVED_YEAR}-01-01T00:00Z`, `${MAX_YEAR}-12-31T23:00Z`),
    ),
    check('demand_observations_hour', sql`${t.hour} = date_trunc('hour', ${t.hour}, 'UTC')`),
  ],
);

/** Events that are known to change demand: of one location, or of all if `location_id` is null. */
export const demandEvents = pgTable(
  'demand_events',
  {
    eventId: text('event_id').primaryKey(),
    locationId: integer('location_id').references(() => locations.id),
    startsAt: time('starts_at').notNull(),
    // The first hour after it.
    endsAt: time('ends_at').notNull(),
    kind: text('kind').notNull(),
    // Null: learned from past events of its kind.
    factor: doublePrecision('factor'),
    name: text('name'),
  },
  (t) => [
    index('demand_events_location').on(t.locationId, t.endsAt),
    check('demand_events_id', between(sql`char_length(${t.eventId})`, 1, MAX_EVENT_ID_LENGTH)),
    check('demand_events_kind', between(sql`char_length(${t.kind})`, 1, MAX_EVENT_KIND_LENGTH)),
    check('demand_events_name', between(sql`char_length(${t.name})`, 1, MAX_NAME_LENGTH)),
    check('demand_events_factor', between(t.factor, 0, MAX_EVENT_FACTOR)),
    check('demand_events_order', sql`${t.startsAt} < ${t.endsAt}`),
    check(
      'demand_events_years',
      sql`${t.startsAt} >= ${FIRST_OBSERVED_HOUR} and ${t.endsAt} <= ${LAST_OBSERVED_HOUR}`,
    ),
    check('demand_events_hours', sql`${isWholeHour(t.startsAt)} and ${isWholeHour(t.endsAt)}`),
  ],
);

/**
 * Kilometres and minutes from one location to another. The locations are not foreign keys: checking them row by row
 * takes longer than storing the rows, and a table has up to 25 million. Writers hold the locations, and deleting a
 * location deletes its pairs (`removal.ts`).
 */
export const travel = pgTable(
  'travel',
  {
    fromLocationId: integer('from_location_id').notNull(),
    toLocationId: integer('to_location_id').notNull(),
    distanceKm: doublePrecision('distance_km').notNull(),
    durationMinutes: doublePrecision('duration_minutes').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.fromLocationId, t.toLocationId] }),
    check('travel_distance_km', between(t.distanceKm, 0, MAX_DISTANCE_KM)),
    check('travel_duration_minutes', between(t.durationMinutes, 0, MAX_TRAVEL_MINUTES)),
  ],
);

/**
 * Counted trips from one location to another, of one hour of the week or (null) of all hours for which the first
 * location has no rows. The locations are not foreign keys, as in `travel`.
 */
export const tripFlows = pgTable(
  'trip_flows',
  {
    fromLocationId: integer('from_location_id').notNull(),
    toLocationId: integer('to_location_id').notNull(),
    hourOfWeek: smallint('hour_of_week'),
    trips: doublePrecision('trips').notNull(),
  },
  (t) => [
    unique('trip_flows_key').on(t.fromLocationId, t.toLocationId, t.hourOfWeek).nullsNotDistinct(),
    check('trip_flows_hour_of_week', between(t.hourOfWeek, 0, HOURS_OF_WEEK - 1)),
    check('trip_flows_trips', between(t.trips, 0, MAX_TRIPS)),
  ],
);

/**
 * Counts the statements that change `travel`, in their transactions. A trigger counts them (migration
 * `travel_versions`): no writer can forget to. The count is the version of the table.
 */
export const travelRevision = pgTable(
  'travel_revision',
  { single: boolean('single').primaryKey().default(true), revision: integer('revision').notNull() },
  (t) => [check('travel_revision_single', sql`${t.single}`)],
);

/** The revision at which the travel that begins at a location last changed. */
export const travelSources = pgTable('travel_sources', {
  fromLocationId: integer('from_location_id').primaryKey(),
  revision: integer('revision').notNull(),
});

/**
 * All travel that begins at a location, as workers read it. A version of the table consists of the newest packs up to
 * it. Packs are made when a job first needs them, and kept while a job needs their version (`travel-packs.ts`).
 */
export const travelPacks = pgTable(
  'travel_packs',
  {
    fromLocationId: integer('from_location_id').notNull(),
    // That of `travel_sources` when the pack was made.
    revision: integer('revision').notNull(),
    // Numbers do not compress: storage is external (migration `travel_versions`). `packed-travel.ts` has the layout.
    pairs: bytes('pairs').notNull(),
  },
  (t) => [primaryKey({ columns: [t.fromLocationId, t.revision] })],
);

/** Counts changes of the demand observations, in the transaction that makes them. Caches compare it. */
export const demandRevision = pgTable(
  'demand_revision',
  { single: boolean('single').primaryKey().default(true), revision: integer('revision').notNull() },
  (t) => [check('demand_revision_single', sql`${t.single}`)],
);

/** An enum, not a text with a check: it sorts from the least urgent to the most urgent. */
export const jobPriority = pgEnum('job_priority', JOB_PRIORITIES);

export const jobs = pgTable(
  'jobs',
  {
    jobId: text('job_id').primaryKey(),
    kind: text('kind', { enum: JOB_KINDS }).notNull().default('optimize'),
    status: text('status', { enum: JOB_STATUSES as [string, ...string[]] }).notNull(),
    requestId: text('request_id').notNull(),
    // If it is large, it stands in for `packed_input` (`packed-json.ts`). Null: it is no longer kept.
    input: jsonText('input'),
    packedInput: bytes('packed_input'),
    // A copy of the locations that the input names, from when the job was accepted: every attempt plans with it.
    locations: jsonText('locations'),
    // The version of stored travel that every attempt plans with; taken by the first one that needs it.
    travelRevision: integer('travel_revision'),
    progress: doublePrecision('progress').notNull().default(0),
    stage: text('stage'),
    incumbent: doublePrecision('incumbent'),
    bound: doublePrecision('bound'),
    gap: doublePrecision('gap'),
    iterations: integer('iterations'),
    solverStatus: text('solver_status', { enum: SOLVER_STATUSES }),
    priority: jobPriority('priority').notNull().default('normal'),
    // Callers take turns with each other, and so do the clients of a caller; see `callerTurns`.
    caller: text('caller').notNull().default('unknown'),
    clientId: text('client_id').notNull().default(''),
    // Facts of the request for the event loop of a worker, so that it never parses all of it.
    facts: jsonb('facts').$type<JobFacts>().notNull().default(sql`'{}'`),
    // Counts every claim. The number makes the writes of an earlier claimant void.
    attempts: integer('attempts').notNull().default(0),
    crashes: integer('crashes').notNull().default(0),
    // A queued job cannot be claimed before this time: back-off after a crash.
    retryAt: time('retry_at'),
    workerId: text('worker_id'),
    heartbeatAt: time('heartbeat_at'),
    cancelRequested: boolean('cancel_requested').notNull().default(false),
    httpStatus: integer('http_status'),
    // If it is large, it stands in for `packed_result`.
    result: jsonText('result'),
    packedResult: bytes('packed_result'),
    idempotencyKey: text('idempotency_key'),
    idempotencyExpiresAt: time('idempotency_expires_at'),
    inputHash: bytes('input_hash').notNull(),
    locationCount: integer('location_count').notNull().default(0),
    vehicleCount: integer('vehicle_count').notNull().default(0),
    // Groups jobs of similar size: both figures rounded up to a power of two. Estimates compare jobs of one class.
    sizeClass: smallint('size_class').generatedAlwaysAs(
      sql`64 * round(log(2.0, location_count + 1)) + round(log(2.0, vehicle_count + 1))`,
    ),
    createdAt: time('created_at').notNull().defaultNow(),
    startedAt: time('started_at'),
    finishedAt: time('finished_at'),
    // The schedule that made it. No foreign key: a job may be kept longer than its schedule.
    scheduleId: text('schedule_id'),
    owner: owner(),
    // `JOB_FORMAT` of the version that stored input and facts. Workers of earlier versions cannot claim it.
    format: smallint('format').notNull().default(1),
  },
  (t) => [
    uniqueIndex('jobs_idempotency_key').on(t.idempotencyKey).where(sql`${t.idempotencyKey} is not null`),
    // The order in which the jobs of one client are claimed.
    index('jobs_waiting')
      .on(t.priority, t.caller, t.clientId, t.createdAt, t.jobId)
      .where(sql`${t.status} = 'queued'`),
    index('jobs_running').on(t.caller, t.priority, t.clientId).where(sql`${t.status} = 'running'`),
    index('jobs_like_size').on(t.kind, t.sizeClass, t.finishedAt).where(sql`${t.status} = 'completed'`),
    index('jobs_finished').on(t.finishedAt, t.jobId).where(sql`${t.finishedAt} is not null`),
    index('jobs_created').on(t.createdAt, t.jobId),
    // For lists by status. It holds ended jobs only, and these grow without limit; each is written once, when it ends.
    index('jobs_status_created')
      .on(t.status, t.createdAt, t.jobId)
      .where(sql`${oneOf(t.status, ENDED_JOB_STATUSES)}`),
    index('jobs_solver_status_created')
      .on(t.solverStatus, t.createdAt, t.jobId)
      .where(sql`${t.solverStatus} is not null`),
    index('jobs_schedule').on(t.scheduleId, t.createdAt, t.jobId).where(sql`${t.scheduleId} is not null`),
    index('jobs_owner').on(t.owner, t.createdAt, t.jobId).where(sql`${t.owner} is not null`),
    // For lists by kind, and of decisions: a kind may be rare.
    index('jobs_kind').on(t.kind, t.createdAt, t.jobId),
    // For lists of an owner, with whom may be rare what others have many of.
    index('jobs_owner_kind').on(t.owner, t.kind, t.createdAt, t.jobId).where(sql`${t.owner} is not null`),
    index('jobs_owner_status')
      .on(t.owner, t.status, t.createdAt, t.jobId)
      .where(sql`${t.owner} is not null and ${oneOf(t.status, ENDED_JOB_STATUSES)}`),
    index('jobs_owner_solver_status')
      .on(t.owner, t.solverStatus, t.createdAt, t.jobId)
      .where(sql`${t.owner} is not null and ${t.solverStatus} is not null`),
    // The oldest version of travel that is still needed.
    index('jobs_travel_revision')
      .on(t.travelRevision)
      .where(sql`${t.finishedAt} is null and ${t.travelRevision} is not null`),
    // Ended jobs that still have their input.
    index('jobs_input').on(t.finishedAt).where(sql`${t.finishedAt} is not null and ${t.input} is not null`),
    check('jobs_status', oneOf(t.status, JOB_STATUSES)),
    check('jobs_kind', oneOf(t.kind, JOB_KINDS)),
    check('jobs_caller', sql`length(${t.caller}) between 1 and 128`),
    check('jobs_client_id', sql`length(${t.clientId}) <= 128`),
    check('jobs_attempts', sql`${t.attempts} >= 0 and ${t.crashes} between 0 and ${t.attempts}`),
    check('jobs_retry', sql`${t.retryAt} is null or ${t.status} = 'queued'`),
    check('jobs_idempotency', areNullTogether(t.idempotencyKey, t.idempotencyExpiresAt)),
    check('jobs_size', sql`${t.locationCount} >= 0 and ${t.vehicleCount} >= 0`),
    check('jobs_solver_status', oneOf(t.solverStatus, SOLVER_STATUSES)),
    check('jobs_progress', sql`${t.progress} between 0 and 1`),
    // An ended job has its answer, HTTP status and time; others have none of them.
    check(
      'jobs_ended',
      allOf(
        sql`(${oneOf(t.status, ENDED_JOB_STATUSES)}) = (${t.finishedAt} is not null)`,
        areNullTogether(t.finishedAt, t.result),
        areNullTogether(t.result, t.httpStatus),
      ),
    ),
  ],
);

const priority = () => jobPriority('priority').notNull();
const seconds = (name: string) => doublePrecision(name).notNull();
/**
 * Virtual time of the queue order: the seconds that each of its callers must have used to have had its share. Never
 * falls.
 */
const virtualSeconds = () => seconds('virtual_seconds').default(0);
const turnColumns = {
  // Seconds of worker time. The caller with the fewest is served next.
  seconds: seconds('seconds'),
  // Charged for the next job when it is claimed: what the last one used.
  expectedSeconds: seconds('expected_seconds').default(1),
  // Among equals the earliest is first.
  since: timestamp('since', { withTimezone: true }).notNull().default(sql`clock_timestamp()`),
  servedAt: time('served_at').notNull().defaultNow(),
};

/** The queue order of a priority. */
export const priorityLines = pgTable('priority_lines', {
  priority: priority().primaryKey(),
  virtualSeconds: virtualSeconds(),
});

/**
 * The callers in the queue order of a priority, by what their jobs used: start-time fair queueing (Goyal, Vin and Cheng
 * 1996). Written by `claim_job` and by the trigger that adds a caller (migration `queue`).
 */
export const callerTurns = pgTable(
  'caller_turns',
  {
    priority: priority(),
    caller: text('caller').notNull(),
    ...turnColumns,
    // The virtual time of its clients' queue order.
    virtualSeconds: virtualSeconds(),
  },
  (t) => [
    primaryKey({ columns: [t.priority, t.caller] }),
    // An index of an expression, so that it serves nothing else: see the migration `queue`.
    index('caller_turns_place').on(sql`hashenum(${t.priority})`, t.seconds, t.since),
    check('caller_turns_expected', sql`${t.expectedSeconds} > 0`),
  ],
);

/** The clients of a caller. They take turns with each other within the caller's share. */
export const clientTurns = pgTable(
  'client_turns',
  {
    priority: priority(),
    caller: text('caller').notNull(),
    clientId: text('client_id').notNull(),
    ...turnColumns,
  },
  (t) => [
    primaryKey({ columns: [t.priority, t.caller, t.clientId] }),
    foreignKey({
      columns: [t.priority, t.caller],
      foreignColumns: [callerTurns.priority, callerTurns.caller],
    }).onDelete('cascade'),
    index('client_turns_place').on(
      sql`hashenum(${t.priority})`,
      sql`(${t.caller} || '')`,
      t.seconds,
      t.since,
    ),
    check('client_turns_expected', sql`${t.expectedSeconds} > 0`),
  ],
);

/**
 * Bytes of the bodies that callers stored as jobs, by day (UTC). A caller has several rows, by connection, so that
 * requests which are stored at once rarely wait for each other.
 */
export const callerBytes = pgTable(
  'caller_bytes',
  {
    caller: text('caller').notNull(),
    day: date('day').notNull(),
    slot: smallint('slot').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.caller, t.day, t.slot] })],
);

/** Workers with a recent heartbeat, and how many jobs each runs at once. */
export const workers = pgTable(
  'workers',
  {
    workerId: text('worker_id').primaryKey(),
    slots: integer('slots').notNull(),
    heartbeatAt: time('heartbeat_at').notNull().defaultNow(),
  },
  (t) => [check('workers_slots', sql`${t.slots} >= 1`)],
);

/** The targets of the previous plan of a job's request: a copy of `planParts`, deleted after the job's end. */
export const jobPrevious = pgTable(
  'job_previous',
  {
    jobId: text('job_id')
      .notNull()
      .references(() => jobs.jobId, { onDelete: 'cascade' }),
    firstOrdinal: integer('first_ordinal').notNull(),
    vehicleIds: text('vehicle_ids').array().notNull(),
    targetLocations: integer('target_locations').array().notNull(),
  },
  (t) => [primaryKey({ columns: [t.jobId, t.firstOrdinal] })],
);

/** The counts of trips that a job plans with, taken by its first attempt, deleted after its end (`trip-pieces.ts`). */
export const jobTrips = pgTable(
  'job_trips',
  {
    jobId: text('job_id')
      .notNull()
      .references(() => jobs.jobId, { onDelete: 'cascade' }),
    piece: integer('piece').notNull(),
    counts: bytes('counts').notNull(),
  },
  (t) => [primaryKey({ columns: [t.jobId, t.piece] })],
);

/** The stored data as the first attempt of a replay read it, deleted after its end (`replay-inputs.ts`). */
export const jobReplays = pgTable('job_replays', {
  jobId: text('job_id')
    .primaryKey()
    .references(() => jobs.jobId, { onDelete: 'cascade' }),
  /** Number of the form of `inputs`. */
  version: integer('version').notNull(),
  inputs: bytes('inputs').notNull(),
});

/** Every attempt of a job and how it ended; kept with the job. */
export const jobAttempts = pgTable(
  'job_attempts',
  {
    jobId: text('job_id')
      .notNull()
      .references(() => jobs.jobId, { onDelete: 'cascade' }),
    attempt: integer('attempt').notNull(),
    workerId: text('worker_id').notNull(),
    startedAt: time('started_at').notNull().defaultNow(),
    endedAt: time('ended_at'),
    outcome: text('outcome', { enum: ATTEMPT_OUTCOMES }),
    reason: text('reason'),
    // [{phase, ms}]: when each phase began, in milliseconds since `started_at`, all on one clock.
    phases: jsonb('phases').$type<PhaseMark[]>(),
    // The seconds that its caller has been charged for it. The first claim after its end corrects that to the time
    // used.
    chargedSeconds: doublePrecision('charged_seconds'),
  },
  (t) => [
    primaryKey({ columns: [t.jobId, t.attempt] }),
    index('job_attempts_charged').on(t.jobId, t.attempt).where(sql`${t.chargedSeconds} is not null`),
    check('job_attempts_attempt', sql`${t.attempt} >= 1`),
    check('job_attempts_outcome', oneOf(t.outcome, ATTEMPT_OUTCOMES)),
    check('job_attempts_ended', sql`(${t.endedAt} is null) = (${t.outcome} is null)`),
    check('job_attempts_phases', sql`jsonb_typeof(${t.phases}) = 'array'`),
  ],
);

/** Inputs of a decision, collected once: every attempt of its job plans with them. `plans` has its plan. */
export const decisions = pgTable(
  'decisions',
  {
    decisionId: text('decision_id')
      .primaryKey()
      .references(() => jobs.jobId, { onDelete: 'cascade' }),
    createdAt: time('created_at').notNull().defaultNow(),
    startDate: date('start_date').notNull(),
    // The hour of that day, on the clock of the service; 0: midnight of each location.
    startHour: integer('start_hour').notNull().default(0),
    // The time at which the plan's day begins.
    timeZone: text('time_zone').notNull(),
    horizonHours: integer('horizon_hours').notNull(),
    stepHours: integer('step_hours').notNull(),
    vehicleCount: integer('vehicle_count').notNull(),
    leftOutCount: integer('left_out_count').notNull(),
    request: jsonText('request').notNull(),
    fleet: jsonText('fleet').notNull(),
    risk: jsonText('risk').notNull(),
    forecast: jsonText('forecast').notNull(),
    locations: jsonText('locations'),
  },
  (t) => [
    check('decisions_start_hour', sql`${t.startHour} between 0 and 23`),
    check('decisions_vehicles', sql`${t.leftOutCount} between 0 and ${t.vehicleCount}`),
  ],
);

export const plans = pgTable(
  'plans',
  {
    planId: text('plan_id').primaryKey(),
    // No foreign key to jobs: a plan may be kept longer than the record of its job (see src/db/service/retention.ts).
    jobId: text('job_id').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    solverStatus: text('solver_status', { enum: ['optimal', 'feasible'] }).notNull(),
    gap: doublePrecision('gap'),
    totalCost: doublePrecision('total_cost').notNull(),
    demandCoverage: doublePrecision('demand_coverage').notNull(),
    utilization: doublePrecision('utilization').notNull(),
    rebalancedCount: integer('rebalanced_count').notNull(),
    totalDistanceKm: doublePrecision('total_distance_km'),
    // Null without stored travel, or if a move's minutes are unknown.
    totalMinutes: doublePrecision('total_minutes'),
    unmetDemand: doublePrecision('unmet_demand').notNull(),
    // null: unmet demand has no cost.
    unmetDemandCost: doublePrecision('unmet_demand_cost'),
    vehicleCount: integer('vehicle_count').notNull(),
    solveTimeMs: doublePrecision('solve_time_ms').notNull(),
    certificate: jsonText('certificate').notNull(),
    // Other fields of the answer: shortfall, stages, … (`plan-record.ts`). Null: none.
    // Insights have a column of their own: the views read the others, and insights are large.
    findings: jsonText('findings'),
    insights: jsonText('insights'),
    // The locations that vehicles leave or enter, for searches.
    movedLocations: integer('moved_locations').array().notNull().default(NONE),
    // All locations of the problem, ascending, an array per figure (`plan-record.ts`). The names are those at the time
    // of the request: a location may be renamed or deleted later.
    locationIds: integer('location_ids').array().notNull().default(NONE),
    locationNames: text('location_names').array().notNull().default(NONE),
    locationDemands: doublePrecision('location_demands').array().notNull().default(NONE),
    locationVehiclesBefore: integer('location_vehicles_before').array().notNull().default(NONE),
    locationVehiclesAfter: integer('location_vehicles_after').array().notNull().default(NONE),
    locationCapacities: doublePrecision('location_capacities').array().notNull().default(NONE),
    locationServed: doublePrecision('location_served').array().notNull().default(NONE),
    // Null if no location has one above 0.
    locationPriorities: smallint('location_priorities').array(),
    // The speed of moves whose minutes are not known, in the outlook, for departures and by the clock.
    speedKmh: doublePrecision('speed_kmh').notNull().default(DEFAULT_SPEED_KMH),
    // Pairs of locations that vehicles move between, and their distance; null if it is unknown.
    moveSources: integer('move_sources').array(),
    moveTargets: integer('move_targets').array(),
    moveKm: doublePrecision('move_km').array(),
    // Minutes of stored travel, also if the plan was made without it. Null if all are unknown; an element is null if
    // those of its pair are.
    moveMinutes: doublePrecision('move_minutes').array(),
    owner: owner(),
    // The schedule of its job. A plan may be kept longer than its job and the occurrence.
    scheduleId: text('schedule_id'),
  },
  (t) => [
    // One job, one plan: the last safeguard against a second worker.
    uniqueIndex('plans_job').on(t.jobId),
    index('plans_created').on(t.createdAt, t.planId),
    index('plans_owner').on(t.owner, t.createdAt, t.planId).where(sql`${t.owner} is not null`),
    index('plans_schedule').on(t.scheduleId, t.createdAt, t.planId).where(sql`${t.scheduleId} is not null`),
    index('plans_cost').on(t.totalCost),
    index('plans_coverage').on(t.demandCoverage),
    index('plans_moved_locations').using('gin', t.movedLocations),
    check('plans_solver_status', oneOf(t.solverStatus, ['optimal', 'feasible'])),
    check(
      'plans_locations',
      asLongAs(t.locationIds, [
        t.locationNames,
        t.locationDemands,
        t.locationVehiclesBefore,
        t.locationVehiclesAfter,
        t.locationCapacities,
        t.locationServed,
      ]),
    ),
    check('plans_location_priorities', haveSameLength(t.locationPriorities, t.locationIds)),
    check('plans_moves', asLongAs(t.moveSources, [t.moveTargets, t.moveKm])),
    check('plans_move_minutes', haveSameLength(t.moveMinutes, t.moveSources)),
  ],
);

/**
 * The vehicles of plans, a thousand to a row (`plan-record.ts`), in the order of the request. A vehicle stays if its
 * two locations are the same.
 */
export const planParts = pgTable(
  'plan_parts',
  {
    // No foreign key to plans: one statement stores parts with their plan, and `removed_plans` leads to those to
    // delete.
    planId: text('plan_id').notNull(),
    firstOrdinal: integer('first_ordinal').notNull(),
    vehicleIds: text('vehicle_ids').array().notNull(),
    // No foreign key to locations: `network` may name locations that are not stored.
    sourceLocations: integer('source_locations').array().notNull(),
    targetLocations: integer('target_locations').array().notNull(),
    costs: doublePrecision('costs').array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.planId, t.firstOrdinal] }),
    check(
      'plan_parts_lengths',
      allOf(
        haveSameLength(t.vehicleIds, t.sourceLocations),
        haveSameLength(t.vehicleIds, t.targetLocations),
        haveSameLength(t.vehicleIds, t.costs),
      ),
    ),
  ],
);

/** Deleted plans whose parts still have to be deleted, a batch at a time. */
export const removedPlans = pgTable('removed_plans', { planId: text('plan_id').primaryKey() });

/** Replays that have ended, with what they found. Their rows are stored with the answers of their jobs. */
export const replays = pgTable(
  'replays',
  {
    replayId: text('replay_id').primaryKey(),
    requestId: text('request_id').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    // The part of `data` that lists show.
    summary: jsonText('summary').notNull(),
    // The answer: `ReplayData`.
    data: jsonText('data').notNull(),
    owner: owner(),
  },
  (t) => [
    index('replays_created').on(t.createdAt, t.replayId),
    index('replays_owner').on(t.owner, t.createdAt, t.replayId).where(sql`${t.owner} is not null`),
  ],
);

/** Decisions that are made at certain times. */
export const schedules = pgTable(
  'schedules',
  {
    scheduleId: text('schedule_id').primaryKey(),
    name: text('name').notNull(),
    cron: text('cron').notNull(),
    timeZone: text('time_zone').notNull(),
    missed: text('missed', { enum: MISSED_POLICIES }).notNull(),
    // The first occurrence that is not in `schedule_occurrences` yet; null while it is paused.
    nextAt: time('next_at'),
    // Why a worker paused it; null if a caller did, or if it is not paused.
    pausedBecause: text('paused_because'),
    // The job of an occurrence: columns as in `jobs`.
    input: jsonText('input').notNull(),
    inputHash: bytes('input_hash').notNull(),
    facts: jsonb('facts').$type<JobFacts>().notNull(),
    priority: priority(),
    caller: text('caller').notNull(),
    clientId: text('client_id').notNull(),
    locationCount: integer('location_count').notNull(),
    vehicleCount: integer('vehicle_count').notNull(),
    // Its jobs have it, whichever version makes them.
    format: smallint('format').notNull().default(1),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
    owner: owner(),
  },
  (t) => [
    unique('schedules_name').on(t.name),
    index('schedules_next').on(t.nextAt).where(sql`${t.nextAt} is not null`),
    check('schedules_name_length', between(sql`char_length(${t.name})`, 1, MAX_NAME_LENGTH)),
    check('schedules_missed', oneOf(t.missed, MISSED_POLICIES)),
  ],
);

/**
 * The occurrences of schedules that have been decided on. The key is the last safeguard against a second job for one:
 * a row and its job are stored in one statement.
 */
export const scheduleOccurrences = pgTable(
  'schedule_occurrences',
  {
    scheduleId: text('schedule_id')
      .notNull()
      .references(() => schedules.scheduleId, { onDelete: 'cascade' }),
    dueAt: time('due_at').notNull(),
    outcome: text('outcome', { enum: OCCURRENCE_OUTCOMES }).notNull(),
    // No foreign key: the record of a job may be deleted first.
    jobId: text('job_id'),
    decidedAt: time('decided_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.scheduleId, t.dueAt] }),
    uniqueIndex('schedule_occurrences_job').on(t.jobId).where(sql`${t.jobId} is not null`),
    index('schedule_occurrences_decided').on(t.decidedAt),
    check('schedule_occurrences_outcome', oneOf(t.outcome, OCCURRENCE_OUTCOMES)),
    check('schedule_occurrences_job_id', sql`(${t.jobId} is not null) = (${t.outcome} = 'job')`),
  ],
);

/**
 * Requests of callers in the present window (`RATE_LIMITS` without Redis), written by `rate-limiter-flexible`. The
 * table is unlogged: a crash of PostgreSQL forgets them.
 */
export const requestCounts = pgTable('request_counts', {
  key: varchar('key', { length: 255 }).primaryKey(),
  points: integer('points').notNull().default(0),
  expire: bigint('expire', { mode: 'number' }),
});

/** API keys (`AUTH`). Only a hash of a key's secret is stored. */
export const apiKeys = pgTable(
  'api_keys',
  {
    keyId: text('key_id').primaryKey(),
    secretHash: bytes('secret_hash').notNull(),
    name: text('name').notNull(),
    role: text('role', { enum: ROLES }).notNull(),
    tier: text('tier', { enum: TIERS }).notNull(),
    // The owner of its jobs. A key that replaces another one has the owner of that.
    owner: text('owner').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    // To the hour: a key in use is written once an hour.
    lastUsedAt: time('last_used_at'),
    revokedAt: time('revoked_at'),
  },
  (t) => [
    check('api_keys_name', between(sql`char_length(${t.name})`, 1, MAX_NAME_LENGTH)),
    check('api_keys_secret_hash', sql`octet_length(${t.secretHash}) = 32`),
    check('api_keys_role', oneOf(t.role, ROLES)),
    check('api_keys_tier', oneOf(t.tier, TIERS)),
  ],
);

/**
 * Requests that may have changed something (`AUDIT`), written before they are carried out. An entry without a status is
 * under way, or its process was killed.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    auditId: text('audit_id').primaryKey(),
    at: time('at').notNull().default(sql`clock_timestamp()`),
    actor: text('actor').notNull(),
    keyId: text('key_id'),
    address: text('address'),
    operation: text('operation').notNull(),
    method: text('method'),
    path: text('path'),
    resourceId: text('resource_id'),
    jobId: text('job_id'),
    requestId: text('request_id'),
    httpStatus: integer('http_status'),
  },
  (t) => [
    index('audit_log_at').on(t.at, t.auditId),
    index('audit_log_actor').on(t.actor, t.at, t.auditId),
    index('audit_log_operation').on(t.operation, t.at, t.auditId),
  ],
);

/** Receivers of events, and the events that each is told. */
export const storedWebhooks = pgTable(
  'webhooks',
  {
    webhookId: text('webhook_id').primaryKey(),
    url: text('url').notNull(),
    events: text('events', { enum: WEBHOOK_EVENTS }).array().notNull(),
    description: text('description').notNull().default(''),
    active: boolean('active').notNull().default(true),
    // Why the service switched it off; null if it did not.
    switchedOffBecause: text('switched_off_because'),
    // Both sign for a while after a change of the secret: receivers may know either.
    secret: bytes('secret').notNull(),
    previousSecret: bytes('previous_secret'),
    previousSecretUntil: time('previous_secret_until'),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (t) => [
    check('webhooks_url', between(sql`char_length(${t.url})`, 1, MAX_WEBHOOK_URL_LENGTH)),
    check(
      'webhooks_description',
      between(sql`char_length(${t.description})`, 0, MAX_WEBHOOK_DESCRIPTION_LENGTH),
    ),
    check('webhooks_events', sql`cardinality(${t.events}) > 0`),
    check('webhooks_previous_secret', areNullTogether(t.previousSecret, t.previousSecretUntil)),
  ],
);

/**
 * Events to be sent, one row per event and webhook: the statement that makes an event happen writes it. A row is
 * claimed by moving `next_at`, so it is due again if the one who claimed it dies.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    deliveryId: text('delivery_id').primaryKey(),
    // No foreign key: the end of a job must never wait for the removal of a webhook, or fail because of it.
    webhookId: text('webhook_id').notNull(),
    event: text('event', { enum: WEBHOOK_EVENTS }).notNull(),
    jobId: text('job_id').notNull(),
    data: jsonText('data').notNull(),
    status: text('status', { enum: DELIVERY_STATUSES }).notNull().default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    createdAt: time('created_at').notNull().defaultNow(),
    nextAt: time('next_at').notNull().defaultNow(),
    retryUntil: time('retry_until').notNull().default(sql`now() + interval '1 day'`),
    endedAt: time('ended_at'),
    lastAttemptAt: time('last_attempt_at'),
    lastHttpStatus: integer('last_http_status'),
    lastAnswer: text('last_answer'),
    lastError: text('last_error'),
  },
  (t) => [
    index('webhook_deliveries_due').on(t.webhookId, t.nextAt).where(sql`${t.status} = 'waiting'`),
    index('webhook_deliveries_list').on(t.webhookId, t.createdAt, t.deliveryId),
    index('webhook_deliveries_created').on(t.createdAt),
    // For lists by status: nearly all are delivered, or, of a receiver that is away, none.
    index('webhook_deliveries_open')
      .on(t.webhookId, t.status, t.createdAt, t.deliveryId)
      .where(sql`${t.status} <> 'delivered'`),
    index('webhook_deliveries_delivered')
      .on(t.webhookId, t.createdAt, t.deliveryId)
      .where(sql`${t.status} = 'delivered'`),
    check('webhook_deliveries_status', oneOf(t.status, DELIVERY_STATUSES)),
    check('webhook_deliveries_ended', sql`(${t.endedAt} is null) = (${t.status} = 'waiting')`),
  ],
);

/**
 * Migrations, by their time in `migrations/meta/_journal.json`, that a version must know to run on this database: a
 * step that takes something away adds the one after which nothing used it.
 */
export const schemaNeeds = pgTable('schema_needs', {
  migration: bigint('migration', { mode: 'number' }).primaryKey(),
});

/** Locks of what processes do one at a time: a row per lock, written by the migration `tables` only (`locks.ts`). */
export const serviceLocks = pgTable('service_locks', {
  name: text('name').$type<ServiceLock>().primaryKey(),
});

/** The work that processes of the service do one at a time. */
export type ServiceLock =
  // claims of jobs, and what tidies their order
  | 'claims'
  // a batch of what retention removes
  | 'cleaning'
  | 'schedules'
  | 'webhooks'
  // packing travel, so that none packs what another one packs
  | 'travel_packs'
  // shared by those who take a version; whoever deletes packs excludes them
  | 'travel_versions';

/**
 * The secret that encrypts events between processes (`queue/encrypted-events.ts`). The migration `tables` makes its row
 * of two random UUIDs, which PostgreSQL takes from the system's source of randomness: 244 bits.
 */
export const eventSecret = pgTable(
  'event_secret',
  { single: boolean('single').primaryKey().default(true), secret: bytes('secret').notNull() },
  (t) => [check('event_secret_single', sql`${t.single}`)],
);
