import type { Caller } from './caller.ts';
import type { Fleet } from './fleet.ts';
import type { Problem } from './problems.ts';
import type { PostgresServer, RedisServer } from './servers.ts';

/** What faults are done to. */
export type Targets = {
  fleet: Fleet;
  postgres: PostgresServer;
  redis: RedisServer | undefined;
  caller: Caller;
  problems: readonly Problem[];
};
