/** Random requests that look ahead, so small that every first step can be tried, and the same problems step by step. */
import type { OptimizeRequest } from '../../../../src/contracts/optimize.ts';
import type { RuledHorizon } from '../../../../src/core/optimize/horizon/rules.ts';
import type { OptimizeInput } from '../../../../src/core/optimize/problem/model.ts';
import { createRandom, type Random, SETTINGS } from '../instances.ts';
import { travelTable } from '../travel-table.ts';

export type TinyAhead = {
  input: OptimizeInput;
  /** Without pinned vehicles, and what they serve. */
  problem: RuledHorizon;
  /** T × n: demand of all vehicles, without a row for the moves of the plan. */
  demand: Float64Array;
  servesMost: boolean;
};

const STARTS_AT = '2026-02-09T08:00:00Z';
const IDS = [4, 7, 9, 12];
const RULES = [
  'classes',
  'priorities',
  'ceiling',
  'previous',
  'fleet',
  'bounds',
  'pinned',
  'refine',
  'late',
] as const;

function draw(seed: number) {
  const random = createRandom(seed * 31 + 7);
  const has = new Set(RULES.filter(() => random.chance(0.25)));
  if (has.has('fleet')) has.delete('pinned');
  const hasFlows = seed % 2 === 0;
  const n = random.integer(2, 4);
  const ids = IDS.slice(0, n);
  const steps = random.integer(2, n === 4 ? 3 : 4);
  const isFractional = random.chance(0.6);
  const capacities = has.has('classes') ? [1, random.pick([1.5, 2, 3])] : [1];
  const count = random.integer(1, 5);
  const wanted = (1.5 * count) / n;
  const demand = Float64Array.from({ length: steps * n }, () =>
    random.chance(0.2)
      ? 0
      : isFractional
        ? random.integer(1, Math.ceil(10 * wanted)) / 10
        : random.integer(0, Math.ceil(wanted)),
  );
  const travel = travelOf(random, ids);
  const vehicles = Array.from({ length: count }, (_, v) => {
    const at = has.has('late') && random.chance(0.3) ? random.integer(2, steps + 1) : 0;
    const pinned = at === 0 && has.has('pinned') && random.chance(0.4);
    const target = at === 0 && !pinned && has.has('previous') ? random.integer(-1, n - 1) : -1;
    return {
      v,
      at,
      pinned,
      target,
      k: random.integer(0, capacities.length - 1),
      j: random.integer(0, n - 1),
    };
  });
  const level = random.pick([0, 0.3, 0.6, 0.8, 1]);
  const price = random.chance(0.4) ? random.integer(1, 12) : null;
  const critical = ids.map(() => (has.has('priorities') ? random.pick([0, 0, 1, 4]) : 0));
  const ceiling = random.pick([0, 2, 4, 6, 9]);
  const changeCost = random.integer(1, 6);
  const size = random.integer(0, count - 1);
  const least = ids.map(() => random.pick([0, 0, 0, 1]));
  const most = ids.map(() => random.integer(1, count + 1));
  const pairRules = random.pick([
    { cost_per_pair: 3 },
    { max_pairs: 1 },
    { max_moves_from: 1 },
    { min_vehicles_per_move: 2, cost_per_pair: 1 },
  ]);
  const servesMost = random.chance(0.7);
  const counts = Float64Array.from({ length: n * n }, () => (random.chance(0.3) ? 0 : random.integer(1, 9)));
  for (let i = 0; i < n; i++) if (counts.slice(i * n, i * n + n).every((one) => one === 0)) counts[i * n] = 1;
  return {
    ...{ n, ids, steps, demand, travel, vehicles, capacities, counts, rules: has, hasFlows, servesMost },
    ...{ level, price, critical, ceiling, changeCost, size, least, most, pairRules },
  };
}

type Drawn = ReturnType<typeof draw>;

/** 1 to 5 vehicles, 2 to 4 steps and locations; trips end elsewhere with every second seed. */
export function tinyAhead(seed: number): TinyAhead {
  const drawn = draw(seed);
  const { n, ids, demand, travel, vehicles, counts, servesMost } = drawn;
  return {
    demand,
    servesMost,
    input: {
      request: requestOf(drawn),
      settings: { ...SETTINGS, maxRebalancingCost: null, timeLimitSeconds: 1e6, maxTimeLimitSeconds: 1e6 },
      locations: ids.map((id, j) => ({ id, latitude: 40 + j, longitude: 0 })),
      travel: travelTable(travel.map(({ i, j, km, minutes }) => [ids[i], ids[j], km, minutes] as const)),
      previous: new Map(
        vehicles.filter(({ target }) => target >= 0).map(({ v, target }) => [`V${v}`, ids[target]]),
      ),
      tripCounts: {
        from: Int32Array.from(counts, (_, c) => ids[Math.floor(c / n)]),
        to: Int32Array.from(counts, (_, c) => ids[c % n]),
        hour: new Int16Array(counts.length).fill(-1),
        trips: counts,
      },
    },
    problem: problemOf(drawn),
  };
}

