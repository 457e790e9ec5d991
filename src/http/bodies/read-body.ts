import type { Fault } from '../../answers/errors.ts';
import type { ErrorCode } from '../../contracts/errors.ts';
import { findFaults } from './faults.ts';
import { fits } from './fits.ts';
import { parseJson } from './json.ts';
import { OPERATIONS, type Operation, type OperationFacts, type ReadContext } from './operations.ts';

/** Those whose data may also be sent as CSV. */
const CSV_OPERATIONS = new Set<Operation>(['locations', 'fleet', 'demand', 'events', 'travel']);

/** The result for a body: what the API keeps of it, or why it is refused. */
export type Outcome<O extends Operation = Operation> =
  | { facts: OperationFacts<O>; refused?: never }
  | { refused: { code: ErrorCode; faults: Fault[] }; facts?: never };

/**
 * Reads a JSON body: parses it, checks it against the schema of its operation, and extracts what the API needs. Every
 * JSON body is read here, on the event loop or in a thread.
 */
export function readBody<O extends Operation>(
  operation: O,
  bytes: Uint8Array,
  context: ReadContext,
): Outcome<O> {
  const parsed = parseJson(bytes, CSV_OPERATIONS.has(operation));
  if ('excess' in parsed) {
    const message = `the body has ${parsed.excess}; send it in parts`;
    return { refused: { code: 'PAYLOAD_TOO_LARGE', faults: [{ message }] } };
  }
  if ('fault' in parsed) {
    return { refused: { code: 'VALIDATION_ERROR', faults: [{ message: parsed.fault }] } };
  }
  const { schema, read } = OPERATIONS[operation];
  if (!fits(schema, parsed.value)) {
    return { refused: { code: 'VALIDATION_ERROR', faults: findFaults(schema, parsed.value) } };
  }
  // The hash is that of one form of the body, however it was written.
  const isKept = parsed.isCompact && !context.isHashed;
  const readFacts = read as (body: unknown, context: ReadContext, sent?: Uint8Array) => OperationFacts<O>;
  return { facts: readFacts(parsed.value, context, isKept ? bytes : undefined) };
}
