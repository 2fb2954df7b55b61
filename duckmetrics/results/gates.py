"""Gates for the CI of models: conditions on results that make a run fail, as ``ndcg@10 < 0.35``."""

from __future__ import annotations

import csv
import math
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
HOW = "write METRIC [COLUMN] [by SLICE] < NUMBER, as in 'ndcg@10 < 0.35' or 'ndcg@10 delta_lower < -0.005'"


@dataclass(frozen=True)
class Gate:
    """A condition under which a run fails.

    Attributes:
        text: the condition as typed.
        metric: the metric as typed.
        column: the column of the results.
        slicing: the slicing columns whose slices are looked at, empty for all rows together.
        operator: how it is compared with the bound.
        bound: a number, or a word where the column is the verdict.
    """

    text: str
    metric: str
    column: str
    slicing: str
    operator: str
    bound: float | str

    def fails(self, value: float | str) -> bool:
        return _OPERATORS[self.operator](value, self.bound)


def read_gates(texts: str | Iterable[str]) -> list[Gate]:
    """Read conditions such as ``"ndcg@10 < 0.35"``; without a column, the value is meant.

    Raises:
        MetricError: a condition cannot be read.
    """
    known = [texts] if isinstance(texts, str) or not isinstance(texts, Iterable) else [*texts]
    for text in known:
        if not isinstance(text, str):
            raise MetricError(f"gate {text!r}", "is not a text", "write a condition such as 'ndcg@10 < 0.35'")
    return [_read(text) for text in known]


def _read(text: str) -> Gate:
    outside = (m for m in _COMPARISON.finditer(text)
               if text.count("(", 0, m.start()) == text.count(")", 0, m.start()))  # fmt: skip
    found = next(outside, None)
    if found is None:
        raise MetricError(f"gate {text!r}", "no comparison", HOW)
    if found[0] not in _OPERATORS:
        meant = f"write {_MEANT[found[0]]}" if found[0] in _MEANT else HOW
        raise MetricError(f"gate {text!r}", f"{found[0]!r} is not an operator", meant)
    before, after = text[: found.start()].split(), text[found.end() :].strip()
    slicing = ""
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
    metric = " ".join(before[:-1] if named else before)
    bound = _bound(text, column, found[0], after)
    column = RELATIVE_CHANGE if column == CHANGE else column
    return Gate(text.strip(), metric, column, slicing, found[0], bound)


def _bound(text: str, column: str, comparison: str, word: str) -> float | str:
    if column == VERDICT and word and _OPERATORS[comparison] in (operator.eq, operator.ne):
        given = word.strip("'\"")
        verdict = FORMER.get(given, given)
        if verdict not in VERDICTS:
            raise MetricError(f"gate {text!r}", *unknown(VERDICT, verdict, VERDICTS))
        return verdict
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
    gates: Sequence[Gate], rows: Sequence[Mapping[str, Any]], canonical: Mapping[str, str]
) -> list[str]:
    """Return a line for every gate that fails, and every system and slice where it does.

    Gates look at the overall rows, or with ``by`` at slices; in a comparison, not at the baseline. A gate
    also fails if there is no value, no test or no row at all: nothing shows that it passes.

    Args:
        rows: those of an evaluation or a comparison.
        canonical: the metrics as typed -> their canonical spelling.

    Raises:
        MetricError: a gate names a metric, column or slice that the results do not have.
    """
    return [f"gate failed: {gate.text}: {why}" for gate in gates for why in _whys(gate, rows, canonical)]


def _whys(gate: Gate, rows: Sequence[Mapping[str, Any]], canonical: Mapping[str, str]) -> Iterator[str]:
    """Yield why a gate fails, once for every row."""
    if not rows:
        yield "there are no results"
        return
    _refuse_unknown(gate, rows, canonical)
    wanted = _rows_of(gate, rows, canonical)
    if not wanted:
        yield f"no system has a row of {gate.metric}{f' by {gate.slicing}' if gate.slicing else ''}"
    for place, row in wanted:
        value = None if row is None else row.get(gate.column)
        if row is None:
            yield f"{place} has no row"
        elif value is None or value == UNTESTED or value != value:
            lacks = "was not tested" if value == UNTESTED else "has no value"
            why = f": {row['reason']}" if row.get("reason") else ""
            yield f"{gate.column}{f' of {place}' if place else ''} {lacks}{why}"
        elif gate.fails(value):
            shown = f"{value:.6g}" if _is_number(value) else value
            yield f"{gate.column}{f' of {place}' if place else ''} is {shown}"


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
