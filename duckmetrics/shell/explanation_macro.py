"""The macro `explain`: what each item adds to the value of one query, or each group of items to the mean."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.measure import CORRECTED, DEFAULT_AGGREGATION, parameter_of
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.contributions import (
    BY_GRADE,
    BY_ITEM,
    BY_RANK,
    MOST_GROUPS,
    SEGMENT,
    explainable,
    groups_query,
    items_query,
    reason_against,
)
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.inputs.systems import ONE_SYSTEM
from duckmetrics.shell.forms import OPEN, USUAL, AskedMetrics, entries_of
from duckmetrics.shell.macro import BY_RANK as RANKS_GIVEN
from duckmetrics.shell.macro import (
    QUERY,
    Argument,
    Macro,
    Overload,
    Written,
    call,
    is_null,
    reference,
    typed,
    without_with,
)
from duckmetrics.shell.own_columns import OwnColumns
from duckmetrics.shell.parameters import Offer, aliases_of, allowed, refusal
from duckmetrics.shell.query import SYSTEM, placed, read_from
from duckmetrics.shell.ranking_call import RankingCall, RankingText
from duckmetrics.shell.ranking_macros import TABLES, columns_of_tables
from duckmetrics.shell.ranking_query import with_metrics
from duckmetrics.shell.ranking_steps import LAST, POPULATION, RankingChecks, RankingSteps
from duckmetrics.shell.template import Template, chosen, joined, merged
from duckmetrics.words.rounding import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.shell.forms import Entry, Form
    from duckmetrics.shell.template import Part


GROUPINGS = (BY_RANK, BY_GRADE, BY_ITEM)
# The names of the systems in the steps, see sql/macros/asked_predictions.sql.
SYSTEMS, ASKED_SYSTEMS, BASELINE = "systems", "asked_systems", "baseline"
# The tables of the user, and what the steps read of them: the rows of the systems and queries asked for.
READ = {name: f"asked_{name}" for name in ("predictions", "truth", POPULATION)}
# The result of the steps.
EXPLAINED = "explained"


class ExplainedSteps:
    """Writes the steps up to the contributions of items or groups."""

    def __init__(self, text: RankingText) -> None:
        self.text, self.of, self.catalog = text, text.of, text.catalog
        self._texts: dict[tuple[str, exp.Expr], str] = {}

    def asked(self, form: Form) -> list[Part]:
        """Return the steps that read the rows of the systems and queries asked for."""
        names = [name for table, name in READ.items() if form.is_open or table != POPULATION]
        return [f"{self.text.cte(name, self.text.shell(name))}, " for name in (*names, ASKED_SYSTEMS)]

    def steps(self, form: Form) -> list[Part]:
        """Return the steps of the items of a query, or of groups of items."""
        kinds = {by: self._steps(form, by) for by in (None, *GROUPINGS)}
        found = kinds[GROUPINGS[-1]]
        for by in reversed(GROUPINGS[:-1]):
            found = merged(exp.EQ(this=reference("by"), expression=literal(by)), kinds[by], found)
        return [chosen(is_null(reference("by")), kinds[None], found)]

    def _steps(self, form: Form, by: str | None) -> list[Part]:
        """Return the steps of each metric; a step that several metrics have is there once."""
        lists = [self._of_metric(entry, form, by) for entry in self.of.entries]
        return [self.text.template.needed(f"{text}, ", has) for text, has in in_one_order(lists)]

    def _of_metric(self, entry: Entry, form: Form, by: str | None) -> list[str]:
        """Return the steps of one metric."""
        inputs = {SYSTEMS: exp.select("system").from_(ASKED_SYSTEMS)}
        composer = Composer(self.catalog, inputs, {}, {RANKS_GIVEN: Parameter(RANKS_GIVEN)})
        measure = entry.measure(form)
        if by is None:
            query = items_query(composer, measure)
        else:
            n = Parameter(MOST_GROUPS)
            query = groups_query(composer, measure, by, form.plan, ONE_SYSTEM, BASELINE, n)
        outer, steps = without_with(query)
        return [self._text(name, step) for name, step in (*steps, (EXPLAINED, outer))]

    def _text(self, name: str, step: exp.Query) -> str:
        if (name, step) not in self._texts:
            self._texts[name, step] = self.text.cte(name, read_from(step, READ))
        return self._texts[name, step]


def in_one_order(lists: Sequence[Sequence[str]]) -> list[tuple[str, list[bool]]]:
    """Put the texts of several lists in one list that keeps the order of each.

    Returns:
        Each text, and whether each list has it at this place.
    """
    found: list[tuple[str, list[bool]]] = []
    for place, texts in enumerate(lists):
        known = [text for text, _ in found]
        whole: list[tuple[str, list[bool]]] = []
        for kind, i1, i2, j1, j2 in SequenceMatcher(None, known, texts, autojunk=False).get_opcodes():
            whole += found[i1:i2]
            if kind == "equal":
                for _, has in found[i1:i2]:
                    has[place] = True
            else:
                whole += [(text, [i == place for i in range(len(lists))]) for text in texts[j1:j2]]
        found = whole
    return found


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
    own = OwnColumns(catalog, offer.asked, [argument.name for argument in arguments])
    arguments += own.arguments()
    asked = OneExplained(catalog, entries, reference(METRIC))
    query = ExplainedQuery(RankingCall(catalog, offer, entries, asked, arguments, own))
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
