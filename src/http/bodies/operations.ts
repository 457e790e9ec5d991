import { createHash } from 'node:crypto';
import type { Static, TSchema } from 'typebox';
import type { Fault } from '../../answers/errors.ts';
import { BacktestRequest } from '../../contracts/backtest.ts';
import {
  DemandUpload,
  EventUpload,
  FleetUpload,
  FleetVehiclePatch,
  LocationPatch,
  LocationUpload,
  TravelUpload,
  TripFlowUpload,
} from '../../contracts/data.ts';
import { DECISION_STEP_HOURS, DecisionRequest } from '../../contracts/decisions.ts';
import { MAX_REPORTED_ERRORS } from '../../contracts/errors.ts';
import { ForecastRequest } from '../../contracts/forecast.ts';
import { type JobFacts, jobFacts, type RequestOf } from '../../contracts/job-facts.ts';
import type { JobKind } from '../../contracts/jobs.ts';
import { OptimizeRequest } from '../../contracts/optimize.ts';
import type { JobPriority } from '../../contracts/priorities.ts';
import { ReplayRequest } from '../../contracts/replays.ts';
import { RiskRequest } from '../../contracts/risk.ts';
import { SchedulePatch, ScheduleRequest } from '../../contracts/schedules.ts';
import { WebhookPatch, WebhookRequest } from '../../contracts/webhooks.ts';
import { ofMode } from '../../core/decision.ts';
import type { OptimizeSettings } from '../../core/optimize/problem/model.ts';
import { checkRequest, namedLocationIds } from '../../core/optimize/request/check.ts';
import { type RiskSettings, scoreRisk } from '../../core/risk.ts';
import {
  packDemand,
  packEvents,
  packLocations,
  packTravel,
  packTripFlows,
  packVehicles,
} from '../../db/data/packed-rows.ts';
import type { JsonColumns } from '../../db/packed-json.ts';
import {
  findDemandFaults,
  findEventFaults,
  findFleetFaults,
  findLocationFaults,
  findTravelFaults,
  findTripFlowFaults,
} from '../data/data-faults.ts';
import { findReplayFaults } from '../replays/replay-faults.ts';

/** Settings that are needed to read a body. */
export type IntakeSettings = {
  risk: RiskSettings;
  optimize: OptimizeSettings;
};

export type ReadContext = {
  settings: IntakeSettings;
  /** the stored ones among the locations that the body names; null: assume that all are stored */
  known: ReadonlySet<number> | null;
  /** the body has an idempotency key, so its hash is needed */
  isHashed: boolean;
};

/** The result for a body whose faults depend on which locations are stored. */
export type Checkable = {
  /** distinct ids of locations that must be stored */
  locationIds: number[];
  /** faults that its schema cannot express, at most 100 */
  faults: Fault[];
};

/** The parts of a job's body that the API keeps. */
export type JobIntake = {
  /** the body as compact JSON: the bytes that were sent, or made of what was read */
  input: Uint8Array;
  /** the same as the database stores it; absent if the body was not read in a thread */
  columns?: JsonColumns;
  /** hash of operation and body, compared when an idempotency key is used again; empty for a body without one */
  inputHash: Uint8Array;
  priority: JobPriority;
  /** what the event loop of a worker needs to know of the request */
  facts: JobFacts;
};

/**
 * Each operation with a JSON body: its schema, and what the API needs of a valid body. For large bodies `read` runs in
 * a thread, so its result is small or consists of texts and bytes. Its last argument is the body as it was sent, if it
 * can be stored so.
 */
