/** Limits of computations on a flow. */
import { type Check, checkOf, type Stopping } from '../run/stopping.ts';
import { NEAR_PER_NODE } from './residual/near-arcs.ts';

export type Effort = {
  check: Check;
  /** Residual arcs per node that local searches read, if there are several times as many. */
  nearPerNode: number;
};

export function effortOf(control: Stopping, nearPerNode = NEAR_PER_NODE): Effort {
  return { check: checkOf(control), nearPerNode };
}
