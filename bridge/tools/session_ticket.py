"""Session tickets: an identity that its issuer signed, for one audience and a short time.

Three parts of unpadded base64url with dots between: a header that names the key, the payload,
and an Ed25519 signature of both under a prefix of our own. There is one algorithm, so a ticket
cannot name another. Knows no clock, no store of keys and no transport. Contract: package tools,
tickets.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from bridge.contract.limits import JSON_LIMITS
from bridge.contract.strict_json import JsonValue, StrictJsonError, dumps, loads
from bridge.tools.session_context import SessionContext

__all__ = [
    "MAX_TICKET_BYTES",
    "MAX_TICKET_SECONDS",
    "MAX_TICKET_SKEW_SECONDS",
    "TicketKeys",
    "TicketRefused",
    "read_ticket",
    "sign_ticket",
]

MAX_TICKET_BYTES: Final = 4_096
"""A ticket travels in a header."""
MAX_TICKET_SECONDS: Final = 900
"""What is granted in a ticket cannot be taken back before it ends."""
MAX_TICKET_SKEW_SECONDS: Final = 30
"""How far the issuer's clock may be ahead of the reader's. A ticket's end is not put off by it."""

_TYPE: Final = "bascule-session-1"
_PREFIX: Final = b"bascule-session-1."
"""Keeps a signature of the same key over anything else from being taken for a ticket's."""
_KEY_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PART: Final = re.compile(r"[A-Za-z0-9_-]+")
_LIMITS: Final = JSON_LIMITS._replace(
    max_encoded_bytes=MAX_TICKET_BYTES,
    max_string_bytes=MAX_TICKET_BYTES,
    max_depth=4,
    max_values=1_024,
)
_MAX_AUDIENCE_CHARS: Final = 256
_SEED_BYTES: Final = 32


class TicketRefused(Exception):  # noqa: N818 - the word for it
    """A ticket that is not accepted: in the same words, whatever is wrong with it."""

    def __init__(self) -> None:
        super().__init__("the session ticket is not valid")


class TicketKeys:
    """The keys of tickets by their ids: one that signs, if any, and several that verify.

    Immutable; never shows a private key.

    To change keys without refusing a ticket: let every reader verify with the new one (`verifying`
    or `accepting`), then sign with it (`rotated`), and after `MAX_TICKET_SECONDS` drop the old
    one (`without`). Ids are 1 to 64 letters, digits, `-` and `_`, and mean one key for good.
    """

    __slots__ = ("_signer", "_signing_id", "_verifiers")

    def __init__(
        self,
        verifiers: Mapping[str, Ed25519PublicKey],
        signing_id: str | None = None,
        signer: Ed25519PrivateKey | None = None,
    ) -> None:
        for key_id in verifiers:
            _check_key_id(key_id)
        self._verifiers = dict(verifiers)
        self._signing_id = signing_id
        self._signer = signer

    def __repr__(self) -> str:
        return f"TicketKeys(signing={self._signing_id!r}, verifying={sorted(self._verifiers)})"

    @classmethod
    def signing(cls, key_id: str, seed: bytes) -> TicketKeys:
        """Make keys that sign, and verify what they sign.

        `seed` is 32 bytes from the system's secure randomness. Raises `ValueError` for others.
        """
        return cls({}).rotated(key_id, seed)

    @classmethod
    def verifying(cls, public_keys: Mapping[str, bytes]) -> TicketKeys:
        """Make keys that only verify, from raw public keys of 32 bytes. Raises `ValueError`."""
        return cls(
            {
                key_id: Ed25519PublicKey.from_public_bytes(data)
                for key_id, data in public_keys.items()
            }
        )

    def rotated(self, key_id: str, seed: bytes) -> TicketKeys:
        """Return keys that sign with a new key and verify with the ones so far, too."""
        if len(seed) != _SEED_BYTES:
            raise ValueError("a seed is 32 bytes")
        signer = Ed25519PrivateKey.from_private_bytes(seed)
        self._refuse_other(key_id, signer.public_key())
        return TicketKeys({**self._verifiers, key_id: signer.public_key()}, key_id, signer)

    def accepting(self, key_id: str, public_key: bytes) -> TicketKeys:
        """Return keys that verify with one more key, and sign as before."""
        verifier = Ed25519PublicKey.from_public_bytes(public_key)
        self._refuse_other(key_id, verifier)
        return TicketKeys({**self._verifiers, key_id: verifier}, self._signing_id, self._signer)

    def without(self, key_id: str) -> TicketKeys:
        """Return keys that no longer verify with one, which is not the one that signs."""
        if key_id == self._signing_id:
            raise ValueError("the key that signs is not dropped: rotate first")
        left = {name: key for name, key in self._verifiers.items() if name != key_id}
        return TicketKeys(left, self._signing_id, self._signer)

    def public_keys(self) -> dict[str, bytes]:
        """Return the raw public keys by their ids, for readers elsewhere."""
        return {name: key.public_bytes_raw() for name, key in self._verifiers.items()}

    def sign(self, data: bytes) -> tuple[str, bytes]:
        """Return the id of the key that signs, and its signature; `ValueError` without one."""
        if self._signer is None or self._signing_id is None:
            raise ValueError("these keys only verify")
        return self._signing_id, self._signer.sign(data)

    @property
    def signing_id(self) -> str | None:
        """The id of the key that signs."""
        return self._signing_id

    def verify(self, key_id: object, signature: bytes, data: bytes) -> bool:
        """Say whether a signature is that key's; an unknown key's is none."""
        verifier = self._verifiers.get(key_id) if isinstance(key_id, str) else None
        if verifier is None:
            return False
        try:
            verifier.verify(signature, data)
        except InvalidSignature:
            return False
        return True

    def _refuse_other(self, key_id: str, key: Ed25519PublicKey) -> None:
        _check_key_id(key_id)
        known = self._verifiers.get(key_id)
        if known is not None and known.public_bytes_raw() != key.public_bytes_raw():
            raise ValueError(f"the id {key_id} means another key already")


