"""`bascule __complete`: what a completion script asks at every press of the key. Not for people.

Always ends within a second and says nothing of what goes wrong: whoever types a command wants to
go on typing.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import Final

from bridge.cli.parsing import Parser, Subparsers
from bridge.contract.error_codes import ExitCode

__all__ = ["add_parser", "reply", "run", "split_line"]

_LONGEST_SECONDS: Final = 0.9
_MAX_CANDIDATES: Final = 500
_MAX_ABOUT_CHARS: Final = 100
_SAFE: Final = re.compile(r"[\w@%+=:,./-]*", re.ASCII)
_SPECIAL: Final = re.compile(r"([^\w@%+=:,./-])", re.ASCII)


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser("__complete", help=argparse.SUPPRESS, add_help=False)
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    parser.add_argument("words", nargs=argparse.REMAINDER)
    return parser


def run(args: argparse.Namespace) -> int:
    """Print candidates, one on each line, as the shell's script reads them."""
    _end_in_time()
    # Whatever goes wrong must not appear in the middle of a command that is being typed.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    try:
        words, breaks = list(args.words), ""
        if args.shell == "bash":
            line, breaks = (*words, "", "")[:2]
            words = split_line(line)
        for text in reply(args.shell, words, breaks):
            print(text)
        sys.stdout.flush()
    except Exception:  # noqa: BLE001 - no candidates, whatever the reason
        return ExitCode.DONE
    return ExitCode.DONE


def reply(shell: str, words: Sequence[str], breaks: str = "") -> list[str]:
    """Return the lines that a shell's script reads.

    `breaks` are the characters at which bash takes a word to begin anew.
    """
    from bridge.cli.completion.completion import FILES, candidates  # noqa: PLC0415

    found = candidates(words)[:_MAX_CANDIDATES]
    if found == [FILES]:
        return [FILES.value]
    # A name that would break the list, or the line that it is put into, is no candidate.
    found = [c for c in found if c.value.isprintable()]
    lines = []
    if shell == "bash":
        current = words[-1] if words else ""
        done = max((current.rfind(mark) + 1 for mark in "=:" if mark in breaks), default=0)
        # A name that begins as what the script is told besides names must not pass for it.
        lines = [re.sub("^:", r"\\:", _escaped(c.value[done:])) for c in found]
        if found and all(c.value.endswith(("=", ".")) for c in found):
            lines.insert(0, ":nospace")
    elif shell == "zsh":
        lines = [f"{_colons(c.value)}:{_about(c.about)}" for c in found]
    else:
        lines = [f"{c.value}\t{_about(c.about)}" for c in found]
    return lines


def split_line(line: str) -> list[str]:
    """Split a command line that is still being typed into words, the last one perhaps empty."""
    words, word, quote, begun = [], "", "", False
    place = 0
    while place < len(line):
        character = line[place]
        place += 1
        if quote:
            if character == quote:
                quote = ""
            elif character == "\\" and quote == '"' and line[place : place + 1] in {'"', "\\", "$"}:
                word += line[place : place + 1]
                place += 1
            else:
                word += character
        elif character in "'\"":
            quote, begun = character, True
        elif character == "\\":
            word += line[place : place + 1]
            place += 1
            begun = True
        elif character.isspace():
            if word or begun:
                words.append(word)
            word, begun = "", False
        else:
            word += character
    return [*words, word]


def _escaped(text: str) -> str:
    return text if _SAFE.fullmatch(text) else _SPECIAL.sub(r"\\\1", text)


def _colons(text: str) -> str:
    return text.replace("\\", "\\\\").replace(":", "\\:")


def _about(text: str) -> str:
    line = " ".join(text.split())
    short = line if len(line) <= _MAX_ABOUT_CHARS else line[: _MAX_ABOUT_CHARS - 1] + "…"
    return "".join(c for c in short if c.isprintable())


def _end_in_time() -> None:
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda *_: os._exit(ExitCode.DONE))
        signal.setitimer(signal.ITIMER_REAL, _LONGEST_SECONDS)
