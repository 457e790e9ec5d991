/**
 * The cost of a job's record alone: the statements of one call, one after the other, by the service's own functions and
 * with its guarantees, in a separate database on the same server.
 */

import type { OptimizationResult, OptimizeRequest } from '../../src/contracts/optimize.ts';
import type { LocationPoint } from '../../src/core/optimize/problem/model.ts';
import { namedLocationIds } from '../../src/core/optimize/request/check.ts';
import { openDatabase } from '../../src/db/client.ts';
import { upsertLocations } from '../../src/db/data/locations.ts';
import { packLocations } from '../../src/db/data/packed-rows.ts';
import { claimJob, finishJob } from '../../src/db/jobs/job-claims.ts';
import { insertJob } from '../../src/db/jobs/job-intake.ts';
import { readAnswer } from '../../src/db/jobs/jobs.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { planRecord } from '../../src/db/plans/plan-record.ts';

/**
 * @param serverUrl the server as its administrator, who may create databases
 * @param atOnce connections
 * @returns a function for one job from acceptance to answer, without queue, solve and HTTP, and a function that closes
 */
export async function openRecord(serverUrl: string, places: readonly LocationPoint[], atOnce = 2) {
  const options = { poolSize: atOnce, onError: console.error };
  const server = openDatabase(serverUrl, options);
  const name = `record_${Date.now()}`;
  await server.pool.query(`create database ${name}`);
  await server.close();
  const url = new URL(serverUrl);
  url.pathname = name;
  await migrateDatabase(url.href);
  const { db, close } = openDatabase(url.href, options);
  const rows = packLocations(places.map((place) => ({ ...place, name: `Place ${place.id}` })));
  await db.transaction((tx) => upsertLocations(tx, rows));
  let count = 0;
  return {
    async keep(problem: OptimizeRequest, input: string, result: OptimizationResult): Promise<void> {
      const number = ++count;
      const jobId = `opt_${number}`;
      const locationIds = namedLocationIds(problem);
      const job = {
        jobId,
        kind: 'optimize',
        requestId: 'r',
        input,
        inputHash: Buffer.from(''),
        idempotency: null,
        priority: 'normal',
        caller: 'bench',
        clientId: '',
        facts: { timeLimitSeconds: null },
        locationCount: locationIds.length,
        vehicleCount: problem.fleet_state.vehicles.length,
      } as const;
      await insertJob(db, job, { locationIds, maxWaiting: 10_000 });
      const claimed = await claimJob(db, 'bench');
      if (!claimed) throw new Error('nothing to claim');
      const answer = { httpStatus: 200, body: JSON.stringify({ status: 'success', data: result }) };
      const plan = {
        planId: `plan_${number}`,
        jobId: claimed.jobId,
        solveTimeMs: 1,
        speedKmh: 20,
        record: planRecord(result, {}),
      };
      const end = { outcome: 'completed', reason: null, phases: [] } as const;
      const ending = { status: 'completed', solverStatus: result.solver_status, answer } as const;
      await finishJob(db, claimed, ending, { ...end, phases: [] }, plan);
      await readAnswer(db, jobId);
    },
    close,
  };
}
