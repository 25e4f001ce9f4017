"""What the page server says of pages, of scripts and of apps in frames."""

from __future__ import annotations

from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from bridge.servers import static_pages
from bridge.servers.static_pages import APP_CSP, STRICT_CSP, StaticPages


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "apps").mkdir()
    for name in ("index.html", "main.js", "apps/app.html", "apps/app.js"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    return tmp_path


async def headers_of(pages: StaticPages, path: str) -> dict[str, str]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{pages.origin}{path}") as response,
    ):
        assert response.status == 200
        return {name.lower(): value for name, value in response.headers.items()}


async def test_an_app_has_a_policy_that_takes_its_origin_and_its_network(folder: Path) -> None:
    async with StaticPages(folder, index="index.html") as pages:
        page = await headers_of(pages, "/index.html")
        app = await headers_of(pages, "/apps/app.html")
    assert page["content-security-policy"] == STRICT_CSP
    assert app["content-security-policy"] == APP_CSP
    directives = APP_CSP.split("; ")
    assert "sandbox allow-scripts" in directives
    assert "default-src 'none'" in directives
    assert not any(directive.startswith("connect-src") for directive in directives)
    assert "frame-src 'self'" in STRICT_CSP.split("; ")


async def test_scripts_load_into_frames_without_an_origin_and_documents_do_not(
    folder: Path,
) -> None:
    async with StaticPages(folder, index="index.html") as pages:
        for script in ("/main.js", "/apps/app.js"):
            assert (await headers_of(pages, script))["access-control-allow-origin"] == "*"
        for document in ("/index.html", "/apps/app.html"):
            assert "access-control-allow-origin" not in await headers_of(pages, document)


async def test_headers_that_are_given_replace_all_others(folder: Path) -> None:
    given = {"Content-Security-Policy": "default-src 'self'"}
    async with StaticPages(folder, index="index.html", headers=given) as pages:
        for path in ("/index.html", "/apps/app.html"):
            assert (await headers_of(pages, path))["content-security-policy"] == (
                "default-src 'self'"
            )


async def status_of(pages: StaticPages, path: str) -> int:
    async with (
        aiohttp.ClientSession() as session,
        session.get(URL(f"{pages.origin}{path}", encoded=True)) as response,
    ):
        return response.status


async def test_a_file_that_is_written_while_it_serves_is_found_and_nothing_outside_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_pages, "_LOOK_SECONDS", 0.0)
    inside = folder / "inside"
    inside.mkdir()
    (inside / "index.html").write_text("x", encoding="utf-8")
    async with StaticPages(inside, index="index.html") as pages:
        assert await status_of(pages, "/apps/new.js") == 404
        (inside / "apps").mkdir()
        (inside / "apps" / "new.js").write_text("x", encoding="utf-8")
        (inside / "link.html").symlink_to(folder / "main.js")
        assert await status_of(pages, "/apps/new.js") == 200
        for path in ("/link.html", "/../main.js", "/%2e%2e/main.js", "/apps/..%2f..%2fmain.js"):
            assert await status_of(pages, path) == 404
        (inside / "apps" / "new.js").unlink()
        assert await status_of(pages, "/apps/new.js") == 404


async def test_the_folder_is_not_listed_at_every_miss(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_pages, "_LOOK_SECONDS", 3600.0)
    async with StaticPages(folder, index="index.html") as pages:
        assert await status_of(pages, "/none") == 404
        (folder / "later.js").write_text("x", encoding="utf-8")
        assert await status_of(pages, "/later.js") == 404
        assert await status_of(pages, "/main.js") == 200
