"""Charts as methods of results, and the chart next to the table in a notebook.

The modules that draw are imported when a chart is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Unpack

    from duckmetrics.pages.chart import Chart
    from duckmetrics.pages.experiment_page import DrawnResult
    from duckmetrics.pages.pictures import ChartedComparison, ChartedEvaluation, ChartedPlaces
    from duckmetrics.pages.report import Report
    from duckmetrics.switches import TableParameters

    class _Shown(Protocol):
        def html(self) -> str: ...

    class _Evaluated(ChartedEvaluation, Protocol):
        @property
        def first(self) -> str | None: ...
        @property
        def level(self) -> float | None: ...
        def shown(self, *, every: bool) -> _Shown: ...

    class _Compared(ChartedComparison, Protocol):
        def shown(self, *, every: bool) -> _Shown: ...

    class _Ranked(ChartedPlaces, Protocol):
        def shown(self, *, every: bool) -> _Shown: ...

    class _Experiment(DrawnResult, Protocol):
        def shown(self) -> _Shown: ...


# The largest number of rows of a result with a chart next to its table.
MOST_ROWS = 40


class DrawnEvaluation:
    """An evaluation that can be drawn."""

    def chart(
        self: _Evaluated,
        name: str | None = None,
        *,
        metric: str | None = None,
        k: Iterable[int] | None = None,
        **params: Unpack[TableParameters],
    ) -> Chart:
        """Draw the result as a small SVG, from aggregated numbers.

        Args:
            name: of classifiers ``"roc_curve"``, ``"pr_curve"``, ``"gains_curve"``, ``"calibration_curve"``,
                ``"score_histogram"`` or ``"calibration_by_slice"``; of rankings ``"at_k"``, a metric at every
                cut-off; of several classes ``"confusion_matrix"``; of all ``"intervals"``, all metrics, or
                ``"slices"``. By default the slices, if any; the intervals of several metrics; else the ROC
                curve, all cut-offs, or the confusion matrix.
            metric: the metric of a chart that shows one, the first by default.
            k: the cut-offs of ``"at_k"``, at most 50.
            **params: parameters of the table behind a curve, such as ``bins=20``.

        Returns:
            The chart: its title says what is seen, `Chart.svg` and `Chart.html` draw it, `Chart.data` has its
            numbers. Two systems are a dashed and a solid line; of more, each has a small chart.

        Raises:
            MetricError: no such chart, or not of these predictions.

        Example:
            ev = duckmetrics.evaluate("data/breast_cancer/predictions.parquet", metrics="auc")
            ev.chart("roc_curve").title  # 'ROC: area 0.995'
        """
        from duckmetrics.pages.pictures import any_chart

        return any_chart(self, name, metric, k, self.first, params)

    def _repr_html_(self: _Evaluated) -> str:
        table = self.shown(every=False).html()
        if self.level is None or len(self.rows) > MOST_ROWS:
            return table
        from duckmetrics.pages.pictures import INTERVALS, SLICES, evaluation_chart

        name = SLICES if any(row["slice"] for row in self.rows) else INTERVALS
        return with_chart(table, evaluation_chart(self, name, first=self.first))


class DrawnComparison:
    """A comparison that can be drawn."""

    def chart(
        self: _Compared,
        name: str | None = None,
        *,
        metric: str | None = None,
        system: str | None = None,
        k: Iterable[int] | None = None,
        **params: Unpack[TableParameters],
    ) -> Chart:
        """Draw the comparison as a small SVG: to the right is better, and the mark is the verdict.

        Args:
            name: ``"intervals"``, the relative change of every metric, by default; ``"slices"``, the change
                of a metric in every slice, the worst first; of rankings ``"differences"``, the sorted
                differences of the queries; or a chart of `Evaluation.chart`, with the baseline dashed.
            metric: the metric of a chart that shows one, the first by default.
            system: the system of ``"slices"``; may be left out if one is compared with the baseline.
            k: the cut-offs of ``"at_k"``.
            **params: parameters of the table behind a curve.

        Raises:
            MetricError: no such chart, or not of these predictions.

        Example:
            tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
            result = duckmetrics.compare(*tables, "ndcg@10", system="system", baseline="blocks")
            result.chart().title  # 'Against blocks, pixels: better on 1 metric'
        """
        from duckmetrics.pages.pictures import comparison_chart

        return comparison_chart(self, name, metric, system, k, params)

    def _repr_html_(self: _Compared) -> str:
        table = self.shown(every=False).html()
        if self.pairs or len(self.rows) > MOST_ROWS:
            return table
        from duckmetrics.pages.pictures import comparison_chart

        return with_chart(table, comparison_chart(self, None))


class DrawnLeaderboard:
    """A leaderboard that can be drawn."""

    def chart(self: _Ranked, *, metric: str | None = None) -> Chart:
        """Draw all systems by a metric as a small SVG, the best first, with intervals and tiers.

        A dot is a system that no test finds worse than another one, a ring one that a test finds worse, and
        a dash one that was not tested. Slices stand below all queries or rows.

        Args:
            metric: the first by default.

        Raises:
            MetricError: the leaderboard has no such metric, or more rows than a chart shows.

        Example:
            tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
            result = duckmetrics.leaderboard(*tables, "ndcg@10", system="system")
            result.chart().save(folder / "systems.svg")
        """
        from duckmetrics.pages.pictures import leaderboard_chart

        return leaderboard_chart(self, metric)

    def _repr_html_(self: _Ranked) -> str:
        table = self.shown(every=False).html()
        if len(self.rows) > MOST_ROWS:
            return table
        from duckmetrics.pages.pictures import leaderboard_chart

        return with_chart(table, leaderboard_chart(self, None))


class DrawnExperiment:
    """An A/B test that can be drawn."""

    def chart(
        self: DrawnResult,
        name: str | None = None,
        *,
        metric: str | None = None,
        variant: str | None = None,
    ) -> Chart:
        """Draw the A/B test as a small SVG: to the right is better, and the mark is the verdict.

        After a mismatch of the sample ratio, no difference is drawn.

        Args:
            name: ``"intervals"``, the relative change of every metric; ``"slices"``, the change of a metric
                in every slice, the worst first. By default the intervals, and with ``by`` the slices of
                all metrics below them.
            metric: the metric of a chart that shows one, the first by default.
            variant: the variant of ``"slices"``; may be left out if one is compared with the control.

        Raises:
            MetricError: no such chart, metric or variant, or no slices.

        Example:
            users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [1, 2, 1, 5, 6, 4]}
            result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
            result.chart().title  # 'Against A, B: better on 1 metric'
            result.chart().save(folder / "revenue.svg")
        """
        from duckmetrics.pages.experiment_page import chart_of

        return chart_of(self, name, metric, variant)

    def report(self: DrawnResult, path: str | Path | None = None, *, title: str | None = None) -> Report:
        """Return a report of the A/B test as one HTML page, and write it to a file.

        The page loads nothing and runs no script, so it can be mailed, printed, and opened anywhere. After a
        mismatch of the sample ratio, it shows no differences.

        Args:
            path: the file, such as ``"report.html"``; by default, none is written.
            title: the title of the page.

        Raises:
            InputError: the file has another suffix, or is not an output of duckmetrics.

        Example:
            users = {"variant": ["A", "A", "A", "B", "B", "B"], "revenue": [1, 2, 1, 5, 6, 4]}
            result = duckmetrics.ab(users, variant="variant", control="A", metrics="revenue")
            result.report(folder / "report.html").verdict  # 'B is better than A.'
        """
        from duckmetrics.pages.experiment_page import report_of

        return report_of(self, path, title)

    def _repr_html_(self: _Experiment) -> str:
        table = self.shown().html()
        if self.sample_ratio.mismatch or len(self.rows) > MOST_ROWS:
            return table
        from duckmetrics.pages.experiment_page import chart_of

        return with_chart(table, chart_of(self, None, None, None))


def with_chart(table: str, chart: Chart) -> str:
    """Put a chart next to a table, or below it if the page is narrow."""
    flow = "display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start"
    left, right = "flex:1 1 600px;min-width:0", "flex:0 1 560px"
    shown = f'<div style="{left}">{table}</div><div style="{right}">{chart.image()}</div>'
    return f'<div style="{flow}">{shown}</div>'
