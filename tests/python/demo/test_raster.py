"""Pictures: what is painted where, and files that others can read."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.demo.picture import FIRST_PICTURE
from bridge.demo.picture_file import picture_file
from bridge.demo.png import PNG_SIGNATURE, PngWriter
from bridge.demo.raster import Raster
from bridge.demo.resource_shelf import ResourceShelf
from bridge.demo.shapes import MAX_COORDINATE, Kind, Shape

WHITE, RED, BLACK = (255, 255, 255), (255, 0, 0), (0, 0, 0)


def painted(kind: Kind, *, scale: int = 1, **members: Any) -> Raster:
    raster = Raster(60, 40, scale)
    raster.paint(Shape("s1", "l1", kind).changed(members))
    return raster


def unpacked(png: bytes) -> tuple[int, int, list[bytes]]:
    """Read a PNG file as any reader would: every chunk and its checksum."""
    assert png.startswith(PNG_SIGNATURE)
    at, data, kinds = len(PNG_SIGNATURE), b"", []
    width = height = 0
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(
            kind + body
        )
        kinds.append(kind)
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", body)
            assert form == [8, 2, 0, 0, 0]
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    assert (kinds[0], kinds[-1]) == (b"IHDR", b"IEND")
    raw = zlib.decompress(data)
    row = 1 + width * 3
    lines = [raw[start : start + row] for start in range(0, len(raw), row)]
    assert {line[0] for line in lines} == {0}
    assert len(lines) == height
    return width, height, [line[1:] for line in lines]


@pytest.mark.parametrize("kind", ["rectangle", "ellipse"])
def test_a_shape_is_filled_inside_and_stroked_at_its_edge(kind: Kind) -> None:
    raster = painted(
        kind, x=10, y=10, width=20, height=20, fill="#ff0000", stroke="#000000", strokeWidth=2
    )
    assert raster.pixel(20, 20) == RED
    assert raster.pixel(10, 20) == BLACK
    assert raster.pixel(20, 10) == BLACK
    assert raster.pixel(5, 20) == WHITE
    assert (raster.pixel(11, 11) == WHITE) is (kind == "ellipse")


@pytest.mark.parametrize("kind", ["rectangle", "ellipse"])
def test_a_shape_without_filling_and_stroke_is_not_seen(kind: Kind) -> None:
    raster = painted(kind, x=10, y=10, width=20, height=20, fill=None, stroke=None)
    assert raster.rows(0, 40) == Raster(60, 40).rows(0, 40)


def test_a_line_and_an_open_path_are_strokes() -> None:
    assert painted("line", x=0, y=5, x2=59, y2=5).pixel(30, 5) == BLACK
    path = painted("path", points=[[5, 5], [30, 5], [30, 30]], fill="#ff0000")
    assert path.pixel(30, 20) == BLACK
    assert path.pixel(25, 10) == WHITE
    closed = painted("path", points=[[5, 5], [30, 5], [30, 30]], fill="#ff0000", closed=True)
    assert closed.pixel(25, 10) == RED


def test_a_text_has_dots_where_its_letters_are() -> None:
    raster = painted("text", x=0, y=0, text="T", size=7, fill="#ff0000")
    assert [raster.pixel(column, 0) for column in range(6)] == [RED] * 5 + [WHITE]
    assert [raster.pixel(column, 6) for column in range(5)] == [WHITE, WHITE, RED, WHITE, WHITE]


def test_twice_the_scale_is_twice_the_size() -> None:
    raster = painted("rectangle", scale=2, x=10, y=10, width=5, height=5, fill="#ff0000")
    assert (raster.width, raster.height) == (120, 80)
    assert raster.pixel(25, 25) == RED


FAR = st.integers(-MAX_COORDINATE, MAX_COORDINATE)


@settings(deadline=None)
@given(
    st.sampled_from(["rectangle", "ellipse", "line", "path", "text"]), FAR, FAR, FAR, FAR,
    st.integers(1, 100), st.integers(1, 4),
)  # fmt: skip
def test_any_shape_leaves_a_picture_of_the_same_size(
    kind: Kind, x: int, y: int, x2: int, y2: int, width: int, scale: int
) -> None:
    raster = painted(
        kind, scale=scale, x=x, y=y, x2=x2, y2=y2, width=abs(x2), height=abs(y2),
        points=[[x, y], [x2, y2], [x2, y]], closed=True, text="Wide", strokeWidth=width,
        fill="#ff0000",
    )  # fmt: skip
    rows = raster.rows(0, raster.height)
    assert len(rows) == 40 * scale
    assert {len(row) for row in rows} == {60 * scale * 3}


def test_a_png_holds_every_pixel() -> None:
    rows = [bytes([row, column, 7]) * 2 for row in range(3) for column in (9,)]
    writer = PngWriter(2, 3)
    writer.write(rows[:1])
    writer.write(rows[1:])
    assert unpacked(writer.finish()) == (2, 3, rows)


def test_a_picture_file_is_as_large_as_its_scale_says() -> None:
    width, height, rows = unpacked(picture_file(FIRST_PICTURE, "png", 2))
    assert (width, height) == (1280, 960)
    assert set(rows[0]) == {255}


def test_the_shelf_drops_its_oldest_files() -> None:
    shelf = ResourceShelf()
    for number in range(33):
        shelf.put(f"draw:{number}", "text/plain", b"x")
    assert shelf.read("draw:0", 0, 1) is None
    assert shelf.read("draw:1", 0, 1) is not None
    shelf.put("draw:large", "text/plain", bytes(17 * 1_048_576))
    assert shelf.read("draw:32", 0, 1) is None
    part = shelf.read("draw:large", 5, 10)
    assert part is not None
    assert (part.size, len(part.data)) == (17 * 1_048_576, 10)
