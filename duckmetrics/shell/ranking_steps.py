"""The steps of the query of a ranking macro: tables of the user, checks, values of queries, slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.measure import AGGREGATION, DEFAULT_AGGREGATION
from duckmetrics.checks.examination import NO_COMMON_QUERY, concerned
from duckmetrics.expressions.build import picked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.shell.forms import IN_SLICES, OPEN
from duckmetrics.shell.macro import HIDDEN, call, closure, concatenated, is_null, query_of, reference, source
from duckmetrics.shell.parameters import other_macros
from duckmetrics.shell.query import (
    METRICS,
    SOURCE,
    in_one,
    in_the_shell,
    known_metrics,
    of_data,
    placed,
    specs_of,
    tables_of_user,
)
from duckmetrics.shell.ranking_call import OF_METRICS, PLACE
from duckmetrics.shell.template import chosen, merged, run_later

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.shell.forms import Composed, Form
    from duckmetrics.shell.ranking_call import RankingText
    from duckmetrics.shell.template import Part


POPULATION, TABLE = "population", "table"
PER_QUERY, UNWEIGHTED = "per_query", "unweighted"
# Parameter of the attributes -> the mark of the SQL text that stands for it.
MARKED = {
    "named_columns": exp.var("__columns__"), "attributes": exp.var("__values__"),
    "types": exp.var("__types__"),
}  # fmt: skip


class RankingSteps:
    """Writes the steps up to the row of each query with the values of the metrics asked for."""

    def __init__(self, text: RankingText) -> None:
        self.text, self.of, self.catalog = text, text.of, text.catalog

    def tables(self) -> list[Part]:
        """Return the beginning of the query: the tables of the user, under the names of the metrics."""
        side = self.of.side
        advised = side.advised(self.text.template.mark) if side else None
        several, one = (
            [
                f"{self._of_user(n, q)}, "
                for n, q in tables_of_user(
                    self.catalog, has_systems=has_systems, renamed=side.renamed if side else None,
                    advised=advised,
                )
            ]
            for has_systems in (True, False)
        )  # fmt: skip
        others = [
            self.text.template.needed(f"{self.text.cte(name, query)}, ", flags)
            for name, query, flags in (side.steps(advised or {}) if side else ())
        ]
        return ["WITH ", *merged(self.of.has_systems, several, one), *others]

    def _of_user(self, name: str, query: exp.Query) -> str:
        """Write the step of a table, with the columns that only metrics of users read."""
        text = self.text.cte(name, self.of.own.marked(name, query))
        for mark, columns in self.of.own.marks(name):
            pieces = (
                self.text.template.needed(
                    f", {self.text.text(column).removeprefix('SELECT ')}", self.of.flags(readers)
                )
                for column, readers in columns
            )
            text = text.replace(f", {mark}", "".join(pieces))
        return text

    def steps(self, form: Form) -> list[Part]:
        """Return the steps up to the row of each query with its values."""
        composed = self.of.composed(form)
        listed = self.population() if form.is_open else []
        texts = [self.step(composed, name) for name in composed.steps]
        return [*listed, *self.needed(composed, texts), *self._per_query(composed), ", "]

    def population(self) -> list[Part]:
        """Return the step with the queries that count, where a table may list them."""
        is_table = exp.EQ(this=self.of.values[POPULATION].copy(), expression=literal(TABLE))
        listed = exp.Case().when(is_table, reference(POPULATION)).else_(reference("truth"))
        read = {SOURCE: source(self.catalog, listed, "read_trec_qrels")}
        query = run_later(query_of(self.catalog, POPULATION, read))
        return [f"{self.text.cte(POPULATION, query)}, "]

    def step(self, composed: Composed, name: str) -> str:
        """Return a step; an aggregate has the columns of the metrics asked for."""
        if name not in composed.blocks:
            return f"{self.text.cte(name, composed.steps[name])}, "
        block = composed.steps[name].copy()
        own = {column for found in composed.aggregates for column in found[name]}
        block.set(
            "expressions", [*(p for p in block.selects if p.alias_or_name not in own), exp.var(OF_METRICS)]
        )
        pieces = self.of_entries(composed, [self.text.columns(found[name]) for found in composed.aggregates])
        return "".join((*self.text.of_metrics(self.text.cte(name, block), pieces), ", "))

    def _per_query(self, composed: Composed) -> list[Part]:
        outer = composed.outer.copy()
        outer.set("expressions", [*(k.copy() for k in composed.keys().values()), exp.var(OF_METRICS)])
        joins = {join.this.name: join for join in outer.args.pop("joins", None) or []}
        head = self.text.cte(PER_QUERY, outer).removesuffix(")")
        if self.of.takes_weight:
            # With weights, the step of this name has the queries that count.
            named = exp.Case().when(self.of.has_weight, literal(UNWEIGHTED)).else_(literal(PER_QUERY))
            head = head.replace(f"{HIDDEN}{PER_QUERY} AS", f"{HIDDEN}{self.text.template.mark(named)} AS", 1)
        pieces = self.values_of_entries(composed)
        texts = [
            f" {self.text.text(joins[name]).strip()}" if name in joins else "" for name in composed.steps
        ]
        return [*self.text.of_metrics(head, pieces), *self.needed(composed, texts), ")"]

    def values_of_entries(self, composed: Composed) -> list[str]:
        """Return the columns of every entry in the row of a query, or of a slice."""
        return self.of_entries(composed, [self._values_of(composed, values) for values in composed.values])

    def _values_of(self, composed: Composed, values: Mapping[str, exp.Expr]) -> str:
        """Write the columns of a metric; those of its aggregates end with its place."""
        renamed = {}
        for kind, value in values.items():
            holder = exp.paren(value.copy(), copy=False)
            for column in holder.find_all(exp.Column):
                if column.table in composed.blocks:
                    column.this.set("this", f"{column.name}_{PLACE}")
            renamed[kind] = cast("exp.Expr", holder.this)
        return self.text.columns(_named_once(renamed))

    def of_entries(self, composed: Composed, texts: Sequence[str]) -> list[str]:
        """Return a text for every entry, empty for those that the form does not have."""
        known = dict(zip(composed.entries, texts, strict=True))
        return [known.get(entry, "") for entry in self.of.entries]

    def needed(self, composed: Composed, texts: Sequence[Part]) -> list[Part]:
        """Return the texts of the steps, each with the mark of the metrics that need it."""
        found, _ = of_data(
            self.catalog, composed.measures, composed.steps, composed.form.constants, self.of.only,
            further=composed.reach,
        )  # fmt: skip
        always = closure(composed.steps, {t.name for query in found for t in query.find_all(exp.Table)})
        known = dict(zip(composed.entries, composed.needed, strict=True))
        marked = self.text.template.needed
        # An entry that the form does not have is not asked for where the form is taken.
        return [
            marked(text, [name in always or name in known.get(entry, ()) for entry in self.of.entries])
            if isinstance(text, str) else text
            for name, text in zip(composed.steps, texts, strict=True) if text
        ]  # fmt: skip

    def weights(self) -> list[Part]:
        """Return the steps that give every query its weight, and leave out those of weight 0."""
        if not self.of.takes_weight:
            return []
        name = exp.cast(reference(WEIGHT), "VARCHAR")
        attributes, texts = attributes_of_queries(self.catalog, exp.Array(expressions=[name]))
        inner = exp.Anonymous(this="replace", expressions=[name.copy(), literal('"'), literal('""')])
        texts[MARKED["attributes"].name] = concatenated('"', inner, '"')
        steps = {
            "query_weights": self.text.template.later(attributes, texts),
            PER_QUERY: query_of(self.catalog, "weighed", {}),
        }
        written = [part for name, step in steps.items() for part in (self.text.cte(name, step), ", ")]
        return [chosen(self.of.has_weight, written, [])]

    def slices(self) -> list[Part]:
        """Return the steps that put every query into its slice as well, empty without slices."""
        return [chosen(self.of.has_slices, self.sliced(), [])]

    def sliced(self) -> list[Part]:
        """Return the steps that put every row of `per_query` into its slice as well."""
        attributes, texts = attributes_of_queries(self.catalog, self.of.slices)
        steps = {
            "attributes": self.text.template.later(attributes, texts),
            "sliced": query_of(self.catalog, "sliced", {"slice_label": self.text.label}),
        }
        return [part for name, step in steps.items() for part in (self.text.cte(name, step), ", ")]


def _named_once(values: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    """Return columns of one SELECT of which later ones read earlier ones by name, where they repeat them."""
    found: dict[str, exp.Expr] = {}
    known: dict[exp.Expr, str] = {}
    rest = {kind: value.copy() for kind, value in values.items()}
    if "undefined" in rest and isinstance(first := next(rest["undefined"].find_all(exp.Is)).this, exp.Expr):
        rest = {
            "raw": _bare(first).copy(),
            **{kind: rest[kind] for kind in ("no_relevant", "value", "undefined")},
        }
    for kind, value in rest.items():
        holder = exp.paren(value, copy=False)
        for node in list(holder.this.walk()):
            name = known.get(_bare(node)) if node is not holder.this else None
            if name is not None and not isinstance(node, exp.Column):
                node.replace(exp.column(f"{name}_{PLACE}"))
        found[kind] = holder.this
        known.setdefault(_bare(values.get(kind, value)).copy(), kind)
    return found


def _bare(value: exp.Expr) -> exp.Expr:
    """Return an expression without parentheses around it."""
    while isinstance(value, exp.Paren):
        value = value.this
    return value


class SystemSteps(RankingSteps):
    """Writes the steps up to the row of each slice with the values of metrics of all lists of a system."""

    def steps(self, form: Form) -> list[Part]:
        """Return the steps up to the row of each slice with its values."""
        composed = self.of.composed(form)
        texts: list[Part] = [self.step(composed, name) for name in composed.steps]
        place = [*composed.steps].index(IN_SLICES)
        texts[place] = chosen(self.of.has_slices, self._in_slices(), [texts[place]])
        listed = self.population() if form.is_open else []
        return [*listed, *self.needed(composed, texts), *self._per_slice(composed), ", "]

    def slices(self) -> list[Part]:
        """Return nothing: the values need the slices before."""
        return []

    def _in_slices(self) -> list[Part]:
        """Return the steps with every query in the slices that it belongs to."""
        queries = self.text.cte("per_query", picked("queries", "system", "query_id", "missing"))
        numbered = self.text.cte(IN_SLICES, query_of(self.catalog, IN_SLICES, {}))
        return [queries, ", ", *self.sliced(), numbered, ", "]

    def _per_slice(self, composed: Composed) -> list[Part]:
        outer = composed.outer.copy()
        outer.set("expressions", [*(k.copy() for k in composed.keys().values()), exp.var(OF_METRICS)])
        joins = {join.this.name: join for join in outer.args.pop("joins", None) or []}
        head = self.text.cte("per_slice", outer).removesuffix(")")
        texts = [
            f" {self.text.text(joins[name]).strip()}" if name in joins else "" for name in composed.steps
        ]
        values = self.values_of_entries(composed)
        return [*self.text.of_metrics(head, values), *self.needed(composed, texts), ")"]


def attributes_of_queries(catalog: Catalog, names: exp.Expr) -> tuple[exp.Query, dict[str, exp.Expr]]:
    """Return the query of the attributes by which results are split, and the texts of the marks in it.

    Args:
        names: the columns, a list.
    """
    first, second = sources_of_attributes(catalog)
    values = {SOURCE: first, "otherwise": second, **MARKED}
    texts = {
        mark.name: call(catalog, f"attribute_{mark.name.strip('_')}", names.copy())
        for mark in MARKED.values()
    }
    return query_of(catalog, "attributes", values), texts


def sources_of_attributes(catalog: Catalog) -> list[exp.Expr]:
    """Return the SQL text of the table with the attributes, and of the table that may have them instead."""
    readers = (("truth", "read_trec_qrels"), ("predictions", "read_trec_run"))
    given = is_null(reference("queries"))
    return [
        source(catalog, exp.Case().when(given.copy(), reference(table)).else_(reference("queries")), reader)
        for table, reader in readers
    ]


# The place of problems after all others.
LAST = 99
ONLY_MEANS = f"weight: {AGGREGATION} := '{DEFAULT_AGGREGATION}' alone reads weights; leave one of them out"


class RankingChecks:
    """Writes the steps that raise the first problem.

    Attributes:
        is_partial: whether rows below the deepest rank may repeat items, because they change no value.

    Args:
        further: queries of problems of the call, other than those of metrics, switches and rows.
    """

    is_partial = True

    def __init__(self, text: RankingText, further: Sequence[exp.Query]) -> None:
        self.text, self.of, self.catalog, self.further = text, text.of, text.catalog, further

    def checked(self) -> list[Part]:
        """Return the steps that refuse bad arguments and bad rows."""
        usual, opened = self.of.closed(self._problems), self._problems(OPEN)
        problems = self.of.offer.problems(self.of.lenient)
        arguments = [f" UNION ALL {self.text.text(placed(query, -1))}" for query in problems]
        last = self.last()
        further = (self.text.text(placed(query, i - 100)) for i, query in enumerate(self.further))
        return [
            chosen(self.of.is_changed, [*self._specs(), ", "], []),
            *merged(self.of.is_open, opened, usual), *(f" UNION ALL {text}" for text in further),
            *self._without_rows(), *self._nulls(), chosen(self.of.is_changed, arguments, []),
            *last, "), ",
            self.text.cte("checked", self.text.shell("checked")), " ",
        ]  # fmt: skip

    def last(self) -> list[Part]:
        """Return the queries of the problems that are reported if there is no other one."""
        bad_slices = self.text.shell("bad_attributes", slice_label=self.text.label)
        slices = f" UNION ALL {self.text.text(placed(bad_slices, LAST))}"
        return [*self._weights(), chosen(self.of.has_slices, [slices], [])]

    def _weights(self) -> list[Part]:
        """Return the queries of the problems of weights."""
        if not self.of.takes_weight:
            return []
        bad = self.text.text(placed(self.text.shell("bad_weights"), LAST - 2))
        refused = self.text.text(placed(exp.select(literal(ONLY_MEANS).as_("problem")), LAST - 2))
        others = chosen(self.of.is_mean, [], [f" UNION ALL {refused}"])
        return [chosen(self.of.has_weight, [f" UNION ALL {bad}", others], [])]

    def shared(self, form: Form) -> Mapping[str, exp.Query]:
        """Return the steps of the query that checks may read."""
        return self.of.composed(form).steps

    def unreadable(self) -> list[exp.Query]:
        """Return the queries of the problems of metrics that are not known or cannot be read."""
        others = other_macros(self.catalog, [name for one in self.of.offered for name in one.names])
        return [self.text.shell("bad_metrics", others=others), self.text.shell("unreadable_metrics")]

    def _without_rows(self) -> list[Part]:
        """Return the queries of tables next to predictions and truth that have no rows."""
        needed = self.text.template.needed
        return [
            needed(f" UNION ALL {self.text.text(placed(query, -100))}", flags)
            for query, flags in (self.of.side.problems() if self.of.side else ())
        ]

    def _nulls(self) -> Iterator[Part]:
        """Yield the queries of NULL in columns that only metrics of users read."""
        for query, reader in self.of.own.nulls():
            text = f" UNION ALL {self.text.text(placed(query, -1))}"
            yield self.text.template.needed(text, self.of.flags([reader]))

    def _problems(self, form: Form) -> list[Part]:
        composed = self.of.composed(form)
        absent = () if form.is_open else (POPULATION,)
        found, steps = of_data(
            self.catalog, composed.measures, self.shared(form), form.constants, self.of.only, absent,
            composed.reach if self.is_partial else {},
        )  # fmt: skip
        files = ("no_rows", *(("no_order", "bad_population") if form.is_open else ()))
        refused = [*(self.text.shell(name) for name in files), *found]
        read: dict[str, list[bool]] = {}
        own = []
        for name, step in steps:
            read[name] = self._readable(step, read)
            own.append(self.text.template.needed(f"{self.text.cte(name, step)}, ", read[name]))
        first, *others = [
            (self.text.text(placed(query, place)), self._readable(query, read))
            for place, query in enumerate(refused)
        ]
        problems = (self.text.template.needed(f" UNION ALL {text}", flags) for text, flags in others)
        return [*own, f"{HIDDEN}problems AS (", first[0], *problems, *self._strangers(form)]

    def _readable(self, query: exp.Query, known: Mapping[str, list[bool]]) -> list[bool]:
        """Return for each metric whether the query has all tables that a check reads.

        Args:
            known: step of the checks -> the same.
        """
        flags = [True] * len(self.of.entries)
        for table in query.find_all(exp.Table):
            side = self.of.side.needed(table.name) if self.of.side else flags
            flags = [all(both) for both in zip(flags, side, known.get(table.name, flags), strict=True)]
        return flags

    def _strangers(self, form: Form) -> list[Part]:
        """Return the query of the systems, of several, that share no query with the truth."""
        check = self.catalog.checks[RANKING, NO_COMMON_QUERY]
        concern = [
            measure for measure in self.of.composed(form).measures
            if check.subjects & concerned(self.catalog, measure)
        ]  # fmt: skip
        if not concern or "answers" not in self.shared(form):
            return []
        advice = literal(in_the_shell(check.header["advice"]))
        query = cast("exp.Select", self.text.shell("strangers", title=literal(check.title), advice=advice))
        condition = self.of.only(concern)
        text = self.text.text(placed(query.where(condition) if condition else query, LAST - 1))
        return [chosen(self.of.has_systems, [f" UNION ALL {text}"], [])]

    def _specs(self) -> list[Part]:
        """Return the steps with the metrics asked for, a row each."""
        steps = specs_of(self.catalog, known_metrics(self.of.offered), self.text.values[METRICS])
        return [", ".join(self.text.cte(name, step) for name, step in steps)]

    def refused(self, names: Sequence[str]) -> list[Part]:
        """Return the query where a metric is not known or its cut-off cannot be read, which is an error.

        Args:
            names: the columns of the result.
        """
        problems = in_one(self.unreadable())
        nothing = (
            exp.select(*(exp.null().as_(name) for name in names)).from_("checked").where(exp.column("fine"))
        )
        return [
            "WITH ", *self._specs(), ", ", self.text.cte("problems", problems), ", ",
            self.text.cte("checked", self.text.shell("checked")), " ", self.text.shown(nothing),
        ]  # fmt: skip
