"""The page that a browser is opened with."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from bridge.cli.redirect_file import redirect_name, redirect_page

LINK = 'http://a.example/?x=1&y="2"#bascule=' + "A" * 60


class Targets(HTMLParser):
    """Collects what a browser would go to, and whether anything else is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str | None] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        values = dict(attrs)
        if values.get("http-equiv") == "refresh":
            self.found.append((values["content"] or "").removeprefix("0;url="))
        if tag == "a":
            self.found.append(values["href"])


def test_the_page_goes_to_the_link_and_loads_nothing() -> None:
    targets = Targets()
    targets.feed(redirect_page(LINK).decode())
    assert targets.found == [LINK, LINK]
    assert targets.tags == {"html", "head", "meta", "title", "body", "p", "a"}


def test_a_link_cannot_break_out_of_the_page() -> None:
    targets = Targets()
    targets.feed(redirect_page('http://a/?"><script>x</script>').decode())
    assert "script" not in targets.tags


def test_names_are_fresh_and_tell_the_process() -> None:
    names = {redirect_name(12) for _ in range(50)}
    assert len(names) == 50
    assert all(re.fullmatch(r"open-12-[0-9a-f]{16}\.html", name) for name in names)
