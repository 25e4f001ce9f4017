"""`browser-call` against a scripted bridge: what is sent, printed and told to the shell."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.cli.main import main
from bridge.contract.error_codes import BridgeErrorCode, ExitCode, Outcome
from tests.python.support.command_line import (
    COMMAND,
    entry_for,
    environment,
    post_entry,
    run_command,
    running_command,
)
from tests.python.support.fake_bridge import (
    PATIENCE_SECONDS,
    Answer,
    Bytes,
    FakeBridge,
    Received,
    error,
    fake_bridge,
    result,
)

NOTHING = {"NOT_ATTACHED"}


@pytest.fixture
def bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBridge]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_bridge() as running:
        post_entry(tmp_path, entry_for(running))
        yield running


def test_the_response_is_printed_as_it_came_on_one_line(
    bridge: FakeBridge, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    bridge.script = lambda _: Answer(body='{"id":1,\n"result":{"é":0.10,"n":1e3}}'.encode())
    assert main(["browser-call", "m", "{}"]) == ExitCode.DONE
    assert capfdbinary.readouterr() == ('{"id":1, "result":{"é":0.10,"n":1e3}}\n'.encode(), b"")


def test_the_request_is_json_rpc_in_the_session_of_the_command_line(bridge: FakeBridge) -> None:
    assert main(["browser-call", "actions/list", '{"query": "a b"}']) == ExitCode.DONE
    request = {"jsonrpc": "2.0", "id": 1, "method": "actions/list", "params": {"query": "a b"}}
    assert bridge.received[0].json() == {"session": "cli-json", "request": request}


def test_without_params_the_request_has_none(bridge: FakeBridge) -> None:
    assert main(["browser-call", "agent/info"]) == ExitCode.DONE
    assert "params" not in bridge.received[0].json()["request"]


def test_session_and_timeout_are_passed_on(bridge: FakeBridge) -> None:
    assert main(["browser-call", "--session", "a.b:1", "--timeout", "0.25", "m"]) == ExitCode.DONE
    body = bridge.received[0].json()
    assert (body["session"], body["timeoutMs"]) == ("a.b:1", 250)


def test_numbers_keep_their_digits(bridge: FakeBridge) -> None:
    params = '{"n": [1e3, 10.0, -0, 0.10, 123456789012345678901234567890, 1e400]}'
    assert main(["browser-call", "m", params]) == ExitCode.DONE
    assert params.encode() in bridge.received[0].body


def test_params_can_come_from_standard_input(
    bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO('{"a": "é"}\n'.encode())))
    assert main(["browser-call", "m", "-"]) == ExitCode.DONE
    assert bridge.received[0].json()["request"]["params"] == {"a": "é"}


@pytest.mark.parametrize(
    "params",
    ["", "{", "'a'", "1", '"text"', "null", '{"a": NaN}', '{"a": -Infinity}', "\udcff", "[" * 9999],
    ids=lambda text: ascii(text[:20]),
)
def test_params_that_are_no_json_object_are_wrong_usage(
    bridge: FakeBridge, params: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["browser-call", "m", params]) == ExitCode.USAGE
    assert "PARAMS-JSON" in capfd.readouterr().err
    assert bridge.connections == 0


@pytest.mark.parametrize("method", ["", "{}", '{"action": "a"}', "[]", '"m"', "a b", "a\n"])
def test_a_method_that_is_no_name_is_wrong_usage(
    bridge: FakeBridge, method: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["browser-call", method]) == ExitCode.USAGE
    assert "METHOD comes first" in capfd.readouterr().err
    assert bridge.connections == 0


def test_a_method_that_is_no_text_is_wrong_usage(
    bridge: FakeBridge, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["browser-call", "\udcff"]) == ExitCode.USAGE
    assert bridge.connections == 0


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        ("--session", ["a", "A.b_c:d-0", "x" * 128], ["", "a b", "é", "x" * 129, "a\n"]),
        ("--timeout", ["0.001", "30", "1e1"], ["0", "30.001", "-1", "nan", "inf", "x"]),
    ],
)
def test_options_are_checked_before_anything_is_sent(
    bridge: FakeBridge, option: str, good: list[str], bad: list[str]
) -> None:
    for value in bad:
        assert main(["browser-call", f"{option}={value}", "m"]) == ExitCode.USAGE
    assert bridge.connections == 0
    for value in good:
        assert main(["browser-call", f"{option}={value}", "m"]) == ExitCode.DONE
    assert bridge.connections == len(good)


def test_an_error_of_the_app_is_printed_and_is_status_1(
    bridge: FakeBridge, capfd: pytest.CaptureFixture[str]
) -> None:
    line = '{"jsonrpc":"2.0","id":1,"error":{"code":1002,"message":"no","data":{}}}'
    bridge.script = lambda _: Answer(body=line.encode())
    assert main(["browser-call", "m"]) == ExitCode.APP_ERROR
    assert capfd.readouterr().out == line + "\n"


@pytest.mark.parametrize("outcome", [None, *Outcome])
@pytest.mark.parametrize("code", BridgeErrorCode)
def test_every_error_of_the_bridge_has_its_status(
    bridge: FakeBridge,
    code: BridgeErrorCode,
    outcome: Outcome | None,
    capfd: pytest.CaptureFixture[str],
) -> None:
    bridge.script = lambda _: error(code, outcome)
    # Which errors the gate gives, before there is a call, is the contract's; here it is spelled.
    at_the_gate = code.value in {
        "BAD_REQUEST",
        "UNAUTHORIZED",
        "FORBIDDEN_ORIGIN",
        "NOT_FOUND",
        "METHOD_NOT_ALLOWED",
        "TOO_LARGE",
        "UNSUPPORTED_MEDIA_TYPE",
        "FORBIDDEN_HOST",
        "BUSY",
    }
    unknown = outcome is Outcome.UNKNOWN or (outcome is None and not at_the_gate)
    if unknown:
        expected = ExitCode.OUTCOME_UNKNOWN
    else:
        expected = ExitCode.NO_BRIDGE if code.value in NOTHING else ExitCode.REFUSED
    assert main(["browser-call", "m"]) == expected
    out, err = capfd.readouterr()
    assert out == ""
    assert f"[{code}]" in err
    assert ("may have run" in err) is unknown
    assert bridge.token not in err


def test_a_lost_connection_is_status_4_and_no_bridge_is_status_3(
    bridge: FakeBridge, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bridge.script = lambda _: Bytes()
    assert main(["browser-call", "m"]) == ExitCode.OUTCOME_UNKNOWN
    assert "may have run" in capfd.readouterr().err
    bridge.script = lambda _: Answer(302, headers={"Location": f"{bridge.url}/x"})
    assert main(["browser-call", "m"]) == ExitCode.OUTCOME_UNKNOWN
    assert main(["browser-call", "--url", "http://127.0.0.1:1", "--token", "t", "m"]) == 3
    (tmp_path / "bascule" / f"browser-bridge-{os.getpid()}.json").unlink()
    assert main(["browser-call", "m"]) == ExitCode.NO_BRIDGE
    assert len(bridge.received) == 2


def test_the_token_can_come_from_the_environment(bridge: FakeBridge, tmp_path: Path) -> None:
    without: dict[str, str] = {}
    for more in (without, {"BASCULE_TOKEN": "t" * 43}):
        environ = {"BASCULE_URL": bridge.url, **more}
        done = run_command(tmp_path / "none", "browser-call", "m", environ=environ)
        assert done.returncode == (0 if more else 3)
    assert [r.headers["authorization"] for r in bridge.received] == ["Bearer " + "t" * 43]


def on_a_terminal(runtime: Path, *arguments: str) -> bytes:
    """Run a command whose standard output is a terminal, and return what that got."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen([*COMMAND, *arguments], stdout=theirs, env=environment(runtime)):
            os.close(theirs)
            shown = b""
            while b"\n" not in shown:
                shown += os.read(ours, 65_536)
    finally:
        os.close(ours)
    return shown