export const OPERATIONS = {
  optimize: operation(OptimizeRequest, readOptimization),
  decision: operation(DecisionRequest, readDecision),
  backtest: operation(BacktestRequest, (body, _, sent) => ({
    ...readJob('backtest', body, sent),
    request: body,
  })),
  replay: operation(ReplayRequest, (body, _, sent) => ({
    ...readJob('replay', body, sent),
    request: body,
    locationIds: [],
    faults: findReplayFaults(body),
  })),
  forecast: operation(ForecastRequest, (body) => body),
  /** the scores as JSON text */
  risk: operation(RiskRequest, ({ vehicles }, { settings }) => ({
    scores: encode(vehicles.map((vehicle) => scoreRisk(vehicle, settings.risk))),
  })),
  locations: operation(LocationUpload, ({ locations }) => ({
    locationIds: [],
    faults: findLocationFaults(locations),
    rows: packLocations(locations),
  })),
  fleet: operation(FleetUpload, ({ fleet }, { known }) => ({
    locationIds: distinctIds(fleet),
    faults: findFleetFaults(fleet, known),
    rows: packVehicles(fleet),
  })),
  demand: operation(DemandUpload, ({ observations }, { known }) => {
    const { faults, found } = findDemandFaults(observations, known);
    return { locationIds: distinctIds(observations), faults, rows: packDemand(found) };
  }),
  events: operation(EventUpload, ({ events }, { known }) => {
    const { faults, found } = findEventFaults(events, known);
    return { locationIds: distinctIds(events), faults, rows: packEvents(found) };
  }),
  travel: operation(TravelUpload, ({ travel }, { known }) => ({
    locationIds: distinctEnds(travel),
    faults: findTravelFaults(travel, known),
    rows: packTravel(travel),
  })),
  trip_flows: operation(TripFlowUpload, ({ trip_flows }, { known }) => ({
    locationIds: distinctEnds(trip_flows),
    faults: findTripFlowFaults(trip_flows, known),
    rows: packTripFlows(trip_flows),
  })),
  schedule: operation(ScheduleRequest, ({ decision, ...schedule }, context) => {
    const intake = readDecision(decision, context);
    return { schedule, decision: intake, locationIds: intake.locationIds, faults: intake.faults };
  }),
  schedule_patch: operation(SchedulePatch, ({ decision, ...schedule }, context) => {
    const intake = decision ? readDecision(decision, context) : null;
    return {
      schedule,
      decision: intake,
      locationIds: intake?.locationIds ?? [],
      faults: intake?.faults ?? [],
    };
  }),
  vehicle_patch: operation(FleetVehiclePatch, (body) => body),
  location_patch: operation(LocationPatch, (body) => body),
  webhook: operation(WebhookRequest, (body) => body),
  webhook_patch: operation(WebhookPatch, (body) => body),
};

export type Operation = keyof typeof OPERATIONS;
export type OperationFacts<O extends Operation> = ReturnType<(typeof OPERATIONS)[O]['read']>;

function operation<S extends TSchema, F>(
  schema: S,
  read: (body: Static<S>, context: ReadContext, sent?: Uint8Array) => F,
) {
  return { schema, read };
}

function readOptimization(body: OptimizeRequest, { known, settings }: ReadContext, sent?: Uint8Array) {
  const ids = namedLocationIds(body);
  return {
    ...readJob('optimize', body, sent),
    locationIds: body.network ? [] : ids,
    faults: checkRequest(body, known ?? new Set(ids), settings.optimize) as Fault[],
    locationCount: body.network?.location_ids.length ?? ids.length,
    vehicleCount: body.fleet_state.vehicles.length,
  };
}

/** Checks the parts that go to the optimizer. The route checks what is forecast against the stored demand. */
function readDecision(body: DecisionRequest, { known, settings }: ReadContext, sent?: Uint8Array) {
  const { fleet_state, network, constraints, options } = body;
  const { location_ids, horizon_hours, step_hours, start_date, start_at, on_missing_history } = body;
  const parts = {
    demand_forecast: {},
    fleet_state: fleet_state ?? { vehicles: [] },
    ...(network && { network }),
    ...(constraints && { constraints }),
    ...((options || body.mode === 'horizon') && {
      options: { ...options, ...(body.mode === 'horizon' && { horizon: horizonOf(body) }) },
    }),
  };
  const ids = network ? [] : namedLocationIds(parts);
  const faults: Fault[] = [
    ...startFaults(body),
    ...stepFaults(step_hours, options?.step_hours),
    ...modeFaults(body),
    ...carryOutFaults(body),
    ...checkRequest(parts, known ?? new Set(ids), settings.optimize).map(ofMode),
  ];
  const inNetwork = new Set(network?.location_ids);
  for (const [i, id] of (network && location_ids ? location_ids : []).entries()) {
    if (inNetwork.has(id)) continue;
    const message = `location ${id} is not in network.location_ids; add it there with its costs or leave it out`;
    faults.push({ field: `location_ids[${i}]`, message });
  }
  return {
    ...readJob('decision', body, sent),
    locationIds: ids,
    faults: faults.slice(0, MAX_REPORTED_ERRORS),
    vehicleCount: fleet_state?.vehicles.length ?? null,
    forecast: { location_ids, horizon_hours, step_hours, start_date, start_at, on_missing_history },
    networkIds: network?.location_ids ?? null,
  };
}

