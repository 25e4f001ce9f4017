"""Lines of control protocol 1 for the fixture host: mostly right, often strange, sometimes broken.

JSON is made as text here: the tokens of numbers, escapes and the order of members are the point.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

from hypothesis import strategies as st

from tests.python.support.fixture_host import ACTIONS

__all__ = ["LINES", "STEPS"]

METHODS = (
    "agent/info",
    "actions/list",
    "actions/describe",
    "actions/execute",
    "actions/batch",
    "state/inspect",
    "tasks/get",
    "tasks/cancel",
    "resources/read",
    "view/render",
)
NAMES = (*(spec.name for spec in ACTIONS), "nothing", "__proto__", "constructor", "")
URIS = ("text", "zeros", "empty", "image", "slow", "fails", "lies", "nothing")
TOKENS = """
0 1 7 8 -1 1.0 7.0 0.7e1 1e3 10.0 -0 -0.0 0e9 1.5 0.1 0.10 1e-7 0.000001 123456.789 5e-324 1e21 1e22
1e400 -1e400 1e-400 9007199254740991 9007199254740992 9007199254740993 18446744073709551616
123456789012345680000 1E3 4 5 100 101 65536 65537 200000
"""
NUMBERS = st.sampled_from(TOKENS.split()) | st.floats(allow_nan=False, allow_infinity=False).map(
    repr
)
TEXTS = st.sampled_from(
    ["", "x", "half", "ä", "😀", "\u2028", "\x00", "\x7f", "e\u0301", "\ufeff", "~/", "7", "٣"]
) | st.text(max_size=6)


def written(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from([json.dumps(text), json.dumps(text, ensure_ascii=False)])


STRINGS = TEXTS.flatmap(written)
SCALARS = st.sampled_from(["true", "false", "null"]) | NUMBERS | STRINGS
MEMBER_NAMES = st.sampled_from(
    ["a", "b", "__proto__", "constructor", "toString", "10", "2", "01", "-1", "", "😀"]
) | st.text(max_size=3)


def object_text(members: list[tuple[str, str]]) -> str:
    inside = ",".join(f"{json.dumps(name)}:{value}" for name, value in members)
    return "{" + inside + "}"


def objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(
        st.tuples(MEMBER_NAMES, values), max_size=4, unique_by=lambda member: member[0]
    ).map(object_text)


VALUES = st.recursive(
    SCALARS,
    lambda values: (
        st.lists(values, max_size=4).map(lambda all_: f"[{','.join(all_)}]") | objects(values)
    ),
    max_leaves=8,
)


T = TypeVar("T")


def seldom(strange: st.SearchStrategy[T], right: st.SearchStrategy[T]) -> st.SearchStrategy[T]:
    """Choose evenly: numbers would be drawn at their ends."""
    return st.sampled_from([right] * 19 + [strange]).flatmap(lambda chosen: chosen)


def mostly(right: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return seldom(VALUES, right)


def names(all_: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from([json.dumps(name) for name in all_])


def members(
    needed: dict[str, st.SearchStrategy[str]] | None = None, **optional: st.SearchStrategy[str]
) -> st.SearchStrategy[str]:
    right = st.fixed_dictionaries(needed or {}, optional=optional)
    return seldom(
        st.fixed_dictionaries({}, optional=optional).map(lambda made: object_text([*made.items()])),
        right.map(lambda made: object_text([*made.items()])),
    )


BOOLEANS = st.sampled_from(["true", "false"])
REVISIONS = st.sampled_from(["7", "7", "7", "7", "8", "8", "9", "7.0", "100", "101"])
INPUTS = (
    members(
        text=mostly(STRINGS),
        n=mostly(NUMBERS),
        code=mostly(STRINGS),
        price=mostly(NUMBERS),
        scale=mostly(NUMBERS),
        bits=st.sampled_from(["0", "1", "3"]),
        action=names(NAMES),
        known=BOOLEANS,
        again=BOOLEANS,
        fails=BOOLEANS,
        lies=BOOLEANS,
        depth=st.sampled_from(["1", "28", "29", "30"]),
    )
    | STRINGS.map(lambda text: object_text([("text", text)]))
    | VALUES
)
# What a host of either language would read in its own way: that is no matter of the contract.
PLAIN_INPUTS = STRINGS.map(lambda text: object_text([("text", text)])) | st.just("{}")
STRICT = tuple(
    spec.name for spec in ACTIONS if spec.name not in {"grant", "retire", "make", "refuses"}
)
CALLS = st.tuples(names(NAMES), st.none() | PLAIN_INPUTS, REVISIONS | st.none()).map(
    lambda call: object_text(
        [("action", call[0])]
        + ([] if call[1] is None else [("input", call[1])])
        + ([] if call[2] is None else [("expectedRevision", call[2])])
    )
)
ANY_CALLS = members(
    {"action": mostly(names(STRICT))},
    input=mostly(INPUTS),
    expectedRevision=mostly(REVISIONS | NUMBERS),
)
PARAMS: dict[str, st.SearchStrategy[str]] = {
    "agent/info": VALUES,
    "actions/list": members(
        query=mostly(st.sampled_from(['"note"', '"SET"', '"a  e"', '"\\u00a0"']) | STRINGS),
        cursor=mostly(st.sampled_from(['"1"', '"2"', '"40"', '"٢"'])),
        limit=mostly(NUMBERS),
    ),
    "actions/describe": members({"action": mostly(names(NAMES))}),
    "actions/execute": CALLS | ANY_CALLS,
    "actions/batch": st.tuples(
        st.lists(CALLS | ANY_CALLS, min_size=1, max_size=4), mostly(BOOLEANS), mostly(BOOLEANS)
    ).map(
        lambda batch: object_text(
            [
                ("calls", f"[{','.join(batch[0])}]"),
                ("atomic", batch[1]),
                ("stopOnError", batch[2]),
            ]
        )
    ),
    "state/inspect": members(slow=BOOLEANS, fails=BOOLEANS, lies=BOOLEANS, what=VALUES) | VALUES,
    "tasks/get": members({"id": mostly(names(("task-1", "task-1", "task-2", "x")))}),
    "tasks/cancel": members({"id": mostly(names(("task-1", "task-1", "task-2", "x")))}),
    "resources/read": members(
        {"uri": mostly(names(tuple(f"note:{name}" for name in URIS)))},
        offset=mostly(NUMBERS),
        limit=mostly(NUMBERS),
    ),
    "view/render": members(scale=mostly(NUMBERS)) | VALUES,
}
IDS = st.sampled_from(
    ["1", "-0", "1.0", "1e3", "9007199254740993", '"x"', '"1"', '"\\u00e4"', '"😀"', '""']
)


def request(method: str) -> st.SearchStrategy[str]:
    message = st.fixed_dictionaries(
        {"jsonrpc": mostly(st.just('"2.0"')), "method": mostly(st.just(json.dumps(method)))},
        optional={"more": VALUES},
    )
    with_id = st.tuples(message, mostly(IDS)).map(lambda made: {"id": made[1], **made[0]})
    return st.tuples(seldom(message, with_id), PARAMS[method]).map(
        lambda made: object_text([*made[0].items(), ("params", made[1])])
    )


REQUESTS = st.sampled_from(METHODS + ("actions/execute", "actions/batch") * 3).flatmap(request)
BROKEN = r'" { } [ ] , : \u \ 1e999 - NaN Infinity 0 . e ,"id":null "a":1,"a":2,'
SCRAPS = st.sampled_from([*BROKEN.split(), *"\ud800\u2028\u00a0\ufeff\x00\n"]) | st.text(max_size=4)


def mutated(made: tuple[str, int, int, str]) -> str:
    """Cut something out of a line, and put something in."""
    line, at, cut, put = made
    start = at % (len(line) + 1)
    return line[:start] + put + line[start + cut :]


MUTATED = st.tuples(REQUESTS, st.integers(0, 400), st.integers(0, 4), SCRAPS).map(mutated)
LINES = st.sampled_from([REQUESTS] * 9 + [MUTATED] * 2 + [VALUES | st.text(max_size=20)]).flatmap(
    lambda chosen: chosen
)
ASKED: st.SearchStrategy[dict[str, Any]] = st.builds(
    lambda line, session: {"line": line, "session": session}, LINES, st.sampled_from(["a", "b"])
)
TIME: list[dict[str, Any]] = [{"tick": True}, {"advance": 5}, {"advance": 1}]
STATE: list[dict[str, Any]] = [
    {"enable": True},
    {"enable": False},
    {"modal": True},
    {"modal": False},
]
HAPPENS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(TIME * 3 + STATE)
STEP = st.sampled_from([ASKED] * 6 + [HAPPENS]).flatmap(lambda chosen: chosen)
STEPS = st.lists(STEP, min_size=2, max_size=10)
