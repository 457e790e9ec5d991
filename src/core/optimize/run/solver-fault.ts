/**
 * What a search that failed ends as.
 * @property message for the caller
 * @property stack for the log: where it was thrown; absent where nothing was
 */
export type SolverFault = { kind: 'error'; message: string; stack?: string };

/** What a search ends as that threw what nobody expected. */
export function solverFault(thrown: unknown): SolverFault {
  const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { kind: 'error', message: `the solver failed: ${message}`, ...(stack && { stack }) };
}

/** What the optimization of a search ends as that failed. */
export function failedOutcome({
  kind: _,
  ...fault
}: SolverFault): Omit<SolverFault, 'kind'> & { status: 'error' } {
  return { status: 'error', ...fault };
}
