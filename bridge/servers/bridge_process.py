"""Runs one bridge from its start to its end: binds, announces, waits, shuts down.

Composes the other modules of the bridge. Touches no files: whoever runs it is told the endpoint
by `announce`, and by `withdraw` that it is gone.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import logging
import re
import secrets
import socket
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp

from bridge.broker.broker import Broker
from bridge.contract.limits import BRIDGE_LIMITS, BridgeLimits
from bridge.servers.bridge_connections import BridgeServer
from bridge.servers.bridge_gate import GatePolicy, allowed_hosts
from bridge.servers.bridge_service import BridgeService
from bridge.servers.clock import Clock, read_instant
from bridge.servers.origins import (
    ConfigurationError,
    check_origin,
    check_page,
    check_public_host,
)
from bridge.servers.owner_watch import wait_for_exit
from bridge.servers.stop_signals import StopRequest, stop_on_signals

__all__ = [
    "BridgeConfig",
    "BridgeEndpoint",
    "BridgeStartError",
    "ConfigurationError",
    "StopRequest",
    "run_bridge",
    "serve_bridge",
]

_LOG = logging.getLogger(__name__)


_AIOHTTP_FLOOR: Final = (3, 14, 5)
"""Older ones have open advisories that reach a loopback server before any check of ours."""

_MAX_PID: Final = 2**31 - 1
_BACKLOG: Final = 128


class BridgeStartError(Exception):
    """The bridge could not start. The message is for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeConfig:
    """How one run of the bridge is configured. Raises `ConfigurationError`."""

    origin: str
    """The app's origin, exactly as browsers write it."""
    token: str = field(repr=False)
    """The capability token: at least 256 bits, fresh for this run."""
    page: str | None = None
    """The app's page for the attach link; the origin's root without it."""
    port: int = 0
    """0 takes any free port."""
    public_hosts: tuple[str, ...] = ()
    """Further `Host` values, for forwarded ports: loopback literals or localhost, with a port."""
    idle_exit_seconds: float | None = None
    """End when no page is attached and nobody has called for this long."""
    owner_pid: int | None = None
    """End when this process is gone."""
    channel: bool = True
    """Offer the page a channel; without it the page polls."""
    limits: BridgeLimits = BRIDGE_LIMITS

    def __post_init__(self) -> None:
        check_origin(self.origin)
        if self.page is not None:
            check_page(self.page, self.origin)
        for host in self.public_hosts:
            check_public_host(host)
        if len(self.token) < 43 or not self.token.isascii() or not self.token.isprintable():
            raise ConfigurationError("the token must have 256 bits, as printable ASCII")
        if not 0 <= self.port <= 65_535:
            raise ConfigurationError("a port is a number from 0 to 65535")
        if self.idle_exit_seconds is not None and not self.idle_exit_seconds > 0:
            raise ConfigurationError("the idle time is a positive number of seconds")
        if self.owner_pid is not None and not 0 < self.owner_pid <= _MAX_PID:
            raise ConfigurationError("the owner's process id is a positive number of 31 bits")


@dataclass(frozen=True, slots=True)
class BridgeEndpoint:
    """Where a running bridge is reached, and with what."""

    url: str
    token: str = field(repr=False)
    origin: str
    page: str


Announce = Callable[[BridgeEndpoint], None]
Withdraw = Callable[[], None]


def run_bridge(config: BridgeConfig, *, announce: Announce, withdraw: Withdraw) -> None:
    """Run a bridge in this thread until a signal, idleness or its owner's end stops it.

    `announce` is called once, when the bridge accepts connections; what it raises stops the
    bridge and is raised here. `withdraw` is called once after an announcement, before anybody is
    told that the bridge closes. Raises `BridgeStartError` when the port cannot be had. After the
    first signal everyone who waits is answered, within the limit `shutdown_seconds`; a second
    signal ends it at once. For the main thread.
    """
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_run(config, announce, withdraw))


async def _run(config: BridgeConfig, announce: Announce, withdraw: Withdraw) -> None:
    stop = StopRequest()
    with stop_on_signals(stop):
        await serve_bridge(config, announce=announce, withdraw=withdraw, stop=stop)


