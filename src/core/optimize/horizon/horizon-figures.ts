/**
 * What moves of all steps amount to, recomputed step by step from the vehicles: where they are, what they serve, what
 * it costs. Shares no code with the searches. Without trip flows all vehicles that stay serve while demand is open.
 */
import { partsOf } from './demand-parts.ts';
import type { HorizonFigures, HorizonProblem, StepMoves } from './types.ts';

/** Vehicles, relative to those present: error of fractional plans. */
const VEHICLE_NOISE = 1e-6;

/**
 * @param serving T × n: vehicles that serve, for plans with trip flows; absent: as many as demand and vehicles allow
 * @returns the figures, or what is wrong with the plan
 */
export function measureHorizon(
  problem: HorizonProblem,
  moves: StepMoves,
  serving?: ArrayLike<number>,
): HorizonFigures | string {
  const { n, steps, supply, demand, capacity, unmetUnits, endUnits, flows } = problem;
  const { chances, sizes } = partsOf(problem);
  const vehicles = new Float64Array((steps + 1) * n);
  for (let u = 0; u < steps * n; u++) vehicles[u] = supply[u];
  const served = new Float64Array(steps * n);
  let totalServed = 0;
  let movingUnits = 0;
  let otherUnits = 0;
  let m = 0;
  for (let t = 0; t < steps; t++) {
    const staying = vehicles.slice(t * n, t * n + n);
    for (; m < moves.step.length && moves.step[m] === t; m++) {
      const from = moves.from[m];
      const arc = findPair(problem, from, moves.to[m]);
      if (arc < 0) return `the move from ${from} to ${moves.to[m]} is not allowed`;
      if (!(moves.vehicles[m] > 0)) return `move ${m} has ${moves.vehicles[m]} vehicles`;
      staying[from] -= moves.vehicles[m];
      movingUnits += moves.vehicles[m] * problem.pairs.units[arc];
      const arrival = Math.min(steps, t + problem.pairs.delay[arc]);
      if (arrival === steps && !endUnits) return `the move from ${from} to ${moves.to[m]} ends too late`;
      vehicles[arrival * n + moves.to[m]] += moves.vehicles[m];
    }
    for (let j = 0; j < n; j++) {
      const u = t * n + j;
      const noise = serving ? VEHICLE_NOISE * (1 + vehicles[u]) : 0;
      if (staying[j] < -noise) return `more vehicles leave location ${j} at step ${t} than are there`;
      const fault = faultOfBounds(problem, u, staying[j]);
      if (fault) return `${fault} at location ${j} in step ${t}`;
      let left = Math.max(0, staying[j]);
      let working = 0;
      for (const [p, chance] of chances.entries()) {
        const k = p * steps * n + u;
        const could = Math.min(left, sizes[k] / capacity);
        if (serving && serving[k] > could + noise)
          return `${serving[k]} vehicles serve at location ${j}, not ${could}`;
        const ready = serving ? Math.max(0, Math.min(serving[k], could)) : could;
        left -= ready;
        working += chance * ready;
      }
      served[u] = Math.min(demand[u], working * capacity);
      totalServed += served[u];
      if (unmetUnits) otherUnits += unmetUnits[u] * (demand[u] - served[u]);
      vehicles[u + n] += Math.max(0, staying[j]) - (flows ? working : 0);
      if (!flows) continue;
      const { starts, targets, shares } = flows[t];
      for (let a = starts[j]; a < starts[j + 1]; a++)
        vehicles[(t + 1) * n + targets[a]] += working * shares[a];
    }
  }
  if (m < moves.step.length) return 'the moves are not in order, or beyond the last step';
  for (let j = 0; endUnits && j < n; j++) otherUnits -= endUnits[j] * vehicles[steps * n + j];
  return { vehicles, served, totalServed, movingUnits, objectiveUnits: movingUnits + otherUnits };
}

function faultOfBounds({ least, most }: HorizonProblem, u: number, staying: number): string | null {
  if (least && staying < least[u]) return `only ${staying} vehicles`;
  if (most && staying > most[u]) return `${staying} vehicles`;
  return null;
}

function findPair({ pairs: { starts, targets } }: HorizonProblem, from: number, to: number): number {
  for (let a = starts[from]; a < starts[from + 1]; a++) if (targets[a] === to) return a;
  return -1;
}

/**
 * The same moves, each with no more vehicles than are left where it begins: what a plan that was cut short can keep.
 * Moves of the first step are kept as they are.
 */
export function keepPossible(problem: HorizonProblem, moves: StepMoves): StepMoves {
  const { n, steps, supply, capacity, flows, pairs } = problem;
  const { chances, sizes } = partsOf(problem);
  const vehicles = new Float64Array((steps + 1) * n);
  for (let u = 0; u < steps * n; u++) vehicles[u] = supply[u];
  const kept: number[] = [];
  const amounts: number[] = [];
  let m = 0;
  for (let t = 0; t < steps; t++) {
    const left = vehicles.slice(t * n, t * n + n);
    for (; m < moves.step.length && moves.step[m] === t; m++) {
      const from = moves.from[m];
      const going = Math.min(moves.vehicles[m], left[from]);
      if (going <= 0) continue;
      left[from] -= going;
      const arc = findPair(problem, from, moves.to[m]);
      vehicles[Math.min(steps, t + pairs.delay[arc]) * n + moves.to[m]] += going;
      kept.push(m);
      amounts.push(going);
    }
    for (let j = 0; j < n; j++) {
      let ready = Math.max(0, left[j]);
      let working = 0;
      for (const [p, chance] of chances.entries()) {
        const could = Math.min(ready, sizes[p * steps * n + t * n + j] / capacity);
        ready -= could;
        working += flows ? chance * could : 0;
      }
      vehicles[(t + 1) * n + j] += left[j] - working;
      if (!flows) continue;
      const { starts, targets, shares } = flows[t];
      for (let a = starts[j]; a < starts[j + 1]; a++)
        vehicles[(t + 1) * n + targets[a]] += working * shares[a];
    }
  }
  return {
    step: Int32Array.from(kept, (k) => moves.step[k]),
    from: Int32Array.from(kept, (k) => moves.from[k]),
    to: Int32Array.from(kept, (k) => moves.to[k]),
    vehicles: Float64Array.from(amounts),
  };
}
