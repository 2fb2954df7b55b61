"""The rows of an experiment put together per unit, such as the sessions of a user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from duckmetrics.engines.engine import keep_new
from duckmetrics.errors import EngineError, InputError, MetricError, unknown
from duckmetrics.expressions.build import cast_to, distinct, quoted, row_count
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import (
    common_types,
    filtered,
    grade_expression,
    id_key,
    same_kind,
    selected,
)
from duckmetrics.statistics.arms import COPIES, UnitRows, find_column, read_before, read_doubts
from duckmetrics.words.lists import counted, joined, verb

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.sources import Source
    from duckmetrics.statistics.arms import Outcome


# How the rows of a unit become its value.
SUM, MEAN = "sum", "mean"
FUNCTIONS: Mapping[str, type[exp.Func]] = {SUM: exp.Sum, MEAN: exp.Avg, "max": exp.Max}
# The rows of a unit stay as they are: a quantile of all rows.
ROWS = "rows"
ERROR, DROP = "error", "drop"
ASSIGNED = "name the column of the unit that was assigned to a variant, which may be a session or a device"
# Whether a unit has no row in the table from before the experiment.
NEW = "is_new"
# Units that are named as examples.
FEW = 3


def read_unit(source: Source, given: Any, taken: Mapping[str, str]) -> str:
    """Return the column that identifies units.

    Args:
        taken: what other columns are for.

    Raises:
        MetricError: it has another role.
        InputError: there is no such column.
    """
    if not isinstance(given, str):
        raise MetricError(f"unit={given!r}", "is not a column", "write a name such as unit='user_id'")
    name = find_column(source, given, "the unit", list(taken))
    if name in taken:
        raise MetricError(f"unit {given}", f"is {taken[name]}", "name the column that identifies a unit")
    return name


def read_shared(given: Any) -> str:
    """Return what happens to units in several variants.

    Raises:
        MetricError: the word is unknown.
    """
    if given not in (ERROR, DROP):
        raise MetricError("shared_units", *unknown("value", str(given), (ERROR, DROP)))
    return str(given)


def refuse_without_unit(per_unit: Any, shared_units: str, before: Any) -> None:
    """Refuse options that need the column of the unit, where it is not named.

    Raises:
        MetricError: there is one.
    """
    told = "is about several rows per unit"
    for option, is_given, about in (
        ("per_unit", per_unit is not None, told), ("shared_units", shared_units != ERROR, told),
        ("before", before is not None, "is another table of the same units"),
    ):  # fmt: skip
        if is_given:
            what = f"{about}, and no unit is named"
            raise MetricError(option, what, "add unit='user_id' (--unit user_id)")


def read_functions(given: Any, outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Return by metric how the rows of a unit become its value.

    Args:
        given: a word for all metrics, or metric -> word; sums by default.

    Raises:
        MetricError: a word or a metric is unknown, or the parts of a ratio are not summed.
    """
    names = [outcome.name for outcome in outcomes]
    usual = {outcome.name: SUM if outcome.q is None else ROWS for outcome in outcomes}
    if given is None or isinstance(given, str):
        asked = usual if given is None else dict.fromkeys(names, given)
    elif isinstance(given, Mapping) and given:
        asked = dict(given)
    else:
        raise MetricError("per_unit", f"{given!r} names no function", "write 'mean', or {'rating': 'mean'}")
    for name, function in asked.items():
        if name not in names:
            raise MetricError("per_unit", *unknown("metric", str(name), names))
        if function not in FUNCTIONS and not (function == ROWS and usual[name] == ROWS):
            raise MetricError(f"per_unit {name}", *unknown("function", str(function), FUNCTIONS))
    for outcome in outcomes:
        if outcome.denominator is not None and asked.get(outcome.name, SUM) != SUM:
            what = f"is a ratio of sums, and cannot read the {asked[outcome.name]} of a unit"
            advice = "name the other metrics, as in {'rating': 'mean'} (--per-unit rating=mean)"
            raise MetricError(f"per_unit {outcome.name}", what, advice)
    return usual | asked


