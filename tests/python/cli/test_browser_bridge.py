"""`browser-bridge` as a process: what it prints, writes, opens and removes."""

from __future__ import annotations

import base64
import http.client
import json
import os
import signal
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.cli import browser_bridge
from bridge.cli.main import main
from bridge.client.discovery import running_bridges
from bridge.client.process_identity import process_start
from bridge.contract.error_codes import ExitCode
from bridge.contract.runtime_entry import entry_name
from bridge.servers.bridge_process import BridgeConfig
from tests.python.support.command_line import (
    ORIGIN,
    BridgeCommand,
    bridge_command,
    ended_process,
    entry_for,
    environment,
    pipe,
    post_entry,
    process_to_kill,
    run_command,
    running_command,
)
from tests.python.support.fake_bridge import PATIENCE_SECONDS, Answer, Received, fake_bridge, result

GONE = b"The bridge is gone, and its link with it.\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


def entry_path(runtime: Path, bridge: BridgeCommand) -> Path:
    return runtime / "bascule" / entry_name(bridge.child.pid)


def link_of(bridge: BridgeCommand) -> dict[str, str]:
    """Return the page and what the printed attach link holds."""
    stderr = pipe(bridge.child.stderr)
    assert b"#bascule=" not in stderr.readline()
    page, _, text = stderr.readline().decode().strip().partition("#bascule=")
    value = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    return {"page": page, **value}


