"""Blocks the network of this Python process: only addresses of this machine may be reached."""

import socket

LOCAL = ("127.", "localhost", "::1", "0.0.0.0")


class NetworkBlockedError(OSError):
    """Somebody tried to leave this machine."""


def _refuse_outside(address: object) -> None:
    if isinstance(address, tuple) and not str(address[0] or "localhost").startswith(LOCAL):
        raise NetworkBlockedError(f"The network is blocked for this run, and something wanted to reach {address[0]}.")


def _guard(name: str) -> None:
    original = getattr(socket.socket, name)

    def guarded(self: socket.socket, *arguments: object) -> object:
        _refuse_outside(arguments[-1])
        return original(self, *arguments)

    setattr(socket.socket, name, guarded)


for _name in ("connect", "connect_ex", "sendto"):
    _guard(_name)

_look_up = socket.getaddrinfo


def _look_up_locally(host: object, *arguments: object, **options: object) -> object:
    name = host.decode() if isinstance(host, bytes) else host
    _refuse_outside((name,))
    return _look_up(host, *arguments, **options)  # type: ignore[arg-type]


socket.getaddrinfo = _look_up_locally  # type: ignore[assignment]
