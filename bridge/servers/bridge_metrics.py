"""What `GET /status` tells: JSON for programs and people, Prometheus's text for collectors.

Counts only; no request, no client and no secret can be read from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import orjson
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from bridge import __version__
from bridge.broker.snapshot import BrokerSnapshot
from bridge.servers.bridge_answers import HttpAnswer

__all__ = ["BridgeMetrics", "InHand"]

_TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"


class InHand(NamedTuple):
    """What the service has in hand just now."""

    requests: int
    terminals: int


@dataclass(slots=True)
class BridgeMetrics:
    """The service's own counts, and the way to tell them together with the broker's."""

    origin: str
    started_at: float
    busy: int = 0
    """Requests refused because too many were in hand."""

    def answer(
        self, snapshot: BrokerSnapshot, now: float, in_hand: InHand, accept: Sequence[bytes]
    ) -> HttpAnswer:
        """Return the status in the form that the `Accept` headers ask for."""
        uptime = now - self.started_at
        if _wants_text(accept):
            return HttpAnswer(200, self._text(snapshot, uptime, in_hand), _TEXT)
        status = {
            "version": __version__,
            "origin": self.origin,
            "uptimeSeconds": round(uptime, 3),
            "attached": snapshot.app is not None,
            "app": snapshot.app,
            "link": snapshot.link.value,
            "pageState": snapshot.page_state.value if snapshot.page_state else None,
            "attachedSeconds": _rounded(snapshot.attached_seconds),
            "queue": {
                "queued": snapshot.queued,
                "leased": snapshot.leased,
                "maximum": snapshot.maximum,
            },
            "sessions": snapshot.sessions,
            "watchers": snapshot.watchers,
            "terminals": in_hand.terminals,
            "activeRequests": in_hand.requests,
            "counters": self._counters(snapshot),
        }
        return HttpAnswer(200, orjson.dumps(status))

    def _counters(self, snapshot: BrokerSnapshot) -> dict[str, int]:
        return {**snapshot.counters, "refused_busy": self.busy}

    def _text(self, snapshot: BrokerSnapshot, uptime: float, in_hand: InHand) -> bytes:
        gauges = {
            "attached": ("Pages attached.", float(snapshot.app is not None)),
            "queued_requests": ("Calls that wait for the page.", snapshot.queued),
            "leased_requests": ("Calls that the page has and has not answered.", snapshot.leased),
            "outstanding_requests_maximum": ("Calls queued and leased at most.", snapshot.maximum),
            "sessions": ("Sessions in use since the page attached.", snapshot.sessions),
            "watchers": ("Terminals that wait for the next call.", snapshot.watchers),
            "terminals": ("Terminals' channels that are open.", in_hand.terminals),
            "active_requests": ("Requests being read, checked or written.", in_hand.requests),
            "uptime_seconds": ("Seconds since the bridge started.", uptime),
        }
        families: list[Metric] = [
            GaugeMetricFamily(f"bascule_{name}", text, value=value)
            for name, (text, value) in gauges.items()
        ]
        events = CounterMetricFamily("bascule_events", "What has happened.", labels=["event"])
        for name, count in sorted(self._counters(snapshot).items()):
            events.add_metric([name], count)
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Families([*families, events]))
        return generate_latest(registry)


class _Families:
    """Metrics that were read just now, in the form that a registry takes."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _wants_text(accept: Sequence[bytes]) -> bool:
    types = [entry.partition(b";")[0].strip().lower() for entry in b",".join(accept).split(b",")]
    return b"text/plain" in types and b"application/json" not in types
