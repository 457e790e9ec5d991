import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../core/optimize/instances.ts';
import type { Fleet, FleetMember } from './fleet.ts';
import { cancelOnFrozenWorker, crashToLimit } from './hunts.ts';
import type { PostgresServer } from './servers.ts';
import type { Targets } from './targets.ts';

/** Each kind with its relative frequency, and the place it affects. A place has one fault at a time. */
const KINDS = {
  'kill worker': { weight: 8, place: 'worker' },
  'freeze worker': { weight: 2, place: 'worker' },
  'pause worker': { weight: 3, place: 'worker' },
  'kill API': { weight: 4, place: 'API' },
  'stop PostgreSQL': { weight: 1, place: 'PostgreSQL' },
  'kill PostgreSQL': { weight: 1, place: 'PostgreSQL' },
  'kill one backend': { weight: 1, place: 'PostgreSQL' },
  'kill all backends': { weight: 1, place: 'PostgreSQL' },
  'cut PostgreSQL': { weight: 2, place: 'PostgreSQL' },
  'hang PostgreSQL': { weight: 1, place: 'PostgreSQL' },
  'terminate backends': { weight: 2, place: 'PostgreSQL' },
  'restart Redis': { weight: 2, place: 'Redis' },
  'restart Redis empty': { weight: 2, place: 'Redis' },
  'flush Redis': { weight: 2, place: 'Redis' },
  'cut Redis': { weight: 2, place: 'Redis' },
  'hang Redis': { weight: 1, place: 'Redis' },
  'cancel on frozen worker': { weight: 3, place: 'job' },
  'crash job to its limit': { weight: 1, place: 'job' },
} as const;
type FaultKind = keyof typeof KINDS;

export type InjectedFault = {
  atMs: number;
  kind: FaultKind;
  /** 0 ≤ pick < 1: selects the target among those possible */
  pick: number;
  /** how long the target stays away */
  lastsMs: number;
};

/** In addition to the kinds: workers hit while they solved a job, APIs hit while callers waited. */
export type FaultCounts = Partial<
  Record<FaultKind | 'killed mid-solve' | 'paused mid-solve' | 'killed mid-wait' | 'connections cut', number>
>;

/**
 * Duration of a freeze, given the settings of `run.ts` (lock 8 s, overrun 3 s, solves of 0.4 to 4 s): longer than most
 * jobs may take, shorter than the time after which a worker counts as dead.
 */
const PAUSES_MS = { least: 4700, most: 5300 };
const FROZEN_MS = { least: 500, most: 10_000 };

/** Time between two faults: shorter while every kind has its first turn, later long enough to recover. */
const FIRST_GAPS_MS = { least: 300, most: 900 };
const GAPS_MS = { least: 500, most: 4000 };
const LONGEST_AWAY_MS = 3000;
/** How long a kill waits until a worker is in the middle of a solve. */
const SOLVE_WAIT_MS = 2000;

/** The faults of a run, from the seed alone: every kind once in random order, then by weight until time is up. */
export function planStorm(seed: number, seconds: number, hasRedis: boolean): InjectedFault[] {
  const random = createRandom(seed);
  const all = Object.keys(KINDS) as FaultKind[];
  const kinds = all.filter((kind) => hasRedis || KINDS[kind].place !== 'Redis');
  const weighted = kinds.flatMap((kind) => Array<FaultKind>(KINDS[kind].weight).fill(kind));
  const first = kinds.map((kind) => [random.next(), kind] as const).sort(([a], [b]) => a - b);
  const faults: InjectedFault[] = [];
  for (let atMs = 500; ; ) {
    const { least, most } = first.length > 0 ? FIRST_GAPS_MS : GAPS_MS;
    atMs += random.integer(least, most);
    if (atMs > seconds * 1000) return faults;
    const kind = first.pop()?.[1] ?? random.pick(weighted);
    faults.push({ atMs, kind, pick: random.next(), lastsMs: random.integer(0, LONGEST_AWAY_MS) });
  }
}

/**
 * Carries out the faults, each at its time. Those of one server run one after the other, and none after `endMs`.
 * Resolves when everything is up again.
 */
