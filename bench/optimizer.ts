/**
 * `npm run bench:optimizer -- [--family city|evening|depot|grid|one-place] [--sizes 20,263,1000,2000] [--repeats 9]
 * [--seeds 3] [--direct-up-to 263] [--lemon]`: times the pure flow solver on city-like instances and
 * checks that all methods agree on the cost. Within 5 km, at most 95 % of what can be served there is required.
 *
 * Methods take turns within each repeat (small instances several calls at a turn), so a busy machine affects all of
 * them alike. Methods that build matrices come last. Times are medians over calls and seeds, with the 10th and 90th
 * percentile. They include certificates; building matrices is timed separately unless the name says otherwise. "Travel
 * times" are network costs as clients send them: within 30 % of the distance, different in each direction. They violate
 * the triangle inequality, so netting proves nothing; the way each was solved is printed as it runs. `--lemon` runs
 * LEMON's network simplex on the same instances.
 */
import { greatCircleMatrix } from '../src/core/geo.ts';
import { confirmFlow } from '../src/core/optimize/flow/flow-confirm.ts';
import { solveGreatCircleFlow } from '../src/core/optimize/flow/great-circle-flow.ts';
import { solveFlow } from '../src/core/optimize/flow/solve-flow.ts';
import type { FlowOutcome, FlowProblem } from '../src/core/optimize/flow/types.ts';
import { greatCircleCosts } from '../src/core/optimize/problem/distances/great-circle-costs.ts';
import type { DenseCosts, SparseCosts } from '../src/core/optimize/problem/distances/move-costs.ts';
import { nearCosts } from '../src/core/optimize/problem/distances/near-costs.ts';
import { threadCache } from '../test/core/optimize/cached.ts';
import { readArguments, reportTable, spread, whole } from './cli.ts';
import { solveDirectly } from './direct-highs.ts';
import {
  type BenchInstance,
  cityFlow,
  createUniform,
  depotFlow,
  eveningFlow,
  gridFlow,
  onePlaceFlow,
  SERVICE_LEVEL,
} from './instances.ts';
import { compileLemon } from './lemon.ts';

const COST_PER_KM = 1;
const LIMIT_KM = 5;
const CONFIRMED = 'certified and confirmed by HiGHS (what the service does)';

const FAMILIES: Record<string, (seed: number, n: number) => BenchInstance> = {
  city: cityFlow,
  evening: eveningFlow,
  depot: depotFlow,
  grid: gridFlow,
  'one-place': onePlaceFlow,
};

const options = readArguments({
  family: 'city',
  sizes: [20, 263, 1000, 2000],
  repeats: 9,
  seeds: 3,
  'direct-up-to': 263,
  lemon: false,
});
const { sizes, repeats, seeds, 'direct-up-to': directUpTo, json } = options;

const createInstance = FAMILIES[options.family];
if (!createInstance) throw new Error(`--family is one of ${Object.keys(FAMILIES).join(', ')}`);

const lemon = options.lemon ? compileLemon() : null;

/**
 * The result of a run, for the check of agreement (undefined: none), and its time if that is not the time of the call.
 */
type Found = string | undefined | { found: string; ms: number };
type Method = {
  name: string;
  /** Methods of a group find the same; none where nothing is found. */
  group?: 'all moves' | 'travel times' | '5 km';
  run: () => Found | Promise<Found>;
  /** `measured`: without warm-up; `once`: only in the first round. */
  when?: 'measured' | 'once';
};

/** Methods that solve, methods that also build matrices, and the results found, by group. */
type Instance = {
  solving: Method[];
  building: Method[];
  found: Map<string, string>;
  /** How the problem with travel times was solved. */
  way: string;
};

function describe(outcome: FlowOutcome): string {
  if (outcome.kind === 'solved') return `cost ${outcome.cost}`;
  return outcome.kind === 'infeasible' ? `at most ${outcome.served} served` : outcome.kind;
}

function methodsFor(instance: BenchInstance): Instance {
  const { n, points, supply, demand, required } = instance;
  const amounts = { n, supply, demand, required };
  const cost = greatCircleCosts(points, COST_PER_KM);
  const near = nearCosts(points, COST_PER_KM, LIMIT_KM);
  const nearAmounts = { ...amounts, cost: near, required: requiredNearby({ ...amounts, cost: near }) };
  const times = travelTimes(instance, cost);
  const solving: Method[] = [
    {
      group: 'all moves',
      name: 'network simplex, certified',
      run: () => describe(solveFlow({ ...amounts, cost })),
    },
    { group: 'all moves', name: `network simplex, ${CONFIRMED}`, run: () => confirmed({ ...amounts, cost }) },
    {
      group: 'travel times',
      name: 'travel times, certified',
      run: () => describe(solveFlow({ ...amounts, cost: times })),
    },
    {
      group: 'travel times',
      name: `travel times, ${CONFIRMED}`,
      run: () => confirmed({ ...amounts, cost: times }),
    },
    {
      group: '5 km',
      name: '`max_distance` 5 km, certified',
      run: () => describe(solveFlow(nearAmounts)),
    },
    {
      group: '5 km',
      name: `\`max_distance\` 5 km, ${CONFIRMED}`,
      run: () => confirmed(nearAmounts),
    },
  ];
  if (lemon) {
    const when = n > 500 ? 'once' : 'measured';
    const dense = { ...nearAmounts, cost: asDense(n, near) };
    const timed = { ...amounts, cost: times };
    const runs = [
      ['all moves', 'LEMON, all arcs', () => runLemon({ ...amounts, cost }, false)],
      [
        'all moves',
        'LEMON, vehicles serve first where they stand',
        () => runLemon({ ...amounts, cost }, true),
      ],
      ['5 km', 'LEMON, `max_distance` 5 km', () => runLemon(dense, false)],
      ['travel times', 'LEMON, travel times, all arcs', () => runLemon(timed, false)],
    ] as const;
    for (const [group, name, run] of runs) solving.push({ group, name, when, run });
  }
  if (n <= directUpTo) {
    solving.push({
      group: 'all moves',
      name: 'HiGHS alone, all moves in one model',
      ...(n > 100 && { when: 'once' as const }),
      run: () => `cost ${solveDirectly({ ...amounts, cost })}`,
    });
  }
  const building: Method[] = [
    {
      group: 'all moves',
      name: 'network simplex without matrix, certified',
      run: () =>
        describe(solveGreatCircleFlow({ ...amounts, points, costPerKm: COST_PER_KM, maxDistanceKm: 1e9 })),
    },
    { name: 'matrix of haversine distances', run: () => void greatCircleMatrix(points) },
    { name: 'matrix of chords', run: () => void greatCircleCosts(points, COST_PER_KM) },
    { name: 'matrix within 5 km', run: () => void nearCosts(points, COST_PER_KM, LIMIT_KM) },
  ];
  const way = solveFlow({ ...amounts, cost: times }).counts.method;
  return { solving, building, found: new Map(), way };
}

