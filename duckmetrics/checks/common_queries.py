"""Systems that share no query with the truth, or have no rows: nothing shows how good they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from duckmetrics.catalog.definition import RANKING
from duckmetrics.checks.examination import Examination
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import rows_of
from duckmetrics.results.findings import ERROR, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs

# The check that refuses tables without a common query.
NO_COMMON_QUERY = "no_common_query"


def without_common_query(
    catalog: Catalog,
    engine: Engine,
    inputs: Inputs,
    measures: Sequence[Measure],
    systems: Iterable[str],
    compares: bool = True,
) -> list[Finding]:
    """Return an error for each of these systems that shares no query with the truth.

    Args:
        compares: whether a system without any row is an error, too; if not, all of its queries are missing.
    """
    found: list[Finding] = []
    label = inputs.labels["predictions"]
    for system in systems if inputs.has_truth else ():
        rows = rows_of(inputs.unsliced["predictions"].subquery("predictions"), "system", system)
        labels = {**inputs.labels, "predictions": f"{label}, system {system}"}
        own = replace(inputs, queries={**inputs.queries, "predictions": rows}, rows=None, labels=labels)
        if engine.rows(rows.limit(1)):
            found += Examination(catalog, engine, own, measures).run(
                [catalog.checks[RANKING, NO_COMMON_QUERY]]
            )
        elif compares:
            error = InputError(labels["predictions"], "no rows", "check how it was exported")
            found.append(Finding("no_rows", ERROR, label, "", 1, (), str(error), error.advice))
    return found
