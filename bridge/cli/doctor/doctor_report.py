"""What the doctor found, check by check, and how it is told: to people and to programs."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.cli.output.failure_report import exit_code, hint_alone
from bridge.cli.output.json_text import compact
from bridge.cli.output.results import print_line
from bridge.cli.output.styles import Style
from bridge.cli.output.terminal_text import printable, table
from bridge.contract.error_codes import ExitCode

if TYPE_CHECKING:
    import argparse

    from bridge.client.bridge_failure import BasculeError

__all__ = ["Finding", "State", "Waiting", "failed", "ok", "report", "until_wrong", "wrong"]

_NARROWEST: Final = 30
_WIDEST: Final = 100
_COMMANDS: Final = ("bascule ", "pip ")
"""What advice begins with where it is a command, which is copied and so stays on its line."""


class State(StrEnum):
    """How a check ended."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "not known"
    """It cannot be told from here, and need not be wrong."""


_COLORS: Final = {State.OK: "green", State.WRONG: "red", State.UNKNOWN: "yellow"}


class Finding(NamedTuple):
    """One check of the way to an app."""

    check: str
    """What was looked at, in one word."""
    state: State
    text: str
    advice: tuple[str, ...] = ()
    """What to do, a paragraph or a command each."""
    status: ExitCode = ExitCode.DONE
    """What the command ends with, where it is wrong."""

    def members(self) -> dict[str, object]:
        """Return it as an object for programs."""
        return {
            "check": self.check,
            "state": self.state.value,
            "text": self.text,
            "advice": list(self.advice),
        }


class Waiting(NamedTuple):
    """The next check may take a while. Shown on a terminal until it has ended."""

    text: str
    """A few words, for one line of any terminal."""


def ok(check: str, text: str) -> Finding:
    """Return what is as it should be."""
    return Finding(check, State.OK, text)


def wrong(check: str, text: str, *advice: str, status: ExitCode = ExitCode.REFUSED) -> Finding:
    """Return what stands in the way."""
    return Finding(check, State.WRONG, text, advice, status)


def failed(check: str, failure: BasculeError, *more: str) -> Finding:
    """Return a failure as what is wrong. Nothing was done: looking changes nothing."""
    hint = hint_alone(failure)
    failure.outcome = None
    status = exit_code(failure)
    if status is not ExitCode.NO_BRIDGE:
        status = ExitCode.REFUSED
    advice = (hint,) if hint else ()
    return wrong(check, f"{failure.message} [{failure.code}]", *advice, *more, status=status)


def until_wrong(findings: Iterable[Finding | Waiting]) -> Iterator[Finding | Waiting]:
    """Yield findings up to the first that is wrong: what comes after it could not be told."""
    for finding in findings:
        yield finding
        if isinstance(finding, Finding) and finding.state is State.WRONG:
            return


def report(findings: Iterable[Finding | Waiting], args: argparse.Namespace) -> ExitCode:
    """Print findings as they come, and return the exit status."""
    told: list[Finding] = []
    style = Style.of(args, sys.stdout)
    waits = "" if args.json or not sys.stderr.isatty() else "\r"
    for finding in findings:
        if isinstance(finding, Waiting):
            if waits:
                print(f"{finding.text} ...", end="", file=sys.stderr, flush=True)
                waits = "\r" + " " * (len(finding.text) + 4) + "\r"
            continue
        if waits:
            # The line is wiped before the finding takes its place.
            print(waits, end="", file=sys.stderr, flush=True)
            waits = "\r"
        told.append(finding)
        if not args.json:
            print(_for_people(finding, style), end="", flush=True)
    if args.json:
        print_line(compact([finding.members() for finding in told]))
    last = told[-1]
    if last.state is State.WRONG:
        return last.status
    print("Everything from here to the app is in order.", file=sys.stderr)
    return ExitCode.DONE


def _for_people(finding: Finding, style: Style) -> str:
    if not sys.stdout.isatty() and not style.on:
        row = [finding.check, finding.state.value, finding.text]
        if finding.advice:
            row.append(" ".join(finding.advice))
        return table([row], (), for_terminal=False)
    width = min(shutil.get_terminal_size().columns, _WIDEST) - 1
    state = finding.state.value
    head = (
        f"{style(f'{state:<9}', _COLORS[finding.state])}  {style(f'{finding.check:<10}', 'bold')}  "
    )
    indent = " " * (9 + 2 + 10 + 2)
    if width - len(indent) < _NARROWEST:
        head, indent = f"{head.rstrip()}\n  ", "  "
    lines = _wrapped(finding.text, width - len(indent))
    for paragraph in finding.advice:
        if paragraph.startswith(_COMMANDS):
            lines.append("  " + style(printable(paragraph), "cyan"))
        else:
            lines += _wrapped(paragraph, width - len(indent))
    return head + f"\n{indent}".join(lines) + "\n"


def _wrapped(text: str, width: int) -> list[str]:
    # Addresses and paths are copied from here: they stay whole.
    return textwrap.wrap(
        printable(text), max(width, _NARROWEST), break_long_words=False, break_on_hyphens=False
    )
