/** The cost of a move, from the options of a request, and the faults of these options. */
import { usesStoredTravel } from '../../../contracts/job-facts.ts';
import type { OptimizeRequest } from '../../../contracts/optimize.ts';
import type { OptimizeSettings } from '../problem/model.ts';
import type { MoveRates } from '../problem/travel-network.ts';
import type { FaultList } from './fault-list.ts';

/** Least cost of a km or a minute: moves that differ by a tenth of one differ in cost. */
const MIN_RATE = 0.001;

/** The cost of a km, a minute and a move. */
export function readRates({ options }: OptimizeRequest, settings: OptimizeSettings): MoveRates {
  const { per_km = settings.costPerKm, per_minute = 0, per_move = 0 } = options?.cost ?? {};
  return { perKm: per_km, perMinute: per_minute, perMove: per_move };
}

/** Whether pairs that the travel table lacks take the great circle. */
export function hasFallback({ options }: OptimizeRequest): boolean {
  return typeof options?.travel === 'object';
}

/** Whether the costs of all pairs are computed ahead, since no engine knows them pair by pair. */
export function needsMatrix({ options }: OptimizeRequest): boolean {
  return usesStoredTravel(options) || (options?.cost?.per_move ?? 0) > 0;
}

/** Adds the faults of `options.cost` and `options.travel`. */
export function checkMoveCosts(request: OptimizeRequest, list: FaultList): void {
  const { options = {}, network } = request;
  const isStored = usesStoredTravel(options);
  for (const rate of ['per_km', 'per_minute'] as const) {
    if (!network || options.cost?.[rate] === undefined) continue;
    const message = 'network.costs are the whole cost of the way; leave out one of them';
    list.add(`options.cost.${rate}`, message);
  }
  if (network && isStored)
    list.add('options.travel', 'network has its own costs and distances; leave out one of them');
  for (const rate of ['per_km', 'per_minute'] as const) {
    const value = options.cost?.[rate];
    if (value === undefined || value === 0 || value >= MIN_RATE) continue;
    const message =
      `${value} is below ${MIN_RATE}, and costs are rounded up to 4 decimals: different moves would cost the same; ` +
      'state all costs in a smaller unit (cents instead of euros)';
    list.add(`options.cost.${rate}`, message);
  }
  if (network || !options.cost?.per_minute) return;
  if (!isStored) {
    const message =
      'great-circle travel has no minutes; set options.travel to "stored", or leave per_minute out';
    list.add('options.cost.per_minute', message);
  } else if (hasFallback(request)) {
    const message =
      'great_circle has no minutes for options.cost.per_minute; leave out one of them, or store the missing pairs';
    list.add('options.travel.fallback', message);
  }
}
