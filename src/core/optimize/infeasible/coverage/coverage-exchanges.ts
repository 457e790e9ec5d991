/**
 * Local search for the most demand served when every location can be reached from everywhere. Two locations, or one
 * location and the idle vehicles, exchange up to two vehicles for up to two others, the best exchange first, as long as
 * more demand is served. Demand of floors counts more (`level-weights.ts`).
 *
 * Served demand is Σ_j min(D_j, capacity at j), so the value of an exchange at a location depends on that location
 * alone. The best partners of an exchange are found independently. O(n · exchanges) per step, with 4 … 200 exchanges
 * for 1 … 4 classes.
 */
import type { Problem } from '../../problem/model.ts';
import type { Check } from '../../run/stopping.ts';
import { levelWeights } from './level-weights.ts';

/** Vehicles by class; no class is in both `give` and `take`. */
type Exchange = { give: number[]; take: number[]; capacity: number; vehicles: number; reverse: number };

const MAX_EXCHANGED = 2;
/** Minimum gain of an exchange, as a share of total demand. */
const MIN_GAIN = 1e-12;

/**
 * @param serving K × n vehicles; replaced by the improved ones
 * @throws what `check` throws
 */
export function exchangeVehicles(problem: Problem, serving: Int32Array, check: Check): void {
  const { capacities, supply, demand, limits } = problem;
  const n = demand.length;
  const weights = levelWeights(problem);
  const classes = capacities.length;
  const exchanges = listExchanges(capacities);
  const unused = Int32Array.from(capacities);
  const capacityAt = new Float64Array(n);
  let used = 0;
  let total = 0;
  for (let k = 0; k < classes; k++) {
    unused[k] = 0;
    for (let j = 0; j < n; j++) {
      unused[k] += supply[k * n + j] - serving[k * n + j];
      used += serving[k * n + j];
      capacityAt[j] += capacities[k] * serving[k * n + j];
    }
  }
  for (const d of demand) total += d;

  const has = (j: number, { give }: Exchange) => {
    for (let k = 0; k < classes; k++) if (serving[k * n + j] < give[k]) return false;
    return true;
  };
  const gainAt = (j: number, { capacity }: Exchange) =>
    weights[j] * (Math.min(demand[j], capacityAt[j] + capacity) - Math.min(demand[j], capacityAt[j]));
  /** The location that gains most, or loses least, by the exchange; −1 if none can make it. */
  function bestFor(exchange: Exchange): { j: number; gain: number } {
    let best = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < n; j++) {
      if (demand[j] === 0) continue;
      const gain = gainAt(j, exchange);
      if (gain > most && has(j, exchange)) {
        best = j;
        most = gain;
      }
    }
    return { j: best, gain: most };
  }
  const carryOut = (j: number, { give, take, capacity }: Exchange) => {
    capacityAt[j] += capacity;
    for (let k = 0; k < classes; k++) serving[k * n + j] += take[k] - give[k];
  };
  const canUse = ({ take, vehicles }: Exchange) =>
    take.every((count, k) => count <= unused[k]) && used + vehicles <= limits.totalFleetSize;

  for (;;) {
    check();
    const best = exchanges.map(bestFor);
    let chosen = -1;
    let isWithUnused = false;
    let most = MIN_GAIN * total;
    for (const [e, exchange] of exchanges.entries()) {
      const here = best[e];
      if (here.j < 0) continue;
      if (here.gain > most && canUse(exchange)) {
        most = here.gain;
        chosen = e;
        isWithUnused = true;
      }
      const there = best[exchange.reverse];
      if (there.j >= 0 && there.j !== here.j && here.gain + there.gain > most) {
        most = here.gain + there.gain;
        chosen = e;
        isWithUnused = false;
      }
    }
    if (chosen < 0) return;
    const exchange = exchanges[chosen];
    const a = best[chosen].j;
    const b = isWithUnused ? -1 : best[exchange.reverse].j;
    carryOut(a, exchange);
    if (isWithUnused) {
      used += exchange.vehicles;
      for (let k = 0; k < classes; k++) unused[k] += exchange.give[k] - exchange.take[k];
    } else carryOut(b, exchanges[exchange.reverse]);
  }
}

function listExchanges(capacities: Float64Array): Exchange[] {
  const sets = listSets(capacities.length, MAX_EXCHANGED);
  const exchanges: Exchange[] = [];
  const positions = new Map<string, number>();
  for (const give of sets) {
    for (const take of sets) {
      if (give.some((count, k) => count > 0 && take[k] > 0)) continue;
      let capacity = 0;
      let vehicles = 0;
      for (const [k, count] of take.entries()) {
        capacity += capacities[k] * (count - give[k]);
        vehicles += count - give[k];
      }
      positions.set(`${give};${take}`, exchanges.length);
      exchanges.push({ give, take, capacity, vehicles, reverse: -1 });
    }
  }
  for (const exchange of exchanges) exchange.reverse = positions.get(`${exchange.take};${exchange.give}`)!;
  return exchanges;
}

/** All combinations of up to `most` vehicles, by class. */
function listSets(classes: number, most: number): number[][] {
  if (classes === 0) return [[]];
  const sets: number[][] = [];
  for (let count = 0; count <= most; count++) {
    for (const rest of listSets(classes - 1, most - count)) sets.push([count, ...rest]);
  }
  return sets;
}
