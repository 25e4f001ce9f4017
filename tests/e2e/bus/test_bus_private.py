"""Private actions in real frames, by clicks that browsers trust.

To look at a page counts as a click in it, for the one browser or the other: so the page tells by
its console what happens, and is clicked by coordinates.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Page
from playwright.sync_api import TimeoutError as NothingTold

from bridge.servers.static_pages import StaticPages

COPY = (60, 40)
WALLET = (60, 100)
KEYS = (60, 160)
PASTE = (60, 340)
ALLOW = (60, 560)
DENY = (260, 560)
ENTER = (460, 560)
INPUT = (60, 220)
INPUT_OF_BOARD = (460, 220)
KEYS_OF_BOARD = (460, 160)

NOTES = "app:notes:tile:main:instance:1"
BOARD = "app:board:tile:main:instance:1"
ACCOUNT = "0x" + "ab" * 20


class PrivateShell:
    """The page, and what it has told so far."""

    def __init__(self, page: Page, origin: str, query: str = "") -> None:
        self.page = page
        self.told: list[list[Any]] = []
        self.ever_told: set[str] = set()
        page.on("console", self._hear)
        page.goto(f"{origin}/probe/bus/private.html{query}")

    def _hear(self, message: ConsoleMessage) -> None:
        if message.text.startswith("told "):
            self.told.append(json.loads(message.text[5:]))
            self.ever_told.add(self.told[-1][0])

    def next(self, what: str) -> Any:
        """Wait until the page tells of something; drop what it told before."""
        until = time.monotonic() + 20
        while not any(each[0] == what for each in self.told):
            assert time.monotonic() < until, f"no {what} in {self.told}"
            # What comes between two waits is noted, and wakes nobody.
            with suppress(NothingTold):
                self.page.wait_for_event("console", timeout=100)
        while True:
            said, more = self.told.pop(0)
            if said == what:
                return more

    def click(self, place: tuple[int, int]) -> None:
        """Click as a person does: the keyboard has moved before the button is up."""
        self.page.mouse.click(*place, delay=60)

    def run(self, app: str, name: str, kind: str = "background", given: Any = None) -> Any:
        """Have an app do something by itself, and wait for its end."""
        self.begin(app, name, kind, given)
        return self.next(f"{app} {name}")

    def begin(self, app: str, name: str, kind: str = "background", given: Any = None) -> None:
        script = "([app, name, kind, given]) => void run(app, name, kind, given)"
        self.page.evaluate(script, [app, name, kind, given or {}])


def test_the_clipboard_is_written_by_a_click_of_the_tile_s_own(
    page: Page, pages: StaticPages
) -> None:
    shell = PrivateShell(page, pages.origin)
    refused = shell.next("notes copy_now")
    assert refused["failed"] == "OWNER_REQUIRED"
    # The first click brings the keyboard to the tile: whose it is cannot be told.
    shell.next("quiet")
    shell.click(COPY)
    assert shell.next("looked") == {"focused": NOTES, "active": True, "moved": True}
    assert shell.next("asked") == "Copy 8 characters from the app notes?"
    shell.click(ALLOW)
    assert shell.next("written") == "of notes"
    # The tile has the keyboard now: the next click is its own.
    assert shell.next("quiet") == "notes"
    shell.click(COPY)
    assert shell.next("looked") == {"focused": NOTES, "active": True, "moved": False}
    assert shell.next("written") == "of notes"
    shell.click(PASTE)
    page.keyboard.press("Control+V")
    page.wait_for_function("() => document.querySelector('#pasted').value !== ''")
    assert page.locator("#pasted").input_value() == "of notes"


@pytest.mark.parametrize("attack", ["steal", "guard"])
def test_a_tile_that_was_never_clicked_writes_nothing_by_a_click_elsewhere(
    page: Page, pages: StaticPages, attack: str, browser_name: str
) -> None:
    """By taking the keyboard after the click, or by taking it back before anybody sees it go.

    A browser that says in which frame a click was keeps it out; elsewhere its owner is asked.
    """
    shell = PrivateShell(page, pages.origin, f"?board={attack}")
    shell.next("quiet")
    shell.click(INPUT)
    # The control: it is heard, with the keyboard and a fresh click.
    looked: dict[str, Any] = {"focused": None, "active": False}
    while looked["focused"] != BOARD or not looked["active"]:
        looked = shell.next("looked")
    if browser_name == "chromium":
        for _ in range(3):
            assert shell.next("board kept out")["failed"] == "OWNER_REQUIRED"
        assert not shell.ever_told & {"asked", "written"}
        # Another control: the same request is let in by a click in that tile itself.
        page.mouse.move(*INPUT_OF_BOARD)
        shell.next("quiet")
        shell.click(INPUT_OF_BOARD)
        assert shell.next("written") == "stolen"
        return
    assert shell.next("asked") == "Copy 6 characters from the app board?"
    shell.click(DENY)
    assert shell.next("board stolen")["failed"] == "OWNER_REQUIRED"
    assert not [said for said, _ in shell.told if said == "written"]
    shell.click(PASTE)
    page.keyboard.press("Control+V")
    assert "stolen" not in page.locator("#pasted").input_value()


def test_a_tile_uses_a_wallet_of_the_page_by_clicks_in_the_page(
    page: Page, pages: StaticPages
) -> None:
    shell = PrivateShell(page, pages.origin)
    shell.next("quiet")
    shell.click(WALLET)
    for title in (
        "Show the app notes which wallets you have?",
        "Connect the app notes to Test Wallet?",
        "The app notes wants to have a message signed",
    ):
        assert shell.next("asked") == title
        reached = len([said for said, _ in shell.told if said == "wallet"])
        assert reached == 0, "nothing reaches the wallet before the yes"
        if "which wallets" in title:
            # The owner thinks longer than the tile's own click lasts: their yes carries the next.
            shell.next("quiet")
        shell.click(ALLOW)
        if "Connect" in title:
            assert shell.next("wallet") == ["eth_requestAccounts", []]
            assert shell.next("wallet") == ["eth_chainId", []]
    assert shell.next("wallet") == ["personal_sign", ["0x4869", ACCOUNT]]
    result = shell.next("wallet ended")["ok"]
    session = result["connected"].pop("session")
    assert isinstance(session, str)
    (found,) = result["wallets"]
    assert result == {
        "wallets": [
            {
                "wallet": found["wallet"],
                "name": "Test Wallet",
                "rdns": "test.wallet",
                "icon": "data:image/png;,",
            }
        ],
        "connected": {
            "wallet": {"name": "Test Wallet", "rdns": "test.wallet"},
            "chainId": "0x1",
            "accounts": [ACCOUNT],
        },
        "signed": {"result": "0x5161"},
    }


def test_keys_stay_in_the_browser_and_give_the_same_after_a_reload(
    page: Page, pages: StaticPages
) -> None:
    shell = PrivateShell(page, pages.origin)
    shell.next("notes copy_now")
    shell.click(KEYS)
    made = shell.next("keys ended")["ok"]
    assert made["had"] == 0
    assert len(made["key"]) == 43
    shell.told.clear()
    page.reload()
    shell.next("notes copy_now")
    shell.click(KEYS)
    assert shell.next("keys ended")["ok"] == {"had": 1, "key": made["key"]}
    shell.click(KEYS_OF_BOARD)
    other = shell.next("keys ended")["ok"]
    assert other["had"] == 0, "another app has keys of its own"
    assert other["key"] != made["key"]


def test_a_credential_goes_to_the_background_and_a_badge_comes_from_it(
    page: Page, pages: StaticPages
) -> None:
    shell = PrivateShell(page, pages.origin)
    shell.next("notes copy_now")
    tile = "tile:main:instance:1"
    assert shell.run("notes", "connect", tile)["failed"] == "UNKNOWN_ACTION"
    shell.begin("notes", "connect")
    assert shell.next("asked") == "Connect the app notes to mail?"
    shell.click(ENTER)
    page.keyboard.type("the owner's secret")
    shell.click(ALLOW)
    connection = shell.next("notes connect")["ok"]["connection"]
    which = {"connection": connection}
    given = shell.run("notes", "credential", "background", which)
    assert given == {"ok": {"credential": "the owner's secret"}}
    assert shell.run("notes", "credential", tile, which)["failed"] == "UNKNOWN_ACTION"
    audit = page.evaluate("() => JSON.stringify(kernel.audit.entries())")
    assert "connections.credential" in audit
    # A test's own tool gave it to the page; of the private action nothing is kept.
    private = page.evaluate("() => JSON.stringify(kernel.audit.entries(({private: p}) => p))")
    assert "connections.credential" in private
    assert "secret" not in private
    assert shell.run("notes", "badge", "background", {"badge": 7})["ok"] == {}
    page.evaluate("() => void mount('notes', 'tray')")
    while shell.next("tray") != "connected":
        pass
    shell.begin("notes", "dismiss", "tray:instance:1")
    assert shell.next("tray") == "gone"
    assert page.locator("iframe").count() == 3
