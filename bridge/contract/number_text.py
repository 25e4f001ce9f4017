"""A number that a reader keeps by its characters, where no arithmetic is done with it."""

from __future__ import annotations

__all__ = ["NumberText"]


class NumberText(str):
    """A number by its characters."""

    __slots__ = ()
