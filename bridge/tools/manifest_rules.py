"""What `package.toml` says: the package's name, version and tier, and the cards it declares.

Reads bytes, not files. Keys that are not known are refused, so that a slip of the pen is found.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from bridge.tools.loading_limits import LOADING_LIMITS
from bridge.tools.package import TIERS, Card, Tier
from bridge.tools.problem_report import Report
from bridge.tools.problems import in_ascii, told

__all__ = ["MANIFEST_FILE", "Manifest", "ManifestReading", "read_manifest"]

MANIFEST_FILE: Final = "package.toml"

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_VERSION: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9}){1,3}(?:[-+][0-9A-Za-z.+-]{1,64})?")
_CARD_TYPE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}")
_MAX_TEXT_CHARS: Final = 1_024
_MAX_DOTS: Final = 256
"""In one line. Keys have dots, and reading one of ten thousand parts takes the square of that."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.strip() != "" and len(value) <= _MAX_TEXT_CHARS


def _fits(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


_KEYS: Final[tuple[tuple[str, bool, Callable[[object], bool], str], ...]] = (
    ("name", True, _fits(_NAME), "a name of a-z, 0-9, _ and -, as in weather-tools"),
    (
        "version",
        True,
        _fits(_VERSION),
        'two to four numbers with dots, in quotes, as in "1.0.0" or "1.0.0-beta.2"',
    ),
    ("tier", True, lambda value: value in TIERS, '"first-party" or "project"'),
    ("description", False, _is_text, "a text"),
    ("cards", False, lambda value: isinstance(value, list), "written as tables: [[cards]]"),
)
"""Each key, whether it must be there, what it must be, and how to say that."""


class Manifest(NamedTuple):
    """What a package says of itself."""

    name: str
    version: str
    tier: Tier
    description: str | None
    cards: tuple[Card, ...]


class ManifestReading(NamedTuple):
    """What is known of a manifest, whatever else is wrong with it: None is what is not known."""

    manifest: Manifest | None = None
    card_types: frozenset[str] | None = None
    """Of the cards that it declares: tools are checked against them."""
    name: str | None = None
    tier: Tier | None = None


def read_manifest(data: bytes, report: Report) -> ManifestReading:
    """Read a manifest's bytes. The report has errors where there is no `manifest`.

    Contract: package tools, packages.
    """
    table = _read_toml(data, report)
    if table is None:
        return ManifestReading()
    for key in sorted(table.keys() - {each[0] for each in _KEYS}):
        report.error((key,), "manifest-key", f"{told(key)} is no key of a package: remove it")
    right: dict[str, Any] = {}
    for key, required, fits, what in _KEYS:
        if key not in table:
            if required:
                report.error((), "manifest-missing", f"{key} is missing: write {what}")
        elif fits(table[key]):
            right[key] = table[key]
        else:
            report.error((key,), "manifest-value", f"{key} is {told(table[key])}: write {what}")
    before = report.errors
    cards = _read_cards(table.get("cards", []), report)
    known = isinstance(table.get("cards", []), list) and report.errors == before
    types = frozenset(card.type for card in cards) if known else None
    name, tier = right.get("name"), right.get("tier")
    manifest = None
    if not report.failed:
        description = right.get("description")
        manifest = Manifest(
            right["name"], right["version"], right["tier"], description, tuple(cards)
        )
    return ManifestReading(manifest, types, name, tier)


def _read_toml(data: bytes, report: Report) -> Mapping[str, Any] | None:
    if any(line.count(b".") > _MAX_DOTS for line in data.split(b"\n")):
        words = f"has a line with more than {_MAX_DOTS} dots: it needs no such keys; break a text"
        report.error((), "manifest-toml", words)
        return None
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        report.error((), "manifest-toml", "is not UTF-8: save it so")
    except RecursionError:
        report.error((), "manifest-toml", "is nested too deeply: it needs no more than tables")
    except ValueError as error:
        reason = in_ascii(str(error))[:200]
        report.error((), "manifest-toml", f"is not TOML: {reason}")
    return None


def _read_cards(listed: object, report: Report) -> list[Card]:
    cards: list[Card] = []
    if not isinstance(listed, list):
        return cards
    if len(listed) > LOADING_LIMITS.max_cards:
        words = f"has {len(listed)} cards: {LOADING_LIMITS.max_cards} are the most"
        report.error(("cards",), "manifest-cards", words)
        return cards
    known: set[str] = set()
    for index, each in enumerate(listed):
        card = _read_card(each, ("cards", index), report)
        if card is None:
            continue
        if card.type in known:
            words = f"{told(card.type)} is declared twice: remove one"
            report.error(("cards", index, "type"), "manifest-cards", words)
        known.add(card.type)
        cards.append(card)
    return cards


def _read_card(card: object, place: tuple[str, int], report: Report) -> Card | None:
    if not isinstance(card, dict):
        report.error(place, "manifest-cards", "is no table: write [[cards]] and a type under it")
        return None
    for key in sorted(card.keys() - {"type", "title"}):
        report.error((*place, key), "manifest-key", f"{told(key)} is no key of a card: remove it")
    kind, title = card.get("type"), card.get("title")
    if not _fits(_CARD_TYPE)(kind):
        words = f"type is {told(kind)}: write a card's type, as in weather.result"
        report.error((*place, "type"), "manifest-cards", words)
        return None
    if title is not None and not _is_text(title):
        report.error((*place, "title"), "manifest-cards", "title is no text: write one")
        return None
    return Card(str(kind), title)