def united(
    engine: Engine, source: Source, variant: str, unit: str, outcomes: Sequence[Outcome],
    functions: Mapping[str, str], further: Mapping[str, exp.Expr],
) -> tuple[Source, list[Outcome]]:  # fmt: skip
    """Return a table with one row per unit, and the metrics over its columns.

    A value from before the experiment is averaged. NULL is left out; a unit that has nothing else has no
    value. A unit of several variants still has a row for each.

    Args:
        functions: by metric how the rows of a unit become its value.
        further: texts that describe a unit, by name.

    Raises:
        InputError: a unit has several texts, or a column holds no numbers.
    """
    numbers: dict[tuple[str, str], str] = {}
    read = []

    def column(name: str | None, function: str) -> str | None:
        if name is None:
            return None
        key = (name, function)
        return numbers.setdefault(key, f"{name} ({function})" if name in numbers.values() else name)

    for outcome in outcomes:
        function = functions[outcome.name]
        value, denominator = (column(name, function) for name in (outcome.value, outcome.denominator))
        before = column(outcome.before, MEAN)
        read.append(replace(outcome, value=str(value), denominator=denominator, before=before))
    columns = {
        # Of rows that stay as they are, the unit says only whether it has one.
        name: FUNCTIONS.get(function, exp.Max)(this=grade_expression(source, own))
        for (own, function), name in numbers.items()
    }
    texts = {name: exp.Min(this=text.copy()) for name, text in further.items()}
    keys = {variant: cast_to(quoted(variant), "VARCHAR"), unit: quoted(unit)}
    query = exp.select(*(
        expression.as_(name, quoted=True) for name, expression in (keys | columns | texts).items()
    )).from_(source.relation.copy()).group_by(*(key.copy() for key in keys.values()))  # fmt: skip
    for name, text in further.items():
        _refuse_changing(engine, source, unit, name, text)
    try:
        kept = keep_new(engine, "units", query)
    except EngineError as error:
        if not error.unreadable:
            raise
        raise InputError(source.label, f"cannot be read: {error}", "check it") from error
    types = {variant: "VARCHAR", unit: source.columns[unit], **dict.fromkeys(columns, "DOUBLE"),
             **dict.fromkeys(texts, "VARCHAR")}  # fmt: skip
    table = replace(source, relation=exp.to_table(kept), columns=types, renamed={}, aliases={}, text=None,
                    positive=None, rowid=False)  # fmt: skip
    return table, read


def read_covariates(
    source: Source, unit: str, pre: Any, outcomes: Sequence[Outcome]
) -> tuple[str, dict[str, str]]:
    """Return the columns of a table from before the experiment: that of the unit, and one by metric.

    Args:
        pre: metric -> column; by default, each metric that is a mean has the column of its own name.

    Raises:
        MetricError: no metric has a column there, or the option cannot be read.
        InputError: there is no such column, or no row.
    """
    if source.empty:
        raise InputError(source.label, "no rows", "check how it was exported")
    key = find_column(source, unit, "the unit")
    if pre is not None:
        return key, read_before(source, pre, {outcome.name: outcome.columns for outcome in outcomes})
    means = [outcome for outcome in outcomes if outcome.denominator is None and outcome.q is None]
    found = {one.name: column for one in means if (column := source.find(one.value)) is not None}
    if not found:
        names = joined([one.name for one in means]) or "no mean"
        what = f"has no column of a metric that is a mean ({names})"
        raise MetricError(source.label, what, "name one with pre={'revenue': 'spend'} (--pre)")
    return key, found


