/** The results of a replay. */
import type { ReplayedPast, ReplayRecord } from './types.ts';

export type ReplayFigures = {
  /** Trips. */
  demand: number;
  served: number;
  lost: number;
  /** served / demand; 1 without demand. */
  servedShare: number;
  /** Vehicles that moved, each time counted, with their km, minutes and cost. */
  moves: number;
  km: number;
  minutes: number;
  cost: number;
  /** Trips served, of those that all vehicles could serve if they did nothing else. */
  utilization: number;
  /** Hours in which a plan was due and no plan kept the constraints: nobody moved. */
  hoursWithoutPlan: number;
};

/** O(T n + moves) */
export function replayFigures(past: ReplayedPast, fleetSize: number, record: ReplayRecord): ReplayFigures {
  const { travel, hours, tripsPerHour } = past;
  const n = past.locationIds.length;
  const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
  const demand = sum(past.demand);
  const served = sum(record.served);
  const totals = { moves: 0, km: 0, minutes: 0, cost: 0 };
  for (const { from, to, vehicles } of record.moves) {
    const pair = from * n + to;
    totals.moves += vehicles;
    totals.km += vehicles * travel.km[pair];
    totals.minutes += vehicles * travel.minutes[pair];
    totals.cost += vehicles * travel.cost[pair];
  }
  return {
    demand,
    served,
    lost: demand - served,
    servedShare: demand > 0 ? served / demand : 1,
    ...totals,
    utilization: fleetSize > 0 ? served / (fleetSize * hours * tripsPerHour) : 0,
    hoursWithoutPlan: record.hoursWithoutPlan,
  };
}