export async function runFaults(
  faults: readonly InjectedFault[],
  endMs: number,
  targets: Targets,
  signal: AbortSignal,
): Promise<FaultCounts> {
  const counts: FaultCounts = {};
  const queues = new Map<string, Promise<void>>();
  const startedAt = performance.now();
  for (const fault of faults) {
    const wait = fault.atMs - (performance.now() - startedAt);
    if (wait > 0) await delay(wait, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const { place } = KINDS[fault.kind];
    const before = queues.get(place) ?? Promise.resolve();
    const inTime = () => performance.now() - startedAt < endMs;
    // A process may be killed while another one is down, but there is only one of each server.
    const isProcess = place === 'worker' || place === 'API';
    const done = isProcess
      ? Promise.all([before, carryOut(fault, targets, counts)]).then(() => {})
      : before.then(() => (inTime() ? carryOut(fault, targets, counts) : undefined));
    done.catch(() => {}); // awaited below
    queues.set(place, done);
  }
  await Promise.all(queues.values());
  return counts;
}

/** Counts only faults that hit something. */
async function carryOut(fault: InjectedFault, targets: Targets, counts: FaultCounts): Promise<void> {
  const { fleet, postgres, redis } = targets;
  const { kind, pick, lastsMs } = fault;
  const lasting = ({ least, most }: typeof PAUSES_MS) => least + ((most - least) * lastsMs) / LONGEST_AWAY_MS;
  const count = (what: keyof FaultCounts, n = 1) => {
    counts[what] = (counts[what] ?? 0) + n;
  };
  switch (kind) {
    case 'kill worker':
    case 'freeze worker':
    case 'pause worker': {
      const victim = await chooseWorker(fleet, postgres, pick);
      if (!victim) return;
      count(kind);
      if (kind === 'freeze worker') return fleet.freeze(victim.worker, lasting(FROZEN_MS));
      if (kind === 'pause worker') {
        if (victim.isSolving) count('paused mid-solve');
        return fleet.freeze(victim.worker, lasting(PAUSES_MS));
      }
      if (victim.isSolving) count('killed mid-solve');
      return fleet.kill(victim.worker, lastsMs / 2);
    }
    case 'kill API': {
      const victim = choose(fleet, 'api', pick, (api) => api.waiting > 0);
      if (!victim) return;
      count(kind);
      if (victim.waiting > 0) count('killed mid-wait');
      return fleet.kill(victim, lastsMs / 2);
    }
    case 'stop PostgreSQL':
    case 'kill PostgreSQL':
      await (kind === 'kill PostgreSQL' ? postgres.kill() : postgres.stopAtOnce());
      count(kind);
      await delay(lastsMs);
      return postgres.start();
    case 'kill one backend':
    case 'kill all backends': {
      const which = kind === 'kill all backends' ? 'all' : 'one';
      const killed = await postgres.killBackends(pick, which).catch(() => 0); // it is already recovering
      return killed > 0 ? count(kind) : undefined;
    }
    case 'restart Redis':
    case 'restart Redis empty':
      await redis?.kill();
      count(kind);
      await delay(lastsMs);
      return kind === 'restart Redis' ? redis?.start() : redis?.startEmpty();
    case 'flush Redis':
      await redis?.flush();
      return count(kind);
    case 'cancel on frozen worker':
      return (await cancelOnFrozenWorker(targets, pick)) ? count(kind) : undefined;
    case 'crash job to its limit':
      return (await crashToLimit(targets, pick)) ? count(kind) : undefined;
    case 'cut PostgreSQL':
    case 'cut Redis':
      count(kind);
      return count('connections cut', (kind === 'cut Redis' ? redis : postgres)?.proxy.cut());
    case 'hang PostgreSQL':
    case 'hang Redis': {
      const proxy = (kind === 'hang Redis' ? redis : postgres)?.proxy;
      proxy?.hang();
      count(kind);
      await delay(lastsMs);
      // Half of them end with a cut, so that data in transit never arrives.
      if (pick < 0.5) count('connections cut', proxy?.cut());
      proxy?.resume();
      return;
    }
    case 'terminate backends':
      // Every second connection of the service, starting with the oldest or the second oldest.
      await postgres
        .query(
          `select pg_terminate_backend(pid) from (select pid, row_number() over (order by backend_start, pid) as n
           from pg_stat_activity where datname = current_database() and application_name <> $1) a where n % 2 = $2`,
          [postgres.name, Math.round(pick)],
        )
        .then(
          () => count(kind),
          () => {}, // PostgreSQL is away: nothing to terminate
        );
  }
}

/** A worker that is solving a job; any worker if none solves for a while, or PostgreSQL is away. */
async function chooseWorker(fleet: Fleet, postgres: PostgresServer, pick: number) {
  const until = performance.now() + SOLVE_WAIT_MS;
  for (;;) {
    const solving = await solvingPids(postgres);
    const isSolving = (worker: FleetMember) => solving.has(worker.pid ?? 0);
    const worker = choose(fleet, 'worker', pick, isSolving);
    if (performance.now() > until || (worker && isSolving(worker))) {
      return worker && { worker, isSolving: isSolving(worker) };
    }
    await delay(20);
  }
}

/** Process ids of the workers that have a job. */
async function solvingPids(postgres: PostgresServer): Promise<Set<number>> {
  const rows = await postgres
    .query<{ worker_id: string }>("select worker_id from jobs where status = 'running'")
    .catch(() => []);
  return new Set(rows.map((row) => Number(row.worker_id.split(':')[0])));
}

/** A member that is up and may be killed, preferably one that meets the condition. */
function choose(
  fleet: Fleet,
  kind: FleetMember['kind'],
  pick: number,
  isHit: (member: FleetMember) => boolean,
) {
  const up = fleet.members.filter((m) => m.kind === kind && !m.isSpared && m.pid !== undefined);
  const hit = up.filter(isHit);
  const from = hit.length > 0 ? hit : up;
  return from[Math.floor(pick * from.length)];
}
