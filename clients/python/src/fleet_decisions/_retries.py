"""When a call is sent again."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpx

# The service was not reached, so it has done nothing.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
# The caller's own mistakes, which stay mistakes.
FINAL = (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.ProxyError)
FIRST_PAUSE = 0.2
# Sent twice, a post stores the same rows or computes the same: a job is found by its idempotency key. Not so these.
MAKES_ANOTHER = ("/api/v1/schedules",)


@dataclass(frozen=True)
class Retries:
    """How often a call is sent again, and how long a pause may be.

    Attributes:
        attempts: at most this many times after the first.
        longest_pause: seconds; an answer that asks for a longer one is raised at once.

    """

    attempts: int = 5
    longest_pause: float = 60.0

    def pause_after_answer(self, attempt: int, response: httpx.Response) -> float | None:
        """Seconds until the call is sent again, or `None`. `attempt` counts from 0."""
        if response.status_code not in (429, 503) or attempt >= self.attempts:
            return None
        pause = retry_after_of(response)
        return None if pause is None or pause > self.longest_pause else pause

    def pause_after_error(self, attempt: int, error: httpx.TransportError, repeatable: bool) -> float | None:
        """Seconds until the call is sent again, or `None`: it might do something twice, or has failed often."""
        if isinstance(error, FINAL) or attempt >= self.attempts:
            return None
        if not repeatable and not isinstance(error, NOT_SENT):
            return None
        return min(backoff(attempt), self.longest_pause)


def can_be_repeated(method: str, path: str) -> bool:
    """Whether a call may be sent again whose answer was lost.

    A row that the first deletion deleted is not found by a second one. A job may be cancelled twice.
    """
    if method == "DELETE":
        return path.startswith("/api/v1/jobs/")
    return method != "POST" or path not in MAKES_ANOTHER


class Deadline:
    """The end of the time that a call may take with all its attempts; without seconds there is none."""

    def __init__(self, seconds: float | None) -> None:
        self._at = None if seconds is None else time.monotonic() + seconds

    def is_before(self, pause: float) -> bool:
        """Whether it comes before the end of a pause."""
        return self._at is not None and time.monotonic() + pause >= self._at

    def shorten(self, timeout: httpx.Timeout) -> httpx.Timeout:
        """The same timeouts, none longer than the time that is left."""
        if self._at is None:
            return timeout
        left = max(0.001, self._at - time.monotonic())
        return httpx.Timeout(
            **{name: left if seconds is None else min(seconds, left) for name, seconds in timeout.as_dict().items()}
        )


def backoff(attempt: int) -> float:
    """Seconds, twice as many with each attempt, up to 10; drawn at random so that callers do not come together."""
    return float(min(FIRST_PAUSE * 2.0**attempt, 10.0) * random.uniform(0.5, 1.0))


def retry_after_of(response: httpx.Response) -> float | None:
    """What the header `Retry-After` says, in seconds; it may be a number or a time."""
    value = response.headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
