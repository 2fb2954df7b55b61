"""The differences of a comparison in detail: by query, under other conventions, and by slice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.errors import MetricError, suggestion
from duckmetrics.results.document import json_object
from duckmetrics.results.notebook import readable
from duckmetrics.results.otherwise import conventions_text, otherwise_table
from duckmetrics.results.wide import Widened

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from duckmetrics.results.evaluation import Evaluation
    from duckmetrics.results.explanation import ExplainedGroups, Explanation
    from duckmetrics.results.otherwise import Recount

# The columns of what the slices show together.
SLICE_WORDS = ("system", "metric", "slice")
SLICE_COUNTS = ("n_slices", "df")
SLICE_NUMBERS = ("q", "p", "i2", "tau2", "delta", "delta_lower", "delta_upper")


class Differences(Widened):
    """A result with differences to a baseline.

    Attributes:
        rows: one dictionary per system, slice and metric.
        baseline: the system that the others are compared with.
        evaluation: the values of the systems.
        unpaired: whether the systems have other units, so that no unit is compared with itself.
        recount: compares again, with other switches; None for results that are compared as they are.
    """

    rows: tuple[dict[str, Any], ...]
    baseline: str
    evaluation: Evaluation
    unpaired: bool
    recount: Recount | None

    def movers(self, n: int = 20, baseline: str | None = None) -> pa.Table:
        """Return the queries that gain and lose most against the baseline, see `Evaluation.movers`.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.movers(n=1)["difference"].to_pylist()  # [0.5]
        """
        self._refuse_unpaired("movers")
        return self.evaluation.movers(n, self.baseline if baseline is None else baseline)

    def explain(
        self, query: Any = None, metric: str | None = None, *, system: str | None = None,
        baseline: str | None = None, items: Any = None, show: str | Sequence[str] = (), n: int = 10,
        by: str | None = None,
    ) -> Explanation | ExplainedGroups:  # fmt: skip
        """Return which items make the difference to the baseline, see `Evaluation.explain`.

        Raises:
            MetricError: no such metric or system, or several systems and none named.
            InputError: no such query or column.
            UnsupportedError: the metric is not a sum over items.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.explain("q1").delta  # 0.5
        """
        self._refuse_unpaired("explain")
        base = self.baseline if baseline is None else baseline
        return self.evaluation.explain(
            query, metric, system=system, baseline=base, items=items, show=show, n=n, by=by
        )

    def differences(
        self, metric: str | None = None, *, system: str | None = None, points: int = 101
    ) -> pa.Table:
        """Return the differences per query from the baseline as quantiles, in ascending order.

        Args:
            metric: one metric, all by default.
            system: one system, all by default.
            points: the number of quantiles; fewer queries have a row each.

        Returns:
            (system, metric, place, share, difference, n): difference is the value minus that of the
            baseline for the query at this place, share the share of the other queries before it, n the
            number of queries.

        Raises:
            MetricError: no such metric or system, no number of points, or no metric of queries.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.differences("mrr")["difference"].to_pylist()  # [0.0, 0.5]
        """
        self._refuse_unpaired("differences")
        found = self.evaluation.differences(self.baseline, points=points)
        for column, wanted in (("metric", metric), ("system", system)):
            known = [
                name for name in dict.fromkeys(row[column] for row in self.rows) if name != self.baseline
            ]
            if wanted is not None and wanted not in known:
                raise MetricError(f"{column} {wanted!r}", "not compared", suggestion(str(wanted), known))
            if wanted is not None:
                found = found.filter(_equals(found, column, wanted))
        return readable(found)

    def _refuse_unpaired(self, what: str) -> None:
        """Refuse what compares each query or row with itself."""
        if self.unpaired:
            raise MetricError(
                what,
                "the systems have other units, and none of them is compared with itself",
                "compare the same queries or rows without unpaired, or look at one system with evaluate",
            )

    def otherwise(self, others: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> pa.Table:
        """Return the overall verdicts under other conventions: does the conclusion depend on them?

        Args:
            others: switches that replace those of the call, such as ``[{"unjudged": "skip"},
                {"ties": "pessimistic"}]``; one alone needs no list.

        Returns:
            (otherwise, metric, system, value, baseline_value, delta, relative_change, relative_lower,
            relative_upper, p_adjusted, verdict, n, reason): first the rows as they are, with an empty text
            in otherwise, then a row for each of `others`, metric and system; reason says why there are no
            numbers, for example because no metric takes a switch.

        Raises:
            MetricError: no switches with values, or the comparison is one of results of `evaluate`, which
                are compared as they are.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            other = {"q1": {"a": 0.1, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            qrels = {"q1": {"b": 1}, "q2": {"b": 1}}
            result = duckmetrics.compare({"A": run, "B": other}, qrels, "mrr")
            result.otherwise([{"ties": "item_desc"}])["delta"].to_pylist()  # [0.25, 0.25]
        """
        if self.recount is None:
            raise MetricError(
                "otherwise", "results of evaluate are compared as they are", "compare the tables instead"
            )
        listed = [others] if isinstance(others, Mapping) else others
        if not isinstance(listed, list | tuple) or not all(
            isinstance(one, Mapping) and one for one in listed
        ):
            raise MetricError(
                "otherwise", "takes switches with their values", "write otherwise([{'unjudged': 'skip'}])"
            )
        recounted = [(conventions_text(changed), self.recount(changed)) for changed in listed]
        return readable(otherwise_table(self.rows, self.baseline, recounted))


class Sliced(NamedTuple):
    """The results of all slices together.

    heterogeneity: one dictionary per system, metric and slicing.
    shrunk: one dictionary per system, metric and slice.
    """

    heterogeneity: tuple[dict[str, Any], ...] = ()
    shrunk: tuple[dict[str, Any], ...] = ()


class SlicedDifferences:
    """A comparison with slices.

    Attributes:
        sliced: what the slices show together.
        evaluation: the values of the systems.
    """

    sliced: Sliced
    evaluation: Evaluation

    @property
    def heterogeneity(self) -> pa.Table:
        """Whether the differences are the same in every slice: one row per system, metric and slicing.

        system, metric, slice, n_slices; q, df, p: Cochran's Q of the differences, see
        sql/statistics/heterogeneity.sql, p not adjusted; i2: the share of their variation that is between
        the slices; tau2: the variance between them; delta, delta_lower, delta_upper: the mean of the slices.
        Slicings with fewer than two tested slices have no row.

        Example:
            tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
            result = duckmetrics.compare(*tables, "ndcg@10", system="system", baseline="blocks")
            result.heterogeneity.num_rows  # 0
        """
        import pyarrow as pa

        types = dict.fromkeys(SLICE_WORDS, pa.string()) | dict.fromkeys(SLICE_COUNTS, pa.int64())
        types |= dict.fromkeys(SLICE_NUMBERS, pa.float64())
        order = (*SLICE_WORDS, "n_slices", "q", "df", *SLICE_NUMBERS[1:])
        return self._sliced_table(self.sliced.heterogeneity, [(name, types[name]) for name in order])

    def shrunk(self) -> pa.Table:
        """Return the difference of every slice, moved toward the mean of the slices.

        The differences of small slices are uncertain, and the largest of them are exaggerated by chance.

        Returns:
            (system, metric, slice, the slicing columns, delta, se, shrunk, shrunk_lower, shrunk_upper):
            shrunk is delta, moved to the mean by its share of chance, see sql/statistics/shrinkage.sql.
            Slicings with fewer than two tested slices have no rows.

        Example:
            tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
            result = duckmetrics.compare(*tables, "ndcg@10", system="system", baseline="blocks")
            result.shrunk().num_rows  # 0
        """
        import pyarrow as pa

        known = self.evaluation.summary.schema
        own = [(name, known.field(name).type) for name in (*SLICE_WORDS, *self.evaluation.by)]
        numbers = ("delta", "se", "shrunk", "shrunk_lower", "shrunk_upper")
        return self._sliced_table(self.sliced.shrunk, [*own, *((name, pa.float64()) for name in numbers)])

    def _sliced_document(self) -> dict[str, Any]:
        """Return what the slices show together for JSON, under its key; nothing without slices."""
        told = [json_object(row) for row in self.sliced.heterogeneity]
        return {"heterogeneity": told} if told else {}

    def _sliced_table(self, rows: tuple[dict[str, Any], ...], columns: list[tuple[str, Any]]) -> pa.Table:
        import pyarrow as pa

        return readable(pa.Table.from_pylist(list(rows), pa.schema(columns)))


def _equals(table: pa.Table, column: str, value: str) -> Any:
    import pyarrow.compute as pc

    return pc.equal(table[column], value)
