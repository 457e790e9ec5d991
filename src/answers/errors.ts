import type { ErrorItem } from '../contracts/envelope.ts';
import { ERROR_STATUS, type ErrorCode } from '../contracts/errors.ts';

/** One fault, before it is put into the envelope. `field` and `detail` are null if they do not apply. */
export type Fault = { message: string; field?: string | null; detail?: string | null };

/**
 * An error that the caller may see: code, status and one or more faults. Any other error that is thrown is only logged,
 * and the caller gets INTERNAL_ERROR.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];
  /** Seconds after which a retry makes sense (`Retry-After`). */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, faults: string | readonly Fault[], retryAfterSeconds?: number) {
    const list = typeof faults === 'string' ? [{ message: faults }] : faults;
    super(list.map((fault) => fault.message).join('; '));
    this.name = 'AppError';
    this.code = code;
    this.faults = list;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  items(): ErrorItem[] {
    return this.faults.map(({ message, field = null, detail = null }) => ({
      code: this.code,
      message,
      field,
      detail,
    }));
  }
}

/** A limit that is kept: the caller's situation, no fault of the service. */
export class LimitError extends AppError {}
