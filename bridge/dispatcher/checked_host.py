"""A host as far as it may be believed: each answer of it is of the right type, or an error.

The only place that calls a host.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from bridge.dispatcher.action_spec import ActionSpec
from bridge.dispatcher.eventually import Eventually, and_then, called, discard, started
from bridge.dispatcher.host import CallContext, Host, Resource, Unavailability
from bridge.dispatcher.resources import (
    checked_resource,
    checked_resources,
    checked_templates,
)
from bridge.dispatcher.runtime import Runtime

__all__ = ["CheckedHost"]

T = TypeVar("T")
_NEVER_AWAITED: Final = frozenset({dict, list, tuple, str, int, bool, type(None)})
"""Most answers; whether anything else is to be awaited takes longer to tell."""


def _integer(value: object, what: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    raise TypeError(f"the host's {what} is not an integer")


class CheckedHost:
    """What a dispatcher asks of its host."""

    def __init__(self, host: Host, runtime: Runtime) -> None:
        self._host = host
        self._runtime = runtime
        self._known: tuple[object, ...] = ()
        self._by_name: Mapping[str, ActionSpec] = {}

    @property
    def concurrent(self) -> bool:
        """Whether calls may overlap."""
        return bool(self._host.concurrent)

    def actions(self) -> Eventually[Mapping[str, ActionSpec]]:
        """Return the app's actions by name, in its own order."""
        specs = self._host.actions()
        # A tuple does not change: the same one again needs no second look.
        return (
            self._by_name
            if specs is self._known
            else and_then(self._eventually(specs), self._index)
        )

    def _index(self, specs: Sequence[object]) -> Mapping[str, ActionSpec]:
        by_name: dict[str, ActionSpec] = {}
        commands: set[int] = set()
        for spec in specs:
            if not isinstance(spec, ActionSpec) or spec.name in by_name:
                raise TypeError("the host's actions are not unique ActionSpecs")
            if spec.command_id is not None:
                if spec.command_id in commands:
                    raise TypeError("command ids are not unique")
                commands.add(spec.command_id)
            by_name[spec.name] = spec
        if type(specs) is tuple:
            self._known, self._by_name = specs, by_name
        return by_name

    def revision(self, action: str | None = None) -> int | None:
        """Return the state number, always read from the host."""
        value = _at_once(self._host.revision(action), "revision")
        return None if value is None else _integer(value, "revision")

    def capabilities(self) -> int:
        """Return the capability bits that the host holds now."""
        return _integer(_at_once(self._host.capabilities(), "capabilities"), "capabilities")

    def unavailable(self, action: str) -> Unavailability | None:
        """Say why an action cannot run now."""
        found = self._host.modal()
        if found is None:
            found = self._host.availability(action)
        if found is None:
            return None
        code, reason = cast("tuple[object, object]", _at_once(found, "availability"))
        if not isinstance(code, str) or not isinstance(reason, str):
            raise TypeError("an Unavailability is a code and a reason")
        return Unavailability(code, reason)

    def execute(self, action: str, data: Any, context: CallContext) -> object:  # noqa: ANN401
        """Run an action. What comes back may have to be awaited: see `eventually`."""
        return called(self._host.execute, action, data, context)

    def eventually(self, answer: object) -> Eventually[object]:
        """Let an answer that has to be awaited go on by itself."""
        return self._eventually(answer)

    def inspect(self, query: dict[str, Any]) -> Eventually[object]:
        """Return what the app tells of its state."""
        return self._eventually(self._host.inspect(query))

    def read_resource(self, uri: str, offset: int, limit: int) -> Eventually[Resource | None]:
        """Read a part of a resource, with every number of the answer checked."""

        def check(found: Resource | None) -> Resource | None:
            return None if found is None else checked_resource(found, offset, limit)

        answer = self._host.read_resource(uri, offset, limit)
        return and_then(self._eventually(answer), check)

    def resources(self) -> Eventually[Sequence[Mapping[str, Any]]]:
        """Return what the app lists of its resources."""
        return and_then(self._eventually(self._host.resources()), checked_resources)

    def resource_templates(self) -> Eventually[Sequence[Mapping[str, Any]]]:
        """Return how resources of the app are named that it does not list."""
        return and_then(self._eventually(self._host.resource_templates()), checked_templates)

    def supports_transaction(self, domain: str) -> bool:
        """Say whether atomic batches may write in a domain."""
        return _at_once(self._host.supports_transaction(domain), "supports_transaction") is True

    def begin_transaction(self, domain: str) -> None:
        """Begin an atomic batch."""
        method = cast("Callable[[str], object]", self._host.begin_transaction)
        _at_once(called(method, domain), "begin_transaction")

    def commit_transaction(self, domain: str) -> None:
        """Keep what an atomic batch did."""
        method = cast("Callable[[str], object]", self._host.commit_transaction)
        _at_once(called(method, domain), "commit_transaction")

    def rollback_transaction(self, domain: str) -> None:
        """Undo what an atomic batch did."""
        method = cast("Callable[[str], object]", self._host.rollback_transaction)
        _at_once(called(method, domain), "rollback_transaction")

    def _eventually(self, answer: T | Awaitable[T]) -> Eventually[T]:
        if type(answer) not in _NEVER_AWAITED and isinstance(answer, Awaitable):
            return started(answer, self._runtime)
        return cast("T", answer)


def _at_once(answer: T, what: str) -> T:
    """Take an answer that cannot be awaited: how that would end, nobody could be told."""
    if type(answer) not in _NEVER_AWAITED and isinstance(answer, Awaitable):
        discard(answer)
        raise TypeError(f"the host's {what} has to answer at once, and is to be awaited")
    return answer
