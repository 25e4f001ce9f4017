"""Completion: what could come next, and three shells that ask."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.commands import COMMANDS
from bridge.cli.completion.complete import reply, split_line
from bridge.cli.completion.completion import FILES, candidates
from bridge.cli.completion.completion_script import SCRIPTS
from tests.python.support import fake_app as fake_app_module
from tests.python.support.command_line import environment, run_command
from tests.python.support.fake_app import SLUG, fake_app
from tests.python.support.fake_bridge import PATIENCE_SECONDS, Answer, Bytes, FakeBridge, Received


@pytest.fixture
def bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBridge]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_app(tmp_path) as (_, running):
        yield running


def values(*words: str) -> list[str]:
    return [candidate.value for candidate in candidates(["bascule", *words])]


def test_commands_and_options_are_completed() -> None:
    assert values("") == list(COMMANDS)
    assert values("-v", "br") == ["browser-bridge", "browser-call", "browser-stdio"]
    assert values("--v") == ["--version", "--verbose"]
    assert values("list", "--") == ["--help", "--json", "--color"]
    assert values("list", "--color", "") == ["auto", "always", "never"]
    assert values("list", "--color=a") == ["--color=auto", "--color=always"]
    assert values("call", "app", "a", "--expected-revision", "") == ["latest"]
    assert values("completion", "") == ["bash", "zsh", "fish"]
    assert values("completion", "bash", "") == []
    assert values("nonsense", "") == []
    assert values("browser-call", "") == []


def test_hidden_options_are_not_offered() -> None:
    assert "__complete" not in values("")
    assert "--words" not in values("call", "--")


def test_files_are_the_shell_s_business() -> None:
    assert candidates(["bascule", "call", "a", "b", "--input-file", "x"]) == [FILES]
    assert candidates(["bascule", "assets", ""]) == [FILES]


def test_apps_actions_and_keys_are_those_of_the_attached_app(bridge: FakeBridge) -> None:
    assert values("call", "") == [SLUG]
    assert values("watch", "my") == [SLUG]
    assert values("actions", "--url", "") == [bridge.url]
    assert values("call", SLUG, "doc.") == ["doc.insert", "doc.read", "doc.undo", "doc.export"]
    assert values("call", "--app", SLUG, "doc.i") == ["doc.insert"]
    assert values("describe", str(bridge.port), "doc.i") == ["doc.insert"]
    insert = ["call", SLUG, "doc.insert"]
    assert values(*insert, "") == ["text=", "at=", "style=", "marks=", "loud=", "where."]
    assert values(*insert, "text=a", "marks=bold", "--json", "") == [
        "at=", "style=", "marks=", "loud=", "where."
    ]  # fmt: skip
    assert values(*insert, "style=") == ["style=body", "style=heading 1", "style=quote"]
    assert values(*insert, "marks=i") == ["marks=italic"]
    assert values(*insert, "loud=") == ["loud=true", "loud=false"]
    assert values(*insert, "where.") == ["where.page=", "where.column="]
    assert values(*insert, "where.column=l") == ["where.column=left"]
    assert values("call", SLUG, "--batch", "") == []


def test_without_a_bridge_there_is_nothing_and_no_error(tmp_path: Path) -> None:
    for words in (["call", ""], ["call", "app", ""], ["call", "app", "a.b", ""]):
        done = run_command(tmp_path, "__complete", "zsh", "bascule", *words)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_bridge_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    leave = threading.Event()
    with fake_app(tmp_path) as (app, bridge):

        def script(received: Received) -> Answer | Bytes:
            leave.wait(PATIENCE_SECONDS)
            return app.answer(received)

        bridge.script = script
        done = run_command(tmp_path, "__complete", "bash", f"bascule call {bridge.port} ", "=:")
        leave.set()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(bridge.of("/rpc")) == 1


def test_each_shell_is_told_in_its_own_way(bridge: FakeBridge) -> None:
    line = ["bascule", "call", SLUG, "doc.insert", "style="]
    assert reply("bash", line, "=:") == ["body", "heading\\ 1", "quote"]
    assert reply("bash", line) == ["style=body", "style=heading\\ 1", "style=quote"]
    assert reply("zsh", line)[1] == "style=heading 1:"
    assert reply("fish", [*line[:3], "doc.i"]) == ["doc.insert\tInsert a text"]
    assert reply("bash", [*line[:4], "t"], "=:") == [":nospace", "text="]
    assert reply("zsh", ["bascule", "actions", "--url", ""])[0].startswith("http\\://127")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", [""]),
        ("bascule", ["bascule"]),
        ("bascule ", ["bascule", ""]),
        ("a 'b c' \"d e\" f\\ g", ["a", "b c", "d e", "f g"]),
        ("a 'b c", ["a", "b c"]),
        ('a "b\\"c', ["a", 'b"c']),
        ("a '' ", ["a", "", ""]),
        ("a k='x y'z", ["a", "k=x yz"]),
        ("a \\", ["a", ""]),
    ],
)
def test_a_line_that_is_being_typed_is_split_as_a_shell_would(line: str, words: list[str]) -> None:
    assert split_line(line) == words


@given(st.text())
def test_any_line_is_split_into_at_least_one_word(line: str) -> None:
    assert split_line(line)


BASH = """
source <(bascule completion bash)
complete_line() {
    COMP_LINE=$1 COMP_POINT=${#1}
    read -ra COMP_WORDS <<< "$1"
    [[ $1 == *' ' ]] && COMP_WORDS+=("")
    COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
    _bascule bascule "${COMP_WORDS[COMP_CWORD]}" ""
    printf '%s\\n' "${COMPREPLY[@]}"
}
complete -p bascule
for line in "$@"; do
    echo "> $line"
    complete_line "$line"
done
"""


@pytest.fixture
def command_path(tmp_path: Path) -> str:
    """Return a PATH on which `bascule` is this very program."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "bascule"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bridge.cli.main "$@"\n')
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def shell(
    program: str, script: str, *arguments: str, runtime: Path, path: str
) -> subprocess.CompletedProcess[str]:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    return subprocess.run(
        [program, "-c", script, *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=runtime,
        env=environment(runtime, PATH=path, PYTHONPATH=str(Path(__file__).parents[4])),
        timeout=PATIENCE_SECONDS * 2,
        check=False,
    )


def test_bash_completes_by_the_script(tmp_path: Path, command_path: str) -> None:
    (tmp_path / "calls.ndjson").touch()
    lines = {
        "bascule act": ["actions"],
        "bascule call my": [SLUG],
        f"bascule call {SLUG} doc.in": ["doc.insert"],
        f"bascule call {SLUG} doc.insert t": ["text="],
        f"bascule call {SLUG} doc.insert style=": ["body", "heading\\ 1", "quote"],
        f"bascule call {SLUG} doc.insert --input-file cal": ["calls.ndjson"],
        "bascule nonsense ": [""],
    }
    with fake_app(tmp_path):
        done = shell("bash", BASH, "bash", *lines, runtime=tmp_path, path=command_path)
    assert (done.returncode, done.stderr) == (0, "")
    head, *blocks = done.stdout.split("> ")
    assert head == "complete -F _bascule bascule\n"
    got = {block.split("\n")[0]: block.split("\n")[1:-1] for block in blocks}
    assert got == lines


HOSTILE = [
    "doc.read; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "'$(touch pwned)'",
    '"$(touch pwned)"',
    "a'b\"c\\",
    "*",
    "ca*",
    "?[a-z]",
    "{a,b}",
    "~",
    "!!",
    "&& touch pwned",
    "> pwned",
    "#none",
    ":files",
    ":nospace",
    "$IFS",
    "über",
]


def test_names_of_an_app_are_names_to_a_shell_whatever_they_look_like(
    tmp_path: Path, command_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "calls.ndjson").touch()
    unprintable = ["a\ntouch pwned", "\x1b[31m", "\u202e"]
    about = {"kind": "read", "description": "\x1b]0;x\x07$(touch pwned)"}
    actions = dict.fromkeys(HOSTILE + unprintable, about)
    monkeypatch.setattr(fake_app_module, "ACTIONS", actions)
    script = """
        shopt -s nullglob extglob
        source <(bascule completion bash)
        COMP_LINE="bascule describe $1 " COMP_POINT=$(( ${#1} + 18 ))
        _bascule bascule "" "$1"
        # As if each were chosen, and the line sent.
        for chosen in "${COMPREPLY[@]}"; do eval "printf '%s\\n' $chosen"; done
    """
    with fake_app(tmp_path) as (app, _):
        app.page_size = 100
        done = shell("bash", script, "bash", SLUG, runtime=tmp_path, path=command_path)
    assert (done.stdout.splitlines(), done.stderr) == (HOSTILE, "")
    assert not (tmp_path / "pwned").exists()


def test_fish_completes_by_the_script(tmp_path: Path, command_path: str) -> None:
    script = (
        "bascule completion fish | source\n"
        f"complete -C 'bascule call {SLUG} doc.in'\ncomplete -C 'bascule call {SLUG} doc.insert st'"
    )
    with fake_app(tmp_path):
        done = shell("fish", script, runtime=tmp_path, path=command_path)
    assert done.stdout.splitlines() == [
        "doc.insert\tInsert a text",
        "style=\tbody | heading 1 | quote",
    ]


def test_zsh_reads_the_script(tmp_path: Path, command_path: str) -> None:
    script = (
        "autoload -Uz compinit && compinit -D -u\nsource <(bascule completion zsh)\n"
        "print -r -- $_comps[bascule]\n"
        "_describe() { local name=$argv[4]; [[ $2 == keys || $2 == values ]] && name=$4; "
        "print -r -- $2 ${(P)name} }\n"
        f"words=(bascule call {SLUG} doc.insert s) CURRENT=5\n_bascule\n"
        f"words=(bascule call {SLUG} doc.in) CURRENT=4\n_bascule\n"
    )
    with fake_app(tmp_path):
        done = shell("zsh", script, runtime=tmp_path, path=command_path)
    assert done.stdout.splitlines() == [
        "_bascule",
        "keys style=:body | heading 1 | quote",
        "values doc.insert:Insert a text",
    ]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_printed_for_each_shell(name: str, tmp_path: Path) -> None:
    done = run_command(tmp_path, "completion", name)
    assert (done.returncode, done.stdout.decode()) == (0, SCRIPTS[name])
