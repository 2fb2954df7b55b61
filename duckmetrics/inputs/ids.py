"""Ids of queries and items: of one kind on both sides, composite ones as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import cast_to, quoted
from duckmetrics.expressions.column_types import INTEGER, NARROW, NUMBER, is_zoned
from duckmetrics.inputs.advice import replaced
from duckmetrics.inputs.columns import ColumnMap, missing_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics.inputs.sources import Role, Source


# CAST would write bytes that are not ASCII as escapes.
_OF_BYTES = (
    "if it holds text, read the file with binary_as_string: \"SELECT * FROM read_parquet('...', "
    'binary_as_string = true)"'
)

# The kinds of which a cast gives any other.
ZONED = "timestamp with time zone"
TIMES = frozenset({"date", "timestamp", ZONED})


@dataclass(frozen=True)
class Key:
    """An id column, or several that make up an id together.

    Attributes:
        parts: the user's columns.
        kinds: what each of them holds: integer, text, date, ...
        words: of advice about the table.
    """

    label: str
    parts: tuple[str, ...]
    types: tuple[str, ...]
    kinds: tuple[str, ...]
    words: str = DIALECT


def key_of(source: Source, columns: ColumnMap, role: Role, column: str) -> Key:
    """Find an id column and the kind of its values.

    Raises:
        InputError: the column is missing, or of a type that cannot be an id.
    """
    found = columns.find(source, role, column)
    mapped = columns.given(role, column) or column
    parts = (found,) if found is not None else tuple(p.strip() for p in mapped.split("+"))
    names = [source.find(part) for part in parts]
    if None in names:
        raise missing_column(source, column, role)
    known = tuple(name for name in names if name is not None)
    types = tuple(source.columns[name] for name in known)
    return Key(
        source.label,
        known,
        types,
        tuple(_id_kind(source, column, n, t) for n, t in zip(known, types, strict=True)),
        source.words,
    )


def _id_kind(source: Source, column: str, name: str, type_: str) -> str:
    label, words = source.label, source.words
    what = f"column {name!r} is {type_}"
    if INTEGER.fullmatch(type_):
        return "integer"
    if type_ == "VARCHAR" or type_.startswith("ENUM("):
        return "text"
    if type_ in ("UUID", "DATE", "BOOLEAN"):
        return type_.lower()
    if is_zoned(type_):
        return ZONED
    if type_.startswith("TIMESTAMP"):
        return "timestamp"
    if type_.endswith("]") and column == "item_id":
        raise InputError(
            label,
            f"{what}, a list and not an id",
            (
                "if it lists the items of a query, the best first, map it with columns={'items': "
                f"{name!r}}}, in the truth with columns={{'relevant': {name!r}}}"
            ),
        )
    if type_ == "BLOB":
        as_text = replaced(name, "decoded", words)
        raise InputError(
            label,
            f"{what}, not an id",
            _OF_BYTES if words == DIALECT else f"if it holds text, cast it, as in {as_text}",
        )
    if NUMBER.fullmatch(type_):
        raise InputError(
            label,
            f"{what}, not an id: such numbers are not exact keys",
            f"cast it, as in {replaced(name, 'integer', words)}",
        )
    raise InputError(label, f"{what}, not an id", "use a number, text, UUID, date, timestamp or boolean")


def same_kind(left: Key, right: Key, column: str) -> None:
    """Refuse ids that DuckDB would compare only after a silent cast.

    Raises:
        InputError: names both types and the CAST to write.
    """
    if left.kinds == right.kinds:
        return
    if len(left.parts) != len(right.parts):
        raise InputError(
            column,
            f"{left.label} has the key {'+'.join(left.parts)}, {right.label} has {'+'.join(right.parts)}",
            "map the same number of columns with columns={...}",
        )
    for i, kinds in enumerate(zip(left.kinds, right.kinds, strict=True)):
        if kinds[0] != kinds[1]:
            raise InputError(
                column,
                (
                    f"{left.label} has {left.parts[i]} of type {left.types[i]}, {right.label} has "
                    f"{right.parts[i]} of type {right.types[i]}"
                ),
                _one_kind(left, right, i),
            )


def _one_kind(left: Key, right: Key, i: int) -> str:
    """Return the advice to cast a part of one key, or of both if no cast gives the other kind."""
    kinds = left.kinds[i], right.kinds[i]
    are_times = TIMES.issuperset(kinds)
    cast, like = (left, right) if kinds[1] == "text" or (are_times and kinds[0] == "date") else (right, left)
    change = like.kinds[i] if are_times else "text"
    return (
        f"make them one kind, as in {replaced(cast.parts[i], change, cast.words)}"
        f"{'' if are_times or 'text' in kinds else ', in both tables'}"
    )


def common_types(keys: Sequence[Key]) -> tuple[str | None, ...]:
    """Return the type to cast each part of an id to, None where all tables agree already."""
    return tuple(
        _common(kinds[0], [key.types[i] for key in keys])
        for i, kinds in enumerate(zip(*(key.kinds for key in keys), strict=True))
    )


def _common(kind: str, types: Sequence[str]) -> str | None:
    if kind == "text":
        return None if set(types) == {"VARCHAR"} else "VARCHAR"
    if len(set(types)) == 1:
        return None
    if kind == "integer":
        return "BIGINT" if all(NARROW.fullmatch(t) for t in types) else "HUGEINT"
    if kind == "timestamp":
        return "TIMESTAMP_NS" if "TIMESTAMP_NS" in types else "TIMESTAMP"
    if kind == ZONED:
        return "TIMESTAMPTZ_NS"
    return None


def key_expression(key: Key, types: Sequence[str | None], names: Sequence[str]) -> exp.Expr:
    """Write an id; several columns become a struct, which is exact where a joined text is not."""
    parts = [
        cast_to(quoted(part), type_) if type_ else quoted(part)
        for part, type_ in zip(key.parts, types, strict=True)
    ]
    if len(parts) == 1:
        return parts[0]
    fields = [
        exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=part)
        for name, part in zip(names, parts, strict=True)
    ]
    # An id is as unknown as its parts: a struct with a NULL inside would not be NULL.
    whole = exp.and_(*(exp.not_(exp.Is(this=part.copy(), expression=exp.null())) for part in parts))
    return exp.Case().when(whole, exp.Struct(expressions=fields))
