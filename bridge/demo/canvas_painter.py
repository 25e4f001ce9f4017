"""Shows a picture on a Tk canvas, and tells which shape lies at a point."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Sequence
from typing import Final

from bridge.demo.picture import Picture
from bridge.demo.shapes import Shape

__all__ = ["CanvasPainter"]

_SHAPE_TAG: Final = "shape"
_SELECTION_TAG: Final = "selection"
_SELECTION_COLOUR: Final = "#2255cc"
_REACH: Final = 3
"""How many pixels beside a shape a click still means it."""


class CanvasPainter:
    """One canvas. Items carry the id of their shape as a tag."""

    def __init__(self, canvas: tk.Canvas) -> None:
        self._canvas = canvas

    def show(self, picture: Picture, selection: Sequence[str]) -> None:
        """Show a picture in place of what was shown."""
        canvas = self._canvas
        canvas.delete(_SHAPE_TAG, _SELECTION_TAG)
        for shape in picture.painted():
            self._put(shape)
        for shape_id in selection:
            box = canvas.bbox(f"id:{shape_id}")
            if box:
                left, top, right, bottom = box
                canvas.create_rectangle(
                    left - 2, top - 2, right + 2, bottom + 2,
                    outline=_SELECTION_COLOUR, dash=(4, 3), tags=(_SELECTION_TAG,),
                )  # fmt: skip

    def shape_at(self, x: int, y: int) -> str | None:
        """Return the id of the topmost shape at a point."""
        found = self._canvas.find_overlapping(x - _REACH, y - _REACH, x + _REACH, y + _REACH)
        for item in reversed(found):
            for tag in self._canvas.gettags(item):
                if tag.startswith("id:"):
                    return tag.removeprefix("id:")
        return None

    def _put(self, shape: Shape) -> None:
        canvas, tags = self._canvas, (_SHAPE_TAG, f"id:{shape.id}")
        fill, stroke, width = shape.fill or "", shape.stroke or "", shape.stroke_width
        corners = [part for point in shape.corners for part in point]
        match shape.kind:
            case "rectangle":
                canvas.create_rectangle(
                    *_box(shape), fill=fill, outline=stroke, width=width, tags=tags
                )
            case "ellipse":
                canvas.create_oval(*_box(shape), fill=fill, outline=stroke, width=width, tags=tags)
            case "path" if shape.closed:
                canvas.create_polygon(corners, fill=fill, outline=stroke, width=width, tags=tags)
            case "line" | "path":
                canvas.create_line(corners, fill=stroke, width=width, tags=tags)
            case "text":
                # A size below zero is one in pixels.
                canvas.create_text(
                    shape.x, shape.y, text=shape.text, anchor="nw",
                    fill=fill or "#000000", font=("sans-serif", -shape.size), tags=tags,
                )  # fmt: skip


def _box(shape: Shape) -> tuple[int, int, int, int]:
    return shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
