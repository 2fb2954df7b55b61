"""The parameters of the macro of A/B tests, and what is refused before the data are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.meanings import meanings
from duckmetrics.expressions.build import try_cast
from duckmetrics.expressions.folding import literal
from duckmetrics.macro_queries.macro import Argument, reference
from duckmetrics.macro_queries.parameters import allowed, refusal
from duckmetrics.macro_queries.shell_files import call, concatenated, is_null
from duckmetrics.statistics.adjustment import ADJUSTED, NONE, SHORT
from duckmetrics.statistics.experiment import MEAN, SEQUENTIAL_MEAN
from duckmetrics.statistics.units import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from duckmetrics.catalog.catalog import Catalog

SUMMARY = "experiment_summary"
SEQUENTIAL, PLANNED = "sequential", "planned"
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
    """Return the unit of every row, where a column shows it, see `statistics.units.unit_column`.

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
