"""What a person sees of a page: judged by axe, and kept as pictures."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.e2e.support.real_bridge import ROOT

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"


def violations(page: Page) -> list[str]:
    """Return what axe finds wrong. By evaluate, as the page's policy allows no other script."""
    page.evaluate(AXE.read_text(encoding="utf-8") + "; window.axe = axe; undefined")
    found: dict[str, Any] = page.evaluate("axe.run()")
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found["violations"]]


def save(page: Page, name: str) -> None:
    """Keep a picture for people to look at."""
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(folder / f"{name}.png"))
