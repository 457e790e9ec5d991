import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { JobStatus } from '../../contracts/jobs.ts';
import type { Database, Queryable } from '../client.ts';
import { type Attempt, holdJob } from '../jobs/job-claims.ts';
import { ownedBy } from '../owner.ts';
import { decisions, jobs, plans } from '../schema.ts';
import { storeJobTrips } from '../travel/trip-pieces.ts';

/** The inputs of a decision; lists and objects are JSON text. */
export type StoredInputs = {
  startDate: string;
  /** 0 … 23, of that day */
  startHour: number;
  /** in which a day begins at midnight */
  timeZone: string;
  horizonHours: number;
  stepHours: number;
  vehicleCount: number;
  leftOutCount: number;
  /** the body of the request, without the fleet */
  request: string;
  fleet: string;
  risk: string;
  forecast: string;
  /** the stored locations that it names; null if the request has a network */
  locations: string | null;
};

/**
 * Stores the inputs of a decision, and the counts of trips that it plans with, if the attempt is still the caller's
 * own. From then on every attempt plans with them.
 * @returns false if another worker has the job; nothing is stored
 */
export async function insertDecision(
  db: Database,
  attempt: Attempt,
  inputs: StoredInputs,
  trips: readonly Uint8Array[] | null,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await holdJob(tx, attempt))) return false;
    // They are stored already if the connection was lost after they were, and this is the repetition.
    await tx
      .insert(decisions)
      .values({ decisionId: attempt.jobId, ...inputs })
      .onConflictDoNothing();
    if (trips) await storeJobTrips(tx, attempt.jobId, trips);
    return true;
  });
}

const { decisionId, createdAt, startDate, startHour, timeZone, horizonHours, stepHours } =
  getTableColumns(decisions);
const { vehicleCount, leftOutCount } = getTableColumns(decisions);
const text = (column: unknown) => sql<string>`${column}::text`;

/** The stored inputs of a decision, or undefined if there are none. */
export async function readDecisionInputs(db: Queryable, id: string) {
  const [row] = await db
    .select({
      takenAt: createdAt,
      startDate,
      startHour,
      timeZone,
      horizonHours,
      stepHours,
      vehicleCount,
      leftOutCount,
      request: text(decisions.request),
      fleet: text(decisions.fleet),
      risk: text(decisions.risk),
      forecast: text(decisions.forecast),
      locations: sql<string | null>`${decisions.locations}::text`,
    })
    .from(decisions)
    .where(eq(decisionId, id));
  return row satisfies StoredInputs | undefined;
}

/** When the inputs of a decision were collected, or undefined if they have not been. */
export async function readTakenAt(db: Queryable, id: string): Promise<Date | undefined> {
  const [row] = await db.select({ takenAt: createdAt }).from(decisions).where(eq(decisionId, id));
  return row?.takenAt;
}

/** The parts of the inputs that are JSON, in the order of the answer. */
export const DECISION_PARTS = ['request', 'fleet', 'risk', 'forecast', 'locations'] as const;

/**
 * One part of the stored inputs as JSON text. A part may have tens of megabytes, so they are read one at a time.
 * @throws Error if the decision is no longer stored
 */
export async function readDecisionPart(
  db: Queryable,
  id: string,
  part: (typeof DECISION_PARTS)[number],
): Promise<string> {
  const [row] = await db
    .select({ part: text(decisions[part]) })
    .from(decisions)
    .where(eq(decisionId, id));
  if (!row) throw new Error(`the inputs of ${id} have been deleted in the meantime`);
  return row.part ?? 'null';
}

/**
 * Decisions whose inputs have been collected, newest first: an index of the jobs has them in this order, also those of
 * an owner. `before` as in `readJobPage`, `owner` as in `readJob`.
 */
export async function readDecisionPage(
  db: Queryable,
  before: [createdAt: string, decisionId: string] | null,
  limit: number,
  owner?: string,
) {
  // Both are looked up by the job. For a join, the planner might read all of them: it expects that few jobs have any.
  const inputs = db
    .select({
      mode: sql<'static' | 'horizon'>`coalesce(${decisions.request} ->> 'mode', 'static')`.as('mode'),
      startDate,
      startHour,
      vehicleCount,
      leftOutCount,
    })
    .from(decisions)
    .where(eq(decisionId, jobs.jobId))
    .limit(1)
    .as('inputs');
  const { planId, totalCost, demandCoverage } = plans;
  const plan = db
    .select({ planId, totalCost, demandCoverage })
    .from(plans)
    .where(eq(plans.jobId, jobs.jobId))
    .limit(1)
    .as('plan');
  return db
    .select({
      decisionId: jobs.jobId,
      mode: inputs.mode,
      startDate: inputs.startDate,
      startHour: inputs.startHour,
      vehicleCount: inputs.vehicleCount,
      leftOutCount: inputs.leftOutCount,
      status: sql<JobStatus>`${jobs.status}`,
      solverStatus: jobs.solverStatus,
      createdAt: jobs.createdAt,
      finishedAt: jobs.finishedAt,
      planId: plan.planId,
      totalCost: plan.totalCost,
      demandCoverage: plan.demandCoverage,
    })
    .from(jobs)
    .crossJoinLateral(inputs)
    .leftJoinLateral(plan, sql`true`)
    .where(
      and(
        ownedBy(jobs.owner, owner),
        eq(jobs.kind, 'decision'),
        before
          ? sql`(${jobs.createdAt}, ${jobs.jobId}) < (${before[0]}::timestamptz, ${before[1]})`
          : undefined,
      ),
    )
    .orderBy(desc(jobs.createdAt), desc(jobs.jobId))
    .limit(limit);
}
