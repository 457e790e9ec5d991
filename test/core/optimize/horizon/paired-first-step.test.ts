import { describe, expect, it } from 'vitest';
import type { RuledHorizon, RuledMoves } from '../../../../src/core/optimize/horizon/rules.ts';
import { solveWithRules } from '../../../../src/core/optimize/horizon/solve-with-rules.ts';
import { enough, seeds } from '../../../helpers/depth.ts';
import { threadCache } from '../cached.ts';
import { formulateRuled } from './ruled-formulation.ts';
import { tinyRuled, tinyRulesOf } from './ruled-instances.ts';

const SEEDS = 256;
const control = { deadlineMs: 1e12 };

/** The rules that the first step's moves break, counted here. */
function broken({ base: { n }, firstPairs }: RuledHorizon, moves: RuledMoves): string[] {
  const byPair = new Map<string, number>();
  for (let m = 0; moves.step[m] === 0; m++) {
    const pair = `${moves.from[m]} ${moves.to[m]}`;
    byPair.set(pair, (byPair.get(pair) ?? 0) + moves.vehicles[m]);
  }
  const { minVehicles, maxPairs, maxFrom } = firstPairs!;
  const from = Array.from({ length: n }, (_, i) =>
    [...byPair.keys()].filter((key) => key.startsWith(`${i} `)),
  );
  return [
    ...([...byPair.values()].some((vehicles) => vehicles < minVehicles) ? ['min_vehicles_per_move'] : []),
    ...(byPair.size > maxPairs ? ['max_pairs'] : []),
    ...(from.some((pairs) => pairs.length > maxFrom) ? ['max_moves_from'] : []),
    ...(moves.vehicles.some((vehicles, m) => moves.step[m] === 0 && vehicles % 1 !== 0) ? ['whole'] : []),
  ];
}

describe('the first moves of a horizon plan within rules about pairs', () => {
  it.each([0, 256, 512])(
    'serve as much of each level and of all demand, for as little, as the best of all whole first moves (%i)',
    {
      tags: ['slow'],
    },
    async (after) => {
      const counts = { solved: 0, short: 0, infeasible: 0, changed: 0 };
      for (const seed of seeds(after + 1, after + SEEDS)) {
        const problem = tinyRuled(seed, { ...tinyRulesOf(seed), pairs: true });
        const where = `seed ${seed} ${JSON.stringify(tinyRulesOf(seed))} ${JSON.stringify(problem.firstPairs)}`;
        const found = await solveWithRules(problem, control, threadCache, [], { gap: 0 });
        const expected = formulateRuled(problem, true);
        if (!expected) {
          expect(found.kind, where).toBe('infeasible');
          counts.infeasible++;
          continue;
        }
        if (!('plan' in found)) throw new Error(`${where}: ${found.kind}`);
        const { plan } = found;
        expect(broken(problem, plan.moves), where).toEqual([]);
        const { base } = problem;
        const total = base.demand.reduce((a, b) => a + b, 0);
        const noise = 1e-6 * (1 + total);
        for (const [l, { most, served }] of plan.levels.entries()) {
          expect(Math.abs(served - expected.served[l]), `${where}: level ${l}`).toBeLessThan(noise);
          expect(most, where).toBeGreaterThan(served - noise);
        }
        const all = Math.min(base.required, expected.served.at(-1)!);
        expect(plan.figures.totalServed, where).toBeGreaterThan(all - noise);
        expect(plan.mostServed, where).toBeGreaterThan(all - noise);
        // A level may be served a billionth less, which may cost some units less.
        const units = 5 + 1e-4 * (Math.abs(expected.objectiveUnits) + 100 * total);
        expect(Math.abs(plan.figures.objectiveUnits - expected.objectiveUnits), where).toBeLessThan(units);
        expect(plan.boundUnits, where).toBeLessThan(plan.figures.objectiveUnits + units);
        counts[all < base.required - noise ? 'short' : 'solved']++;
        if (plan.withoutPairs && broken(problem, plan.withoutPairs).length > 0) counts.changed++;
      }
      expect(Math.min(counts.solved, counts.short, counts.infeasible, counts.changed)).toBeGreaterThan(
        enough(20),
      );
    },
  );
});
