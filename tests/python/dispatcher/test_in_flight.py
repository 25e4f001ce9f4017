"""Requests that are handled can be cancelled by their ids, and by nothing else."""

from __future__ import annotations

from bridge.contract.json_numbers import IntToken
from bridge.dispatcher.in_flight import InFlight


def test_a_request_is_cancelled_by_its_id_and_told_once() -> None:
    flight = InFlight()
    mark, other = flight.begin(1), flight.begin("1")
    told: list[str] = []
    mark.on_cancel(lambda: told.append("it"))
    other.on_cancel(lambda: told.append("other"))
    flight.cancel(1)
    assert (mark.cancelled, other.cancelled, told) == (True, False, ["it"])


def test_ids_are_the_same_by_their_tokens() -> None:
    flight = InFlight()
    ids: list[str | int] = [1, "1", IntToken(1, "1.0"), '"1']
    marks = [flight.begin(each) for each in ids]
    for index, each in enumerate(ids):
        flight.cancel(each)
        assert [mark.cancelled for mark in marks] == [at <= index for at in range(4)]


def test_requests_that_share_an_id_are_cancelled_together_and_end_each_by_itself() -> None:
    flight = InFlight()
    first, second = flight.begin(0), flight.begin(0)
    flight.end(0, first)
    flight.cancel(0)
    assert (first.cancelled, second.cancelled) == (False, True)


def test_what_has_ended_or_was_never_there_is_not_cancelled() -> None:
    flight = InFlight()
    mark = flight.begin("a")
    flight.end("a", mark)
    flight.cancel("a")
    flight.cancel("b")
    assert not mark.cancelled


def test_who_stops_watching_is_not_told() -> None:
    flight = InFlight()
    told: list[int] = []
    mark = flight.begin(1)
    mark.on_cancel(lambda: told.append(1))()
    flight.cancel(1)
    assert told == []
