"""The chart and the report of an A/B test: those of a comparison of the variants with the control."""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.pages.experiment_screen import (
    STOP,
    ScreenExperiment,
    detectable_lines,
    slice_sentences,
)
from duckmetrics.pages.pictures import SYSTEM, VARIANT, WritesPictures, experiment_chart
from duckmetrics.pages.report import Report
from duckmetrics.pages.report_model import (
    EXPERIMENT,
    Checked,
    Metric,
    Problem,
    ReportData,
    Row,
    renumbered,
    title_of,
)
from duckmetrics.version import __version__
from duckmetrics.words.units import plural
from duckmetrics.words.verdicts import BASELINE
from duckmetrics.words.visible import visible_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from duckmetrics.pages.chart import Chart


class WritesFiles(WritesPictures, Protocol):
    """Writes files."""

    def write_page(self, path: str | Path, text: str) -> None:
        """Write a page to a file, if that is an output of ours or new."""
        ...


class DrawnResult(ScreenExperiment, Protocol):
    """The parts of an A/B test that its chart and report show."""

    @property
    def lower_is_better(self) -> Sequence[str]: ...
    @property
    def verdict(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def sql(self) -> str: ...
    @property
    def unit(self) -> str | None: ...
    @property
    def table(self) -> str: ...
    @property
    def files(self) -> WritesFiles | None: ...


# The numbers of a row that no page shows after a mismatch of the sample ratio.
NUMBERS = (
    "control_value", "value", "delta", "delta_lower", "delta_upper", "relative_change", "relative_lower",
    "relative_upper", "p", "p_adjusted",
)  # fmt: skip
SLICE = "slice"
WITHHELD = "the sample ratio does not match, so no difference can be trusted"
# Sample ratio, repeated units, and missing values are always checked.
ALWAYS_CHECKED = 3


class NoFiles:
    """Refuses files for a result that was made without a place for them."""

    def write_picture(self, path: Path, format_: str, text: str) -> None:
        """Write a new file."""
        self.write_page(path, text)

    def write_page(self, path: str | Path, text: str) -> None:
        """Write a new file."""
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)


@dataclass(frozen=True)
class ComparedVariants:
    """An A/B test as charts and reports of comparisons read it: the control is the baseline."""

    rows: tuple[dict[str, Any], ...]
    baseline: str
    level: float
    source: WritesFiles

    @property
    def evaluation(self) -> ComparedVariants:
        """The values of the variants, which are in the same rows."""
        return self

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics as typed."""
        return tuple(dict.fromkeys(row["metric"] for row in self.rows))

    @property
    def canonical(self) -> dict[str, str]:
        """No metric has another spelling."""
        return {}

    @property
    def variants(self) -> tuple[str, ...]:
        """The control, and the other variants."""
        return tuple(dict.fromkeys(row[SYSTEM] for row in self.rows))

    def segment(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the slicing columns in force in a row, with their values."""
        return {name: row[name] for name in _grouping(row)}


def _grouping(row: Mapping[str, Any]) -> list[str]:
    return next(csv.reader([row[SLICE]])) if row[SLICE] else []


def as_comparison(result: DrawnResult) -> ComparedVariants:
    """Return an A/B test as a comparison; after a mismatch of the sample ratio, without numbers."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for given in result.rows:
        row = {SLICE: "", **given}
        if result.sample_ratio.mismatch:
            row |= dict.fromkeys(NUMBERS)
        better = "lower" if row["metric"] in result.lower_is_better else "higher"
        shared = {"better": better, "target": None}
        key = (row["metric"], row[SLICE], *(row[name] for name in _grouping(row)))
        rows.setdefault((*key, None), _of_control(row) | shared)
        n = row["n_control"] + row["n"]
        rows[(*key, row[VARIANT])] = {**row, SYSTEM: row[VARIANT], "n_units": n, **shared}
    return ComparedVariants(tuple(rows.values()), result.control, result.level, result.files or NoFiles())


def _of_control(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of the control for the metric and slice of a treated variant."""
    n = row["n_control"]
    return {
        **row, **dict.fromkeys(NUMBERS), SYSTEM: row["control"], VARIANT: row["control"],
        "n": n, "n_units": n,
        "value": row["control_value"], "verdict": BASELINE, "reason": None,
    }  # fmt: skip


def chart_of(result: DrawnResult, name: str | None, metric: str | None, variant: str | None) -> Chart:
    """Draw a chart of an A/B test, see `DrawnExperiment.chart`."""
    return experiment_chart(as_comparison(result), name, metric, variant)


def report_of(result: DrawnResult, path: str | Path | None, title: str | None) -> Report:
    """Return the report of an A/B test, and write it if there is a path."""
    compared = as_comparison(result)
    made = Report.of(_data(result, compared, title))
    if path is not None:
        compared.source.write_page(path, made.html)
    return made


# The columns of a result that a row of the report has under the same name.
SHARED = tuple(one.name for one in fields(Row) if one.name not in (SYSTEM, "by", "segment"))


def _data(result: DrawnResult, compared: ComparedVariants, title: str | None) -> ReportData:
    mismatch, control = result.sample_ratio.mismatch, result.control
    units = "units" if result.unit is None else plural(result.unit) or "units"
    told = list(zip(result.sliced, slice_sentences(result), strict=True))
    first, others = (
        [text[:1].upper() + text[1:] if text.startswith("the ") else text
         for row, text in told if (row["metric"] == compared.metrics[0]) == is_first]
        for is_first in (True, False)
    )  # fmt: skip
    better = {row["metric"]: row["better"] for row in compared.rows}
    return ReportData(
        title=title or title_of(compared.variants, control, (), VARIANT),
        kind=EXPERIMENT,
        systems=compared.variants,
        metrics=tuple(Metric(name, better=better[name]) for name in compared.metrics),
        rows=tuple(_row(compared, row) for row in compared.rows),
        version=__version__,
        baseline=control,
        unit=units,
        counted=units,
        level=None if mismatch else result.level,
        alpha=result.alpha,
        checked=_checked(result, units),
        rule=result.rule,
        notes=() if mismatch else tuple(f"{line}." for line in (*detectable_lines(result), *others)),
        sources=(result.table,) if result.table else (),
        sql=renumbered(result.sql),
        subject=VARIANT,
        sentence=STOP if mismatch else result.verdict,
        withheld=WITHHELD if mismatch else "",
        about_slices=tuple(first),
    )


def _row(compared: ComparedVariants, row: dict[str, Any]) -> Row:
    segment = compared.segment(row)
    shared = {name: row[name] for name in SHARED if name in row}
    return Row(
        **shared, system=row[SYSTEM], by=tuple(segment), segment=tuple(map(visible_key, segment.values()))
    )


def _checked(result: DrawnResult, units: str) -> Checked:
    """Return the sample ratio, the warnings and the notes as findings, in this order."""
    has_covariates = any(row["variance_reduction"] is not None for row in result.overall)
    n_checks = ALWAYS_CHECKED + has_covariates + any(row.get(SLICE) for row in result.rows)
    looked_at = {units: sum(result.sample_ratio.observed.values())}
    return Checked(tuple(_problems(result)), n_checks, looked_at)


def _problems(result: DrawnResult) -> Iterator[Problem]:
    warnings = list(result.warnings)
    if result.sample_ratio.mismatch:
        yield Problem("error", warnings.pop(0), "sample_ratio")
    yield from (Problem("warning", warning) for warning in warnings)
    yield Problem("note", str(result.sample_ratio), "sample_ratio")
    yield from (Problem("note", note) for note in result.notes)
