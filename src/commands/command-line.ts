/** Common to the commands that a user gives options: what is wrong with them, numbers, and files of events. */
import type { DemandEvent } from '../core/forecast/types.ts';
import { CsvFaults } from '../csv/faults.ts';
import { readEventsFile } from './import/events-file.ts';

/** A mistake of the user: the message is all they need to see. Exit codes: 1 unusable data, 2 invalid command line. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** @throws CommandError for what is no number within the bounds, ends included */
export function numberArgument(
  name: string,
  text: string,
  [least, most]: readonly [number, number],
  isWhole = true,
): number {
  const value = Number(text);
  if (text !== '' && value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? 'whole number' : 'number';
  throw new CommandError(`--${name} is ${text}; give a ${kind} from ${least} to ${most}`);
}

/** @throws CommandError with a line per fault of the file */
export async function eventsOfFile(file: string): Promise<DemandEvent[]> {
  try {
    return await readEventsFile(file);
  } catch (error) {
    if (!(error instanceof CsvFaults)) throw error;
    const lines = error.faults.map(
      ({ line, message }) => `${file}${line === null ? '' : `:${line}`}: ${message}`,
    );
    throw new CommandError(lines.join('\n'), 1);
  }
}
