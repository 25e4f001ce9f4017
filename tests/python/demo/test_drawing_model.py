"""The open drawing: edits, undo, transactions and revisions, for any sequence of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.demo.drawing_model import Drawing, DrawingFullError
from bridge.demo.picture import MAX_LAYERS, MAX_SHAPES, PictureError
from bridge.demo.shapes import Shape
from tests.python.support.drawings import BOX, EDITS, MOVES, edit


def drawn(*moves: tuple[str, Any]) -> Drawing:
    drawing = Drawing()
    for move in moves:
        edit(drawing, *move)
    return drawing


@settings(deadline=None)
@given(st.lists(EDITS, max_size=12))
def test_undoing_everything_gives_the_first_picture_and_redoing_everything_the_last(
    edits: list[tuple[str, Any]],
) -> None:
    drawing = drawn(*edits)
    last = drawing.picture
    while drawing.undo_label is not None:
        drawing.undo()
    assert drawing.picture == Drawing().picture
    while drawing.redo_label is not None:
        drawing.redo()
    assert drawing.picture == last


@settings(deadline=None)
@given(st.lists(MOVES, max_size=12), EDITS)
def test_an_undo_puts_back_what_one_edit_did(
    before: list[tuple[str, Any]], one: tuple[str, Any]
) -> None:
    drawing = drawn(*before)
    state = drawing.state
    edit(drawing, *one)
    if drawing.revision == state.revision:
        assert (drawing.picture, drawing.state.undo) == (state.picture, state.undo)
        return
    drawing.undo()
    assert drawing.picture == state.picture
    assert drawing.state.undo == state.undo
    assert drawing.state.selection == state.selection


@settings(deadline=None)
@given(st.lists(MOVES, max_size=20))
def test_the_revision_moves_with_every_change_and_never_without_one(
    moves: list[tuple[str, Any]],
) -> None:
    drawing = Drawing()
    for move in moves:
        before = drawing.state
        edit(drawing, *move)
        changed = drawing.picture != before.picture
        assert (drawing.revision > before.revision) is changed
        assert drawing.revision >= before.revision


@settings(deadline=None)
@given(st.lists(MOVES, max_size=20))
def test_no_id_is_given_twice_and_every_shape_lies_on_a_layer(
    moves: list[tuple[str, Any]],
) -> None:
    drawing = Drawing()
    seen: dict[str, str] = {}
    for move in moves:
        edit(drawing, *move)
        layers = {layer.id for layer in drawing.picture.layers}
        assert layers
        for shape in drawing.picture.shapes:
            assert shape.layer in layers
            assert seen.setdefault(shape.id, shape.kind) == shape.kind
        assert set(drawing.state.selection) <= {shape.id for shape in drawing.picture.shapes}


@settings(deadline=None)
@given(st.lists(MOVES, max_size=10), st.lists(MOVES, max_size=10))
def test_a_rollback_restores_everything_the_revision_included(
    before: list[tuple[str, Any]], within: list[tuple[str, Any]]
) -> None:
    drawing = drawn(*before)
    state = drawing.state
    drawing.begin()
    for move in within:
        edit(drawing, *move)
    drawing.roll_back()
    assert drawing.state == state


@settings(deadline=None)
@given(st.lists(MOVES, max_size=10), st.lists(EDITS, max_size=10))
def test_a_commit_is_one_step_of_undo(
    before: list[tuple[str, Any]], within: list[tuple[str, Any]]
) -> None:
    drawing = drawn(*before)
    state = drawing.state
    drawing.begin()
    for move in within:
        edit(drawing, *move)
    changed = drawing.picture != state.picture
    drawing.commit()
    assert len(drawing.state.undo) == len(state.undo) + changed
    if changed:
        drawing.undo()
        assert drawing.picture == state.picture


def test_transactions_do_not_nest_and_end_once() -> None:
    drawing = Drawing()
    drawing.begin()
    with pytest.raises(RuntimeError):
        drawing.begin()
    drawing.commit()
    with pytest.raises(RuntimeError):
        drawing.roll_back()


def test_a_drawing_takes_so_many_shapes_and_layers_and_no_more() -> None:
    drawing = Drawing()
    for _ in range(MAX_LAYERS - 1):
        drawing.add_layer("one more")
    with pytest.raises(DrawingFullError):
        drawing.add_layer("too many")
    shapes = tuple(Shape(f"t{number}", "l1", "line") for number in range(MAX_SHAPES - 1))
    drawing.state = replace(drawing.state, picture=replace(drawing.picture, shapes=shapes))
    drawing.add_shape("ellipse", None, BOX)
    with pytest.raises(DrawingFullError):
        drawing.add_shape("ellipse", None, BOX)


def test_the_last_layer_stays_and_a_layer_takes_its_shapes_with_it() -> None:
    drawing = Drawing()
    sky = drawing.add_layer("Sky")
    drawing.add_shape("ellipse", sky.id, BOX)
    kept = drawing.add_shape("ellipse", "l1", BOX)
    drawing.delete_layer(sky.id)
    assert drawing.picture.shapes == (kept,)
    with pytest.raises(PictureError, match="at least one layer"):
        drawing.delete_layer("l1")


def test_a_shape_stays_within_the_bounds_of_a_drawing() -> None:
    drawing = Drawing()
    shape = drawing.add_shape("line", None, {"x": 9_999, "y": 0, "x2": 0, "y2": 0})
    drawing.move_shapes([shape.id], 1, 0)
    with pytest.raises(PictureError, match="outside"):
        drawing.move_shapes([shape.id], 1, 0)
    assert drawing.picture.shape(shape.id).x == 10_000
