"""Write what the page reads: the catalogue, the layouts, the samples and the macros.

``python docs/try/data.py FOLDER`` takes seconds and needs only the package. README.md describes the files.
"""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cut
import pyarrow.parquet as pq

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import CLASSIFICATION, RANKING
from duckmetrics.catalog.layouts import layouts
from duckmetrics.catalog.presets import presets
from duckmetrics.checks.notes import WEIGHS
from duckmetrics.inputs.ranking_tables import GRADES
from duckmetrics.inputs.sources import RUN
from duckmetrics.shell.described import described
from duckmetrics.shell.row_comparison import not_compared
from duckmetrics.shell.script import macro_names
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
SAMPLE_FILES = HERE.parents[1] / "data"
TITLES = {
    "digits": "Search for digits",
    "shop": "Two recommenders of a shop",
    "clicks": "Two click models",
    "cancer": "A classifier",
}
SAMPLES: dict[str, dict[str, Any]] = {
    "digits": {
        "sentence": "Two search systems look for images of the same digit.",
        "files": {"digits/pixels.parquet": "predictions", "digits/qrels.parquet": "truth"},
        "settings": {
            "metrics": ["ndcg@10", "map", "precision@10", "mrr"], "system": "system", "baseline": "blocks",
        },
    },
    "shop": {
        "sentence": "The candidate ranks better than the baseline, but not in every country.",
        "files": {
            "shop/recommendations.parquet": "predictions", "shop/purchases.parquet": "truth",
            "shop/users.parquet": "queries",
        },
        "settings": {
            "metrics": ["ndcg@10", "map@10", "hit_rate@5", "recall@20", "mrr"], "system": "model",
            "baseline": "baseline", "by": ["country"], "columns": {"query_id": "user_id"},
        },
    },
    "clicks": {
        "sentence": "Each row is an impression; users see several, and some click.",
        "files": {"shop/impressions.parquet": "rows"},
        "settings": {
            "metrics": ["auc", "log_loss", "calibration_ratio"], "label": "clicked",
            "scores": ["pctr_baseline", "pctr"], "baseline": "pctr_baseline", "by": ["country"],
            "cluster": "user_id",
        },
    },
    "cancer": {
        "sentence": "Probabilities that a breast mass is malignant, from a cross-validated model.",
        "files": {"breast_cancer/predictions.parquet": "rows"},
        "settings": {
            "metrics": ["auc", "log_loss", "brier"], "label": "label", "scores": ["score"], "by": ["radius"],
        },
    },
}  # fmt: skip


def write(folder: Path) -> None:
    """Write everything below a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    _json(folder / "catalog.json", _catalog())
    _json(folder / "layouts.json", _layouts())
    _json(folder / "samples.json", [*_samples(folder)])
    tables = sorted(SAMPLE_FILES.glob("*/*.parquet"))
    if twice := {path.stem for path in tables if [one.stem for one in tables].count(path.stem) > 1}:
        raise ValueError(
            f"two sample files are called {', '.join(sorted(twice))}; the page copies them by name"
        )
    _json(folder / "tables.json", {path.stem: _copied(path, folder) for path in tables})
    macros(folder / "macros")


def _json(path: Path, content: object) -> None:
    text = json.dumps(content, ensure_ascii=False, indent=0, sort_keys=False)
    path.write_text(text + "\n", "utf-8", newline="\n")


def _catalog() -> dict[str, Any]:
    names = (CLASSIFICATION, RANKING)  # the families that have macros
    every = [one for one in (*catalog().metrics.values(), *catalog().tables.values()) if one.family in names]
    macros = {family: macro_names(catalog(), family) for family in names}
    refused = not_compared(catalog())
    return {
        "version": __version__,
        "system_columns": RUN.pattern,
        "grade_columns": GRADES,
        "weights": WEIGHS,
        "usual": {family: catalog().usual(family).replace(" ", "").split(",") for family in names},
        "metrics": [described(catalog(), one, macros[one.family], refused) for one in every],
        "presets": [
            {
                "name": name, "title": tool.title, "version": tool.version,
                "meaning": tool.note or f"the conventions of {tool.tool}",
                "metrics": {family: sorted(known.metrics) for family, known in tool.families.items()},
            }
            for name, tool in presets().items()
        ],
    }  # fmt: skip


def _layouts() -> dict[str, Any]:
    """Return the layouts as their files have them."""
    folder = files("duckmetrics") / "layouts"
    return {name: tomllib.loads((folder / f"{name}.toml").read_text("utf-8")) for name in layouts()}


def _samples(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield what the page says about each sample."""
    for name, sample in SAMPLES.items():
        described = [
            {**_copied(SAMPLE_FILES / source, folder), "role": role}
            for source, role in sample["files"].items()
        ]
        yield {"name": name, "title": TITLES[name], **sample, "files": described}


def _copied(path: Path, folder: Path) -> dict[str, Any]:
    """Copy a file of a sample, and describe it."""
    (folder / "samples").mkdir(exist_ok=True)
    shutil.copyfile(path, folder / "samples" / path.name)
    return {
        "file": f"samples/{path.name}", "name": path.stem, "path": f"data/{path.parent.name}/{path.name}",
        "rows": pq.read_metadata(path).num_rows, "bytes": path.stat().st_size,
    }  # fmt: skip


def macros(folder: Path) -> None:
    """Write a file for each macro, and the index."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    cuts = cut.macros()
    parts = cut.files(cuts)
    for name, macros in parts.items():
        text = "".join(cuts[macro].text for macro in macros)
        (folder / name).write_text(text, "utf-8", newline="\n")
    _json(folder / "index.json", cut.index(cuts, parts[f"{cut.BASE}.sql"]))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/try/data.py FOLDER")
    write(Path(sys.argv[1]))
