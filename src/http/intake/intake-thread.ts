import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { Operation, ReadContext } from './operations.ts';
import { type Outcome, readBody } from './read-body.ts';

export type IntakeTask = { operation: Operation; bytes: Uint8Array } & ReadContext;
export type IntakeResult = {
  outcome: Outcome;
  /** the body, returned */
  bytes: Uint8Array;
};

/** Entry of an intake thread, which reads large bodies. Bytes are passed in and back without a copy. */
export default function run({ operation, bytes, ...context }: IntakeTask) {
  const result: IntakeResult = { outcome: readBody(operation, bytes, context), bytes };
  const { input, scores } = (result.outcome.facts ?? {}) as { input?: Uint8Array; scores?: Uint8Array };
  // The input may be the body itself.
  const buffers = new Set([bytes, input, scores].flatMap((part) => part?.buffer ?? []));
  return move({ [transferableSymbol]: [...buffers] as never, [valueSymbol]: result });
}
