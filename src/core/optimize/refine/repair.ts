/**
 * Turns a plan into one that keeps the rules about pairs: the smallest pairs of too many are dropped, pairs with too
 * few vehicles raised or dropped, and what is then unserved is served greedily, along used pairs and new ones, the
 * cheapest per unit of demand first. A price of new pairs, tried in several sizes, makes few large moves of many small
 * ones.
 */
import { evaluateMoves } from '../problem/evaluate.ts';
import { mostAt } from '../problem/location-bounds.ts';
import type { Moves, Problem } from '../problem/model.ts';
import { isAllowed } from '../problem/network.ts';
import { isRuled } from '../problem/pairs.ts';
import { leastServed } from '../problem/service-level.ts';
import type { Check } from '../run/stopping.ts';
import { createDraft, type Draft } from './draft.ts';

/** Prices of a new pair, as multiples of what a used pair costs on average. */
const PRICES = [0, 1, 10, 100];

/**
 * O(n²) and a few O(n) per new pair, for each price.
 * @param usualUnits what a used pair costs on average, in cost units
 * @param check throws when time is up
 * @param required demand to serve, as far as that is possible
 * @returns the best plan that satisfies all constraints; null if there is none
 */
export function repairPairs(
  problem: Problem,
  moves: Moves,
  usualUnits: number,
  check: Check = () => {},
  required = leastServed(problem),
): Moves | null {
  let best: { moves: Moves; units: number } | null = null;
  for (const price of PRICES) {
    const draft = createDraft(problem, moves);
    dropSmallest(problem, draft);
    raiseOrDrop(problem, draft);
    serveGreedily(problem, draft, (problem.pairCostUnits ?? 0) + price * usualUnits, required, check);
    const repaired = draft.moves();
    const { broken, costUnits, objectiveUnits: units } = evaluateMoves(problem, repaired);
    const isPlan = broken.length === 0 && costUnits <= problem.limits.maxCostUnits;
    if (isPlan && (best === null || units < best.units)) best = { moves: repaired, units };
  }
  return best?.moves ?? null;
}

function dropSmallest({ limits, locationIds }: Problem, draft: Draft): void {
  const n = locationIds.length;
  const from = new Int32Array(n);
  let count = 0;
  for (const [pair] of draft.pairs().sort((a, b) => b[1] - a[1])) {
    const source = Math.floor(pair / n);
    if (count >= limits.maxPairs || from[source] >= limits.maxMovesFrom) draft.drop(pair);
    else {
      count++;
      from[source]++;
    }
  }
}

function raiseOrDrop({ limits }: Problem, draft: Draft): void {
  const least = limits.minVehiclesPerMove;
  for (const [pair, vehicles] of draft.pairs().sort((a, b) => b[1] - a[1])) {
    if (vehicles < least && !draft.add(pair, least - vehicles)) draft.drop(pair);
  }
}

/** Vehicles that go to a location next: `score` is the cost per unit of demand served. */
type Candidate = { source: number; vehicles: number; score: number };
const NONE: Candidate = { source: -1, vehicles: 0, score: Number.POSITIVE_INFINITY };

function serveGreedily(
  problem: Problem,
  draft: Draft,
  pairUnits: number,
  required: number,
  check: Check,
): void {
  const { limits, locationIds, demand } = problem;
  const n = locationIds.length;
  const used = new Set(draft.pairs().map(([pair]) => pair));
  const from = new Int32Array(n);
  for (const pair of used) from[Math.floor(pair / n)]++;
  const { costUnits, distanceKm } = problem.network;
  const matrices = { costUnits, distanceKm };

  function bestFor(j: number): Candidate {
    const unserved = draft.unserved(j);
    const room = mostAt(problem, j) - draft.presentAt(j);
    if (unserved <= 0 || room <= 0) return NONE;
    let best = NONE;
    for (let i = 0; i < n; i++) {
      if (i === j || !isRuled(problem, i)) continue;
      const isUsed = used.has(i * n + j);
      if (!isUsed && (used.size >= limits.maxPairs || from[i] >= limits.maxMovesFrom)) continue;
      const staying = draft.stayingAt(i);
      const least = isUsed ? 1 : limits.minVehiclesPerMove;
      if (staying < least || !isAllowed(matrices, n, limits.maxDistanceKm, i, j)) continue;
      const wanted = Math.min(draft.vehiclesFor(i, unserved), draft.spareAt(i));
      const vehicles = Math.min(room, Math.max(least, wanted));
      if (vehicles < least) continue;
      const gain = Math.min(unserved, draft.capacityOf(i, vehicles)) - draft.lossOf(i, vehicles);
      if (gain <= 0) continue;
      const score = (vehicles * costUnits[i * n + j] + (isUsed ? 0 : pairUnits)) / gain;
      if (score < best.score) best = { source: i, vehicles, score };
    }
    return best;
  }

  const candidates = Array.from(demand, (_, j) => {
    check();
    return bestFor(j);
  });
  for (let served = draft.served(); served < required; served = draft.served()) {
    check();
    let next = -1;
    for (let j = 0; j < n; j++) if (candidates[j].score < (candidates[next] ?? NONE).score) next = j;
    if (next < 0) return;
    const { source, vehicles } = candidates[next];
    const pair = source * n + next;
    draft.add(pair, vehicles);
    const isNew = !used.has(pair);
    if (isNew) {
      used.add(pair);
      from[source]++;
    }
    const isFull = isNew && used.size >= limits.maxPairs;
    // Candidates of other sources stay as they are.
    for (let j = 0; j < n; j++)
      if (isFull || j === next || candidates[j].source === source) candidates[j] = bestFor(j);
  }
}
