import type { MessagePort } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { DecisionRequest, DecisionRisk, DecisionVehicle } from '../../src/contracts/decisions.ts';
import type { ForecastData } from '../../src/contracts/forecast.ts';
import {
  boundedLocationIds,
  type OptimizationResult,
  type OptimizeOptions,
  type OptimizeRequest,
} from '../../src/contracts/optimize.ts';
import {
  type DecisionFault,
  decisionFaults,
  decisionFleet,
  decisionRisk,
  likelyDemand,
  ofMode,
  plannedPlaces,
  planRequest,
  withoutHistory,
} from '../../src/core/decision.ts';
import { type BacktestOptions, type BacktestReport, backtest } from '../../src/core/forecast/backtest.ts';
import { forecastMany } from '../../src/core/forecast/forecast.ts';
import { type Ahead, forecastJson } from '../../src/core/forecast/forecast-text.ts';
import { fillMissing, type MissingHistory } from '../../src/core/forecast/missing-history.ts';
import type { DemandSeries, ForecastOptions, ForecastStart } from '../../src/core/forecast/types.ts';
import { loadSolver } from '../../src/core/optimize/highs/highs.ts';
import { type OptimizeOutcome, optimize } from '../../src/core/optimize/optimize.ts';
import type { LocationPoint, OptimizeSettings, PreviousPlan } from '../../src/core/optimize/problem/model.ts';
import { checkRequest } from '../../src/core/optimize/request/check.ts';
import { createCache } from '../../src/core/optimize/run/cache.ts';
import type { RiskSettings } from '../../src/core/risk.ts';
import { type JsonColumns, ownBytes, packJson, readPackedText } from '../../src/db/packed-json.ts';
import { type PlanRecord, planRecord } from '../../src/db/plans/plan-record.ts';
import { openTravel, type TravelPacks } from '../../src/db/travel/packed-travel.ts';
import { openTrips } from '../../src/db/travel/packed-trips.ts';
import { type ReplayTask, replayStored } from './replay-work.ts';

// Filled before the first job: loading the solver takes longer than most solves.
const cache = createCache();
await loadSolver(cache);

/** Minimum time between two progress reports of a loop. */
const MIN_MS_BETWEEN_REPORTS = 200;

/** Progress of a replay when all hours are simulated. */
const HOURS_SHARE = 0.95;

/** Progress of a thread; `progress` from 0 to 1, never falling. */
export type ThreadProgress = {
  stage: string;
  progress: number;
  incumbent?: number | null;
  bound?: number | null;
  gap?: number | null;
  iterations?: number | null;
};

export type Hooks = {
  /** one number in shared memory; any value but 0 stops the work */
  stopFlag: Int32Array;
  onProgress(progress: ThreadProgress): void;
};

type InputsTask = {
  /** the request body, JSON text or packed */
  request: string | Uint8Array;
  /** the stored fleet, JSON text; null if the request has vehicles of its own */
  vehicles: string | null;
  threshold: number | null;
  riskSettings: RiskSettings;
  series: DemandSeries[];
  /** of neighbours for which no forecast was requested */
  otherSeries: DemandSeries[];
  /** null: a location without observations is an error */
  missing: MissingHistory | null;
  options: ForecastOptions & ForecastStart;
  ahead: Ahead;
  generatedAt: string;
};

/** Lists as JSON text. */
type TakenInputs = {
  /** without the fleet */
  request: string;
  /** where vehicles stand or demand is forecast, and those that constraints name */
  locationIds: number[];
  vehicleCount: number;
  leftOutCount: number;
  fleet: string;
  risk: string;
  forecast: string;
};

/** JSON text, but for the settings and packed travel. */
type PlanTask = {
  request: string;
  fleet: string;
  risk: string;
  forecast: string;
  locations: string | null;
  travel: TravelPacks | null;
  /** The targets of the previous plan (`readTargets`). */
  previous: string[] | null;
  /** The ends of trips, for a plan that looks ahead (`openTrips`); null if it does not ask. */
  trips: readonly Uint8Array[] | null;
  /** Zone of the local days of the forecast. */
  timeZone: string;
  /** Whether the vehicles are those of the request, not the stored ones. */
  isFleetSent: boolean;
  settings: OptimizeSettings;
};

/** The outcome of an optimization. */
export type PackedOutcome =
  | Exclude<OptimizeOutcome, { result: unknown } | { faults: unknown }>
  | { status: 'refused'; faults: DecisionFault[] }
  | {
      status: 'optimal' | 'feasible';
      /** JSON text as bytes, packed if it is large */
      plan: JsonColumns;
      record: PlanRecord;
    };

