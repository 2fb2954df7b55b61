"""The ranks of the relevant items among sampled candidates, counted where the rankings are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.build import everything

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs

# Ranks are above it; 0 and below stand for the rank of a query that has none, see
# sql/sampling/queries.sql.
MISSING = 0


@dataclass(frozen=True)
class SampledRanks:
    """The number of queries of each rank, under the conventions that some measures share.

    Attributes:
        histograms: system -> rank, or the number in its place -> number of queries.
        n_missing: system -> number of queries without predictions.
        candidates: the smallest and the largest number of candidates of a query; None where there are none.
        grades: the smallest and the largest grade of a relevant item.
    """

    measures: tuple[Measure, ...]
    histograms: dict[str, dict[int, int]]
    n_missing: dict[str, int]
    candidates: tuple[int, int] | None
    grades: tuple[float, float]

    def shares(self) -> dict[str, dict[int, float]]:
        """Return system -> rank -> its share of the queries with a rank, for systems that have ranks."""
        ranked = {
            system: {rank: n for rank, n in histogram.items() if rank > MISSING}
            for system, histogram in self.histograms.items()
        }
        return {
            system: {rank: n / sum(counts.values()) for rank, n in counts.items()}
            for system, counts in ranked.items() if counts
        }  # fmt: skip


def sampled_ranks(
    catalog: Catalog, engine: Engine, inputs: Inputs, measures: Sequence[Measure]
) -> list[SampledRanks]:
    """Count the ranks among the candidates, once for the measures that rank in the same way."""
    composer = inputs.composer(catalog)
    definition = catalog.sampling["sampled_ranks"]
    alike: dict[str, list[Measure]] = {}
    for measure in measures:
        query = composer.resolved(definition, {**measure.values, "depth": None})
        alike.setdefault(composer.step(definition.name, query), []).append(measure)
    found = []
    for step, those in alike.items():
        table = engine.name(step)
        engine.keep(table, composer.complete(everything(step)))
        found.append(_read(tuple(those), engine.rows(engine.kept(table).order_by("system", "place"))))
    return found


def _read(measures: tuple[Measure, ...], rows: Sequence[tuple[Any, ...]]) -> SampledRanks:
    histograms: dict[str, dict[int, int]] = {}
    n_missing: dict[str, int] = {}
    for system, place, n, missing, *_ in rows:
        histograms.setdefault(system, {})[place] = n
        n_missing[system] = n_missing.get(system, 0) + missing
    extremes = [row[4:] for row in rows if row[4] is not None]
    if not extremes:
        return SampledRanks(measures, histograms, n_missing, None, (1.0, 1.0))
    fewest, most, lowest, highest = zip(*extremes, strict=True)
    return SampledRanks(
        measures, histograms, n_missing, (min(fewest), max(most)), (min(lowest), max(highest))
    )
