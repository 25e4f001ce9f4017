"""`read` and `render`: parts that fit each other, and files that are whole or not there."""

from __future__ import annotations

import base64
import io
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.app_session import Result
from bridge.cli.main import main
from bridge.cli.output.json_text import NumberText
from bridge.cli.output.output_file import OutputFile
from bridge.cli.resource_reading import read_parts
from bridge.cli.usage_error import UsageError
from bridge.client.bridge_failure import BridgeFailure
from bridge.contract.error_codes import ExitCode
from tests.python.support.command_line import run_command
from tests.python.support.note_app import BIG, PICTURES, SLUG, NoteApp, note_app
from tests.python.support.terminal import on_terminal

Captured = pytest.CaptureFixture[str]
Running = tuple[NoteApp, Path]


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    with note_app(monkeypatch) as (app, _, directory):
        yield app, directory


class ScriptedSession:
    """Answers `resources/read` by a script, and keeps the parameters."""

    def __init__(self, answer: Callable[[int], dict[str, Any]]) -> None:
        self._answer = answer
        self.asked: list[str] = []

    def look(self, _method: str, params: str) -> Result:
        self.asked.append(params)
        return Result("", self._answer(len(self.asked) - 1))


def part(offset: int, data: bytes, size: int, /, **changed: Any) -> dict[str, Any]:
    told: dict[str, Any] = {
        "offset": NumberText(offset),
        "size": NumberText(size),
        "mimeType": "a/b",
        "data": base64.b64encode(data).decode(),
    }
    if offset + len(data) < size:
        told["nextOffset"] = NumberText(offset + len(data))
    return {name: value for name, value in (told | changed).items() if value is not None}


def read_all(*answers: dict[str, Any], offset: int = 0) -> list[bytes]:
    session: Any = ScriptedSession(lambda number: answers[number])
    return [part.data for part in read_parts(session, "u", offset)]


def test_parts_are_read_to_the_end() -> None:
    assert read_all(part(0, b"ab", 3), part(2, b"c", 3)) == [b"ab", b"c"]
    assert read_all(part(0, b"", 0)) == [b""]
    assert read_all(part(3, b"", 3), offset=3) == [b""]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([part(1, b"ab", 3)], "not the part at byte 0"),
        ([part(0, b"ab", 3), part(2, b"c", 4)], "changed while it was read"),
        ([part(0, b"ab", 3), part(2, b"c", 3, mimeType="c/d")], "changed while it was read"),
        ([part(0, b"ab", 3, nextOffset=NumberText(1))], "nextOffset is not where the part ends"),
        ([part(0, b"", 3, nextOffset=NumberText(0))], "nextOffset is not where the part ends"),
        ([part(0, b"abc", 3, nextOffset=NumberText(3))], "nextOffset is not where the part ends"),
        ([part(0, b"ab", 3, nextOffset=None)], "ends at byte 2 of 3"),
        ([part(0, b"abc", 2)], "more than was asked for"),
        ([part(0, b"a" * 65_537, 65_537)], "more than was asked for"),
        ([part(0, b"a", 1, data="!")], "data is not base64"),
        ([part(0, b"a", 1, data="YQ")], "data is not base64"),
        ([part(0, b"a", 1, size=NumberText("1e400"))], "size is not a number of bytes"),
        ([part(0, b"a", 1, size="1")], "size is not a number of bytes"),
        ([part(0, b"a", 1, mimeType=None)], "mimeType is not a string"),
    ],
)
def test_parts_that_do_not_fit_are_refused(answers: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(BridgeFailure, match=message):
        read_all(*answers)


def test_a_file_has_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    name = tmp_path / "a"
    with OutputFile(str(name)) as file:
        file.write(b"abc")
        assert not name.exists()
        file.finish()
    assert name.read_bytes() == b"abc"
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(name.stat().st_mode) == 0o666 & ~umask
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_is_never_replaced_without_force(tmp_path: Path) -> None:
    name = tmp_path / "a"
    name.write_bytes(b"old")
    with pytest.raises(UsageError, match="there already"), OutputFile(str(name)):
        pass
    assert name.read_bytes() == b"old"
    with OutputFile(str(name), force=True) as file:
        file.write(b"new")
        file.finish()
    assert name.read_bytes() == b"new"


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    name = tmp_path / "a"
    with OutputFile(str(name)) as file:
        file.write(b"new")
        name.write_bytes(b"theirs")
        with pytest.raises(UsageError, match="there already"):
            file.finish()
    assert name.read_bytes() == b"theirs"
    assert (tmp_path / "a.part").read_bytes() == b"new"


def test_a_link_in_the_place_of_the_part_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"kept")
    (tmp_path / "a.part").symlink_to(victim)
    for resume in (False, True):
        with (
            pytest.raises(UsageError, match="cannot be written"),
            OutputFile(str(tmp_path / "a"), resume=resume),
        ):
            pass
    assert victim.read_bytes() == b"kept"


