"""The tables of rankings: their ids, the predictions, and the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.layouts import ORDERS
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import NUMBER, cast_to, is_wide, quoted, stacked
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import (
    CANONICAL,
    FIRST,
    ColumnMap,
    Key,
    columns_of_own,
    common_types,
    exact_number,
    grade_expression,
    is_name,
    key_expression,
    key_of,
    looks_like_a_truth,
    narrow,
    number_expression,
    position_expression,
    run_columns,
    run_expression,
    same_kind,
    score_expression,
    selected,
    swapped,
)
from duckmetrics.inputs.inputs import CLUSTER, HISTORY, ITEMS, REFERENCE, VALUES
from duckmetrics.inputs.lists import elements, items_of, judged_lists, list_column, list_places, list_size
from duckmetrics.inputs.slices import columns_in, slicing_columns
from duckmetrics.inputs.sources import Role, Source, no_rows
from duckmetrics.inputs.systems import Attach, Systems, refuse_unknown_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duckmetrics.inputs.request import Request


Extremes = Callable[[Source, str], tuple[Any, Any]]
INTEGER_MIN, INTEGER_MAX = -(2**31), 2**31 - 1
# The tables next to predictions and truth.
EXTRA: tuple[Role, ...] = ("queries", "population", HISTORY, ITEMS, REFERENCE)


@dataclass(frozen=True)
class RankingTable:
    """A table in its role.

    Attributes:
        name: the role, and for predictions also the system.
        system: the name that a mapping gives to the system of the predictions.
        listed: the column that lists the items of a query, None if each row has one item.
    """

    name: str
    role: Role
    source: Source
    system: str = ""
    listed: str | None = None

    @property
    def has_items(self) -> bool:
        """Return whether rows are about items, and not about queries only."""
        return self.role not in ("queries", "population", VALUES)

    @property
    def has_queries(self) -> bool:
        """Return whether rows are about queries, and not about items only."""
        return self.role != ITEMS

    def find(self, columns: ColumnMap, *names: str) -> str | None:
        """Return the user's column for the first canonical one that the table has."""
        found = (columns.find(self.source, self.role, name) for name in names)
        return next((name for name in found if name is not None), None)


class RankingTables:
    """The tables that a request names.

    Args:
        role: of the tables of the systems: predictions, or values that were computed elsewhere, next to which
            only the table of queries is read.

    Attributes:
        predictions: one table for each system, or one for all of them.
        extra: the tables of queries and of the population, the history, the catalogue and the reference run,
            if they are given.

    Raises:
        InputError: there is no such table, it has no rows, or it lacks a column that is named.
    """

    def __init__(self, request: Request, attach: Attach, role: Role = "predictions") -> None:
        self._request = request
        self.columns = request.columns
        is_given = role == VALUES
        if is_given:
            self.systems = Systems(request.values, system_of_values(request, attach), attach, role=role)
        else:
            self.systems = Systems(request.predictions, request.system, attach, request.scores)
        truth = None if request.truth is None or is_given else attach(request.truth, "truth")
        extra = _extra_sources(request, attach, ("queries",) if is_given else EXTRA)
        judged = [truth] if truth is not None else []
        for source in (*judged, *(s for role, s in extra.items() if role != "queries")):
            if source.empty:
                raise no_rows(source)
        refuse_unknown_names(self.columns, [*self.systems.sources.values(), *extra.values(), *judged])
        self.predictions = [
            RankingTable(f"{role} {system}", role, source, system,
                  None if is_given else list_column(source, self.columns, role, "items"))
            for system, source in self.systems
        ]  # fmt: skip
        self.truth: RankingTable | None = None
        if truth is not None:
            listed = list_column(truth, self.columns, "truth", "relevant")
            self.truth = RankingTable("truth", "truth", truth, listed=listed)
        self.extra = {role: self._side_table(role, source) for role, source in extra.items()}

    def _side_table(self, role: Role, source: Source) -> RankingTable:
        has_lists = role in (HISTORY, REFERENCE)
        listed = list_column(source, self.columns, role, "items") if has_lists else None
        return RankingTable(role, role, source, listed=listed)

    def __iter__(self) -> Iterator[RankingTable]:
        yield from self.predictions
        if self.truth is not None:
            yield self.truth
        yield from self.extra.values()

    @property
    def cluster(self) -> str | None:
        """The attribute of the queries that intervals take as the unit, None for the query itself."""
        if self._request.inference is None:
            return None
        return self._request.inference.cluster or self.columns.names.get(CLUSTER)

    @property
    def weight(self) -> str | None:
        """The attribute that says how much a query counts; None if every query counts as 1."""
        return self._request.weight

    @property
    def asked(self) -> list[str]:
        """The attributes of the queries that the caller asks for: slices, then the cluster and the weight.

        Raises:
            InputError: a slice has the name of a column of the results.
        """
        others = [name for name in (self.cluster, self.weight) if name]
        return list(dict.fromkeys([*slicing_columns(self._request.by), *others]))

    @property
    def computed_columns(self) -> list[str]:
        """The columns that expressions of slices read."""
        return [name for one in self._request.computed.values() for name in columns_in(one)]

    @property
    def labels(self) -> dict[str, str]:
        """The names of the tables in messages, by role."""
        labels = {"predictions": self.systems.label, "truth": self.systems.label}
        if self.truth is not None:
            labels["truth"] = self.truth.source.label
        return labels | {role: table.source.label for role, table in self.extra.items()}

    @property
    def words(self) -> dict[str, str]:
        """The words of advice about the tables, by role."""
        truth = self.systems.first if self.truth is None else self.truth.source
        sources = {"predictions": self.systems.first, "truth": truth}
        sources |= {role: table.source for role, table in self.extra.items()}
        return {role: source.words for role, source in sources.items()}


