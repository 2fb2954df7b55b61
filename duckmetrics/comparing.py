"""How parts of an evaluation become a comparison: tests over the units, adjusted p-values, verdicts."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.checks import NOTE, WARNING, Finding
from duckmetrics.comparison_results import (
    BASELINE,
    BETTER,
    COLUMNS,
    DIFFERENT,
    UNCLEAR,
    UNTESTED,
    WORSE,
    Comparison,
)
from duckmetrics.errors import InputError, MetricError, suggestion, unknown
from duckmetrics.fold import literal
from duckmetrics.functions import linked
from duckmetrics.intervals import tested
from duckmetrics.results import SMALLEST_P
from duckmetrics.session import catalog
from duckmetrics.summary import ROUNDING
from duckmetrics.units import DIFFERENCES, QUERIES, ROWS, over_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog import Definition
    from duckmetrics.engines import Engine
    from duckmetrics.families import Part
    from duckmetrics.fold import Value
    from duckmetrics.inference import Inference
    from duckmetrics.measure import Measure
    from duckmetrics.session import Session

# What is left of numbers near 1 that should cancel out, as in 1 minus a ratio.
CANCELLED = 1e-14
# What tells n, effect sizes and intervals of the differences, whatever tells p.
PAIRED = "paired_t"
ADJUSTED = "adjusted_p"
NONE, HOLM = "none", "holm"
FIELDS = (
    "delta", "delta_lower", "delta_upper", "relative_change", "effect_size", "wins", "ties", "losses",
    "statistic", "df", "p",
)  # fmt: skip
_CLOSEST = re.compile(r"closest to ([\d.]+) is better")
Row = dict[str, Any]


@dataclass(frozen=True)
class Comparing:
    """What was asked of a comparison.

    Attributes:
        test: the file that tells p.
        adjust: how p is corrected.
        power: for which the minimum detectable effect holds.
        allow_different: whether values of different populations are compared where they are common.
    """

    test: Definition
    adjust: str
    inference: Inference
    power: float
    allow_different: bool

    def systems(self, session: Session, parts: Sequence[Part]) -> list[str]:
        """The systems as a mapping gives them, or else by name.

        Raises:
            MetricError: there is one only.
        """
        found = [row["system"] for part in parts for row in part.rows]
        known = list(dict.fromkeys([*session.systems, *found]))
        if known == [None]:
            raise MetricError(
                "compare: one system only; map two or more, as in {'A': 'a.parquet', 'B': 'b.parquet'}, or "
                "name the column that tells them with system="
            )
        if len(known) < 2:
            raise MetricError(f"compare: {known[0]} is the only system; give a second one")
        return known

    def result(self, session: Session, parts: Sequence[Part], baseline: str | None) -> Comparison:
        """Compare the systems of parts that were evaluated with units.

        Raises:
            MetricError: one system only, or no such baseline.
            InputError: the systems have values of different queries or rows, or rows that nothing pairs.
        """
        known = self.systems(session, parts)
        base = known[0] if baseline is None else baseline
        if base not in known:
            raise MetricError(f"baseline {base!r}: no such system; {suggestion(str(base), known)}")
        for part in parts:
            _refuse_unpaired(part)
            self._refuse_unfit_test(session.engine, part)
        rows: list[Row] = []
        told = self._warnings()
        for part in parts:
            found = self._compared(session.engine, part, base)
            told += _of_samples(part)
            told += self._different(session.engine, part, found, base)
            rows += found
        _sort(rows, [base, *known])
        self._adjust(session.engine, rows)
        measures = {measure.text: measure for part in parts for measure in part.measures}
        for row in rows:
            row["verdict"] = self._verdict(row, measures[row["metric"]])
        return Comparison(
            tuple(rows), base, self.test.name, self.adjust, self.inference.level, session.assembled(parts),
            tuple(told),
        )  # fmt: skip

    def _refuse_unfit_test(self, engine: Engine, part: Part) -> None:
        """Refuse tests that look at units one by one where these are linearized, or not as the test wants."""
        if part.units is None or not part.units.measures:
            return
        if "warning" in self.test.header and part.units.linearized:
            raise MetricError(
                f"test: {self.test.name} counts units that are better, and a unit of a classifier has no "
                "value of its own; use t, randomization or bootstrap"
            )
        for condition in self.test.requires.values():
            unfit = exp.select(literal(1)).from_(part.units.query.subquery("units"))
            unfit = unfit.where(exp.not_(condition.copy())).limit(1)
            if engine.rows(unfit):
                raise MetricError(
                    f"test: {self.test.name} wants {condition.sql('duckdb')} of every query, and "
                    "there are other values; use it for metrics of hits and misses, or another test"
                )

    def _warnings(self) -> list[Finding]:
        text = self.test.header.get("warning")
        return [] if text is None else [_warning("test", f"{self.test.name}: {text}", "")]

    def _compared(self, engine: Engine, part: Part, baseline: str) -> list[Row]:
        """The results of one family with what the tests say of them."""
        paired = catalog().statistics[PAIRED]
        differences = self._tested(engine, part, paired, baseline)
        rows = []
        special = differences if self.test is paired else self._tested(engine, part, self.test, baseline)
        sampled = _sampled(engine, part, baseline)
        values = {_key(part, row): row["value"] for row in part.rows}
        for row in part.rows:
            key = _key(part, row)
            found = {**differences.get(key, {})}
            other = values.get((baseline, *key[1:]))
            if key in sampled and other is not None and row["value"] is not None:
                delta = row["value"] - other
                found = {**sampled[key], "delta": delta, "relative_change": delta / other if other else None}
            elif self.test is not paired:
                told = special.get(key, {})
                found |= {name: told.get(name) for name in ("statistic", "df", "p")}
                found["n"] = told.get("n", found.get("n"))
                bounds = ("delta_lower", "delta_upper")
                found |= {name: told[name] for name in bounds if told.get(name) is not None}
            rows.append(self._row(row, part, found, baseline))
        return rows

    def _tested(self, engine: Engine, part: Part, test: Definition, baseline: str) -> dict[Any, Row]:
        """What a test says, by system, metric and slice."""
        if part.units is None or not part.units.measures:
            return {}
        values: dict[str, Value] = {**self.inference.values(), "power": self.power, "baseline": baseline}
        given = {name: value for name, value in values.items() if name in catalog().params(test)}
        table = tested(catalog(), engine, part.units, test.name, given)
        found = {}
        for row in engine.arrow(engine.kept(table)).to_pylist():
            if "other" in row:
                pair = {row["system"], row["other"]}
                if baseline not in pair:
                    continue
                row["system"] = (pair - {baseline}).pop()
            found[part.units.row_key(row)] = row
        return found

    def _row(self, row: Mapping[str, Any], part: Part, found: Mapping[str, Any], baseline: str) -> Row:
        """One row of the comparison, the columns in their order."""
        columns = part.units.columns if part.units is not None else {}
        kept = {
            name: row[name] for name in ("system", "metric", "slice", *columns, "value", "lower", "upper")
        }
        fields = {name: found.get(name) for name in FIELDS}
        if part.per_query is None:
            fields |= dict.fromkeys(("wins", "ties", "losses"))
        elif _lower_is_better(part, row):
            fields |= {"wins": fields["losses"], "losses": fields["wins"]}
        linearized = part.per_query is None or _is_clustered(part)
        if linearized and _is_rounding(row["value"], found):
            # The same rows in another order have sums that differ in the last digit.
            fields |= {"delta": 0.0, "relative_change": 0.0, "effect_size": None, "statistic": None, "p": 1.0}
            for bound in ("delta_lower", "delta_upper"):
                fields[bound] = 0.0 if abs(fields[bound] or 0.0) <= CANCELLED else fields[bound]
        return {
            **kept, "baseline": baseline, **fields, "p_adjusted": None, "mde": found.get("mde"),
            "verdict": BASELINE, "n": row["n"], "n_units": found.get("n"),
            "n_effective": found.get("n_effective", found.get("n")), "test": self.test.name,
            "reason": row["reason"], "signature": row["signature"],
        }  # fmt: skip

    def _different(self, engine: Engine, part: Part, rows: Iterable[Row], baseline: str) -> list[Finding]:
        """Refuse to compare values of different queries or rows, unless told otherwise.

        Of classifiers, and of queries in clusters, there is no other way: what is common is not known.
        """
        found = []
        for row, number, kind in _strangers(engine, part, rows, baseline):
            place = f" in a slice by {row['slice']}" if row["slice"] else ""
            message = (
                f"{row['metric']}: {row['system']} and {baseline} have values of different "
                f"{'rows' if part.per_query is None else 'queries'}{place}: {number} {kind}"
            )
            advice = _way_out(part)
            if not self.allow_different or part.per_query is None or _is_clustered(part):
                raise InputError(f"{message}; {advice}")
            text = f"{message}; the differences are of the {row['n_units'] or 0} that are common"
            found.append(_warning("different_population", text, advice))
        return found

    def _adjust(self, engine: Engine, rows: Sequence[Row]) -> None:
        """Adjust the p-values of every slicing for their number, in place."""
        for slicing in dict.fromkeys(row["slice"] for row in rows):
            family = [row for row in rows if row["slice"] == slicing and row["p"] is not None]
            adjusted = [row["p"] for row in family]
            if self.adjust != NONE and family:
                adjusted = _adjusted(engine, adjusted, self.adjust)
            for row, p in zip(family, adjusted, strict=True):
                row["p_adjusted"] = max(p, SMALLEST_P)
                row["p"] = max(row["p"], SMALLEST_P)

    def _verdict(self, row: Mapping[str, Any], measure: Measure) -> str:
        """Say in words what a comparison came to."""
        # One that does not compare means may find more wins where the mean is lower.
        of_means = "warning" not in self.test.header
        if row["system"] == row["baseline"]:
            return BASELINE
        if row["p_adjusted"] is None:
            return UNTESTED
        if row["p_adjusted"] >= 1 - self.inference.level or (of_means and not row["delta"]):
            return UNCLEAR
        declared = measure.metric.header.get("range", "")
        gained = row["delta"]
        if closest := _CLOSEST.search(declared):
            own, other = (value - float(closest[1]) for value in (row["value"], row["value"] - row["delta"]))
            if own * other < 0:
                return DIFFERENT
            gained = abs(other) - abs(own)
        elif measure.lower_is_better:
            gained = -gained
        elif "higher is better" not in declared:
            return DIFFERENT
        if not of_means and row["wins"] is not None and gained * (row["wins"] - row["losses"]) <= 0:
            return DIFFERENT
        return BETTER if gained > 0 else WORSE


def find_test(name: str) -> Definition:
    """Return the test that a word means, such as randomization.

    Raises:
        MetricError: no such test.
    """
    known = {n: d for n, d in catalog().statistics.items() if "p" in d.query.named_selects and _is_paired(d)}
    wanted = str(name).lower().replace("-", "_")
    near = [n for n in known if wanted in (n, *n.split("_"))]
    if len(near) != 1 and wanted not in known:
        raise MetricError(f"test: {unknown('test', str(name), known)}")
    return known[wanted if wanted in known else near[0]]


def _is_paired(definition: Definition) -> bool:
    """Say whether a test compares systems query by query: with a baseline, or all pairs of them."""
    return DIFFERENCES in definition.tables or of_all_pairs(definition)


def of_all_pairs(definition: Definition) -> bool:
    """Say whether a test looks at every pair of systems, so that it holds for all of them together."""
    return "other" in definition.query.named_selects


def find_adjustment(name: str) -> str:
    """Return the method of adjustment that a word means.

    Raises:
        MetricError: no such method.
    """
    if name == NONE:
        return NONE
    choices = [str(choice) for choice in catalog().statistics[ADJUSTED].own_params["method"].choices]
    wanted = {"bh": "benjamini_hochberg", "fdr": "benjamini_hochberg"}.get(
        str(name).lower(), str(name).lower()
    )
    if wanted not in choices:
        raise MetricError(f"adjust: {unknown('method', str(name), (*choices, NONE))}")
    return wanted


def _refuse_unpaired(part: Part) -> None:
    """Refuse rows of which nothing tells which belong together, and slices that hide a column."""
    if part.units is None:
        return
    if part.units.kind == ROWS:
        raise InputError(
            "compare: nothing tells which rows of the systems belong together; name what is independent, "
            "such as the user, with cluster='user_id' (--cluster user_id)"
        )
    for name in part.units.columns:
        if name.lower() in COLUMNS:
            raise InputError(
                f"by: {name!r} is also a column of the comparison; rename it, as in "
                f'"SELECT {name} AS my_{name}, ... FROM ..."'
            )


def _key(part: Part, row: Mapping[str, Any]) -> tuple[Any, ...]:
    columns = part.units.columns if part.units is not None else {}
    return tuple(row[c] for c in ("system", "metric", "slice", *columns))


def _sampled(engine: Engine, part: Part, baseline: str) -> dict[Any, Row]:
    """What bootstrap samples tell of measures that have no units."""
    if part.units is None or part.units.samples is None:
        return {}
    query = part.units.samples.differences(baseline)
    return {part.units.row_key(row): row for row in engine.arrow(query).to_pylist()}


def _of_samples(part: Part) -> list[Finding]:
    """Tell of measures whose p is that of bootstrap samples, whatever the test."""
    if part.units is None or part.units.samples is None:
        return []
    samples = part.units.samples
    names = ", ".join(samples.units.measures)
    message = f"{names}: compared on {samples.number} bootstrap samples of the whole metric"
    return [Finding("test", NOTE, "", "", 0, (), message)]


def _sort(rows: list[Row], order: Sequence[Any]) -> None:
    """Put the systems of every slice and metric in order, the baseline first."""
    groups: dict[Any, int] = {}
    for row in rows:
        groups.setdefault(_without_system(row), len(groups))
    rows.sort(key=lambda row: (groups[_without_system(row)], order.index(row["system"])))


def _without_system(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What the rows of a metric in a slice have in common: all that stands before the value."""
    names = list(row)
    return tuple(row[name] for name in names[1 : names.index("value")])


