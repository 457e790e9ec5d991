import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../src/config.ts';
import type { Database } from '../../src/db/client.ts';
import { deleteCallerBytes } from '../../src/db/jobs/caller-bytes.ts';
import { deleteJobPrevious } from '../../src/db/jobs/job-previous.ts';
import { deleteReplayInputs } from '../../src/db/plans/replay-inputs.ts';
import { deleteOccurrences } from '../../src/db/schedules/schedules.ts';
import {
  type CleanBatch,
  cleanAlone,
  deleteAuditEntries,
  deleteDeliveries,
  deleteJobs,
  deletePlanParts,
  deletePlans,
  deleteReplays,
  dropInputs,
} from '../../src/db/service/retention.ts';
import { deleteTravelPacks } from '../../src/db/travel/travel-packs.ts';
import { deleteJobTrips } from '../../src/db/travel/trip-pieces.ts';

export type RetentionDeps = { config: Config; db: Database; logger: Logger };

/** Rows of a batch. An input or an answer may have ten megabytes, a part of a plan a few tens of kilobytes. */
const JOBS_PER_BATCH = 50;
const PLANS_PER_BATCH = 100;
const PARTS_PER_BATCH = 100;
const OCCURRENCES_PER_BATCH = 1000;
const DELIVERIES_PER_BATCH = 1000;
const CALLERS_PER_BATCH = 1000;
const AUDIT_PER_BATCH = 1000;
/** Rows of up to 100 kB each. */
const PACKS_PER_BATCH = 500;

/**
 * After each batch, pause for as long as it took, and at least this long: cleaning uses at most half of one connection.
 */
const MIN_PAUSE_MS = 20;

type Step = { name: string; clean: CleanBatch; limit: number };

/**
 * Deletes data older than the settings say (0 days: kept forever), in small batches with pauses, until nothing is left
 * to delete. Only one worker at a time works on a batch. A worker that finds another one at it leaves the rest to it.
 * @param signal ends the work after the current batch
 */
export async function applyRetention(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const counts: Record<string, number> = {};
  try {
    await runSteps(deps.db, stepsOf(deps.config), counts, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    if (Object.keys(counts).length > 0) deps.logger.info(counts, 'retention');
  }
}

function stepsOf(config: Config): Step[] {
  const { RETENTION_INPUT_DAYS: inputs, RETENTION_PLAN_DAYS: plans, RETENTION_JOB_DAYS: jobs } = config;
  const parts: Step = { name: 'plan_parts', clean: deletePlanParts, limit: PARTS_PER_BATCH };
  return [
    // Also if plans are kept forever: an earlier setting may have left parts of deleted plans.
    parts,
    { name: 'travel_packs', clean: deleteTravelPacks, limit: PACKS_PER_BATCH },
    { name: 'job_previous', clean: deleteJobPrevious, limit: JOBS_PER_BATCH },
    { name: 'job_trips', clean: deleteJobTrips, limit: JOBS_PER_BATCH },
    { name: 'job_replays', clean: deleteReplayInputs, limit: JOBS_PER_BATCH },
    { name: 'caller_bytes', clean: deleteCallerBytes, limit: CALLERS_PER_BATCH },
    {
      name: 'webhook_deliveries',
      clean: deleteDeliveries(config.RETENTION_WEBHOOK_DAYS),
      limit: DELIVERIES_PER_BATCH,
    },
    ...(config.RETENTION_AUDIT_DAYS > 0
      ? [
          {
            name: 'audit_log',
            clean: deleteAuditEntries(config.RETENTION_AUDIT_DAYS),
            limit: AUDIT_PER_BATCH,
          },
        ]
      : []),
    ...(plans > 0
      ? [
          { name: 'plans', clean: deletePlans(plans), limit: PLANS_PER_BATCH },
          parts,
          { name: 'replays', clean: deleteReplays(plans), limit: JOBS_PER_BATCH },
        ]
      : []),
    ...(jobs > 0
      ? [
          { name: 'jobs', clean: deleteJobs(jobs), limit: JOBS_PER_BATCH },
          { name: 'schedule_occurrences', clean: deleteOccurrences(jobs), limit: OCCURRENCES_PER_BATCH },
        ]
      : []),
    ...(inputs > 0 ? [{ name: 'inputs', clean: dropInputs(inputs), limit: JOBS_PER_BATCH }] : []),
  ];
}

async function runSteps(db: Database, steps: Step[], counts: Record<string, number>, signal: AbortSignal) {
  for (const { name, clean, limit } of steps) {
    for (;;) {
      signal.throwIfAborted();
      const startedMs = performance.now();
      const rows = await cleanAlone(db, clean, limit);
      if (rows === null) return;
      if (rows === 0) break;
      counts[name] = (counts[name] ?? 0) + rows;
      await delay(Math.max(MIN_PAUSE_MS, performance.now() - startedMs), undefined, { signal });
    }
  }
}