def system_of_values(request: Request, attach: Attach) -> str | None:
    """Return the column that names the system of a value: the one that is named, or else ``system``."""
    if isinstance(request.values, Mapping) or request.system is not None:
        return None if isinstance(request.values, Mapping) else request.system
    return attach(request.values, VALUES).find("system")


def _extra_sources(request: Request, attach: Attach, roles: Sequence[Role]) -> dict[Role, Source]:
    """Attach the tables next to predictions and truth."""
    extra: dict[Role, Source] = {}
    for role in roles:
        table = request.tables[role]
        if table is None:
            continue
        try:
            extra[role] = attach(table, role)
        except InputError as error:
            if role != "population":
                raise
            raise InputError(role, error, "or choose truth, predictions or both") from error
    return extra


class RankingIds:
    """The ids of queries and items, in the types that all tables have in common.

    Attributes:
        query_keys: the columns of the query id, by name of the table.
        item_keys: the columns of the item id, by name of the table.
        query_type: the type in which query ids are shown.

    Raises:
        InputError: a table lacks an id, or the ids of two tables are of different kinds.
    """

    def __init__(self, tables: RankingTables, extremes: Extremes) -> None:
        self._tables = tables
        self._extremes = extremes
        self.query_keys: dict[str, Key] = {}
        self.item_keys: dict[str, Key] = {}
        for table in tables:
            if table.has_queries:
                self.query_keys[table.name] = key_of(table.source, tables.columns, table.role, "query_id")
            if table.has_items:
                self.item_keys[table.name] = self._item_key(table)
        for column, keys in (("query_id", self.query_keys), ("item_id", self.item_keys)):
            for other in keys.values():
                same_kind(next(iter(keys.values())), other, column)
        self.query_type = _shown_type(self.query_keys)
        self._query_types = self._narrowed(self.query_keys)
        self._item_types = self._narrowed(self.item_keys) if self.item_keys else ()
        self.query_parts = next(iter(self.query_keys.values())).parts
        self._item_parts, self.item_kinds = next(
            ((key.parts, key.kinds) for key in self.item_keys.values()), ((), ())
        )

    def query_id(self, table: RankingTable) -> exp.Expr:
        """Write the query id of a row."""
        return key_expression(self.query_keys[table.name], self._query_types, self.query_parts)

    def item_id(self, table: RankingTable) -> exp.Expr:
        """Write the item id of a row."""
        return key_expression(self.item_keys[table.name], self._item_types, self._item_parts)

    def unnested_item(self) -> exp.Expr:
        """Write the id of an item that was taken out of a list."""
        item, type_ = exp.column("item_id"), self._item_types[0]
        return cast_to(item, type_).as_("item_id") if type_ else item

    @property
    def of_text(self) -> frozenset[str]:
        """The ids that are text, or have a part that is text."""
        both = (("query_id", self.query_keys), ("item_id", self.item_keys))
        return frozenset(name for name, keys in both if any("text" in key.kinds for key in keys.values()))

    def _item_key(self, table: RankingTable) -> Key:
        if table.listed is None:
            return key_of(table.source, self._tables.columns, table.role, "item_id")
        elements = items_of(table.source, table.listed)
        return key_of(elements, ColumnMap({"item_id": table.listed}), table.role, "item_id")

    def _narrowed(self, keys: Mapping[str, Key]) -> tuple[str | None, ...]:
        """Sort and join ids of 64 bits whose values fit into 32 bits as such (plan rule).

        The values stay the same, so nothing else changes. The extremes come from the statistics of Parquet
        files and tables; without statistics, nothing is narrowed.
        """
        types = common_types(list(keys.values()))
        if _shown_type(keys) not in ("BIGINT", "UBIGINT", "HUGEINT", "UINTEGER"):
            return types
        sources = {table.name: table.source for table in self._tables}
        is_narrow = all(self._is_narrow(key, sources[name]) for name, key in keys.items())
        return ("INTEGER",) if is_narrow else types

    def _is_narrow(self, key: Key, source: Source) -> bool:
        """Return whether the statistics of a table show that its ids fit into 32 bits."""
        if not narrow(key, source) or source.columns.get(key.parts[0]) != key.types[0]:
            return False
        low, high = self._extremes(source, key.parts[0])
        return bool(low is not None and low >= INTEGER_MIN and high <= INTEGER_MAX)


