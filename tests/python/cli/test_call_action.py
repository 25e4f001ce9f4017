"""`call` against a scripted app: what is sent, printed and told to the shell."""

from __future__ import annotations

import io
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge.cli.main import main
from bridge.contract.error_codes import ExitCode, Outcome
from tests.python.support.command_line import running_command
from tests.python.support.fake_app import KEPT, SLUG, FakeApp, fake_app, sent
from tests.python.support.fake_bridge import PATIENCE_SECONDS, Answer, Bytes, FakeBridge, error

Captured = pytest.CaptureFixture[str]
REVISION = 12345678901234567890


@pytest.fixture
def running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[FakeApp, FakeBridge]]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with fake_app(tmp_path) as both:
        yield both


@pytest.fixture
def bridge(running: tuple[FakeApp, FakeBridge]) -> FakeBridge:
    return running[1]


def call(*words: str) -> int:
    return main(["call", SLUG, *words])


def test_the_output_is_printed_and_the_revision_is_not_in_its_way(
    bridge: FakeBridge, capfd: Captured
) -> None:
    assert call("doc.read") == ExitCode.DONE
    out, err = capfd.readouterr()
    assert out == '{\n  "sent": {}\n}\n'
    assert err == f"revision {REVISION}\n"
    assert sent(bridge, "actions/execute") == [{"action": "doc.read"}]
    assert len(bridge.of("/rpc")) == 1


def test_words_are_typed_by_the_action_s_schema(bridge: FakeBridge) -> None:
    words = ["text=123", "at=7", "style=heading 1", "marks=bold", "marks=italic", "where.page=3",
             "where.column=left", "loud=true"]  # fmt: skip
    assert call("doc.insert", *words, "--expected-revision", "5") == ExitCode.DONE
    assert sent(bridge, "actions/describe") == [{"action": "doc.insert"}]
    assert sent(bridge, "actions/execute") == [
        {
            "action": "doc.insert",
            "input": {
                "text": "123",
                "at": 7,
                "style": "heading 1",
                "marks": ["bold", "italic"],
                "where": {"page": 3, "column": "left"},
                "loud": True,
            },
            "expectedRevision": 5,
        }
    ]


def test_numbers_go_out_as_they_were_written(bridge: FakeBridge, capfd: Captured) -> None:
    big = "9" * 40
    assert call("doc.insert", "text=x", f"at={big}", f"--expected-revision={big}") == 0
    assert f'"at":{big}'.encode() in bridge.of("/rpc")[-1].body
    assert f'"expectedRevision":{big}'.encode() in bridge.of("/rpc")[-1].body
    given = '{"text": "x", "n": [1e3, 0.10]}'
    assert call("doc.insert", "--input-json", given, "--expected-revision=1", "--json") == 0
    assert given.encode() in bridge.of("/rpc")[-1].body
    assert '"n":1e3' in capfd.readouterr().out


def test_the_latest_revision_is_read_first_with_its_own_digits(bridge: FakeBridge) -> None:
    assert call("doc.undo", "--expected-revision", "latest") == ExitCode.DONE
    assert sent(bridge, "actions/execute")[0]["expectedRevision"] == REVISION
    assert len(bridge.of("/rpc")) == 2
    # Where the action was described for its schema, nothing more is asked.
    assert call("doc.insert", "text=x", "--expected-revision=latest") == ExitCode.DONE
    assert sent(bridge, "actions/execute")[1]["expectedRevision"] == REVISION
    assert len(bridge.of("/rpc")) == 4


def test_all_exchanges_of_a_call_share_a_connection(bridge: FakeBridge) -> None:
    assert main(["call", str(bridge.port), "doc.insert", "text=x", "--expected-revision=1"]) == 0
    assert (bridge.connections, len(bridge.of("/rpc"))) == (1, 2)


@pytest.mark.parametrize("source", ["--input-file", "stdin"])
def test_the_input_can_come_from_a_file_or_from_standard_input(
    source: str, bridge: FakeBridge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "input.json").write_text('{"text": "é", "at": 1}', encoding="utf-8")
    name = str(tmp_path / "input.json")
    if source == "stdin":
        name = "-"
        data = io.BytesIO('{"text": "é", "at": 1}'.encode())
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(data))
    options = ["--input-file", name, "--expected-revision=1"]
    assert call("doc.insert", "at=2", *options) == ExitCode.DONE
    assert sent(bridge, "actions/execute")[0]["input"] == {"text": "é", "at": 2}


