"""What is told of a drawing: deltas that lead from one view to the next, and bounds."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.contract.strict_json import dumps
from bridge.demo.change_journal import EMPTY_JOURNAL, Change
from bridge.demo.drawing_model import Drawing
from bridge.demo.drawing_view import delta_view, page_view, state_view
from tests.python.support.drawings import MOVES, edit


def applied(view: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any]:
    """Do what a client does with a delta."""
    shapes = {shape["id"]: shape for shape in view["shapes"]}
    for shape_id in delta["removed"]:
        del shapes[shape_id]
    shapes |= {shape["id"]: shape for shape in delta["changed"]}
    order = delta.get("order", list(shapes))
    return {
        **view,
        "layers": delta.get("layers", view["layers"]),
        "shapes": [shapes[shape_id] for shape_id in order],
        "total": len(order),
        **{name: delta[name] for name in ("selection", "undo", "redo")},
    }


@settings(deadline=None)
@given(st.lists(MOVES, max_size=12), st.lists(MOVES, max_size=12))
def test_a_view_and_the_changes_since_give_the_view_of_now(
    before: list[tuple[str, Any]], after: list[tuple[str, Any]]
) -> None:
    drawing = Drawing()
    for move in before:
        edit(drawing, *move)
    view, revision = state_view(drawing), drawing.revision
    for move in after:
        edit(drawing, *move)
    delta = delta_view(drawing, revision)
    assert delta["delta"] is True
    # A shape that was removed before it was ever seen is nothing to its reader.
    known = {shape["id"] for shape in view["shapes"]}
    delta["removed"] = [shape_id for shape_id in delta["removed"] if shape_id in known]
    assert applied(view, delta) == state_view(drawing)


def test_nothing_is_told_where_nothing_changed() -> None:
    drawing = Drawing()
    drawing.add_layer("Sky")
    delta = delta_view(drawing, 1)
    assert (delta["changed"], delta["removed"]) == ([], [])
    assert not {"layers", "order"} & delta.keys()


def test_a_revision_that_is_too_old_or_unknown_is_answered_with_the_reason_and_everything() -> None:
    drawing = Drawing()
    layer = drawing.picture.layers[0].id
    for turn in range(300):
        drawing.show_layer(layer, visible=turn % 2 == 1)
    assert delta_view(drawing, 300 - 256)["delta"] is True
    old = delta_view(drawing, 300 - 257)
    assert (old["delta"], old["reason"]) == (False, "TOO_LONG_AGO")
    assert old["layers"] == state_view(drawing)["layers"]
    assert delta_view(drawing, 301)["reason"] == "UNKNOWN_REVISION"


def test_the_journal_joins_what_several_revisions_changed() -> None:
    journal = EMPTY_JOURNAL.added(1, Change(frozenset({"a"}), order=True))
    journal = journal.added(2, Change(frozenset({"b"})))
    assert journal.since(0) == Change(frozenset({"a", "b"}), order=True)
    assert journal.since(1) == Change(frozenset({"b"}))
    assert journal.since(2) == Change()


def heavy_drawing(count: int) -> Drawing:
    drawing = Drawing()
    points = [[turn, turn] for turn in range(256)]
    for _ in range(count):
        drawing.add_shape("path", None, {"points": points})
    return drawing


def test_pages_fit_into_an_answer_and_together_tell_everything() -> None:
    drawing = heavy_drawing(40)
    told: list[str] = []
    offset: int | None = 0
    pages = 0
    while offset is not None:
        page = page_view(drawing, offset=offset)
        dumps(page)  # raises where a line cannot hold it
        told += [shape["id"] for shape in page["shapes"]]
        offset = page.get("nextOffset")
        pages += 1
    assert told == [shape.id for shape in drawing.picture.shapes]
    assert pages > 1


def test_changes_that_are_too_many_for_an_answer_are_answered_with_a_first_page() -> None:
    view = delta_view(heavy_drawing(40), 0)
    assert (view["delta"], view["reason"]) == (False, "TOO_MUCH")
    assert view["nextOffset"] == len(view["shapes"])
    dumps(view)


def test_a_text_in_any_script_counts_by_its_bytes() -> None:
    drawing = Drawing()
    for _ in range(500):
        drawing.add_shape("text", None, {"x": 0, "y": 0, "text": "😀" * 500})
    assert len(json.dumps(page_view(drawing), ensure_ascii=False).encode()) < 1_048_576