def _shown_type(keys: Mapping[str, Key]) -> str | None:
    """Return the type in which a simple id is shown, None for a composite one."""
    first = next(iter(keys.values()))
    types = common_types(list(keys.values()))
    return (types[0] or first.types[0]) if len(first.parts) == 1 else None


class RankingPredictions:
    """Writes the canonical predictions of all systems.

    Args:
        request: says whether the order of the rows matters, and what metrics of the user read.
    """

    def __init__(self, tables: RankingTables, ids: RankingIds, request: Request) -> None:
        self._all = tables
        self._own = request.own_columns.get("predictions", {})
        self._tables = tables.predictions
        self._systems = tables.systems
        self._columns = tables.columns
        self._ids = ids
        self._positions = request.positions

    def query(self) -> exp.Query:
        """Write the input `predictions`: one row for each item that a system ranks."""
        return stacked(
            self._rows(table) if table.listed is None else self._elements(table, table.listed)
            for table in self._tables
        )

    def answers(self) -> exp.Query | None:
        """Write the input `answers` for lists: an empty one is an answer, and leaves no prediction."""
        if not self._has_lists():
            return None
        parts = [self._answered(table) for table in self._tables]
        number = exp.cast(exp.Sum(this=exp.column("n")), "BIGINT").as_("n_predicted")
        rows = stacked(parts).subquery("answered")
        return exp.select("system", "query_id", number).from_(rows).group_by("system", "query_id")

    def leftovers(self, used: Iterable[str]) -> exp.Query | None:
        """Write the ids with the columns that could be names of systems, as text.

        Args:
            used: the user's columns that mean something already.
        """
        if not self._systems.only or self._has_lists():
            return None
        (table,) = self._tables
        whole = table.source.whole  # read again only to explain rows that are there twice
        known = {part for column in used for part in column.split("+")}
        others = [
            exp.cast(quoted(column), "VARCHAR").as_(column, quoted=True)
            for column, type_ in whole.columns.items()
            if column not in known and column.lower() not in CANONICAL and is_name(type_)
        ]
        if not others:
            return None
        ids = {"query_id": self._ids.query_id(table), "item_id": self._ids.item_id(table)}
        return selected(whole, ids).select(*others, copy=False)

    def runs(self, table: RankingTable) -> list[str]:
        """Return the columns that may distinguish several systems, although the caller named none."""
        if self._systems.column is not None:
            return []
        return run_columns(table.source, self._columns, self._all.asked)

    @property
    def all_runs(self) -> tuple[str, ...]:
        """The same columns of all tables."""
        return tuple(dict.fromkeys(name for table in self._tables for name in self.runs(table)))

    def by_rank(self) -> bool:
        """Return whether the tables give ranks.

        Raises:
            InputError: some do and others give scores.
        """
        given = [(table.source.label, self._gives_ranks(table)) for table in self._tables]
        if len({by_rank for _, by_rank in given}) > 1:
            ranks, scores = (
                next(label for label, by_rank in given if by_rank is wanted) for wanted in (True, False)
            )
            raise InputError(
                "predictions",
                f"{ranks} gives ranks and {scores} gives scores, and a rank is taken as it is",
                "give both of all systems, or number the others with row_number() AS rank",
            )
        return all(by_rank for _, by_rank in given)

    def has_wide_scores(self) -> bool:
        """Return whether a DOUBLE may lose digits of the scores."""
        return any(is_wide(self._score_type(table) or "") for table in self._tables)

    # --- rows and lists --------------------------------------------------------------------------

    def _has_lists(self) -> bool:
        return any(table.listed for table in self._tables)

    def _shared(self, table: RankingTable) -> dict[str, exp.Expr]:
        """Write the columns that rows and lists have in common."""
        return {
            "system": self._systems.expression(table.source, table.system),
            "query_id": self._ids.query_id(table),
        }

    def _rows(self, table: RankingTable) -> exp.Select:
        """Write the predictions of a table that has one item in each row."""
        source, columns = table.source, self._columns
        return selected(source, {
            **self._shared(table),
            "item_id": self._ids.item_id(table),
            "score": score_expression(source, columns),
            **self._exact(table, quoted(columns.find(source, "predictions", "score") or "")),
            "position": position_expression(
                source, columns, self._positions and not self._gives_ranks(table)
            ),
            "run": run_expression(self.runs(table)),
            **columns_of_own(source, columns, "predictions", self._own),
        })  # fmt: skip

    def _elements(self, table: RankingTable, listed: str) -> exp.Select:
        """Write the predictions of a table that lists the items of a query."""
        source, shared = table.source, self._shared(table)
        _refuse_lists(source, self._own)
        scores = list_column(source, self._columns, "predictions", "scores")
        if scores is not None:
            number_expression(items_of(source, scores), scores)
        place = list_places(source, listed)
        unnested = selected(source, {
            **shared,
            "item_id": elements(source, listed),
            "score": elements(source, scores) if scores else exp.Neg(this=place.copy()),
            "position": place,
            "run": run_expression(self.runs(table)),
        })  # fmt: skip
        rows = exp.select(
            "system", "query_id",
            self._ids.unnested_item(), exp.cast(exp.column("score"), "DOUBLE").as_("score"),
            *(e.as_(n) for n, e in self._exact(table, exp.column("score")).items()), "position", "run",
        ).from_(unnested.subquery("unnested"))  # fmt: skip
        return rows.where(exp.column("item_id").is_(exp.null()).not_()) if source.has_holes else rows

    def _answered(self, table: RankingTable) -> exp.Select:
        """Write the queries of one table; a list that is NULL is not an answer."""
        source, listed = table.source, table.listed
        size = literal(1) if listed is None else list_size(source, listed)
        answered = selected(source, {**self._shared(table), "n": size})
        return answered if listed is None else answered.where(quoted(listed).is_(exp.null()).not_())

    # --- scores and ranks ------------------------------------------------------------------------

    def _gives_ranks(self, table: RankingTable) -> bool:
        """Return whether a table gives ranks; the place in a list without scores is one."""
        if table.listed is not None:
            return list_column(table.source, self._columns, "predictions", "scores") is None
        return isinstance(score_expression(table.source, self._columns), exp.Neg)

    def _score_type(self, table: RankingTable) -> str | None:
        """Return the type of the scores of a table, None for ranks, which have a check of their own."""
        source = table.source
        if self._gives_ranks(table):
            return None
        if table.listed is not None:
            scores = list_column(source, self._columns, "predictions", "scores")
            return None if scores is None else items_of(source, scores).columns[scores]
        score = self._columns.find(source, "predictions", "score")
        return None if score is None else source.columns[score]

    def _exact(self, table: RankingTable, score: exp.Expr) -> dict[str, exp.Expr]:
        """Write the scores as they are given, if a DOUBLE may not keep those of any table."""
        if not self.has_wide_scores():
            return {}
        return {"exact_score": exact_number(score, self._score_type(table) or "")}


