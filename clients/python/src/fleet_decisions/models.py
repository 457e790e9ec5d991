"""What the service answers.

Generated from the OpenAPI document by generate.py: do not edit.
"""

from __future__ import annotations

from datetime import date as date_aliased
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from fleet_decisions._base import Model


class AbsentRows(Model):
    """hours are missing in a pattern: they are treated as unknown and filled in, not as 0; store zeros for hours without demand"""

    share: float
    """share of the hours that are missing"""
    hours_of_day: list[int]
    """local hours without rows, 0 to 23"""
    weekdays: list[int]
    """weekdays without rows, 1 (Monday) to 7"""
    zeros_never_seen: bool
    """counts are stored, but no zeros: rows seem to be written only for hours with demand"""


class AcceptedJob(Model):
    job_id: str
    """`opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is"""
    status: Literal["queued", "running", "completed", "failed", "cancelled"] | str


class AcceptedJobEnvelope(Model):
    status: Literal["success"]
    data: AcceptedJob
    metadata: Metadata


class AllocationPlanItem(Model):
    vehicle_id: str
    source_location: int
    target_location: int
    cost: float
    """in the unit of `total_cost`; 0 if the vehicle stays"""
    assignment: Literal["rebalance", "stay"] | str


class AuditEntry(Model):
    audit_id: str
    at: datetime
    """when the service began to carry it out"""
    actor: str
    """owner of the API key, or subject of the token; `anonymous` without authentication, `command line` for `npm run keys`"""
    key_id: str | None
    """id of the API key; null without one"""
    address: str | None
    """where the request came from; null for `npm run keys`"""
    operation: str
    """`operationId` of the OpenAPI document, or `create_key`, `revoke_key`"""
    method: str | None
    """null for `npm run keys`, as is `path`"""
    path: str | None
    """without the query"""
    resource_id: str | None
    """what it was about: the last id in the path, or what it made"""
    job_id: str | None
    """the job that it made"""
    request_id: str | None
    """null for `npm run keys`"""
    http_status: int | None
    """of its answer; null until then, and for ever if the process was killed meanwhile"""


class AuditList(Model):
    entries: list[AuditEntry]
    next_cursor: str | None
    """cursor of the next page; null at the end of the list"""


class AuditListEnvelope(Model):
    status: Literal["success"]
    data: AuditList
    metadata: Metadata


class BacktestAccuracy(Model):
    wape: float | None
    """Σ|error| / Σdemand; null where there was no demand"""
    mase: float | None
    """mean |error| over that of last week's value inside the history; below 1 is better"""
    bias: float | None
    """Σ(forecast − demand) / Σdemand; above 0 is too high"""


class BacktestData(Model):
    model: str
    horizon_hours: int
    step_hours: int
    confidence_levels: list[float]
    start_dates: list[date_aliased]
    """first local day of each forecast, newest first"""
    overall: BacktestScore
    weeks: Weeks
    """of all locations, by kind of week (Monday to Sunday, local); only kinds that occurred"""
    locations: dict[str, BacktestScore]


class BacktestMetadata(Model):
    timestamp: datetime
    """ISO 8601, UTC"""
    version: str
    """version of the service"""
    request_id: str
    """id of the request, also in logs, jobs and the X-Request-Id header"""
    job_id: str


class BacktestResponse(Model):
    status: Literal["success"]
    data: BacktestData
    metadata: BacktestMetadata


class BacktestScore(Model):
    steps: int
    """steps compared"""
    service: BacktestAccuracy
    last_week: BacktestAccuracy
    """last week's value: the seasonal naive method"""
    weekday_mean: BacktestAccuracy
    """mean of the last four same weekdays"""
    coverage: list[float | None]
    """share of the steps inside the interval, one per confidence level; null if none was compared"""


class BindingConstraint(Model):
    """A constraint without which a cheaper plan is known, with its shadow value. `saves`: cost saved with `relaxed_value`, all else unchanged; 0 if one unit is too little to save anything; null if unknown."""

    constraint: (
        Literal[
            "min_service_level",
            "max_distance",
            "min_vehicles_per_location",
            "max_vehicles_per_location",
            "total_fleet_size",
            "min_vehicles_per_move",
            "max_pairs",
            "max_moves_from",
        ]
        | str
    )
    value: float
    """as requested; if a bound of vehicles per location differs by location, the largest minimum or the smallest maximum"""
    relaxed_value: float
    """one unit looser: `min_service_level` 0.01 lower, `max_distance` 1 km longer, `total_fleet_size` one vehicle more, a bound of vehicles per location one vehicle looser at every location (if it differs by location, wherever it is tighter than that)"""
    saves: float | None
    error_at_most: float | None
    """in units of cost: each figure here differs at most this much from the true one, which is the difference between the cheapest plans with and without the change, and every figure here is larger than this error. 0: exact. null: no figure is known that well"""


class Certificate(Model):
    """proof of the plan"""

    objective: float
    """cost of the plan, as in `total_cost`; with `unmet_demand_cost`, the cost of unmet demand included"""
    bound: float
    """proved: no plan has a smaller objective"""
    gap: float
    """(objective - bound) / objective; 0 if the objective is 0"""
    method: Literal["none", "network_simplex", "linear", "mixed_integer", "rounding", "greedy"] | str
    """method that found the plan. none: there are no vehicles; linear: a linear programme with an integral solution; mixed_integer: branch and cut; rounding, greedy: heuristics"""
    columns: int
    """columns of the largest model, or moves that the network simplex priced"""
    rows: int
    iterations: int
    """of the simplex method, or pivots of the network simplex"""
    nodes: int
    """of the search trees"""
    confirmed_within: int | None = None
    """iterations in which HiGHS confirmed the network simplex's tree as optimal; absent if it was not asked"""
    checks: list[str]
    """what proved the bound, then the checks of the plan; all passed"""


class Checks(Model):
    database: Literal["up"]
    queue: Literal["up"]


class Checks1(Model):
    database: Literal["up"]
    queue: Literal["up", "down"] | str
    """without it jobs are refused with 503, and all else is served"""


class Constraints(Model):
    max_distance: float | None = None
    """maximum km that a vehicle moves"""
    max_rebalancing_distance_km: float | None = None
    """alias of `max_distance`"""
    min_service_level: float | None = None
    """share of planning demand to serve"""
    min_demand_coverage: float | None = None
    """alias of `min_service_level`"""
    max_rebalancing_cost: float | None = None
    """limit of the total cost of the plan; null lifts it"""
    capacity_per_vehicle: float | None = None
    """capacity of vehicles that do not state one"""
    min_vehicles_per_location: int | dict[str, int] | None = None
    """fewest operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem"""
    max_vehicles_per_location: int | dict[str, int] | None = None
    """most operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem"""
    priorities: dict[str, int] | None = None
    """priority level of the demand of locations, 0 (ordinary) to 9: `{"12": 9}`, or `{"default": 0, "12": 9}` with one for all others. Locations that are not named have the `priority` that is stored with them, without a `network`. Demand of a higher level is served first, before the cost counts. A location that is named becomes part of the problem"""
    total_fleet_size: int | None = None
    """maximum number of serving vehicles"""
    unmet_demand_cost: float | dict[str, float] | None = None
    """what a unit of demand costs that is not served: the plan is the cheapest in moving and unmet demand together, and `min_service_level` stays a floor (0 if only the price shall decide). A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have none. A location that is named becomes part of the problem. `max_rebalancing_cost` limits the cost of moving alone"""
    shortage: Literal["fail", "serve_most"] | str | None = None
    """if `min_service_level` is out of reach within the other constraints: `fail` answers 422; `serve_most` answers the cheapest of the plans that serve the most demand, with `data.shortfall`. Default: `fail`, and `serve_most` for decisions"""


class Counts(Model):
    """of all moves of the plan, whatever `state` the request asks for"""

    due: StateCount
    on_the_way: StateCount
    done: StateCount
    unknown: StateCount


class Decision(Model):
    decision_id: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"] | str
    solver_status: Literal["optimal", "feasible", "infeasible", "error"] | str | None
    """null until it has ended"""
    plan_id: str | None
    """null if there is no plan"""
    created_at: datetime
    """ISO 8601, UTC"""
    finished_at: datetime | None
    """null until it has ended"""
    inputs: DecisionInputs | None
    """inputs of the decision; null until a worker has collected them"""
    result: DecisionAnswer | None = None


class DecisionEnvelope(Model):
    status: Literal["success"]
    data: Decision
    metadata: Metadata


class DecisionInputs(Model):
    taken_at: datetime
    """ISO 8601, UTC"""
    request: Any
    """the body of the request, without `fleet_state`"""
    fleet: list[DecisionVehicle]
    risk: DecisionRisk
    forecast: ForecastData
    locations: list[Location] | None
    """locations with vehicles or demand, or that constraints name; null if `network` gives the costs"""


class DecisionList(Model):
    decisions: list[DecisionListItem]
    next_cursor: str | None
    """cursor of the next page; null at the end of the list"""


