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
  /** The values of the largest sizes, where several scenes are compared; else the largest of the scene. */
  scale?: { mostDemand: number; mostVehicles: number };
};

/** More arcs than this are not read as arcs. */
export const MAX_ARCS = 300;

/** The moves that are drawn: the largest ones. They come largest first. */
export function drawnMoves(moves: Move[]): Move[] {
  return moves.slice(0, MAX_ARCS);
}

const pairOf = ({ from, to }: Arc) => `${from}-${to}`;

/** The pairs of locations that arcs join. */
export function pairsOf({ arcs }: Scene): Set<string> {
  return new Set([...arcs.values()].map(pairOf));
}

/** A scene without the arcs of other pairs. */
export function withPairs(scene: Scene, pairs: ReadonlySet<string>): Scene {
  return { ...scene, arcs: new Map([...scene.arcs].filter(([, arc]) => pairs.has(pairOf(arc)))) };
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
