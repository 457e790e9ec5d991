import { type Static, Type } from 'typebox';
import { Timestamp } from './envelope.ts';
import { JobId, PlanId } from './jobs.ts';
import { AllocationPlanItem, Kpis } from './optimize.ts';

export const PlanSummary = Type.Object(
  {
    plan_id: PlanId,
    job_id: JobId,
    created_at: Timestamp,
    solver_status: Type.Enum(['optimal', 'feasible']),
    gap: Type.Union([Type.Number(), Type.Null()]),
    total_cost: Type.Number(),
    kpis: Kpis,
    vehicle_count: Type.Integer(),
    solve_time_ms: Type.Number(),
  },
  { $id: 'PlanSummary' },
);
export type PlanSummary = Static<typeof PlanSummary>;

export const Plan = Type.Object(
  { ...PlanSummary.properties, allocation_plan: Type.Array(AllocationPlanItem) },
  { $id: 'Plan' },
);

const Place = Type.Union([Type.Integer(), Type.Null()], {
  description: 'null where the plan has no such vehicle',
});
const Money = Type.Union([Type.Number(), Type.Null()]);

export const PlanDifference = Type.Object(
  {
    vehicle_id: Type.String(),
    source_location: Place,
    target_location: Place,
    cost: Money,
    other_source_location: Place,
    other_target_location: Place,
    other_cost: Money,
  },
  { $id: 'PlanDifference' },
);
export type PlanDifference = Static<typeof PlanDifference>;

export const PlanComparison = Type.Object(
  {
    plan_id: PlanId,
    other_plan_id: PlanId,
    kpi_differences: { ...Kpis, $id: 'KpiDifferences', description: 'the other plan less this one' },
    vehicles: Type.Object({
      same: Type.Integer({ description: 'same source and target in both plans' }),
      different: Type.Integer(),
      only_in_plan: Type.Integer(),
      only_in_other: Type.Integer(),
    }),
    differences: Type.Array(PlanDifference, { description: 'a page of them, by vehicle id' }),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'PlanComparison' },
);

/** Header of a plan as CSV. */
export const PLAN_CSV_COLUMNS = ['vehicle_id', 'source_location', 'target_location', 'cost', 'assignment'];
