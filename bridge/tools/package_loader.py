"""Loads packages from directories: reads the files, and puts together what the rules say.

A package loads whole or not at all, and says everything that is wrong with it at once; other
packages load all the same. Handlers are found elsewhere. Contract: package tools, loading.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bridge.tools.package import LoadedPackages, Package

__all__ = ["load_package", "load_packages"]


def load_package(directory: str | Path) -> Package:
    """Load one package. Raises `PackageError` with all of its problems."""
    raise NotImplementedError


def load_packages(directories: Iterable[str | Path]) -> LoadedPackages:
    """Load several packages, each of which loads or fails on its own."""
    raise NotImplementedError
