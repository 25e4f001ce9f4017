"""Bascule: drive a live web app in an ordinary browser from a terminal, a script or a test.

The rooms of this package, lowest floor first, are `contract`, `broker`, `servers`, `client`
and `cli`; imports point down only. ARCHITECTURE.md has the map.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