class DecisionListEnvelope(Model):
    status: Literal["success"]
    data: DecisionList
    metadata: Metadata


class DecisionListItem(Model):
    decision_id: str
    status: Literal["queued", "running", "completed", "failed", "cancelled"] | str
    solver_status: Literal["optimal", "feasible", "infeasible", "error"] | str | None
    """null until it has ended"""
    plan_id: str | None
    """null if there is no plan"""
    created_at: datetime
    """ISO 8601, UTC"""
    finished_at: datetime | None
    """null until it has ended"""
    mode: Literal["static", "horizon"] | str
    start_date: date_aliased
    start_hour: int
    """local hour of that day at which the first step begins, 0 to 23; 0 without `start_at`"""
    vehicles: int
    left_out: int
    total_cost: float | None
    """null if there is no plan"""
    demand_coverage: float | None
    """null if there is no plan"""


class DecisionPlan(Model):
    allocation_plan: list[AllocationPlanItem]
    """one item per operational vehicle, in the request's order"""
    total_cost: float
    """cost of moving"""
    kpis: Kpis
    solver_status: Literal["optimal", "feasible"] | str
    gap: float | None = None
    """with `feasible`: maximum relative distance from the best plan"""
    locations: list[PlanLocation] | None = None
    """every location of the problem, by ascending id; absent with `options.locations: false`"""
    insights: Insights | None = None
    shortfall: Shortfall | None = None
    stability: Stability | None = None
    stages: list[str] | None = None
    """stages of the optimization that ran, in their order (see `/api/v1/config`); absent if only those did that run for every request"""
    refinement: Refinement | None = None
    priorities: list[PriorityServed] | None = None
    """priority levels above 0 that have demand, the highest first; absent if there are none"""


class DecisionRequest(Model):
    fleet_state: FleetState | None = None
    """default: the stored fleet"""
    risk: Risk | None = None
    location_ids: list[int] | None = None
    """locations to forecast; default: those of `network`, else all active locations"""
    mode: Literal["static", "horizon"] | str | None = None
    """`static`: one plan for the demand of all steps, by `options.demand_aggregation`; `horizon`: a plan that looks ahead, with the demand of each step, and `data.outlook`. See `options.horizon`; default: `"static"`"""
    horizon_hours: int | None = None
    """default: `24`"""
    step_hours: Literal[1, 2, 3, 4, 6, 8, 12, 24] | int | None = None
    """default: `1`"""
    start_date: date_aliased | None = None
    """first local day; default: the day after the newest observation of the locations together. Only observations before it are used."""
    start_at: str | None = None
    """instead of `start_date`: the time from which it counts, rounded up to a full hour, or `now`. Only observations of hours that are over by then, and by now, are used."""
    confidence_level: float | None = None
    """share of outcomes that the interval holds; default: `0.95`"""
    demand: Literal["mean", "upper", "spread"] | str | None = None
    """`upper` plans against the upper end of the interval of `confidence_level`; `spread`, with `mode` `horizon`, for three equally likely outcomes by that interval, whose mean is the forecast; default: `"mean"`"""
    on_missing_history: Literal["expected", "fail"] | str | None = None
    """a location without observations is planned with its `expected_daily_demand`, else 0 (`expected`, the default), or answered with 503 (`fail`)"""
    demand_scale: float | None = None
    """factor on the forecast: the share of demand that this fleet serves; default: `1`"""
    constraints: Constraints | None = None
    network: Network | None = None
    options: OptimizeOptions | None = None
    carry_out: bool | None = None
    """the vehicles that the plan moves leave when it is stored: in the stored fleet `location_id` becomes the target, and `available_at` the arrival; default: `false`"""


class DecisionResponse(Model):
    status: Literal["success"]
    data: DecisionResult
    metadata: OptimizeMetadata


class DecisionResult(Model):
    decision_id: str
    start_date: date_aliased
    """first planned local day"""
    starts_at: datetime | None = None
    """with `start_at`: when the first step begins, on the clock of the first location that has a time zone, else of the service"""
    demand: Literal["mean", "upper", "spread"] | str
    left_out: list[str]
    """ids of the vehicles that the plan may not use"""
    unscored: int
    """vehicles without a score, because data are missing; they are not left out"""
    without_history: list[int]
    """locations without observations, which are planned with their `expected_daily_demand`, else 0"""
    plan: DecisionPlan
    outlook: list[OutlookStep] | None = None
    """only of a plan that looks ahead: every step"""
    horizon_cost: float | None = None
    """with `outlook`: what all steps cost, moves and unmet demand"""
    horizon_bound: float | None = None
    """with `outlook`: proved, no plan of all steps costs less"""
    rounding_cost: float | None = None
    """with `outlook`: the part of `horizon_cost` that whole vehicles in the plan's moves, and the rules of `options.refine`, cost; 0 if all steps are planned in whole vehicles"""


class DecisionRisk(Model):
    day: date_aliased
    """day at which ages are computed: the first planned day"""
    threshold: float | None
    """null: no vehicles are left out"""
    scores: list[VehicleRisk]
    """scores of the vehicles whose data are known"""
    left_out: list[str]
    """ids of the vehicles that the plan may not use"""
    unscored: int
    """vehicles without a score, because data are missing; they are not left out"""


class DecisionVehicle(Model):
    vehicle_id: str
    location_id: int
    status: Literal["operational", "maintenance", "downtime"] | str
    capacity: float | None = None
    available_at: datetime | None = None
    """the vehicle is on its way to `location`, and free there from this time on. If it is not free when the first step of a plan that looks ahead begins, it is no part of the plan, but of the steps after it. Any other plan has it as if it were `pinned` there, whatever the time"""
    acquired_on: date_aliased | None = None
    """day from which the age of the vehicle counts"""
    last_maintenance_on: date_aliased | None = None
    """day of its last maintenance"""
    utilization_rate: float | None = None
    """share of time in use"""


class DeliveryList(Model):
    deliveries: list[WebhookDelivery]
    next_cursor: str | None
    """cursor of the next page; null at the end of the list"""


class DeliveryListEnvelope(Model):
    status: Literal["success"]
    data: DeliveryList
    metadata: Metadata


class DemandEvent(Model):
    event_id: str
    location_id: int | None
    """null: all locations"""
    from_: Annotated[datetime, Field(alias="from")]
    """first hour: start of a full UTC hour, ISO 8601 with offset"""
    to: datetime
    """first hour after the event, later than `from`"""
    kind: str
    """strike, marathon, closed, …: events of the same kind are assumed to have the same effect"""
    factor: float | None = None
    """factor on demand during the event, 0 for a closed place; absent: learned from past events of its kind"""
    name: str | None = None


class DemandList(Model):
    observations: list[DemandObservation]
    next_cursor: str | None = None
    """cursor of the next page; null at the end of the list"""


class DemandListEnvelope(Model):
    status: Literal["success"]
    data: DemandList
    metadata: Metadata


class DemandObservation(Model):
    location_id: int
    hour: datetime
    """start of the hour, ISO 8601 with offset"""
    demand: float


class DrawnReplay(Model):
    seed: int
    served: float
    """trips"""
    lost: float
    """trips"""
    served_share: float
    """served of all trips; 1 without any"""
    moves: int
    """vehicles that moved, each time counted"""
    km: float
    minutes: float
    """of moving"""
    cost: float
    """of moving"""
    utilization: float
    """trips served, of those that all vehicles could serve"""
    objective: float
    """`cost` and the price of lost trips"""
    hours_without_plan: int
    """in which a plan was due and no plan kept the constraints, so that nobody moved"""


class ErrorEnvelope(Model):
    status: Literal["error"]
    data: None
    errors: list[ErrorItem]
    metadata: Metadata


DecisionAnswer = TypeAliasType("DecisionAnswer", DecisionResponse | ErrorEnvelope)
"""once ended: the envelope that the synchronous call returns"""


class ErrorItem(Model):
    code: (
        Literal[
            "VALIDATION_ERROR",
            "UNAUTHORIZED",
            "FORBIDDEN",
            "RESOURCE_NOT_FOUND",
            "METHOD_NOT_ALLOWED",
            "NOT_ACCEPTABLE",
            "REQUEST_TIMEOUT",
            "PAYLOAD_TOO_LARGE",
            "UNSUPPORTED_MEDIA_TYPE",
            "INFEASIBLE_PROBLEM",
            "IDEMPOTENCY_CONFLICT",
            "RATE_LIMITED",
            "HEADERS_TOO_LARGE",
            "SOLVER_ERROR",
            "INTERNAL_ERROR",
            "JOB_CANCELLED",
            "CONFLICT",
            "MODEL_NOT_LOADED",
            "SERVICE_UNAVAILABLE",
        ]
        | str
    )
    message: str
    """the value, the limit and what to do"""
    field: str | None
    """path in the body, e.g. `fleet_state.vehicles[3].capacity`"""
    detail: str | None
    relaxation: ErrorRelaxation | None = None