async def serve_bridge(
    config: BridgeConfig,
    *,
    announce: Announce,
    withdraw: Withdraw,
    stop: StopRequest,
    clock: Clock = read_instant,
) -> None:
    """Do what `run_bridge` does in a running loop, until `stop` is asked for."""
    _check_aiohttp()
    listening = _bind(config.port)
    port: int = listening.getsockname()[1]
    limits = config.limits
    policy = GatePolicy(
        hosts=allowed_hosts(port, config.public_hosts),
        origin=config.origin,
        token=config.token.encode(),
        max_body_bytes=limits.max_body_bytes,
    )
    broker = Broker(limits, lambda: secrets.token_urlsafe(16), channels=config.channel)
    service = BridgeService(broker, policy, limits, clock)
    server = BridgeServer(service, config.origin, limits)
    listener = await asyncio.get_running_loop().create_server(
        server, sock=listening, backlog=_BACKLOG
    )
    endpoint = BridgeEndpoint(
        f"http://127.0.0.1:{port}", config.token, config.origin, config.page or f"{config.origin}/"
    )
    announced = False
    try:
        announce(endpoint)
        announced = True
        _LOG.info("listening on %s for %s", endpoint.url, endpoint.origin)
        await _until_stopped(config, service, stop)
    finally:
        _LOG.info("closing")
        listener.close()
        try:
            if announced:
                withdraw()
        finally:
            service.shut_down()
            await _close(server, limits.shutdown_seconds, stop)


def _check_aiohttp() -> None:
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", aiohttp.__version__)
    if numbers is None or tuple(int(number) for number in numbers.groups()) < _AIOHTTP_FLOOR:
        floor = ".".join(map(str, _AIOHTTP_FLOOR))
        raise BridgeStartError(f"aiohttp {aiohttp.__version__} is not safe: {floor} is needed")


def _bind(port: int) -> socket.socket:
    """Bind the loopback address, never a name: a name may mean something else."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # On Windows SO_REUSEADDR would let another process take the port over.
        exclusive = sys.platform == "win32"
        option = "SO_EXCLUSIVEADDRUSE" if exclusive else "SO_REUSEADDR"
        listening.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
        listening.bind(("127.0.0.1", port))
        # Only now is it ours: on Linux two may bind one port, until the first of them listens.
        listening.listen(_BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        raise BridgeStartError(f"port {port} cannot be had: {error.strerror}") from None
    return listening


async def _until_stopped(config: BridgeConfig, service: BridgeService, stop: StopRequest) -> None:
    """Wait for the first reason to stop."""
    reasons: list[Coroutine[Any, Any, object]] = [stop.requested.wait()]
    if config.idle_exit_seconds is not None:
        reasons.append(_idle(service, config.idle_exit_seconds))
    if config.owner_pid is not None:
        reasons.append(wait_for_exit(config.owner_pid))
    tasks = [asyncio.create_task(reason) for reason in reasons]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
    for task in done:
        task.result()
    stop.requested.set()


async def _idle(service: BridgeService, seconds: float) -> None:
    left = seconds
    while left > 0:
        await asyncio.sleep(left)
        left = seconds - service.unused_seconds()


async def _close(server: BridgeServer, shutdown_seconds: float, stop: StopRequest) -> None:
    """Close all sockets, leaving time to write the last answers unless somebody is in a hurry."""
    # Less than the whole: the process still has to end.
    closing = asyncio.create_task(server.close(shutdown_seconds * 0.7))
    hurried = asyncio.create_task(stop.hurried.wait())
    await asyncio.wait({closing, hurried}, return_when=asyncio.FIRST_COMPLETED)
    for task in (closing, hurried):
        task.cancel()
    await asyncio.wait({closing, hurried})


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return uvloop's loop where that is installed; the standard one serves as well."""
    if importlib.util.find_spec("uvloop") is None:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop]
    factory = importlib.import_module("uvloop").new_event_loop
    return factory
