"""What the packages carry beside the sources: the one-file bundle, built when they are packed.

A hook of hatchling's. Where the JavaScript tools are missing, what an earlier build left is taken
(a source distribution brings it along), and else the package has no bundle: everything but
`bascule assets --bundle` works without.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BundleHook(BuildHookInterface[Any]):
    """Adds the bundle to a wheel or a source distribution."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, and say where the files go."""
        if version == "editable":
            return
        root = Path(self.root)
        if (root / "node_modules" / "esbuild").is_dir():
            subprocess.run([root / "scripts" / "build"], check=True, stdout=subprocess.DEVNULL)
        bundle = root / "build" / "bundle"
        if not (bundle / "bascule.js").is_file():
            self.app.display_warning(
                "This package has no one-file bundle: scripts/setup and scripts/build make one."
            )
            return
        place = "bridge/browser_bundle" if self.target_name == "wheel" else "build/bundle"
        for path in sorted(bundle.glob("bascule*")):
            build_data["force_include"][str(path)] = f"{place}/{path.name}"
