"""What facts say about the way to an app: pure rules from what was read to findings.

Knows no sockets and no files; whoever looks is elsewhere. Contract: liveness, secrets, MCP.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from bridge.cli.doctor.doctor_report import Finding, State, ok, wrong
from bridge.contract.error_codes import ExitCode
from bridge.contract.mcp_messages import LEGACY, OLDER

__all__ = [
    "app_answer",
    "bridge_version",
    "discovered",
    "local_network",
    "page_attached",
    "page_state",
    "required_version",
    "silent",
    "transport",
    "versions",
]

_LOOPBACK: Final = re.compile(r"127(?:\.\d{1,3}){3}|(?:.+\.)?localhost|::1")


def required_version(requirements: Sequence[str], name: str) -> str | None:
    """Return the lowest version that a distribution asks for; None where it does not say."""
    for requirement in requirements:
        match = re.match(r"([A-Za-z0-9._-]+)([^;]*)", requirement)
        if match is not None and match[1].lower() == name:
            lowest = re.search(r">=\s*([0-9.]+)", match[2])
            return None if lowest is None else lowest[1]
    return None


def versions(own: str, python: str, aiohttp: str | None, lowest: str | None) -> Finding:
    """Say whether what a bridge needs is installed. `aiohttp` is None where it is not."""
    check = "versions"
    if aiohttp is None:
        return wrong(
            check,
            "aiohttp is not installed here, and no bridge can run without it.",
            "Install bascule again, with its dependencies.",
        )
    if lowest is not None and _numbers(aiohttp) < _numbers(lowest):
        return wrong(
            check,
            f"aiohttp {aiohttp} is installed, and a bridge needs {lowest} or later.",
            f"pip install 'aiohttp>={lowest}'",
        )
    return ok(check, f"bascule {own}, Python {python}, aiohttp {aiohttp}")


def bridge_version(status: Mapping[str, Any], own: str, url: str) -> Finding:
    """Say whether the bridge that answered is of this version."""
    version = status.get("version")
    if version == own:
        return ok("answer", f"the bridge answers, and is of this version, {own}")
    return wrong(
        "answer",
        f"The bridge at {url} is of version {version}, and this is {own}.",
        "Stop that bridge (Ctrl-C where it runs) and start it again.",
    )


def local_network(status: Mapping[str, Any], origin: str) -> Finding:
    """Say what is known of the browser's permission, which only the browser has."""
    counters = status.get("counters")
    came = counters.get("attachments", 0) if isinstance(counters, Mapping) else 0
    if came or isinstance(status.get("app"), str):
        return ok("permission", f"a page of {origin} has reached this bridge")
    host = urlsplit(origin).hostname or ""
    if _LOOPBACK.fullmatch(host):
        return ok("permission", f"browsers do not ask it of pages on this machine, as {origin} is")
    return Finding(
        "permission",
        State.UNKNOWN,
        f"No page of {origin} has reached this bridge, and whether the browser lets it cannot be "
        "seen from here.",
        (
            "Chromium 142 and later asks, when Attach is pressed, whether the page may reach other "
            "apps and services on this device. Press Allow; after a refusal, the icon before the "
            "address, Site settings, Local network access (or: Apps on device).",
            "Firefox asks the same; after a refusal, Settings, Privacy & Security, Permissions, "
            "Device apps and services. Safari lets no https page reach a bridge.",
        ),
    )


def page_attached(status: Mapping[str, Any], origin: str, port: int) -> Finding:
    """Say whether a page is attached, and how one becomes so."""
    app = status.get("app")
    if isinstance(app, str):
        return ok("page", f"{app} is attached")
    return wrong(
        "page",
        f"No page of {origin} is attached.",
        "Open it by a link that attaches it, and press Attach there. A reload detaches a page, and "
        f"its address has to begin with {origin} exactly.",
        f"bascule open {port}",
        status=ExitCode.NO_BRIDGE,
    )


