"""First-party handlers: which files are imported how, and what is told of those that are wrong."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from bridge.tools import handler_names
from bridge.tools.cancel_signal import CancelSignal
from bridge.tools.embedded_handler import LoopHandler, ThreadHandler
from bridge.tools.handler import Handler, ToolCall
from bridge.tools.handler_files import embedded_handlers
from bridge.tools.package import Package
from bridge.tools.package_handlers import handlers_of
from bridge.tools.problems import PackageError
from bridge.tools.result_limits import RUN_LIMITS, RunLimits
from tests.python.support.handlers import SESSION, package_in

GOOD = "async def handle(arguments, session, call):\n    return 'from the file'\n"
LATE = RUN_LIMITS._replace(import_seconds=0.05)
"""Import times are the only ones here that a test cannot hold in its hand."""

needs_links = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")

Write = Callable[..., Package]


def call_of(tool: str) -> ToolCall:
    return ToolCall(tool, None, CancelSignal(), 300.0)


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Write the handlers of a first-party package."""
    before = set(sys.modules)

    def write(files: Mapping[str, str], tools: tuple[str, ...] = ("note_add",)) -> Package:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), encoding="utf-8")
        return package_in(tmp_path, "first-party", *tools)

    yield write
    for name in set(sys.modules) - before:
        if name.startswith("_bascule_package_"):
            del sys.modules[name]


def problems_of(package: Package, limits: RunLimits = RUN_LIMITS) -> list[tuple[str, str]]:
    with pytest.raises(PackageError) as raised:
        embedded_handlers(package, limits)
    return [(problem.file, problem.rule) for problem in raised.value.problems]


async def ran(handlers: Mapping[str, Handler], tool: str = "note_add") -> object:
    return await handlers[tool].run({}, SESSION, call_of(tool))


async def test_a_file_runs_its_tool(write: Write) -> None:
    handlers = handlers_of(write({"handlers/note_add.py": GOOD}))
    assert list(handlers) == ["note_add"]
    assert await ran(handlers) == "from the file"


async def test_a_file_is_no_module_that_others_could_import(write: Write) -> None:
    path = list(sys.path)
    embedded_handlers(write({"handlers/note_add.py": GOOD}))
    assert sys.path == path
    assert "note_add" not in sys.modules
    assert "handlers" not in sys.modules


