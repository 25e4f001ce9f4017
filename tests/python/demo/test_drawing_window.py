"""The window, on a display that nobody sees: pointer, keys and terminals change one drawing."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.demo.drawing_actions import Command
from bridge.demo.drawing_host import DrawingHost, drawing_dispatcher
from bridge.servers.native_server import serve
from tests.python.support.displays import unseen_display

tk = pytest.importorskip("tkinter", reason="this Python has no tkinter")


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with unseen_display() as name:
        yield name


class Person:
    """Somebody at the window."""

    def __init__(self, display: str, directory: Path) -> None:
        from bridge.demo.drawing_window import DrawingWindow  # noqa: PLC0415 - needs tkinter

        self.host = DrawingHost()
        self.dispatcher = drawing_dispatcher(self.host)
        self.server = serve(self.dispatcher, directory=directory)
        self.root = tk.Tk(screenName=display)
        self.window = DrawingWindow(self.root, self.dispatcher, self.host, self.server)
        self.root.update()

    @property
    def shapes(self) -> list[Any]:
        return list(self.host.drawing.picture.shapes)

    @property
    def listens(self) -> bool:
        return self.server.path is not None

    def drags(self, *track: tuple[int, int]) -> None:
        canvas = self.window.canvas
        (x, y), *rest = track
        canvas.event_generate("<ButtonPress-1>", x=x, y=y)
        for x, y in rest:
            canvas.event_generate("<B1-Motion>", x=x, y=y)
        canvas.event_generate("<ButtonRelease-1>", x=x, y=y)
        self.root.update()

    def presses(self, key: str) -> None:
        self.window.canvas.focus_force()
        self.root.update()
        self.window.canvas.event_generate(key)
        self.root.update()

    def close(self) -> None:
        self.server.close()
        self.root.destroy()


@pytest.fixture
def person(display: str, tmp_path: Path) -> Iterator[Person]:
    tmp_path.chmod(0o700)
    person = Person(display, tmp_path)
    yield person
    person.close()


@pytest.mark.parametrize("tool", ["rectangle", "ellipse", "line", "path"])
def test_dragging_draws_a_shape_with_the_tool(person: Person, tool: str) -> None:
    person.window.tools.tool = tool
    person.drags((90, 80), (50, 60), (20, 30))
    (shape,) = person.shapes
    assert shape.kind == tool
    assert {(90, 80), (20, 30)} == {shape.corners[0], shape.corners[-1]}
    assert person.window.canvas.find_withtag(f"id:{shape.id}")
    assert not person.window.canvas.find_withtag("draft")


def test_a_click_draws_nothing(person: Person) -> None:
    person.window.tools.tool = "rectangle"
    person.drags((20, 30))
    assert person.shapes == []


def test_a_shape_is_clicked_dragged_and_deleted_and_all_of_it_undone_by_keys(
    person: Person,
) -> None:
    person.window.tools.tool = "rectangle"
    person.window.tools.fill = "#ffcc66"
    person.drags((20, 20), (60, 60))
    person.window.tools.tool = "select"
    person.drags((40, 40), (70, 45))
    assert (person.shapes[0].x, person.shapes[0].y) == (50, 25)
    person.presses("<Left>")
    assert person.shapes[0].x == 49
    person.presses("<Delete>")
    assert person.shapes == []
    for _ in range(4):
        person.presses("<Control-z>")
    assert person.host.drawing.undo_label is None
    for _ in range(4):
        person.presses("<Control-y>")
    assert person.shapes == []
    assert "0" not in person.window.status.get().split("Revision ")[1][0]


def test_a_long_track_becomes_a_path_that_the_drawing_takes(person: Person) -> None:
    person.window.tools.tool = "path"
    person.drags(*((number % 600, number // 3) for number in range(1_000)))
    (shape,) = person.shapes
    assert len(shape.points) <= 256
    assert (shape.points[0], shape.points[-1]) == ((0, 0), (999 % 600, 333))


def test_what_is_refused_is_said_in_the_status_line(person: Person) -> None:
    person.presses("<Control-z>")
    assert person.window.status.get() == "Nothing was done that could be undone."


def asked(person: Person, peer: socket.socket, method: str, **params: Any) -> dict[str, Any]:
    """Ask as a terminal does, while the window ticks."""
    line = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    peer.sendall(json.dumps(line).encode() + b"\n")
    answer = b""
    for _ in range(1_000):
        person.window.tick()
        try:
            answer += peer.recv(65_536)
        except BlockingIOError:
            continue
        if answer.endswith(b"\n"):
            message: dict[str, Any] = json.loads(answer)
            return message
    raise AssertionError("no answer")


def test_a_terminal_gets_in_when_the_person_allows_it_and_draws_in_the_window(
    person: Person,
) -> None:
    assert not person.listens
    person.window._allowed.set(True)
    person.window._allow()
    assert "are allowed" in person.window.status.get()
    path = person.server.path
    assert path is not None
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(path))
        peer.setblocking(False)
        box = {"kind": "ellipse", "x": 10, "y": 10, "width": 50, "height": 30}
        call = {"action": "draw.shape.add", "input": box, "expectedRevision": 0}
        done = asked(person, peer, "actions/execute", **call)
        shape_id = done["result"]["output"]["shape"]["id"]
        (item,) = person.window.canvas.find_withtag(f"id:{shape_id}")
        assert str(person.window.canvas.type(item)) == "oval"
        person.window._in_dialog(
            "the name",
            lambda: _refused_meanwhile(person, peer),
        )
        assert "result" in asked(person, peer, "actions/execute", action="draw.read")
        person.window._allowed.set(False)
        person.window._allow()
        person.window.tick()
        assert not path.exists()


def _refused_meanwhile(person: Person, peer: socket.socket) -> None:
    refused = asked(person, peer, "actions/execute", action="draw.read")["error"]["data"]
    assert refused["availability"]["code"] == "DIALOG_OPEN"


def test_layers_are_listed_from_the_topmost_and_moved_by_the_menu(person: Person) -> None:
    person.window.run_command(Command.ADD_LAYER, {"name": "Sky"})
    assert person.window.layers.get(0, "end") == ("Sky", "Layer 1")
    person.window.layers.selection_clear(0, "end")
    person.window.layers.selection_set(0)
    person.window._move_layer(-1)
    assert person.window.layers.get(0, "end") == ("Layer 1", "Sky")
    person.window._toggle_layer()
    assert person.window.layers.get(0, "end") == ("Layer 1", "(Sky)")
    person.window._delete_layer()
    assert person.window.layers.get(0, "end") == ("Layer 1",)


def test_an_export_by_the_menu_goes_on_by_ticks_and_is_saved(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "drawing.png"
    monkeypatch.setattr(
        "bridge.demo.drawing_window.filedialog.asksaveasfilename", lambda **_options: str(target)
    )
    person.window._export_png()
    person.window.tick()
    assert person.window.status.get().startswith("Exporting: 1 of ")
    for _ in range(1_000):
        if target.exists():
            break
        person.window.tick()
    assert target.read_bytes().startswith(b"\x89PNG")
    assert person.window.status.get() == f"Saved as {target}"


def test_a_signal_before_the_window_runs_ends_it(person: Person) -> None:
    person.window.stop()
    person.window.run()
    assert person.root.winfo_exists()