def with_covariates(
    engine: Engine, units: Source, unit: str, outcomes: Sequence[Outcome], functions: Mapping[str, str],
    source: Source, columns: Mapping[str, str], key: str,
) -> tuple[Source, list[Outcome], list[str]]:  # fmt: skip
    """Return units with values from before the experiment, which are put together in the same way, and notes.

    A unit without a row there has the sum 0, and no mean or maximum.

    Args:
        units: a row for every unit.
        functions: by metric how the rows of a unit become its value.
        source: the table from before the experiment.
        columns: metric -> column of that table.
        key: the column of the unit there.

    Raises:
        InputError: no unit has a row there, its ids are of another kind, or a column holds no numbers.
    """
    names: dict[tuple[str, str], str] = {}
    for metric, column in columns.items():
        function = functions[metric]
        name = f"{column} before" if function == SUM else f"{function} of {column} before"
        names.setdefault((column, function), _free(name, units.columns))
    kept, new = _beside(engine, units, unit, source, key, names), _free(NEW, units.columns)
    count = exp.CountIf(this=quoted(new))
    ((n, n_new),) = engine.rows(exp.select(exp.Count(this=exp.Star()), count).from_(kept))
    if n == n_new:
        what = f"has none of the {n:,} values of {unit}"
        raise InputError(source.label, what, "compare the ids, and name the column of the unit")
    types = {**units.columns, **dict.fromkeys(names.values(), "DOUBLE")}
    read = [
        replace(one, before=names[columns[one.name], functions[one.name]]) if one.name in columns else one
        for one in outcomes
    ]
    notes = []
    if summed := [name for (_, function), name in names.items() if function == SUM and n_new]:
        told = f"{n_new:,} of {counted(n, 'unit')} {verb(n_new, 'has', 'have')} no row in {source.label}"
        notes = [f"{told}, so {joined(summed)} {verb(len(summed), 'is', 'are')} 0"]
    return replace(units, relation=exp.to_table(kept), columns=types), read, notes


def _free(name: str, taken: Collection[str]) -> str:
    """Return a name that no column has."""
    while name in taken:
        name += "_"
    return name


def _beside(
    engine: Engine, units: Source, unit: str, source: Source, key: str, names: Mapping[tuple[str, str], str]
) -> str:
    """Keep the units with their values of another table, and whether it lacks them.

    Args:
        key: the column of the unit there.
        names: the column there and the function of its rows -> the name of the value.

    Returns: the name of the table.
    """
    type_ = _in_common(units, unit, source, key)
    own, id_ = _of(unit, "own"), cast("exp.Expr", quoted(key))
    if type_ is not None:
        own, id_ = cast_to(own, type_), cast_to(id_, type_)
    values = (
        FUNCTIONS[function](this=grade_expression(source, column)).as_(f"value_{i}")
        for i, (column, function) in enumerate(names)
    )
    grouped = exp.select(id_.as_("unit_id"), *values).from_(source.relation.copy()).group_by("1")
    known = exp.to_table(keep_new(engine, "before", grouped)).as_("earlier", table=True)
    is_new = _of("unit_id", "earlier").is_(exp.null())
    columns = [_of(name, "own") for name in units.columns]
    for i, ((_, function), name) in enumerate(names.items()):
        value = _of(f"value_{i}", "earlier")
        value = exp.Case().when(is_new.copy(), literal(0.0)).else_(value) if function == SUM else value
        columns.append(value.as_(name, quoted=True))
    columns.append(is_new.as_(_free(NEW, units.columns), quoted=True))
    rows = exp.select(exp.Star()).from_(units.relation.copy()).subquery("own")
    same = exp.EQ(this=own, expression=_of("unit_id", "earlier"))
    return keep_new(engine, "units", exp.select(*columns).from_(rows).join(known, on=same, join_type="left"))


def _of(name: str, table: str) -> exp.Expr:
    return exp.column(exp.to_identifier(name, quoted=True), table)


def _in_common(units: Source, unit: str, source: Source, key: str) -> str | None:
    """Return the type in which the ids of two tables are compared; None if they are as they stand.

    Raises:
        InputError: they are of two kinds, such as text and whole numbers.
    """
    pairs = [(units, unit), (source, key)]
    if len({table.columns[name] for table, name in pairs}) == 1:
        return None
    own, other = (id_key(table, unit, [name]) for table, name in pairs)
    same_kind(own, other, unit)
    return common_types([own, other])[0]


