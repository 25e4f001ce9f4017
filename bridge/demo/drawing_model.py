"""The drawing that is open: its picture, selection, undo history, revision and journal.

All of it is one value that is replaced as a whole, so that a transaction is put back exactly.
Does no input or output and knows no dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from bridge.demo.change_journal import EMPTY_JOURNAL, ChangeJournal, change_between
from bridge.demo.picture import FIRST_PICTURE, MAX_LAYERS, MAX_SHAPES, Picture
from bridge.demo.shapes import Kind, Layer, Shape

__all__ = ["Drawing", "DrawingFullError", "DrawingState"]

_MAX_STEPS: Final = 200


class DrawingFullError(Exception):
    """No more shapes, or layers, fit into a drawing."""

    def __init__(self, what: str, maximum: int) -> None:
        super().__init__(f"a drawing has at most {maximum} {what}")
        self.what = what
        self.maximum = maximum


@dataclass(frozen=True, slots=True)
class _Step:
    """What a step of undo goes back to."""

    label: str
    picture: Picture
    selection: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DrawingState:
    """Everything that there is to know of an open drawing."""

    picture: Picture = FIRST_PICTURE
    selection: tuple[str, ...] = ()
    undo: tuple[_Step, ...] = ()
    redo: tuple[_Step, ...] = ()
    revision: int = 0
    journal: ChangeJournal = EMPTY_JOURNAL
    made: int = 1
    """How many ids were given: none is ever given twice, not even after an undo."""


class Drawing:
    """One open drawing.

    The revision moves with every change of the picture and never without one; selecting moves
    none. Edits raise `PictureError` and `DrawingFullError`, and have then changed nothing.
    """

    def __init__(self) -> None:
        self.state = DrawingState()
        self._begun: DrawingState | None = None

    @property
    def picture(self) -> Picture:
        """The layers and shapes."""
        return self.state.picture

    @property
    def revision(self) -> int:
        """The state number of the picture."""
        return self.state.revision

    @property
    def in_transaction(self) -> bool:
        """Whether what is done now may still be rolled back."""
        return self._begun is not None

    @property
    def undo_label(self) -> str | None:
        """What would be undone, for people."""
        return self.state.undo[-1].label if self.state.undo else None

    @property
    def redo_label(self) -> str | None:
        """What would be done again, for people."""
        return self.state.redo[-1].label if self.state.redo else None

    def add_shape(self, kind: Kind, layer: str | None, members: Mapping[str, Any]) -> Shape:
        """Add a shape on top of a layer, the topmost where none is named, and select it."""
        if len(self.picture.shapes) >= MAX_SHAPES:
            raise DrawingFullError("shapes", MAX_SHAPES)
        shape_id = self._new_id("s")
        shape = Shape(shape_id, layer or self.picture.layers[-1].id, kind).changed(members)
        self._edit(f"Add {kind}", lambda picture: picture.with_shape(shape), (shape_id,))
        return shape

    def update_shape(self, shape_id: str, members: Mapping[str, Any]) -> Shape:
        """Change members of a shape, its layer among them."""
        self._edit("Change shape", lambda picture: picture.with_changed_shape(shape_id, members))
        return self.picture.shape(shape_id)

    def delete_shapes(self, shape_ids: Collection[str]) -> None:
        """Remove shapes."""
        self._edit("Delete", lambda picture: picture.without_shapes(shape_ids))

    def move_shapes(self, shape_ids: Collection[str], dx: int, dy: int) -> None:
        """Move shapes."""
        self._edit("Move", lambda picture: picture.with_moved_shapes(shape_ids, dx, dy))

    def add_layer(self, name: str, at: int | None = None) -> Layer:
        """Add a layer, on top where no place is given."""
        if len(self.picture.layers) >= MAX_LAYERS:
            raise DrawingFullError("layers", MAX_LAYERS)
        layer = Layer(self._new_id("l"), name)
        self._edit("Add layer", lambda picture: picture.with_layer(layer, at))
        return layer

    def rename_layer(self, layer_id: str, name: str) -> None:
        """Give a layer another name."""
        layer = replace(self.picture.layer(layer_id), name=name)
        self._edit("Rename layer", lambda picture: picture.with_changed_layer(layer))

    def show_layer(self, layer_id: str, *, visible: bool) -> None:
        """Show a layer, or hide it."""
        layer = replace(self.picture.layer(layer_id), visible=visible)
        label = "Show layer" if visible else "Hide layer"
        self._edit(label, lambda picture: picture.with_changed_layer(layer))

    def order_layer(self, layer_id: str, at: int) -> None:
        """Move a layer to a place, 0 for the lowest."""
        self._edit("Move layer", lambda picture: picture.with_layer_at(layer_id, at))

    def delete_layer(self, layer_id: str) -> None:
        """Remove a layer and all that is on it."""
        self._edit("Delete layer", lambda picture: picture.without_layer(layer_id))

    def select(self, shape_ids: Collection[str]) -> None:
        """Select these shapes and no others."""
        self.picture.require_shapes(shape_ids)
        self.state = replace(self.state, selection=tuple(dict.fromkeys(shape_ids)))

    def undo(self) -> None:
        """Go back one step. Where there is none, nothing happens."""
        state = self.state
        if state.undo:
            step = state.undo[-1]
            redo = (*state.redo, _Step(step.label, state.picture, state.selection))
            self._show(step, state.undo[:-1], redo)

    def redo(self) -> None:
        """Do again what was undone last. Where nothing was, nothing happens."""
        state = self.state
        if state.redo:
            step = state.redo[-1]
            undo = (*state.undo, _Step(step.label, state.picture, state.selection))
            self._show(step, undo, state.redo[:-1])

    def begin(self) -> None:
        """Remember everything, to commit or roll back what follows."""
        if self._begun is not None:
            raise RuntimeError("a transaction is open")
        self._begun = self.state

    def commit(self) -> None:
        """Keep what was done since the beginning, as one step of undo."""
        begun = self._end()
        if self.picture == begun.picture:
            # It led back to where it began: nothing to undo, and nothing undone is lost.
            self.state = replace(self.state, undo=begun.undo, redo=begun.redo)
        elif self.state.undo is not begun.undo:
            label = "Several changes"
            steps = len(self.state.undo) - len(begun.undo)
            if steps == 1 and self.state.undo[:-1] == begun.undo:
                label = self.state.undo[-1].label
            step = _Step(label, begun.picture, begun.selection)
            self.state = replace(self.state, undo=_bounded(*begun.undo, step), redo=())

    def roll_back(self) -> None:
        """Put everything back to what it was at the beginning, the revision included."""
        self.state = self._end()

    def _end(self) -> DrawingState:
        begun = self._begun
        if begun is None:
            raise RuntimeError("no transaction is open")
        self._begun = None
        return begun

    def _new_id(self, letter: str) -> str:
        return f"{letter}{self.state.made + 1}"

    def _edit(
        self,
        label: str,
        edit: Callable[[Picture], Picture],
        selection: tuple[str, ...] | None = None,
    ) -> None:
        state = self.state
        picture = edit(state.picture)
        if picture == state.picture:
            return
        step = _Step(label, state.picture, state.selection)
        self._put(picture, state.selection if selection is None else selection)
        self.state = replace(
            self.state, undo=_bounded(*state.undo, step), redo=(), made=state.made + 1
        )

    def _show(self, step: _Step, undo: tuple[_Step, ...], redo: tuple[_Step, ...]) -> None:
        self._put(step.picture, step.selection)
        self.state = replace(self.state, undo=undo, redo=redo)

    def _put(self, picture: Picture, selection: tuple[str, ...]) -> None:
        state = self.state
        revision = state.revision + 1
        known = {shape.id for shape in picture.shapes}
        self.state = replace(
            state,
            picture=picture,
            selection=tuple(shape_id for shape_id in selection if shape_id in known),
            revision=revision,
            journal=state.journal.added(revision, change_between(state.picture, picture)),
        )


def _bounded(*steps: _Step) -> tuple[_Step, ...]:
    return steps[-_MAX_STEPS:]
