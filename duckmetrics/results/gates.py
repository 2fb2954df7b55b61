"""Gates for the CI of models: conditions on results that make a run fail, as ``ndcg@10 < 0.35``."""

from __future__ import annotations

import csv
import math
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

from duckmetrics.catalog.spec_paths import by_name
from duckmetrics.errors import MetricError, suggestion, unknown
from duckmetrics.words.lists import MINUS
from duckmetrics.words.verdicts import (
    BETTER,
    DIFFERENT,
    EQUIVALENT,
    INCONCLUSIVE,
    NOT_WORSE,
    UNCLEAR,
    UNTESTED,
    WORSE,
    has_margin,
)
from duckmetrics.words.visible import hashable, visible, visible_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


# The verdicts that a gate can ask for: the baseline is not compared with itself.
VERDICTS = (BETTER, WORSE, DIFFERENT, UNCLEAR, UNTESTED, EQUIVALENT, NOT_WORSE, INCONCLUSIVE)
# The words of former releases, which gates still read.
FORMER = {"not distinguishable": UNCLEAR, "no clear difference": UNCLEAR}
# Those that only a comparison with a margin has.
OF_MARGIN = (EQUIVALENT, NOT_WORSE, INCONCLUSIVE)

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_COMPARISON = re.compile(r"[<>=!]+")
# Other spellings of operators.
_MEANT = {"=>": ">=", "=<": "<=", "<>": "!=", "===": "==", "!": "!="}
# A number with a decimal comma.
_DECIMAL = re.compile(r"[+-]?[0-9]*,[0-9]+")
_COLUMN = re.compile(r"[a-z_]+")
# Columns that only comparisons have.
_OF_DIFFERENCES = re.compile(r"delta|relative|margin|verdict|effect|mde|p$|p_")
# Columns in the units of the metric, of which a per cent may mean a share of the baseline, or of 1.
_IN_UNITS = re.compile(r"delta.*|mde|margin|effect_size|shrunk.*")
# The words that screens have for the relative change, which is a column of the results.
CHANGE, RELATIVE_CHANGE = "change", "relative_change"
PER_CENT = "%"
# The word between the column and the slices: the gate looks at every slice of these columns.
BY = "by"
# The column whose values are words.
VERDICT = "verdict"
# Columns after the value that hold words, which no gate can compare.
WORDS = (
    "baseline", "test", "adjust", "interval_method", "cluster", "reason", "signature",
)  # fmt: skip
MISSING = object()
# Gates on earlier runs: what they are compared with, and how far from it the bound is.
LAST = "last"
_EARLIER = re.compile(
    r"(?P<what>last|mean\(\s*(?P<runs>\d+)(?:\s+runs?)?\s*\)|(?P<kind>tag|run):(?P<name>'[^']+'|\"[^\"]+\"|\S+))"
    r"(?:\s*(?P<sign>[-−+])\s*(?P<size>[0-9.]+(?:[eE]-?[0-9]+)?)\s*(?P<unit>%|sd)?)?"
)
_WORSE = re.compile(r"(?P<before>.*\S)\s+worse than\s+(?P<bound>\S.*)")
_MOVES = re.compile(
    r"(?P<before>.*\S)\s+(?P<way>drops|falls|rises) (?:by )?more than\s+"
    r"(?P<size>[0-9.]+(?:[eE]-?[0-9]+)?\s*%?)"
    r"(?:\s+(?:below|above|from)\s+(?P<bound>\S.*))?"
)
_RELATIVE = re.compile(r"(?P<sign>[-−+])(?P<size>[0-9.]+%)")
_SD = "sd"
HOW_EARLIER = (
    "write 'ndcg@10 < last - 0.005', 'auc < mean(7 runs) - 3 sd', 'ndcg@10 worse than tag:prod' or "
    "'ndcg@10 drops more than 1%'"
)
NAME_LOG = (
    "name it with --log (log=); for a change to the baseline of a comparison, write 'ndcg@10 change < -1%'"
)
# The beginnings of a line about a gate.
FAILED, PASSED = "gate failed: ", "gate passed: "
HOW = (
    "write METRIC [COLUMN] [by SLICE] < NUMBER, as in 'ndcg@10 < 0.35', 'ndcg@10 delta_lower < -0.005' "
    "or 'ndcg@10 verdict by country = worse'"
)


