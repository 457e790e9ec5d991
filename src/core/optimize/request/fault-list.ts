import { MAX_REPORTED_ERRORS } from '../../../contracts/errors.ts';
import type { RequestFault } from '../problem/model.ts';

/** Collects faults until the report is full. */
export type FaultList = {
  readonly full: boolean;
  add(field: string, message: string, detail?: string): void;
};

export function faultList(faults: RequestFault[]): FaultList {
  return {
    get full() {
      return faults.length >= MAX_REPORTED_ERRORS;
    },
    add(field, message, detail) {
      if (faults.length < MAX_REPORTED_ERRORS) faults.push({ field, message, detail: detail ?? null });
    },
  };
}
