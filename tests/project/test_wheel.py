"""The wheel contains sql/, and works in a clean environment far from the checkout."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from typing import TYPE_CHECKING

import pytest

from support.cases import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_the_wheel_installs_and_evaluates(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, ROOT],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for definition in (ROOT / "sql").rglob("*.sql"):
        assert f"duckmetrics/{definition.relative_to(ROOT).as_posix()}" in names
    assert "duckmetrics/pages/chart.css" in names
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    binaries = environment / ("Scripts" if sys.platform == "win32" else "bin")
    subprocess.run([binaries / "python", "-m", "pip", "install", "--quiet", wheel], check=True)
    data = ROOT / "data/digits"
    done = subprocess.run(
        [binaries / "duckmetrics", "evaluate", data / "pixels.parquet", data / "qrels.parquet",
         "--system", "system", "-m", "ndcg@10", "--format", "csv"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "pixels,ndcg@10,,0.974" in done.stdout