def test_what_an_app_says_has_no_power_over_the_terminal(
    bridge: FakeBridge, tmp_path: Path
) -> None:
    hostile = {"jsonrpc": "2.0", "id": 1, "result": "\x9b2J\x7f\u202eé\u2028"}
    line = json.dumps(hostile, ensure_ascii=False).encode()
    bridge.script = lambda _: Answer(body=line)
    shown = on_a_terminal(tmp_path, "browser-call", "m").decode()
    assert json.loads(shown) == hostile
    assert shown.rstrip("\r\n").isprintable()
    assert "é" in shown
    # A pipe gets the very bytes, so they were delivered.
    assert run_command(tmp_path, "browser-call", "m").stdout == line + b"\n"


def test_an_interrupted_call_says_so_and_ends_as_interrupted(
    bridge: FakeBridge, tmp_path: Path
) -> None:
    release = threading.Event()

    def wait(_: Received) -> Answer:
        release.wait(PATIENCE_SECONDS)
        return result(None)

    bridge.script = wait
    with running_command(tmp_path, "browser-call", "m") as child:
        bridge.wait_for("/rpc")
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE_SECONDS)
        release.set()
    assert child.returncode == -signal.SIGINT
    assert out == b""
    assert b"may have run" in err
    assert b"Traceback" not in err
