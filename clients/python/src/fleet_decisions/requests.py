"""What the service is asked.

Generated from the OpenAPI document by generate.py: do not edit.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal, TypeAlias, TypedDict

from typing_extensions import NotRequired


class BacktestRequest(TypedDict):
    location_ids: NotRequired[list[int]]
    """default: all stored locations"""
    horizon_hours: NotRequired[int]
    """default: `168`"""
    step_hours: NotRequired[Literal[1, 2, 3, 4, 6, 8, 12, 24]]
    """default: `24`"""
    origins: NotRequired[int]
    """dates to forecast from; fewer if the history is too short; default: `8`"""
    confidence_levels: NotRequired[list[float]]
    """intervals whose coverage is measured; default: `[0.8,0.95]`"""
    options: NotRequired[Options]


class Constraints(TypedDict):
    max_distance: NotRequired[float]
    """maximum km that a vehicle moves"""
    max_rebalancing_distance_km: NotRequired[float]
    """alias of `max_distance`"""
    min_service_level: NotRequired[float]
    """share of planning demand to serve"""
    min_demand_coverage: NotRequired[float]
    """alias of `min_service_level`"""
    max_rebalancing_cost: NotRequired[float | None]
    """limit of the total cost of the plan; null lifts it"""
    capacity_per_vehicle: NotRequired[float]
    """capacity of vehicles that do not state one"""
    min_vehicles_per_location: NotRequired[int | dict[str, int]]
    """fewest operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem"""
    max_vehicles_per_location: NotRequired[int | dict[str, int]]
    """most operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem"""
    priorities: NotRequired[dict[str, int]]
    """priority level of the demand of locations, 0 (ordinary) to 9: `{"12": 9}`, or `{"default": 0, "12": 9}` with one for all others. Locations that are not named have the `priority` that is stored with them, without a `network`. Demand of a higher level is served first, before the cost counts. A location that is named becomes part of the problem"""
    total_fleet_size: NotRequired[int]
    """maximum number of serving vehicles"""
    unmet_demand_cost: NotRequired[float | dict[str, float] | None]
    """what a unit of demand costs that is not served: the plan is the cheapest in moving and unmet demand together, and `min_service_level` stays a floor (0 if only the price shall decide). A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have none. A location that is named becomes part of the problem. `max_rebalancing_cost` limits the cost of moving alone"""
    shortage: NotRequired[Literal["fail", "serve_most"]]
    """if `min_service_level` is out of reach within the other constraints: `fail` answers 422; `serve_most` answers the cheapest of the plans that serve the most demand, with `data.shortfall`. Default: `fail`, and `serve_most` for decisions"""


Day: TypeAlias = str | date


class DecisionRequest(TypedDict):
    fleet_state: NotRequired[FleetState]
    """default: the stored fleet"""
    risk: NotRequired[Risk]
    location_ids: NotRequired[list[int]]
    """locations to forecast; default: those of `network`, else all active locations"""
    mode: NotRequired[Literal["static", "horizon"]]
    """`static`: one plan for the demand of all steps, by `options.demand_aggregation`; `horizon`: a plan that looks ahead, with the demand of each step, and `data.outlook`. See `options.horizon`; default: `"static"`"""
    horizon_hours: NotRequired[int]
    """default: `24`"""
    step_hours: NotRequired[Literal[1, 2, 3, 4, 6, 8, 12, 24]]
    """default: `1`"""
    start_date: NotRequired[Day]
    """first local day; default: the day after the newest observation of the locations together. Only observations before it are used."""
    start_at: NotRequired[Moment]
    """instead of `start_date`: the time from which it counts, rounded up to a full hour, or `now`. Only observations of hours that are over by then, and by now, are used."""
    confidence_level: NotRequired[float]
    """share of outcomes that the interval holds; default: `0.95`"""
    demand: NotRequired[Literal["mean", "upper", "spread"]]
    """`upper` plans against the upper end of the interval of `confidence_level`; `spread`, with `mode` `horizon`, for three equally likely outcomes by that interval, whose mean is the forecast; default: `"mean"`"""
    on_missing_history: NotRequired[Literal["expected", "fail"]]
    """a location without observations is planned with its `expected_daily_demand`, else 0 (`expected`, the default), or answered with 503 (`fail`)"""
    demand_scale: NotRequired[float]
    """factor on the forecast: the share of demand that this fleet serves; default: `1`"""
    constraints: NotRequired[Constraints]
    network: NotRequired[Network]
    options: NotRequired[OptimizeOptions]
    carry_out: NotRequired[bool]
    """the vehicles that the plan moves leave when it is stored: in the stored fleet `location_id` becomes the target, and `available_at` the arrival; default: `false`"""


DemandEvent = TypedDict(
    "DemandEvent",
    {
        "event_id": str,
        "location_id": int | None,
        "from": "Moment",
        "to": "Moment",
        "kind": str,
        "factor": NotRequired[float],
        "name": NotRequired[str],
    },
)


DemandForecast: TypeAlias = dict[str, list[float]]
"""location id → demand per time step, in units of vehicle capacity, or in trips where `options.trips_per_vehicle_hour` says how many a vehicle serves"""


class DemandObservation(TypedDict):
    location_id: int
    hour: Moment
    """start of the hour, ISO 8601 with offset"""
    demand: float


class DemandUpload(TypedDict):
    observations: list[DemandObservation]


class EventUpload(TypedDict):
    events: list[DemandEvent]


class Features(TypedDict):
    start_date: NotRequired[Day]
    """first local day; default: the day after the newest observation of the locations together. Only observations before it are used."""
    start_at: NotRequired[Moment]
    """instead of `start_date`: the time from which it counts, rounded up to a full hour, or `now`. Only observations of hours that are over by then, and by now, are used."""
    include_intervals: NotRequired[bool]
    """default: `false`"""
    confidence_level: NotRequired[float]
    """share of outcomes that the interval holds; default: `0.95`"""
    step_hours: NotRequired[Literal[1, 2, 3, 4, 6, 8, 12, 24]]
    """default: `24`"""


class Fleet(TypedDict):
    """`stored`: the operational vehicles at these locations, where they are; or `{"size": 800}`: so many, placed in proportion to the mean demand before the period; default: `"stored"`"""

    size: int


class FleetState(TypedDict):
    """default: the stored fleet"""

    vehicles: list[VehicleInput]


class FleetState1(TypedDict):
    vehicles: list[VehicleInput]


class FleetUpload(TypedDict):
    fleet: list[FleetVehicleInput]


class FleetVehicleInput(TypedDict):
    vehicle_id: str
    location_id: int
    status: NotRequired[Literal["operational", "maintenance", "downtime"]]
    """default: `"operational"`"""
    capacity: NotRequired[float]
    """default: `1`"""
    available_at: NotRequired[Moment]
    """the vehicle is on its way to `location_id`, and there from this time on; absent, or past: it is there"""
    acquired_on: NotRequired[Day]
    """day from which the age of the vehicle counts"""
    last_maintenance_on: NotRequired[Day]
    """day of its last maintenance"""
    utilization_rate: NotRequired[float]
    """share of time in use"""


class FleetVehiclePatch(TypedDict):
    location_id: NotRequired[int]
    status: NotRequired[Literal["operational", "maintenance", "downtime"]]
    capacity: NotRequired[float]
    available_at: NotRequired[Moment]
    """the vehicle is on its way to `location_id`, and there from this time on; absent, or past: it is there"""
    acquired_on: NotRequired[Day]
    """day from which the age of the vehicle counts"""
    last_maintenance_on: NotRequired[Day]
    """day of its last maintenance"""
    utilization_rate: NotRequired[float]
    """share of time in use"""


class ForecastRequest(TypedDict):
    location_ids: list[int]
    horizon_hours: NotRequired[int]
    """default: `168`"""
    features: NotRequired[Features]


class Horizon(TypedDict):
    """a plan that looks ahead: `demand_forecast` has the demand of each step, the plan moves vehicles before the first step, and `data.outlook` says what all steps would bring. `min_service_level` is that of all steps together, and so are `priorities`. `unmet_demand_cost`, bounds on vehicles per location and pinned vehicles hold in each of them, `max_rebalancing_cost` for the moves of each, and `total_fleet_size` for the vehicles that serve in each, in full loads. `change_cost` and `refine` are about the first moves. Not supported: `explain`, `demand_aggregation`, and `total_fleet_size` below the fleet together with pinned vehicles"""

    step_hours: NotRequired[Literal[1, 2, 3, 4, 6, 8, 12, 24]]
    """hours of a time step of demand; default: `options.step_hours`, else 1"""
    starts_at: NotRequired[Moment]
    """when the first step begins; vehicles with `available_at` need it, and so do trip flows by hour of the week"""
    speed_kmh: NotRequired[float]
    """of moves whose minutes are not known; a move without known distance takes a step; default: `20`"""
    trip_flows: NotRequired[Literal["stored", "none"]]
    """where trips end: `stored`, as in `PUT /api/v1/data/trip-flows`, if there are any; `none`: vehicles are free where they served. A `network` has none; default: `"stored"`"""


class LocationInput(TypedDict):
    id: int
    name: str
    latitude: float
    longitude: float
    active: NotRequired[bool]
    """false: retired, so planned only if a request names it; returned only if false; default true"""
    expected_daily_demand: NotRequired[float]
    """demand of an average day; decisions use it until there are observations"""
    priority: NotRequired[int]
    """of its demand: a higher level is served first. 0, the default, is ordinary demand; returned only if above 0"""
    time_zone: NotRequired[str]
    """IANA time zone of its local days, e.g. America/New_York"""


class LocationPatch(TypedDict):
    name: NotRequired[str]
    latitude: NotRequired[float]
    longitude: NotRequired[float]
    active: NotRequired[bool]
    """false: retired, so planned only if a request names it; returned only if false; default true"""
    expected_daily_demand: NotRequired[float]
    """demand of an average day; decisions use it until there are observations"""
    priority: NotRequired[int]
    """of its demand: a higher level is served first. 0, the default, is ordinary demand; returned only if above 0"""
    time_zone: NotRequired[str]
    """IANA time zone of its local days, e.g. America/New_York"""


class LocationUpload(TypedDict):
    locations: list[LocationInput]


Moment: TypeAlias = str | datetime


class MoveCost(TypedDict):
    """a move costs `per_move` + `per_km` × km + `per_minute` × minutes, with a `network` `per_move` + what `costs` say; staying costs nothing"""

    per_km: NotRequired[float]
    """default: the setting `OPTIMIZATION_COST_PER_KM`"""
    per_minute: NotRequired[float]
    """default 0; needs the minutes of `travel` `stored`"""
    per_move: NotRequired[float]
    """default 0; the same for every move, however short"""


class Network(TypedDict):
    """Replaces great-circle costs."""

    location_ids: list[int]
    costs: list[list[float | None]]
    """`costs[i][j]` of moving one vehicle from location i to j; null forbids the move. At most 1e11 divided by the number of vehicles, so that the total stays exact: it is a sum of whole units of 0.0001, up to 1e15 of them"""
    distances_km: NotRequired[list[list[float | None]]]
    """`distances_km[i][j]`; without it `max_distance` does not apply"""


class OptimizationRequest(TypedDict):
    demand_forecast: DemandForecast
    fleet_state: FleetState1
    constraints: NotRequired[Constraints]
    network: NotRequired[Network]
    options: NotRequired[OptimizeOptions]


class OptimizeOptions(TypedDict):
    cost: NotRequired[MoveCost]
    travel: NotRequired[Literal["great_circle", "stored"] | Travel]
    """kilometres and minutes between locations: `great_circle` has no minutes; `stored` is the travel table (`PUT /api/v1/data/travel`), and pairs that it lacks are forbidden, or take the great circle with `{"source": "stored", "fallback": "great_circle"}`; default: `"great_circle"`"""
    demand_aggregation: NotRequired[str]
    """planning demand of a location from its time steps: `peak` the largest, `mean`, `first`, `sum`, `system_peak` its demand in the step with the largest demand of all locations together, `quantile:0.9` (any number from 0 to 1) the quantile of its steps, interpolated linearly (type 7); default: `"peak"`"""
    trips_per_vehicle_hour: NotRequired[float | None]
    """demand is trips: a vehicle serves `capacity` × `trips_per_vehicle_hour` × `step_hours` in a step; null: it serves `capacity` in a step"""
    step_hours: NotRequired[Literal[1, 2, 3, 4, 6, 8, 12, 24]]
    """hours of a time step of demand, 1 by default; matters only with `trips_per_vehicle_hour`. A decision has its own `step_hours`"""
    time_limit_seconds: NotRequired[float]
    """the solver's own limit"""
    optimality_gap: NotRequired[float]
    refine: NotRequired[Refine]
    horizon: NotRequired[Horizon]
    explain: NotRequired[bool]
    """adds `data.insights`: marginal values per location, move and constraint, each with its error; without a plan, the search for the smallest sufficient changes uses the whole time limit instead of four seconds (ten with several capacities); default: `false`"""
    locations: NotRequired[bool]
    """false: the answer leaves out `data.locations`, which the stored plan keeps, and what `data.outlook` says of each location; default: `true`"""
    previous_plan_id: NotRequired[str]
    """a stored plan: `data.stability` says how many vehicles this plan sends elsewhere than that one. Vehicles are matched by id. A vehicle that is not in that plan, or that it sends to a location that this request does not have, is free"""
    change_cost: NotRequired[float]
    """what a vehicle costs in addition that goes elsewhere than in `previous_plan_id`, stayed there but moves now, or stays now: such a change must pay for itself. 0: changes are only counted; default: `0`"""
    priority: NotRequired[Literal["low", "normal", "high"]]
    """order among the waiting jobs; does not change the plan; default: `"normal"`"""