class ErrorRelaxation(Model):
    """only of `INFEASIBLE_PROBLEM`, where the constraints in conflict are known: what the message says"""

    constraint: (
        Literal[
            "min_service_level",
            "max_distance",
            "max_rebalancing_cost",
            "min_vehicles_per_location",
            "max_vehicles_per_location",
            "total_fleet_size",
            "min_vehicles_per_move",
            "max_pairs",
            "max_moves_from",
            "network",
            "supply",
        ]
        | str
        | None
    )
    """null: several constraints together, which are in `together`"""
    value: float | None
    """as requested; for `supply` the operational vehicles"""
    relaxation: float | None
    """the value nearest to it that suffices, all else unchanged; null if none does or none is known"""
    proved: bool
    """whether no nearer value suffices, with `by_location` no smaller change in total; with null: that none does"""
    by_location: dict[str, int] | None = None
    """only for vehicles per location that the request bounds by location: the values that suffice together, for the locations where they have to change. `relaxation` then is the loosest of them"""
    together: list[TogetherItem] | None = None
    """only with `constraint` null: the changes that suffice together"""


class EventList(Model):
    events: list[DemandEvent]
    next_cursor: str | None = None
    """cursor of the next page; null at the end of the list"""


class EventListEnvelope(Model):
    status: Literal["success"]
    data: EventList
    metadata: Metadata


class Factors(Model):
    age_contribution: float
    utilization_contribution: float
    maintenance_contribution: float


class Features(Model):
    enable_caching: bool
    enable_risk_scoring: bool


class FleetList(Model):
    fleet: list[FleetVehicle]
    summary: FleetSummary
    next_cursor: str | None = None
    """cursor of the next page; null at the end of the list"""


class FleetListEnvelope(Model):
    status: Literal["success"]
    data: FleetList
    metadata: Metadata


class FleetState(Model):
    """default: the stored fleet"""

    vehicles: list[VehicleInput]


class FleetSummary(Model):
    total_vehicles: int
    operational: int
    maintenance: int
    downtime: int


class FleetVehicle(Model):
    vehicle_id: str
    location_id: int
    status: Literal["operational", "maintenance", "downtime"] | str
    capacity: float
    available_at: datetime | None = None
    """the vehicle is on its way to `location_id`, and there from this time on; absent, or past: it is there"""
    acquired_on: date_aliased | None = None
    """day from which the age of the vehicle counts"""
    last_maintenance_on: date_aliased | None = None
    """day of its last maintenance"""
    utilization_rate: float | None = None
    """share of time in use"""


class FleetVehicleEnvelope(Model):
    status: Literal["success"]
    data: FleetVehicle
    metadata: Metadata


class ForecastData(Model):
    forecasts: dict[str, list[float]]
    intervals: dict[str, Intervals] | None = None
    metadata: Metadata1


class ForecastDataEnvelope(Model):
    status: Literal["success"]
    data: ForecastData
    metadata: Metadata


class ForecastNotes(Model):
    newest_observation: date_aliased | None = None
    """local day of the newest observation, if more than two days before `start_date`"""
    level_shift: LevelShift | None = None
    """the newest lasting change of level in the history; forecasts are on the new level"""
    absent_rows: AbsentRows | None = None
    """hours are missing in a pattern: they are treated as unknown and filled in, not as 0; store zeros for hours without demand"""


class Forecasting(Model):
    model: str
    horizon_days: int


class HealthReport(Model):
    health: Literal["healthy"]
    checks: Checks
    uptime_seconds: float


class HealthReportEnvelope(Model):
    status: Literal["success"]
    data: HealthReport
    metadata: Metadata


class Holiday(Model):
    date: date_aliased
    """local day"""
    name: str


class Horizon(Model):
    """a plan that looks ahead: `demand_forecast` has the demand of each step, the plan moves vehicles before the first step, and `data.outlook` says what all steps would bring. `min_service_level` is that of all steps together, and so are `priorities`. `unmet_demand_cost`, bounds on vehicles per location and pinned vehicles hold in each of them, `max_rebalancing_cost` for the moves of each, and `total_fleet_size` for the vehicles that serve in each, in full loads. `change_cost` and `refine` are about the first moves. Not supported: `explain`, `demand_aggregation`, and `total_fleet_size` below the fleet together with pinned vehicles"""

    step_hours: Literal[1, 2, 3, 4, 6, 8, 12, 24] | int | None = None
    """hours of a time step of demand; default: `options.step_hours`, else 1"""
    starts_at: datetime | None = None
    """when the first step begins; vehicles with `available_at` need it, and so do trip flows by hour of the week"""
    speed_kmh: float | None = None
    """of moves whose minutes are not known; a move without known distance takes a step; default: `20`"""
    trip_flows: Literal["stored", "none"] | str | None = None
    """where trips end: `stored`, as in `PUT /api/v1/data/trip-flows`, if there are any; `none`: vehicles are free where they served. A `network` has none; default: `"stored"`"""


class Insights(Model):
    bound: float
    """proved lower bound of the total cost"""
    exact: bool
    """true: every figure is exact. false: some are not; `error_at_most` bounds the error of each. Figures are exact with one capacity and demand of whole vehicles, and whenever time sufficed to solve every changed problem to optimality"""
    demand_step: float
    """demand that one vehicle of the most common capacity serves; the step of `more_demand_costs`"""
    binding_constraints: list[BindingConstraint]
    locations: list[LocationInsight]
    moves: list[MoveInsight]
    """moves of the plan, by source and target"""
    complete: bool
    """false if figures are unknown, because time ran out or because their error would not be smaller than themselves. Insights end as soon as all figures are exact, and at the latest at `options.time_limit_seconds`, counted from the start of the request; if figures are not exact at once (several capacities, or demand that is not whole vehicles) after 5 to 10 s, by the number of locations, or 20 s with several capacities, or half of the time left if that is less"""


class Intervals(Model):
    lower: list[float]
    upper: list[float]


class Job(Model):
    job_id: str
    """`opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is"""
    kind: Literal["optimize", "backtest", "decision", "replay"] | str
    status: Literal["queued", "running", "completed", "failed", "cancelled"] | str
    priority: Literal["low", "normal", "high"] | str
    progress: float
    """never falls"""
    stage: str | None
    incumbent: float | None
    bound: float | None
    gap: float | None
    iterations: int | None
    solver_status: Literal["optimal", "feasible", "infeasible", "error"] | str | None
    attempts: int
    """number of times a worker has claimed the job"""
    retry_at: datetime | None
    """after a crash: not retried before this time"""
    created_at: datetime
    """ISO 8601, UTC"""
    started_at: datetime | None
    finished_at: datetime | None
    queue_position: int | None = None
    """only while queued; 1 is next"""
    estimate: JobEstimate | None = None
    """only while queued or running: time until it ends; null if too few past jobs of similar size are known"""
    phases: list[JobPhase] | None = None
    """not in lists"""
    attempt_history: list[JobAttempt] | None = None
    """not in lists"""
    plan_id: str | None
    schedule_id: str | None = None
    """only of a job that a schedule made"""
    request_id: str
    result: JobResult | None = None


class JobAttempt(Model):
    attempt: int
    worker_id: str
    """process:random; the worker log names the host"""
    started_at: datetime
    """ISO 8601, UTC"""
    ended_at: datetime | None
    outcome: Literal["completed", "failed", "cancelled", "released", "crashed"] | str | None
    """null while it runs; `released`: its worker was stopped; `crashed`: worker or solver died or lost its connection"""
    reason: str | None


class JobEnvelope(Model):
    status: Literal["success"]
    data: Job
    metadata: Metadata


class JobEstimate(Model):
    median_seconds: float
    p10_seconds: float
    """10th percentile"""
    p90_seconds: float
    """90th percentile"""
    based_on: int
    """number of past jobs of similar size"""


class JobList(Model):
    jobs: list[Job]
    next_cursor: str | None
    """cursor of the next page; null at the end of the list"""


class JobListEnvelope(Model):
    status: Literal["success"]
    data: JobList
    metadata: Metadata


class JobPhase(Model):
    phase: str
    """`queued`, `started`, stages as in `stage`, `store`, `finished`; of the last attempt"""
    at: datetime
    """ISO 8601, UTC"""
    ms: float | None


class JobRequest(Model):
    job_id: str
    """`opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is"""
    kind: Literal["optimize", "backtest", "decision", "replay"] | str
    request: dict[str, Any]
    """the body of the request that made the job; send it again, changed, to the operation of its kind"""


class JobRequestEnvelope(Model):
    status: Literal["success"]
    data: JobRequest
    metadata: Metadata


