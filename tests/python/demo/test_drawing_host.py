"""The drawing app as a terminal sees it: lines in, lines out."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.demo.drawing_actions import ACTIONS, Command
from bridge.demo.drawing_host import DrawingHost, drawing_dispatcher
from bridge.demo.png import PNG_SIGNATURE
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.rpc_session import RpcSession
from tests.python.support.drawings import MOVES, edit

BOX = {"kind": "rectangle", "x": 10, "y": 20, "width": 30, "height": 40}


class Terminal:
    """Somebody who drives the app by lines."""

    def __init__(self) -> None:
        self.host = DrawingHost()
        self.dispatcher = drawing_dispatcher(self.host)
        self.dispatcher.set_enabled(True)
        self._session = RpcSession(self.dispatcher, "test")

    @property
    def revision(self) -> int:
        return self.host.drawing.revision

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        try:
            self._session.receive(line).send(None)
        except StopIteration as end:
            message: dict[str, Any] = json.loads(end.value)
            return message
        raise AssertionError("it did not answer at once")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        message = self.send(method, **params)
        assert "error" not in message, message
        result: dict[str, Any] = message["result"]
        return result

    def refused(self, method: str, **params: Any) -> dict[str, Any]:
        data: dict[str, Any] = self.send(method, **params)["error"]["data"]
        return data

    def call(self, action: str, **data: Any) -> Any:
        answer = self.ask(
            "actions/execute", action=action, input=data, expectedRevision=self.revision
        )
        return answer.get("output", answer.get("task"))

    def file(self, uri: str, limit: int = 65_536) -> bytes:
        data, offset = b"", 0
        while True:
            part = self.ask("resources/read", uri=uri, offset=offset, limit=limit)
            data += b64decode(part["data"])
            if "nextOffset" not in part:
                assert len(data) == part["size"]
                return data
            offset = part["nextOffset"]


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


def test_every_action_is_described_with_a_command_id_of_its_own(terminal: Terminal) -> None:
    listed = terminal.ask("actions/list", limit=100)["actions"]
    assert [action["name"] for action in listed] == [spec.name for spec in ACTIONS]
    ids = {
        terminal.ask("actions/describe", action=a["name"])["action"]["commandId"] for a in listed
    }
    assert ids == set(Command)


def test_a_shape_is_added_changed_moved_and_deleted(terminal: Terminal) -> None:
    shape = terminal.call("draw.shape.add", **BOX, fill="#ffcc00")["shape"]
    assert terminal.call("draw.shape.update", id=shape["id"], width=99)["shape"]["width"] == 99
    assert terminal.call("draw.shape.move", dx=5, dy=-5) == {"moved": 1}
    (now,) = terminal.call("draw.read")["shapes"]
    assert (now["x"], now["y"], now["width"], now["fill"]) == (15, 15, 99, "#ffcc00")
    assert terminal.call("draw.shape.delete", ids=[shape["id"]]) == {"deleted": 1}
    assert terminal.call("draw.read")["total"] == 0


def test_layers_are_added_named_ordered_hidden_and_deleted(terminal: Terminal) -> None:
    sky = terminal.call("draw.layer.add", name="Sky", at=0)["layer"]["id"]
    assert terminal.call("draw.layer.rename", id=sky, name="Himmel")["layer"]["name"] == "Himmel"
    terminal.call("draw.layer.order", id=sky, at=1)
    assert terminal.call("draw.layer.show", id=sky, visible=False)["layer"]["visible"] is False
    terminal.call("draw.shape.add", **BOX)
    assert [layer["name"] for layer in terminal.call("draw.read")["layers"]] == [
        "Layer 1", "Himmel",
    ]  # fmt: skip
    assert terminal.call("draw.layer.delete", id=sky) == {"deleted": 1}


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"kind": "line", "x": 0, "y": 0}, ""),
        ({**BOX, "points": [[0, 0], [1, 1]]}, "/points"),
        ({**BOX, "fill": "red"}, "/fill"),
        ({**BOX, "x": 0.5}, "/x"),
        ({**BOX, "layer": "l9"}, "/layer"),
        ({"kind": "text", "x": 0, "y": 0, "text": "two\nlines"}, "/text"),
    ],
)
def test_an_input_that_makes_no_shape_is_refused_where_it_is_wrong(
    terminal: Terminal, data: dict[str, Any], path: str
) -> None:
    refusal = terminal.refused(
        "actions/execute", action="draw.shape.add", input=data, expectedRevision=0
    )
    assert refusal["code"] == "INVALID_INPUT"
    assert path in {error["path"] for error in refusal["errors"]}
    assert terminal.revision == 0


def test_a_shape_takes_no_member_of_another_kind(terminal: Terminal) -> None:
    shape = terminal.call("draw.shape.add", **BOX)["shape"]
    refusal = terminal.refused(
        "actions/execute",
        action="draw.shape.update",
        input={"id": shape["id"], "text": "no"},
        expectedRevision=1,
    )
    assert refusal["errors"] == [{"path": "/text", "message": "a rectangle has no text"}]


def test_undo_and_redo_are_unavailable_where_there_is_nothing(terminal: Terminal) -> None:
    for action in ("draw.undo", "draw.redo"):
        refusal = terminal.refused("actions/execute", action=action, expectedRevision=0)
        assert refusal["code"] == "UNAVAILABLE"
    terminal.call("draw.shape.add", **BOX)
    assert terminal.call("draw.undo") == {"undo": None, "redo": "Add rectangle"}
    assert terminal.call("draw.redo") == {"undo": "Add rectangle", "redo": None}


def test_nothing_runs_while_a_person_is_asked_something(terminal: Terminal) -> None:
    terminal.host.dialog = "the name of the layer"
    refusal = terminal.refused("actions/execute", action="draw.read")
    assert refusal["availability"]["code"] == "DIALOG_OPEN"
    terminal.host.dialog = None
    assert terminal.call("draw.read")["total"] == 0


def test_the_window_runs_the_same_actions_by_their_command_ids(terminal: Terminal) -> None:
    terminal.dispatcher.set_enabled(False)
    terminal.dispatcher.execute_command(Command.ADD_SHAPE, BOX)
    assert terminal.revision == 1
    with pytest.raises(AppError, match="Nothing was undone"):
        terminal.dispatcher.execute_command(Command.REDO)


def batch(*calls: tuple[str, dict[str, Any]], revision: int) -> list[dict[str, Any]]:
    return [
        {"action": action, "input": data, "expectedRevision": revision} for action, data in calls
    ]


def test_an_atomic_batch_is_one_step_of_undo(terminal: Terminal) -> None:
    calls = batch(
        ("draw.layer.add", {"name": "Sky"}),
        ("draw.shape.add", BOX),
        ("draw.shape.move", {"dx": 3, "dy": 0}),
        revision=0,
    )
    done = terminal.ask("actions/batch", calls=calls, atomic=True)
    assert done["committed"] is True
    assert [item["revision"] for item in done["results"]] == [terminal.revision] * 3
    assert terminal.call("draw.undo")["undo"] is None
    assert terminal.call("draw.read") == {
        "layers": [{"id": "l1", "name": "Layer 1", "visible": True}], "shapes": [], "total": 0,
    }  # fmt: skip


def test_an_atomic_batch_that_fails_leaves_everything_as_it_was(terminal: Terminal) -> None:
    terminal.call("draw.shape.add", **BOX)
    terminal.call("draw.select", ids=[])
    state = terminal.host.drawing.state
    calls = batch(
        ("draw.shape.add", BOX),
        ("draw.select", {"ids": ["s2"]}),
        ("draw.undo", {}),
        ("draw.shape.delete", {"ids": ["s99"]}),
        revision=terminal.revision,
    )
    refusal = terminal.refused("actions/batch", calls=calls, atomic=True)
    assert (refusal["code"], refusal["index"]) == ("ROLLED_BACK", 3)
    assert refusal["cause"]["data"]["errors"][0]["path"] == "/ids/0"
    assert terminal.host.drawing.state is state


def test_an_export_in_an_atomic_batch_is_refused_and_never_made(terminal: Terminal) -> None:
    calls = [
        {"action": "draw.shape.add", "input": BOX, "expectedRevision": 0},
        {"action": "draw.export"},
    ]
    refusal = terminal.refused("actions/batch", calls=calls, atomic=True)
    assert refusal["cause"]["data"]["code"] == "DEFERRED_IN_TRANSACTION"
    assert terminal.host.busy is False
    assert terminal.revision == 0


def test_a_picture_is_rendered_once_and_read_in_parts(terminal: Terminal) -> None:
    terminal.call("draw.shape.add", **BOX)
    rendered = terminal.ask("view/render", scale=2)
    assert (rendered["mimeType"], rendered["width"], rendered["height"]) == ("image/png", 1280, 960)
    data = terminal.file(rendered["resource"], limit=1_000)
    assert data.startswith(PNG_SIGNATURE)
    assert len(data) > 2_000
    assert terminal.ask("view/render", scale=2)["resource"] == rendered["resource"]
    terminal.call("draw.shape.move", dx=1, dy=1)
    assert terminal.ask("view/render", scale=2)["resource"] != rendered["resource"]


def test_a_picture_of_very_much_is_rendered_in_steps(terminal: Terminal) -> None:
    zigzag = [[number, 100 * (number % 2)] for number in range(256)]
    terminal.call("draw.shape.add", kind="path", points=zigzag)
    assert "resource" in terminal.ask("view/render")
    deferred = terminal.ask("view/render", scale=4)
    assert deferred["status"] == "deferred"
    while terminal.host.tick():
        pass
    task = terminal.ask("tasks/get", id=deferred["task"]["id"])["task"]
    assert (task["action"], task["output"]["width"]) == ("ui.render", 2560)
    assert terminal.file(task["output"]["resource"]).startswith(PNG_SIGNATURE)


def test_a_picture_from_before_a_rollback_is_not_taken_for_one_of_now(terminal: Terminal) -> None:
    doomed = [
        *batch(("draw.shape.add", BOX), revision=0),
        {"action": "ui.render", "input": {"format": "svg"}},
        *batch(("draw.shape.delete", {"ids": ["s99"]}), revision=0),
    ]
    assert terminal.refused("actions/batch", calls=doomed, atomic=True)["code"] == "ROLLED_BACK"
    terminal.call("draw.shape.add", kind="line", x=0, y=0, x2=9, y2=9)
    now = terminal.file(terminal.ask("view/render", format="svg")["resource"])
    assert b"<line" in now


def test_an_svg_holds_what_is_seen_and_any_text(terminal: Terminal) -> None:
    terminal.call("draw.shape.add", kind="text", x=1, y=2, text="<&> \ufffe 😀")
    hidden = terminal.call("draw.layer.add", name="Hidden")["layer"]["id"]
    terminal.call("draw.shape.add", **BOX)
    terminal.call("draw.layer.show", id=hidden, visible=False)
    root = ET.fromstring(terminal.file(terminal.ask("view/render", format="svg")["resource"]))
    assert [child.tag.rpartition("}")[2] for child in root] == ["rect", "text"]
    assert root[1].text == "<&>  😀"


def test_an_unknown_resource_is_one(terminal: Terminal) -> None:
    assert terminal.refused("resources/read", uri="/etc/passwd")["code"] == "UNKNOWN_RESOURCE"


def test_an_export_goes_on_in_steps_tells_how_far_it_is_and_gives_a_file(
    terminal: Terminal,
) -> None:
    terminal.call("draw.shape.add", **BOX)
    task = terminal.call("draw.export", scale=1)
    assert task["state"] == "queued"
    seen = []
    while terminal.host.tick():
        task = terminal.ask("tasks/get", id=task["id"])["task"]
        assert task["state"] == "running"
        seen.append(task["progress"]["done"])
    assert seen == list(range(1, task["progress"]["total"] + 1))
    assert len(seen) > 10
    task = terminal.ask("tasks/get", id=task["id"])["task"]
    assert task["state"] == "completed"
    assert terminal.file(task["output"]["resource"]).startswith(PNG_SIGNATURE)


def test_an_export_is_cancelled_between_two_steps(terminal: Terminal) -> None:
    task = terminal.call("draw.export")
    terminal.host.tick()
    assert terminal.ask("tasks/cancel", id=task["id"])["task"]["state"] == "cancelling"
    assert terminal.host.tick() is False
    assert terminal.ask("tasks/get", id=task["id"])["task"]["state"] == "cancelled"


def test_an_export_of_a_drawing_that_changed_meanwhile_is_not_given(terminal: Terminal) -> None:
    task = terminal.call("draw.export", format="svg")
    terminal.call("draw.shape.add", **BOX)
    while terminal.host.tick():
        pass
    ended = terminal.ask("tasks/get", id=task["id"])["task"]
    assert ended["error"]["data"] == {"code": "STALE_REVISION", "expected": 0, "actual": 1}
    refusal = terminal.refused("resources/read", uri=f"draw:export/{task['id']}.svg")
    assert refusal["code"] == "UNKNOWN_RESOURCE"


def test_only_so_many_exports_run_at_once(terminal: Terminal) -> None:
    for _ in range(4):
        terminal.call("draw.export")
    refusal = terminal.refused("actions/execute", action="draw.export")
    assert refusal == {"code": "LIMIT_EXCEEDED", "limit": "exports", "maximum": 4}
    while terminal.host.tick():
        pass
    assert terminal.call("draw.export")["state"] == "queued"


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"filter": "x"}, "/filter"),
        ({"sinceRevision": -1}, "/sinceRevision"),
        ({"sinceRevision": True}, "/sinceRevision"),
        ({"sinceRevision": 0, "limit": 1}, ""),
        ({"limit": 501}, "/limit"),
        ({"limit": 0}, "/limit"),
        ({"offset": "1"}, "/offset"),
    ],
)
def test_a_question_that_inspection_does_not_know_is_refused(
    terminal: Terminal, query: dict[str, Any], path: str
) -> None:
    refusal = terminal.refused("state/inspect", **query)
    assert refusal["code"] == "INVALID_INPUT"
    assert refusal["errors"][0]["path"] == path


def test_inspection_tells_only_what_changed_since_a_revision(terminal: Terminal) -> None:
    terminal.call("draw.shape.add", **BOX)
    seen = terminal.ask("state/inspect", limit=500)
    assert seen["revision"] == 1
    terminal.call("draw.layer.rename", id="l1", name="Ground")
    delta = terminal.ask("state/inspect", sinceRevision=seen["revision"])
    assert (delta["delta"], delta["revision"]) == (True, 2)
    assert delta["changed"] == []
    assert [layer["name"] for layer in delta["layers"]] == ["Ground"]


@settings(deadline=None)
@given(st.lists(MOVES, max_size=8), st.data())
def test_any_input_that_a_schema_allows_is_answered(
    moves: list[tuple[str, Any]], data: st.DataObject
) -> None:
    terminal = Terminal()
    for move in moves:
        edit(terminal.host.drawing, *move)
    ids = st.sampled_from(["s2", "s3", "l1", "l2", "none"])
    members = {
        "id": ids,
        "ids": st.lists(ids, unique=True, max_size=3),
        "dx": st.integers(-10_000, 10_000),
        "dy": st.integers(-10_000, 10_000),
        "at": st.integers(0, 63),
        "name": st.text(min_size=1, max_size=5),
        "visible": st.booleans(),
        "layer": ids,
        "fill": st.none(),
        "size": st.integers(6, 200),
    }
    spec = data.draw(st.sampled_from(ACTIONS))
    names = st.sets(st.sampled_from(sorted(members)), max_size=4)
    given_input = {name: data.draw(members[name]) for name in sorted(data.draw(names))}
    answer = terminal.send(
        "actions/execute",
        action=spec.name,
        input=given_input,
        expectedRevision=terminal.revision,
    )
    code = answer.get("error", {"data": {"code": None}})["data"]["code"]
    assert code in {None, "INVALID_INPUT", "UNAVAILABLE"}
