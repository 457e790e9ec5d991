/**
 * How many of the smallest relaxations in an explanation are proved in time, and how wide the others are left open.
 *
 *   npm run bench:infeasible -- [--sizes 20,73,263] [--first 1] [--seeds 2] [--seconds 4] [--only TEXT] [--each]
 *
 * A city with 2 to 4 capacities and fractional demand, infeasible in each of the ways below. `--seconds`: the time
 * limit of an explanation; 4 as without `options.explain`, more as with it. Reports per kind and size: the relaxations
 * found, how many are settled, and for the open ones the distance between the value found and the nearest value proved
 * insufficient. `--each`: reports every problem.
 */
import { parseArgs } from 'node:util';
import { explainInfeasible } from '../src/core/optimize/infeasible/infeasible.ts';
import type { Limits } from '../src/core/optimize/problem/constraints.ts';
import type { Conflict, Problem } from '../src/core/optimize/problem/model.ts';
import { countVehicles } from '../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../src/core/optimize/solve.ts';
import { createUniform, SERVICE_LEVEL } from './instances.ts';
import { createMixedProblem } from './mixed-instances.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '20,73,263' },
    first: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
    each: { type: 'boolean', default: false },
  },
});

const CAPACITIES = [
  [1, 2],
  [1, 2, 4],
  [4, 7, 12],
  [2, 3, 5, 8],
];
const PER_LOCATION = 5;

/**
 * `load`: demand over the fleet's capacity. `limits` may depend on the problem and on the cost of its cheapest plan.
 */
type Kind = { load: number; limits(problem: Problem, cheapestUnits: number): Partial<Limits> };

const mean = (problem: Problem) => countVehicles(problem) / problem.locationIds.length;

/** The number of largest vehicles that provide the required capacity. */
function fewestByCapacity({ locationIds, capacities, supply, demand }: Problem): number {
  const n = locationIds.length;
  let open = SERVICE_LEVEL * demand.reduce((sum, d) => sum + d, 0);
  let count = 0;
  for (let k = capacities.length - 1; k >= 0 && open > 0; k--) {
    const vehicles = supply.subarray(k * n, (k + 1) * n).reduce((sum, v) => sum + v, 0);
    const used = Math.min(vehicles, Math.ceil(open / capacities[k]));
    count += used;
    open -= used * capacities[k];
  }
  return count;
}

const KINDS: Record<string, Kind> = {
  'service level': { load: 1.08, limits: () => ({ minServiceLevel: 0.97 }) },
  distance: { load: 0.8, limits: () => ({ maxDistanceKm: 1.5 }) },
  'fleet size': {
    load: 0.85,
    limits: (problem) => ({ totalFleetSize: Math.floor(0.93 * fewestByCapacity(problem)) }),
  },
  ceiling: { load: 0.85, limits: (_, cheapest) => ({ maxCostUnits: Math.round(0.7 * cheapest) }) },
  'least per location': {
    load: 0.7,
    limits: (problem) => ({ minVehiclesPerLocation: Math.ceil(mean(problem)) + 1 }),
  },
  'most per location': {
    load: 0.8,
    limits: (problem) => ({ maxVehiclesPerLocation: Math.ceil(0.7 * mean(problem)) + 1 }),
  },
  'middling distance': { load: 0.95, limits: () => ({ minServiceLevel: 0.97, maxDistanceKm: 4 }) },
  'service level and distance': {
    load: 1.08,
    limits: () => ({ minServiceLevel: 0.97, maxDistanceKm: 2 }),
  },
  'distance and ceiling': {
    load: 0.85,
    limits: (_, cheapest) => ({ maxDistanceKm: 2, maxCostUnits: Math.round(0.7 * cheapest) }),
  },
  'fleet size and most per location': {
    load: 0.85,
    limits: (problem) => ({
      totalFleetSize: Math.floor(0.93 * fewestByCapacity(problem)),
      maxVehiclesPerLocation: Math.ceil(0.7 * mean(problem)) + 1,
    }),
  },
};

