"""What the extension block of a tool's schema may say, and what it means.

One block at the root, under one of two keys; keys that are not known are refused. How a tool is
recovered is the platform's to decide: a tool that says so is refused in so many words. What is
asked before a call, and what a card looks like, is decided elsewhere by what is read here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from bridge.tools.draft07_rules import EXTENSION_KEYS
from bridge.tools.loading_limits import LOADING_LIMITS
from bridge.tools.problem_report import Report
from bridge.tools.problems import told
from bridge.tools.schema_places import Place
from bridge.tools.tool_definition import CATEGORIES, PRESENTATIONS, ToolAnnotations, ToolUi

__all__ = ["Extension", "find_extension", "read_extension"]

_ASKING_CATEGORIES: Final = frozenset({"write", "execute", "network", "machine"})
_TEXT_CHARS: Final = 200
_MAX_DURATION_MS: Final = 86_400_000
_DOTTED: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}")
_FEATURE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{0,127}")
_ICON: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")

Block = Mapping[str, Any]
_Rules = Mapping[str, tuple[Callable[[object], bool], str]]


class Extension(NamedTuple):
    """A block that was read."""

    family: str | None
    operation: str | None
    transport: str
    defaults: Mapping[str, Any]
    annotations: ToolAnnotations
    ui: ToolUi
    required_features: frozenset[str]
    escalations: tuple[str, ...]
    ask_on_keys: tuple[str, ...]


def _is_boolean(value: object) -> bool:
    return isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.strip() != "" and len(value) <= _TEXT_CHARS


def _is_duration(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_DURATION_MS


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _fits(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _are_features(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= LOADING_LIMITS.max_features
        and all(map(_fits(_FEATURE), value))
        and len(set(value)) == len(value)
    )


_FLAG: Final = (_is_boolean, "true or false")
_FEATURES: Final = (_are_features, "a list of features, each once, as in weather.read")
_BLOCK: Final[_Rules] = {
    "family": (_fits(_DOTTED), "a name, as in weather"),
    "operation": (_fits(_DOTTED), "a name with dots, as in weather.forecast"),
    "transport": (lambda value: value == "embedded", '"embedded"'),
    "defaults": (_is_object, "an object of arguments"),
    "annotations": (_is_object, "an object with a category"),
    "ui": (_is_object, "an object"),
    "requires": (_is_object, "an object of features and escalations"),
    "askOnKeys": (lambda value: isinstance(value, list), "a list of arguments' names"),
    "outputSchema": (_is_object, "a schema that is an object"),
}
_ANNOTATIONS: Final[_Rules] = {
    "title": (_is_text, "a text of at most 200 characters"),
    "readOnlyHint": _FLAG,
    "destructiveHint": _FLAG,
    "idempotentHint": _FLAG,
    "openWorldHint": _FLAG,
    "cancellable": _FLAG,
    "category": (lambda value: value in CATEGORIES, f"one of {', '.join(CATEGORIES)}"),
    "estimatedDurationMs": (_is_duration, "whole milliseconds, at most a day's"),
}
_UI: Final[_Rules] = {
    "presentation": (lambda value: value in PRESENTATIONS, f"one of {', '.join(PRESENTATIONS)}"),
    "cardType": (_fits(_DOTTED), "a card's type, as in weather.result"),
    "icon": (_fits(_ICON), "an icon's name of a-z, 0-9 and -, as in cloud-sun"),
}
_REQUIRES: Final[_Rules] = {"features": _FEATURES, "escalations": _FEATURES}


def find_extension(schema: Mapping[str, Any], report: Report) -> tuple[str, Block] | None:
    """Return the block with the key that it stands under, or None where there is not just one."""
    found = [key for key in EXTENSION_KEYS if key in schema]
    if not found:
        words = f'{EXTENSION_KEYS[0]} is missing: write at least {{"annotations": {{"category"'
        report.error((), "extension-missing", f"{words}: ...}}}}")
        return None
    if len(found) > 1:
        words = f"{found[0]} says it already: keep one of the two"
        report.error((found[1],), "extension-twice", words)
        return None
    block = schema[found[0]]
    if not isinstance(block, Mapping):
        report.error((found[0],), "extension-value", f"is {told(block)}: write an object")
        return None
    return found[0], block


def read_extension(key: str, block: Block, properties: object, report: Report) -> Extension | None:
    """Read a block. Returns None where it has errors, all of which are in the report.

    `properties` are the schema's own, which `askOnKeys` and `defaults` name. What the defaults
    are worth, and whether the output's schema is one, is checked elsewhere. Contract: package
    tools, extension.
    """
    before = report.errors
    known = properties if isinstance(properties, Mapping) else {}
    _check_block(block, _BLOCK, (key,), report)
    parts = {name: _part(block, name) for name in ("annotations", "ui", "requires", "defaults")}
    annotations, ui, requires, defaults = parts.values()
    _check_block(annotations, _ANNOTATIONS, (key, "annotations"), report)
    if "category" not in annotations:
        words = f"category is missing: write one of {', '.join(CATEGORIES)}"
        place = (key, "annotations") if "annotations" in block else (key,)
        report.error(place, "category-missing", words)
    _check_block(ui, _UI, (key, "ui"), report)
    _check_block(requires, _REQUIRES, (key, "requires"), report)
    for name in defaults:
        if name not in known:
            words = f"{told(name)} is no property of the tool: remove it or declare it"
            report.error((key, "defaults", name), "default-unknown", words)
    _check_asking(key, block, annotations, known, report)
    if annotations.get("readOnlyHint") is True and annotations.get("destructiveHint") is True:
        words = "a tool that only reads destroys nothing: one of the two hints is wrong"
        report.warn((key, "annotations", "destructiveHint"), "hints", words)
    if annotations.get("readOnlyHint") is True and annotations.get("category") == "write":
        words = "a tool that only reads writes nothing: the hint or the category is wrong"
        report.warn((key, "annotations", "category"), "hints", words)
    if report.errors > before:
        return None
    return Extension(
        family=block.get("family"),
        operation=block.get("operation"),
        transport=block.get("transport", "embedded"),
        defaults=defaults,
        annotations=_annotations(annotations),
        ui=ToolUi(
            presentation=ui.get("presentation"), card_type=ui.get("cardType"), icon=ui.get("icon")
        ),
        required_features=frozenset(requires.get("features", ())),
        escalations=tuple(requires.get("escalations", ())),
        ask_on_keys=tuple(block.get("askOnKeys", ())),
    )


def _part(block: Block, name: str) -> Block:
    value = block.get(name)
    return value if isinstance(value, Mapping) else {}


def _annotations(block: Block) -> ToolAnnotations:
    duration = block.get("estimatedDurationMs")
    return ToolAnnotations(
        category=block["category"],
        title=block.get("title"),
        read_only=block.get("readOnlyHint"),
        destructive=block.get("destructiveHint"),
        idempotent=block.get("idempotentHint"),
        open_world=block.get("openWorldHint"),
        estimated_duration_ms=None if duration is None else int(duration),
        cancellable=block.get("cancellable", False),
    )


def _check_block(block: Block, rules: _Rules, place: Place, report: Report) -> None:
    for name, value in block.items():
        if name == "recovery":
            words = "how a tool is recovered is decided when it runs, not by the tool: remove it"
            report.error((*place, name), "recovery", words)
        elif name not in rules:
            words = f"{told(name)} is not known here: one of {', '.join(rules)}, or remove it"
            report.error((*place, name), "extension-key", words)
        elif not rules[name][0](value):
            words = (
                _feature_words(name, value) or f"{name} is {told(value)}: write {rules[name][1]}"
            )
            rule = "category" if name == "category" else "extension-value"
            report.error((*place, name), rule, words)


def _feature_words(name: str, value: object) -> str | None:
    """Say which of a list of features is wrong; None for what is no such list."""
    if name not in _REQUIRES or not isinstance(value, list):
        return None
    most = LOADING_LIMITS.max_features
    if len(value) > most:
        return f"{name} has {len(value)} features: {most} are the most"
    for index, each in enumerate(value):
        if not _fits(_FEATURE)(each):
            return f"{name} has {told(each)}: a feature's name is by {_FEATURE.pattern}"
        if each in value[:index]:
            return f"{name} has {told(each)} twice: remove one"
    return None


def _check_asking(
    key: str, block: Block, annotations: Block, properties: Mapping[str, Any], report: Report
) -> None:
    """Check `askOnKeys`: what can only make a call ask has to be able to."""
    names = block.get("askOnKeys")
    if not isinstance(names, list):
        return
    place = (key, "askOnKeys")
    most = LOADING_LIMITS.max_ask_keys
    if not 0 < len(names) <= most:
        words = f"has {len(names)} keys: write 1 to {most}, or leave it out"
        report.error(place, "ask-count", words)
    if annotations.get("destructiveHint") is not True:
        words = 'is for a tool with "destructiveHint": true: write that, or leave askOnKeys out'
        report.error(place, "ask-destructive", words)
    category = annotations.get("category")
    if "category" in annotations and category not in _ASKING_CATEGORIES:
        words = (
            f"is for the categories {', '.join(sorted(_ASKING_CATEGORIES))}; of {told(category)} "
            "no call or every call is asked about: leave it out"
        )
        report.error(place, "ask-category", words)
    seen: set[str] = set()
    for index, name in enumerate(names):
        if not isinstance(name, str) or name not in properties:
            words = f"{told(name)} is no property at the root of the tool: name one"
            report.error((*place, index), "ask-unknown", words)
        elif name in seen:
            report.error((*place, index), "ask-twice", f"{told(name)} is there twice: remove one")
        else:
            seen.add(name)