class Options(TypedDict):
    priority: NotRequired[Literal["low", "normal", "high"]]
    """default: `"normal"`"""


class Options1(TypedDict):
    priority: NotRequired[Literal["low", "normal", "high"]]
    """default: `"normal"`"""
    time_limit_seconds: NotRequired[int]
    """a replay that takes longer fails; default: `900`"""


class Refine(TypedDict):
    """rules about pairs of locations. A pair is used if vehicles move from the one location to the other, however many and of whatever capacity. The stage `milp_refinement` turns the cheapest plan into one that keeps the rules"""

    min_vehicles_per_move: NotRequired[int]
    """fewest vehicles of a pair that is used"""
    cost_per_pair: NotRequired[float]
    """of each pair that is used, beside `total_cost`; the plan minimizes the sum of both"""
    max_pairs: NotRequired[int]
    """most pairs that are used"""
    max_moves_from: NotRequired[int]
    """most pairs that are used from a location"""


class ReplayConstraints(TypedDict):
    """of each plan, as in an optimization, with `shortage` `serve_most` by default. `unmet_demand_cost` is what its plans take for the price of a lost trip, instead of that of the replay. In an hour in which no plan keeps them, nobody moves (`hours_without_plan`)"""

    max_distance: NotRequired[float]
    """maximum km that a vehicle moves"""
    min_service_level: NotRequired[float]
    """share of planning demand to serve"""
    max_rebalancing_cost: NotRequired[float | None]
    """limit of the total cost of the plan; null lifts it"""
    min_vehicles_per_location: NotRequired[int | dict[str, int]]
    """fewest operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem"""
    max_vehicles_per_location: NotRequired[int | dict[str, int]]
    """most operational vehicles at a location after the moves. A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have no such bound. A location that is named becomes part of the problem"""
    priorities: NotRequired[dict[str, int]]
    """priority level of the demand of locations, 0 (ordinary) to 9: `{"12": 9}`, or `{"default": 0, "12": 9}` with one for all others. Locations that are not named have the `priority` that is stored with them, without a `network`. Demand of a higher level is served first, before the cost counts. A location that is named becomes part of the problem"""
    total_fleet_size: NotRequired[int]
    """maximum number of serving vehicles"""
    unmet_demand_cost: NotRequired[float | dict[str, float] | None]
    """what a unit of demand costs that is not served: the plan is the cheapest in moving and unmet demand together, and `min_service_level` stays a floor (0 if only the price shall decide). A number for all locations, or numbers by location: `{"12": 4}`, or `{"default": 10, "12": 4}` with one for all other locations, which otherwise have none. A location that is named becomes part of the problem. `max_rebalancing_cost` limits the cost of moving alone"""
    shortage: NotRequired[Literal["fail", "serve_most"]]
    """if `min_service_level` is out of reach within the other constraints: `fail` answers 422; `serve_most` answers the cheapest of the plans that serve the most demand, with `data.shortfall`. Default: `fail`, and `serve_most` for decisions"""


