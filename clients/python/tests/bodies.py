"""Requests over the four locations of the idle service, and over zones of the sample."""

from __future__ import annotations

from fleet_decisions import requests


def small_plan(demand: float = 1) -> requests.OptimizationRequest:
    """One vehicle, one location of the idle service."""
    return {
        "demand_forecast": {"1": [demand]},
        "fleet_state": {"vehicles": [{"id": "V1", "location": 1}]},
    }


def three_zones(max_distance: float = 10) -> requests.OptimizationRequest:
    """The request of the README of the service: three zones of the sample, six vehicles."""
    places = [48, 48, 236, 236, 236, 236]
    return {
        "demand_forecast": {"161": [3, 2], "236": [1, 2], "48": [0, 1]},
        "fleet_state": {"vehicles": [{"id": f"V{i + 1}", "location": place} for i, place in enumerate(places)]},
        "constraints": {"max_distance": max_distance, "min_service_level": 0.95},
    }
