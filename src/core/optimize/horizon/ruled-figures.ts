/**
 * What moves of all steps amount to if rules tie vehicles together, recomputed step by step from the vehicles of each
 * class. Shares no code with the search.
 */
import { partsOf } from './demand-parts.ts';
import { freeSupply, pairsOfFirstStep, type RuledHorizon, type RuledMoves } from './rules.ts';
import type { HorizonFigures } from './types.ts';

/** Vehicles and cost, relative: error of fractional plans. */
const NOISE = 1e-6;

/** `changeUnits`: what changes of the previous plan cost, part of the objective. */
export type RuledFigures = HorizonFigures & { changeUnits: number };

/**
 * @param serving P × K × T × n: vehicles that are ready for a part; absent: as many as demand and vehicles allow,
 *   the largest first, the surest parts first; with a fleet size where that is worth most
 * @returns the figures, or what is wrong with the plan
 */
export function measureRuled(
  problem: RuledHorizon,
  moves: RuledMoves,
  serving?: ArrayLike<number>,
): RuledFigures | string {
  const { base, capacities, supply, ceilingUnits = Number.POSITIVE_INFINITY, previous } = problem;
  const { fleetSize = Number.POSITIVE_INFINITY } = problem;
  const { n, steps, demand, unmetUnits, least, most, flows, pairs } = base;
  const { chances, sizes } = partsOf(base);
  const size = n * steps;
  const classes = capacities.length;
  const free = Array.from({ length: classes }, (_, k) => {
    const rows = new Float64Array(size + n);
    rows.set(supply.subarray(k * size, (k + 1) * size));
    return rows;
  });
  const ungrouped = Float64Array.from(freeSupply(problem));
  const count = supply.reduce((sum, vehicles) => sum + vehicles, 1);
  const byIndex = Array.from({ length: n }, (_, j) => j);
  const groups = previous?.groups ?? [];
  const inGroup = Float64Array.from(groups, ({ count }) => count);
  const vehicles = new Float64Array(size + n);
  const served = new Float64Array(size);
  let totalServed = 0;
  let movingUnits = 0;
  let changeUnits = 0;
  let unmet = 0;
  let m = 0;
  for (let t = 0; t < steps; t++) {
    const staying = free.map((rows) => rows.slice(t * n, (t + 1) * n));
    let cost = 0;
    for (; m < moves.step.length && moves.step[m] === t; m++) {
      const { capacityClass, group, from, to, vehicles: amounts } = moves;
      const a = pairOf(problem, from[m], to[m]);
      if (a < 0) return `the move from ${from[m]} to ${to[m]} is not allowed`;
      const arrival = Math.min(steps, t + pairs.delay[a]);
      if (arrival === steps) return `the move from ${from[m]} to ${to[m]} ends too late`;
      if (!(amounts[m] > 0)) return `move ${m} has ${amounts[m]} vehicles`;
      staying[capacityClass[m]][from[m]] -= amounts[m];
      free[capacityClass[m]][arrival * n + to[m]] += amounts[m];
      cost += amounts[m] * pairs.units[a];
      const at = groups[group[m]];
      if (!at) {
        if (t === 0) ungrouped[capacityClass[m] * size + from[m]] -= amounts[m];
        continue;
      }
      if (t > 0 || at.location !== from[m] || at.capacityClass !== capacityClass[m])
        return `move ${m} is none of group ${group[m]}`;
      inGroup[group[m]] -= amounts[m];
      if (at.target !== to[m]) changeUnits += amounts[m] * (previous?.changeUnits ?? 0);
    }
    if (cost > ceilingUnits * (1 + NOISE) + 1) return `the moves of step ${t} cost ${cost}`;
    movingUnits += cost;
    let limit = fleetSize;
    for (const j of serving ? byIndex : inOrder(problem, t)) {
      const u = t * n + j;
      let present = 0;
      for (let k = 0; k < classes; k++) {
        vehicles[u] += free[k][u];
        present += staying[k][j];
        if (staying[k][j] < -NOISE * (1 + free[k][u]))
          return `more vehicles leave ${j} at step ${t} than are there`;
      }
      const noise = NOISE * (1 + vehicles[u]);
      if (least && present < least[u] - noise) return `only ${present} vehicles at ${j} in step ${t}`;
      if (most && present > most[u] + noise) return `${present} vehicles at ${j} in step ${t}`;
      const open = Float64Array.from(chances, (_, p) => sizes[p * size + u]);
      for (let k = classes - 1; k >= 0; k--) {
        const there = Math.max(0, staying[k][j]);
        let idle = there;
        let working = 0;
        for (const [p, chance] of chances.entries()) {
          const wanted = serving ? serving[(p * classes + k) * size + u] : open[p] / capacities[k];
          if (serving && wanted > idle + noise)
            return `${wanted} vehicles serve at ${j}, and ${idle} are there`;
          const ready = Math.max(
            0,
            Math.min(idle, wanted, open[p] / capacities[k], serving ? wanted : limit),
          );
          open[p] = Math.max(0, open[p] - ready * capacities[k]);
          idle -= ready;
          limit -= ready;
          working += chance * ready;
        }
        free[k][u + n] += there - (flows ? working : 0);
        if (!flows) continue;
        const { starts, targets, shares } = flows[t];
        for (let a = starts[j]; a < starts[j + 1]; a++)
          free[k][(t + 1) * n + targets[a]] += working * shares[a];
      }
      const left = chances.reduce((sum, chance, p) => sum + chance * open[p], 0);
      served[u] = demand[u] - left;
      totalServed += served[u];
      if (unmetUnits) unmet += unmetUnits[u] * left;
    }
    if (limit < -NOISE * (1 + fleetSize)) return `${fleetSize - limit} vehicles serve in step ${t}`;
  }
  if (m < moves.step.length) return 'the moves are not in order, or beyond the last step';
  if (ungrouped.some((left) => left < -NOISE * count))
    return 'more vehicles without a target leave than there are';
  for (const [g, { location, target }] of groups.entries()) {
    if (inGroup[g] < -NOISE * count) return `more vehicles of group ${g} leave than there are`;
    if (location !== target) changeUnits += inGroup[g] * previous!.changeUnits;
  }
  for (const rows of free) for (let j = 0; j < n; j++) vehicles[size + j] += rows[size + j];
  const byPair = pairsOfFirstStep(n, moves);
  const fault = faultOfPairs(problem, byPair);
  if (fault) return fault;
  const pairUnits = byPair.size * (problem.firstPairs?.costUnits ?? 0);
  const objectiveUnits = movingUnits + pairUnits + changeUnits + unmet;
  return { vehicles, served, totalServed, movingUnits, changeUnits, objectiveUnits };
}

