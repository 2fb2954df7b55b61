"""What results have in common whose values can be explained; the explanation itself is imported on demand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol, overload

from duckmetrics.errors import MetricError
from duckmetrics.expressions.numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.results.explanation import ExplainedGroups, Explanation


class Explained(Protocol):
    """Explains values of rankings from the tables that an evaluation kept."""

    def explain(
        self, query: Any, by: str | None, metric: str | None, **asked: Any
    ) -> Explanation | ExplainedGroups:
        """Return the contribution of each item to the value of a query, or of each group to the mean."""
        ...


class Explainable(ABC):
    """A result whose values can be explained."""

    _tables: Explained
    first: str | None

    @property
    @abstractmethod
    def systems(self) -> tuple[str | None, ...]:
        """The names of the systems, None for the only one."""

    @abstractmethod
    def _metric(self, metric: str) -> str:
        """Return a metric as typed."""

    @overload
    def explain(
        self, query: Any, metric: str | None = None, *, system: str | None = None,
        baseline: str | None = None, items: Any = None, show: str | Sequence[str] = (), n: int = 10,
        by: None = None,
    ) -> Explanation: ...  # fmt: skip

    @overload
    def explain(
        self, query: None = None, metric: str | None = None, *, system: str | None = None,
        baseline: str | None = None, items: Any = None, show: str | Sequence[str] = (), n: int = 10,
        by: str,
    ) -> ExplainedGroups: ...  # fmt: skip

    def explain(
        self, query: Any = None, metric: str | None = None, *, system: str | None = None,
        baseline: str | None = None, items: Any = None, show: str | Sequence[str] = (), n: int = 10,
        by: str | None = None,
    ) -> Explanation | ExplainedGroups:  # fmt: skip
        """Return what each item adds to the value of a query, or each group of items or rows to a value.

        Args:
            query: the id of a query of rankings; of a composite id, its parts.
            metric: as typed; by default the first one that is a sum over items or rows.
            system, baseline: the systems; of two systems, both by default, and the first one of a mapping is
                the baseline. With a system alone, only that is explained.
            items: a table keyed by item_id with columns of the items.
            show: columns of that table to print next to each item; columns of the rows of a classifier.
            n: the number of ranks, or groups, that are shown.
            by: instead of a query, groups. Of items over all queries: ``"grade"``, ``"rank"``,
                ``"item_id"``, ``"item.COLUMN"`` of the table of items, or ``"query.COLUMN"``, an attribute of
                the queries. Of the rows of classifiers: a column or an expression with a name, such as
                ``"country"``, or ``"row"`` for each row by itself.

        Returns:
            One row per item with rank, grade, gain and contribution for each system. The contributions add
            up to the value of the query, and their differences to the difference of the values. With
            ``by``, one row per group, whose contributions add up to the means or values.

        Raises:
            MetricError: no such metric or system, or neither a query nor a grouping.
            InputError: no such query or column, or an item occurs several times in the table of items.
            UnsupportedError: the metric is not a sum over items or rows, or not a mean.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            ev = duckmetrics.evaluate(run, {"q1": {"b": 1}, "q2": {"b": 1}}, "mrr")
            ev.explain("q1").rows[1]["item_id"], ev.explain("q1").rows[1]["contribution"]  # ('b', 0.5)
            ev.explain(by="rank").rows[0]["contribution"]  # 0.5
        """
        from duckmetrics.explanations.facts import COMBINE, chosen_systems

        if (query is None) == (by is None):
            raise MetricError(
                "explain",
                "takes either query= (--query) or by= (--by)",
                "give one, such as by='grade'",
            )
        if by is not None and not isinstance(by, str):
            raise MetricError("by", "takes one column", COMBINE)
        if whole_number(n) < 1:
            raise MetricError(
                "explain", f"n={n!r} is not a number of rows", "write a whole number such as 10"
            )
        after, before = chosen_systems(self.systems, system, baseline, self.first)
        shown = (show,) if isinstance(show, str) else tuple(show)
        return self._tables.explain(
            query, by, None if metric is None else self._metric(metric), system=after, baseline=before,
            items=items, show=shown, n=whole_number(n),
        )  # fmt: skip
