"""Tables under layouts: the columns of tools under canonical names, positive labels, and notes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.catalog.layouts import CANONICAL_LAYOUT, ORDERS, ROLES, Fit, Layout, Shape, layout, layouts
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import INTEGER, quoted
from duckmetrics.expressions.folding import literal
from duckmetrics.inputs.columns import is_positive
from duckmetrics.inputs.inputs import HISTORY, ITEMS, REFERENCE, VALUES
from duckmetrics.inputs.lists import struct_fields
from duckmetrics.results.findings import NOTE, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.inputs.columns import ColumnMap
    from duckmetrics.inputs.request import Request
    from duckmetrics.inputs.sources import Role, Source
    from duckmetrics.inputs.systems import Attach


# The number of a class, also as Spark writes labels.
_CLASS = re.compile(r"\d+(\.0)?")


def refuse_no_label(source: Source, name: str | None) -> None:
    """Refuse a positive label for a table without labels.

    Args:
        name: the column of the labels.

    Raises:
        InputError: names the table.
    """
    if name is None and source.positive is not None:
        raise InputError(
            f"positive={source.positive}",
            f"names a label, and {source.label} has none that is read",
            "leave it out, or map the labels with columns={'label': ...} (--column label=...)",
        )


def positive_of(asked: str | None, usual: str, source: Source, fit: Fit) -> str:
    """Return the label, or the number of the class, whose score a layout computes.

    Args:
        usual: the number of the positive class if none is named; empty if the labels are no numbers.

    Raises:
        InputError: none is named, or it is not the number of a class.
    """
    positive = asked or usual
    if not positive:
        raise InputError(
            source.label,
            f"labels are text, and the positive one is not named; read ({fit})",
            "name it with positive='yes' (on the command line --positive yes)",
        )
    if not usual:
        return positive
    if not _CLASS.fullmatch(positive):
        raise InputError(
            source.label,
            f"the score is one entry for each class 0, 1, ..., and {positive!r} is not the number of one; "
            f"read ({fit})",
            "name the number of the class, as in positive=1 (--positive 1), or map the scores",
        )
    return str(int(float(positive)))


# The layout of lines `label qid:query feature:value ...`, with the score of each line in another file.
LETOR = "letor"
_IF_NOT = "if this is wrong, map the columns with columns={...} (on the command line --column)"
# Types of labels that are words; lists of them are not.
_WORD = re.compile(r"VARCHAR|ENUM\(.*\)", re.DOTALL)
# The number of labels that a message lists.
_SHOWN = 5
# The tables that follow the predictions in the names of ids, and the ids.
_FOLLOWING: tuple[Role, ...] = ("queries", "population", HISTORY, ITEMS, REFERENCE)
_IDS = ("query_id", "item_id")


class Database(Protocol):
    """The questions that are asked of an engine."""

    def columns(self, query: exp.Query) -> Sequence[tuple[str, str]]: ...
    def rows(self, query: exp.Query) -> Sequence[tuple[Any, ...]]: ...
    def once(self, source: Source) -> Source: ...


class LayoutTables:
    """Reads the tables of one request under layouts: those asked for, or the one that a table surely has.

    Args:
        database: returns the columns and rows of a query.
        attach: returns the table of an argument, read under its layout.

    Attributes:
        notes: a note for each table that is read under a layout.
    """

    def __init__(self, request: Request, database: Database, attach: Attach) -> None:
        self._request = request
        self._attach = attach
        self._database = database
        self._ids: dict[str, str] = {}
        self.notes: list[Finding] = []

    def read(self, source: Source, role: Role) -> Source:
        """Return the table with its columns under canonical names, the table as it is without a layout.

        Raises:
            InputError: it does not have the layout that was asked for, or it fits two layouts.
        """
        if role in _FOLLOWING:
            return self._following(source, role)
        if role not in ROLES:
            return source
        if role == VALUES:
            found = self._asked(source, role) or self._recognized(source, role)
            return self._following(source, role) if found is None else self._under(source, role, *found)
        if self._is_graded(role):
            source = replace(source, positive=self._request.positive)
        if source.layout == LETOR:
            return self._line_by_line(source) if role == "predictions" else source
        found = self._asked(source, role) or self._recognized(source, role)
        source = self._without_structs(source, role) if found is None else self._under(source, role, *found)
        source = _with_ids_as_written(source, role, self._request, self._attach)
        if role == "predictions" and self._request.scores:
            # The checks of the table look at the scores of the first system.
            score = next(iter(self._request.scores.values()))
            source = replace(source, aliases={**source.aliases, "score": score})
        return source

    def _is_graded(self, role: Role) -> bool:
        """Return whether the labels are in this table: in the truth, if there is one."""
        return role == ("predictions" if self._request.truth is None else "truth")

    def _own(self, source: Source, role: Role, column: str) -> str | None:
        """Return the column that the user maps, or the canonical one; None if the table lacks it."""
        given = self._request.columns.given(role, column)
        return source.find(column) if given is None else source.named(given)

    def _under(self, source: Source, role: Role, names: str, shape: Shape, fit: Fit) -> Source:
        """Return the table under a shape, and note the shape."""
        self._tell(source, names, shape, fit)
        if role == "predictions":
            self._ids |= {
                column.lower(): name for name, column in fit.columns.items() if name in _IDS and column
            }
        return self._arranged(source, shape, fit)

    def _following(self, source: Source, role: Role) -> Source:
        """Return a table whose ids may be called as in the predictions."""
        aliases = dict(_followed(source, role, self._request.columns, self._ids))
        return replace(source, aliases=aliases) if aliases else source

    def _line_by_line(self, source: Source) -> Source:
        """Return scores with the queries of the truth, whose lines they belong to.

        Raises:
            InputError: the truth has other lines, or another number of lines.
        """
        truth = None if self._request.truth is None else self._attach(self._request.truth, "truth")
        if truth is None or truth.layout != LETOR:
            raise InputError(
                source.label,
                "one number on each line, and no lines label qid:query ... that they belong to",
                "give the file with the labels as the truth, or a table with query_id, item_id and score",
            )
        source = self._database.once(source)
        sizes = [self._database.rows(_counted(one))[0][0] for one in (source, truth)]
        if sizes[0] != sizes[1]:
            raise InputError(
                source.label,
                f"{sizes[0]} scores for {sizes[1]} lines of {truth.label}",
                "give one for each line",
            )
        query_id, item_id = exp.column("query_id", "lines"), exp.column("item_id", "lines")
        same = exp.EQ(this=exp.column("item_id", "scores"), expression=item_id)
        joined = exp.select(query_id, item_id.copy(), exp.column("value", "scores"))
        joined = joined.from_(exp.alias_(source.relation.copy(), "scores", table=True))
        joined = joined.join(exp.alias_(truth.relation.copy(), "lines", table=True), on=same)
        text = f"{source.label}: read as the scores of the lines of {truth.label} (item_id is the line)"
        self._note(source, text)
        columns = dict(self._database.columns(joined))
        return replace(source, relation=joined.subquery("joined"), columns=columns, ordered=False)

    def with_labels(self, source: Source, role: Role) -> Source:
        """Return the table with some of its labels if they are text, and none is named as positive.

        Raises:
            InputError: no row has the label that is named; names the labels that there are.
        """
        name = self._own(source, role, "label") or self._own(source, role, "relevance")
        refuse_no_label(source, name)
        if name is None or not self._is_graded(role):
            return source
        text = exp.cast(quoted(name), "VARCHAR")
        rows = exp.select(text.as_("label")).distinct().from_(source.relation.copy())
        if source.positive is None:
            is_word = _WORD.fullmatch(source.columns.get(name, ""))
            return replace(source, labels=self._labels(rows)) if is_word else source
        same = is_positive(source, name, source.positive)
        if not self._database.rows(rows.where(same).limit(1)):
            raise InputError(
                source.label,
                f"no label is {source.positive!r}; column {name!r} has {', '.join(self._labels(rows))}",
                "name one of them with positive= (on the command line --positive)",
            )
        return source

    def _labels(self, rows: exp.Select) -> tuple[str, ...]:
        found = self._database.rows(rows.order_by("label").limit(_SHOWN))
        return tuple(sorted(str(label) for (label,) in found))

    # --- which layout ----------------------------------------------------------------------------

    def _asked(self, source: Source, role: Role) -> tuple[str, Shape, Fit] | None:
        """Return the shape of the layout that the user names; None for a table with canonical names."""
        name = self._request.layouts.get(role)
        known = None if name in (None, CANONICAL_LAYOUT) else layout(str(name))
        if known is None or role not in known.shapes:
            return None
        found = known.fit(role, source.columns)
        if found is None and not any(source.find(column) for column in ("query_id", "label")):
            wanted = "; or ".join(_wanted(shape) for shape in known.shapes[role])
            raise InputError(
                source.label,
                f"does not have the layout {known.name}, which has {wanted}; "
                f"found {', '.join(source.columns)}",
                "leave layout= out, or map the columns with columns={...}",
            )
        return None if found is None else (known.title, *found)

    def _recognized(self, source: Source, role: Role) -> tuple[str, Shape, Fit] | None:
        """Return the shape that a table surely has: no name is mapped, and no other layout fits."""
        request = self._request
        if request.layouts.get(role) is not None or _is_mapped(request.columns, role):
            return None
        if self._is_canonical(source, role):
            return None
        fits = list(self._fits(source, role))
        if not fits:
            return None
        first = fits[0]
        for known, _, fit in fits[1:]:
            if not fit.same(first[2]):
                raise InputError(
                    source.label,
                    f"fits two layouts: {first[0].title} ({first[2]}) and {known.title} ({fit})",
                    f"say which with layout={{{role!r}: {first[0].name!r}}} or {{{role!r}: {known.name!r}}} "
                    f"(--layout {role}={first[0].name}); or map the columns",
                )
        return " or ".join(known.title for known, _, _ in fits), *first[1:]

    def _is_canonical(self, source: Source, role: Role) -> bool:
        """Return whether a table can be read as it is, so that no file of a layout needs to be opened."""
        if role == VALUES:
            return all(map(source.find, ("query_id", "metric", "value")))
        if not self._request.is_of_rankings:
            return all(map(source.find, ("label", "score")))
        has_order = role == "truth" or any(map(source.find, ORDERS))
        return has_order and all(map(source.find, ("query_id", "item_id")))

    def _fits(self, source: Source, role: Role) -> Iterator[tuple[Layout, Shape, Fit]]:
        for known in layouts().values():
            for shape in known.shapes.get(role, ()):
                fit = shape.fit(source.columns) if self._is_open(shape, source, role) else None
                if fit is not None and self._is_needed(shape, fit, source):
                    yield known, shape, fit

    def _is_open(self, shape: Shape, source: Source, role: Role) -> bool:
        """Return whether a shape may be recognized: without a truth, it must have a label."""
        by_file = source.layout is not None and any(
            shape is one for one in layouts()[source.layout].shapes.get(role, ())
        )
        fits_task = shape.is_ranking if self._request.is_of_rankings else "label" in shape.gives
        return (shape.certain or by_file) and (role != "predictions" or fits_task)

    @staticmethod
    def _is_needed(shape: Shape, fit: Fit, source: Source) -> bool:
        """Return whether a shape gives names that the table lacks, and takes none that it has."""
        gives = {**dict.fromkeys(shape.gives), **fit.columns}
        new = [name for name, column in gives.items() if column is None or column.lower() != name]
        if shape.exact and fit.rest:
            return False
        return bool(new) and not any(source.find(name) for name in new)

    def _tell(self, source: Source, names: str, shape: Shape, fit: Fit) -> None:
        text = f"{source.label}: read as {names} ({fit})"
        graded = any(source.find(name) for name in ("relevance", "label"))
        text += f"; {shape.note}" if shape.note and not graded else ""
        if all(note.message != text for note in self.notes):
            self._note(source, text)

    def _note(self, source: Source, text: str) -> None:
        self.notes.append(Finding("layout", NOTE, source.label, "", 0, (), text, _IF_NOT))

    # --- how it is read --------------------------------------------------------------------------

    def _arranged(self, source: Source, shape: Shape, fit: Fit) -> Source:
        """Return the table with the columns that a layout names, and those that it computes."""
        computed = {
            name: self._expression(source, sql, fit, shape.positive) for name, sql in fit.computed.items()
        }
        for name, columns in fit.listed.items():
            computed[name] = exp.Array(expressions=[quoted(column) for column in columns])
        aliases: dict[str, str | None] = dict(fit.columns)
        if any(order in shape.gives for order in ORDERS):
            aliases |= {order: None for order in ORDERS if order not in shape.gives}
        return replace(self._with(source, computed), aliases=aliases, has_holes=bool(fit.listed))

    def _expression(self, source: Source, sql: str, fit: Fit, usual: str) -> exp.Expr:
        """Read the SQL of a layout: ``{name}`` in a column and ``$positive`` are filled in."""
        tree = sqlglot.parse_one(sql, dialect=DIALECT)
        for column in tree.find_all(exp.Column):
            name = column.name.replace("{name}", fit.own)
            column.this.set("this", source.find(name) or name)
        for placeholder in list(tree.find_all(exp.Placeholder)):
            placeholder.replace(literal(positive_of(self._request.positive, usual, source, fit)))
        _name_fields(tree, source)
        return tree

    def _with(self, source: Source, computed: dict[str, exp.Expr]) -> Source:
        """Return the table with more columns."""
        if not computed:
            return source
        taken = [name for name in computed if source.find(name)]
        if taken:
            raise InputError(
                source.label, f"the layout adds a column {taken[0]!r}, which exists already", "rename yours"
            )
        query = exp.select(exp.Star(), *(e.as_(name) for name, e in computed.items()))
        query = query.from_(source.relation.copy())
        columns = dict(self._database.columns(query))
        return replace(
            source, relation=query.subquery("arranged"), columns=columns, rowid=False, statistics=False
        )

    def _without_structs(self, source: Source, role: Role) -> Source:
        """Return a table of lists of structs as one of lists of items and of scores."""
        name = self._own(source, role, "items") if role == "predictions" else None
        fields = None if name is None else struct_fields(source.columns[name])
        if name is None or fields is None:
            return source
        item, score = fields
        computed = {"struct_items": _field(name, item)}
        aliases = {"items": "struct_items"}
        if score is not None:
            computed["struct_scores"] = _field(name, score)
            aliases["scores"] = "struct_scores"
        return replace(self._with(source, computed), aliases=aliases)


def _name_fields(tree: exp.Expr, source: Source) -> None:
    """Write ``struct_extract_at(one, 1)`` in terms of the name of the field, which all engines understand."""
    for call in list(tree.find_all(exp.Anonymous)):
        listed = call.find_ancestor(exp.Transform)
        if call.name.lower() == "struct_extract_at" and listed is not None:
            one, place = call.expressions
            struct = exp.DataType.build(source.columns[listed.this.name], dialect=DIALECT).expressions[0]
            field = struct.expressions[int(place.name) - 1].this.name
            call.replace(exp.Dot(this=one.copy(), expression=exp.to_identifier(field, quoted=True)))


def _field(column: str, field: str) -> exp.Expr:
    """Write one field of the structs in a list."""
    one = exp.to_identifier("one")
    taken = exp.Dot(this=one.copy(), expression=exp.to_identifier(field, quoted=True))
    return exp.Transform(this=quoted(column), expression=exp.Lambda(this=taken, expressions=[one]))


def _counted(source: Source) -> exp.Select:
    return exp.select(exp.Count(this=exp.Star())).from_(source.relation.copy())


def _is_mapped(columns: ColumnMap, role: Role) -> bool:
    """Return whether the user maps a column of a table."""
    return any("." not in key or key.startswith(f"{role}.") for key in columns.names)


def _wanted(shape: Shape) -> str:
    names = [" or ".join(known).replace("*", "one other column") for known in shape.columns.values()]
    names += [*shape.types, *(["numbered columns"] if shape.numbered else [])]
    return ", ".join(names)


def _with_ids_as_written(source: Source, role: Role, request: Request, attach: Attach) -> Source:
    """Return a truth in a CSV file with ids as text where the ids of the predictions are text by format.

    Whole numbers of such a file are those whose text is the same, so that no id changes.
    """
    given = request.predictions
    if role != "truth" or source.text is None or given is None or isinstance(given, Mapping):
        return source
    asked = {name: request.columns.given(role, name) for name in _IDS}
    ids = {source.find(name) if own is None else source.named(own) for name, own in asked.items()}
    whole = [name for name, type_ in source.columns.items() if name in ids and INTEGER.fullmatch(type_)]
    if not whole or not attach(given, "predictions").text_ids:
        return source
    as_text = [exp.cast(quoted(name), "VARCHAR").as_(name, quoted=True) for name in whole]
    rows = exp.select(exp.Star(replace=as_text)).from_(source.relation.copy()).subquery("as_written")
    return replace(source, relation=rows, columns={**source.columns, **dict.fromkeys(whole, "VARCHAR")})


def _followed(
    source: Source, role: Role, columns: ColumnMap, ids: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the ids that a table calls as the predictions do.

    Args:
        ids: the names of the columns of the predictions, and the ids in them.
    """
    for id_ in _IDS:
        known = [name for name in source.columns if ids.get(name.lower()) == id_]
        if len(known) == 1 and not columns.given(role, id_) and not source.find(id_):
            yield id_, known[0]
