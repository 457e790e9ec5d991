"""A job that has not ended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Generic, Protocol, TypeVar

from .events import Complete, Event
from .models import Job

A_co = TypeVar("A_co", covariant=True)


class AsyncJobs(Protocol):
    """What a job needs of the client."""

    def watch(self, job: str, *, timeout: float | None = None) -> AsyncIterator[Event]:
        """See `AsyncFleet.watch`."""

    async def job(self, job_id: str) -> Job:
        """See `AsyncFleet.job`."""

    async def cancel(self, job: str) -> Job:
        """See `AsyncFleet.cancel`."""


class AsyncPendingJob(Generic[A_co]):
    """A job that was posted with `wait=False`. It needs nobody who waits: it ends in any case."""

    def __init__(self, fleet: AsyncJobs, job_id: str) -> None:
        self._fleet = fleet
        self.job_id = job_id

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.job_id!r})"

    def watch(self, *, timeout: float | None = None) -> AsyncIterator[Event]:
        """Progress as it comes, then the result; see `AsyncFleet.watch`."""
        return self._fleet.watch(self.job_id, timeout=timeout)

    async def wait(self, *, timeout: float | None = None) -> A_co:
        """The answer; raises the error that the job ends with, and `WaitTimeout` after `timeout` seconds."""
        watched: Any = self.watch(timeout=timeout)
        async with aclosing(watched) as events:
            async for event in events:
                if isinstance(event, Complete):
                    answer: A_co = event.answer()
                    return answer
        raise AssertionError("a watch ends with the job")

    async def read(self) -> Job:
        """The job as it is now."""
        return await self._fleet.job(self.job_id)

    async def cancel(self) -> Job:
        """Asks that the job ends without an answer."""
        return await self._fleet.cancel(self.job_id)
