"""The macro `explain`: what each item adds to the value of one query, or each group of items to the mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.facts import CORRECTED, parameter_of
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.compose.contribution_queries import BY_GRADE, BY_ITEM, BY_RANK, MOST_GROUPS, SEGMENT
from duckmetrics.compose.contributions import explainable, reason_against
from duckmetrics.expressions.folding import literal
from duckmetrics.expressions.numbers import ROUNDING
from duckmetrics.macro_queries.asked_for import AskedMetrics
from duckmetrics.macro_queries.forms import OPEN, USUAL, entries_of
from duckmetrics.macro_queries.macro import QUERY, Argument, Macro, Overload, Written, reference, without_with
from duckmetrics.macro_queries.parameters import Offer, aliases_of, allowed, refusal
from duckmetrics.macro_queries.query import SYSTEM, placed
from duckmetrics.macro_queries.ranking_call import RankingCall
from duckmetrics.macro_queries.ranking_checks import LAST, RankingChecks
from duckmetrics.macro_queries.ranking_query import with_metrics
from duckmetrics.macro_queries.ranking_steps import POPULATION, RankingSteps
from duckmetrics.macro_queries.ranking_text import RankingText
from duckmetrics.macro_queries.shell_files import call, is_null, typed
from duckmetrics.macro_queries.template import Template, chosen, joined, merged
from duckmetrics.macros.explained_steps import BASELINE, GROUPINGS, ExplainedSteps
from duckmetrics.macros.ranking import TABLES, columns_of_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.macro_queries.forms import Form
    from duckmetrics.macro_queries.template import Part

NAME = "explain"
METRIC, ONE_QUERY, BY, COMPARED = "metric", "query", "by", "compared"
GROUPS = "contribution_groups"
# The metrics of rankings that are not sums over items, see sql/macros/not_explained.sql.
NOT_SUMS = "not_sums"
GROUPED_BY = {
    "": "instead of a query, groups of items over all queries",
    BY_RANK: "the ranks of the items",
    BY_GRADE: "the grades of the items",
    BY_ITEM: "the items",
}
OWN = (
    Argument(ONE_QUERY, meanings={"": "the id of the query to explain"}),
    Argument(BY, choices=GROUPINGS, meanings=GROUPED_BY),
    Argument(SYSTEM, meanings={"": "the name of the column that distinguishes systems"}),
    Argument(BASELINE, meanings={"": "the system that the other one is compared with"}),
    Argument(COMPARED, meanings={"": "the system to explain; by default the only one, or the other of two"}),
)


class OneExplained(AskedMetrics):
    """One metric, which must be a sum over items."""

    @property
    def can_be_written(self) -> exp.Expr:
        is_one = exp.EQ(this=exp.Anonymous(this="len", expressions=[self.asked]), expression=literal(1))
        return exp.and_(is_one, super().can_be_written)


def explain_macro(catalog: Catalog) -> Macro:
    """Return the macro that explains a ranking."""
    names = explainable(catalog)
    aliases = {name: a for name, a in aliases_of(catalog, RANKING).items() if a.metric.name in names}
    word = call(catalog, "population_word", reference(POPULATION))
    offer = Offer(catalog, aliases, {parameter_of(catalog, CORRECTED): None}, {POPULATION: word})
    entries = list(entries_of(catalog, offer.asked))
    n = Argument(MOST_GROUPS, catalog.relations[GROUPS].own_params[MOST_GROUPS].default,
                 meanings={"": "the number of groups with a row of their own"})  # fmt: skip
    columns = [argument for argument in columns_of_tables(catalog) if argument.name != SYSTEM]
    arguments = (*TABLES, Argument(METRIC, required=True), *OWN, n, *offer.arguments, *columns)
    asked = OneExplained(catalog, entries, reference(METRIC))
    query = ExplainedQuery(RankingCall(catalog, offer, entries, asked, arguments))
    title = "What each item adds to the value of a query, or each group of items to the mean"
    return Macro(NAME, (Overload(arguments, Written(query.body)),), title)


class ExplainedQuery:
    """Writes the body of the macro.

    Args:
        of: the metrics, and the conditions on the arguments.
    """

    def __init__(self, of: RankingCall) -> None:
        self.of, self.catalog = of, of.catalog
        self.most = of.catalog.relations[GROUPS].own_params[MOST_GROUPS]

    def body(self) -> exp.Select:
        """Return the body of the macro."""
        template = Template([argument.name for argument in self.of.arguments])
        text = RankingText(self.of, template)
        text.values[MOST_GROUPS] = template.quoted(typed(self.most), "BIGINT")
        names = exp.select(exp.column("system").as_("name")).distinct().from_("predictions")
        named = names.where(exp.not_(is_null(reference(SYSTEM))))
        checks = ExplainedChecks(text, list(self._problems(text)))
        opened, usual = (self._steps(text, form) for form in (OPEN, USUAL))
        whole = [
            *RankingSteps(text).tables(), text.cte("contestants", named), ", ",
            *merged(self.of.is_open, opened, usual), *checks.checked(), self._result(text),
        ]  # fmt: skip
        refused = checks.refused([METRIC])
        written = joined([chosen(self.of.asked_for.can_be_written, whole, refused)])
        run = exp.Anonymous(this=QUERY, expressions=[with_metrics(self.of, template, written)])
        return exp.select("*").from_(exp.Table(this=run))

    def _steps(self, text: RankingText, form: Form) -> list[Part]:
        steps = ExplainedSteps(text)
        population = RankingSteps(text).population() if form.is_open else []
        return [*population, *steps.asked(form), *steps.steps(form)]

    def _result(self, text: RankingText) -> Part:
        """Return the rows that people see: of items, or of groups under the name of the grouping."""
        by = exp.cast(reference(BY), "VARCHAR")
        items = text.shell("explained_items")
        groups = text.shell("explained_groups", rounding=literal(ROUNDING))
        found = []
        for query in (items, groups):
            result, steps = without_with(query)
            checked = cast("exp.Select", result).join("checked", join_type="cross").where(exp.column("fine"))
            ctes = "".join(f", {text.cte(name, step)}" for name, step in steps)
            found.append(f"{ctes} {text.shown(checked)}")
        is_known = exp.In(this=by, expressions=[literal(name) for name in GROUPINGS])
        name = text.template.mark(exp.Case().when(is_known, by.copy()).else_(literal(SEGMENT)))
        named = found[1].replace(f"_{SEGMENT} AS {SEGMENT}", f"_{SEGMENT} AS {name}")
        return chosen(is_null(reference(BY)), [found[0]], [named])

    def _problems(self, text: RankingText) -> Iterator[exp.Query]:
        """Yield the queries of the problems of the arguments."""
        yield text.shell("bad_explanation", choices=literal(" or ".join(GROUPINGS)))
        few = refusal(MOST_GROUPS, [self.most])
        yield exp.select(few.as_("problem")).where(exp.not_(allowed(self.most)))
        others = (asked for asked in self.of.offered if asked.agg not in (None, DEFAULT_AGGREGATION))
        for asked in others:
            what = f"is the {asked.agg} of the queries, and only a mean is a sum over items"
            said = f"{asked.names[0]}: {what}; explain one query"
            is_asked = self.of.asks_for(asked.names)
            by_group = exp.not_(is_null(reference(BY)))
            yield exp.select(literal(said).as_("problem")).where(exp.and_(by_group, is_asked))
        for name in (BASELINE, COMPARED):
            unknown = text.shell(
                "no_contestant", given=reference(name), parameter=literal(name), kind=literal("system"),
                is_needed=exp.false(), is_expression=exp.false(),
            )  # fmt: skip
            yield cast("exp.Select", unknown).where(exp.not_(is_null(reference(SYSTEM))))
        yield text.shell("no_explained_system")


class ExplainedChecks(RankingChecks):
    """Writes the steps that raise the first problem of an explanation, of whole tables."""

    is_partial = False

    def last(self) -> list[Part]:
        return [f" UNION ALL {self.text.text(placed(self.text.shell('unknown_query'), LAST))}"]

    def shared(self, form: Form) -> Mapping[str, exp.Query]:
        return {}  # those of the query read some of the rows

    def unreadable(self) -> list[exp.Query]:
        names = literal(", ".join(explainable(self.catalog)))
        not_explained = self.text.shell("not_explained", names=names)
        known = aliases_of(self.catalog, RANKING)
        reasons = {name: reason_against(self.catalog, alias.metric) for name, alias in known.items()}
        rows = [(name, reason) for name, reason in reasons.items() if reason is not None]
        for table in list(not_explained.find_all(exp.Table)):
            if table.name == NOT_SUMS:
                table.replace(exp.values(rows, NOT_SUMS, ["name", "reason"]))
        return [not_explained, *super().unreadable()]
