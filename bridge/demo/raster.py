"""Paints shapes as pixels, in plain Python: no smooth edges, but no library either.

Everything that lies outside of the picture is left out before a loop runs over it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, hypot, isqrt
from typing import Final, TypeAlias

from bridge.demo.glyphs import ADVANCE, glyph_dots
from bridge.demo.shapes import Shape

__all__ = ["Raster", "paint_steps"]

_Vertex: TypeAlias = tuple[float, float]
_Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, width and height."""
_WHITE: Final = 0xFF
_STROKES_PER_STEP: Final = 8


class Raster:
    """A white picture of `width` by `height` pixels to paint on, in RGB rows of bytes."""

    def __init__(self, width: int, height: int, scale: int = 1) -> None:
        self.width = width * scale
        self.height = height * scale
        self._scale = scale
        self._row_bytes = self.width * 3
        self._pixels = bytearray([_WHITE]) * (self._row_bytes * self.height)

    def rows(self, start: int, end: int) -> list[memoryview]:
        """Return some rows of pixels, three bytes each."""
        view = memoryview(self._pixels)
        return [
            view[y * self._row_bytes : (y + 1) * self._row_bytes]
            for y in range(start, min(end, self.height))
        ]

    def pixel(self, x: int, y: int) -> tuple[int, int, int]:
        """Return the colour of one pixel."""
        at = y * self._row_bytes + x * 3
        red, green, blue = self._pixels[at : at + 3]
        return red, green, blue

    def paint(self, shape: Shape) -> None:
        """Paint a shape over what is there."""
        for _ in self.painting(shape):
            pass

    def painting(self, shape: Shape) -> Iterator[None]:
        """Paint a shape, and yield `paint_steps` times, each after some of its strokes."""
        if shape.kind == "text":
            self._text(shape)
            yield
        elif shape.kind == "ellipse":
            self._ellipse(shape)
            yield
        else:
            yield from self._outline(shape)

    def _outline(self, shape: Shape) -> Iterator[None]:
        strokes = [(self._scaled(*start), self._scaled(*end)) for start, end in shape.strokes]
        if shape.fill is not None and (shape.closed or shape.kind == "rectangle"):
            self._polygon([start for start, _ in strokes], _rgb(shape.fill))
        width = shape.stroke_width * self._scale
        for first in range(0, len(strokes), _STROKES_PER_STEP):
            if shape.stroke is not None:
                for start, end in strokes[first : first + _STROKES_PER_STEP]:
                    self._segment(start, end, width, _rgb(shape.stroke))
            yield

    def _ellipse(self, shape: Shape) -> None:
        left, top = self._scaled(shape.x, shape.y)
        width, height = shape.width * self._scale, shape.height * self._scale
        if shape.fill is not None:
            self._ring((left, top, width, height), None, _rgb(shape.fill))
        if shape.stroke is not None:
            stroke = shape.stroke_width * self._scale
            half = stroke // 2
            outer = (left - half, top - half, width + stroke, height + stroke)
            self._ring(outer, stroke, _rgb(shape.stroke))

    def _ring(self, box: _Box, stroke: int | None, colour: bytes) -> None:
        """Paint an ellipse, or of one with a stroke only that."""
        left, top, width, height = box
        middle = 2 * left + width
        for y in range(max(top, 0), min(top + height, self.height)):
            offset = 2 * (y - top) + 1 - height
            outer = _half_width(offset, width, height)
            start, end = (middle - outer) // 2, (middle + outer) // 2
            inner = 0
            if stroke is not None:
                inner = _half_width(offset, width - 2 * stroke, height - 2 * stroke)
            if inner:
                self._span(y, start, (middle - inner) // 2, colour)
                self._span(y, (middle + inner) // 2, end, colour)
            else:
                self._span(y, start, end, colour)

    def _text(self, shape: Shape) -> None:
        if shape.fill is None and shape.stroke is None:
            return
        colour = _rgb(shape.fill or shape.stroke or "#000000")
        size = shape.size * self._scale
        left, top = self._scaled(shape.x, shape.y)
        if top >= self.height or top + size <= 0:
            return
        for index, letter in enumerate(shape.text):
            start = left + index * ADVANCE * size / 7
            if start >= self.width:
                return
            if start + size < 0:
                continue
            for x, y, dot in glyph_dots(letter, size):
                from_y, to_y = floor(top + y), max(ceil(top + y + dot), floor(top + y) + 1)
                for row in range(max(from_y, 0), min(to_y, self.height)):
                    self._span(row, floor(start + x), ceil(start + x + dot), colour)

    def _segment(self, start: _Vertex, end: _Vertex, width: int, colour: bytes) -> None:
        (x1, y1), (x2, y2) = start, end
        length = hypot(x2 - x1, y2 - y1)
        half = max(width, 1) / 2
        # Square ends: strokes of one shape meet without a gap.
        dx, dy = half, 0.0
        if length:
            dx, dy = (x2 - x1) / length * half, (y2 - y1) / length * half
        x1, y1, x2, y2 = x1 - dx + 0.5, y1 - dy + 0.5, x2 + dx + 0.5, y2 + dy + 0.5
        self._polygon(
            [(x1 - dy, y1 + dx), (x2 - dy, y2 + dx), (x2 + dy, y2 - dx), (x1 + dy, y1 - dx)],
            colour,
        )

    def _polygon(self, points: Sequence[_Vertex], colour: bytes) -> None:
        """Fill a polygon by the even-odd rule, row by row."""
        edges = [
            (a, b) if a[1] < b[1] else (b, a)
            for a, b in zip(points, [*points[1:], points[0]], strict=True)
            if a[1] != b[1]
        ]
        first = max(floor(min(y for _, y in points)), 0)
        last = min(ceil(max(y for _, y in points)), self.height - 1)
        for row in range(first, last + 1):
            middle = row + 0.5
            crossings = sorted(
                x1 + (middle - y1) * (x2 - x1) / (y2 - y1)
                for (x1, y1), (x2, y2) in edges
                if y1 <= middle < y2
            )
            for start, end in zip(crossings[::2], crossings[1::2], strict=True):
                self._span(row, round(start), round(end), colour)

    def _span(self, y: int, start: int, end: int, colour: bytes) -> None:
        start, end = max(start, 0), min(end, self.width)
        if start < end:
            at = y * self._row_bytes
            self._pixels[at + start * 3 : at + end * 3] = colour * (end - start)

    def _scaled(self, x: int, y: int) -> tuple[int, int]:
        return x * self._scale, y * self._scale


def paint_steps(shape: Shape) -> int:
    """Return in how many steps a shape is painted."""
    if shape.kind in {"text", "ellipse"}:
        return 1
    return -(-len(shape.strokes) // _STROKES_PER_STEP)


def _half_width(offset: int, width: int, height: int) -> int:
    """Return how wide an ellipse is at a row, whose distance from the middle is given doubled."""
    if width <= 0 or height <= 0 or abs(offset) >= height:
        return 0
    return isqrt(width * width * (height * height - offset * offset)) // height


def _rgb(colour: str) -> bytes:
    return bytes.fromhex(colour[1:])
