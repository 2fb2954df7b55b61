"""Build the page "Try it" into ``dist``: ``python docs/try/build.py``.

Without node, it says so and succeeds: the documentation is then built without the page.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
DIST = HERE / "dist"
LOCK = HERE / "package-lock.json"
# npm writes this file when it has installed what the lock names.
INSTALLED = HERE / "node_modules" / ".package-lock.json"


def main() -> int:
    """Build everything; return the exit code."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        print(
            "docs/try: node and npm are not installed; the documentation is built without the page 'Try it'"
        )
        return 0
    if DIST.exists():
        shutil.rmtree(DIST)
    steps = [[sys.executable, str(HERE / "data.py"), str(DIST)]]
    if not INSTALLED.exists() or INSTALLED.stat().st_mtime < LOCK.stat().st_mtime:
        steps.append([npm, "ci", "--no-audit", "--no-fund"])
    steps.append([node, "build.mjs"])
    for step in steps:
        code = subprocess.run(step, cwd=HERE, check=False).returncode
        if code:
            return code
    size = sum(path.stat().st_size for path in DIST.rglob("*") if path.is_file())
    print(f"docs/try: built into {DIST}, {size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
