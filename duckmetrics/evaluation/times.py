"""Days and hours of points in time, which slices and conditions read in one time zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from duckmetrics.catalog.signature import TIME_ZONE
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.slices import depends_on_zone
from duckmetrics.inputs.sources import ROLES
from duckmetrics.results.findings import NOTE, Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import exp

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.inputs.systems import Attach

# The tables whose columns can be slices.
_SLICED = ("predictions", "truth", "queries")
_ADVICE = "for another zone, write time_zone='Europe/Berlin' (--time-zone Europe/Berlin)"


class Times:
    """Finds out whether the results of a request depend on the time zone.

    Attributes:
        are_read: whether a slice or a condition over the tables so far depends on it.
    """

    def __init__(self, request: Request, engine: Engine) -> None:
        self._request = request
        self._engine = engine
        self.are_read = False

    def look(self, source: Source, role: Role) -> None:
        """Look at a table as the caller has it."""
        self.are_read |= any(depends_on_zone(one, source) for one in self._expressions(role))

    def signed(self, measures: Sequence[Measure], attach: Attach) -> Sequence[Measure]:
        """Return the measures with the zone that their results depend on."""
        for role in ROLES:
            table = self._request.tables[role]
            if table is not None and self._expressions(role):
                for one in table.values() if isinstance(table, Mapping) else (table,):
                    attach(one, role)
        if not self.are_read:
            return measures
        return [replace(measure, time_zone=self._engine.time_zone) for measure in measures]

    @property
    def notes(self) -> list[Finding]:
        """A note with the zone, if results depend on it."""
        if not self.are_read:
            return []
        message = f"times: the days and hours of slices and conditions are those of {self._engine.time_zone}"
        return [Finding(TIME_ZONE, NOTE, "", "", 0, (), f"{message}; {_ADVICE}", _ADVICE)]

    @property
    def statements(self) -> list[str]:
        """The statement that gives a session the zone that the others need, if they need one."""
        zone = literal(self._engine.time_zone).sql(self._engine.dialect)
        return [f"SET TIME ZONE {zone}"] if self.are_read else []

    def _expressions(self, role: Role) -> list[exp.Expr]:
        """Return what the caller computes from the columns of a table: slices, and a condition."""
        condition = self._request.where.get(role)
        slices = self._request.computed.values() if role in _SLICED else ()
        return [*slices, *([] if condition is None else [condition])]
