"""The commands on an attached app, with the word processor in real browsers."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import Attach
from tests.e2e.support.real_bridge import RealBridge

APP = "bascule-write"
LATEST = ["--expected-revision", "latest"]


@pytest.fixture
def demo(page: Page, bridge: RealBridge, attach: Attach) -> RealBridge:
    attach(page, bridge)
    return bridge


@pytest.fixture
def probe(page: Page, probe_bridge: RealBridge, attach: Attach) -> RealBridge:
    attach(page, probe_bridge)
    return probe_bridge


def done(bridge: RealBridge, *words: str, stdin: str | None = None) -> str:
    """Run a command that must succeed, and return what it printed."""
    ended = bridge.run(words, stdin=stdin)
    assert ended.returncode == 0, (words, ended.stdout, ended.stderr)
    return ended.stdout


def text_of(bridge: RealBridge) -> str:
    return str(json.loads(done(bridge, "call", APP, "document.read", "--json"))["output"]["text"])


def test_a_shell_finds_the_app_and_edits_its_text(demo: RealBridge) -> None:
    app, _, url, state, _, slug, *more = done(demo, "list").rstrip("\n").split("\t")
    assert (app, url, state, slug) == ("Bascule Write", demo.url, "attached", APP)
    assert (more[0], more[-1]) == ("channel", "browser")
    assert "document.text.insert\twrite\tyes\t" in done(demo, "actions", APP, "--query", "insert")
    assert "text" in done(demo, "describe", APP, "document.text.insert")
    done(demo, "call", APP, "document.text.insert", "text=123 ", "at=0", *LATEST)
    assert text_of(demo).startswith("123 ")
    done(demo, "call", str(demo.port), "document.undo", *LATEST)
    assert not text_of(demo).startswith("123 ")


def test_marks_are_given_by_writing_their_key_again(demo: RealBridge) -> None:
    words = ["text=loud", "at=0", "marks=bold", "marks=italic"]
    done(demo, "call", APP, "document.text.insert", *words, *LATEST)
    wrong = demo.run(["call", APP, "document.text.insert", "text=x", "marks=blod", *LATEST])
    assert wrong.returncode == 2
    assert "Did you mean bold?" in wrong.stderr
    assert text_of(demo).startswith("loud")


def test_a_stale_revision_changes_nothing_and_says_what_next(demo: RealBridge) -> None:
    before = text_of(demo)
    words = ["call", APP, "document.text.insert", "text=x", "at=0", "--expected-revision", "99"]
    ended = demo.run(words)
    assert ended.returncode == 1
    assert "STALE_REVISION" in ended.stderr
    assert "bascule inspect APP" in ended.stderr
    assert text_of(demo) == before


def test_the_app_s_own_schema_refuses_what_words_cannot_tell(demo: RealBridge) -> None:
    ended = demo.run(["call", APP, "document.text.insert", "text=x", "at=-1", *LATEST])
    assert ended.returncode == 1
    assert "INVALID_INPUT" in ended.stderr
    assert "/at" in ended.stderr


def test_a_batch_is_answered_line_by_line(demo: RealBridge) -> None:
    lines = [
        {"action": "document.read"},
        {"action": "document.text.insert", "input": {"text": "é😀", "at": 0},
         "expectedRevision": "latest"},
        {"action": "nope"},
        {"jsonrpc": "2.0", "id": "i", "method": "agent/info"},
    ]  # fmt: skip
    stdin = "".join(json.dumps(line) + "\n" for line in lines)
    ended = demo.run(["call", APP, "--batch"], stdin=stdin)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert ended.returncode == 1
    assert answers[0]["status"] == answers[1]["status"] == "completed"
    assert answers[2]["error"]["data"]["code"] == "UNKNOWN_ACTION"
    assert (answers[3]["id"], answers[3]["result"]["app"]["name"]) == ("i", "Bascule Write")
    assert text_of(demo).startswith("é😀")


def test_two_hundred_lines_keep_their_order(probe: RealBridge) -> None:
    line = '{"action":"test.echo","input":{"n":%d}}\n'
    ended = probe.run(["call", "probe", "--batch"], stdin="".join(line % n for n in range(200)))
    assert ended.returncode == 0
    for n, answer in enumerate(ended.stdout.splitlines()):
        assert f'"output":{{"n":{n}}}' in answer


def test_a_large_integer_goes_through_words_and_back(probe: RealBridge) -> None:
    big = "123456789012345678901234567890"
    assert f'"n": {big}' in done(probe, "call", "probe", "test.echo", f"n={big}")


def test_a_slow_call_is_a_task_that_can_be_waited_for(page: Page, probe: RealBridge) -> None:
    deferred = probe.run(["call", "probe", "test.countAndWait", *LATEST, "--json"])
    assert deferred.returncode == 0
    task = json.loads(deferred.stdout)["task"]["id"]
    assert json.loads(done(probe, "task", "probe", task))["state"] == "running"
    with probe.start(["task", "probe", task, "--wait", "--timeout", "60"]) as waiting:
        page.evaluate("probe.goOn()")
        out, _ = waiting.communicate(timeout=60)
    assert waiting.returncode == 0
    assert "runs" in json.loads(out)


def test_a_page_keeps_the_contract(demo: RealBridge) -> None:
    before = text_of(demo)
    told = json.loads(done(demo, "check", APP, "--write", "--json"))
    outcomes = {each["id"]: each["outcome"] for each in told}
    assert "fail" not in outcomes.values(), told
    assert outcomes["write.stale"] == outcomes["batch.atomic"] == outcomes["render"] == "pass"
    assert outcomes["json.strict"] == "skip"
    assert text_of(demo) == before


def test_several_calls_are_one_request_and_one_step_of_undo(demo: RealBridge) -> None:
    before = text_of(demo)
    action = "document.text.insert"
    calls = [{"action": action, "input": {"text": text, "at": 0}} for text in ("b", "a")]
    out = done(demo, "batch", APP, "--atomic", *LATEST, stdin=json.dumps(calls))
    assert [line.split("\t")[:3] for line in out.splitlines()] == [
        ["0", action, "ok"],
        ["1", action, "ok"],
    ]
    assert text_of(demo) == f"ab{before}"
    done(demo, "call", APP, "document.undo", *LATEST)
    assert text_of(demo) == before


def test_a_picture_of_the_page_becomes_a_file(demo: RealBridge, tmp_path: Path) -> None:
    file = tmp_path / "page.png"
    done(demo, "render", APP, "-o", str(file))
    assert file.read_bytes().startswith(b"\x89PNG")
    again = demo.run(["render", APP, "-o", str(file)])
    assert again.returncode == 2
    assert "--force" in again.stderr


def test_lines_pass_between_a_program_and_the_page(demo: RealBridge) -> None:
    info = '{"jsonrpc":"2.0","id":"é","method":"agent/info"}\n'
    out = done(demo, "stdio", APP, "--protocol", "json", stdin=f"{info}[]\n{info}")
    first, second, third = map(json.loads, out.splitlines())
    assert (first["id"], first["result"]["app"]["name"]) == ("é", "Bascule Write")
    assert second["error"]["code"] == -32600
    assert third == first


def test_watching_shows_what_others_call(demo: RealBridge) -> None:
    with demo.start(["watch", APP, "--json", "--all"]) as watching:
        assert watching.stdout is not None
        done(demo, "call", APP, "document.read", "--session", "somebody")
        while True:
            event = json.loads(watching.stdout.readline())
            if event["session"] == "somebody" and event["phase"] == "end":
                break
        assert (event["action"], event["ok"]) == ("document.read", True)
        watching.send_signal(signal.SIGINT)
        assert watching.wait(20) == 0


def test_keys_and_values_are_completed_from_the_page(demo: RealBridge) -> None:
    line = ["__complete", "fish", "bascule", "call", APP]
    assert "document.text.insert" in done(demo, *line, "document.text.i")
    assert "text=" in done(demo, *line, "document.text.insert", "")
    assert done(demo, *line, "document.text.insert", "marks=b").split() == ["marks=bold"]


def test_with_nothing_attached_nothing_was_done(bridge: RealBridge) -> None:
    ended = bridge.run(["call", str(bridge.port), "document.read"])
    assert ended.returncode == 3
    assert "not delivered" in ended.stderr
