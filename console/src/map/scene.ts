import type { Move } from '../api/moves.ts';

/** A location as the map draws it. Demand and capacities are in units of demand. */
export type Spot = {
  id: number;
  name: string;
  longitude: number;
  latitude: number;
  demand: number;
  before: number;
  after: number;
};

/** An arc of the map: all vehicles of one pair of locations. */
export type Arc = {
  key: string;
  from: number;
  to: number;
  vehicles: number;
  /** Not due yet. */
  isFaded?: boolean;
};

export type Scene = {
  spots: Map<number, Spot>;
  arcs: Map<string, Arc>;
  /** What the largest sizes stand for, where several scenes are compared; else the largest of the scene. */
  scale?: { mostDemand: number; mostVehicles: number };
};

/** More arcs than this are not read as arcs. */
export const MAX_ARCS = 300;

/** The moves that are drawn: the largest ones. They come largest first. */
export function drawnMoves(moves: Move[]): Move[] {
  return moves.slice(0, MAX_ARCS);
}

/** What is between two scenes: amounts at `share` of the way from one to the other. */
export function between(old: Scene, next: Scene, share: number): Scene {
  if (share >= 1) return next;
  const mix = (a: number, b: number) => a + (b - a) * share;
  const spots = new Map<number, Spot>();
  for (const [id, spot] of next.spots) {
    const was = old.spots.get(id) ?? { ...spot, demand: 0, before: 0, after: 0 };
    spots.set(id, {
      ...spot,
      demand: mix(was.demand, spot.demand),
      before: mix(was.before, spot.before),
      after: mix(was.after, spot.after),
    });
  }
  const arcs = new Map<string, Arc>();
  for (const arc of [...old.arcs.values(), ...next.arcs.values()]) {
    const [a, b] = [old.arcs.get(arc.key)?.vehicles ?? 0, next.arcs.get(arc.key)?.vehicles ?? 0];
    arcs.set(arc.key, { ...arc, vehicles: mix(a, b) });
  }
  return { spots, arcs: largest(arcs, Math.max(old.arcs.size, next.arcs.size)) };
}

/** As many arcs as either scene has: those of both together are more than can be read, or drawn in a frame. */
function largest(arcs: Scene['arcs'], most: number): Scene['arcs'] {
  if (arcs.size <= most) return arcs;
  return new Map([...arcs].toSorted(([, a], [, b]) => b.vehicles - a.vehicles).slice(0, most));
}

/** Spare capacity per unit of demand after the moves: −1 nothing is served, 0 just enough, 1 and more half idle. */
export function spareShare({ demand, after }: Spot): number {
  if (demand <= 0) return after > 0 ? 1 : 0;
  return Math.max(-1, Math.min(1, (after - demand) / demand));
}

/** Largest demand or capacity of a location, and largest move: sizes are relative to them. */
export function largestOf({ spots, arcs }: Scene): { mostDemand: number; mostVehicles: number } {
  let mostDemand = 1;
  let mostVehicles = 1;
  for (const { demand, after } of spots.values()) mostDemand = Math.max(mostDemand, demand, after);
  for (const { vehicles } of arcs.values()) mostVehicles = Math.max(mostVehicles, vehicles);
  return { mostDemand, mostVehicles };
}
