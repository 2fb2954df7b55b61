"""The queries of an explanation: the items of queries with what each adds, and sums of groups of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING
from duckmetrics.compose.blocks import KEYS
from duckmetrics.compose.contributions import TERM, terms
from duckmetrics.compose.optimizer import IDENTITY, SORTED, depth_of

if TYPE_CHECKING:
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.composer import Composer
    from duckmetrics.expressions.folding import Value

# The values of the queries, which the relations of contributions read.
VALUED = "valued"
ITEMS = (
    "system", "query_id", "item_id", "rank", "tie_first", "tie_last", "relevance", "relevant", "gain",
    "contribution",
)  # fmt: skip
GROUPS = ("kind", "segment", "n_groups", "n", "baseline_n", "contribution", "baseline_contribution")
# The column that distinguishes groups, and the input of a group for each item or query.
SEGMENT, GROUPED = "segment", "grouped"
# Groups that need no table of the caller.
BY_RANK, BY_ITEM, BY_GRADE = "rank", "item_id", "grade"
MOST_GROUPS = "n"


def items_query(composer: Composer, measure: Measure) -> exp.Select:
    """Return one row for every system, query and item: see sql/relations/ranking/contributions.sql."""
    values: dict[str, Value] = {**measure.values, "depth": None, "plan": SORTED}
    _valued(composer, measure, SORTED, all_ranks=True)
    terms(composer, measure.metric, values)
    step = composer.relation("contributions", values)
    return composer.assemble(exp.select(*ITEMS).from_(step))


def values_query(composer: Composer, measure: Measure) -> exp.Select:
    """Return the values of the queries after the policies: system, query_id, value, policy."""
    _valued(composer, measure, SORTED)
    step = composer.relation("explained_values", measure.values)
    return composer.assemble(exp.select(*KEYS[measure.family], "value", "policy").from_(step))


def groups_query(
    composer: Composer, measure: Measure, by: str, plan: str, system: str, baseline: str | None, n: Value
) -> exp.Select:
    """Return one row for every group of items: see sql/relations/ranking/contribution_groups.sql.

    Args:
        composer: with an input `grouped` (segment, and item_id or query_id) if a table has the groups.
        by: rank, item_id or grade; with `grouped`, its key: item_id or query_id.
        plan: how the ranks are found.
    """
    values: dict[str, Value] = {**measure.values, "depth": depth_of([measure]), "plan": plan}
    _valued(composer, measure, plan)
    read = terms(composer, measure.metric, values)
    composer.step("keyed", _keyed(composer, read, by, values))
    found: dict[str, Value] = {**values, "system": system, "baseline": baseline, MOST_GROUPS: n}
    step = composer.relation("contribution_groups", found)
    return composer.assemble(exp.select(*GROUPS).from_(step))


def _valued(composer: Composer, measure: Measure, plan: str, *, all_ranks: bool = False) -> str:
    """Make the values of the queries a step."""
    query, (columns,) = composer.values_per_query([measure], plan, all_ranks=all_ranks)
    composer.settle()
    values = composer.step("values_of_queries", query)
    named = (exp.column(columns.no_relevant).as_("no_relevant"), exp.column(columns.value).as_("value"))
    return composer.step(VALUED, exp.select(*KEYS[measure.family], "missing", *named).from_(values))


def _keyed(composer: Composer, read: str, by: str, values: dict[str, Value]) -> exp.Select:
    """Return the terms with the group of each."""
    item, place = IDENTITY
    same: dict[str, str] = {}
    if GROUPED in composer.inputs:
        table = composer.relation(GROUPED, values)
        same = {by: item if by == BY_ITEM else by}
        segment = exp.column(SEGMENT, table)
    elif by == BY_GRADE:
        table = composer.relation("graded_items", values)
        same = {"query_id": "query_id", "item_id": item}
        segment = exp.column("relevance", table)
    else:
        table = read
        segment = exp.column(place if by == BY_RANK else item, read)
    columns = [exp.column(key, read) for key in KEYS[RANKING]]
    query = exp.select(*columns, segment.as_(SEGMENT), exp.column(TERM, read)).from_(read)
    if same:
        on = (
            exp.EQ(this=exp.column(key, table), expression=exp.column(own, read)) for key, own in same.items()
        )
        query = query.join(exp.to_table(table), on=exp.and_(*on), join_type="left")
    return query.where(exp.not_(exp.Is(this=exp.column(place, read), expression=exp.null())))


def promoted_query(composer: Composer, system: str) -> exp.Select:
    """Return the lists in which one item of the input `put_first` each is put first."""
    step = composer.relation("promoted", {"system": system})
    return composer.assemble(exp.select("system", "query_id", "item_id", "score", "position").from_(step))