# Names of grades in the tables of others. A truth that has no other grade probably means such a column.
GRADES = (
    "grade|grades|graded|rating|ratings|rel|relevant|is_relevant|relevance_score|relevance_grade|gain|judgment|"
    "judgement|qrel|stars|target|y|click|clicks|clicked|purchase|purchased|purchases|events|n|value|score"
)


def unread_grade(tables: RankingTables) -> str | None:
    """Return the column of the truth that looks like grades, if none is read: every item has grade 1 then."""
    truth = tables.truth
    if truth is None or truth.listed is not None:
        return None
    if truth.find(tables.columns, "relevance", "label") is not None:
        return None
    types, names = {**truth.source.columns, **truth.source.unread}, GRADES.split("|")
    grades = (name for name, type_ in types.items() if NUMBER.fullmatch(type_) or type_ == "BOOLEAN")
    return next((name for name in grades if name.lower() in names), None)


def refuse_swapped(tables: RankingTables) -> None:
    """Refuse a run in the place of the truth, and grades in the place of the scores.

    Raises:
        InputError: says which table comes first.
    """
    run = unread_grade(tables)
    if tables.truth is None or run is None or run.lower() not in ORDERS:
        return
    for table in tables.predictions:
        taken = table.find(tables.columns, *ORDERS)
        if taken is not None and taken.lower() not in ORDERS and taken not in tables.columns.names.values():
            raise InputError(
                tables.truth.source.label,
                f"no grades but a column {run!r}, as predictions have; {table.source.label} has {taken!r}",
                f"{FIRST}; if they are right, map the columns, as in columns={{'score': {taken!r}}} "
                f"(--column score={taken})",
            )


