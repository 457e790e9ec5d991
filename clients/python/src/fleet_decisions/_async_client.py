"""The client."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any, TypeVar, overload
from urllib.parse import quote

import httpx
from pydantic import ValidationError
from typing_extensions import Self

from . import models
from ._async_jobs import AsyncPendingJob
from ._async_operations import AsyncOperations
from ._base import Model
from ._bodies import write_json_body
from ._csv import Csv, read_csv_body
from ._retries import Deadline, Retries, backoff, can_be_repeated, retry_after_of
from ._sockets import CUT, Silence, is_local, open_async, receive_async
from .errors import ConnectionFailed, Unavailable, UnexpectedAnswer, error_of_response
from .events import Complete, Event, Watching

A = TypeVar("A", bound=Model)

DEFAULT_URL = "http://127.0.0.1:8000"
# Seconds for which a call of a job waits for its answer. Then the job is watched: no connection has to last.
WAIT_SECONDS = 20
TIMEOUT = httpx.Timeout(60, connect=10)


class AsyncFleet(AsyncOperations):
    """A Fleet Decision Service. It has a method for each operation; every method may raise `FleetError`.

    Args:
        url: of the service; else the environment variable `FLEET_URL`, else http://127.0.0.1:8000.
        api_key: sent as bearer token; else `FLEET_API_KEY`, else none.
        client_id: names this client, of which each gets its turn at the service's queue.
        retries: how often calls are sent again that the service or the network refused.
        timeout: seconds without an answer, or an `httpx.Timeout`; a job may take longer.
        http: a client of your own, with your proxies and certificates; it is not closed. Without one the proxies of
            the environment are used, but not for `localhost` and `127.0.0.1`.

    """

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        client_id: str | None = None,
        retries: Retries | None = None,
        timeout: float | httpx.Timeout = TIMEOUT,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.url = (url or os.environ.get("FLEET_URL") or DEFAULT_URL).rstrip("/")
        self.retries = retries or Retries()
        key = api_key or os.environ.get("FLEET_API_KEY")
        self._headers = {
            **({"authorization": f"Bearer {key}"} if key else {}),
            **({"x-client-id": client_id} if client_id else {}),
        }
        self._timeout = httpx.Timeout(timeout)
        self._owns_http = http is None
        self._http = http or httpx.AsyncClient(trust_env=not is_local(self.url))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._owns_http:
            await self._http.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    # Jobs

    async def job(self, job_id: str) -> models.Job:
        """A job as it is now."""
        return (await self.get_job(job_id)).data

    async def cancel(self, job: str | AsyncPendingJob[Any]) -> models.Job:
        """Cancels a job: at once if it is queued, else within about a second."""
        return (await self.cancel_job(_id_of(job))).data

    @overload
    async def wait_for(self, job: AsyncPendingJob[A], *, timeout: float | None = None) -> A: ...

    @overload
    async def wait_for(self, job: str, *, timeout: float | None = None) -> Any: ...

    async def wait_for(self, job: str | AsyncPendingJob[A], *, timeout: float | None = None) -> A | Any:
        """The answer of a job.

        Args:
            job: a job, or its id.
            timeout: seconds after which `WaitTimeout` is raised; the job goes on.

        Raises:
            ServiceError: what the job ended with, for example `InfeasibleProblem` or `JobCancelled`.

        """
        pending: AsyncPendingJob[A] = AsyncPendingJob(self, job) if isinstance(job, str) else job
        return await pending.wait(timeout=timeout)

    async def watch(self, job: str | AsyncPendingJob[Any], *, timeout: float | None = None) -> AsyncIterator[Event]:
        """Progress of a job as it comes, then one `Complete`.

        A WebSocket that is cut is opened again, and nothing is told twice. Where WebSockets do not come through,
        the job is polled.

        Args:
            job: a job, or its id.
            timeout: seconds after which `WaitTimeout` is raised; the job goes on.

        """
        watching = Watching(_id_of(job), timeout)
        events = self._watch_and_poll(watching)
        async with aclosing(events):
            async for event in events:
                yield event
                if isinstance(event, Complete):
                    return

    async def _watch_and_poll(self, watching: Watching) -> Any:
        while not watching.polls_only:
            try:
                async with open_async(self._socket_url(), self._headers, watching.seconds_left()) as socket:
                    await socket.send(f'{{"type":"subscribe","job_id":"{watching.job_id}"}}')
                    while True:
                        event = watching.read_message(await receive_async(socket, watching.seconds_left()))
                        if event is not None:
                            yield event
            except Silence:
                watching.seconds_left()
            except CUT:
                watching.socket_failures += 1
                await asyncio.sleep(watching.seconds_left(backoff(watching.socket_failures)) or 0)
        while True:
            event = watching.read_job(await self._read_job(watching))
            if event is not None:
                yield event
            await asyncio.sleep(watching.poll_pause() or 0)

    async def _read_job(self, watching: Watching) -> models.Job:
        path, parts = "/api/v1/jobs/{job_id}", {"job_id": watching.job_id}
        try:
            within = watching.seconds_left()
            return (await self._call("GET", path, models.JobEnvelope, parts=parts, within=within)).data
        except (ConnectionFailed, Unavailable):
            watching.seconds_left()  # it is over: that is what the caller asked for
            raise

    def _socket_url(self) -> str:
        return f"ws{self.url.removeprefix('http')}/ws/optimization"

    # Calls

    async def _start(
        self,
        path: str,
        answer: type[A],
        *,
        wait: bool,
        idempotency_key: str | None,
        body: Any,
    ) -> A | AsyncPendingJob[A]:
        headers = {
            "idempotency-key": idempotency_key or str(uuid.uuid4()),
            "prefer": f"wait={self._wait_seconds()}" if wait else "respond-async",
        }
        response = await self._send("POST", path, headers=headers, body=body)
        if response.status_code != 202:
            found = _read(response, answer)
            # Asked not to wait, and answered anyway: the key is that of a job that has ended.
            return found if wait else AsyncPendingJob(self, _job_id_of(found))
        job: AsyncPendingJob[A] = AsyncPendingJob(self, _read(response, models.AcceptedJobEnvelope).data.job_id)
        return await job.wait() if wait else job

    def _wait_seconds(self) -> int:
        """Shorter than what the caller allows without an answer."""
        allowed = self._timeout.read
        return WAIT_SECONDS if allowed is None else min(WAIT_SECONDS, int(allowed / 2))

    async def _call(self, method: str, path: str, answer: type[A], **options: Any) -> A:
        return _read(await self._send(method, path, **options), answer)

    async def _call_text(self, method: str, path: str, **options: Any) -> str:
        return (await self._send(method, path, headers={"accept": "text/csv"}, **options)).text

    async def _send(
        self,
        method: str,
        path: str,
        *,
        parts: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        media_type: str = "application/json",
        csv: Csv | None = None,
        within: float | None = None,
    ) -> httpx.Response:
        """Sends a call, again where that helps and does nothing twice.

        Args:
            method: of HTTP.
            path: with names of parts in braces.
            parts: of the path.
            query: what is `None` is left out.
            headers: beside those of all calls.
            body: sent as JSON.
            media_type: of `body`.
            csv: the body as CSV instead.
            within: seconds for all attempts together.

        """
        url = self.url + path.format(**{name: quote(str(part), safe="") for name, part in (parts or {}).items()})
        own = {**self._headers, "accept": "application/json", **(headers or {})}
        content: bytes | None = None
        if csv is not None:
            content, csv_headers = read_csv_body(csv)
            own |= csv_headers
        elif body is not None:
            content = write_json_body(body)
            own["content-type"] = media_type
        repeatable = can_be_repeated(method, path)
        deadline = Deadline(within)
        attempt = 0
        while True:
            try:
                response = await self._http.request(
                    method,
                    url,
                    params={name: _text(value) for name, value in (query or {}).items() if value is not None},
                    headers=own,
                    content=content,
                    timeout=deadline.shorten(self._timeout),
                )
            except httpx.TransportError as error:
                pause = self.retries.pause_after_error(attempt, error, repeatable)
                if pause is None or deadline.is_before(pause):
                    raise ConnectionFailed(f"{method} {url}: {error or type(error).__name__}") from error
            else:
                if response.is_success:
                    return response
                pause = self.retries.pause_after_answer(attempt, response)
                if pause is None or deadline.is_before(pause):
                    raise error_of_response(response, retry_after_of(response))
            attempt += 1
            await asyncio.sleep(pause)


def _read(response: httpx.Response, answer: type[A]) -> A:
    try:
        return answer.model_validate_json(response.content)
    except ValidationError as error:
        raise UnexpectedAnswer(f"{response.request.url} answered what is no {answer.__name__}: {error}") from error


def _id_of(job: str | AsyncPendingJob[Any]) -> str:
    return job if isinstance(job, str) else job.job_id


def _job_id_of(answer: Any) -> str:
    return str(answer.metadata.job_id)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
