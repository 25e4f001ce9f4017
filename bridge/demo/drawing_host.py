"""The app behind its dispatcher: runs each action on the open drawing.

Answers at once, save for exports, which go on in `tick`. Needs no event loop and no window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NoReturn

from bridge.contract.error_codes import AppErrorCode
from bridge.demo.drawing_actions import ACTIONS, DOMAIN, MAX_PAGE
from bridge.demo.drawing_model import Drawing, DrawingFullError
from bridge.demo.drawing_view import delta_view, layer_view, page_view, state_view
from bridge.demo.export_job import ExportJob, file_view
from bridge.demo.picture import Picture, PictureError
from bridge.demo.picture_file import MIME_TYPES, FileFormat, picture_file, takes_long
from bridge.demo.resource_shelf import ResourceShelf
from bridge.demo.shapes import FIELDS, shape_view
from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.dispatcher import AppName, Dispatcher
from bridge.dispatcher.host import CallContext, Host, Resource, Unavailability
from bridge.dispatcher.runtime import TIMELESS, Runtime
from bridge.dispatcher.task_table import Task, TaskTable

__all__ = ["APP", "DrawingHost", "drawing_dispatcher"]

APP: Final = AppName("Bascule Draw", "1")
_MAX_EXPORTS: Final = 4
_Input = Mapping[str, Any]


class DrawingHost(Host):
    """The handlers of the drawing app."""

    def __init__(self, drawing: Drawing | None = None) -> None:
        self.drawing = Drawing() if drawing is None else drawing
        self.dialog: str | None = None
        """What a person is asked in the window now: actions wait for the answer."""
        self.tasks = TaskTable()
        """The dispatcher's, as soon as there is one."""
        self._shelf = ResourceShelf()
        self._exports: list[ExportJob] = []
        self._rendered: dict[tuple[FileFormat, int], tuple[Picture, str]] = {}
        self._renderings = 0
        self._handlers: Mapping[str, Callable[[_Input], object]] = MappingProxyType(
            {
                "draw.shape.add": self._add_shape,
                "draw.shape.update": self._update_shape,
                "draw.shape.delete": self._delete_shapes,
                "draw.shape.move": self._move_shapes,
                "draw.layer.add": self._add_layer,
                "draw.layer.rename": self._rename_layer,
                "draw.layer.show": self._show_layer,
                "draw.layer.order": self._order_layer,
                "draw.layer.delete": self._delete_layer,
                "draw.select": self._select,
                "draw.undo": self._undo,
                "draw.redo": self._redo,
                "draw.read": self._read,
                "draw.export": self._export,
                "ui.render": self._render,
            }
        )

    @property
    def busy(self) -> bool:
        """Whether `tick` has something to do."""
        return bool(self._exports)

    def tick(self) -> bool:
        """Do a step of every export, and say whether there is more to do."""
        self._exports = [job for job in self._exports if job.tick()]
        return self.busy

    def actions(self) -> Sequence[ActionSpec]:
        """Return all actions."""
        return ACTIONS

    def revision(self, action: str | None = None) -> int:  # noqa: ARG002 - one for all of them
        """Return the drawing's state number."""
        return self.drawing.revision

    def capabilities(self) -> int:
        """Return no bits: every caller may do everything."""
        return 0

    def modal(self) -> Unavailability | None:
        """Say that a dialog is open."""
        if self.dialog is None:
            return None
        return Unavailability("DIALOG_OPEN", f"A person is asked in the app: {self.dialog}")

    def availability(self, action: str) -> Unavailability | None:
        """Say that there is nothing to undo or to do again."""
        if action == "draw.undo" and self.drawing.undo_label is None:
            return Unavailability("NOTHING_TO_UNDO", "Nothing was done that could be undone.")
        if action == "draw.redo" and self.drawing.redo_label is None:
            return Unavailability("NOTHING_TO_REDO", "Nothing was undone.")
        return None

    def execute(self, action: str, input: Any, context: CallContext) -> object:  # noqa: A002, ANN401, ARG002
        """Run an action."""
        try:
            return self._handlers[action](input)
        except PictureError as error:
            _refuse(error.path, error.message)
        except DrawingFullError as error:
            raise AppError(
                AppErrorCode.LIMIT_EXCEEDED,
                f"The drawing has as many {error.what} as it takes; delete some.",
                {"limit": error.what, "maximum": error.maximum},
            ) from error

    def inspect(self, query: dict[str, Any]) -> Mapping[str, Any]:
        """Tell the whole state by pages (`offset`, `limit`), or what changed (`sinceRevision`)."""
        unknown = sorted(query.keys() - {"sinceRevision", "offset", "limit"})
        if unknown:
            _refuse(f"/{unknown[0]}", "an inspection takes sinceRevision, or offset and limit")
        since = _count(query, "sinceRevision", None)
        if since is not None:
            if len(query) > 1:
                _refuse("", "changes are told at once: no offset or limit with sinceRevision")
            return delta_view(self.drawing, since)
        offset = _count(query, "offset", 0) or 0
        limit = _count(query, "limit", MAX_PAGE) or 0
        if not 1 <= limit <= MAX_PAGE:
            _refuse("/limit", f"from 1 to {MAX_PAGE}")
        return state_view(self.drawing, offset=offset, limit=limit)

    def supports_transaction(self, domain: str) -> bool:
        """Say that the drawing can be put back."""
        return domain == DOMAIN

    def begin_transaction(self, domain: str) -> None:  # noqa: ARG002 - there is one
        """Remember the drawing."""
        self.drawing.begin()

    def commit_transaction(self, domain: str) -> None:  # noqa: ARG002
        """Keep what was done, as one step of undo."""
        self.drawing.commit()

    def rollback_transaction(self, domain: str) -> None:  # noqa: ARG002
        """Put the drawing back."""
        self.drawing.roll_back()

    def read_resource(self, uri: str, offset: int, limit: int) -> Resource | None:
        """Return a part of a file that was exported or rendered."""
        return self._shelf.read(uri, offset, limit)

    def resources(self) -> Sequence[Mapping[str, Any]]:
        """List the files that were exported or rendered, the newest last."""
        return self._shelf.listed()

    def _add_shape(self, data: _Input) -> object:
        members = {name: data[name] for name in data if name not in {"kind", "layer"}}
        shape = self.drawing.add_shape(data["kind"], data.get("layer"), members)
        return {"shape": shape_view(shape)}

    def _update_shape(self, data: _Input) -> object:
        shape = self.drawing.picture.shape(data["id"])
        members = {name: data[name] for name in data if name != "id"}
        for name in members:
            if name not in (*FIELDS[shape.kind], "layer"):
                _refuse(f"/{name}", f"a {shape.kind} has no {name}")
        return {"shape": shape_view(self.drawing.update_shape(shape.id, members))}

    def _delete_shapes(self, data: _Input) -> object:
        ids = self._named(data)
        self.drawing.delete_shapes(ids)
        return {"deleted": len(ids)}

    def _move_shapes(self, data: _Input) -> object:
        ids = self._named(data)
        self.drawing.move_shapes(ids, data["dx"], data["dy"])
        return {"moved": len(ids)}

    def _add_layer(self, data: _Input) -> object:
        return {"layer": layer_view(self.drawing.add_layer(data["name"], data.get("at")))}

    def _rename_layer(self, data: _Input) -> object:
        self.drawing.rename_layer(data["id"], data["name"])
        return self._layer(data["id"])

    def _show_layer(self, data: _Input) -> object:
        self.drawing.show_layer(data["id"], visible=data["visible"])
        return self._layer(data["id"])

    def _order_layer(self, data: _Input) -> object:
        self.drawing.order_layer(data["id"], data["at"])
        return self._layer(data["id"])

    def _delete_layer(self, data: _Input) -> object:
        before = len(self.drawing.picture.shapes)
        self.drawing.delete_layer(data["id"])
        return {"deleted": before - len(self.drawing.picture.shapes)}

    def _select(self, data: _Input) -> object:
        self.drawing.select(data["ids"])
        return {"selection": list(self.drawing.state.selection)}

    def _undo(self, _data: _Input) -> object:
        self.drawing.undo()
        return self._history()

    def _redo(self, _data: _Input) -> object:
        self.drawing.redo()
        return self._history()

    def _read(self, data: _Input) -> object:
        return page_view(
            self.drawing,
            layer=data.get("layer"),
            offset=data.get("offset", 0),
            limit=data.get("limit", MAX_PAGE),
        )

    def _export(self, data: _Input) -> Task:
        return self._start("draw.export", data.get("format", "png"), data.get("scale", 2))

    def _start(self, action: str, file_format: FileFormat, scale: int) -> Task:
        """Begin to make a file. Raises `AppError`."""
        if self.drawing.in_transaction:
            # What it would show may be rolled back.
            raise AppError(
                AppErrorCode.DEFERRED_IN_TRANSACTION,
                "A file takes its time, which an atomic batch does not have.",
            )
        if len(self._exports) >= _MAX_EXPORTS:
            raise AppError(
                AppErrorCode.LIMIT_EXCEEDED,
                "The app is making as many files as it can at once; wait for one.",
                {"limit": "exports", "maximum": _MAX_EXPORTS},
            )
        task = self.tasks.create(action)
        self._exports.append(ExportJob(task, self.drawing, self._shelf, file_format, scale))
        return task

    def _render(self, data: _Input) -> object:
        file_format, scale = data.get("format", "png"), data.get("scale", 1)
        picture = self.drawing.picture
        seen, uri = self._rendered.get((file_format, scale), (None, ""))
        # Not by the revision: after a rollback another picture can have the same.
        if seen is not picture or self._shelf.read(uri, 0, 1) is None:
            if takes_long(picture, file_format, scale):
                return self._start("ui.render", file_format, scale)
            self._renderings += 1
            uri = f"draw:render/{self._renderings}.{file_format}"
            content = picture_file(picture, file_format, scale)
            self._shelf.put(uri, MIME_TYPES[file_format], content)
            self._rendered[file_format, scale] = (picture, uri)
        return file_view(self.drawing, uri, file_format, scale)

    def _named(self, data: _Input) -> Sequence[str]:
        ids: Sequence[str] = data.get("ids", self.drawing.state.selection)
        return ids

    def _layer(self, layer_id: str) -> object:
        return {"layer": layer_view(self.drawing.picture.layer(layer_id))}

    def _history(self) -> object:
        return {"undo": self.drawing.undo_label, "redo": self.drawing.redo_label}


def drawing_dispatcher(host: DrawingHost, runtime: Runtime = TIMELESS) -> Dispatcher:
    """Put a dispatcher before the app, disabled as every dispatcher is at first."""
    dispatcher = Dispatcher(host, app=APP, runtime=runtime)
    host.tasks = dispatcher.tasks
    return dispatcher


def _refuse(path: str, message: str) -> NoReturn:
    raise AppError(
        AppErrorCode.INVALID_INPUT,
        "The drawing does not take this.",
        {"errors": [{"path": path, "message": message}]},
    )


def _count(query: Mapping[str, Any], name: str, default: int | None) -> int | None:
    value = query.get(name, default)
    if value is None or (type(value) is int and value >= 0):
        return value
    return _refuse(f"/{name}", "an integer, at least 0")
