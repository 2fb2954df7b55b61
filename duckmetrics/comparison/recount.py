"""A comparison made again with other switches, on the tables that are attached already."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import DuckmetricsError, EngineError
from duckmetrics.evaluation.session import opened
from duckmetrics.inputs.request import with_switches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckmetrics.comparison.comparer import Comparer
    from duckmetrics.evaluation.session import Session
    from duckmetrics.results.otherwise import Recounted


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
            with opened(request, known.engine, keep=False, attached=dict(known.attached)) as session:
                parts = session.parts(session.measures(self.specs))
                comparer = replace(self.comparer, pairs=False)
                return comparer.result(session, parts, self.baseline).rows
        except EngineError:
            raise
        except DuckmetricsError as error:
            return error
