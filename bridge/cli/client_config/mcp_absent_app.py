"""Whether the app of an entry runs now. It need not: but a name may be a slip of the pen."""

from __future__ import annotations

from bridge.cli.app_target import attached_slugs
from bridge.client.bridge_choice import names_app
from bridge.client.bridge_states import bridge_states
from bridge.client.discovery import running_bridges
from bridge.client.native_choice import natives_named
from bridge.client.runtime_directory import RuntimeDirectoryError

__all__ = ["told_absent"]


def told_absent(name: str) -> str | None:
    """Return a line about an app's name that nothing has which runs now; None where one has it.

    The line may hold anything that pages are called: it is not safe to print. Blocks while it asks
    the bridges. Raises nothing.
    """
    try:
        states = bridge_states(running_bridges())
        if natives_named(name) or any(names_app(name, state.app) for state in states):
            return None
    except RuntimeDirectoryError:
        return None
    there = ", ".join(attached_slugs())
    if not there:
        return f"No app runs now: the entry finds {name!r} once one of this name does."
    return (
        f"No app of the name {name!r} runs now; those that do: {there}. The entry finds it once it "
        "runs."
    )
