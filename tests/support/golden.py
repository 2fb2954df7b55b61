"""The SQL of some metrics in every dialect, as files to read.

``PYTHONPATH=tests python -m support.golden`` writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from duckmetrics.api.sql import sql
from duckmetrics.compose.dialects import DIALECTS
from support.cases import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "tests/data/golden"
SPECS = {
    "ranking": ["ndcg@10", "map@100", "recall(norm=min_k)@20", "idcg(ideal=full_k)@5"],
    "classification": ["auc", "log_loss", "ece(binning=mass)"],
}


def golden(family: str, dialect: str) -> str:
    return sql(SPECS[family], dialect) + ";\n"


def path_of(family: str, dialect: str) -> Path:
    return FOLDER / f"{family}.{dialect}.sql"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for family in SPECS:
        for dialect in DIALECTS:
            path_of(family, dialect).write_text(golden(family, dialect), "utf-8")
