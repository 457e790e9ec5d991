import { FleetConnectionError, FleetError, type FleetErrorCode } from 'fleet-client';

/** The exit codes of the process. docs/client/cli.md lists them, too. */
export const EXIT = {
  done: 0,
  failed: 1,
  wrongInput: 2,
  infeasible: 3,
  away: 4,
  cancelled: 5,
  notAllowed: 6,
  /** 128 + SIGINT, as shells have it */
  interrupted: 130,
} as const;

const BY_CODE: Partial<Record<FleetErrorCode, number>> = {
  INFEASIBLE_PROBLEM: EXIT.infeasible,
  SERVICE_UNAVAILABLE: EXIT.away,
  JOB_CANCELLED: EXIT.cancelled,
  UNAUTHORIZED: EXIT.notAllowed,
  FORBIDDEN: EXIT.notAllowed,
  SOLVER_ERROR: EXIT.failed,
  INTERNAL_ERROR: EXIT.failed,
  MODEL_NOT_LOADED: EXIT.failed,
  UNKNOWN: EXIT.failed,
};

/** A mistake of the caller that is found before a request is sent. */
export class InputError extends Error {}

/** Ctrl-C while a job is waited for; the message says how to go on. */
export class Interrupted extends Error {}

/** The exit code for an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof InputError) return EXIT.wrongInput;
  if (error instanceof Interrupted) return EXIT.interrupted;
  if (error instanceof FleetConnectionError) return EXIT.away;
  // All other codes of the service name a fault of the request.
  if (error instanceof FleetError) return BY_CODE[error.code] ?? EXIT.wrongInput;
  return EXIT.failed;
}
