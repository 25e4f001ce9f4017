"""Tickets: a good one is read, and each way of being wrong is refused in the same words.

Each attack is made by changing one thing of a ticket that is read before the change.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.tools.session_context import SessionContext
from bridge.tools.session_ticket import (
    MAX_TICKET_BYTES,
    MAX_TICKET_SECONDS,
    MAX_TICKET_SKEW_SECONDS,
    TicketKeys,
    TicketRefused,
    read_ticket,
    sign_ticket,
)
from tests.python.support.calm import calm

NOW = 1_800_000_000.5
ISSUED = int(NOW)
AUDIENCE = "https://agents.example/acme"
SEED, OTHER_SEED = b"\x01" * 32, b"\x02" * 32
KEYS = TicketKeys.signing("2026-01", SEED)
SESSION = SessionContext(
    user_id="u1", role="owner", granted_features=frozenset({"a.read", "b.write"})
)
PREFIX = b"bascule-session-1."
HEADER = {"typ": "bascule-session-1", "kid": "2026-01"}
PAYLOAD = {"aud": AUDIENCE, "iat": ISSUED, "exp": ISSUED + 60, "session": SESSION.to_wire()}


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def forge(
    header: Any = HEADER, payload: Any = PAYLOAD, seed: bytes = SEED, prefix: bytes = PREFIX
) -> str:
    """Write a ticket by hand, of whatever parts, signed by the real key unless told otherwise."""
    parts = [
        encode(each if isinstance(each, bytes) else json.dumps(each).encode())
        for each in (header, payload)
    ]
    signed = prefix + ".".join(parts).encode()
    signature = Ed25519PrivateKey.from_private_bytes(seed).sign(signed)
    return ".".join([*parts, encode(signature)])


def reads(ticket: str, keys: TicketKeys = KEYS, audience: str = AUDIENCE, now: float = NOW) -> bool:
    try:
        session = read_ticket(keys, ticket, audience, now)
    except TicketRefused as error:
        refused = error
    else:
        assert session == SESSION
        return True
    assert str(refused) == "the session ticket is not valid"
    # Nothing that an error of a log could tell is kept.
    assert (refused.__cause__, refused.__context__) == (None, None)
    return False


def ticket(seconds: float = 60) -> str:
    return sign_ticket(KEYS, SESSION, AUDIENCE, NOW, seconds)


def test_a_ticket_gives_the_session_that_was_signed() -> None:
    assert read_ticket(KEYS, ticket(), AUDIENCE, NOW) == SESSION
    assert ticket() == forge(payload=json.dumps(PAYLOAD, separators=(",", ":")).encode(),
                             header=json.dumps(HEADER, separators=(",", ":")).encode())  # fmt: skip
    assert reads(forge())


def changed(member: str, value: Any) -> dict[str, Any]:
    return {**PAYLOAD, member: value}


def without(table: dict[str, Any], member: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != member}


FORGED: list[tuple[str, Callable[[], str]]] = [
    ("another key under the same id", lambda: forge(seed=OTHER_SEED)),
    ("an id that is not known", lambda: forge({**HEADER, "kid": "2027-01"})),
    ("an id that is no text", lambda: forge({**HEADER, "kid": ["2026-01"]})),
    ("no id", lambda: forge(without(HEADER, "kid"))),
    ("another type", lambda: forge({**HEADER, "typ": "JWT"})),
    ("no type", lambda: forge(without(HEADER, "typ"))),
    ("an algorithm that is none", lambda: forge({**HEADER, "alg": "none"})),
    ("an algorithm of shared secrets", lambda: forge({**HEADER, "alg": "HS256"})),
    ("even the right algorithm", lambda: forge({**HEADER, "alg": "EdDSA"})),
    ("a key in the header", lambda: forge({**HEADER, "jwk": {}})),
    ("a signature over something else of the key's", lambda: forge(prefix=b"")),
    ("a header with a duplicate",
     lambda: forge(b'{"typ":"bascule-session-1","kid":"other","kid":"2026-01"}')),
    ("a payload with a duplicate",
     lambda: forge(payload=b'{"aud":"x",' + json.dumps(PAYLOAD).encode()[1:])),
    ("a session with a duplicate",
     lambda: forge(payload=json.dumps(PAYLOAD).replace('"userId"', '"userId":"x","userId"')
                   .encode())),
    ("a header that is a list", lambda: forge([])),
    ("a payload that is a list", lambda: forge(payload=[])),
    ("a payload that is no JSON", lambda: forge(payload=b"{")),
    ("a payload that is not UTF-8", lambda: forge(payload=b"\xff")),
    ("another audience", lambda: forge(payload=changed("aud", "https://agents.example/"))),
    ("a list of audiences", lambda: forge(payload=changed("aud", [AUDIENCE]))),
    ("no audience", lambda: forge(payload=without(PAYLOAD, "aud"))),
    ("no beginning", lambda: forge(payload=without(PAYLOAD, "iat"))),
    ("no end", lambda: forge(payload=without(PAYLOAD, "exp"))),
    ("an end before the beginning", lambda: forge(payload=changed("exp", ISSUED - 1))),
    ("an end that is the beginning", lambda: forge(payload=changed("exp", ISSUED))),
    ("an end that is a text", lambda: forge(payload=changed("exp", str(ISSUED + 60)))),
    ("an end that is a fraction", lambda: forge(payload=changed("exp", ISSUED + 60.5))),
    ("an end without end",
     lambda: forge(payload=json.dumps(changed("exp", 0)).replace('"exp": 0', '"exp": 1e400')
                   .encode())),
    ("a beginning that is true", lambda: forge(payload=changed("iat", True))),
    ("a time that is too long",
     lambda: forge(payload=changed("exp", ISSUED + MAX_TICKET_SECONDS + 1))),
    ("a member that is not known", lambda: forge(payload=changed("admin", True))),
    ("no session", lambda: forge(payload=without(PAYLOAD, "session"))),
    ("a session without a user", lambda: forge(payload=changed("session", {"role": "owner"}))),
    ("a session of another shape", lambda: forge(payload=changed("session", ["u1"]))),
    ("a session with more members",
     lambda: forge(payload=changed("session", {"userId": "u1", "root": True}))),
]  # fmt: skip


@pytest.mark.parametrize("make", [make for _, make in FORGED], ids=[name for name, _ in FORGED])
def test_a_ticket_with_one_thing_wrong_is_refused(make: Callable[[], str]) -> None:
    assert reads(forge())
    assert not reads(make())


def test_a_ticket_with_anything_changed_on_the_way_is_refused() -> None:
    good = ticket()
    assert reads(good)
    for at, character in enumerate(good):
        other = "A" if character != "A" else "B"
        assert not reads(good[:at] + other + good[at + 1 :]), at
        assert not reads(good[:at] + good[at + 1 :]), at


@pytest.mark.parametrize(
    "spoil",
    [
        lambda good: good + "=",
        lambda good: good + "\n",
        lambda good: " " + good,
        lambda good: good + ".",
        lambda good: "." + good,
        lambda good: good.rpartition(".")[0],
        lambda good: good.rpartition(".")[0] + ".",
        lambda good: good.replace(".", ""),
        lambda good: good.replace("-", "+").replace("_", "/") + "é",
        lambda good: good[:-1] + chr(ord(good[-1]) + 1),
        lambda good: "",
        lambda good: "..",
        lambda good: "\ud800.a.b",
    ],
)
def test_a_ticket_has_one_spelling(spoil: Callable[[str], str]) -> None:
    assert reads(ticket())
    assert not reads(spoil(ticket()))


def test_parts_of_two_good_tickets_do_not_make_a_third() -> None:
    other = sign_ticket(KEYS, SessionContext(user_id="root"), AUDIENCE, NOW, 60)
    head, _, signature = ticket().split(".")
    assert reads(ticket())
    assert not reads(".".join((head, other.split(".")[1], signature)))


@pytest.mark.parametrize(
    ("now", "read"),
    [
        (NOW, True),
        (ISSUED - MAX_TICKET_SKEW_SECONDS, True),
        (ISSUED - MAX_TICKET_SKEW_SECONDS - 0.5, False),
        (ISSUED + 59.9, True),
        (ISSUED + 60, False),
        (ISSUED + 60 + MAX_TICKET_SKEW_SECONDS, False),
        (float("nan"), False),
        (float("inf"), False),
        (float("-inf"), False),
    ],
)
def test_a_ticket_is_good_from_its_beginning_to_its_end(now: float, read: bool) -> None:
    assert reads(ticket(), now=now) is read


def test_a_ticket_is_good_for_its_audience_alone() -> None:
    assert reads(ticket())
    for audience in ("", AUDIENCE + "/", AUDIENCE.upper(), "*"):
        assert not reads(ticket(), audience=audience)


def test_a_ticket_lasts_no_longer_than_a_quarter_of_an_hour() -> None:
    assert MAX_TICKET_SECONDS == 15 * 60
    assert reads(ticket(MAX_TICKET_SECONDS), now=ISSUED + MAX_TICKET_SECONDS - 1)
    assert reads(ticket(1))
    for seconds in (MAX_TICKET_SECONDS + 1, 0.5, 0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="900 seconds"):
            ticket(seconds)


def padded(length: int) -> str:
    """Return a ticket of so many bytes, signed by the real key."""
    for blanks in range(length // 2, length):
        for more in (b"", b" "):
            header = json.dumps(HEADER).encode() + more
            made = forge(header, json.dumps(PAYLOAD).encode() + b" " * blanks)
            if len(made) == length:
                return made
    raise AssertionError(length)


def test_a_ticket_is_no_longer_than_a_header_takes() -> None:
    assert reads(padded(MAX_TICKET_BYTES))
    assert not reads(padded(MAX_TICKET_BYTES + 1))


@pytest.mark.parametrize("features", [13, 20])
def test_a_session_that_makes_too_long_a_ticket_is_not_signed(features: int) -> None:
    def granting(count: int) -> str:
        granted = frozenset(f"{number:0250}" for number in range(count))
        return sign_ticket(
            KEYS, SessionContext(user_id="u", granted_features=granted), AUDIENCE, NOW, 60
        )

    assert len(granting(10)) <= MAX_TICKET_BYTES
    with pytest.raises(ValueError, match="ticket"):
        granting(features)


def test_an_audience_is_a_text_of_some_length() -> None:
    for audience in ("", "a" * 257):
        with pytest.raises(ValueError, match="audience"):
            sign_ticket(KEYS, SESSION, audience, NOW, 60)
    longest = sign_ticket(KEYS, SESSION, "a" * 256, NOW, 60)
    assert reads(longest, audience="a" * 256)


def test_keys_are_changed_without_refusing_a_ticket() -> None:
    before = ticket()
    readers = TicketKeys.verifying(KEYS.public_keys())
    new = KEYS.rotated("2026-02", OTHER_SEED)
    assert new.signing_id == "2026-02"
    readers = readers.accepting("2026-02", new.public_keys()["2026-02"])
    after = sign_ticket(new, SESSION, AUDIENCE, NOW, 60)
    assert after != before
    for keys in (new, readers):
        assert reads(before, keys)
        assert reads(after, keys)
        dropped = keys.without("2026-01")
        assert not reads(before, dropped)
        assert reads(after, dropped)
    assert not reads(after, KEYS)


def test_an_id_means_one_key_for_good() -> None:
    assert KEYS.rotated("2026-01", SEED).public_keys() == KEYS.public_keys()
    with pytest.raises(ValueError, match="another key"):
        KEYS.rotated("2026-01", OTHER_SEED)
    other = TicketKeys.signing("x", OTHER_SEED).public_keys()["x"]
    with pytest.raises(ValueError, match="another key"):
        KEYS.accepting("2026-01", other)
    with pytest.raises(ValueError, match="rotate first"):
        KEYS.without("2026-01")


def test_keys_that_only_verify_sign_nothing() -> None:
    readers = TicketKeys.verifying(KEYS.public_keys())
    assert reads(ticket(), readers)
    with pytest.raises(ValueError, match="only verify"):
        sign_ticket(readers, SESSION, AUDIENCE, NOW, 60)
    assert not reads(ticket(), TicketKeys.verifying({}))


@pytest.mark.parametrize("key_id", ["", "a b", "a.b", "a\n", "é", "a" * 65])
def test_a_keys_id_is_plain(key_id: str) -> None:
    with pytest.raises(ValueError, match="id"):
        TicketKeys.signing(key_id, SEED)
    assert TicketKeys.signing("a" * 64, SEED).signing_id == "a" * 64


@pytest.mark.parametrize("seed", [b"", b"\x01" * 31, b"\x01" * 33])
def test_a_seed_has_its_length(seed: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        TicketKeys.signing("a", seed)


def test_keys_do_not_show_a_private_one() -> None:
    assert repr(KEYS) == "TicketKeys(signing='2026-01', verifying=['2026-01'])"
    assert SEED not in KEYS.public_keys().values()


@given(st.one_of(st.text(), st.from_regex(r"[A-Za-z0-9_.-]{0,200}")))
def test_whatever_text_is_presented_is_refused_and_nothing_else(text: str) -> None:
    assert not reads(text)


AMOUNTS = st.one_of(
    st.integers(0, 2**53), st.floats(0, allow_infinity=False, allow_nan=False, allow_subnormal=True)
)


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
        AMOUNTS,
        max_size=8,
    )
)
@example({"usd": 10.0})
@example({"usd": -0.0, "eur": 1e300, "tokens": 1e-7})
@calm()
def test_every_amount_that_is_signed_is_read(limits: dict[str, float]) -> None:
    session = SessionContext(user_id="u", spend_limits=limits)
    read = read_ticket(KEYS, sign_ticket(KEYS, session, AUDIENCE, NOW, 60), AUDIENCE, NOW)
    assert read == session
    assert read.spend_limits is not None
    assert {type(amount) for amount in read.spend_limits.values()} <= {int, float}
