"""A bridge of a program's own: how it starts, what it says, how it ends."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.client import BridgeFailure, Outcome
from bridge.client.bridge_runner import BridgeStartError, command_line, start_bridge
from tests.python.support.fake_bridge import PATIENCE_SECONDS

ORIGIN = "http://127.0.0.1:8765"


def test_it_runs_for_the_block_and_leaves_nothing(runtime: Path) -> None:
    with start_bridge(ORIGIN, runtime) as bridge:
        assert bridge.is_running()
        assert bridge.origin == ORIGIN
        assert bridge.attached_app() is None
        assert len(list((runtime / "bascule").glob("*.json"))) == 1
    assert not bridge.is_running()
    assert bridge.process.returncode == 0
    assert list((runtime / "bascule").glob("*.json")) == []


def test_commands_find_it_in_its_environment_and_no_other(
    runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BASCULE_TOKEN", "t" * 43)
    with start_bridge(ORIGIN, runtime) as bridge:
        assert not [name for name in bridge.environment if name.startswith("BASCULE_")]
        found = run("list", env=bridge.environment)
        assert bridge.url in found
        assert bridge.url not in run("list", env={"XDG_RUNTIME_DIR": str(runtime / "none")})


def run(*arguments: str, env: dict[str, str]) -> str:
    done = subprocess.run(
        command_line(*arguments),
        env=env,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    return done.stdout


def test_a_folder_called_bridge_is_not_taken_for_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bridge"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit('the wrong one')")
    monkeypatch.chdir(tmp_path)
    assert "usage" in run("--help", env={}).lower()
    # It would be taken from there otherwise.
    program = [sys.executable, "-m", "bridge"]
    wrong = subprocess.run(program, capture_output=True, check=False, timeout=PATIENCE_SECONDS)
    assert b"the wrong one" in wrong.stderr


def test_its_log_has_neither_the_token_nor_the_link(runtime: Path) -> None:
    with start_bridge(ORIGIN, runtime) as bridge:
        pass
    assert any("listening on" in line for line in bridge.log)
    assert bridge.token not in "\n".join(bridge.log) + repr(bridge)
    assert "#bascule=" not in "\n".join(bridge.log)


def test_its_link_leads_to_its_page_or_to_another_of_the_app(runtime: Path) -> None:
    with start_bridge(ORIGIN, runtime, page=f"{ORIGIN}/app/start?x=1") as bridge:
        assert bridge.link().startswith(f"{ORIGIN}/app/start?x=1#bascule=")
        assert bridge.link("other").startswith(f"{ORIGIN}/app/other#bascule=")
        assert bridge.link("/").startswith(f"{ORIGIN}/#bascule=")
        assert bridge.link(f"{ORIGIN}/y").startswith(f"{ORIGIN}/y#bascule=")
        with pytest.raises(ValueError, match="fragment"):
            bridge.link("#part")


@pytest.mark.parametrize(
    ("origin", "options", "reason"),
    [("file:///x", (), "origin"), (ORIGIN, ("--no-such-option",), "no-such-option")],
)
def test_a_start_that_fails_says_why(
    runtime: Path, origin: str, options: tuple[str, ...], reason: str
) -> None:
    with (
        pytest.raises(BridgeStartError, match=reason),
        start_bridge(origin, runtime, options=options),
    ):
        pass


def test_a_runtime_folder_that_others_can_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bascule").mkdir(mode=0o755)
    with pytest.raises(BridgeStartError, match="mode"), start_bridge(ORIGIN, tmp_path):
        pass


def test_a_killed_bridge_is_sent_nothing_more(runtime: Path) -> None:
    with start_bridge(ORIGIN, runtime) as bridge:
        client = bridge.connect()
        assert client.status()["app"] is None
        bridge.process.kill()
        bridge.process.wait(PATIENCE_SECONDS)
        with pytest.raises(BridgeFailure) as caught:
            client.info()
        assert caught.value.outcome is Outcome.NOT_DELIVERED


def test_it_ends_with_the_process_that_started_it(runtime: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path\n"
        "from bridge.client.bridge_runner import start_bridge\n"
        "with start_bridge(sys.argv[1], Path(sys.argv[2])) as bridge:\n"
        "    print(bridge.process.pid, flush=True)\n"
        "    os._exit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, ORIGIN, str(runtime)],
        stdout=subprocess.PIPE,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    pid = int(done.stdout)
    # A pidfd becomes readable when its process ends; where it is gone already there is none.
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], PATIENCE_SECONDS)[0]
    finally:
        os.close(handle)


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    return folder