class KpiDifferences(Model):
    """the other plan minus this one"""

    demand_coverage: float
    """share of planning demand served; target above 0.95"""
    utilization: float
    """demand served / demand that the operational vehicles can serve; target 0.70 to 0.85"""
    rebalanced_count: int
    """vehicles moved"""
    total_cost: float
    """of all moves, in the unit of `options.cost`, by default km, or of the `network`"""
    total_distance_km: float | None
    """of all moves, each vehicle counted; null if `network` gives no distances"""
    total_minutes: float | None = None
    """only with stored travel that has all moves: their minutes, each vehicle counted"""
    unmet_demand: float
    """planning demand that is not served, in its own unit"""
    unmet_demand_cost: float | None = None
    """only with `constraints.unmet_demand_cost`: what the demand costs that is not served, rounded up to 0.0001. The plan is the one with the least sum of `total_cost` and this"""


class Kpis(Model):
    demand_coverage: float
    """share of planning demand served; target above 0.95"""
    utilization: float
    """demand served / demand that the operational vehicles can serve; target 0.70 to 0.85"""
    rebalanced_count: int
    """vehicles moved"""
    total_cost: float
    """of all moves, in the unit of `options.cost`, by default km, or of the `network`"""
    total_distance_km: float | None
    """of all moves, each vehicle counted; null if `network` gives no distances"""
    total_minutes: float | None = None
    """only with stored travel that has all moves: their minutes, each vehicle counted"""
    unmet_demand: float
    """planning demand that is not served, in its own unit"""
    unmet_demand_cost: float | None = None
    """only with `constraints.unmet_demand_cost`: what the demand costs that is not served, rounded up to 0.0001. The plan is the one with the least sum of `total_cost` and this"""


class LevelShift(Model):
    """the newest lasting change of level in the history; forecasts are on the new level"""

    date: date_aliased
    """first local day on the new level"""
    factor: float | None
    """daily demand after the change divided by that before; null if there was none before"""


class LivenessReport(Model):
    alive: bool
    uptime_seconds: float


class LivenessReportEnvelope(Model):
    status: Literal["success"]
    data: LivenessReport
    metadata: Metadata


class Location(Model):
    id: int
    name: str
    latitude: float
    longitude: float
    active: bool | None = None
    """false: retired, so planned only if a request names it; returned only if false; default true"""
    expected_daily_demand: float | None = None
    """demand of an average day; decisions use it until there are observations"""
    priority: int | None = None
    """of its demand: a higher level is served first. 0, the default, is ordinary demand; returned only if above 0"""
    time_zone: str | None = None
    """IANA time zone of its local days, e.g. America/New_York"""


class LocationEnvelope(Model):
    status: Literal["success"]
    data: Location
    metadata: Metadata


class LocationInsight(Model):
    location_id: int
    one_more_saves: float | None
    """cost saved with one more vehicle here, of the most common capacity (negative if it would have to be moved away); null if there is then no plan, or if unknown"""
    one_fewer_costs: float | None
    """cost added with one vehicle fewer here; null if there is none, if there is then no plan, or if unknown"""
    more_demand_costs: float | None
    """cost added with `demand_step` more demand here (the service level counts it too), negative if that saves cost; null if there is then no plan, or if unknown"""
    error_at_most: float | None
    """in units of cost: each figure here differs at most this much from the true one, which is the difference between the cheapest plans with and without the change, and every figure here is larger than this error. 0: exact. null: no figure is known that well"""
    not_known: list[Literal["one_more_saves", "one_fewer_costs", "more_demand_costs"] | str]
    """figures that are null because they are unknown: no time was left for them, or their error would not be smaller than themselves"""


class LocationList(Model):
    locations: list[Location]
    next_cursor: str | None = None
    """cursor of the next page; null at the end of the list"""


class LocationListEnvelope(Model):
    status: Literal["success"]
    data: LocationList
    metadata: Metadata


class Metadata(Model):
    timestamp: datetime
    """ISO 8601, UTC"""
    version: str
    """version of the service"""
    request_id: str
    """id of the request, also in logs, jobs and the X-Request-Id header"""


class Metadata1(Model):
    model: str
    horizon_hours: int
    generated_at: datetime
    """ISO 8601, UTC"""
    start_date: date_aliased
    starts_at: datetime | None = None
    """with `start_at`: when the first step begins, on the clock of the first location that has a time zone, else of the service"""
    step_hours: int
    methods: dict[str, str]
    backtest_wape: dict[str, float | None]
    holidays: list[Holiday] | None = None
    """public holidays in the horizon or the day before or after it, by date; absent if no calendar is configured"""
    events: list[DemandEvent] | None = None
    """stored events of these locations in the horizon, ordered by start and truncated; absent if there are none"""
    event_count: int | None = None
    """number of these events in total; absent if there are none"""
    notes: dict[str, ForecastNotes] | None = None
    """for locations with something to report; absent if there are none"""


class Move(Model):
    source_location: int
    target_location: int
    vehicles: float


class MoveCost(Model):
    """a move costs `per_move` + `per_km` × km + `per_minute` × minutes, with a `network` `per_move` + what `costs` say; staying costs nothing"""

    per_km: float | None = None
    """default: the setting `OPTIMIZATION_COST_PER_KM`"""
    per_minute: float | None = None
    """default 0; needs the minutes of `travel` `stored`"""
    per_move: float | None = None
    """default 0; the same for every move, however short"""


class MoveInsight(Model):
    source_location: int
    target_location: int
    vehicles: int
    """number of vehicles that the plan moves this way"""
    cost: float
    """cost of all of them"""
    forbidding_costs: float | None
    """cost added if no vehicle may go this way; null if there is then no plan (`error_at_most` 0) or if unknown (`error_at_most` null)"""
    next_best_location: int | None
    """where most of these vehicles go instead (the source itself: they stay); null if `forbidding_costs` is null"""
    error_at_most: float | None
    """in units of cost: each figure here differs at most this much from the true one, which is the difference between the cheapest plans with and without the change, and every figure here is larger than this error. 0: exact. null: no figure is known that well"""


class Network(Model):
    """Replaces great-circle costs."""

    location_ids: list[int]
    costs: list[list[float | None]]
    """`costs[i][j]` of moving one vehicle from location i to j; null forbids the move. At most 1e11 divided by the number of vehicles, so that the total stays exact: it is a sum of whole units of 0.0001, up to 1e15 of them"""
    distances_km: list[list[float | None]] | None = None
    """`distances_km[i][j]`; without it `max_distance` does not apply"""


class Occurrence(Model):
    due_at: datetime
    """ISO 8601, UTC"""
    outcome: Literal["job", "missed", "overlapped"] | str
    """`job`: it made a job; `missed`: no worker was running; `overlapped`: the job of an earlier occurrence had not ended"""
    decided_at: datetime
    """when the job was stored, or the occurrence was passed over"""
    job_id: str | None
    """its job, a decision; null if it made none"""
    status: Literal["queued", "running", "completed", "failed", "cancelled"] | str | None
    """null without a job, or if the job is no longer kept"""
    solver_status: Literal["optimal", "feasible", "infeasible", "error"] | str | None
    """null until the job has ended"""
    plan_id: str | None
    """null if there is no plan"""
    error: str | None
    """why there is no plan, as the answer of the job says first; else null"""


class OperationsFailedJob(Model):
    job_id: str
    kind: Literal["optimize", "backtest", "decision", "replay"] | str
    finished_at: datetime
    """ISO 8601, UTC"""
    attempts: int
    message: str | None
    """the first error of its answer"""


class OperationsQueue(Model):
    priority: Literal["low", "normal", "high"] | str
    jobs: int
    oldest_seconds: float
    """age of the oldest; 0: none waits"""


class OperationsReport(Model):
    workers: list[OperationsWorker]
    """those that were seen lately; a worker that ends in order leaves at once"""
    queue: list[OperationsQueue]
    """jobs that wait, the highest priority first"""
    queue_limit: int
    """jobs that may wait (`QUEUE_MAX_WAITING`)"""
    running: int
    running_jobs: list[OperationsRunningJob]
    """the longest first, 1000 at most"""
    last_hour: list[OperationsStep]
    """jobs by when they ended, in steps of 5 minutes up to now"""
    failed_jobs: list[OperationsFailedJob]
    """of those that failed, the 20 accepted last"""


class OperationsReportEnvelope(Model):
    status: Literal["success"]
    data: OperationsReport
    metadata: Metadata


class OperationsRunningJob(Model):
    job_id: str
    kind: Literal["optimize", "backtest", "decision", "replay"] | str
    worker_id: str | None
    """the worker that has claimed it"""
    attempt: int
    running_seconds: float
    """since this attempt began"""
    stage: str | None
    """null: it has reported none yet"""
    progress: float


class OperationsStep(Model):
    starts_at: datetime
    """ISO 8601, UTC"""
    completed: int
    failed: int
    cancelled: int
    median_wait_seconds: float | None
    """from being accepted to the first claim; null: none of them was claimed"""
    p95_wait_seconds: float | None
    """the wait that one in twenty of them exceeded"""


class OperationsWorker(Model):
    worker_id: str
    started_at: datetime
    """ISO 8601, UTC"""
    last_seen_at: datetime
    """ISO 8601, UTC"""
    is_alive: bool
    """false: silent for longer than `JOB_LOCK_SECONDS`"""
    slots: int
    """jobs that it runs at once"""


