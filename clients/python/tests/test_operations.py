"""Decisions, forecasts, risk, plans, lists and schedules."""

from __future__ import annotations

import inspect
import json
import sys
from datetime import datetime, timezone

import pandas
import polars
import pytest
from bodies import three_zones

from fleet_decisions import AsyncFleet, Fleet, InvalidInput, models, to_dataframe


def test_a_decision_is_made_and_found_again(city: Fleet) -> None:
    answer = city.make_decision(horizon_hours=6)
    frame = answer.to_dataframe()
    assert list(frame.columns[:4]) == ["location_id", "name", "demand", "vehicles_before"]
    assert len(frame) == 73
    assert frame["vehicles_before"].sum() == frame["vehicles_after"].sum()

    decision = city.get_decision(answer.data.decision_id).data
    assert decision.result == answer
    assert decision.inputs is not None
    assert decision.inputs.forecast.metadata.horizon_hours == 6
    assert answer.data.decision_id in {row.decision_id for row in city.iter_decisions(limit=1)}


def test_a_plan_is_read_in_parts_and_compared(city: Fleet) -> None:
    first, second = (city.optimize(**three_zones(distance)).metadata.plan_id for distance in (10, 9))
    plan = city.get_plan(first).data
    assert plan.certificate.gap == 0
    assert len(plan.to_dataframe("allocation_plan")) == 6
    assert city.get_plan_csv(first, part="moves").startswith("source_location")
    comparison = city.compare_plans(first, second).data
    assert comparison.vehicles.different == 0
    assert list(city.iter_compare_plans(first, second)) == comparison.differences == []
    assert city.list_plan_moves(first).data.counts.on_the_way.vehicles == 3


def test_pages_are_followed_to_the_end(city: Fleet) -> None:
    for _ in range(3):
        city.optimize(**three_zones())
    plans = list(city.iter_plans(limit=2, max_cost=8))
    assert len(plans) >= 3
    assert len({plan.plan_id for plan in plans}) == len(plans)
    assert list(to_dataframe(plans).columns[:3]) == ["plan_id", "job_id", "created_at"]
    assert sum(1 for _ in city.iter_locations(limit=20)) == 73


def test_forecasts_become_a_row_per_location_and_step(city: Fleet) -> None:
    answer = city.forecast_demand(
        location_ids=[161, 236], horizon_hours=4, features={"include_intervals": True, "step_hours": 1}
    )
    frame = answer.to_dataframe()
    assert list(frame.columns) == ["location_id", "starts_at", "expected", "lower", "upper"]
    assert len(frame) == 8
    assert (frame["lower"] <= frame["expected"]).all()
    assert frame["starts_at"].iloc[1] - frame["starts_at"].iloc[0] == pandas.Timedelta(hours=1)


def test_risk_is_scored_and_numbers_of_frames_may_be_sent(city: Fleet) -> None:
    fleet = pandas.DataFrame(
        {"id": ["V1"], "age_days": [365], "utilization_rate": [0.75], "days_since_maintenance": [14]}
    )
    answer = city.score_risk(vehicles=fleet.to_dict("records"))
    row = answer.to_dataframe().iloc[0]
    assert (row["risk_score"], row["risk_category"]) == (0.45, "medium")
    assert row["factors.utilization_contribution"] == 0.2


def test_frames_are_of_the_library_that_is_asked_for(city: Fleet) -> None:
    answer = city.list_locations(limit=3)
    assert isinstance(answer.to_dataframe(), pandas.DataFrame)
    assert isinstance(answer.to_dataframe(library="polars"), polars.DataFrame)
    assert answer.to_dataframe(library="polars").columns == list(answer.to_dataframe().columns)
    with pytest.raises(ValueError, match="neither pandas nor polars"):
        answer.to_dataframe(library="arrow")
    with pytest.raises(ValueError, match="no list 'moves': locations"):
        answer.to_dataframe("moves")


