"""WebSockets, opened and read within a time."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import connect as connect_async
from websockets.asyncio.connection import Connection as AsyncConnection
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect as connect_sync
from websockets.sync.connection import Connection as SyncConnection

OPEN_SECONDS = 10
# An answer may hold a plan with every vehicle.
MAX_MESSAGE_BYTES = 512 * 2**20

# On Python 3.10 the time-out of asyncio is no OSError.
CUT = (WebSocketException, OSError, asyncio.TimeoutError)
"""what a lost connection raises; `TimeoutError` is one of them, so the reading functions raise it apart"""


class Silence(Exception):
    """Nothing came within the time."""


def is_local(url: str) -> bool:
    """Whether an address is on this machine, where no proxy of the environment leads."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def open_async(url: str, headers: Mapping[str, str], seconds: float | None) -> connect_async:
    """A connection, to be entered; the seconds are those that the caller has left."""
    return connect_async(
        url,
        additional_headers=headers,
        open_timeout=OPEN_SECONDS if seconds is None else min(seconds, OPEN_SECONDS),
        proxy=None if is_local(url) else True,
        close_timeout=1,
        max_size=MAX_MESSAGE_BYTES,
    )


def open_sync(url: str, headers: Mapping[str, str], seconds: float | None) -> SyncConnection:
    """A connection, to be entered; the seconds are those that the caller has left."""
    return connect_sync(
        url,
        additional_headers=headers,
        open_timeout=OPEN_SECONDS if seconds is None else min(seconds, OPEN_SECONDS),
        proxy=None if is_local(url) else True,
        close_timeout=1,
        max_size=MAX_MESSAGE_BYTES,
    )


async def receive_async(socket: AsyncConnection, seconds: float | None) -> Any:
    """The next message; `Silence` if none comes within the time."""
    try:
        return await asyncio.wait_for(socket.recv(), seconds)
    except (TimeoutError, asyncio.TimeoutError) as error:
        raise Silence from error


def receive_sync(socket: SyncConnection, seconds: float | None) -> Any:
    """The next message; `Silence` if none comes within the time."""
    try:
        return socket.recv(timeout=seconds)
    except TimeoutError as error:
        raise Silence from error
