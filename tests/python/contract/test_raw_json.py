"""Bodies of which some members are kept as bytes: what is checked, what is read, what is kept."""

from __future__ import annotations

import pytest

from bridge.contract import strict_json
from bridge.contract.json_numbers import IntToken, JsonNumber, read_number
from bridge.contract.limits import JSON_LIMITS
from bridge.contract.raw_json import read_object
from bridge.contract.strict_json import StrictJsonError


def test_a_raw_member_is_kept_as_it_came_and_its_own_members_are_read() -> None:
    body = b'{ "session" : "s", "request" : {"id":1e3,\r\n"a":[0.10, -0]} }'
    read = read_object(body, raw=("request",))
    assert read.raw("request") == b'{"id":1e3,  "a":[0.10, -0]}'
    request = read.values["request"]
    assert isinstance(request, dict)
    assert isinstance(request["id"], IntToken)
    assert (read.values["session"], request["id"].token) == ("s", "1e3")


def test_a_number_deep_inside_is_checked_and_not_converted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody looks at it here, and sixteen thousand of them would hold the event loop up."""
    converted: list[str] = []

    def reading(token: str) -> JsonNumber:
        converted.append(token)
        return read_number(token)

    monkeypatch.setattr(strict_json, "read_number", reading)
    read_object(b'{"request":{"id":1.0,"a":[2.50,[3e3,-0.0]]},"x":[4.0]}', raw=("request",))
    assert converted == ["1.0", "4.0"]


@pytest.mark.parametrize("minus_zero", ["", "-0,"])
def test_a_number_deep_inside_obeys_the_limit(minus_zero: str) -> None:
    longest = "1." + "0" * (JSON_LIMITS.max_number_chars - 2)
    body = '{{"request":{{"a":[[{}{}]]}}}}'
    read_object(body.format(minus_zero, longest).encode(), raw=("request",))
    with pytest.raises(StrictJsonError) as caught:
        read_object(body.format(minus_zero, longest + "0").encode(), raw=("request",))
    assert (caught.value.limit, caught.value.member) == ("numberChars", "request")
