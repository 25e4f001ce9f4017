"""Lines of MCP for the fixture host, in both revisions: mostly right, often strange.

Made as text, as in `json_lines.py`. Sessions are told apart by name: whichever protocol the first
valid request of each has selected is part of what is compared.
"""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import strategies as st

from tests.python.support.json_lines import (
    BOOLEANS,
    HAPPENS,
    IDS,
    LINES,
    MUTATED,
    NUMBERS,
    PARAMS,
    STRINGS,
    VALUES,
    members,
    mostly,
    names,
    object_text,
    seldom,
)

__all__ = ["MCP_STEPS"]

P: Final = "io.modelcontextprotocol/"
METHODS: Final = (
    "server/discover",
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "actions/execute",
    "prompts/list",
    "__proto__",
)
RESOURCES: Final = (
    *("text", "zeros", "empty", "image", "slow", "fails", "lies", "drips", "json", "linked"),
    *("drawn", "charset", "marked", "broken", "bare", "bytes/65537", "letters/9", "nulls/3"),
    *("pixels/7", "bytes/196609", "nothing"),
)
URIS = mostly(names(tuple(f"note:{name}" for name in RESOURCES)))
TASKS = mostly(names(("task-1", "task-1", "task-2", "x")))
CURSORS = mostly(st.sampled_from(['"1"', '"2"', '"100"', '"200"', '"0"', '""', '"٢"']))

ARGUMENTS: Final[dict[str, st.SearchStrategy[str]]] = {
    "actions_search": PARAMS["actions/list"],
    "actions_describe": PARAMS["actions/describe"],
    "actions_execute": PARAMS["actions/execute"],
    "actions_batch": PARAMS["actions/batch"],
    "state_inspect": members(slow=BOOLEANS, fails=BOOLEANS, lies=BOOLEANS, what=VALUES)
    | members(sinceRevision=mostly(NUMBERS), protocolVersion=VALUES),
    "task_status": members({"id": TASKS}, waitMs=mostly(st.sampled_from(["0", "1000", "25000"]))),
    "task_cancel": members({"id": TASKS}),
    "resource_read": members({"uri": URIS}, offset=mostly(NUMBERS), limit=mostly(NUMBERS)),
    "view_render": members(scale=mostly(NUMBERS), resource=URIS),
}


def call(tool: str) -> st.SearchStrategy[list[tuple[str, str]]]:
    """Make the params of a call, some without arguments, some with any value for them."""
    arguments = st.none() | mostly(ARGUMENTS[tool])
    return arguments.map(
        lambda given: [
            ("name", json.dumps(tool)),
            *([] if given is None else [("arguments", given)]),
        ]
    )


CALLS = st.sampled_from([*ARGUMENTS, "actions_execute", "actions_execute", "task_status"]).flatmap(
    call
)
ANY_CALLS = st.fixed_dictionaries({}, optional={"name": mostly(STRINGS), "arguments": VALUES}).map(
    lambda made: [*made.items()]
)
INITIALIZE = st.fixed_dictionaries(
    {
        "protocolVersion": mostly(
            st.sampled_from(['"2025-11-25"', '"2025-06-18"', '"2026-07-28"'])
        ),
        "capabilities": mostly(st.just("{}")),
        "clientInfo": mostly(st.just('{"name":"c","version":"1"}')),
    }
).map(lambda made: [*made.items()])
PARTS: Final[dict[str, st.SearchStrategy[list[tuple[str, str]]]]] = {
    "initialize": INITIALIZE,
    "tools/call": st.sampled_from([CALLS] * 9 + [ANY_CALLS]).flatmap(lambda chosen: chosen),
    "resources/read": URIS.map(lambda uri: [("uri", uri)]),
    "resources/list": st.none().map(lambda _: []) | CURSORS.map(lambda at: [("cursor", at)]),
    "resources/templates/list": CURSORS.map(lambda at: [("cursor", at)]) | st.just([]),
    "tools/list": st.just([]) | seldom(CURSORS.map(lambda at: [("cursor", at)]), st.just([])),
}
META = st.fixed_dictionaries(
    {
        f"{P}protocolVersion": seldom(VALUES, st.just('"2026-07-28"')),
        f"{P}clientCapabilities": seldom(VALUES, st.just("{}")),
    },
    optional={
        f"{P}clientInfo": VALUES,
        f"{P}logLevel": mostly(st.just('"debug"')),
        "progressToken": mostly(st.sampled_from(['"t"', "0", "1.0"])),
    },
).map(lambda made: object_text([*made.items()]))
SOME_META = st.fixed_dictionaries(
    {},
    optional={
        f"{P}protocolVersion": st.just('"2026-07-28"'),
        f"{P}clientCapabilities": st.just("{}"),
        "progressToken": mostly(st.just('"t"')),
    },
).map(lambda made: object_text([*made.items()]))


def request(method: str) -> st.SearchStrategy[str]:
    """Make a request of either revision, seldom without an id or with a strange member."""
    parts = PARTS.get(method, st.just([]))
    modern = st.tuples(parts, META).map(lambda made: object_text([*made[0], ("_meta", made[1])]))
    legacy = parts.map(object_text)
    mixed = st.tuples(parts, SOME_META | VALUES).map(
        lambda made: object_text([*made[0], ("_meta", made[1])])
    )
    params = st.sampled_from([modern] * 5 + [legacy] * 5 + [mixed, VALUES]).flatmap(lambda one: one)
    head = st.tuples(seldom(st.just(""), mostly(IDS)), mostly(st.just('"2.0"')))
    return st.tuples(head, params, st.booleans()).map(
        lambda made: object_text(
            [
                *([("id", made[0][0])] if made[0][0] else []),
                ("jsonrpc", made[0][1]),
                ("method", json.dumps(method)),
                *([("params", made[1])] if made[2] or method in PARTS else []),
            ]
        )
    )


CANCELLED = st.tuples(mostly(IDS), st.booleans()).map(
    lambda made: object_text(
        [
            ("jsonrpc", '"2.0"'),
            ("method", '"notifications/cancelled"'),
            ("params", object_text([("requestId", made[0])])),
            *([("id", "5")] if made[1] and made[0] == "1" else []),
        ]
    )
)
REQUESTS = st.sampled_from(METHODS + ("tools/call",) * 8).flatmap(request)
MCP_LINES = st.sampled_from([REQUESTS] * 9 + [CANCELLED, MUTATED, LINES]).flatmap(lambda one: one)
OPENINGS: Final = (
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    '"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}',
    '{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{'
    f'"{P}protocolVersion":"2026-07-28","{P}clientCapabilities":{{}}}}}}}}',
)
NAMES = st.sampled_from(["a", "b"])


def asked(line: str, session: str) -> dict[str, Any]:
    return {"line": line, "session": session}


LISTED = st.sampled_from([0, 98, 99, 198, "fails", "slow", "nameless", "numbered", "single"]).map(
    lambda listed: {"resources": listed}
)
STEP: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [st.builds(asked, MCP_LINES, NAMES)] * 12 + [HAPPENS] * 3 + [LISTED]
).flatmap(lambda chosen: chosen)
MCP_STEPS: st.SearchStrategy[list[dict[str, Any]]] = st.tuples(
    st.lists(st.builds(asked, st.sampled_from(OPENINGS), NAMES), max_size=2),
    st.lists(STEP, min_size=2, max_size=10),
).map(lambda made: [*made[0], *made[1]])