async function createInfeasible(
  seed: number,
  n: number,
  capacities: number[],
  kind: Kind,
): Promise<Problem | null> {
  const base = createMixedProblem(seed, { n, perLocation: PER_LOCATION, capacities });
  // Every other seed has demand in hundredths, as people write it; the others have full precision, as forecasts give
  // it.
  const hundredths = (d: number) => (seed % 2 === 0 ? d : Math.round(100 * d) / 100);
  const random = createUniform(seed);
  const demand = base.demand.map((d) => hundredths((d * kind.load * (1 + 0.01 * random())) / 0.9));
  const loaded = { ...base, demand };
  const cheapest = await solveProblem(loaded, 0.01, { deadlineMs: performance.now() + 5000 });
  const cheapestUnits = cheapest.kind === 'solved' ? cheapest.solution.costUnits : 0;
  const problem = { ...loaded, limits: { ...loaded.limits, ...kind.limits(loaded, cheapestUnits) } };
  const outcome = await solveProblem(problem, 1, { deadlineMs: performance.now() + 5000 });
  return outcome.kind === 'infeasible' ? problem : null;
}

type Row = { named: number; settled: number; alone: number; widths: number[]; ms: number[] };

/** Distance between the value found and the nearest insufficient one, as a share of the value found. */
function widthOf({ relaxation, insufficient, value }: Conflict): number {
  if (relaxation === null) return Number.POSITIVE_INFINITY;
  return Math.abs(relaxation - (insufficient ?? value ?? 0)) / relaxation;
}

for (const n of values.sizes.split(',').map(Number)) {
  const table = new Map<string, Row>();
  for (const [name, kind] of Object.entries(KINDS)) {
    if (!name.includes(values.only)) continue;
    for (const capacities of CAPACITIES) {
      const first = Number(values.first);
      for (let seed = first; seed < first + Number(values.seeds); seed++) {
        const problem = await createInfeasible(seed, n, capacities, kind);
        if (!problem) {
          console.log(`${n} ${name} ${capacities} seed ${seed}: not infeasible`);
          continue;
        }
        const startedMs = performance.now();
        const { conflicts } = await explainInfeasible(
          { demand_forecast: {}, fleet_state: { vehicles: [] } },
          problem,
          { deadlineMs: startedMs + 1000 * Number(values.seconds) },
          Number.POSITIVE_INFINITY,
        );
        const ms = performance.now() - startedMs;
        for (const conflict of conflicts) {
          const key = `${name}: ${conflict.constraint}`;
          const row = table.get(key) ?? { named: 0, settled: 0, alone: 0, widths: [], ms: [] };
          table.set(key, row);
          row.named++;
          if (conflict.proved) row.settled++;
          else row.widths.push(widthOf(conflict));
          row.ms.push(ms);
        }
        if (values.each) {
          const told = conflicts.map(
            ({ constraint, value, relaxation, insufficient, proved }) =>
              `${constraint} ${value} → ${relaxation}${proved ? '' : ` OPEN (not ${insufficient})`}`,
          );
          console.log(`${n} ${name} ${capacities} seed ${seed} ${ms.toFixed(0)} ms: ${told.join('; ')}`);
        }
      }
    }
  }
  let named = 0;
  let settled = 0;
  for (const [key, row] of table) {
    named += row.named;
    settled += row.settled;
    const widths = row.widths.toSorted((a, b) => a - b).map((w) => `${(100 * w).toFixed(3)} %`);
    const ms = row.ms.toSorted((a, b) => a - b);
    console.log(
      `${n} | ${key} | ${row.settled} of ${row.named} | ${widths.join(', ')} | ${ms[ms.length >> 1].toFixed(0)} (${ms[0].toFixed(0)} – ${ms.at(-1)!.toFixed(0)})`,
    );
  }
  console.log(`${n} locations: ${settled} of ${named} settled`);
}
