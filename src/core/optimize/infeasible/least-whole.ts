/** Bounds of objectives that are whole numbers. */
import { BRANCHING_NOISE } from '../problem/incumbent.ts';

/** A smaller gap than this proves a whole objective. */
export const WHOLE_GAP = 0.999;
/** Bounds may be off by this much. */
const NOISE = 1e-6;

/** The least whole number that a proved bound allows; 0 if there is no bound. */
export function leastWhole(bound: number): number {
  return Number.isFinite(bound) ? Math.max(0, Math.ceil(bound * (1 - BRANCHING_NOISE) - NOISE)) : 0;
}
