import { expect, test } from 'vitest';
import { between, type Scene } from '../../console/src/map/scene.ts';

/** Moves from location 1, each to another one. */
const sceneOf = (targets: number[], vehicles: number): Scene => ({
  spots: new Map(),
  arcs: new Map(targets.map((to) => [`1-${to}`, { key: `1-${to}`, from: 1, to, vehicles }])),
});

test('on the way from one plan to another, no more arcs are drawn than either has, the largest ones', () => {
  const [old, next] = [sceneOf([2, 3], 10), sceneOf([3, 4], 10)];
  const keys = (share: number) => [...between(old, next, share).arcs.keys()];
  expect(keys(0.25)).toEqual(['1-3', '1-2']);
  expect(keys(0.75)).toEqual(['1-3', '1-4']);
  expect(between(old, next, 1)).toBe(next);
});
