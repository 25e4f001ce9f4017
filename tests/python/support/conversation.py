"""A conversation with a fixture host: steps in, and what arrived after each of them.

The other side is `tests/javascript/support/dispatcher_peer.js`.
"""

from __future__ import annotations

from typing import Any

from bridge.dispatcher.agent_endpoint import AgentEndpoint
from tests.python.support.fixture_host import Fixture
from tests.python.support.manual_runtime import ManualRuntime, Pending

__all__ = ["converse"]


def converse(steps: list[dict[str, Any]]) -> dict[str, Any]:
    """Hold one conversation on the Python twin."""
    runtime = ManualRuntime()
    host = Fixture(runtime)
    endpoint = AgentEndpoint(host.dispatcher)
    waiting: dict[int, Pending[str | None]] = {}
    arrived: list[list[tuple[int, str | None]]] = []
    for index, step in enumerate(steps):
        if "line" in step:
            asked = endpoint.request(step["line"], session=step["session"])
            waiting[index] = runtime.run(asked)
        if "advance" in step:
            runtime.passes(step["advance"])
        if step.get("tick"):
            host.tick()
        if "enable" in step:
            host.dispatcher.set_enabled(step["enable"])
        if "modal" in step:
            host.is_modal = step["modal"]
        if "resources" in step:
            host.listed = step["resources"]
        runtime.settle()
        done = [at for at, pending in waiting.items() if pending.done]
        arrived.append([(at, waiting.pop(at).value) for at in done])
    told = {"arrived": arrived, "log": list(host.log), "enabled": host.dispatcher.enabled}
    host.finish()
    return told