def test_reading_goes_on_where_it_broke_off(
    running: Running, tmp_path: Path, capfd: Captured
) -> None:
    app, _ = running
    file, rest = tmp_path / "big", tmp_path / "big.part"
    reads: list[int] = []
    whole = app.read_resource

    def fails(uri: str, offset: int, limit: int) -> Any:
        reads.append(offset)
        if len(reads) == 2:
            raise RuntimeError
        return whole(uri, offset, limit)

    app.read_resource = fails  # type: ignore[method-assign]
    assert main(["read", SLUG, "note:big", "-o", str(file)]) == ExitCode.APP_ERROR
    assert rest.read_bytes() == BIG[:65_536]
    assert not file.exists()
    assert f"bascule read {SLUG} note:big -o {file} --resume" in capfd.readouterr().err
    assert main(["read", SLUG, "note:big", "-o", str(file), "--resume"]) == ExitCode.DONE
    assert file.read_bytes() == BIG
    assert not rest.exists()
    assert reads == [0, 65_536, 65_536, 131_072]


def test_a_resource_goes_to_a_pipe_from_an_offset_on(running: Running) -> None:
    done = run_command(running[1], "read", SLUG, "note:big", "--offset", "149990")
    assert (done.returncode, done.stdout) == (ExitCode.DONE, BIG[149_990:])


def test_a_terminal_gets_text_without_power_and_nothing_else(running: Running) -> None:
    app, directory = running
    app.note = "a\tb\x1b[31m\nc"
    status, text = on_terminal(directory, "read", SLUG, "note:text")
    assert (status, text) == (ExitCode.DONE, "a\tb\\x1b[31m\r\nc")
    status, text = on_terminal(directory, "read", SLUG, "note:big", errors=True)
    assert status == ExitCode.USAGE
    assert "add -o FILE, or a pipe" in text


def test_an_unknown_resource_leaves_no_file(
    running: Running, tmp_path: Path, capfd: Captured
) -> None:
    file = str(tmp_path / "a")
    assert main(["read", SLUG, "note:nothing", "-o", file]) == ExitCode.APP_ERROR
    assert "UNKNOWN_RESOURCE" in capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["read", SLUG], "URI is missing"),
        (["read", SLUG, "note:big", "--resume"], "are for a file: add -o FILE"),
        (["read", SLUG, "note:big", "--json"], "are for a file: add -o FILE"),
        (["read", SLUG, "note:big", "-o", "a", "--offset", "1"], "--offset is for standard output"),
        (["read", SLUG, "note:big", "--offset", "-1"], "--offset"),
        (["render", SLUG, "--force"], "--force is for a file"),
        (["render", SLUG, "-o", "a.png", "format=svg"], "give the file the ending .svg"),
        (["render", SLUG, "-o", "a.png", "size=1"], "there is no key 'size' here"),
        (["render", SLUG, "-o", "/nonexistent/a.png"], "No such file"),
    ],
)
def test_wrong_usage_is_explained(
    words: list[str],
    message: str,
    running: Running,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: Captured,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == ExitCode.USAGE
    assert message in " ".join(capfd.readouterr().err.split())
    assert [path.name for path in tmp_path.iterdir()] == []


def test_a_picture_goes_to_a_pipe_and_a_terminal_is_told_where_it_is(running: Running) -> None:
    done = run_command(running[1], "render", SLUG, "format=svg")
    assert (done.returncode, done.stdout) == (ExitCode.DONE, PICTURES["svg"][1])
    status, text = on_terminal(running[1], "render", SLUG, "scale=3", errors=True)
    assert status == ExitCode.DONE
    assert "note:png  image/png  30 by 30" in text
    assert f"bascule read {SLUG} note:png -o FILE" in text


def test_the_only_app_is_rendered_without_its_name(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    file = tmp_path / "a.svg"
    assert main(["render", "scale=2", "-o", str(file)]) == ExitCode.DONE
    assert file.read_bytes() == PICTURES["svg"][1]


def test_an_app_that_does_not_render_says_so(
    running: Running, monkeypatch: pytest.MonkeyPatch, capfd: Captured
) -> None:
    monkeypatch.setattr(NoteApp, "actions", lambda _: ())
    assert main(["render", SLUG]) == ExitCode.APP_ERROR
    assert "UNKNOWN_ACTION" in capfd.readouterr().err
