"""The data sets: SQL files that write Parquet, the same on every machine."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb

SCRIPTS = Path(__file__).with_name("data")
# Shapes that use another script with other parameters.
SHAPES = {"long": ("ranking", 1000), "short": ("ranking", 10)}
ITEMS = 100
# The source of the other sets, and the number of rows for one prediction.
BASE, ROWS = "ranking", {"impressions": 2}


def generate(folder: Path, name: str, rows: int) -> Path:
    """Write a data set unless it is there; return its folder."""
    script, items = SHAPES.get(name, (name, ITEMS))
    text = (SCRIPTS / f"{script}.sql").read_text("utf-8")
    if f"../{BASE}/" in text:
        generate(folder, BASE, rows)
    place = folder / size(rows) / name
    if (place / "done").exists():
        return place
    place.mkdir(parents=True, exist_ok=True)
    here = Path.cwd()
    os.chdir(place)
    try:
        with duckdb.connect() as connection:
            for statement in connection.extract_statements(text):
                known = {"rows": rows * ROWS.get(name, 1), "items": items}
                wanted = {n: value for n, value in known.items() if n in statement.named_parameters}
                connection.execute(statement, wanted)
    finally:
        os.chdir(here)
    (place / "done").touch()
    return place


def size(rows: int) -> str:
    """Return ``10M`` for ``10000000``."""
    return f"{rows // 1_000_000}M" if rows % 1_000_000 == 0 else str(rows)