def cmdlines() -> Iterator[bytes]:
    """Yield the arguments of every process of this machine, as any user can read them."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes()
        except OSError:
            continue


def test_the_first_line_is_json_and_then_comes_a_link(tmp_path: Path) -> None:
    with bridge_command(tmp_path) as bridge:
        assert bridge.url.startswith("http://127.0.0.1:")
        assert len(base64.urlsafe_b64decode(bridge.token + "=")) == 32
        link = link_of(bridge)
        assert link == {"page": f"{ORIGIN}/", "url": bridge.url, "token": bridge.token}
        assert bridge.stop() == ExitCode.DONE
        assert pipe(bridge.child.stdout).read() == b""


def test_the_first_line_names_url_token_and_origin_and_nothing_else(tmp_path: Path) -> None:
    with running_command(tmp_path, "browser-bridge", "--origin", ORIGIN, "-v") as child:
        line = json.loads(pipe(child.stderr).readline())
    assert line.keys() == {"url", "token", "origin"}
    assert line["origin"] == ORIGIN


def test_the_link_is_of_the_page_that_was_given(tmp_path: Path) -> None:
    with bridge_command(tmp_path, "--page", f"{ORIGIN}/edit?x=1") as bridge:
        assert link_of(bridge)["page"] == f"{ORIGIN}/edit?x=1"


def test_every_run_has_a_token_of_its_own(tmp_path: Path) -> None:
    with bridge_command(tmp_path) as one, bridge_command(tmp_path) as two:
        assert one.token != two.token


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_entry_is_a_private_file_by_the_time_of_the_first_line(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with bridge_command(tmp_path, umask=umask) as bridge:
        status = entry_path(tmp_path, bridge).lstat()
        assert stat.filemode(status.st_mode) == "-rw-------"
        assert status.st_uid == os.getuid()
        assert stat.S_IMODE((tmp_path / "bascule").stat().st_mode) == 0o700
        (entry,) = running_bridges()
        assert (entry.url, entry.token, entry.origin) == (bridge.url, bridge.token, ORIGIN)
        assert (entry.pid, entry.process_start) == (
            bridge.child.pid,
            process_start(bridge.child.pid),
        )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_the_entry_goes(tmp_path: Path, number: signal.Signals) -> None:
    with bridge_command(tmp_path) as bridge:
        assert entry_path(tmp_path, bridge).exists()
        assert bridge.stop(number) == ExitCode.DONE
        lines = pipe(bridge.child.stderr).read().splitlines(keepends=True)
    assert list((tmp_path / "bascule").iterdir()) == []
    assert lines[-1] == GONE


def test_it_ends_well_where_nobody_is_left_to_read_its_last_line(tmp_path: Path) -> None:
    with bridge_command(tmp_path) as bridge:
        pipe(bridge.child.stderr).close()
        assert bridge.stop(signal.SIGHUP) == ExitCode.DONE


def test_another_file_in_the_entry_s_place_is_left(tmp_path: Path) -> None:
    with bridge_command(tmp_path) as bridge:
        path = entry_path(tmp_path, bridge)
        path.unlink()
        path.write_text("mine")
        assert bridge.stop() == ExitCode.DONE
    assert path.read_text() == "mine"


@pytest.mark.parametrize("opened_by", ["the bridge", "bascule open"])
def test_the_file_with_its_link_ends_with_the_bridge(opened_by: str, tmp_path: Path) -> None:
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    os.mkfifo(opened)
    browser.write_text(f'#!/bin/sh\necho "$1" > "{opened}"\n')
    browser.chmod(0o700)
    environ = {"BROWSER": f"{browser} %s"}
    options = ["--open"] if opened_by == "the bridge" else []
    other = tmp_path / "bascule" / f"open-{os.getpid()}-0123.html"
    # For writing as well: neither end waits for the other to open it.
    with (
        os.fdopen(os.open(opened, os.O_RDWR), "rb", buffering=0) as told,
        bridge_command(tmp_path, *options, environ=environ) as bridge,
    ):
        if not options:
            assert run_command(tmp_path, "open", environ=environ).returncode == ExitCode.DONE
        # The bridge opens it after it has told the link.
        assert told.readline().startswith(b"file:")
        other.touch(0o600)
        mine = f"open-{bridge.child.pid}-*.html"
        (file,) = other.parent.glob(mine)
        assert bridge.token not in file.name
        assert bridge.stop() == ExitCode.DONE
    # Nobody else's is touched.
    assert list(other.parent.glob("open-*.html")) == [other]


def test_after_a_kill_the_next_bridge_removes_the_entry(tmp_path: Path) -> None:
    with bridge_command(tmp_path) as killed:
        assert killed.stop(signal.SIGKILL) == -signal.SIGKILL
        left = entry_path(tmp_path, killed)
    assert left.exists()
    with bridge_command(tmp_path) as bridge:
        assert not left.exists()
        assert entry_path(tmp_path, bridge).exists()


def test_a_directory_that_cannot_be_trusted_stops_it_before_it_listens(tmp_path: Path) -> None:
    (tmp_path / "bascule").mkdir(mode=0o755)
    done = run_command(tmp_path, "browser-bridge", "--origin", ORIGIN)
    assert done.returncode == ExitCode.NO_BRIDGE
    assert b"mode" in done.stderr
    assert b"token" not in done.stderr
    assert stat.S_IMODE((tmp_path / "bascule").stat().st_mode) == 0o755


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with fake_bridge() as other:
        port = str(other.port)
        done = run_command(tmp_path, "browser-bridge", "--origin", ORIGIN, "--port", port)
    assert done.returncode == ExitCode.NO_BRIDGE
    assert port.encode() in done.stderr
    assert b"Traceback" not in done.stderr
    assert list((tmp_path / "bascule").iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--origin", "http://a/"],
        ["--origin", "null"],
        ["--origin", ORIGIN, "--page", "http://other/"],
        ["--origin", ORIGIN, "--page", f"{ORIGIN}/#top"],
        ["--origin", ORIGIN, "--port", "65536"],
        ["--origin", ORIGIN, "--port", "x"],
        ["--origin", ORIGIN, "--public-host", "evil.example:80"],
        ["--origin", ORIGIN, "--idle-exit", "0"],
        ["--origin", ORIGIN, "--owner-pid", "0"],
    ],
    ids=str,
)
def test_a_wrong_configuration_is_wrong_usage(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert main(["browser-bridge", *arguments]) == ExitCode.USAGE
    assert capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_every_option_reaches_the_bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configs: list[BridgeConfig] = []
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(browser_bridge, "run_bridge", lambda config, **_: configs.append(config))
    options = {
        "--page": f"{ORIGIN}/p",
        "--port": "8001",
        "--idle-exit": "1.5",
        "--owner-pid": "7",
    }
    flat = [word for pair in options.items() for word in pair]
    hosts = ["--public-host", "localhost:9000", "--public-host", "127.0.0.1:9001"]
    assert main(["browser-bridge", "--origin", ORIGIN, *flat, *hosts]) == ExitCode.DONE
    (config,) = configs
    assert (config.origin, config.page, config.port) == (ORIGIN, f"{ORIGIN}/p", 8001)
    assert config.public_hosts == ("localhost:9000", "127.0.0.1:9001")
    assert (config.idle_exit_seconds, config.owner_pid) == (1.5, 7)


def test_a_bridge_that_nobody_uses_ends(tmp_path: Path) -> None:
    with bridge_command(tmp_path, "--idle-exit", "0.05") as bridge:
        assert bridge.child.wait(PATIENCE_SECONDS) == ExitCode.DONE
    assert list((tmp_path / "bascule").iterdir()) == []


def test_a_bridge_ends_with_its_owner(tmp_path: Path) -> None:
    with (
        process_to_kill() as owner,
        bridge_command(tmp_path, "--owner-pid", str(owner.pid)) as bridge,
    ):
        assert run_command(tmp_path, "status").returncode == ExitCode.DONE
        owner.kill()
        owner.wait(PATIENCE_SECONDS)
        assert bridge.child.wait(PATIENCE_SECONDS) == ExitCode.DONE


def test_our_commands_find_it_and_say_that_nothing_is_attached(tmp_path: Path) -> None:
    with bridge_command(tmp_path) as bridge:
        listed = json.loads(run_command(tmp_path, "list", "--json").stdout)
        assert [(row["url"], row["state"]) for row in listed] == [(bridge.url, "waiting")]
        called = run_command(tmp_path, "browser-call", "agent/info")
        assert called.returncode == ExitCode.NO_BRIDGE
        assert b"NOT_ATTACHED" in called.stderr
        wrong = run_command(
            tmp_path, "browser-call", "--url", bridge.url, "--token", "wrong", "agent/info"
        )
        assert wrong.returncode == ExitCode.REFUSED


def page_request(bridge: BridgeCommand, method: str, path: str, value: Any = None) -> Any:
    """Ask as the attached page does."""
    connection = http.client.HTTPConnection("127.0.0.1", bridge.port, timeout=PATIENCE_SECONDS)
    headers = {"Authorization": f"Bearer {bridge.token}", "Origin": ORIGIN}
    body = None
    if value is not None:
        headers["Content-Type"] = "application/json"
        body = json.dumps(value)
    try:
        connection.request(method, path, body, headers)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def test_a_call_goes_to_the_page_and_its_answer_comes_back(tmp_path: Path) -> None:
    with bridge_command(tmp_path) as bridge:
        client = page_request(bridge, "POST", "/connect", {"app": "My app"})["client"]
        with running_command(tmp_path, "browser-call", "m", '{"a": 1e3}') as call:
            (item,) = page_request(bridge, "GET", f"/poll?client={client}")["requests"]
            assert (item["session"], item["request"]["params"]) == ("cli-json", {"a": 1000})
            response = {"jsonrpc": "2.0", "id": 1, "result": {"é": 1}}
            answer = {"client": client, "id": item["id"], "response": response}
            assert page_request(bridge, "POST", "/result", answer) == {"accepted": True}
            out, err = call.communicate(timeout=PATIENCE_SECONDS)
        assert (call.returncode, err) == (0, b"")
        assert json.loads(out) == response


RECORDER = """\
#!{python}
import json, os, pathlib, socket, sys, urllib.parse
path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(sys.argv[1]).path))
told = {{
    "argv": sys.argv,
    "environ": list(os.environ),
    "mode": path.lstat().st_mode & 0o7777,
    "path": str(path),
    "page": path.read_text(),
}}
with socket.create_connection(("127.0.0.1", {port})) as peer:
    peer.sendall(json.dumps(told).encode() + b"\\n")
    peer.recv(1)
