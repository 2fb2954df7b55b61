"""Bodies of macros that hold most of their query as a packed text."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.expressions.build import named_step
from duckmetrics.macro_queries.macro import FUNCTIONS, HIDDEN, QUERY, reference, written
from duckmetrics.macro_queries.ranking_text import METRIC, PLACE, K
from duckmetrics.macro_queries.template import (
    BETWEEN,
    BETWEEN_PIECES,
    CONDITIONS,
    IF,
    MARK,
    Template,
)
from duckmetrics.packing.texts import Packed, is_packed, packed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Parts of texts that a macro looks for before it writes them out.
FIXED = "|".join((
    rf"{MARK}#\d+{MARK}", rf"{IF}\?\d+:", IF, BETWEEN, BETWEEN_PIECES, MARK, METRIC, PLACE, rf"{K}",
))  # fmt: skip
# A shorter text is not packed: the expression that writes it out has about this length.
SHORTEST = 2000
# The name of a step that reads the rows of the user.
GIVEN = f"{HIDDEN}given_rows"
# Functions of macros whose last arguments are texts that they put into others.
_PIECES = {f"{FUNCTIONS}pieces": 2, f"{FUNCTIONS}cutoff_pieces": 2}


def pack_texts(tree: exp.Expr) -> exp.Expr:
    """Pack the texts that become a query with the function ``format``, in place."""
    for call in tree.find_all(exp.Anonymous):
        if call.name.lower() == "format":
            text, *values = call.expressions
            found = list(_texts(text))
            shared = Packed([one.this for one in found], FIXED)
            for one, short in zip(found, shared.texts, strict=True):
                one.set("this", short)
            call.set("expressions", [shared.written_out(text), *values])
    return tree


def pack_query(query: exp.Expr, names: Sequence[str]) -> exp.Expr:
    """Return a query that runs a text, in place of a query that holds all of its steps.

    The arguments are literals in the text. Expressions over the columns of the user cannot be: the query that
    reads the rows of the user stays as it is, in front of the text.

    Args:
        names: the parameters of the macro.
    """
    if not isinstance(query, exp.Query) or _runs_a_text(query):
        return query
    holder = exp.paren(query.copy(), copy=False)
    known = {reference(name) for name in names}
    steps: list[exp.CTE] = []
    for select in list(_readers(holder, known)):
        name = f"{GIVEN}_{len(steps) + 1}"
        steps.append(named_step(name, select.copy()))
        select.replace(exp.select("*").from_(name))
    template = Template([], {})
    _put_values_in(holder, known, template)
    written_ = template.numbered(template.escaped(written(cast("exp.Query", holder.this))))
    text = template.filled(packed(written_))
    run = exp.select("*").from_(exp.Table(this=exp.Anonymous(this=QUERY, expressions=[text])))
    run.set("with_", exp.With(expressions=steps) if steps else None)
    return run


def pack_literals(tree: exp.Expr) -> exp.Expr:
    """Pack the long literals of a tree, in place."""
    for found in list(tree.find_all(exp.Literal)):
        if found.is_string and len(found.this) > SHORTEST and not is_packed(found.this):
            short = packed(found.this)
            if len(short.sql("duckdb")) + SHORTEST < len(found.this):
                found.replace(short)
    return tree


def _texts(tree: exp.Expr) -> Iterator[exp.Literal]:
    """Yield the literals that are parts of the text that an expression returns."""
    if isinstance(tree, exp.Literal) and tree.is_string:
        yield tree
    elif isinstance(tree, exp.Paren):
        yield from _texts(tree.this)
    elif isinstance(tree, exp.DPipe):
        yield from (*_texts(tree.this), *_texts(tree.expression))
    elif isinstance(tree, exp.Case):
        for part in (*(branch.args["true"] for branch in tree.args["ifs"]), tree.args.get("default")):
            if part is not None:
                yield from _texts(part)
    elif isinstance(tree, exp.Struct):
        for pair in tree.expressions:
            yield from _texts(pair.expression)
    elif isinstance(tree, exp.Anonymous):
        yield from _texts_of_call(tree)


def _texts_of_call(call: exp.Anonymous) -> Iterator[exp.Literal]:
    if call.name == "concat":
        for part in call.expressions:
            yield from _texts(part)
    elif call.name in _PIECES:
        for part in call.expressions[_PIECES[call.name] :]:
            yield from _texts(part)
    elif call.name == "string_split":  # a list of texts, see `template.listed`
        yield from _texts(call.expressions[0])
    elif call.name == "list_extract":  # see `template.bound_once`: texts, or conditions that choose them
        listed, read = call.expressions[0].expressions
        (value,) = listed.expressions
        yield from _texts(read.this if read.expressions[0].name == CONDITIONS else value)


def _runs_a_text(query: exp.Query) -> bool:
    """Return whether a query does nothing but run a text."""
    source = query.args.get("from_")
    return source is not None and _is_run(source.this) and set(map(str, query.selects)) == {"*"}


def _is_run(table: exp.Expr) -> bool:
    return (
        isinstance(table, exp.Table)
        and isinstance(table.this, exp.Anonymous)
        and table.this.name.lower() == QUERY
    )


def _readers(tree: exp.Expr, known: set[exp.Var]) -> Iterator[exp.Select]:
    """Yield the queries that read a table of the user and use arguments as expressions over its columns."""
    for select in tree.find_all(exp.Select):
        if _reads_the_user(select):
            used = (var for part in select.selects for var in part.find_all(exp.Var))
            if any(var in known and var.find_ancestor(exp.Columns) is None for var in used):
                yield select


def _reads_the_user(select: exp.Select) -> bool:
    """Return whether a query reads the rows of the user, maybe with more columns."""
    source = select.args.get("from_")
    if source is None:
        return False
    inner = source.this.this if isinstance(source.this, exp.Subquery) else None
    return _is_run(source.this) or (isinstance(inner, exp.Select) and _reads_the_user(inner))


def _put_values_in(tree: exp.Expr, known: set[exp.Var], template: Template) -> None:
    """Put marks for the values of the arguments into a query."""
    for var in list(tree.find_all(exp.Var)):
        is_name = isinstance(var.parent, exp.PropertyEQ) and var.arg_key == "this"
        if var in known and not is_name:
            call = exp.Anonymous(this=f"{FUNCTIONS}typed_literal", expressions=[var.copy()])
            var.replace(template.raw(call))
