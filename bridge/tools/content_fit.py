"""Makes a result's content small enough: fewer blocks, shorter texts, no media past its limit.

Texts share their limit as members share theirs: short ones stay whole. A picture cannot be cut:
where one is too large, a text says what is missing.
"""

from __future__ import annotations

from typing import Final

from bridge.tools.content_blocks import Block, text_block
from bridge.tools.result_limits import ResultLimits
from bridge.tools.text_clip import clip_to_bytes, json_bytes

__all__ = ["fit_content"]

_BLOCK_BYTES: Final = 2_048
"""Of a block without what it carries, at most: its address, its kind, its annotations."""


def fit_content(content: tuple[Block, ...], limits: ResultLimits) -> tuple[Block, ...]:
    """Return blocks within the limits. Contract: package tools, bounds.

    Raises `ValueError` for a text with half a character.
    """
    blocks = [_copied(block) for block in content[: limits.max_blocks]]
    if len(content) > limits.max_blocks:
        blocks[-1] = text_block(f"[More than {limits.max_blocks} blocks: the others are left out.]")
    blocks = _with_media(blocks, limits)
    texts = [(index, _text_of(block)) for index, block in enumerate(blocks)]
    return tuple(_with_texts(blocks, [(i, t) for i, t in texts if t is not None], limits))


def _copied(block: Block) -> Block:
    return {key: dict(value) if isinstance(value, dict) else value for key, value in block.items()}


def _with_media(blocks: list[Block], limits: ResultLimits) -> list[Block]:
    left = limits.max_content_bytes - len(blocks) * _BLOCK_BYTES
    left -= min(left, limits.max_text_chars)
    fitted = []
    for block in blocks:
        data, what = _media_of(block)
        if data is None:
            fitted.append(block)
        elif len(data) > min(left, limits.max_media_chars) or not data.isascii():
            fitted.append(text_block(f"[Left out: {what}, {len(data)} characters of base64.]"))
        else:
            left -= len(data)
            fitted.append(block)
    return fitted


def _with_texts(
    blocks: list[Block], texts: list[tuple[int, str]], limits: ResultLimits
) -> list[Block]:
    media = sum(len(_media_of(block)[0] or "") for block in blocks)
    bytes_left = limits.max_content_bytes - len(blocks) * _BLOCK_BYTES - media
    chars_left = limits.max_text_chars
    if sum(len(text) for _, text in texts) <= chars_left:
        sizes = [json_bytes(text) for _, text in texts]
        if sum(sizes) <= bytes_left and max(sizes, default=0) <= limits.max_text_bytes:
            return blocks
    fitted = list(blocks)
    # The shortest first: what they leave of their share is the others'.
    for taken, (index, text) in enumerate(sorted(texts, key=lambda each: len(each[1]))):
        others = len(texts) - taken
        room = min(bytes_left // others, limits.max_text_bytes)
        clipped = clip_to_bytes(text, chars_left // others, room)
        chars_left -= len(clipped)
        bytes_left -= json_bytes(clipped)
        if clipped is not text:
            fitted[index] = _with_text(blocks[index], clipped)
    return fitted


def _text_of(block: Block) -> str | None:
    found = block["resource"].get("text") if block["type"] == "resource" else block.get("text")
    return found if isinstance(found, str) else None


def _with_text(block: Block, text: str) -> Block:
    if block["type"] == "resource":
        return {**block, "resource": {**block["resource"], "text": text}}
    return {**block, "text": text}


def _media_of(block: Block) -> tuple[str | None, str]:
    inner = block["resource"] if block["type"] == "resource" else block
    data = inner.get("blob") if block["type"] == "resource" else inner.get("data")
    return data, f"{inner.get('mimeType', 'data')} ({block['type']})"