def _is_rounding(value: float | None, found: Mapping[str, Any]) -> bool:
    """Say whether a difference is nothing beside the value, or beside what units differ by."""
    if value is None or found.get("delta") is None:
        return False
    delta, beside_units = float(found["delta"]), float(found.get("d_av") or math.inf)
    return abs(delta) <= max(ROUNDING * abs(value), CANCELLED) or abs(beside_units) <= ROUNDING


def _lower_is_better(part: Part, row: Mapping[str, Any]) -> bool:
    return next(measure for measure in part.measures if measure.text == row["metric"]).lower_is_better


def _strangers(
    engine: Engine, part: Part, rows: Iterable[Row], baseline: str
) -> Iterator[tuple[Row, int, str]]:
    """The rows whose system has values of other queries, or rows, than the baseline; how many of what."""
    units = part.units
    if units is None:
        return
    compared = [row for row in rows if row["system"] != baseline]
    values = {_key(part, row): row["value"] for row in part.rows}
    if units.members is not None:
        unmatched = dict(engine.rows(units.unmatched(catalog(), baseline)))
        for row in compared:
            if number := unmatched.pop(row["system"], 0):
                kind = f"{units.kind} have other rows or labels"
                yield row, number, kind if part.per_query is None else "values are of one side only"
        return
    counts = {units.row_key(row): row["n"] for row in engine.arrow(units.counts()).to_pylist()}
    for row in compared:
        key = _key(part, row)
        other = (baseline, *key[1:])
        if values[key] is None or values.get(other) is None or not counts.get(key) or not counts.get(other):
            continue
        number = counts[key] + counts[other] - 2 * (row["n_units"] or 0)
        if number:
            yield row, number, f"{units.kind} have a value on one side only"


