"""The macro of A/B tests: the counterpart of `duckmetrics.ab`, as one query for all metrics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.catalog.meanings import meanings
from duckmetrics.compose.composer import Composer
from duckmetrics.compose.keyed import Steps, called, keyed, results_of, without_calls
from duckmetrics.expressions.build import try_cast
from duckmetrics.expressions.folding import Parameter, literal
from duckmetrics.inference.adjustment import ADJUSTED, NONE, SHORT
from duckmetrics.shell.macro import (
    HIDDEN,
    QUERY,
    Argument,
    Macro,
    Overload,
    Written,
    call,
    concatenated,
    given,
    is_null,
    query_of,
    reference,
    source,
    typed,
)
from duckmetrics.shell.parameters import allowed, refusal
from duckmetrics.shell.query import SOURCE, finite, in_one, or_no_text, shown, whole
from duckmetrics.shell.template import Template, bound_once, chosen, joined
from duckmetrics.statistics.arms import FILE, NAMES
from duckmetrics.statistics.experiment import (
    CUPED,
    MEAN,
    NUMBERS,
    PROPORTION,
    RATIO,
    RATIO_CHECK,
    SEQUENTIAL_CHECK,
    SEQUENTIAL_MEAN,
    SEQUENTIAL_RATIO,
    VALUES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.expressions.folding import Value


SUMMARY = "experiment_summary"
SEQUENTIAL, PLANNED = "sequential", "planned"
# A query of one row per unit; the column of the unit is filled in where it is known, see
# sql/macros/repeated_units.sql.
CURE = (
    "SELECT {unit}, any_value({variant}) AS {variant}, {values} FROM {table} GROUP BY {unit}"
    " HAVING min({variant}) = max({variant})"
)
CURES = ("cure", "shared_cure")
# The column with the name of that of the units.
UNIT_NAME = "_unit_name_{}"
MEANING = "whether p, intervals and sample ratio hold at every look at a running experiment"
NO_BOOLEAN = "sequential: is not true or false; write sequential := true"
NOT_SEQUENTIAL = "planned: belongs to a sequential test; add sequential := true"
BOOLEAN = exp.DataType.build("BOOLEAN")


def experiment_arguments(catalog: Catalog) -> tuple[Argument, ...]:
    """Return the parameters, with the sentences of the files that declare them."""
    test, adjusted, looks = (catalog.statistics[name] for name in (MEAN, ADJUSTED, SEQUENTIAL_MEAN))
    files = [catalog.shell[name] for name in (SUMMARY, "experiment_call", "bad_experiment")]
    known = {p.name: (file, p) for file in files for p in file.own_params.values()}
    known["level"] = (test, test.own_params["level"])
    known[PLANNED] = (looks, looks.own_params[PLANNED])
    told = {name: meanings(catalog, file, param) for name, (file, param) in known.items()}
    methods = {**meanings(catalog, adjusted, adjusted.own_params["method"]), NONE: "p is not adjusted"}

    def optional(name: str) -> Argument:
        return Argument(name, known[name][1].default, meanings=told[name])

    return (
        *(Argument(name, required=True, meanings=told[name]) for name in ("users", "variant", "metrics")),
        Argument("control", is_needed=True, meanings=told["control"]),
        *map(optional, ("pre", "shares", "lower_is_better")),
        Argument("adjust", known["adjust"][1].default, choices=tuple(methods), meanings=methods),
        *map(optional, ("level", "alpha")),
        Argument(SEQUENTIAL, False, meanings={"": MEANING}),
        optional(PLANNED),
    )


def is_sequential() -> exp.Expr:
    """Return the condition that the results hold at every look."""
    return exp.func("coalesce", _given_sequential(), exp.false())


def method_of_word() -> exp.Expr:
    """Return the method of adjustment that a word means."""
    word = exp.Lower(this=_as_text(reference("adjust")))
    method = exp.Case(this=word)
    for short, long in SHORT.items():
        method = method.when(literal(short), literal(long), copy=False)
    return method.else_(word.copy())


def problem_of(catalog: Catalog, asked: exp.Expr) -> exp.Expr:
    """Return the problem of the arguments, NULL if there is none."""
    params = {
        "level": catalog.statistics[MEAN].own_params["level"],
        "alpha": catalog.shell[SUMMARY].own_params["alpha"],
        PLANNED: catalog.statistics[SEQUENTIAL_MEAN].own_params[PLANNED],
    }
    refused = exp.Case()
    for name, param in params.items():
        refused = refused.when(exp.not_(allowed(param)), refusal(name, [param]), copy=False)
    choices = [str(choice) for choice in catalog.statistics[ADJUSTED].own_params["method"].choices]
    known = exp.In(this=method_of_word(), expressions=[literal(choice) for choice in (*choices, NONE)])
    shown = exp.func("coalesce", _as_text(reference("adjust")), literal("NULL"))
    said = concatenated("adjust cannot be '", shown, f"'; choose {' or '.join((*choices, NONE))}")
    refused = refused.when(exp.not_(exp.func("coalesce", known, exp.false())), said, copy=False)
    refused = refused.when(is_null(_given_sequential()), literal(NO_BOOLEAN), copy=False)
    is_usual = exp.EQ(this=reference(PLANNED), expression=literal(params[PLANNED].default))
    looks_once = exp.and_(exp.not_(is_sequential()), exp.not_(is_usual))
    refused = refused.when(looks_once, literal(NOT_SEQUENTIAL), copy=False)
    return exp.func("coalesce", call(catalog, "bad_experiment_call", asked.copy()), refused)


def unit_columns(no_column: str) -> Iterator[exp.Expr]:
    """Yield the names and the values of the first columns whose names are those of units.

    Args:
        no_column: the column that is NULL, where a table has no column of such a name.
    """
    for i, names in enumerate(NAMES):
        columns = f"*COLUMNS('(?i)^({no_column}|{names})$')"
        name = f"regexp_extract(typeof(struct_pack({columns})), '^STRUCT.\"?(\\w+)', 1)"
        yield exp.var(name).as_(UNIT_NAME.format(i))
        yield exp.var(f"CAST(struct_extract_at(row({columns}), 1) AS VARCHAR)").as_(f"_unit_{i}")


def unit_rows(no_column: str, taken: str, numbers: str) -> exp.Select:
    """Return the unit of every row, where a column shows it, see `statistics.arms.unit_column`.

    Args:
        taken: the text of the names of the columns of the metrics.
        numbers: the text of the numbers of a row.
    """
    name, unit = exp.Case(), exp.Case()
    for i in range(len(NAMES)):
        own = exp.column(UNIT_NAME.format(i))
        free = exp.var(f"NOT list_contains([{no_column!r}, {taken}], {own.name})")
        name, unit = name.when(free, own, copy=False), unit.when(free, exp.column(f"_unit_{i}"), copy=False)
    fingerprint = exp.var(f"hash([{numbers}])").as_("fingerprint")
    return exp.select("arm", unit.as_("unit"), name.as_("unit_name"), fingerprint).from_("units")


def _given_sequential() -> exp.Expr:
    """Return the argument as a boolean, NULL if it is none."""
    return try_cast(reference(SEQUENTIAL), BOOLEAN)


def _as_text(value: exp.Expr) -> exp.Expr:
    return exp.cast(value, "VARCHAR")


NAME = "ab"
KEY, ARM = "metric", "arm"
# The functions that DuckDB plans slowly, with their numbers of arguments; each is called once.
SLOW = {"student_t_critical": 2, "student_t_p": 2}
# The kinds of outcomes, see sql/macros/outcome_kind.sql; with the statistic that compares each, that of
# columns of 0 and 1, and the one with the relative change where the statistic has none.
ONCE = {"mean": (MEAN, PROPORTION, None), "ratio": (RATIO, RATIO, None), "adjusted": (CUPED, CUPED, MEAN)}
ALWAYS = {
    "mean": (SEQUENTIAL_MEAN, SEQUENTIAL_MEAN, None),
    "ratio": (SEQUENTIAL_RATIO, SEQUENTIAL_RATIO, None),
    "adjusted": (SEQUENTIAL_MEAN, SEQUENTIAL_MEAN, None),
}
SHOWN = (
    "metric", "variant", "control", "control_value", "value", *NUMBERS, "p_adjusted", "verdict", "statistic",
    "adjust", "n_control", "n", "left_out_control", "left_out", "variance_reduction", "reason",
)  # fmt: skip
# Marks in the query.
VARIANT, COLUMNS, OUTCOMES, METHOD, PROBLEM = "__variant", "__columns", "__outcomes", "__method", "__problem"
CURE_MARK, NUMBERS_READ, TAKEN = "__cure", "__numbers_read", "__taken"
# A column that is NULL, for patterns of names that a table does not have.
NO_COLUMN = "_duckmetrics_none"
ASKED = "_asked"
# The parameters of the call, in the order of sql/macros/experiment_call.sql.
CALL = ("metrics", "pre", "lower_is_better", "shares")
# The places in the text of an outcome, see sql/macros/outcome_pieces.sql.
PLACES = re.compile(r"(\{\w+\})")
MEASURED = (
    "{'_metric': {place}, '_is_ratio': {kind} = 'ratio', '_value': _value_{place}, '_other': _other_{place}}"
)

OTHER = "other_name"
OUTCOME = ("place", "name", "kind", "value_name", OTHER, "is_lower")
ROW = "STRUCT(_metric INT, _is_ratio BOOLEAN, _value DOUBLE, _other DOUBLE)"


def ab_macro(catalog: Catalog) -> Macro:
    """Return the macro of A/B tests."""
    summary = catalog.shell[SUMMARY]
    arguments = experiment_arguments(catalog)

    def write() -> exp.Select:
        return _body(catalog, arguments)

    overload = Overload(arguments, Written(write))
    return Macro(NAME, (overload,), summary.title, summary)


def _body(catalog: Catalog, arguments: Sequence[Argument]) -> exp.Select:
    """Return the query, which is written when the macro is called, or the refusal of the call."""
    once, always = (_Experiment(catalog, is_sequential) for is_sequential in (False, True))
    refused = exp.select(exp.Anonymous(this="error", expressions=[exp.var(PROBLEM)]).as_("problem"))
    template = Template([argument.name for argument in arguments])
    problem = call(catalog, "quoted", concatenated("duckmetrics: ", problem_of(catalog, once.asked)))
    asked = chosen(is_sequential(), [always.text(template)], [once.text(template)])
    is_refused = exp.not_(is_null(problem_of(catalog, once.asked)))
    refusing = template.marked(refused, {PROBLEM: problem})
    text = template.filled(joined([chosen(is_refused, [refusing], [asked])]))
    # Conditions and texts read the call by a name, so that DuckDB binds it once.
    named = bound_once(ASKED, call(catalog, "experiment_call", *map(reference, CALL)), text)
    return exp.select("*").from_(exp.Table(this=exp.Anonymous(this=QUERY, expressions=[named])))


class _Experiment:
    """Writes the query of an A/B test, which reads all metrics at once.

    Args:
        is_sequential: whether its results hold at every look.
    """

    def __init__(self, catalog: Catalog, is_sequential: bool) -> None:
        self.catalog, self.kinds = catalog, ALWAYS if is_sequential else ONCE
        self.check = SEQUENTIAL_CHECK if is_sequential else RATIO_CHECK
        # CUPED also gives the values that a sequential test compares.
        needed = [(kind, name) for kind, names in self.kinds.items() for name in names if name is not None]
        self.needed = list(dict.fromkeys([*needed, ("adjusted", CUPED)]))
        self.asked = exp.column(ASKED)
        self.outcomes = exp.Bracket(this=self.asked, expressions=[literal("outcomes")])
        self.tables: dict[str, list[str]] = {}

    def text(self, template: Template) -> str:
        """Return the text of the query."""
        kinds = list(self.kinds)
        texts = {
            VARIANT: call(self.catalog, "column_named", reference("variant")),
            METHOD: call(self.catalog, "quoted", method_of_word()),
            COLUMNS: self._pieces(kinds, self._columns()),
            OUTCOMES: self._pieces(kinds, f"({', '.join(map('{{{}}}'.format, OUTCOME))})"),
            CURE_MARK: call(self.catalog, "quoted", self._cure()),
            NUMBERS_READ: self._pieces(kinds, "_value_{place}, _other_{place}"),
            TAKEN: self._pieces(kinds, "{value_name}, {other_name}"),
            **{_mark(kind): self._pieces([kind], MEASURED) for kind in kinds},
            _mark("all"): self._pieces(kinds, MEASURED),
            **self._tables("observations", [("mean", "mean_values"), ("adjusted", "shifted_values")]),
            **self._tables("found", [(kind, f"found_by_{name}") for kind, name in self.needed]),
        }  # fmt: skip
        steps = self._steps()
        for function in SLOW:
            steps, marks = self._without_calls(steps, function)
            texts |= marks
        return template.marked(self._query(steps), texts)

    def _pieces(self, kinds: Sequence[str], text: str) -> exp.Expr:
        """Return the SQL text of every outcome of some kinds, with commas between."""
        parts = [literal(part) for part in PLACES.split(text) if part]
        return call(
            self.catalog, "outcome_pieces", self.outcomes.copy(), _list(kinds), exp.Array(expressions=parts)
        )

    def _tables(self, name: str, tables: Sequence[tuple[str, str]]) -> dict[str, exp.Expr]:
        """Return a mark with the SQL text of the tables of the kinds that are asked for."""
        kinds, names = zip(*tables, strict=True)
        self.tables[_mark(name)] = list(names)
        hidden_names = [f"{HIDDEN}{name}" for name in names]
        text = call(self.catalog, "outcome_tables", self.outcomes.copy(), _list(kinds), _list(hidden_names))
        return {_mark(name): text}

    def _cure(self) -> exp.Expr:
        """Return the query of a row per unit: sums of values, and the mean of those from before."""
        summed = "sum({value}) AS {value}"
        known = {"mean": summed, "ratio": f"{summed}, sum({{other}}) AS {{other}}",
                 "adjusted": f"{summed}, avg({{other}}) AS {{other}}"}  # fmt: skip
        listed = exp.func("array_to_string", exp.func("list_filter", exp.Array(expressions=[
            self._pieces([kind], text) for kind, text in known.items()
        ]), exp.Lambda(this=exp.NEQ(this=exp.column("text"), expression=literal("")),
                       expressions=[exp.to_identifier("text")])), literal(", "))  # fmt: skip
        table = call(self.catalog, "read_again", reference("users"))
        parts: dict[str, exp.Expr] = {
            "{variant}": call(self.catalog, "column_named", reference("variant")), "{values}": listed,
            "{table}": table,
        }  # fmt: skip
        pieces = re.split("|".join(f"({re.escape(mark)})" for mark in parts), CURE)
        return concatenated(*(parts.get(piece, piece) for piece in pieces if piece))

    def _columns(self) -> str:
        """Return the text of the columns of one outcome, as numbers."""
        columns = []
        for name in ("value", "other"):
            read = exp.Anonymous(
                this="grade", expressions=[exp.var(f"{{{name}}}"), exp.var(f"{{{name}_name}}")]
            )
            columns.append(f"{_spelled(self.catalog, read).sql(DIALECT)} AS _{name}_{{place}}")
        return ", ".join(columns)

    def _steps(self) -> Steps:
        """Return the steps that compute the statistics, in no order."""
        read = exp.Table(this=exp.Anonymous(this="query", expressions=[exp.Placeholder(this=SOURCE)]))
        whole = exp.select("*", exp.null().as_(NO_COLUMN)).from_(read).subquery("read")
        rows = exp.select(
            exp.cast(exp.var(VARIANT), "VARCHAR").as_(ARM), exp.var(COLUMNS), *unit_columns(NO_COLUMN)
        ).from_(whole)
        users = {SOURCE: source(self.catalog, reference("users"))}
        steps: Steps = [
            ("units", cast("exp.Query", given(rows, users))),
            ("unit_rows", unit_rows(NO_COLUMN, TAKEN, NUMBERS_READ)),
            ("repeated_units", query_of(self.catalog, FILE, dict.fromkeys(CURES, exp.var(CURE_MARK)))),
            ("measured", _rows("all")), *((f"{kind}_rows", _rows(kind)) for kind in self.kinds),
            ("tallies", self._shell("arm_tallies")),
            ("mean_values", exp.select(KEY, ARM, finite("value").as_("value")).from_("mean_rows")),
            ("shifted_values", self._shell("shifted_values")),
            ("observations", exp.select(KEY, ARM, "value").from_(_table(_mark("observations")))),
            ("ratios", _pairs("ratio", "numerator", "denominator")),
            ("adjusted", _pairs("adjusted", "value", "covariate")),
            ("proportions", exp.select(KEY, ARM, "hits", exp.column("known").as_("n")).from_("tallies")),
        ]  # fmt: skip
        for name in dict.fromkeys(name for _, name in self.needed):
            steps += self._statistic(name, KEY)
            steps.append((f"found_by_{name}", self._found(name)))
        slopes = next(name for name, step in steps if "theta" in step.named_selects)
        steps.append(("slopes", exp.select(KEY, "center", "theta").from_(slopes)))
        return [*steps, *self._results()]

    def _results(self) -> Iterator[tuple[str, exp.Query]]:
        """Yield the steps from the numbers of the statistics to the rows that people see."""
        asked = exp.Values(expressions=[exp.var(OUTCOMES)], alias=_alias((KEY, *OUTCOME[1:])))
        # Without any other column, its type is not known.
        other = exp.cast(exp.column(OTHER), "VARCHAR").as_(OTHER)
        yield "outcomes", exp.select(KEY, *(other if n == OTHER else n for n in OUTCOME[1:])).from_(asked)
        yield "statistics", _statistics(self.kinds)
        yield "found", exp.select("*").from_(_table(_mark("found")))
        yield "comparisons", self._shell("experiment_comparisons")
        yield "p_values", exp.select("test", "p").from_("comparisons")
        yield from self._statistic(ADJUSTED)
        first = exp.EQ(this=exp.column(KEY), expression=literal(1))
        yield "arms", exp.select(ARM, "n").from_("tallies").where(first)
        yield "planned", self._shell("planned_arms")
        yield "counts", exp.select("observed", "expected").from_("planned")
        yield from self._statistic(self.check)
        if self.check != RATIO_CHECK:
            yield RATIO_CHECK, exp.select("p", "mismatch").from_(self.check)
        yield "summary", self._shell(SUMMARY)
        yield "problems", in_one([self._shell("bad_experiment")])
        yield "checked", self._shell("checked")

    def _shell(self, name: str) -> exp.Query:
        """Return the query of a file under sql/macros."""
        alpha = self.catalog.shell[SUMMARY].own_params["alpha"]
        return query_of(self.catalog, name, {"adjust": exp.var(METHOD), "alpha": typed(alpha)})

    def _statistic(self, name: str, key: str | None = None) -> Steps:
        """Return the steps of a statistic, the last of which has its name."""
        definition = self.catalog.statistics[name]
        open_: Mapping[str, Value] = {
            n: Parameter(n) for n in ("control", "level", "method", PLANNED) if n in definition.own_params
        }
        defaults = {n: p.default for n, p in self.catalog.params(definition).items()}
        composer = Composer(self.catalog)
        query = composer.resolved(definition, {**defaults, **open_})
        query.set("order", None)
        level = self.catalog.statistics[MEAN].own_params["level"]
        planned = self.catalog.statistics[SEQUENTIAL_MEAN].own_params[PLANNED]
        values = {"level": typed(level), "method": exp.var(METHOD), PLANNED: typed(planned)}
        steps = [*((f"{name}_{step}", tree) for step, tree in composer.steps.items()), (name, query)]
        names = {step: f"{name}_{step}" for step in composer.steps}
        return [(step, _prepared(tree, names, values, key)) for step, tree in steps]

    def _found(self, name: str) -> exp.Query:
        """Return the numbers of a statistic under the names that they share."""
        control_value, value = VALUES[name]
        columns = {"control_value": control_value, "value": value, **{n: n for n in NUMBERS},
                   "variance_reduction": "variance_reduction"}  # fmt: skip
        there = self.catalog.statistics[name].query.named_selects
        numbers = [
            (exp.column(own) if own in there else exp.cast(exp.null(), "DOUBLE")).as_(shown)
            for shown, own in columns.items()
        ]
        return exp.select(literal(name).as_("statistic"), KEY, ARM, *numbers).from_(name)

    def _without_calls(self, steps: Steps, function: str) -> tuple[Steps, dict[str, exp.Expr]]:
        """Take the calls of a function out of the steps; its arguments are those of the kinds asked for."""
        calls = without_calls(steps, function, (KEY, ARM))
        arguments = f"{function}_arguments"
        tables = [(kind, a) for kind, name in self.needed for a in calls.arguments if a.startswith(name)]
        return [
            *calls.steps,
            (arguments, exp.select("*").from_(_table(_mark(function)))),
            (results_of(function), called(function, arguments, (KEY, ARM), SLOW[function])),
        ], self._tables(function, tables)

    def _query(self, steps: Steps) -> exp.Query:
        """Return the rows, after all checks pass."""
        names = ("place", ARM, *SHOWN)
        refused = exp.select(*(exp.null().as_(name) for name in names)).from_("checked")
        refused = refused.where(exp.not_(exp.column("fine")))
        rows = exp.select(*names).from_("summary")
        both = exp.union(rows, refused, distinct=False).subquery("told")
        result = exp.select(*(exp.column(name, "told").as_(name) for name in SHOWN)).from_(both)
        result = result.order_by(exp.column("place", "told"), exp.column(ARM, "told"))
        return shown(whole(self.catalog, result, _ordered(steps, self.tables)))


def _mark(name: str) -> str:
    return f"__{name}"


def _table(mark: str) -> exp.Expr:
    """Return a mark as a table."""
    return exp.alias_(exp.to_table(mark), "given", table=True)


def _rows(kind: str) -> exp.Select:
    """Return a row for every unit and outcome of some kinds."""
    return exp.select(ARM, exp.var(f"unnest(CAST([{_mark(kind)}] AS {ROW}[]), recursive := true)")).from_(
        "units"
    )


def _pairs(kind: str, value: str, other: str) -> exp.Select:
    """Return the rows of outcomes that read two columns."""
    pair = (finite("value").as_(value), finite("other").as_(other))
    return exp.select(KEY, ARM, *pair).from_(f"{kind}_rows")


def _statistics(kinds: Mapping[str, tuple[str, str, str | None]]) -> exp.Select:
    """Return the statistic of every kind of outcome, as a table."""
    columns = ("kind", "are_flags", "statistic", "relative")
    rows = [
        exp.Tuple(expressions=[literal(kind), literal(are_flags), literal(own), or_no_text(relative)])
        for kind, (usual, of_flags, relative) in kinds.items()
        for are_flags, own in ((False, usual), (True, of_flags))
    ]
    return exp.select(*columns).from_(exp.Values(expressions=rows, alias=_alias(columns)))


def _alias(columns: Sequence[str]) -> exp.TableAlias:
    return exp.TableAlias(
        this=exp.to_identifier("given"), columns=[exp.to_identifier(name) for name in columns]
    )


def _list(texts: Sequence[str]) -> exp.Expr:
    return exp.Array(expressions=[literal(text) for text in texts])


def _prepared(
    tree: exp.Query, names: Mapping[str, str], values: Mapping[str, exp.Expr], key: str | None
) -> exp.Query:
    """Return a step of a statistic with its tables renamed, its parameters filled in, and a key."""
    query = cast("exp.Query", given(tree.copy(), values))
    for table in list(query.find_all(exp.Table)):
        if table.name in names:
            renamed = exp.alias_(exp.to_table(names[table.name]), table.alias_or_name, table=True)
            table.replace(renamed)
    return query if key is None else keyed(query, key)


def _spelled(catalog: Catalog, tree: exp.Expr) -> exp.Expr:
    """Write out the files under sql/macros that an expression calls: a text of SQL may call no macro."""
    holder = exp.paren(tree, copy=False)
    while calls := [c for c in holder.find_all(exp.Anonymous) if c.name.lower() in catalog.shell]:
        definition = catalog.shell[calls[0].name.lower()]
        passed = dict(zip(definition.own_params, calls[0].expressions, strict=True))
        calls[0].replace(exp.paren(given(definition.query.selects[0].unalias().copy(), passed)))
    return cast("exp.Expr", holder.this)


def _ordered(steps: Steps, further: Mapping[str, Sequence[str]]) -> Steps:
    """Put every step after those that it reads.

    Args:
        further: a mark -> the steps that its text reads.
    """
    known, found = dict(steps), dict[str, exp.Query]()

    def add(name: str) -> None:
        if name not in known or name in found:
            return
        for table in known[name].find_all(exp.Table):
            for read in further.get(table.name, (table.name,)):
                add(read)
        found[name] = known[name]

    for name in known:
        add(name)
    return list(found.items())
