"""Explanations of rankings: what each item, or group of items, adds to a value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from duckmetrics.catalog.definition import MULTICLASS, RANKING
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.contributions import (
    BY_GRADE,
    BY_ITEM,
    BY_RANK,
    GROUPED,
    SEGMENT,
    explainable,
    groups_query,
    items_query,
    promoted_query,
    reason_against,
    values_query,
)
from duckmetrics.compose.exact_sums import with_exact_sums
from duckmetrics.errors import InputError, MetricError, UnsupportedError, suggestion
from duckmetrics.evaluation.chunks import KEY, one_query
from duckmetrics.evaluation.family_evaluation import plan_of
from duckmetrics.evaluation.ranking import bands_of_terms
from duckmetrics.expressions.build import joined_left, least_by, numbered_values, picked, quoted, values_table
from duckmetrics.inference.ranking_summary import weights_of
from duckmetrics.inputs.columns import key_of, selected
from duckmetrics.inputs.python_tables import as_table
from duckmetrics.inputs.ranking import ranking_inputs
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.results.evaluation import Evaluation
from duckmetrics.results.explanation import ExplainedGroups, Explanation
from duckmetrics.words.explanation import (
    DifferencePlace,
    Side,
    groups_schema,
    items_schema,
    paired,
    visible_query,
)
from duckmetrics.words.rounding import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import pyarrow as pa
    from sqlglot import exp

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.report_data import Opened
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.columns import ColumnMap
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Role, Source


ITEMS: Role = "items"
# The relation of the items with several rows, and how many of them a message names.
REPEATED, MOST_NAMED = "repeated_items", 3


@dataclass(frozen=True)
class ItemTable:
    """Attributes of items.

    Attributes:
        source: the table of the caller.
        key: its column of item ids.
    """

    source: Source
    key: str

    def query(self, columns: Mapping[str, str]) -> exp.Select:
        """Return item_id and columns of the caller, each under the name that it is mapped to.

        Raises:
            InputError: there is no such column.
        """
        found = {name: quoted(self.column(column)) for name, column in columns.items()}
        return selected(self.source, {"item_id": quoted(self.key), **found})

    def column(self, name: str) -> str:
        """Return the spelling of a column in the table.

        Raises:
            InputError: there is no such column.
        """
        found = self.source.find(name)
        if found is None:
            known = self.source.all_columns
            raise InputError(
                self.source.label, f"no column {name!r}; found {', '.join(known)}", suggestion(name, known)
            )
        return found


def item_table(catalog: Catalog, engine: Engine, table: Any, columns: ColumnMap, inputs: Inputs) -> ItemTable:
    """Attach a table of items.

    Raises:
        InputError: it cannot be read, its ids are of another kind than those of the predictions, or an item
            occurs several times in it.
    """
    source = engine.once(engine.attach(as_table(table, ITEMS), ITEMS))
    key = key_of(source, columns, ITEMS, "item_id")
    if key.kinds != inputs.item_kinds:
        raise InputError(
            source.label,
            f"item_id is {', '.join(key.kinds)}, and of the predictions {', '.join(inputs.item_kinds)}",
            "make them one kind with CAST",
        )
    if len(key.parts) > 1:
        raise InputError(source.label, "item ids of several columns", "make them one column in all tables")
    found = ItemTable(source, key.parts[0])
    composer = inputs.composer(catalog, {ITEMS: found.query({})})
    step = composer.relation(REPEATED, {})
    repeated = engine.rows(
        composer.complete(picked(step, "item_id", "copies").order_by("item_id").limit(MOST_NAMED))
    )
    if repeated:
        named = ", ".join(f"{item} ({copies} rows)" for item, copies in repeated)
        raise InputError(
            source.label, f"items that occur several times: {named}", "keep one row for each item"
        )
    return found


Row = dict[str, Any]
PLACES = "difference_places"
# The number of items for which an explanation computes what they would add at rank 1.
MOST_PROMOTED = 5


@dataclass(frozen=True)
class ExplainArguments:
    """The arguments of one explanation, see `Evaluation.explain`."""

    system: str | None
    baseline: str | None = None
    items: Any = None
    show: Sequence[str] = ()
    n: int = 10

    @property
    def systems(self) -> list[str | None]:
        """The system, and the baseline if there is one."""
        return [self.system] if self.baseline is None else [self.system, self.baseline]


@dataclass(frozen=True)
class Explainer:
    """Explains values of rankings from the tables of a request.

    Attributes:
        attach: takes a request, too, which may name more columns than that of the evaluation.
        measures: those of rankings that were evaluated.
        overall: system and metric -> the value of all queries; the system is None if there is only one.
        per_query: the values of all queries, None if they were not kept.
    """

    catalog: Catalog
    engine: Engine
    request: Request
    attach: Callable[..., Source]
    measures: Sequence[Measure]
    overall: Mapping[tuple[str | None, str], float | None]
    per_query: exp.Query | None = None

    def measure(self, metric: str | None) -> tuple[Measure, int]:
        """Return the measure of a text, by default the first that can be explained, and the number of these.

        Raises:
            MetricError: it is not a metric of rankings.
            UnsupportedError: it is not a sum over items.
        """
        asked = [m for m in self.measures if metric in (None, m.text)]
        if not asked:
            raise MetricError(
                metric or "explain", "not a metric of rankings", "evaluate one, such as ndcg@10"
            )
        found = explained(self.catalog, asked)
        return found[0], len(found)

    def inputs(self, measure: Measure, by: str | None = None) -> Inputs:
        """Return the inputs of the evaluation again, with an attribute of the queries if one is asked for.

        Raises:
            MetricError: the systems are results of other evaluations.
        """
        tables = self.request.predictions
        if isinstance(tables, Mapping) and any(isinstance(one, Evaluation) for one in tables.values()):
            raise MetricError("explain", "the systems are results of evaluate", "explain one of them instead")
        request = self.request.of(self.catalog, [measure])
        request = replace(request, by=() if by is None else ((by,),), inference=None)
        attach = partial(self.attach, request=request)
        inputs = ranking_inputs(self.catalog, request, attach, self.engine.extremes)
        # Systems that did not answer a query are not in its rows.
        names = [
            (ONE_SYSTEM if name is None else name,)
            for name in dict.fromkeys(system for system, _ in self.overall)
        ]
        listed = picked(values_table("systems", ("system",), names), "system")
        return replace(inputs, queries={**inputs.queries, "systems": listed})

    def query(self, query: Any, metric: str | None, asked: ExplainArguments) -> Explanation:
        """Explain the value of one query.

        Raises:
            InputError: no such query, or the table of items cannot be used.
        """
        measure, n_metrics = self.measure(metric)
        whole = self.inputs(measure)
        inputs = one_query(self.engine, whole, query)
        values = self.values(inputs, measure)
        if not values:
            raise self._unknown(inputs, whole, query)
        table = self._items(inputs, measure, asked)
        found = table.to_pylist()
        sides = [_side(measure, values[name], found, name) for name in asked.systems]
        rows = paired(*(list_of(found, name) for name in asked.systems), show=asked.show)
        explained = Explanation(
            metric=measure.text, query=next(iter(values.values()))[KEY], rows=tuple(rows), side=sides[0],
            baseline_side=sides[1] if len(sides) > 1 else None, cutoff=measure.depth, show=tuple(asked.show),
            n=asked.n, formula=measure.metric.header["formula"], ties=_ties(measure),
            schema=items_schema(table.schema, asked.show), n_metrics=n_metrics,
        )  # fmt: skip
        return replace(
            explained, place=self._place(explained), potential=self._potential(inputs, measure, explained)
        )

    def values(self, inputs: Inputs, measure: Measure) -> dict[str | None, Row]:
        """Return the values of one query by system: system, query_id, value and policy."""
        query = values_query(inputs.composer(self.catalog), measure)
        rows = self.engine.arrow(self._exact(query, inputs, measure)).to_pylist()
        return {row["system"] or None: row for row in rows}

    def _exact(self, query: exp.Query, inputs: Inputs, measure: Measure) -> exp.Query:
        bands = bands_of_terms(self.catalog, self.engine, inputs, [measure])
        return cast("exp.Query", with_exact_sums(query, bands))

    def _items(self, inputs: Inputs, measure: Measure, asked: ExplainArguments) -> pa.Table:
        """Return the items of the query, of all systems, with columns of the table of items."""
        query = self._exact(items_query(inputs.composer(self.catalog), measure), inputs, measure)
        if not asked.show:
            return self.engine.arrow(query)
        if asked.items is None:
            raise MetricError(
                "show", "columns of the items, and no table of items", "give it with items= (--items)"
            )
        table = item_table(self.catalog, self.engine, asked.items, self.request.columns, inputs)
        items = table.query({name: name for name in asked.show})
        kept = self.engine.name("items")
        self.engine.keep(kept, query)
        return self.engine.arrow(joined_left(self.engine.kept(kept), items, "item_id", asked.show))

    def _unknown(self, inputs: Inputs, whole: Inputs, query: Any) -> InputError:
        """Return the error for a query that is not in the population."""
        first = picked(inputs.queries["predictions"].subquery("predictions"), KEY).limit(1)
        if self.engine.rows(first):
            return InputError(
                f"query {query!r}",
                "has predictions, but is not among the queries that count",
                "with population=predictions, all answered queries count",
            )
        truth = picked(whole.queries["truth"].subquery("truth"), KEY).limit(1)
        known = ", ".join(visible_query(row[KEY]) for row in self.engine.arrow(truth).to_pylist())
        return InputError(f"query {query!r}", "no such query", f"a query of the truth is {known}")

    def _place(self, found: Explanation) -> DifferencePlace | None:
        """Return the place of the difference among those of all queries, if there are values of all."""
        if self.per_query is None or found.baseline_side is None or not found.delta:
            return None
        values: dict[str, Value] = {
            "metric": found.metric, "system": found.side.system, "baseline": found.baseline_side.system,
            "delta": found.delta,
        }  # fmt: skip
        composer = Composer(self.catalog, {"per_query": self.per_query})
        step = composer.relation(PLACES, values)
        ((place, n),) = self.engine.rows(composer.complete(picked(step, "place", "n")))
        return DifferencePlace(place, found.delta > 0, n)

    def _potential(
        self, inputs: Inputs, measure: Measure, found: Explanation
    ) -> tuple[tuple[int, float], ...]:
        """Return the rows of relevant items that add nothing, with what each would add at rank 1."""
        idle = [i for i, row in enumerate(found.rows) if row["is_relevant"] and not _adds(row)]
        idle = sorted(idle, key=lambda i: -found.rows[i]["relevance"])[:MOST_PROMOTED]
        if not idle or found.value is None or found.side.by_policy or not found.side.n_items:
            return ()
        system = found.side.system or ONE_SYSTEM
        queries = dict(inputs.queries)
        queries["put_first"] = numbered_values(
            "item_id", [(i, found.rows[i]["item_id"]) for i in idle], self._item_type(inputs)
        )
        inputs = replace(inputs, constants={})
        lists = promoted_query(inputs.composer(self.catalog, queries), system)
        names = [(str(i),) for i in idle]
        queries["systems"] = picked(values_table("systems", ("system",), names), "system")
        kept = self.engine.name("promoted")
        self.engine.keep(kept, lists)
        queries["predictions"] = self.engine.kept(kept)
        queries.pop("answers", None)
        values = self.values(replace(inputs, queries=queries), measure)
        return tuple((i, (values[str(i)]["value"] or 0.0) - found.value) for i in idle)

    def _item_type(self, inputs: Inputs) -> str:
        return dict(self.engine.columns(inputs.queries["predictions"]))["item_id"]


def explainer_of(session: Opened, parts: Sequence[FamilyEvaluation]) -> Explainer:
    """Return what explains the metrics of rankings of an evaluation.

    Raises:
        MetricError: there are none.
    """
    families = {p.measures[0].family: p for p in parts if p.measures}
    part = families.get(RANKING)
    if part is None and MULTICLASS in families:
        what, advice = "metrics of several classes have no parts", "slice them, with evaluate and by= (--by)"
        raise MetricError("explain", what, advice)
    if part is None:
        raise MetricError("explain", "no metric of rankings was evaluated", "add one, such as 'ndcg@10'")
    overall = {(row["system"], row["metric"]): row["value"] for row in part.rows if not row["slice"]}
    return Explainer(
        session.catalog,
        session.engine,
        session.request,
        session.attach,
        part.measures,
        overall,
        part.per_query,
    )


def _adds(row: Row) -> bool:
    """Return whether an item adds anything to the value of a system."""
    return bool(row["contribution"] or row["baseline_contribution"])


def explained(catalog: Catalog, measures: Sequence[Measure]) -> list[Measure]:
    """Return the metrics of rankings that can be explained.

    Raises:
        UnsupportedError: none of them is a sum over items.
    """
    reasons = {measure.text: reason_against(catalog, measure.metric) for measure in measures}
    found = [measure for measure in measures if reasons[measure.text] is None]
    if not found:
        names = ", ".join(explainable(catalog))
        text, reason = next(iter(reasons.items()))
        raise UnsupportedError(text, reason, f"these metrics can be explained: {names}")
    return found


def refuse_unexplained(catalog: Catalog, measures: Sequence[Measure], query: Any) -> None:
    """Refuse metrics that cannot be explained, before the tables that they need are missed.

    Args:
        query: the query that is explained, None for groups.

    Raises:
        MetricError: a query of metrics that have none.
        UnsupportedError: no metric is a sum over items.
    """
    if query is not None and all(measure.family != RANKING for measure in measures):
        raise MetricError(
            measures[0].text, "is not a metric of rankings, which have queries",
            "explain groups of rows with by= (--by), such as by='country'",
        )  # fmt: skip
    if all(measure.family == RANKING for measure in measures):
        explained(catalog, measures)


def _side(measure: Measure, value: Row, found: Sequence[Row], name: str | None) -> Side:
    """Return one system with its value for the query."""
    switch = value["policy"]
    policy = None if switch is None else f"{switch}={dict(measure.params)[switch]}"
    n = sum(row["rank"] is not None for row in list_of(found, name))
    return Side(name, value["value"], policy, n)


def _ties(measure: Measure) -> str:
    """Return the convention that orders equal scores."""
    params = dict(measure.params)
    return f"ties={params['ties']}" if "ties" in params else ""


def list_of(found: Sequence[Row], name: str | None) -> list[Row]:
    """Return the items of one system: those returned by rank, then the other relevant ones, the best first.

    An item is tied if its score equals that of an item with another grade.
    """
    rows = [row for row in found if (row["system"] or None) == name]
    grades: dict[int, set[float]] = {}
    for row in rows:
        if row["tie_first"] is not None:
            grades.setdefault(row["tie_first"], set()).add(row["relevance"] if row["relevant"] else 0.0)
    listed = [{**row, "tied": len(grades.get(row["tie_first"], ())) > 1} for row in rows]
    return sorted(listed, key=_order)


def _order(row: Row) -> tuple[bool, int, float, str]:
    return row["rank"] is None, row["rank"] or 0, -(row["relevance"] or 0.0), str(row["item_id"])


ITEM, QUERY = "item.", "query."
KINDS = ("group", "others", "constant", "policy")


def explained_groups(
    explainer: Explainer, by: str, metric: str | None, asked: ExplainArguments
) -> ExplainedGroups:
    """Explain the mean of one system, or its difference to that of a baseline, by groups.

    Args:
        by: grade, rank, item_id, ``item.COLUMN`` or ``query.COLUMN``.

    Raises:
        MetricError: no such grouping, the metric is not a mean, or `show` is given.
        InputError: there is no such column, or the table of items cannot be used.
    """
    measure, n_metrics = explainer.measure(metric)
    if asked.show:
        raise MetricError("show", "needs one query", "name it with query= (--query), or leave show out")
    if measure.aggregation != DEFAULT_AGGREGATION:
        what = f"is the {measure.aggregation} of the queries, and only a mean is a sum over items"
        raise UnsupportedError(measure.text, what, "leave the aggregation out, or explain one query")
    inputs, key, grouped = _grouped(explainer, measure, by, asked)
    queries = {**inputs.queries, **({} if grouped is None else {GROUPED: grouped})}
    plan = plan_of(explainer.engine, [measure])
    names = [ONE_SYSTEM if name is None else name for name in asked.systems]
    baseline = names[1] if len(names) > 1 else None
    composer = inputs.composer(explainer.catalog, queries)
    weights = weights_of(inputs)
    query = groups_query(composer, measure, key, plan, names[0], baseline, asked.n, weights)
    bands = None
    if weights is None:
        bands = bands_of_terms(explainer.catalog, explainer.engine, inputs, [measure])
    table = explainer.engine.arrow(cast("exp.Query", with_exact_sums(query, bands)))
    known = [name for name in asked.systems if explainer.overall[name, measure.text] is not None]
    return replace(groups_result(measure, by, asked, table, known), n_metrics=n_metrics)


def _grouped(
    explainer: Explainer, measure: Measure, by: str, asked: ExplainArguments
) -> tuple[Inputs, str, exp.Query | None]:
    """Return the inputs, the key of the groups, and the query of the group of each key."""
    if by in (BY_GRADE, BY_RANK, BY_ITEM):
        return explainer.inputs(measure), by, None
    if by.startswith(ITEM):
        if asked.items is None:
            raise MetricError(
                f"by {by!r}", "a column of the items, and no table of items", "give it with items= (--items)"
            )
        inputs = explainer.inputs(measure)
        items = item_table(
            explainer.catalog, explainer.engine, asked.items, explainer.request.columns, inputs
        )
        return inputs, BY_ITEM, items.query({SEGMENT: by.removeprefix(ITEM)})
    if by.startswith(QUERY):
        inputs = explainer.inputs(measure, by.removeprefix(QUERY))
        (column,) = inputs.by_columns
        return inputs, KEY, least_by(inputs.queries["attributes"], KEY, quoted(column), SEGMENT)
    known = (BY_GRADE, BY_RANK, BY_ITEM)
    others = f"{QUERY}{by} for an attribute of the queries, {ITEM}{by} for a column of the items"
    advice = suggestion(by, known, f"write {others}, or {BY_GRADE}, {BY_RANK} or {BY_ITEM}")
    raise MetricError(f"by {by!r}", "no such grouping", advice)


def groups_result(
    measure: Measure, by: str, asked: ExplainArguments, table: pa.Table, known: Collection[str | None]
) -> ExplainedGroups:
    """Return the groups with their differences and shares, and the values that they add up to.

    Args:
        table: the rows of sql/relations/explanations/contribution_groups.sql.
        known: the systems that have a value; if no group adds to it, it is 0.
    """
    found = table.to_pylist()
    compared = asked.baseline is not None
    totals = {
        name: math.fsum(row[name] for row in found) for name in ("contribution", "baseline_contribution")
    }
    whole = totals["contribution"] - totals["baseline_contribution"]
    if abs(whole) <= ROUNDING * max(map(abs, totals.values())):
        whole = 0.0  # no share of a rounding error
    rows = [_row(row, by, whole, compared) for row in found]
    rows.sort(key=lambda row: (KINDS.index(row["kind"]), *_group_order(row, by)))
    side, baseline = (
        Side(name, total if name in known else None)
        for name, total in zip((asked.system, asked.baseline), totals.values(), strict=True)
    )
    other = baseline if compared else None
    schema = groups_schema(by, table.schema.field(SEGMENT).type)
    return ExplainedGroups(
        measure.text, by, tuple(rows), side, other, schema=schema,
        lower_is_better=measure.lower_is_better, target=measure.metric.range.target,
    )  # fmt: skip


def _row(row: dict[str, Any], by: str, whole: float, compared: bool) -> dict[str, Any]:
    """Return the row of a group.

    Args:
        whole: the whole difference, or value.
    """
    difference = row["contribution"] - row["baseline_contribution"]
    return {
        "kind": row["kind"], by: row[SEGMENT], "n_groups": int(row["n_groups"]), "n": int(row["n"]),
        "baseline_n": int(row["baseline_n"]) if compared else None,
        "contribution": row["contribution"],
        "baseline_contribution": row["baseline_contribution"] if compared else None,
        "difference": difference if compared else None,
        "share": difference / whole if whole else None,
    }  # fmt: skip


def _group_order(row: dict[str, Any], by: str) -> tuple[float, str]:
    """Return the key by which groups are sorted: ranks in their order, others by their size."""
    if by == BY_RANK and row[by] is not None:
        return row[by], ""
    return -abs(row["contribution"] if row["difference"] is None else row["difference"]), str(row[by])
