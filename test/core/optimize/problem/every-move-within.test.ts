import { expect, test } from 'vitest';
import { greatCircleKm } from '../../../../src/core/geo.ts';
import { isEveryMoveWithin } from '../../../../src/core/optimize/problem/network.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { buildCached as buildProblem } from '../cached.ts';
import { createRandom, SETTINGS } from '../instances.ts';

test('a limit on distance is passed over only if no two locations are farther apart, on random maps', () => {
  let within = 0;
  for (const seed of seeds(1, 2000)) {
    const random = createRandom(seed);
    // From a street to the whole earth; around the date line and the poles, too.
    const spread = 10 ** random.integer(-2, 2);
    const between = (least: number, most: number) => random.integer(least * 1000, most * 1000) / 1000;
    const center = { latitude: random.pick([0, 40, 89, -89]), longitude: random.pick([0, 179, -179]) };
    const locations = Array.from({ length: random.integer(1, 8) }, (_, i) => ({
      id: i + 1,
      latitude: Math.max(-90, Math.min(90, center.latitude + between(-spread, spread))),
      longitude: Math.max(-180, Math.min(180, center.longitude + between(-2 * spread, 2 * spread))),
    }));
    const problem = buildProblem(
      {
        demand_forecast: Object.fromEntries(locations.map(({ id }) => [id, [1]])),
        fleet_state: { vehicles: [{ id: 'a', location: 1 }] },
      },
      locations,
      SETTINGS,
    );
    const farthest = Math.max(...locations.flatMap((a) => locations.map((b) => greatCircleKm(a, b))));
    const limitKm = farthest * random.pick([0.5, 0.999, 1, 1.2, 2.01]);
    if (!isEveryMoveWithin(problem, limitKm)) continue;
    within++;
    expect(farthest, `seed ${seed}`).toBeLessThanOrEqual(limitKm);
  }
  expect(within).toBeGreaterThan(enough(300));
  const apart = [
    { id: 1, latitude: 0, longitude: 0 },
    { id: 2, latitude: 0, longitude: 1 },
  ];
  const request = { demand_forecast: { 2: [1] }, fleet_state: { vehicles: [{ id: 'a', location: 1 }] } };
  const problem = buildProblem(request, apart, SETTINGS);
  expect([110, 112].map((limitKm) => isEveryMoveWithin(problem, limitKm))).toEqual([false, true]);
});
