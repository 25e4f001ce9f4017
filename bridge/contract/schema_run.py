"""One check of one value against one schema: the twin of `browser_worker/contract/schema_run.js`.

Walks both side by side, collects the problems and counts the work, so that no schema and no
value can hold the process. What a schema asks for was prepared as a `Plan` when it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from bridge.contract.schema_marks import Marks
from bridge.contract.schema_numbers import is_array, is_number, is_object

__all__ = ["Check", "Part", "Plan", "Run", "SchemaViolation", "TooMuchWork"]

MAX_STEPS: Final = 400_000
"""The largest message may meet some two dozen schemas at each of its values."""
_MAX_DEPTH: Final = 128
_MAX_PROBLEMS: Final = 64
_MAX_PATH_CHARS: Final = 1_024

Scope: TypeAlias = tuple[str, ...]
"""The base URIs of the resources entered on the way, outermost first."""
Check: TypeAlias = "Callable[[Run, Any, str, Marks | None, Scope], bool]"
Part: TypeAlias = "Plan | bool"


class SchemaViolation(NamedTuple):
    """One problem: where in the value, as a JSON Pointer, and what is asked for there."""

    path: str
    message: str


class TooMuchWork(Exception):  # noqa: N818 - it ends a check, it is no error of anybody's
    """The step budget is spent."""


class Plan:
    """What one schema asks for, ready to be run."""

    __slots__ = (
        *("array", "asks", "base", "combined", "dynamic", "dynamic_anchor", "general"),
        *("number", "object", "ref", "ref_alone", "text", "unevaluated"),
    )

    def __init__(self, base: str) -> None:
        self.base = base
        self.ref: Part | None = None
        self.ref_alone = False
        """Whether whatever stands beside `$ref` is ignored, as in draft-07."""
        self.dynamic: Part | None = None
        self.dynamic_anchor: str | None = None
        """Set where an outer resource may put another schema in its place."""
        self.general: Sequence[Check] = ()
        self.text: Sequence[Check] = ()
        self.number: Sequence[Check] = ()
        self.array: Sequence[Check] = ()
        self.object: Sequence[Check] = ()
        self.combined: Sequence[Check] = ()
        self.unevaluated: Check | None = None


class Run:
    """One check of one value."""

    def __init__(self, dynamic_anchors: Mapping[str, Part]) -> None:
        self._dynamic_anchors = dynamic_anchors
        self._steps: float = 0
        self._depth = 0
        self._silent = 0
        self.problems: list[SchemaViolation] = []

    def fail(self, path: str, message: str) -> bool:
        """Note a problem. Returns False."""
        if self._silent == 0 and len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(SchemaViolation(_shortened(path), message))
        return False

    def work(self, steps: float) -> None:
        """Count work. Raises `TooMuchWork`."""
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise TooMuchWork

    def look(self, length: int) -> None:
        """Count a look at something large: a list, an object or a text.

        It is little each time, and a schema can ask for it any number of times.
        """
        self.work(length >> 4)

    def merge(self, marks: Marks | None, found: Marks | None) -> None:
        """Take over what another check evaluated."""
        if marks is None or found is None:
            return
        self.look(len(found.names) + len(found.items))
        marks.add(found)

    def check(
        self,
        part: Part,
        value: Any,  # noqa: ANN401
        path: str,
        marks: Marks | None,
        scope: Scope,
    ) -> bool:
        """Check a value, filling `marks` where somebody around asks for what was evaluated."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TooMuchWork
        if part is True:
            return True
        if part is False:
            return self.fail(path, "nothing is allowed here")
        # Not restored by an exception: that ends the whole check.
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise TooMuchWork
        if self._dynamic_anchors and (not scope or scope[-1] != part.base):
            scope = (*scope, part.base)
        ok = self._keywords(part, value, path, marks, scope)
        self._depth -= 1
        return ok

    def matches(
        self,
        part: Part,
        value: Any,  # noqa: ANN401
        path: str,
        marks: Marks | None,
        scope: Scope,
    ) -> bool:
        """Check without reporting: for keywords that only ask whether a schema matches."""
        self._silent += 1
        found = None if marks is None else Marks()
        ok = self.check(part, value, path, found, scope)
        if ok:
            self.merge(marks, found)
        self._silent -= 1
        return ok

    def _keywords(
        self,
        plan: Plan,
        value: Any,  # noqa: ANN401
        path: str,
        outer: Marks | None,
        scope: Scope,
    ) -> bool:
        if plan.ref is not None and plan.ref_alone:
            return self.check(plan.ref, value, path, outer, scope)
        marks = outer if plan.unevaluated is None else Marks()
        ok = plan.ref is None or self.check(plan.ref, value, path, marks, scope)
        if plan.dynamic is not None:
            target = self._dynamic_target(plan, plan.dynamic, scope)
            ok = self.check(target, value, path, marks, scope) and ok
        for check in plan.general:
            ok = check(self, value, path, marks, scope) and ok
        for check in _for_kind(plan, value):
            ok = check(self, value, path, marks, scope) and ok
        for check in plan.combined:
            ok = check(self, value, path, marks, scope) and ok
        if plan.unevaluated is not None:
            ok = plan.unevaluated(self, value, path, marks, scope) and ok
            self.merge(outer, marks)
        return ok

    def _dynamic_target(self, plan: Plan, target: Part, scope: Scope) -> Part:
        """Return what the outermost resource on the way puts in the place of the target."""
        if plan.dynamic_anchor is not None:
            for base in scope:
                found = self._dynamic_anchors.get(f"{base}#{plan.dynamic_anchor}")
                if found is not None:
                    return found
        return target


def _for_kind(plan: Plan, value: object) -> Sequence[Check]:
    """Return the checks for values of this kind."""
    if isinstance(value, str):
        return plan.text
    if is_number(value):
        return plan.number
    if is_array(value):
        return plan.array
    if is_object(value):
        return plan.object
    return ()


def _shortened(path: str) -> str:
    """Return the path, or the nearest ancestor's that is not too long to be told.

    All problems together must fit into an answer. Measured in UTF-16, as the twin does.
    """
    if len(path) * 2 <= _MAX_PATH_CHARS:
        return path
    units = path.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * _MAX_PATH_CHARS:
        return path
    # A slash is one unit, so that no pair is cut in two.
    head = units[: 2 * (_MAX_PATH_CHARS + 1)].decode("utf-16-le", "replace")
    return head[: max(0, head.rfind("/"))]
