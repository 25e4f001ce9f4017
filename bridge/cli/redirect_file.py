"""The page that opens the attach link in a browser.

A browser is started with an address as an argument, which every user of the machine can read.
So it is given the address of a file that only this user can read, and the file has the link.
Contract: secrets.
"""

from __future__ import annotations

import html
import os

__all__ = ["is_redirect_of", "redirect_name", "redirect_page"]


def redirect_name(pid: int) -> str:
    """Return a fresh name for the file of a process. Not hidden: some browsers refuse those."""
    return f"open-{pid}-{os.urandom(8).hex()}.html"


def is_redirect_of(pid: int, name: str) -> bool:
    """Say whether a file was named so for a process."""
    return name.startswith(f"open-{pid}-") and name.endswith(".html")


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
