"""Makes a file of a picture in small steps, so that a window stays awake meanwhile."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, Literal, NamedTuple, TypeAlias

from bridge.demo.picture import Picture
from bridge.demo.png import PngWriter
from bridge.demo.raster import Raster
from bridge.demo.svg import SVG_END, svg_shape, svg_start

__all__ = ["MIME_TYPES", "FileFormat", "StepsDone", "picture_file", "picture_file_in_steps"]

FileFormat: TypeAlias = Literal["png", "svg"]
MIME_TYPES: Final = {"png": "image/png", "svg": "image/svg+xml"}
_SHAPES_PER_STEP: Final = 4
_ROWS_PER_STEP: Final = 16


class StepsDone(NamedTuple):
    """How far the making of a file has come."""

    done: int
    total: int


def picture_file_in_steps(
    picture: Picture, file_format: FileFormat, scale: int
) -> Generator[StepsDone, None, bytes]:
    """Yield after each step, and return the file."""
    shapes = list(picture.painted())
    strokes = range(0, len(shapes), _SHAPES_PER_STEP)
    bands = range(0, picture.height * scale, _ROWS_PER_STEP) if file_format == "png" else range(0)
    total = len(strokes) + len(bands)
    if file_format == "svg":
        parts = [svg_start(picture, scale)]
        for done, start in enumerate(strokes, 1):
            parts += map(svg_shape, shapes[start : start + _SHAPES_PER_STEP])
            yield StepsDone(done, total)
        return b"".join((*parts, SVG_END))
    raster = Raster(picture.width, picture.height, scale)
    writer = PngWriter(raster.width, raster.height)
    for done, start in enumerate(strokes, 1):
        for shape in shapes[start : start + _SHAPES_PER_STEP]:
            raster.paint(shape)
        yield StepsDone(done, total)
    for done, start in enumerate(bands, 1 + len(strokes)):
        writer.write(raster.rows(start, start + _ROWS_PER_STEP))
        yield StepsDone(done, total)
    return writer.finish()


def picture_file(picture: Picture, file_format: FileFormat, scale: int) -> bytes:
    """Make a file at once."""
    steps = picture_file_in_steps(picture, file_format, scale)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            data: bytes = end.value
            return data
