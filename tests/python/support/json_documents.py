"""Hypothesis strategies: values of JSON, and documents that hold them or nearly do."""

from __future__ import annotations

import json

from hypothesis import strategies as st

__all__ = ["JSON_VALUES", "documents"]

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=5), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """Draw a valid document in some spelling, or one with a few bytes changed."""
    value = draw(JSON_VALUES)
    data = bytearray(
        json.dumps(
            value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1]))
        ).encode()
    )
    alphabet = b'{}[],:"\\u0dDeE.+-1 \n\xc3\xa9\xff/tn'
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        if draw(st.booleans()):
            data[at:at] = bytes([draw(st.sampled_from(alphabet))])
        else:
            del data[at : at + 1]
    return bytes(data)
