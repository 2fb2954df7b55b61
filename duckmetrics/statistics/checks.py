"""What makes a statistic meaningless: queries over its input whose rows are the offenders.

Of counts and of cells, the files under sql/checks/counts say the same, and more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.errors import InputError, MetricError
from duckmetrics.expressions.folding import literal
from duckmetrics.statistics.count_checks import EXAMPLES, shown
from duckmetrics.statistics.inputs import CONTESTANTS, HITS, LABELS, TRIALS, UNITS, is_number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.statistics.inputs import Data

# A p-value.
P = "p"
# So many names of what there is are listed at most.
LISTED = 20


@dataclass(frozen=True)
class Check:
    """One thing that can be wrong.

    Attributes:
        column: where it is; empty for the rows as a whole.
        offenders: the rows that are wrong.
    """

    column: str
    title: str
    advice: str
    offenders: exp.Select


def checks(table: str, columns: Sequence[str]) -> Iterator[Check]:
    """The checks of an input that is no table of counts, where its canonical columns are."""
    labels = [name for name in columns if name in LABELS]
    units = [name for name in columns if name in UNITS]
    if P in columns:
        yield _no_probabilities(table, columns)
    for name in (name for name in columns if is_number(name) and name != P):
        finite = exp.Anonymous(this="isfinite", expressions=[exp.column(name)])
        offenders = exp.select(*columns).from_(table).where(exp.not_(finite))
        yield Check(name, "rows with NaN or an infinite value", "give numbers, or NULL for none", offenders)
    if {HITS, TRIALS} <= {*columns}:
        yield from _proportions(table, columns)
    for name in units:
        offenders = exp.select(*columns).from_(table).where(_is_null(name))
        yield Check(name, "rows without a unit", "give every row the id of its unit", offenders)
    for name in labels:
        offenders = _partly_null(table, name, columns)
        yield Check(name, "rows without a name", "name what every row is of", offenders)
    if units:
        keys = [*labels, *units]
        more = exp.GT(this=exp.Count(this=exp.Star()), expression=literal(1))
        offenders = exp.select(*keys).from_(table).group_by(*keys).having(more)
        yield Check("", "units with several rows", "keep one row per unit", offenders)


def _no_probabilities(table: str, columns: Sequence[str]) -> Check:
    """The check of p-values; NaN stands for none, as NULL does."""
    p = exp.column(P)
    is_nan = exp.Anonymous(this="isnan", expressions=[p.copy()])
    outside = exp.and_(exp.not_(p.between(literal(0), literal(1))), exp.not_(is_nan))
    offenders = exp.select(*columns).from_(table).where(outside)
    return Check(P, "p-values outside of [0, 1]", "give p-values, not statistics", offenders)


def _proportions(table: str, columns: Sequence[str]) -> Iterator[Check]:
    """The checks of hits among trials; what is NULL is left out and no problem."""
    hits, trials, nothing = exp.column(HITS), exp.column(TRIALS), literal(0)
    more = exp.GT(this=hits, expression=trials)
    none = exp.and_(exp.LTE(this=trials, expression=nothing), exp.not_(more.copy()))
    found = (
        (HITS, "rows with more hits than trials", "are hits and n swapped?", more),
        (HITS, "rows with fewer than 0 hits", "count them again", exp.LT(this=hits, expression=nothing)),
        (TRIALS, "rows without trials", "leave them out", none),
    )
    for name, title, advice, wrong in found:
        yield Check(name, title, advice, exp.select(*columns).from_(table).where(wrong))


def check_data(engine: Engine, data: Data, kept: str) -> None:
    """Count the offenders of every check where the data are kept.

    Raises:
        InputError: there are some.
    """
    problems = []
    for check in checks(kept, data.columns):
        every = check.offenders.subquery("offenders")
        ((number,),) = engine.rows(exp.select(exp.Count(this=exp.Star())).from_(every))
        if number:
            names = [data.names[name] for name in check.offenders.named_selects]
            examples = "; ".join(
                ", ".join(f"{name}={shown(value)}" for name, value in zip(names, row, strict=True))
                for row in engine.rows(exp.select(exp.Star()).from_(every.copy()).limit(EXAMPLES))
            )
            where = f"column {data.names[check.column]!r}: " if check.column else ""
            problems.append(f"{data.label}: {where}{number} {check.title} ({examples}); {check.advice}")
    if problems:
        raise InputError("", "\n".join(problems))


def check_contestants(
    engine: Engine, measure: Measure, data: Data, kept: str, missing: Collection[str]
) -> None:
    """Look for the baseline or control in the data.

    Args:
        missing: what nobody named.
    Raises:
        MetricError: it must be named.
        InputError: it is not there.
    """
    for key, column in CONTESTANTS.items():
        param = measure.metric.own_params.get(key)
        if param is None or (key in missing and not param.required):
            continue
        known = _names(engine, kept, column)
        if key in missing:
            choice = _listed(known, "or") or f"a name that is in {data.names[column]!r}"
            raise MetricError(measure.metric.name, f"{key} is missing", f"choose {choice}")
        chosen = measure.values[key]
        is_it = exp.EQ(this=exp.column(column), expression=literal(chosen))
        if not engine.rows(exp.select(literal(1)).from_(kept).where(is_it).limit(1)):
            there = f"there {'is' if len(known) == 1 else 'are'} {_listed(known, 'and') or 'none'}"
            raise InputError(data.label, f"{key} {chosen!r} is no {data.names[column]}", there)


def _names(engine: Engine, kept: str, column: str) -> list[str]:
    """The names in a column, one more than are listed at most."""
    query = exp.select(column).distinct().from_(kept).where(exp.not_(_is_null(column)))
    query = query.order_by(exp.Ordered(this=exp.column(column))).limit(LISTED + 1)
    return [str(name) for (name,) in engine.rows(query)]


def _listed(names: Sequence[str], word: str) -> str:
    if len(names) > LISTED:
        return f"{', '.join(names[:LISTED])} ..."
    return f" {word} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _partly_null(table: str, name: str, columns: Sequence[str]) -> exp.Select:
    """Nobody needs to name the only system there is; NULL beside names is a mistake."""
    named = exp.select(exp.Count(this=exp.column(name))).from_(table).subquery()
    some = exp.GT(this=named, expression=literal(0))
    return exp.select(*columns).from_(table).where(_is_null(name)).where(some)


def _is_null(name: str) -> exp.Expr:
    return exp.Is(this=exp.column(name), expression=exp.null())
