"""An A/B test on a terminal: the verdict, the sample ratio, and each metric as its numbers are read."""

from __future__ import annotations

import csv
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Protocol

from duckmetrics.pages.comparison_screen import UNADJUSTED, corrected_by, words
from duckmetrics.pages.screens import (
    ScreenColumn,
    decimals_for,
    ends,
    fitted,
    level_of,
    number,
    percent,
    percent_decimals,
    short_p,
    table_lines,
    width_of,
    wrapped,
)
from duckmetrics.words.lists import counted
from duckmetrics.words.verdict import Fact, heterogeneity_sentence, verdict_of
from duckmetrics.words.verdicts import ADJUSTED_P, ADJUSTED_P_SHORT, UNTESTED, P, p_heading, with_sign
from duckmetrics.words.visible import visible, visible_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Row = Mapping[str, Any]

POWER = 0.8
# Longer names of variants are not the heads of columns of numbers.
LONG_NAME = 14
STOP = "Do not decide yet: the variants do not have the units that their shares call for"


class Ratio(Protocol):
    """The parts of the check of the sample ratio that are shown."""

    @property
    def observed(self) -> Mapping[str, int]: ...
    @property
    def shares(self) -> Mapping[str, float]: ...
    @property
    def p(self) -> float: ...
    @property
    def mismatch(self) -> bool: ...


class ScreenExperiment(Protocol):
    """The parts of an A/B test that are shown."""

    @property
    def rows(self) -> Sequence[dict[str, Any]]: ...
    @property
    def overall(self) -> Sequence[dict[str, Any]]: ...
    @property
    def sliced(self) -> Sequence[dict[str, Any]]: ...
    @property
    def control(self) -> str: ...
    @property
    def sample_ratio(self) -> Ratio: ...
    @property
    def adjust(self) -> str: ...
    @property
    def level(self) -> float: ...
    @property
    def alpha(self) -> float: ...
    @property
    def warnings(self) -> Sequence[str]: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def planned(self) -> int | None: ...


def experiment_lines(result: ScreenExperiment, width: int) -> list[str]:
    """Return the lines of an A/B test for a screen; after a mismatch of the sample ratio, no differences."""
    ratio = wrapped(ratio_line(result.sample_ratio), width, "  ")
    if result.sample_ratio.mismatch:
        shown = [*wrapped(STOP, width), "", *ratio, ""]
        rest = [f"! {warning}" for warning in result.warnings]
        rest.append("No difference is shown here; --format plain shows the numbers")
    else:
        above = [part for text in verdict_sentences(result) for part in wrapped(text, width, "  ")]
        columns = fitted(list(columns_of(result, result.overall)), width)
        shown = [*above, "", *ratio, "", *table_lines(columns, width), "", *_slice_tables(result, width)]
        rest = [*_method(result), *detectable_lines(result), *(f"note: {note}" for note in result.notes),
                *(f"! {warning}" for warning in result.warnings)]  # fmt: skip
    return shown + [part for text in rest for part in wrapped(visible(text), width, "  ")]


def verdict_sentences(result: ScreenExperiment) -> list[str]:
    """Return the verdict on every treated variant in a sentence each."""
    found: dict[str, list[Fact]] = {}
    withheld: dict[str, str] = {}
    for row in result.overall:
        found.setdefault(row["variant"], []).append(Fact(row["variant"], row["metric"], row["verdict"]))
        if row["verdict"] == UNTESTED and row["p"] is not None:
            withheld[row["variant"]] = f"No verdict on {row['variant']}: {row['reason']}"
    return [withheld.get(name) or verdict_of(name, result.control, facts) for name, facts in found.items()]


def ratio_line(ratio: Ratio) -> str:
    """Write the check of the sample ratio in a line."""
    found = "   ".join(f"{visible(name)} {n:,}" for name, n in ratio.observed.items())
    planned = " : ".join(f"{100 * share:.4g}" for share in ratio.shares.values())
    p = "<0.0001" if ratio.p < 1e-4 else f"= {ratio.p:.4g}"
    verdict = "MISMATCH" if ratio.mismatch else "ok"
    return f"Sample ratio   {found}   planned {planned}   p {p.replace('<', '< ')}   {verdict}"


def _slice_tables(result: ScreenExperiment, width: int) -> Iterator[str]:
    """Yield a table for every slicing, with the slices of the first metric, and whether they differ."""
    sliced = [row for row in result.rows if row.get("slice")]
    for slicing in dict.fromkeys(row["slice"] for row in sliced):
        own = [row for row in sliced if row["slice"] == slicing and row["metric"] == sliced[0]["metric"]]
        names = next(csv.reader([slicing]))
        yield from table_lines(fitted(list(columns_of(result, own, names)), width), width)
        told = [*slice_sentences(result, slicing)]
        if len({row["metric"] for row in sliced}) > 1:
            told.append("--format plain shows the slices of the other metrics")
        yield from (part for text in told for part in wrapped(text, width, "  "))
        yield ""


def slice_sentences(result: ScreenExperiment, slicing: str | None = None) -> Iterator[str]:
    """Yield for each metric and variant whether the slices differ, of one slicing or of all."""
    several = [len({row[name] for row in result.overall}) > 1 for name in ("metric", "variant")]
    for row in result.sliced:
        if slicing in (None, row["slice"]):
            named = [
                str(row[name]) for name, many in zip(("metric", "variant"), several, strict=True) if many
            ]
            yield heterogeneity_sentence(row, result.alpha, short_p(row["p"]), " of ".join(named))


