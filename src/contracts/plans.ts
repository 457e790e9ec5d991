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

/** Header of a plan as CSV. */
export const PLAN_CSV_COLUMNS = ['vehicle_id', 'source_location', 'target_location', 'cost', 'assignment'];
