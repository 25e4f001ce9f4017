"""Makes JSON small enough and leaves it what it was: an object, a list, a text stays one.

Lists lose elements at their end, long texts lose theirs and say so, plain values stay; members
go only where even that is too much, the last ones first. What fits is not touched, and the work
depends on the limits alone, not on how large the value is. Reads no schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from operator import itemgetter
from typing import Any, Final, NamedTuple

from bridge.contract.json_numbers import NumberToken
from bridge.tools.json_cost import (
    SMALL_STRING_CHARS,
    VALUE_COST,
    Costs,
    FitLimits,
    NotJsonError,
    is_within,
    key_cost,
    scalar_cost,
)
from bridge.tools.text_clip import MIN_CLIPPED_BYTES, clip, clip_to_bytes

__all__ = ["Cut", "Fitted", "fit"]

_MAX_CUTS: Final = 32
_MAX_PATH_CHARS: Final = 256
_TEXT_FLOOR: Final = MIN_CLIPPED_BYTES + 1


class Cut(NamedTuple):
    """One place where something was left out."""

    path: str
    """JSON Pointer."""
    original: int
    """Elements, members or characters that there were."""
    kept: int


class Fitted(NamedTuple):
    """A copy that is within the limits."""

    value: Any
    cuts: tuple[Cut, ...]
    """The first of them; none where all is there."""


def fit(value: object, limits: FitLimits) -> Fitted:
    """Return a copy within the limits. Contract: package tools, bounds.

    Raises `NotJsonError` for what is no JSON, where that is looked at: what is left out may be
    anything.
    """
    costs = Costs(limits)
    fitting = _Fitting(limits, costs)
    done = fitting.fit(value, limits.max_bytes, 0, "")
    return Fitted(done.value, tuple(fitting.cuts[:_MAX_CUTS]))


class _Done(NamedTuple):
    value: Any
    cost: int
    starved: bool
    """Whether it would have been more with a larger budget."""


class _Fitting:
    """One value being fitted."""

    def __init__(self, limits: FitLimits, costs: Costs) -> None:
        self._limits = limits
        self._costs = costs
        self._inside: set[int] = set()
        self.cuts: list[Cut] = []

    def fit(self, value: Any, budget: int, depth: int, path: str) -> _Done:  # noqa: ANN401
        if isinstance(value, str):
            return self._text(value, budget, path)
        if isinstance(value, Mapping | list | tuple):
            if id(value) in self._inside:
                raise NotJsonError(path, "is nested within itself")
            self._inside.add(id(value))
            if isinstance(value, Mapping):
                done = self._object(value, budget, depth, path)
            else:
                done = self._list(value, budget, depth, path)
            self._inside.discard(id(value))
            return done
        cost = scalar_cost(value, path)
        return _Done(_plain(value), cost, starved=False)

    def _text(self, text: str, budget: int, path: str) -> _Done:
        text = text if type(text) is str else str.__str__(text)
        try:
            # What its own limit takes away would be taken with any budget.
            clipped = own = clip(text, self._limits.max_string_chars)
            if not is_within(own, budget):
                room = max(budget, _TEXT_FLOOR) - 1
                clipped = clip_to_bytes(text, self._limits.max_string_chars, room)
            cost = scalar_cost(clipped, path)
        except ValueError as error:
            raise NotJsonError(path, str(error)) from None
        if clipped is not text:
            self._cut(path, len(text), len(clipped))
        return _Done(clipped, cost, starved=clipped is not own)

    def _list(
        self, items: list[Any] | tuple[Any, ...], budget: int, depth: int, path: str
    ) -> _Done:
        kept: list[Any] = []
        spent = VALUE_COST
        starved = False
        most = self._limits.max_members if depth < self._limits.max_depth else 0
        for index, item in enumerate(islice(items, most)):
            if spent + VALUE_COST > budget:
                starved = True
                break
            told = len(self.cuts)
            done = self.fit(item, budget - spent, depth + 1, f"{path}/{index}")
            if (done.starved and kept) or spent + done.cost > budget:
                # Half an element at the end of a list would look like a whole one.
                del self.cuts[told:]
                starved = True
                break
            kept.append(done.value)
            spent += done.cost
            if done.starved:
                starved = True
                break
        if len(kept) < len(items):
            self._cut(path, len(items), len(kept))
        return _Done(kept, spent, starved)

    def _object(self, members: Mapping[Any, Any], budget: int, depth: int, path: str) -> _Done:
        most = self._limits.max_members if depth < self._limits.max_depth else 0
        kept: dict[str, Any] = {}
        waiting: list[tuple[int, int, str, Any]] = []
        spent = VALUE_COST
        starved = False
        for key, member in islice(members.items(), most):
            name = self._name(key, path)
            if name is None:
                continue
            floor = self._floor(member, f"{path}/{_escaped(name)}")
            cost = key_cost(name, path) + floor
            if spent + cost > budget:
                starved = True
                break
            spent += cost
            kept[name] = None
            if isinstance(member, str | Mapping | list | tuple):
                waiting.append((self._costs.of(member, depth + 1) - floor, floor, name, member))
            else:
                kept[name] = _plain(member)
        # The smallest need first: what it leaves of its share is the others'. So all stay whole
        # that together fit.
        waiting.sort(key=itemgetter(0))
        left = budget - spent
        for taken, (_, floor, name, member) in enumerate(waiting):
            share = floor + left // (len(waiting) - taken)
            done = self.fit(member, share, depth + 1, f"{path}/{_escaped(name)}")
            kept[name] = done.value
            left -= done.cost - floor
            starved = starved or done.starved
        if len(kept) < len(members):
            self._cut(path, len(members), len(kept))
        return _Done(kept, budget - left, starved)

    def _floor(self, member: object, path: str) -> int:
        """Return what a member takes at least."""
        if isinstance(member, str):
            if len(member) <= SMALL_STRING_CHARS:
                return scalar_cost(member, path)
            return _TEXT_FLOOR
        if isinstance(member, Mapping | list | tuple):
            return VALUE_COST
        return scalar_cost(member, path)

    def _name(self, key: object, path: str) -> str | None:
        if not isinstance(key, str):
            raise NotJsonError(path, f"has a key that is no text but {type(key).__name__[:60]}")
        # A name is never cut: it would be another one.
        return str.__str__(key) if len(key) <= self._limits.max_string_chars else None

    def _cut(self, path: str, original: int, kept: int) -> None:
        self.cuts.append(Cut(path[:_MAX_PATH_CHARS], original, kept))


def _plain(value: Any) -> Any:  # noqa: ANN401 - what has a cost is JSON
    if value is None or isinstance(value, bool | NumberToken):
        return value
    return int(value) if isinstance(value, int) else float(value)


def _escaped(name: str) -> str:
    return name[:_MAX_PATH_CHARS].replace("~", "~0").replace("/", "~1")
