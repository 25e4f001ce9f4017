"""What an app imports from `bridge`, and what that costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import bridge


def test_the_names_for_apps_are_these() -> None:
    assert set(bridge.__all__) >= {
        "ActionSpec",
        "AppError",
        "AppName",
        "CallContext",
        "Dispatcher",
        "Host",
        "Resource",
        "RpcSession",
        "Task",
        "TaskTable",
        "Unavailability",
        "serve",
    }
    for name in bridge.__all__:
        assert getattr(bridge, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        _ = bridge.nothing


def test_a_dispatcher_brings_in_no_event_loop_no_socket_and_no_server() -> None:
    script = (
        "import sys, bridge; before = set(sys.modules); bridge.Dispatcher; bridge.RpcSession;"
        "bridge.Host; print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "bridge.dispatcher.dispatcher" in loaded
    assert not {"asyncio", "socket", "aiohttp", "threading"} & set(loaded)


def test_importing_the_package_alone_loads_no_room_of_it() -> None:
    script = "import sys, bridge; print(*(n for n in sys.modules if n.startswith('bridge.')))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert loaded == []
