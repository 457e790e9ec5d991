"""Client of the Fleet Decision Service.

>>> from fleet_decisions import Fleet
>>> fleet = Fleet("http://127.0.0.1:8000")
>>> fleet.make_decision().to_dataframe()  # doctest: +SKIP
"""

from . import models, requests
from ._async_client import AsyncFleet
from ._async_jobs import AsyncPendingJob
from ._client import Fleet
from ._jobs import PendingJob
from ._retries import Retries
from .errors import (
    Conflict,
    ConnectionFailed,
    FleetError,
    InfeasibleProblem,
    InvalidInput,
    JobCancelled,
    NotAllowed,
    NotFound,
    RateLimited,
    Relaxation,
    ServiceError,
    ServiceFailed,
    Unavailable,
    UnexpectedAnswer,
    WaitTimeout,
)
from .events import Complete, Event, Progress
from .frames import to_dataframe

__all__ = [
    "AsyncFleet",
    "AsyncPendingJob",
    "Complete",
    "Conflict",
    "ConnectionFailed",
    "Event",
    "Fleet",
    "FleetError",
    "InfeasibleProblem",
    "InvalidInput",
    "JobCancelled",
    "NotAllowed",
    "NotFound",
    "PendingJob",
    "Progress",
    "RateLimited",
    "Relaxation",
    "Retries",
    "ServiceError",
    "ServiceFailed",
    "Unavailable",
    "UnexpectedAnswer",
    "WaitTimeout",
    "models",
    "requests",
    "to_dataframe",
]