async def test_a_file_finds_its_neighbours_and_two_packages_do_not_meet(
    write: Write, tmp_path: Path
) -> None:
    text = """
        from . import _store
        from ._more.words import WORD
        async def handle(arguments, session, call):
            _store.COUNT += 1
            return f"{WORD} {_store.COUNT}"
    """
    files = {
        "handlers/note_add.py": text,
        "handlers/note_list.py": text,
        "handlers/_store.py": "COUNT = 0\n",
        "handlers/_more/words.py": "WORD = 'run'\n",
    }
    package = write(files, ("note_add", "note_list"))
    first, second = embedded_handlers(package), embedded_handlers(package)
    assert await ran(first, "note_add") == "run 1"
    assert await ran(first, "note_list") == "run 2"
    assert await ran(second, "note_add") == "run 1"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("def handle(arguments, session, call):\n    return 'x'\n", "handler-shape"),
        ("handle = 42\n", "handler-shape"),
        ("async def run(arguments, session, call): ...\n", "handler-shape"),
        ("async def handle(arguments): ...\n", "handler-shape"),
        ("async def handle(a, b, c, d): ...\n", "handler-shape"),
        ("import no_such_module_anywhere\n", "handler-import"),
        ("def handle(:\n", "handler-import"),
        ("raise SystemExit(3)\n", "handler-import"),
        ("raise KeyboardInterrupt\n", "handler-import"),
        ("import asyncio\nraise asyncio.CancelledError\n", "handler-import"),
        ("class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd\n",
         "handler-import"),
        ("class Odd(Exception):\n    def __str__(self): raise SystemExit\nraise Odd\n",
         "handler-import"),
        ("def __getattr__(name): raise RuntimeError(name)\n", "handler-shape"),
        ("import sys\nsys.modules[__name__] = None\n", "handler-shape"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_handler_is_a_problem(write: Write, text: str, rule: str) -> None:
    package = write({"handlers/note_add.py": text})
    assert problems_of(package) == [("handlers/note_add.py", rule)]


def test_a_handler_with_more_parameters_that_have_defaults_is_one(write: Write) -> None:
    text = "async def handle(arguments, session, call, more=1): ...\n"
    assert "note_add" in embedded_handlers(write({"handlers/note_add.py": text}))


def test_everything_that_is_wrong_is_told_at_once(write: Write) -> None:
    files = {
        "handlers/note_add.py": "def handle(arguments, session, call): ...\n",
        "handlers/stranger.py": GOOD,
        "handlers/note_list.py": "raise ValueError\n",
        "handlers/_store.py": "raise ValueError\n",
        "handlers/README.md": "no Python\n",
    }
    package = write(files, ("note_add", "note_list", "note_get"))
    assert sorted(problems_of(package)) == [
        ("handlers/note_add.py", "handler-shape"),
        ("handlers/note_list.py", "handler-import"),
        ("handlers/stranger.py", "handler-without-tool"),
        ("tools/note_get.json", "tool-without-handler"),
    ]


def test_a_package_without_handlers_says_which_are_missing(write: Write) -> None:
    assert problems_of(write({})) == [("tools/note_add.json", "tool-without-handler")]


@needs_links
def test_a_link_is_not_followed_wherever_it_leads(write: Write, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}_outside.py"
    outside.write_text("raise RuntimeError('it was run')\n", encoding="utf-8")
    package = write({"handlers/_inside.py": GOOD})
    handler = tmp_path / "handlers" / "note_add.py"
    for target in (outside, tmp_path / "handlers" / "_inside.py"):
        handler.symlink_to(target)
        assert problems_of(package) == [("handlers/note_add.py", "symlink")]
        handler.unlink()
    handler.write_text(GOOD, encoding="utf-8")
    assert "note_add" in embedded_handlers(package)


NEIGHBOURS = {
    "handlers/_store.py": "from . import _store",
    "handlers/_parts/inner.py": "from ._parts import inner",
    "handlers/_parts/__init__.py": "from . import _parts",
}


@needs_links
@pytest.mark.parametrize("linked", [*NEIGHBOURS, "handlers/_parts"])
def test_no_neighbour_that_is_a_link_is_followed_out_of_the_package(
    write: Write, tmp_path: Path, linked: str
) -> None:
    ran, outside = tmp_path / "ran", tmp_path / "outside"
    inside = tmp_path / linked
    write(dict.fromkeys(NEIGHBOURS, ""))
    said = NEIGHBOURS.get(linked, "from . import _parts")
    package = write({"handlers/note_add.py": f"{said}\n{GOOD}"})
    code = f"open({str(ran)!r}, 'w').close()\n"
    if linked == "handlers/_parts":
        for file in inside.iterdir():
            file.unlink()
        inside.rmdir()
        outside.mkdir()
        (outside / "__init__.py").write_text(code, encoding="utf-8")
    else:
        inside.unlink()
        outside.write_text(code, encoding="utf-8")
    inside.symlink_to(outside)
    assert problems_of(package) == [(linked, "symlink")]
    assert not ran.exists()
    # Where it is no link, it is imported.
    inside.unlink()
    outside.rename(inside)
    assert list(embedded_handlers(package)) == ["note_add"]
    assert ran.exists()


def test_more_files_than_can_be_looked_at_below_handlers_are_refused(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write({"handlers/note_add.py": GOOD, "handlers/_parts/a.py": ""})
    monkeypatch.setattr(handler_names, "_MAX_BELOW", 3)
    assert list(embedded_handlers(package)) == ["note_add"]
    monkeypatch.setattr(handler_names, "_MAX_BELOW", 2)
    assert problems_of(package) == [("handlers", "package-handlers")]


@needs_links
def test_a_directory_of_handlers_that_is_a_link_is_not_gone_into(
    write: Write, tmp_path: Path
) -> None:
    package = write({"elsewhere/note_add.py": GOOD})
    handlers = tmp_path / "handlers"
    handlers.symlink_to(tmp_path / "elsewhere")
    assert problems_of(package) == [("handlers", "symlink")]
    handlers.unlink()
    (tmp_path / "elsewhere").rename(handlers)
    assert "note_add" in embedded_handlers(package)


def test_handlers_that_are_no_directory_are_a_problem(write: Write) -> None:
    assert problems_of(write({"handlers": GOOD})) == [("handlers", "not-a-directory")]


def test_a_directory_of_too_many_files_is_not_looked_through(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write({"handlers/note_add.py": GOOD, "handlers/_store.py": ""})
    monkeypatch.setattr(handler_names, "_MAX_NAMES", 2)
    assert "note_add" in embedded_handlers(package)
    write({"handlers/README.md": ""})
    assert problems_of(package) == [("handlers", "package-handlers")]


def test_what_a_file_raises_cannot_move_a_cursor(write: Write) -> None:
    package = write({"handlers/note_add.py": "raise ValueError('\x1b[2J' + 'x' * 1000)\n"})
    with pytest.raises(PackageError) as raised:
        embedded_handlers(package)
    (problem,) = raised.value.problems
    assert problem.message.isprintable()
    assert "ValueError" in problem.message
    assert len(problem.message) < 200


def test_a_file_that_does_not_end_being_imported_is_given_up(write: Write) -> None:
    slow = "import threading\nthreading.Event().wait()\n"
    package = write({"handlers/note_add.py": slow})
    assert problems_of(package, LATE) == [("handlers/note_add.py", "handler-import-slow")]
    # The others cannot be imported then, and are looked at.
    files = {
        "handlers/note_add.py": slow,
        "handlers/note_get.py": "def handle(:",
        "handlers/note_list.py": GOOD,
    }
    package = write(files, ("note_add", "note_get", "note_list"))
    assert problems_of(package, LATE) == [
        ("handlers/note_add.py", "handler-import-slow"),
        ("handlers/note_get.py", "handler-import"),
    ]


async def test_a_package_s_files_run_in_one_thread_that_is_its_own(write: Write) -> None:
    text = """
        import threading
        AT_IMPORT = threading.get_ident()
        async def handle(arguments, session, call):
            return [AT_IMPORT, threading.get_ident()]
    """
    files = {"handlers/note_add.py": text, "handlers/note_list.py": text}
    handlers = embedded_handlers(write(files, ("note_add", "note_list")))
    assert isinstance(handlers["note_add"], ThreadHandler)
    idents = [await ran(handlers, tool) for tool in ("note_add", "note_list")]
    assert isinstance(idents[0], list)
    assert idents == [[idents[0][0]] * 2] * 2
    assert idents[0][0] != threading.get_ident()


async def test_a_file_that_promises_never_to_block_runs_where_it_is_called(write: Write) -> None:
    text = """
        import threading
        NEVER_BLOCKS = True
        async def handle(arguments, session, call):
            return threading.get_ident()
    """
    handlers = embedded_handlers(write({"handlers/note_add.py": text}))
    assert isinstance(handlers["note_add"], LoopHandler)
    assert await ran(handlers) == threading.get_ident()


def test_any_other_word_is_no_promise(write: Write) -> None:
    handlers = embedded_handlers(write({"handlers/note_add.py": f"NEVER_BLOCKS = 1\n{GOOD}"}))
    assert isinstance(handlers["note_add"], ThreadHandler)
