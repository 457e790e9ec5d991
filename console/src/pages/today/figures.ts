import { type StoredDecision, startHourOf, totalsByStep } from '../../api/decisions.ts';
import { movesOf } from '../../api/moves.ts';
import type { PlanLocation } from '../../api/types.ts';
import { clock } from '../../format.ts';

/** Everything that the page says of a decision with a plan. Demand is in the unit of the city, mostly trips. */
export function figuresOf(decision: StoredDecision) {
  const { data, metadata } = decision.result!;
  const { plan } = data;
  const { forecast } = decision.inputs!;
  const { step_hours: stepHours, start_date: startDate } = forecast.metadata;
  const scale = decision.inputs!.request.demand_scale ?? 1;
  const startHour = startHourOf(data);
  const clockOf = (step: number) => clock(startHour + step * stepHours);
  const expected = totalsByStep(forecast.forecasts).map((total) => total * scale);
  const locations = plan.locations ?? [];
  const sum = (value: (location: PlanLocation) => number) =>
    locations.reduce((total, location) => total + value(location), 0);
  const busiest = expected.indexOf(Math.max(...expected));
  return {
    startDate,
    stepHours,
    startHour,
    expected,
    busiest,
    busiestWords: `${clockOf(busiest)}–${clockOf(busiest + 1)}`,
    trips: expected.reduce((total, value) => total + value, 0),
    planned: sum(({ demand }) => demand),
    served: sum(({ served }) => served),
    capacity: sum(({ capacity_after }) => capacity_after),
    short: locations.filter(({ unmet }) => unmet > 0).toSorted((a, b) => b.unmet - a.unmet),
    moves: movesOf(plan.allocation_plan),
    names: new Map(locations.map(({ location_id, name }) => [location_id, name ?? String(location_id)])),
    kpis: plan.kpis,
    vehicles: plan.allocation_plan.length,
    solveMs: metadata.solve_time_ms ?? 0,
    /** Undefined where the service knows none. */
    holidays: forecast.metadata.holidays,
    events: forecast.metadata.events ?? [],
    shortfall: plan.shortfall,
    withoutHistory: data.without_history,
  };
}
export type Figures = ReturnType<typeof figuresOf>;
