"""`package.toml`: each rule with a manifest that breaks it and one that does not."""

from __future__ import annotations

import pytest

from bridge.tools.loading_limits import LOADING_LIMITS
from bridge.tools.manifest_rules import Manifest, read_manifest
from bridge.tools.package import Card
from bridge.tools.problem_report import Report
from tests.python.support.tool_packages import MANIFEST


def reading(text: str | bytes) -> tuple[Manifest | None, set[tuple[str, str]]]:
    report = Report("package.toml")
    data = text if isinstance(text, bytes) else text.encode()
    return read_manifest(data, report).manifest, {
        (problem.rule, problem.pointer) for problem in report.problems
    }


def with_line(key: str, line: str) -> str:
    kept = [each for each in MANIFEST.splitlines() if not each.startswith(f"{key} ")]
    return "\n".join([*kept, line])


CARD = '[[cards]]\ntype = "notes.one"\n'

RULES = [
    ("manifest-toml", "", "name = ", MANIFEST),
    ("manifest-toml", "", MANIFEST + 'name = "twice"', MANIFEST),
    ("manifest-toml", "", b"\xff", MANIFEST),
    ("manifest-toml", "", b"\xef\xbb\xbf" + MANIFEST.encode(), MANIFEST),
    ("manifest-toml", "", "a = " + "[" * 30_000, MANIFEST),
    ("manifest-toml", "", "a = " + "9" * 5_000, MANIFEST),
    ("manifest-toml", "", MANIFEST + "a" + ".a" * 30_000 + " = 1", MANIFEST),
    ("manifest-toml", "", MANIFEST + "[" + "a" + ".a" * 30_000 + "]", MANIFEST),
    ("manifest-toml", "", MANIFEST + f'description = "{"." * 257}"',
     MANIFEST + f'description = "{"." * 256}"'),
    ("manifest-missing", "", with_line("name", ""), with_line("name", 'name = "a-b_2"')),
    ("manifest-missing", "", with_line("version", ""), with_line("version", 'version = "0.1"')),
    ("manifest-missing", "", with_line("tier", ""), with_line("tier", 'tier = "first-party"')),
    ("manifest-value", "/name", with_line("name", 'name = "A"'), MANIFEST),
    ("manifest-value", "/name", with_line("name", 'name = "a/b"'), MANIFEST),
    ("manifest-value", "/name", with_line("name", 'name = ""'), MANIFEST),
    ("manifest-value", "/name", with_line("name", f'name = "{"a" * 65}"'),
     with_line("name", f'name = "{"a" * 64}"')),
    ("manifest-value", "/name", with_line("name", "name = 0x" + "f" * 5_000), MANIFEST),
    ("manifest-value", "/version", with_line("version", "version = 1.0"),
     with_line("version", 'version = "1.0.0-rc.1"')),
    ("manifest-value", "/version", with_line("version", 'version = "new"'), MANIFEST),
    ("manifest-value", "/tier", with_line("tier", 'tier = "trusted"'), MANIFEST),
    ("manifest-value", "/tier", with_line("tier", 'tier = ["project"]'), MANIFEST),
    ("manifest-value", "/description", MANIFEST + "description = 7",
     MANIFEST + 'description = "Notes."'),
    ("manifest-value", "/description", MANIFEST + f'description = "{"a" * 1_025}"',
     MANIFEST + f'description = "{"a" * 1_024}"'),
    ("manifest-value", "/cards", MANIFEST + 'cards = "notes.one"', MANIFEST + CARD),
    ("manifest-key", "/entry", MANIFEST + 'entry = "a.wasm"', MANIFEST),
    ("manifest-key", "/cards/0/html", MANIFEST + CARD + 'html = "a"',
     MANIFEST + CARD + 'title = "Note"'),
    ("manifest-cards", "/cards/0", MANIFEST + 'cards = ["notes.one"]', MANIFEST + CARD),
    ("manifest-cards", "/cards/0/type", MANIFEST + "[[cards]]\n", MANIFEST + CARD),
    ("manifest-cards", "/cards/0/type", MANIFEST + "[[cards]]\ntype = 0b" + "1" * 20_000,
     MANIFEST + CARD),
    ("manifest-cards", "/cards/0/type", MANIFEST + '[[cards]]\ntype = "a b"', MANIFEST + CARD),
    ("manifest-cards", "/cards/0/title", MANIFEST + CARD + 'title = ""', MANIFEST + CARD),
    ("manifest-cards", "/cards/1/type", MANIFEST + CARD + CARD,
     MANIFEST + CARD + CARD.replace("one", "two")),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "pointer", "broken", "whole"), RULES)
def test_a_manifest_follows_each_rule(
    rule: str, pointer: str, broken: str | bytes, whole: str
) -> None:
    manifest, found = reading(broken)
    assert manifest is None
    assert found == {(rule, pointer)}
    assert reading(whole)[0] is not None
    assert reading(whole)[1] == set()


def test_what_a_manifest_says_is_read() -> None:
    text = MANIFEST + 'description = "Notes."\n' + CARD + 'title = "Note"\n'
    assert reading(text)[0] == Manifest(
        "sample", "1.0.0", "project", "Notes.", (Card("notes.one", "Note"),)
    )


def test_all_that_is_wrong_is_told_at_once() -> None:
    assert reading('name = 7\nentry = 1\nother = 2\ncards = [1, {type = "a b"}]')[1] == {
        ("manifest-value", "/name"),
        ("manifest-missing", ""),
        ("manifest-key", "/entry"),
        ("manifest-key", "/other"),
        ("manifest-cards", "/cards/0"),
        ("manifest-cards", "/cards/1/type"),
    }


def test_cards_are_bounded() -> None:
    def cards(count: int) -> str:
        return MANIFEST + "".join(f'[[cards]]\ntype = "c{index}"\n' for index in range(count))

    most = LOADING_LIMITS.max_cards
    assert reading(cards(most + 1))[1] == {("manifest-cards", "/cards")}
    assert reading(cards(most))[1] == set()


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ('version = 1\n[[cards]]\ntype = "note.card"\n', {"note.card"}),
        ("version = 1\n", set()),
        ("version = 1\ncards = 1\n", None),
        ("version = 1\n[[cards]]\ntype = 1\n", None),
        ("version = ", None),
    ],
)
def test_cards_are_known_whatever_else_is_wrong(text: str, types: set[str] | None) -> None:
    report = Report("package.toml")
    said = read_manifest(text.encode(), report)
    assert (said.manifest, said.card_types) == (None, types)
    assert report.failed


@pytest.mark.parametrize(
    ("text", "name", "tier"),
    [
        (with_line("version", ""), "sample", "project"),
        (MANIFEST + "more = 1", "sample", "project"),
        (with_line("name", 'name = "A"'), None, "project"),
        (with_line("tier", 'tier = "trusted"'), "sample", None),
        ("name = ", None, None),
    ],
)
def test_a_name_and_a_tier_are_known_whatever_else_is_wrong(
    text: str, name: str | None, tier: str | None
) -> None:
    said = read_manifest(text.encode(), Report("package.toml"))
    assert (said.manifest, said.name, said.tier) == (None, name, tier)


def test_a_version_of_another_form_is_told_the_form_it_needs() -> None:
    report = Report("package.toml")
    read_manifest(b'name = "a"\nversion = "1"\ntier = "project"\n', report)
    assert 'two to four numbers with dots, in quotes, as in "1.0.0"' in report.problems[0].message
