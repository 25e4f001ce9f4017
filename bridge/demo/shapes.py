"""What a drawing is made of: shapes and layers, as values that never change.

Coordinates are whole pixels from the drawing's upper left corner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

__all__ = [
    "FIELDS",
    "KINDS",
    "MAX_COORDINATE",
    "Kind",
    "Layer",
    "Point",
    "Shape",
    "shape_view",
]

Kind: TypeAlias = Literal["rectangle", "ellipse", "line", "path", "text"]
Point: TypeAlias = tuple[int, int]

MAX_COORDINATE: Final = 10_000
_PAINT: Final = ("fill", "stroke", "strokeWidth")
FIELDS: Final[Mapping[Kind, tuple[str, ...]]] = MappingProxyType(
    {
        "rectangle": ("x", "y", "width", "height", *_PAINT),
        "ellipse": ("x", "y", "width", "height", *_PAINT),
        "line": ("x", "y", "x2", "y2", "stroke", "strokeWidth"),
        "path": ("points", "closed", *_PAINT),
        "text": ("x", "y", "text", "size", "fill"),
    }
)
"""The members that a shape of a kind has, as the actions spell them."""
KINDS: Final[tuple[Kind, ...]] = tuple(FIELDS)
_ATTRIBUTES: Final = {"strokeWidth": "stroke_width"}


@dataclass(frozen=True, slots=True)
class Layer:
    """A sheet of the drawing. Those that come later lie on top."""

    id: str
    name: str
    visible: bool = True


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape. What its kind does not have keeps its default."""

    id: str
    layer: str
    kind: Kind
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    x2: int = 0
    y2: int = 0
    points: tuple[Point, ...] = ()
    closed: bool = False
    text: str = ""
    size: int = 14
    fill: str | None = None
    """`#rrggbb`, or None for no filling."""
    stroke: str | None = "#000000"
    stroke_width: int = 1

    def changed(self, members: Mapping[str, Any]) -> Shape:
        """Return the shape with other members, spelled as the actions spell them."""
        fields = {_ATTRIBUTES.get(name, name): value for name, value in members.items()}
        if "points" in fields:
            fields["points"] = tuple((x, y) for x, y in fields["points"])
        return replace(self, **fields)

    def moved(self, dx: int, dy: int) -> Shape:
        """Return the shape elsewhere."""
        if self.kind == "path":
            return replace(self, points=tuple((x + dx, y + dy) for x, y in self.points))
        if self.kind == "line":
            return replace(self, x=self.x + dx, y=self.y + dy, x2=self.x2 + dx, y2=self.y2 + dy)
        return replace(self, x=self.x + dx, y=self.y + dy)

    @property
    def corners(self) -> tuple[Point, ...]:
        """Points between which all of the shape lies, its stroke apart; a text has only one."""
        if self.kind == "path":
            return self.points
        if self.kind == "line":
            return ((self.x, self.y), (self.x2, self.y2))
        return ((self.x, self.y), (self.x + self.width, self.y + self.height))

    @property
    def strokes(self) -> tuple[tuple[Point, Point], ...]:
        """The straight pieces of a line's, a path's or a rectangle's outline."""
        points = self.corners
        if self.kind == "rectangle":
            (left, top), (right, bottom) = points
            points = ((left, top), (right, top), (right, bottom), (left, bottom))
        if self.closed or self.kind == "rectangle":
            return tuple(zip(points, (*points[1:], points[0]), strict=True))
        return tuple(pairwise(points))

    @property
    def in_bounds(self) -> bool:
        """Whether all of its coordinates are ones that a drawing takes."""
        return all(
            -MAX_COORDINATE <= part <= MAX_COORDINATE for x, y in self.corners for part in (x, y)
        )


def shape_view(shape: Shape) -> dict[str, Any]:
    """Tell of a shape what its kind has, as the actions spell it."""
    view: dict[str, Any] = {"id": shape.id, "layer": shape.layer, "kind": shape.kind}
    for name in FIELDS[shape.kind]:
        value = getattr(shape, _ATTRIBUTES.get(name, name))
        view[name] = [list(point) for point in value] if name == "points" else value
    return view
