"""Percentiles and tables of the benchmarks."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.benchmarks.tables import commands, percentile, table


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, 1), (0.5, 51), (0.99, 100), (0.985, 99), (1.0, 100)]
)
def test_a_percentile_is_the_value_below_which_that_share_lies(share: float, expected: int) -> None:
    assert percentile(list(range(100, 0, -1)), share) == expected


def test_the_percentile_of_one_value_is_that_value() -> None:
    assert percentile([7.0], 0.99) == 7.0


@given(st.lists(st.floats(allow_nan=False), min_size=1), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_never_gives_a_smaller_percentile(
    values: list[float], one: float, other: float
) -> None:
    low, high = sorted((one, other))
    assert percentile(values, low) <= percentile(values, high)


def test_a_table_has_a_head_a_rule_and_a_line_for_each_row() -> None:
    assert table(["a", "b"], [["1", "2"], ["3", "4"]]).splitlines() == [
        "| a | b |",
        "| --- | --- |",
        "| 1 | 2 |",
        "| 3 | 4 |",
    ]


@dataclass
class Way:
    name: str
    command: str


def test_the_commands_stand_beside_the_names_of_the_table() -> None:
    assert commands([Way("ours", "run us"), Way("theirs", "run them")]) == (
        "- ours: `run us`\n- theirs: `run them`"
    )