/** The fault of a request that states both a day and a time. */
export function startFaults(
  { start_date, start_at }: Pick<DecisionRequest, 'start_date' | 'start_at'>,
  prefix = '',
): Fault[] {
  if (start_date === undefined || start_at === undefined) return [];
  const message = `"${start_at}" and start_date "${start_date}" both say when it begins; leave one of them out`;
  return [{ field: `${prefix}start_at`, message }];
}

/** The steps of a decision are those of its forecast, so they have one length. */
function stepFaults(step_hours: number = DECISION_STEP_HOURS, again: number | undefined): Fault[] {
  if (again === undefined || again === step_hours) return [];
  const message =
    `${again} differs from ${step_hours}, the step_hours of the decision itself, which counts; ` +
    'leave options.step_hours out';
  return [{ field: 'options.step_hours', message }];
}

/** The horizon of a decision. Its steps and start are those of its forecast; any start does for the checks. */
function horizonOf({ options }: DecisionRequest) {
  return { ...options?.horizon, starts_at: '2000-01-01T00:00Z' };
}

function modeFaults({ mode, demand, options }: DecisionRequest): Fault[] {
  const { horizon } = options ?? {};
  if (demand === 'spread' && mode !== 'horizon') {
    const message = 'spread counts only with "mode": "horizon"; set that, or "demand": "mean" or "upper"';
    return [{ field: 'demand', message }];
  }
  if (!horizon) return [];
  if (mode !== 'horizon') {
    const message = 'counts only with `"mode": "horizon"`; set that, or leave options.horizon out';
    return [{ field: 'options.horizon', message }];
  }
  return (['step_hours', 'starts_at'] as const).flatMap((name) => {
    const message = `a decision takes it from its own ${name === 'step_hours' ? name : 'start_at'}; leave it out`;
    return horizon[name] === undefined ? [] : [{ field: `options.horizon.${name}`, message }];
  });
}

function carryOutFaults({ carry_out: isCarriedOut, fleet_state }: DecisionRequest): Fault[] {
  if (!isCarriedOut || !fleet_state) return [];
  const message =
    'changes the stored fleet, which this decision does not use; leave fleet_state or carry_out out';
  return [{ field: 'carry_out', message }];
}

function readJob<K extends JobKind>(kind: K, body: RequestOf[K], sent?: Uint8Array): JobIntake {
  const input = sent ?? encode(body);
  return {
    input,
    inputHash: sent ? new Uint8Array() : hashOf(kind, input),
    priority: body.options?.priority ?? 'normal',
    facts: jobFacts(kind, body),
  };
}

function hashOf(kind: JobKind, input: Uint8Array): Uint8Array {
  return createHash('sha256').update(`${kind}\n`).update(input).digest();
}

/** JSON in a buffer of its own, which can be transferred to another thread. */
function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function distinctIds(rows: readonly { location_id: number | null }[]): number[] {
  return [...new Set(rows.flatMap((row) => row.location_id ?? []))];
}

function distinctEnds(rows: readonly { from_location_id: number; to_location_id: number }[]): number[] {
  return [...new Set(rows.flatMap((row) => [row.from_location_id, row.to_location_id]))];
}
