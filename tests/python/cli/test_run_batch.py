"""`batch`: several calls in one request, what becomes of each, and what is sent."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.input.batch_input import read_calls
from bridge.cli.main import main
from bridge.cli.output.json_text import JsonTextError, compact, elements, read
from bridge.cli.usage_error import UsageError
from bridge.contract.error_codes import ExitCode
from tests.python.support.note_app import SLUG, NoteApp, note_app

Captured = pytest.CaptureFixture[str]
SET = '{"action": "note.set", "input": {"text": "%s"}, "expectedRevision": %s}'
FIND = '{"action": "note.find", "input": {}}'


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Iterator[NoteApp]:
    with note_app(monkeypatch) as (app, _, _):
        yield app


def batch(monkeypatch: pytest.MonkeyPatch, text: str, *words: str) -> int:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    return main(["batch", SLUG, *words])


@pytest.mark.parametrize("written", ["\n".join, lambda calls: f"[{','.join(calls)}]\n"])
def test_calls_are_lines_or_an_array(
    written: object, app: NoteApp, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    assert callable(written)
    calls = [SET % ("a", 7), '{"action": "note.read"}']
    assert batch(monkeypatch, written(calls)) == ExitCode.DONE
    out, err = capfd.readouterr()
    assert out == '0\tnote.set\tok\t8\t{"text":"a"}\n1\tnote.read\tok\t8\t{"text":"a"}\n'
    assert err == "revision 8\n"


def test_a_batch_stops_at_an_error_or_goes_on(
    app: NoteApp, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    text = "\n".join([FIND, SET % ("a", 7)])
    assert batch(monkeypatch, text) == ExitCode.APP_ERROR
    first, second = capfd.readouterr().out.splitlines()
    assert first.split("\t")[2] == "INVALID_INPUT"
    assert second.split("\t")[1:] == ["note.set", "skipped", "-", "-"]
    assert batch(monkeypatch, text, "--continue", "--json") == ExitCode.APP_ERROR
    told = json.loads(capfd.readouterr().out)
    assert [item["ok"] for item in told["results"]] == [False, True]
    assert app.note == "a"


def test_an_atomic_batch_is_done_whole_or_not_at_all(
    app: NoteApp, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    twice = "\n".join([SET % ("a", '"latest"'), SET % ("b", '"latest"')])
    assert batch(monkeypatch, twice, "--atomic") == ExitCode.DONE
    assert (app.note, app.at) == ("b", 9)
    capfd.readouterr()
    assert batch(monkeypatch, "\n".join([SET % ("c", 9), FIND]), "--atomic") == ExitCode.APP_ERROR
    assert "INVALID_INPUT" in capfd.readouterr().err
    assert (app.note, app.at) == ("b", 9)


def test_an_atomic_batch_gives_calls_the_revision_that_they_leave_out(
    app: NoteApp, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    bare = '{"action": "note.set", "input": {"text": "x"}}'
    assert batch(monkeypatch, bare, "--atomic") == ExitCode.APP_ERROR
    assert batch(monkeypatch, bare, "--atomic", "--expected-revision", "6") == ExitCode.APP_ERROR
    assert app.note == ""
    assert batch(monkeypatch, bare, "--atomic", "--expected-revision", "latest") == ExitCode.DONE
    assert app.note == "x"
    assert "STALE_REVISION" in capfd.readouterr().err


def test_a_deferred_call_names_its_task(
    app: NoteApp, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    assert batch(monkeypatch, '{"action": "note.export"}') == ExitCode.DONE
    cells = capfd.readouterr().out.rstrip("\n").split("\t")
    assert app.task is not None
    assert cells[2:] == ["deferred", "7", f'"{app.task.id}"']


def test_a_call_that_waits_for_a_yes_is_told_as_that(
    app: NoteApp, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    app.asks = True
    assert batch(monkeypatch, '{"action": "note.export"}') == ExitCode.DONE
    cells = capfd.readouterr().out.rstrip("\n").split("\t")
    assert app.task is not None
    assert cells[2:] == ["waits for a yes", "7", f'"{app.task.id}"']


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        ("", [], "there are no calls"),
        ("\n \n", [], "there are no calls"),
        ("[]", [], "there are no calls"),
        ('{"action": "a"}\n{', [], "line 2 is no JSON object"),
        ('[{"action": "a"}, 7]', [], "call 2 is no JSON object"),
        ('[{"action": "a"},', [], "the array of calls cannot be read as JSON"),
        ('{"action": 7}', [], 'line 1 names no "action"'),
        ('{"input": {}}', [], 'line 1 names no "action"'),
        (SET % ("a", '"latest"'), [], "are for --atomic"),
        (SET % ("a", 7), ["--expected-revision", "7"], "are for --atomic"),
        (SET % ("a", 7), ["--input-file", "/nonexistent"], "No such file"),
        (SET % ("a", 7), ["--atomic", "--continue"], "not allowed with argument"),
    ],
)
def test_wrong_usage_is_explained_and_runs_nothing(
    text: str,
    words: list[str],
    message: str,
    app: NoteApp,
    monkeypatch: pytest.MonkeyPatch,
    capfd: Captured,
) -> None:
    assert batch(monkeypatch, text, *words) == ExitCode.USAGE
    assert message in " ".join(capfd.readouterr().err.split())
    assert app.ran == []


def test_a_file_holds_the_calls(app: NoteApp, tmp_path: Path) -> None:
    file = tmp_path / "calls.json"
    file.write_text(f"[{SET % ('é', 7)}]", encoding="utf-8")
    assert main(["batch", SLUG, "--input-file", str(file)]) == ExitCode.DONE
    assert app.note == "é"


def test_a_call_keeps_its_characters() -> None:
    (call,) = read_calls(b'{"action": "a", "input": {"n": 1e3, "m": 0.10}}')
    assert call.text == '{"action":"a","input":{"n": 1e3, "m": 0.10}}'
    with pytest.raises(UsageError, match="not UTF-8"):
        read_calls(b"\xff")


@given(st.lists(st.recursive(st.integers() | st.text() | st.none(), st.lists, max_leaves=8)))
def test_an_array_is_cut_where_its_elements_end(values: list[object]) -> None:
    text = json.dumps(values, indent=1)
    assert [json.loads(each) for each in elements(text)] == values
    assert compact(read(text)) == "[" + ",".join(compact(read(e)) for e in elements(text)) + "]"


@pytest.mark.parametrize("text", ["", "[", "[1", "[1,]", "[1 2]", "[1] 2", "{}", "[" * 5_000])
def test_what_is_no_array_is_said_to_be_none(text: str) -> None:
    with pytest.raises(JsonTextError):
        elements(text)
