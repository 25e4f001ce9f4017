"""The attach link: a page's address that tells the page, and nobody else, of a bridge.

`PAGE#bascule=` and the unpadded base64url of a JSON object `{url, token}`. Browsers send no
fragment to servers; the page removes it before it reads it. Contract: secrets.
"""

from __future__ import annotations

import base64
import json

__all__ = ["attach_link"]


def attach_link(page: str, url: str, token: str) -> str:
    """Return the link that attaches `page` to the bridge at `url`.

    The link is as secret as the token. Raises `ValueError` for a page that has a fragment.
    """
    if "#" in page:
        raise ValueError("the page's address has a fragment already")
    configuration = json.dumps({"url": url, "token": token}, separators=(",", ":"))
    encoded = base64.urlsafe_b64encode(configuration.encode()).rstrip(b"=").decode()
    return f"{page}#bascule={encoded}"
