"""Findings about the schema of the tables, which `evaluate` would refuse before it looks at rows.

A column that is missing or of a wrong type is replaced by one that can be read, so that the checks of
the others can run. The columns that they cannot rely on are noted as doubtful.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, RANKING
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.build import cast_to, quoted, try_cast
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.classification import GROUP
from duckmetrics.inputs.columns import (
    WEIGHT,
    ColumnMap,
    Key,
    grade_expression,
    key_of,
    missing_column,
    number_expression,
    same_kind,
    score_expression,
)
from duckmetrics.inputs.inputs import HISTORY, ITEMS, REFERENCE
from duckmetrics.inputs.lists import items_of, list_column
from duckmetrics.inputs.ranking import MEANINGS
from duckmetrics.inputs.ranking_tables import no_labels
from duckmetrics.inputs.request import Request
from duckmetrics.inputs.sources import Role, Source, no_rows
from duckmetrics.inputs.systems import Attach, no_system_column, refuse_unknown_names
from duckmetrics.results.findings import ERROR, EXAMPLES, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.inputs import Inputs


class Refusals:
    """Collects the findings, and the columns that the checks of rows cannot rely on.

    Args:
        has_truth: whether there is a truth table; if not, the truth comes from the predictions.

    Attributes:
        findings: in the order in which they were found, each once.
        doubtful: (table, column) of each column that cannot be relied on.
    """

    def __init__(self, engine: Engine, has_truth: bool) -> None:
        self.findings: list[Finding] = []
        self.doubtful: set[tuple[str, str]] = set()
        self._engine = engine
        self._has_truth = has_truth

    def add(
        self,
        check: str,
        error: InputError,
        table: str = "",
        column: str = "",
        count: int = 1,
        examples: tuple[str, ...] = (),
    ) -> None:
        """Add an error as a finding, unless there is one with the same message."""
        shown = f" ({'; '.join(examples)})" if examples else ""
        message = str(InputError(error.where, f"{error.what}{shown}", error.advice))
        found = Finding(check, ERROR, table, column, count, examples, message, error.advice)
        if all(finding.message != found.message for finding in self.findings):
            self.findings.append(found)

    def add_column(
        self,
        check: str,
        source: Source,
        role: Role,
        column: str,
        error: InputError,
        name: str | None = None,
        doubtful: bool = True,
        sides: Sequence[tuple[Source, str]] = (),
    ) -> None:
        """Add a finding about a column, the first one about it, with some of its values.

        Args:
            column: the canonical column.
            name: the user's column, if it has values.
            doubtful: whether the column cannot be relied on even after it was fixed.
            sides: the columns with values, where these are of several tables.
        """
        is_news = (role, column) not in self.doubtful
        if doubtful:
            self._doubt(role, column)
        if not is_news:
            return
        sides = sides or ([(source, name)] if name else [])
        examples = tuple(example for at, of in sides for example in self._examples(at, of))
        rows = exp.select(exp.Count(this=exp.Star())).from_(source.relation.copy())
        (count,) = self._engine.rows(rows)[0]
        self.add(check, error, source.label, name or column, count, examples)

    def _doubt(self, role: Role, column: str) -> None:
        self.doubtful.add((role, column))
        if role == "predictions" and not self._has_truth:
            self.doubtful.add(("truth", {"label": "relevance"}.get(column, column)))

    def _examples(self, source: Source, name: str) -> list[str]:
        """Return three values of a column, first those that are not numbers."""
        value = quoted(name)
        number = try_cast(exp.cast(value.copy(), "VARCHAR"), "DOUBLE")
        is_number = exp.not_(exp.Is(this=number, expression=exp.null()))
        known = exp.select(value.as_("v"), is_number.as_("is_number")).distinct()
        known = known.from_(source.relation.copy()).where(exp.column("v").is_(exp.null()).not_())
        query = exp.select("v").from_(known.subquery("known")).order_by("is_number", "v")
        values = [row[0] for row in self._engine.rows(query.limit(literal(EXAMPLES)))]
        return [f"{name}={v!r}" if isinstance(v, str) else f"{name}={v}" for v in values]


def refusal(attempt: Callable[..., object], *arguments: object) -> InputError | None:
    """Return the error that refuses a reading of the tables, None if there is none."""
    try:
        attempt(*arguments)
    except InputError as error:
        return error
    return None


# The identity of a table argument, and its role.
Place = tuple[int, Role]
EVERY = "*"
FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")


class MendedTables:
    """The tables of a request, and the columns that were fixed in them.

    Attributes:
        columns: the user's names for the canonical columns, without those that make no sense.
        refusals: the problems of the tables.
    """

    def __init__(self, columns: ColumnMap, refusals: Refusals) -> None:
        self.columns = columns
        self.refusals = refusals
        self._sources: dict[Place, Source] = {}

    def __getitem__(self, place: Place) -> Source:
        return self._sources[place]

    def __setitem__(self, place: Place, source: Source) -> None:
        self._sources[place] = source

    def mended(self, table: Any, role: Role) -> Source:
        """Return a table with its fixed columns."""
        return self._sources[id(table), role]

    def of(self, *roles: Role) -> list[tuple[Place, Source]]:
        """Return the tables of some roles."""
        return [(place, source) for place, source in self._sources.items() if place[1] in roles]

    def all(self) -> list[Source]:
        """Return the tables of all roles."""
        return list(self._sources.values())

    def find(self, place: Place, column: str) -> str | None:
        """Return the user's column for a canonical one, None if the table lacks it."""
        try:
            return self.columns.find(self._sources[place], place[1], column)
        except InputError:
            return None

    def refuse(
        self,
        check: str,
        place: Place,
        column: str,
        error: InputError,
        name: str | None = None,
        doubtful: bool = True,
        sides: Sequence[tuple[Place, str]] = (),
    ) -> None:
        """Report an error of a column; see `Refusals.add_column`."""
        values = [(self._sources[at], of) for at, of in sides]
        source, role = self._sources[place], place[1]
        self.refusals.add_column(check, source, role, column, error, name, doubtful, values)

    def add_missing(self, place: Place, column: str, error: InputError) -> None:
        """Report that a table lacks a column of numbers, and add one."""
        self.refuse("missing_column", place, column, error)
        name = self.columns.given(place[1], column) or column
        self.replace(place, name, exp.cast(exp.null(), "DOUBLE"), "DOUBLE")

    def make_text(self, place: Place, part: str, is_list: bool) -> None:
        """Convert an id to text: equal ids stay equal, and whole numbers have the same text in all types."""
        source = self._sources[place]
        name = source.find(part) or part
        type_, value = source.columns[name], quoted(name)
        if is_list:
            self.replace(place, name, exp.cast(value, "VARCHAR[]", dialect=DIALECT), "VARCHAR[]")
            return
        text: exp.Expr = exp.cast(value, "VARCHAR")
        if type_.startswith(FRACTIONS):
            whole = try_cast(value.copy(), exp.DataType.build("HUGEINT", dialect=DIALECT))
            same = exp.EQ(this=whole, expression=value.copy())
            text = exp.Case().when(same, exp.cast(whole.copy(), "VARCHAR")).else_(text)
        self.replace(place, name, text, "VARCHAR")

    def replace(self, place: Place, name: str, value: exp.Expr, type_: str) -> None:
        """Replace a column of a table, or add it."""
        source = self._sources[place]
        known = source.find(name)
        others = [quoted(column) for column in source.columns if column != known]
        mended = exp.select(*others, value.as_(known or name, quoted=True)).from_(source.relation.copy())
        self._sources[place] = replace(
            source, relation=mended.subquery("mended"), columns={**source.columns, known or name: type_},
            statistics=False, rowid=False, ordered=source.ordered or source.rowid,
        )  # fmt: skip


