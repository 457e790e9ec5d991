"""A method for each operation of the service.

Generated from the OpenAPI document by generate.py: do not edit.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Literal, TypeVar, overload

from typing_extensions import Unpack

from . import models, requests
from ._async_jobs import AsyncPendingJob
from ._base import Model
from ._csv import Csv

A = TypeVar("A", bound=Model)


class AsyncOperations:
    """The operations; `AsyncFleet` adds how they are sent."""

    async def _call(self, method: str, path: str, answer: type[A], **options: Any) -> A:
        raise NotImplementedError

    async def _call_text(self, method: str, path: str, **options: Any) -> str:
        raise NotImplementedError

    async def _start(
        self, path: str, answer: type[A], *, wait: bool, idempotency_key: str | None, body: Any
    ) -> A | AsyncPendingJob[A]:
        raise NotImplementedError

    async def get_service(self) -> models.ServiceInformationEnvelope:
        """Service information"""
        return await self._call("GET", "/", models.ServiceInformationEnvelope)

    async def get_health(self) -> models.HealthReportEnvelope:
        """Health of the service and its dependencies

        200 while database and queue answer and take writes; 503 otherwise, with an error for each that does
        not.
        """
        return await self._call("GET", "/health", models.HealthReportEnvelope)

    async def get_liveness(self) -> models.LivenessReportEnvelope:
        """Whether this process runs

        For whoever restarts processes: it asks nothing of database or queue, which a restart would not
        bring back.
        """
        return await self._call("GET", "/livez", models.LivenessReportEnvelope)

    async def get_readiness(self) -> models.ReadinessReportEnvelope:
        """Whether this process can serve requests

        For whoever sends requests to processes: 200 while the database takes writes. Without the queue it
        still answers all that it reads.
        """
        return await self._call("GET", "/readyz", models.ReadinessReportEnvelope)

    async def get_config(self) -> models.ServiceConfigurationEnvelope:
        """Current configuration, without secrets"""
        return await self._call("GET", "/api/v1/config", models.ServiceConfigurationEnvelope)

    async def get_operations(self) -> models.OperationsReportEnvelope:
        """Workers, queue and throughput

        For operators: the workers and what they run, the jobs that wait, what the last hour brought, and
        jobs that failed. The same with Redis and without.
        """
        return await self._call("GET", "/api/v1/operations", models.OperationsReportEnvelope)

    @overload
    async def optimize(
        self,
        *,
        wait: Literal[True] = True,
        idempotency_key: str | None = None,
        **body: Unpack[requests.OptimizationRequest],
    ) -> models.OptimizationResponse: ...

    @overload
    async def optimize(
        self, *, wait: Literal[False], idempotency_key: str | None = None, **body: Unpack[requests.OptimizationRequest]
    ) -> AsyncPendingJob[models.OptimizationResponse]: ...

    async def optimize(
        self, *, wait: bool = True, idempotency_key: str | None = None, **body: Unpack[requests.OptimizationRequest]
    ) -> models.OptimizationResponse | AsyncPendingJob[models.OptimizationResponse]:
        """The cheapest plan that moves vehicles to where the demand is

        The request is validated, stored as a job and solved by a worker process; the call waits for the
        answer. `Prefer: respond-async` answers 202 at once, `Prefer: wait=N` after N seconds at most.

        With `wait=False` it returns the job at once.
        """
        return await self._start(
            "/api/v1/optimize", models.OptimizationResponse, wait=wait, idempotency_key=idempotency_key, body=body
        )

    async def get_job(self, job_id: str) -> models.JobEnvelope:
        """A job, and its result once it has ended"""
        return await self._call("GET", "/api/v1/jobs/{job_id}", models.JobEnvelope, parts={"job_id": job_id})

    async def cancel_job(self, job_id: str) -> models.JobEnvelope:
        """Cancel a job

        A queued job is cancelled at once, a running one within a second; one that has ended stays as it is.
        202 if its worker has not stopped yet: the job will end as `cancelled`, whatever happens to the
        worker.
        """
        return await self._call("DELETE", "/api/v1/jobs/{job_id}", models.JobEnvelope, parts={"job_id": job_id})

    async def list_jobs(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        kind: Literal["optimize", "backtest", "decision", "replay"] | None = None,
        status: Literal["queued", "running", "completed", "failed", "cancelled"] | None = None,
        solver_status: Literal["optimal", "feasible", "infeasible", "error"] | None = None,
        schedule_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
    ) -> models.JobListEnvelope:
        """The jobs, newest first, without their results

        Pagination is stable while new jobs arrive. Times are ISO 8601.
        """
        return await self._call(
            "GET",
            "/api/v1/jobs",
            models.JobListEnvelope,
            query={
                "limit": limit,
                "cursor": cursor,
                "kind": kind,
                "status": status,
                "solver_status": solver_status,
                "schedule_id": schedule_id,
                "created_after": created_after,
                "created_before": created_before,
            },
        )

    async def iter_jobs(
        self,
        *,
        limit: int | None = None,
        kind: Literal["optimize", "backtest", "decision", "replay"] | None = None,
        status: Literal["queued", "running", "completed", "failed", "cancelled"] | None = None,
        solver_status: Literal["optimal", "feasible", "infeasible", "error"] | None = None,
        schedule_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
    ) -> AsyncIterator[models.Job]:
        """Every row of `list_jobs`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (
                await self.list_jobs(
                    limit=limit,
                    kind=kind,
                    status=status,
                    solver_status=solver_status,
                    schedule_id=schedule_id,
                    created_after=created_after,
                    created_before=created_before,
                    cursor=cursor,
                )
            ).data
            for row in page.jobs:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def get_job_request(self, job_id: str) -> models.JobRequestEnvelope:
        """The request that made a job

        As it was posted, so that it can be posted again with a change. Kept for RETENTION_INPUT_DAYS after
        the end.
        """
        return await self._call(
            "GET", "/api/v1/jobs/{job_id}/request", models.JobRequestEnvelope, parts={"job_id": job_id}
        )

    async def list_plans(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        min_coverage: float | None = None,
        max_cost: float | None = None,
        location_id: int | None = None,
        schedule_id: str | None = None,
    ) -> models.PlanListEnvelope:
        """The plans, newest first, without their items

        Pagination is stable while new plans arrive. Times are ISO 8601.
        """
        return await self._call(
            "GET",
            "/api/v1/plans",
            models.PlanListEnvelope,
            query={
                "limit": limit,
                "cursor": cursor,
                "created_after": created_after,
                "created_before": created_before,
                "min_coverage": min_coverage,
                "max_cost": max_cost,
                "location_id": location_id,
                "schedule_id": schedule_id,
            },
        )

    async def iter_plans(
        self,
        *,
        limit: int | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        min_coverage: float | None = None,
        max_cost: float | None = None,
        location_id: int | None = None,
        schedule_id: str | None = None,
    ) -> AsyncIterator[models.PlanSummary]:
        """Every row of `list_plans`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (
                await self.list_plans(
                    limit=limit,
                    created_after=created_after,
                    created_before=created_before,
                    min_coverage=min_coverage,
                    max_cost=max_cost,
                    location_id=location_id,
                    schedule_id=schedule_id,
                    cursor=cursor,
                )
            ).data
            for row in page.plans:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def get_plan(self, plan_id: str) -> models.PlanEnvelope:
        """A stored plan as JSON or CSV

        `Accept: text/csv` gives one line per vehicle, or, by `part`, per pair of locations between which
        vehicles move, or per location.
        """
        return await self._call("GET", "/api/v1/plans/{plan_id}", models.PlanEnvelope, parts={"plan_id": plan_id})

    async def get_plan_csv(
        self,
        plan_id: str,
        *,
        part: Literal["vehicles", "moves", "locations"] | None = None,
        spreadsheet: bool | None = None,
    ) -> str:
        """A stored plan as JSON or CSV

        `Accept: text/csv` gives one line per vehicle, or, by `part`, per pair of locations between which
        vehicles move, or per location.

        As CSV.
        """
        return await self._call_text(
            "GET",
            "/api/v1/plans/{plan_id}",
            parts={"plan_id": plan_id},
            query={"part": part, "spreadsheet": spreadsheet},
        )

    async def compare_plans(
        self, plan_id: str, other_id: str, *, limit: int | None = None, cursor: str | None = None
    ) -> models.PlanComparisonEnvelope:
        """Differences between this plan and another

        Differences of the KPIs (the other plan minus this one), the shortfall and stages of both, what
        changes per priority level and per location, and a page of the vehicles that move differently.
        """
        return await self._call(
            "GET",
            "/api/v1/plans/{plan_id}/compare/{other_id}",
            models.PlanComparisonEnvelope,
            parts={"plan_id": plan_id, "other_id": other_id},
            query={"limit": limit, "cursor": cursor},
        )

    async def iter_compare_plans(
        self, plan_id: str, other_id: str, *, limit: int | None = None
    ) -> AsyncIterator[models.PlanDifference]:
        """Every row of `compare_plans`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.compare_plans(plan_id, other_id, limit=limit, cursor=cursor)).data
            for row in page.differences:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def list_plan_moves(
        self,
        plan_id: str,
        *,
        at: str | None = None,
        starts_at: str | None = None,
        speed_kmh: float | None = None,
        state: Literal["due", "on_the_way", "done", "unknown"] | None = None,
    ) -> models.PlanMovesEnvelope:
        """Moves of a plan that are due, on the way or done at a time

        By the clock: all vehicles leave at `starts_at` and take the minutes of their move. The service does
        not follow vehicles.
        """
        return await self._call(
            "GET",
            "/api/v1/plans/{plan_id}/moves",
            models.PlanMovesEnvelope,
            parts={"plan_id": plan_id},
            query={"at": at, "starts_at": starts_at, "speed_kmh": speed_kmh, "state": state},
        )

    async def forecast_demand(self, **body: Unpack[requests.ForecastRequest]) -> models.ForecastDataEnvelope:
        """Demand forecast per location

        One value per step of `step_hours` (default 24): 168 hours give 7 values, each the expected demand
        of its step. Only observations before `start_date` or `start_at` are used, so a start in the past is
        a backtest.
        """
        return await self._call("POST", "/api/v1/forecast", models.ForecastDataEnvelope, body=body)

    @overload
    async def backtest_forecast(
        self,
        *,
        wait: Literal[True] = True,
        idempotency_key: str | None = None,
        **body: Unpack[requests.BacktestRequest],
    ) -> models.BacktestResponse: ...

    @overload
    async def backtest_forecast(
        self, *, wait: Literal[False], idempotency_key: str | None = None, **body: Unpack[requests.BacktestRequest]
    ) -> AsyncPendingJob[models.BacktestResponse]: ...

    async def backtest_forecast(
        self, *, wait: bool = True, idempotency_key: str | None = None, **body: Unpack[requests.BacktestRequest]
    ) -> models.BacktestResponse | AsyncPendingJob[models.BacktestResponse]:
        """Accuracy of forecasts on the stored history

        Forecasts from several past dates, each with the data known then, are compared with the actual
        demand: WAPE, MASE, bias and coverage of the intervals, per location and overall, next to two simple
        methods. A job, waited for like an optimization.

        With `wait=False` it returns the job at once.
        """
        return await self._start(
            "/api/v1/forecast/backtest", models.BacktestResponse, wait=wait, idempotency_key=idempotency_key, body=body
        )

    @overload
    async def make_decision(
        self,
        *,
        wait: Literal[True] = True,
        idempotency_key: str | None = None,
        **body: Unpack[requests.DecisionRequest],
    ) -> models.DecisionResponse: ...

    @overload
    async def make_decision(
        self, *, wait: Literal[False], idempotency_key: str | None = None, **body: Unpack[requests.DecisionRequest]
    ) -> AsyncPendingJob[models.DecisionResponse]: ...

    async def make_decision(
        self, *, wait: bool = True, idempotency_key: str | None = None, **body: Unpack[requests.DecisionRequest]
    ) -> models.DecisionResponse | AsyncPendingJob[models.DecisionResponse]:
        """From the fleet and the observed demand to a plan, in one job

        Takes the stored fleet (or the one given), scores risk, leaves out vehicles at or above a threshold,
        forecasts demand and optimizes. All inputs are stored with the decision. Waited for like an
        optimization.

        With `wait=False` it returns the job at once.
        """
        return await self._start(
            "/api/v1/decisions", models.DecisionResponse, wait=wait, idempotency_key=idempotency_key, body=body
        )

    async def list_decisions(
        self, *, limit: int | None = None, cursor: str | None = None
    ) -> models.DecisionListEnvelope:
        """Decisions, newest first, without their inputs and results

        A decision is listed as soon as a worker has collected its inputs.
        """
        return await self._call(
            "GET", "/api/v1/decisions", models.DecisionListEnvelope, query={"limit": limit, "cursor": cursor}
        )

    async def iter_decisions(self, *, limit: int | None = None) -> AsyncIterator[models.DecisionListItem]:
        """Every row of `list_decisions`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.list_decisions(limit=limit, cursor=cursor)).data
            for row in page.decisions:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def get_decision(self, decision_id: str) -> models.DecisionEnvelope:
        """A decision with its inputs, and its result once it has ended"""
        return await self._call(
            "GET", "/api/v1/decisions/{decision_id}", models.DecisionEnvelope, parts={"decision_id": decision_id}
        )

    async def create_schedule(self, **body: Unpack[requests.ScheduleRequest]) -> models.ScheduleEnvelope:
        """Make decisions at certain times

        Each occurrence makes exactly one job, a decision, as its caller would by `POST /api/v1/decisions`.
        It makes none if the job of the occurrence before has not ended, or if no worker was running in time
        and `missed` says so.
        """
        return await self._call("POST", "/api/v1/schedules", models.ScheduleEnvelope, body=body)

    async def list_schedules(
        self, *, limit: int | None = None, cursor: str | None = None
    ) -> models.ScheduleListEnvelope:
        """Schedules, newest first, without their decisions"""
        return await self._call(
            "GET", "/api/v1/schedules", models.ScheduleListEnvelope, query={"limit": limit, "cursor": cursor}
        )

    async def iter_schedules(self, *, limit: int | None = None) -> AsyncIterator[models.ScheduleSummary]:
        """Every row of `list_schedules`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.list_schedules(limit=limit, cursor=cursor)).data
            for row in page.schedules:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def get_schedule(self, schedule_id: str) -> models.ScheduleEnvelope:
        """A schedule, its next occurrences and the jobs of its last ones

        `GET /api/v1/jobs` and `/api/v1/plans` list all of its jobs and plans by `schedule_id`.
        """
        return await self._call(
            "GET", "/api/v1/schedules/{schedule_id}", models.ScheduleEnvelope, parts={"schedule_id": schedule_id}
        )

    async def change_schedule(
        self, schedule_id: str, **body: Unpack[requests.SchedulePatch]
    ) -> models.ScheduleEnvelope:
        """Change, pause or resume a schedule

        The fields in the body are changed, the rest stay; `decision` is replaced as a whole. Jobs that
        exist stay as they are. Occurrences of the time while it was paused are not made up for.
        """
        return await self._call(
            "PATCH",
            "/api/v1/schedules/{schedule_id}",
            models.ScheduleEnvelope,
            parts={"schedule_id": schedule_id},
            body=body,
        )

    async def delete_schedule(self, schedule_id: str) -> models.RemovedScheduleEnvelope:
        """Delete a schedule

        Its jobs stay, also one that is running; `DELETE /api/v1/jobs/{job_id}` cancels it.
        """
        return await self._call(
            "DELETE",
            "/api/v1/schedules/{schedule_id}",
            models.RemovedScheduleEnvelope,
            parts={"schedule_id": schedule_id},
        )

    @overload
    async def create_replay(
        self, *, wait: Literal[True] = True, idempotency_key: str | None = None, **body: Unpack[requests.ReplayRequest]
    ) -> models.ReplayResponse: ...

    @overload
    async def create_replay(
        self, *, wait: Literal[False], idempotency_key: str | None = None, **body: Unpack[requests.ReplayRequest]
    ) -> AsyncPendingJob[models.ReplayResponse]: ...

    async def create_replay(
        self, *, wait: bool = True, idempotency_key: str | None = None, **body: Unpack[requests.ReplayRequest]
    ) -> models.ReplayResponse | AsyncPendingJob[models.ReplayResponse]:
        """What plans would have brought on the stored demand

        Sends a fleet through past demand, hour by hour, once for each policy. Plans are made with what was
        known when their hour began. A job, waited for like an optimization.

        With `wait=False` it returns the job at once.
        """
        return await self._start(
            "/api/v1/replays", models.ReplayResponse, wait=wait, idempotency_key=idempotency_key, body=body
        )

    async def list_replays(self, *, limit: int | None = None, cursor: str | None = None) -> models.ReplayListEnvelope:
        """The replays that have ended, newest first, without their series"""
        return await self._call(
            "GET", "/api/v1/replays", models.ReplayListEnvelope, query={"limit": limit, "cursor": cursor}
        )

    async def iter_replays(self, *, limit: int | None = None) -> AsyncIterator[models.ReplaySummary]:
        """Every row of `list_replays`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.list_replays(limit=limit, cursor=cursor)).data
            for row in page.replays:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def get_replay(self, replay_id: str) -> models.ReplayEnvelope:
        """A replay as JSON or CSV"""
        return await self._call(
            "GET", "/api/v1/replays/{replay_id}", models.ReplayEnvelope, parts={"replay_id": replay_id}
        )

    async def get_replay_csv(
        self,
        replay_id: str,
        *,
        part: Literal["policies", "hours", "locations", "locations_by_hour"] | None = None,
        spreadsheet: bool | None = None,
    ) -> str:
        """A replay as JSON or CSV

        As CSV.
        """
        return await self._call_text(
            "GET",
            "/api/v1/replays/{replay_id}",
            parts={"replay_id": replay_id},
            query={"part": part, "spreadsheet": spreadsheet},
        )

    async def compare_replays(self, replay_id: str, other_replay_id: str) -> models.ReplayComparisonEnvelope:
        """Differences between this replay and another, policy by policy"""
        return await self._call(
            "GET",
            "/api/v1/replays/{replay_id}/compare/{other_replay_id}",
            models.ReplayComparisonEnvelope,
            parts={"replay_id": replay_id, "other_replay_id": other_replay_id},
        )

    async def list_locations(
        self, *, limit: int | None = None, cursor: str | None = None
    ) -> models.LocationListEnvelope:
        """The locations, by id

        The whole list in one streamed answer, or in pages with `limit` and `cursor`.
        """
        return await self._call(
            "GET", "/api/v1/data/locations", models.LocationListEnvelope, query={"limit": limit, "cursor": cursor}
        )

    async def iter_locations(self, *, limit: int | None = None) -> AsyncIterator[models.Location]:
        """Every row of `list_locations`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.list_locations(limit=limit, cursor=cursor)).data
            for row in page.locations:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def put_locations(
        self, *, replace: bool | None = None, cascade: bool | None = None, **body: Unpack[requests.LocationUpload]
    ) -> models.UpsertCountsEnvelope:
        """Create or replace locations

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. `time_zone`, `active`, `expected_daily_demand` and
        `priority` that a row does not give stay as they are. With `replace` all other locations are
        deleted; one with vehicles, observations, events, travel or trip flows is refused.
        """
        return await self._call(
            "PUT",
            "/api/v1/data/locations",
            models.UpsertCountsEnvelope,
            query={"replace": replace, "cascade": cascade},
            body=body,
        )

    async def put_locations_csv(
        self, csv: Csv, *, replace: bool | None = None, cascade: bool | None = None
    ) -> models.UpsertCountsEnvelope:
        """Create or replace locations

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. `time_zone`, `active`, `expected_daily_demand` and
        `priority` that a row does not give stay as they are. With `replace` all other locations are
        deleted; one with vehicles, observations, events, travel or trip flows is refused.

        From CSV: a text, bytes, the path of a file, or a data frame.
        """
        return await self._call(
            "PUT",
            "/api/v1/data/locations",
            models.UpsertCountsEnvelope,
            query={"replace": replace, "cascade": cascade},
            csv=csv,
        )

    async def list_fleet(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: Literal["operational", "maintenance", "downtime"] | None = None,
        location_id: int | None = None,
    ) -> models.FleetListEnvelope:
        """The fleet, by vehicle id, and the number of vehicles per status

        The whole fleet in one streamed answer, or in pages with `limit` and `cursor`. `summary` counts the
        whole fleet, regardless of page and filter. `data.fleet` can be sent as `fleet_state.vehicles` to
        POST /api/v1/optimize.
        """
        return await self._call(
            "GET",
            "/api/v1/data/fleet",
            models.FleetListEnvelope,
            query={"limit": limit, "cursor": cursor, "status": status, "location_id": location_id},
        )

    async def iter_fleet(
        self,
        *,
        limit: int | None = None,
        status: Literal["operational", "maintenance", "downtime"] | None = None,
        location_id: int | None = None,
    ) -> AsyncIterator[models.FleetVehicle]:
        """Every row of `list_fleet`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.list_fleet(limit=limit, status=status, location_id=location_id, cursor=cursor)).data
            for row in page.fleet:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def put_fleet(
        self, *, replace: bool | None = None, **body: Unpack[requests.FleetUpload]
    ) -> models.UpsertCountsEnvelope:
        """Create or replace vehicles

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. A vehicle without `status` is operational, one without
        `capacity` has 1; dates and utilization that are not given stay as they are. Other vehicles stay as
        they are; with `replace` they are deleted.
        """
        return await self._call(
            "PUT", "/api/v1/data/fleet", models.UpsertCountsEnvelope, query={"replace": replace}, body=body
        )

    async def put_fleet_csv(self, csv: Csv, *, replace: bool | None = None) -> models.UpsertCountsEnvelope:
        """Create or replace vehicles

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. A vehicle without `status` is operational, one without
        `capacity` has 1; dates and utilization that are not given stay as they are. Other vehicles stay as
        they are; with `replace` they are deleted.

        From CSV: a text, bytes, the path of a file, or a data frame.
        """
        return await self._call(
            "PUT", "/api/v1/data/fleet", models.UpsertCountsEnvelope, query={"replace": replace}, csv=csv
        )

    async def change_vehicle(
        self, vehicle_id: str, **body: Unpack[requests.FleetVehiclePatch]
    ) -> models.FleetVehicleEnvelope:
        """Change one vehicle

        A JSON merge patch (also taken as `application/json`): the fields in the body are changed, the rest
        stay; null is refused. The answer is the vehicle as GET /api/v1/data/fleet shows it.
        """
        return await self._call(
            "PATCH",
            "/api/v1/data/fleet/{vehicle_id}",
            models.FleetVehicleEnvelope,
            parts={"vehicle_id": vehicle_id},
            body=body,
            media_type="application/merge-patch+json",
        )

    async def delete_vehicle(self, vehicle_id: str) -> models.RemovalEnvelope:
        """Delete one vehicle

        Plans and decisions keep their data about it.
        """
        return await self._call(
            "DELETE", "/api/v1/data/fleet/{vehicle_id}", models.RemovalEnvelope, parts={"vehicle_id": vehicle_id}
        )

    async def add_demand(self, **body: Unpack[requests.DemandUpload]) -> models.UpsertCountsEnvelope:
        """Add or correct observed hourly demand

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. `hour` is the start of a full UTC hour, with any offset.
        Forecasts use the observations at once.
        """
        return await self._call("POST", "/api/v1/data/demand", models.UpsertCountsEnvelope, body=body)

    async def add_demand_csv(self, csv: Csv) -> models.UpsertCountsEnvelope:
        """Add or correct observed hourly demand

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. `hour` is the start of a full UTC hour, with any offset.
        Forecasts use the observations at once.

        From CSV: a text, bytes, the path of a file, or a data frame.
        """
        return await self._call("POST", "/api/v1/data/demand", models.UpsertCountsEnvelope, csv=csv)

    async def list_demand(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        location_id: int | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.DemandListEnvelope:
        """Observed hourly demand, by location and hour

        The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv`
        gives one line per observation, as `POST` takes it.
        """
        return await self._call(
            "GET",
            "/api/v1/data/demand",
            models.DemandListEnvelope,
            query={"limit": limit, "cursor": cursor, "location_id": location_id, "from": from_, "to": to},
        )

    async def iter_demand(
        self,
        *,
        limit: int | None = None,
        location_id: int | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.DemandObservation]:
        """Every row of `list_demand`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (
                await self.list_demand(limit=limit, location_id=location_id, from_=from_, to=to, cursor=cursor)
            ).data
            for row in page.observations:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def list_demand_csv(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        location_id: int | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> str:
        """Observed hourly demand, by location and hour

        The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv`
        gives one line per observation, as `POST` takes it.

        As CSV.
        """
        return await self._call_text(
            "GET",
            "/api/v1/data/demand",
            query={"limit": limit, "cursor": cursor, "location_id": location_id, "from": from_, "to": to},
        )

    async def delete_demand(
        self, *, location_id: int | None = None, from_: str | None = None, to: str | None = None
    ) -> models.RemovalEnvelope:
        """Delete observed hourly demand

        Deletes the observations of a location, of a time, or of both: what GET lists with the same
        parameters. At least one of them is required. Forecasts forget the observations at once; plans and
        decisions keep what they say.
        """
        return await self._call(
            "DELETE",
            "/api/v1/data/demand",
            models.RemovalEnvelope,
            query={"location_id": location_id, "from": from_, "to": to},
        )

    async def put_events(
        self, *, replace: bool | None = None, **body: Unpack[requests.EventUpload]
    ) -> models.UpsertCountsEnvelope:
        """Create or replace events that change demand

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. An event covers the hours from `from` to before `to`,
        full UTC hours with any offset, of one location or of all (`location_id` null; in CSV an empty
        cell). Forecasts multiply its hours by `factor`; without one they learn from past events of the same
        `kind`. An event that is already stored is replaced as a whole. With `replace` all other events are
        deleted.
        """
        return await self._call(
            "PUT", "/api/v1/data/events", models.UpsertCountsEnvelope, query={"replace": replace}, body=body
        )

    async def put_events_csv(self, csv: Csv, *, replace: bool | None = None) -> models.UpsertCountsEnvelope:
        """Create or replace events that change demand

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. An event covers the hours from `from` to before `to`,
        full UTC hours with any offset, of one location or of all (`location_id` null; in CSV an empty
        cell). Forecasts multiply its hours by `factor`; without one they learn from past events of the same
        `kind`. An event that is already stored is replaced as a whole. With `replace` all other events are
        deleted.

        From CSV: a text, bytes, the path of a file, or a data frame.
        """
        return await self._call(
            "PUT", "/api/v1/data/events", models.UpsertCountsEnvelope, query={"replace": replace}, csv=csv
        )

    async def list_events(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        kind: str | None = None,
        location_id: int | None = None,
    ) -> models.EventListEnvelope:
        """Events that change demand, by id

        The whole list in one streamed answer, or in pages with `limit` and `cursor`.
        """
        return await self._call(
            "GET",
            "/api/v1/data/events",
            models.EventListEnvelope,
            query={"limit": limit, "cursor": cursor, "kind": kind, "location_id": location_id},
        )

    async def iter_events(
        self, *, limit: int | None = None, kind: str | None = None, location_id: int | None = None
    ) -> AsyncIterator[models.DemandEvent]:
        """Every row of `list_events`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.list_events(limit=limit, kind=kind, location_id=location_id, cursor=cursor)).data
            for row in page.events:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def put_travel(
        self, *, replace: bool | None = None, **body: Unpack[requests.TravelUpload]
    ) -> models.UpsertCountsEnvelope:
        """Create or replace travel between locations

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. Kilometres and minutes from one location to another; the
        way back is a row of its own. Other pairs stay as they are; with `replace` they are deleted.
        """
        return await self._call(
            "PUT", "/api/v1/data/travel", models.UpsertCountsEnvelope, query={"replace": replace}, body=body
        )

    async def put_travel_csv(self, csv: Csv, *, replace: bool | None = None) -> models.UpsertCountsEnvelope:
        """Create or replace travel between locations

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. Kilometres and minutes from one location to another; the
        way back is a row of its own. Other pairs stay as they are; with `replace` they are deleted.

        From CSV: a text, bytes, the path of a file, or a data frame.
        """
        return await self._call(
            "PUT", "/api/v1/data/travel", models.UpsertCountsEnvelope, query={"replace": replace}, csv=csv
        )

    async def list_travel(
        self, *, limit: int | None = None, cursor: str | None = None, from_location_id: int | None = None
    ) -> models.TravelListEnvelope:
        """Travel between locations, by the ids of both

        The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv`
        gives one line per pair.
        """
        return await self._call(
            "GET",
            "/api/v1/data/travel",
            models.TravelListEnvelope,
            query={"limit": limit, "cursor": cursor, "from_location_id": from_location_id},
        )

    async def iter_travel(
        self, *, limit: int | None = None, from_location_id: int | None = None
    ) -> AsyncIterator[models.TravelPair]:
        """Every row of `list_travel`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.list_travel(limit=limit, from_location_id=from_location_id, cursor=cursor)).data
            for row in page.travel:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def list_travel_csv(
        self, *, limit: int | None = None, cursor: str | None = None, from_location_id: int | None = None
    ) -> str:
        """Travel between locations, by the ids of both

        The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv`
        gives one line per pair.

        As CSV.
        """
        return await self._call_text(
            "GET", "/api/v1/data/travel", query={"limit": limit, "cursor": cursor, "from_location_id": from_location_id}
        )

    async def put_trip_flows(
        self, *, replace: bool | None = None, **body: Unpack[requests.TripFlowUpload]
    ) -> models.UpsertCountsEnvelope:
        """Create or replace counts of trips between locations

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. How many trips from one location ended at another: in an
        hour of the week or, without `hour_of_week`, in all hours for which the first location has no rows.
        Only the shares of a location matter, not how long was counted. Other rows stay as they are; with
        `replace` they are deleted.
        """
        return await self._call(
            "PUT", "/api/v1/data/trip-flows", models.UpsertCountsEnvelope, query={"replace": replace}, body=body
        )

    async def put_trip_flows_csv(self, csv: Csv, *, replace: bool | None = None) -> models.UpsertCountsEnvelope:
        """Create or replace counts of trips between locations

        JSON, or CSV (`Content-Type: text/csv`, the columns of `npm run import`), plain or with `Content-
        Encoding: gzip`. All or nothing: with any fault nothing is stored, and every fault is reported with
        its row or line. 201 if a row was created. How many trips from one location ended at another: in an
        hour of the week or, without `hour_of_week`, in all hours for which the first location has no rows.
        Only the shares of a location matter, not how long was counted. Other rows stay as they are; with
        `replace` they are deleted.

        From CSV: a text, bytes, the path of a file, or a data frame.
        """
        return await self._call(
            "PUT", "/api/v1/data/trip-flows", models.UpsertCountsEnvelope, query={"replace": replace}, csv=csv
        )

    async def list_trip_flows(
        self, *, limit: int | None = None, cursor: str | None = None, from_location_id: int | None = None
    ) -> models.TripFlowListEnvelope:
        """Counted trips between locations, by the ids of both and the hour of the week

        The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv`
        gives one line per pair and hour.
        """
        return await self._call(
            "GET",
            "/api/v1/data/trip-flows",
            models.TripFlowListEnvelope,
            query={"limit": limit, "cursor": cursor, "from_location_id": from_location_id},
        )

    async def iter_trip_flows(
        self, *, limit: int | None = None, from_location_id: int | None = None
    ) -> AsyncIterator[models.TripFlow]:
        """Every row of `list_trip_flows`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.list_trip_flows(limit=limit, from_location_id=from_location_id, cursor=cursor)).data
            for row in page.trip_flows:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def list_trip_flows_csv(
        self, *, limit: int | None = None, cursor: str | None = None, from_location_id: int | None = None
    ) -> str:
        """Counted trips between locations, by the ids of both and the hour of the week

        The whole list in one streamed answer, or in pages with `limit` and `cursor`. `Accept: text/csv`
        gives one line per pair and hour.

        As CSV.
        """
        return await self._call_text(
            "GET",
            "/api/v1/data/trip-flows",
            query={"limit": limit, "cursor": cursor, "from_location_id": from_location_id},
        )

    async def change_location(
        self, location_id: int, **body: Unpack[requests.LocationPatch]
    ) -> models.LocationEnvelope:
        """Change one location

        A JSON merge patch: the fields in the body are changed, the rest stay; null is refused. `active`
        false retires the location: it keeps its vehicles and its history, but is planned only if a request
        names it.
        """
        return await self._call(
            "PATCH",
            "/api/v1/data/locations/{location_id}",
            models.LocationEnvelope,
            parts={"location_id": location_id},
            body=body,
            media_type="application/merge-patch+json",
        )

    async def delete_location(self, location_id: int, *, cascade: bool | None = None) -> models.RemovalEnvelope:
        """Delete one location

        Refused with 409 while it has vehicles, observations, events, travel or trip flows, unless `cascade`
        is true. Plans and decisions keep their data about it.
        """
        return await self._call(
            "DELETE",
            "/api/v1/data/locations/{location_id}",
            models.RemovalEnvelope,
            parts={"location_id": location_id},
            query={"cascade": cascade},
        )

    async def delete_event(self, event_id: str) -> models.RemovalEnvelope:
        """Delete one event

        Forecasts stop using it at once.
        """
        return await self._call(
            "DELETE", "/api/v1/data/events/{event_id}", models.RemovalEnvelope, parts={"event_id": event_id}
        )

    async def list_audit_entries(
        self,
        *,
        actor: str | None = None,
        operation: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> models.AuditListEnvelope:
        """Requests that may have changed something, newest first

        Noted with the setting AUDIT.
        """
        return await self._call(
            "GET",
            "/api/v1/audit",
            models.AuditListEnvelope,
            query={
                "actor": actor,
                "operation": operation,
                "created_after": created_after,
                "created_before": created_before,
                "limit": limit,
                "cursor": cursor,
            },
        )

    async def iter_audit_entries(
        self,
        *,
        actor: str | None = None,
        operation: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[models.AuditEntry]:
        """Every row of `list_audit_entries`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (
                await self.list_audit_entries(
                    actor=actor,
                    operation=operation,
                    created_after=created_after,
                    created_before=created_before,
                    limit=limit,
                    cursor=cursor,
                )
            ).data
            for row in page.entries:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def list_webhooks(self, *, limit: int | None = None, cursor: str | None = None) -> models.WebhookListEnvelope:
        """Webhooks, newest first"""
        return await self._call(
            "GET", "/api/v1/webhooks", models.WebhookListEnvelope, query={"limit": limit, "cursor": cursor}
        )

    async def iter_webhooks(self, *, limit: int | None = None) -> AsyncIterator[models.Webhook]:
        """Every row of `list_webhooks`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.list_webhooks(limit=limit, cursor=cursor)).data
            for row in page.webhooks:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def create_webhook(self, **body: Unpack[requests.WebhookRequest]) -> models.WebhookWithSecretEnvelope:
        """Be told of events

        From now on events are sent to the URL, signed by the Standard Webhooks specification, at least once
        each. The secret is in this answer only.
        """
        return await self._call("POST", "/api/v1/webhooks", models.WebhookWithSecretEnvelope, body=body)

    async def get_webhook(self, webhook_id: str) -> models.WebhookEnvelope:
        """A webhook"""
        return await self._call(
            "GET", "/api/v1/webhooks/{webhook_id}", models.WebhookEnvelope, parts={"webhook_id": webhook_id}
        )

    async def change_webhook(self, webhook_id: str, **body: Unpack[requests.WebhookPatch]) -> models.WebhookEnvelope:
        """Change a webhook, switch it off or on

        The fields in the body are changed, the rest stay. What waits is sent to the new URL. Events that
        happen while it is off are not noted for it.
        """
        return await self._call(
            "PATCH",
            "/api/v1/webhooks/{webhook_id}",
            models.WebhookEnvelope,
            parts={"webhook_id": webhook_id},
            body=body,
        )

    async def delete_webhook(self, webhook_id: str) -> models.RemovedWebhookEnvelope:
        """Delete a webhook

        What waits for it is not sent any more.
        """
        return await self._call(
            "DELETE", "/api/v1/webhooks/{webhook_id}", models.RemovedWebhookEnvelope, parts={"webhook_id": webhook_id}
        )

    async def rotate_webhook_secret(self, webhook_id: str) -> models.WebhookWithSecretEnvelope:
        """Give a webhook another secret

        The secret is in this answer only. For 24 hours the one before signs too: `webhook-signature` then
        has two signatures, and one that fits is enough.
        """
        return await self._call(
            "POST",
            "/api/v1/webhooks/{webhook_id}/secret",
            models.WebhookWithSecretEnvelope,
            parts={"webhook_id": webhook_id},
        )

    async def list_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        status: Literal["waiting", "delivered", "dead"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> models.DeliveryListEnvelope:
        """What was sent to a webhook, or waits, newest first"""
        return await self._call(
            "GET",
            "/api/v1/webhooks/{webhook_id}/deliveries",
            models.DeliveryListEnvelope,
            parts={"webhook_id": webhook_id},
            query={"status": status, "limit": limit, "cursor": cursor},
        )

    async def iter_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        status: Literal["waiting", "delivered", "dead"] | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[models.WebhookDelivery]:
        """Every row of `list_webhook_deliveries`, page after page; `limit` is the size of a page."""
        cursor: str | None = None
        while True:
            page = (await self.list_webhook_deliveries(webhook_id, status=status, limit=limit, cursor=cursor)).data
            for row in page.deliveries:
                yield row
            cursor = page.next_cursor
            if cursor is None:
                return

    async def resend_webhook_delivery(self, webhook_id: str, delivery_id: str) -> models.WebhookDeliveryEnvelope:
        """Send an event again

        It is sent within seconds, with the same `webhook-id`, and tried for another day; while the webhook
        is off it waits.
        """
        return await self._call(
            "POST",
            "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend",
            models.WebhookDeliveryEnvelope,
            parts={"webhook_id": webhook_id, "delivery_id": delivery_id},
        )

    async def score_risk(self, **body: Unpack[requests.RiskRequest]) -> models.RiskScoreListEnvelope:
        """Risk score of each vehicle

        score = 0.3·age + 0.4·utilization + 0.3·maintenance, each factor from 0 to 1; below 0.4 low, from
        0.7 high. Weights, scales and thresholds are settings.
        """
        return await self._call("POST", "/api/v1/risk/score", models.RiskScoreListEnvelope, body=body)
