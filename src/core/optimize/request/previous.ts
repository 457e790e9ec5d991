/** The previous plan of a request: its faults, and the targets of the vehicles. */
import { MAX_COST } from '../../../contracts/bounds.ts';
import type { OptimizeRequest } from '../../../contracts/optimize.ts';
import { roundedDownText } from '../../../contracts/rounded-text.ts';
import { toUnitsUp } from '../problem/costs.ts';
import type { FleetIndex, PreviousPlan, Problem } from '../problem/model.ts';
import type { FaultList } from './fault-list.ts';

/** Adds the faults of `options.change_cost`. */
export function checkPrevious({ options = {}, fleet_state }: OptimizeRequest, list: FaultList): void {
  const { previous_plan_id, change_cost } = options;
  if (change_cost === undefined) return;
  if (previous_plan_id === undefined) {
    list.add(
      'options.change_cost',
      'a change needs a plan to differ from; state options.previous_plan_id, or leave change_cost out',
    );
  }
  const most = MAX_COST / Math.max(1, fleet_state.vehicles.length);
  if (change_cost > most) {
    list.add(
      'options.change_cost',
      `${change_cost} is above the maximum ${roundedDownText(most)} (1e11 / number of vehicles) ` +
        'that keeps the total exact; use a larger unit',
    );
  }
}

/** Whether a change of the previous plan costs anything. */
export function asksForStability({ options }: OptimizeRequest): boolean {
  return (options?.change_cost ?? 0) > 0;
}

/**
 * The targets of the operational vehicles. O(fleet).
 * @param plan null: the request has none
 * @throws Error if the request has one
 */
export function readPrevious(
  { options, fleet_state: { vehicles } }: OptimizeRequest,
  plan: PreviousPlan | null,
  fleet: FleetIndex,
  position: ReadonlyMap<number, number>,
): Pick<Problem, 'previous'> {
  if (options?.previous_plan_id === undefined) return {};
  if (!plan) throw new Error('the previous plan of the request is missing');
  // A loop: `Int32Array.from` takes three times as long for 100,000 vehicles.
  const target = new Int32Array(fleet.request.length).fill(-1);
  for (let f = 0; f < target.length; f++) {
    const vehicle = vehicles[fleet.request[f]];
    const id = plan.get((vehicle.id ?? vehicle.vehicle_id)!);
    if (id !== undefined) target[f] = position.get(id) ?? -1;
  }
  return { previous: { target, changeUnits: toUnitsUp(options.change_cost ?? 0) } };
}
