"""The README's own example, taken out of it and run as it stands."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.support.page_server import serve_pages
from tests.e2e.support.real_bridge import BASCULE, ROOT, environment, run_bridge


def block(language: str) -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def test_the_example_of_an_app_of_ones_own_works(page: Page, tmp_path: Path, runtime: Path) -> None:
    app = tmp_path / "app"
    app.mkdir()
    (app / "index.html").write_text(block("html"), encoding="utf-8")
    (app / "app.js").write_text(block("js"), encoding="utf-8")
    subprocess.run([*BASCULE, "assets", str(app / "bascule")], env=environment(runtime), check=True)
    with (
        serve_pages(folder=app, index="index.html") as pages,
        run_bridge(pages.origin, pages.page, runtime) as bridge,
    ):
        page.goto(bridge.link)
        page.get_by_role("button", name="Attach").click()
        expect(page.locator("#message")).to_contain_text("Attached")
        params = {"action": "counter.add", "expectedRevision": 0}
        answer = bridge.result("actions/execute", params)
        assert answer["output"] == {"count": 1}
        expect(page.locator("#count")).to_have_text("1")
        assert bridge.call("actions/execute", params).returncode == 1
