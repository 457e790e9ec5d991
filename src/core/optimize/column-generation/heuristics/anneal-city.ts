/**
 * Simulated annealing from a plan, for problems of several capacities with thousands of vehicles. Every vehicle has a
 * place of its own, so an exchange is rated in O(1), where the local search (`improve.ts`) needs shortest paths: a run
 * tries thousands of exchanges per vehicle (`city-exchanges.ts`), and crosses from one plan to another that the local
 * search does not reach.
 *
 * Unmet demand has a price, that of the service level to begin with. It rises while more is unmet than allowed, and
 * falls while less is. The cheapest moves for the numbers of vehicles that result cost no more than those of the single
 * vehicles. Deterministic, unless time is short; it proves nothing.
 * Reference: Kirkpatrick, Gelatt, Vecchi, Optimization by simulated annealing (1983).
 */
import { Arrays } from '../../flow/arrays.ts';
import { halved, placesOf } from '../../flow/halving.ts';
import type { Moves, Problem } from '../../problem/model.ts';
import { leastServed, totalDemand } from '../../problem/service-level.ts';
import { nowMs } from '../../run/clock.ts';
import { checkOf, isStopped, type Stopping } from '../../run/stopping.ts';
import {
  type CityFleet,
  type CityState,
  createCityState,
  placeInCity,
  tryExchanges,
} from './city-exchanges.ts';
import { presenceOfFleet, sumSpare } from './vehicle-exchanges.ts';

/** Exchanges tried per location in a round of all blocks. */
const PER_ROUND = 80;
/**
 * In a round the price changes by up to this share: by all of it if this share of all demand is unmet beyond what may
 * be, or is served beyond what has to be.
 */
const PRICE_CHANGE = 0.15;
const FULL_EXCESS = 0.01;
/** Rounds between two sums from scratch. */
const ROUNDS_PER_SUM = 16;
/** Locations of a block. */
const BLOCK = 64;

/** `firstLoss`, `lastLoss`: added cost accepted with probability 1/e, in usual costs of a move. */
export type AnnealingRun = {
  /** Exchanges tried, per location. */
  proposals: number;
  firstLoss: number;
  lastLoss: number;
};

/**
 * @param problem without rules beyond demand, the service level and costs of unmet demand
 * @param price cost units that a unit of served demand is worth
 * @returns K × n: vehicles at each location at the end, with which a little too much may be unmet; null without
 *   vehicles, or if the search is cancelled
 * @throws OutOfTime if time is up before the first exchange
 */
export function annealCity(
  problem: Problem,
  start: Moves,
  price: number,
  run: AnnealingRun,
  stopping: Stopping,
): Int32Array | null {
  const fleet = placeInCity(problem, start, checkOf(stopping));
  const state = createCityState(fleet, Math.max(1, price));
  return fleet.at.length > 0 && anneal(fleet, state, run, stopping) ? presenceOfFleet(fleet) : null;
}

/** One run, which ends in time. @returns false: cancelled */
function anneal(fleet: CityFleet, state: CityState, run: AnnealingRun, stopping: Stopping): boolean {
  const { problem, here } = fleet;
  const { demand } = problem;
  const n = demand.length;
  const blocks = blocksOf(problem);
  const total = totalDemand(demand);
  const mayMiss = total - leastServed(problem);
  const rounds = Math.max(1, Math.round(run.proposals / PER_ROUND));
  const from = nowMs();
  const byClock = () => (nowMs() - from) / Math.max(1, stopping.deadlineMs - from);
  const visitAll = (): boolean => {
    for (const block of blocks) {
      if (isStopped(stopping.stopFlag)) return false;
      stopping.onLook?.();
      const excess = (state.unmet - mayMiss) / (FULL_EXCESS * total);
      state.price *= 1 + (PRICE_CHANGE * Math.max(-1, Math.min(1, excess)) * block.length) / n;
      const vehicles: number[] = [];
      for (const j of block) for (const v of here[j]) vehicles.push(v);
      if (vehicles.length > 0) tryExchanges(fleet, state, vehicles, PER_ROUND * block.length);
    }
    return true;
  };
  // Where time is short, it is the clock that cools.
  for (let round = 0, share = 0; share < 1; round++, share = Math.max(round / rounds, byClock())) {
    // Sums of many changes drift by their rounding errors.
    if (round % ROUNDS_PER_SUM === 0) state.unmet = sumSpare(problem, fleet.capacity, fleet.at, state.spare);
    state.loss = fleet.usual * run.firstLoss * (run.lastLoss / run.firstLoss) ** share;
    if (!visitAll()) return false;
  }
  return true;
}

/** Blocks of neighbouring locations: the costs around one fit a processor's cache. */
function blocksOf({ network, demand }: Problem): Int32Array[] {
  const arrays = new Arrays();
  const all = Int32Array.from(demand.keys());
  const { ordered } = halved(arrays, all, placesOf(arrays, demand.length, network.costUnits, all, all), 1);
  const blocks: Int32Array[] = [];
  for (let from = 0; from < ordered.length; from += BLOCK) blocks.push(ordered.slice(from, from + BLOCK));
  return blocks;
}
