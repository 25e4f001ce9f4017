"""Everything that the drawing app can do: the actions, their schemas and command ids."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

from bridge.demo.shapes import FIELDS, KINDS, MAX_COORDINATE
from bridge.dispatcher.action_spec import ActionSpec

__all__ = ["ACTIONS", "DOMAIN", "MAX_IDS", "MAX_PAGE", "Command"]

DOMAIN: Final = "drawing"
"""The transaction domain of every write."""
MAX_PAGE: Final = 500
MAX_IDS: Final = 2_000


class Command(IntEnum):
    """The numbers by which the window's menus and keys call actions."""

    ADD_SHAPE = 1
    UPDATE_SHAPE = 2
    DELETE_SHAPES = 3
    MOVE_SHAPES = 4
    ADD_LAYER = 10
    RENAME_LAYER = 11
    SHOW_LAYER = 12
    ORDER_LAYER = 13
    DELETE_LAYER = 14
    SELECT = 20
    UNDO = 21
    REDO = 22
    READ = 30
    EXPORT = 31
    RENDER = 32


_ID: Final = {"type": "string", "minLength": 1, "maxLength": 16}
_IDS: Final = {"type": "array", "items": _ID, "maxItems": MAX_IDS, "uniqueItems": True}
_COORDINATE: Final = {"type": "integer", "minimum": -MAX_COORDINATE, "maximum": MAX_COORDINATE}
_LENGTH: Final = {"type": "integer", "minimum": 0, "maximum": MAX_COORDINATE}
_COLOUR: Final = {
    "type": ["string", "null"],
    "pattern": "^#[0-9a-f]{6}$",
    "description": "#rrggbb in lower case, or null for none",
}
_NAME: Final = {
    "type": "string",
    "minLength": 1,
    "maxLength": 100,
    "pattern": "^[^\\u0000-\\u001f]*$",
}
_MEMBERS: Final[dict[str, Any]] = {
    "x": _COORDINATE,
    "y": _COORDINATE,
    "width": _LENGTH,
    "height": _LENGTH,
    "x2": _COORDINATE,
    "y2": _COORDINATE,
    "points": {
        "type": "array",
        "minItems": 2,
        "maxItems": 256,
        "items": {"type": "array", "items": _COORDINATE, "minItems": 2, "maxItems": 2},
    },
    "closed": {"type": "boolean"},
    "text": {**_NAME, "maxLength": 500},
    "size": {"type": "integer", "minimum": 6, "maximum": 200},
    "fill": _COLOUR,
    "stroke": _COLOUR,
    "strokeWidth": {"type": "integer", "minimum": 1, "maximum": 100},
    "layer": _ID,
}
_REQUIRED: Final = {
    "rectangle": ["x", "y", "width", "height"],
    "ellipse": ["x", "y", "width", "height"],
    "line": ["x", "y", "x2", "y2"],
    "path": ["points"],
    "text": ["x", "y", "text"],
}


def _object(required: list[str], **members: Any) -> dict[str, Any]:  # noqa: ANN401 - schemas
    return {
        "type": "object",
        "properties": members,
        "required": required,
        "additionalProperties": False,
    }


def _kind_rules() -> list[dict[str, Any]]:
    """Say for each kind which members it needs, and that it takes no other kind's."""
    return [
        {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {
                "required": _REQUIRED[kind],
                "properties": {
                    name: False for name in _MEMBERS if name not in (*FIELDS[kind], "layer")
                },
            },
        }
        for kind in KINDS
    ]


_ADD: Final = {
    **_object(["kind"], kind={"enum": list(KINDS)}, **_MEMBERS),
    "allOf": _kind_rules(),
}
_SHAPE: Final = {
    "type": "object",
    "properties": {"id": _ID, "layer": _ID, "kind": {"enum": list(KINDS)}},
    "required": ["id", "layer", "kind"],
}
_LAYER: Final = _object(["id", "name", "visible"], id=_ID, name=_NAME, visible={"type": "boolean"})
_SHAPE_GIVEN: Final = _object(["shape"], shape=_SHAPE)
_LAYER_GIVEN: Final = _object(["layer"], layer=_LAYER)
_COUNT: Final = {"type": "integer", "minimum": 0}
_PLACE: Final = {"type": "integer", "minimum": 0, "maximum": 63}
_LABEL: Final = {"type": ["string", "null"]}
_HISTORY: Final = _object(["undo", "redo"], undo=_LABEL, redo=_LABEL)
_FORMAT: Final = {"enum": ["png", "svg"]}
_SCALE: Final = {"type": "integer", "minimum": 1, "maximum": 4}
_FILE: Final = _object(
    ["resource", "mimeType", "width", "height"],
    resource={"type": "string"},
    mimeType={"type": "string"},
    width=_COUNT,
    height=_COUNT,
)


