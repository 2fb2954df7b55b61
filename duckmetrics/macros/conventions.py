"""The macro `conventions`: one metric of rankings under the conventions of every tool, side by side.

The text of its query depends on the metric. All conventions of a metric are composed together when the macros
are written, each distinct set once. Where a tool refuses something, the macro reports a reason, and no error.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import RANKING
from duckmetrics.catalog.facts import POSITIONS, holds, parameter_of
from duckmetrics.catalog.foreign_names import name_of
from duckmetrics.catalog.measure import DEFAULT_AGGREGATION
from duckmetrics.catalog.parameters import CUTOFF, PER_CALL, written
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.checks.examination import concerned, is_off, protected, required_checks
from duckmetrics.compose.composer import Composer
from duckmetrics.errors import DuckmetricsError, UnsupportedError
from duckmetrics.expressions.build import over, stacked
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.macro_queries import checks
from duckmetrics.macro_queries.forms import A_CUTOFF, CONSTANTS, SOME_CUTOFF
from duckmetrics.macro_queries.macro import HIDDEN, Argument, Macro, Overload, given, reference, without_with
from duckmetrics.macro_queries.parameters import aliases_of, unknown_metric
from duckmetrics.macro_queries.query import in_one, refusing, shown, tables_of_user, whole
from duckmetrics.macro_queries.shell_files import (
    BY_RANK,
    by_rank,
    call,
    concatenated,
    is_null,
    query_of,
    source,
)
from duckmetrics.macro_queries.template import Case, one_of
from duckmetrics.macros.findings import SYSTEM, FindingRows, column_names, prefixed, table_of, unnested
from duckmetrics.macros.inspection import READERS, labels_of_rankings
from duckmetrics.macros.ranking import columns_of_tables
from duckmetrics.presets.presets import preset, presets
from duckmetrics.results.findings import ERROR
from duckmetrics.summaries.ranking import shown_value
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.compose.blocks import Columns
    from duckmetrics.expressions.folding import Value
    from duckmetrics.macro_queries.query import Steps

NAME, METRIC, LIKE = "conventions", "metric", "like"
DEFAULTS = "duckmetrics"
# The prefix of the names of steps, and the column that stands for a missing one.
STEP, NONE = HIDDEN, "_duckmetrics_none"
# The text of a metric takes space in the file of the macros, so at least this number of tools must have it.
SEVERAL = 10
COUNTS = ("n", "n_population", "n_no_relevant", "n_missing")
REFUSE = "error"
# The columns of the tables about the tools.
TOOLS = ("position", "tool_key", "tool", "name", "variant", "settings", "refusal")
VARIANTS = ("variant", "place", "usual_place", "order_reason", "tie_check", "tie_reason")
ALONE = ("variant", "number", "place", "setting", "needs_order")
# Marks in the text of a query; the cut-off and the metric that are asked for replace them.
CUT, SPEC = "__cutoff", "__spec"


def tool_conventions_macro(catalog: Catalog) -> Macro:
    """Return the macro that computes one metric under the conventions of every tool."""
    tables = (Argument(name, required=True) for name in READERS)
    arguments = (
        *tables,
        Argument(METRIC, catalog.usual(RANKING)),
        Argument(LIKE),
        *columns_of_tables(catalog),
    )
    cutoff = exp.Anonymous(this="split_part", expressions=[_asked(), literal("@"), literal(2)])
    texts: dict[str, exp.Expr] = {CUT: cutoff, SPEC: exp.cast(reference(METRIC), "VARCHAR")}
    body = one_of(arguments, lambda: _cases(catalog), texts)
    title = "One metric of rankings under the conventions of every tool"
    return Macro(NAME, (Overload(arguments, body),), title)


@cache
def _cases(catalog: Catalog) -> tuple[Case, ...]:
    """Return a query for each metric; to compose them takes ten seconds."""
    other = call(catalog, "unknown_tool", reference(LIKE), literal("|".join(presets())))
    cases: list[Case] = [(exp.not_(is_null(other)), _refused(catalog, other))]
    names: dict[str, None] = {}
    for one in _metrics(catalog):
        pattern = f"({'|'.join(one.names)}){f'@{A_CUTOFF}' if one.has_cutoff else ''}"
        is_one = exp.Anonymous(this="regexp_full_match", expressions=[_asked(), literal(pattern)])
        cases.append((is_one, one.query()))
        names |= dict.fromkeys(one.names)
    unknown = unknown_metric(catalog, reference(METRIC), names)
    odd = concatenated(
        "'", exp.cast(reference(METRIC), "VARCHAR"),
        "' cannot be compared here; write one metric that many tools have, such as "
        f"{catalog.usual(RANKING)}",
    )  # fmt: skip
    problem = exp.func("coalesce", unknown, odd)
    return (*cases, (exp.true(), _refused(catalog, problem)))


def _asked() -> exp.Expr:
    return exp.func("lower", exp.cast(reference(METRIC), "VARCHAR"))


def _refused(catalog: Catalog, problem: exp.Expr) -> exp.Query:
    return refusing(problem, catalog.shell[NAME].query.named_selects)


def _metrics(catalog: Catalog) -> Iterator[_Metric]:
    """Yield every metric that a tool has, with a cut-off and without one."""
    groups: dict[tuple[str, bool], _Metric] = {}
    for name in aliases_of(catalog, RANKING):
        for k in (SOME_CUTOFF, None):
            spec = f"{RANKING}.{name}" + (f"@{k}" if k else "")
            try:
                default = parse_measure(catalog, spec, {}, lambda: RANKING)
            except DuckmetricsError:
                continue  # it has no cut-off, or a parameter that must be given
            if default.aggregation not in (None, DEFAULT_AGGREGATION):
                continue
            key = default.signature, k is not None
            if key in groups:
                groups[key].names.append(name)
            else:
                found = _Metric(catalog, spec, default, [name])
                if len(found.tools) >= SEVERAL:
                    groups[key] = found
    yield from groups.values()


@dataclass
class _Variant:
    """The metric as one tool or several have it, with what must hold of the rows."""

    number: int
    measure: Measure
    checks: list[int] = field(default_factory=list)
    tie_check: int | None = None


class _Metric:
    """One metric, with a cut-off or without one, under all presets."""

    def __init__(self, catalog: Catalog, spec: str, default: Measure, names: list[str]) -> None:
        self.catalog = catalog
        self.default = replace(default, text=SPEC)
        self.names = names
        self.has_cutoff = default.values.get(CUTOFF) is not None
        self.refused: dict[str, str] = {}
        self.tools: dict[str, Measure] = {}
        for name in presets():
            try:
                measure = parse_measure(catalog, spec, {}, lambda: RANKING, preset(name))
            except UnsupportedError as error:
                self.refused[name] = error.reason
            else:
                self.tools[name] = replace(measure, text=self.default.text)
        self.variants: dict[tuple[str, str, bool], _Variant] = {}
        for measure in (self.default, *self.tools.values()):
            self.variants.setdefault(measure.key, _Variant(len(self.variants), measure))
        self.places: dict[str, int] = {}
        self.computed: list[Measure] = []
        self.composer = Composer(catalog, {}, CONSTANTS, {BY_RANK: Parameter(BY_RANK)})
        # There is one system, and no parameter for more.
        self.labels = {**labels_of_rankings(), f"predictions.{SYSTEM}": literal(SYSTEM)}
        self.rows = FindingRows(catalog, self.composer, self.labels)

    def query(self) -> exp.Query:
        """Return one row per tool."""
        own = {offenders.sql() for _, offenders in self._offenders(self.default)}
        known: dict[str, int] = {}
        for variant in self.variants.values():
            self._add_checks(variant, own, known)
        tables = self._tables()
        nobody = exp.select("query_id").from_("truth").where(exp.false())
        steps: Steps = [
            *tables_of_user(self.catalog, has_systems=False), ("population", nobody), *self._types(),
            *self._checked(), *self._told(), *tables, *self._values(),
        ]  # fmt: skip
        has_order = exp.or_(exp.not_(is_null(reference("position"))), by_rank(self.catalog))
        values = {METRIC: reference(METRIC), "likes": reference(LIKE), "has_order": exp.paren(has_order)}
        result, last = without_with(query_of(self.catalog, NAME, values))
        ranked = {BY_RANK: by_rank(self.catalog)}
        every = [(name, cast("exp.Query", given(step, ranked))) for name, step in (*steps, *last)]
        return _in_short(_at_cutoff(shown(whole(self.catalog, result, every))))

    def _types(self) -> Iterator[tuple[str, exp.Query]]:
        """Yield the steps that the labels of the messages read."""
        for name, table in (("predicted_types", "predictions"), ("judged_types", "truth")):
            read = source(self.catalog, reference(table), READERS[table])
            yield name, query_of(self.catalog, name, {"source": read, "system": exp.null()})
        yield "column_names", column_names(self.labels)

    # --- refusals of rows ------------------------------------------------------------------------

    def _checked(self) -> Steps:
        """Return the steps that raise problems that make the defaults impossible."""
        found, own = checks.of_data(self.catalog, [self.default], {}, CONSTANTS)
        refused = [*(self._shell(name) for name in ("no_rows",)), *found]
        return [*own, ("problems", in_one(refused)), ("checked", self._shell("checked"))]

    def _shell(self, name: str) -> exp.Query:
        declared = self.catalog.shell[name].own_params.values()
        return query_of(self.catalog, name, {p.name: literal(p.default) for p in declared})

    def _offenders(self, measure: Measure) -> list[tuple[Definition, exp.Query]]:
        """Return the offenders of the checks that refuse rows for a measure, next to the check."""
        found = []
        for definition in self.catalog.checks.values():
            values = _known(measure)
            named = concerned(self.catalog, measure) & protected(definition)
            if named and definition.header["severity"] == ERROR and not is_off(definition, values):
                found.append((definition, self.composer.resolved(definition, values)))
        return found

    def _add_checks(self, variant: _Variant, own: set[str], known: dict[str, int]) -> None:
        """Add the checks that refuse rows for a tool and not for the defaults."""
        for definition, offenders in self._offenders(variant.measure):
            text = offenders.sql()
            if text in own:
                continue
            if text not in known:
                known[text] = self.rows.add(definition, _known(variant.measure))
            if "untied" in definition.placeholders:
                variant.tie_check = known[text]
            else:
                variant.checks.append(known[text])
        for one in required_checks(self.composer, [variant.measure]):
            text = one.offenders.sql() + one.advice
            if text not in known:
                header = {"severity": one.severity, "reported": one.name, "column": one.place,
                          "title": one.title, "advice": one.advice}  # fmt: skip
                known[text] = self.rows.add_required(header, one.offenders)
            variant.checks.append(known[text])

    def _told(self) -> Steps:
        """Return the step with the messages of the checks that found something."""
        names = ("severity", "reported", "of_table", "of_column", "what", "advice", "doubt")
        nothing = exp.select(
            *(exp.cast(exp.null(), "VARCHAR").as_(name) for name in names), literal(0).as_("place"),
            literal(0).as_("n"), exp.cast(exp.null(), "VARCHAR[]", dialect="duckdb").as_("examples"),
        ).where(exp.false())  # fmt: skip
        result, own = without_with(query_of(self.catalog, "findings", {}))
        told = exp.select("place", "n", "message").from_(
            cast("exp.Select", result).select("place", exp.column("n").as_("n")).subquery("found")
        )
        return [*self.rows.rows(), ("problem_rows", nothing), *own, ("told_checks", told)]

    # --- tables about the tools ------------------------------------------------------------------

    def _tables(self) -> Steps:
        """Return the facts about the tools that are known before the data are read."""
        order = parameter_of(self.catalog, POSITIONS)
        usual = self.default.values.get(order)
        variants: list[list[Value]] = []
        alone: list[list[Value]] = []
        checked: list[list[Value]] = []
        self._place(self.default)
        for variant in self.variants.values():
            measure = variant.measure
            needs = self._needs_order(measure)
            stands_in = f"{order}={usual} stands in for"
            variants.append([
                variant.number, self._place(measure),
                self._place(measure.bound(**{order: usual})) if needs else 0,
                f"no order of rows: {stands_in} {order}={measure.values[order]}" if needs else None,
                variant.tie_check, f"{stands_in} its order",
            ])  # fmt: skip
            checked += [[variant.number, place] for place in variant.checks]
            for number, (name, value) in enumerate(measure.differing(self.default).items()):
                one = self.default.bound(**{name: value})
                alone.append([variant.number, number, self._place(one), f"{name}={written(value)}",
                              self._needs_order(one)])  # fmt: skip
        return [
            ("tools", table_of(TOOLS, [*self._tools()])),
            ("variants", table_of(VARIANTS, variants)),
            ("variant_checks", table_of(("variant", "check_place"), checked)),
            ("alone", table_of(ALONE, alone)),
        ]

    def _tools(self) -> Iterator[list[Value]]:
        """Yield a row for the defaults, and one for each tool."""
        name = self.default.metric.name
        yield [0, DEFAULTS, f"{DEFAULTS} {__version__}", name, 0, "", None]
        for position, tool in enumerate(presets(), start=1):
            if tool in self.refused:
                yield [position, tool, preset(tool).tool, "", None, "", self.refused[tool]]
                continue
            measure = self.tools[tool]
            entry = preset(tool).entry(measure.family, name, self.has_cutoff)
            settings = " ".join(f"{n}={written(v)}" for n, v in measure.differing(self.default).items())
            named, number = name_of(entry.name, measure.values), self.variants[measure.key].number
            yield [position, tool, preset(tool).tool, named, number, settings, None]

    def _needs_order(self, measure: Measure) -> bool:
        """Return whether the order of the rows decides about ties, unlike in the defaults."""
        return holds(self.catalog, POSITIONS, measure) and not holds(self.catalog, POSITIONS, self.default)

    # --- values ----------------------------------------------------------------------------------

    def _place(self, measure: Measure) -> int:
        """Return the place of the value of a measure among those computed, where no check finds anything."""
        harmless = {
            p.name: [choice for choice in p.choices if choice != REFUSE][-1]
            for p in measure.declared if measure.values[p.name] == REFUSE
        }  # fmt: skip
        computed = measure.bound(**harmless)
        place = self.places.setdefault(computed.signature, len(self.computed))
        if place == len(self.computed):
            self.computed.append(computed)
        return place

    def _values(self) -> Iterator[tuple[str, exp.Query]]:
        """Yield the steps that compute every value; measures of one population go together."""
        batches: dict[tuple[Value, ...], list[int]] = {}
        for place, measure in enumerate(self.computed):
            batches.setdefault(tuple(measure.values[name] for name in PER_CALL), []).append(place)
        found: list[exp.Query] = []
        for number, places in enumerate(batches.values()):
            composer = Composer(self.catalog, {}, CONSTANTS, {BY_RANK: Parameter(BY_RANK)})
            query, columns = composer.per_query([self.computed[place] for place in places])
            yield from prefixed(query, f"values{number}")
            found.append(self._told_below(places, columns, f"values{number}"))
        value, why = shown_value(self.catalog, exp.column("v"), exp.column("n_no_relevant"))
        rows = exp.select("place", value.as_("v"), "n", why.as_("why")).from_(stacked(found).subquery("told"))
        yield "variant_values", rows

    def _told_below(self, places: Sequence[int], columns: Sequence[Columns], step: str) -> exp.Query:
        """Return a row for each measure: the mean over the queries of a step, and the counts behind it."""
        mean = self.catalog.aggregation_names[DEFAULT_AGGREGATION].metric.query.selects[-1].unalias()
        counted = {p.alias: p.unalias() for p in self._shell("counted").selects}
        told = {"v": mean, **{name: counted[name] for name in COUNTS}}
        aggregated = exp.select().from_(step)
        for place, one in zip(places, columns, strict=True):
            named = {"value": exp.column(one.value), "no_relevant": exp.column(one.no_relevant)}
            row = over(exp.select(*(e.copy().as_(f"{name}_{place}") for name, e in told.items())), named)
            aggregated = aggregated.select(*(e.as_(name) for name, e in row.items()))
        lists: dict[str, list[exp.Expr]] = {"place": [literal(place) for place in places]}
        lists |= {name: [exp.column(f"{name}_{place}") for place in places] for name in told}
        return exp.select(*(unnested(values).as_(name) for name, values in lists.items())).from_(
            aggregated.subquery("one")
        )


def _known(measure: Measure) -> dict[str, Value]:
    """Return the values that a check can use."""
    return {
        **measure.values, "truth_lists": False, "by_rank": Parameter(BY_RANK), "untied": measure.untied,
        "sampled": measure.metric.header.get("sampled", "inconsistent"),
    }  # fmt: skip


def _at_cutoff(query: exp.Query) -> exp.Query:
    """Put the mark of the cut-off where it stands in numbers and texts."""
    some = str(SOME_CUTOFF)
    for found in list(query.find_all(exp.Literal)):
        if found.is_string and some in found.this:
            found.replace(literal(found.this.replace(some, CUT)))
        elif found.this == some:
            found.replace(exp.var(CUT))
    return query


def _in_short(query: exp.Query) -> exp.Query:
    """Number the names of the steps: they are a third of the text."""
    numbers: dict[str, str] = {}
    for found in query.find_all(exp.Identifier):
        if found.name.startswith(STEP) and found.name != NONE:
            found.set("this", numbers.setdefault(found.name, f"_dm{len(numbers)}"))
    return query
