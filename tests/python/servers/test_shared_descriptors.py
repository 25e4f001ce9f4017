"""Descriptors that somebody else has made unblocking."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from bridge.servers.shared_descriptors import read_some, write_whole

LONG = bytes(range(256)) * 4_096


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    source, target = os.pipe()
    for end in (source, target):
        os.set_blocking(end, False)
    yield source, target
    for end in (source, target):
        os.close(end)


def test_a_plain_write_takes_less_so_that_the_next_test_can_fail(pipe: tuple[int, int]) -> None:
    _source, target = pipe
    assert os.write(target, LONG) < len(LONG)
    with pytest.raises(BlockingIOError):
        os.write(target, LONG)


def test_all_is_written_and_read_though_neither_end_blocks(pipe: tuple[int, int]) -> None:
    source, target = pipe
    writing = threading.Thread(target=write_whole, args=(target, LONG))
    read = bytearray()
    # The reader is there first, and waits.
    reading = threading.Thread(target=_read_all, args=(source, read))
    reading.start()
    writing.start()
    for thread in (writing, reading):
        thread.join(20)
        assert not thread.is_alive()
    assert bytes(read) == LONG


def _read_all(source: int, read: bytearray) -> None:
    while len(read) < len(LONG):
        read.extend(read_some(source, 65_536))


def test_the_end_is_no_bytes_and_a_reader_that_leaves_is_an_error() -> None:
    source, target = os.pipe()
    os.close(target)
    assert read_some(source, 10) == b""
    os.close(source)
    source, target = os.pipe()
    os.close(source)
    with pytest.raises(BrokenPipeError):
        write_whole(target, b"x")
    os.close(target)
    assert read_some(target, 10) == b"", "nor is a descriptor that is closed anything but an end"