QUERY_ID, ITEM_ID = "query_id", "item_id"
_WITH_QUERIES: tuple[Role, ...] = ("predictions", "truth", "queries", "population", HISTORY, REFERENCE)
_WITH_ITEMS: tuple[Role, ...] = ("predictions", "truth", HISTORY, ITEMS, REFERENCE)
# The column that lists the items of a query.
_LISTS: dict[Role, str] = {"predictions": "items", "truth": "relevant", HISTORY: "items", REFERENCE: "items"}


class IdColumns:
    """Examines and fixes the ids of the tables.

    Attributes:
        are_comparable: whether an id is made of the same number of columns in all tables.
    """

    def __init__(self, tables: MendedTables) -> None:
        self._tables = tables
        self._retyped: set[tuple[Place, str]] = set()
        self.are_comparable = True

    def examine(self) -> None:
        """Find ids that are missing, of types that cannot be ids, or of different kinds."""
        for column, roles in ((QUERY_ID, _WITH_QUERIES), (ITEM_ID, _WITH_ITEMS)):
            keys: list[tuple[Place, Key]] = []
            for place, _ in self._tables.of(*roles):
                self.examine_one(place, column)
                keys.append((place, self._key(place, column)))
            self._same_kind(column, keys)

    def examine_one(self, place: Place, column: str) -> None:
        """Examine and fix the columns that make up an id in one table."""
        tables = self._tables
        for part in self._parts(place, column):
            source = tables[place]
            if source.find(part) is None:
                if missing := refusal(self._key, place, column):
                    tables.refuse("missing_column", place, column, missing)
                tables.replace(place, part, cast_to(None, "VARCHAR"), "VARCHAR")
                continue
            is_list = self.listed(place, column) is not None
            values = items_of(source, part) if is_list else source
            error = refusal(key_of, values, ColumnMap({column: part}), place[1], column)
            if error is not None:
                tables.refuse("id_type", place, column, error, part, doubtful=False)
                self._retyped.add((place, column))
                tables.make_text(place, part, is_list)

    def listed(self, place: Place, column: str = ITEM_ID) -> str | None:
        """Return the list column that holds the items, None if a column holds one item."""
        source, role = self._tables[place], place[1]
        name = _LISTS.get(role)
        if column != ITEM_ID or name is None:
            return None
        columns = self._tables.columns
        if columns.given(role, name) is None and self._tables.find(place, column) is not None:
            return None
        return list_column(source, columns, role, name)

    def _same_kind(self, column: str, keys: Sequence[tuple[Place, Key]]) -> None:
        """Make ids text if they are of different kinds; a CAST by the user does the same."""
        doubtful = self._tables.refusals.doubtful
        sure = [
            (place, key) for place, key in keys
            if (place[1], column) not in doubtful and (place, column) not in self._retyped
        ]  # fmt: skip
        for place, key in sure[1:]:
            error = refusal(same_kind, sure[0][1], key, column)
            if error is not None:
                sides = [(at, side.parts[0]) for at, side in (sure[0], (place, key))]
                self._tables.refuse("id_kinds", place, column, error, doubtful=False, sides=sides)
                break
        self.are_comparable &= len({len(key.parts) for _, key in keys}) == 1
        if len({key.kinds for _, key in keys}) > 1:
            for place, _ in keys:
                for part in self._parts(place, column):
                    self._tables.make_text(place, part, self.listed(place, column) is not None)

    def _key(self, place: Place, column: str) -> Key:
        source, listed = self._tables[place], self.listed(place, column)
        if listed is None:
            return key_of(source, self._tables.columns, place[1], column)
        return key_of(items_of(source, listed), ColumnMap({column: listed}), place[1], column)

    def _parts(self, place: Place, column: str) -> tuple[str, ...]:
        """Return the user's columns that make up an id."""
        found = self.listed(place, column) or self._tables.find(place, column)
        mapped = self._tables.columns.given(place[1], column) or column
        return (found,) if found is not None else tuple(part.strip() for part in mapped.split("+"))


