"""`bascule tools serve`: packages found and called as any app is, and over standard output."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bridge.cli.main import main
from bridge.cli.tools.tools_imports import outside_commands
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode
from bridge.tools.outside_server import OutsideCommand
from tests.python.support.command_line import is_gone, pipe, run_command, running_command
from tests.python.support.fake_bridge import PATIENCE_SECONDS
from tests.python.support.native_app import short_directory

ROOT = Path(__file__).parents[4]
SAMPLES = ROOT / "bridge" / "demo" / "packages"
CATALOG = str(SAMPLES / "catalog")
RECEIVABLES = str(SAMPLES / "receivables")
OUTSIDE = [sys.executable, str(ROOT / "tests" / "python" / "support" / "outside_tools.py")]
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


@pytest.fixture(scope="module")
def runtime() -> Iterator[Path]:
    with short_directory() as directory:
        yield directory


@contextmanager
def served(runtime: Path, *words: str) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    """Serve for the length of the context; give the process and what it said of itself."""
    with running_command(runtime, "tools", "serve", *words, "--json") as child:
        line = pipe(child.stdout).readline()
        assert line.startswith(b"{"), pipe(child.stderr).read()
        yield child, json.loads(line)


def output_of(runtime: Path, *words: str) -> Any:
    """Run a command that has to succeed; return what it printed."""
    ran = run_command(runtime, *words)
    assert ran.returncode == ExitCode.DONE, ran.stderr
    return json.loads(ran.stdout)


def test_packages_are_an_app_that_every_command_drives(runtime: Path) -> None:
    with served(runtime, CATALOG, RECEIVABLES) as (child, told):
        assert told["name"] == "tools"
        assert (told["pid"], told["tools"]) == (child.pid, 7)
        assert b"tools" in run_command(runtime, "list").stdout
        listed = output_of(runtime, "actions", "tools", "--json")
        kinds = {action["name"]: action["kind"] for action in listed}
        assert kinds["ageing_report"] == "read"
        assert kinds["invoice_mark_paid"] == "write"
        described = output_of(runtime, "describe", "tools", "invoice_get", "--json")
        assert described["action"]["inputSchema"]["required"] == ["number"]
        # No revision is needed, and what is written is seen by the next call.
        output_of(runtime, "call", "tools", "invoice_mark_paid", "number=INV-2026-004")
        report = output_of(runtime, "call", "tools", "ageing_report")
        assert report["overdue"] == {"count": 6, "amount": 77_800}
        failed = run_command(runtime, "call", "tools", "invoice_get", "number=INV-1999-001")
        assert failed.returncode == ExitCode.APP_ERROR
        assert b"There is no invoice INV-1999-001" in failed.stderr
        packages = output_of(runtime, "inspect", "tools", "--json")["packages"]
        assert [package["name"] for package in packages] == ["catalog", "receivables"]
        kept = run_command(runtime, "check", "tools")
        assert kept.returncode == ExitCode.DONE, kept.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_quietly_and_takes_its_socket_away(
    runtime: Path, number: signal.Signals
) -> None:
    with served(runtime, CATALOG, "--name", "short") as (child, told):
        assert told["name"] == "short"
        assert Path(told["path"]).exists()
        child.send_signal(number)
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
        assert pipe(child.stderr).read() == b""
    assert not Path(told["path"]).exists()


STUBBORN = {
    "blocks_the_loop": """
        NEVER_BLOCKS = True
        async def handle(arguments, session, call):
            print("begun", file=sys.stderr, flush=True)
            while True:
                pass
    """,
    "blocks_a_thread": """
        async def handle(arguments, session, call):
            print("begun", file=sys.stderr, flush=True)
            await asyncio.to_thread(threading.Event().wait)
    """,
    "swallows_its_cancellation": """
        NEVER_BLOCKS = True
        async def handle(arguments, session, call):
            print("begun", file=sys.stderr, flush=True)
            while True:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()
    """,
}


def stubborn(directory: Path) -> Path:
    """Write a package whose handlers do not end."""
    package = Path(shutil.copytree(CATALOG, directory / "stubborn"))
    schema = (package / "tools" / "catalog_list.json").read_text()
    for name, text in STUBBORN.items():
        imports = "import asyncio, contextlib, sys, threading\n"
        (package / "tools" / f"{name}.json").write_text(schema)
        (package / "handlers" / f"{name}.py").write_text(imports + dedent(text))
    return package


def test_a_handler_that_does_not_end_keeps_neither_a_signal_nor_the_end_of_the_input(
    runtime: Path, tmp_path: Path
) -> None:
    package = str(stubborn(tmp_path))
    with ExitStack() as stack:
        children = []
        for number, tool in enumerate(STUBBORN):
            child = stack.enter_context(
                running_command(runtime, "tools", "serve", package, "--mcp")
            )
            for message in (
                {"id": 0, "method": "initialize", "params": HELLO},
                {"method": "notifications/initialized"},
                {"id": 1, "method": "tools/call", "params": {"name": tool}},
            ):
                pipe(child.stdin).write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            pipe(child.stdin).flush()
            assert pipe(child.stderr).readline() == b"begun\n"
            children.append(child)
            # A blocked loop does not hear of the end of its input, and is sent a signal.
            if number:
                pipe(child.stdin).close()
            else:
                child.send_signal(signal.SIGTERM)
        assert [child.wait(PATIENCE_SECONDS) for child in children] == [ExitCode.DONE] * 3


def test_it_is_called_like_its_one_package_and_says_how_it_is_driven(runtime: Path) -> None:
    with running_command(runtime, "tools", "serve", CATALOG) as child:
        said = [pipe(child.stdout).readline().decode() for _ in range(4)]
        assert said[0] == "1 tool of catalog, served as catalog.\n"
        assert said[1].strip() == "bascule actions catalog"
        assert output_of(runtime, "call", "catalog", "catalog_list")["count"] == 4


def test_one_package_that_does_not_load_is_told_and_the_others_are_served(
    runtime: Path, tmp_path: Path
) -> None:
    bad = Path(shutil.copytree(CATALOG, tmp_path / "bad"))
    (bad / "tools" / "catalog_list.json").write_text("{")
    with served(runtime, str(bad), RECEIVABLES) as (child, told):
        assert told["tools"] == 6
        # As it is with both, so that whoever calls it finds it.
        assert told["name"] == "tools"
        child.terminate()
        assert f"{bad}/tools/catalog_list.json".encode() in pipe(child.stderr).read()
    alone = run_command(runtime, "tools", "serve", str(bad))
    assert alone.returncode == ExitCode.APP_ERROR
    last = alone.stderr.splitlines()[-1]
    assert last == b"bascule tools serve: no package loads: nothing is served"


def test_imported_tools_are_actions_as_well_and_die_with_their_server(runtime: Path) -> None:
    words = ("--import", shlex.join(OUTSIDE), "--name", "both")
    with served(runtime, CATALOG, *words) as (child, told):
        assert told["tools"] == 22
        given = output_of(runtime, "call", "both", "read_note", "a=1")
        assert given == {"a": 1}
        dead = run_command(runtime, "call", "both", "die")
        assert dead.returncode == ExitCode.APP_ERROR
        assert b"has ended" in dead.stderr
        # The packages are there still.
        assert output_of(runtime, "call", "both", "catalog_list")["count"] == 4
        child.terminate()
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
        assert b'warning: python: the tool "readNote" is offered as read_note.' in pipe(
            child.stderr
        ).read().replace(Path(sys.executable).name.encode(), b"python")


def test_an_imported_server_ends_with_the_command(runtime: Path, tmp_path: Path) -> None:
    noting = tmp_path / "pid"
    code = f"import os, runpy; open({str(noting)!r}, 'w').write(str(os.getpid()));"
    code += f"runpy.run_path({OUTSIDE[1]!r}, run_name='__main__')"
    command = shlex.join([sys.executable, "-c", code])
    with served(runtime, "--import", command, "--name", "alone") as (child, _told):
        pid = int(noting.read_text())
        child.terminate()
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
    assert is_gone(pid)


def test_a_server_that_does_not_start_is_told_and_the_others_are_served(
    runtime: Path, tmp_path: Path
) -> None:
    words = ("--import", "/no/such/program", "--import", f"notes={shlex.join(OUTSIDE)}")
    missing = str(tmp_path / "missing")
    with served(runtime, missing, CATALOG, *words, "--name", "rest") as (child, told):
        assert told["tools"] == 22
        listed = output_of(runtime, "describe", "rest", "echo", "--json")["action"]
        assert "[A tool of the server notes: whatever it says" in listed["description"]
        child.terminate()
        err = pipe(child.stderr).read()
    assert f"{missing}/ missing-directory is no directory".encode() in err
    assert b"bascule tools serve: waiting for program ...\n" in err
    assert b"bascule tools serve: program does not start: " in err
    # It was ended, and has not ended by itself.
    assert b"notes has ended" not in err


def test_where_no_server_starts_and_there_is_no_package_nothing_is_served(runtime: Path) -> None:
    ran = run_command(runtime, "tools", "serve", "--import", "/no/such/program")
    assert ran.returncode == ExitCode.REFUSED
    assert b"program does not start: " in ran.stderr
    assert ran.stderr.endswith(b"no server starts, and nothing is served\n")


def test_a_server_that_ends_is_told_at_once_and_its_tools_are_unavailable(runtime: Path) -> None:
    with served(runtime, "--import", f"notes={shlex.join(OUTSIDE)}", "--name", "dying") as served_:
        child, _ = served_
        assert b"waiting for notes" in pipe(child.stderr).readline()
        assert b"readNote" in pipe(child.stderr).readline()
        run_command(runtime, "call", "dying", "die")
        assert pipe(child.stderr).readline() == (
            b"bascule tools serve: notes has ended: its tools cannot be called any more\n"
        )
        refused = run_command(runtime, "call", "dying", "echo")
        assert b"The server notes has ended." in refused.stderr
        assert b"[ENDED]" in refused.stderr
        # Nothing was run.
        assert b"may have run" not in refused.stderr


def test_a_list_that_changes_is_told_once_and_says_what_to_do(runtime: Path) -> None:
    with served(runtime, "--import", f"notes={shlex.join(OUTSIDE)}", "--name", "changing") as each:
        child, _ = each
        assert b"waiting for notes" in pipe(child.stderr).readline()
        assert b"readNote" in pipe(child.stderr).readline()
        for _ in range(2):
            assert run_command(runtime, "call", "changing", "change").returncode == ExitCode.DONE
        refused = run_command(runtime, "call", "changing", "link")
        assert refused.returncode == ExitCode.APP_ERROR
        assert b"The server notes has taken this tool from its list; nothing was run." in (
            refused.stderr
        )
        child.terminate()
        told = pipe(child.stderr).read()
        assert told.startswith(
            b"bascule tools serve: notes says that its list of tools has changed"
        )
        assert told.count(b"has changed") == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), b"a package is missing"),
        (("/no/such/place",), b"there is no directory"),
        ((CATALOG, "--accept-legacy"), b"--accept-legacy is for --mcp"),
        ((CATALOG, "--import", ""), b"--import: a command is missing"),
        ((CATALOG, "--import", "'"), b"--import: "),
        ((CATALOG, "--import-file", "/no/such/file"), b"--import-file: /no/such/file: "),
    ],
)
def test_a_wrong_call_says_what_is_wrong(runtime: Path, words: tuple[str, ...], why: bytes) -> None:
    ran = run_command(runtime, "tools", "serve", *words)
    assert ran.returncode == ExitCode.USAGE
    assert why in ran.stderr


def test_one_remote_server_in_a_file_keeps_nothing_else_from_being_served(
    runtime: Path, tmp_path: Path
) -> None:
    file = tmp_path / "servers.json"
    file.write_text('{"mcpServers": {"far": {"url": "https://example.com/mcp"}}}')
    words = ("tools", "serve", CATALOG, "--mcp", "--import-file", str(file))
    ran = run_command(runtime, *words, data=line(1, "initialize", **HELLO))
    assert ran.returncode == ExitCode.DONE
    assert b'"serverInfo"' in ran.stdout
    assert b"far is reached by an address, and left out" in ran.stderr
    # With nothing else there is nothing to serve.
    ran = run_command(runtime, "tools", "serve", "--import-file", str(file))
    assert ran.returncode == ExitCode.USAGE


def test_options_may_stand_between_the_packages(runtime: Path) -> None:
    words = ("tools", "serve", CATALOG, "--name", "x", RECEIVABLES, "--mcp")
    asked = line(1, "initialize", **HELLO) + line(2, "tools/list")
    ran = run_command(runtime, *words, data=asked)
    assert ran.returncode == ExitCode.DONE
    answers = {each["id"]: each["result"] for each in map(json.loads, ran.stdout.splitlines())}
    assert answers[1]["serverInfo"]["name"] == "x"
    families = {tool["name"].partition("_")[0] for tool in answers[2]["tools"]}
    assert len(families) > 1


def line(request_id: int, method: str, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def test_over_mcp_standard_output_has_answers_alone(runtime: Path, tmp_path: Path) -> None:
    loud = Path(shutil.copytree(CATALOG, tmp_path / "loud"))
    handler = loud / "handlers" / "catalog_list.py"
    handler.write_text(
        "print('loud')\nasync def handle(a, b, c):\n    print('ran')\n    return 'x'\n"
    )
    asked = line(1, "initialize", **HELLO) + line(2, "tools/call", name="catalog_list")
    ran = run_command(runtime, "tools", "serve", str(loud), "--mcp", data=asked)
    assert ran.returncode == ExitCode.DONE
    answers = {each["id"]: each["result"] for each in map(json.loads, ran.stdout.splitlines())}
    assert answers[1]["serverInfo"] == {"name": "catalog", "version": "1.0.0"}
    assert answers[2] == {"content": [{"type": "text", "text": "x"}]}
    assert b"loud" in ran.stderr
    assert b"ran" in ran.stderr


def test_over_mcp_a_signal_ends_it_as_clients_expect(runtime: Path) -> None:
    with running_command(runtime, "tools", "serve", CATALOG, "--mcp") as child:
        stdin = pipe(child.stdin)
        stdin.write(line(1, "initialize", **HELLO))
        stdin.flush()
        assert b'"serverInfo"' in pipe(child.stdout).readline()
        child.terminate()
        assert child.wait(PATIENCE_SECONDS) == ExitCode.DONE
        assert pipe(child.stderr).read() == b""


# --- which servers are imported from


def named(imports: list[str], *files: Path) -> list[OutsideCommand]:
    return outside_commands(Namespace(imports=imports, import_files=list(files)))


def test_a_command_is_split_as_a_shell_would_and_named_by_its_program() -> None:
    first, second = named(["/usr/bin/npx 'a b' --c", "npx d"])
    assert first == OutsideCommand("npx", ("/usr/bin/npx", "a b", "--c"))
    assert second == OutsideCommand("npx-2", ("npx", "d"))


def test_a_command_may_be_given_a_name() -> None:
    first, second = named(["my-notes=npx d", "./a=b c"])
    assert first == OutsideCommand("my-notes", ("npx", "d"))
    assert second == OutsideCommand("a=b", ("./a=b", "c"))


def test_a_client_s_configuration_names_servers_and_their_environment(tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    servers = {
        "notes": {"command": "notes", "args": ["--all"], "env": {"KEY": "1"}},
        "mail": {"command": "mail", "cwd": "/var/mail", "disabled": False},
        "off": {"url": "https://example.com", "disabled": True},
    }
    file.write_text(json.dumps({"mcpServers": servers, "other": 1}))
    assert named([], file) == [
        OutsideCommand("notes", ("notes", "--all"), {"KEY": "1"}),
        OutsideCommand("mail", ("mail",), {}, "/var/mail"),
    ]
    with pytest.raises(UsageError, match="two servers are called mail"):
        named(["mail"], file)


def test_servers_that_no_command_starts_are_told_and_the_others_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "servers.json"
    servers = {
        "far\x1b[1m": {"type": "http", "url": "https://example.com/mcp"},
        "notes": {"command": "notes"},
        "wind": {"serverUrl": "https://example.com"},
        "off": {"url": "https://example.com", "disabled": True},
    }
    file.write_text(json.dumps({"mcpServers": servers}))
    assert named([], file) == [OutsideCommand("notes", ("notes",))]
    lines = capsys.readouterr().err.splitlines()
    assert all(line.isprintable() and str(file) in line for line in lines)
    told = [line.partition(" is reached by an address")[0].rpartition(": ")[2] for line in lines]
    # One that is switched off is nobody's loss.
    assert told == ["far\\x1b[1m", "wind"]


def test_a_file_as_vs_code_has_it_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp-config", "vscode", "--headless", "sh", "-c", "exit"]) == ExitCode.DONE
    file = tmp_path / "mcp.json"
    file.write_text(capsys.readouterr().out)
    (server,) = named([], file)
    assert server.name == "bascule"
    assert server.words[-2:] == ("-c", "exit")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"mcpServers": {}}',
        '{"servers": {}}',
        '{"mcpServers": {"a": {"url": 1}}}',
        '{"mcpServers": {"a": {"url": "https://example.com", "command": ""}}}',
        '{"mcpServers": {"a": {"command": ""}}}',
        '{"mcpServers": {"a": {"command": 1}}}',
        '{"mcpServers": {"a": {"command": "a", "args": "b"}}}',
        '{"mcpServers": {"a": {"command": "a", "args": [1]}}}',
        '{"mcpServers": {"a": {"command": "a", "env": {"K": 1}}}}',
        '{"mcpServers": {"a": {"command": "a", "cwd": 1}}}',
        '{"mcpServers": {"": {"command": "a"}}}',
        '{"mcpServers": {"a": {"command": "a"}, "a": {"command": "b"}}}',
    ],
)
def test_a_configuration_that_names_no_command_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "servers.json"
    file.write_text(text)
    with pytest.raises(UsageError, match="--import-file"):
        named([], file)
