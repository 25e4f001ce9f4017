"""The quick reading of a command line: what it takes, argparse takes in the same way."""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cli.commands import COMMANDS
from bridge.cli.parsing import CommandParser
from bridge.cli.quick_parser import QuickCommand, QuickParser
from tests.python.support.fake_bridge import PATIENCE_SECONDS

QUICK = ("list", "open", "actions", "describe", "call", "inspect", "task", "watch", "status",
         "browser-call", "browser-stdio", "assets", "completion")  # fmt: skip
WORDS = st.sampled_from([
    "a", "document.read", "k=v", "x:=1", "-", "--", "-v", "-1", "", "bash", "--json", "--json=1",
    "--wait", "--batch", "--cancel", "--timeout", "5", "0", "--timeout=2", "--timeout=x", "--app",
    "--app=My app", "--url", "--token", "--token-file=f", "--session", "--session=s", "--session=",
    "--color=never", "--color", "blue", "--expected-revision=latest", "--expected-revision", "007",
    "--input-json={}", "--input-file", "--input-file=-", "--query", "--force", "--help", "--nope",
])  # fmt: skip


def both(name: str) -> tuple[QuickParser, CommandParser]:
    module = importlib.import_module(COMMANDS[name].module)
    quick, slow = QuickCommand(), CommandParser()
    module.add_parser(quick)
    module.add_parser(slow)
    return quick.parser, slow


def by_argparse(slow: CommandParser, words: list[str]) -> dict[str, Any] | None:
    try:
        return vars(slow.parser.parse_args(words))
    except SystemExit:
        return None


@pytest.mark.parametrize("name", QUICK)
@settings(max_examples=40, deadline=None)
@given(words=st.lists(WORDS, max_size=6))
def test_what_it_takes_is_what_argparse_takes(name: str, words: list[str]) -> None:
    quick, slow = both(name)
    read = quick.parse(words)
    known = by_argparse(slow, words)
    if read is not None and known is not None:
        assert vars(read) == known
    # Options between positional words are the one thing that argparse understands less of.
    if read is not None and known is None:
        ordered = sorted(words, key=lambda word: word.startswith("-"))
        assert "--" not in ordered
        assert {"--help", "--nope", "-v", "-1", "--json=1"} & set(words) == set()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("call", ["app", "a.b", "k=v", "--timeout=2", "k=w", "--json"]),
        ("call", ["app", "--batch", "--stop-on-error"]),
        ("actions", []),
        ("browser-call", ["m", "{}", "--session", "s"]),
        ("browser-call", ["m"]),
        ("task", ["app", "id", "--wait"]),
        ("watch", ["--all", "--json"]),
        ("completion", ["bash"]),
    ],
)
def test_the_usual_command_line_needs_no_argparse(name: str, words: list[str]) -> None:
    quick, slow = both(name)
    read = quick.parse(words)
    assert read is not None
    assert vars(read) == by_argparse(slow, words)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("call", ["--help"]),
        ("call", ["-h"]),
        ("call", ["app", "a", "--timout", "3"]),
        ("call", ["app", "a", "--timeout"]),
        ("call", ["app", "a", "--timeout", "-1"]),
        ("call", ["app", "a", "--timeout=never"]),
        ("call", ["app", "a", "--color=blue"]),
        ("call", ["app", "a", "--input-json={}", "--input-file=f"]),
        ("call", ["app", "a", "--token=t", "--token-file=f"]),
        ("call", ["app", "a", "--json=1"]),
        ("call", ["--", "app"]),
        ("task", ["app", "id", "--wait", "--cancel"]),
        ("browser-call", []),
        ("browser-call", ["m", "{}", "more"]),
        ("completion", ["tcsh"]),
        ("demo", []),
        ("browser-bridge", ["--origin", "http://a"]),
    ],
)
def test_whatever_is_unusual_is_left_to_argparse(name: str, words: list[str]) -> None:
    module = importlib.import_module(COMMANDS[name].module)
    quick = QuickCommand()
    module.add_parser(quick)
    assert quick.parser.parse(words) is None


def test_a_call_of_the_usual_kind_loads_no_argparse() -> None:
    code = (
        "import sys\nfrom bridge.cli.main import main\n"
        "main(['call', 'app', 'a.b', 'k=v'])\n"
        "print('argparse' in sys.modules)\nmain(['call', '--timeout=never'])\n"
        "print('argparse' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env={"XDG_RUNTIME_DIR": "/nonexistent"},
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    assert done.stdout.split() == [b"False", b"True"]


def test_defaults_go_through_the_type_as_in_argparse() -> None:
    quick, slow = QuickParser(), argparse.ArgumentParser()
    for parser in (quick, slow):
        parser.add_argument("--n", type=int, default="7")
        parser.add_argument("words", nargs="*")
    read = quick.parse(["a"])
    assert read is not None
    assert vars(read) == vars(slow.parse_args(["a"])) == {"n": 7, "words": ["a"]}
