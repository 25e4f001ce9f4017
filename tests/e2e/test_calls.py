"""Terminal to document and back: the real command line, bridge, worker, dispatcher and page."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Attach
from tests.e2e.support.real_bridge import RealBridge
from tests.e2e.support.transports import both_transports
from tests.e2e.support.word_processor import paragraphs, shown_text, write

pytestmark = both_transports

UNICODE = "é 😀 \u2028\u2029 \ufffd \u202e\u202c end"


@pytest.fixture
def demo(page: Page, bridge: RealBridge, attach: Attach) -> RealBridge:
    attach(page, bridge)
    return bridge


@pytest.fixture
def probe(page: Page, probe_bridge: RealBridge, attach: Attach) -> RealBridge:
    attach(page, probe_bridge)
    return probe_bridge


def test_a_terminal_edits_the_text_that_is_open_in_the_browser(
    page: Page, demo: RealBridge
) -> None:
    first = paragraphs(page).first
    demo.execute("document.text.replace", {"start": 0, "end": 9, "text": "A drawbridge"})
    expect(first).to_have_text("A drawbridge is a bridge that stays up until somebody lowers it.")
    assert demo.execute("document.read")["output"]["text"].startswith("A drawbridge is")
    demo.execute("document.undo")
    expect(first).to_have_text("A bascule is a bridge that stays up until somebody lowers it.")
    assert demo.execute("document.redo")["output"]["start"] == 0


def test_what_a_person_types_is_what_a_terminal_reads(page: Page, demo: RealBridge) -> None:
    write(page, "typed by hand")
    assert demo.execute("document.read")["output"]["text"] == "typed by hand"


def test_a_stale_revision_changes_nothing(page: Page, demo: RealBridge) -> None:
    done = demo.call(
        "actions/execute",
        {"action": "document.text.delete", "input": {"start": 0, "end": 5}, "expectedRevision": 99},
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["data"]["code"] == "STALE_REVISION"
    assert demo.execute("document.read")["output"]["text"].startswith("A bascule")


def test_undo_with_nothing_to_undo_says_so(demo: RealBridge) -> None:
    done = demo.call("actions/execute", {"action": "document.undo", "expectedRevision": 1})
    assert done.returncode == 1
    assert "NOTHING_TO_UNDO" in done.stdout


def test_unicode_is_byte_equal_both_ways(page: Page, demo: RealBridge) -> None:
    write(page, "")
    demo.execute("document.text.insert", {"text": UNICODE, "at": 0})
    assert shown_text(page) == UNICODE
    assert demo.execute("document.read")["output"]["text"] == UNICODE


def test_a_nul_escape_and_number_tokens_come_back_as_they_went(probe: RealBridge) -> None:
    params = '{"action":"test.echo","input":{"t":"a\\u0000b\\u2028","s":"\\ud83d\\ude00"}}'
    done = probe.run(["browser-call", "actions/execute", params])
    assert done.returncode == 0
    assert '{"t":"a\\u0000b\\u2028","s":"😀"}' in done.stdout
    request = '{"jsonrpc":"2.0","id":9007199254740993.0,"method":"agent/info"}\n'
    answer = probe.run(["browser-stdio"], stdin=request).stdout
    assert '"id":9007199254740993.0,' in answer


def test_two_hundred_calls_in_a_row(probe: RealBridge) -> None:
    lines = "".join(
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": n,
                "method": "actions/execute",
                "params": {"action": "test.echo", "input": {"n": n}},
            }
        )
        + "\n"
        for n in range(200)
    )
    done = probe.run(["browser-stdio"], stdin=lines, timeout=120)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == list(range(200))
    assert all(answer["result"]["output"] == {"n": answer["id"]} for answer in answers)


def test_sixty_commands_at_once(probe: RealBridge) -> None:
    def call(n: int) -> bool:
        result = probe.result(
            "actions/execute", {"action": "test.echo", "input": {"n": n}}, timeout=120
        )
        return bool(result["output"] == {"n": n})

    with ThreadPoolExecutor(60) as pool:
        assert all(pool.map(call, range(60)))


def test_a_seventeenth_session_takes_the_place_of_the_one_longest_unused(
    probe: RealBridge,
) -> None:
    for n in range(17):
        probe.result("agent/info", session=f"session-{n}")
    assert probe.result("agent/info", session="session-0")["app"]["name"] == "Probe"


def test_a_notification_prints_nothing(probe: RealBridge) -> None:
    note = '{"jsonrpc":"2.0","method":"agent/info"}\n'
    call = '{"jsonrpc":"2.0","id":1,"method":"agent/info"}\n'
    done = probe.run(["browser-stdio"], stdin=note + call)
    assert len(done.stdout.splitlines()) == 1
    assert done.returncode == 0


def test_a_result_over_a_mebibyte_fails_its_call_and_keeps_the_link(probe: RealBridge) -> None:
    fits = {"action": "test.large", "input": {"parts": 3, "size": 250_000}}
    assert len(probe.result("actions/execute", fits)["output"]["parts"]) == 3
    over = {"action": "test.large", "input": {"parts": 5, "size": 250_000}}
    done = probe.call("actions/execute", over)
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["data"]["code"] == "LIMIT_EXCEEDED"
    assert probe.result("agent/info")["enabled"] is True


def test_list_and_status_show_the_attached_page(probe: RealBridge) -> None:
    listed = probe.run(["list"])
    assert listed.returncode == 0
    assert "Probe" in listed.stdout
    assert probe.origin in listed.stdout
    status = probe.run(["status"])
    assert "Probe" in status.stdout
    assert probe.token not in listed.stdout + status.stdout + listed.stderr + status.stderr


def test_polling_goes_on_while_the_page_is_blocked(probe: RealBridge, page: Page) -> None:
    block = {"action": "test.block", "input": {"ms": 3_000}}
    blocked = probe.start_call("actions/execute", block)
    second = probe.start_call("agent/info", {})
    for call in (blocked, second):
        out, err = call.communicate(timeout=60)
        assert call.returncode == 0, err
        assert "result" in out
    expect(page.locator("#state")).to_have_text("attached")
