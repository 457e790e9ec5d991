"""A job that has not ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Generic, Protocol, TypeVar

from .events import Complete, Event
from .models import Job

A_co = TypeVar("A_co", covariant=True)


class Jobs(Protocol):
    """What a job needs of the client."""

    def watch(self, job: str, *, timeout: float | None = None) -> Iterator[Event]:
        """See `Fleet.watch`."""

    def job(self, job_id: str) -> Job:
        """See `Fleet.job`."""

    def cancel(self, job: str) -> Job:
        """See `Fleet.cancel`."""


class PendingJob(Generic[A_co]):
    """A job that was posted with `wait=False`. It needs nobody who waits: it ends in any case."""

    def __init__(self, fleet: Jobs, job_id: str) -> None:
        self._fleet = fleet
        self.job_id = job_id

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.job_id!r})"

    def watch(self, *, timeout: float | None = None) -> Iterator[Event]:
        """Progress as it comes, then the result; see `Fleet.watch`."""
        return self._fleet.watch(self.job_id, timeout=timeout)

    def wait(self, *, timeout: float | None = None) -> A_co:
        """The answer; raises the error that the job ends with, and `WaitTimeout` after `timeout` seconds."""
        watched: Any = self.watch(timeout=timeout)
        with closing(watched) as events:
            for event in events:
                if isinstance(event, Complete):
                    answer: A_co = event.answer()
                    return answer
        raise AssertionError("a watch ends with the job")

    def read(self) -> Job:
        """The job as it is now."""
        return self._fleet.job(self.job_id)

    def cancel(self) -> Job:
        """Asks that the job ends without an answer."""
        return self._fleet.cancel(self.job_id)
