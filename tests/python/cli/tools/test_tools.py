"""`bascule tools`: packages written, checked, listed, described, called and completed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.completion.completion import FILES, candidates
from bridge.cli.main import main
from bridge.cli.tools import tools_new
from bridge.cli.tools.tools import TOOLS_COMMANDS
from bridge.cli.tools.tools_new import SAMPLES as SAMPLES_BY_NAME
from bridge.cli.tools.tools_new import new_files
from bridge.contract.error_codes import ExitCode
from bridge.tools import load_package
from tests.python.support.wasm_entries import ECHO, command, made

ROOT = Path(__file__).parents[4]
SAMPLES = ROOT / "bridge" / "demo" / "packages"
CATALOG = str(SAMPLES / "catalog")
WEATHER = str(SAMPLES / "weather")
RECEIVABLES = str(SAMPLES / "receivables")

NOT_RUN = "{}: its handlers were not run: when this is mended, running them may tell of more"

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a copy of a sample, to be spoilt."""
    return Path(shutil.copytree(CATALOG, tmp_path / "catalog"))


def rewrite(package: Path, **members: Any) -> None:
    """Replace members of the tool's schema."""
    path = package / "tools" / "catalog_list.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def tools(capfd: Captured, *words: str) -> tuple[int, str, str]:
    """Run a command; return its status and what it printed."""
    status = main(["tools", *words])
    out, err = capfd.readouterr()
    return status, out, err