def sign_ticket(
    keys: TicketKeys, session: SessionContext, audience: str, now: float, seconds: float
) -> str:
    """Write a ticket for one audience, from `now` (seconds since 1970) on for some `seconds`.

    Raises `ValueError` for a time above `MAX_TICKET_SECONDS` or below one second, and for a
    ticket longer than `MAX_TICKET_BYTES`. Contract: package tools, tickets.
    """
    if not 1 <= seconds <= MAX_TICKET_SECONDS:
        raise ValueError(f"a ticket is valid for 1 to {MAX_TICKET_SECONDS} seconds")
    if not 0 < len(audience) <= _MAX_AUDIENCE_CHARS:
        raise ValueError("an audience is a text of 1 to 256 characters")
    issued = int(now)
    payload = {
        "aud": audience,
        "iat": issued,
        "exp": issued + int(seconds),
        "session": session.to_wire(),
    }
    try:
        body = _encode(dumps(payload, _LIMITS))
    except StrictJsonError as error:
        raise ValueError(f"the session cannot be written as a ticket: {error}") from error
    head = _encode(dumps({"typ": _TYPE, "kid": keys.signing_id}, _LIMITS))
    _, signature = keys.sign(_PREFIX + head + b"." + body)
    ticket = b".".join((head, body, _encode(signature)))
    if len(ticket) > MAX_TICKET_BYTES:
        raise ValueError(f"a ticket is at most {MAX_TICKET_BYTES} bytes: grant less")
    return ticket.decode("ascii")


def read_ticket(keys: TicketKeys, text: str, audience: str, now: float) -> SessionContext:
    """Return whose ticket it is, once everything about it is verified.

    `now` is in seconds since 1970. Raises `TicketRefused`, which says and carries no reason: who
    presents a ticket that is not valid learns nothing from it. Contract: package tools, tickets.
    """
    try:
        return _read(keys, text, audience, now)
    except (ValueError, TypeError):
        # Every error of decoding, of strict JSON and of a session's shape is one of these.
        pass
    raise TicketRefused


def _read(keys: TicketKeys, text: str, audience: str, now: float) -> SessionContext:
    _require(len(text) <= MAX_TICKET_BYTES)
    head, body, signature = text.split(".")
    header = _object(loads(_decode(head), _LIMITS))
    # Nothing else may stand there: no algorithm, no key, no address of one.
    _require(header.keys() == {"typ", "kid"} and header["typ"] == _TYPE)
    signed = _PREFIX + f"{head}.{body}".encode("ascii")
    _require(keys.verify(header["kid"], _decode(signature), signed))
    payload = _object(loads(_decode(body), _LIMITS))
    _require(payload.keys() == {"aud", "iat", "exp", "session"} and payload["aud"] == audience)
    issued, ends = payload["iat"], payload["exp"]
    if type(issued) is not int or type(ends) is not int:
        raise TypeError
    _require(0 < ends - issued <= MAX_TICKET_SECONDS)
    # Said so that a clock which is no number refuses.
    _require(issued - MAX_TICKET_SKEW_SECONDS <= now < ends)
    return SessionContext.from_wire(_object(payload["session"]))


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError


def _object(value: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise TypeError
    return value


def _encode(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _decode(part: str) -> bytes:
    """Read unpadded base64url, of which each text has one spelling. Raises `ValueError`."""
    if _PART.fullmatch(part) is None:
        raise ValueError(part)
    try:
        data = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except binascii.Error as error:
        raise ValueError(part) from error
    if _encode(data).decode("ascii") != part:
        raise ValueError(part)
    return data


def _check_key_id(key_id: str) -> None:
    if _KEY_ID.fullmatch(key_id) is None:
        raise ValueError(f"not a key's id: {key_id[:80]!r}")
