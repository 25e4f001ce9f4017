"""Code that documents show is the code that is tested: blocks that name a file are that file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), ROOT / "tests/e2e/recipes/README.md"]
BLOCK = re.compile(r"<!-- file: (?P<file>\S+) -->\s*```\w*\n(?P<code>.*?)```", re.DOTALL)
MARK = "<!-- file:"


def differing(text: str) -> list[str]:
    """Return the files whose blocks say something else, and marks without a block."""
    blocks = list(BLOCK.finditer(text))
    found = [
        block["file"]
        for block in blocks
        if not (ROOT / block["file"]).is_file()
        or (ROOT / block["file"]).read_text(encoding="utf-8") != block["code"]
    ]
    return found if text.count(MARK) == len(blocks) else [*found, "a mark without its block"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_blocks_that_name_a_file_are_that_file(document: Path) -> None:
    assert differing(document.read_text(encoding="utf-8")) == []


def test_a_block_that_differs_is_found() -> None:
    name = "tests/e2e/recipes/vue/app.js"
    code = (ROOT / name).read_text(encoding="utf-8")
    same = f"Text\n\n<!-- file: {name} -->\n\n```js\n{code}```\n"
    assert differing(same * 2) == []
    assert differing(same.replace("reactive(", "ref(")) == [name]
    assert differing(same.replace(name, "none.js")) == ["none.js"]
    assert differing(f"<!-- file: {name} -->\n") == ["a mark without its block"]
