/**
 * What a search that failed ends as.
 * @property message for the caller
 * @property stack for the log: where it was thrown; absent where nothing was
 */
export type SolverFault = { kind: 'error'; message: string; stack?: string };

/** The end of a search that threw an unexpected error. */
export function solverFault(thrown: unknown): SolverFault {
  const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { kind: 'error', message: `the solver failed: ${message}`, ...(stack && { stack }) };
}

/** The end of an optimization whose search failed. */
export function failedOutcome({
  kind: _,
  ...fault
}: SolverFault): Omit<SolverFault, 'kind'> & { status: 'error' } {
  return { status: 'error', ...fault };
}
