"""Who may call: the same user by the kernel's word, and nobody where it says nothing."""

from __future__ import annotations

import os
import socket
import struct

import pytest

from bridge.contract.peer_credentials import OVERFLOW_UID, is_same_user, peer_uid


class Answers:
    """A socket of which the kernel says what a test wants."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.asked: tuple[int, int] | None = None

    def getsockopt(self, level: int, name: int, size: int, /) -> bytes:
        self.asked = (level, name)
        return self.data[:size]


def xucred(version: int, uid: int) -> bytes:
    return struct.pack("=IIh2x16I", version, uid, 1, *range(16))


def test_linux_tells_the_user_of_a_real_peer() -> None:
    if not hasattr(socket, "SO_PEERCRED"):
        pytest.skip("this platform has no SO_PEERCRED")
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert peer_uid(one, socket.SOL_SOCKET, socket.SO_PEERCRED) == os.getuid()


def test_the_user_is_told_apart_from_process_and_group() -> None:
    peer = Answers(struct.pack("=iII", 11, 22, 33))
    assert peer_uid(peer, 1, 17, "linux") == 22
    assert peer.asked == (1, 17)


def test_darwin_is_asked_in_its_own_way() -> None:
    peer = Answers(xucred(0, 501))
    assert peer_uid(peer, 0xFFFF, None, "darwin") == 501
    assert peer.asked == (0, 1)


@pytest.mark.parametrize(
    ("platform", "option", "data"),
    [
        ("linux", None, struct.pack("=iII", 1, 2, 3)),
        ("linux", 17, b"\0" * 11),
        ("darwin", None, xucred(1, 501)),
        ("darwin", None, b"\0" * 4),
        ("freebsd14", 17, struct.pack("=iII", 1, 2, 3)),
        ("win32", None, b""),
    ],
)
def test_where_the_kernel_does_not_tell_there_is_no_user(
    platform: str, option: int | None, data: bytes
) -> None:
    assert peer_uid(Answers(data), 1, option, platform) is None


def test_only_the_very_same_user_is_trusted() -> None:
    assert is_same_user(1000, 1000)
    assert is_same_user(0, 0)
    assert not is_same_user(0, 1000), "not even root: it needs no socket"
    assert not is_same_user(1001, 1000)
    assert not is_same_user(None, 1000)


def test_the_number_of_users_without_a_number_is_nobody_s() -> None:
    assert not is_same_user(OVERFLOW_UID, OVERFLOW_UID)
