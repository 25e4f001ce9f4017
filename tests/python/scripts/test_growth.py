"""The payloads of the growth benchmark."""

from __future__ import annotations

import json

import pytest

from bridge.contract.limits import JSON_LIMITS
from bridge.contract.strict_json import loads
from scripts.benchmarks.growth import SIZES, payload
from scripts.benchmarks.http_caller import body_of


@pytest.mark.parametrize("size", [size for size in SIZES if size < JSON_LIMITS.max_encoded_bytes])
def test_a_payload_takes_exactly_the_bytes_of_its_label(size: int) -> None:
    assert len(json.dumps(payload(size), separators=(",", ":"))) == size


def test_the_largest_payload_fills_a_message_and_keeps_to_every_limit() -> None:
    size = max(SIZES)
    request = json.dumps(
        json.loads(body_of("bench.echo", payload(size)))["request"], separators=(",", ":")
    )
    assert size == JSON_LIMITS.max_encoded_bytes
    assert size - 1024 < len(request) <= size
    loads(request.encode())


def test_the_labels_say_the_sizes() -> None:
    units = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
    for size, label in SIZES.items():
        number, unit = label.split()
        assert int(number) * units[unit] == size
