/**
 * Tries every plan of all steps of a tiny horizon problem without trip flows, vehicle by vehicle. Shares no code with
 * the optimizer.
 */
import type { HorizonProblem } from '../../../../src/core/optimize/horizon/types.ts';

/** What a plan serves and costs, in cost units; none of the others serves as much for as little. */
export type PlanOutcome = { served: number; cost: number };

/** All outcomes that are not dominated, by ascending demand served; none if no plan keeps the bounds. */
export function everyOutcome(problem: HorizonProblem): PlanOutcome[] {
  const { n, steps, supply, demand, parts, capacity, pairs, unmetUnits, least, most: places } = problem;
  const known = new Map<string, PlanOutcome[]>();

  /** The mean of what is served over every share of luck: the parts come if it is below their chance. */
  const servedOf = (u: number, room: number): number => {
    if (!parts) return Math.min(room, demand[u]);
    const lucks = [...new Set([0, ...parts.chances])].sort((a, b) => a - b);
    return lucks.slice(1).reduce((sum, luck, l) => {
      const comes = parts.chances.reduce(
        (all, chance, p) => all + (chance >= luck ? parts.sizes[p * steps * n + u] : 0),
        0,
      );
      return sum + (luck - lucks[l]) * Math.min(room, comes);
    }, 0);
  };

  /** @param arrivals by step from `t` on, then by location: vehicles that become free then */
  function from(t: number, arrivals: number[][]): PlanOutcome[] {
    if (t === steps) return [{ served: 0, cost: 0 }];
    const key = `${t} ${arrivals.join(';')}`;
    const found = known.get(key);
    if (found) return found;
    const outcomes: PlanOutcome[] = [];
    const later = arrivals.slice(1).map((row) => row.slice());
    const staying = arrivals[0].slice();
    const step = (i: number, cost: number) => {
      if (i === n) {
        let served = 0;
        let unmet = 0;
        for (let j = 0; j < n; j++) {
          if (least && staying[j] < least[t * n + j]) return;
          if (places && staying[j] > places[t * n + j]) return;
          const here = servedOf(t * n + j, staying[j] * capacity);
          served += here;
          unmet += (unmetUnits?.[t * n + j] ?? 0) * (demand[t * n + j] - here);
        }
        const next = later.map((row) => row.slice());
        for (let j = 0; j < n; j++) next[0][j] += staying[j];
        for (const rest of from(t + 1, next))
          outcomes.push({ served: served + rest.served, cost: cost + unmet + rest.cost });
        return;
      }
      leave(i, pairs.starts[i], cost);
    };
    const leave = (i: number, a: number, cost: number) => {
      if (a === pairs.starts[i + 1]) {
        step(i + 1, cost);
        return;
      }
      const arrival = later[Math.min(pairs.delay[a], steps - t) - 1];
      const present = staying[i];
      const most = t + pairs.delay[a] < steps ? present : 0;
      for (let going = 0; going <= most; going++) {
        staying[i] = present - going;
        arrival[pairs.targets[a]] += going;
        leave(i, a + 1, cost + going * pairs.units[a]);
        arrival[pairs.targets[a]] -= going;
      }
      staying[i] = present;
    };
    step(0, 0);
    const kept = notDominated(outcomes);
    known.set(key, kept);
    return kept;
  }

  const rows = Array.from({ length: steps + 1 }, (_, t) =>
    Array.from({ length: n }, (_, j) => (t < steps ? supply[t * n + j] : 0)),
  );
  return from(0, rows);
}

function notDominated(outcomes: PlanOutcome[]): PlanOutcome[] {
  outcomes.sort((a, b) => b.served - a.served || a.cost - b.cost);
  const kept: PlanOutcome[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const outcome of outcomes) {
    if (outcome.cost >= least) continue;
    kept.push(outcome);
    least = outcome.cost;
  }
  return kept.reverse();
}
