"""Which bridge is called, and who is never sent a token."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.parsing import UsageError
from bridge.cli.target import Target
from bridge.client.bridge_failure import BridgeFailure, ClientErrorCode
from bridge.client.process_identity import process_start
from bridge.contract.error_codes import ExitCode, Outcome
from bridge.contract.runtime_entry import entry_name
from tests.python.support.command_line import (
    ORIGIN,
    bridge_command,
    ended_process,
    entry_for,
    fresh_token,
    post_entry,
    run_command,
)
from tests.python.support.fake_bridge import PATIENCE_SECONDS, FakeBridge, fake_bridge, status_of


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def bridge() -> Iterator[FakeBridge]:
    with fake_bridge() as running:
        yield running


def target(**given: Any) -> Target:
    names = ["url", "token", "token_file", "origin", "app", "environment_url", "environment_token"]
    return Target.from_arguments(argparse.Namespace(**(dict.fromkeys(names) | given)))


def chosen(**given: Any) -> tuple[str, str]:
    connection = target(**given).choose().connection
    return connection.address.url, connection.token


def refused(**given: Any) -> BridgeFailure:
    with pytest.raises(BridgeFailure) as caught:
        target(**given).choose()
    assert caught.value.outcome is Outcome.NOT_DELIVERED
    assert caught.value.code == ClientErrorCode.NO_BRIDGE
    return caught.value


def other_bridge(runtime: Path, bridge: FakeBridge, **changes: Any) -> Path:
    """Post an entry under the id of another process that runs: the parent."""
    pid = os.getppid()
    return post_entry(
        runtime, entry_for(bridge, pid=pid, process_start=process_start(pid), **changes)
    )


def test_the_only_running_bridge_is_found(runtime: Path, bridge: FakeBridge) -> None:
    post_entry(runtime, entry_for(bridge))
    assert chosen() == (bridge.url, bridge.token)
    assert bridge.connections == 0


def test_without_a_bridge_it_says_how_to_start_one(runtime: Path) -> None:
    assert "browser-bridge" in (refused().hint or "")


def test_arguments_come_before_the_environment(runtime: Path) -> None:
    url, other = "http://127.0.0.1:7000", "http://127.0.0.1:7001"
    environment = {"environment_url": other, "environment_token": "e" * 43}
    assert chosen(**environment) == (other, "e" * 43)
    assert chosen(url=url, token="t" * 43, **environment) == (url, "t" * 43)
    assert chosen(token="t" * 43, **environment) == (other, "t" * 43)


@pytest.mark.parametrize("form", ["{token}\n", '{{"url": "{url}", "token": "{token}"}}\nmore\n'])
def test_a_token_file_holds_the_token_or_the_bridge_s_line(
    runtime: Path, tmp_path: Path, form: str
) -> None:
    url, token = "http://127.0.0.1:7000", fresh_token()
    path = tmp_path / "token"
    path.write_text(form.format(url=url, token=token))
    path.chmod(0o600)
    assert chosen(url=url, token_file=str(path), environment_token="e" * 43) == (url, token)
    if form.startswith("{{"):
        assert chosen(token_file=str(path)) == (url, token)


@pytest.mark.parametrize("content", ["", "two words", "{}", "{", '{"token": 7}', "\udcff", "a\nb"])
def test_a_token_file_without_a_token_is_wrong_usage(
    runtime: Path, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "token"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError):
        target(url="http://127.0.0.1:7000", token_file=str(path))
    with pytest.raises(UsageError, match="cannot be read"):
        target(url="http://127.0.0.1:7000", token_file=str(tmp_path / "none"))


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o604])
def test_a_token_file_that_others_can_read_gives_a_warning(
    runtime: Path, tmp_path: Path, mode: int, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "token"
    path.write_text("t" * 43)
    path.chmod(mode)
    target(url="http://127.0.0.1:7000", token_file=str(path))
    assert ("chmod 600" in capfd.readouterr().err) is (mode != 0o600)


@pytest.mark.parametrize(
    "given",
    [
        {"token": "t" * 43},
        {"environment_token": "t" * 43},
        {"url": "http://evil.example:80", "token": "t" * 43},
        {"url": "http://[::1]:80"},
        {"url": "http://127.0.0.1:80", "token": "a b"},
        {"url": "http://127.0.0.1:80", "token": "a\r\nX: y"},
        {"url": "http://127.0.0.1:80", "token": ""},
        {"url": "http://127.0.0.1:80", "app": "A"},
        {"environment_url": "http://127.0.0.1:80", "origin": ORIGIN},
    ],
    ids=str,
)
def test_a_choice_that_makes_no_sense_is_wrong_usage(runtime: Path, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        target(**given)


def test_an_address_alone_takes_the_token_from_the_running_bridge_there(
    runtime: Path, bridge: FakeBridge
) -> None:
    post_entry(runtime, entry_for(bridge))
    assert chosen(url=bridge.url) == (bridge.url, bridge.token)
    url = f"http://localhost:{bridge.port}"
    assert chosen(url=url) == (url, bridge.token)
    assert "no bridge running at" in refused(url="http://127.0.0.1:1").message


def test_of_several_one_is_chosen_by_origin_or_by_app(runtime: Path, bridge: FakeBridge) -> None:
    with fake_bridge(lambda _: status_of("Other")) as other:
        post_entry(runtime, entry_for(bridge))
        other_bridge(runtime, other, origin="http://localhost:3000")
        assert chosen(origin=ORIGIN) == (bridge.url, bridge.token)
        assert chosen(origin="http://localhost:3000") == (other.url, other.token)
        assert chosen(app="Echo") == (bridge.url, bridge.token)
        assert chosen(app="Other") == (other.url, other.token)
        assert "None of them" in refused(app="None of them").message
        nobody = refused(origin="http://none")
        assert "http://none" in nobody.message
        assert "--origin http://none" in (nobody.hint or "")


def test_several_without_a_choice_are_wrong_usage_and_listed(
    runtime: Path, bridge: FakeBridge
) -> None:
    with fake_bridge(lambda _: status_of("\x1b[1mOther")) as other:
        post_entry(runtime, entry_for(bridge))
        other_bridge(runtime, other)
        with pytest.raises(UsageError) as caught:
            target().choose()
    text = str(caught.value)
    assert "--app, --origin or --url" in text
    assert f"Echo  {ORIGIN}  {bridge.url}" in text
    assert other.url in text
    assert "\x1b" not in text


def test_a_directory_that_cannot_be_trusted_is_a_refusal(runtime: Path, bridge: FakeBridge) -> None:
    path = post_entry(runtime, entry_for(bridge))
    path.parent.chmod(0o755)
    assert "mode" in refused().message
    assert "mode" in refused(url=bridge.url).message
    # Who brings the token needs no directory.
    assert chosen(url=bridge.url, token="t" * 43) == (bridge.url, "t" * 43)


def test_an_ended_bridge_s_token_is_kept_back(runtime: Path, bridge: FakeBridge) -> None:
    post_entry(runtime, entry_for(bridge, pid=ended_process(), process_start=1))
    for given in ({}, {"url": bridge.url}, {"url": bridge.url, "token": bridge.token}):
        refused(**given)
    assert bridge.connections == 0
    assert chosen(url=bridge.url, token="t" * 43)[1] == "t" * 43


def test_a_bridge_that_ends_later_is_noticed(
    runtime: Path, bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    post_entry(runtime, entry_for(bridge))
    found = target().choose()
    assert found.may_run()
    monkeypatch.setattr("bridge.client.discovery.is_same_process", lambda *_: False)
    assert not found.may_run()


COMMANDS = [
    ["browser-call", "m"],
    ["browser-stdio"],
    ["status"],
    ["browser-call", "--url", "{url}", "m"],
    ["browser-call", "--url", "{url}", "--token-file", "{file}", "m"],
    ["browser-stdio", "--url", "{url}", "--token", "{token}"],
]


def test_an_impostor_on_a_killed_bridge_s_port_is_sent_nothing(runtime: Path) -> None:
    request = b'{"jsonrpc":"2.0","id":1,"method":"agent/info"}\n'
    with bridge_command(runtime) as victim:
        token_file = runtime / "token"
        token_file.write_text(victim.token)
        token_file.chmod(0o600)
        victim.child.send_signal(signal.SIGKILL)
        # The end of its port, not of its process, which is left as a zombie on purpose.
        os.waitid(os.P_PID, victim.child.pid, os.WEXITED | os.WNOWAIT)
        assert (runtime / "bascule" / entry_name(victim.child.pid)).exists()
        values = {"url": victim.url, "token": victim.token, "file": str(token_file)}
        with fake_bridge(port=victim.port) as impostor:
            for reaped in (False, True):
                if reaped:
                    victim.child.wait(PATIENCE_SECONDS)
                for command in COMMANDS:
                    arguments = [argument.format(**values) for argument in command]
                    done = run_command(runtime, *arguments, data=request)
                    assert done.returncode == ExitCode.NO_BRIDGE, (arguments, done)
                    assert victim.token.encode() not in done.stdout + done.stderr
                assert run_command(runtime, "list").returncode == 0
            assert impostor.connections == 0
            # It can be reached, and would be sent the token if its process were the bridge's.
            post_entry(runtime, entry_for(impostor, token=victim.token))
            (runtime / "bascule" / entry_name(victim.child.pid)).unlink()
            for command in COMMANDS:
                arguments = [argument.format(**values) for argument in command]
                assert run_command(runtime, *arguments, data=request).returncode == 0
            sent = {received.headers["authorization"] for received in impostor.received}
            assert sent == {f"Bearer {victim.token}"}
