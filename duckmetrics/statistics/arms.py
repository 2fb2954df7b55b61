"""The variants of an experiment and its metrics: the units of each, and the outcomes that they have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from sqlglot import exp

from duckmetrics.catalog.catalog import catalog
from duckmetrics.errors import EngineError, InputError, MetricError, UnsupportedError, suggestion, unknown
from duckmetrics.expressions.build import cast_to, quoted
from duckmetrics.expressions.folding import bind, literal
from duckmetrics.inputs.columns import grade_expression, selected
from duckmetrics.words.verdicts import UNTESTED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.sources import Source


# Between numerator and denominator.
OVER = "/"


class UnitRows(NamedTuple):
    """The rows of units, with the column of the unit and that of the value."""

    source: Source
    unit: str
    value: str


@dataclass(frozen=True)
class Outcome:
    """A metric of an experiment.

    Attributes:
        name: the text as typed.
        value: the user's column; of a ratio, that of the numerator.
        denominator: of a ratio, the column of the denominator.
        before: the column with the same quantity from before the experiment, for CUPED.
        lower_is_better: whether a lower value is better.
        q: of a quantile, the share of the values below it.
        rows: of a quantile of the rows of units, these rows.
    """

    name: str
    value: str
    denominator: str | None = None
    before: str | None = None
    lower_is_better: bool = False
    q: float | None = None
    rows: UnitRows | None = None

    @property
    def columns(self) -> list[str]:
        """The user's columns that a unit needs to count."""
        return [self.value] if self.denominator is None else [self.value, self.denominator]


def read_outcomes(source: Source, metrics: Any, pre: Any, lower_is_better: Any) -> list[Outcome]:
    """Find the columns that the metrics of a call mean.

    Raises:
        MetricError: there is no metric, or an option names none of them.
        InputError: there is no such column.
        UnsupportedError: CUPED of a ratio, or of a quantile.
    """
    read: dict[str, list[str]] = {}
    for text in _texts("metrics", metrics):
        read |= _columns(source, text)
    if not read:
        raise MetricError("metrics", "none given", "name columns, such as revenue or clicks/sessions")
    before = read_before(source, pre, read)
    for name, column in before.items():
        if column == read[name][0]:
            what, advice = "is the metric itself", "name a column from before the experiment"
            raise MetricError(f"pre {name}", what, advice)
    lower = [name for text in _texts("lower_is_better", lower_is_better)
             for name in ([text] if text in read else map(str.strip, text.split(",")))]  # fmt: skip
    for name in lower:
        if name not in read:
            raise MetricError("lower_is_better", *unknown("metric", name, read))
    quantiles = {name: quantile_in(source, name) for name in read}
    return [
        Outcome(name, value, next(iter(denominator), None), before.get(name), name in lower,
                None if (quantile := quantiles[name]) is None else quantile[0])
        for name, (value, *denominator) in read.items()
    ]  # fmt: skip


# A quantile of a column: median(latency), p90(latency), p99.9(latency).
_QUANTILE = re.compile(r"\s*(?:(median)|p(\d{1,2}(?:\.\d+)?))\s*\((.*)\)\s*", re.IGNORECASE)


def quantile_in(source: Source, text: str) -> tuple[float, str] | None:
    """Return the share of a quantile and the column that it is of; None for anything else.

    Raises:
        MetricError: no value lies below the quantile.
    """
    found = None if source.find(text) else _QUANTILE.fullmatch(text)
    if found is None:
        return None
    share = 0.5 if found[1] else float(found[2]) / 100
    if not share:
        raise MetricError(text, "is not a quantile", "write one such as p90(latency) or median(latency)")
    return share, found[3].strip()


def find_column(source: Source, name: str, what: str, taken: Sequence[str] = ()) -> str:
    """Return the column that a name means.

    Args:
        taken: columns that it cannot mean.

    Raises:
        InputError: there is none.
    """
    found = source.find(name)
    if found is None:
        others = [column for column in source.columns if column not in taken]
        raise InputError(source.label, f"no column {name!r} for {what}", suggestion(name, others))
    return found


def _texts(option: str, given: Any) -> list[str]:
    texts = [given] if isinstance(given, str) else list(given or ())
    if not all(isinstance(text, str) for text in texts):
        raise MetricError(option, f"{given!r} names no columns", "write text, such as 'revenue'")
    return texts


