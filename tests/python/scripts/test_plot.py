"""The chart writer of the benchmarks."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.benchmarks.plot import STYLES, Chart, Series, draw, ticks

SVG = "{http://www.w3.org/2000/svg}"
X_TICKS = [(1, "one"), (10, "ten"), (100, "hundred")]


def picture(*series: Series, title: str = "A title") -> ET.Element:
    return ET.fromstring(draw([Chart("Left", "x", X_TICKS, series)], title))


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def lines(root: ET.Element) -> list[list[tuple[float, float]]]:
    """Return the corners of every drawn line, the legend's samples last."""
    return [
        [(float(x), float(y)) for x, y in (pair.split(",") for pair in line.split())]
        for line in (element.attrib["points"] for element in root.iter(f"{SVG}polyline"))
    ]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.3, 40, [0.1, 1, 10, 100]), (1, 10, [1, 10]), (1, 1, [1, 10]), (2, 3, [1, 10])],
)
def test_ticks_are_the_powers_of_ten_around_a_range(
    low: float, high: float, expected: list[float]
) -> None:
    assert ticks(low, high) == expected


@given(st.floats(1e-6, 1e6), st.floats(1, 1e6))
def test_ticks_enclose_the_range(low: float, factor: float) -> None:
    found = ticks(low, low * factor)
    assert found[0] <= low * (1 + 1e-9)
    assert found[-1] >= low * factor * (1 - 1e-9)


def test_equal_factors_are_equally_far_apart() -> None:
    ((a, b, c), _) = lines(picture(Series("s", [(1, 0.1), (10, 1), (100, 10)])))
    assert b[0] - a[0] == pytest.approx(c[0] - b[0], abs=0.2)
    assert b[1] - a[1] == pytest.approx(c[1] - b[1], abs=0.2)
    assert a[0] < b[0], "larger to the right"
    assert a[1] > b[1], "larger further up"


def test_every_point_lies_within_the_picture() -> None:
    root = picture(Series("s", [(1, 0.001), (100, 900)]))
    _, _, width, height = (float(part) for part in root.attrib["viewBox"].split())
    for x, y in (point for line in lines(root) for point in line):
        assert 0 < x < width
        assert 0 < y < height


def test_axes_legend_and_title_are_written() -> None:
    root = picture(Series("ours", [(1, 1)]), Series("theirs", [(1, 2)]), title="Growth")
    assert {"Left", "x", "one", "ten", "hundred", "1 ms", "10 ms", "ours", "theirs"} <= set(
        texts(root)
    )
    assert root.findtext(f"{SVG}title") == "Growth"


def test_a_series_of_two_charts_looks_the_same_in_both_and_stands_in_the_legend_once() -> None:
    ours, theirs = Series("ours", [(1, 1)]), Series("theirs", [(1, 2)])
    charts = [Chart("Left", "x", X_TICKS, [ours, theirs]), Chart("Right", "x", X_TICKS, [theirs])]
    root = ET.fromstring(draw(charts, "t"))
    assert texts(root).count("theirs") == 1
    strokes = [element.attrib["stroke"] for element in root.iter(f"{SVG}polyline")]
    assert strokes == [STYLES[0][0], STYLES[1][0], STYLES[1][0], STYLES[0][0], STYLES[1][0]]


def test_markup_in_a_name_stays_text() -> None:
    name = '<script>"&'
    assert name in texts(picture(Series(name, [(1, 1)]), title=name))


def luminance(colour: str) -> float:
    parts = [int(pair, 16) / 255 for pair in re.findall("..", colour.removeprefix("#"))]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("ground", ["#ffffff", "#0d1117"])
def test_every_colour_stands_out_on_light_and_on_dark_pages(ground: str) -> None:
    drawn = draw([Chart("c", "x", X_TICKS, [Series(str(n), [(1, 1)]) for n in range(4)])], "t")
    colours = set(re.findall("#[0-9a-f]{6}", drawn))
    assert len(colours) == len(STYLES) + 1
    for colour in colours:
        light, dark = sorted((luminance(colour), luminance(ground)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3, colour