@dataclass(frozen=True)
class EarlierValue:
    """A bound that comes from earlier runs of a log.

    Attributes:
        what: ``last``, ``mean``, ``tag`` or ``run``.
        name: the tag, as ``prod`` or ``stage=prod``, or the name of the run.
        runs: the number of runs of a mean.
        offset: what is added to the value.
        unit: of the offset: ``%`` of the value, ``sd`` for standard deviations of the runs, or none.
        tested: whether a test decides if the value is worse.
    """

    what: str
    name: str = ""
    runs: int = 1
    offset: float = 0.0
    unit: str = ""
    tested: bool = False


class Earlier(Protocol):
    """The earlier runs of a log."""

    def judged(self, gate: Gate, row: Mapping[str, Any]) -> tuple[bool, str]:
        """Return whether a gate on earlier runs fails at a row, and why; the reason names the run.

        Raises:
            IncomparableError: there is no such run, or it has other conventions, metrics or slices.
        """
        ...


class IncomparableError(MetricError):
    """Earlier runs that a value cannot be compared with."""


@dataclass(frozen=True)
class GateOutcome:
    """The answer of a gate for a row.

    Attributes:
        why: the values; of a gate that passes only if it looked at earlier runs.
    """

    gate: Gate
    failed: bool
    why: str

    @property
    def line(self) -> str:
        """The outcome in words."""
        return f"{FAILED if self.failed else PASSED}{self.gate.text}: {self.why}"


@dataclass(frozen=True)
class Gate:
    """A condition under which a run fails.

    Attributes:
        text: the condition as typed.
        metric: the metric as typed.
        column: the column of the results.
        slicing: the slicing columns whose slices are looked at, empty for all rows together.
        operator: how it is compared with the bound.
        bound: a number, a word where the column is the verdict, or a value of earlier runs.
    """

    text: str
    metric: str
    column: str
    slicing: str
    operator: str
    bound: float | str | EarlierValue

    def fails(self, value: float | str) -> bool:
        return self.beyond(value, self.bound)

    def beyond(self, value: float | str, bound: float | str | EarlierValue) -> bool:
        """Return whether a value is on the side of a bound that fails."""
        return _OPERATORS[self.operator](value, bound)


def read_gates(texts: str | Iterable[str]) -> list[Gate]:
    """Read conditions such as ``"ndcg@10 < 0.35"``; without a column, the value is meant.

    Raises:
        MetricError: a condition cannot be read.
    """
    known = [texts] if isinstance(texts, str) or not isinstance(texts, Iterable) else [*texts]
    for text in known:
        if not isinstance(text, str):
            raise MetricError(f"gate {text!r}", "is not a text", "write a condition such as 'ndcg@10 < 0.35'")
    gates = [_read(text) for text in known]
    for gate in gates:
        if isinstance(gate.bound, EarlierValue) and gate.column != "value":
            what = f"the log has values, and no column {gate.column!r}"
            raise MetricError(f"gate {gate.text!r}", what, "leave the column out")
    return gates


