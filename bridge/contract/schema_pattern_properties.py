r"""The properties of characters that a pattern may ask for by `\p{...}`, and who has them.

A closed list, the same in both languages: what every engine knows by these very names. The
engines' tables are of different years, so that a character younger than the older of two may be
a letter here and unassigned there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

__all__ = ["PROPERTIES", "has_property"]

_CATEGORIES: Final = (
    "C Other Cc Control cntrl Cf Format Cn Unassigned Co Private_Use "
    "L Letter LC Cased_Letter Ll Lowercase_Letter Lm Modifier_Letter Lo Other_Letter "
    "Lt Titlecase_Letter Lu Uppercase_Letter M Mark Combining_Mark Mc Spacing_Mark "
    "Me Enclosing_Mark Mn Nonspacing_Mark N Number Nd Decimal_Number digit Nl Letter_Number "
    "No Other_Number P Punctuation punct Pc Connector_Punctuation Pd Dash_Punctuation "
    "Pe Close_Punctuation Pf Final_Punctuation Pi Initial_Punctuation Po Other_Punctuation "
    "Ps Open_Punctuation S Symbol Sc Currency_Symbol Sk Modifier_Symbol Sm Math_Symbol "
    "So Other_Symbol Z Separator Zl Line_Separator Zp Paragraph_Separator Zs Space_Separator"
)
_BINARY: Final = (
    "ASCII Any Assigned Alphabetic Lowercase Uppercase White_Space ID_Start ID_Continue "
    "Ideographic Emoji"
)
_SCRIPTS: Final = (
    "Arabic Armenian Bengali Bopomofo Cherokee Common Coptic Cyrillic Devanagari Ethiopic "
    "Georgian Gothic Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Inherited Kannada "
    "Katakana Khmer Lao Latin Malayalam Mongolian Myanmar Ogham Oriya Runic Sinhala Syriac "
    "Tamil Telugu Thaana Thai Tibetan"
)
PROPERTIES: Final = frozenset(
    [
        *_CATEGORIES.split(),
        *_BINARY.split(),
        *(f"{key}={name}" for key in ("General_Category", "gc") for name in _CATEGORIES.split()),
        *(f"{key}={name}" for key in ("Script", "sc") for name in _SCRIPTS.split()),
    ]
)


def has_property(name: str, character: str) -> bool:
    """Say whether a character has one of `PROPERTIES`."""
    found: bool = _validator(name).is_valid(character)
    return found


@lru_cache(maxsize=len(PROPERTIES))
def _validator(name: str) -> Any:  # noqa: ANN401 - the library has no name for it
    # The standard library knows categories only, and those of an older Unicode.
    import jsonschema_rs  # noqa: PLC0415 - few schemas ask for properties

    return jsonschema_rs.Draft202012Validator(
        {"pattern": rf"^\p{{{name}}}$"}, pattern_options=jsonschema_rs.RegexOptions()
    )