def _refuse_lists(source: Source, own: Mapping[str, str]) -> None:
    """Refuse metrics of the user that read columns of items, where a row lists the items of a query.

    Raises:
        InputError: names the column and the metric.
    """
    for name, metric in own.items():
        what = f"lists the items of a query, and {metric} reads the column {name!r} of items"
        raise InputError(source.label, what, "give a row for each item")


def truth_query(
    tables: RankingTables, ids: RankingIds, needed: bool, reader: str, own: Mapping[str, str]
) -> exp.Query:
    """Write the input `truth`: the relevance of each judged item.

    Args:
        own: the columns that metrics of the user read, with the metric.
        needed: whether there must be one; if not, it may have no relevant item.
        reader: the metric that needs it, for messages; empty if it is not known.

    Raises:
        InputError: there is neither a truth table nor a label in the predictions.
    """
    if tables.truth is None:
        for name, metric in own.items():
            what = f"there is no truth, and {metric} reads its column {name!r}"
            raise InputError("truth", what, "give a truth with it (--truth)")
        return _of_logs(tables, ids, reader) if needed or has_labels(tables) else _nothing(tables, ids)
    if tables.truth.listed is not None:
        _refuse_lists(tables.truth.source, own)
        return _of_lists(tables.truth, tables.truth.listed, ids)
    rows = _of_rows(tables.truth, ids, tables.truth.find(tables.columns, "relevance", "label"))
    found = columns_of_own(tables.truth.source, tables.columns, "truth", own)
    return rows.select(*(value.as_(name) for name, value in found.items()), copy=False)


