"""A package as it was loaded: what it is called, whom it is trusted like, and its tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from bridge.tools.problems import PackageError, Problem
from bridge.tools.tool_definition import ToolDefinition

__all__ = ["TIERS", "Card", "LoadedPackages", "Package", "Tier"]

Tier = Literal["first-party", "project"]
"""How far a package's code is trusted: run in this process, or only inside of WebAssembly."""
TIERS: Final[tuple[Tier, ...]] = get_args(Tier)


@dataclass(frozen=True, slots=True)
class Card:
    """A card that a package declares: what a tool's `cardType` may name."""

    type: str
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One package without an error. Contract: package tools, packages."""

    name: str
    version: str
    tier: Tier
    directory: Path
    cards: tuple[Card, ...]
    tools: Mapping[str, ToolDefinition]
    """By their names, in order of names."""
    warnings: tuple[Problem, ...] = ()
    description: str | None = None


@dataclass(frozen=True, slots=True)
class LoadedPackages:
    """Several packages: those that load, and what is wrong with the others."""

    packages: tuple[Package, ...]
    """In the order in which they were given."""
    failed: Mapping[Path, PackageError]