def _is_clustered(part: Part) -> bool:
    return part.units is not None and part.units.kind != QUERIES


def _way_out(part: Part) -> str:
    if part.per_query is None:
        return "evaluate the same rows"
    told = "say allow_different=True (--allow-different) to compare what is common"
    if _is_clustered(part):
        told = "leave cluster out and " + told
    if any(measure.values.get("missing") == "skip" for measure in part.measures):
        return f"set missing='zero' or population='both' (--set population=both), or {told}"
    return told


def _warning(check: str, message: str, advice: str) -> Finding:
    return Finding(check, WARNING, "", "", 0, (), message, advice)


def _adjusted(engine: Engine, p_values: Sequence[float], method: str) -> list[float]:
    """What p-values are adjusted to, in their order."""
    rows = [exp.Tuple(expressions=[literal(place), literal(float(p))]) for place, p in enumerate(p_values)]
    names = exp.TableAlias(
        this=exp.to_identifier("numbered"), columns=[exp.to_identifier(n) for n in ("test", "p")]
    )
    given = exp.select("test", "p").from_(exp.Values(expressions=rows, alias=names))
    adjusted = over_rows(catalog(), ADJUSTED, given, {"method": method}).subquery("adjusted")
    query, macros = linked(catalog(), exp.select("test", "p_adjusted").from_(adjusted))
    engine.define(macros)
    return [p for _, p in sorted(engine.rows(query))]
