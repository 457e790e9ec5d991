/** The figures of a whole plan in a comparison of two stored plans. */
import type { Kpis, OptimizationResult } from '../../contracts/optimize.ts';
import type { PlanComparison } from '../../contracts/plans.ts';
import { ACTIVE_STAGES } from '../../contracts/service.ts';
import type { StoredPlan, StoredPlanSummary } from '../../db/plans/plans.ts';

/** The KPIs of a stored plan. */
export function kpis(plan: StoredPlanSummary): Kpis {
  return {
    demand_coverage: plan.demandCoverage,
    utilization: plan.utilization,
    rebalanced_count: plan.rebalancedCount,
    total_cost: plan.totalCost,
    total_distance_km: plan.totalDistanceKm,
    ...(plan.totalMinutes !== null && { total_minutes: plan.totalMinutes }),
    unmet_demand: plan.unmetDemand,
    ...(plan.unmetDemandCost !== null && { unmet_demand_cost: plan.unmetDemandCost }),
  };
}

/** `other` minus `own`, rounded to the ten decimals that differences of such figures have. */
export function kpiDifferences(own: Kpis, other: Kpis): Kpis {
  const [minutes, otherMinutes] = [own.total_minutes, other.total_minutes];
  const less = (a: number, b: number) => Number((a - b).toFixed(10));
  return {
    demand_coverage: less(other.demand_coverage, own.demand_coverage),
    utilization: less(other.utilization, own.utilization),
    rebalanced_count: other.rebalanced_count - own.rebalanced_count,
    total_cost: less(other.total_cost, own.total_cost),
    total_distance_km:
      other.total_distance_km === null || own.total_distance_km === null
        ? null
        : less(other.total_distance_km, own.total_distance_km),
    ...(minutes !== undefined &&
      otherMinutes !== undefined && { total_minutes: less(otherMinutes, minutes) }),
    unmet_demand: less(other.unmet_demand, own.unmet_demand),
    ...(own.unmet_demand_cost !== undefined &&
      other.unmet_demand_cost !== undefined && {
        unmet_demand_cost: less(other.unmet_demand_cost, own.unmet_demand_cost),
      }),
  };
}

/** Stages and shortfall of two plans, without the advice on how to change them. */
export function stagesAndShortfalls(
  plan: StoredPlan,
  other: StoredPlan,
): Pick<PlanComparison, 'stages' | 'other_stages' | 'shortfall' | 'other_shortfall'> {
  const [own, others] = [findingsOf(plan), findingsOf(other)];
  return {
    stages: own.stages,
    other_stages: others.stages,
    shortfall: own.shortfall,
    other_shortfall: others.shortfall,
  };
}

function findingsOf({ findings }: StoredPlan) {
  const { stages = ACTIVE_STAGES, shortfall }: Findings = findings === null ? {} : JSON.parse(findings);
  if (!shortfall) return { stages, shortfall: null };
  const { relaxations: _, ...missed } = shortfall;
  return { stages, shortfall: missed };
}

type Findings = Pick<OptimizationResult, 'stages' | 'shortfall'>;
