"""Packages from the disk: whole or not at all, all problems at once, others unharmed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import bridge.tools.package_loader as loader
from bridge.tools import Package, PackageError, load_package, load_packages
from bridge.tools.loading_limits import LOADING_LIMITS
from bridge.tools.package import TIERS
from bridge.tools.package_files import read_package_file
from bridge.tools.package_handlers import handlers_of
from tests.python.support.tool_packages import MANIFEST, block, tool, with_property, write_package
from tests.python.support.wasm_entries import ECHO

CARD = '[[cards]]\ntype = "notes.one"\n'


def problems_of(directory: Path, **limits: int) -> list[tuple[str, str, str]]:
    with pytest.raises(PackageError) as caught:
        load_package(directory, LOADING_LIMITS._replace(**limits))
    return [(each.file, each.rule, each.pointer) for each in caught.value.problems]


def test_a_package_loads_with_its_tools_in_order(tmp_path: Path) -> None:
    tools = {"note_list.json": tool(), "note_add.json": with_property({"type": "null"})}
    package = load_package(write_package(tmp_path / "p", tools))
    assert (package.name, package.version, package.tier) == ("sample", "1.0.0", "project")
    assert list(package.tools) == ["note_add", "note_list"]
    assert package.tools["note_add"].name == "note_add"
    assert package.directory == tmp_path / "p"
    assert package.warnings == ()


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    tools = {
        "b.json": tool(type="array", properties={"role": {}}),
        "a.json": b"{",
        "Camel.json": tool(),
        "c.json": tool(block(ui={"cardType": "notes.two"})),
        "good.json": tool(),
        "notes.txt": b"",
    }
    manifest = MANIFEST.replace("project", "friend")
    assert problems_of(write_package(tmp_path / "p", tools, manifest)) == [
        ("package.toml", "manifest-value", "/tier"),
        ("tools/Camel.json", "tool-name", ""),
        ("tools/notes.txt", "stray-file", ""),
        ("tools/a.json", "strict-json", ""),
        ("tools/b.json", "root-type", "/type"),
        ("tools/b.json", "reserved-key", "/properties/role"),
        # The tier is wrong, and cards are known all the same.
        ("tools/c.json", "card-unmatched", "/x-bascule/ui/cardType"),
    ]
    with pytest.raises(PackageError, match=r"tools/b\.json:/type root-type"):
        load_package(tmp_path / "p")


@pytest.mark.parametrize("tier", TIERS)
def test_one_bad_tool_fails_its_package_in_every_tier(tmp_path: Path, tier: str) -> None:
    manifest = MANIFEST.replace("project", tier)
    good = write_package(tmp_path / "good", {"a.json": tool()}, manifest)
    assert load_package(good).tier == tier
    bad = write_package(tmp_path / "bad", {"a.json": tool(), "b.json": {}}, manifest)
    # What is wrong with the handlers is of every tool.
    assert {file for file, rule, _ in problems_of(bad) if rule != "tool-without-handler"} == {
        "tools/b.json"
    }


def test_a_bad_package_leaves_the_others_good(tmp_path: Path) -> None:
    one = write_package(tmp_path / "1", {"a.json": tool()})
    bad = write_package(tmp_path / "2", {"b.json": b"["}, MANIFEST.replace("sample", "bad"))
    two = write_package(tmp_path / "3", {"b.json": tool()}, MANIFEST.replace("sample", "two"))
    loaded = load_packages([one, bad, two, tmp_path / "none"])
    assert [package.name for package in loaded.packages] == ["sample", "two"]
    assert list(loaded.failed) == [bad, tmp_path / "none"]
    assert loaded.failed[tmp_path / "none"].problems[0].rule == "missing-directory"


def test_a_name_that_is_taken_is_the_later_packages_problem(tmp_path: Path) -> None:
    one = write_package(tmp_path / "1", {"a.json": tool(), "b.json": tool()})
    same = write_package(tmp_path / "2", {"c.json": tool()})
    two = write_package(
        tmp_path / "3", {"b.json": tool(), "d.json": tool()}, MANIFEST.replace("sample", "two")
    )
    three = write_package(tmp_path / "4", {"d.json": tool()}, MANIFEST.replace("sample", "three"))
    loaded = load_packages([one, same, two, three, one])
    # What failed takes no names: the third's other tool is free for the fourth.
    assert [package.name for package in loaded.packages] == ["sample", "three"]
    assert [(p.rule, p.file) for p in loaded.failed[same].problems] == [
        ("duplicate-package", "package.toml")
    ]
    assert [(p.rule, p.file) for p in loaded.failed[two].problems] == [
        ("duplicate-tool", "tools/b.json")
    ]


def test_names_that_are_taken_are_told_with_a_package_s_own_problems(tmp_path: Path) -> None:
    one = write_package(tmp_path / "1", {"a.json": tool()})
    two = write_package(tmp_path / "2", {"a.json": tool(type="array"), "b.json": b"{"})
    failed = load_packages([one, two]).failed[two].problems
    assert [(each.rule, each.file) for each in failed] == [
        ("duplicate-package", "package.toml"),
        ("duplicate-tool", "tools/a.json"),
        ("root-type", "tools/a.json"),
        ("strict-json", "tools/b.json"),
    ]


@pytest.mark.parametrize(
    ("tier", "other", "warned"),
    [
        ("first-party", "entry.wasm", ["entry-unused"]),
        ("project", "entry.wasm", []),
        ("project", "handlers/a.py", ["handlers-unused"]),
        ("first-party", "handlers/a.py", []),
    ],
)
def test_what_the_tier_has_no_use_for_is_a_warning(
    tier: str, other: str, warned: list[str], tmp_path: Path
) -> None:
    manifest = MANIFEST.replace("project", tier)
    root = write_package(tmp_path / "p", {"a.json": tool()}, manifest)
    (root / other).parent.mkdir(exist_ok=True)
    (root / other).write_bytes(b"")
    assert [each.rule for each in load_package(root).warnings] == warned


@pytest.mark.parametrize("inside", ["tools", "handlers"])
def test_a_directory_within_a_package_is_told_to_be_that(inside: str, tmp_path: Path) -> None:
    root = write_package(tmp_path / "p", {"a.json": tool()})
    (root / "handlers").mkdir()
    with pytest.raises(PackageError, match="the package is the directory above"):
        load_package(root / inside)
    (root / "package.toml").unlink()
    with pytest.raises(PackageError) as caught:
        load_package(root / inside)
    assert "above" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "form"),
    [("greetingWrite.json", "greeting_write.json"), ("a-b.json", "a_b.json"), ("9.json", "NAME")],
)
def test_a_file_that_names_no_tool_is_told_a_name_that_would(
    file: str, form: str, tmp_path: Path
) -> None:
    with pytest.raises(PackageError, match=f"rename it to {form}"):
        load_package(write_package(tmp_path / "p", {file: tool()}))


@pytest.mark.parametrize(
    ("file", "good"),
    [
        ("Weather.json", "weather.json"),
        ("weather.JSON", "weather_2.json"),
        ("2d.json", "d2.json"),
        ("a-b.json", "a_b.json"),
        ("a.b.json", "ab.json"),
        ("a b.json", "ab.json"),
        ("日本.json", "nihon.json"),
        ("a" * 65 + ".json", "a" * 64 + ".json"),
    ],
)
def test_a_files_name_is_a_tools(tmp_path: Path, file: str, good: str) -> None:
    wrong = write_package(tmp_path / "1", {file: tool()})
    assert ("tool-name" in {rule for _, rule, _ in problems_of(wrong)}) is True
    right = write_package(tmp_path / "2", {good: tool()})
    assert list(load_package(right).tools) == [good.removesuffix(".json")]


def test_what_lies_among_the_tools_is_a_warning_and_hidden_files_are_nothing(
    tmp_path: Path,
) -> None:
    tools = {"a.json": tool(), "README.md": b"", "a.json~": b"", ".DS_Store": b"\x00"}
    warnings = load_package(write_package(tmp_path / "p", tools)).warnings
    assert [(each.file, each.rule, each.severity) for each in warnings] == [
        ("tools/README.md", "stray-file", "warning"),
        ("tools/a.json~", "stray-file", "warning"),
    ]


def test_a_card_that_is_not_declared_is_a_warning_of_a_package_that_loads(tmp_path: Path) -> None:
    tools = {"a.json": tool(block(ui={"cardType": "notes.one"}))}
    package = load_package(write_package(tmp_path / "1", tools))
    assert [each.rule for each in package.warnings] == ["card-unmatched"]
    declared = load_package(write_package(tmp_path / "2", tools, MANIFEST + CARD))
    assert declared.warnings == ()
    assert [card.type for card in declared.cards] == ["notes.one"]
    # Of cards nothing can be said where it is not known which are declared.
    broken = write_package(tmp_path / "3", tools, MANIFEST + "cards = 7")
    assert {rule for _, rule, _ in problems_of(broken)} == {"manifest-value"}


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert problems_of(empty) == [
        ("package.toml", "missing-file", ""),
        ("tools", "missing-file", ""),
    ]
    assert problems_of(tmp_path / "none") == [("", "missing-directory", "")]
    assert problems_of(empty / "\0") == [("", "missing-directory", "")]
    no_tools = load_package(write_package(tmp_path / "p", {}))
    assert [each.rule for each in no_tools.warnings] == ["no-tools"]


def test_a_directory_that_may_not_be_looked_at_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = write_package(tmp_path / "p", {"a.json": tool()})
    assert load_package(directory).tools

    def forbid(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_dir", forbid)
    assert problems_of(directory) == [("", "missing-directory", "")]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_in_a_package_are_problems_and_their_targets_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps(tool(description="SECRET", type="array")))
    directory = write_package(tmp_path / "p", {"a.json": tool()})
    (directory / "tools" / "b.json").symlink_to(secret)
    assert problems_of(directory) == [("tools/b.json", "symlink", "")]
    (directory / "tools" / "b.json").unlink()
    (directory / "tools" / "b.json").write_bytes(secret.read_bytes())
    # As a file of the package's own it is read.
    assert problems_of(directory) == [("tools/b.json", "root-type", "/type")]

    linked = write_package(tmp_path / "q", {})
    (linked / "tools").rmdir()
    (linked / "tools").symlink_to(directory / "tools")
    assert problems_of(linked) == [("tools", "symlink", "")]


LIMITS: list[tuple[str, int, str, dict[str, Any]]] = [
    ("max_manifest_bytes", len(MANIFEST), "file-size", {"a.json": tool()}),
    ("max_tool_file_bytes", len(json.dumps(tool())), "file-size", {"a.json": tool()}),
    ("max_tools", 2, "package-tools", {"a.json": tool(), "b.json": tool()}),
    ("max_package_bytes", 2 * len(json.dumps(tool())), "package-size",
     {"a.json": tool(), "b.json": tool()}),
]  # fmt: skip


@pytest.mark.parametrize(("limit", "value", "rule", "tools"), LIMITS)
def test_each_limit_holds_at_its_value_and_not_one_below(
    tmp_path: Path, limit: str, value: int, rule: str, tools: dict[str, Any]
) -> None:
    directory = write_package(tmp_path / "p", tools)
    assert load_package(directory, LOADING_LIMITS._replace(**{limit: value})).tools
    assert rule in {each for _, each, _ in problems_of(directory, **{limit: value - 1})}


def test_files_that_are_no_tools_are_not_counted_without_end(tmp_path: Path) -> None:
    tools = {"a.json": tool(), **{f"note{index}.txt": b"" for index in range(3)}}
    directory = write_package(tmp_path / "p", tools)
    assert load_package(directory, LOADING_LIMITS._replace(max_tools=2)).tools
    (directory / "tools" / "note3.txt").touch()
    assert ("tools", "package-tools", "") in problems_of(directory, max_tools=2)


def test_a_thousand_tools_load_and_each_file_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = write_package(tmp_path / "p", {f"t{index}.json": tool() for index in range(1_000)})
    read: list[str] = []

    def counting(root: Path, relative: str, max_bytes: int) -> bytes:
        read.append(relative)
        return read_package_file(root, relative, max_bytes)

    monkeypatch.setattr(loader, "read_package_file", counting)
    package = load_package(directory)
    assert len(package.tools) == 1_000
    assert len(read) == len(set(read)) == 1_001


def test_the_same_directory_gives_the_same_package(tmp_path: Path) -> None:
    directory = write_package(tmp_path / "p", {"a.json": tool(), "b.json": with_property({})})

    def seen(package: Package) -> object:
        return {name: json.dumps(each.input_schema) for name, each in package.tools.items()}

    assert seen(load_package(directory)) == seen(load_package(str(directory)))


FIRST_PARTY = MANIFEST.replace("project", "first-party")
HANDLER = b"async def handle(arguments, session, call): ...\n"
BAD_TOOL = tool(type="array")


def write_runners(directory: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_bytes(data)


@pytest.mark.parametrize(
    ("tools", "files", "more"),
    [
        ({"b.json": BAD_TOOL}, {}, [("tools/a.json", "tool-without-handler"),
                                    ("tools/b.json", "tool-without-handler")]),
        ({"b.json": BAD_TOOL}, {"handlers/a.py": HANDLER, "handlers/b.py": HANDLER}, []),
        ({"b.json": b"{"}, {"handlers/a.py": HANDLER, "handlers/b.py": b"def handle(:"},
         [("handlers/b.py", "handler-import")]),
        ({"b.json": BAD_TOOL}, {"handlers/a.py": b"handler = 1", "handlers/b.py": HANDLER},
         [("handlers/a.py", "handler-shape")]),
        ({"b.json": BAD_TOOL},
         {"handlers/a.py": HANDLER, "handlers/b.py": b"def handle(a, b, c): ...",
          "handlers/c.py": HANDLER, "handlers/_d.py": b"("},
         [("handlers/c.py", "handler-without-tool"), ("handlers/b.py", "handler-shape")]),
        ({"bNew.json": tool()}, {"handlers/a.py": HANDLER, "handlers/bNew.py": HANDLER},
         [("handlers/bNew.py", "handler-without-tool")]),
        ({"b.json": BAD_TOOL}, {"handlers": HANDLER}, [("handlers", "not-a-directory")]),
    ],
)  # fmt: skip
def test_handlers_are_looked_at_in_the_round_in_which_a_schema_fails(
    tmp_path: Path,
    tools: dict[str, object],
    files: dict[str, bytes],
    more: list[tuple[str, str]],
) -> None:
    schemas = {"a.json": tool(), **tools}
    alone = [each[:2] for each in problems_of(write_package(tmp_path / "project", schemas))]
    directory = write_package(tmp_path / "first", schemas, FIRST_PARTY)
    write_runners(directory, files)
    assert [each[:2] for each in problems_of(directory)] == [*alone, *more]


def test_a_handler_of_a_package_that_fails_is_not_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    code = f"open({str(ran)!r}, 'w').close()\n".encode() + HANDLER
    directory = write_package(tmp_path / "p", {"a.json": BAD_TOOL}, FIRST_PARTY)
    write_runners(directory, {"handlers/a.py": code})
    assert problems_of(directory) == [("tools/a.json", "root-type", "/type")]
    assert not ran.exists()
    (directory / "tools" / "a.json").write_text(json.dumps(tool()))
    handlers_of(load_package(directory))
    assert ran.exists()


@pytest.mark.parametrize(
    ("code", "compiled", "rules"),
    [
        (None, False, ["missing-file"]),
        (b"no module", False, ["entry-shape"]),
        (b"\0asm\x01\0\0\0\xff", False, []),
        (b"\0asm\x01\0\0\0\xff", True, ["entry-shape"]),
        (ECHO, True, []),
    ],
)
def test_an_entry_is_looked_at_in_the_round_in_which_a_schema_fails(
    tmp_path: Path, code: bytes | None, compiled: bool, rules: list[str]
) -> None:
    directory = write_package(tmp_path / "p", {"a.json": BAD_TOOL})
    (directory / "entry.wasm").unlink()
    if code is not None:
        write_runners(directory, {"entry.wasm": code})
    with pytest.raises(PackageError) as caught:
        load_package(directory, compiled=compiled)
    assert [each.rule for each in caught.value.problems] == ["root-type", *rules]
    # Where no schema fails it is compiled alone, and only where that is asked for.
    (directory / "tools" / "a.json").write_text(json.dumps(tool()))
    if compiled and rules:
        with pytest.raises(PackageError, match="entry-shape"):
            load_package(directory, compiled=True)
    assert load_package(directory).tools
    assert load_package(directory, compiled=compiled and not rules).warnings == ()


@pytest.mark.parametrize(
    ("manifest", "more"),
    [
        (FIRST_PARTY + "more = 1\n", ["tool-without-handler"]),
        (FIRST_PARTY.replace("1.0.0", "new"), ["tool-without-handler"]),
        (MANIFEST + "more = 1\n", ["entry-shape"]),
    ],
)
def test_what_runs_is_looked_at_whatever_else_is_wrong_with_the_manifest(
    tmp_path: Path, manifest: str, more: list[str]
) -> None:
    directory = write_package(tmp_path / "p", {"a.json": tool()}, manifest)
    if (directory / "entry.wasm").exists():
        write_runners(directory, {"entry.wasm": b"no module"})
    found = problems_of(directory)
    assert [rule for _, rule, _ in found][1:] == more


@pytest.mark.parametrize(
    ("files", "more"),
    [
        ({}, []),
        ({"handlers/a.py": HANDLER}, []),
        ({"handlers/a.py": b"handle = 1"}, [("handlers/a.py", "handler-shape")]),
        ({"handlers/b.py": HANDLER}, [("handlers/b.py", "handler-without-tool"),
                                      ("tools/a.json", "tool-without-handler")]),
        ({"entry.wasm": b"no module"}, [("entry.wasm", "entry-shape")]),
        ({"handlers/a.py": HANDLER, "entry.wasm": b"no module"}, []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("manifest", [FIRST_PARTY.replace("first-party", "firstparty"), "{"])
def test_where_the_tier_is_not_known_what_there_is_to_run_is_looked_at(
    tmp_path: Path, manifest: str, files: dict[str, bytes], more: list[tuple[str, str]]
) -> None:
    directory = write_package(tmp_path / "p", {"a.json": tool()}, manifest)
    (directory / "entry.wasm").unlink(missing_ok=True)
    write_runners(directory, files)
    assert [each[:2] for each in problems_of(directory)][1:] == more


def test_a_name_that_is_taken_is_told_beside_a_broken_manifest_and_handlers(tmp_path: Path) -> None:
    one = write_package(tmp_path / "1", {"a.json": tool()})
    two = write_package(tmp_path / "2", {"a.json": tool()}, FIRST_PARTY + "more = 1\n")
    three = write_package(tmp_path / "3", {"b.json": tool()}, FIRST_PARTY)
    failed = load_packages([one, two, three]).failed
    assert [each.rule for each in failed[two].problems] == [
        "duplicate-package",
        "duplicate-tool",
        "manifest-key",
        "tool-without-handler",
    ]
    assert [each.rule for each in failed[three].problems] == [
        "duplicate-package",
        "tool-without-handler",
    ]


def test_where_tools_cannot_be_listed_no_handler_is_said_to_have_none(tmp_path: Path) -> None:
    directory = write_package(tmp_path / "p", {}, FIRST_PARTY)
    (directory / "tools").rmdir()
    write_runners(directory, {"handlers/a.py": HANDLER, "handlers/b.py": b"("})
    assert problems_of(directory) == [
        ("tools", "missing-file", ""),
        ("handlers/b.py", "handler-import", ""),
    ]


def test_no_more_source_is_read_than_its_limit(tmp_path: Path) -> None:
    directory = write_package(tmp_path / "p", {"a.json": BAD_TOOL}, FIRST_PARTY)
    write_runners(directory, {"handlers/a.py": b"("})
    looked = ("handlers/a.py", "handler-import", "")
    assert looked in problems_of(directory, max_handler_source_bytes=1)
    assert looked not in problems_of(directory, max_handler_source_bytes=0)


def test_a_source_is_read_no_further_than_its_tree_may_take_memory(tmp_path: Path) -> None:
    directory = write_package(tmp_path / "p", {"a.json": BAD_TOOL}, FIRST_PARTY)
    looked = ("handlers/a.py", "handler-import", "")
    write_runners(directory, {"handlers/a.py": b"(" + b"\n" * 262_143})
    assert looked in problems_of(directory)
    # A name on each line of 4 MiB becomes a tree of three gigabytes.
    write_runners(directory, {"handlers/a.py": b"(" + b"\n" * 262_144})
    assert looked not in problems_of(directory)
