"""What `watch` gives: progress, then the result."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from .errors import UnexpectedAnswer, WaitTimeout, error_of
from .models import ErrorEnvelope, Job, JobResult


@dataclass(frozen=True)
class Progress:
    """How far a job is. What a stage does not know is `None`."""

    job_id: str
    progress: float
    """from 0 to 1; never falls"""
    stage: str | None = None
    incumbent: float | None = None
    """objective of the best plan so far"""
    bound: float | None = None
    """no plan is cheaper than this"""
    gap: float | None = None
    iterations: int | None = None


@dataclass(frozen=True)
class Complete:
    """The end of a job: its answer, or the error it ended with. It comes once."""

    job_id: str
    result: Any
    """the envelope that a waiting call gets, `OptimizationResponse`, `DecisionResponse`, … or `ErrorEnvelope`"""

    @property
    def failed(self) -> bool:
        """Whether there is no plan, or the job failed or was cancelled."""
        return isinstance(self.result, ErrorEnvelope)

    def answer(self) -> Any:
        """The answer; raises the error that the job ended with."""
        if isinstance(self.result, ErrorEnvelope):
            raise error_of(self.result)
        return self.result


Event: TypeAlias = Progress | Complete

_RESULT: TypeAdapter[Any] = TypeAdapter(JobResult)
_PROGRESS = tuple(field.name for field in fields(Progress) if field.name != "job_id")


class Watching:
    """What is known of a watched job, whichever way it is learned: it outlives connections."""

    # Connections that brought nothing, one after the other, before the job is polled instead.
    MAX_SOCKET_FAILURES = 3
    FIRST_POLL_PAUSE = 0.2
    LONGEST_POLL_PAUSE = 2.0

    def __init__(self, job_id: str, timeout: float | None) -> None:
        self.job_id = job_id
        self.timeout = timeout
        self.socket_failures = 0
        self.polls = 0
        self._ends_at = None if timeout is None else time.monotonic() + timeout
        self._last: Progress | None = None

    @property
    def polls_only(self) -> bool:
        """Whether sockets are given up."""
        return self.socket_failures >= self.MAX_SOCKET_FAILURES

    def seconds_left(self, at_most: float | None = None) -> float | None:
        """Seconds for which to wait; raises `WaitTimeout` where none are left."""
        if self._ends_at is None:
            return at_most
        left = self._ends_at - time.monotonic()
        if left <= 0:
            raise WaitTimeout(self.job_id, self.timeout or 0)
        return left if at_most is None else min(left, at_most)

    def poll_pause(self) -> float | None:
        """Seconds until the next poll."""
        self.polls += 1
        pause = min(self.FIRST_POLL_PAUSE * 1.5**self.polls, self.LONGEST_POLL_PAUSE)
        return self.seconds_left(pause)

    def read_message(self, text: str | bytes) -> Event | None:
        """The event of a message of the service, if it says anything new. Raises the error that it tells."""
        message = json.loads(text)
        if message.get("job_id") not in (None, self.job_id):
            return None
        kind = message.get("type")
        if kind == "error" and message["code"] == "SERVICE_UNAVAILABLE":
            raise ConnectionResetError(message["message"])
        if kind == "error":
            # As an answer has it, so that there is one way to read errors.
            item = {"field": None, "detail": None, **{key: message[key] for key in ("code", "message")}}
            unknown = {"timestamp": "1970-01-01T00:00:00Z", "version": "", "request_id": ""}
            envelope = {"status": "error", "data": None, "errors": [item], "metadata": unknown}
            raise error_of(ErrorEnvelope.model_validate(envelope))
        self.socket_failures = 0
        if kind == "complete":
            return Complete(self.job_id, _read_result(message["result"]))
        if kind == "progress":
            return self._told({name: message.get(name) for name in _PROGRESS})
        return None

    def read_job(self, job: Job) -> Event | None:
        """The event of a polled job, if it says anything new."""
        if job.result is not None:
            return Complete(self.job_id, job.result)
        return self._told({name: getattr(job, name) for name in _PROGRESS})

    def _told(self, values: dict[str, Any]) -> Progress | None:
        if self._last is not None:
            values["progress"] = max(values["progress"], self._last.progress)
        event = Progress(self.job_id, **values)
        if event == self._last:
            return None
        self._last = event
        return event


def _read_result(result: Any) -> Any:
    try:
        return _RESULT.validate_python(result)
    except ValidationError as error:
        raise UnexpectedAnswer(f"the job ended with what this client does not know: {error}") from error
