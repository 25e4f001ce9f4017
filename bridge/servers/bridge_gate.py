"""The gate: decides from a request's head alone whether it comes in (Contract: gate).

Pure. The checks run in the contract's order and the first that fails decides the answer. What
remains after the head, the body's JSON and its shape, is not checked here.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from bridge.contract.error_codes import BridgeErrorCode
from bridge.servers.bridge_routes import ROUTES, CallerClass, Route
from bridge.servers.channel_handshake import read_handshake

__all__ = [
    "GatePolicy",
    "Passed",
    "Preflight",
    "Refused",
    "RequestHead",
    "Verdict",
    "allowed_hosts",
    "check_head",
]

_BEARER: Final = re.compile(rb"bearer +([!-~]+)", re.IGNORECASE)
_MEDIA_TYPE: Final = re.compile(
    rb"""application/json
         (?: [ \t]*+;[ \t]*+ (?: [!#$%&'*+.^_`|~0-9a-z-]++=
                                 (?: [!#$%&'*+.^_`|~0-9a-z-]++ | "[ !#-\[\]-~]*+" ) )? )*+
         [ \t]*+""",
    re.IGNORECASE | re.VERBOSE,
)
"""Possessive throughout: no header makes it try again what it has matched. Parameters are ignored,
`charset` among them: JSON is UTF-8, and a body is read as nothing else whatever a peer calls it."""


@dataclass(frozen=True, slots=True)
class RequestHead:
    """A request line and its headers, as the peer wrote them."""

    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...] = field(repr=False)
    _by_name: dict[bytes, list[bytes]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name: dict[bytes, list[bytes]] = {}
        for name, value in self.headers:
            by_name.setdefault(name.lower(), []).append(value)
        object.__setattr__(self, "_by_name", by_name)

    def values(self, name: bytes) -> list[bytes]:
        """Return the values of all headers of one name, which is given in lower case."""
        return self._by_name.get(name, [])


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What one run of the bridge admits."""

    hosts: frozenset[bytes]
    origin: str
    token: bytes = field(repr=False)
    max_body_bytes: int


@dataclass(frozen=True, slots=True)
class Passed:
    """The head is in order."""

    route: Route
    query: str
    content_length: int
    ticket: str | None = field(default=None, repr=False)
    """Of the page's channel: what has to be good before anything is let in."""


@dataclass(frozen=True, slots=True)
class Preflight:
    """The browser asks in advance whether the page may call a route."""

    route: Route


@dataclass(frozen=True, slots=True)
class Refused:
    """The answer is an error. `allow` is set when the method was wrong."""

    code: BridgeErrorCode
    message: str | None = None
    allow: str | None = None
    hint: str | None = None
    """In place of what the code usually advises."""


Verdict: TypeAlias = Passed | Preflight | Refused


def allowed_hosts(port: int, public_hosts: Sequence[str]) -> frozenset[bytes]:
    """Return every `Host` by which a bridge on this port may be called."""
    hosts = {f"127.0.0.1:{port}", f"localhost:{port}", *public_hosts}
    # A client leaves the default port out.
    hosts |= {host.removesuffix(":80") for host in hosts if host.endswith(":80")}
    return frozenset(host.encode() for host in hosts)


def check_head(head: RequestHead, policy: GatePolicy) -> Verdict:  # noqa: PLR0911 - a gate
    """Decide about a request by its head. The first check that fails decides."""
    path, _, query = head.target.partition("?")
    refusal = _check_target(head) or _check_host(head, policy)
    if refusal is not None:
        return refusal
    route = ROUTES.get(path)
    if route is None:
        return Refused(BridgeErrorCode.NOT_FOUND)
    refusal = _check_origin(head, route, policy) or _check_method(head, route)
    refusal = refusal or _check_transfer(head, upgrades=route.is_web_socket)
    if refusal is not None:
        return refusal
    if head.method == "OPTIONS":
        return Preflight(route)
    if not route.takes_ticket and not _has_token(head, policy.token):
        return Refused(BridgeErrorCode.UNAUTHORIZED)
    if route.is_web_socket:
        return _check_handshake(head, route, query)
    if not route.has_body:
        return Passed(route, query, 0)
    return _check_media_type(head) or _check_length(head, route, query, policy)


def _check_target(head: RequestHead) -> Refused | None:
    # In absolute form the target names a host of its own: one of the two would go unchecked.
    if head.target.startswith("/") and head.method != "CONNECT":
        return None
    return Refused(BridgeErrorCode.BAD_REQUEST, "The request target must be a path.")


def _check_host(head: RequestHead, policy: GatePolicy) -> Refused | None:
    hosts = head.values(b"host")
    if len(hosts) != 1:
        return Refused(BridgeErrorCode.BAD_REQUEST, "A request needs exactly one Host header.")
    # A name that an attacker's DNS points here carries that name: only ours may come in.
    return None if hosts[0] in policy.hosts else Refused(BridgeErrorCode.FORBIDDEN_HOST)


def _check_origin(head: RequestHead, route: Route, policy: GatePolicy) -> Refused | None:
    expected = [policy.origin.encode()] if route.caller is CallerClass.BROWSER else []
    if head.values(b"origin") == expected:
        return None
    if expected:
        return Refused(BridgeErrorCode.FORBIDDEN_ORIGIN)
    # Another --origin would not help: a browser's request is never a terminal's.
    return Refused(
        BridgeErrorCode.FORBIDDEN_ORIGIN,
        "This route is for terminals, which send no Origin.",
        hint="Send the request without the header Origin. A page does not call this route, whatever"
        " its origin: it attaches, and is called.",
    )


def _check_method(head: RequestHead, route: Route) -> Refused | None:
    preflight = head.method == "OPTIONS" and route.caller is CallerClass.BROWSER
    if head.method == route.method or preflight:
        return None
    return Refused(BridgeErrorCode.METHOD_NOT_ALLOWED, allow=route.allow)


def _check_transfer(head: RequestHead, *, upgrades: bool) -> Refused | None:
    if head.values(b"content-encoding"):
        return Refused(
            BridgeErrorCode.UNSUPPORTED_MEDIA_TYPE, "Bodies with a Content-Encoding are refused."
        )
    for name in (b"transfer-encoding", b"expect", b"upgrade"):
        if head.values(name) and not (upgrades and name == b"upgrade"):
            return Refused(
                BridgeErrorCode.BAD_REQUEST,
                f"Requests with the header {name.decode().title()} are refused.",
            )
    return None


def _check_handshake(head: RequestHead, route: Route, query: str) -> Verdict:
    handshake = read_handshake(head.headers, terminal=not route.takes_ticket)
    if isinstance(handshake, str):
        return Refused(BridgeErrorCode.BAD_REQUEST, handshake)
    return Passed(route, query, 0, handshake.ticket)


def _has_token(head: RequestHead, token: bytes) -> bool:
    given = head.values(b"authorization")
    match = _BEARER.fullmatch(given[0]) if len(given) == 1 else None
    # Compared even when there is nothing to compare, so that every failure takes the same path.
    return hmac.compare_digest(match[1] if match else b"", token) and bool(token)


def _check_media_type(head: RequestHead) -> Refused | None:
    # A form or text/plain body needs no preflight: taking one as JSON would let any page in.
    types = head.values(b"content-type")
    if len(types) == 1 and _MEDIA_TYPE.fullmatch(types[0]):
        return None
    return Refused(BridgeErrorCode.UNSUPPORTED_MEDIA_TYPE)


def _check_length(head: RequestHead, route: Route, query: str, policy: GatePolicy) -> Verdict:
    lengths = head.values(b"content-length")
    text = lengths[0] if len(lengths) == 1 else b""
    if not text.isdigit():
        return Refused(BridgeErrorCode.BAD_REQUEST, "A POST needs a Content-Length.")
    # Counted in digits first: a number of a million digits is not worth converting.
    significant = text.lstrip(b"0")
    if len(significant) > 18 or int(significant or b"0") > policy.max_body_bytes:
        return Refused(BridgeErrorCode.TOO_LARGE)
    return Passed(route, query, int(significant or b"0"))
