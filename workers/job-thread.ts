import type { MessagePort } from 'node:worker_threads';
import type { DecisionRisk } from '../src/contracts/decisions.ts';
import { decisionFleet, decisionRisk, planRequest } from '../src/core/decision.ts';
import { type BacktestOptions, type BacktestReport, backtest } from '../src/core/forecast/backtest.ts';
import { forecastMany } from '../src/core/forecast/forecast.ts';
import { forecastData } from '../src/core/forecast/forecast-data.ts';
import type { DemandSeries, ForecastOptions } from '../src/core/forecast/types.ts';
import { checkRequest } from '../src/core/optimize/check.ts';
import { loadSolver } from '../src/core/optimize/highs.ts';
import type { LocationPoint, OptimizeSettings } from '../src/core/optimize/model.ts';
import { type OptimizeOutcome, optimize } from '../src/core/optimize/optimize.ts';
import type { RiskSettings } from '../src/core/risk.ts';
import { type PlanRecord, planRecord } from '../src/db/plan-record.ts';

// Warm before the first job: loading the solver takes longer than most solves.
await loadSolver();

/** Progress of a loop is told at most this often. */
const LEAST_MS_BETWEEN_REPORTS = 200;

/** How far a thread is; `progress` from 0 to 1, never falling. */
export type ThreadProgress = {
  stage: string;
  progress: number;
  incumbent?: number | null;
  bound?: number | null;
  gap?: number | null;
  iterations?: number | null;
};

export type Hooks = {
  /** one number in shared memory; anything but 0 ends the work */
  stopFlag: Int32Array;
  onProgress(progress: ThreadProgress): void;
};

type InputsTask = {
  vehicles: string;
  threshold: number | null;
  riskSettings: RiskSettings;
  series: DemandSeries[];
  options: ForecastOptions & { startDate: string };
  generatedAt: string;
};

/** Lists as JSON text. */
type TakenInputs = {
  /** where vehicles stand or demand is forecast */
  locationIds: number[];
  vehicleCount: number;
  leftOutCount: number;
  fleet: string;
  risk: string;
  forecast: string;
};

/** All but the settings as JSON text. */
type PlanTask = {
  request: string;
  fleet: string;
  risk: string;
  forecast: string;
  locations: string | null;
  settings: OptimizeSettings;
};

/** What became of an optimization. */
export type PackedOutcome =
  | Exclude<OptimizeOutcome, { result: unknown }>
  | {
      status: 'optimal' | 'feasible';
      /** the plan, JSON text */
      data: string;
      record: PlanRecord;
    };

/** The work that is done in threads: here, and nowhere else in the process, the event loop may block. */
const WORK = {
  /** `input`: the request body. It and the locations that it names as JSON text, cheaper to hand over than objects. */
  optimize(task: { input: string; locations: string | null; settings: OptimizeSettings }, hooks: Hooks) {
    const { input, settings } = task;
    const locations: LocationPoint[] = JSON.parse(task.locations ?? '[]');
    return optimize({ request: JSON.parse(input), locations, settings }, hooks).then(pack);
  },

  /** What a decision is made from: fleet, risk, forecast. `vehicles`: JSON text. */
  async inputs(
    { vehicles, threshold, riskSettings, series, options, generatedAt }: InputsTask,
    { onProgress }: Hooks,
  ): Promise<{ status: 'done'; inputs: TakenInputs } | { status: 'silent'; locationIds: number[] }> {
    onProgress({ stage: 'risk', progress: 0 });
    const fleet = decisionFleet(JSON.parse(vehicles));
    const risk = decisionRisk(fleet, options.startDate, threshold, riskSettings);
    const set = forecastMany(series, options, loopProgress('forecast', 0.1, onProgress));
    const silent = set.results.filter(({ status }) => status === 'no_observations');
    if (silent.length > 0) return { status: 'silent', locationIds: silent.map((one) => one.locationId) };
    const inputs = {
      locationIds: [
        ...new Set([...series.map((one) => one.locationId), ...fleet.map((one) => one.location_id)]),
      ],
      vehicleCount: fleet.length,
      leftOutCount: risk.left_out.length,
      fleet: JSON.stringify(fleet),
      risk: JSON.stringify(risk),
      forecast: JSON.stringify(forecastData(set, options, generatedAt)),
    };
    return { status: 'done', inputs };
  },

  /** The plan of a decision, from its stored inputs. */
  async plan(task: PlanTask, hooks: Hooks) {
    const risk = JSON.parse(task.risk) as DecisionRisk;
    const locations: LocationPoint[] = JSON.parse(task.locations ?? '[]');
    const request = planRequest(
      JSON.parse(task.request),
      JSON.parse(task.fleet),
      risk,
      JSON.parse(task.forecast),
    );
    const faults = checkRequest(request, new Set(locations.map(({ id }) => id)));
    if (faults.length > 0) return { status: 'faults' as const, faults };
    const outcome = pack(await optimize({ request, locations, settings: task.settings }, hooks));
    return { ...outcome, leftOut: risk.left_out, unscored: risk.unscored };
  },

  async backtest(
    { series, options }: { series: DemandSeries[]; options: BacktestOptions },
    { stopFlag, onProgress }: Hooks,
  ): Promise<{ status: 'done'; report: BacktestReport } | { status: 'cancelled' }> {
    const tell = loopProgress('backtest', 0, onProgress);
    const report = backtest(series, options, { stopFlag, onProgress: tell });
    return report === null ? { status: 'cancelled' } : { status: 'done', report };
  },
};

/** A plan as it leaves the thread: as text and arrays, which cost little to hand over where objects cost much. */
function pack(outcome: OptimizeOutcome): PackedOutcome {
  if (!('result' in outcome)) return outcome;
  const { status, result, certificate } = outcome;
  return { status, data: JSON.stringify(result), record: planRecord(result, certificate) };
}

/** Tells of a loop that goes on until the end of the work. @param from progress at which it begins */
function loopProgress(stage: string, from: number, onProgress: Hooks['onProgress']) {
  let toldAt = performance.now();
  onProgress({ stage, progress: from });
  return (done: number, total: number) => {
    const now = performance.now();
    if (done < total && now - toldAt < LEAST_MS_BETWEEN_REPORTS) return;
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

/** A fault of our own code: the same input would end the same way again. */
export type Threw = { status: 'threw'; stack: string };

/**
 * What a thread adds to its outcome: when each stage began, in milliseconds of `process.hrtime`, which all
 * threads of a process share.
 */
export type Timed = { stages: { stage: string; at: number }[] };

/** Entry of a thread. */
export default async function run<W extends WorkName>(
  task: ThreadTask<W>,
): Promise<(WorkOutcome<W> | Threw) & Timed> {
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
    return { ...(await work(task.input, hooks)), stages };
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { status: 'threw', stack, stages };
  } finally {
    // The end of what is told. Not the closing of the port: it is noticed only when the thread goes on to other work.
    task.progressPort.postMessage(null);
    task.progressPort.close();
  }
}
