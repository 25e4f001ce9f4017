"""A line is read as far as it can be tied to an id, whichever protocol it is of."""

from __future__ import annotations

import pytest

from bridge.dispatcher.envelope import read_envelope
from bridge.dispatcher.params import ABSENT


def test_a_request_and_a_notification_are_read_whole() -> None:
    envelope = read_envelope('{"jsonrpc":"2.0","id":0,"method":"m","params":{"a":1},"more":1}')
    assert envelope[:4] == (0, "m", {"a": 1}, None)
    envelope = read_envelope(b'{"jsonrpc":"2.0","method":"m"}')
    assert (envelope.id, envelope.params, envelope.error) == (ABSENT, {}, None)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("[]", "array"),
        ("5", "other"),
        ("{", "other"),
        ('{"id":1,"result":{}}', "response"),
        ('{"jsonrpc":"2.0","id":null,"error":{}}', "response"),
        ('{"jsonrpc":"2.0","id":1}', "other"),
        ('{"jsonrpc":"2.0","id":null,"method":"m","result":{}}', "other"),
    ],
)
def test_of_what_is_no_request_it_is_told_what_it_is(line: str, kind: str) -> None:
    envelope = read_envelope(line)
    assert envelope.error is not None
    assert envelope.kind == kind
    assert not envelope.is_message
    assert envelope.method == ""


@pytest.mark.parametrize("params", ["{}", '"x"'])
def test_an_empty_method_is_a_method(params: str) -> None:
    envelope = read_envelope(f'{{"jsonrpc":"2.0","method":"","params":{params}}}')
    assert envelope.is_message
    assert envelope.id is ABSENT