def _read(text: str) -> Gate:
    if (found := _WORSE.fullmatch(text.strip())) is not None:
        bound = _earlier(text, found["bound"])
        if bound.offset or bound.what == "mean":
            advice = "write 'ndcg@10 worse than last', or a run or tag"
            raise MetricError(f"gate {text!r}", "a test needs one run, and no distance from it", advice)
        return Gate(text.strip(), *_subject(text, found["before"]), "!=", replace(bound, tested=True))
    if (found := _MOVES.fullmatch(text.strip())) is not None:
        is_rise = found["way"] == "rises"
        distance = f"{found['bound'] or LAST} {'+' if is_rise else '-'} {found['size']}"
        return Gate(
            text.strip(), *_subject(text, found["before"]), ">" if is_rise else "<", _earlier(text, distance)
        )
    outside = (m for m in _COMPARISON.finditer(text)
               if text.count("(", 0, m.start()) == text.count(")", 0, m.start()))  # fmt: skip
    found = next(outside, None)
    if found is None:
        raise MetricError(f"gate {text!r}", "no comparison", HOW)
    if found[0] not in _OPERATORS:
        meant = f"write {_MEANT[found[0]]}" if found[0] in _MEANT else HOW
        raise MetricError(f"gate {text!r}", f"{found[0]!r} is not an operator", meant)
    metric, column, slicing = _subject(text, text[: found.start()])
    bound_of = _bound(text, column, found[0], text[found.end() :].strip())
    column = RELATIVE_CHANGE if column == CHANGE else column
    return Gate(text.strip(), metric, column, slicing, found[0], bound_of)


def _earlier(text: str, bound: str) -> EarlierValue:
    """Read a value of earlier runs, such as ``mean(7 runs) - 3 sd``.

    Raises:
        MetricError: it cannot be read.
    """
    found = _EARLIER.fullmatch(bound.strip())
    try:
        size = float(found["size"] or 0) if found else math.nan
    except ValueError:
        size = math.nan
    if found is None or math.isnan(size):
        raise MetricError(f"gate {text!r}", f"{bound!r} is no value of earlier runs", HOW_EARLIER)
    runs, unit = int(found["runs"] or 1), found["unit"] or ""
    what = found["kind"] or ("mean" if found["runs"] else LAST)
    if unit == _SD and runs < 2:
        raise MetricError(f"gate {text!r}", "one run has no standard deviation", "write mean(7 runs) - 3 sd")
    if what == "mean" and runs < 2:
        raise MetricError(f"gate {text!r}", f"{runs} runs have no mean", "write last, or mean(7 runs)")
    size = size if found["sign"] == "+" else -size
    offset = size / 100 if unit == PER_CENT else size
    return EarlierValue(what, (found["name"] or "").strip("'\""), runs, offset, unit)


def _subject(text: str, said: str) -> tuple[str, str, str]:
    """Return metric, column and slicing of a gate.

    Raises:
        MetricError: one of them is missing.
    """
    before, slicing = said.split(), ""
    if BY in before[1:]:
        place = before.index(BY, 1)
        before, slicing = before[:place], " ".join(before[place + 1 :])
        if not slicing:
            raise MetricError(
                f"gate {text!r}",
                "no slice behind 'by'",
                "name one, as in 'ndcg@10 by country < 0.2', or leave 'by' out",
            )
    if not before:
        raise MetricError(f"gate {text!r}", "no metric", HOW)
    named = len(before) > 1 and _COLUMN.fullmatch(before[-1]) is not None
    column = before[-1] if named else "value"
    return by_name(" ".join(before[:-1] if named else before)), column, slicing


