import { type Envelope, get } from './client.ts';
import type {
  AllocationPlanItem,
  Constraints,
  DecisionListItem,
  ForecastData,
  Kpis,
  OptimizeOptions,
  OutlookStep,
  PlanLocation,
  Shortfall,
} from './types.ts';

/** A vehicle as a decision took it. */
type TakenVehicle = {
  vehicle_id: string;
  location_id: number;
  status: string;
  capacity?: number;
  pinned?: boolean;
  /** The arrival of a vehicle that may still be on its way to its location. */
  available_at?: string;
};

export type DecisionMode = 'static' | 'horizon';
export type PlannedDemand = 'mean' | 'upper' | 'spread';

/** The plan of an optimization or of a decision. */
export type PlanAnswer = {
  allocation_plan: AllocationPlanItem[];
  total_cost: number;
  kpis: Kpis;
  solver_status: string;
  gap?: number;
  locations?: PlanLocation[];
  shortfall?: Shortfall;
};

export type DecisionAnswer = {
  decision_id: string;
  start_date: string;
  /** When the first step begins, on the city's clock; only if it was planned from an hour on. */
  starts_at?: string;
  demand: PlannedDemand;
  left_out: string[];
  without_history: number[];
  plan: PlanAnswer;
  /** Every step, only of a plan that looks ahead. */
  outlook?: OutlookStep[];
};

export type AheadAnswer = DecisionAnswer & { outlook: OutlookStep[] };

/** Whether an answer is that of a plan that looks ahead. */
export const isAhead = (answer: DecisionAnswer | undefined): answer is AheadAnswer =>
  answer?.outlook !== undefined && answer.outlook.length > 0;

/** The body of a decision, as far as the console sends or reads it. */
export type DecisionBody = {
  start_date?: string;
  start_at?: string;
  demand?: PlannedDemand;
  demand_scale?: number;
  horizon_hours?: number;
  step_hours?: number;
  mode?: DecisionMode;
  carry_out?: boolean;
  network?: object;
  constraints?: Constraints;
  options?: OptimizeOptions;
};

export type StoredDecision = {
  decision_id: string;
  status: string;
  plan_id: string | null;
  created_at: string;
  finished_at: string | null;
  inputs: {
    request: DecisionBody;
    fleet: TakenVehicle[];
    risk: { left_out: string[] };
    forecast: ForecastData;
    locations: { id: number; name: string; latitude: number; longitude: number }[] | null;
  } | null;
  result?: Envelope<DecisionAnswer>;
};

/** Local hour of the first day at which the first step begins. */
export function startHourOf({ starts_at: startsAt }: Pick<DecisionAnswer, 'starts_at'>): number {
  return startsAt === undefined ? 0 : Number(startsAt.slice('2017-05-04T'.length, '2017-05-04T00'.length));
}

/** How many of the newest decisions are searched for one with a plan. */
const SEARCHED = 100;

/** A stored decision with its inputs and its result. */
export function readDecision(id: string, signal?: AbortSignal): Promise<StoredDecision> {
  return get<StoredDecision>(`/api/v1/decisions/${encodeURIComponent(id)}`, signal);
}

/**
 * The newest decision that ended with a plan; undefined if there is none.
 * @param wanted only one of this kind
 */
export async function newestDecision(
  signal?: AbortSignal,
  wanted?: DecisionMode,
): Promise<StoredDecision | undefined> {
  const { decisions } = await get<{ decisions: DecisionListItem[] }>(
    `/api/v1/decisions?limit=${SEARCHED}`,
    signal,
  );
  const newest = decisions.find(
    ({ plan_id, status, mode }) =>
      plan_id !== null && status === 'completed' && (wanted === undefined || mode === wanted),
  );
  return newest && readDecision(newest.decision_id, signal);
}

/** The sum over all locations of each step of a forecast, in units of demand. */
export function totalsByStep(series: Record<string, number[]>): number[] {
  const totals: number[] = [];
  for (const values of Object.values(series)) {
    for (const [step, value] of values.entries()) totals[step] = (totals[step] ?? 0) + value;
  }
  return totals;
}
