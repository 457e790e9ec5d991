"""Errors: wrong input, unknown things, problems without a plan."""

import httpx
import pytest
from bodies import three_zones

from fleet_decisions import (
    Fleet,
    InfeasibleProblem,
    InvalidInput,
    NotFound,
    Relaxation,
    Unavailable,
    UnexpectedAnswer,
)
from fleet_decisions._retries import can_be_repeated


def test_wrong_input_names_every_fault(city: Fleet) -> None:
    with pytest.raises(InvalidInput) as caught:
        city.make_decision(horizon_hours=0, demand_scale=-1)
    error = caught.value
    assert {fault.field for fault in error.errors} == {"horizon_hours", "demand_scale"}
    assert (error.status, error.code) == (400, "VALIDATION_ERROR")
    assert error.field in ("horizon_hours", "demand_scale")
    assert error.message in str(error)
    assert error.request_id in str(error)


def test_a_misspelt_key_is_refused_by_types_and_by_the_service(city: Fleet) -> None:
    with pytest.raises(InvalidInput, match='did you mean "horizon_hours"'):
        city.make_decision(horizn_hours=24)  # type: ignore[call-overload]


def test_what_is_not_there_is_not_found(city: Fleet) -> None:
    with pytest.raises(NotFound) as caught:
        city.get_plan("plan/?")
    assert caught.value.status == 404
    with pytest.raises(NotFound, match="opt_"):
        list(city.watch("opt_01a1fe90-0c5e-7a30-9d0e-1f6b9a1c2d3e"))


def test_a_problem_without_a_plan_says_what_would_allow_one(city: Fleet) -> None:
    with pytest.raises(InfeasibleProblem) as caught:
        city.optimize(**three_zones(max_distance=1))
    by_field = {relaxation.field: relaxation for relaxation in caught.value.relaxations}
    distance = by_field["constraints.max_distance"]
    assert isinstance(distance, Relaxation)
    assert distance.message.startswith("max_distance 1 ")
    assert distance.in_conflict_with is not None
    assert "min_service_level" in distance.in_conflict_with
    assert distance.change is not None
    assert distance.change.value == 1
    assert f"at least {distance.change.relaxation:g} km" in distance.message


def test_the_result_of_a_job_without_a_plan_raises_the_same(city: Fleet) -> None:
    job = city.optimize(wait=False, **three_zones(max_distance=1))
    with pytest.raises(InfeasibleProblem, match="max_distance 1 "):
        job.wait()


def test_history_that_is_missing_is_not_tried_again(idle: Fleet) -> None:
    with pytest.raises(Unavailable) as caught:
        idle.forecast_demand(location_ids=[1])
    assert caught.value.code == "MODEL_NOT_LOADED"


def test_an_answer_of_something_else_says_so(city_url: str) -> None:
    with Fleet(f"{city_url}/docs") as fleet, pytest.raises((UnexpectedAnswer, NotFound)):
        fleet.get_config()


def test_a_client_of_ones_own_is_left_open(city_url: str) -> None:
    with httpx.Client() as own:
        with Fleet(city_url, http=own) as fleet:
            assert fleet.get_health().data.health == "healthy"
        assert not own.is_closed


def test_after_a_lost_answer_nothing_is_sent_again_that_would_make_another_or_not_be_found() -> None:
    assert can_be_repeated("GET", "/api/v1/schedules")
    assert can_be_repeated("POST", "/api/v1/optimize")
    assert not can_be_repeated("POST", "/api/v1/schedules")
    assert can_be_repeated("DELETE", "/api/v1/jobs/{job_id}")
    assert not can_be_repeated("DELETE", "/api/v1/data/fleet/{vehicle_id}")