def without_shared(
    engine: Engine, units: Source, variant: str, unit: str, shared_units: str
) -> tuple[Source, list[str]]:
    """Return the units of one variant only, and a warning about the others.

    Args:
        units: a row for every unit and variant.
        shared_units: whether units of several variants are an error or left out.

    Raises:
        InputError: there are some, and they are an error.
    """
    arms = exp.Count(this=distinct("arm"))
    keys = {"unit": quoted(unit), "arm": quoted(variant)}
    rows = selected(units, keys).subquery("pairs")
    shared = exp.select("unit").from_(rows).group_by("unit").having(exp.GT(this=arms, expression=literal(1)))
    ((n,),) = engine.rows(row_count(shared.subquery("shared")))
    if not n:
        return units, []
    ((total,),) = engine.rows(row_count(rows, distinct("unit")))
    examples = engine.rows(exp.select(cast_to(exp.column("unit"), "VARCHAR")).from_(shared.subquery("shared"))
                           .order_by("1").limit(FEW))  # fmt: skip
    are = "are" if n > 1 else "is"
    what = (
        f"{n:,} of {total:,} values of {unit} {are} in several variants, such as "
        f"{', '.join(text for (text,) in examples)}"
    )
    if shared_units == ERROR or n == total:
        advice = ASSIGNED if n > total / 2 else (
            "find out why, and leave them out with shared_units='drop' (--shared-units drop)"
        )  # fmt: skip
        raise InputError(units.label, what, advice)
    kept = filtered(units, exp.not_(exp.In(this=quoted(unit), query=shared.subquery())))
    told = f"units are in several variants: {what}; they are left out. Find out why: those that remain may be"
    return kept, [f"{told} no random sample"]


def with_rows(
    outcomes: Sequence[Outcome], whole: Sequence[Outcome], source: Source, units: Source, unit: str,
    functions: Mapping[str, str], is_part: bool,
) -> list[Outcome]:  # fmt: skip
    """Return the metrics with the rows of the units, where a quantile is one of all rows.

    Args:
        whole: the metrics over the rows.
        units: the units that are compared.
        is_part: whether some units are left out.
    """
    if is_part:
        kept = exp.select(quoted(unit)).from_(units.relation.copy())
        source = filtered(source, exp.In(this=quoted(unit), query=kept.subquery()))
    return [
        replace(outcome, rows=UnitRows(source, unit, row.value)) if functions[row.name] == ROWS else outcome
        for outcome, row in zip(outcomes, whole, strict=True)
    ]


def count_rows(engine: Engine, source: Source, unit: str) -> int:
    """Return the number of rows; refuse those without a unit."""
    ((n, known),) = engine.rows(
        exp.select(exp.Count(this=exp.Star()), exp.Count(this=quoted(unit))).from_(source.relation.copy())
    )
    if known < n:
        what = f"column {unit!r}: {n - known:,} row{'s have' if n - known > 1 else ' has'} no unit"
        raise InputError(source.label, what, "name the unit of every row, or leave these rows out")
    return int(n)


def told_units(n_rows: int, n: int, unit: str, functions: Mapping[str, str]) -> str:
    """Return a note on how rows are put together."""
    names: dict[str, list[str]] = {}
    for name, function in functions.items():
        names.setdefault(function, []).append(name)
    each = "; ".join(
        f"{'all rows for' if function == ROWS else f'{function} of'} {', '.join(own)}"
        for function, own in names.items()
    )
    return f"{counted(n_rows, 'row')} of {counted(n, 'unit')} by {unit}: {each}"


def _refuse_changing(engine: Engine, source: Source, unit: str, name: str, text: exp.Expr) -> None:
    """Refuse a text that differs between the rows of a unit."""
    rows = selected(source, {"unit": quoted(unit), "described": text}).subquery("texts")
    several = exp.GT(this=exp.Count(this=distinct("described")), expression=literal(1))
    changing = exp.select("unit").from_(rows).group_by("unit").having(several).subquery("changing")
    ((n,),) = engine.rows(row_count(changing))
    if n:
        what = f"{name!r} differs between the rows of {n:,} value{'s' if n > 1 else ''} of {unit}"
        raise InputError(source.label, what, "slice by what was known when the unit was assigned")


def copied_rows(
    engine: Engine, source: Source, variant: str, unit: str, outcomes: Sequence[Outcome],
    functions: Mapping[str, str],
) -> list[str]:  # fmt: skip
    """Warn of rows that are copies of each other, which a sum counts several times."""
    summed = [outcome.name for outcome in outcomes if functions[outcome.name] == SUM]
    doubts = read_doubts(engine, source, variant, unit, outcomes) if summed else []
    if all(doubt.why != COPIES for doubt in doubts):
        return []
    return [
        f"{COPIES}: all rows of one {unit} are equal, and the sum counts each of them ({', '.join(summed)}); "
        "check whether the table was loaded twice. If the column holds the total of the unit, write "
        "per_unit='mean' (--per-unit mean)"
    ]