def _columns(source: Source, text: str) -> dict[str, list[str]]:
    """Return the columns by metric: of the text as a whole, else of its parts between commas."""
    whole = _meant(source, text)
    if whole:
        return {text: whole}
    read = {}
    for part in (part.strip() for part in text.split(",")):
        if part:
            read[part] = _meant(source, part) or _refused(source, part)
    return read


def _meant(source: Source, text: str) -> list[str]:
    """Return the column of that name, or numerator and denominator around one of the slashes."""
    column = source.find(text)
    if column is not None:
        return [column]
    if (quantile := quantile_in(source, text)) is not None:
        of = source.find(quantile[1])
        return [] if of is None else [of]
    places = [place for place, character in enumerate(text) if character == OVER]
    for place in places:
        pair = [source.find(part.strip()) for part in (text[:place], text[place + 1 :])]
        known = [name for name in pair if name is not None]
        if len(known) == 2:
            return known
    return []


def _refused(source: Source, text: str) -> list[str]:
    if (quantile := quantile_in(source, text)) is not None:
        name = quantile[1]
        what = f"no column {name!r} of the metric {text!r}"
        raise InputError(source.label, what, suggestion(name, [*source.columns, *source.renamed]))
    parts = [part.strip() for part in text.split(OVER)]
    if len(parts) > 2 and source.find(parts[0]) is None:  # a name with slashes
        parts = [text]
    if not all(parts) or len(parts) > 2:
        raise MetricError(text, "is not a ratio of two columns", "write numerator/denominator")
    missing = next(part for part in parts if source.find(part) is None)
    whose = "" if missing == text else f" of the metric {text!r}"
    raise InputError(
        source.label, f"no column {missing!r}{whose}", suggestion(missing, [*source.columns, *source.renamed])
    )


