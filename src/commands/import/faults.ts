import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import type { CsvFaults } from '../../csv/faults.ts';

/** The faults of the files, one line each. Nothing was stored. */
export class ImportError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'ImportError';
    this.problems = problems;
  }
}

/**
 * Faults as `file:line: message`.
 * @param files the files in their order
 */
export function describeFaults(
  { faults, isCut }: CsvFaults,
  files: readonly (string | undefined)[],
): ImportError {
  const lines = faults.map(
    ({ order, line, message }) => `${files[order]}${line === null ? '' : `:${line}`}: ${message}`,
  );
  const end = isCut
    ? `at most ${MAX_REPORTED_ERRORS} faults of a file are listed; nothing was stored`
    : 'nothing was stored';
  return new ImportError([...lines, end]);
}
