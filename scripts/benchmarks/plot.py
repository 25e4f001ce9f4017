"""Line charts on logarithmic axes as SVG, side by side in one picture.

Readable on light and dark pages: no background, and colours of middle lightness only. Knows
nothing of what it draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

__all__ = ["Chart", "Series", "draw", "ticks"]

WIDTH, HEIGHT = 440, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 24, 34, 44
LEGEND = 30
INK = "#808080"
# Told apart by shape as well, for those who see no colours.
STYLES = (
    ("#2f81d0", "", "circle"),
    ("#d9731a", "6 3", "square"),
    ("#8f6bd1", "2 3", "diamond"),
    ("#2f9e6e", "9 3 2 3", "triangle"),
)


@dataclass(frozen=True, slots=True)
class Series:
    """One line: its name, and its points by rising x. Both coordinates are above 0."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Chart:
    """One pair of axes. `x_ticks` are the values that are marked on the x axis."""

    title: str
    x_label: str
    x_ticks: Sequence[tuple[float, str]]
    series: Sequence[Series] = field(default_factory=list)


def ticks(low: float, high: float) -> list[float]:
    """Return the powers of ten that enclose a range above 0."""
    first = math.floor(math.log10(low))
    last = max(first + 1, math.ceil(math.log10(high)))
    return [10.0**power for power in range(first, last + 1)]


def draw(charts: Sequence[Chart], title: str) -> str:
    """Return the picture. All charts share the y axis and the legend, in milliseconds."""
    values = [y for chart in charts for series in chart.series for _, y in series.points]
    y_ticks = ticks(min(values), max(values))
    names = list(dict.fromkeys(series.name for chart in charts for series in chart.series))
    width, height = WIDTH * len(charts), HEIGHT + LEGEND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="sans-serif" '
        f'font-size="12" fill="{INK}">',
        f"<title>{escape(title)}</title>",
    ]
    for number, chart in enumerate(charts):
        parts.append(f'<g transform="translate({number * WIDTH} 0)">')
        parts += _chart(chart, y_ticks, names)
        parts.append("</g>")
    parts += _legend(names, width)
    parts.append("</svg>\n")
    return "\n".join(parts)


def _chart(chart: Chart, y_ticks: Sequence[float], names: Sequence[str]) -> list[str]:
    marks = [value for value, _ in chart.x_ticks]
    across = _scale(marks[0], marks[-1], LEFT, WIDTH - RIGHT)
    up = _scale(y_ticks[0], y_ticks[-1], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<text x="{LEFT}" y="18" font-weight="bold">{escape(chart.title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">'
        f"{escape(chart.x_label)}</text>",
    ]
    for value in y_ticks:
        y = up(value)
        parts.append(_line(LEFT, y, WIDTH - RIGHT, y))
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g} ms</text>')
    for value, label in chart.x_ticks:
        x = across(value)
        parts.append(_line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 4))
        parts.append(
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">'
            f"{escape(label)}</text>"
        )
    for series in chart.series:
        style = names.index(series.name)
        parts += _series([(across(x), up(y)) for x, y in series.points], style)
    return parts


def _series(points: Sequence[tuple[float, float]], style: int) -> list[str]:
    colour, dashes, shape = STYLES[style % len(STYLES)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    line = (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" '
        f'stroke-dasharray="{dashes or "none"}"/>'
    )
    return [line, *(_marker(x, y, shape, colour) for x, y in points)]


def _marker(x: float, y: float, shape: str, colour: str) -> str:
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
    corners = {
        "square": [(-3.2, -3.2), (3.2, -3.2), (3.2, 3.2), (-3.2, 3.2)],
        "diamond": [(0, -4.5), (4.5, 0), (0, 4.5), (-4.5, 0)],
        "triangle": [(0, -4.5), (4.2, 3.5), (-4.2, 3.5)],
    }[shape]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{points}" fill="{colour}"/>'


def _legend(names: Sequence[str], width: float) -> list[str]:
    parts = []
    step = (width - LEFT) / len(names)
    y = HEIGHT + LEGEND / 2
    for number, name in enumerate(names):
        x = LEFT + number * step
        parts += _series([(x, y), (x + 28, y)], number)
        parts.append(f'<text x="{x + 36:.1f}" y="{y + 4:.1f}">{escape(name)}</text>')
    return parts


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{INK}" stroke-opacity="0.4"/>'
    )


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    span = math.log10(high) - math.log10(low)

    def place(value: float) -> float:
        return start + (math.log10(value) - math.log10(low)) / span * (end - start)

    return place
