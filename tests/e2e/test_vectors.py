"""The vectors of the control protocol, on the JavaScript dispatcher in both browsers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from bridge.servers.static_pages import StaticPages
from tests.e2e.support.page_server import PAGES, serve_pages
from tests.python.support.vectors import ROOT, control_vectors

FOLDERS = ("browser_worker", "tests/javascript/support", "tests/vectors")
FILES = control_vectors()
READ = '{"jsonrpc":"2.0","id":1,"method":"actions/execute","params":{"action":"note.read"}}'


@pytest.fixture(scope="module")
def vector_pages() -> Iterator[StaticPages]:
    """Serve the modules and the vectors where they are in the repository."""
    mounts = {f"/{folder}": ROOT / folder for folder in FOLDERS}
    with serve_pages(folder=PAGES, index="vectors.html", mounts=mounts) as served:
        yield served


@pytest.mark.parametrize("file", sorted(FILES))
def test_the_browser_keeps_the_vectors(page: Page, vector_pages: StaticPages, file: str) -> None:
    page.goto(vector_pages.page)
    expect(page.locator("#state")).to_have_text("ready")
    told = page.evaluate("file => runVectors(file)", file)
    assert told == {"ran": len(FILES[file]), "failed": []}


def test_a_vector_that_does_not_hold_is_found_in_the_browser(
    page: Page, vector_pages: StaticPages
) -> None:
    page.goto(vector_pages.page)
    expect(page.locator("#state")).to_have_text("ready")
    wrong = {"name": "wrong", "steps": [{"line": READ, "text": "{}"}]}
    assert "the answer is" in page.evaluate("vector => whyWrong(vector)", wrong)
    right = {"name": "right", "steps": [{"line": READ, "executed": ["note.read"]}]}
    assert page.evaluate("vector => whyWrong(vector)", right) == ""
