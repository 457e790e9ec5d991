/**
 * `npm run bench:infeasible -- [--sizes 20,73,263] [--first 1] [--seeds 2] [--seconds 4] [--only TEXT] [--each]`: how
 * many of the smallest relaxations in an explanation are proved in time, and how wide the others are left open.
 *
 * A city with 2 to 4 capacities and fractional demand, infeasible in each of the ways below. `--seconds`: the time
 * limits of an explanation; 4 as without `options.explain`, more as with it. The table has, per kind and size, how many
 * of the relaxations found are proved. Printed besides, per constraint: for the open ones the distance between the
 * value found and the nearest value proved insufficient. `--each`: reports every problem.
 */
import { explainInfeasible } from '../src/core/optimize/infeasible/infeasible.ts';
import type { Limits } from '../src/core/optimize/problem/constraints.ts';
import type { Conflict, Problem } from '../src/core/optimize/problem/model.ts';
import { countVehicles } from '../src/core/optimize/problem/variants.ts';
import { solveProblem } from '../src/core/optimize/solve.ts';
import { readArguments, reportTable, spread, whole } from './cli.ts';
import { createUniform, SERVICE_LEVEL } from './instances.ts';
import { createMixedProblem } from './mixed-instances.ts';

const { sizes, first, seeds, seconds, only, each, json } = readArguments({
  sizes: [20, 73, 263],
  first: 1,
  seeds: 2,
  seconds: [4],
  only: '',
  each: false,
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
  'distance 1.5 km': { load: 0.8, limits: () => ({ maxDistanceKm: 1.5 }) },
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
  'distance 4 km': { load: 0.95, limits: () => ({ minServiceLevel: 0.97, maxDistanceKm: 4 }) },
  'two at once: service level and distance': {
    load: 1.08,
    limits: () => ({ minServiceLevel: 0.97, maxDistanceKm: 2 }),
  },
  'two at once: distance and ceiling': {
    load: 0.85,
    limits: (_, cheapest) => ({ maxDistanceKm: 2, maxCostUnits: Math.round(0.7 * cheapest) }),
  },
  'two at once: fleet size and most per location': {
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

type Row = { named: number; proved: number; widths: number[]; ms: number[] };

/** Distance between the value found and the nearest insufficient one, as a share of the value found. */
function widthOf({ relaxation, insufficient, value }: Conflict): number {
  if (relaxation === null) return Number.POSITIVE_INFINITY;
  return Math.abs(relaxation - (insufficient ?? value ?? 0)) / relaxation;
}

/** What the explanations of one kind named, by constraint. */
async function explainKind(name: string, n: number, limitSeconds: number): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  for (const capacities of CAPACITIES) {
    for (let seed = first; seed < first + seeds; seed++) {
      const problem = await createInfeasible(seed, n, capacities, KINDS[name]);
      if (!problem) {
        console.error(`${n} ${name} ${capacities} seed ${seed}: not infeasible`);
        continue;
      }
      const startedMs = performance.now();
      const { conflicts } = await explainInfeasible(
        { demand_forecast: {}, fleet_state: { vehicles: [] } },
        problem,
        { deadlineMs: startedMs + 1000 * limitSeconds },
        { mostMs: Number.POSITIVE_INFINITY },
      );
      const ms = performance.now() - startedMs;
      for (const conflict of conflicts) {
        const row = rows.get(conflict.constraint) ?? { named: 0, proved: 0, widths: [], ms: [] };
        rows.set(conflict.constraint, row);
        row.named++;
        if (conflict.proved) row.proved++;
        else row.widths.push(widthOf(conflict));
        row.ms.push(ms);
      }
      if (!each) continue;
      const told = conflicts.map(
        ({ constraint, value, relaxation, insufficient, proved }) =>
          `${constraint} ${value} → ${relaxation}${proved ? '' : ` OPEN (not ${insufficient})`}`,
      );
      console.error(`${n} ${name} ${capacities} seed ${seed} ${ms.toFixed(0)} ms: ${told.join('; ')}`);
    }
  }
  return rows;
}

const ALL = 'all';
const names = Object.keys(KINDS).filter((name) => name.includes(only));
/** Rows of the table: the kinds, those of two constraints together, and all. */
const table = new Map([...names.map((name) => name.split(':')[0]), ALL].map((row) => [row, [row]]));
const columns = ['kind'];
for (const n of sizes) {
  for (const limitSeconds of seconds) {
    columns.push(`${n} locations, ${limitSeconds} s`);
    const counts = new Map([...table.keys()].map((row) => [row, { named: 0, proved: 0 }]));
    for (const name of names) {
      for (const [constraint, row] of await explainKind(name, n, limitSeconds)) {
        const widths = row.widths.toSorted((a, b) => a - b).map((width) => `${(100 * width).toFixed(3)} %`);
        console.error(
          `${n}, ${limitSeconds} s, ${name}: ${constraint}: ${row.proved} of ${row.named}, ` +
            `open ${widths.join(', ') || 'none'}; ${spread(row.ms, whole, [0, 1])} ms`,
        );
        for (const kind of [name.split(':')[0], ALL]) {
          const count = counts.get(kind)!;
          count.named += row.named;
          count.proved += row.proved;
        }
      }
    }
    for (const [row, { named, proved }] of counts) table.get(row)!.push(`${proved} of ${named}`);
  }
}
reportTable({ columns, rows: [...table.values()] }, json);
