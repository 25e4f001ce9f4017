"""What is read of a host beside its actions: its state and its resources, each in its turn.

A caller outside is asked for again when its turn has come. Changes nothing. Contract: the
dispatcher, resources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from bridge.contract.error_codes import AppErrorCode
from bridge.contract.limits import PROTOCOL_LIMITS
from bridge.dispatcher.app_error import AppError
from bridge.dispatcher.call_checks import Expired, require_caller
from bridge.dispatcher.checked_host import CheckedHost
from bridge.dispatcher.eventually import Eventually, Later, and_then
from bridge.dispatcher.host import Resource
from bridge.dispatcher.outputs import plain_output
from bridge.dispatcher.resources import WholeRead
from bridge.dispatcher.runtime import Runtime
from bridge.dispatcher.turn_queue import GiveUp, TurnQueue

__all__ = ["AsOf", "HostReading"]

T = TypeVar("T")


class AsOf(NamedTuple, Generic[T]):
    """What the host told, and its revision at that moment."""

    value: T
    revision: int | None


class HostReading:
    """What a dispatcher reads of its host.

    Of each method, `external` says that it is for a caller outside, and `expired` whether that one
    has gone. `require_enabled` raises where callers outside are not served.
    """

    def __init__(
        self,
        host: CheckedHost,
        turns: TurnQueue,
        runtime: Runtime,
        require_enabled: Callable[[], None],
    ) -> None:
        self._host = host
        self._turns = turns
        self._runtime = runtime
        self._require_enabled = require_enabled

    def inspect(
        self, query: dict[str, Any], *, external: bool = True, expired: Expired | None = None
    ) -> Eventually[AsOf[Mapping[str, Any]]]:
        """Ask for a view of the app's state.

        Raises `AppError`: `UNAVAILABLE` where the host offers none, `INVALID_OUTPUT` where what
        it gives is no object.
        """

        def check(state: object) -> Mapping[str, Any]:
            if not isinstance(state, Mapping):
                raise AppError(
                    AppErrorCode.INVALID_OUTPUT,
                    "What the app tells of its state is not an object.",
                )
            copy: Mapping[str, Any] = plain_output(state)
            return copy

        def inspect() -> Eventually[Mapping[str, Any]]:
            return and_then(self._host.inspect(query), check)

        return self._in_turn(inspect, external, expired)

    def resource(
        self,
        uri: str,
        offset: int,
        limit: int,
        *,
        external: bool = True,
        expired: Expired | None = None,
    ) -> Eventually[AsOf[Resource]]:
        """Read at most `limit` bytes of a resource. Raises `AppError` `UNKNOWN_RESOURCE`."""

        def read() -> Eventually[Resource]:
            return and_then(self._host.read_resource(uri, offset, limit), _there)

        return self._in_turn(read, external, expired)

    def whole_resource(
        self, uri: str, max_bytes: int, *, expired: Expired | None = None
    ) -> Eventually[AsOf[Resource]]:
        """Read all of a resource, part by part, in one turn, for a caller outside.

        Of one that has more than `max_bytes`, its `size` says so and its data is not all of it.
        Raises `AppError` `UNKNOWN_RESOURCE`.
        """

        def read() -> Eventually[Resource]:
            whole = WholeRead(self._host.read_resource, uri, max_bytes, self._runtime)
            return and_then(whole.run(), _there)

        return self._in_turn(read, True, expired)

    def resources(
        self, *, expired: Expired | None = None
    ) -> Eventually[AsOf[Sequence[Mapping[str, Any]]]]:
        """Ask which resources there are, for a caller outside.

        Raises `AppError` `INVALID_OUTPUT` where what the host gives is no such list.
        """
        return self._in_turn(self._host.resources, True, expired)

    def resource_templates(
        self, *, expired: Expired | None = None
    ) -> Eventually[AsOf[Sequence[Mapping[str, Any]]]]:
        """Ask how resources are named that are not listed. Raises as above."""
        return self._in_turn(self._host.resource_templates, True, expired)

    def _in_turn(
        self, call: Callable[[], Eventually[T]], external: bool, expired: Expired | None
    ) -> Eventually[AsOf[T]]:
        """Run something of the host's. What lasts too long goes on, but gives up its turn."""

        def sealed(value: T) -> AsOf[T]:
            return AsOf(value, self._host.revision())

        def checked() -> Eventually[AsOf[T]]:
            # Its turn may have come long after it was asked for.
            if external:
                self._require_enabled()
                require_caller(expired)
            return and_then(call(), sealed)

        def run(give_up: GiveUp) -> Eventually[AsOf[T]]:
            value = checked()
            if not isinstance(value, Later) or value.settled:
                # An answer at once needs no timer, and so no loop either.
                return value
            cancel = self._runtime.after(PROTOCOL_LIMITS.max_turn_seconds, give_up)
            return value.watched(lambda _value: cancel(), lambda _error: cancel())

        return checked() if self._host.concurrent else self._turns.run(run)


def _there(found: Resource | None) -> Resource:
    if found is None:
        raise AppError(AppErrorCode.UNKNOWN_RESOURCE, "The app has no such resource.")
    return found
