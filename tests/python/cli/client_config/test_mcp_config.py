"""`mcp-config`: what clients read back, and what a gateway that they start can find."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli import own_command
from bridge.cli.client_config.mcp_clients import (
    MAX_NAME_CHARS,
    MCP_CLIENTS,
    McpEntry,
    add_command,
    config_block,
)
from bridge.cli.client_config.toml_text import toml_array, toml_key, toml_string, toml_table
from bridge.cli.completion.completion import candidates
from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode
from bridge.contract.native_names import native_directory
from bridge.contract.runtime_entry import runtime_directory
from tests.python.support.command_line import entry_for, fresh_token, post_entry
from tests.python.support.fake_bridge import PATIENCE_SECONDS, echo, fake_bridge, status_of
from tests.python.support.mcp_requests import call
from tests.python.support.note_app import APP, SLUG, note_app
from tests.python.support.terminal import on_terminal, plain
from tests.python.support.vectors import ROOT

Captured = pytest.CaptureFixture[str]
NONE_RUNS = (
    "bascule mcp-config: No app runs now: the entry finds 'paper' once one of this name does.\n"
)
OTHERS_RUN = (
    "bascule mcp-config: No app of the name 'not-there-yet' runs now; those that do: my-app. "
    "The entry finds it once it runs.\n"
)
TOKEN = fresh_token()
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LONGEST_FOR_CURSOR = 59
LONGEST_FOR_PROVIDERS = 64


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    # Whose files are looked into.
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("BASCULE_URL", "BASCULE_TOKEN", "LOCALAPPDATA", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


PAGE = ["browser-stdio", "--protocol", "mcp"]


def token_file(folder: Path, url: str) -> str:
    path = folder / "tok.json"
    path.write_text(json.dumps({"url": url, "token": TOKEN}))
    path.chmod(0o600)
    return str(path)


def block(capfd: Captured, *arguments: str, told: str = "") -> str:
    assert main(["mcp-config", *arguments]) == ExitCode.DONE
    out, err = capfd.readouterr()
    assert err == told
    return out


def servers(client: str, text: str) -> dict[str, Any]:
    """Read a block as its client does."""
    whole = tomllib.loads(text) if client == "codex" else json.loads(text)
    (key,) = whole
    assert key == {"vscode": "servers", "codex": "mcp_servers"}.get(client, "mcpServers")
    return dict(whole[key])


def args_of(capfd: Captured, *arguments: str, told: str = "") -> list[str]:
    return list(servers(arguments[0], block(capfd, *arguments, told=told))["bascule"]["args"])


@pytest.mark.parametrize("client", MCP_CLIENTS)
def test_each_client_reads_a_command_that_starts_from_anywhere(
    client: str, capfd: Captured, runtime: Path
) -> None:
    (name, server), *more = servers(client, block(capfd, client)).items()
    assert (name, more) == ("bascule", [])
    assert server["env"] == {"XDG_RUNTIME_DIR": str(runtime)}
    at = server["args"].index("browser-stdio")
    served, more = server["args"][at : at + 3], server["args"][at + 3 :]
    # From the first line on: a client may send another request before those that select MCP.
    assert served == PAGE
    assert more in ([], ["--accept-legacy"])
    typed = client in {"claude-code", "cursor", "vscode"}
    assert server.get("type") == ("stdio" if typed else None)
    started = subprocess.run(
        [server["command"], *server["args"][:at], "--version"],
        env={"PATH": "/nonexistent"},
        cwd="/",
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    assert started.stdout.startswith(b"bascule ")


def test_a_gateway_that_is_started_by_the_block_alone_finds_the_bridge(
    capfd: Captured, runtime: Path
) -> None:
    line = call(1) + b"\n"
    with fake_bridge(echo) as bridge:
        post_entry(runtime, entry_for(bridge))
        server = servers("cursor", block(capfd, "cursor"))["bascule"]
        answers = []
        for env in (server["env"], {"XDG_RUNTIME_DIR": str(runtime / "elsewhere")}):
            ended = subprocess.run(
                [server["command"], *server["args"]],
                input=line,
                env=env,
                cwd="/",
                capture_output=True,
                timeout=PATIENCE_SECONDS,
                check=False,
            )
            answers.append(b'"name": "actions_search"' in ended.stdout)
    # What is told apart is the environment alone.
    assert answers == [True, False]


@pytest.mark.parametrize("client", MCP_CLIENTS)
def test_older_clients_are_accepted_where_they_need_it_or_it_is_asked_for(
    client: str, capfd: Captured
) -> None:
    needed = client in {"codex", "generic"}
    assert ("--accept-legacy" in args_of(capfd, client)) == needed
    assert args_of(capfd, client, "--accept-legacy").count("--accept-legacy") == 1


@pytest.mark.parametrize("client", MCP_CLIENTS)
def test_a_token_is_in_no_block_and_its_bridge_s_address_is(
    client: str, capfd: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BASCULE_TOKEN", "very-secret-token-of-a-bridge")
    monkeypatch.setenv("BASCULE_URL", "http://127.0.0.1:4321")
    assert main(["mcp-config", client]) == ExitCode.DONE
    out, err = capfd.readouterr()
    assert servers(client, out)["bascule"]["env"]["BASCULE_URL"] == "http://127.0.0.1:4321"
    assert "very-secret" not in out + err
    assert "BASCULE_TOKEN is not written" in err
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BASCULE_TOKEN", "very-secret-token-of-a-bridge")
    (tmp_path / "token").write_text('{"url": "http://127.0.0.1:4321", "token": "very-secret"}')
    (tmp_path / "token").chmod(0o600)
    out = block(capfd, client, "--token-file", "token")
    assert "very-secret" not in out
    assert servers(client, out)["bascule"]["args"][-2:] == ["--token-file", str(tmp_path / "token")]


@pytest.mark.parametrize("set_here", [True, False])
def test_the_directory_is_found_from_where_the_client_has_another(
    set_here: bool, capfd: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours = {"XDG_RUNTIME_DIR": str(tmp_path)} if set_here else {}
    if not set_here:
        monkeypatch.delenv("XDG_RUNTIME_DIR")
    theirs = {"XDG_RUNTIME_DIR": str(tmp_path / "of-the-client")}
    for client in MCP_CLIENTS:
        written = servers(client, block(capfd, client))["bascule"]["env"]
        uid = os.getuid()
        assert runtime_directory({**theirs, **written}, uid) == runtime_directory(ours, uid)
        assert native_directory({**theirs, **written}, uid) == native_directory(ours, uid)
        # Without what is written it would look elsewhere.
        assert runtime_directory(theirs, uid) != runtime_directory(ours, uid)


def test_an_app_that_the_client_starts_starts_from_anywhere(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    (tmp_path / "app.py").write_text("import sys, json; print(json.dumps(sys.argv))")
    (tmp_path / "data").mkdir()
    words = ["--headless", "python", "app.py", "--name", "x y", "data", "data/"]
    for client in MCP_CLIENTS:
        server = servers(client, block(capfd, client, "--name", "a", *words))["a"]
        args = server["args"]
        own = args[args.index("--") + 1 :]
        script = str(tmp_path / "app.py")
        # A folder's name without a slash may be any word.
        assert own == [str(python), script, "--name", "x y", "data", str(tmp_path / "data")]
        assert ("--accept-legacy" in args) == MCP_CLIENTS[client].offers_older
    started = subprocess.run(
        [server["command"], *args],
        env={"PATH": "/nonexistent"},
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    assert json.loads(started.stdout) == [*own[1:], "--agent-mcp"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["paper", "--headless", "sh"], "give one of the two"),
        (["--token-file", "x", "--headless", "sh"], "--token-file is for a bridge"),
        (["--headless"], "APP is missing"),
        (["--headless", "/nonexistent/app"], "/nonexistent/app cannot be started"),
        (["--headless", "./notes.py"], "Write: bascule headless python"),
    ],
)
def test_an_app_that_cannot_be_started_so_is_wrong_usage(
    arguments: list[str], told: str, capfd: Captured
) -> None:
    assert main(["mcp-config", "cursor", *arguments]) == ExitCode.USAGE
    out, err = capfd.readouterr()
    assert out == ""
    assert told in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["sh", "notes.py"], ["notes.py"]),
        (["sh", "bin/notes", "--data", "day.txt"], ["bin/notes", "day.txt"]),
        (["sh", "-m", "notes.app", "--at=x/y", "http://127.0.0.1:1/a.b", "1.5", "a word.txt"], []),
        (["sh", "there.py", "notes"], []),
    ],
    ids=" ".join,
)
def test_an_argument_that_looks_like_a_file_and_is_none_is_told(
    words: list[str],
    told: list[str],
    capfd: Captured,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.py").touch()
    assert main(["mcp-config", "cursor", "--headless", *words]) == ExitCode.DONE
    lines = capfd.readouterr().err.splitlines()
    assert [line.partition(" is no file here")[0] for line in lines] == [
        f"bascule mcp-config: {each}" for each in told
    ]
    assert all("run this in the app's folder" in line for line in lines)


@pytest.mark.parametrize("app", ["paper", "my-app", "/run/a.1.01234567.sock"])
def test_an_app_s_name_beside_a_token_file_is_refused_as_no_gateway_takes_both(
    app: str, capfd: Captured, runtime: Path
) -> None:
    with fake_bridge(lambda r: status_of("My app") if r.path == "/status" else echo(r)) as bridge:
        post_entry(runtime, entry_for(bridge))
        file = token_file(runtime, url=bridge.url)
        assert main(["mcp-config", "cursor", app, "--token-file", file]) == ExitCode.USAGE
        out, err = capfd.readouterr()
        assert out == ""
        assert "a token file names its bridge: leave APP out, or give its address" in err
        # Both ways that it names work.
        for given in ([], [bridge.url], [str(bridge.port)]):
            server = servers("cursor", block(capfd, "cursor", *given, "--token-file", file))
            ended = subprocess.run(
                [server["bascule"]["command"], *server["bascule"]["args"]],
                input=call(1) + b"\n",
                env={"XDG_RUNTIME_DIR": str(runtime / "elsewhere")},
                cwd="/",
                capture_output=True,
                timeout=PATIENCE_SECONDS,
                check=True,
            )
            assert json.loads(ended.stdout)["id"] == 1
            assert ended.stderr == b""
        sent = {request.headers["authorization"] for request in bridge.of("/terminal")}
    assert sent == {f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "No such file or directory. The entry works once"),
        ("", "is empty. The entry works once"),
        ("{}", "holds no token. The entry works once"),
        (TOKEN, "holds a token without an address"),
    ],
    ids=["missing", "empty", "no token", "no address"],
)
def test_a_token_file_that_names_no_bridge_yet_is_told(
    content: str | None, told: str, capfd: Captured, runtime: Path
) -> None:
    file = runtime / "tok.json"
    if content is not None:
        file.write_text(content)
        file.chmod(0o600)
    assert main(["mcp-config", "cursor", "--token-file", str(file)]) == ExitCode.DONE
    out, err = capfd.readouterr()
    assert servers("cursor", out)["bascule"]["args"][-2:] == ["--token-file", str(file)]
    assert told in err
    assert TOKEN not in out + err
    if content == TOKEN:
        # With the address that it asks for there is nothing to be told.
        assert block(capfd, "cursor", "http://127.0.0.1:4321", "--token-file", str(file))


@pytest.mark.parametrize("folder", ["home/.codex", "elsewhere"])
def test_a_file_that_has_the_table_already_is_told_and_left_alone(
    folder: str, capfd: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if folder == "elsewhere":
        monkeypatch.setenv("CODEX_HOME", str(tmp_path / folder))
    once = block(capfd, "codex")
    path = tmp_path / folder / "config.toml"
    path.parent.mkdir(parents=True)
    for text in ("model = 'x'\n", "[mcp_servers.other]\ncommand = 'x'\n", "[mcp_servers]\n", "["):
        path.write_text(text)
        assert block(capfd, "codex") == once
    for text in (once, once + once, '[mcp_servers."bascule"]\n[', "mcp_servers = {bascule = {}}"):
        path.write_text(text)
        assert main(["mcp-config", "codex"]) == ExitCode.DONE
        out, err = capfd.readouterr()
        assert out == once
        assert f"{path} has [mcp_servers.bascule] already" in err
        assert path.read_text() == text
        assert block(capfd, "codex", "--name", "another")
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(once + once)
    assert "an earlier [mcp_servers.bascule] has to go first" in once.splitlines()[0]
    # Of JSON nothing is appended, and no file is looked into.
    assert block(capfd, "cursor")


def test_a_client_that_is_nearly_right_is_guessed(capfd: Captured) -> None:
    assert main(["mcp-config", "claude"]) == ExitCode.USAGE
    err = capfd.readouterr().err
    assert "Did you mean claude-code or claude-desktop?" in err
    assert "cursor, vscode, codex, generic" in err
    assert main(["mcp-config", "xxxxxxx"]) == ExitCode.USAGE
    assert "Did you mean" not in capfd.readouterr().err


def test_the_app_is_called_as_by_every_command(capfd: Captured) -> None:
    assert main(["mcp-config", "--help"]) == ExitCode.DONE
    out = capfd.readouterr().out
    assert "bascule mcp-config CLIENT [APP | --headless APP" in out
    assert "ENDPOINT" not in out


def test_an_app_that_is_named_leaves_out_the_address_in_the_environment(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BASCULE_URL", "http://127.0.0.1:4321")
    server = servers("cursor", block(capfd, "cursor", "paper", told=NONE_RUNS))["bascule"]
    assert "BASCULE_URL" not in server["env"]


@pytest.mark.parametrize(
    ("endpoint", "args"),
    [
        ("4321", [*PAGE, "--url", "http://127.0.0.1:4321"]),
        ("http://localhost:4321/", [*PAGE, "--url", "http://localhost:4321"]),
        ("My app", [*PAGE, "--app", "My app"]),
        ("my-app", [*PAGE, "--app", "my-app"]),
        ("not-there-yet", ["stdio", "not-there-yet", "--protocol", "mcp"]),
        ("/run/a.1.01234567.sock", ["stdio", "/run/a.1.01234567.sock", "--protocol", "mcp"]),
    ],
)
def test_a_page_is_served_through_its_bridge_and_any_other_app_by_its_name(
    endpoint: str, args: list[str], capfd: Captured, runtime: Path
) -> None:
    with fake_bridge(lambda _: status_of("My app")) as bridge:
        post_entry(runtime, entry_for(bridge))
        told = OTHERS_RUN if endpoint == "not-there-yet" else ""
        assert args_of(capfd, "vscode", endpoint, told=told) == args


def test_a_native_app_is_served_by_its_name_or_socket(
    capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    with note_app(monkeypatch) as (_, server, directory):
        for endpoint in (SLUG, APP):
            assert args_of(capfd, "cursor", endpoint) == ["stdio", endpoint, "--protocol", "mcp"]
        path = str(server.path)
        relative = os.path.relpath(path)
        assert args_of(capfd, "cursor", relative) == ["stdio", path, "--protocol", "mcp"]
        with fake_bridge(lambda _: status_of(APP)) as bridge:
            # A page has the name too, and only its caller can choose.
            post_entry(directory, entry_for(bridge))
            assert args_of(capfd, "cursor", SLUG) == ["stdio", SLUG, "--protocol", "mcp"]


def test_a_name_leaves_room_for_every_tool_in_every_client(capfd: Captured) -> None:
    catalog = json.loads(
        (ROOT / "tests" / "vectors" / "mcp_catalog.json").read_text(encoding="utf-8")
    )
    longest = max(len(tool["name"]) for tool in catalog["tools"])
    assert MAX_NAME_CHARS + longest <= LONGEST_FOR_CURSOR
    assert len("mcp__") + MAX_NAME_CHARS + len("__") + longest <= LONGEST_FOR_PROVIDERS
    name = "a" * MAX_NAME_CHARS
    assert list(servers("codex", block(capfd, "codex", "--name", name))) == [name]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["emacs"],
        ["codex", "--name", "a" * (MAX_NAME_CHARS + 1)],
        ["codex", "--name", "Bascule"],
        ["codex", "--name", "my.app"],
        ["codex", "--name", ""],
        ["codex", "https://example.com"],
        ["codex", ""],
        ["codex", "one", "two"],
        ["codex", "\udcff"],
    ],
    ids=str,
)
def test_what_no_client_could_use_is_wrong_usage(arguments: list[str], capfd: Captured) -> None:
    assert main(["mcp-config", *arguments]) == ExitCode.USAGE
    out, err = capfd.readouterr()
    assert out == ""
    assert "bascule mcp-config: " in err


def test_claude_code_s_own_command_keeps_every_word() -> None:
    env = {"A": "with space", "B": "$HOME'"}
    entry = McpEntry("drawing", "/opt/my tools/bascule", ("stdio", "it's"), env)
    words = shlex.split(add_command(entry))
    # The name before the options: --env takes every word up to the next one.
    assert words[:4] == ["claude", "mcp", "add", "drawing"]
    assert words[words.index("--") + 1 :] == [entry.command, *entry.args]
    assert [words[i + 1] for i, word in enumerate(words) if word == "--env"] == [
        "A=with space",
        "B=$HOME'",
    ]


def test_a_terminal_is_told_where_the_block_goes(runtime: Path) -> None:
    status, text = on_terminal(runtime, "mcp-config", "claude-code", errors=True)
    shown = [plain(line) for line in text.splitlines()]
    assert status == ExitCode.DONE
    assert "For Claude Code: this goes into .mcp.json in the project's folder." in shown
    assert any(line.startswith("  claude mcp add bascule --scope user") for line in shown)
    assert "\x1b[" in text
    _, of_toml = on_terminal(runtime, "mcp-config", "codex", errors=True)
    assert "An earlier [mcp_servers.bascule] there has to go first." in plain(of_toml)
    # Without a terminal there for it, nothing but the block is written.
    _, alone = on_terminal(runtime, "mcp-config", "claude-code")
    assert servers("claude-code", alone)["bascule"]["command"]


def test_clients_and_apps_are_completed(runtime: Path) -> None:
    assert [c.value for c in candidates(["bascule", "mcp-config", ""])] == list(MCP_CLIENTS)
    with fake_bridge(lambda _: status_of("My app")) as bridge:
        post_entry(runtime, entry_for(bridge))
        named = candidates(["bascule", "mcp-config", "codex", ""])
        assert [c.value for c in named] == ["my-app"]
    assert candidates(["bascule", "mcp-config", "codex", "my-app", ""]) == []


def test_the_command_is_the_one_that_was_called_or_this_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, link = tmp_path / "real", tmp_path / "bascule"
    real.touch()
    link.symlink_to(real)
    monkeypatch.setattr("sys.argv", [str(link)])
    # The link itself: an upgrade may put another file behind it.
    assert own_command.own_command() == [str(link)]
    monkeypatch.setattr("sys.argv", ["main.py"])
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    python = str(tmp_path / "bin" / "python")
    assert own_command.own_command() == [python, "-m", "bridge.cli.main"]


HOSTILE = "Ev\x1b[31mil\x9b1m\"'; true #\n[mcp_servers.x]\u202e\u2028\U000e0041\\"


@pytest.mark.parametrize("name", MCP_CLIENTS)
def test_a_hostile_app_s_name_is_a_word_to_the_client_and_nothing_to_a_terminal(name: str) -> None:
    words = ("browser-stdio", "--app", HOSTILE)
    entry = McpEntry("bascule", "/b", words, {"XDG_RUNTIME_DIR": HOSTILE})
    text = config_block(MCP_CLIENTS[name], entry)
    assert list(servers(name, text)) == ["bascule"]
    read = servers(name, text)["bascule"]
    assert (read["args"], read["env"]) == (list(words), {"XDG_RUNTIME_DIR": HOSTILE})
    assert all(line.isprintable() for line in text.split("\n"))
    assert not json.dumps(HOSTILE, ensure_ascii=False).isprintable(), "it would be something to one"


def test_a_command_that_no_shell_could_be_told_plainly_is_left_out(runtime: Path) -> None:
    _, told = on_terminal(runtime, "mcp-config", "claude-code", "Ev\x9bil", errors=True)
    assert "For all your projects" not in told
    assert "\x9b" not in told
    _, plainly = on_terminal(runtime, "mcp-config", "claude-code", "Evil", errors=True)
    assert "For all your projects" in plainly


@given(key=ANY_TEXT, value=ANY_TEXT)
def test_any_text_is_the_same_when_toml_is_read_back(key: str, value: str) -> None:
    text = f"{toml_key(key)} = {toml_string(value)}\n"
    assert tomllib.loads(text) == {key: value}
    both = f"a = {toml_array([key, value])}\nt = {toml_table({key: value})}\n"
    assert tomllib.loads(both) == {"a": [key, value], "t": {key: value}}
