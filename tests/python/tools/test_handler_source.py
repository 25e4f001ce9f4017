"""What a handler's source tells without being run, and that only what is certain is told."""

from __future__ import annotations

import pytest

from bridge.tools.handler_source import source_problem

FILE = "handlers/note_add.py"
GOOD = "async def handle(arguments, session, call): ...\n"


@pytest.mark.parametrize(
    ("source", "rule", "words"),
    [
        ("def handle(:\n", "handler-import", "SyntaxError"),
        ("return 1\n" + GOOD, "handler-import", "outside function"),
        ("a = '\0'\n" + GOOD, "handler-import", "null bytes"),
        ("# coding: no-such\n" + GOOD, "handler-import", "encoding"),
        ("(" * 100_000, "handler-import", "Error"),
        ("", "handler-shape", "must define async def handle"),
        ("async def run(arguments, session, call): ...\n", "handler-shape", "must define"),
        ("def make(handle=None): ...\n", "handler-shape", "must define"),
        ("def handle(arguments, session, call): ...\n", "handler-shape", "not async"),
        ("handle = 42\n", "handler-shape", "not async"),
        ("async def handle(arguments): ...\n", "handler-shape", "other parameters"),
        ("async def handle(a, b, c, d): ...\n", "handler-shape", "other parameters"),
        ("async def handle(a, b, c, *, d): ...\n", "handler-shape", "other parameters"),
        ("async def handle(a, b, *, c=1): ...\n", "handler-shape", "other parameters"),
    ],
)
def test_what_is_certainly_wrong_is_told(source: str, rule: str, words: str) -> None:
    problem = source_problem(FILE, source.encode())
    assert problem is not None
    assert (problem.file, problem.rule) == (FILE, rule)
    assert words in problem.message
    assert problem.message.isprintable()


@pytest.mark.parametrize(
    "source",
    [
        GOOD,
        "async def handle(a, b, c, d=1, *, e=2, **f): ...\n",
        "async def handle(*given): ...\n",
        "async def handle(a, /, b, *more): ...\n",
        "from ._common import handle\n",
        "from ._common import run as handle\n",
        "from ._common import *\n",
        "handle = make()\n",
        "a, handle = make()\n",
        "@decorated\ndef handle(a): ...\n",
        "if fast:\n    async def handle(a, b, c): ...\n",
        "def handle(a): ...\nhandle = wrapped(handle)\n",
        "def make():\n    global handle\n    from a import b as handle\n",
        "globals()['han' + 'dle'] = run\n",
        "exec('async def handle(a, b, c): ...')\n",
        "import sys\nsetattr(sys.modules[__name__], 'handle', run)\n",
        "raise RuntimeError('only running tells')\n" + GOOD,
        "'\\d'\n" + GOOD,
        "\ufeff" + GOOD,
    ],
)
def test_what_may_be_right_is_left_to_its_import(source: str) -> None:
    assert source_problem(FILE, source.encode()) is None
