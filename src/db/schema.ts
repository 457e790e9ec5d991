import { type SQL, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { ATTEMPT_OUTCOMES, ENDED_JOB_STATUSES, JOB_KINDS, JOB_STATUSES } from '../contracts/jobs.ts';
import { SOLVER_STATUSES } from '../contracts/optimize.ts';
import { JOB_PRIORITIES } from '../contracts/priorities.ts';
import { VEHICLE_STATUSES } from '../contracts/vehicles.ts';

/** JSON kept as the text that was sent: stored once, handed out without parsing. */
const jsonText = customType<{ data: string; driverData: string }>({ dataType: () => 'json' });
const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** The beginning of a phase of an attempt, in milliseconds since its claim. */
export type PhaseMark = { phase: string; ms: number };

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const oneOf = (column: SQL | unknown, values: readonly string[]) =>
  sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`;

export const locations = pgTable(
  'locations',
  {
    id: integer('id').primaryKey(),
    name: text('name').notNull(),
    latitude: doublePrecision('latitude').notNull(),
    longitude: doublePrecision('longitude').notNull(),
    timeZone: text('time_zone'),
  },
  (t) => [
    check('locations_latitude', sql`${t.latitude} between -90 and 90`),
    check('locations_longitude', sql`${t.longitude} between -180 and 180`),
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
  },
  (t) => [
    index('vehicles_location').on(t.locationId),
    check('vehicles_status', oneOf(t.status, VEHICLE_STATUSES)),
    check('vehicles_capacity', sql`${t.capacity} > 0`),
    check('vehicles_utilization_rate', sql`${t.utilizationRate} between 0 and 1`),
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
    // Its index carries the demand as well (migration observations_key): Drizzle has no word for INCLUDE.
    primaryKey({ columns: [t.locationId, t.hour] }),
    check('demand_observations_demand', sql`${t.demand} >= 0 and ${t.demand} < 'Infinity'`),
    check('demand_observations_hour', sql`${t.hour} = date_trunc('hour', ${t.hour}, 'UTC')`),
  ],
);

/** Counts changes of the demand observations, in the transaction that makes them: caches compare it. */
export const demandRevision = pgTable(
  'demand_revision',
  { single: boolean('single').primaryKey().default(true), revision: integer('revision').notNull() },
  (t) => [check('demand_revision_single', sql`${t.single}`)],
);

/** An enum, not a text with a check: it sorts from the least urgent to the most. */
export const jobPriority = pgEnum('job_priority', JOB_PRIORITIES);

export const jobs = pgTable(
  'jobs',
  {
    jobId: text('job_id').primaryKey(),
    kind: text('kind', { enum: JOB_KINDS }).notNull().default('optimize'),
    status: text('status', { enum: JOB_STATUSES as [string, ...string[]] }).notNull(),
    requestId: text('request_id').notNull(),
    input: jsonText('input'),
    // The locations that the input names, as they were when the job was accepted: every attempt plans with the same.
    locations: jsonText('locations'),
    progress: doublePrecision('progress').notNull().default(0),
    stage: text('stage'),
    incumbent: doublePrecision('incumbent'),
    bound: doublePrecision('bound'),
    gap: doublePrecision('gap'),
    iterations: integer('iterations'),
    solverStatus: text('solver_status', { enum: SOLVER_STATUSES }),
    priority: jobPriority('priority').notNull().default('normal'),
    // Whose turn it is among the jobs of a priority: see `insertJob`.
    caller: text('caller').notNull().default('unknown'),
    turn: bigint('turn', { mode: 'number' }).notNull().default(0),
    // Counts every claim: the number that makes the writes of an earlier claimant void.
    attempts: integer('attempts').notNull().default(0),
    crashes: integer('crashes').notNull().default(0),
    // A queued job is not claimed before this time: back-off after a crash.
    retryAt: time('retry_at'),
    workerId: text('worker_id'),
    heartbeatAt: time('heartbeat_at'),
    cancelRequested: boolean('cancel_requested').notNull().default(false),
    httpStatus: integer('http_status'),
    result: jsonText('result'),
    idempotencyKey: text('idempotency_key'),
    idempotencyExpiresAt: time('idempotency_expires_at'),
    inputHash: bytes('input_hash').notNull(),
    locationCount: integer('location_count'),
    vehicleCount: integer('vehicle_count'),
    // Jobs of like size, to the next power of two of both figures: what estimates are made from.
    sizeClass: smallint('size_class').generatedAlwaysAs(
      sql`64 * round(log(2.0, location_count + 1)) + round(log(2.0, vehicle_count + 1))`,
    ),
    createdAt: time('created_at').notNull().defaultNow(),
    startedAt: time('started_at'),
    finishedAt: time('finished_at'),
  },
  (t) => [
    uniqueIndex('jobs_idempotency_key').on(t.idempotencyKey).where(sql`${t.idempotencyKey} is not null`),
    // The line, in the order in which jobs are claimed.
    index('jobs_queue')
      .on(t.priority.desc().nullsFirst(), t.turn, t.createdAt, t.jobId)
      .where(sql`${t.status} = 'queued'`),
    index('jobs_running').on(t.priority, t.turn).where(sql`${t.status} = 'running'`),
    // The last turn that a caller has taken.
    index('jobs_turn').on(t.priority, t.caller, t.turn).where(sql`${t.status} in ('queued', 'running')`),
    index('jobs_like_size').on(t.kind, t.sizeClass, t.finishedAt).where(sql`${t.status} = 'completed'`),
    index('jobs_finished').on(t.finishedAt, t.jobId).where(sql`${t.finishedAt} is not null`),
    index('jobs_created').on(t.createdAt, t.jobId),
    // Lists by status: of the ended ones, which grow without end; each is written once, when the job ends.
    index('jobs_status_created')
      .on(t.status, t.createdAt, t.jobId)
      .where(sql`${oneOf(t.status, ENDED_JOB_STATUSES)}`),
    index('jobs_solver_status_created')
      .on(t.solverStatus, t.createdAt, t.jobId)
      .where(sql`${t.solverStatus} is not null`),
    // Ended jobs whose input is still there.
    index('jobs_input').on(t.finishedAt).where(sql`${t.finishedAt} is not null and ${t.input} is not null`),
    check('jobs_status', oneOf(t.status, JOB_STATUSES)),
    check('jobs_kind', oneOf(t.kind, JOB_KINDS)),
    check('jobs_caller', sql`length(${t.caller}) between 1 and 128`),
    check('jobs_turn_number', sql`${t.turn} >= 0`),
    check('jobs_attempts', sql`${t.attempts} >= 0 and ${t.crashes} between 0 and ${t.attempts}`),
    check('jobs_retry', sql`${t.retryAt} is null or ${t.status} = 'queued'`),
    check('jobs_idempotency', sql`(${t.idempotencyKey} is null) = (${t.idempotencyExpiresAt} is null)`),
    check('jobs_size', sql`${t.locationCount} >= 0 and ${t.vehicleCount} >= 0`),
    check('jobs_solver_status', oneOf(t.solverStatus, SOLVER_STATUSES)),
    check('jobs_progress', sql`${t.progress} between 0 and 1`),
    // Ended means: the answer is there, once, with its status and time.
    check(
      'jobs_ended',
      sql`(${oneOf(t.status, ENDED_JOB_STATUSES)}) = (${t.finishedAt} is not null) and (${t.finishedAt} is null) = (${t.result} is null) and (${t.result} is null) = (${t.httpStatus} is null)`,
    ),
  ],
);

/** Every time a worker claimed a job, and how that ended; kept with the job. */
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
    // [{phase, ms}]: when each phase began, in milliseconds since `started_at`; one clock, no skew.
    phases: jsonb('phases').$type<PhaseMark[]>(),
  },
  (t) => [
    primaryKey({ columns: [t.jobId, t.attempt] }),
    check('job_attempts_attempt', sql`${t.attempt} >= 1`),
    check('job_attempts_outcome', oneOf(t.outcome, ATTEMPT_OUTCOMES)),
    check('job_attempts_ended', sql`(${t.endedAt} is null) = (${t.outcome} is null)`),
    check('job_attempts_phases', sql`jsonb_typeof(${t.phases}) = 'array'`),
  ],
);

/** What a decision is made from, taken once: every attempt of its job plans with it. Its plan stands in `plans`. */
export const decisions = pgTable(
  'decisions',
  {
    decisionId: text('decision_id')
      .primaryKey()
      .references(() => jobs.jobId, { onDelete: 'cascade' }),
    createdAt: time('created_at').notNull().defaultNow(),
    startDate: date('start_date').notNull(),
    vehicleCount: integer('vehicle_count').notNull(),
    leftOutCount: integer('left_out_count').notNull(),
    request: jsonText('request').notNull(),
    fleet: jsonText('fleet').notNull(),
    risk: jsonText('risk').notNull(),
    forecast: jsonText('forecast').notNull(),
    locations: jsonText('locations'),
  },
  (t) => [
    index('decisions_created').on(t.createdAt, t.decisionId),
    check('decisions_vehicles', sql`${t.leftOutCount} between 0 and ${t.vehicleCount}`),
  ],
);

export const plans = pgTable(
  'plans',
  {
    planId: text('plan_id').primaryKey(),
    // No foreign key to jobs: a plan may be kept longer than the record of its job (see src/db/retention.ts).
    jobId: text('job_id').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    solverStatus: text('solver_status', { enum: ['optimal', 'feasible'] }).notNull(),
    gap: doublePrecision('gap'),
    totalCost: doublePrecision('total_cost').notNull(),
    demandCoverage: doublePrecision('demand_coverage').notNull(),
    utilization: doublePrecision('utilization').notNull(),
    rebalancedCount: integer('rebalanced_count').notNull(),
    totalDistanceKm: doublePrecision('total_distance_km'),
    unmetDemand: doublePrecision('unmet_demand').notNull(),
    vehicleCount: integer('vehicle_count').notNull(),
    solveTimeMs: doublePrecision('solve_time_ms').notNull(),
    certificate: jsonText('certificate').notNull(),
    // The locations that vehicles leave or come to: what plans are searched by.
    movedLocations: integer('moved_locations').array().notNull().default(sql`'{}'`),
  },
  (t) => [
    // One job, one plan: the last line of defence against a second worker.
    uniqueIndex('plans_job').on(t.jobId),
    index('plans_created').on(t.createdAt, t.planId),
    index('plans_cost').on(t.totalCost),
    index('plans_coverage').on(t.demandCoverage),
    index('plans_moved_locations').using('gin', t.movedLocations),
    check('plans_solver_status', oneOf(t.solverStatus, ['optimal', 'feasible'])),
  ],
);

/** The vehicles of plans, a thousand to a row (`plan-record.ts`), in the order of the request. A vehicle whose two locations are one stays. */
export const planParts = pgTable(
  'plan_parts',
  {
    // No foreign key to plans: parts are stored by the statement that stores their plan, and are removed by way of `removed_plans`.
    planId: text('plan_id').notNull(),
    firstOrdinal: integer('first_ordinal').notNull(),
    vehicleIds: text('vehicle_ids').array().notNull(),
    // No foreign key to locations: `network` may bring locations that are not stored.
    sourceLocations: integer('source_locations').array().notNull(),
    targetLocations: integer('target_locations').array().notNull(),
    costs: doublePrecision('costs').array().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.planId, t.firstOrdinal] }),
    check(
      'plan_parts_lengths',
      sql`cardinality(${t.vehicleIds}) = cardinality(${t.sourceLocations}) and cardinality(${t.vehicleIds}) = cardinality(${t.targetLocations}) and cardinality(${t.vehicleIds}) = cardinality(${t.costs})`,
    ),
  ],
);

/** Plans that are gone and whose parts are still to be deleted, a batch at a time. */
export const removedPlans = pgTable('removed_plans', { planId: text('plan_id').primaryKey() });