/** 95 % of what can be served, or what is required if that is less. */
function requiredNearby(problem: FlowProblem): number {
  const outcome = solveFlow(problem);
  if (outcome.kind !== 'infeasible') return problem.required;
  return Math.min(problem.required, Math.floor(SERVICE_LEVEL * outcome.served));
}

/** Infinite where there is no move. */
function asDense(n: number, { starts, targets, units }: SparseCosts): DenseCosts {
  const all = new Float64Array(n * n).fill(Number.POSITIVE_INFINITY);
  for (let i = 0; i < n; i++)
    for (let a = starts[i]; a < starts[i + 1]; a++) all[i * n + targets[a]] = units[a];
  return { kind: 'dense', units: all };
}

/** Dense costs of 0.7 to 1.3 times the great-circle ones, different in each direction. */
function travelTimes({ n }: BenchInstance, { units }: DenseCosts): DenseCosts {
  const random = createUniform(n);
  return {
    kind: 'dense',
    units: Float64Array.from(units, (cost) => Math.ceil(cost * (0.7 + 0.6 * random()))),
  };
}

/** The flow with its certificate and the confirmation by HiGHS, as in the service. */
async function confirmed(problem: FlowProblem): Promise<string> {
  const outcome = solveFlow(problem);
  if (outcome.kind !== 'solved') return describe(outcome);
  const confirmation = await confirmFlow(threadCache, problem, outcome, {
    deadlineMs: performance.now() + 60_000,
  });
  return confirmation.kind === 'confirmed' ? describe(outcome) : confirmation.kind;
}

/** One solve after a warm-up. The time is that of the solve, without the process around it. */
function runLemon(problem: FlowProblem & { cost: DenseCosts }, netted: boolean): Found {
  const { cost, ms } = lemon!(problem, 1, netted);
  return { found: `cost ${cost}`, ms: ms[0] };
}

let disagreements = 0;

/** Adds the times of one size's methods by name. */
async function takeTurns(
  n: number,
  instances: Instance[],
  part: 'solving' | 'building',
  times: Map<string, number[]>,
): Promise<void> {
  // The first rounds compile; small instances need more of them.
  const warmUp = n <= 100 ? 30 : n <= 500 ? 10 : 2;
  const callsAtATurn = n <= 20 ? 30 : n <= 100 ? 5 : 1;
  for (let r = -warmUp; r < repeats; r++) {
    for (const { [part]: methods, found } of instances) {
      for (const { group, name, run, when } of methods) {
        if ((when && r < 0) || (when === 'once' && r > 0)) continue;
        const taken = times.get(name) ?? [];
        if (r >= 0) times.set(name, taken);
        let result: string | undefined;
        for (let call = 0; call < (when ? 1 : callsAtATurn); call++) {
          const startedMs = performance.now();
          const returned = await run();
          const ownMs = performance.now() - startedMs;
          const own = typeof returned === 'object' ? returned : { found: returned, ms: ownMs };
          if (r >= 0) taken.push(own.ms);
          result = own.found;
        }
        if (result === undefined || group === undefined) continue;
        if ((found.get(group) ?? result) !== result) {
          disagreements++;
          console.error(`${n} locations, ${name}: ${result}, but ${found.get(group)} before`);
        }
        found.set(group, result);
      }
    }
  }
}

const cells = new Map<string, string[]>();
for (const [at, n] of sizes.entries()) {
  const times = new Map<string, number[]>();
  const instances = Array.from({ length: seeds }, (_, seed) => methodsFor(createInstance(seed, n)));
  await takeTurns(n, instances, 'solving', times);
  // Methods that build matrices come last: otherwise their garbage is collected during the next method.
  await takeTurns(n, instances, 'building', times);
  console.error(`${n} locations; travel times: ${instances.map(({ way }) => way).join(', ')}`);
  for (const [name, list] of times) {
    const row = cells.get(name) ?? sizes.map(() => '–');
    row[at] = spread(list);
    cells.set(name, row);
  }
}
const rows = [...cells].map(([name, row]) => [name, ...row]);
reportTable({ columns: ['ms by number of locations', ...sizes.map(whole)], rows }, json);
if (disagreements > 0) process.exitCode = 1;