class Optimization(Model):
    solver: str
    stages: list[str]
    """stages that run for every request"""
    available_stages: list[str]
    """all stages, in their order; `data.stages` of an answer names those that ran"""


class OptimizationResponse(Model):
    status: Literal["success"]
    data: OptimizationResult
    metadata: OptimizeMetadata


class OptimizationResult(Model):
    allocation_plan: list[AllocationPlanItem]
    """one item per operational vehicle, in the request's order"""
    total_cost: float
    """cost of moving"""
    kpis: Kpis
    solver_status: Literal["optimal", "feasible"] | str
    gap: float | None = None
    """with `feasible`: maximum relative distance from the best plan"""
    locations: list[PlanLocation] | None = None
    """every location of the problem, by ascending id; absent with `options.locations: false`"""
    insights: Insights | None = None
    shortfall: Shortfall | None = None
    stability: Stability | None = None
    stages: list[str] | None = None
    """stages of the optimization that ran, in their order (see `/api/v1/config`); absent if only those did that run for every request"""
    refinement: Refinement | None = None
    priorities: list[PriorityServed] | None = None
    """priority levels above 0 that have demand, the highest first; absent if there are none"""
    outlook: list[OutlookStep] | None = None
    """only of a plan that looks ahead: every step"""
    horizon_cost: float | None = None
    """with `outlook`: what all steps cost, moves and unmet demand"""
    horizon_bound: float | None = None
    """with `outlook`: proved, no plan of all steps costs less"""
    rounding_cost: float | None = None
    """with `outlook`: the part of `horizon_cost` that whole vehicles in the plan's moves, and the rules of `options.refine`, cost; 0 if all steps are planned in whole vehicles"""


class OptimizeMetadata(Model):
    timestamp: datetime
    """ISO 8601, UTC"""
    version: str
    """version of the service"""
    request_id: str
    """id of the request, also in logs, jobs and the X-Request-Id header"""
    solve_time_ms: float
    job_id: str
    plan_id: str


class OptimizeOptions(Model):
    cost: MoveCost | None = None
    travel: Literal["great_circle", "stored"] | str | Travel | None = None
    """kilometres and minutes between locations: `great_circle` has no minutes; `stored` is the travel table (`PUT /api/v1/data/travel`), and pairs that it lacks are forbidden, or take the great circle with `{"source": "stored", "fallback": "great_circle"}`; default: `"great_circle"`"""
    demand_aggregation: str | None = None
    """planning demand of a location from its time steps: `peak` the largest, `mean`, `first`, `sum`, `system_peak` its demand in the step with the largest demand of all locations together, `quantile:0.9` (any number from 0 to 1) the quantile of its steps, interpolated linearly (type 7); default: `"peak"`"""
    trips_per_vehicle_hour: float | None = None
    """demand is trips: a vehicle serves `capacity` × `trips_per_vehicle_hour` × `step_hours` in a step; null: it serves `capacity` in a step"""
    step_hours: Literal[1, 2, 3, 4, 6, 8, 12, 24] | int | None = None
    """hours of a time step of demand, 1 by default; matters only with `trips_per_vehicle_hour`. A decision has its own `step_hours`"""
    time_limit_seconds: float | None = None
    """the solver's own limit"""
    optimality_gap: float | None = None
    refine: Refine | None = None
    horizon: Horizon | None = None
    explain: bool | None = None
    """adds `data.insights`: marginal values per location, move and constraint, each with its error; without a plan, the search for the smallest sufficient changes uses the whole time limit instead of four seconds (ten with several capacities); default: `false`"""
    locations: bool | None = None
    """false: the answer leaves out `data.locations`, which the stored plan keeps, and what `data.outlook` says of each location; default: `true`"""
    previous_plan_id: str | None = None
    """a stored plan: `data.stability` says how many vehicles this plan sends elsewhere than that one. Vehicles are matched by id. A vehicle that is not in that plan, or that it sends to a location that this request does not have, is free"""
    change_cost: float | None = None
    """what a vehicle costs in addition that goes elsewhere than in `previous_plan_id`, stayed there but moves now, or stays now: such a change must pay for itself. 0: changes are only counted; default: `0`"""
    priority: Literal["low", "normal", "high"] | str | None = None
    """order among the waiting jobs; does not change the plan; default: `"normal"`"""


class OtherMinusThis(Model):
    """null if only one of them has the policy"""

    served: float
    """trips"""
    lost: float
    """trips"""
    served_share: float
    """served of all trips; 1 without any"""
    moves: int
    """vehicles that moved, each time counted"""
    km: float
    minutes: float
    """of moving"""
    cost: float
    """of moving"""
    utilization: float
    """trips served, of those that all vehicles could serve"""
    objective: float
    """`cost` and the price of lost trips"""
    hours_without_plan: int
    """in which a plan was due and no plan kept the constraints, so that nobody moved"""


class OutlookStep(Model):
    """a step of a plan that looks ahead. With trip flows a forecast, in parts of vehicles"""

    starts_at: datetime | None
    """null if the request does not say when the first step begins"""
    demand: float
    served: float
    unmet: float
    """demand that is not served"""
    vehicles: float
    """vehicles that are free when the step begins, before any of them leaves"""
    on_the_way: float
    """all other operational vehicles"""
    moves: list[Move]
    """vehicles that leave when the step begins, and serve nobody until they have arrived; those that the plan itself moves have left before the first step"""
    demand_by_location: list[float] | None = None
    """as `demand`, for each location by ascending id, in the order of `locations`; absent with `options.locations: false`, as are the two below"""
    unmet_by_location: list[float] | None = None
    """as `unmet`, for each location"""
    vehicles_by_location: list[float] | None = None
    """as `vehicles`, for each location"""


class Plan(Model):
    """a stored plan, with everything that its answer says"""

    plan_id: str
    job_id: str
    """`opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is"""
    created_at: datetime
    """ISO 8601, UTC"""
    solver_status: Literal["optimal", "feasible"] | str
    gap: float | None
    total_cost: float
    kpis: Kpis
    vehicle_count: int
    solve_time_ms: float
    certificate: Certificate
    insights: Insights | None = None
    shortfall: Shortfall | None = None
    stability: Stability | None = None
    stages: list[str] | None = None
    """stages of the optimization that ran, in their order (see `/api/v1/config`); absent if only those did that run for every request"""
    refinement: Refinement | None = None
    priorities: list[PriorityServed] | None = None
    """priority levels above 0 that have demand, the highest first; absent if there are none"""
    outlook: list[OutlookStep] | None = None
    """only of a plan that looks ahead: every step"""
    horizon_cost: float | None = None
    """with `outlook`: what all steps cost, moves and unmet demand"""
    horizon_bound: float | None = None
    """with `outlook`: proved, no plan of all steps costs less"""
    rounding_cost: float | None = None
    """with `outlook`: the part of `horizon_cost` that whole vehicles in the plan's moves, and the rules of `options.refine`, cost; 0 if all steps are planned in whole vehicles"""
    locations: list[PlanLocation]
    """every location of the problem, by ascending id"""
    allocation_plan: list[AllocationPlanItem]


class PlanComparison(Model):
    plan_id: str
    other_plan_id: str
    kpi_differences: KpiDifferences
    vehicles: Vehicles
    stages: list[str]
    """stages of the optimization that made the plan"""
    other_stages: list[str]
    """stages of the optimization that made the plan"""
    shortfall: ShortfallFigures | None
    """the plan's `shortfall` without its relaxations; null if it has none"""
    other_shortfall: ShortfallFigures | None
    """the plan's `shortfall` without its relaxations; null if it has none"""
    priorities: list[PlanLevelDifference] | None = None
    """demand by priority level, the highest first, if either plan has a level above 0; only in the answer without `cursor`. A location has the higher of its levels in the two plans, so both are asked about the same locations. All vehicles count, as in `locations`"""
    locations: list[PlanLocationDifference] | None = None
    """locations whose figures differ, by ascending id; only in the answer without `cursor`"""
    differences: list[PlanDifference]
    """a page of the differences, by vehicle id"""
    next_cursor: str | None


class PlanComparisonEnvelope(Model):
    status: Literal["success"]
    data: PlanComparison
    metadata: Metadata


class PlanDifference(Model):
    vehicle_id: str
    source_location: int | None
    """null if the plan has no such vehicle"""
    target_location: int | None
    """null if the plan has no such vehicle"""
    cost: float | None
    other_source_location: int | None
    """null if the plan has no such vehicle"""
    other_target_location: int | None
    """null if the plan has no such vehicle"""
    other_cost: float | None


class PlanEnvelope(Model):
    status: Literal["success"]
    data: Plan
    metadata: Metadata


class PlanLevelDifference(Model):
    level: int
    """priority level; 0 is ordinary demand"""
    figures: PlanLevelFigures | None
    """null if the plan has no location of this level"""
    other_figures: PlanLevelFigures | None
    """null if the plan has no location of this level"""


