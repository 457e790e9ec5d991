import type { PlanAnswer } from '../api/decisions.ts';
import type { Place } from '../api/locations.ts';
import type { Move } from '../api/moves.ts';
import { drawnMoves, type Scene } from './scene.ts';

/** The scene of a plan: its locations as far as they are stored, and the largest of its moves. */
export function sceneOf(plan: PlanAnswer, moves: Move[], places: readonly Place[]): Scene {
  const known = new Map(places.map((place) => [place.id, place]));
  const vehicleCapacity = (after: number, vehicles: number) => (vehicles > 0 ? after / vehicles : undefined);
  const all = plan.locations ?? [];
  const total = all.reduce((sum, one) => sum + one.vehicles_after, 0);
  const mean = total > 0 ? all.reduce((sum, one) => sum + one.capacity_after, 0) / total : 1;
  const spots: Scene['spots'] = new Map();
  for (const {
    location_id: id,
    name,
    demand,
    vehicles_before,
    vehicles_after,
    capacity_after: after,
  } of all) {
    const place = known.get(id);
    if (!place) continue;
    const each = vehicleCapacity(after, vehicles_after) ?? mean;
    const { longitude, latitude } = place;
    spots.set(id, {
      id,
      name: name ?? place.name,
      longitude,
      latitude,
      demand,
      before: each * vehicles_before,
      after,
    });
  }
  const drawn = drawnMoves(moves).filter(({ from, to }) => spots.has(from) && spots.has(to));
  const arcs = new Map(drawn.map(({ key, from, to, vehicles }) => [key, { key, from, to, vehicles }]));
  return { spots, arcs };
}
