"""Edits of a drawing, for properties: whatever is drawn, moved, removed, undone or selected."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hypothesis import strategies as st

from bridge.demo.drawing_model import Drawing
from bridge.demo.picture import PictureError

BOX = {"x": 1, "y": 2, "width": 30, "height": 40}
STAR: dict[str, Any] = {"points": [[0, 0], [5, 5], [0, 9]], "closed": True}

EDITS = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(["rectangle", "ellipse", "path"])),
    st.tuples(st.just("move"), st.integers(-20, 20)),
    st.tuples(st.just("fill"), st.sampled_from([None, "#ff0000"])),
    st.tuples(st.just("delete"), st.integers(0, 9)),
    st.tuples(st.just("layer"), st.sampled_from(["Sky", "Ground"])),
    st.tuples(st.just("order"), st.integers(0, 3)),
    st.tuples(st.just("show"), st.booleans()),
    st.tuples(st.just("unlayer"), st.integers(0, 3)),
    st.tuples(st.just("select"), st.integers(0, 9)),
)
MOVES = st.one_of(EDITS, st.tuples(st.sampled_from(["undo", "redo"]), st.none()))


def edit(drawing: Drawing, what: str, how: Any) -> None:
    """Do one edit to whatever there is; what a drawing does not take is left out."""
    shapes, layers = drawing.picture.shapes, drawing.picture.layers
    ids = [shape.id for shape in shapes]
    any_shape = ids[-1] if ids else "none"
    edits: dict[str, Callable[[], object]] = {
        "add": lambda: drawing.add_shape(how, None, STAR if how == "path" else BOX),
        "move": lambda: drawing.move_shapes([any_shape], how, 1),
        "fill": lambda: drawing.update_shape(any_shape, {"fill": how}),
        "delete": lambda: drawing.delete_shapes(ids[how : how + 2]),
        "layer": lambda: drawing.add_layer(how),
        "order": lambda: drawing.order_layer(layers[0].id, how),
        "show": lambda: drawing.show_layer(layers[0].id, visible=how),
        "unlayer": lambda: drawing.delete_layer(layers[how % len(layers)].id),
        "select": lambda: drawing.select(ids[:how]),
        "undo": drawing.undo,
        "redo": drawing.redo,
    }
    with suppress(PictureError):
        edits[what]()
