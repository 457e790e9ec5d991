/** A replay as its answer shows it. */
import { MAX_REPLAY_CELLS, type ReplayData, type ReplayedPolicy } from '../../contracts/replays.ts';
import type { Replayed, ReplayPolicy, ReplayReport } from './replay.ts';
import type { ReplayedPast, ReplayRecord } from './types.ts';

/** O(policies × hours × locations) */
export function reportFigures(
  past: ReplayedPast,
  report: ReplayReport,
): Pick<
  ReplayData,
  | 'demand'
  | 'bound'
  | 'location_ids'
  | 'demand_by_hour'
  | 'demand_by_location'
  | 'demand_by_hour_and_location'
  | 'policies'
> {
  const { locationIds, hours, demand } = past;
  const n = locationIds.length;
  const isSmall = demand.length * (1 + report.policies.length) <= MAX_REPLAY_CELLS;
  const byBoth = (values: Float64Array) => (isSmall ? rowsOf(values, hours, n) : null);
  const still = report.policies.find(({ policy }) => policy.mode === 'none')?.expected.figures.served;
  const policies = report.policies.map(({ policy, expected, drawn }): ReplayedPolicy => {
    const { served, km } = expected.figures;
    return {
      name: policy.name,
      mode: policy.mode,
      demand: policy.demand,
      confidence_level: policy.demand === 'upper' ? policy.confidenceLevel : null,
      ...horizonOnWire(policy),
      replan_every_hours: policy.replanEveryHours,
      ...(policy.constraints && { constraints: policy.constraints as ReplayedPolicy['constraints'] }),
      ...(policy.options && { options: policy.options }),
      ...figuresOnWire(expected),
      extra_trips_per_km: still === undefined || km === 0 ? null : (served - still) / km,
      drawn: drawn.map((one) => ({
        seed: one.ends.kind === 'drawn' ? one.ends.seed : 0,
        ...figuresOnWire(one),
      })),
      served_by_hour: sumByHour(expected.record.served, hours, n),
      moves_by_hour: movesByHour(expected.record, hours),
      served_by_location: sumByLocation(expected.record.served, n),
      lost_by_hour_and_location: byBoth(demand.map((trips, u) => trips - expected.record.served[u])),
    };
  });
  return {
    demand: demand.reduce((sum, trips) => sum + trips, 0),
    bound: report.bound,
    location_ids: [...locationIds],
    demand_by_hour: sumByHour(demand, hours, n),
    demand_by_location: sumByLocation(demand, n),
    demand_by_hour_and_location: byBoth(demand),
    policies,
  };
}

function figuresOnWire({ figures, objective }: Replayed) {
  const { served, lost, servedShare, moves, km, minutes, cost, utilization, hoursWithoutPlan } = figures;
  return {
    ...{ served, lost, served_share: servedShare, moves, km, minutes, cost, utilization, objective },
    hours_without_plan: hoursWithoutPlan,
  };
}

function horizonOnWire({ mode, horizonHours, stepHours }: ReplayPolicy) {
  if (mode !== 'horizon') return { horizon_hours: null, step_hours: null };
  return { horizon_hours: horizonHours, step_hours: stepHours };
}

function movesByHour({ moves }: ReplayRecord, hours: number): number[] {
  const leaving = new Array<number>(hours).fill(0);
  for (const { hour, vehicles } of moves) leaving[hour] += vehicles;
  return leaving;
}

function sumByHour(values: Float64Array, hours: number, n: number): number[] {
  return Array.from({ length: hours }, (_, t) =>
    values.subarray(t * n, (t + 1) * n).reduce((sum, value) => sum + value, 0),
  );
}

function sumByLocation(values: Float64Array, n: number): number[] {
  const sums = new Array<number>(n).fill(0);
  for (let u = 0; u < values.length; u++) sums[u % n] += values[u];
  return sums;
}

/** To a thousandth: the rest are the digits of floating point, and three times the bytes. */
function rowsOf(values: Float64Array, hours: number, n: number): number[][] {
  return Array.from({ length: hours }, (_, t) =>
    Array.from(values.subarray(t * n, (t + 1) * n), (value) => Math.round(1000 * value) / 1000 + 0),
  );
}
