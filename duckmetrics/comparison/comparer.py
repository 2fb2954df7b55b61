"""How parts of an evaluation become a comparison: tests over the units, adjusted p-values, verdicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.comparison.families import (
    OF_SLICING,
    adjust_families,
    families_of,
    joint_rows,
    note_on_looks,
    note_on_samples,
    out_of_reach,
    warning,
    warning_of_test,
)
from duckmetrics.comparison.margins import adjust_margins, verdict_within, with_margins
from duckmetrics.comparison.pairing import (
    OF_OTHER_UNITS,
    UNPAIRED,
    UNPAIRED_RANDOMIZATION,
    Row,
    is_always_valid,
    is_clustered,
    is_of_rows,
    key_of_row,
    of_all_pairs,
    of_systems,
    of_whole,
    refuse_unpaired,
    speakers,
    strangers,
    way_out,
)
from duckmetrics.comparison.rows import (
    ERROR,
    by_system,
    compared_slices,
    comparison_row,
    difference,
    pair_rows,
    raise_to_sign_test,
    reason_arguments,
    refuse_many_units,
    result_of_row,
    shared_units,
    sort_rows,
    tested_samples,
    tested_units,
    verdict_arguments,
)
from duckmetrics.errors import DuckmetricsError, EngineError, InputError, MetricError, suggestion
from duckmetrics.evaluation.session import opened
from duckmetrics.expressions.folding import literal
from duckmetrics.inference.adjustment import NONE
from duckmetrics.inference.units import N_BASELINE
from duckmetrics.inputs.interval_options import MOST_RESAMPLES, PAIRED
from duckmetrics.inputs.request import with_switches
from duckmetrics.results.comparison import Comparison
from duckmetrics.results.pairwise import PairwiseComparison
from duckmetrics.statistics.answers import REASON, VERDICT, answers
from duckmetrics.words.verdicts import MAX_T

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation
    from duckmetrics.evaluation.session import Session
    from duckmetrics.expressions.folding import Value
    from duckmetrics.inputs.interval_options import Inference, Margins
    from duckmetrics.results.comparison import Recounted
    from duckmetrics.results.findings import Finding


# What the values mean next to a difference of the common queries.
OF_ALL = "the values next to it are of all queries of each system"


@dataclass(frozen=True)
class Comparer:
    """Compares the systems of an evaluation with a baseline.

    Attributes:
        test: the file that computes p.
        adjust: how p is corrected.
        power: the power of the test at the minimum detectable effect.
        allow_different: whether only the common queries are compared if the populations differ.
        pairs: whether every pair of systems is compared, not only each with the baseline.
        families: the columns whose values the rows of a family have in common.
        planned: the number of units that an always-valid test is planned for; None for that of its file.
        command: the name of the call in messages.
        margins: the largest differences that do not matter; None if nobody gave one.
    """

    catalog: Catalog
    test: Definition
    adjust: str
    inference: Inference
    power: float
    allow_different: bool
    pairs: bool = False
    families: tuple[str, ...] = OF_SLICING
    planned: int | None = None
    command: str = "compare"
    margins: Margins | None = None

    @property
    def is_unpaired(self) -> bool:
        """Whether the systems have other units than the baseline."""
        return self.test.name in OF_OTHER_UNITS.values()

    def systems(self, session: Session, parts: Sequence[FamilyEvaluation]) -> list[str]:
        """Return the systems in the order of a mapping, then those found in the rows.

        Raises:
            MetricError: there is only one system.
        """
        found = [row["system"] for part in parts for row in part.rows]
        known = list(dict.fromkeys([*session.request.systems, *found]))
        if known == [None]:
            raise MetricError(
                self.command,
                "one system only",
                (
                    "map two or more, as in {'A': 'a.parquet', 'B': 'b.parquet'}, or name the column that "
                    "distinguishes them with system="
                ),
            )
        if len(known) < 2:
            raise MetricError(self.command, f"{known[0]} is the only system", "give a second one")
        return known

    def result(self, session: Session, parts: Sequence[FamilyEvaluation], baseline: str | None) -> Comparison:
        """Compare the systems of parts that were evaluated with units.

        Raises:
            MetricError: one system only, or no such baseline.
            InputError: the systems have values of different queries or rows, or rows that nothing pairs.
        """
        engine = session.engine.results()
        rows, base, told = self.judged(session, parts, baseline)
        of_base, evaluation = [row for row in rows if row["baseline"] == base], session.assembled(parts)
        sliced, of_slices = compared_slices(
            self.catalog, engine, of_base, evaluation.groupings, self.inference.level, parts
        )
        for row in rows:
            del row[ERROR]
        result = Comparison(
            tuple(of_base), base, self.test.name, self.adjust, self.inference.level, evaluation,
            (*told, *of_slices), self.inference.alpha, unpaired=self.is_unpaired, sliced=sliced,
        )  # fmt: skip
        return PairwiseComparison.of(result, pair_rows(rows)) if self.pairs else result

    def judged(
        self, session: Session, parts: Sequence[FamilyEvaluation], baseline: str | None
    ) -> tuple[list[Row], str, list[Finding]]:
        """Return the rows of a comparison, each with `ERROR`, the baseline, and what was found.

        Raises:
            MetricError, InputError: as for `result`.
        """
        known = self.systems(session, parts)
        base = known[0] if baseline is None else baseline
        if base not in known:
            raise MetricError(f"baseline {base!r}", "no such system", suggestion(str(base), known))
        engine = session.engine.results()
        for part in parts:
            refuse_unpaired(part, self.command, self.is_unpaired)
            self._refuse_unfit_test(engine, part)
        order = list(dict.fromkeys([base, *known]))
        told = [*warning_of_test(self.test), *note_on_looks(self.test, self.planned)]
        margins = None if self.margins is None else self.margins.of(_measures(parts))
        rows: list[Row] = []
        for part in parts:
            told += note_on_samples(part)
            resamples = self.enough(parts, order)
            found, differing = self._of_part(engine, part, order, resamples)
            told += differing
            if margins is not None:
                values = self.values(base, resamples)
                found = with_margins(self.catalog, engine, part, found, margins, self.test.name, values)
            rows += found
        sort_rows(rows, order)
        self._judge(engine, parts, rows, base)
        return rows, base, [*told, *out_of_reach(rows, self.adjust, self.inference.alpha)]

    def _judge(
        self, engine: Engine, parts: Sequence[FamilyEvaluation], rows: list[Row], baseline: str
    ) -> None:
        """Adjust the p-values of every family, and add the verdicts, in place."""
        joint = None
        if self.adjust == MAX_T:
            joint = joint_rows(self.catalog, engine, parts, baseline, self.inference)
        adjust_families(
            self.catalog, engine, rows, self.adjust, self.inference, self.power, self.families, joint
        )
        if self.margins is not None:
            adjust_margins(self.catalog, engine, rows, self.adjust, self.families)
        read = verdict_arguments(rows, self.test, self.inference.alpha)
        for row, found in zip(rows, answers(self.catalog, engine, VERDICT, read), strict=True):
            row["verdict"] = verdict_within(row, found["verdict"], self.inference.alpha)

    def enough(self, parts: Sequence[FamilyEvaluation], order: Sequence[str]) -> int:
        """Return the number of resamples of the test: the usual one, or more for the largest family."""
        compared = [row for part in parts for row in part.rows if row["system"] != order[0]]
        families = map(len, families_of(compared, self.families).values())
        comparisons = max(families, default=1) if self.adjust not in (NONE, MAX_T) else 1
        if self.pairs and self.adjust != NONE:
            comparisons = comparisons * len(order) // 2
        return self.inference.enough(comparisons, self.inference.resamples, MOST_RESAMPLES)

    def _refuse_unfit_test(self, engine: Engine, part: FamilyEvaluation) -> None:
        """Refuse tests of single units if these are linearized, or have values that the test cannot use."""
        self._refuse_samples(part)
        if part.units is None or not part.units.measures:
            return
        if self.test.name == UNPAIRED_RANDOMIZATION:
            counted = exp.select(exp.Count(this=exp.Star())).from_(part.units.query.subquery("units"))
            refuse_many_units(engine.rows(counted)[0][0])
        if "warning" in self.test.header and part.units.linearized:
            raise MetricError(
                "test",
                (
                    f"{self.test.name} counts units that are better, and a unit of a classifier has no value "
                    "of its own"
                ),
                "use t, randomization or bootstrap",
            )
        for condition in self.test.requires.values():
            unfit = exp.select(literal(1)).from_(part.units.each(self.test.name).subquery("units"))
            unfit = unfit.where(exp.not_(condition.copy())).limit(1)
            if engine.rows(unfit):
                raise MetricError(
                    "test",
                    (
                        f"{self.test.name} needs {condition.sql('duckdb')} of every query, and there are "
                        "other values"
                    ),
                    "use it for metrics of hits and misses, or another test",
                )

    def _refuse_samples(self, part: FamilyEvaluation) -> None:
        """Refuse an always-valid test of metrics whose p comes from bootstrap samples."""
        if part.units is None or part.units.samples is None or not is_always_valid(self.test):
            return
        raise MetricError(
            ", ".join(part.units.samples.units.measures),
            f"p comes from bootstrap samples, and does not hold at every look as {self.test.name} does",
            "leave the metric out, or look once with another test",
        )

    def _of_part(
        self, engine: Engine, part: FamilyEvaluation, order: Sequence[str], resamples: int
    ) -> tuple[list[Row], list[Finding]]:
        """Compare the systems of a part: all with the first; for pairs, each with those after it."""
        of_pairs: list[Row] | None = None
        if of_all_pairs(self.test):
            values = self.values(order[0], resamples)
            of_pairs = tested_units(self.catalog, engine, part, self.test, values)
        rows = self._compared(engine, part, order[0], resamples, of_pairs)
        told = self._different(engine, part, rows, order[0])
        for place, baseline in enumerate(order[1:-1] if self.pairs else (), 1):
            later = of_systems(part, order[place:])
            found = self._compared(engine, later, baseline, resamples, of_pairs)
            rows += [row for row in found if row["system"] != baseline]
            told += self._different(engine, later, found, baseline)
        return rows, told

    def _compared(
        self,
        engine: Engine,
        part: FamilyEvaluation,
        baseline: str,
        resamples: int,
        of_pairs: list[Row] | None,
    ) -> list[Row]:
        """Return the rows of the comparison of one part with a baseline.

        Args:
            of_pairs: the rows of the test, if it looks at all pairs of systems.
        """
        paired = self.catalog.statistics[UNPAIRED if self.is_unpaired else PAIRED]
        values = self.values(baseline, resamples)
        tested = tested_units(self.catalog, engine, part, paired, values)
        differences = special = by_system(part, tested, baseline)
        if self.test is not paired:
            if of_pairs is None:
                tested = tested_units(self.catalog, engine, part, self.test, values)
            special = by_system(part, tested if of_pairs is None else of_pairs, baseline)
        sampled = tested_samples(self.catalog, engine, part, baseline)
        spoken = speakers(engine, part)
        bases = {key_of_row(part, row)[1:]: row for row in part.rows if row["system"] == baseline}
        results, arguments = [], []
        for row in part.rows:
            key = key_of_row(part, row)
            other = bases.get(key[1:], {})
            found = result_of_row(row, part, self.test, differences.get(key, {}), special.get(key, {}))
            if key in sampled:
                found = of_whole(row, other, sampled[key], part)
            if self.is_unpaired:
                found.setdefault(N_BASELINE, None)
            known = [spoken[k] for k in (key, (baseline, *key[1:])) if k in spoken]
            raise_to_sign_test(found, min(known, default=None))
            if part.per_query is None and found.get("delta") is None:
                found["delta"] = difference(row, other)
            results.append(found)
            arguments.append(reason_arguments(row, other, found, part))
        told = answers(self.catalog, engine, REASON, arguments)
        return [
            comparison_row(row, part, found, why["verdict_reason"], baseline, self.adjust, self.inference)
            for row, found, why in zip(part.rows, results, told, strict=True)
        ]

    def values(self, baseline: str, resamples: int) -> dict[str, Value]:
        """Return the parameters that a test may have."""
        planned = {} if self.planned is None else {"planned": self.planned}
        return {
            **self.inference.values(), "resamples": resamples, "alpha": self.inference.alpha,
            "power": self.power, "baseline": baseline, **planned,
        }  # fmt: skip

    def _different(
        self, engine: Engine, part: FamilyEvaluation, rows: Iterable[Row], baseline: str
    ) -> list[Finding]:
        """Refuse to compare values of different queries or rows, unless that is what was asked for.

        Classifiers, and queries in clusters, are refused with `allow_different`, too: the common part is
        not known.
        """
        if self.is_unpaired:
            return shared_units(self.catalog, engine, part.units, baseline)
        found = []
        for row, number, kind in strangers(self.catalog, engine, part, rows, baseline):
            place = f" in a slice by {row['slice']}" if row["slice"] else ""
            what = (
                f"{row['system']} and {baseline} have values of different "
                f"{'rows' if is_of_rows(part) else 'queries'}{place}: {number} {kind}"
            )
            if not self.allow_different or part.per_query is None or is_clustered(part):
                raise InputError(row["metric"], what, way_out(part, self.command))
            common = f"the differences are of the {row['n_units'] or 0} that are common"
            found.append(warning("different_population", f"{row['metric']}: {what}; {common}", OF_ALL))
        return found


def _measures(parts: Iterable[FamilyEvaluation]) -> list[Measure]:
    return [measure for part in parts for measure in part.measures]


@dataclass(frozen=True)
class Recounting:
    """Compares again without slices.

    Attributes:
        session: the session of the comparison.
        specs: the metrics as typed.
        baseline: the system that the others are compared with.
    """

    comparer: Comparer
    session: Session
    specs: Sequence[str]
    baseline: str

    def __call__(self, switches: Mapping[str, Any]) -> Recounted:
        """Return the rows with other switches, or the error that says why there are none."""
        known = self.session
        try:
            request = with_switches(known.catalog, replace(known.request, by=(), computed={}), switches)
            with opened(request, known.engine, keep=False, tables=known.tables) as session:
                parts = session.parts(session.measures(self.specs))
                comparer = replace(self.comparer, pairs=False)
                return comparer.result(session, parts, self.baseline).rows
        except EngineError:
            raise
        except DuckmetricsError as error:
            return error
