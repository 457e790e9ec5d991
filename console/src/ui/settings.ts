import type { Constraints, ErrorRelaxation, OptimizeOptions } from '../api/types.ts';

const IN_CONSTRAINTS = [
  'min_service_level',
  'max_distance',
  'max_rebalancing_cost',
  'min_vehicles_per_location',
  'max_vehicles_per_location',
  'total_fleet_size',
] as const;
const IN_REFINE = ['min_vehicles_per_move', 'max_pairs', 'max_moves_from'] as const;
const SETTABLE = [...IN_CONSTRAINTS, ...IN_REFINE];

/** A constraint that a request states as a number; the fleet and forbidden moves are not. */
type Settable = (typeof SETTABLE)[number];

/** The value that a button sets: a number, the values of some locations by id, or that a shortage is served. */
export type Setting =
  | { name: Settable; value: number | Record<string, number> }
  | { name: 'shortage'; value: 'serve_most' };

/** Whether something that was read from an address is a setting. Its value is left for the service to judge. */
export function isSetting(read: unknown): read is Setting {
  const { name, value } = (read ?? {}) as { name?: unknown; value?: unknown };
  return value != null && (name === 'shortage' || SETTABLE.some((one) => one === name));
}

/** The later of two settings of a constraint; values by location are kept where it has no other. */
export function merged(before: Setting, later: Setting): Setting {
  if (typeof before.value !== 'object' || typeof later.value !== 'object') return later;
  return { ...later, value: { ...before.value, ...later.value } } as Setting;
}

/** A request, as far as settings change it. */
type Asked = { constraints?: Constraints; options?: OptimizeOptions };

/** Rounded so that the value still suffices: what has to be lowered down, all others up. */
function sufficientValue(name: Settable, value: number): number {
  if (name === 'min_service_level') return Math.floor(value * 10_000) / 10_000;
  if (name === 'max_distance') return Math.ceil(value * 10) / 10;
  return name === 'max_rebalancing_cost' ? Math.ceil(value) : value;
}

/** The values that a change sets; undefined if a request cannot state all of them, or if no value is known. */
export function settingsOf({ constraint, relaxation, by_location, together }: ErrorRelaxation) {
  const parts = together ?? [{ constraint, relaxation, ...(by_location && { by_location }) }];
  const settings = parts.flatMap((part): Setting[] => {
    const name = SETTABLE.find((one) => one === part.constraint);
    if (name === undefined || part.relaxation === null) return [];
    return [{ name, value: part.by_location ?? sufficientValue(name, part.relaxation) }];
  });
  return settings.length === parts.length ? settings : undefined;
}

/** Constraints and options of a request with the settings in their place. */
export function withSettings({ constraints, options }: Asked, settings: readonly Setting[]): Asked {
  const stated: Record<string, unknown> = { ...constraints };
  const refine: Record<string, unknown> = { ...options?.refine };
  for (const { name, value } of settings) {
    if (name === 'min_service_level') delete stated.min_demand_coverage;
    if (name === 'max_distance') delete stated.max_rebalancing_distance_km;
    const at = IN_REFINE.some((one) => one === name) ? refine : stated;
    // Locations that are not named keep what the request bounds them by.
    at[name] = typeof value === 'object' ? { ...(at[name] as object), ...value } : value;
  }
  return {
    constraints: stated,
    ...(Object.keys(refine).length > 0 ? { options: { ...options, refine } } : options && { options }),
  };
}