function requestOf(drawn: Drawn): OptimizeRequest {
  const { ids, steps, n, demand, vehicles, capacities, rules: has, hasFlows, servesMost } = drawn;
  const { level, price, critical, ceiling, changeCost, size, least, most, pairRules } = drawn;
  return {
    demand_forecast: Object.fromEntries(
      ids.map((id, j) => [id, Array.from({ length: steps }, (_, t) => demand[t * n + j])]),
    ),
    fleet_state: {
      vehicles: vehicles.map(({ v, at, pinned, k, j }) => ({
        id: `V${v}`,
        location: ids[j],
        capacity: capacities[k],
        ...(pinned && { pinned }),
        ...(at > 0 && {
          available_at: new Date(Date.parse(STARTS_AT) + (at - 1.75) * 3_600_000).toISOString(),
        }),
      })),
    },
    constraints: {
      min_service_level: level,
      ...(servesMost && { shortage: 'serve_most' }),
      ...(price && { unmet_demand_cost: price }),
      ...(has.has('priorities') && { priorities: Object.fromEntries(ids.map((id, j) => [id, critical[j]])) }),
      ...(has.has('ceiling') && { max_rebalancing_cost: ceiling }),
      ...(has.has('fleet') && { total_fleet_size: size }),
      ...(has.has('bounds') && {
        min_vehicles_per_location: Object.fromEntries(ids.map((id, j) => [id, least[j]])),
        max_vehicles_per_location: Object.fromEntries(ids.map((id, j) => [id, most[j]])),
      }),
    },
    options: {
      travel: 'stored',
      optimality_gap: 0,
      horizon: { starts_at: STARTS_AT, ...(!hasFlows && { trip_flows: 'none' }) },
      ...(has.has('previous') && { previous_plan_id: 'plan_0', change_cost: changeCost }),
      ...(has.has('refine') && { refine: pairRules }),
    },
  };
}

function problemOf(drawn: Drawn): RuledHorizon {
  const { n, steps, demand, travel, vehicles, capacities, counts, rules: has, hasFlows } = drawn;
  const { level, price, critical, ceiling, changeCost, size, least, most, pairRules } = drawn;
  const rows = (steps + 1) * n;
  const supply = new Int32Array(capacities.length * rows);
  const pinnedCapacity = new Float64Array(n);
  const pinnedCount = new Int32Array(n);
  const groups = new Map<string, number>();
  for (const { at, pinned, target, k, j } of vehicles) {
    if (pinned) {
      pinnedCapacity[j] += capacities[k];
      pinnedCount[j]++;
    } else if (at <= steps) supply[k * rows + at * n + j]++;
    if (target >= 0) groups.set(`${k} ${j} ${target}`, (groups.get(`${k} ${j} ${target}`) ?? 0) + 1);
  }
  const open = new Float64Array(rows);
  for (const [u, value] of demand.entries()) open[n + u] = Math.max(0, value - pinnedCapacity[u % n]);
  const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
  const later = (valueAt: (j: number) => number, free: number) =>
    Array.from({ length: rows }, (_, u) => (u < n ? free : valueAt(u % n)));
  return {
    base: {
      n,
      steps: steps + 1,
      supply: new Int32Array(rows),
      demand: open,
      capacity: 1,
      pairs: {
        starts: Int32Array.from({ length: n + 1 }, (_, i) => travel.filter((one) => one.i < i).length),
        targets: Int32Array.from(travel, ({ j }) => j),
        units: Float64Array.from(travel, ({ km }) => km * 1e4),
        delay: Uint8Array.from(travel, ({ minutes }) => Math.ceil(minutes / 60)),
      },
      required: Math.max(0, level * sum(demand) - (sum(demand) - sum(open))),
      ...(price && { unmetUnits: Float64Array.from(open, () => price * 1e4) }),
      ...(has.has('bounds') && {
        least: Int32Array.from(later((j) => Math.max(0, least[j] - pinnedCount[j]), 0)),
        most: Float64Array.from(later((j) => most[j] - pinnedCount[j], Number.POSITIVE_INFINITY)),
      }),
      ...(hasFlows && { flows: new Array(steps + 1).fill(sharesOf(counts, n)) }),
    },
    capacities: Float64Array.from(capacities),
    supply,
    levels: Uint8Array.from(critical),
    ...(has.has('ceiling') && { ceilingUnits: ceiling * 1e4 }),
    ...(has.has('fleet') && { fleetSize: size }),
    ...(has.has('previous') && {
      previous: {
        changeUnits: changeCost * 1e4,
        groups: [...groups].map(([key, vehicles]) => {
          const [capacityClass, location, target] = key.split(' ').map(Number);
          return { capacityClass, location, target, count: vehicles };
        }),
      },
    }),
    ...(has.has('refine') && {
      firstPairs: {
        costUnits: (pairRules.cost_per_pair ?? 0) * 1e4,
        minVehicles: pairRules.min_vehicles_per_move ?? 1,
        maxPairs: pairRules.max_pairs ?? Number.POSITIVE_INFINITY,
        maxFrom: pairRules.max_moves_from ?? Number.POSITIVE_INFINITY,
      },
    }),
  };
}

/** Most pairs, with kilometres and minutes of their own. */
function travelOf(random: Random, ids: readonly number[]) {
  const isSlow = random.chance(0.3);
  return ids.flatMap((_, i) =>
    ids.flatMap((__, j) => {
      const pair = { i, j, km: random.integer(1, 9), minutes: isSlow ? random.integer(20, 120) : 20 };
      return i === j || random.chance(0.1) ? [] : [pair];
    }),
  );
}

function sharesOf(counts: Float64Array, n: number) {
  const ends = Array.from(counts, (count, c) => ({ i: Math.floor(c / n), j: c % n, count }));
  const kept = ends.filter(({ count }) => count > 0);
  const allOf = (i: number) => kept.reduce((sum, one) => sum + (one.i === i ? one.count : 0), 0);
  return {
    starts: Int32Array.from({ length: n + 1 }, (_, i) => kept.filter((one) => one.i < i).length),
    targets: Int32Array.from(kept, ({ j }) => j),
    shares: Float64Array.from(kept, ({ i, count }) => count / allOf(i)),
  };
}
