import type { ReplayComparison, ReplayData } from '../../contracts/replays.ts';

const FIGURES = [
  ...([
    'served',
    'lost',
    'served_share',
    'moves',
    'km',
    'minutes',
    'cost',
    'utilization',
    'objective',
    'hours_without_plan',
  ] as const),
];

/** The parts that must be equal, so that figures can be compared. */
const CONDITIONS = [
  ...([
    'starts_at',
    'ends_at',
    'location_ids',
    'demand_by_hour',
    'fleet_size',
    'trips_per_vehicle_hour',
  ] as const),
  ...(['unmet_demand_cost', 'trip_flows'] as const),
];

/** The other replay minus this one, policy by policy. */
export function compareReplays(own: ReplayData, other: ReplayData): ReplayComparison {
  const others = new Map(other.policies.map((policy) => [policy.name, policy]));
  const names = new Set([...own.policies, ...other.policies].map(({ name }) => name));
  return {
    replay_id: own.replay_id,
    other_replay_id: other.replay_id,
    differs_in: CONDITIONS.filter((name) => JSON.stringify(own[name]) !== JSON.stringify(other[name])),
    policies: [...names].map((name) => {
      const ours = own.policies.find((policy) => policy.name === name);
      const theirs = others.get(name);
      return { name, other_minus_this: ours && theirs ? differences(ours, theirs) : null };
    }),
  };
}

/** Rounded to the ten decimals that differences of such figures have. */
function differences(own: ReplayData['policies'][number], other: ReplayData['policies'][number]) {
  const pairs = FIGURES.map((name) => [name, Number((other[name] - own[name]).toFixed(10))] as const);
  return Object.fromEntries(pairs) as Record<(typeof FIGURES)[number], number>;
}
