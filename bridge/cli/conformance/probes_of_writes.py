"""Probes that name a write. An endpoint that keeps the contract refuses all of them.

One that does not may run what they name, which is why they are only asked with `--write`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bridge.cli.conformance.probe import NotAsked, Probe, ProbePeer, expect
from bridge.cli.conformance.probes_of_methods import available_actions
from bridge.cli.input.action_example import example_input
from bridge.cli.output.json_text import NumberText

__all__ = ["PROBES"]

_FAR: Final = 1_000_003


def _revision_required(peer: ProbePeer) -> None:
    for params, revision in _writes(peer):
        peer.refusal(1007, "REVISION_REQUIRED", "actions/execute", params)
        _same(peer, params, revision)
        return
    raise NotAsked("no write that can be called now has a revision and an input to make up")


def _stale_revision(peer: ProbePeer) -> None:
    for params, revision in _writes(peer):
        other = NumberText(int(revision) + _FAR)
        stale = {**params, "expectedRevision": other}
        data = peer.refusal(1008, "STALE_REVISION", "actions/execute", stale)
        expect(data.get("expected") == other, "data.expected is what was given")
        expect(data.get("actual") == revision, "data.actual is the revision")
        _same(peer, params, revision)
        return
    raise NotAsked("no write that can be called now has a revision and an input to make up")


def _writes(peer: ProbePeer) -> Iterator[tuple[dict[str, Any], NumberText]]:
    for action in available_actions(peer, "write"):
        given = example_input(action)
        revision = _revision(peer, action["name"])
        if given is not None and revision is not None and action.get("capabilities") == "0":
            yield {"action": action["name"], "input": given}, revision


def _same(peer: ProbePeer, params: dict[str, Any], revision: NumberText) -> None:
    now = _revision(peer, params["action"])
    expect(now == revision, f"a refused write moved the revision from {revision} to {now}")


def _revision(peer: ProbePeer, name: str) -> NumberText | None:
    revision = peer.result("actions/describe", {"action": name}).get("revision")
    return revision if isinstance(revision, NumberText) else None


PROBES: Final = (
    Probe("write.required", "A write without expectedRevision is 1007.", _revision_required),
    Probe(
        "write.stale",
        "A write with another revision is 1008, and changes nothing.",
        _stale_revision,
    ),
)