def page_state(status: Mapping[str, Any]) -> Finding:
    """Say whether the browser lets the page work."""
    match status.get("pageState"):
        case "frozen":
            return wrong(
                "tab",
                "The browser has frozen the tab, and calls fail with TAB_SUSPENDED.",
                "Bring the tab to the front; a window of its own is not frozen as soon.",
            )
        case "hidden":
            return ok("tab", "hidden: it works, but the browser may slow it down or freeze it")
        case "visible":
            return ok("tab", "visible")
    return Finding("tab", State.UNKNOWN, "The page has not said whether it can be seen.")


def transport(status: Mapping[str, Any]) -> Finding:
    """Say how calls reach the page."""
    if status.get("link") == "channel":
        return ok("transport", "a WebSocket")
    return ok(
        "transport",
        "long polling, which works and is slower: no WebSocket could be opened, for want of "
        "connect-src ws://127.0.0.1:* in the page's Content-Security-Policy, or for a proxy",
    )


def silent(status: Mapping[str, object] | None, seconds: float, code: str) -> Finding:
    """Say why an app that is there does not answer. `status` is of its bridge, where it has one.

    What was asked changes nothing, so that nothing is said of what it may have done.
    """
    check, told = "app", f"did not answer within {seconds:g} s [{code}]"
    if status is None:
        return wrong(
            check,
            f"The app {told}: it is busy, or has stopped looking at its connections.",
            "Wait until it has finished what it does, then ask again; start it again if it does "
            "not come to an end.",
        )
    page = status.get("pageState")
    if page in {"hidden", "frozen"}:
        return wrong(
            check,
            f"The page {told}, and its tab is {page}: the browser slows such tabs down or stops "
            "them.",
            "Bring the tab to the front, then ask again; a window of its own stays visible.",
        )
    return wrong(
        check,
        f"The page {told}: it is busy.",
        "Look at the page: a dialog that is open, or a long computation, keeps it from answering. "
        "Ask again when it reacts; reload it and attach it again if it does not.",
    )


def app_answer(info: Mapping[str, Any], seconds: float, *, in_page: bool = False) -> Finding:
    """Say whether the app answered `agent/info` as one that can be driven does.

    `in_page` says that the app is in a browser, where it may have the panel.
    """
    protocol = info.get("protocolVersion")
    if protocol != "1":
        return wrong(
            "app",
            f"The app speaks version {protocol} of the control protocol, and this is for 1.",
            "Take the app's modules from this version: bascule assets DIR",
        )
    app = info.get("app")
    name, version = (app.get("name"), app.get("version")) if isinstance(app, Mapping) else ("", "")
    if info.get("enabled") is not True:
        return wrong(
            "app",
            f"{name} {version} answers, and has its actions switched off.",
            "Press Resume in the panel on the page, or switch them on in the app itself: only a "
            "person there can."
            if in_page
            else "Switch them on in the app itself: only a person there can.",
        )
    return ok("app", f"{name} {version} answers within {seconds * 1_000:.0f} ms, and is enabled")


def discovered(
    line: Mapping[str, Any] | None, words: Sequence[str], expected: str, seconds: float
) -> Finding:
    """Say whether our own MCP gateway answered `server/discover`, with what."""
    result = None if line is None else line.get("result")
    supported = result.get("supportedVersions") if isinstance(result, Mapping) else None
    if not isinstance(supported, list) or expected not in supported:
        return wrong(
            "mcp",
            "The MCP gateway, started as a client would, did not answer server/discover.",
            "See what it says when it is started by hand:",
            f"bascule {shlex.join(words)}",
        )
    revisions = " and ".join(map(str, supported))
    return ok(
        "mcp",
        f"the gateway answers within {seconds:.1f} s, in the revisions {revisions}; a client that "
        f"offers {OLDER} is answered {LEGACY}, and one that gives up at that, at initialize, needs "
        "--accept-legacy, as bascule mcp-config CLIENT --accept-legacy writes it",
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
