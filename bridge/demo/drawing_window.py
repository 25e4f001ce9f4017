"""The drawing app's window: menus, keys, canvas and layers, in Tk.

Everything that changes the drawing is a command of the dispatcher, exactly as a terminal's call
is; the window only shows what the drawing is now.
"""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping
from pathlib import Path
from tkinter import filedialog, simpledialog
from typing import Any, Final, TypeVar

from bridge.demo.canvas_painter import CanvasPainter
from bridge.demo.canvas_tools import TOOLS, CanvasTools
from bridge.demo.drawing_actions import Command
from bridge.demo.drawing_host import APP, DrawingHost
from bridge.demo.drawing_model import DrawingState
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.dispatcher import Dispatcher
from bridge.dispatcher.task_table import Task
from bridge.servers.native_server import NativeServer

__all__ = ["DrawingWindow"]

T = TypeVar("T")
_TICK_MILLISECONDS: Final = 20
_COLOURS: Final = {
    "None": None,
    "White": "#ffffff",
    "Yellow": "#ffcc66",
    "Blue": "#66ccff",
    "Green": "#aaddaa",
    "Red": "#ee7766",
}


class DrawingWindow:
    """One window. `server` is where terminals call; None where they cannot."""

    def __init__(
        self, root: tk.Tk, dispatcher: Dispatcher, host: DrawingHost, server: NativeServer | None
    ) -> None:
        self.root = root
        self._dispatcher = dispatcher
        self._host = host
        self._server = server
        self._shown: DrawingState | None = None
        self._export: Task | None = None
        self._stopping = False
        self._allowed = tk.BooleanVar(root, dispatcher.enabled)
        self.status = tk.StringVar(root)
        root.title(APP.name)
        root.protocol("WM_DELETE_WINDOW", root.quit)
        tool_bar = tk.Frame(root)
        tool_bar.pack(side="top", fill="x")
        tk.Label(root, textvariable=self.status, anchor="w").pack(side="bottom", fill="x")
        picture = host.drawing.picture
        self.layers = tk.Listbox(root, width=18, exportselection=False)
        self.layers.pack(side="right", fill="y")
        self.canvas = tk.Canvas(
            root,
            width=picture.width,
            height=picture.height,
            background="#ffffff",
            highlightthickness=0,
        )
        self.canvas.pack(side="left", fill="both", expand=True)
        self._painter = CanvasPainter(self.canvas)
        self.tools = CanvasTools(
            self.canvas, self._painter, self.run_command, lambda: self._ask("Text")
        )
        self._fill_tool_bar(tool_bar)
        self._make_menus()
        self._bind_keys()
        dispatcher.on_enabled_change(self._allowed.set)
        self._show()

    def run(self) -> None:
        """Run until the window is closed."""
        self._tick()
        self.root.mainloop()

    def stop(self) -> None:
        """End `run` at its next tick, also where it has not begun yet."""
        self._stopping = True

    def tick(self) -> None:
        """Answer terminals, do a step of what goes on, and show what has changed."""
        if self._server is not None:
            self._server.poll()
        self._host.tick()
        self._show()
        self._look_at_export()

    def run_command(self, command: Command, data: Mapping[str, Any] | None = None) -> object:
        """Run an action for a person. What is refused is said in the status line."""
        try:
            output: object = self._dispatcher.execute_command(command, dict(data or {}))
        except AppError as error:
            errors = error.data.get("errors") or [{"message": error.message}]
            self.status.set(str(errors[0]["message"]))
            return None
        self._show()
        return output

    def _tick(self) -> None:
        try:
            self.tick()
        finally:
            # Tk reports what a tick raises; the window goes on.
            self.root.after(_TICK_MILLISECONDS, self.root.quit if self._stopping else self._tick)

    def _show(self) -> None:
        state = self._host.drawing.state
        if state is self._shown:
            return
        self._shown = state
        self._painter.show(state.picture, state.selection)
        chosen = self._chosen_layer()
        self.layers.delete(0, "end")
        for layer in reversed(state.picture.layers):
            self.layers.insert("end", layer.name if layer.visible else f"({layer.name})")
        self.layers.selection_set(min(chosen, len(state.picture.layers) - 1))
        reach = "allowed" if self._dispatcher.enabled else "not allowed"
        self.status.set(f"Revision {state.revision}. Calls from terminals are {reach}.")

    def _fill_tool_bar(self, bar: tk.Frame) -> None:
        tool = tk.StringVar(self.root, TOOLS[0])
        for name in TOOLS:
            tk.Radiobutton(
                bar, text=name.capitalize(), value=name, variable=tool, indicatoron=False,
                command=lambda: setattr(self.tools, "tool", tool.get()),
            ).pack(side="left")  # fmt: skip
        colour = tk.StringVar(self.root, "None")
        tk.Label(bar, text="  Fill:").pack(side="left")
        tk.OptionMenu(
            bar, colour, *_COLOURS,
            command=lambda name: self._fill_with(_COLOURS[str(name)]),
        ).pack(side="left")  # fmt: skip

    def _make_menus(self) -> None:
        bar = tk.Menu(self.root)
        self.root.configure(menu=bar)
        entries: dict[str, list[tuple[str, str, Callable[[], object]]]] = {
            "File": [
                ("Export PNG…", "", self._export_png),
                ("Quit", "Ctrl+Q", self.root.quit),
            ],
            "Edit": [
                ("Undo", "Ctrl+Z", lambda: self.run_command(Command.UNDO)),
                ("Redo", "Ctrl+Y", lambda: self.run_command(Command.REDO)),
                ("Delete", "Del", lambda: self.run_command(Command.DELETE_SHAPES)),
                ("Select all", "Ctrl+A", self._select_all),
            ],
            "Layer": [
                ("Add…", "", self._add_layer),
                ("Rename…", "", self._rename_layer),
                ("Show or hide", "", self._toggle_layer),
                ("Up", "", lambda: self._move_layer(1)),
                ("Down", "", lambda: self._move_layer(-1)),
                ("Delete", "", self._delete_layer),
            ],
        }
        for title, items in entries.items():
            menu = tk.Menu(bar, tearoff=False)
            bar.add_cascade(label=title, menu=menu)
            for label, key, command in items:
                menu.add_command(label=label, accelerator=key, command=command)
        agent = tk.Menu(bar, tearoff=False)
        bar.add_cascade(label="Agent", menu=agent)
        agent.add_checkbutton(
            label="Allow calls from terminals", variable=self._allowed, command=self._allow,
            state="normal" if self._server is not None else "disabled",
        )  # fmt: skip

    def _bind_keys(self) -> None:
        keys: dict[str, Callable[[], object]] = {
            "<Control-z>": lambda: self.run_command(Command.UNDO),
            "<Control-y>": lambda: self.run_command(Command.REDO),
            "<Delete>": lambda: self.run_command(Command.DELETE_SHAPES),
            "<Control-a>": self._select_all,
            "<Control-q>": self.root.quit,
            "<Escape>": lambda: self.run_command(Command.SELECT, {"ids": []}),
            "<Left>": lambda: self._nudge(-1, 0),
            "<Right>": lambda: self._nudge(1, 0),
            "<Up>": lambda: self._nudge(0, -1),
            "<Down>": lambda: self._nudge(0, 1),
        }
        for key, command in keys.items():
            self.canvas.bind(key, lambda _event, command=command: command())  # type: ignore[misc]

    def _allow(self) -> None:
        self._dispatcher.set_enabled(self._allowed.get())
        self._shown = None
        self._show()
        problem = None if self._server is None else self._server.problem
        if problem is not None:
            self.status.set(f"Terminals cannot reach this app: {problem}")

    def _fill_with(self, colour: str | None) -> None:
        self.tools.fill = colour
        for shape_id in self._host.drawing.state.selection:
            if self._host.drawing.picture.shape(shape_id).kind != "line":
                self.run_command(Command.UPDATE_SHAPE, {"id": shape_id, "fill": colour})

    def _nudge(self, dx: int, dy: int) -> None:
        self.run_command(Command.MOVE_SHAPES, {"dx": dx, "dy": dy})

    def _select_all(self) -> None:
        ids = [shape.id for shape in self._host.drawing.picture.painted()]
        self.run_command(Command.SELECT, {"ids": ids})

    def _chosen_layer(self) -> int:
        """Return the row in the list, in which the topmost layer comes first."""
        chosen = self.layers.curselection()  # type: ignore[no-untyped-call]
        return int(chosen[0]) if chosen else 0

    def _with_layer(self, run: Callable[[str], object]) -> None:
        layers = self._host.drawing.picture.layers
        run(layers[len(layers) - 1 - self._chosen_layer()].id)

    def _add_layer(self) -> None:
        name = self._ask("Name of the layer")
        if name:
            self.run_command(Command.ADD_LAYER, {"name": name})

    def _rename_layer(self) -> None:
        def rename(layer_id: str) -> None:
            name = self._ask("Name of the layer")
            if name:
                self.run_command(Command.RENAME_LAYER, {"id": layer_id, "name": name})

        self._with_layer(rename)

    def _toggle_layer(self) -> None:
        def toggle(layer_id: str) -> None:
            visible = not self._host.drawing.picture.layer(layer_id).visible
            self.run_command(Command.SHOW_LAYER, {"id": layer_id, "visible": visible})

        self._with_layer(toggle)

    def _move_layer(self, by: int) -> None:
        layers = self._host.drawing.picture.layers
        at = len(layers) - 1 - self._chosen_layer()
        if 0 <= at + by < len(layers):
            self.run_command(Command.ORDER_LAYER, {"id": layers[at].id, "at": at + by})
            self.layers.selection_clear(0, "end")
            self.layers.selection_set(len(layers) - 1 - at - by)

    def _delete_layer(self) -> None:
        self._with_layer(lambda layer_id: self.run_command(Command.DELETE_LAYER, {"id": layer_id}))

    def _export_png(self) -> None:
        task = self.run_command(Command.EXPORT, {"format": "png"})
        if isinstance(task, Task):
            self._export = task

    def _look_at_export(self) -> None:
        task = self._export
        if task is None:
            return
        if not task.ended:
            progress = task.progress or {"done": 0, "total": 1}
            self.status.set(f"Exporting: {progress['done']} of {progress['total']}")
            return
        self._export = None
        if task.error is not None or not isinstance(task.output, dict):
            self.status.set(str(task.error or "The export was cancelled."))
            return
        self._save(str(task.output["resource"]))

    def _save(self, uri: str) -> None:
        name = self._in_dialog(
            "where to save the file", lambda: filedialog.asksaveasfilename(defaultextension=".png")
        )
        found = self._host.read_resource(uri, 0, 1 << 30)
        if not name or found is None:
            return
        try:
            Path(name).write_bytes(found.data)
        except OSError as error:
            self.status.set(f"It could not be saved: {error.strerror}")
        else:
            self.status.set(f"Saved as {name}")

    def _ask(self, what: str) -> str | None:
        return self._in_dialog(what, lambda: simpledialog.askstring(APP.name, what))

    def _in_dialog(self, what: str, ask: Callable[[], T]) -> T:
        """Ask a person. Terminals are told meanwhile that the app waits for the answer."""
        self._host.dialog = what
        try:
            return ask()
        finally:
            self._host.dialog = None