def read_before(source: Source, pre: Any, read: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the column from before the experiment by metric.

    Args:
        source: the table that has these columns.
        read: the columns of each metric.

    Raises:
        MetricError: the option names no metric.
        InputError: there is no such column.
        UnsupportedError: CUPED of a ratio, or of a quantile.
    """
    if pre is not None and not isinstance(pre, Mapping):
        raise MetricError("pre", f"{pre!r} maps no metric", "write {'revenue': 'revenue_before'}")
    found = {}
    for name, column in (pre or {}).items():
        if name not in read:
            raise MetricError("pre", *unknown("metric", str(name), read))
        if len(read[name]) > 1:
            raise UnsupportedError(f"pre {name}", "there is no CUPED of a ratio", "leave it out")
        if name not in read[name] and quantile_in(source, name) is not None:
            raise UnsupportedError(f"pre {name}", "there is no CUPED of a quantile", "leave it out")
        found[name] = find_column(source, str(column), f"pre {name}", read[name])
    return found


# A column with more different values does not name variants.
MOST_ARMS = 50


class ArmCounts(NamedTuple):
    """The counts of one metric in one variant.

    Attributes:
        known: units with a value; of a ratio, with both.
        hits: units whose value is 1.
        others: units whose value is neither 0 nor 1.
        before: units with a value, and with one from before the experiment.
        sum_before: the sum of the latter.
        changed: units whose value differs from that from before the experiment.
    """

    known: int
    hits: int
    others: int
    before: int
    sum_before: float
    changed: int


@dataclass(frozen=True)
class Arm:
    """A variant: its name, the number of its units, and a tally by name of the metric."""

    name: str
    n: int
    tallies: dict[str, ArmCounts]

    def of(self, outcome: Outcome) -> ArmCounts:
        """Return the tally of a metric."""
        return self.tallies[outcome.name]

    def empty(self) -> Arm:
        """Return the variant without any unit."""
        none = ArmCounts(0, 0, 0, 0, 0.0, 0)
        return Arm(self.name, 0, dict.fromkeys(self.tallies, none))


def read_arms(engine: Engine, source: Source, variant: str, outcomes: Sequence[Outcome]) -> list[Arm]:
    """Count the units of every variant in one scan.

    Raises:
        InputError: a unit has no variant, there are too many of them, a column holds no numbers, or the
            table cannot be read.
    """
    found = _read_counts(engine, source, _counts(source, variant, outcomes).limit(MOST_ARMS + 1))
    if len(found) > MOST_ARMS:
        what = f"column {variant!r} has more than {MOST_ARMS} different values"
        raise InputError(source.label, what, "name the column of the variant")
    for name, n, *_ in found:
        if name is None:
            what = f"column {variant!r}: {n:,} unit{'s have' if n > 1 else ' has'} no variant"
            raise InputError(source.label, what, "name the variant of every unit, or leave these units out")
    return [_arm(row, outcomes) for row in found]


def read_arms_by(
    engine: Engine, source: Source, variant: str, outcomes: Sequence[Outcome], key: str
) -> dict[Any, dict[str, Arm]]:
    """Count the units of every variant for each value of a column; return them by value and name."""
    found: dict[Any, dict[str, Arm]] = {}
    for value, *row in _read_counts(engine, source, _counts(source, variant, outcomes, key)):
        found.setdefault(value, {})[row[0]] = _arm(row, outcomes)
    return found


def _read_counts(engine: Engine, source: Source, counts: exp.Select) -> list[tuple[Any, ...]]:
    query = counts.sql(engine.dialect, pretty=True)
    try:
        found = engine.rows(query)
    except EngineError as error:
        if not error.unreadable:
            raise
        raise InputError(source.label, f"cannot be read: {error}", "check it") from error
    engine.ran.append(query)
    return found


def _arm(row: Sequence[Any], outcomes: Sequence[Outcome]) -> Arm:
    name, n, *counts = row
    width = len(ArmCounts._fields)
    tallies = {
        outcome.name: ArmCounts(*counts[i * width : (i + 1) * width]) for i, outcome in enumerate(outcomes)
    }
    return Arm(name, n, tallies)


def refuse_copies(outcomes: Sequence[Outcome], arms: Sequence[Arm]) -> None:
    """Refuse a value from before the experiment that is the value itself: CUPED would remove the effect.

    Raises:
        MetricError: they are equal in every unit that has both, and are not all the same.
    """
    for outcome in outcomes:
        tallies = [arm.of(outcome) for arm in arms]
        hits, known = sum(tally.hits for tally in tallies), sum(tally.known for tally in tallies)
        varies = any(tally.others for tally in tallies) or 0 < hits < known
        n = sum(tally.before for tally in tallies)
        if outcome.before is not None and varies and n > 1 and not any(tally.changed for tally in tallies):
            what = f"{outcome.before} equals the metric in all {n:,} units that have both"
            raise MetricError(f"pre {outcome.name}", what, "name a column from before the experiment")


def _counts(source: Source, variant: str, outcomes: Sequence[Outcome], key: str | None = None) -> exp.Select:
    """Write the query: a row for every variant, and in it a tally for every metric.

    Args:
        key: a column; there is a row for each of its values and every variant.
    """
    columns: dict[str, exp.Expr] = {} if key is None else {key: quoted(key)}
    groups = [*columns, "arm"]
    columns["arm"] = cast_to(quoted(variant), "VARCHAR")
    counted: list[exp.Expr] = []
    for i, outcome in enumerate(outcomes):
        value, other = f"value_{i}", f"other_{i}"
        columns[value] = grade_expression(source, outcome.value)
        second = outcome.denominator or outcome.before
        columns[other] = cast_to(None, "DOUBLE") if second is None else grade_expression(source, second)
        counted += _tally(value, other, is_ratio=outcome.denominator is not None)
    units = selected(source, columns).subquery("units")
    query = exp.select(*groups, exp.Count(this=exp.Star()).as_("n"), *counted).from_(units).group_by(*groups)
    return query.order_by(*(exp.Ordered(this=exp.column(name)) for name in groups))


def _tally(value: str, other: str, is_ratio: bool) -> list[exp.Expr]:
    """Return the columns of an `ArmCounts`."""
    has_value, has_other = (exp.column(name).is_(exp.null()).not_() for name in (value, other))
    both = exp.and_(has_value, has_other)
    known = both if is_ratio else has_value
    one = exp.EQ(this=exp.column(value), expression=literal(1))
    neither = exp.column(value).isin(literal(0), literal(1)).not_()
    columns = [_count(condition) for condition in (known, one, neither, both)]
    summed = exp.Sum(this=exp.Case().when(has_value.copy(), exp.column(other)))
    changed = _count(exp.NEQ(this=exp.column(value), expression=exp.column(other)))
    return [column.as_(f"{value}_{i}") for i, column in enumerate([*columns, summed, changed])]


def _count(condition: exp.Expr) -> exp.Expr:
    return exp.Count(this=exp.Case().when(condition.copy(), literal(1)))


def adjusted_source(
    source: Source, variant: str, outcome: Outcome, theta: exp.Expr, center: exp.Expr, keep: Sequence[str]
) -> Source:
    """Return the table of the values that CUPED compares: (arm, value).

    Args:
        center: NULL where no unit has a value from before.
        keep: further columns of the table.
    """
    value = grade_expression(source, outcome.value)
    if outcome.before is not None:
        known = exp.Sub(this=grade_expression(source, outcome.before), expression=center)
        shift = exp.Mul(this=theta, expression=exp.func("coalesce", known, literal(0.0)))
        value = exp.Sub(this=value, expression=exp.paren(shift))
    kept = {name: quoted(name) for name in keep}
    rows = selected(source, {"arm": cast_to(quoted(variant), "VARCHAR"), "value": value, **kept})
    columns = {"arm": "VARCHAR", "value": "DOUBLE", **{name: source.columns[name] for name in keep}}
    return replace(source, relation=rows.subquery("adjusted_values"), columns=columns, renamed={})


def over_unit_rows(
    query: exp.Query, source: Source, variant: str, unit: str | None, outcomes: Sequence[Outcome]
) -> exp.Select:
    """Let a query read `unit_rows`: variant and unit of every row, and a hash of what is read of it."""
    read = dict.fromkeys(name for o in outcomes for name in (*o.columns, o.before) if name is not None)
    numbers = exp.Array(expressions=[grade_expression(source, name) for name in read])
    rows = selected(source, {
        "arm": cast_to(quoted(variant), "VARCHAR"),
        "unit": cast_to(None if unit is None else quoted(unit), "VARCHAR"),
        "unit_name": cast_to(None if unit is None else literal(unit), "VARCHAR"),
        "fingerprint": exp.Anonymous(this="hash", expressions=[numbers]),
    })  # fmt: skip
    return exp.select("*").from_(query.subquery("doubts")).with_("unit_rows", as_=rows)


# Names of columns that identify a unit: people first, then what one of them may have several of.
_KEY = "_?(id|key|uuid|guid|hash)"
NAMES = (
    f"(user|customer|visitor|subject|participant|unit)(_?(pseudo)?{_KEY})?|uid"
    f"|(client|member|subscriber|shopper|buyer|guest|person|patient|player|profile|anonymous){_KEY}",
    f"(device|cookie|session|visit){_KEY}",
)
FILE = "repeated_units"
MISMATCH = "sample ratio mismatch"
# What the file says of rows that are equal.
COPIES = "rows are copies"
# The options that put rows together per unit; the column of the unit is filled in where it is known.
CURE = "unit={unit} (--unit {unit})"
SHARED_CURE = 'unit={unit} and shared_units="drop" (--unit {unit} --shared-units drop)'


class Doubt(NamedTuple):
    """A doubt that the rows of an experiment are its units.

    Attributes:
        is_withheld: whether no verdict is given.
        why: a few words for the rows of the result.
        problem: the sentence for a reader.
    """

    is_withheld: bool
    why: str
    problem: str


def unit_column(columns: Collection[str], taken: Collection[str]) -> str | None:
    """Return the first column whose name says that it identifies a unit; None if there is none.

    Args:
        taken: the columns that have another role.
    """
    for names in NAMES:
        found = next((name for name in columns if re.fullmatch(names, name, re.IGNORECASE)), None)
        if found is not None and found not in taken:
            return found
    return None


def read_doubts(
    engine: Engine, source: Source, variant: str, unit: str | None, outcomes: Sequence[Outcome]
) -> list[Doubt]:
    """Return the doubts that each row is one unit.

    Args:
        unit: the column that identifies units, None if there is none.
    """
    doubts = bind(catalog().shell[FILE].query, {"cure": CURE, "shared_cure": SHARED_CURE})
    query = over_unit_rows(cast("exp.Query", doubts), source, variant, unit, outcomes)
    text = query.sql(engine.dialect, pretty=True)
    found = engine.rows(text)
    engine.ran.append(text)
    return [Doubt(*rest) for _, *rest in sorted(found)]


def withhold(rows: Sequence[dict[str, Any]], doubts: Sequence[Doubt], is_mismatch: bool) -> None:
    """Take the verdicts back, in place, if a doubt calls for it; a mismatch is a reason."""
    for doubt in doubts:
        for row in rows if doubt.is_withheld else ():
            row |= {"verdict": UNTESTED, "reason": row["reason"] or doubt.why}
    for row in rows if is_mismatch else ():
        row["reason"] = row["reason"] or MISMATCH
