"""The differences of a comparison in detail: by query, and under other conventions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.errors import MetricError, suggestion
from duckmetrics.results.notebook import readable
from duckmetrics.results.otherwise import conventions_text, otherwise_table
from duckmetrics.results.wide import Widened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.results.evaluation import Evaluation
    from duckmetrics.results.explanation import ExplainedGroups, Explanation
    from duckmetrics.results.otherwise import Recount


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
        self, metric: str | None = None, system: str | None = None, points: int = 101
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
        found = self.evaluation.differences(self.baseline, points)
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

    def otherwise(self, others: Sequence[Mapping[str, Any]]) -> pa.Table:
        """Return the overall verdicts under other conventions: does the conclusion depend on them?

        Args:
            others: switches that replace those of the call, such as ``[{"unjudged": "skip"},
                {"ties": "pessimistic"}]``.

        Returns:
            (otherwise, metric, system, value, baseline_value, delta, relative_change, relative_lower,
            relative_upper, p_adjusted, verdict, n, reason): first the rows as they are, with an empty text
            in otherwise, then a row for each of `others`, metric and system; reason says why there are no
            numbers, for example because no metric takes a switch.

        Raises:
            MetricError: the comparison is one of results of `evaluate`, which are compared as they are.

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
        recounted = [(conventions_text(changed), self.recount(changed)) for changed in others]
        return readable(otherwise_table(self.rows, self.baseline, recounted))


def _equals(table: pa.Table, column: str, value: str) -> Any:
    import pyarrow.compute as pc

    return pc.equal(table[column], value)
