"""What is told of a drawing: pages of shapes, the whole state, and what changed since a revision.

Every answer is bounded, however much the drawing holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from bridge.demo.drawing_actions import MAX_PAGE
from bridge.demo.drawing_model import Drawing
from bridge.demo.shapes import Layer, Shape, shape_view

__all__ = ["delta_view", "layer_view", "page_view", "state_view"]

_MAX_WEIGHT: Final = 8_000
"""JSON values of one answer's shapes, about; half of what a line may hold."""


def layer_view(layer: Layer) -> dict[str, Any]:
    """Tell of a layer."""
    return {"id": layer.id, "name": layer.name, "visible": layer.visible}


def page_view(
    drawing: Drawing, *, layer: str | None = None, offset: int = 0, limit: int = MAX_PAGE
) -> dict[str, Any]:
    """Tell of the layers and of shapes, as many as fit, with `nextOffset` where there are more.

    Raises `PictureError` for a layer that there is not.
    """
    picture = drawing.picture
    if layer is not None:
        picture.layer(layer, "/layer")
    found = [shape for shape in picture.shapes if layer is None or shape.layer == layer]
    shown = _that_fit(found[offset : offset + limit])
    view: dict[str, Any] = {
        "layers": [layer_view(each) for each in picture.layers],
        "shapes": [shape_view(shape) for shape in shown],
        "total": len(found),
    }
    if offset + len(shown) < len(found):
        view["nextOffset"] = offset + len(shown)
    return view


def state_view(drawing: Drawing, *, offset: int = 0, limit: int = MAX_PAGE) -> dict[str, Any]:
    """Tell of everything, the shapes by pages."""
    picture = drawing.picture
    return {
        "width": picture.width,
        "height": picture.height,
        **_momentary(drawing),
        **page_view(drawing, offset=offset, limit=limit),
    }


def delta_view(drawing: Drawing, since: int) -> dict[str, Any]:
    """Tell what changed after a revision, and else why that cannot be said, and the first page.

    `changed` are shapes as they are now, `removed` ids; `layers` and `order`, the ids of all shapes
    from the lowest, are there where they changed.
    """
    change = drawing.state.journal.since(since) if since <= drawing.revision else None
    if change is None:
        reason = "UNKNOWN_REVISION" if since > drawing.revision else "TOO_LONG_AGO"
        return {"delta": False, "reason": reason, **state_view(drawing)}
    changed = [shape for shape in drawing.picture.shapes if shape.id in change.shapes]
    if len(_that_fit(changed)) < len(changed):
        return {"delta": False, "reason": "TOO_MUCH", **state_view(drawing)}
    present = {shape.id for shape in changed}
    view: dict[str, Any] = {
        "delta": True,
        "sinceRevision": since,
        **_momentary(drawing),
        "changed": [shape_view(shape) for shape in changed],
        "removed": sorted(change.shapes - present),
    }
    if change.layers:
        view["layers"] = [layer_view(layer) for layer in drawing.picture.layers]
    if change.order:
        view["order"] = [shape.id for shape in drawing.picture.shapes]
    return view


def _momentary(drawing: Drawing) -> dict[str, Any]:
    """Tell what moves no revision, or always with it."""
    return {
        "selection": list(drawing.state.selection),
        "undo": drawing.undo_label,
        "redo": drawing.redo_label,
    }


def _that_fit(shapes: Sequence[Shape]) -> Sequence[Shape]:
    """Return as many of the first shapes as an answer takes, at least one."""
    weight = 0
    for count, shape in enumerate(shapes):
        # Every member is a value, every point three; long texts weigh by their bytes.
        weight += 14 + 3 * len(shape.points) + len(shape.text.encode()) // 25
        if count and (weight > _MAX_WEIGHT or count >= MAX_PAGE):
            return shapes[:count]
    return shapes
