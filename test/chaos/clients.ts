import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../core/optimize/instances.ts';
import { BEHAVIOURS } from './behaviours.ts';
import type { LedgerCaller } from './caller.ts';
import type { PosedProblem } from './problems.ts';

const LONGEST_PAUSE_MS = 250;

export type Clients = {
  /** Starts no new work. Resolves when every client has seen the end of its last job. */
  finish(): Promise<void>;
};

/**
 * Clients that work one after the other through the choices of their seed: a problem, and a way to ask for its plan.
 */
export function openClients(
  count: number,
  seed: number,
  caller: LedgerCaller,
  problems: PosedProblem[],
): Clients {
  let finishing = false;
  const run = async (n: number) => {
    const random = createRandom(seed * 1000 + n);
    while (!finishing) {
      const behave = random.pick(BEHAVIOURS);
      await behave(caller, random.pick(problems), random).catch((error) => {
        caller.ledger.fault(`client ${n}, ${behave.name}: ${error.stack}`);
      });
      await delay(random.next() * LONGEST_PAUSE_MS);
    }
  };
  const running = Array.from({ length: count }, (_, n) => run(n));
  return {
    async finish() {
      finishing = true;
      await Promise.all(running);
    },
  };
}
