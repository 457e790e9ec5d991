import { expect, test } from 'vitest';
import {
  higherCeiling,
  largerFleetSize,
  looserBounds,
} from '../../../../src/core/optimize/horizon/looser-rules.ts';
import type { Loosened } from '../../../../src/core/optimize/horizon/ruled-master.ts';
import type { RuledHorizon } from '../../../../src/core/optimize/horizon/rules.ts';
import { leastLoosening } from '../../../../src/core/optimize/horizon/solve-with-rules.ts';
import { enough, isFullDepth, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { formulateLoosening, formulateRuled } from './ruled-formulation.ts';
import { type TinyRules, tinyRuled } from './ruled-instances.ts';

const control = { deadlineMs: 1e12 };

type Rule = Loosened['rule'];

/** A problem that asks for most of what can be served, and one or all of bounds, a ceiling and a fleet size. */
function tightProblem(seed: number): { problem: RuledHorizon; rules: Rule[] } {
  const has = (bit: number) => ((seed >> bit) & 1) === 1;
  const only = (which: number) => seed % 4 === which || seed % 4 === 3;
  const [bounds, ceiling, fleet] = [only(0), only(1), only(2)];
  const asked: TinyRules = { bounds, ceiling, fleet, classes: has(2), flows: has(3), parts: has(4) };
  const { base, ...rest } = tinyRuled(seed, asked);
  const nodes = base.n * base.steps;
  const later = (value: number, lead: number) =>
    Array.from({ length: nodes }, (_, u) => (u < base.n ? lead : value));
  const most = formulateRuled({ base, capacities: rest.capacities, supply: rest.supply })?.served.at(-1) ?? 0;
  const both = {
    least: base.least ?? Int32Array.from(later(1, 0)),
    most: base.most ?? Float64Array.from(later(2, Number.POSITIVE_INFINITY)),
  };
  const problem = { ...rest, base: { ...base, required: 0.95 * most, ...(bounds && both) } };
  const rules: Rule[] = [];
  if (bounds) rules.push('least', 'most');
  if (ceiling) rules.push('ceiling');
  if (fleet) rules.push('fleet');
  return { problem, rules };
}

test('how far a rule has to be loosened is the least of all fractional plans, and a bound of whole ones', {
  tags: ['slow'],
}, async () => {
  const counts = { helps: 0, never: 0, nothing: 0 };
  for (const seed of seeds(1, 96)) {
    const { problem, rules } = tightProblem(seed);
    const vehicles = problem.supply.reduce((a, b) => a + b, 1);
    for (const rule of rules) {
      for (const byLocation of rule === 'least' || rule === 'most' ? [true, false] : [false]) {
        const loosened: Loosened = { rule, byLocation };
        const where = `seed ${seed} ${JSON.stringify(loosened)}`;
        const found = await leastLoosening(problem, loosened, control, threadCache);
        const expected = formulateLoosening(problem, loosened);
        if (expected === null) {
          expect(found, where).toBe('none');
          counts.never++;
          continue;
        }
        if (!found || found === 'none') throw new Error(`${where}: ${found}`);
        const units = rule === 'ceiling' ? 1e4 : 1;
        const noise = 1e-5 * vehicles * (rule === 'ceiling' ? 1e4 : 1);
        expect(Math.abs(units * found.least - expected), where).toBeLessThan(noise);
        const all = found.by.reduce((a, b) => a + b, 0);
        expect(Math.abs(units * all - expected), where).toBeLessThan(noise);
        counts[expected > noise ? 'helps' : 'nothing']++;
      }
    }
  }
  expect(counts.helps).toBeGreaterThan(enough(50));
  expect(counts.never).toBeGreaterThan(enough(50));
});

test('a change that is called sufficient lets a plan serve what is required, and less than the least does not', {
  tags: ['slow'],
}, async () => {
  const counts = { bounds: 0, ceiling: 0, fleet: 0, open: 0 };
  for (const seed of seeds(1, 96)) {
    const { problem, rules } = tightProblem(seed);
    const { base, fleetSize = 0, ceilingUnits = 0 } = problem;
    const reaches = (changed: RuledHorizon) => formulateRuled(changed)?.isReached ?? false;
    if (reaches(problem)) continue;
    for (const side of ['least', 'most'] as const) {
      if (!rules.includes(side)) break;
      const asked = { side, byLocation: seed % 2 === 0 };
      const found = await looserBounds(problem, problem, asked, control, threadCache);
      if (!found || found === 'none') continue;
      const { by } = found;
      counts[by ? 'bounds' : 'open']++;
      if (!by) continue;
      expect(by.reduce((a, b) => a + b, 0)).toBeGreaterThanOrEqual(found.least);
      const rows = base[side]!.map((value, u) =>
        u < base.n
          ? value
          : side === 'least'
            ? Math.max(0, value - by[u % by.length])
            : value + by[u % by.length],
      );
      expect(reaches({ ...problem, base: { ...base, [side]: rows } }), `seed ${seed}`).toBe(true);
    }
    const ceiling = rules.includes('ceiling') && (await higherCeiling(problem, 1e7, control, threadCache));
    if (ceiling && ceiling !== 'none') {
      counts[ceiling.by === null ? 'open' : 'ceiling']++;
      if (ceiling.by !== null)
        expect(reaches({ ...problem, ceilingUnits: ceiling.by + 1 }), `seed ${seed}`).toBe(true);
      const less = { ...problem, ceilingUnits: ceilingUnits + (ceiling.least - ceilingUnits) * 0.99 - 2 };
      expect(reaches(less), `seed ${seed}`).toBe(false);
    }
    const vehicles = problem.supply.reduce((a, b) => a + b, 0);
    const fleet = rules.includes('fleet') && (await largerFleetSize(problem, vehicles, control, threadCache));
    if (fleet && fleet !== 'none') {
      counts[fleet.by === null ? 'open' : 'fleet']++;
      if (fleet.by !== null) expect(reaches({ ...problem, fleetSize: fleet.by }), `seed ${seed}`).toBe(true);
      expect(reaches({ ...problem, fleetSize: Math.max(fleetSize, fleet.least - 1) }), `seed ${seed}`).toBe(
        false,
      );
    }
  }
  expect(Math.min(counts.bounds, counts.ceiling, counts.fleet)).toBeGreaterThan(enough(3));
  if (isFullDepth) expect(counts.open).toBeLessThan((counts.bounds + counts.ceiling + counts.fleet) / 2);
});

test('where fractional vehicles need no looser rule, none is called insufficient', {
  tags: ['slow'],
}, async () => {
  const counts = { bounds: 0, ceiling: 0, fleet: 0 };
  for (const seed of seeds(1, 96)) {
    const { problem, rules } = tightProblem(seed);
    if (!formulateRuled(problem)?.isReached) continue;
    const { fleetSize = 0, ceilingUnits = 0 } = problem;
    const where = `seed ${seed}`;
    for (const side of ['least', 'most'] as const) {
      if (!rules.includes(side)) continue;
      const asked = { side, byLocation: seed % 2 === 0 };
      const found = await looserBounds(problem, problem, asked, control, threadCache);
      expect(found, where).toEqual({ least: 0, by: null });
      counts.bounds++;
    }
    const ceiling = rules.includes('ceiling') && (await higherCeiling(problem, null, control, threadCache));
    if (ceiling && ceiling !== 'none') {
      expect(ceiling.least, where).toBe(ceilingUnits);
      counts.ceiling++;
    }
    const vehicles = problem.supply.reduce((a, b) => a + b, 0);
    const fleet = rules.includes('fleet') && (await largerFleetSize(problem, vehicles, control, threadCache));
    if (fleet && fleet !== 'none') {
      expect(fleet.least, where).toBe(Math.min(fleetSize, vehicles));
      counts.fleet++;
    }
  }
  expect(Math.min(counts.bounds, counts.ceiling, counts.fleet)).toBeGreaterThan(enough(3));
});

test('no bound is lowered below 0 where whole vehicles need one more', async () => {
  for (const seed of [3, 43, 517]) {
    const has = (bit: number) => ((seed >> bit) & 1) === 1;
    const { base, ...rest } = tinyRuled(seed, { classes: has(2), flows: has(3), parts: has(4) });
    const served = formulateRuled({ base, ...rest })!.served.at(-1)!;
    const least = Int32Array.from(base.demand, (_, u) => (u < base.n ? 0 : 2));
    const problem = { ...rest, base: { ...base, least, required: 0.9 * served } };
    const asked = { side: 'least', byLocation: true } as const;
    const found = await looserBounds(problem, problem, asked, control, threadCache);
    if (!found || found === 'none' || !found.by) throw new Error(`seed ${seed}: ${found}`);
    expect(Math.max(...found.by), `seed ${seed}`).toBe(2);
  }
});