/** The work that runs in threads. Only here may the event loop block. */
const WORK = {
  /**
   * `request` is the body, maybe packed. It and its locations are JSON text, which is cheaper to pass to a thread than
   * objects.
   */
  async optimize(
    task: {
      request: string | Uint8Array;
      locations: string | null;
      travel: TravelPacks | null;
      previous: string[] | null;
      trips: readonly Uint8Array[] | null;
      settings: OptimizeSettings;
    },
    hooks: Hooks,
  ) {
    const { request, settings } = task;
    const locations: LocationPoint[] = JSON.parse(task.locations ?? '[]');
    const asked: OptimizeRequest = JSON.parse(readPackedText(request));
    const travel = task.travel && openTravel(task.travel);
    const previous = targetsOf(task.previous);
    const tripCounts = task.trips && openTrips(task.trips);
    const input = { request: asked, locations, settings, travel, previous, tripCounts };
    const outcome = await optimize(input, cache, hooks);
    return pack(outcome, asked.options);
  },

  /** The inputs of a decision: fleet, risk, forecast. */
  async inputs(
    {
      request,
      vehicles,
      threshold,
      riskSettings,
      series,
      otherSeries,
      missing,
      options,
      ahead,
      generatedAt,
    }: InputsTask,
    { onProgress }: Hooks,
  ): Promise<{ status: 'done'; inputs: TakenInputs } | { status: 'silent'; locationIds: number[] }> {
    onProgress({ stage: 'risk', progress: 0 });
    const { fleet_state, ...rest } = JSON.parse(readPackedText(request)) as DecisionRequest;
    const fleet = decisionFleet(vehicles === null ? (fleet_state?.vehicles ?? []) : JSON.parse(vehicles));
    const risk = decisionRisk(fleet, options.startDate, threshold, riskSettings);
    const observed = forecastMany(series, options, loopProgress('forecast', 0.1, onProgress));
    const others = otherSeries.length > 0 ? forecastMany(otherSeries, options) : null;
    const set = missing
      ? fillMissing(observed, others, [...series, ...otherSeries], missing, options)
      : observed;
    const silent = set.results.filter(({ status }) => status === 'no_observations');
    if (silent.length > 0) return { status: 'silent', locationIds: silent.map((one) => one.locationId) };
    const inputs = {
      locationIds: [
        ...new Set([
          ...series.map((one) => one.locationId),
          ...fleet.map((one) => one.location_id),
          ...boundedLocationIds(rest.constraints),
        ]),
      ],
      request: JSON.stringify(rest),
      vehicleCount: fleet.length,
      leftOutCount: risk.left_out.length,
      fleet: JSON.stringify(fleet),
      risk: JSON.stringify(risk),
      forecast: forecastJson(set, options, generatedAt, ahead),
    };
    return { status: 'done', inputs };
  },

  /** The plan of a decision, from its stored inputs. */
  async plan(task: PlanTask, hooks: Hooks) {
    const risk = JSON.parse(task.risk) as DecisionRisk;
    const locations: LocationPoint[] = JSON.parse(task.locations ?? '[]');
    const asked: DecisionRequest = JSON.parse(task.request);
    const forecast: ForecastData = JSON.parse(task.forecast);
    const fleet: DecisionVehicle[] = JSON.parse(task.fleet);
    const request = planRequest(asked, fleet, risk, forecast, task.timeZone);
    const { settings } = task;
    const known = new Set(locations.map(({ id }) => id));
    const faults = checkRequest(request, known, settings);
    const outcome: OptimizeOutcome =
      faults.length > 0
        ? { status: 'refused', faults }
        : await optimize(
            {
              request,
              locations,
              settings,
              travel: task.travel && openTravel(task.travel),
              previous: targetsOf(task.previous),
              tripCounts: task.trips && openTrips(task.trips),
              outcomes: likelyDemand(asked, forecast),
            },
            cache,
            hooks,
          );
    const planned =
      outcome.status === 'refused'
        ? {
            ...outcome,
            faults: decisionFaults(
              asked,
              task.isFleetSent ? plannedPlaces(fleet, risk) : null,
              outcome.faults,
            ),
          }
        : outcome.status === 'infeasible'
          ? { ...outcome, errors: outcome.errors.map(ofMode) }
          : await packBeside(outcome, asked.options);
    const { left_out: leftOut, unscored } = risk;
    const { starts_at: startsAt } = forecast.metadata;
    return { ...planned, leftOut, unscored, withoutHistory: withoutHistory(forecast), startsAt };
  },

  async backtest(
    { series, options }: { series: DemandSeries[]; options: BacktestOptions },
    { stopFlag, onProgress }: Hooks,
  ): Promise<{ status: 'done'; report: BacktestReport } | { status: 'cancelled' }> {
    const tell = loopProgress('backtest', 0, onProgress);
    const report = backtest(series, options, { stopFlag, onProgress: tell });
    return report === null ? { status: 'cancelled' } : { status: 'done', report };
  },

  async replay(task: ReplayTask, { stopFlag, onProgress }: Hooks) {
    // The bound is found after the last hour.
    const tell = loopProgress('replay', 0, (told) =>
      onProgress({ ...told, progress: HOURS_SHARE * told.progress }),
    );
    return replayStored(task, { stopFlag, onProgress: tell });
  },
};