class ReplayOptions(TypedDict):
    """of each plan, as in an optimization"""

    cost: NotRequired[MoveCost]
    """what its plans take a move to cost, instead of `cost` of the replay, which stays the default of each rate and what `cost` and `objective` count"""
    optimality_gap: NotRequired[float]
    """of each plan; default: `0.001`"""
    demand_aggregation: NotRequired[str]
    """of `nightly`: what a plan takes of the hours of the day ahead, as in a decision; not `sum`; default: `"system_peak"`"""
    refine: NotRequired[Refine]
    """of `nightly` and `static`: rules about pairs of locations, as in an optimization"""


class ReplayPolicyInput(TypedDict):
    name: NotRequired[str]
    """letters, digits, `.`, `_` and `-`; default: mode, hours and demand, as in `horizon-6-upper`. No two policies have the same"""
    mode: Literal["none", "nightly", "static", "horizon"]
    """`none`: nobody moves; `nightly`: a plan in the `night_hour` for the busiest hour of the day ahead; `static`: plans for the hour that follows; `horizon`: plans that look `horizon_hours` ahead"""
    demand: NotRequired[Literal["mean", "upper", "spread", "observed"]]
    """what plans take for the demand ahead: the forecast made as of their hour; the upper end of its interval; `spread`, of `horizon`: the forecast, with the chances that its interval gives to more and to less; or `observed`: what came to pass, which nobody knows in time; default: `"mean"`"""
    confidence_level: NotRequired[float]
    """of the interval whose upper end `upper` plans for; default: `0.95`"""
    horizon_hours: NotRequired[int]
    """of `horizon`: hours of a plan, with the one in which it is made; default: `6`"""
    step_hours: NotRequired[Literal[1, 2, 3, 4, 6, 8, 12, 24]]
    """of `horizon`: hours of a step, of which `horizon_hours` has at least two; default: `1`"""
    replan_every_hours: NotRequired[int]
    """of `static` and `horizon`; default: `1`"""
    constraints: NotRequired[ReplayConstraints]
    options: NotRequired[ReplayOptions]


