"""Predictions of several classes: a column of probabilities per class, a list, a map, a struct, or rows.

They become one row for each row and class, a cell: ``label`` is 1 for the right class, else 0; ``score`` is
that of the class; ``place`` is its place among the classes of the row, if it is the right one or the first.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from sqlglot import exp

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import DIALECT
from duckmetrics.errors import InputError, suggestion
from duckmetrics.expressions.build import INTEGER, NUMBER, cast_to, picked, quoted
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import missing_column, shown_columns
from duckmetrics.results.findings import WARNING, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duckmetrics.inputs.columns import ColumnMap
    from duckmetrics.inputs.sources import Source


CLASSES = "classes"
# The columns of a cell; ROW is the number of its row, where no id is named.
CLASS, PLACE, ACTUAL, ROW = "class", "place", "actual", "row_id"
CELL = ("label", "score", CLASS, PLACE, ACTUAL, ROW)
_NAMES, _SCORES = "class_names", "class_scores"
# The relations that make cells of rows with lists: of the rows, and of what they yield.
_ROWS, _PLACED, _PROBLEMS, _CELLS = "class_rows", "placed_rows", "row_problems", "class_cells"
HOW_TO_NAME = (
    "name the columns with classes= (--classes): a pattern such as 'p_*', a list, {'cat': 'p_cat'}; a column "
    "with a list, a map or a struct; or the column with the class, where each class has a row"
)
_ARRAY = re.compile(r"(.*)\[\d*\]", re.DOTALL)
# The number of classes that a message names.
LISTED = 5


@dataclass(frozen=True)
class Classes:
    """The columns of the classes of the predictions.

    Attributes:
        columns: class -> column, if they have a column each; or the names or patterns of columns.
        label: the column of the right class.
        score: the column of the score, where each class has a row.
    """

    columns: Mapping[str, str] | tuple[str, ...]
    label: str | None = None
    score: str | None = None


def read_classes(given: Any, columns: ColumnMap) -> tuple[Classes | None, ColumnMap]:
    """Read ``classes=``; return it with the label and the score, which are not mapped any more.

    Raises:
        InputError: it names no columns.
    """
    if given is None:
        return None, columns
    named: Any = (given,) if isinstance(given, str) else given
    is_named = isinstance(named, Mapping | Sequence) and bool(named)
    texts = [*named, *named.values()] if isinstance(named, Mapping) else list(named) if is_named else []
    if not is_named or not all(isinstance(one, str) and one for one in texts):
        raise InputError(CLASSES, f"{given!r} names no columns", HOW_TO_NAME)
    found = dict(named) if isinstance(named, Mapping) else tuple(named)
    own = {key.removeprefix("predictions."): name for key, name in columns.names.items()}
    others = {
        key: name
        for key, name in columns.names.items()
        if key.removeprefix("predictions.") not in ("label", "score")
    }
    return Classes(found, own.get("label"), own.get("score")), replace(columns, names=others)


class Database(Protocol):
    """The questions that are asked of an engine."""

    def columns(self, query: exp.Query) -> Sequence[tuple[str, str]]: ...
    def rows(self, query: exp.Query) -> Sequence[tuple[Any, ...]]: ...
    def name(self, stem: str) -> str: ...
    def keep(self, name: str, query: exp.Query) -> None: ...


class ClassTable:
    """Reads one table of predictions of several classes.

    Args:
        columns: the names of its other columns.
        system: the column that names the system, if there is one.

    Attributes:
        notes: a warning for each table whose scores do not add up to 1.
    """

    def __init__(self, classes: Classes, columns: ColumnMap, system: str | None, database: Database) -> None:
        self.classes = classes
        self.columns = columns
        self.system = system
        self.database = database
        self.notes: list[Finding] = []

    def needed(self, source: Source) -> list[str]:
        """Return the columns that the cells are made of.

        Raises:
            InputError: the table lacks one.
        """
        score = [self._own(source, "score", self.classes.score)] if self._has_rows(source) else []
        return [*self._named(source).values(), self._own(source, "label", self.classes.label), *score]

    def cells(self, source: Source, others: Iterable[str]) -> Source:
        """Return the table with a row for each class of its rows.

        Args:
            others: the columns of the table that are kept.

        Raises:
            InputError: classes or labels are missing, or cannot be read.
        """
        named, label = self._named(source), self._own(source, "label", self.classes.label)
        used = {name.lower() for name in (*named.values(), label, "label", "score")}
        kept = [name for name in others if name.lower() not in used]
        for name in kept:
            if name.lower() in CELL:
                raise InputError(
                    source.label,
                    f"column {name!r} has the name of one that several classes get",
                    f'rename it, as in "SELECT *, {name} AS {name}_1 FROM ..."',
                )
        made = self._of_rows if self._has_rows(source) else self._of_columns
        rows, names = made(source, named, label, kept)
        if names is None:
            rows, names = self._with_one_list(source, rows)
        table = self.database.name("classes")
        self.database.keep(table, _over(_PLACED, rows.subquery(_ROWS), names, kept))
        self._refuse(source, table, label, names)
        query = _over(_CELLS, exp.to_table(table), names, kept)
        every = {**source.columns, **source.unread}
        unused = {name: type_ for name, type_ in every.items() if name.lower() not in used}
        return replace(
            source, relation=query.subquery("cells"), columns=dict(self.database.columns(query)), rowid=False,
            statistics=False, ordered=False, aliases={}, positive=None, labels=(), text=None, files={},
            unread={name: type_ for name, type_ in unused.items() if name not in kept}, original=None,
        )  # fmt: skip

    # --- which columns -----------------------------------------------------------------------------

    def _named(self, source: Source) -> dict[str, str]:
        """Return class -> column; of the one column that has all classes, its name alone."""
        given = self.classes.columns
        if isinstance(given, Mapping):
            return {name: _column(source, column) for name, column in given.items()}
        found: dict[str, str] = {}
        for class_, column in (pair for name in given for pair in self._called(source, name)):
            if found.setdefault(class_, column) != column:
                what = f"columns {found[class_]!r} and {column!r} are both of the class {class_!r}"
                raise InputError(source.label, what, "name each class once, as in {'cat': 'p_cat'}")
        return found

    def _called(self, source: Source, name: str) -> Iterator[tuple[str, str]]:
        """Yield the class and the column of a name, or of each column that a pattern fits."""
        if "*" not in name:
            yield name, _column(source, name)
            return
        before, _, after = name.partition("*")
        known = [column for column in source.all_columns if fnmatch.fnmatchcase(column, name)]
        if not known:
            what = f"no column is called {name!r}; {shown_columns(source)}"
            raise InputError(source.label, what, HOW_TO_NAME)
        for column in known:
            yield column[len(before) : len(column) - len(after) or None], column

    def _own(self, source: Source, column: str, name: str | None) -> str:
        """Return the column of the label or the score."""
        found = source.named(name or column)
        if found is None and name is not None:
            how = f"map it with columns={{{column!r}: ...}} (--column {column}=...)"
            what = f"no column {name!r} for {column}; {shown_columns(source)}"
            raise InputError(source.label, what, suggestion(name, source.all_columns, how))
        if found is None:
            raise missing_column(source, column, "predictions")
        return found

    def _only(self, source: Source) -> str | None:
        """Return the one column that has all classes."""
        if isinstance(self.classes.columns, Mapping) or len(self.classes.columns) > 1:
            return None
        (name, *others) = self._named(source).values()
        return None if others or "*" in self.classes.columns[0] else name

    def _has_rows(self, source: Source) -> bool:
        """Return whether each class has a row of its own."""
        only = self._only(source)
        return only is not None and re.match(r"MAP\(|STRUCT\(|.*\]$", source.columns[only], re.DOTALL) is None

    # --- the classes of a row as lists -------------------------------------------------------------

    def _of_columns(
        self, source: Source, named: Mapping[str, str], label: str, kept: Sequence[str]
    ) -> tuple[exp.Select, list[str] | None]:
        """Return a row for each row of the table, with the scores of its classes, and their names.

        Returns: None in place of the names if each row has its own in a column.
        """
        only = self._only(source)
        names: list[str] | None = list(named)
        if only is None:
            scores: exp.Expr = exp.Array(expressions=[_number(source, column) for column in named.values()])
        else:
            names, scores = self._in_one_column(source, only)
        if source.columns[label].endswith("]"):
            raise InputError(
                source.label,
                f"column {label!r} is {source.columns[label]}, and a row has one right class",
                "for several right classes, read rows as queries and classes as items, and ask for recall@k",
            )
        number, actual = exp.Window(this=exp.RowNumber()).as_(ROW), _text(source, label).as_(ACTUAL)
        query = picked(source.relation.copy(), *map(quoted, kept), number, actual, scores.as_(_SCORES))
        if names is None:
            keys = exp.Anonymous(this="map_keys", expressions=[quoted(str(only))])
            query = query.select(cast_to(keys, "VARCHAR[]").as_(_NAMES))
        return query, names

    def _in_one_column(self, source: Source, column: str) -> tuple[list[str] | None, exp.Expr]:
        """Return the names and the scores of classes in one column; None for the names in a map."""
        type_ = source.columns[column]
        if type_.startswith("MAP("):
            values = exp.Anonymous(this="map_values", expressions=[quoted(column)])
            return None, cast_to(values, "DOUBLE[]")
        if type_.startswith("STRUCT(") and not type_.endswith("]"):
            names = [one.this.name for one in exp.DataType.build(type_, dialect=DIALECT).expressions]
            parts = (exp.Anonymous(this="struct_extract", expressions=[quoted(column), literal(name)])
                     for name in names)  # fmt: skip
            return names, exp.Array(expressions=[cast_to(part, "DOUBLE") for part in parts])
        element = _ARRAY.fullmatch(type_)
        if element is None or not NUMBER.fullmatch(element[1]):
            raise InputError(
                source.label, f"column {column!r} is {type_}, not the scores of classes", HOW_TO_NAME
            )
        scores = cast_to(quoted(column), "DOUBLE[]")
        ((most,),) = self.database.rows(
            picked(source.relation.copy(), exp.Max(this=exp.ArraySize(this=scores)))
        )
        return [str(i) for i in range(most or 0)], scores.copy()

    def _of_rows(
        self, source: Source, named: Mapping[str, str], label: str, kept: Sequence[str]
    ) -> tuple[exp.Select, None]:
        """Return a row for each id, with the names and scores of the classes in its rows."""
        (class_,) = named.values()
        score = self._own(source, "score", self.classes.score)
        key = self.columns.given("predictions", "query_id") or "query_id"
        ids = [source.find(name.strip()) for name in key.split("+")]
        system = None if self.system is None else source.find(self.system)
        if None in ids:
            raise InputError(
                source.label,
                "each class has a row, and no column shows which rows belong together; "
                f"{shown_columns(source)}",
                "name it with columns={'query_id': ...} (--column query_id=...)",
            )
        grouped = list(dict.fromkeys(name for name in (system, *ids) if name is not None))
        others = [name for name in kept if name not in grouped]
        is_marked = source.columns[label] == "BOOLEAN"
        self._refuse_varying(source, grouped, [*others, *([] if is_marked else [label])])
        name, actual = _text(source, class_), _text(source, label)
        if is_marked:
            actual = exp.Case().when(quoted(label), name.copy())

        def listed(value: exp.Expr) -> exp.Expr:
            return exp.ArrayAgg(this=exp.Order(this=value, expressions=[exp.Ordered(this=name.copy())]))

        first = [exp.Min(this=quoted(other)).as_(other, quoted=True) for other in others]
        query = picked(
            source.relation.copy(), *map(quoted, grouped), *first, exp.Min(this=actual).as_(ACTUAL),
            listed(name).as_(_NAMES), listed(_number(source, score)).as_(_SCORES),
        ).group_by(*map(quoted, grouped))  # fmt: skip
        number = exp.Window(this=exp.RowNumber()).as_(ROW)
        found = (exp.column(column) for column in (ACTUAL, _NAMES, _SCORES))
        return exp.select(*map(quoted, kept), number, *found).from_(query.subquery("by_id")), None

    def _with_one_list(self, source: Source, rows: exp.Select) -> tuple[exp.Select, list[str]]:
        """Return rows that name their classes without the names, and the names, which must be the same."""
        table = self.database.name("listed")
        self.database.keep(table, rows)
        found = self.database.rows(picked(exp.to_table(table), _NAMES).limit(1))
        names = [str(name) for name in found[0][0] or ()] if found else []
        others = exp.NullSafeNEQ(this=exp.column(_NAMES), expression=_array(names))
        if different := self.database.rows(picked(exp.to_table(table), _NAMES).where(others).limit(1)):
            raise InputError(
                source.label,
                f"rows have different classes: {_shown(names)}; {_shown(different[0][0] or ())}",
                "give every row all classes, in the same order, with the score 0 where nothing was predicted",
            )
        if twice := next((name for name in names if names.count(name) > 1), None):
            what = f"the class {twice!r} has several scores in each row"
            raise InputError(source.label, what, "give each class one score")
        left_out = exp.Star(except_=[exp.to_identifier(_NAMES)])
        return exp.select(left_out).from_(table), names

    # --- what is wrong -----------------------------------------------------------------------------

    def _refuse_varying(self, source: Source, ids: Sequence[str], columns: Iterable[str]) -> None:
        """Refuse columns that are not the same in all rows of an id."""
        for name in columns:
            value = quoted(name)
            several = exp.NullSafeNEQ(this=exp.Min(this=value), expression=exp.Max(this=value.copy()))
            rows = picked(source.relation.copy(), *map(quoted, ids)).group_by(*map(quoted, ids))
            if found := self.database.rows(rows.having(several).limit(1)):
                raise InputError(
                    source.label,
                    f"column {name!r} differs between the rows of {'+'.join(ids)} "
                    f"{', '.join(map(str, found[0]))}",
                    "give it the same value in all of them; the label is the right class, or true in its row",
                )

    def _refuse(self, source: Source, table: str, label: str, names: Sequence[str]) -> None:
        """Refuse labels and scores that no number can be made of, and note sums that are not 1."""
        (row,) = self.database.rows(_over(_PROBLEMS, exp.to_table(table), names))
        found = _Found(*row)
        if (problem := _problem(found, label, names)) is not None:
            raise InputError(source.label, *problem)
        if found.apart:
            advice = "apply the softmax if they are logits; accuracy and auc read only their order"
            message = (
                f"{source.label}: the scores of {found.apart:,} of {found.n:,} rows do not add up to 1; the "
                f"sums go from {found.low:.4g} to {found.high:.4g}; {advice}"
            )
            self.notes.append(
                Finding(
                    "class_sums", WARNING, source.label, "score", found.apart, (), message, advice, found.n
                )
            )


class _Found(NamedTuple):
    """The numbers of rows with a problem, in the order of the query."""

    n: int
    unlabeled: int
    strange: int
    stranger: str | None
    absent: int
    odd: int
    least: int
    most: int
    apart: int
    low: float
    high: float


def _problem(found: _Found, label: str, names: Sequence[str]) -> tuple[str, str] | None:
    """Return what is wrong with the labels and the scores, and the advice; None if nothing is."""
    if not found.n:
        return None
    of = f"of {found.n:,} rows"
    if found.unlabeled:
        return f"column {label!r} is NULL in {found.unlabeled:,} {of}", "drop them, or label them"
    if found.absent or found.odd:
        kind = "NULL" if found.absent else "NaN or infinite"
        what = f"{found.absent or found.odd:,} {of} have a score that is {kind}"
        return what, "drop them, or find out why nothing was predicted"
    if found.least != found.most:
        return f"rows have from {found.least} to {found.most} scores", "give every row a score for each class"
    if found.most < 2:
        return (
            f"has one class only, {_shown(names)}",
            "name all of them with classes= (--classes); for two, a label of 0 or 1 and one score do",
        )
    if found.strange:
        return (
            f"column {label!r} has {found.stranger!r}, which is none of the classes {_shown(names)}, in "
            f"{found.strange:,} {of}",
            "give it scores, or leave these rows out with where=; names are compared as text: of columns "
            "with a prefix, write 'p_*' or {'ant': 'p_ant'}",
        )
    return None


def _over(name: str, table: exp.Expr, names: Sequence[str], kept: Sequence[str] = ()) -> exp.Select:
    """Return a relation over rows that have these classes, with some more columns of the rows.

    The names of the classes are a constant, which no row has to hold.
    """
    query = cast("exp.Select", catalog().relations[name].query.copy())
    for select in query.find_all(exp.Select):
        columns = [one for one in select.expressions if one.alias_or_name != _NAMES]
        select.set("expressions", [*columns, *map(quoted, kept)])
    for column in list(query.find_all(exp.Column)):
        if column.name == _NAMES:
            column.replace(_array(names))
    next(read for read in query.find_all(exp.Table) if read.name in (_ROWS, _PLACED)).replace(table)
    return query


def _array(names: Sequence[str]) -> exp.Expr:
    return cast_to(exp.Array(expressions=[literal(name) for name in names]), "VARCHAR[]")


def _shown(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:LISTED])) + (", ..." if len(names) > LISTED else "")


def _column(source: Source, name: str) -> str:
    found = source.named(name)
    if found is None:
        what = f"no column {name!r} for a class; {shown_columns(source)}"
        raise InputError(source.label, what, suggestion(name, source.all_columns, HOW_TO_NAME))
    return found


def _text(source: Source, name: str) -> exp.Expr:
    """Write the name of a class; whole numbers are the same whether they are stored as 1 or as 1.0."""
    type_ = source.columns[name]
    text = cast_to(quoted(name), "VARCHAR")
    if not NUMBER.fullmatch(type_) or INTEGER.fullmatch(type_):
        return text
    whole = exp.EQ(this=quoted(name), expression=exp.func("floor", quoted(name)))
    return exp.Case().when(whole, cast_to(cast_to(quoted(name), "BIGINT"), "VARCHAR")).else_(text)


def _number(source: Source, name: str) -> exp.Expr:
    if not NUMBER.fullmatch(source.columns[name]):
        what = f"column {name!r} is {source.columns[name]}, not the scores of a class"
        raise InputError(source.label, what, HOW_TO_NAME)
    return cast_to(quoted(name), "DOUBLE")
