/**
 * Plain data of replays: n locations j in ascending order of their ids, T hours t. Arrays over hours and locations have
 * a row per hour: the entry of location j in hour t is at t · n + j. Arrays over pairs are row-major, n × n.
 */
import type { TripFlows } from '../optimize/horizon/types.ts';
import type { Moves } from '../optimize/problem/model.ts';

/** The cost and time of moving a vehicle between two locations. */
export type PairTravel = {
  km: Float64Array;
  minutes: Float64Array;
  /** Money per vehicle, ≥ 0, in multiples of 1e-4; Infinity: vehicles do not move this way. */
  cost: Float64Array;
};

/** The past that is replayed, the same for all policies. */
export type ReplayedPast = {
  /** n, ascending. */
  locationIds: Int32Array;
  hours: number;
  /** Hours since the epoch, UTC, of the first hour. */
  firstHour: number;
  /** T × n: observed demand, in trips. */
  demand: Float64Array;
  /** Trips that a vehicle serves in an hour, > 0. */
  tripsPerHour: number;
  travel: PairTravel;
  /** The ends of the trips of an hour, from hour 0 on; the last table holds for all later hours. */
  ends: readonly TripFlows[];
};

/** Vehicles that move, by the hour in which they leave; `from` and `to` are positions of locations. */
export type MoveRecord = { hour: number; from: number; to: number; vehicles: number };

/** The knowledge of a policy when an hour begins. Nothing of it is later. */
export type ReplayView = {
  hour: number;
  /** n: whole vehicles that are free. */
  vehicles: Int32Array;
  /** Vehicles that will have arrived at a location when hour `hour` + `ahead` begins and not before; `ahead` ≥ 1. */
  arriving(ahead: number, location: number): number;
};

/**
 * Decides which vehicles move as an hour begins; null: it has no plan, and nobody moves. Vehicles that move serve
 * nobody until they arrive.
 */
export type Dispatch = (view: ReplayView) => Promise<Moves | null>;

/** The ends of trips: whole vehicles drawn from the shares, or the shares themselves, so that vehicles divide. */
export type TripEnds = { kind: 'drawn'; seed: number } | { kind: 'expected' };

/** The events of a replay, in enough detail to check it. */
export type ReplayRecord = {
  /** T × n: vehicles that are free when an hour begins, before any of them leaves. */
  vehicles: Float64Array;
  /** T × n: vehicles that serve through an hour. */
  serving: Float64Array;
  /** T × n: trips served. */
  served: Float64Array;
  /** (T + 1) × n: vehicles that become free when an hour begins because their trips ended. */
  ended: Float64Array;
  moves: MoveRecord[];
  /** Hours in which a plan was due and no plan kept the constraints. */
  hoursWithoutPlan: number;
};