def test_session_and_timeout_are_passed_on(bridge: FakeBridge) -> None:
    assert call("doc.read", "--session", "mine", "--timeout", "2") == ExitCode.DONE
    body = bridge.of("/rpc")[0].json()
    assert (body["session"], body["timeoutMs"]) == ("mine", 2_000)
    assert call("doc.read") == ExitCode.DONE
    assert bridge.of("/rpc")[1].json()["session"] == "cli"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["doc.insert", "txt=1"], "there is no key 'txt' here. Did you mean text?"),
        (["doc.insert", "text=a", "at=x"], "'at' takes an integer, such as at=0; 'x' is not."),
        (["doc.insert", "at=1"], "the key 'text' is missing: it takes text, such as text=text"),
        (["doc.insert", "text"], "'text' is no input"),
        (["doc.read", "--url", "http://127.0.0.1:1"], "no key=value; APP is left out with --app"),
        ([], "ACTION is missing: bascule call APP ACTION"),
        (["doc.read", "--input-json", "[]"], "--input-json: this is no JSON object"),
        (["doc.read", "--input-json", "{"], "--input-json: this is no JSON object"),
        (["doc.read", "--input-file", "/nonexistent"], "No such file"),
        (["doc.read", "--timeout", "60"], "at most 30 seconds, except with --wait"),
        (["doc.read", "--stop-on-error"], "--stop-on-error is for --batch"),
        (["doc.read", "--expected-revision", "1.5"], "a revision's number, or latest"),
        (["doc.read", "--expected-revison", "1"], "Did you mean --expected-revision?"),
    ],
)
def test_wrong_usage_is_explained_and_runs_nothing(
    words: list[str], message: str, bridge: FakeBridge, capfd: Captured
) -> None:
    assert call(*words) == ExitCode.USAGE
    assert message in " ".join(capfd.readouterr().err.split())
    assert sent(bridge, "actions/execute") == []


def test_an_action_that_there_is_not_is_explained(bridge: FakeBridge, capfd: Captured) -> None:
    for words in (["doc.insrt"], ["doc.insrt", "text=x"]):
        assert call(*words) == ExitCode.APP_ERROR
        err = capfd.readouterr().err
        assert "UNKNOWN_ACTION" in err
        assert "Did you mean doc.insert" in err


def test_an_app_that_there_is_not_is_explained(bridge: FakeBridge, capfd: Captured) -> None:
    assert main(["call", "my-ap-2", "doc.read"]) == ExitCode.NO_BRIDGE
    err = capfd.readouterr().err
    assert "Did you mean my-app-2?" in err
    assert "was not delivered" in err
    assert bridge.of("/rpc") == []


def test_a_write_without_a_revision_is_told_what_to_add(
    bridge: FakeBridge, capfd: Captured
) -> None:
    assert call("doc.undo") == ExitCode.APP_ERROR
    assert "--expected-revision latest" in capfd.readouterr().err


def test_what_does_not_fit_is_told_with_its_place(bridge: FakeBridge, capfd: Captured) -> None:
    assert call("doc.insert", "--expected-revision=1") == ExitCode.APP_ERROR
    err = capfd.readouterr().err
    assert "/text: is missing" in err
    assert "bascule describe" in err


def test_an_error_of_the_app_s_own_says_that_it_may_have_run(
    bridge: FakeBridge, capfd: Captured
) -> None:
    assert call("doc.insert", "text=boom", "--expected-revision=1", "--json") == 1
    out, err = capfd.readouterr()
    assert json.loads(out) == {
        "error": {"code": 1018, "message": "The app failed.", "data": {"code": "HOST_ERROR"}}
    }
    assert "may have run" in err


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (error("NOT_ATTACHED", Outcome.NOT_DELIVERED), ExitCode.NO_BRIDGE),
        (error("QUEUE_FULL"), ExitCode.OUTCOME_UNKNOWN),
        (error("UNAUTHORIZED"), ExitCode.REFUSED),
        (Bytes(), ExitCode.OUTCOME_UNKNOWN),
        (Answer(body=b"[]"), ExitCode.OUTCOME_UNKNOWN),
        (Answer(body=b'{"id":1}'), ExitCode.OUTCOME_UNKNOWN),
        (Answer(body=b'{"id":1,"result":[]}'), ExitCode.OUTCOME_UNKNOWN),
        (Answer(body=b'{"id":1,"error":{}}'), ExitCode.OUTCOME_UNKNOWN),
    ],
)
def test_a_call_that_comes_to_no_answer_says_what_may_have_been_done(
    answer: Answer | Bytes, status: ExitCode, bridge: FakeBridge, capfd: Captured
) -> None:
    bridge.script = lambda _: answer
    assert main(["call", str(bridge.port), "doc.read", "--json"]) == status
    out, err = capfd.readouterr()
    assert "Traceback" not in err
    told = json.loads(out)["error"]
    assert told["code"] == -32000
    assert ("may have run" in err) is (told["data"].get("outcome") == "unknown")


def test_what_fails_before_the_call_did_nothing(bridge: FakeBridge, capfd: Captured) -> None:
    bridge.script = lambda _: Bytes()
    assert main(["call", str(bridge.port), "doc.insert", "text=x"]) == ExitCode.REFUSED
    assert "may have run" not in capfd.readouterr().err


def test_a_deferred_result_is_a_task_and_how_to_ask_for_it(
    bridge: FakeBridge, capfd: Captured
) -> None:
    assert call("doc.export") == ExitCode.DONE
    out, err = capfd.readouterr()
    assert json.loads(out) == {"id": "t 1", "state": "running"}
    assert "bascule task my-app-2 't 1' --wait" in err


