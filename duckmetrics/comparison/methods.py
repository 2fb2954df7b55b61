"""How a difference is tested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.catalog import unknown_test
from duckmetrics.errors import MetricError
from duckmetrics.expressions.numbers import whole_number
from duckmetrics.inference.units import DIFFERENCES
from duckmetrics.sentences.families import MAX_T

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.evaluation.family_evaluation import FamilyEvaluation

# The test that computes n, effect sizes and intervals of the differences; another test may compute p.
PAIRED = "paired_t"
RANDOMIZATION = "randomization_test"
# The tests of systems that were evaluated on other units; only a caller chooses them. The first one also
# computes n and the intervals of the differences.
UNPAIRED, UNPAIRED_RANDOMIZATION = "unpaired_t", "unpaired_randomization"
OF_OTHER_UNITS = {
    PAIRED: UNPAIRED, "t": UNPAIRED, UNPAIRED: UNPAIRED, "randomization": UNPAIRED_RANDOMIZATION,
    RANDOMIZATION: UNPAIRED_RANDOMIZATION, UNPAIRED_RANDOMIZATION: UNPAIRED_RANDOMIZATION,
}  # fmt: skip
ASK_UNPAIRED = "set unpaired=True (--unpaired) if the systems have other users, weeks or countries"
BOOTSTRAPPED = "paired_bootstrap"
# The name of the test where p comes from the whole metric, computed again on samples.
SAMPLED = "bootstrap_samples"
# The parameter of tests that hold at every look at growing data: the number of units they are planned for.
PLANNED = "planned"


def find_test(catalog: Catalog, name: str, unpaired: bool = False) -> Definition:
    """Return the test that a word means, such as randomization.

    Args:
        unpaired: whether the systems have other units.

    Raises:
        MetricError: no such test, or a test that does not fit the units.
    """
    if unpaired:
        return _unpaired_test(catalog, str(name))
    wanted = str(name).lower().replace("-", "_")
    if wanted in OF_OTHER_UNITS.values():
        raise MetricError("test", f"{wanted} is for systems with other units", ASK_UNPAIRED)
    known = {n: d for n, d in catalog.statistics.items() if _is_paired(catalog, d)}
    near = [n for n in known if wanted in (n, *n.split("_"))]
    if wanted == MAX_T:
        raise MetricError("test", "max_t adjusts p, and is not a test", "use adjust='max_t' (--adjust max_t)")
    if len(near) != 1 and wanted not in known:
        raise MetricError("test", *unknown_test("test", str(name), known))
    return known[wanted if wanted in known else near[0]]


def _unpaired_test(catalog: Catalog, name: str) -> Definition:
    chosen = OF_OTHER_UNITS.get(name.lower().replace("-", "_"))
    if chosen is None:
        raise MetricError(
            "test",
            f"{name} compares the same units, and unpaired=True says that these are other units",
            "leave test out for Welch's t-test of other units, or use test='randomization'",
        )
    return catalog.statistics[chosen]


def _is_paired(catalog: Catalog, definition: Definition) -> bool:
    """Return whether a test compares systems query by query: with a baseline, or all pairs of them.

    A file that adjusts p for several comparisons is a method of adjustment.
    """
    columns = definition.query.named_selects
    if "p" not in columns or "p_adjusted" in columns:
        return False
    read = {known.name for known in catalog.foundations(definition)}
    return DIFFERENCES in {*definition.tables, *read} or of_all_pairs(definition)


def of_all_pairs(definition: Definition) -> bool:
    """Return whether a test looks at every pair of systems, so that it holds for all of them together."""
    return "other" in definition.query.named_selects


def is_always_valid(definition: Definition) -> bool:
    """Return whether a test holds at every look at growing data."""
    return PLANNED in definition.own_params


def read_planned(test: Definition, planned: Any) -> int | None:
    """Read the number of units that a test is planned for.

    Raises:
        MetricError: it is not a positive whole number, or the test has no plan.
    """
    if planned is None:
        return None
    if whole_number(planned) < 1:
        raise MetricError(
            f"planned={planned!r}", "not a number of units", "write a whole number such as 1000"
        )
    if not is_always_valid(test):
        raise MetricError(
            "planned",
            f"{test.name} looks once and has no plan",
            "use test='always_valid' (--test always_valid)",
        )
    return whole_number(planned)


def lower_is_better(part: FamilyEvaluation, row: Mapping[str, Any]) -> bool:
    return next(measure for measure in part.measures if measure.text == row["metric"]).lower_is_better
