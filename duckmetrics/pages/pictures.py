"""Charts of evaluations and comparisons: their names, and the aggregated rows that each draws."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.errors import MetricError, suggestion
from duckmetrics.pages import changes, tables, values
from duckmetrics.pages.changes import DIRECTIONS, Change, SlicedChanges
from duckmetrics.pages.chart import Chart
from duckmetrics.pages.curves import at_k, differences
from duckmetrics.pages.marks import MOST_LINES
from duckmetrics.pages.timeline import over_time
from duckmetrics.words.rounding import whole_number
from duckmetrics.words.times import days, is_time
from duckmetrics.words.visible import visible_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from duckmetrics.pages.curves import Picture
    from duckmetrics.pages.tables import Charted

    Row = Mapping[str, Any]

# The canonical names of metrics of several classes begin so.
OF_CLASSES = "multiclass."
# The largest values of the parameters of tables that are drawn.
MOST = {"points": 80, "bins": 40}
AT_K, INTERVALS, SLICES, CALIBRATION, DIFFERENCES = (
    "at_k", "intervals", "slices", "calibration_by_slice", "differences",
)  # fmt: skip
# The cut-offs of a chart, if the caller names none; and their largest number.
CUTOFFS = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50)
MOST_CUTOFFS = 50
# The deepest rank of a metric without a cut-off, and the least deepest one of a metric with one.
USUAL_DEPTH, LEAST_DEPTH = 50, 10
# What is compared, in comparisons and in experiments.
SYSTEM, VARIANT = "system", "variant"
# The largest number of rows of a chart.
MOST_ROWS = 200
_AT = re.compile(r"\s*@\s*\d+\s*$")


class WritesPictures(Protocol):
    """Writes files."""

    def write_picture(self, path: Path, format_: str, text: str) -> None:
        """Write a picture to a file, if that is an output of ours or new."""
        ...


class RowsOfCharts(WritesPictures, Protocol):
    """Computes the rows of charts that an evaluation does not have yet, and writes files."""

    @property
    def charts(self) -> Charted:
        """The tables that are drawn."""
        ...

    def table(self, spec: str, params: Mapping[str, Any], /) -> pa.Table:
        """Return a table such as a curve."""
        ...

    def has_several(self, spec: str, name: str, value: Any, /) -> bool:
        """Return whether a parameter of a table has several values, each of which gives rows of its own."""
        ...

    def drawn_with(self, spec: str, small: Mapping[str, str], params: Mapping[str, Any], /) -> dict[str, Any]:
        """Return the parameters of a drawn table: those given, and those of its chart that have effect."""
        ...

    def longest(self) -> int:
        """Return the number of places of the longest list."""
        ...

    def again(self, specs: Sequence[str]) -> tuple[dict[str, Any], ...]:
        """Return the overall values of other metrics of the same predictions, with intervals."""
        ...


class ChartedRows(Protocol):
    """The parts of a result that charts of changes read."""

    @property
    def canonical(self) -> dict[str, str]:
        """The metrics as typed -> their canonical spelling."""
        ...

    @property
    def source(self) -> WritesPictures:
        """Writes the files of charts."""
        ...

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics as typed."""
        ...

    def segment(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the slicing columns in force in a row, with their values."""
        ...


class ChartedEvaluation(ChartedRows, Protocol):
    """The parts of an evaluation that charts read."""

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """One dictionary per system, slice and metric."""
        ...

    @property
    def source(self) -> RowsOfCharts:
        """Computes the rows of charts that the evaluation does not have yet."""
        ...

    @property
    def level(self) -> float | None:
        """The level of the intervals."""
        ...


def names_of_evaluations(charts: Charted) -> tuple[str, ...]:
    """Return the charts of evaluations; `charts` are the tables that are drawn."""
    of_two, of_several = (tables.in_order(charts, of_classes=several) for several in (False, True))
    return (*of_two, *of_several, CALIBRATION, AT_K, INTERVALS, SLICES)


def any_chart(
    evaluation: ChartedEvaluation,
    name: str | None,
    metric: str | None,
    k: Iterable[int] | None,
    first: str | None,
    params: Mapping[str, Any],
) -> Chart:
    """Draw the chart of a name; by default the one that shows most."""
    known = names_of_evaluations(evaluation.source.charts)
    drawn = usual_chart(evaluation) if name is None else checked_name(name, known, evaluation)
    return evaluation_chart(evaluation, drawn, metric, k, first, params)


def usual_chart(evaluation: ChartedEvaluation) -> str:
    """Return the chart of an evaluation that shows most: its slices, its curve, or all cut-offs."""
    if any(row["slice"] for row in evaluation.rows):
        return SLICES
    if len(evaluation.metrics) > 1:
        return INTERVALS
    of_classes = _is_of_classes(evaluation)
    is_of_rows = of_classes or _is_of_classifier(evaluation)
    return tables.in_order(evaluation.source.charts, of_classes=of_classes)[0] if is_of_rows else AT_K


def known_name(name: str, known: Sequence[str]) -> None:
    """Refuse a name that is not that of a chart.

    Raises:
        MetricError: there is no such chart.
    """
    if name not in known:
        raise MetricError(f"chart {name!r}", "no such chart", suggestion(name, known))


def checked_name(name: str, known: Sequence[str], evaluation: ChartedEvaluation) -> str:
    """Return the name of a chart.

    Raises:
        MetricError: there is no such chart, or not of these predictions.
    """
    known_name(name, known)
    charts, where = evaluation.source.charts, f"chart {name!r}"
    of_classifier, of_classes = _is_of_classifier(evaluation), _is_of_classes(evaluation)
    of_tables = tables.in_order(charts, of_classes=of_classes)
    if of_classes and name not in (*of_tables, INTERVALS, SLICES):
        raise MetricError(where, "is not drawn for several classes", f"draw {of_tables[0]!r}")
    if not of_classes and name in tables.in_order(charts, of_classes=True):
        raise MetricError(where, "is of several classes", "name their columns with classes= (--classes)")
    if name in (*of_tables, CALIBRATION) and not of_classifier and not of_classes:
        raise MetricError(where, "is of classifiers, and these are rankings", f"draw {AT_K!r}")
    if name in (AT_K, DIFFERENCES) and of_classifier and all(r["n_positive"] is not None for r in
                                                            evaluation.rows):  # fmt: skip
        usual = f"draw {of_tables[0]!r}"
        raise MetricError(where, "is of rankings, and this is a classifier", usual)
    return name


def _is_of_classes(evaluation: ChartedEvaluation) -> bool:
    return any(name.startswith(OF_CLASSES) for name in evaluation.canonical.values())


def _is_of_classifier(evaluation: ChartedEvaluation) -> bool:
    return any(row["n_positive"] is not None for row in evaluation.rows)


def evaluation_chart(
    evaluation: ChartedEvaluation,
    name: str,
    metric: str | None = None,
    k: Iterable[int] | None = None,
    first: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> Chart:
    """Draw a chart of an evaluation.

    Args:
        metric: the metric of charts that show one; the first by default.
        k: the cut-offs of the chart at_k.
        first: the system that is drawn as the baseline.
        params: parameters of the table behind a curve.
    """
    source = evaluation.source
    of_table = source.charts.get(name)
    if params and of_table is None:
        raise MetricError(f"chart {name!r}", f"takes no {next(iter(params))}", "leave it out")
    if k is not None and name != AT_K:
        raise MetricError(f"chart {name!r}", "takes no k", f"draw {AT_K!r}")
    if of_table is not None:
        if metric is not None:
            raise MetricError(f"chart {name!r}", "takes no metric", "leave it out")
        drawing, small = of_table
        return _of_table(source, name, drawing, source.drawn_with(name, small, params or {}), first)
    rows = _ordered(evaluation.rows, first)
    if name == INTERVALS:
        return _intervals(evaluation, [row for row in rows if not row["slice"]], metric)
    if name == AT_K:
        return _at_k(evaluation, source, one_metric(evaluation, metric), k, first)
    return _slices(evaluation, source, name, rows, metric)


def _of_table(
    source: RowsOfCharts, name: str, drawing: str, params: Mapping[str, Any], first: str | None
) -> Chart:
    _refuse_large(name, params, source)
    table = source.table(name, params)
    if "slice" in table.column_names:
        import pyarrow.compute as pc

        table = table.filter(pc.equal(table["slice"], ""))
    rows = _ordered(table.to_pylist(), first)
    if not rows:
        raise MetricError(f"chart {name!r}", "the predictions have no rows", "check them")
    return charted(tables.DRAWINGS[drawing].draw(tables.by_system(rows)), table, source)


def _refuse_large(name: str, params: Mapping[str, Any], source: RowsOfCharts) -> None:
    """Refuse lists of parameters, and more points or bins than a chart shows."""
    for parameter, value in params.items():
        if source.has_several(name, parameter, value):
            raise MetricError(f"chart {name!r}", f"takes one value of {parameter}", "draw a chart of each")
        if isinstance(value, list | tuple):
            continue
        number = int(value) if isinstance(value, str) and value.isdecimal() else whole_number(value)
        if number > MOST.get(parameter, number):
            raise MetricError(
                f"chart {name!r}", f"{parameter}={value} is more than a chart shows",
                f"take at most {MOST[parameter]}; .table({name!r}) has all",
            )  # fmt: skip


def _intervals(evaluation: ChartedEvaluation, rows: Sequence[Row], metric: str | None) -> Chart:
    chosen = [row for row in rows if metric in (None, row["metric"])]
    if not chosen:
        raise MetricError(str(metric), "not evaluated", suggestion(str(metric), [r["metric"] for r in rows]))
    picture = values.intervals(chosen, evaluation.level)
    return charted(picture, of_rows(chosen, ("system", "metric", *VALUES)), evaluation.source)


VALUES = ("value", "lower", "upper", "n")


def _usual_cutoffs(metric: str, longest: int) -> list[int]:
    """Return the cut-offs of a metric without those asked for: up to its own, at least the first ten.

    Args:
        longest: the number of places of the longest list, behind which there is nothing to see.
    """
    found = _AT.search(metric)
    own = int(found[0].strip().removeprefix("@")) if found else 1
    deepest = min(max(LEAST_DEPTH, own) if found else USUAL_DEPTH, max(longest, own))
    return sorted({k for k in CUTOFFS if k <= deepest} | {deepest})


def _at_k(
    evaluation: ChartedEvaluation,
    source: RowsOfCharts,
    metric: str,
    k: Iterable[int] | None,
    first: str | None,
) -> Chart:
    cutoffs = sorted(
        {whole_number(one) for one in (_usual_cutoffs(metric, source.longest()) if k is None else k)}
    )
    if not cutoffs or cutoffs[0] < 1 or len(cutoffs) > MOST_CUTOFFS:
        raise MetricError(
            f"chart {AT_K!r}", f"k takes 1 to {MOST_CUTOFFS} numbers from 1 on", "as in k=[1, 5, 10]"
        )
    canonical = evaluation.canonical.get(metric, metric)
    base = _AT.sub("", metric if _AT.search(metric) or not _AT.search(canonical) else canonical)
    try:
        found = source.again([f"{base}@{one}" for one in cutoffs])
    except MetricError:
        # A name of another tool takes no cut-off; ours may.
        base = _AT.sub("", canonical)
        found = source.again([f"{base}@{one}" for one in cutoffs])
    at = {f"{base}@{one}": one for one in cutoffs}
    rows = [{**row, "k": at[row["metric"]]} for row in _ordered(found, first) if not row["slice"]]
    # The order of the systems stays; of many, the best one at the last cut-off is the first.
    ordered = {
        system: sorted(own, key=lambda row: row["k"]) for system, own in tables.by_system(rows).items()
    }
    if len(ordered) > MOST_LINES:
        ordered = dict(sorted(ordered.items(), key=lambda one: _place(one[1][-1], first)))
    picture = at_k(base, ordered, evaluation.level)
    return charted(picture, of_rows(rows, ("system", "metric", "k", *VALUES)), source)


def _place(row: Row, baseline: str | None) -> tuple[bool, float]:
    """Return the key that puts the baseline first, then the best system; one without a value is last."""
    value = math.inf if row["value"] is None else float(row["value"])
    is_last = row["value"] is None or row["better"] == "lower"
    return (baseline is None or row["system"] != baseline, value if is_last else -value)


def _slices(
    evaluation: ChartedEvaluation,
    source: RowsOfCharts,
    name: str,
    rows: Sequence[dict[str, Any]],
    metric: str | None,
) -> Chart:
    if not any(row["slice"] for row in rows):
        raise MetricError(f"chart {name!r}", "the result has no slices", "ask for them with by= (--by)")
    if name == CALIBRATION and metric is None:
        metric = next((row["metric"] for row in rows if row["target"] is not None), None)
        if metric is None:
            raise MetricError(
                f"chart {name!r}", "no metric that aims at a number was evaluated",
                "add one, such as calibration_ratio, and interval=0.95",
            )  # fmt: skip
    chosen = one_metric(evaluation, metric)
    own = [row for row in rows if row["metric"] == chosen]
    refuse_many(f"chart {name!r}", own)
    picture = _over_time(evaluation, chosen, own) if name == SLICES else None
    picture = picture or values.slices(
        chosen, own, lambda row: slice_name(evaluation, row), own[0]["target"], evaluation.level
    )
    by = dict.fromkeys(column for row in own for column in evaluation.segment(row))
    return charted(picture, of_rows(own, ("system", "metric", "slice", *by, *VALUES)), source)


def _over_time(evaluation: ChartedEvaluation, metric: str, rows: Sequence[Row]) -> Picture | None:
    """Draw slices by a day or a time as lines over time; None for other slices."""
    by_series: dict[str | None, list[dict[str, Any]]] = {}
    for row in rows:
        day, *more = [*evaluation.segment(dict(row)).values(), None] if row["slice"] else [None, None]
        if more != [None] or (row["slice"] and day is not None and not is_time(day)):
            return None
        if day is not None:
            by_series.setdefault(row.get("system"), []).append({**row, "day": days(day)})
    ordered = {name: sorted(own, key=lambda row: row["day"]) for name, own in by_series.items()}
    return (
        over_time(metric, ordered, evaluation.level)
        if len(max(ordered.values(), key=len, default=[])) > 1
        else None
    )


def refuse_many(where: str, rows: Sequence[Row]) -> None:
    """Refuse more rows than a person can look at.

    Raises:
        MetricError: there are too many.
    """
    if len(rows) > MOST_ROWS:
        raise MetricError(
            where, f"{len(rows):,} rows are more than the {MOST_ROWS} that a chart shows",
            "slice by a column with fewer values",
        )  # fmt: skip


def slice_name(evaluation: ChartedRows, row: Row) -> str:
    """Return the values of the slicing columns of a row: ``JP``, or ``JP, phone``."""
    segment = evaluation.segment(dict(row))
    return ", ".join(map(visible_key, segment.values())) if segment else "overall"


def one_metric(evaluation: ChartedRows, metric: str | None) -> str:
    """Return a metric as typed; the first one if none is named.

    Raises:
        MetricError: it was not evaluated.
    """
    if metric is None or metric in evaluation.metrics:
        return evaluation.metrics[0] if metric is None else metric
    for text, canonical in evaluation.canonical.items():
        if metric == canonical:
            return text
    raise MetricError(metric, "not evaluated", suggestion(metric, evaluation.metrics))


def _ordered(rows: Iterable[dict[str, Any]], first: str | None) -> list[dict[str, Any]]:
    """Return rows in their order, those of one system before the others."""
    return sorted(rows, key=lambda row: first is not None and row.get("system") != first)


def charted(picture: Picture, data: pa.Table, source: WritesPictures) -> Chart:
    """Return a chart with the numbers behind it."""
    return Chart(picture.title, picture.said, data, picture.drawing, source.write_picture)


def of_rows(rows: Sequence[Row], columns: Iterable[str]) -> pa.Table:
    """Return some columns of rows as an Arrow table; a column without a value is left out."""
    import pyarrow as pa

    shown = [name for name in columns if any(row.get(name) is not None for row in rows)]
    return pa.table({name: [row.get(name) for row in rows] for name in shown})


# The number of quantiles of the differences.
POINTS = 201
DATA = (
    "value", "delta", "delta_lower", "delta_upper", "relative_change", "relative_lower", "relative_upper",
    "p_adjusted", "verdict", "n",
)  # fmt: skip


def names_of_comparisons(charts: Charted) -> tuple[str, ...]:
    """Return the charts of comparisons; `charts` are the tables that are drawn."""
    return (*names_of_evaluations(charts), DIFFERENCES)


class ChartedDifferences(Protocol):
    """The parts of a comparison, or of an experiment, that charts of changes read."""

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """One dictionary per system, slice and metric."""
        ...

    @property
    def baseline(self) -> str:
        """The system that the others are compared with."""
        ...

    @property
    def level(self) -> float:
        """The level of the intervals."""
        ...

    @property
    def evaluation(self) -> ChartedRows:
        """The values of the systems."""
        ...


class ChartedPlaces(Protocol):
    """The parts of a leaderboard that its chart reads."""

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """One dictionary per system, slice and metric, the best system of a slice first."""
        ...

    @property
    def evaluation(self) -> ChartedRows:
        """The values of the systems."""
        ...

    def verdict_by(self, metric: str) -> str:
        """Return who is the best by a metric, in one sentence."""
        ...


PLACES = (
    "value", "lower", "upper", "place", "rank_lower", "rank_upper", "tier", "probability_best",
    "verdict", "n",
)  # fmt: skip


def leaderboard_chart(board: ChartedPlaces, metric: str | None) -> Chart:
    """Draw the systems of a leaderboard by a metric, see `DrawnLeaderboard.chart`."""
    evaluation = board.evaluation
    chosen = one_metric(evaluation, metric)
    own = [row for row in board.rows if row["metric"] == chosen]
    refuse_many("chart", own)
    is_sliced = any(row["slice"] for row in own)
    groups: dict[str, list[Row]] = {}
    for row in own:
        groups.setdefault(slice_name(evaluation, row) if is_sliced else "", []).append(row)
    picture = values.places(board.verdict_by(chosen), list(groups.items()), own[0]["interval_level"])
    by = dict.fromkeys(column for row in own for column in evaluation.segment(row))
    return charted(
        picture, of_rows(own, (SYSTEM, "metric", "slice", *by, *PLACES, "verdict")), evaluation.source
    )


class ChartedComparison(ChartedDifferences, Protocol):
    """The parts of a comparison that charts read."""

    @property
    def evaluation(self) -> ChartedEvaluation:
        """The values of the systems."""
        ...

    @property
    def pairs(self) -> tuple[dict[str, Any], ...]:
        """The comparisons of all pairs of systems, if they were tested."""
        ...

    def differences(
        self, metric: str | None = None, *, system: str | None = None, points: int = 101
    ) -> pa.Table:
        """Return the differences per query from the baseline as quantiles, in ascending order."""
        ...


def comparison_chart(
    comparison: ChartedComparison,
    name: str | None,
    metric: str | None = None,
    system: str | None = None,
    k: Iterable[int] | None = None,
    params: Mapping[str, Any] | None = None,
) -> Chart:
    """Draw a chart of a comparison.

    Args:
        name: by default the intervals of all metrics.
        metric: the metric of charts that show one; the first by default.
        system: the system of charts that show one.
        k: the cut-offs of the chart at_k.
        params: parameters of the table behind a curve.
    """
    evaluation, baseline, rows = comparison.evaluation, comparison.baseline, comparison.rows
    source = evaluation.source
    drawn = checked_name(name or INTERVALS, names_of_comparisons(source.charts), evaluation)
    if drawn in (INTERVALS, SLICES, DIFFERENCES) and (params or k is not None):
        given = next(iter(params or {"k": k}))
        raise MetricError(f"chart {drawn!r}", f"takes no {given}", "leave it out")
    if drawn == INTERVALS:
        chosen = (
            rows if metric is None else [r for r in rows if r["metric"] == one_metric(evaluation, metric)]
        )
        return _intervals_chart(comparison, chosen, pairs=comparison.pairs)
    if drawn == SLICES:
        return _slices_chart(comparison, one_metric(evaluation, metric), system)
    if drawn == DIFFERENCES:
        return _differences_chart(comparison, one_metric(evaluation, metric), system)
    return evaluation_chart(evaluation, drawn, metric, k, baseline, params)


def _differences_chart(comparison: ChartedComparison, metric: str, system: str | None) -> Chart:
    """Draw the sorted differences of the queries, for each system."""
    evaluation = comparison.evaluation
    table = comparison.differences(metric, system=system, points=POINTS)
    quantiles: dict[str, list[float]] = {}
    for row in table.to_pylist():
        quantiles.setdefault(row["system"], []).append(row["difference"])
    if not quantiles:
        raise MetricError(
            "chart 'differences'", "no query has a value on both sides", "compare other systems"
        )
    is_lower = any(row["metric"] == metric and row["better"] == "lower" for row in comparison.rows)
    counts = {
        row["system"]: (row["wins"], row["ties"], row["losses"])
        for row in comparison.rows
        if row["metric"] == metric and row["system"] in quantiles and not row["slice"]
    }
    picture = differences(metric, comparison.baseline, quantiles, counts, is_lower)
    return charted(picture, table, evaluation.source)


def _intervals_chart(
    comparison: ChartedDifferences, rows: Sequence[Row], subject: str = SYSTEM, is_sliced: bool = False,
    pairs: Iterable[Row] = (),
) -> Chart:  # fmt: skip
    """Draw the change of every metric.

    Args:
        subject: the word for what is compared, and the column of the data with its name.
        is_sliced: whether the slices are drawn, too.
        pairs: the comparisons of all pairs, if they were tested.
    """
    evaluation, baseline = comparison.evaluation, comparison.baseline
    overall = [row for row in rows if not row["slice"]]
    bases = _bases(rows, baseline, evaluation)
    own: dict[str, list[Change]] = {}
    others = [row for row in overall if row["system"] != baseline]
    several = len({row["system"] for row in others}) > 1
    for row in others:
        label = row["system"] if several else row["metric"]
        own.setdefault(row["metric"], []).append(_change(row, label, bases, evaluation))
    by_slice = list(_by_slice(comparison, rows, own, bases)) if is_sliced else []
    picture = changes.intervals(baseline, own, comparison.level, subject, by_slice, pairs)
    by = dict.fromkeys(column for row in rows for column in evaluation.segment(dict(row)))
    columns = (subject, "metric", *(("slice", *by) if is_sliced else ()), *DATA)
    return charted(picture, of_rows(rows if is_sliced else overall, columns), evaluation.source)


def _by_slice(
    comparison: ChartedDifferences, rows: Sequence[Row], overall: Mapping[str, Sequence[Change]],
    bases: Mapping[Any, float | None],
) -> Iterator[SlicedChanges]:  # fmt: skip
    """Yield the changes in slices by metric, system and grouping."""
    evaluation = comparison.evaluation
    for metric, of_systems in overall.items():
        for whole in of_systems:
            system, groups = whole.row["system"], dict[str, list[Change]]()
            for row in rows:
                if row["slice"] and (row["metric"], row["system"]) == (metric, system):
                    change = _change(row, slice_name(evaluation, row), bases, evaluation)
                    groups.setdefault(row["slice"], []).append(change)
            of = f" of {system}" if len(of_systems) > 1 else ""
            for grouping, own in groups.items():
                yield SlicedChanges(f"{metric}{of} by {grouping}", whole, own)


def experiment_chart(
    compared: ChartedDifferences, name: str | None, metric: str | None, variant: str | None
) -> Chart:
    """Draw a chart of an experiment.

    Args:
        name: by default the intervals of all metrics, and those of their slices, as many as a chart shows.
        metric: the metric of charts that show one; the first by default.
        variant: the variant of charts that show one.
    """
    known_name(name or INTERVALS, (INTERVALS, SLICES))
    if name == SLICES:
        own = one_metric(compared.evaluation, metric)
        return _slices_chart(compared, own, variant, VARIANT)
    if variant is not None:
        raise MetricError(f"chart {INTERVALS!r}", "takes no variant", f"leave it out, or draw {SLICES!r}")
    chosen: list[Row] = [
        row for row in compared.rows
        if metric is None or row["metric"] == one_metric(compared.evaluation, metric)
    ]  # fmt: skip
    is_sliced = name is None and any(row["slice"] for row in chosen)
    if is_sliced:
        chosen = _most_slices(compared, chosen)
    return _intervals_chart(compared, chosen, VARIANT, is_sliced)


def _most_slices(compared: ChartedDifferences, rows: Sequence[Row]) -> list[Row]:
    """Leave out the slices of the last metrics if there are more than a chart shows."""
    kept = [row for row in rows if not row["slice"]]
    for metric in dict.fromkeys(row["metric"] for row in rows):
        own = [row for row in rows if row["slice"] and row["metric"] == metric]
        if len(kept) + len(own) > MOST_ROWS:
            break
        kept += own
    return kept


def _slices_chart(
    comparison: ChartedDifferences, metric: str, system: str | None, subject: str = SYSTEM
) -> Chart:
    """Draw the change of a metric in every slice.

    Args:
        system: the system to look at; may be left out if there is only one next to the baseline.
        subject: the word for what is compared, and the column of the data with its name.

    Raises:
        MetricError: no slices, no such system, or several and none named.
    """
    evaluation, baseline, rows = comparison.evaluation, comparison.baseline, comparison.rows
    if not any(row["slice"] for row in rows):
        raise MetricError("chart 'slices'", "the result has no slices", "ask for them with by= (--by)")
    chosen = one_system(rows, baseline, system, subject)
    own = [row for row in rows if row["metric"] == metric and row["system"] in (chosen, baseline)]
    refuse_many("chart 'slices'", own)
    bases = _bases(own, baseline, evaluation)
    of_slices: dict[str, list[Change]] = {}
    (overall, *others) = [
        _change(row, slice_name(evaluation, row), bases, evaluation)
        for row in sorted(own, key=lambda row: bool(row["slice"]))
        if row["system"] == chosen
    ]
    for change in others:
        of_slices.setdefault(change.row["slice"], []).append(change)
    by = dict.fromkeys(column for row in own for column in evaluation.segment(row))
    data = of_rows(own, (subject, "metric", "slice", *by, *DATA))
    picture = changes.slices(metric, chosen, of_slices, overall, comparison.level)
    return charted(picture, data, evaluation.source)


def one_system(rows: Sequence[Row], baseline: str, system: str | None, subject: str = SYSTEM) -> str:
    """Return the system that a chart is about.

    Args:
        subject: the word for what is compared.

    Raises:
        MetricError: no such system, or several and none named.
    """
    others = [name for name in dict.fromkeys(row["system"] for row in rows) if name != baseline]
    if system is None and len(others) == 1:
        return str(others[0])
    if system is None:
        how = "system= (--of)" if subject == SYSTEM else f"{subject}="
        raise MetricError("chart", f"several {subject}s", f"name one of {', '.join(others)} with {how}")
    if system not in others:
        raise MetricError(f"{subject} {system!r}", "not compared", suggestion(system, others))
    return system


def _bases(rows: Sequence[Row], baseline: str, evaluation: ChartedRows) -> dict[Any, float | None]:
    """Return the values of the baseline by metric and slice."""
    return {_key(row, evaluation): row["value"] for row in rows if row["system"] == baseline}


def _key(row: Row, evaluation: ChartedRows) -> Any:
    return (row["metric"], row["slice"], slice_name(evaluation, row))


def _change(row: Row, label: str, bases: Mapping[Any, float | None], evaluation: ChartedRows) -> Change:
    before, direction = bases.get(_key(row, evaluation)), DIRECTIONS.get(row["better"], 0)
    return Change(str(label), row, before, direction, row["target"])
