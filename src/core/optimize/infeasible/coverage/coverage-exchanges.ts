/**
 * Local search for the most demand served where everything is in reach: two locations, or one and the vehicles that serve nowhere, exchange up to two vehicles for up
 * to two others as long as that serves more, the best exchange first.
 *
 * Served demand is Σ_j min(D_j, capacity at j), so what an exchange is worth at a location depends on that location alone: the best
 * partners of an exchange are found apart. O(n · exchanges) per step, of which there are 4 … 200 for 1 … 4 classes.
 */
import type { Problem } from '../../problem/model.ts';
import type { Check } from '../../run/stopping.ts';

/** `give` and `take`: vehicles by class; none in both. */
type Exchange = { give: number[]; take: number[]; capacity: number; vehicles: number; reverse: number };

const MAX_EXCHANGED = 2;
/** Share of the total demand that an exchange gains at least. */
const MIN_GAIN = 1e-12;

/**
 * @param serving K × n vehicles, changed to those that serve more
 * @throws what `check` throws
 */
export function exchangeVehicles(problem: Problem, serving: Int32Array, check: Check): void {
  const { capacities, supply, demand, limits } = problem;
  const n = demand.length;
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
    Math.min(demand[j], capacityAt[j] + capacity) - Math.min(demand[j], capacityAt[j]);
  /** The location that gains most, or loses least, by it; −1 where none can. */
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

/** All ways to have up to `most` vehicles, by class. */
function listSets(classes: number, most: number): number[][] {
  if (classes === 0) return [[]];
  const sets: number[][] = [];
  for (let count = 0; count <= most; count++) {
    for (const rest of listSets(classes - 1, most - count)) sets.push([count, ...rest]);
  }
  return sets;
}
