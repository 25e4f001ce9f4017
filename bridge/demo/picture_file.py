"""Makes a file of a picture in small steps, so that a window stays awake meanwhile."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, Literal, NamedTuple, TypeAlias

from bridge.demo.picture import Picture
from bridge.demo.png import PngWriter
from bridge.demo.raster import Raster, paint_steps
from bridge.demo.svg import SVG_END, svg_shape, svg_start

__all__ = [
    "MIME_TYPES",
    "FileFormat",
    "StepsDone",
    "picture_file",
    "picture_file_in_steps",
    "takes_long",
]

FileFormat: TypeAlias = Literal["png", "svg"]
MIME_TYPES: Final = {"png": "image/png", "svg": "image/svg+xml"}
_ROWS_PER_STEP: Final = 16
_MAX_ROWS_AT_ONCE: Final = 50_000
"""About a third of a second's work."""


class StepsDone(NamedTuple):
    """How far the making of a file has come."""

    done: int
    total: int


def picture_file_in_steps(
    picture: Picture, file_format: FileFormat, scale: int
) -> Generator[StepsDone, None, bytes]:
    """Yield after each step, and return the file."""
    shapes = list(picture.painted())
    if file_format == "svg":
        parts = [svg_start(picture, scale)]
        for done, shape in enumerate(shapes, 1):
            parts.append(svg_shape(shape))
            yield StepsDone(done, len(shapes))
        return b"".join((*parts, SVG_END))
    bands = range(0, picture.height * scale, _ROWS_PER_STEP)
    total = sum(map(paint_steps, shapes)) + len(bands)
    done = 0
    raster = Raster(picture.width, picture.height, scale)
    for shape in shapes:
        for _ in raster.painting(shape):
            done += 1
            yield StepsDone(done, total)
    writer = PngWriter(raster.width, raster.height)
    for start in bands:
        writer.write(raster.rows(start, start + _ROWS_PER_STEP))
        done += 1
        yield StepsDone(done, total)
    return writer.finish()


def takes_long(picture: Picture, file_format: FileFormat, scale: int) -> bool:
    """Say whether a file takes so long that it is made in steps, between which others are served.

    What counts is how many rows of pixels are painted, those of each stroke apart.
    """
    if file_format == "svg":
        return False
    rows = 0
    for shape in picture.painted():
        tall = [abs(y2 - y1) for (_, y1), (_, y2) in shape.strokes]
        # Filled, every row of every stroke is crossed once more.
        times = 1 if shape.fill is None else 2
        rows += times * sum(min(y + shape.stroke_width, picture.height) for y in tall)
        rows += 7 * len(shape.text) * (shape.size // 7 + 1)
    return rows * scale > _MAX_ROWS_AT_ONCE


def picture_file(picture: Picture, file_format: FileFormat, scale: int) -> bytes:
    """Make a file at once."""
    steps = picture_file_in_steps(picture, file_format, scale)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            data: bytes = end.value
            return data
