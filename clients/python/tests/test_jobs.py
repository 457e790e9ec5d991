"""Jobs: waiting, watching, cancelling, calling again."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable

import pytest
from bodies import small_plan, three_zones
from proxy import Proxy

from fleet_decisions import (
    AsyncFleet,
    Complete,
    Conflict,
    ConnectionFailed,
    Fleet,
    JobCancelled,
    PendingJob,
    Progress,
    Retries,
    Unavailable,
    WaitTimeout,
    models,
)


def test_a_call_waits_for_the_plan(city: Fleet) -> None:
    answer = city.optimize(**three_zones())
    assert answer.data.total_cost == 7.2064
    assert [item.target_location for item in answer.data.allocation_plan][:3] == [161, 48, 161]
    assert answer.metadata.plan_id.startswith("plan_")


def test_a_job_that_nobody_waits_for_is_watched_to_its_end(city: Fleet) -> None:
    job = city.optimize(wait=False, **three_zones())
    assert isinstance(job, PendingJob)
    events = list(job.watch(timeout=60))
    told = [event.progress for event in events if isinstance(event, Progress)]
    assert told == sorted(told)
    assert [isinstance(event, Complete) for event in events] == [False] * len(told) + [True]
    answer = city.wait_for(job)
    assert answer.data.total_cost == 7.2064
    assert city.wait_for(job.job_id).data == answer.data
    assert job.read().status == "completed"


def test_the_same_key_gives_the_same_job_and_no_key_a_new_one(city: Fleet) -> None:
    first, second = (city.optimize(idempotency_key="a key of mine", **three_zones()) for _ in range(2))
    other = city.optimize(**three_zones())
    assert first.metadata.job_id == second.metadata.job_id != other.metadata.job_id
    again = city.optimize(wait=False, idempotency_key="a key of mine", **three_zones())
    assert again.job_id == first.metadata.job_id
    with pytest.raises(Conflict) as caught:
        city.optimize(idempotency_key="a key of mine", **three_zones(max_distance=9))
    assert caught.value.code == "IDEMPOTENCY_CONFLICT"
    assert caught.value.status == 422


def test_a_timeout_ends_the_wait_and_not_the_job(idle: Fleet) -> None:
    job = idle.optimize(wait=False, **small_plan())
    with pytest.raises(WaitTimeout, match=job.job_id):
        job.wait(timeout=0.1)
    assert job.read().status == "queued"


def test_a_timeout_holds_where_nothing_answers() -> None:
    async def wait(url: str) -> None:
        async with AsyncFleet(url) as fleet:
            await fleet.wait_for("opt_1", timeout=0.3)

    # Connections stand, and nobody reads them.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(WaitTimeout), Fleet(url) as fleet:
            fleet.wait_for("opt_1", timeout=0.3)
        with pytest.raises(WaitTimeout):
            asyncio.run(wait(url))
        assert time.monotonic() - began < 9


def test_a_job_may_take_longer_than_a_call(idle: Fleet, idle_url: str) -> None:
    with Proxy(idle_url) as proxy:
        impatient = Fleet(proxy.url, timeout=1, retries=Retries(attempts=0))
        caller, ended = _in_a_thread(lambda: impatient.optimize(**small_plan()))
        while not proxy.web_sockets:  # it is watched by then
            assert caller.is_alive()
        idle.cancel(_first_queued(idle))
        caller.join(30)
    assert isinstance(ended[0], JobCancelled)


def test_a_task_that_is_cancelled_closes_its_socket_and_leaves_the_job(idle: Fleet, idle_url: str) -> None:
    async def give_up(proxy: Proxy) -> str:
        async with AsyncFleet(proxy.url) as fleet:
            job = await fleet.optimize(wait=False, **small_plan())
            watched = job.watch()
            assert isinstance(await anext(watched), Progress)
            waiting = asyncio.ensure_future(anext(watched))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            while not proxy.ended:
                await asyncio.sleep(0.01)
            return job.job_id

    with Proxy(idle_url) as proxy:
        job_id = asyncio.run(asyncio.wait_for(give_up(proxy), 30))
        assert proxy.web_sockets == 1
    assert idle.job(job_id).status == "queued"


def test_proxies_of_the_environment_are_not_asked_for_this_machine(
    idle: Fleet, idle_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with Proxy(idle_url) as proxy, Fleet(proxy.url, api_key="fds_1_secret", retries=Retries(attempts=0)) as fleet:
        job = fleet.optimize(wait=False, **small_plan())
        assert isinstance(next(job.watch(timeout=30)), Progress)
        assert proxy.web_sockets == 1
        assert all(b"authorization: bearer fds_1_secret" in said.lower() for said in proxy.first)


def test_a_cancelled_job_raises_where_it_is_waited_for(idle: Fleet) -> None:
    job = idle.optimize(wait=False, **small_plan())
    assert job.cancel().status == "cancelled"
    with pytest.raises(JobCancelled) as caught:
        job.wait()
    assert caught.value.code == "JOB_CANCELLED"
    assert caught.value.request_id == job.read().request_id


def test_a_socket_that_is_cut_is_opened_again_and_nothing_is_told_twice(idle: Fleet, idle_url: str) -> None:
    with Proxy(idle_url) as proxy, Fleet(proxy.url) as fleet:
        job = fleet.optimize(wait=False, **small_plan())
        events = job.watch(timeout=60)
        assert isinstance(next(events), Progress)
        proxy.cut()
        idle.cancel(job.job_id)
        # The state before the cut is not repeated: the next that is said is the end.
        last = next(events)
        assert isinstance(last, Complete)
        assert last.failed
        assert proxy.web_sockets == 2
        assert list(events) == []


def test_without_sockets_the_job_is_polled(idle: Fleet, idle_url: str) -> None:
    with Proxy(idle_url, refuse_sockets=True) as proxy, Fleet(proxy.url) as fleet:
        job = fleet.optimize(wait=False, **small_plan())
        events = job.watch(timeout=60)
        assert next(events) == Progress(job.job_id, 0.0)
        idle.cancel(job.job_id)
        assert isinstance(next(events), Complete)
        assert proxy.web_sockets == 3


def test_async_a_socket_that_is_cut_is_opened_again(idle: Fleet, idle_url: str) -> None:
    async def watch() -> None:
        async with AsyncFleet(idle_url) as direct:
            with Proxy(idle_url) as proxy:
                async with AsyncFleet(proxy.url) as fleet:
                    job = await fleet.optimize(wait=False, **small_plan())
                    events = job.watch(timeout=60)
                    assert isinstance(await anext(events), Progress)
                    proxy.cut()
                    await direct.cancel(job.job_id)
                    assert isinstance(await anext(events), Complete)
                    assert proxy.web_sockets == 2

    asyncio.run(watch())


def test_async_without_sockets_the_job_is_polled_until_the_time_is_over(idle: Fleet, idle_url: str) -> None:
    async def wait() -> None:
        with Proxy(idle_url, refuse_sockets=True) as proxy:
            async with AsyncFleet(proxy.url) as fleet:
                job = await fleet.optimize(wait=False, **small_plan())
                with pytest.raises(WaitTimeout):
                    await fleet.wait_for(job, timeout=1.5)

    asyncio.run(wait())


def test_async_answers_are_the_same(city: Fleet, city_url: str) -> None:
    async def answers() -> list[models.OptimizationResponse]:
        async with AsyncFleet(city_url) as fleet:
            job = await fleet.optimize(wait=False, **three_zones())
            return [*await asyncio.gather(fleet.optimize(**three_zones()), fleet.wait_for(job))]

    expected = city.optimize(**three_zones()).data.allocation_plan
    assert [answer.data.allocation_plan for answer in asyncio.run(answers())] == [expected, expected]


def test_a_call_that_the_service_lets_go_is_watched_to_its_end(
    idle: Fleet, idle_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fleet_decisions._client.WAIT_SECONDS", 0)
    caller, ended = _in_a_thread(lambda: Fleet(idle_url).optimize(**small_plan()))
    idle.cancel(_first_queued(idle))
    caller.join(30)
    assert isinstance(ended[0], JobCancelled)


def test_a_waiting_call_that_is_cut_is_sent_again_and_finds_its_job(idle: Fleet, idle_url: str) -> None:
    with Proxy(idle_url) as proxy:
        caller, ended = _in_a_thread(lambda: Fleet(proxy.url).optimize(**small_plan()))
        job_id = _first_queued(idle)
        proxy.cut()
        while proxy.connections < 2:
            assert caller.is_alive()
        idle.cancel(job_id)
        caller.join(30)
    assert isinstance(ended[0], JobCancelled)
    assert list(idle.iter_jobs(status="queued")) == []


def _in_a_thread(call: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """A call that waits, and what it ends with."""
    ended: list[object] = []

    def run() -> None:
        try:
            ended.append(call())
        except Exception as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, ended


def _first_queued(fleet: Fleet) -> str:
    while True:
        for job in fleet.iter_jobs(status="queued"):
            return job.job_id


def test_a_full_queue_is_asked_again_when_it_says_so(idle: Fleet, idle_url: str) -> None:
    waiting = [idle.optimize(wait=False, **small_plan(i)) for i in range(2)]
    with Fleet(idle_url, retries=Retries(attempts=0)) as hasty, pytest.raises(Unavailable) as caught:
        hasty.optimize(wait=False, **small_plan())
    assert caught.value.code == "SERVICE_UNAVAILABLE"
    assert caught.value.status == 503
    assert caught.value.retry_after is not None
    assert 0 < caught.value.retry_after <= 10

    refused = threading.Event()
    with Fleet(idle_url, retries=_Announcing(refused)) as patient:
        found: list[PendingJob[models.OptimizationResponse]] = []
        caller = threading.Thread(target=lambda: found.append(patient.optimize(wait=False, **small_plan())))
        caller.start()
        assert refused.wait(10)
        waiting[0].cancel()
        caller.join(30)
    assert idle.job(found[0].job_id).status == "queued"


class _Announcing(Retries):
    """Retries that say when the first answer has been refused."""

    def __init__(self, refused: threading.Event) -> None:
        super().__init__()
        object.__setattr__(self, "refused", refused)

    def pause_after_answer(self, attempt: int, response: object) -> float | None:
        pause = super().pause_after_answer(attempt, response)  # type: ignore[arg-type]
        self.refused.set()  # type: ignore[attr-defined]
        return pause


def test_a_service_that_is_away_is_tried_a_few_times() -> None:
    began = time.monotonic()
    with Fleet("http://127.0.0.1:1", retries=Retries(attempts=2)) as fleet, pytest.raises(ConnectionFailed):
        fleet.get_health()
    assert time.monotonic() - began > 0.25