def _of_rows(table: RankingTable, ids: RankingIds, grade: str | None) -> exp.Select:
    """Write the truth of a table that has one item in each row."""
    return selected(table.source, {
        "query_id": ids.query_id(table),
        "item_id": ids.item_id(table),
        "relevance": grade_expression(table.source, grade),
    })  # fmt: skip


def _of_lists(table: RankingTable, listed: str, ids: RankingIds) -> exp.Select:
    """Write the truth of a table that lists the relevant items of a query."""
    items, grade = judged_lists(table.source, listed)
    columns = {"query_id": ids.query_id(table), "item_id": items, "relevance": grade}
    unnested = selected(table.source, columns).subquery("unnested")
    return exp.select("query_id", ids.unnested_item(), "relevance").from_(unnested)


def has_labels(tables: RankingTables) -> bool:
    """Return whether the predictions carry the relevance of their items."""
    return all(
        table.listed is None and table.find(tables.columns, "label", "relevance") is not None
        for table in tables.predictions
    )


def _nothing(tables: RankingTables, ids: RankingIds) -> exp.Select:
    """Write a truth with every answered query and no relevant item, as an empty list of items is."""

    def no_item(table: RankingTable) -> exp.Expr:
        if table.listed is not None:
            return cast_to(None, ids.item_keys[table.name].types[0])
        return exp.Case().when(exp.false(), ids.item_id(table))

    rows = stacked(
        selected(table.source, {"query_id": ids.query_id(table), "item_id": no_item(table)})
        for table in tables.predictions
    )
    grade = literal(0.0).as_("relevance")
    return exp.select("query_id", "item_id", grade).distinct().from_(rows.subquery("answered"))


def _of_logs(tables: RankingTables, ids: RankingIds, reader: str) -> exp.Query:
    """Write the labels of the predictions; the ideal list is the query's own rows."""
    parts = []
    for table in tables.predictions:
        grade = table.find(tables.columns, "label", "relevance")
        if grade is None:
            raise no_labels(table.source, reader)
        if table.listed is not None:
            raise InputError(table.source.label, "lists carry no labels", "give a truth table")
        parts.append(_of_rows(table, ids, grade))
    if tables.systems.only:
        return parts[0]
    rows = stacked(parts).subquery("labels")
    return exp.select("query_id", "item_id", "relevance").distinct().from_(rows)


def require_truth(tables: RankingTables, request: Request) -> None:
    """Refuse predictions without a truth and labels, or in its place, before their columns are looked at.

    Raises:
        InputError: a metric needs a truth; one of several systems may be it.
    """
    refuse_swapped(tables)
    if tables.truth is not None or not request.needs_truth or has_labels(tables):
        return
    without = [
        table.source for table in tables.predictions
        if table.listed is None and table.find(tables.columns, "score", "rank") is None
    ]  # fmt: skip
    for source in without:
        if looks_like_a_truth(source):
            raise swapped(source)
        if len(without) < len(tables.predictions):
            what = f"no column 'score'; found {', '.join(source.all_columns)}; there is no truth table"
            advice = "if this table is the truth, name it with --truth (truth=); else map its score"
            raise InputError(source.label, what, advice)
    raise no_labels(tables.predictions[0].source, request.truth_reader)


def no_labels(source: Source, reader: str) -> InputError:
    """Return the error for predictions that carry no labels, where there is no truth.

    Args:
        reader: the metric that needs the truth, empty if it is not known.
    """
    needed = f", which {reader} needs," if reader else ""
    return InputError(
        source.label,
        f"no truth table{needed} and no column 'label'; found {', '.join(source.all_columns)}",
        "give a truth table (--truth), or map columns={'label': ...} (--column label=...)",
    )