/** Whether the pairs that the first step's moves use keep the rules about them. */
function faultOfPairs(
  { base: { n }, firstPairs }: RuledHorizon,
  byPair: ReadonlyMap<number, number>,
): string | null {
  if (!firstPairs) return null;
  const { minVehicles, maxPairs, maxFrom } = firstPairs;
  const from = new Int32Array(n);
  for (const [pair, vehicles] of byPair) {
    from[Math.floor(pair / n)]++;
    if (vehicles < minVehicles) return `only ${vehicles} vehicles use a pair of the first step`;
  }
  if (byPair.size > maxPairs) return `${byPair.size} pairs are used in the first step`;
  const most = from.reduce((all, pairs) => Math.max(all, pairs), 0);
  return most > maxFrom ? `${most} pairs of the first step begin at one location` : null;
}

/** Locations in the order in which vehicles are counted: critical demand first, then where it is dearest. */
function inOrder({ base: { n, unmetUnits }, levels }: RuledHorizon, t: number): number[] {
  const levelOf = (j: number) => levels?.[j] ?? 0;
  const priceOf = (j: number) => unmetUnits?.[t * n + j] ?? 0;
  return Array.from({ length: n }, (_, j) => j).sort(
    (a, b) => levelOf(b) - levelOf(a) || priceOf(b) - priceOf(a) || a - b,
  );
}

function pairOf({ base: { pairs } }: RuledHorizon, from: number, to: number): number {
  for (let a = pairs.starts[from]; a < pairs.starts[from + 1]; a++) if (pairs.targets[a] === to) return a;
  return -1;
}