class NumberColumns:
    """Examines and fixes the columns of numbers."""

    def __init__(self, tables: MendedTables) -> None:
        self._tables = tables

    def order(self, place: Place) -> None:
        """Examine the score or rank of a row."""
        tables, role = self._tables, place[1]
        score, rank = tables.find(place, "score"), tables.find(place, "rank")
        error = refusal(score_expression, tables[place], tables.columns, role)
        if error is not None and score is not None and rank is not None and not self._is_chosen(role):
            tables.refuse("two_orders", place, "score", error)
            tables.columns = ColumnMap({**tables.columns.names, f"{role}.score": score})
        elif error is not None and score is None and rank is None:
            tables.add_missing(place, "score", error)
        if score is not None or rank is not None:
            self._number(place, "score", str(score if score is not None else rank))

    def listed_order(self, place: Place) -> None:
        """Examine the scores next to a list of items."""
        scores = list_column(self._tables[place], self._tables.columns, "predictions", "scores")
        if scores is not None:
            self._number(place, "score", scores, is_list=True)

    def grade(self, place: Place, reader: str) -> None:
        """Examine the relevance of the truth, or the label of a prediction.

        Args:
            reader: the metric that needs it, for messages.
        """
        order = ("relevance", "label") if place[1] == "truth" else ("label", "relevance")
        found = (self._tables.find(place, column) for column in order)
        name = next((name for name in found if name is not None), None)
        if name is not None:
            self._number(place, "relevance", name, graded=True)
        elif place[1] == "predictions":
            source = self._tables[place]
            self._tables.add_missing(place, "label", no_labels(source, reader))

    def observation(self, place: Place) -> None:
        """Examine the label, score and weight of a row of a classifier."""
        source = self._tables[place]
        for column in ("label", "score"):
            name = self._tables.find(place, column)
            if name is None:
                self._tables.add_missing(place, column, missing_column(source, column, "predictions"))
            else:
                self._number(place, column, name, graded=column == "label")
        weight = self._tables.find(place, WEIGHT)
        if weight is not None:
            self._number(place, WEIGHT, weight)

    def _is_chosen(self, role: Role) -> bool:
        """Return whether the caller names either the score or the rank."""
        given = self._tables.columns.given
        return sum(given(role, column) is not None for column in ("score", "rank")) == 1

    def _number(
        self, place: Place, column: str, name: str, graded: bool = False, is_list: bool = False
    ) -> None:
        """Fix a column that should hold numbers."""
        source = self._tables[place]
        read = grade_expression if graded else number_expression
        error = refusal(read, items_of(source, name) if is_list else source, name)
        if error is not None:
            type_ = "DOUBLE[]" if is_list else "DOUBLE"
            self._tables.refuse(f"{column}_type", place, column, error, name)
            number = try_cast(quoted(name), exp.DataType.build(type_, dialect=DIALECT))
            self._tables.replace(place, name, number, type_)


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
