"""The result of `explain`: the items of one query and their contributions, or those of groups of items."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, overload

from duckmetrics.errors import MetricError
from duckmetrics.results.tabular import (
    Printed,
    Shown,
    aligned,
    document,
    json_value,
    readable,
    screen_width,
    table_width,
)
from duckmetrics.words.explanation import (
    BASELINE,
    COMBINE,
    GroupFacts,
    QueryFacts,
    chosen_systems,
    closing_lines,
    closing_notes,
    group_lines,
    group_table,
    heading,
    list_tables,
    sentences_of,
    total_line,
    wrapped,
)
from duckmetrics.words.rounding import whole_number
from duckmetrics.words.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Explanation(QueryFacts, Printed):
    """The contribution of each item to the value of one query, of one system or of two side by side.

    The attributes are those of the facts: see `rows`, `value`, `delta`, `ideal` and `sentences`.
    """

    command = "explain"

    @property
    def summary(self) -> pa.Table:
        """One row per item, see `rows`."""
        return arrow_of(self.rows, self.schema)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The changes in words, the largest difference first."""
        return tuple(sentences_of(self))

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences, and what the metric adds to them."""
        return (*self.sentences, *self.metric_notes)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as ``duckmetrics explain`` prints it in JSON, see docs/reference/json.md.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            ev = duckmetrics.evaluate(run, {"q1": {"b": 1}, "q2": {"b": 1}}, "mrr")
            ev.explain("q1").to_dict()["value"]  # 0.5
        """
        place = self.place
        of_place = None if place is None else {"place": place.place, "is_gain": place.is_gain, "of": place.of}
        sides = {"": self.side, BASELINE: self.baseline_side}
        values: dict[str, Any] = {
            f"{start}{name}": None if side is None else getattr(side, name)
            for start, side in sides.items() for name in ("value", "by_policy", "n_items")
        }  # fmt: skip
        return document(
            self.command, self.rows, notes=self.notes, metric=self.metric,
            query=json_value("query", self.query), system=self.side.system,
            baseline=None if self.baseline_side is None else self.baseline_side.system,
            **values, delta=self.delta, place=of_place,
            ideal=[{name: json_value(name, value) for name, value in one.items()} for one in self.ideal],
        )  # fmt: skip

    def lines(self, width: int | None = None) -> list[str]:
        """Return the text of the explanation.

        Args:
            width: the columns of the screen, by default those of the terminal; 0 for any.
        """
        columns = screen_width() if width is None else width
        together = list_tables(self, together=True)
        is_wide = 0 < columns < max(table_width(header, cells) for header, cells, _ in together)
        tables = list_tables(self, together=False) if is_wide else together
        found = wrapped([heading(self)], columns)
        for header, cells, numeric in tables:
            if 0 < columns < table_width(header, cells):
                found += ["", *Shown(header, cells, numeric).text(columns).splitlines()]
            else:
                found += ["", *aligned(header, cells, numeric)]
        return [*found, "", *closing_lines(self, columns)]

    def shown(self) -> Shown:
        """Return the two lists side by side, with the sentences below."""
        ((header, cells, numeric),) = list_tables(self, together=True)
        return Shown(header, cells, numeric, heading(self), closing_lines(self, 0))

    def __repr__(self) -> str:
        return "\n".join(self.lines())


@dataclass(frozen=True, repr=False)
class ExplainedGroups(GroupFacts, Printed):
    """The contribution of each group of items or rows to a metric, of one system or of two side by side.

    The attributes are those of the facts: see `rows`, `value` and `delta`.
    """

    command = "explain"

    @property
    def summary(self) -> pa.Table:
        """One row per group, see `rows`."""
        return arrow_of(self.rows, self.schema)

    def to_dict(self) -> dict[str, Any]:
        """Return the groups as ``duckmetrics explain --by`` prints them in JSON, see docs/reference/json.md.

        Example:
            run = {"q1": {"a": 0.9, "b": 0.5}, "q2": {"a": 0.2, "b": 0.8}}
            ev = duckmetrics.evaluate(run, {"q1": {"b": 1}, "q2": {"b": 1}}, "mrr")
            [row["contribution"] for row in ev.explain(by="rank").to_dict()["rows"]]  # [0.5, 0.25]
        """
        return document(
            self.command, self.rows, notes=[*group_lines(self), *self.metric_notes],
            metric=self.metric, by=self.by, system=self.side.system,
            baseline=None if self.baseline_side is None else self.baseline_side.system,
            value=self.value, baseline_value=self.baseline_value, delta=self.delta,
            sizes=None if self.sizes is None else self.sizes._asdict(),
        )  # fmt: skip

    def shown(self) -> Shown:
        """Return the groups, with the values that they add up to."""
        header, cells, numeric = group_table(self)
        return Shown(header, cells, numeric, total_line(self), closing_notes(self))

    def lines(self, width: int | None = None) -> list[str]:
        """Return the text of the groups.

        Args:
            width: the columns of the screen, by default those of the terminal; 0 for any.
        """
        shown = self.shown()
        table = Shown(shown.header, shown.cells, shown.numeric).text(width)
        notes = wrapped(shown.notes, screen_width() if width is None else width)
        return [visible(shown.title), "", *table.splitlines(), *([""] if notes else []), *notes]

    def __repr__(self) -> str:
        return "\n".join(self.lines())


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


def arrow_of(rows: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Return rows as an Arrow table."""
    import pyarrow as pa

    return readable(pa.Table.from_pylist(list(rows), schema))
