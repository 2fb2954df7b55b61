"""What would be refused at the door, as findings; and the tables as far as they can be read.

A column that is missing or of a wrong type is replaced by one that can be read, so that the checks of
the others can run; what they cannot rely on is written down as doubtful.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, RANKING
from duckmetrics.errors import EngineError, InputError
from duckmetrics.expressions.build import quoted
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs import values
from duckmetrics.inputs.classification import GROUP, WEIGHT
from duckmetrics.inputs.columns import ColumnMap, missing_column
from duckmetrics.inputs.ids import Key, key_of, same_kind
from duckmetrics.inputs.lists import items_of, list_column
from duckmetrics.inputs.request import Request
from duckmetrics.inputs.sources import Role, Source
from duckmetrics.inputs.systems import Attach, refuse_unknown_names
from duckmetrics.results.findings import ERROR, EXAMPLES, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckmetrics.catalog.measure import Measure
    from duckmetrics.engines.engine import Engine
    from duckmetrics.inputs.request import Inputs

Place = tuple[int, Role]
Read = Callable[[Request, Attach], "Inputs"]
IDS = ("query_id", "item_id")
EVERY = "*"
FRACTIONS = ("FLOAT", "DOUBLE", "DECIMAL")


class Admission:
    """The tables of a request, and what is wrong with them as a whole.

    Args:
        attach: finds a table; one that is not there is still an error.

    Attributes:
        findings: what `evaluate` would refuse before it looks at rows.
        doubtful: (table, column) of what cannot be relied on, "*" for all columns of a table.
    """

    def __init__(self, request: Request, attach: Attach, engine: Engine) -> None:
        self.request = request
        self.columns = request.columns
        self.engine = engine
        self.findings: list[Finding] = []
        self.doubtful: set[tuple[str, str]] = set()
        self._attach = attach
        self._sources: dict[Place, Source] = {}
        self._retyped: set[tuple[Place, str]] = set()
        given = request.predictions
        parts = given.values() if isinstance(given, Mapping) else [given]
        named: list[tuple[Any, Role]] = [(part, "predictions") for part in parts]
        named += [(request.truth, "truth"), (request.queries, "queries"), (request.population, "population")]
        opened = [self._opened(part, role) for part, role in named if part is not None]
        self._is_open = all(opened)

    def inputs(self, families: Iterable[str], measures: Sequence[Measure], read: Read) -> Inputs | None:
        """Mend what can be mended and read the tables; None if they cannot be read at all.

        Args:
            families: whose columns are looked at.
            read: as `gather` and `observe` do.
        """
        if not self._is_open:
            return None
        self._rows()
        self._mappings()
        self._system()
        if RANKING in families:
            self._ids()
            self._orders()
            self._grades()
        if CLASSIFICATION in families:
            self._observations(measures)
        if not self._is_open:
            return None
        whole = replace(self.request, columns=self.columns)
        plain = replace(whole, by=(), queries=None, population=None, positions=False)
        for request in (whole, plain) if whole != plain else (whole,):
            try:
                return read(request, self.attach)
            except InputError as error:
                self._told("input", error)
        return None

    def attach(self, table: Any, role: Role) -> Source:
        """Return a table as it was mended."""
        return self._sources[id(table), role]

    def lacks(self, column: str) -> bool:
        """Say whether no table of predictions has a column."""
        sources = [source for (_, role), source in self._sources.items() if role == "predictions"]
        mapped = self.columns.given("predictions", column) or column
        return not any(source.find(p.strip()) for source in sources for p in (mapped, *mapped.split("+")))

    # --- the tables ------------------------------------------------------------------------------

    def _opened(self, table: Any, role: Role) -> bool:
        """Find a table; say whether it can be read."""
        try:
            self._sources[id(table), role] = self._attach(table, role)
        except InputError as error:
            if not isinstance(error.__cause__, EngineError):
                raise
            self._told("unreadable", error)
            return False
        return True

    def _of(self, *roles: Role) -> list[tuple[Place, Source]]:
        return [(place, source) for place, source in self._sources.items() if place[1] in roles]

    def _rows(self) -> None:
        """Tables without a row; a system without one is legal beside others."""
        for role in ("predictions", "truth", "population"):
            sources = self._of(role)
            if sources and all(source.empty for _, source in sources):
                place, source = sources[0]
                error = InputError(f"{source.label}: no rows; check how it was exported")
                self._refuse("no_rows", place, EVERY, error)
                for empty, known in sources:
                    self._sources[empty] = replace(known, empty=False)

    def _mappings(self) -> None:
        """Names that no table has."""
        sources = [source for _, source in self._sources.items()]
        for column, name in list(self.columns.names.items()):
            try:
                refuse_unknown_names(ColumnMap({column: name}), sources)
            except InputError as error:
                self.columns = ColumnMap({c: n for c, n in self.columns.names.items() if c != column})
                for place, _ in self._of("predictions", "truth"):
                    self._refuse("missing_column", place, column, error)

    def _system(self) -> None:
        name = self.request.system
        for place, source in self._of("predictions") if name is not None else ():
            if source.find(str(name)) is None:
                error = InputError(
                    f"{source.label}: no column {name!r} to tell systems apart; "
                    f"found {', '.join(source.columns)}; name one of them with system="
                )
                self._refuse("missing_column", place, "system", error)
                self.request = replace(self.request, system=None)

    # --- rankings --------------------------------------------------------------------------------

    def _ids(self) -> None:
        """Ids that are missing, of types that are none, or of different kinds."""
        for column in IDS:
            roles: tuple[Role, ...] = ("predictions", "truth")
            keys: list[tuple[Place, Key]] = []
            for place, _ in self._of(*roles, *(("queries", "population") if column == IDS[0] else ())):
                self._id(place, column)
                keys.append((place, self._key(place, column)))
            self._same_kind(column, keys)

    def _id(self, place: Place, column: str) -> None:
        """Mend the columns that make up an id."""
        for part in self._parts(place, column):
            source = self._sources[place]
            if source.find(part) is None:
                error = _error(self._key, place, column)
                self._refuse("missing_column", place, column, error)
                self._mend(place, part, exp.cast(exp.null(), "VARCHAR"), "VARCHAR")
                continue
            is_list = self._list(place, column) is not None
            values = items_of(source, part) if is_list else source
            error = _error(key_of, values, ColumnMap({column: part}), place[1], column)
            if error is not None:
                self._refuse("id_type", place, column, error, part, doubtful=False)
                self._retyped.add((place, column))
                self._as_text(place, part, is_list)

    def _same_kind(self, column: str, keys: Sequence[tuple[Place, Key]]) -> None:
        """Make ids text where they are of different kinds, which is what a CAST would do."""
        sure = [
            (place, key) for place, key in keys
            if (place[1], column) not in self.doubtful and (place, column) not in self._retyped
        ]  # fmt: skip
        for place, key in sure[1:]:
            error = _error(same_kind, sure[0][1], key, column)
            if error is not None:
                sides = [(at, side.parts[0]) for at, side in (sure[0], (place, key))]
                self._refuse("id_kinds", place, column, error, doubtful=False, sides=sides)
                break
        self._is_open &= len({len(key.parts) for _, key in keys}) == 1
        if len({key.kinds for _, key in keys}) > 1:
            for place, _ in keys:
                for part in self._parts(place, column):
                    self._as_text(place, part, self._list(place, column) is not None)

    def _key(self, place: Place, column: str) -> Key:
        source, listed = self._sources[place], self._list(place, column)
        if listed is None:
            return key_of(source, self.columns, place[1], column)
        return key_of(items_of(source, listed), ColumnMap({column: listed}), place[1], column)

    def _list(self, place: Place, column: str) -> str | None:
        """The list column that holds the items, where no column holds one."""
        source, role = self._sources[place], place[1]
        name = {"predictions": "items", "truth": "relevant"}.get(role)
        if column != IDS[1] or name is None:
            return None
        if self.columns.given(role, name) is None and self._find(place, column) is not None:
            return None
        return list_column(source, self.columns, role, name)

    def _parts(self, place: Place, column: str) -> tuple[str, ...]:
        found = self._list(place, column) or self._find(place, column)
        mapped = self.columns.given(place[1], column) or column
        return (found,) if found is not None else tuple(part.strip() for part in mapped.split("+"))

    def _orders(self) -> None:
        """Scores and ranks."""
        for place, _ in self._of("predictions"):
            listed = self._list(place, IDS[1])
            if listed is not None:
                scores = list_column(self._sources[place], self.columns, "predictions", "scores")
                if scores is not None:
                    self._number(place, "score", scores, is_list=True)
                continue
            score, rank = self._find(place, "score"), self._find(place, "rank")
            error = _error(values.score_expression, self._sources[place], self.columns)
            if error is not None and score is not None and rank is not None and not self._chosen():
                self._refuse("two_orders", place, "score", error)
                self.columns = ColumnMap({**self.columns.names, "predictions.score": score})
            elif error is not None and score is None and rank is None:
                self._missing(place, "score", error)
            if score is not None or rank is not None:
                self._number(place, "score", str(score if score is not None else rank))

    def _chosen(self) -> bool:
        return sum(self.columns.given("predictions", c) is not None for c in ("score", "rank")) == 1

    def _grades(self) -> None:
        """The relevance of the truth, or the labels of the predictions where there is none."""
        judged = self._of("truth") or self._of("predictions")
        for place, source in judged:
            order = ("relevance", "label") if place[1] == "truth" else ("label", "relevance")
            name = next((n for c in order if (n := self._find(place, c)) is not None), None)
            if name is not None:
                self._number(place, "relevance", name, graded=True)
            elif place[1] == "predictions":
                error = InputError(
                    f"{source.label}: no truth table and no column 'label'; found "
                    f"{', '.join(source.columns)}; give a truth table or map columns={{'label': ...}}"
                )
                self._missing(place, "label", error)

    # --- classifiers -----------------------------------------------------------------------------

    def _observations(self, measures: Sequence[Measure]) -> None:
        """Labels, scores, weights and groups."""
        declared = {column for measure in measures for column in measure.metric.inputs["predictions"]}
        for place, source in self._of("predictions"):
            for column in ("label", "score"):
                name = self._find(place, column)
                if name is None:
                    self._missing(place, column, missing_column(source, column, "predictions"))
                else:
                    self._number(place, column, name, graded=column == "label")
            weight = self._find(place, WEIGHT)
            if weight is not None:
                self._number(place, WEIGHT, weight)
            if GROUP in declared:
                known = any(self.columns.given("predictions", c) or source.find(c) for c in (GROUP, IDS[0]))
                grouped = self._find(place, GROUP) or self.columns.given("predictions", GROUP)
                self._id(place, GROUP if grouped or not known else IDS[0])

    # --- columns ---------------------------------------------------------------------------------

    def _find(self, place: Place, column: str) -> str | None:
        try:
            return self.columns.find(self._sources[place], place[1], column)
        except InputError:
            return None

    def _number(
        self, place: Place, column: str, name: str, graded: bool = False, is_list: bool = False
    ) -> None:
        """Mend a column that should hold numbers."""
        source = self._sources[place]
        read = values.grade_expression if graded else values.number_expression
        error = _error(read, items_of(source, name) if is_list else source, name)
        if error is not None:
            type_ = "DOUBLE[]" if is_list else "DOUBLE"
            self._refuse(f"{column}_type", place, column, error, name)
            number = exp.TryCast(this=quoted(name), to=exp.DataType.build(type_, dialect=DIALECT))
            self._mend(place, name, number, type_)

    def _missing(self, place: Place, column: str, error: InputError) -> None:
        """Give a table the column that it lacks."""
        self._refuse("missing_column", place, column, error)
        name = self.columns.given(place[1], column) or column
        self._mend(place, name, exp.cast(exp.null(), "DOUBLE"), "DOUBLE")

    def _as_text(self, place: Place, part: str, is_list: bool) -> None:
        """Make an id text: equal ids stay equal, and whole numbers are written alike in all types."""
        source = self._sources[place]
        name = source.find(part) or part
        type_, value = source.columns[name], quoted(name)
        if is_list:
            self._mend(place, name, exp.cast(value, "VARCHAR[]", dialect=DIALECT), "VARCHAR[]")
            return
        text: exp.Expr = exp.cast(value, "VARCHAR")
        if type_.startswith(FRACTIONS):
            whole = exp.TryCast(this=value.copy(), to=exp.DataType.build("HUGEINT", dialect=DIALECT))
            same = exp.EQ(this=whole, expression=value.copy())
            text = exp.Case().when(same, exp.cast(whole.copy(), "VARCHAR")).else_(text)
        self._mend(place, name, text, "VARCHAR")

    def _mend(self, place: Place, name: str, value: exp.Expr, type_: str) -> None:
        """Replace a column of a table, or add it."""
        source = self._sources[place]
        known = source.find(name)
        others = [quoted(column) for column in source.columns if column != known]
        mended = exp.select(*others, value.as_(known or name, quoted=True)).from_(source.relation.copy())
        self._sources[place] = replace(
            source, relation=mended.subquery("mended"), columns={**source.columns, known or name: type_},
            statistics=False, rowid=False, ordered=source.ordered or source.rowid,
        )  # fmt: skip

    # --- findings --------------------------------------------------------------------------------

    def _refuse(
        self,
        check: str,
        place: Place,
        column: str,
        error: InputError | None,
        name: str | None = None,
        doubtful: bool = True,
        sides: Sequence[tuple[Place, str]] = (),
    ) -> None:
        """Tell of a column once, with values of it if there are any."""
        source, role = self._sources[place], place[1]
        is_news = (role, column) not in self.doubtful
        if doubtful:
            self.doubtful.add((role, column))
            if role == "predictions" and self.request.truth is None:
                self.doubtful.add(("truth", {"label": "relevance"}.get(column, column)))
        if not is_news:
            return
        sides = sides or ([(place, name)] if name else [])
        examples = tuple(example for at, of in sides for example in self._examples(self._sources[at], of))
        (count,) = self.engine.rows(exp.select(exp.Count(this=exp.Star())).from_(source.relation.copy()))[0]
        self._told(check, error, source.label, name or column, count, examples)

    def _told(
        self,
        check: str,
        error: InputError | None,
        table: str = "",
        column: str = "",
        count: int = 1,
        examples: tuple[str, ...] = (),
    ) -> None:
        what, _, advice = str(error).rpartition("; ")
        shown = f" ({'; '.join(examples)})" if examples else ""
        told = Finding(
            check, ERROR, table, column, count, examples, f"{what}{shown}; {advice}", advice
        )  # fmt: skip
        if all(finding.message != told.message for finding in self.findings):
            self.findings.append(told)

    def _examples(self, source: Source, name: str) -> list[str]:
        """Three values of a column, first those that are no numbers."""
        value = quoted(name)
        number = exp.TryCast(this=exp.cast(value.copy(), "VARCHAR"), to=exp.DataType.build("DOUBLE"))
        is_number = exp.not_(exp.Is(this=number, expression=exp.null()))
        known = exp.select(value.as_("v"), is_number.as_("is_number")).distinct()
        known = known.from_(source.relation.copy()).where(exp.column("v").is_(exp.null()).not_())
        query = exp.select("v").from_(known.subquery("known")).order_by("is_number", "v")
        values = [row[0] for row in self.engine.rows(query.limit(literal(EXAMPLES)))]
        return [f"{name}={v!r}" if isinstance(v, str) else f"{name}={v}" for v in values]


def _error(attempt: Callable[..., object], *arguments: object) -> InputError | None:
    """What a reading of the tables is refused for."""
    try:
        attempt(*arguments)
    except InputError as error:
        return error
    return None