def _write(  # noqa: PLR0913 - one for each member of a description
    command: Command,
    name: str,
    description: str,
    takes: dict[str, Any] | None,
    gives: dict[str, Any],
    *,
    undo: bool = True,
) -> ActionSpec:
    return ActionSpec.write(
        name,
        description,
        input_schema=takes,
        output_schema=gives,
        undo=undo,
        transaction=DOMAIN,
        command_id=command,
    )


def _read(
    command: Command, name: str, description: str, takes: dict[str, Any], gives: dict[str, Any]
) -> ActionSpec:
    return ActionSpec.read(
        name, description, input_schema=takes, output_schema=gives, command_id=command
    )


ACTIONS: Final[tuple[ActionSpec, ...]] = (
    _write(
        Command.ADD_SHAPE,
        "draw.shape.add",
        "Add a rectangle, ellipse, line, path or text on top of a layer and select it.",
        _ADD,
        _SHAPE_GIVEN,
    ),
    _write(
        Command.UPDATE_SHAPE,
        "draw.shape.update",
        "Change members of a shape; what is not named stays as it is.",
        _object(["id"], id=_ID, **_MEMBERS),
        _SHAPE_GIVEN,
    ),
    _write(
        Command.DELETE_SHAPES,
        "draw.shape.delete",
        "Remove shapes; without ids those that are selected.",
        _object([], ids=_IDS),
        _object(["deleted"], deleted=_COUNT),
    ),
    _write(
        Command.MOVE_SHAPES,
        "draw.shape.move",
        "Move shapes by so many pixels; without ids those that are selected.",
        _object(["dx", "dy"], ids=_IDS, dx=_COORDINATE, dy=_COORDINATE),
        _object(["moved"], moved=_COUNT),
    ),
    _write(
        Command.ADD_LAYER,
        "draw.layer.add",
        "Add a layer, on top or at a place counted from the lowest, which is 0.",
        _object(["name"], name=_NAME, at=_PLACE),
        _LAYER_GIVEN,
    ),
    _write(
        Command.RENAME_LAYER,
        "draw.layer.rename",
        "Give a layer another name.",
        _object(["id", "name"], id=_ID, name=_NAME),
        _LAYER_GIVEN,
    ),
    _write(
        Command.SHOW_LAYER,
        "draw.layer.show",
        "Show a layer, or hide it.",
        _object(["id", "visible"], id=_ID, visible={"type": "boolean"}),
        _LAYER_GIVEN,
    ),
    _write(
        Command.ORDER_LAYER,
        "draw.layer.order",
        "Move a layer to a place counted from the lowest, which is 0.",
        _object(["id", "at"], id=_ID, at=_PLACE),
        _LAYER_GIVEN,
    ),
    _write(
        Command.DELETE_LAYER,
        "draw.layer.delete",
        "Remove a layer and everything on it; the last one stays.",
        _object(["id"], id=_ID),
        _object(["deleted"], deleted=_COUNT),
    ),
    _write(
        Command.SELECT,
        "draw.select",
        "Select these shapes and no others; this moves no revision.",
        _object(["ids"], ids=_IDS),
        _object(["selection"], selection=_IDS),
        undo=False,
    ),
    _write(Command.UNDO, "draw.undo", "Undo the last step.", None, _HISTORY, undo=False),
    _write(Command.REDO, "draw.redo", "Do again what was undone last.", None, _HISTORY, undo=False),
    _read(
        Command.READ,
        "draw.read",
        "Read the layers and a page of the shapes, of one layer if it is named.",
        _object(
            [],
            layer=_ID,
            offset=_COUNT,
            limit={"type": "integer", "minimum": 1, "maximum": MAX_PAGE},
        ),
        {"type": "object", "required": ["layers", "shapes", "total"]},
    ),
    _read(
        Command.EXPORT,
        "draw.export",
        "Make a file of the drawing as it is now, in steps: a task whose output names the file.",
        _object([], format=_FORMAT, scale=_SCALE),
        _FILE,
    ),
    _read(
        Command.RENDER,
        "ui.render",
        "Draw what is seen as a PNG or SVG picture.",
        _object([], format=_FORMAT, scale=_SCALE),
        _FILE,
    ),
)