class PlanLevelFigures(Model):
    """sums of the locations"""

    demand: float
    """planning demand, in the unit of the demand of the request"""
    served: float
    """demand that these vehicles serve: the smaller of demand and capacity"""
    unmet: float
    """demand - served"""


class PlanList(Model):
    plans: list[PlanSummary]
    next_cursor: str | None
    """cursor of the next page; null at the end of the list"""


class PlanListEnvelope(Model):
    status: Literal["success"]
    data: PlanList
    metadata: Metadata


class PlanLocation(Model):
    location_id: int
    name: str | None
    """as stored when the request was accepted; null with a `network`, or if unknown"""
    demand: float
    """planning demand, in the unit of the demand of the request"""
    vehicles_before: int
    """operational vehicles here before the moves"""
    vehicles_after: int
    """operational vehicles here after the moves"""
    capacity_after: float
    """what these vehicles can serve, in units of demand"""
    served: float
    """demand that these vehicles serve: the smaller of demand and capacity"""
    unmet: float
    """demand - served"""
    priority: int | None = None
    """priority level of the demand; only if the demand of some location has one above 0"""


class PlanLocationDifference(Model):
    location_id: int
    name: str | None
    """as stored when the request was accepted; null with a `network`, or if unknown"""
    figures: PlanLocationFigures | None
    """null if the plan has no such location"""
    other_figures: PlanLocationFigures | None
    """null if the plan has no such location"""


class PlanLocationFigures(Model):
    demand: float
    """planning demand, in the unit of the demand of the request"""
    vehicles_before: int
    """operational vehicles here before the moves"""
    vehicles_after: int
    """operational vehicles here after the moves"""
    capacity_after: float
    """what these vehicles can serve, in units of demand"""
    served: float
    """demand that these vehicles serve: the smaller of demand and capacity"""
    unmet: float
    """demand - served"""
    priority: int | None = None
    """priority level of the demand; only if the demand of some location has one above 0"""


class PlanMoves(Model):
    plan_id: str
    starts_at: datetime
    """when the vehicles leave"""
    at: datetime
    """the time of `state`"""
    speed_kmh: float
    """of moves that stored travel has no minutes of"""
    moves: list[TimedMove]
    """by pair of locations, ordered by source, the longest move first; vehicles that stay have none"""
    counts: Counts
    """of all moves of the plan, whatever `state` the request asks for"""


class PlanMovesEnvelope(Model):
    status: Literal["success"]
    data: PlanMoves
    metadata: Metadata


class PlanSummary(Model):
    plan_id: str
    job_id: str
    """`opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is"""
    created_at: datetime
    """ISO 8601, UTC"""
    solver_status: Literal["optimal", "feasible"] | str
    gap: float | None
    total_cost: float
    kpis: Kpis
    vehicle_count: int
    solve_time_ms: float


class Policy(Model):
    name: str
    other_minus_this: OtherMinusThis | None
    """null if only one of them has the policy"""


class Policy1(Model):
    name: str
    mode: Literal["none", "nightly", "static", "horizon"] | str
    demand: Literal["mean", "upper", "spread", "observed"] | str
    confidence_level: float | None
    """of `upper`, else null"""
    horizon_hours: int | None
    """of `horizon`, else null"""
    step_hours: int | None
    """of `horizon`, else null"""
    replan_every_hours: int
    constraints: ReplayConstraints | None = None
    options: ReplayOptions | None = None
    served: float
    """trips"""
    lost: float
    """trips"""
    served_share: float
    """served of all trips; 1 without any"""
    moves: int
    """vehicles that moved, each time counted"""
    km: float
    minutes: float
    """of moving"""
    cost: float
    """of moving"""
    utilization: float
    """trips served, of those that all vehicles could serve"""
    objective: float
    """`cost` and the price of lost trips"""
    hours_without_plan: int
    """in which a plan was due and no plan kept the constraints, so that nobody moved"""


class PriorityServed(Model):
    level: int
    """priority level, above 0"""
    demand: float
    """planning demand of this level"""
    served: float
    """demand of this level that the plan serves, with at most `total_fleet_size` vehicles"""
    served_at_most: float
    """proved: no plan that keeps all constraints and serves as much of the higher levels serves more of this one. With `solver_status` `optimal` it exceeds `served` by at most a tenth of `optimality_gap`, relative, or by 0.000001 of all planning demand"""


class ReadinessReport(Model):
    ready: bool
    checks: Checks1


class ReadinessReportEnvelope(Model):
    status: Literal["success"]
    data: ReadinessReport
    metadata: Metadata


class Refine(Model):
    """rules about pairs of locations. A pair is used if vehicles move from the one location to the other, however many and of whatever capacity. The stage `milp_refinement` turns the cheapest plan into one that keeps the rules"""

    min_vehicles_per_move: int | None = None
    """fewest vehicles of a pair that is used"""
    cost_per_pair: float | None = None
    """of each pair that is used, beside `total_cost`; the plan minimizes the sum of both"""
    max_pairs: int | None = None
    """most pairs that are used"""
    max_moves_from: int | None = None
    """most pairs that are used from a location"""


class Refinement(Model):
    """only with rules in `options.refine`"""

    pairs: int
    """pairs of locations that vehicles move between"""
    cost_per_pair: float
    """as requested, rounded up to 0.0001; 0 if it was not"""
    pair_cost: float
    """pairs × cost_per_pair: part of what the plan minimizes, not of `total_cost`"""
    pairs_without: int | None
    """pairs of the plan that `cost_without` belongs to"""
    cost_without: float | None
    """`total_cost` of the cheapest plan without the rules, to the requested gap: the plan that this one started from, in a plan that looks ahead the cheapest of all steps in whole first moves. null: there was no time for it"""


class Removal(Model):
    removed: RemovedCounts


class RemovalEnvelope(Model):
    status: Literal["success"]
    data: Removal
    metadata: Metadata


class RemovedCounts(Model):
    """rows that were deleted"""

    locations: int
    vehicles: int
    observations: int
    events: int
    travel: int
    """pairs of locations"""
    trip_flows: int
    """rows of counted trips"""


class RemovedSchedule(Model):
    schedule_id: str


class RemovedScheduleEnvelope(Model):
    status: Literal["success"]
    data: RemovedSchedule
    metadata: Metadata


class RemovedWebhook(Model):
    webhook_id: str


class RemovedWebhookEnvelope(Model):
    status: Literal["success"]
    data: RemovedWebhook
    metadata: Metadata


class Replay(Model):
    replay_id: str
    from_: Annotated[date_aliased, Field(alias="from")]
    to: date_aliased
    """the local day after the last"""
    starts_at: datetime
    """first hour"""
    ends_at: datetime
    """end of the last hour"""
    time_zone: str
    """of the local days"""
    locations: int
    fleet_size: int
    trips_per_vehicle_hour: float
    unmet_demand_cost: float
    trip_flows: Literal["stored", "none"] | str
    """`none` also where none are stored"""
    demand: float
    """observed trips"""
    hours_not_observed: int
    """of a location, each counted; a replay has no trips there in that hour"""
    bound: float | None
    """no policy has a smaller `objective` with expected trip ends: proved; null if not asked for, or not found in time"""
    location_ids: list[int]
    demand_by_hour: list[float]
    """trips of each hour from `starts_at` on"""
    demand_by_location: list[float]
    """in the order of `location_ids`"""
    demand_by_hour_and_location: list[list[float]] | None
    """trips, for each hour those of all locations, to a thousandth; null if hours × locations × (1 + policies) exceed 200000"""
    policies: list[ReplayedPolicy]


class ReplayComparison(Model):
    replay_id: str
    other_replay_id: str
    differs_in: list[str]
    """what was replayed differently; figures of different periods, fleets or prices say little together"""
    policies: list[Policy]
    """by name, those of this replay first; expected trip ends"""


class ReplayComparisonEnvelope(Model):
    status: Literal["success"]
    data: ReplayComparison
    metadata: Metadata


class ReplayConstraints(Model):
    """of each plan, as in an optimization, with `shortage` `serve_most` by default. `unmet_demand_cost` is what its plans take for the price of a lost trip, instead of that of the replay. In an hour in which no plan keeps them, nobody moves (`hours_without_plan`)"""

    max_distance: float | None = None
    """maximum km that a vehicle moves"""
    min_service_level: float | None = None
    """share of planning demand to serve"""
    max_rebalancing_cost: float | None = None
    """limit of the total cost of the plan; null lifts it"""
    min_vehicles_per_location: int | dict[str, int] | None = None
    """fewest operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem"""
    max_vehicles_per_location: int | dict[str, int] | None = None
    """most operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem"""
    priorities: dict[str, int] | None = None
    """priority level of the demand of locations, 0 (ordinary) to 9: `{"12": 9}`, or `{"default": 0, "12": 9}` with one for all others. Locations that are not named have the `priority` that is stored with them, without a `network`. Demand of a higher level is served first, before the cost counts. A location that is named becomes part of the problem"""
    total_fleet_size: int | None = None
    """maximum number of serving vehicles"""
    unmet_demand_cost: float | dict[str, float] | None = None
    """what a unit of demand costs that is not served: the plan is the cheapest in moving and unmet demand together, and `min_service_level` stays a floor (0 if only the price shall decide). A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have none. A location that is named becomes part of the problem. `max_rebalancing_cost` limits the cost of moving alone"""
    shortage: Literal["fail", "serve_most"] | str | None = None
    """if `min_service_level` is out of reach within the other constraints: `fail` answers 422; `serve_most` answers the cheapest of the plans that serve the most demand, with `data.shortfall`. Default: `fail`, and `serve_most` for decisions"""


