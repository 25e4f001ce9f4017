"""Serves a folder of browser modules on loopback, under a strict Content-Security-Policy.

For the demo and for tests of pages. A request can name a file that was listed and nothing else;
where it names none, the folder is listed anew, now and then. It has no part in the bridge and
shares no port with it.
"""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from aiohttp import web

__all__ = ["APP_CSP", "STRICT_CSP", "StaticPages"]

STRICT_CSP: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "worker-src 'self'",
        "img-src data:",
        "connect-src http://127.0.0.1:* ws://127.0.0.1:*",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

APP_CSP: Final = "; ".join(
    (
        # An app that is opened without its workspace must not have the workspace's origin either.
        "sandbox allow-scripts",
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "worker-src blob:",
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
)
"""Of an app in a frame: it reaches the workspace that holds it, and nothing else."""

_APPS: Final = "/apps/"
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}

_LOOK_SECONDS: Final = 0.5
"""From the end of one listing to the beginning of the next."""


class StaticPages:
    """One server on 127.0.0.1; an asynchronous context manager. `origin` is its address.

    `mounts` adds other folders below a path; `headers` adds headers or replaces the usual ones.
    Below a folder named `apps` are documents for frames without an origin; scripts may be loaded
    into those, and hold no secret.
    """

    def __init__(
        self,
        folder: Path,
        *,
        index: str,
        port: int = 0,
        headers: Mapping[str, str] | None = None,
        mounts: Mapping[str, Path] | None = None,
    ) -> None:
        self._roots = {"": folder, **(mounts or {})}
        self._files = _listed(self._roots)
        self._looking: asyncio.Task[dict[str, Path]] | None = None
        self._look_again_at = 0.0
        self._index = f"/{index}"
        self._port = port
        self._headers = {
            "Content-Security-Policy": STRICT_CSP,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        }
        self._given = dict(headers or {})
        self._runner: web.ServerRunner | None = None

    @property
    def origin(self) -> str:
        """The pages' origin. Valid while the server runs."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def page(self) -> str:
        """The address of the first page."""
        return f"{self.origin}{self._index}"

    async def __aenter__(self) -> Self:
        self._runner = web.ServerRunner(
            web.Server(self._serve, access_log=None), shutdown_timeout=0.5
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.method not in {"GET", "HEAD"}:
            return web.Response(status=405, headers={"Allow": "GET, HEAD"})
        if request.path == "/":
            return web.Response(status=302, headers={"Location": self._index})
        path = self._files.get(request.path) or await self._look_for(request.path)
        try:
            body = None if path is None else await asyncio.to_thread(path.read_bytes)
        except OSError:
            body = None
        if path is None or body is None:
            return web.Response(status=404, text="There is no such file.")
        kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
        return web.Response(
            body=body,
            content_type=kind or "application/octet-stream",
            charset="utf-8" if path.suffix in _TYPES else None,
            headers=self._headers_of(request.path),
        )

    async def _look_for(self, name: str) -> Path | None:
        """Return a file that was written since the folder was listed."""
        clock = asyncio.get_running_loop().time
        if self._looking is None and clock() >= self._look_again_at:
            self._looking = asyncio.create_task(asyncio.to_thread(_listed, self._roots))
        if self._looking is not None:
            looking = self._looking
            try:
                self._files = await asyncio.shield(looking)
            finally:
                if looking.done() and self._looking is looking:
                    self._looking = None
                    self._look_again_at = clock() + _LOOK_SECONDS
        return self._files.get(name)

    def _headers_of(self, path: str) -> dict[str, str]:
        headers = dict(self._headers)
        if _APPS in path:
            headers["Content-Security-Policy"] = APP_CSP
        if path.endswith(".js"):
            # Every script of a frame without an origin comes from elsewhere.
            headers["Access-Control-Allow-Origin"] = "*"
        return headers | self._given


def _listed(roots: Mapping[str, Path]) -> dict[str, Path]:
    """Return the files below some folders by the paths that name them; no links."""
    return {
        f"{prefix}/{path.relative_to(root).as_posix()}": path
        for prefix, root in roots.items()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