@pytest.mark.parametrize("name", TOOLS_COMMANDS)
def test_each_command_has_help_with_examples_that_fits_a_terminal(
    name: str, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    status, out, _ = tools(capfd, name, "--help")
    assert status == ExitCode.DONE
    assert f"usage: bascule tools {name}" in out
    assert f"  bascule tools {name}" in out.partition("examples:")[2]
    assert max(map(len, out.splitlines())) <= 100


def test_a_command_that_there_is_not_is_guessed(capfd: Captured) -> None:
    status, _, err = tools(capfd, "cheek")
    assert status == ExitCode.USAGE
    assert err == "bascule tools: there is no command 'cheek'. Did you mean check?\n"
    assert tools(capfd)[0] == ExitCode.USAGE


# --- check


def test_a_package_without_a_problem_is_ok(capfd: Captured) -> None:
    assert tools(capfd, "check", CATALOG, WEATHER) == (
        ExitCode.DONE,
        "catalog 1.0.0: 1 tool, ok\nweather 1.0.0: 3 tools, ok\n",
        "",
    )


def test_all_problems_are_told_with_file_pointer_and_rule(package: Path, capfd: Captured) -> None:
    rewrite(package, description="", properties={"userId": {"type": "string"}})
    (package / "handlers" / "catalog_list.py").write_text("handle = 1\n")
    status, out, _ = tools(capfd, "check", str(package), WEATHER)
    assert status == ExitCode.APP_ERROR
    lines = out.splitlines()
    file = package / "tools" / "catalog_list.json"
    assert any(line.startswith(f"{file}:/description ") for line in lines)
    assert any(line.startswith(f"{file}:/properties/userId ") for line in lines)
    # In the same round, without being run.
    handler = package / "handlers" / "catalog_list.py"
    assert any(line.startswith(f"{handler} handler-shape ") for line in lines)
    assert any(line.endswith("problems: it does not load") for line in lines)
    assert lines[-2] == NOT_RUN.format(package)
    # The other one loads.
    assert lines[-1] == "weather 1.0.0: 3 tools, ok"


def test_a_handler_that_is_none_is_a_problem_as_well(package: Path, capfd: Captured) -> None:
    (package / "handlers" / "catalog_list.py").write_text("def handle(a, b, c): return 1\n")
    status, out, _ = tools(capfd, "check", str(package))
    assert status == ExitCode.APP_ERROR
    assert out.startswith(f"{package}/handlers/catalog_list.py handler-shape ")
    # It was run, and a second round has no more to tell.
    assert out.splitlines()[-1] == f"{package}: 1 problem: it does not load"


def test_a_wrong_tier_hides_no_handler_and_a_second_round_is_announced_only_where_it_may_come(
    package: Path, capfd: Captured
) -> None:
    manifest = package / "package.toml"
    manifest.write_text(manifest.read_text().replace("first-party", "firstparty"))
    handler = package / "handlers" / "catalog_list.py"
    handler.write_text("import nosuchmodule\ndef handle(a, b, c): ...\n")
    status, out, _ = tools(capfd, "check", str(package))
    assert status == ExitCode.APP_ERROR
    assert f"{handler} handler-shape " in out
    assert out.splitlines()[-1] == NOT_RUN.format(package)
    manifest.write_text(manifest.read_text().replace("firstparty", "first-party"))
    status, out, _ = tools(capfd, "check", str(package))
    assert "nosuchmodule" in out
    assert NOT_RUN.format(package) not in out
    shutil.rmtree(package / "handlers")
    (package / "package.toml").write_text("")
    assert NOT_RUN.format(package) not in tools(capfd, "check", str(package))[1]


def test_a_warning_is_told_apart_and_the_package_is_ok(package: Path, capfd: Captured) -> None:
    path = package / "tools" / "catalog_list.json"
    schema = json.loads(path.read_text())
    block = {**schema["x-bascule"], "ui": {"cardType": "no.such.card"}}
    rewrite(package, **{"x-bascule": block})
    status, out, _ = tools(capfd, "check", str(package))
    assert status == ExitCode.DONE
    first, last = out.splitlines()
    assert first.startswith(f"warning: {path}:/x-bascule/ui/cardType ")
    assert last == "catalog 1.0.0: 1 tool, ok"


def test_explain_tells_what_loading_adds_and_why(package: Path, capfd: Captured) -> None:
    bag = {"type": "object", "additionalProperties": True, "description": "Any."}
    rewrite(package, properties={"filter": {"type": "string"}, "more": bag})
    status, out, _ = tools(capfd, "check", str(package), "--explain")
    assert status == ExitCode.DONE
    place, reason, *_ = out.splitlines()
    file = package / "tools" / "catalog_list.json"
    assert place.startswith(f'{file}:/properties/more/propertyNames added {{"')
    assert "prototype" in reason
    assert "prototype" not in tools(capfd, "check", str(package))[1]
    assert "adds nothing" in tools(capfd, "check", CATALOG, "--explain")[1]


def test_json_has_packages_problems_and_changes(package: Path, capfd: Captured) -> None:
    rewrite(package, description="")
    status, out, err = tools(capfd, "check", str(package), WEATHER, "--json", "--explain")
    assert (status, err) == (ExitCode.APP_ERROR, "")
    told = json.loads(out)
    assert [each["name"] for each in told["packages"]] == ["weather"]
    (problem,) = told["problems"]
    assert problem["directory"] == str(package)
    assert problem["file"] == "tools/catalog_list.json"
    assert problem["pointer"] == "/description"
    assert problem["severity"] == "error"
    added = [change["pointer"] for change in told["changes"]]
    assert added == ["/$schema", "/x-bascule/outputSchema/$schema", "/$schema", "/$schema"]


def test_a_directory_that_there_is_not_is_a_mistake_of_the_call(capfd: Captured) -> None:
    status, _, err = tools(capfd, "check", "/no/such/place")
    assert status == ExitCode.USAGE
    assert err == "bascule tools: there is no directory /no/such/place\n"


def test_what_a_file_is_called_cannot_move_the_cursor(package: Path, capfd: Captured) -> None:
    (package / "tools" / "\x1b[2J.json").write_text("{}")
    _, out, _ = tools(capfd, "check", str(package))
    assert "\x1b" not in out
    assert "\\x1b[2J.json" in out


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a file's name is a text")
def test_a_name_that_is_no_text_is_told_of(package: Path, capfd: Captured) -> None:
    Path(os.fsdecode(bytes(package / "tools") + b"/\xff.json")).write_text("{}")
    _, out, _ = tools(capfd, "check", str(package))
    assert "/tools/\\udcff.json tool-name " in out
    _, out, _ = tools(capfd, "check", str(package), "--json")
    (problem,) = json.loads(out)["problems"]
    assert problem["file"] == "tools/\udcff.json"


def test_what_a_package_prints_is_no_part_of_a_command_s_output(
    package: Path, capfd: Captured
) -> None:
    handler = package / "handlers" / "catalog_list.py"
    handler.write_text(
        "print('imported')\nasync def handle(a, b, c):\n    print('called')\n    return 'done'\n"
    )
    _, out, err = tools(capfd, "check", str(package), "--json")
    assert (json.loads(out)["problems"], err) == ([], "imported\n")
    _, out, err = tools(capfd, "call", str(package), "catalog_list")
    assert (out, err) == ("done\n", "imported\ncalled\n")


def project(package: Path, code: bytes) -> None:
    """Make a project package of it, run by an entry."""
    manifest = package / "package.toml"
    manifest.write_text(manifest.read_text().replace("first-party", "project"))
    shutil.rmtree(package / "handlers")
    (package / "entry.wasm").write_bytes(code)


def test_an_entry_that_could_not_run_is_a_problem(package: Path, capfd: Captured) -> None:
    project(package, made('(module (memory (export "memory") 1))'))
    status, out, _ = tools(capfd, "check", str(package))
    assert status == ExitCode.APP_ERROR
    assert out.startswith(f"{package}/entry.wasm entry-shape exports no function _start")
    (package / "entry.wasm").write_bytes(ECHO)
    assert tools(capfd, "check", str(package))[:2] == (
        ExitCode.DONE,
        "catalog 1.0.0: 1 tool, ok\n",
    )


def test_an_entry_is_compiled_in_the_round_in_which_a_schema_fails(
    package: Path, capfd: Captured
) -> None:
    project(package, made('(module (memory (export "memory") 1))'))
    rewrite(package, description="")
    _, out, _ = tools(capfd, "check", str(package))
    assert ":/description " in out
    assert f"{package}/entry.wasm entry-shape exports no function _start" in out
    assert out.splitlines()[-1] == f"{package}: 2 problems: it does not load"


def test_what_a_failing_entry_wrote_is_shown_to_its_author(package: Path, capfd: Captured) -> None:
    # An iovec at 0, of the text at 16, on standard error.
    body = """
      (i32.store (i32.const 0) (i32.const 16)) (i32.store (i32.const 4) (i32.const 14))
      (drop (call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
      unreachable
    """
    project(package, command(body, r'(data (i32.const 16) "panicked\0a\1b[2J")'))
    status, out, err = tools(capfd, "call", str(package), "catalog_list")
    assert (status, out) == (ExitCode.APP_ERROR, "")
    assert "  panicked\n" in err
    assert "\x1b" not in err
    assert "panicked" not in err.splitlines()[-1]


# --- list and describe


def test_a_list_has_a_line_for_each_tool(capfd: Captured) -> None:
    status, out, _ = tools(capfd, "list", CATALOG, RECEIVABLES)
    assert status == ExitCode.DONE
    rows = [line.split("\t") for line in out.splitlines()]
    assert [row[:3] for row in rows[:2]] == [
        ["catalog_list", "read", "catalog"],
        ["ageing_report", "read", "receivables"],
    ]
    assert len(rows) == 7


def test_a_list_as_json_has_what_a_script_chooses_by(capfd: Captured) -> None:
    told = json.loads(tools(capfd, "list", RECEIVABLES, "--json")[1])
    writes = [each["name"] for each in told if each["category"] == "write"]
    assert writes == ["invoice_mark_paid", "invoice_remind"]


def test_listing_and_describing_run_no_code_of_a_package(
    package: Path, tmp_path: Path, capfd: Captured
) -> None:
    ran = tmp_path / "ran"
    handler = package / "handlers" / "catalog_list.py"
    handler.write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n{handler.read_text()}")
    handler.write_text(handler.read_text().replace("from __future__ import annotations\n", ""))
    assert tools(capfd, "list", str(package))[0] == ExitCode.DONE
    assert tools(capfd, "describe", str(package), "catalog_list")[0] == ExitCode.DONE
    assert not ran.exists()
    assert tools(capfd, "check", str(package))[0] == ExitCode.DONE
    assert ran.exists()


def test_a_list_tells_what_does_not_load_and_lists_the_rest(package: Path, capfd: Captured) -> None:
    rewrite(package, description="")
    status, out, err = tools(capfd, "list", str(package), WEATHER)
    assert status == ExitCode.APP_ERROR
    assert out.startswith("weather_forecast\t")
    assert ":/description " in err


def test_a_description_shows_input_output_promises_and_a_call(capfd: Captured) -> None:
    status, out, _ = tools(capfd, "describe", RECEIVABLES, "invoice_mark_paid")
    assert status == ExitCode.DONE
    assert "  paidOn    string, default 2026-06-30" in out
    assert "changes things, and may destroy some; safe to repeat" in out
    assert "agent hosts     ask a person first where the call has writeOff; a terminal" in out
    assert "amount    integer, 0 to 100000000" in out
    call = out.splitlines()[-1].strip()
    assert call == f"bascule tools call {RECEIVABLES} invoice_mark_paid number=INV-2026-004"


def test_a_description_as_json_is_the_tool_as_mcp_lists_it(capfd: Captured) -> None:
    told = json.loads(tools(capfd, "describe", WEATHER, "weather_forecast", "--json")[1])
    assert told["inputSchema"]["required"] == ["place"]
    assert told["outputSchema"]["type"] == "object"
    assert told["annotations"]["readOnlyHint"] is True


@pytest.mark.parametrize("command", ["describe", "call"])
def test_a_tool_that_there_is_not_is_guessed(command: str, capfd: Captured) -> None:
    status, _, err = tools(capfd, command, WEATHER, "weather_forcast")
    assert status == ExitCode.USAGE
    assert "Did you mean weather_forecast" in err


@pytest.mark.parametrize("command", ["describe", "call"])
def test_where_no_tool_is_named_those_of_the_package_are(command: str, capfd: Captured) -> None:
    status, out, err = tools(capfd, command, WEATHER)
    assert (status, out) == (ExitCode.USAGE, "")
    assert err.startswith("bascule tools: TOOL is missing: weather has ")
    assert "weather_forecast" in err
    assert "key=value" not in err
    status, _, err = tools(capfd, command)
    assert status == ExitCode.USAGE
    assert "DIR" in err
    assert "key=value" not in err.splitlines()[-1]


def test_of_many_tools_the_first_are_named_and_the_rest_counted(
    package: Path, capfd: Captured
) -> None:
    for number in range(13):
        tool = package / "tools" / f"catalog_{number:02}.json"
        shutil.copy(package / "tools" / "catalog_list.json", tool)
    _, _, err = tools(capfd, "describe", str(package))
    assert "catalog_11 and 2 more, which `bascule tools list DIR` lists." in err


def gated(package: Path) -> None:
    """Have the tool need two features."""
    schema = json.loads((package / "tools" / "catalog_list.json").read_text())
    block = {**schema["x-bascule"], "requires": {"features": ["drive.write", "drive.read"]}}
    rewrite(package, **{"x-bascule": block})


@pytest.mark.parametrize(
    ("features", "seen"),
    [
        ([], True),
        (["--features", "drive.read, drive.write"], True),
        (["--features", "drive.read"], False),
        (["--features", ""], False),
    ],
)
def test_gates_are_tried_by_naming_the_features_of_a_caller(
    features: list[str], seen: bool, package: Path, capfd: Captured
) -> None:
    gated(package)
    out = tools(capfd, "list", str(package), *features)[1]
    assert out.endswith("\tdrive.read, drive.write\n") is seen
    assert (out != "") is seen
    status, _, err = tools(capfd, "call", str(package), "catalog_list", *features)
    assert (status == ExitCode.DONE) is seen
    assert ("catalog has no such tool. catalog has no tool." in err) is not seen


def test_a_tool_that_a_caller_does_not_see_is_told_as_one_that_there_is_not(
    package: Path, capfd: Captured
) -> None:
    place, words = str(package), ("--features", "drive.read")
    (package / "tools" / "catalog_lost.json").write_text(
        (package / "tools" / "catalog_list.json").read_text()
    )
    (package / "handlers" / "catalog_lost.py").write_text(
        (package / "handlers" / "catalog_list.py").read_text()
    )
    gated(package)
    hidden = tools(capfd, "call", place, "catalog_list", *words)
    assert hidden[0] == ExitCode.USAGE
    assert (
        "catalog has no such tool. Did you mean catalog_lost? catalog has catalog_lost."
        in (hidden[2])
    )
    # No name tells more of it: not the next one to it, nor none.
    assert tools(capfd, "call", place, "catalog_lis", *words) == hidden
    assert "catalog_list" not in tools(capfd, "call", place, *words)[2]
    (package / "tools" / "catalog_list.json").unlink()
    (package / "handlers" / "catalog_list.py").unlink()
    assert tools(capfd, "call", place, "catalog_list", *words) == hidden


def test_a_description_tells_the_features_that_a_tool_needs(package: Path, capfd: Captured) -> None:
    gated(package)
    told = json.loads(tools(capfd, "describe", str(package), "catalog_list", "--json")[1])
    assert told["_meta"]["bascule/tool"]["features"] == ["drive.read", "drive.write"]
    assert "drive.read, drive.write" in tools(capfd, "describe", str(package), "catalog_list")[1]


# --- call


def test_words_are_typed_by_the_schema(capfd: Captured) -> None:
    status, out, err = tools(capfd, "call", WEATHER, "weather_forecast", "place=Oslo", "days=1")
    assert (status, err) == (ExitCode.DONE, "")
    assert json.loads(out)["days"] == [
        {"sky": "sunny", "low": 11, "high": 21, "rain": 0, "wind": 10}
    ]


def test_the_input_may_come_as_json_that_words_add_to(capfd: Captured) -> None:
    given = ("--input-json", '{"place": "Oslo", "days": 2}')
    whole = tools(capfd, "call", WEATHER, "weather_forecast", *given)[1]
    assert len(json.loads(whole)["days"]) == 2
    more = tools(capfd, "call", WEATHER, "weather_forecast", "days=1", *given)[1]
    assert len(json.loads(more)["days"]) == 1


def test_the_whole_result_is_there_as_json(capfd: Captured) -> None:
    out = tools(capfd, "call", CATALOG, "catalog_list", "--json")[1]
    result = json.loads(out)
    assert result["content"][0]["text"].startswith("4 items")
    assert result["structuredContent"]["count"] == 4
    assert len(out.splitlines()) == 1


def test_an_error_of_the_tool_is_told_on_standard_error(capfd: Captured) -> None:
    status, out, err = tools(capfd, "call", WEATHER, "weather_forecast", "place=Atlantis")
    assert (status, out) == (ExitCode.APP_ERROR, "")
    assert err.startswith("bascule tools call: There is no forecast for Atlantis")
    status, out, _ = tools(capfd, "call", WEATHER, "weather_forecast", "place=Atlantis", "--json")
    assert status == ExitCode.APP_ERROR
    assert json.loads(out)["isError"] is True


def test_what_the_tool_does_not_take_is_told_before_it_runs(capfd: Captured) -> None:
    status, _, err = tools(capfd, "call", WEATHER, "weather_forecast", "plaice=Oslo")
    assert status == ExitCode.USAGE
    assert "plaice" in err
    status, _, err = tools(capfd, "call", WEATHER, "weather_forecast", "place=Oslo", "days=9")
    assert status == ExitCode.APP_ERROR
    assert "/days" in err


def test_a_handler_that_fails_shows_its_author_where(package: Path, capfd: Captured) -> None:
    handler = package / "handlers" / "catalog_list.py"
    handler.write_text("async def handle(a, b, c):\n    raise ValueError('at this place')\n")
    status, out, err = tools(capfd, "call", str(package), "catalog_list")
    assert (status, out) == (ExitCode.APP_ERROR, "")
    assert "ValueError: at this place" in err
    assert "catalog_list.py" in err
    # Callers are not told.
    assert "at this place" not in err.splitlines()[-1]


def test_text_alone_is_printed_as_text(package: Path, capfd: Captured) -> None:
    handler = package / "handlers" / "catalog_list.py"
    handler.write_text("async def handle(a, b, c):\n    return 'two\\nlines \\x1b[2J'\n")
    assert tools(capfd, "call", str(package), "catalog_list")[1] == "two\nlines \\x1b[2J\n"


def test_a_package_that_does_not_load_runs_nothing(package: Path, capfd: Captured) -> None:
    rewrite(package, description="")
    status, out, err = tools(capfd, "call", str(package), "catalog_list")
    assert (status, out) == (ExitCode.APP_ERROR, "")
    assert ":/description " in err


# --- new


def test_a_new_package_passes_its_check_and_its_test(tmp_path: Path, capfd: Captured) -> None:
    directory = tmp_path / "My Tools"
    status, out, _ = tools(capfd, "new", str(directory))
    assert status == ExitCode.DONE
    assert "bascule tools check" in out
    status, out, _ = tools(capfd, "check", str(directory))
    assert (status, out) == (ExitCode.DONE, "my-tools 0.1.0: 1 tool, ok\n")
    status, out, _ = tools(capfd, "call", str(directory), "greeting_write", "name=Ada")
    assert json.loads(out)["text"] == "Hello Ada!"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "3 passed" in ran.stdout


def test_a_new_package_is_tried_by_the_python_that_runs_the_command(
    tmp_path: Path, capfd: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "/another/python")
    out = tools(capfd, "new", str(tmp_path / "one"))[1]
    assert f"  {sys.executable} -m pytest {tmp_path}/one\n" in out
    assert "pip install" not in out
    monkeypatch.setattr(shutil, "which", lambda _: sys.executable)
    monkeypatch.setattr(tools_new, "find_spec", lambda _: None)
    out = tools(capfd, "new", str(tmp_path / "two"))[1]
    assert f"  python -m pytest {tmp_path}/two\n" in out
    assert "python -m pip install pytest" in out


@pytest.mark.parametrize(
    ("directory", "tool", "package"),
    [
        ("my-tools", "report_write", "my-tools"),
        ("2026 Reports!", "run", "tools-2026-reports"),
        ("ü", "a", "tools"),
        ("x" * 200, "a_b_c", "x" * 64),
    ],
)
def test_a_new_package_loads_whatever_it_is_called(
    directory: str, tool: str, package: str, tmp_path: Path
) -> None:
    for name, text in new_files(directory, tool).items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    loaded = load_package(tmp_path)
    assert (loaded.name, list(loaded.tools), loaded.warnings) == (package, [tool], ())


@pytest.mark.parametrize("name", SAMPLES_BY_NAME)
def test_a_sample_is_copied_whole(name: str, tmp_path: Path, capfd: Captured) -> None:
    directory = tmp_path / "mine"
    assert tools(capfd, "new", str(directory), "--sample", name)[0] == ExitCode.DONE
    assert tools(capfd, "check", str(directory))[0] == ExitCode.DONE
    written = {path.relative_to(directory) for path in directory.rglob("*") if path.is_file()}
    sample = SAMPLES / name
    there = {path.relative_to(sample) for path in sample.rglob("*") if path.is_file()}
    assert {path for path in written if "__pycache__" not in path.parts} == {
        path for path in there if "__pycache__" not in path.parts
    }


def test_a_directory_that_is_not_empty_is_left_alone(tmp_path: Path, capfd: Captured) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    status, _, err = tools(capfd, "new", str(tmp_path))
    assert status == ExitCode.USAGE
    assert "is not empty; nothing was written" in err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("name", ["", "Report", "../report", "report-write", "a" * 65])
def test_a_new_tool_has_a_name_by_the_pattern(name: str, tmp_path: Path, capfd: Captured) -> None:
    directory = tmp_path / "new"
    assert tools(capfd, "new", str(directory), "--tool", name)[0] == ExitCode.USAGE
    assert not directory.exists()


# --- completion


def words_of(*words: str) -> list[str]:
    return [candidate.value for candidate in candidates(["bascule", "tools", *words])]


def test_commands_directories_tools_and_keys_are_completed() -> None:
    assert words_of("") == list(TOOLS_COMMANDS)
    assert words_of("ca") == ["call"]
    assert candidates(["bascule", "tools", "check", ""]) == [FILES]
    assert candidates(["bascule", "tools", "serve", "--import-file", ""]) == [FILES]
    assert "--explain" in words_of("check", "--e")
    assert words_of("call", WEATHER, "weather_f") == ["weather_forecast"]
    assert words_of("describe", WEATHER, "") == [
        "weather_forecast",
        "weather_places",
        "weather_watch",
    ]
    assert words_of("call", WEATHER, "weather_forecast", "") == ["place=", "days="]
    assert words_of("call", CATALOG, "catalog_list", "filter=ar") == ["filter=archived"]
    assert words_of("no-such-command", "") == []


def test_a_package_whose_handlers_do_not_import_takes_no_names(
    package: Path, tmp_path: Path, capfd: Captured
) -> None:
    other = Path(shutil.copytree(CATALOG, tmp_path / "other"))
    status, out, _ = tools(capfd, "check", str(package), str(other))
    assert status == ExitCode.APP_ERROR
    assert "duplicate-tool" in out, "whole, it has them"
    handler = package / "handlers" / "catalog_list.py"
    handler.write_text(f"raise RuntimeError('spoilt')\n{handler.read_text()}")
    status, out, _ = tools(capfd, "check", str(package), str(other))
    assert status == ExitCode.APP_ERROR
    assert "handler-import" in out
    assert "duplicate" not in out
    assert "catalog 1.0.0: 1 tool, ok" in out


def test_what_a_tool_said_beside_an_error_stands_in_lines_of_its_own(
    package: Path, capfd: Captured
) -> None:
    handler = package / "handlers" / "catalog_list.py"
    blocks = [{"type": "text", "text": each} for each in ("There is no such list.", "Ask again.")]
    gives = f"return {{'content': {blocks!r}, 'isError': True}}"
    handler.write_text(f"async def handle(arguments, session, call):\n    {gives}\n")
    status, out, err = tools(capfd, "call", str(package), "catalog_list")
    assert (status, out) == (ExitCode.APP_ERROR, "")
    assert err == "bascule tools call: There is no such list.\nAsk again.\n"
