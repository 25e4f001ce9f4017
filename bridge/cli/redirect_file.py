"""The page that opens the attach link in a browser.

A browser is started with an address as an argument, which every user of the machine can read.
So it is given the address of a file that only this user can read, and the file has the link.
Contract: secrets.
"""

from __future__ import annotations

import html
import os
import webbrowser
from pathlib import Path

__all__ = ["is_redirect_of", "open_redirect", "redirect_name", "redirect_page"]


def redirect_name(pid: int) -> str:
    """Return a fresh name for the file of a process. Not hidden: some browsers refuse those."""
    return f"open-{pid}-{os.urandom(8).hex()}.html"


def is_redirect_of(pid: int, name: str) -> bool:
    """Say whether a file was named so for a process."""
    return name.startswith(f"open-{pid}-") and name.endswith(".html")


def open_redirect(path: Path) -> bool:
    """Open a file in the person's browser; say whether one could be started.

    May block until the browser is closed.
    """
    try:
        return webbrowser.open(path.absolute().as_uri())
    except (webbrowser.Error, OSError):
        return False


def redirect_page(link: str) -> bytes:
    """Return a page that goes to the link at once, without a script."""
    target = html.escape(link, quote=True)
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8"><title>Opening the app</title>\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<meta http-equiv="refresh" content="0;url={target}">\n'
        f'</head><body><p><a href="{target}">Open the app</a></p></body></html>\n'
    ).encode()
