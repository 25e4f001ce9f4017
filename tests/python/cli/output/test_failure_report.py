"""What a person and a shell are told, for every code and outcome."""

from __future__ import annotations

import io
import json

import pytest

from bridge.cli.output.failure_report import exit_code, report_failure
from bridge.client.action_error import ActionError
from bridge.client.bridge_failure import BasculeError, BridgeFailure, ClientErrorCode
from bridge.contract.error_codes import BridgeErrorCode, ExitCode, Outcome
from bridge.servers.bridge_answers import ERROR_TEXTS, error_answer

NOBODY_THERE = {"NOT_ATTACHED", "NO_BRIDGE", "UNREACHABLE"}
CODES = [*BridgeErrorCode, *ClientErrorCode, "SOMETHING_NEW"]


def report(failure: BasculeError) -> str:
    out = io.StringIO()
    report_failure(failure, out)
    return out.getvalue()


@pytest.mark.parametrize("outcome", [None, *Outcome])
@pytest.mark.parametrize("code", CODES)
def test_the_outcome_decides_before_the_code(code: str, outcome: Outcome | None) -> None:
    failure = BridgeFailure(code, "Text.", outcome=outcome)
    if outcome is Outcome.UNKNOWN:
        expected = ExitCode.OUTCOME_UNKNOWN
    elif code in NOBODY_THERE:
        expected = ExitCode.NO_BRIDGE
    else:
        expected = ExitCode.REFUSED
    assert exit_code(failure) is expected


@pytest.mark.parametrize(
    ("outcome", "words"),
    [(Outcome.NOT_DELIVERED, "trying it again is safe"), (Outcome.UNKNOWN, "may have run")],
)
def test_it_says_what_happened_whether_it_may_have_run_and_what_to_do(
    outcome: Outcome, words: str
) -> None:
    text = report(BridgeFailure("CODE", "It broke.", hint="Mend it.", outcome=outcome))
    assert text.splitlines()[0] == "bascule: It broke. [CODE]"
    assert words in text
    assert text.splitlines()[-1].strip() == "Mend it."


@pytest.mark.parametrize("outcome", Outcome)
@pytest.mark.parametrize("code", ["TIMEOUT", "NOT_ATTACHED", "BUSY"])
def test_a_real_bridge_s_hint_does_not_say_the_outcome_twice(code: str, outcome: Outcome) -> None:
    answer = json.loads(error_answer(BridgeErrorCode(code), outcome=outcome).body)["error"]
    failure = BridgeFailure(code, answer["message"], hint=answer["hint"], outcome=outcome)
    lines = report(failure).splitlines()
    assert len(lines) == len({line.strip() for line in lines})
    assert sum("call" in line for line in lines[1:]) == 1
    hint = ERROR_TEXTS[BridgeErrorCode(code)].hint
    assert hint is None or lines[-1].strip() == hint


def test_a_refusal_without_an_outcome_claims_none() -> None:
    assert report(BridgeFailure("UNAUTHORIZED", "No.")) == "bascule: No. [UNAUTHORIZED]\n"


def test_a_stale_revision_says_a_next_step_that_any_app_has() -> None:
    # Not every app lets its state be inspected.
    stale = ActionError(1008, "It has changed.", {"code": "STALE_REVISION"})
    assert "`bascule inspect APP`, or one of its reads" in report(stale)


def test_nothing_that_came_over_the_wire_reaches_the_terminal_raw() -> None:
    text = report(BridgeFailure("C\x1b[1m", "m\x9b\r", hint="h\x07\nnext\u202e"))
    assert text.replace("\n", "").isprintable()
    assert text.count("\n") == 3
