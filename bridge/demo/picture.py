"""A drawing at one moment: its layers and shapes, a value. Edits give another picture.

Knows nothing of undo, revisions or who asks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from bridge.demo.shapes import Layer, Shape

__all__ = ["FIRST_PICTURE", "MAX_LAYERS", "MAX_SHAPES", "Picture", "PictureError"]

MAX_SHAPES: Final = 2_000
MAX_LAYERS: Final = 64


class PictureError(Exception):
    """An edit that the picture does not take: where in the input, and why."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


@dataclass(frozen=True, slots=True)
class Picture:
    """Layers from the lowest to the topmost, and shapes, of which later ones cover earlier ones."""

    layers: tuple[Layer, ...]
    shapes: tuple[Shape, ...] = ()
    width: int = 640
    height: int = 480

    def layer(self, layer_id: str, path: str = "/id") -> Layer:
        """Find a layer. Raises `PictureError`."""
        for layer in self.layers:
            if layer.id == layer_id:
                return layer
        raise PictureError(path, f"there is no layer {layer_id}")

    def shape(self, shape_id: str, path: str = "/id") -> Shape:
        """Find a shape. Raises `PictureError`."""
        for shape in self.shapes:
            if shape.id == shape_id:
                return shape
        raise PictureError(path, f"there is no shape {shape_id}")

    def require_shapes(self, shape_ids: Collection[str]) -> None:
        """Raise `PictureError` for the first id that names no shape."""
        known = {shape.id for shape in self.shapes}
        for index, shape_id in enumerate(shape_ids):
            if shape_id not in known:
                raise PictureError(f"/ids/{index}", f"there is no shape {shape_id}")

    def painted(self) -> Iterator[Shape]:
        """Yield what is seen, in the order in which it is painted."""
        for layer in self.layers:
            if layer.visible:
                yield from (shape for shape in self.shapes if shape.layer == layer.id)

    def with_shape(self, shape: Shape) -> Picture:
        """Put a new shape on top of its layer. Raises `PictureError`."""
        self.layer(shape.layer, "/layer")
        return replace(self, shapes=(*self.shapes, _in_bounds(shape)))

    def with_changed_shape(self, shape_id: str, members: Mapping[str, Any]) -> Picture:
        """Give a shape other members. Raises `PictureError`."""
        changed = _in_bounds(self.shape(shape_id).changed(members))
        self.layer(changed.layer, "/layer")
        return replace(
            self,
            shapes=tuple(changed if shape.id == shape_id else shape for shape in self.shapes),
        )

    def without_shapes(self, shape_ids: Collection[str]) -> Picture:
        """Remove shapes. Raises `PictureError`."""
        self.require_shapes(shape_ids)
        gone = set(shape_ids)
        return replace(self, shapes=tuple(s for s in self.shapes if s.id not in gone))

    def with_moved_shapes(self, shape_ids: Collection[str], dx: int, dy: int) -> Picture:
        """Move shapes. Raises `PictureError`, also where one would leave the bounds."""
        self.require_shapes(shape_ids)
        ids = set(shape_ids)
        return replace(
            self,
            shapes=tuple(
                _in_bounds(shape.moved(dx, dy), "/dx") if shape.id in ids else shape
                for shape in self.shapes
            ),
        )

    def with_layer(self, layer: Layer, at: int | None) -> Picture:
        """Add a layer, on top or at a place counted from the lowest. Raises `PictureError`."""
        place = len(self.layers) if at is None else at
        if place > len(self.layers):
            raise PictureError("/at", f"there are only {len(self.layers)} layers")
        return replace(self, layers=(*self.layers[:place], layer, *self.layers[place:]))

    def with_changed_layer(self, layer: Layer) -> Picture:
        """Put a changed layer in place of the one of the same id. Raises `PictureError`."""
        self.layer(layer.id)
        return replace(
            self, layers=tuple(layer if old.id == layer.id else old for old in self.layers)
        )

    def with_layer_at(self, layer_id: str, at: int) -> Picture:
        """Move a layer to a place counted from the lowest. Raises `PictureError`."""
        layer = self.layer(layer_id)
        if at >= len(self.layers):
            raise PictureError("/at", f"there are only {len(self.layers)} layers")
        rest = tuple(other for other in self.layers if other.id != layer_id)
        return replace(self, layers=(*rest[:at], layer, *rest[at:]))

    def without_layer(self, layer_id: str) -> Picture:
        """Remove a layer and what is on it. Raises `PictureError` for the last one too."""
        self.layer(layer_id)
        if len(self.layers) == 1:
            raise PictureError("/id", "a drawing keeps at least one layer")
        return replace(
            self,
            layers=tuple(layer for layer in self.layers if layer.id != layer_id),
            shapes=tuple(shape for shape in self.shapes if shape.layer != layer_id),
        )


def _in_bounds(shape: Shape, path: str = "") -> Shape:
    if not shape.in_bounds:
        raise PictureError(path, "the shape would lie outside of what a drawing takes")
    return shape


FIRST_PICTURE: Final = Picture((Layer("l1", "Layer 1"),))
