"""A way to the service that can be cut, and that can refuse WebSockets."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit


class Proxy:
    """Passes bytes on between a port of its own and a service.

    `connections` counts those that said anything, `web_sockets` those of them with an upgrade, `ended` those of these
    that the client has left; `first` has what each connection said first.
    """

    def __init__(self, url: str, *, refuse_sockets: bool = False) -> None:
        target = urlsplit(url)
        self._target = (target.hostname or "", target.port or 80)
        self._refuse = refuse_sockets
        self._open: list[socket.socket] = []
        self.connections = 0
        self.web_sockets = 0
        self.ended = 0
        self.first: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Ends every connection, as a network does."""
        while self._open:
            connection = self._open.pop()
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        first = client.recv(65536)
        self.connections += 1
        self.first.append(first)
        upgrades = b"upgrade: websocket" in first.lower()
        if upgrades:
            self.web_sockets += 1
            if self._refuse:
                client.sendall(b"HTTP/1.1 426 Upgrade Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                client.close()
                return
        server = socket.create_connection(self._target)
        self._open += [client, server]
        server.sendall(first)
        threading.Thread(target=_pass_on, args=(server, client), daemon=True).start()
        _pass_on(client, server)
        self.ended += upgrades


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