class ReplayEnvelope(Model):
    status: Literal["success"]
    data: Replay
    metadata: Metadata


class ReplayList(Model):
    replays: list[ReplaySummary]
    next_cursor: str | None
    """cursor of the next page; null at the end of the list"""


class ReplayListEnvelope(Model):
    status: Literal["success"]
    data: ReplayList
    metadata: Metadata


class ReplayMetadata(Model):
    timestamp: datetime
    """ISO 8601, UTC"""
    version: str
    """version of the service"""
    request_id: str
    """id of the request, also in logs, jobs and the X-Request-Id header"""
    job_id: str


class ReplayOptions(Model):
    """of each plan, as in an optimization"""

    cost: MoveCost | None = None
    """what its plans take a move to cost, instead of `cost` of the replay, which stays the default of each rate and what `cost` and `objective` count"""
    optimality_gap: float | None = None
    """of each plan; default: `0.001`"""
    demand_aggregation: str | None = None
    """of `nightly`: what a plan takes of the hours of the day ahead, as in a decision; not `sum`; default: `"system_peak"`"""
    refine: Refine | None = None
    """of `nightly` and `static`: rules about pairs of locations, as in an optimization"""


class ReplayResponse(Model):
    status: Literal["success"]
    data: Replay
    metadata: ReplayMetadata


JobResult = TypeAliasType(
    "JobResult", OptimizationResponse | DecisionResponse | BacktestResponse | ReplayResponse | ErrorEnvelope
)
"""once ended: the envelope that the synchronous call returns; an error if there is no plan or the job failed or was cancelled"""


class ReplaySummary(Model):
    replay_id: str
    created_at: datetime
    """ISO 8601, UTC"""
    from_: Annotated[date_aliased, Field(alias="from")]
    to: date_aliased
    """the local day after the last"""
    starts_at: datetime
    """first hour"""
    ends_at: datetime
    """end of the last hour"""
    time_zone: str
    """of the local days"""
    locations: int
    fleet_size: int
    trips_per_vehicle_hour: float
    unmet_demand_cost: float
    trip_flows: Literal["stored", "none"] | str
    """`none` also where none are stored"""
    demand: float
    """observed trips"""
    hours_not_observed: int
    """of a location, each counted; a replay has no trips there in that hour"""
    bound: float | None
    """no policy has a smaller `objective` with expected trip ends: proved; null if not asked for, or not found in time"""
    policies: list[Policy1]
    """expected trip ends"""


class ReplayedPolicy(Model):
    name: str
    mode: Literal["none", "nightly", "static", "horizon"] | str
    demand: Literal["mean", "upper", "spread", "observed"] | str
    confidence_level: float | None
    """of `upper`, else null"""
    horizon_hours: int | None
    """of `horizon`, else null"""
    step_hours: int | None
    """of `horizon`, else null"""
    replan_every_hours: int
    constraints: ReplayConstraints | None = None
    options: ReplayOptions | None = None
    served: float
    """trips"""
    lost: float
    """trips"""
    served_share: float
    """served of all trips; 1 without any"""
    moves: int
    """vehicles that moved, each time counted"""
    km: float
    minutes: float
    """of moving"""
    cost: float
    """of moving"""
    utilization: float
    """trips served, of those that all vehicles could serve"""
    objective: float
    """`cost` and the price of lost trips"""
    hours_without_plan: int
    """in which a plan was due and no plan kept the constraints, so that nobody moved"""
    extra_trips_per_km: float | None
    """trips beyond those of the first policy in which nobody moves, by km; null without such a policy or without km"""
    drawn: list[DrawnReplay]
    """in the order of `seeds`"""
    served_by_hour: list[float]
    """expected trip ends, as all figures but `drawn`"""
    moves_by_hour: list[int]
    """vehicles that leave"""
    served_by_location: list[float]
    lost_by_hour_and_location: list[list[float]] | None
    """trips, for each hour those of all locations; null as `demand_by_hour_and_location` is"""


class Risk(Model):
    threshold: float | None = None
    """vehicles with a risk score at or above it are left out; null or absent: none"""


class RiskScoreList(Model):
    risk_scores: list[VehicleRisk]


class RiskScoreListEnvelope(Model):
    status: Literal["success"]
    data: RiskScoreList
    metadata: Metadata


class Schedule(Model):
    schedule_id: str
    name: str
    """no two schedules have the same"""
    cron: str
    """minute, hour, day of the month, month, day of the week, on the clock of `time_zone`. If both days are restricted, either is enough"""
    time_zone: str
    """IANA time zone, for example America/New_York"""
    missed: Literal["run_last", "skip"] | str
    paused: bool
    next_at: datetime | None
    """the next occurrence; null while it is paused"""
    paused_because: str | None = None
    """only if the service paused it: its owner has lost the rights that it needs"""
    created_at: datetime
    """ISO 8601, UTC"""
    updated_at: datetime
    """ISO 8601, UTC"""
    upcoming: list[datetime]
    """the next five occurrences; none while it is paused"""
    occurrences: list[Occurrence]
    """the last twenty, newest first"""
    decision: DecisionRequest
    """the body of each decision"""


class ScheduleEnvelope(Model):
    status: Literal["success"]
    data: Schedule
    metadata: Metadata


class ScheduleList(Model):
    schedules: list[ScheduleSummary]
    next_cursor: str | None
    """cursor of the next page; null at the end of the list"""


class ScheduleListEnvelope(Model):
    status: Literal["success"]
    data: ScheduleList
    metadata: Metadata


class ScheduleSummary(Model):
    schedule_id: str
    name: str
    """no two schedules have the same"""
    cron: str
    """minute, hour, day of the month, month, day of the week, on the clock of `time_zone`. If both days are restricted, either is enough"""
    time_zone: str
    """IANA time zone, for example America/New_York"""
    missed: Literal["run_last", "skip"] | str
    paused: bool
    next_at: datetime | None
    """the next occurrence; null while it is paused"""
    paused_because: str | None = None
    """only if the service paused it: its owner has lost the rights that it needs"""
    created_at: datetime
    """ISO 8601, UTC"""
    updated_at: datetime
    """ISO 8601, UTC"""


class ServiceConfiguration(Model):
    forecasting: Forecasting
    optimization: Optimization
    features: Features


class ServiceConfigurationEnvelope(Model):
    status: Literal["success"]
    data: ServiceConfiguration
    metadata: Metadata


class ServiceInformation(Model):
    name: str
    version: str
    description: str
    links: dict[str, str]


class ServiceInformationEnvelope(Model):
    status: Literal["success"]
    data: ServiceInformation
    metadata: Metadata


class Shortfall(Model):
    """only with `shortage` `serve_most`, and only if `min_service_level` is not reached"""

    requested: float
    """service level of the request"""
    reached: float
    """service level of this plan: the highest that was found"""
    reached_at_most: float
    """proved: no plan reaches more, or with priorities no plan that serves them as well. With `solver_status` `optimal` it exceeds `reached` by at most a tenth of `optimality_gap`, relative, or by 0.000001"""
    unserved: float
    """planning demand that this plan does not serve"""
    missing_vehicles: int | None
    """the fewest further vehicles of the most common capacity with which the requested level is reached, to `optimality_gap`; null if they do not help, or if the fewest were not found in time: the relaxation of `supply` then has a number that is sufficient, if one is known"""
    relaxations: list[SufficientChange]
    """what would make the requested level possible: the same as the errors of a 422 answer"""


class ShortfallFigures(Model):
    requested: float
    """service level of the request"""
    reached: float
    """service level of this plan: the highest that was found"""
    reached_at_most: float
    """proved: no plan reaches more, or with priorities no plan that serves them as well. With `solver_status` `optimal` it exceeds `reached` by at most a tenth of `optimality_gap`, relative, or by 0.000001"""
    unserved: float
    """planning demand that this plan does not serve"""
    missing_vehicles: int | None
    """the fewest further vehicles of the most common capacity with which the requested level is reached, to `optimality_gap`; null if they do not help, or if the fewest were not found in time: the relaxation of `supply` then has a number that is sufficient, if one is known"""


