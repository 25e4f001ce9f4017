"""The extension block: each rule with a block that breaks it and one that does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.python.support.tool_packages import (
    annotated,
    block,
    defined,
    found,
    read,
    tool,
    with_property,
)

WRITES = {"category": "write", "destructiveHint": True}


def asking(keys: Any, **annotations: Any) -> dict[str, Any]:
    names = [f"key{index}" for index in range(10)]
    return tool(
        block(askOnKeys=keys, annotations={**WRITES, **annotations}),
        properties={name: {} for name in names},
    )


RULES = [
    ("extension-value", "", [], block()),
    ("extension-key", "/guard", block(guard={}), block()),
    ("extension-key", "/annotations/readOnly", annotated(readOnly=True),
     annotated(readOnlyHint=True)),
    ("extension-key", "/ui/card", block(ui={"card": "a"}), block(ui={"cardType": "a"})),
    ("extension-key", "/requires/feature", block(requires={"feature": ["a"]}),
     block(requires={"features": ["a"]})),
    ("recovery", "/recovery", block(recovery={}), block()),
    ("recovery", "/annotations/recovery", annotated(recovery="retry"), annotated()),
    ("recovery", "/ui/recovery", block(ui={"recovery": None}), block(ui={})),
    ("recovery", "/requires/recovery", block(requires={"recovery": 1}), block(requires={})),
    ("category-missing", "", {}, block()),
    ("category-missing", "/annotations", annotated(category=None), annotated(category="admin")),
    ("category", "/annotations/category", annotated(category="readonly"),
     annotated(category="unknown")),
    ("category", "/annotations/category", annotated(category=["read"]), annotated()),
    ("extension-value", "/annotations/readOnlyHint", annotated(readOnlyHint="true"),
     annotated(readOnlyHint=True)),
    ("extension-value", "/annotations/destructiveHint", annotated(destructiveHint=0),
     annotated(destructiveHint=False)),
    ("extension-value", "/annotations/idempotentHint", annotated(idempotentHint=1),
     annotated(idempotentHint=True)),
    ("extension-value", "/annotations/openWorldHint", annotated(openWorldHint=[]),
     annotated(openWorldHint=False)),
    ("extension-value", "/annotations/cancellable", annotated(cancellable="yes"),
     annotated(cancellable=True)),
    ("extension-value", "/annotations/title", annotated(title=" "), annotated(title="Add")),
    ("extension-value", "/annotations/title", annotated(title="a" * 201),
     annotated(title="a" * 200)),
    ("extension-value", "/annotations/estimatedDurationMs", annotated(estimatedDurationMs=-1),
     annotated(estimatedDurationMs=0)),
    ("extension-value", "/annotations/estimatedDurationMs", annotated(estimatedDurationMs=1.5),
     annotated(estimatedDurationMs=2000)),
    ("extension-value", "/annotations/estimatedDurationMs", annotated(estimatedDurationMs=True),
     annotated(estimatedDurationMs=86_400_000)),
    ("extension-value", "/annotations/estimatedDurationMs",
     annotated(estimatedDurationMs=86_400_001), annotated(estimatedDurationMs=1)),
    ("extension-value", "/annotations", block(annotations=[]), block()),
    ("extension-value", "/family", block(family=""), block(family="notes")),
    ("extension-value", "/operation", block(operation="note add"),
     block(operation="notes.add")),
    ("extension-value", "/transport", block(transport="http"), block(transport="embedded")),
    ("extension-value", "/ui", block(ui="card"), block(ui={})),
    ("extension-value", "/ui/presentation", block(ui={"presentation": "big"}),
     block(ui={"presentation": "card"})),
    ("extension-value", "/ui/cardType", block(ui={"cardType": 7}), block()),
    ("extension-value", "/ui/icon", block(ui={"icon": "<svg>"}),
     block(ui={"icon": "cloud-sun"})),
    ("extension-value", "/requires", block(requires=["a"]), block(requires={})),
    ("extension-value", "/requires/features", block(requires={"features": "a"}),
     block(requires={"features": []})),
    ("extension-value", "/requires/features", block(requires={"features": ["a", "a"]}),
     block(requires={"features": ["a", "a.b"]})),
    ("extension-value", "/requires/features", block(requires={"features": ["*"]}),
     block(requires={"features": ["weather.read"]})),
    ("extension-value", "/requires/features",
     block(requires={"features": [f"f{index}" for index in range(65)]}),
     block(requires={"features": [f"f{index}" for index in range(64)]})),
    ("extension-value", "/requires/escalations", block(requires={"escalations": [7]}),
     block(requires={"escalations": ["drive.write"]})),
    ("extension-value", "/defaults", block(defaults=[]), block(defaults={})),
    ("default-unknown", "/defaults/title", block(defaults={"title": "a"}),
     block(defaults={"text": "a"})),
    ("default-value", "/defaults/text", block(defaults={"text": 7}),
     block(defaults={"text": ""})),
    ("extension-value", "/askOnKeys", block(askOnKeys="text"), block()),
    ("extension-value", "/outputSchema", block(outputSchema=True),
     block(outputSchema={"type": "object"})),
    ("output-type", "/outputSchema", block(outputSchema={}),
     block(outputSchema={"type": "object", "properties": {}})),
    ("root-dialect", "/outputSchema/$schema",
     block(outputSchema={"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema"}),
     block(outputSchema={"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"})),
    ("draft-07", "/outputSchema/required", block(outputSchema={"type": "object", "required": 7}),
     block(outputSchema={"type": "object", "required": ["a"]})),
    ("ref-remote", "/outputSchema/not/$ref",
     block(outputSchema={"type": "object", "not": {"$ref": "http://notes.example/a"}}),
     block(outputSchema={"type": "object", "not": {"$ref": "#/definitions/a"},
                         "definitions": {"a": {}}})),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "pointer", "broken", "whole"), RULES)
@pytest.mark.parametrize("key", ["x-bascule", "x-neuralis"])
def test_the_block_follows_each_rule_under_either_key(
    key: str, rule: str, pointer: str, broken: Any, whole: Any
) -> None:
    bad, good = (tool(None, **{key: each}) for each in (broken, whole))
    assert (rule, f"/{key}{pointer}") in found(bad)
    assert read(bad)[0] is None
    assert found(good, cards=("a",)) == set()


ASKING = [
    ("ask-count", "", asking([]), asking(["key0"])),
    ("ask-count", "", asking([f"key{index}" for index in range(9)]),
     asking([f"key{index}" for index in range(8)])),
    ("ask-twice", "/1", asking(["key0", "key0"]), asking(["key0", "key1"])),
    ("ask-unknown", "/0", asking(["delete"]), asking(["key9"])),
    ("ask-unknown", "/0", asking([["key0"]]), asking(["key0"])),
    ("ask-destructive", "", asking(["key0"], destructiveHint=False), asking(["key0"])),
    ("ask-destructive", "", tool(block(askOnKeys=["text"], annotations={"category": "write"})),
     asking(["key0"])),
    *(
        ("ask-category", "", asking(["key0"], category=category),
         asking(["key0"], category=other))
        for category, other in [("read", "write"), ("credential", "execute"),
                                ("admin", "network"), ("unknown", "machine")]
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "pointer", "broken", "whole"), ASKING)
def test_asking_follows_each_rule(
    rule: str, pointer: str, broken: dict[str, Any], whole: dict[str, Any]
) -> None:
    assert found(broken) == {(rule, f"/x-bascule/askOnKeys{pointer}")}
    assert found(whole) == set()


def test_a_block_is_there_once() -> None:
    assert found(tool(None)) == {("extension-missing", "")}
    both = {**tool(), "x-neuralis": block()}
    assert found(both) == {("extension-twice", "/x-neuralis")}


def test_a_block_further_inside_is_refused_and_an_argument_of_its_name_is_not() -> None:
    inside = with_property({"x-bascule": block()})
    assert found(inside) == {("extension-place", "/properties/extra/x-bascule")}
    assert found(tool(properties={"x-bascule": {}})) == set()


def test_what_the_block_says_is_in_the_definition() -> None:
    schema = tool(
        block(
            family="notes",
            operation="notes.add",
            transport="embedded",
            defaults={"text": "new"},
            annotations={
                **WRITES,
                "title": "Add a note",
                "readOnlyHint": False,
                "idempotentHint": True,
                "openWorldHint": False,
                "estimatedDurationMs": 2e3,
                "cancellable": True,
            },
            ui={"presentation": "card", "cardType": "notes.one", "icon": "pen"},
            requires={"features": ["notes.write"], "escalations": ["notes.admin"]},
            askOnKeys=["text"],
            outputSchema={"type": "object"},
        ),
        title="Note",
    )
    definition = defined(schema)
    said = definition.annotations
    assert (definition.name, definition.description) == ("note_add", "Add a note.")
    assert (definition.family, definition.operation) == ("notes", "notes.add")
    assert definition.defaults == {"text": "new"}
    assert (said.category, said.title, definition.title) == ("write", "Add a note", "Add a note")
    assert (said.read_only, said.destructive) == (False, True)
    assert (said.idempotent, said.open_world, said.cancellable) == (True, False, True)
    assert said.estimated_duration_ms == 2000
    assert (definition.ui.card_type, definition.ui.icon) == ("notes.one", "pen")
    assert definition.required_features == {"notes.write"}
    assert definition.escalations == ("notes.admin",)
    assert definition.ask_on_keys == ("text",)
    assert definition.output is not None
    assert definition.output.errors([])
    assert "x-bascule" not in definition.input_schema


def test_what_the_block_does_not_say_is_not_made_up() -> None:
    definition = defined(tool())
    said = definition.annotations
    assert (said.read_only, said.destructive, said.idempotent, said.open_world) == (None,) * 4
    assert (said.is_read_only, said.is_destructive, said.cancellable) == (False, True, False)
    assert (definition.title, definition.output, definition.escalations) == ("note_add", None, ())
    assert (definition.transport, definition.defaults) == ("embedded", {})
    assert defined(tool(title="Note")).title == "Note"


@pytest.mark.parametrize(
    ("ui", "hint", "presentation"),
    [
        ({}, None, "inline"),
        ({}, False, "inline"),
        ({}, True, "explored"),
        ({"presentation": "inline"}, True, "inline"),
        ({"presentation": "card"}, True, "card"),
        ({"cardType": "notes.one"}, True, "card"),
        ({"cardType": "notes.one", "presentation": "explored"}, False, "explored"),
    ],
)
def test_only_reading_makes_a_result_compact_where_nothing_else_is_said(
    ui: dict[str, str], hint: bool | None, presentation: str
) -> None:
    annotations = {"category": "read"} | ({} if hint is None else {"readOnlyHint": hint})
    assert defined(tool(block(annotations=annotations, ui=ui))).presentation == presentation


def test_a_card_that_is_not_declared_is_a_warning() -> None:
    schema = tool(block(ui={"cardType": "notes.one"}))
    definition, problems = read(schema)
    assert definition is not None
    assert [(each.rule, each.severity, each.pointer) for each in problems] == [
        ("card-unmatched", "warning", "/x-bascule/ui/cardType")
    ]
    assert read(schema, cards=("notes.one",))[1] == []


def test_a_tool_that_reads_and_destroys_is_a_warning() -> None:
    definition, problems = read(tool(annotated(readOnlyHint=True, destructiveHint=True)))
    assert definition is not None
    assert [(each.rule, each.severity) for each in problems] == [("hints", "warning")]
    assert found(tool(annotated(readOnlyHint=True, destructiveHint=False))) == set()


def test_a_default_is_checked_where_a_definition_says_what_it_must_be() -> None:
    parts = {
        "properties": {"text": {"$ref": "#/definitions/text"}, "other": {}},
        "definitions": {"text": {"type": "string"}},
        "required": ["text", "other"],
    }
    wrong = tool(block(defaults={"text": 7}), **parts)
    assert found(wrong) == {("default-value", "/x-bascule/defaults/text")}
    assert found(tool(block(defaults={"text": "a"}), **parts)) == set()


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (["a", "not ok"], 'features has "not ok": a feature\'s name is by [A-Za-z]'),
        (["a", "b", "a"], 'features has "a" twice: remove one'),
        ([7], "features has 7: a feature's name is by"),
        ([f"f{index}" for index in range(65)], "features has 65 features: 64 are the most"),
        ("a", 'features is "a": write a list'),
    ],
)
def test_the_feature_that_is_wrong_is_named(features: Any, words: str) -> None:
    (problem,) = read(tool(block(requires={"features": features})))[1]
    assert problem.message.startswith(words)


@pytest.mark.parametrize(
    ("annotations", "warned"),
    [
        (
            {"readOnlyHint": True, "category": "write"},
            {("hints", "/x-bascule/annotations/category")},
        ),
        ({"readOnlyHint": True, "category": "network"}, set()),
        ({"readOnlyHint": False, "category": "write"}, set()),
    ],
)
def test_a_tool_that_only_reads_and_is_of_category_write_is_a_warning(
    annotations: Any, warned: set[tuple[str, str]]
) -> None:
    assert found(tool(annotated(**annotations))) == warned