class ReplayRequest(TypedDict):
    from_: Day
    """first local day of the period"""
    to: Day
    """first local day after the period, at most 31 days after `from`"""
    location_ids: NotRequired[list[int]]
    """default: all active locations; at most 300"""
    fleet: NotRequired[Literal["stored"] | Fleet]
    """`stored`: the operational vehicles at these locations, where they are; or `{"size": 800}`: so many, placed in proportion to the mean demand before the period; default: `"stored"`"""
    trips_per_vehicle_hour: float
    """trips that a vehicle serves in an hour; all vehicles are alike"""
    unmet_demand_cost: float
    """what a lost trip costs, in the money of moves"""
    cost: NotRequired[MoveCost]
    travel: NotRequired[Literal["great_circle", "stored"] | Travel]
    """kilometres and minutes between locations: `great_circle` has no minutes; `stored` is the travel table (`PUT /api/v1/data/travel`), and pairs that it lacks are forbidden, or take the great circle with `{"source": "stored", "fallback": "great_circle"}`; default: `"great_circle"`"""
    speed_kmh: NotRequired[float]
    """of moves whose minutes are not known; default: `20`"""
    trip_flows: NotRequired[Literal["stored", "none"]]
    """where trips end: as in `PUT /api/v1/data/trip-flows`, if there are any; `none`: vehicles are free where they served; default: `"stored"`"""
    night_hour: NotRequired[int]
    """local hour in which `nightly` plans; default: `4`"""
    policies: list[ReplayPolicyInput]
    seeds: NotRequired[list[int]]
    """for each of them a replay of every policy with whole vehicles and drawn trip ends, beside the one with expected ends; default: `[]`"""
    bound: NotRequired[bool]
    """whether to prove what no policy can do better than; default: `true`"""
    options: NotRequired[Options1]


