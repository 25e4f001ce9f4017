"""JSON for people."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.output.json_text import read
from bridge.cli.output.pretty_json import pretty
from bridge.cli.output.styles import Style
from tests.python.support.terminal import plain

PLAIN, COLOURED = Style(on=False), Style(on=True)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@given(VALUES)
def test_it_stays_the_same_json_and_is_safe_to_print(value: object) -> None:
    shown = pretty(read(json.dumps(value)), PLAIN)
    assert json.loads(shown) == value
    assert all(line.isprintable() for line in shown.split("\n"))


@given(VALUES)
def test_colours_change_nothing_but_the_colours(value: object) -> None:
    known = read(json.dumps(value))
    uncoloured = "\n".join(plain(line) for line in pretty(known, COLOURED).split("\n"))
    assert uncoloured == "\n".join(line.rstrip() for line in pretty(known, PLAIN).split("\n"))


def test_what_fits_stays_on_a_line_and_what_does_not_is_indented() -> None:
    short = read('{"a": [1, 2.50, "x"], "b": {"c": null}, "d": {}}')
    assert pretty(short, PLAIN) == ('{\n  "a": [1, 2.50, "x"],\n  "b": {"c": null},\n  "d": {}\n}')
    long = read(json.dumps(["x" * 50, "y" * 50]))
    assert pretty(long, PLAIN) == f'[\n  "{"x" * 50}",\n  "{"y" * 50}"\n]'


def test_each_kind_has_its_colour() -> None:
    shown = pretty(read('{"k": ["s", 1, true]}'), COLOURED)
    assert shown == (
        '{\n  \x1b[34m"k"\x1b[0m: [\x1b[32m"s"\x1b[0m, \x1b[36m1\x1b[0m, \x1b[35mtrue\x1b[0m]\n}'
    )
