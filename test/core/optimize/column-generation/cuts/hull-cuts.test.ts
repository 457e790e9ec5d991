import { describe, expect, test } from 'vitest';
import { findHullCut } from '../../../../../src/core/optimize/column-generation/cuts/hull-cuts.ts';
import {
  findLocationCut,
  type LocationValues,
} from '../../../../../src/core/optimize/column-generation/cuts/location-cuts.ts';
import { enough, seeds } from '../../../../helpers/depth.ts';
import { createRandom } from '../../instances.ts';

const CAPACITIES = [[1, 2], [1, 2, 4], [4, 7, 12], [2, 3, 5, 8], [3]];

/**
 * Fractions of vehicles arrive and leave, and serve just about the demand, as in a relaxation; unmet demand is as small
 * as its own row allows.
 */
function createPoint(seed: number): LocationValues {
  const random = createRandom(seed);
  const capacities = Float64Array.from(CAPACITIES[seed % CAPACITIES.length]);
  const classes = capacities.length;
  const demand = 0.01 + 20 * random.next();
  const here = Float64Array.from(capacities, () => random.integer(0, 3));
  const values = new Float64Array(3 * classes);
  let open = demand;
  for (let k = 0; k < classes; k++) {
    if (random.next() < 0.4) values[k] = Math.min(3, Math.ceil(demand / capacities[k])) * random.next();
    if (random.next() < 0.4) values[classes + k] = here[k] * random.next();
    open -= capacities[k] * (here[k] + values[k] - values[classes + k]);
  }
  const k = random.integer(0, classes - 1);
  const served = Math.min(Math.max(0, open - 0.5 * random.next()), capacities[k] * 2);
  values[k] += served / capacities[k];
  return { demand, capacities, here, values, unmet: Math.max(0, open - served) };
}

/**
 * Calls `visit` with all whole numbers of vehicles that may arrive, leave and stand idle there, up to slightly more
 * than is useful.
 */
function forEachWhole(
  { capacities, demand }: Pick<LocationValues, 'capacities' | 'demand'>,
  here: ArrayLike<number>,
  visit: (values: number[], unmet: number) => void,
): void {
  const classes = capacities.length;
  const values = new Array<number>(3 * classes).fill(0);
  const from = (k: number, open: number): void => {
    if (k === classes) {
      visit(values, Math.max(0, open));
      return;
    }
    for (let arrive = 0; arrive <= Math.ceil(demand / capacities[k]) + 1; arrive++) {
      for (let leave = 0; leave <= here[k]; leave++) {
        for (let idle = 0; idle <= Math.min(1, here[k] + arrive - leave); idle++) {
          [values[k], values[classes + k], values[2 * classes + k]] = [arrive, leave, idle];
          from(k + 1, open - capacities[k] * (here[k] + arrive - leave - idle));
        }
      }
    }
  };
  from(0, demand);
}

const activity = (gains: Float64Array, values: ArrayLike<number>, unmet: number) =>
  gains.reduce((sum, gain, c) => sum + gain * values[c], unmet);

describe('cuts from the hull of one location', () => {
  test('hold for whatever may arrive, leave and stand idle in whole numbers, and cut the point off', () => {
    let found = 0;
    for (const seed of seeds(1, 1000)) {
      const point = createPoint(seed);
      if (point.capacities.length > 3) continue;
      const cut = findHullCut(point);
      if (!cut) continue;
      found++;
      expect(activity(cut.gains, point.values, point.unmet)).toBeLessThan(cut.least);
      let lowest = Number.POSITIVE_INFINITY;
      forEachWhole(point, point.here, (values, unmet) => {
        lowest = Math.min(lowest, activity(cut.gains, values, unmet));
      });
      expect(lowest).toBeGreaterThanOrEqual(cut.least - 1e-9);
    }
    expect(found).toBeGreaterThan(enough(100));
  });

  test('are found wherever mixed-integer rounding finds one', () => {
    let found = 0;
    for (const seed of seeds(1, 1000)) {
      const point = createPoint(seed);
      const rounded = findLocationCut(point, point.capacities);
      if (rounded === null || rounded.violation < 1e-3) continue;
      found++;
      expect(findHullCut(point)?.violation ?? 0).toBeGreaterThan(rounded.violation - 1e-6);
    }
    expect(found).toBeGreaterThan(enough(100));
  });

  test('are not looked for where there are too many points', () => {
    const capacities = Float64Array.of(1, 2, 4);
    const here = Float64Array.of(100, 100, 100);
    const values = Float64Array.of(0, 0, 0.5, 0, 0, 0, 0, 0, 0);
    expect(findHullCut({ demand: 900.5, capacities, here, values, unmet: 198.5 })).toBeNull();
  });
});
