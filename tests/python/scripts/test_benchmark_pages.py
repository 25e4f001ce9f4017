"""The benchmarks' pages: a module that they import and that was moved is missed before they run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "scripts" / "benchmarks" / "pages"
IMPORTED = [
    (page.relative_to(PAGES).as_posix(), path)
    for page in sorted(PAGES.rglob("*.js"))
    for path in re.findall(r'from "[./]*/bascule/([^"]+)"', page.read_text(encoding="utf-8"))
]


def test_there_are_modules_that_the_pages_import() -> None:
    assert ("bus/bus.js", "kernel/frames/frame_handshake.js") in IMPORTED


@pytest.mark.parametrize(("page", "path"), IMPORTED)
def test_what_a_page_imports_is_there(page: str, path: str) -> None:
    assert (ROOT / "browser_worker" / path).is_file(), page
