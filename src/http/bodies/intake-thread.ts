import { move, transferableSymbol, valueSymbol } from 'piscina';
import { JOB_PREFIXES } from '../../contracts/jobs.ts';
import { ownBytes, packJson } from '../../db/packed-json.ts';
import type { Operation, ReadContext } from './operations.ts';
import { type Outcome, readBody } from './read-body.ts';

export type IntakeTask = { operation: Operation; bytes: Uint8Array } & ReadContext;
export type IntakeResult = {
  outcome: Outcome;
  /** the body, returned */
  bytes: Uint8Array;
};

/**
 * Entry of an intake thread, which reads large bodies. Bytes are passed in and back without a copy. The body of a job
 * is packed for the database while it is read: it is nearly always stored as it was sent.
 */
export default async function run(task: IntakeTask) {
  const { operation, bytes, ...context } = task;
  const isJob = operation in JOB_PREFIXES && context.known === null;
  const packing = isJob && !context.isHashed ? packJson(bytes) : undefined;
  const outcome = readBody(operation, bytes, context);
  // Also of a body that is refused: the bytes must not leave the thread while they are packed.
  const packed = await packing;
  const { input, scores } = (outcome.facts ?? {}) as { input?: Uint8Array; scores?: Uint8Array };
  const columns =
    isJob && input ? ownBytes(input === bytes && packed ? packed : await packJson(input)) : undefined;
  if (columns) Object.assign(outcome.facts!, { columns });
  const result: IntakeResult = { outcome, bytes };
  // The input may be the body itself.
  const buffers = new Set([bytes, input, scores, columns?.packed].flatMap((part) => part?.buffer ?? []));
  return move({ [transferableSymbol]: [...buffers] as never, [valueSymbol]: result });
}
