import type { Place } from '../../api/locations.ts';
import { movesOf } from '../../api/moves.ts';
import { type Arc, MAX_ARCS, type Scene } from '../../map/scene.ts';
import { sceneOf } from '../../map/scene-of.ts';
import { type Ahead, type DueMove, sumOf } from './outlook.ts';

/** The scene at a place on the slider, and what it leaves out. */
export type SceneAt = {
  scene: Scene;
  /** Due at this place on the slider: all, and those that have an arc. */
  due: DueMove[];
  drawn: DueMove[];
  /** Due later, faded: pairs, and their vehicles. */
  laterArcs: number;
  laterVehicles: number;
};

/** The values of the largest sizes of all scenes, so that they can be compared. O(locations · steps + moves) */
function scaleOf(ahead: Ahead): { mostDemand: number; mostVehicles: number } {
  const each = capacityOf(ahead);
  const most = (values: readonly number[], so: number) => values.reduce((a, b) => Math.max(a, b), so);
  let mostDemand = 1;
  for (const { demand, vehicles_after: after, capacity_after: capacity } of ahead.answer.plan.locations ?? [])
    mostDemand = Math.max(mostDemand, demand, capacity, after * each);
  for (const { demand_by_location: demand = [], vehicles_by_location: there = [] } of ahead.steps)
    mostDemand = Math.max(most(demand, mostDemand), most(there, 0) * each);
  return {
    mostDemand,
    mostVehicles: most(
      ahead.moves.map(({ vehicles }) => vehicles),
      1,
    ),
  };
}

/** Mean capacity of a vehicle, in units of demand. */
function capacityOf({ answer }: Ahead): number {
  let [vehicles, capacity] = [0, 0];
  for (const { vehicles_after, capacity_after } of answer.plan.locations ?? []) {
    vehicles += vehicles_after;
    capacity += capacity_after;
  }
  return vehicles > 0 ? capacity / vehicles : 1;
}

/** The scene at a place on the slider: 0 is now, 1 the first step. O(locations + moves) */
export function sceneAt(ahead: Ahead, at: number, places: readonly Place[]): SceneAt {
  const { moves } = ahead;
  const spots = spotsAt(ahead, at, places);
  const scale = scaleOf(ahead);
  const has = ({ from, to }: DueMove) => spots.has(from) && spots.has(to);
  const due = moves.filter((move) => move.due === at);
  const drawn = due.filter(has).slice(0, MAX_ARCS);
  const arcs = new Map<string, Arc>();
  const pairs = new Set(drawn.map(({ from, to }) => `${from}-${to}`));
  const later = laterPairs(moves.filter((move) => move.due > at && has(move)))
    .filter(({ from, to }) => !pairs.has(`${from}-${to}`))
    .slice(0, MAX_ARCS - drawn.length);
  // Faded arcs first: those that are due lie over them.
  for (const { key, from, to, vehicles } of later)
    arcs.set(key, { key, from, to, vehicles: Math.min(vehicles, scale.mostVehicles), isFaded: true });
  for (const { key, from, to, vehicles } of drawn) arcs.set(key, { key, from, to, vehicles });
  return {
    scene: { spots, arcs, scale },
    due,
    drawn,
    laterArcs: later.length,
    laterVehicles: sumOf(moves.filter((move) => move.due > at)),
  };
}

/** Moves of several steps, one for each pair with the key of its first, the largest first. */
function laterPairs(moves: readonly DueMove[]): DueMove[] {
  const pairs = new Map<string, DueMove>();
  for (const move of moves) {
    const pair = `${move.from}-${move.to}`;
    const first = pairs.get(pair);
    pairs.set(pair, first ? { ...first, vehicles: first.vehicles + move.vehicles } : move);
  }
  return [...pairs.values()].toSorted((a, b) => b.vehicles - a.vehicles);
}

/** Circles: demand, and what the vehicles can serve that are there and do not leave. */
function spotsAt(ahead: Ahead, at: number, places: readonly Place[]): Scene['spots'] {
  const { answer, steps, ids, moves } = ahead;
  const { plan } = answer;
  const first = sceneOf(plan, movesOf(plan.allocation_plan), places).spots;
  // An answer without locations still has its moves.
  if (first.size === 0)
    return new Map(places.map((place) => [place.id, { ...place, demand: 0, before: 0, after: 0 }]));
  if (at === 0 || ids.length === 0) return first;
  const each = capacityOf(ahead);
  const leaving = new Map<number, number>();
  for (const move of moves) {
    if (move.due === at) leaving.set(move.from, (leaving.get(move.from) ?? 0) + move.vehicles);
  }
  const { demand_by_location: demand, vehicles_by_location: there } = steps[at - 1];
  const spots: Scene['spots'] = new Map();
  for (const [j, id] of ids.entries()) {
    const spot = first.get(id);
    if (!spot) continue;
    const staying = Math.max(0, there![j] - (leaving.get(id) ?? 0));
    spots.set(id, { ...spot, demand: demand![j], before: each * there![j], after: each * staying });
  }
  return spots;
}
