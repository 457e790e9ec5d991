import type { Fault } from '../../answers/errors.ts';
import { usesStoredTravel } from '../../contracts/job-facts.ts';
import { DEFAULT_HORIZON_HOURS, policyName, type ReplayRequest } from '../../contracts/replays.ts';

/** Faults of a replay that its schema cannot express. */
export function findReplayFaults(request: ReplayRequest): Fault[] {
  return [...policyFaults(request), ...seedFaults(request), ...costFaults(request)];
}

function policyFaults({ policies }: ReplayRequest): Fault[] {
  const first = new Map<string, number>();
  return policies.flatMap((policy, i): Fault[] => {
    const faults: Fault[] = [];
    const name = policyName(policy);
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, i);
    else {
      const message = `"${name}" is also the name of policies[${earlier}]; give one of them another name`;
      faults.push({ field: `policies[${i}].name`, message });
    }
    const { mode, replan_every_hours } = policy;
    for (const field of ['horizon_hours', 'step_hours'] as const) {
      if (policy[field] === undefined || mode === 'horizon') continue;
      const message = `${policy[field]} counts only with "mode": "horizon"; set that, or leave it out`;
      faults.push({ field: `policies[${i}].${field}`, message });
    }
    if (policy.demand === 'spread' && mode !== 'horizon') {
      const message = 'spread counts only with "mode": "horizon"; set that, or another demand';
      faults.push({ field: `policies[${i}].demand`, message });
    }
    const {
      confidence_level,
      demand = 'mean',
      horizon_hours = DEFAULT_HORIZON_HOURS,
      step_hours = 1,
    } = policy;
    if (confidence_level !== undefined && demand !== 'upper') {
      const message = `${confidence_level} counts only with "demand": "upper"; set that, or leave it out`;
      faults.push({ field: `policies[${i}].confidence_level`, message });
    }
    if (mode === 'horizon' && (horizon_hours % step_hours !== 0 || horizon_hours < 2 * step_hours)) {
      const message = `${horizon_hours} hours are not two or more steps of ${step_hours}; give a multiple of it`;
      faults.push({ field: `policies[${i}].horizon_hours`, message });
    }
    faults.push(
      ...optionFaults(policy).map((fault) => ({ ...fault, field: `policies[${i}].${fault.field}` })),
    );
    if (replan_every_hours !== undefined && mode !== 'horizon' && mode !== 'static') {
      const message = `${replan_every_hours} counts only with "mode": "static" or "horizon"; set one, or leave it out`;
      faults.push({ field: `policies[${i}].replan_every_hours`, message });
    }
    return faults;
  });
}

/** Modes that options count for. */
const OPTION_MODES = {
  cost: ['nightly', 'static', 'horizon'],
  optimality_gap: ['nightly', 'static', 'horizon'],
  demand_aggregation: ['nightly'],
  refine: ['nightly', 'static'],
} as const;

function optionFaults({ mode, options = {} }: ReplayRequest['policies'][number]): Fault[] {
  const faults: Fault[] = [];
  for (const [name, modes] of Object.entries(OPTION_MODES)) {
    if (options[name as keyof typeof options] === undefined || modes.some((one) => one === mode)) continue;
    const message = `${name} counts only with "mode": "${modes.join('" or "')}"; set one, or leave it out`;
    faults.push({ field: `options.${name}`, message });
  }
  if (options.demand_aggregation === 'sum') {
    const message = 'the sum of a day is no demand of an hour; "mean" plans for as much of it as an hour has';
    faults.push({ field: 'options.demand_aggregation', message });
  }
  return faults;
}

function seedFaults({ seeds = [] }: ReplayRequest): Fault[] {
  return seeds.flatMap((seed, i) => {
    const earlier = seeds.indexOf(seed);
    const message = `${seed} is a duplicate of seeds[${earlier}], and would draw the same; name each once`;
    return earlier === i ? [] : [{ field: `seeds[${i}]`, message }];
  });
}

function costFaults({ cost, travel, policies }: ReplayRequest): Fault[] {
  if (usesStoredTravel({ travel }) && typeof travel !== 'object') return [];
  const message = 'great-circle travel has no minutes; set travel to "stored", or leave per_minute out';
  return [
    { field: 'cost', rates: cost },
    ...policies.map(({ options }, i) => ({ field: `policies[${i}].options.cost`, rates: options?.cost })),
  ].flatMap(({ field, rates }) => (rates?.per_minute ? [{ field: `${field}.per_minute`, message }] : []));
}
