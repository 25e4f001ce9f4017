"""Letters of five by seven dots, drawn for this app. Small letters are small capitals.

Each glyph is seven rows from the top, one base-32 digit each: five dots, the left one highest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

__all__ = ["ADVANCE", "glyph_dots", "text_width"]

ADVANCE: Final = 6
"""Columns from one letter to the next."""
_ROWS: Final = 7
_SMALL: Final = 0.72
"""How high a small capital is."""
_UNKNOWN: Final = "vhhhhhv"
_DRAWN: Final = """
    A=ehhvhhh B=uhhuhhu C=ehggghe D=uhhhhhu E=vgguggv F=vgguggg G=ehgnhhf H=hhhvhhh I=e44444e
    J=72222ic K=hikokih L=ggggggv M=hrllhhh N=hhpljhh O=ehhhhhe P=uhhuggg Q=ehhhlid R=uhhukih
    S=fgge11u T=v444444 U=hhhhhhe V=hhhhha4 W=hhhllla X=hha4ahh Y=hha4444 Z=v1248gv
    0=ehjlphe 1=4c4444e 2=eh1248v 3=v2421he 4=26aiv22 5=vgu11he 6=68guhhe 7=v124888
    8=ehhehhe 9=ehhf12c .=00000cc ,=0000c48 :=0cc0cc0 ;=0cc0c48 !=4444404 ?=eh12404
    -=000v000 +=044v440 /=01248g0 (=2488842 )=8422248 '=4480000 #=aavavaa %=op248j3
    &=cik8lid *=04lel40 _=000000v
"""
_GLYPHS: Final = {entry[0]: entry[2:] for entry in _DRAWN.split()} | {
    " ": "0000000",
    "=": "00v0v00",
    '"': "aa00000",
}


def glyph_dots(letter: str, size: float) -> Iterator[tuple[float, float, float]]:
    """Yield the dots of a letter that is `size` high: left and upper edge, and how wide each is."""
    small = letter.islower()
    dot = size / _ROWS * (_SMALL if small else 1.0)
    top = size - dot * _ROWS
    left = (size / _ROWS - dot) * 2
    for row, digit in enumerate(_GLYPHS.get(letter.upper(), _UNKNOWN)):
        bits = int(digit, 32)
        for column in range(5):
            if bits >> (4 - column) & 1:
                yield left + column * dot, top + row * dot, dot


def text_width(text: str, size: int) -> int:
    """Return how wide a text is, in pixels, about."""
    return round(len(text) * ADVANCE * size / _ROWS)