class Risk(TypedDict):
    threshold: NotRequired[float | None]
    """vehicles with a risk score at or above it are left out; null or absent: none"""


class RiskRequest(TypedDict):
    vehicles: list[RiskVehicle]


class RiskVehicle(TypedDict):
    id: str
    age_days: float
    utilization_rate: float
    days_since_maintenance: float


class SchedulePatch(TypedDict):
    name: NotRequired[str]
    """no two schedules have the same"""
    cron: NotRequired[str]
    """minute, hour, day of the month, month, day of the week, on the clock of `time_zone`. If both days are restricted, either is enough"""
    time_zone: NotRequired[str]
    """IANA time zone, for example America/New_York"""
    missed: NotRequired[Literal["run_last", "skip"]]
    """what happens to occurrences that were missed: `run_last` makes up for the last of them, `skip` for none; default: `"run_last"`"""
    paused: NotRequired[bool]
    """true: it has no occurrences; default: `false`"""
    decision: NotRequired[DecisionRequest]
    """the body of `POST /api/v1/decisions`; `"last"` as `options.previous_plan_id` is the newest plan of the schedule, `"now"` as `start_at` the time of the occurrence; at most 1,000,000 bytes: without `fleet_state` the stored fleet counts, as it is at each occurrence"""


class ScheduleRequest(TypedDict):
    name: str
    """no two schedules have the same"""
    cron: str
    """minute, hour, day of the month, month, day of the week, on the clock of `time_zone`. If both days are restricted, either is enough"""
    time_zone: str
    """IANA time zone, for example America/New_York"""
    missed: NotRequired[Literal["run_last", "skip"]]
    """what happens to occurrences that were missed: `run_last` makes up for the last of them, `skip` for none; default: `"run_last"`"""
    paused: NotRequired[bool]
    """true: it has no occurrences; default: `false`"""
    decision: DecisionRequest
    """the body of `POST /api/v1/decisions`; `"last"` as `options.previous_plan_id` is the newest plan of the schedule, `"now"` as `start_at` the time of the occurrence; at most 1,000,000 bytes: without `fleet_state` the stored fleet counts, as it is at each occurrence"""


