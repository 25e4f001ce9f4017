"""Both ways by which a page reaches its bridge, as one mark for a test or a whole module."""

from __future__ import annotations

import pytest

TRANSPORTS = ("channel", "polling")

both_transports = pytest.mark.parametrize("transport", TRANSPORTS, indirect=True)
"""For what uses the fixtures `bridge` or `probe_bridge`, or `transport_options` for its own."""
