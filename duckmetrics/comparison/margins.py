"""Margins: is a system not worse than the baseline, or equivalent to it?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from duckmetrics.comparison.families import adjust_column, families_of
from duckmetrics.comparison.pairing import (
    OF_OTHER_UNITS,
    RANDOMIZATION,
    SAMPLED,
    Row,
    is_zero,
    key_of_row,
    speakers,
)
from duckmetrics.comparison.rows import placed_after
from duckmetrics.errors import MetricError
from duckmetrics.inference.intervals import tested
from duckmetrics.inference.units import of_measures
from duckmetrics.inputs.interval_options import PAIRED, Margins, read_margins
from duckmetrics.inputs.slices import taken_name
from duckmetrics.words.verdicts import (
    BASELINE,
    BETTER,
    EQUIVALENT,
    INCONCLUSIVE,
    MAX_T,
    NOT_WORSE,
    OF_MARGINS,
    UNCLEAR,
    UNTESTED,
    has_margin,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.interval_options import Margin


# The test of a margin that belongs to a test of differences.
TESTS_OF_MARGINS = {PAIRED: "paired_tost", RANDOMIZATION: "randomization_tost"}
# The columns of p that are adjusted, each for itself.
ADJUSTED = ("p_not_worse", "p_equivalent")
# The one-sided test that shows that a system is not worse, by the direction of the metric.
NOT_WORSE_BY = {"higher": "higher", "lower": "lower"}


def margins_for(margin: Any, test: Definition, adjust: str, alpha: float) -> Margins | None:
    """Read the margins of a call, and refuse options that do not fit them.

    Raises:
        MetricError: a margin cannot be read, or the test, the adjustment or the error rate does not fit.
    """
    margins = read_margins(margin)
    if margins is None:
        return None
    if test.name not in TESTS_OF_MARGINS:
        advice = "leave test out, or use test='randomization' (--test randomization)"
        if test.name in OF_OTHER_UNITS.values():
            advice = "leave unpaired out: a margin needs systems on the same queries or rows"
        raise MetricError("margin", f"{test.name} has no test of a margin", advice)
    if adjust == MAX_T:
        raise MetricError(
            "margin", "adjust=max_t has no test of a margin", "use adjust='holm' (--adjust holm)"
        )
    if alpha >= 0.5:
        raise MetricError("margin", f"alpha={alpha:g} is too large for one-sided tests", "set one below 0.5")
    return margins


def with_margins(
    catalog: Catalog,
    engine: Engine,
    part: FamilyEvaluation,
    rows: Sequence[Row],
    margins: Mapping[str, Margin],
    test: str,
    values: Mapping[str, Value],
) -> list[Row]:
    """Return the rows of a comparison with the columns of their margins; p is not adjusted yet.

    Args:
        margins: the margins by the texts of measures.
        test: the test of the differences.
        values: the parameters that a test may have.

    Raises:
        InputError: a slicing column has the name of one of these columns.
    """
    for name in () if part.units is None else part.units.columns:
        if name.lower() in OF_MARGINS:
            raise taken_name(name, "a comparison with a margin")
    spoken = speakers(engine, part)
    results = {
        baseline: _results(catalog, engine, part, margins, test, {**values, "baseline": baseline})
        for baseline in dict.fromkeys(row["baseline"] for row in rows)
    }
    found = []
    for row in rows:
        key = key_of_row(part, row)
        known = [spoken[k] for k in (key, (row["baseline"], *key[1:])) if k in spoken]
        own = results[row["baseline"]].get(key, {})
        columns = _columns(row, margins.get(row["metric"]), own, min(known, default=None))
        found.append(placed_after(row, "p_adjusted", columns))
    return found


def adjust_margins(
    catalog: Catalog, engine: Engine, rows: Sequence[Row], adjust: str, keys: Sequence[str]
) -> None:
    """Adjust the p-values of the tests of margins in place, as `adjust_families` does.

    "Not worse" and "equivalent" are separate hypotheses: each has families of its own.
    """
    for column in ADJUSTED:
        for family in families_of(rows, keys).values():
            own = [row for row in family if row[column] is not None]
            adjust_column(catalog, engine, own, adjust, column)


def verdict_within(row: Mapping[str, Any], usual: str, alpha: float) -> str:
    """Return the verdict on a row with a margin.

    Args:
        usual: the verdict without the margin. An improvement is one even if it is smaller than the margin.
    """
    if not has_margin(row) or usual in (BASELINE, UNTESTED, BETTER):
        return usual
    for column, verdict in (("p_equivalent_adjusted", EQUIVALENT), ("p_not_worse_adjusted", NOT_WORSE)):
        if row[column] is not None and row[column] < alpha:
            return verdict
    return INCONCLUSIVE if usual == UNCLEAR else usual


def _results(
    catalog: Catalog,
    engine: Engine,
    part: FamilyEvaluation,
    margins: Mapping[str, Margin],
    test: str,
    given: Mapping[str, Value],
) -> dict[Any, Row]:
    """Return the rows of the tests against a baseline, by system, metric and slice."""
    units = part.units
    if units is None:
        return {}
    found: dict[Any, Row] = {}
    name = TESTS_OF_MARGINS[test]
    params = catalog.params(catalog.statistics[name])
    for margin, texts in _groups(part, margins):
        values = {**given, "margin": margin.size, "relative": margin.is_relative}
        if chosen := texts & {*units.measures}:
            some = replace(units, query=of_measures(units.query, units.measures, chosen))
            own = {key: value for key, value in values.items() if key in params}
            rows = engine.arrow(engine.kept(tested(catalog, engine, some, name, own, ()))).to_pylist()
            found |= {units.row_key(row): row for row in rows}
        if units.samples is not None and texts & {*units.samples.units.measures}:
            of_samples = {key: values[key] for key in ("margin", "relative", "baseline", "alpha")}
            for row in engine.arrow(units.samples.margins(catalog, of_samples)).to_pylist():
                if row["metric"] in texts:
                    found[units.row_key(row)] = row
    return found


def _groups(part: FamilyEvaluation, margins: Mapping[str, Margin]) -> Iterator[tuple[Margin, set[str]]]:
    """Yield each margin with the texts of its measures."""
    texts = [measure.text for measure in part.measures if measure.text in margins]
    for margin in dict.fromkeys(margins[text] for text in texts):
        yield margin, {text for text in texts if margins[text] == margin}


def _columns(
    row: Mapping[str, Any], margin: Margin | None, result: Mapping[str, Any], speaking: int | None
) -> Row:
    """Return the columns of the margin of one row.

    Args:
        result: the results of the tests.
        speaking: how many units a measure of rows depends on.
    """
    columns: Row = dict.fromkeys(OF_MARGINS)
    if margin is None or row["system"] == row["baseline"]:
        return columns
    columns["relative_margin"] = margin.size if margin.is_relative else None
    columns["margin"] = margin.size
    if margin.is_relative:
        columns["margin"] = result.get("margin", _share_of_baseline(row, margin.size))
    if row["p"] is None or columns["margin"] is None:
        return columns
    sides = {side: _one_sided(row, result, side, speaking) for side in ("higher", "lower")}
    columns["p_not_worse"] = sides.get(NOT_WORSE_BY.get(row["better"], ""))
    columns["p_equivalent"] = _largest(sides.values())
    return columns


def _share_of_baseline(row: Mapping[str, Any], share: float) -> float | None:
    """Return a share of the value of the baseline; None if it has none, or 0 except for rounding."""
    if row["value"] is None or row["delta"] is None:
        return None
    base = row["value"] - row["delta"]
    return None if is_zero(base, row["value"]) else share * abs(base)


def _one_sided(
    row: Mapping[str, Any], result: Mapping[str, Any], side: str, speaking: int | None
) -> float | None:
    """Return the p of one side, raised to that of the sign test if it does not come from a statistic."""
    p: float | None = result.get(f"p_{side}")
    if p is None or result.get(f"statistic_{side}") is not None:
        return p
    n = speaking if speaking is not None else row["n_units"]
    if n is None or n < 2:
        return None if row["test"] == SAMPLED or speaking is not None else p
    return max(p, 2.0 ** -min(n, 1000))


def _largest(values: Iterable[float | None]) -> float | None:
    """Return the largest number; None if one is missing."""
    known = [*values]
    return None if None in known else max(value for value in known if value is not None)
