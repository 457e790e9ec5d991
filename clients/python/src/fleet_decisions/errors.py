"""What can go wrong, as exceptions. All of them are `FleetError`."""

from __future__ import annotations

from dataclasses import dataclass

import httpx
from pydantic import ValidationError

from .models import ErrorEnvelope, ErrorItem, ErrorRelaxation


class FleetError(Exception):
    """Anything that this package raises by itself."""


class ConnectionFailed(FleetError):
    """The service could not be reached, or a connection was cut and the call must not be sent twice."""


class WaitTimeout(FleetError):
    """A job had not ended when the caller's time was over. It goes on; wait for it again, or cancel it."""

    def __init__(self, job_id: str, seconds: float) -> None:
        super().__init__(f"job {job_id} has not ended within {seconds:g} s; it goes on")
        self.job_id = job_id


class UnexpectedAnswer(FleetError):
    """An answer that is not one of this service: a proxy's page, or of another version of its interface."""


class ServiceError(FleetError):
    """An error that the service answered. `errors` has all faults; the attributes are those of the first.

    Attributes:
        status: status of HTTP; `None` for the result of a job.
        code: what kind of error, such as `VALIDATION_ERROR`.
        message: the value, the limit and what to do.
        field: path in the body, such as `fleet_state.vehicles[3].capacity`, where there is one.
        detail: more, where there is more.
        request_id: under which the service's logs have the request.
        retry_after: seconds after which to try again, where the service says so.

    """

    def __init__(self, envelope: ErrorEnvelope, *, status: int | None = None, retry_after: float | None = None) -> None:
        self.errors: list[ErrorItem] = envelope.errors
        self.status = status
        self.retry_after = retry_after
        first = self.errors[0]
        self.code: str = first.code
        self.message: str = first.message
        self.field = first.field
        self.detail = first.detail
        self.request_id: str = envelope.metadata.request_id
        super().__init__("\n".join(self._lines()))

    def _lines(self) -> list[str]:
        shown = [
            f"{error.code}{f' at {error.field}' if error.field else ''}: {error.message}"
            + (f" ({error.detail})" if error.detail else "")
            for error in self.errors
        ]
        return [*shown, f"request {self.request_id}"]


class InvalidInput(ServiceError):
    """The request is wrong; nothing was stored. `errors` names every fault."""


class NotAllowed(ServiceError):
    """The caller is not known (401), or may not do this (403)."""


class NotFound(ServiceError):
    """There is no such job, plan, location, …."""


class Conflict(ServiceError):
    """What is stored does not allow it, or an idempotency key was sent before with another body."""


class RateLimited(ServiceError):
    """Too many requests; `retry_after` says when to try again."""


class Unavailable(ServiceError):
    """The service, its database or its queue is away or full, or there is no history to forecast from."""


class ServiceFailed(ServiceError):
    """The solver or the service failed."""


class JobCancelled(ServiceError):
    """The job was cancelled before it ended."""


@dataclass(frozen=True)
class Relaxation:
    """A part of the request that is in conflict, and what change of it would allow a plan, where one is known.

    With the field `constraints` it is several changes that do so together.
    """

    field: str | None
    """what to change, such as `constraints.min_service_level`"""
    message: str
    """its value, and the smallest change that is enough"""
    in_conflict_with: str | None
    """what it cannot be kept together with"""
    change: ErrorRelaxation | None = None
    """the same in numbers: the value that is enough is `change.relaxation`"""


class InfeasibleProblem(ServiceError):
    """No plan satisfies the constraints. It is proved; `relaxations` says what would allow a plan."""

    @property
    def relaxations(self) -> list[Relaxation]:
        """One for each part of the request that is in conflict."""
        prefix = "in conflict with "
        return [
            Relaxation(
                error.field,
                error.message,
                error.detail.removeprefix(prefix) if error.detail else None,
                error.relaxation,
            )
            for error in self.errors
            if error.code == "INFEASIBLE_PROBLEM"
        ]


_BY_CODE: dict[str, type[ServiceError]] = {
    "VALIDATION_ERROR": InvalidInput,
    "UNAUTHORIZED": NotAllowed,
    "FORBIDDEN": NotAllowed,
    "RESOURCE_NOT_FOUND": NotFound,
    "PAYLOAD_TOO_LARGE": InvalidInput,
    "INFEASIBLE_PROBLEM": InfeasibleProblem,
    "IDEMPOTENCY_CONFLICT": Conflict,
    "CONFLICT": Conflict,
    "RATE_LIMITED": RateLimited,
    "MODEL_NOT_LOADED": Unavailable,
    "SERVICE_UNAVAILABLE": Unavailable,
    "SOLVER_ERROR": ServiceFailed,
    "INTERNAL_ERROR": ServiceFailed,
    "JOB_CANCELLED": JobCancelled,
}


def error_of(envelope: ErrorEnvelope, status: int | None = None, retry_after: float | None = None) -> ServiceError:
    """The exception for an error envelope, by the code of its first error."""
    kind = _BY_CODE.get(envelope.errors[0].code, ServiceError)
    return kind(envelope, status=status, retry_after=retry_after)


def error_of_response(response: httpx.Response, retry_after: float | None) -> FleetError:
    """The exception for an answer that is no success."""
    try:
        envelope = ErrorEnvelope.model_validate_json(response.content)
        return error_of(envelope, response.status_code, retry_after)
    except (ValidationError, IndexError):
        text = response.text[:200]
        return UnexpectedAnswer(f"{response.request.url} answered {response.status_code}: {text}")
