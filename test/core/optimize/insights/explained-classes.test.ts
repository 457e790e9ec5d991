import { expect, test } from 'vitest';
import type { Insights } from '../../../../src/contracts/optimize.ts';
import type { ProgressReport } from '../../../../src/core/optimize/progress.ts';
import { casesOfDay } from '../../../helpers/depth.ts';
import { optimizeCached as optimize } from '../cached.ts';
import { startCpuClock } from '../compute.ts';
import { cityInstance, SETTINGS } from '../instances.ts';

/** A city of 73 locations whose vehicles have several capacities, explained. */
async function explainCity(seed: number, capacities: number[], time_limit_seconds: number, constraints = {}) {
  const size = { locations: 73, perLocation: 5, fractional: true, load: 0.7, capacities };
  const { request, locations } = cityInstance(seed, size);
  const told: (ProgressReport & { cpuMs: number })[] = [];
  const cpuMs = startCpuClock();
  const outcome = await optimize(
    {
      request: {
        ...request,
        constraints: { min_service_level: 0.95, max_rebalancing_cost: null, ...constraints },
        options: { explain: true, time_limit_seconds },
      },
      locations,
      settings: SETTINGS,
    },
    { onProgress: (report) => told.push({ ...report, cpuMs: cpuMs() }) },
  );
  if (!('result' in outcome)) throw new Error(outcome.status);
  return { insights: outcome.result.insights!, cost: outcome.result.total_cost, told };
}

/** Each figure with its stated error. */
function figuresOf({ locations, moves, binding_constraints }: Insights) {
  return [
    ...locations.flatMap((one) =>
      [one.one_more_saves, one.one_fewer_costs, one.more_demand_costs].map((value) => ({
        value,
        error: one.error_at_most,
      })),
    ),
    ...moves.map((one) => ({ value: one.forbidding_costs, error: one.error_at_most })),
    ...binding_constraints.map((one) => ({ value: one.saves, error: one.error_at_most })),
  ].filter((figure): figure is { value: number; error: number | null } => figure.value !== null);
}

const CASES: [name: string, seed: number, capacities: number[], seconds: number, constraints?: object][] = [
  ['two capacities, little time', 3, [1, 2], 2],
  ['three capacities, little time', 2, [1, 2, 4], 3],
  ['a fleet size', 1, [1, 2, 4], 5, { total_fleet_size: 300 }],
  ['a distance', 1, [1, 2], 8, { max_distance: 12 }],
  ['more time', 2, [1, 2, 4], 8],
];
/** CPU time of the process: a busy machine may keep most of the time from an explanation, which is soon over then. */
const MOST_STILL_MS = 2000;

test('an explanation with several capacities names the service level where it binds, and its progress never stands still', {
  tags: 'slow',
}, async () => {
  for (const [name, seed, capacities, seconds, more] of casesOfDay(CASES)) {
    const { insights, cost, told } = await explainCity(seed, capacities, seconds, more);
    // Without the service level nothing has to move, so it binds if the plan costs anything.
    expect(cost, name).toBeGreaterThan(0);
    const binding = insights.binding_constraints.map(({ constraint }) => constraint);
    expect(binding, name).toContain('min_service_level');
    for (const { value, error } of figuresOf(insights)) {
      expect(error, name).not.toBeNull();
      if (error! > 0) expect(Math.abs(value), name).toBeGreaterThan(error!);
    }
    for (const one of insights.locations) {
      for (const key of one.not_known) expect(one[key], name).toBeNull();
      if (one.error_at_most === null) expect(one.not_known, name).toHaveLength(3);
    }
    const isAllKnown = [...insights.moves, ...insights.binding_constraints].every(
      (one) => one.error_at_most !== null,
    );
    if (insights.complete)
      expect(isAllKnown && insights.locations.every((one) => one.not_known.length === 0), name).toBe(true);

    const [first, ...explaining] = told.filter(({ stage }) => stage === 'explain');
    let last = first;
    for (const report of explaining) {
      expect(report.progress, name).toBeGreaterThanOrEqual(last.progress);
      expect(report.cpuMs - last.cpuMs, name).toBeLessThan(MOST_STILL_MS);
      if (report.progress > last.progress) last = report;
    }
  }
});
