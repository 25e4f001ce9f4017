"""Gateways whose bridge is named by a token file, which comes, goes and is written anew."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import (
    BridgeCommand,
    bridge_command,
    fresh_token,
    pipe,
    run_command,
    running_command,
)
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.mcp_requests import call, discover

REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"agent/info"}'


@contextmanager
def bridge_elsewhere(tmp_path: Path, *words: str) -> Iterator[BridgeCommand]:
    """Run a bridge whose token is in no runtime directory that the gateway looks into."""
    with bridge_command(tmp_path / "elsewhere", *words) as bridge:
        yield bridge


def ask(child: subprocess.Popen[bytes], line: bytes) -> Any:
    pipe(child.stdin).write(line + b"\n")
    pipe(child.stdin).flush()
    return json.loads(pipe(child.stdout).readline())


def failure(child: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Return the error of a call over MCP."""
    result = ask(child, call(7))["result"]
    assert result["isError"] is True
    return dict(result["structuredContent"]["error"])


def write(file: Path, bridge: BridgeCommand, mode: int = 0o600) -> None:
    file.write_text(json.dumps({"url": bridge.url, "token": bridge.token}))
    file.chmod(mode)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "tok.json"


@pytest.mark.parametrize("content", [None, "", "bare-token"], ids=["missing", "empty", "bare"])
def test_a_file_that_names_no_bridge_yet_is_read_again_at_each_call(
    content: str | None, file: Path, tmp_path: Path
) -> None:
    if content is not None:
        file.write_text(content)
    with running_command(tmp_path, "browser-stdio", "--token-file", str(file)) as child:
        assert "result" in ask(child, discover(0))
        wrong = failure(child)
        assert wrong["data"]["outcome"] == "not_delivered"
        assert "mend this client's entry: `bascule mcp-config`" in wrong["data"]["hint"]
        assert "try it again" not in wrong["data"]["hint"]
        with bridge_elsewhere(tmp_path) as bridge:
            write(file, bridge)
            # That bridge has no page: its own answer says that it was reached.
            assert failure(child)["data"]["code"] == "NOT_ATTACHED"
        assert child.communicate(timeout=PATIENCE_SECONDS) == (b"", b"")
    assert child.returncode == ExitCode.DONE


def test_a_bridge_that_was_started_again_at_its_port_is_called_with_the_file_s_new_token(
    file: Path, tmp_path: Path
) -> None:
    with running_command(tmp_path, "browser-stdio", "--token-file", str(file)) as child:
        ask(child, discover(0))
        with bridge_elsewhere(tmp_path) as first:
            write(file, first)
            assert failure(child)["data"]["code"] == "NOT_ATTACHED"
            first.stop()
        with bridge_elsewhere(tmp_path, "--port", str(first.port)) as second:
            refused = failure(child)
            assert refused["data"]["code"] == "UNAUTHORIZED"
            assert refused["data"]["outcome"] == "not_delivered"
            assert "printed last into the file" in refused["data"]["hint"]
            assert "attach" not in refused["data"]["hint"]
            write(file, second)
            assert failure(child)["data"]["code"] == "NOT_ATTACHED"
        child.communicate(timeout=PATIENCE_SECONDS)


def test_control_protocol_1_finds_a_bridge_that_was_started_again_too(
    file: Path, tmp_path: Path
) -> None:
    def code(child: subprocess.Popen[bytes]) -> str:
        return str(ask(child, REQUEST)["error"]["data"]["code"])

    with bridge_elsewhere(tmp_path) as first:
        write(file, first)
        words = ("browser-stdio", "--protocol", "json", "--token-file", str(file))
        with running_command(tmp_path, *words) as child:
            assert code(child) == "NOT_ATTACHED"
            first.stop()
            with bridge_elsewhere(tmp_path, "--port", str(first.port)) as second:
                assert code(child) in {"UNREACHABLE", "UNAUTHORIZED"}
                write(file, second)
                assert code(child) == "NOT_ATTACHED"
            child.communicate(timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize(
    "words", [("browser-stdio",), ("stdio", "--protocol", "mcp")], ids=lambda words: words[0]
)
def test_standard_error_stays_empty_where_others_may_read_the_file(
    words: tuple[str, ...], file: Path, tmp_path: Path
) -> None:
    with bridge_elsewhere(tmp_path) as bridge:
        write(file, bridge, mode=0o644)
        given = ("--token-file", str(file))
        ended = run_command(tmp_path, *words, *given, data=discover(0) + b"\n" + call(1) + b"\n")
        assert b"NOT_ATTACHED" in ended.stdout
        assert ended.stderr == b""
        # The doctor tells whoever looks, once.
        assert run_command(tmp_path, "doctor", *given).stderr.count(b"chmod 600") == 1


def test_a_token_that_is_none_of_the_bridge_s_is_told_to_terminals_as_theirs(
    file: Path, tmp_path: Path
) -> None:
    file.write_text(fresh_token())
    file.chmod(0o600)
    with bridge_elsewhere(tmp_path) as bridge:
        ended = run_command(tmp_path, "actions", bridge.url, "--token-file", str(file))
    assert b"a terminal gives the one that it printed last" in ended.stderr
