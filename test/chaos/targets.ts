import type { LedgerCaller } from './caller.ts';
import type { Fleet } from './fleet.ts';
import type { PosedProblem } from './problems.ts';
import type { PostgresServer, RedisServer } from './servers.ts';

/** The targets of faults. */
export type Targets = {
  fleet: Fleet;
  postgres: PostgresServer;
  redis: RedisServer | undefined;
  caller: LedgerCaller;
  problems: readonly PosedProblem[];
};