def test_without_pandas_and_polars_only_frames_are_missing(city: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = city.list_locations(limit=3)
    for name in ("pandas", "polars"):
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(ImportError, match="pip install pandas"):
        answer.to_dataframe()


def test_an_answer_of_a_newer_service_is_read(city: Fleet) -> None:
    answer = json.loads(city.optimize(**three_zones()).model_dump_json(by_alias=True))
    answer["data"] |= {"solver_status": "nearly", "forecast_of_tides": {"high": [1.5]}}
    for item in answer["data"]["allocation_plan"]:
        item |= {"assignment": "teleport", "seats": 4}
    read = models.OptimizationResponse.model_validate(answer)
    assert read.data.solver_status == "nearly"
    assert read.data.model_extra == {"forecast_of_tides": {"high": [1.5]}}
    frame = read.to_dataframe("allocation_plan")
    assert set(frame["assignment"]) == {"teleport"}
    assert json.loads(read.model_dump_json(by_alias=True, exclude_unset=True)) == answer


def test_a_backtest_is_a_job_too(city: Fleet) -> None:
    answer = city.backtest_forecast(location_ids=[161], horizon_hours=24, origins=1)
    assert answer.data.overall.steps == 1


def test_a_replay_says_what_policies_would_have_brought(city: Fleet) -> None:
    answer = city.create_replay(
        from_="2017-04-27",
        to="2017-04-28",
        location_ids=[48, 161],
        fleet={"size": 200},
        trips_per_vehicle_hour=2,
        unmet_demand_cost=6,
        policies=[{"mode": "none"}, {"mode": "static"}],
    )
    frame = answer.to_dataframe()
    assert list(frame["mode"]) == ["none", "static"]
    assert frame["served_share"].is_monotonic_increasing
    assert city.get_replay(answer.data.replay_id).data == answer.data
    assert answer.data.replay_id in {row.replay_id for row in city.iter_replays()}


def test_schedules_are_stored_changed_and_deleted(idle: Fleet) -> None:
    made = idle.create_schedule(name="nightly", cron="0 3 * * *", time_zone="UTC", paused=True, decision={}).data
    assert made.next_at is None
    changed = idle.change_schedule(made.schedule_id, paused=False, decision={"horizon_hours": 6}).data
    assert changed.next_at is not None
    assert changed.next_at.tzinfo is not None
    assert [row.name for row in idle.iter_schedules()] == ["nightly"]
    idle.delete_schedule(made.schedule_id)
    assert list(idle.iter_schedules()) == []


def test_data_goes_in_as_rows_as_frames_and_as_csv_and_comes_out(idle: Fleet) -> None:
    counts = idle.put_locations(locations=[{"id": 9, "name": "Pier 9", "latitude": 40.5, "longitude": -74}]).data
    assert (counts.created, counts.updated) == (1, 0)
    assert idle.change_location(9, priority=2).data.priority == 2

    hours = pandas.date_range("2026-01-01", periods=24, freq="h", tz="UTC")
    demand = pandas.DataFrame({"location_id": 9, "hour": hours, "demand": 2.0})
    assert idle.add_demand_csv(demand).data.created == 24
    assert idle.add_demand_csv(polars.DataFrame(demand.to_dict("list"))).data.updated == 24
    hour = datetime(2026, 1, 2, tzinfo=timezone.utc)
    counts = idle.add_demand(observations=[{"location_id": 9, "hour": hour, "demand": 1.5}]).data
    assert counts.created == 1

    assert idle.put_fleet_csv("vehicle_id,location_id\nP1,9\nP2,9\n").data.created == 2
    assert idle.change_vehicle("P1", status="maintenance").data.status == "maintenance"
    assert idle.list_fleet(location_id=9).data.summary.maintenance == 1
    assert [vehicle.vehicle_id for vehicle in idle.iter_fleet(status="operational", location_id=9)] == ["P2"]

    assert (
        idle.put_events(
            events=[
                {
                    "event_id": "e",
                    "location_id": 9,
                    "from": "2026-01-05T00:00Z",
                    "to": "2026-01-06T00:00Z",
                    "kind": "closure",
                }
            ]
        ).data.created
        == 1
    )
    event = next(idle.iter_events(location_id=9))
    assert event.from_ < event.to
    assert (
        idle.put_travel_csv("from_location_id,to_location_id,distance_km,duration_minutes\n9,1,3,5\n").data.created == 1
    )
    assert idle.list_travel_csv(from_location_id=9).splitlines()[1] == "9,1,3,5"

    idle.delete_event("e")
    removed = idle.delete_location(9, cascade=True).data.removed
    assert (removed.vehicles, removed.observations) == (2, 25)


def test_faults_of_csv_are_named_by_line(idle: Fleet) -> None:
    with pytest.raises(InvalidInput) as caught:
        idle.put_fleet_csv(b"vehicle_id,location_id\nP1,1\nP2,nowhere\n")
    assert caught.value.field == "line 3"


def test_both_clients_have_the_same_methods() -> None:
    def methods(client: type) -> dict[str, list[str]]:
        found = inspect.getmembers(client, inspect.isfunction)
        return {name: list(inspect.signature(one).parameters) for name, one in found if not name.startswith("_")}

    sync, asynchronous = methods(Fleet), methods(AsyncFleet)
    assert sync.pop("close") == asynchronous.pop("aclose")
    assert sync == asynchronous
    assert len(sync) > 50
