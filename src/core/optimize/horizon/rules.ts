/**
 * Horizon problems with rules that tie vehicles of several kinds, or several steps, to each other: several capacities,
 * bounds per location beside trip flows, priority levels, a ceiling on the cost of moving, a limit on the vehicles that
 * serve, a previous plan, rules about the pairs that the first step's moves use. They are solved as linear programmes
 * (`solve-with-rules.ts`); the first step's moves are whole.
 */
import type { HorizonProblem } from './types.ts';

/** Vehicles of a class at a location that a previous plan sends to the same target. */
export type FirstGroup = { capacityClass: number; location: number; target: number; count: number };

/** Rules about the pairs of locations that vehicles of the first step move between, of whatever class. */
export type FirstPairRules = {
  /** What a used pair costs, in cost units, ≥ 0. */
  costUnits: number;
  /** The fewest vehicles of a used pair, ≥ 1. */
  minVehicles: number;
  /** The most used pairs, in all and from a location; Infinity: any number. */
  maxPairs: number;
  maxFrom: number;
};

export type RuledHorizon = {
  /**
   * Locations, steps, demand and its parts, pairs, prices, trip flows, and bounds, which count vehicles of all classes.
   * `supply` and `capacity` are not read: there may be several classes.
   */
  base: HorizonProblem;
  /** K: demand that a vehicle of a class serves in a step, > 0. */
  capacities: Float64Array;
  /** K × T × n: vehicles that become free when a step begins, those of `groups` included. */
  supply: Int32Array;
  /** n: priority levels, 0 to 9. Demand of a higher level is served first, over all steps. Absent: all are 0. */
  levels?: Uint8Array | undefined;
  /** The most that the moves of one step cost, in cost units. Absent: any cost. */
  ceilingUnits?: number | undefined;
  /** The most vehicles that serve in a step, ≥ 0; half a load counts as half a vehicle. Absent: any number. */
  fleetSize?: number | undefined;
  /** Vehicles of the first step that cost `changeUnits` more unless they go to the target (or stay, if it is that). */
  previous?: { changeUnits: number; groups: readonly FirstGroup[] } | undefined;
  /** Whether the moves of later steps are whole, too, if all moves are few enough for that (`whole-moves.ts`). */
  isWhole?: boolean;
  /** Only the first step's moves keep these: the later ones are an outlook, and planned anew. Absent: no rules. */
  firstPairs?: FirstPairRules | undefined;
};

/** Moves by step, in parallel arrays. `group` −1: vehicles without a previous target. */
export type RuledMoves = {
  step: number[];
  capacityClass: number[];
  group: number[];
  from: number[];
  to: number[];
  vehicles: number[];
};

export function createRuledMoves(): RuledMoves {
  return { step: [], capacityClass: [], group: [], from: [], to: [], vehicles: [] };
}

/** Vehicles of each pair that moves of the first step use, by source · n + target. */
export function pairsOfFirstStep(n: number, { step, from, to, vehicles }: RuledMoves): Map<number, number> {
  const byPair = new Map<number, number>();
  for (let m = 0; step[m] === 0; m++) {
    const pair = from[m] * n + to[m];
    byPair.set(pair, (byPair.get(pair) ?? 0) + vehicles[m]);
  }
  return byPair;
}

/** K × T × n: the vehicles that belong to no group. */
export function freeSupply({ base, supply, previous }: RuledHorizon): Int32Array {
  const size = base.n * base.steps;
  const free = supply.slice();
  for (const { capacityClass, location, count } of previous?.groups ?? [])
    free[capacityClass * size + location] -= count;
  return free;
}

/** Priority levels above 0 of locations with demand, the highest first. */
export function levelsOf({ base: { n, demand }, levels }: RuledHorizon): number[] {
  const found = new Set<number>();
  for (let u = 0; levels && u < demand.length; u++) if (demand[u] > 0) found.add(levels[u % n]);
  return [...found].filter((level) => level > 0).sort((a, b) => b - a);
}
