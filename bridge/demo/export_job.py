"""One export, or a rendering that takes long: makes its file a step at each tick.

A task. It is cancelled between two steps, and fails where the drawing has changed meanwhile: a
file is given only if it is still true.
"""

from __future__ import annotations

from bridge.contract.error_codes import AppErrorCode
from bridge.demo.drawing_model import Drawing
from bridge.demo.picture_file import MIME_TYPES, FileFormat, picture_file_in_steps
from bridge.demo.resource_shelf import ResourceShelf
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.task_table import Task

__all__ = ["ExportJob", "file_view"]


def file_view(drawing: Drawing, uri: str, file_format: FileFormat, scale: int) -> dict[str, object]:
    """Tell of a file."""
    return {
        "resource": uri,
        "mimeType": MIME_TYPES[file_format],
        "width": drawing.picture.width * scale,
        "height": drawing.picture.height * scale,
    }


class ExportJob:
    """The work behind one `draw.export`, or a `ui.render` of much."""

    def __init__(
        self,
        task: Task,
        drawing: Drawing,
        shelf: ResourceShelf,
        file_format: FileFormat,
        scale: int,
    ) -> None:
        self.task = task
        self._drawing = drawing
        self._shelf = shelf
        self._format = file_format
        self._scale = scale
        self._revision = drawing.revision
        self._steps = picture_file_in_steps(drawing.picture, file_format, scale)

    def tick(self) -> bool:
        """Do one step, and say whether there is more to do."""
        task = self.task
        if task.checkpoint() or task.ended:
            self._steps.close()
            return False
        task.start()
        try:
            step = next(self._steps)
        except StopIteration as end:
            self._finish(end.value)
        except Exception as error:  # noqa: BLE001 - it is the task's failure, not the app's
            task.fail(error)
        else:
            task.report({"done": step.done, "total": step.total})
        return not task.ended

    def _finish(self, data: bytes) -> None:
        actual = self._drawing.revision
        if actual != self._revision:
            self.task.fail(
                AppError(
                    AppErrorCode.STALE_REVISION,
                    "The drawing changed while the file was made; ask for it again.",
                    {"expected": self._revision, "actual": actual},
                )
            )
            return
        uri = f"draw:export/{self.task.id}.{self._format}"
        self._shelf.put(uri, MIME_TYPES[self._format], data)
        self.task.complete(file_view(self._drawing, uri, self._format, self._scale))