@pytest.mark.parametrize(
    ("states", "status", "told"),
    [
        (["running", "running", "completed"], ExitCode.DONE, ""),
        (["running", "failed"], ExitCode.APP_ERROR, "It failed. [HOST_ERROR]"),
        (["running", "cancelled"], ExitCode.APP_ERROR, "was cancelled"),
    ],
)
def test_a_deferred_result_is_waited_for(
    states: list[str],
    status: ExitCode,
    told: str,
    running: tuple[FakeApp, FakeBridge],
    capfd: Captured,
) -> None:
    running[0].task_states = list(states)
    assert call("doc.export", "--wait", "--timeout", "600") == status
    out, err = capfd.readouterr()
    assert told in err
    assert out == ('{"bytes": 7}\n' if status == ExitCode.DONE else "")
    assert len(sent(running[1], "tasks/get")) == len(states)


def test_a_wait_that_is_over_says_that_the_task_goes_on(
    running: tuple[FakeApp, FakeBridge], capfd: Captured
) -> None:
    running[0].task_states = ["running"]
    assert call("doc.export", "--wait", "--timeout", "0.05") == ExitCode.OUTCOME_UNKNOWN
    assert "it goes on" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("states", "status", "told"),
    [
        (["consent", "consent", "completed"], ExitCode.DONE, ""),
        (["consent", "running", "completed"], ExitCode.DONE, ""),
        (["consent", "failed"], ExitCode.APP_ERROR, "It failed. [HOST_ERROR]"),
        (["consent", "cancelled"], ExitCode.APP_ERROR, "was cancelled"),
    ],
)
def test_a_call_that_waits_for_the_owner_is_followed_and_says_so(
    states: list[str],
    status: ExitCode,
    told: str,
    running: tuple[FakeApp, FakeBridge],
    capfd: Captured,
) -> None:
    app, bridge = running
    app.asks, app.task_states = True, list(states)
    assert call("doc.export") == status
    out, err = capfd.readouterr()
    assert err.count("Waiting for a yes in the page. The owner is asked.") == 1
    assert "\x1b" not in err
    assert told in err
    assert out == ('{"bytes": 7}\n' if status == ExitCode.DONE else "")
    assert len(sent(bridge, "tasks/get")) == len(states)


def test_a_call_that_waits_for_the_owner_is_not_followed_where_that_is_not_wanted(
    running: tuple[FakeApp, FakeBridge], capfd: Captured
) -> None:
    app, bridge = running
    app.asks = True
    assert call("doc.export", "--no-wait") == ExitCode.DONE
    out, err = capfd.readouterr()
    assert json.loads(out)["progress"]["reason"] == "consent"
    assert "Waiting" not in err
    assert "bascule task" in err
    assert not sent(bridge, "tasks/get")


def test_a_call_that_the_owner_has_not_decided_on_in_time_goes_on_as_a_task(
    running: tuple[FakeApp, FakeBridge], capfd: Captured
) -> None:
    app, _ = running
    app.asks, app.task_states = True, ["consent"]
    assert call("doc.export", "--timeout", "0.05") == ExitCode.DONE
    out, err = capfd.readouterr()
    assert json.loads(out)["state"] == "running"
    assert "The call waits for a yes in the page." in err
    assert "--wait" in err


@pytest.mark.parametrize("known", [True, False])
def test_an_interrupted_wait_asks_for_the_end_of_its_task(
    known: bool, running: tuple[FakeApp, FakeBridge], tmp_path: Path
) -> None:
    app, bridge = running
    app.task_states = ["running"]
    answered = bridge.script
    if not known:
        refusal = error("QUEUE_FULL")
        bridge.script = lambda asked: refusal if b"tasks/cancel" in asked.body else answered(asked)
    with running_command(tmp_path, "call", SLUG, "doc.export", "--wait") as child:
        # The call, and then its task: it is in the midst of waiting.
        bridge.wait_for("/rpc", 3)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE_SECONDS)
    assert child.returncode == -signal.SIGINT
    assert out == b""
    assert (b"the app was asked to cancel t 1." in err) is known
    assert (b"the task t 1 goes on in the app." in err) is not known
    assert b"Inspect the state" in err
    if known:
        assert sent(bridge, "tasks/cancel") == [{"id": "t 1"}]


def test_what_an_app_says_has_no_power_over_a_terminal(bridge: FakeBridge, capfd: Captured) -> None:
    line = json.dumps({"id": 1, "result": {"output": "\x1b]0;x\x07\u202e\u2028\ud800"}})
    bridge.script = lambda _: Answer(body=line.encode(), headers=KEPT)
    assert main(["call", str(bridge.port), "doc.read"]) == ExitCode.DONE
    out = capfd.readouterr().out
    assert out == '"\\u001b]0;x\\u0007\\u202e\\u2028\\ud800"\n'


def test_an_app_is_named_by_option_as_well(bridge: FakeBridge) -> None:
    assert main(["call", "--app", "My App 2", "doc.read"]) == ExitCode.DONE
    assert main(["call", "--url", bridge.url, "doc.read"]) == ExitCode.DONE
    assert main(["call", bridge.url, "doc.read"]) == ExitCode.DONE
    assert len(sent(bridge, "actions/execute")) == 3
