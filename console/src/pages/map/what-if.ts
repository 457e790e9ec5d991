import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { announce } from '../../announce.ts';
import { type Fault, FleetError } from '../../api/client.ts';
import type { PlanAnswer, StoredDecision } from '../../api/decisions.ts';
import type { Progress } from '../../api/live.ts';
import { runJob } from '../../api/run-job.ts';
import type { Constraints } from '../../api/types.ts';
import { HOUR_MS, timeOf } from '../../city-time.ts';
import { count, percent } from '../../format.ts';
import { texts } from '../../texts.ts';
import { type Setting, withSettings } from '../../ui/settings.ts';
import { SLIDERS, type SliderValues } from './sliders.tsx';

/** A slider that moves asks once, when it has rested this long. */
const REST_MS = 120;

export type WhatIf = {
  plan?: PlanAnswer;
  planId?: string;
  /** The constraints that the plan keeps. */
  changes?: Changes;
  isRunning: boolean;
  progress?: Progress;
  faults?: Fault[];
  error?: unknown;
};

/** A plan's constraints instead of the decision's: the sliders, and the values that relaxations set beside them. */
export type Changes = SliderValues & { also?: readonly Setting[] };

/** The constraints of a decision with the sliders' values in their place. */
function constraintsOf(decided: Constraints | undefined, values: SliderValues): Constraints {
  const { max_rebalancing_distance_km: _, min_demand_coverage: __, ...kept } = decided ?? {};
  return {
    shortage: 'serve_most',
    ...((values.service === undefined && values.distance === undefined ? decided : kept) ?? {}),
    ...(values.service !== undefined && { min_service_level: values.service }),
    ...(values.distance !== undefined && { max_distance: values.distance }),
    ...(values.ceiling !== undefined && { max_rebalancing_cost: values.ceiling }),
    ...(values.price !== undefined && { unmet_demand_cost: values.price }),
  };
}

/**
 * Whether the sliders can plan what the decision planned. Demand that is not certain is known to decisions only, and a
 * decision for each move of a slider would be listed as if somebody had made it.
 */
export function canPlanAgain(decision: StoredDecision | undefined): decision is StoredDecision {
  return decision?.inputs != null && decision.result?.data != null && !isUncertain(decision);
}

export const looksAhead = (decision: StoredDecision | undefined): boolean =>
  decision?.inputs?.request.mode === 'horizon';

export const isUncertain = (decision: StoredDecision | undefined): boolean =>
  decision?.inputs?.request.demand === 'spread';

/** When the first step of a decision begins. @param zone of the city */
function beginOf({ result }: StoredDecision, zone: string | undefined): string {
  const { starts_at: startsAt, start_date: day, outlook } = result!.data;
  return (
    startsAt ??
    outlook?.[0]?.starts_at ??
    new Date(timeOf(Date.parse(`${day}T00:00:00Z`) / HOUR_MS, zone)).toISOString()
  );
}

/**
 * The request of an optimization with the inputs of a decision: the same fleet, the same demand, the same steps, other
 * constraints.
 * @param zone of the city, in which the first step begins at midnight if the decision says no hour
 */
export function requestOf(
  decision: StoredDecision,
  values: Changes,
  zone: string | undefined,
  options: object = {},
): object {
  const isAhead = looksAhead(decision);
  const begin = beginOf(decision, zone);
  // In a plan of one step a vehicle that is still on its way stays where it is going.
  const arrival = (at: string | undefined) => {
    if (at === undefined) return {};
    if (isAhead) return { available_at: at };
    return Date.parse(at) > Date.parse(begin) ? { pinned: true } : {};
  };
  const { request, fleet, risk, forecast } = decision.inputs!;
  const { demand, demand_scale: scale = 1, network } = request;
  const { constraints, options: decided } = withSettings(request, values.also ?? []);
  const leftOut = new Set(risk.left_out);
  const series = Object.entries(forecast.forecasts).map(([id, mean]) => {
    const planned = demand === 'upper' ? (forecast.intervals?.[id]?.upper ?? mean) : mean;
    return [id, scale === 1 ? planned : planned.map((value) => value * scale)];
  });
  return {
    demand_forecast: Object.fromEntries(series),
    fleet_state: {
      vehicles: fleet
        .filter(({ vehicle_id }) => !leftOut.has(vehicle_id))
        .map(({ vehicle_id, location_id, status, capacity, pinned, available_at }) => ({
          vehicle_id,
          location_id,
          status,
          ...(capacity !== undefined && { capacity }),
          ...(pinned !== undefined && { pinned }),
          ...arrival(available_at),
        })),
    },
    constraints: constraintsOf(constraints, values),
    ...(network && { network }),
    options: {
      ...(!isAhead && { demand_aggregation: 'system_peak' }),
      ...decided,
      step_hours: forecast.metadata.step_hours,
      ...(isAhead && { horizon: { ...decided?.horizon, starts_at: begin } }),
      ...options,
    },
  };
}

/**
 * Plans again whenever a slider rests, and cancels the plan that was asked for before. It asks for none where the
 * sliders are back at what the shown plan keeps.
 */
export function useWhatIf(
  decision: StoredDecision | undefined,
  values: Changes,
  zone: string | undefined,
): WhatIf {
  const state = useSignal<WhatIf>({ isRunning: false });
  const isChanged = SLIDERS.some((name) => values[name] !== undefined) || values.also !== undefined;
  const key = useMemo(() => JSON.stringify(values), [values]);
  useEffect(() => {
    if (!decision || !isChanged) {
      state.value = { isRunning: false };
      return;
    }
    const control = new AbortController();
    const { plan, planId, changes } = state.peek();
    const before = plan && planId !== undefined && changes ? { plan, planId, changes } : {};
    const isShown = before.changes !== undefined && JSON.stringify(before.changes) === key;
    state.value = { ...before, isRunning: !isShown };
    if (isShown) return;
    const timer = setTimeout(async () => {
      try {
        const { data, metadata } = await runJob<PlanAnswer>(
          '/api/v1/optimize',
          requestOf(decision, values, zone),
          {
            signal: control.signal,
            onProgress: (progress) => {
              if (!control.signal.aborted) state.value = { ...state.peek(), progress };
            },
          },
        );
        if (control.signal.aborted) return;
        state.value = { plan: data, planId: metadata.plan_id!, changes: values, isRunning: false };
        const { demand_coverage: coverage, rebalanced_count: moved } = data.kpis;
        announce(texts.today.announced(percent(coverage), count(moved)));
      } catch (error) {
        if (control.signal.aborted) return;
        const isRefused = error instanceof FleetError && error.code === 'INFEASIBLE_PROBLEM';
        state.value = { isRunning: false, ...(isRefused ? { faults: [...error.details] } : { error }) };
      }
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [decision?.decision_id, key]);
  return state.value;
}
