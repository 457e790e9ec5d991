import { setTimeout as delay } from 'node:timers/promises';
import type { DecisionRequest } from '../../src/contracts/decisions.ts';
import type { LedgerCaller } from './caller.ts';
import type { PosedProblem } from './problems.ts';
import type { PostgresServer } from './servers.ts';

const RETRY_MS = 200;
/** Between two schedules of those that are only made, to see that a name makes one. */
const PAUSE_MS = 2000;

export type Schedules = {
  /** The decision of each schedule that has an occurrence each minute. */
  problems: ReadonlyMap<string, PosedProblem>;
  /** Names under which a client was told that there is a schedule. */
  named: ReadonlySet<string>;
  /** Waits until no occurrence is due, then pauses all: nothing begins any more. */
  finish(): Promise<void>;
};

/**
 * Makes schedules of every minute: a decision, one that looks ahead, and one that keeps to its last plan. They are due
 * at once, for two minutes in which nobody ran. Meanwhile a client makes others, again and again until it is told that
 * each is stored.
 */
export async function openSchedules(
  caller: LedgerCaller,
  postgres: PostgresServer,
  posed: readonly PosedProblem[],
): Promise<Schedules> {
  const problems = new Map<string, PosedProblem>();
  const named = new Set<string>();
  for (const problem of minutely(posed)) {
    const schedule = await insist(caller, '/api/v1/schedules', {
      body: bodyOf(`each minute: ${problem.name}`, '* * * * *', problem),
      expected: [201],
    });
    problems.set(schedule.body.data.schedule_id, problem);
  }
  await postgres.query("update schedules set next_at = date_trunc('minute', now()) - interval '2 minutes'");

  let finishing = false;
  const makeOthers = async () => {
    for (let n = 0; !finishing; n++) {
      const body = bodyOf(`each year ${n}`, '0 0 1 1 *', posed.find(isDecision)!);
      await insist(caller, '/api/v1/schedules', { body, expected: [201, 409] });
      named.add(body.name);
      await delay(PAUSE_MS);
    }
  };
  const making = makeOthers().catch((error) => caller.ledger.fault(`making schedules: ${error.stack}`));
  const pause = async (id: string) => {
    const path = `/api/v1/schedules/${id}`;
    for (;;) {
      const { body } = await insist(caller, path, { expected: [200] });
      if (Date.parse(body.data.next_at) > Date.now()) break;
      await delay(RETRY_MS, undefined, { signal: caller.signal });
    }
    await insist(caller, path, { method: 'PATCH', body: { paused: true }, expected: [200] });
  };
  return {
    problems,
    named,
    async finish() {
      finishing = true;
      await making;
      await Promise.all([...problems.keys()].map(pause));
    },
  };
}

const isDecision = (problem: PosedProblem): problem is Decision => problem.kind === 'decision';
type Decision = PosedProblem & { kind: 'decision'; request: DecisionRequest };

function minutely(posed: readonly PosedProblem[]): Decision[] {
  const decisions = posed.filter(isDecision);
  const [fixed] = decisions;
  const ahead = decisions.filter(({ request }) => request.mode === 'horizon');
  const options = { ...fixed.request.options, previous_plan_id: 'last', change_cost: 2 };
  return [
    fixed,
    ...ahead,
    { ...fixed, name: `${fixed.name}, close to the last`, request: { ...fixed.request, options } },
  ];
}

const bodyOf = (name: string, cron: string, { request }: Decision) => ({
  ...{ name, cron, time_zone: 'UTC' },
  decision: request,
});

/** Repeats a request until it is answered. */
async function insist(caller: LedgerCaller, path: string, options: Parameters<LedgerCaller['call']>[1]) {
  for (;;) {
    const answer = await caller.call(path, options);
    if (answer) return answer;
    await delay(RETRY_MS, undefined, { signal: caller.signal });
  }
}