class Stability(Model):
    """only with `options.previous_plan_id`"""

    changed_vehicles: int
    """vehicles that this plan sends elsewhere than `previous_plan_id` does, by id"""
    compared_vehicles: int
    """vehicles that have a target in that plan which is a location of this one; the others are new, or their target is no longer planned, and they never count as changed"""
    unreachable_vehicles: int
    """of the changed vehicles, those that cannot go to their previous target: it is beyond `max_distance` or forbidden from where they are now, or they are pinned elsewhere"""
    change_cost: float
    """`options.change_cost`, rounded up to 0.0001, for each of them; not part of `total_cost`"""
    cost_without: float | None
    """`total_cost` of the cheapest plan without `change_cost`, so stability costs `total_cost` - `cost_without` of moving (with `unmet_demand_cost` or `refine.cost_per_pair` moving may even cost less); null if time was up before that plan was proved within `optimality_gap`, and in a plan that looks ahead"""


class StateCount(Model):
    moves: int
    vehicles: int


class SufficientChange(Model):
    constraint: (
        Literal[
            "min_service_level",
            "max_distance",
            "max_rebalancing_cost",
            "min_vehicles_per_location",
            "max_vehicles_per_location",
            "total_fleet_size",
            "min_vehicles_per_move",
            "max_pairs",
            "max_moves_from",
            "network",
            "supply",
        ]
        | str
        | None
    )
    """null: several constraints together, which are in `together`"""
    value: float | None
    """as requested; for `supply` the operational vehicles"""
    relaxation: float | None
    """the value nearest to it that suffices, all else unchanged; null if none does or none is known"""
    proved: bool
    """whether no nearer value suffices, with `by_location` no smaller change in total; with null: that none does"""
    by_location: dict[str, int] | None = None
    """only for vehicles per location that the request bounds by location: the values that suffice together, for the locations where they have to change. `relaxation` then is the loosest of them"""
    together: list[TogetherItem] | None = None
    """only with `constraint` null: the changes that suffice together"""
    message: str


class TimedMove(Model):
    source_location: int
    source_name: str | None
    """null if the request had a network"""
    target_location: int
    target_name: str | None
    """null if the request had a network"""
    vehicles: int
    distance_km: float | None
    """distance between the two locations; null if unknown"""
    duration_minutes: float | None
    """those of stored travel, else by `speed_kmh`; null if the distance is unknown, too"""
    cost: float
    """cost of all these vehicles"""
    vehicle_ids: list[str]
    arrives_at: datetime | None
    """null if the minutes are unknown"""
    state: Literal["due", "on_the_way", "done", "unknown"] | str
    """`due`: not yet gone; `on_the_way`; `done`: arrived; `unknown`: gone, and the minutes of the move are unknown"""


class TogetherItem(Model):
    constraint: (
        Literal[
            "min_service_level",
            "max_distance",
            "max_rebalancing_cost",
            "min_vehicles_per_location",
            "max_vehicles_per_location",
            "total_fleet_size",
            "min_vehicles_per_move",
            "max_pairs",
            "max_moves_from",
            "network",
            "supply",
        ]
        | str
    )
    relaxation: float
    """the value to set; for `supply` that many operational vehicles"""
    by_location: dict[str, int] | None = None
    """only for vehicles per location that the request bounds by location: the values that suffice together, for the locations where they have to change. `relaxation` then is the loosest of them"""


class Travel(Model):
    """kilometres and minutes between locations: `great_circle` has no minutes; `stored` is the travel table (`PUT /api/v1/data/travel`), and pairs that it lacks are forbidden, or take the great circle with `{"source": "stored", "fallback": "great_circle"}`; default: `"great_circle"`"""

    source: Literal["stored"]
    fallback: Literal["great_circle"]


class TravelList(Model):
    travel: list[TravelPair]
    next_cursor: str | None = None
    """cursor of the next page; null at the end of the list"""


class TravelListEnvelope(Model):
    status: Literal["success"]
    data: TravelList
    metadata: Metadata


class TravelPair(Model):
    from_location_id: int
    to_location_id: int
    distance_km: float
    duration_minutes: float


class TripFlow(Model):
    from_location_id: int
    to_location_id: int
    trips: float
    """number of trips that were counted"""
    hour_of_week: int | None = None
    """hour in which the trips began, on the clock of the plan: 0 is Monday from 0:00 to 1:00, 167 the last hour of Sunday; absent: all hours for which the first location has no rows"""


class TripFlowList(Model):
    trip_flows: list[TripFlow]
    next_cursor: str | None = None
    """cursor of the next page; null at the end of the list"""


class TripFlowListEnvelope(Model):
    status: Literal["success"]
    data: TripFlowList
    metadata: Metadata


class UpsertCounts(Model):
    """`removed` only if the whole set was replaced"""

    created: int
    updated: int
    removed: RemovedCounts | None = None


class UpsertCountsEnvelope(Model):
    status: Literal["success"]
    data: UpsertCounts
    metadata: Metadata


class VehicleInput(Model):
    """A vehicle: `id` and `location`, or `vehicle_id` and `location_id` as GET /api/v1/data/fleet returns them. The plan does not depend on its dates and utilization."""

    id: str | None = None
    vehicle_id: str | None = None
    location: int | None = None
    location_id: int | None = None
    capacity: float | None = None
    """default: `constraints.capacity_per_vehicle`"""
    status: Literal["operational", "maintenance", "downtime"] | str | None = None
    """default: `"operational"`"""
    pinned: bool | None = None
    """the vehicle stays where it is, and serves there; default: `false`"""
    available_at: datetime | None = None
    """the vehicle is on its way to `location`, and free there from this time on. If it is not free when the first step of a plan that looks ahead begins, it is no part of the plan, but of the steps after it. Any other plan has it as if it were `pinned` there, whatever the time"""
    acquired_on: date_aliased | None = None
    """day from which the age of the vehicle counts"""
    last_maintenance_on: date_aliased | None = None
    """day of its last maintenance"""
    utilization_rate: float | None = None
    """share of time in use"""


class VehicleRisk(Model):
    vehicle_id: str
    risk_score: float
    risk_category: Literal["low", "medium", "high"] | str
    factors: Factors


class Vehicles(Model):
    same: int
    """same source and target in both plans"""
    different: int
    only_in_plan: int
    only_in_other: int


class Webhook(Model):
    webhook_id: str
    url: str
    events: list[Literal["job.completed", "job.failed", "decision.completed", "worker.lost"] | str]
    description: str
    active: bool
    switched_off_because: str | None
    """why the service switched it off; null if it did not; `active: true` switches it on again"""
    created_at: datetime
    """ISO 8601, UTC"""
    updated_at: datetime
    """ISO 8601, UTC"""


class WebhookDelivery(Model):
    delivery_id: str
    """the `webhook-id` of every attempt"""
    type: Literal["job.completed", "job.failed", "decision.completed", "worker.lost"] | str
    job_id: str
    """`opt_…` an optimization, `bt_…` a backtest, `dec_…` a decision and `rpl_…` a replay, whose identifier it is"""
    status: Literal["waiting", "delivered", "dead"] | str
    """`waiting`: for its next attempt, at `next_at`; `delivered`: answered with 2xx; `dead`: given up, can be resent"""
    attempts: int
    created_at: datetime
    """when the event happened"""
    next_at: datetime | None
    """the next attempt, or when one that is running is taken over; null at the end"""
    ended_at: datetime | None
    """null while it waits"""
    last_attempt_at: datetime | None
    """null before the first"""
    last_http_status: int | None
    """of the last answer; null without one"""
    last_answer: str | None
    """the first 1000 characters of the last answer"""
    last_error: str | None
    """why the last attempt failed; null if it did not"""


class WebhookDeliveryEnvelope(Model):
    status: Literal["success"]
    data: WebhookDelivery
    metadata: Metadata


class WebhookEnvelope(Model):
    status: Literal["success"]
    data: Webhook
    metadata: Metadata


class WebhookList(Model):
    webhooks: list[Webhook]
    next_cursor: str | None
    """cursor of the next page; null at the end of the list"""


class WebhookListEnvelope(Model):
    status: Literal["success"]
    data: WebhookList
    metadata: Metadata


class WebhookWithSecret(Model):
    webhook_id: str
    url: str
    events: list[Literal["job.completed", "job.failed", "decision.completed", "worker.lost"] | str]
    description: str
    active: bool
    switched_off_because: str | None
    """why the service switched it off; null if it did not; `active: true` switches it on again"""
    created_at: datetime
    """ISO 8601, UTC"""
    updated_at: datetime
    """ISO 8601, UTC"""
    secret: str
    """signs what is sent; not shown again"""


class WebhookWithSecretEnvelope(Model):
    status: Literal["success"]
    data: WebhookWithSecret
    metadata: Metadata


class Weeks(Model):
    """of all locations, by kind of week (Monday to Sunday, local); only kinds that occurred"""

    calm: BacktestScore | None = None
    """all other weeks"""
    holiday: BacktestScore | None = None
    """weeks that contain a public holiday, a day next to one, or an event"""
    after_shift: BacktestScore | None = None
    """other weeks with a day in the two weeks that follow a lasting change of level"""
