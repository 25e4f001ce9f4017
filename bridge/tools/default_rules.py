"""Whether what a property says of its default is what a call that leaves it out is given.

A `default` in a schema tells a reader and changes nothing; what is filled in stands in the
extension block. Two that differ, or one that is only told, are most often a slip: a warning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bridge.tools.problem_report import Report

__all__ = ["check_told_defaults"]


def check_told_defaults(key: str, plain: Mapping[str, Any], report: Report) -> None:
    """Compare the root's defaults with those of the block under `key`; both with plain numbers.

    Contract: package tools, extension.
    """
    properties, defaults = plain.get("properties"), plain[key].get("defaults", {})
    if not isinstance(properties, Mapping) or not isinstance(defaults, Mapping):
        return
    for name, schema in properties.items():
        if not isinstance(schema, Mapping) or "default" not in schema:
            continue
        place = ("properties", name, "default")
        if name not in defaults:
            words = f"only tells: a call that leaves it out is given nothing; write {key}.defaults"
            report.warn(place, "default-unapplied", f"{words} as well")
        elif not _same(schema["default"], defaults[name]):
            words = f"is not what a call that leaves it out is given by {key}.defaults"
            report.warn(place, "default-differs", f"{words}: make them the same")


def _same(one: object, other: object) -> bool:
    # For Python a boolean is a number.
    return one == other and isinstance(one, bool) == isinstance(other, bool)
