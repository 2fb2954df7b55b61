"""How parts of an evaluation become a comparison: tests over the units, adjusted p-values, verdicts."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.catalog import catalog
from duckmetrics.comparison.methods import BOOTSTRAPPED, NONE, PAIRED, SAMPLED, adjusted_p, lower_is_better
from duckmetrics.comparison.pairing import (
    CANCELLED,
    Row,
    is_clustered,
    is_rounding,
    key_of_row,
    of_whole,
    refuse_unpaired,
    speakers,
    strangers,
    way_out,
)
from duckmetrics.compose.functions import linked
from duckmetrics.errors import InputError, MetricError, suggestion
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.intervals import tested
from duckmetrics.inference.units import QUERIES
from duckmetrics.inputs.interval_options import MOST_RESAMPLES
from duckmetrics.results.comparison import Comparison
from duckmetrics.results.findings import NOTE, WARNING, Finding
from duckmetrics.results.gates import BASELINE, BETTER, DIFFERENT, UNCLEAR, UNTESTED, WORSE
from duckmetrics.results.tabular import SMALLEST_P
from duckmetrics.summaries.ranking import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.part import Part
    from duckmetrics.evaluation.session import Session
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.interval_options import Inference

FIELDS = (
    "delta", "delta_lower", "delta_upper", "relative_change", "effect_size", "wins", "ties", "losses",
    "statistic", "df", "p",
)  # fmt: skip
_CLOSEST = re.compile(r"closest to ([\d.]+) is better")


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
            refuse_unpaired(part)
            self._refuse_unfit_test(session.engine, part)
        rows: list[Row] = []
        told = self._warnings()
        resamples = self._enough(parts, base)
        for part in parts:
            found = self._compared(session.engine, part, base, resamples)
            told += _of_samples(part)
            told += self._different(session.engine, part, found, base)
            rows += found
        _sort(rows, [base, *known])
        self._adjust(session.engine, rows)
        told += self._out_of_reach(rows)
        measures = {measure.text: measure for part in parts for measure in part.measures}
        for row in rows:
            row["verdict"] = self._verdict(row, measures[row["metric"]])
        return Comparison(
            tuple(rows), base, self.test.name, self.adjust, self.inference.level, session.assembled(parts),
            tuple(told), self.inference.alpha,
        )  # fmt: skip

    def _enough(self, parts: Sequence[Part], baseline: str) -> int:
        """The number of resamples of the test: as usual, or as many as the largest family needs."""
        families = Counter(row["slice"] for part in parts for row in part.rows if row["system"] != baseline)
        comparisons = max(families.values(), default=1) if self.adjust != NONE else 1
        return self.inference.enough(comparisons, self.inference.resamples, MOST_RESAMPLES)

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

    def _compared(self, engine: Engine, part: Part, baseline: str, resamples: int) -> list[Row]:
        """The results of one family with what the tests say of them."""
        paired = catalog().statistics[PAIRED]
        differences = self._tested(engine, part, paired, baseline, resamples)
        special = differences
        if self.test is not paired:
            special = self._tested(engine, part, self.test, baseline, resamples)
        sampled = _sampled(engine, part, baseline)
        spoken = speakers(engine, part)
        bases = {key_of_row(part, row)[1:]: row for row in part.rows if row["system"] == baseline}
        rows = []
        for row in part.rows:
            key = key_of_row(part, row)
            other = bases.get(key[1:], {})
            found = self._found(part, row, other, differences.get(key, {}), special.get(key, {}))
            if key in sampled:
                found = of_whole(row, other, sampled[key], part)
            known = [spoken[k] for k in (key, (baseline, *key[1:])) if k in spoken]
            _floored(found, min(known, default=None))
            if part.per_query is None and found.get("delta") is None:
                found["delta"] = _difference(row, other)
            found["reason"] = _reason(row, other, found, part)
            rows.append(self._row(row, part, found, baseline))
        return rows

    def _found(
        self,
        part: Part,
        row: Mapping[str, Any],
        other: Mapping[str, Any],
        paired: Mapping[str, Any],
        special: Mapping[str, Any],
    ) -> Row:
        """What the tests say of one row: p and bounds as the test does, all else as the paired t-test."""
        found = {**paired, "test": self.test.name}
        # All differences are equal: tests whose p comes from their spread fall back on the sign test.
        found["is_constant"] = paired.get("se") == 0 and bool(paired.get("delta"))
        if self.test.name != PAIRED:
            found |= {name: special.get(name) for name in ("statistic", "df", "p", "resamples")}
            if special.get("exact"):
                # All ways to choose the signs were tried, and none was drawn.
                found["resamples"] = None
            found["n"] = special.get("n", found.get("n"))
            bounds = ("delta_lower", "delta_upper")
            found |= {name: special[name] for name in bounds if special.get(name) is not None}
            # Power is that of the paired t-test, and says nothing of another one.
            found["se"] = None
        if part.units is not None and part.units.linearized and is_rounding(row["value"], found):
            found["is_constant"] = False
        return found

    def _tested(
        self, engine: Engine, part: Part, test: Definition, baseline: str, resamples: int
    ) -> dict[Any, Row]:
        """What a test says, by system, metric and slice."""
        if part.units is None or not part.units.measures:
            return {}
        values: dict[str, Value] = {
            **self.inference.values(), "resamples": resamples, "alpha": self.inference.alpha,
            "power": self.power, "baseline": baseline,
        }  # fmt: skip
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
        elif lower_is_better(part, row):
            fields |= {"wins": fields["losses"], "losses": fields["wins"]}
        linearized = part.per_query is None or is_clustered(part)
        if linearized and fields["p"] is not None and is_rounding(row["value"], found):
            # The same rows in another order have sums that differ in the last digit.
            fields |= {"delta": 0.0, "relative_change": 0.0, "effect_size": None, "statistic": None, "p": 1.0}
            for bound in ("delta_lower", "delta_upper"):
                fields[bound] = 0.0 if abs(fields[bound] or 0.0) <= CANCELLED else fields[bound]
        drawn = found.get("resamples")
        return {
            **kept, "baseline": baseline, **fields, "p_adjusted": None, "mde": found.get("se"),
            "verdict": BASELINE, "n": row["n"], "n_units": found.get("n"),
            "n_effective": found.get("n_effective", found.get("n")), "test": found["test"],
            "adjust": self.adjust, "n_tests": None, "alpha": self.inference.alpha,
            "interval_level": self.inference.level, "interval_method": self.inference.method,
            "cluster": _cluster(part), "resamples": drawn,
            "seed": None if drawn is None else self.inference.seed,
            "reason": row["reason"] if row["system"] == baseline else found["reason"],
            "signature": row["signature"],
        }  # fmt: skip

    def _different(self, engine: Engine, part: Part, rows: Iterable[Row], baseline: str) -> list[Finding]:
        """Refuse to compare values of different queries or rows, unless told otherwise.

        Of classifiers, and of queries in clusters, there is no other way: what is common is not known.
        """
        found = []
        for row, number, kind in strangers(engine, part, rows, baseline):
            place = f" in a slice by {row['slice']}" if row["slice"] else ""
            message = (
                f"{row['metric']}: {row['system']} and {baseline} have values of different "
                f"{'rows' if part.per_query is None else 'queries'}{place}: {number} {kind}"
            )
            advice = way_out(part)
            if not self.allow_different or part.per_query is None or is_clustered(part):
                raise InputError(f"{message}; {advice}")
            text = f"{message}; the differences are of the {row['n_units'] or 0} that are common"
            found.append(_warning("different_population", text, advice))
        return found

    def _adjust(self, engine: Engine, rows: Sequence[Row]) -> None:
        """Adjust the p-values of every slicing for their number, in place; the column mde holds se before."""
        powers = []
        for slicing in dict.fromkeys(row["slice"] for row in rows):
            of_slicing = [row for row in rows if row["slice"] == slicing]
            family = [row for row in of_slicing if row["p"] is not None]
            adjusted = [row["p"] for row in family]
            if self.adjust != NONE and family:
                adjusted = adjusted_p(engine, adjusted, self.adjust)
            for row, p in zip(family, adjusted, strict=True):
                row["p_adjusted"] = max(p, SMALLEST_P)
                row["p"] = max(row["p"], SMALLEST_P)
            for row in of_slicing:
                row["n_tests"] = len(family)
                if row["mde"] and row["df"]:
                    powers.append((row, row["mde"], row["df"], self.inference.alpha / self._steps(family)))
                row["mde"] = None
        if powers:
            for (row, *_), mde in zip(
                powers, _mdes(engine, [p[1:] for p in powers], self.power), strict=True
            ):
                row["mde"] = mde

    def _steps(self, family: Sequence[Row]) -> float:
        """How many times smaller than alpha the smallest p of a family must be."""
        match self.adjust:
            case "none":
                return 1.0
            case "benjamini_yekutieli":
                return len(family) * math.fsum(1 / i for i in range(1, len(family) + 1))
        return float(len(family))

    def _out_of_reach(self, rows: Sequence[Row]) -> list[Finding]:
        """Warn where so few resamples were drawn that no adjusted p can be a verdict."""
        found = {}
        for row in rows:
            if row["p"] is None or row["resamples"] is None:
                continue
            smallest = (2 if row["test"] == SAMPLED else 1) / (1 + row["resamples"])
            steps = self._steps(
                [one for one in rows if one["slice"] == row["slice"] and one["p"] is not None]
            )
            if smallest * steps >= self.inference.alpha and row["p"] >= smallest * (1 - ROUNDING):
                needed = math.ceil(2 * steps / self.inference.alpha)
                found[row["metric"], row["slice"]] = _warning(
                    "test",
                    f"{row['metric']}: p cannot be below {smallest:.2g} with {row['resamples']} resamples, "
                    f"and a verdict in a family of {row['n_tests']} comparisons needs p < "
                    f"{self.inference.alpha / steps:.2g}",
                    f"set resamples={needed} (--resamples {needed}) or more, or compare fewer",
                )
        return list(found.values())

    def _verdict(self, row: Mapping[str, Any], measure: Measure) -> str:
        """Say in words what a comparison came to."""
        # One that does not compare means may find more wins where the mean is lower.
        of_means = "warning" not in self.test.header
        if row["system"] == row["baseline"]:
            return BASELINE
        if row["p_adjusted"] is None:
            return UNTESTED
        if row["p_adjusted"] >= self.inference.alpha or (of_means and not row["delta"]):
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


def _sampled(engine: Engine, part: Part, baseline: str) -> dict[Any, Row]:
    """What bootstrap samples tell of measures that have no units."""
    if part.units is None or part.units.samples is None:
        return {}
    query = part.units.samples.differences(baseline)
    return {part.units.row_key(row): row for row in engine.arrow(query).to_pylist()}


def _difference(row: Mapping[str, Any], other: Mapping[str, Any]) -> float | None:
    """What a system has more than the baseline, where no unit shows it."""
    own, base = row["value"], other.get("value")
    return None if own is None or base is None else float(own) - float(base)


def _floored(found: Row, speaking: int | None) -> None:
    """No p is smaller than that of the sign test of as many units as speak, in place."""
    n = found.get("n") if speaking is None else speaking
    if found.get("p") is None or n is None:
        return
    if found["test"] == SAMPLED:
        found["n"] = n
    if found.get("is_constant") or found["test"] == SAMPLED:
        found["p"] = None if n < 2 else max(found["p"], 2.0 ** max(1 - n, -1000))
        found["speaking"] = n


def _reason(
    row: Mapping[str, Any], other: Mapping[str, Any], found: Mapping[str, Any], part: Part
) -> str | None:
    """Say why there is no p, or where it comes from unless from the test."""
    if found.get("p") is not None:
        equal = found.get("is_constant") and found["test"] in (PAIRED, BOOTSTRAPPED)
        return row["reason"] or ("all differences are equal; p is that of the sign test" if equal else None)
    if row["value"] is None:
        return str(row["reason"] or "it has no value")
    if other.get("value") is None:
        why = f": {other['reason']}" if other.get("reason") else ""
        return f"the baseline has no value{why}"
    units = part.units
    if units is None or row["metric"] in units.without:
        return "it has no test" if units is None else f"it has no test: {units.without[row['metric']]}"
    if found.get("speaking") is not None or (units.linearized and (found.get("n") or 0) > 1):
        return f"no more than one unit of the {units.kind} has rows that it depends on"
    one = {QUERIES: "query"}.get(units.kind, units.kind.replace("clusters", "cluster", 1))
    return (
        f"only one {one} has a value in both" if found.get("n") else f"no {units.kind} have a value in both"
    )


def _cluster(part: Part) -> str | None:
    """The column whose values are the units, where they are no queries."""
    if part.units is None or not is_clustered(part):
        return None
    return part.units.kind.removeprefix("clusters of ")


def _mdes(engine: Engine, given: Sequence[Sequence[float]], power: float) -> list[float | None]:
    """The minimum detectable effects of (se, df, alpha), in their order."""
    names = ("place", "se", "df", "alpha")
    rows = [
        exp.Tuple(expressions=[literal(i), *(literal(float(v)) for v in one)]) for i, one in enumerate(given)
    ]
    alias = exp.TableAlias(this=exp.to_identifier("given"), columns=[exp.to_identifier(n) for n in names])
    arguments: list[exp.Expr] = [*(exp.column(n) for n in names[1:]), literal(float(power))]
    mde = exp.Anonymous(this="student_t_mde", expressions=arguments)
    query, macros = linked(
        catalog(), exp.select("place", mde.as_("mde")).from_(exp.Values(expressions=rows, alias=alias))
    )
    engine.define(macros)
    return [value for _, value in sorted(engine.rows(query))]


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


def _warning(check: str, message: str, advice: str) -> Finding:
    return Finding(check, WARNING, "", "", 0, (), message, advice)
