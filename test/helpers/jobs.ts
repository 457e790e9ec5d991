import { buffer } from 'node:stream/consumers';
import type { NewJob } from '../../src/db/jobs/job-intake.ts';

let count = 0;

/** A job that is not stored yet, with a new id. */
export function newJob(own: Partial<NewJob> = {}): NewJob {
  return {
    jobId: `opt_00000000-0000-7000-8000-${String(++count).padStart(12, '0')}`,
    kind: 'optimize',
    requestId: 'r',
    input: '{"b":  2}',
    inputHash: Buffer.from('h'),
    idempotency: null,
    priority: 'normal',
    caller: 'somebody',
    clientId: '',
    facts: { timeLimitSeconds: null },
    locationCount: 20,
    vehicleCount: 200,
    ...own,
  };
}

/** A stored text, whether it is read whole or in pieces. */
export const wholeText = async (json: string | AsyncIterable<Uint8Array>) =>
  typeof json === 'string' ? json : String(await buffer(json));
