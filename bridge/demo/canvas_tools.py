"""What pressing, dragging and releasing on the canvas means: a new shape, or one that moves.

Every result is a command of the app; while something is dragged, nothing of the drawing changes.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from bridge.demo.canvas_painter import CanvasPainter
from bridge.demo.drawing_actions import Command
from bridge.demo.shapes import Point

__all__ = ["TOOLS", "CanvasTools", "RunCommand"]

RunCommand: TypeAlias = Callable[[Command, Mapping[str, Any]], object]
TOOLS: Final = ("select", "rectangle", "ellipse", "line", "path", "text")
_DRAFT_TAG: Final = "draft"
_LEAST: Final = 3
"""Pixels. What is dragged less far was a click."""
_MAX_POINTS: Final = 256


class CanvasTools:
    """The pointer on one canvas."""

    def __init__(
        self,
        canvas: tk.Canvas,
        painter: CanvasPainter,
        run: RunCommand,
        ask_text: Callable[[], str | None],
    ) -> None:
        self.tool = TOOLS[0]
        self.fill: str | None = None
        self._canvas = canvas
        self._painter = painter
        self._run = run
        self._ask_text = ask_text
        self._track: list[Point] = []
        canvas.bind("<ButtonPress-1>", lambda event: self._press(event.x, event.y))
        canvas.bind("<B1-Motion>", lambda event: self._drag(event.x, event.y))
        canvas.bind("<ButtonRelease-1>", lambda event: self._release(event.x, event.y))

    def _press(self, x: int, y: int) -> None:
        self._canvas.focus_set()
        self._track = [(x, y)]
        if self.tool == "select":
            found = self._painter.shape_at(x, y)
            self._run(Command.SELECT, {"ids": [] if found is None else [found]})

    def _drag(self, x: int, y: int) -> None:
        if not self._track:
            return
        self._track.append((x, y))
        self._canvas.delete(_DRAFT_TAG)
        track = self._track if self.tool == "path" else [self._track[0], (x, y)]
        flat = [part for point in track for part in point]
        if self.tool == "ellipse":
            self._canvas.create_oval(*flat, dash=(2, 2), tags=_DRAFT_TAG)
        elif self.tool == "rectangle":
            self._canvas.create_rectangle(*flat, dash=(2, 2), tags=_DRAFT_TAG)
        elif self.tool in {"line", "path", "select"}:
            self._canvas.create_line(*flat, dash=(2, 2), tags=_DRAFT_TAG)

    def _release(self, x: int, y: int) -> None:
        track, self._track = [*self._track, (x, y)], []
        self._canvas.delete(_DRAFT_TAG)
        if len(track) < 2:
            return
        x1, y1 = track[0]
        far = abs(x - x1) >= _LEAST or abs(y - y1) >= _LEAST
        if self.tool == "text":
            text = self._ask_text()
            if text:
                self._add("text", x=x1, y=y1, text=text, fill=self.fill)
        elif not far:
            return
        elif self.tool == "select":
            self._run(Command.MOVE_SHAPES, {"dx": x - x1, "dy": y - y1})
        elif self.tool == "line":
            self._add("line", x=x1, y=y1, x2=x, y2=y)
        elif self.tool == "path":
            self._add("path", points=[list(point) for point in _thinned(track)], fill=self.fill)
        else:
            self._add(
                self.tool, x=min(x, x1), y=min(y, y1), width=abs(x - x1), height=abs(y - y1),
                fill=self.fill,
            )  # fmt: skip

    def _add(self, kind: str, **members: object) -> None:
        self._run(Command.ADD_SHAPE, {"kind": kind, **members})


def _thinned(track: list[Point]) -> list[Point]:
    """Return no more points than a path takes, the first and the last among them."""
    step = -(-len(track) // (_MAX_POINTS - 1))
    return [*track[:-1:step], track[-1]]
