"""The attach link, decoded as a page does it."""

from __future__ import annotations

import base64
import json

import pytest

from bridge.contract.attach_link import attach_link

URL, TOKEN = "http://127.0.0.1:40000", "Tk-_" * 11


@pytest.mark.parametrize("length", range(5))
def test_the_fragment_is_unpadded_base64url_of_url_and_token(length: int) -> None:
    token = TOKEN + "x" * length
    link = attach_link("https://app.example/edit?x=1", URL, token)
    page, mark, text = link.partition("#bascule=")
    assert page == "https://app.example/edit?x=1"
    assert mark
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    decoded = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert json.loads(decoded) == {"url": URL, "token": token}


def test_the_token_is_in_the_fragment_alone() -> None:
    link = attach_link("https://app.example/", URL, TOKEN)
    assert TOKEN not in link
    assert link.index("#") == len("https://app.example/")


def test_a_page_with_a_fragment_of_its_own_is_refused() -> None:
    with pytest.raises(ValueError, match="fragment"):
        attach_link("https://app.example/#top", URL, TOKEN)
