/** What is wrong with the answer of the optimizer to a mixed request, by trying every plan. */
import type { OptimizationResult } from '../../../../src/contracts/optimize.ts';
import type { OptimizeOutcome } from '../../../../src/core/optimize/problem/model.ts';
import { byPriorityByTryingAll, cheapestByTryingAll, readFacts } from '../exhaustive.ts';
import { SETTINGS } from '../instances.ts';
import type { Mixed } from './every-rule.ts';

/** @returns what disagrees; null if nothing does */
export function disagreement(
  { request, locations, travel, previous }: Mixed,
  outcome: OptimizeOutcome,
): unknown | null {
  const isServeMost = request.constraints?.shortage === 'serve_most';
  const atLevel = byPriorityByTryingAll(request, locations, false, previous, travel);
  const best =
    atLevel ?? (isServeMost ? byPriorityByTryingAll(request, locations, true, previous, travel) : null);
  if (outcome.status === 'refused') return null;
  if (!best) return outcome.status === 'infeasible' ? null : { expected: 'infeasible', outcome };
  if (outcome.status !== 'optimal') return { best, outcome };
  const { shortfall, priorities = [], stability, stages, total_cost, kpis, refinement } = outcome.result;
  const facts = readFacts(request, locations, SETTINGS, travel, previous);
  const { objective, bound } = outcome.certificate;
  // Costs of unmet demand are not whole units.
  const noise = kpis.unmet_demand_cost === undefined ? 0.1 : 1.5 + 1e-9 * best.costUnits;
  if (Math.abs(objective * 1e4 - best.costUnits) > noise) return { best, objective, result: outcome.result };
  if (bound > objective) return { bound, objective };
  // Of all vehicles; with a fleet size fewer count.
  const stated = total_cost + (refinement?.pair_cost ?? 0) + (stability?.change_cost ?? 0);
  const unmet = facts.fleetSize < facts.vehicles.length ? null : (kpis.unmet_demand_cost ?? 0);
  if (unmet !== null && Math.abs(stated + unmet - objective) > 1.1e-4) return { stated, unmet, objective };
  const least = 1e-6 * Math.max(facts.totalDemand, 1e-3);
  if ((shortfall === undefined) !== (atLevel !== null)) return { shortfall, atLevel };
  const isOff = (served: number, atMost: number, expected: number) =>
    Math.abs(served - expected) > 2 * least || atMost < served || atMost > expected + 4 * least;
  const ofAll = (share: number) => share * facts.totalDemand;
  if (shortfall && isOff(ofAll(shortfall.reached), ofAll(shortfall.reached_at_most), best.served.at(-1)!))
    return { shortfall, best };
  const all = [...new Set(facts.ids.map(facts.level))].filter((level) => level > 0).sort((a, b) => b - a);
  const critical = all.filter((level) =>
    facts.ids.some((id) => facts.level(id) === level && (facts.demand.get(id) ?? 0) > 0),
  );
  if (priorities.map(({ level }) => level).join() !== critical.join()) return { priorities, critical };
  const wrong = priorities.find(({ level, served, served_at_most }) =>
    isOff(served, served_at_most, best.served[all.indexOf(level)]),
  );
  if (wrong) return { wrong, best, priorities };
  const expectedStages = [
    ...(critical.length > 0 ? ['critical_demand'] : []),
    'min_cost_flow',
    ...(refinement ? ['milp_refinement'] : []),
  ];
  if (stages && stages.join() !== expectedStages.join()) return { stages, expectedStages };
  if (!stages && expectedStages.length > 1) return { stages, expectedStages };
  return stability ? wrongStability({ request, locations, travel, previous }, outcome.result) : null;
}

/** The changes that a plan states are those of its vehicles, and the plan without them is the cheapest one. */
function wrongStability(
  { request, locations, travel, previous }: Omit<Mixed, 'rules'>,
  { allocation_plan, stability, kpis, shortfall, priorities }: OptimizationResult,
): unknown | null {
  const { ids } = readFacts(request, locations, SETTINGS, travel, previous);
  const changed = allocation_plan.filter(({ vehicle_id, target_location }) => {
    const before = previous?.get(vehicle_id);
    return before !== undefined && ids.includes(before) && before !== target_location;
  }).length;
  const cost = (changed * Math.round((request.options?.change_cost ?? 0) * 1e4)) / 1e4;
  if (stability?.changed_vehicles !== changed || stability.change_cost !== cost)
    return { stability, changed };
  const isAlone =
    kpis.unmet_demand_cost === undefined && !shortfall && !priorities && !request.options?.refine;
  const without = isAlone && cheapestByTryingAll(request, locations, SETTINGS, travel)?.costUnits;
  return isAlone && Math.round(stability.cost_without! * 1e4) !== without ? { stability, without } : null;
}