/** The targets of the vehicles of a previous plan, by vehicle id. */
function targetsOf(parts: string[] | null): PreviousPlan | null {
  if (!parts) return null;
  const targets = new Map<string, number>();
  for (const part of parts) {
    const [ids, locations]: [string[], number[]] = JSON.parse(part);
    for (let v = 0; v < ids.length; v++) targets.set(ids[v], locations[v]);
  }
  return targets;
}

/**
 * A plan as bytes, which leave the thread without a copy.
 * @param shown what the text says of the plan; default: all of it
 */
async function pack(
  outcome: OptimizeOutcome,
  { locations: isShown = true }: OptimizeOptions = {},
  shown?: Partial<OptimizationResult>,
): Promise<PackedOutcome> {
  if (!('result' in outcome)) return outcome;
  const { status, result, certificate, moveDistances } = outcome;
  const told = shown ?? result;
  const { locations: _, ...short } = told;
  const packing = packJson(new TextEncoder().encode(JSON.stringify(isShown ? told : short)));
  // Meanwhile another thread packs.
  const record = planRecord(result, certificate, moveDistances);
  return { status, plan: ownBytes(await packing), record };
}

/** The same for a decision, where what the plan says of all steps is beside it: `ahead`, JSON text. */
async function packBeside(
  outcome: OptimizeOutcome,
  options?: OptimizeOptions,
): Promise<PackedOutcome & { ahead?: string }> {
  if (!('result' in outcome) || !outcome.result.outlook) return pack(outcome, options);
  const { outlook, horizon_cost, horizon_bound, rounding_cost, ...result } = outcome.result;
  const ahead = JSON.stringify({ outlook, horizon_cost, horizon_bound, rounding_cost });
  return { ...(await pack(outcome, options, result)), ahead };
}

/** Reports the progress of a loop that lasts to the end of the work. @param from its progress at the start */
function loopProgress(stage: string, from: number, onProgress: Hooks['onProgress']) {
  let toldAt = performance.now();
  onProgress({ stage, progress: from });
  return (done: number, total: number) => {
    const now = performance.now();
    if (done < total && now - toldAt < MIN_MS_BETWEEN_REPORTS) return;
    toldAt = now;
    onProgress({ stage, progress: from + (1 - from) * (done / total) });
  };
}

type Work = typeof WORK;
export type WorkName = keyof Work;
export type WorkInput<W extends WorkName> = Parameters<Work[W]>[0];
export type WorkOutcome<W extends WorkName> = Awaited<ReturnType<Work[W]>>;

export type ThreadTask<W extends WorkName = WorkName> = {
  work: W;
  input: WorkInput<W>;
  stopFlag: Int32Array;
  progressPort: MessagePort;
};

/** A fault of our own code: the same input would fail again. */
export type Threw = { status: 'threw'; stack: string };

/**
 * Added to the outcome of a thread: when each stage began, in milliseconds of `process.hrtime`, which all threads of a
 * process share.
 */
export type Timed = { stages: { stage: string; at: number }[] };

/** Entry of a thread. @param task null: none, only be ready for one, with the module loaded */
export default async function run<W extends WorkName>(
  task: ThreadTask<W> | null,
): Promise<((WorkOutcome<W> | Threw) & Timed) | null> {
  if (task === null) return null;
  const stages: Timed['stages'] = [];
  const hooks: Hooks = {
    stopFlag: task.stopFlag,
    onProgress(progress) {
      const { stage } = progress;
      if (stages.at(-1)?.stage !== stage) stages.push({ stage, at: Number(process.hrtime.bigint()) / 1e6 });
      task.progressPort.postMessage(progress);
    },
  };
  const work = WORK[task.work] as (input: WorkInput<W>, hooks: Hooks) => Promise<WorkOutcome<W>>;
  try {
    const outcome = await work(task.input, hooks);
    const { plan, record } = outcome as Partial<Extract<PackedOutcome, { record: PlanRecord }>>;
    const buffers = [plan?.packed ?? plan?.text, ...Object.values(record?.parts ?? {})].flatMap((bytes) =>
      bytes instanceof Uint8Array ? bytes.buffer : [],
    );
    return move({ [transferableSymbol]: buffers as never, [valueSymbol]: { ...outcome, stages } }) as never;
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { status: 'threw', stack, stages };
  } finally {
    // The end of the progress. Closing the port would not do, since that is noticed only when the thread starts other
    // work.
    task.progressPort.postMessage(null);
    task.progressPort.close();
  }
}
