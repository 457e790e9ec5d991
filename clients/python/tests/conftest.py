"""The services that the tests speak to. They are started by test/clients/python.test.ts, which sets the variables."""

import os
from collections.abc import Iterator

import pytest

from fleet_decisions import Fleet


def _url(name: str) -> str:
    return os.environ[name]


@pytest.fixture(scope="session")
def city_url() -> str:
    """A service with the sample of New York and a worker. No test changes its data."""
    return _url("FLEET_CITY_URL")


@pytest.fixture(scope="session")
def idle_url() -> str:
    """A service with four locations and no worker, so that jobs stay queued. Two may wait."""
    return _url("FLEET_IDLE_URL")


@pytest.fixture
def city(city_url: str) -> Iterator[Fleet]:
    with Fleet(city_url) as fleet:
        yield fleet


@pytest.fixture
def idle(idle_url: str) -> Iterator[Fleet]:
    with Fleet(idle_url) as fleet:
        yield fleet
        for job in fleet.iter_jobs(status="queued"):
            fleet.cancel(job.job_id)