"""


@linux
def test_the_browser_is_opened_by_a_private_file_and_no_argument_has_the_link(
    tmp_path: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE_SECONDS)
        recorder = tmp_path / "recorder"
        port = listening.getsockname()[1]
        recorder.write_text(RECORDER.format(python=sys.executable, port=port))
        recorder.chmod(0o700)
        more = {"BROWSER": f"{recorder} %s", "BASCULE_TOKEN": "canary-in-the-environment"}
        with bridge_command(tmp_path, "--open", environ=more) as bridge:
            link = link_of(bridge)
            peer, _ = listening.accept()
            with peer, peer.makefile("rb") as stream:
                told = json.loads(stream.readline())
                # The browser runs while we look.
                running = list(cmdlines())
            payload = told["page"].partition("#bascule=")[2].partition('"')[0]
            assert len(payload) > 80
            secrets = [bridge.token, payload]
            assert [s for s in secrets if any(s.encode() in line for line in running)] == []
            assert any(str(recorder).encode() in line for line in running)
            assert told["argv"][1:] == [Path(told["path"]).as_uri()]
            assert told["mode"] == 0o600
            assert Path(told["path"]).parent == tmp_path / "bascule"
            assert f"{link['page']}#bascule=" in told["page"]
            assert "BASCULE_TOKEN" not in told["environ"]
            assert "BROWSER" in told["environ"]
            assert bridge.stop() == ExitCode.DONE
        assert not Path(told["path"]).exists()


def test_without_a_browser_it_says_so_and_runs_on(tmp_path: Path) -> None:
    with bridge_command(
        tmp_path, "--open", environ={"BROWSER": "false %s", "PATH": "/nonexistent"}
    ) as bridge:
        link_of(bridge)
        assert b"No browser" in pipe(bridge.child.stderr).readline()
        assert run_command(tmp_path, "status").returncode == ExitCode.DONE


@linux
def test_the_token_is_in_no_process_s_arguments(tmp_path: Path) -> None:
    """Bridge, call and gateway run at once; a control process shows that it would be found."""
    release = threading.Event()

    def wait(_: Received) -> Answer:
        release.wait(PATIENCE_SECONDS)
        return result(None)

    with bridge_command(tmp_path) as bridge, fake_bridge(wait) as slow:
        post_entry(tmp_path, entry_for(slow, token=bridge.token, origin="http://slow"))
        (tmp_path / "token").write_text(bridge.token)
        (tmp_path / "token").chmod(0o600)
        by_file = ["--url", slow.url, "--token-file", str(tmp_path / "token")]
        by_entry = ["--origin", "http://slow"]
        with (
            running_command(tmp_path, "browser-call", *by_entry, "m"),
            running_command(tmp_path, "browser-call", *by_file, "m"),
            running_command(tmp_path, "browser-stdio", *by_entry) as gateway,
        ):
            pipe(gateway.stdin).write(b'{"jsonrpc":"2.0","id":1,"method":"m"}\n')
            pipe(gateway.stdin).flush()
            slow.wait_for("/rpc", 3)
            lines = list(cmdlines())
            assert sum(b"bridge.cli.main" in line for line in lines) >= 4
            assert [line for line in lines if bridge.token.encode() in line] == []
            with process_to_kill(bridge.token):
                assert any(bridge.token.encode() in line for line in cmdlines())
            release.set()


@pytest.mark.parametrize(
    ("arguments", "level", "logged"),
    [
        ((), None, False),
        (("-v",), None, True),
        ((), "info", True),
        ((), "DEBUG", True),
        ((), "error", False),
    ],
    ids=str,
)
def test_the_log_is_for_those_who_ask_and_has_no_secret(
    tmp_path: Path, arguments: tuple[str, ...], level: str | None, *, logged: bool
) -> None:
    more = {} if level is None else {"BASCULE_LOG": level}
    command = [*arguments, "browser-bridge", "--origin", ORIGIN]
    with running_command(tmp_path, *command, environ=more) as child:
        stderr = pipe(child.stderr)
        token = json.loads(stderr.readline())["token"]
        stderr.readline()
        link = stderr.readline().decode().strip().partition("#")[2]
        assert run_command(tmp_path, "browser-call", "m").returncode == ExitCode.NO_BRIDGE
        child.terminate()
        rest = stderr.read().removesuffix(GONE).decode()
    assert bool(rest) is logged
    assert token not in rest
    assert link not in rest


def test_an_unknown_log_level_is_wrong_usage(tmp_path: Path) -> None:
    done = run_command(
        tmp_path, "browser-bridge", "--origin", ORIGIN, environ={"BASCULE_LOG": "loud"}
    )
    assert done.returncode == ExitCode.USAGE
    assert b"debug" in done.stderr


def test_a_process_id_that_is_taken_by_an_ended_bridge_s_entry_is_written_anew(
    tmp_path: Path,
) -> None:
    with fake_bridge() as other:
        stale = post_entry(tmp_path, entry_for(other, pid=ended_process(), process_start=1))
    assert stale.exists()
    with bridge_command(tmp_path):
        assert not stale.exists()


def test_the_environment_of_the_tests_names_no_bridge(tmp_path: Path) -> None:
    assert not [name for name in environment(tmp_path) if name.startswith("BASCULE_")]