def columns_of(
    result: ScreenExperiment, rows: Sequence[Row], by: Sequence[str] = (), signs: bool = True
) -> Iterator[ScreenColumn]:
    """Yield the columns; with one treated variant, the values stand below the names of both.

    Args:
        by: the columns that name a slice.
        signs: whether verdicts have a sign, for a screen.
    """
    digits = [decimals_for(_half(row)) for row in rows]
    several = len({row["variant"] for row in rows}) > 1
    names = [_head(result.control, "control"), "value" if several else _head(rows[0]["variant"], "variant")]
    overall = ["" if not row.get("slice") else None for row in rows]
    for name in by:
        cells = [
            visible_key(row[name]) if all_ is None else all_ for row, all_ in zip(rows, overall, strict=True)
        ]
        yield ScreenColumn(visible(name), cells, is_number=False, is_key=True)
    yield ScreenColumn("metric", [visible(row["metric"]) for row in rows], is_number=False, is_key=True)
    if several:
        yield ScreenColumn("variant", [visible(row["variant"]) for row in rows], is_number=False, is_key=True)
    for name, column, rank in zip(names, ("control_value", "value"), (3, 4), strict=True):
        yield ScreenColumn(
            name, [_value(row[column], n) for row, n in zip(rows, digits, strict=True)], rank=rank
        )
    yield ScreenColumn("change", [number(row["delta"], n, "+") for row, n in zip(rows, digits, strict=True)])
    written = [ends(*(number(row[end], n, "+") for end in ("delta_lower", "delta_upper")))
               for row, n in zip(rows, digits, strict=True)]  # fmt: skip
    yield ScreenColumn(level_of(result.level), written, is_number=False, rank=5)
    yield ScreenColumn("relative", [_relative(row) for row in rows], rank=2)
    heading = p_heading(rows, ADJUSTED_P_SHORT if signs else ADJUSTED_P)
    if heading != P:
        yield ScreenColumn(P, [short_p(row["p"]) for row in rows], rank=1)
    yield ScreenColumn(heading, [short_p(row["p_adjusted"]) for row in rows])
    if signs:
        yield ScreenColumn("", [with_sign(row["verdict"]) for row in rows], is_number=False)
    else:
        yield ScreenColumn("verdict", [row["verdict"] for row in rows], is_number=False)


def _head(name: str, role: str) -> str:
    """Return the name of a variant as the head of a column, or its role if the name is long."""
    return visible(name) if width_of(visible(name)) <= LONG_NAME else role


def _value(value: float | None, decimals: int) -> str:
    return "NULL" if value is None else number(value, decimals)


def _half(row: Row) -> float | None:
    if row["delta_lower"] is None or row["delta_upper"] is None:
        return None
    return float(row["delta_upper"] - row["delta_lower"]) / 2


def _relative(row: Row) -> str:
    low, high = row["relative_lower"], row["relative_upper"]
    return percent(row["relative_change"], percent_decimals(low, high) + 1)


def _method(result: ScreenExperiment) -> Iterator[str]:
    """Yield the tests, the correction of p, and the p that a verdict needs."""
    used: dict[str, dict[str, None]] = {}
    for row in result.overall:
        used.setdefault(words(row["statistic"]), {})[row["metric"]] = None
    tests = next(iter(used)) if len(used) == 1 else ", ".join(
        f"{statistic} ({', '.join(names)})" for statistic, names in used.items()
    )  # fmt: skip
    n = sum(row["p"] is not None for row in result.overall)
    adjusted = "not corrected" if result.adjust == UNADJUSTED else (
        f"after {corrected_by(result.adjust)} correction for {counted(n, 'comparison')}"
    )  # fmt: skip
    yield f"{tests}; ▲ ▼ need p < {result.alpha:.4g} {adjusted}; intervals not corrected"


def detectable_lines(result: ScreenExperiment) -> Iterator[str]:
    """Yield the smallest change of each metric that the test would probably find."""
    found = detectable(result)
    if not found:
        return
    units: dict[str, int] = {}
    for row in result.overall:
        units[row["metric"]] = units.get(row["metric"], row["n_control"]) + row["n"]
    listed: dict[int, list[str]] = {}
    for metric, change in found.items():
        listed.setdefault(units[metric], []).append(f"{metric} {number(change, decimals_for(change))}")
    (first, changes), *others = ((n, ", ".join(told)) for n, told in listed.items())
    more = "".join(f"; {n:,} units: {told}" for n, told in others)
    yield f"Smallest change that {first:,} units would show (power {POWER:g}): {changes}{more}"


def detectable(result: ScreenExperiment) -> dict[str, float]:
    """Return the smallest change of each metric that is found with a power of 0.8, approximately.

    The standard error comes from the interval, by the normal distribution. The level of the test is
    divided by the number of comparisons, as in the first step of Holm's method. With several variants,
    the largest change counts. A sequential test has no such change.
    """
    if result.planned is not None:
        return {}
    tests = 1 if result.adjust == UNADJUSTED else sum(row["p"] is not None for row in result.overall)
    normal = NormalDist()
    per_half = normal.inv_cdf((1 + result.level) / 2)
    needed = normal.inv_cdf(1 - result.alpha / (2 * max(tests, 1))) + normal.inv_cdf(POWER)
    found: dict[str, float] = {}
    for row in result.overall:
        half = _half(row)
        if half and row["verdict"] != UNTESTED:
            found[row["metric"]] = max(found.get(row["metric"], 0.0), half / per_half * needed)
    return found