def _bound(text: str, column: str, comparison: str, word: str) -> float | str | EarlierValue:
    if column == VERDICT and word and _OPERATORS[comparison] in (operator.eq, operator.ne):
        given = word.strip("'\"")
        verdict = FORMER.get(given, given)
        if verdict not in VERDICTS:
            raise MetricError(f"gate {text!r}", *unknown(VERDICT, verdict, VERDICTS))
        return verdict
    if re.match(r"(last|mean|tag|run)\b", word):
        return _earlier(text, word)
    if column == "value" and (signed := _RELATIVE.fullmatch(word)) is not None:
        return _earlier(text, f"{LAST} {signed['sign']} {signed['size']}")
    is_share = word.endswith(PER_CENT)
    if column == CHANGE and not is_share:
        raise MetricError(
            f"gate {text!r}", f"{column!r} is a change in per cent on a screen, and {word!r} is not",
            f"write {CHANGE} {comparison} -1%, or delta for a difference in the units of the metric",
        )  # fmt: skip
    if is_share and _IN_UNITS.fullmatch(column):
        raise MetricError(
            f"gate {text!r}", f"{column!r} is in the units of the metric, and {word!r} is a share",
            f"write {CHANGE} {comparison} {word}, which is relative to the baseline, or a number",
        )  # fmt: skip
    try:
        bound = float(word.removesuffix(PER_CENT).replace(MINUS, "-")) / (100 if is_share else 1)
    except ValueError:
        bound = math.nan
    if math.isnan(bound):
        is_decimal = _DECIMAL.fullmatch(word) is not None
        advice = f"write {word.replace(',', '.')}" if is_decimal else HOW
        raise MetricError(f"gate {text!r}", f"{word!r} is not a number", advice)
    return bound


def failures(
    gates: Sequence[Gate],
    rows: Sequence[Mapping[str, Any]],
    canonical: Mapping[str, str],
    earlier: Earlier | None = None,
) -> list[str]:
    """Return a line for every gate that fails, see `outcomes`."""
    return [one.line for one in outcomes(gates, rows, canonical, earlier) if one.failed]


def outcomes(
    gates: Sequence[Gate],
    rows: Sequence[Mapping[str, Any]],
    canonical: Mapping[str, str],
    earlier: Earlier | None = None,
) -> list[GateOutcome]:
    """Return what gates say: each failure, at every system and slice, and what earlier runs they passed.

    Gates look at the overall rows, or with ``by`` at slices; in a comparison, not at the baseline. A gate
    also fails if there is no value, no test or no row at all: nothing shows that it passes.

    Args:
        rows: those of an evaluation or a comparison.
        canonical: the metrics as typed -> their canonical spelling.
        earlier: the earlier runs, if there is a log.

    Raises:
        MetricError: a gate names a metric, column or slice that the results do not have; or earlier runs, and
            there is no log.
    """
    if earlier is None:
        refuse_without_log(gates)
    return [one for gate in gates for one in _outcomes(gate, rows, canonical, earlier)]


def _outcomes(
    gate: Gate, rows: Sequence[Mapping[str, Any]], canonical: Mapping[str, str], earlier: Earlier | None
) -> Iterator[GateOutcome]:
    """Yield what a gate says, once for every row."""
    if not rows:
        yield GateOutcome(gate, True, "there are no results")
        return
    _refuse_unknown(gate, rows, canonical)
    wanted = _rows_of(gate, rows, canonical)
    if not wanted:
        why = f"no system has a row of {gate.metric}{f' by {gate.slicing}' if gate.slicing else ''}"
        yield GateOutcome(gate, True, why)
    for place, row in wanted:
        value = None if row is None else row.get(gate.column)
        subject = f"{gate.column}{f' of {place}' if place else ''}"
        shown = f"{subject} is {f'{value:.6g}' if _is_number(value) else value}"
        if row is None:
            yield GateOutcome(gate, True, f"{place} has no row")
        elif value is None or value == UNTESTED or value != value:
            lacks = "was not tested" if value == UNTESTED else "has no value"
            why = f": {row['reason']}" if row.get("reason") else ""
            yield GateOutcome(gate, True, f"{subject} {lacks}{why}")
        elif isinstance(gate.bound, EarlierValue):
            try:
                failed, why = cast("Earlier", earlier).judged(gate, row)
            except IncomparableError as error:  # nothing shows that it passes
                failed, why = True, str(error)
            yield GateOutcome(gate, failed, f"{shown}; {why}")
        elif gate.fails(value):
            yield GateOutcome(gate, True, shown)


def refuse_without_log(gates: Iterable[Gate], advice: str = NAME_LOG) -> None:
    """Refuse gates on earlier runs, where there is no log.

    Args:
        advice: what to do next.

    Raises:
        MetricError: names the first of them.
    """
    for gate in gates:
        if isinstance(gate.bound, EarlierValue):
            raise MetricError(f"gate {gate.text!r}", "looks at earlier runs, and no log is given", advice)


