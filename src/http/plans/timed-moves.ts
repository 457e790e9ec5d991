import { MOVE_STATES, type MoveState, type PlanMove, type TimedMove } from '../../contracts/plans.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;

/** The clock of a plan's moves: all vehicles leave at one time. */
export type MoveClock = {
  startsAt: Date;
  at: Date;
  /** for moves whose minutes are not known */
  speedKmh: number;
};

/** A move with its arrival, and where its vehicles are at a time. Arrivals are rounded to the millisecond. */
export function timedMove(move: PlanMove, { startsAt, at, speedKmh }: MoveClock): TimedMove {
  const { distance_km: km } = move;
  const bySpeed = km !== null ? (km / speedKmh) * HOUR_MINUTES : null;
  const minutes = move.duration_minutes ?? bySpeed;
  const arrivesAt = minutes === null ? null : new Date(Math.round(startsAt.getTime() + minutes * MINUTE_MS));
  return {
    ...move,
    duration_minutes: minutes,
    arrives_at: arrivesAt?.toISOString() ?? null,
    state: stateOf(startsAt, arrivesAt, at),
  };
}

function stateOf(startsAt: Date, arrivesAt: Date | null, at: Date): MoveState {
  if (at < startsAt) return 'due';
  if (arrivesAt === null) return 'unknown';
  return at < arrivesAt ? 'on_the_way' : 'done';
}

/** Moves and their vehicles by state. */
export type StateCounts = Record<MoveState, { moves: number; vehicles: number }>;

/** Counts of no moves. */
export const noMoves = (): StateCounts =>
  Object.fromEntries(MOVE_STATES.map((state) => [state, { moves: 0, vehicles: 0 }])) as StateCounts;