class Travel(TypedDict):
    """kilometres and minutes between locations: `great_circle` has no minutes; `stored` is the travel table (`PUT /api/v1/data/travel`), and pairs that it lacks are forbidden, or take the great circle with `{"source": "stored", "fallback": "great_circle"}`; default: `"great_circle"`"""

    source: Literal["stored"]
    fallback: Literal["great_circle"]


class TravelPair(TypedDict):
    from_location_id: int
    to_location_id: int
    distance_km: float
    duration_minutes: float


class TravelUpload(TypedDict):
    travel: list[TravelPair]


class TripFlow(TypedDict):
    from_location_id: int
    to_location_id: int
    trips: float
    """number of trips that were counted"""
    hour_of_week: NotRequired[int]
    """hour in which the trips began, on the clock of the plan: 0 is Monday from 0:00 to 1:00, 167 the last hour of Sunday; absent: all hours for which the first location has no rows"""


class TripFlowUpload(TypedDict):
    trip_flows: list[TripFlow]


class VehicleInput(TypedDict):
    """A vehicle: `id` and `location`, or `vehicle_id` and `location_id` as GET /api/v1/data/fleet returns them. The plan does not depend on its dates and utilization."""

    id: NotRequired[str]
    vehicle_id: NotRequired[str]
    location: NotRequired[int]
    location_id: NotRequired[int]
    capacity: NotRequired[float]
    """default: `constraints.capacity_per_vehicle`"""
    status: NotRequired[Literal["operational", "maintenance", "downtime"]]
    """default: `"operational"`"""
    pinned: NotRequired[bool]
    """the vehicle stays where it is, and serves there; default: `false`"""
    available_at: NotRequired[Moment]
    """the vehicle is on its way to `location`, and free there from this time on. If it is not free when the first step of a plan that looks ahead begins, it is no part of the plan, but of the steps after it. Any other plan has it as if it were `pinned` there, whatever the time"""
    acquired_on: NotRequired[Day]
    """day from which the age of the vehicle counts"""
    last_maintenance_on: NotRequired[Day]
    """day of its last maintenance"""
    utilization_rate: NotRequired[float]
    """share of time in use"""


class WebhookPatch(TypedDict):
    url: NotRequired[str]
    """where events are sent; `https`, or `http` to networks of the setting WEBHOOK_ALLOWED_NETWORKS"""
    events: NotRequired[list[Literal["job.completed", "job.failed", "decision.completed", "worker.lost"]]]
    """the types of events that are sent"""
    description: NotRequired[str]
    active: NotRequired[bool]
    """false: events are not noted for it, and what waits is not sent; default: `true`"""


class WebhookRequest(TypedDict):
    url: str
    """where events are sent; `https`, or `http` to networks of the setting WEBHOOK_ALLOWED_NETWORKS"""
    events: list[Literal["job.completed", "job.failed", "decision.completed", "worker.lost"]]
    """the types of events that are sent"""
    description: NotRequired[str]
    active: NotRequired[bool]
    """false: events are not noted for it, and what waits is not sent; default: `true`"""