def _refuse_unknown(gate: Gate, rows: Sequence[Mapping[str, Any]], canonical: Mapping[str, str]) -> None:
    columns = {name: 0 for row in rows for name in list(row)[list(row).index("value") :] if name not in WORDS}
    if gate.column not in columns:
        words = [CHANGE] if RELATIVE_CHANGE in columns else []
        what, advice = unknown("column", gate.column, [*columns, *words])
        if "delta" not in columns and _OF_DIFFERENCES.match(gate.column):
            advice = "it is a column of differences, which 'duckmetrics compare' has"
        raise MetricError(f"gate {gate.text!r}", what, advice)
    if not _metrics(gate, rows, canonical):
        known = dict.fromkeys(row["metric"] for row in rows)
        raise MetricError(
            f"gate {gate.text!r}", f"{gate.metric!r} is not evaluated", suggestion(gate.metric, known)
        )
    if gate.column == VERDICT:
        _refuse_verdict(gate, rows, canonical)
    slicings = dict.fromkeys(row["slice"] for row in rows if row["slice"])
    if gate.slicing and gate.slicing not in slicings:
        advice = "nothing is sliced; ask for it with by= (--by)"
        if slicings:
            advice = suggestion(gate.slicing, slicings)
        raise MetricError(f"gate {gate.text!r}", f"no slices by {gate.slicing!r}", advice)


def _refuse_verdict(gate: Gate, rows: Sequence[Mapping[str, Any]], canonical: Mapping[str, str]) -> None:
    """Refuse a verdict that no row can have: a gate that waits for it would always pass, or never."""
    chosen = _metrics(gate, rows, canonical)
    margins = {has_margin(row) for row in rows
               if row["metric"] in chosen and row["system"] != row.get("baseline")}  # fmt: skip
    if gate.bound in OF_MARGIN and margins == {False}:
        raise MetricError(
            f"gate {gate.text!r}", f"{gate.bound!r} is a verdict with a margin", "add margin= (--margin)"
        )
    if gate.bound == UNCLEAR and margins == {True}:
        raise MetricError(
            f"gate {gate.text!r}", f"with a margin, no verdict is {UNCLEAR!r}", f"write {INCONCLUSIVE}"
        )


def _metrics(gate: Gate, rows: Sequence[Mapping[str, Any]], canonical: Mapping[str, str]) -> set[str]:
    return {row["metric"] for row in rows if gate.metric in (row["metric"], canonical.get(row["metric"]))}


def _rows_of(
    gate: Gate, rows: Sequence[Mapping[str, Any]], canonical: Mapping[str, str]
) -> list[tuple[str, Mapping[str, Any] | None]]:
    """Return the rows that a gate looks at, each with its place; None if only another system has the row."""
    names = list(rows[0])
    columns = names[names.index("slice") + 1 : names.index("value")]
    chosen = _metrics(gate, rows, canonical)
    looked_at = [row for row in rows if row["metric"] in chosen and row["slice"] == gate.slicing]
    keys = dict.fromkeys((row["metric"], *(hashable(row[c]) for c in columns)) for row in looked_at)
    systems = dict.fromkeys(row["system"] for row in rows if row["system"] != row.get("baseline", MISSING))
    found = {}
    for row in looked_at:
        found[row["system"], row["metric"], *(hashable(row[c]) for c in columns)] = row
    named = next(csv.reader([gate.slicing]), [])
    told: list[tuple[str, Mapping[str, Any] | None]] = []
    for system in systems:
        for key in keys:
            values = dict(zip(columns, key[1:], strict=True))
            where = [f"{name}={visible_key(values[name])}" for name in columns if name in named]
            place = ", ".join([*([] if system is None else [visible(str(system))]), *where])
            told.append((place, found.get((system, *key))))
    return told


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
