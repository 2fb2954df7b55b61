"""An evaluation or a comparison in MLflow: a run for each system, so that its pages compare them."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import EngineError, UnsupportedError
from duckmetrics.results.tabular import rows_csv
from duckmetrics.version import __version__
from duckmetrics.words.visible import visible_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    Row = Mapping[str, Any]

INSTALL = "pip install 'duckmetrics[mlflow]', or pip install mlflow"
# The folder of the files of a run, and the beginning of its tags.
OURS = "duckmetrics"
# The numbers of a row next to its value, and those that slices have, too.
OF_ROW = ("lower", "upper", "delta", "delta_lower", "delta_upper", "relative_change", "p_adjusted")
OF_SLICE = ("delta",)
# Characters that MLflow does not allow in a name, or not on every machine.
_OTHERS = re.compile(r"[^\w.\- ]+_?")
# MLflow allows 250 characters; a number may follow.
_LONGEST = 240


def mlflow_of(where: str) -> ModuleType:
    """Return the package of MLflow.

    Raises:
        UnsupportedError: it is not installed.
    """
    try:
        import mlflow
    except ImportError as error:
        raise UnsupportedError(where, "the package mlflow is not installed", INSTALL) from error
    module: ModuleType = mlflow
    return module


class Logged:
    """A result that MLflow can keep."""

    def log_mlflow(
        self, *, run_name: str | None = None, step: int | None = None, report: bool = True,
        per_query: bool = False, gates: str | Sequence[str] = (),
    ) -> str:  # fmt: skip
        """Log the result to MLflow: in the active run, otherwise in a new one.

        MLflow does not allow names such as ``ndcg@10``, which becomes ``ndcg_at_10``. Its interval is
        ``ndcg_at_10/lower`` and ``ndcg_at_10/upper``; a slice is ``ndcg_at_10/country/DE``. The run itself
        gets the values of one system. If the system is compared with a baseline, it also gets
        ``ndcg_at_10/baseline``, ``ndcg_at_10/delta`` and more, and the verdicts as tags. Of several systems,
        each has a nested run. Tags hold the signatures, which name all conventions, and the release of
        duckmetrics. The files of the run are results.csv, results.parquet and report.html.

        Args:
            run_name: the name of a new run.
            step: the step of the values, such as an epoch.
            report: whether to make the report, which reads the data again.
            per_query: whether to write the values per query, to per_query.parquet.
            gates: conditions such as ``"ndcg@10 < 0.35"``, whose outcome becomes a tag.

        Returns:
            The id of the run.

        Raises:
            UnsupportedError: MLflow is not installed.
            EngineError: MLflow refuses the result, or cannot be reached.
            MetricError: a gate cannot be read.

        Example:
            clicks = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
            ev = duckmetrics.evaluate(clicks, metrics="auc")
            run = ev.log_mlflow(run_name="nightly", gates="auc < 0.7")
        """
        mlflow_of("log_mlflow")
        result: Any = self
        failed = result.failures(gates) if gates else None
        with TemporaryDirectory(prefix="duckmetrics-") as folder:
            write_files(result, Path(folder), report, per_query)
            return logged(result, Path(folder), failed, run_name, step)


def write_files(result: Any, folder: Path, report: bool, per_query: bool) -> None:
    """Write the files of a run, which needs the tables that the result keeps."""
    import pyarrow.parquet as pq

    rows = result.summary
    pq.write_table(rows, folder / "results.parquet")
    text = rows_csv(rows.column_names, (row.values() for row in rows.to_pylist()))
    (folder / "results.csv").write_text(text, encoding="utf-8", errors="backslashreplace")
    if report:
        result.report(folder / "report.html")
    if per_query:
        getattr(result, "evaluation", result).write_per_query(folder / "per_query.parquet")


def logged(
    result: Any, files: Path, failed: Sequence[str] | None = None, run_name: str | None = None,
    step: int | None = None,
) -> str:  # fmt: skip
    """Log a result, see `Logged.log_mlflow`.

    Args:
        files: the folder of the files of the run.
        failed: the lines of the gates that failed; None if there are no gates.

    Raises:
        UnsupportedError: MLflow is not installed.
        EngineError: MLflow refuses the result, or cannot be reached.
    """
    mlflow = mlflow_of("log_mlflow")
    facts = LoggedFacts(result)
    active = mlflow.active_run()
    try:
        with nullcontext(active) if active else mlflow.start_run(run_name=run_name or facts.name) as run:
            mlflow.set_tags(facts.tags(failed))
            for system in facts.systems:
                is_nested = len(facts.systems) > 1
                with mlflow.start_run(run_name=system, nested=True) if is_nested else nullcontext():
                    mlflow.log_metrics(facts.numbers(system), step=step)
                    mlflow.set_tags(facts.tags_of(system))
            mlflow.log_artifacts(str(files), OURS)
            return str(run.info.run_id)
    except mlflow.exceptions.MlflowException as error:
        raise EngineError("MLflow", str(error), "see MLFLOW_TRACKING_URI") from error


class LoggedFacts:
    """The names, numbers and tags of a result in MLflow."""

    def __init__(self, result: Any) -> None:
        self._result = result
        self._evaluation = getattr(result, "evaluation", result)
        self._baseline: str | None = getattr(result, "baseline", None)
        self._keys: dict[tuple[str, ...], str] = {}

    @property
    def systems(self) -> tuple[str | None, ...]:
        """The systems with a run: without the baseline if there is one other."""
        others = tuple(name for name in self._evaluation.systems if name != self._baseline)
        return others if self._baseline is not None and len(others) == 1 else self._evaluation.systems

    @property
    def name(self) -> str:
        """The name of a run that has no other."""
        one = self.systems[0] if len(self.systems) == 1 else None
        against = "" if self._baseline is None else f" against {self._baseline}"
        return f"{one or self._result.command}{against}"

    def tags(self, failed: Sequence[str] | None) -> dict[str, str]:
        """Return the tags of the result, with the outcome of gates if there are any."""
        told = {"version": __version__, "command": self._result.command, "baseline": self._baseline}
        told |= {name: getattr(self._result, name, None) for name in ("verdict", "method")}
        told["warnings"] = "\n".join(self._result.warnings)
        told["gates"] = None if failed is None else "\n".join(failed) or "passed"
        return {f"{OURS}.{name}": text for name, text in told.items() if text}

    def tags_of(self, system: str | None) -> dict[str, str]:
        """Return the tags of a system: each metric as it was typed, its signature, and the verdict."""
        found = {} if system is None else {f"{OURS}.system": system}
        for row in self._overall(system):
            of_row = {"metric": row["metric"], "signature": row.get("signature")}
            if system != self._baseline:
                of_row["verdict"] = row.get("verdict")
            name = self._key(row["metric"])
            found |= {f"{OURS}.{kind}.{name}": text for kind, text in of_row.items() if text}
        return found

    def numbers(self, system: str | None) -> dict[str, float]:
        """Return the numbers of a system by their names: of slices the value and the difference."""
        known = ((parts, value) for parts, value in self._numbers(system) if value is not None)
        return {self._key(*parts): float(value) for parts, value in known}

    def _numbers(self, system: str | None) -> Iterator[tuple[tuple[str, ...], Any]]:
        bases = {row["metric"]: row["value"] for row in self._overall(self._baseline)}
        for row in self._rows(system):
            segment = self._evaluation.segment(dict(row))
            place = [part for name, value in segment.items() for part in (name, visible_key(value))]
            yield (row["metric"], *place), row["value"]
            for column in OF_SLICE if place else OF_ROW:
                yield (row["metric"], column, *place), row.get(column)
            if not place and self._baseline not in (None, system):
                yield (row["metric"], "baseline"), bases.get(row["metric"])

    def _rows(self, system: str | None) -> list[Row]:
        return [row for row in self._result.rows if row["system"] == system]

    def _overall(self, system: str | None) -> list[Row]:
        return [row for row in self._rows(system) if not row["slice"]]

    def _key(self, *parts: str) -> str:
        """Return a name that MLflow allows, and that no other number has: ``ndcg_at_10/country/DE``."""
        if parts not in self._keys:
            name = wanted = "/".join(map(allowed, parts))[:_LONGEST]
            taken, number = set(self._keys.values()), 1
            while name in taken:
                number += 1
                name = f"{wanted}_{number}"
            self._keys[parts] = name
        return self._keys[parts]


def allowed(text: str) -> str:
    """Return a text with the characters that MLflow allows: ``ndcg_at_10`` for ``ndcg@10``."""
    name = _OTHERS.sub("_", text.replace("@", "_at_")).strip("_ ")
    # A part of a path must not be empty, nor ``..``.
    return name if name.strip(".") else f"_{name}"
