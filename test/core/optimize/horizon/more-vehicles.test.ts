import { expect, test } from 'vitest';
import { fewestMore } from '../../../../src/core/optimize/horizon/more-vehicles.ts';
import type { RuledHorizon } from '../../../../src/core/optimize/horizon/rules.ts';
import { enough, isFullDepth, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { everyOutcome } from './every-plan.ts';
import { formulateRuled } from './ruled-formulation.ts';
import { tinyRuled } from './ruled-instances.ts';

const control = { deadlineMs: 1e12 };

/** The problem with so many further vehicles of a class before the first step, in every way to place them. */
function* withMore(problem: RuledHorizon, count: number, from = 0): Generator<RuledHorizon> {
  if (count < 0) return;
  if (count === 0) yield problem;
  else {
    for (let j = from; j < problem.base.n; j++) {
      const supply = problem.supply.slice();
      supply[j]++;
      yield* withMore({ ...problem, supply }, count - 1, j);
    }
  }
}

test('the fewest further vehicles are those without which no plan of all plans serves enough', {
  tags: ['slow'],
}, async () => {
  const counts = { known: 0, open: 0, never: 0 };
  for (const seed of seeds(1, 150)) {
    const problem = tinyRuled(seed, {});
    const { base } = problem;
    const total = base.demand.reduce((a, b) => a + b, 0);
    const isEnough = (one: RuledHorizon) =>
      everyOutcome({ ...base, supply: one.supply }).at(-1)!.served >= base.required - 1e-9 * total;
    if (base.n * base.steps > 9 || total === 0 || isEnough(problem)) continue;
    const found = await fewestMore(problem, 0, control, threadCache);
    if (found === 'none' || !found) {
      // Where vehicles stand, all of them serve at last: only demand before anyone can be there is out of reach.
      counts.never++;
      continue;
    }
    const where = `seed ${seed}`;
    for (const one of withMore(problem, found.least - 1)) expect(isEnough(one), where).toBe(false);
    if (found.enough === null) {
      counts.open++;
      continue;
    }
    const supply = problem.supply.map((count, at) => count + (found.enough![at] ?? 0));
    expect(isEnough({ ...problem, supply }), where).toBe(true);
    counts.known++;
  }
  expect(counts.known).toBeGreaterThan(enough(15));
  if (isFullDepth) expect(counts.open + counts.never).toBeLessThan(counts.known / 4);
});

test('where fractional vehicles need no further one, no number is called insufficient', {
  tags: ['slow'],
}, async () => {
  let found = 0;
  for (const seed of seeds(1, 120)) {
    const problem = tinyRuled(seed, { bounds: true, fleet: seed % 2 === 0 });
    const { base } = problem;
    if (base.required === 0 || !formulateRuled(problem)?.isReached) continue;
    const more = await fewestMore(problem, 0, control, threadCache);
    if (!more || more === 'none') continue;
    expect(more.least, `seed ${seed}`).toBe(0);
    found++;
  }
  expect(found).toBeGreaterThan(enough(8));
});

test('further vehicles go where trips do not bring enough, and fewer are not enough', {
  tags: ['slow'],
}, async () => {
  let known = 0;
  for (const seed of seeds(1, 80)) {
    const problem = tinyRuled(seed, { flows: true, classes: seed % 2 === 0 });
    const expected = formulateRuled(problem);
    if (!expected || expected.isReached) continue;
    const found = await fewestMore(problem, 0, control, threadCache);
    if (!found || found === 'none') continue;
    const where = `seed ${seed}`;
    const more = found.enough?.reduce((a, b) => a + b, 0) ?? 5;
    if (more > 4) continue;
    for (const one of withMore(problem, found.least - 1))
      expect(formulateRuled(one, true)!.isReached, where).toBe(false);
    expect([...withMore(problem, more)].some((one) => formulateRuled(one)!.isReached)).toBe(true);
    known++;
  }
  expect(known).toBeGreaterThan(enough(7));
});
