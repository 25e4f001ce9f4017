"""The transition tables."""

from __future__ import annotations

import pytest

from bridge.broker.states import (
    ITEM_TRANSITIONS,
    LINK_TRANSITIONS,
    IllegalTransitionError,
    ItemState,
    ItemTrigger,
    LinkState,
    LinkTrigger,
    render_transition_tables,
    step,
)

ENDS = {ItemState.ANSWERED, ItemState.TIMED_OUT, ItemState.ABANDONED, ItemState.FAILED}


@pytest.mark.parametrize("state", list(LinkState))
@pytest.mark.parametrize("trigger", list(LinkTrigger))
def test_a_link_step_is_in_the_table_or_an_error(state: LinkState, trigger: LinkTrigger) -> None:
    if (state, trigger) in LINK_TRANSITIONS:
        assert step(LINK_TRANSITIONS, state, trigger) is LINK_TRANSITIONS[state, trigger]
    else:
        with pytest.raises(IllegalTransitionError):
            step(LINK_TRANSITIONS, state, trigger)


def test_an_item_that_has_ended_takes_no_step() -> None:
    assert {state for state, _ in ITEM_TRANSITIONS} == set(ItemState) - ENDS


def test_every_item_state_but_the_first_is_reached() -> None:
    assert set(ITEM_TRANSITIONS.values()) == set(ItemState) - {ItemState.QUEUED}


def test_a_queued_item_is_never_answered() -> None:
    assert (ItemState.QUEUED, ItemTrigger.ANSWER) not in ITEM_TRANSITIONS


def test_the_drawing_names_every_state_and_trigger() -> None:
    drawing = render_transition_tables()
    for name in [*LinkState, *LinkTrigger, *ItemState, *ItemTrigger]:
        assert name in drawing
