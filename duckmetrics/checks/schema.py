"""Findings about the schema of the tables, which `evaluate` would refuse before it looks at rows.

A column that is missing or of a wrong type is replaced by one that can be read, so that the checks of
the others can run. The columns that they cannot rely on are noted as doubtful.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from duckmetrics.catalog.definition import CLASSIFICATION, RANKING
from duckmetrics.checks.id_columns import QUERY_ID, IdColumns
from duckmetrics.checks.mended_tables import EVERY, MendedTables, Place
from duckmetrics.checks.number_columns import NumberColumns
from duckmetrics.checks.refusals import Refusals
from duckmetrics.errors import EngineError, InputError
from duckmetrics.inputs.classification import GROUP
from duckmetrics.inputs.columns import ColumnMap
from duckmetrics.inputs.inputs import REFERENCE
from duckmetrics.inputs.request import Request
from duckmetrics.inputs.sources import no_rows
from duckmetrics.inputs.systems import Attach, no_system_column, refuse_unknown_names
from duckmetrics.ranking_inputs.side_tables import MEANINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.results.findings import Finding

Read = Callable[[Request, Attach], "Inputs"]


class Admission:
    """The tables of a request, and what is wrong with them as a whole.

    Args:
        attach: finds a table; a table that does not exist is still an error.
    """

    def __init__(self, request: Request, attach: Attach, engine: Engine) -> None:
        self._request = request
        self._refusals = Refusals(engine, has_truth=request.truth is not None)
        self._tables = MendedTables(request.columns, self._refusals)
        self._ids = IdColumns(self._tables)
        self._numbers = NumberColumns(self._tables)
        given = request.predictions
        parts = given.values() if isinstance(given, Mapping) else [given]
        named: list[tuple[Any, Role]] = [(part, "predictions") for part in parts]
        named += [(request.truth, "truth"), (request.queries, "queries"), (request.population, "population")]
        named += [(request.side_tables[role], role) for role in MEANINGS]
        opened = [self._opened(part, role, attach) for part, role in named if part is not None]
        self._is_open = all(opened)

    @property
    def findings(self) -> Sequence[Finding]:
        """The errors that `evaluate` would refuse before it looks at rows."""
        return self._refusals.findings

    @property
    def doubtful(self) -> set[tuple[str, str]]:
        """(table, column) of each column that cannot be relied on, "*" for all columns of a table."""
        return self._refusals.doubtful

    def inputs(self, families: Iterable[str], measures: Sequence[Measure], read: Read) -> Inputs | None:
        """Fix the columns that can be fixed, and read the tables; return None if they cannot be read at all.

        Args:
            families: the families whose columns are examined.
            read: as `ranking_inputs` and `classification_inputs` do.
        """
        if not self._is_open:
            return None
        self._rows()
        self._mappings()
        self._system()
        if RANKING in families:
            self._rankings()
        if CLASSIFICATION in families:
            self._labels(measures)
        if not self._ids.are_comparable:
            return None
        whole = replace(self._request, columns=self._tables.columns)
        plain = replace(
            whole, by=(), queries=None, population=None, positions=False, history=None, items=None,
            reference=None,
        )  # fmt: skip
        # A frame of pandas has no truth value, so tables are compared by their identity.
        differs = any(getattr(whole, one.name) is not getattr(plain, one.name) for one in fields(whole))
        for request in (whole, plain) if differs else (whole,):
            try:
                return read(request, self._tables.mended)
            except InputError as error:
                self._refusals.add("input", error)
        return None

    def _opened(self, table: Any, role: Role, attach: Attach) -> bool:
        """Find a table; return whether it can be read."""
        try:
            self._tables[id(table), role] = attach(table, role)
        except InputError as error:
            if not isinstance(error.__cause__, EngineError):
                raise
            self._refusals.add("unreadable", error)
            return False
        return True

    # --- tables as a whole -----------------------------------------------------------------------

    def _rows(self) -> None:
        """Find tables without a row; a system without rows is legal if another system has rows."""
        roles: tuple[Role, ...] = ("predictions", "truth", "population", *MEANINGS)
        for role in roles:
            sources = self._tables.of(role)
            if sources and all(source.empty for _, source in sources):
                place, source = sources[0]
                self._tables.refuse("no_rows", place, EVERY, no_rows(source))
                for empty, known in sources:
                    self._tables[empty] = replace(known, empty=False)

    def _mappings(self) -> None:
        """Find names that no table has."""
        tables = self._tables
        for column, name in list(tables.columns.names.items()):
            try:
                refuse_unknown_names(ColumnMap({column: name}), tables.all())
            except InputError as error:
                tables.columns = ColumnMap({c: n for c, n in tables.columns.names.items() if c != column})
                for place, _ in tables.of("predictions", "truth"):
                    tables.refuse("missing_column", place, column, error)

    def _system(self) -> None:
        """Find a table without the column that names the system."""
        name = self._request.system
        for place, source in self._tables.of("predictions"):
            if name is not None and source.find(name) is None:
                self._tables.refuse("missing_column", place, "system", no_system_column(source, name))
                self._request = replace(self._request, system=None)

    # --- families --------------------------------------------------------------------------------

    def _rankings(self) -> None:
        """Examine ids, scores or ranks, and the relevance; without a truth, the labels."""
        self._ids.examine()
        for place, _ in self._tables.of("predictions"):
            if self._ids.listed(place) is None:
                self._numbers.order(place)
            else:
                self._numbers.listed_order(place)
        for place, _ in self._tables.of(REFERENCE):
            if self._ids.listed(place) is None:
                self._numbers.order(place)
        judged = self._tables.of("truth")
        for place, _ in judged or (self._tables.of("predictions") if self._request.needs_truth else ()):
            self._numbers.grade(place, self._request.truth_reader)

    def _labels(self, measures: Sequence[Measure]) -> None:
        """Examine the labels, scores and weights of a classifier, and the groups if a metric reads them."""
        declared = {column for measure in measures for column in measure.metric.inputs["predictions"]}
        for place, source in self._tables.of("predictions"):
            self._numbers.observation(place)
            if GROUP in declared:
                self._ids.examine_one(place, self._group(place, source))

    def _group(self, place: Place, source: Source) -> str:
        """Return the column that groups the rows of a classifier: of groups, or else of queries.

        Args:
            source: the table before its columns of numbers were fixed.
        """
        columns = self._tables.columns
        known = any(columns.given("predictions", c) or source.find(c) for c in (GROUP, QUERY_ID))
        grouped = self._tables.find(place, GROUP) or columns.given("predictions", GROUP)
        return GROUP if grouped or not known else QUERY_ID
