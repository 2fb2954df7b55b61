"""Macros that stand in a SELECT list, as aggregates do, and the checks of their rows.

A metric that is one aggregate over the rows is taken from its own file. One that has to sort or to
bin them has a second file under sql/macros/aggregates, which works on lists.

Rows that a metric refuses end the query. DuckDB treats ``error()`` as an expression with side effects:
an alias of it cannot stand in HAVING, and the same call is computed again wherever it is written. So the
message is cast to a number instead, which fails with the message in it. The outcome of the checks is added
to the value and no CASE surrounds it, because DuckDB shares equal expressions only outside of one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.catalog import Alias
from duckmetrics.catalog.definition import CLASSIFICATION, DIALECT, substituted
from duckmetrics.catalog.meanings import meanings
from duckmetrics.compose import functions
from duckmetrics.compose.composer import KEYS, Composer
from duckmetrics.expressions.build import try_cast
from duckmetrics.expressions.folding import Parameter, Value, bind, constant, fold, literal
from duckmetrics.inputs.classification import WEIGHTED
from duckmetrics.inputs.columns import WEIGHT
from duckmetrics.shell.macro import (
    FUNCTIONS,
    QUOTED,
    Argument,
    Macro,
    Overload,
    concatenated,
    expanded,
    fixed,
    given,
    hidden,
    reference,
    typed,
)
from duckmetrics.shell.own_columns import OF_ROWS, free_name, null_text, read_by
from duckmetrics.shell.parameters import allowed, refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition, Param


# The columns whose values may be true or false.
FLAGS = ("label",)
_REQUIRED = re.compile(r"\w+\s*\(([^()]*)\)")


def problems_of(
    catalog: Catalog, definition: Definition, values: Mapping[str, Value], columns: Collection[str]
) -> Iterator[tuple[exp.Expr, str]]:
    """Yield the conditions of the checks of the rows that a metric reads, and their messages."""
    foundations = (d.name for d in catalog.foundations(definition))
    read = {CLASSIFICATION, definition.name, *chain(foundations, {WEIGHT} & set(columns))}
    for check in catalog.checks.values():
        where = check.query.args.get("where")
        concerned = check.header["severity"] == "error" and read & check.subjects
        other = {column.name for column in check.query.find_all(exp.Column)} - set(columns)
        if concerned and where and not other:
            yield substituted(where.this, values), f"{check.title}; {check.header['advice']}"
    for text in _REQUIRED.findall(definition.header.get("requires", "")):
        condition = substituted(exp.maybe_parse(text, dialect=DIALECT), values)
        shown = text
        for column, name in definition.macros.items():
            shown = re.sub(rf"\b{column}\b", name, shown)
        yield exp.not_(exp.paren(condition)), f"rows outside of what {definition.name} needs, {shown}"


def row_check(catalog: Catalog, names: Mapping[str, str], problems: Sequence[tuple[exp.Expr, str]]) -> Macro:
    """Write the macro that describes the problem of a row.

    Args:
        names: the columns that a metric reads, each with the name of the argument for it.
        problems: conditions on the columns, each with the message about a row that meets it.
    """
    types = [
        exp.Anonymous(this="wrong_type", expressions=[reference(n), literal(n), literal(c in FLAGS)])
        for c, n in names.items()
    ]  # fmt: skip
    text = exp.Case()
    for condition, said_of_it in problems:
        text = text.when(_where_weighted(condition), literal(said_of_it), copy=False)
    types_fit = (exp.Is(this=of_column.copy(), expression=exp.null()) for of_column in types)
    conditions = exp.and_(*types_fit, *_sound(names, problems))
    sound = of_arguments(conditions, {c: number(n) for c, n in names.items()})
    found = exp.func("coalesce", *types, concatenated(text, "; found", *_row(names)))
    tree = exp.Case().when(sound, exp.null()).else_(found)
    examined = {
        c: exp.Anonymous(this="examined_number", expressions=[reference(n)]) for c, n in names.items()
    }
    body = given(expanded(catalog, of_arguments(tree, examined)), {WEIGHTED: is_weighted(of_rows=True)})
    arguments = tuple(Argument(name, required=True) for name in names.values())
    return Macro("", (Overload(arguments, body),), "", is_table=False)


def _sound(names: Collection[str], problems: Sequence[tuple[exp.Expr, str]]) -> Iterator[exp.Expr]:
    """Yield conditions that together exclude every problem of a row, and are quick to compute.

    All numbers are finite, so that only the parts of a problem count that are not about NULL, NaN or
    infinity. A row that fails them, such as one with an infinite score, may still be right.
    """
    listed = set()
    for condition, _ in problems:
        left = exp.paren(condition.copy(), copy=False)
        for part in list(left.find_all(exp.IsNan, exp.IsInf, exp.Is)):
            part.replace(exp.false())
        rest = fold(left)
        if constant(rest) is not False:
            listed |= {known.this.name for known in rest.find_all(exp.In)}
            yield or_unweighted(_negated(rest)) if reads_weight(condition) else _negated(rest)
    for column in names:
        if column not in listed:  # a value that is one of some numbers is finite
            finite = exp.Anonymous(this="isfinite", expressions=[exp.column(column)])
            yield or_unweighted(finite) if column == WEIGHT else finite


def _negated(condition: exp.Expr) -> exp.Expr:
    """Negate a condition on finite numbers, without OR and IN: DuckDB computes these row by row."""
    match condition:
        case exp.Paren():
            return _negated(condition.this)
        case exp.Or():
            return exp.and_(_negated(condition.left), _negated(condition.right))
        case exp.LT():
            return exp.GTE(this=condition.this, expression=condition.expression)
        case exp.GT():
            return exp.LTE(this=condition.this, expression=condition.expression)
        case exp.Not(this=exp.Paren()):
            return cast("exp.Expr", condition.this.this)
        case exp.Not(this=exp.In() as known):
            parts: Iterator[exp.Expr] = (
                exp.paren(exp.Sub(this=known.this.copy(), expression=choice)) for choice in known.expressions
            )
            product = reduce(lambda left, right: exp.Mul(this=left, expression=right), parts)
            return exp.EQ(this=product, expression=literal(0))
    return exp.not_(exp.paren(condition))


def reads_weight(condition: exp.Expr) -> bool:
    """Return whether a condition is about the weight."""
    return any(column.name == WEIGHT for column in condition.find_all(exp.Column))


def _where_weighted(condition: exp.Expr) -> exp.Expr:
    """Restrict a condition on weights to calls that have some."""
    kept = condition.copy()
    return exp.and_(exp.Placeholder(this=WEIGHTED), kept) if reads_weight(condition) else kept


def or_unweighted(condition: exp.Expr) -> exp.Expr:
    """Ask for a condition only where a weight is given."""
    return exp.paren(exp.or_(exp.not_(exp.Placeholder(this=WEIGHTED)), condition))


def _row(names: Mapping[str, str]) -> Iterator[str | exp.Expr]:
    """Yield the parts of a text that shows a row."""
    for column, name in names.items():
        shown = concatenated(f", {name}=", _text(column))
        yield (
            exp.Case().when(exp.Placeholder(this=WEIGHTED), shown).else_(literal(""))
            if column == WEIGHT
            else shown
        )


def _text(column: str) -> exp.Expr:
    return exp.func("coalesce", exp.cast(exp.column(column), "VARCHAR"), literal("NULL"))


def is_weighted(of_rows: bool) -> exp.Expr:
    """Return whether a weight is given, which its type says before the rows are read.

    Next to aggregates, the type of a list of weights shows it. DuckDB then does not need the list.
    """
    weights = reference(WEIGHT) if of_rows else exp.ArrayAgg(this=reference(WEIGHT))
    none = '"NULL"' if of_rows else '"NULL"[]'
    kind = exp.Anonymous(this="typeof", expressions=[weights])
    return exp.paren(exp.NEQ(this=kind, expression=literal(none)))


def number(name: str) -> exp.Expr:
    """Return an argument as a number; a check refuses anything else."""
    return try_cast(reference(name), "DOUBLE")


def of_arguments(tree: exp.Expr, values: Mapping[str, exp.Expr]) -> exp.Expr:
    """Write expressions over the arguments of the macro for the columns of the rows."""
    known = {name.lower(): value for name, value in values.items()}
    for column in list(tree.find_all(exp.Column)):
        if not column.table and column.name.lower() in known and not _is_bound(column):
            column.replace(known[column.name.lower()].copy())
    return tree


def _is_bound(column: exp.Column) -> bool:
    """Return whether a name is that of a lambda's parameter."""
    parent = column.parent
    while parent is not None:
        if isinstance(parent, exp.Lambda) and column.name in {p.name for p in parent.expressions}:
            return True
        parent = parent.parent
    return False


PREFIX = "duckmetrics: "
WHERE = "where_"
COLUMNS = ("label", "score", WEIGHT)
ROWS = "predictions"
WEIGHT_MEANINGS = {"": "how much each row counts; all the same by default"}


def aggregate_macros(catalog: Catalog) -> Iterator[Macro]:
    """Yield every metric that can be an aggregate, under all its names, after the shared checks of rows."""
    shelf = _Shelf(catalog)
    own = dict(catalog.aggregates)
    found: dict[str, Macro] = {}
    for (family, name), alias in catalog.names.items():
        if family != CLASSIFICATION:
            continue
        definition = catalog.aggregates.get(alias.metric.name, alias.metric)
        own.pop(definition.name, None)
        for other in sorted({name, alias.metric.macros.get(name, name)} - set(QUOTED)):
            if other not in found and (macro := shelf.macro(definition, alias, other)) is not None:
                found[other] = macro
    for definition in own.values():
        if (macro := shelf.macro(definition, Alias(definition, {}), definition.name)) is not None:
            found[definition.name] = macro
    yield from (*shelf.checks.values(), *found.values())


class _Shelf:
    """Writes the macros; those that are the same but for the name call the first of them."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.checks: dict[exp.Expr, Macro] = {}
        self.known: dict[tuple[str, tuple[tuple[str, str], ...]], Macro | None] = {}

    def macro(self, definition: Definition, alias: Alias, name: str) -> Macro | None:
        """Return the macro of one definition, None if it is not an aggregate over the rows."""
        key = (definition.name, tuple(alias.bound.items()))
        if key not in self.known:
            self.known[key] = self._new(definition, alias, name)
            return self.known[key]
        first = self.known[key]
        if first is None:
            return None
        (overload,) = first.overloads
        passed = [reference(argument.name) for argument in overload.arguments]
        body = exp.Anonymous(this=first.name, expressions=passed)
        return replace(first, name=name, overloads=(Overload(overload.arguments, body),))

    def _new(self, definition: Definition, alias: Alias, name: str) -> Macro | None:
        values, params = self._values(definition, alias)
        value = _Aggregate(self.catalog, definition, values).value
        names, own_columns = self._columns(definition), read_by(self.catalog, definition, ROWS)
        if value is None or not _reads_only(value, (*names, *own_columns)):
            return None
        taken = {WHERE, *names.values(), *(p.name for p in params)}
        of_own = {c: free_name(c, taken) for c in own_columns}
        own = (
            Argument(
                p.name, p.default, p.required, p.choices, meanings=meanings(self.catalog, definition, p)
            )
            for p in params
        )  # fmt: skip
        arguments = (
            *(Argument(column, required=True) for c, column in names.items() if c != WEIGHT),
            *(Argument(name, required=True) for name in of_own.values()),
            *sorted(own, key=lambda argument: not argument.required),
            Argument(WHERE, True, type="BOOLEAN"),
            *([Argument(WEIGHT, meanings=WEIGHT_MEANINGS)] if WEIGHT in names else []),
        )  # fmt: skip
        body = self._checked(definition, params, value, values)
        numbers = {c: number(column) for c, column in names.items()}
        body = of_arguments(body, {**numbers, **{c: reference(name) for c, name in of_own.items()}})
        linked, _ = functions.linked(self.catalog, exp.select(body), FUNCTIONS)
        tree = _told_of_weights(hidden(linked.selects[0]))
        whole = given(tree, {param.name: typed(param) for param in params})
        title = alias.metric.title if alias.metric.family == CLASSIFICATION else definition.title
        return Macro(name, (Overload(arguments, whole),), title, definition, is_table=False)

    def _columns(self, definition: Definition) -> dict[str, str]:
        """Return the columns that a metric takes, each with the name of the argument for it."""
        switch = definition.switches.get(WEIGHTED)
        has_form = switch is None or not fixed(switch)
        is_weighted = has_form and WEIGHT in definition.inputs.get(ROWS, ())
        taken = [column for column in COLUMNS if column != WEIGHT or is_weighted]
        return {column: definition.macros.get(column, column) for column in taken}

    def _values(self, definition: Definition, alias: Alias) -> tuple[dict[str, Value], list[Param]]:
        """Return a value for each parameter, and the parameters of the macro."""
        is_weighted = WEIGHT in self._columns(definition)
        values: dict[str, Value] = {WEIGHTED: Parameter(WEIGHTED) if is_weighted else False}
        params: list[Param] = []
        decided = self.catalog.placeholders(definition)
        for name, param in self.catalog.params(definition).items():
            if name in alias.bound:
                values[name] = param.type(alias.bound[name])
            elif name != WEIGHTED:
                open_ = name in decided and (
                    definition.family == CLASSIFICATION or name in definition.own_params
                )
                values[name] = Parameter(name) if open_ and not fixed(param) else param.default
                if isinstance(values[name], Parameter):
                    params.append(param)
        return values, params

    def _checked(
        self, definition: Definition, params: Sequence[Param], value: exp.Expr, values: Mapping[str, Value]
    ) -> exp.Expr:
        """Add the value to the result of the checks of the arguments and of the rows: 0, or an error.

        DuckDB 2.0 does not compute a term added to NULL, and the value may be NULL. So the checks are first.
        """
        outcome = exp.Case()
        for param in params:
            text = concatenated(PREFIX, refusal(param.name, [param]))
            outcome = outcome.when(exp.not_(allowed(param)), _refused(text), copy=False)
        of_row: list[tuple[exp.Expr, str]] = []
        for condition, said in problems_of(self.catalog, definition, values, self._columns(definition)):
            exists = condition.find(exp.Exists)
            if exists is None and any(one.name != WEIGHTED for one in condition.find_all(exp.Placeholder)):
                # The macro of a row knows its columns only, and not the parameters.
                some = _filtered(exp.LogicalOr(this=condition), exp.true())
                outcome = outcome.when(some, _refused(literal(PREFIX + said)), copy=False)
                continue
            if exists is None:
                of_row.append((condition, said))
                continue
            other = cast("exp.Select", exists.this).args["where"].this
            exists.replace(exp.true())
            outcome = outcome.when(_both(condition, other), _refused(literal(PREFIX + said)), copy=False)
        for column in read_by(self.catalog, definition, ROWS):
            is_null = exp.Is(this=exp.column(column), expression=exp.null())
            n = _filtered(exp.CountIf(this=is_null), exp.true())
            text = concatenated(PREFIX, null_text(OF_ROWS, column, n, definition))
            outcome = outcome.when(exp.GT(this=n.copy(), expression=literal(0)), _refused(text), copy=False)
        problem = _filtered(exp.Min(this=self._check(self._columns(definition), of_row)), exp.true())
        fine = exp.func("coalesce", _refused(concatenated(PREFIX, problem)), _of_some_rows(value))
        outcome_ = outcome.else_(fine) if outcome.args.get("ifs") else fine
        return exp.Add(this=outcome_, expression=exp.paren(_only_wanted(value)))

    def _check(self, names: Mapping[str, str], problems: Sequence[tuple[exp.Expr, str]]) -> exp.Expr:
        """Return a call of the macro that describes the problem of a row."""
        check = row_check(self.catalog, names, problems)
        body = cast("exp.Expr", check.overloads[0].body)
        name = f"duckmetrics_problem_{len(self.checks) + 1}"
        known = self.checks.setdefault(body, replace(check, name=name))
        return exp.Anonymous(this=known.name, expressions=[reference(name) for name in names.values()])


def _both(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    """Return the condition that there are rows of two kinds."""
    kind = exp.Case().when(one.copy(), literal(1)).when(other.copy(), literal(2)).else_(literal(0))
    return exp.EQ(this=_filtered(exp.BitwiseOrAgg(this=kind), exp.true()), expression=literal(3))


def _of_some_rows(value: exp.Expr) -> exp.Expr:
    """Return 0, but NULL without rows if a parameter alone could be the value then, such as a base rate."""
    given_ = (p for p in value.find_all(exp.Placeholder) if p.name != WEIGHTED)
    if all(p.find_ancestor(exp.AggFunc, exp.Filter, exp.Lambda) for p in given_):
        return literal(0.0)
    weightless = exp.GT(this=exp.column(WEIGHT), expression=literal(0))
    taken = or_unweighted(weightless) if value.find(exp.Placeholder) and reads_weight(value) else exp.true()
    some = exp.GT(this=_filtered(exp.Count(this=exp.Star()), taken), expression=literal(0))
    return exp.Case().when(some, literal(0.0))


def _only_wanted(value: exp.Expr) -> exp.Expr:
    """Let every aggregate see the rows that the caller wants."""
    holder = exp.paren(value, copy=False)
    for aggregate in list(holder.find_all(exp.AggFunc)):
        filtered = aggregate.parent if isinstance(aggregate.parent, exp.Filter) else None
        condition = filtered.expression.this if filtered else exp.true()
        (filtered or aggregate).replace(_filtered(aggregate.copy(), condition.copy()))
    return cast("exp.Expr", holder.this)


class _Aggregate:
    """The value of a metric in terms of label and score alone."""

    def __init__(self, catalog: Catalog, definition: Definition, values: Mapping[str, Value]) -> None:
        self.catalog = catalog
        self.composer = Composer(catalog)
        parts = [d for d in catalog.sources(definition) if d.family == CLASSIFICATION and not d.is_table]
        if parts:
            value = self._of_parts(definition, parts, values)
        elif definition.family == CLASSIFICATION:
            tree = self.composer.value(definition, values)
            self.blocks = {block.name: block for block in self.composer.blocks}
            value = None if tree is None else self._over_blocks(tree)
        else:
            query = cast("exp.Select", self.composer.resolved(definition, values))
            value = self._taken(query.selects[0].unalias(), query)
        self.value = value if value is not None and _is_aggregate(value) else None

    def _of_parts(
        self, definition: Definition, parts: Sequence[Definition], values: Mapping[str, Value]
    ) -> exp.Expr | None:
        """Write a metric made of other metrics as an expression over their values."""
        query = cast("exp.Select", bind(definition.query, values))
        holder = exp.paren(next(p.unalias() for p in query.selects if p.alias_or_name == "value"), copy=False)
        for part in parts:
            inner = _Aggregate(self.catalog, self.catalog.aggregates.get(part.name, part), values).value
            if inner is None:
                return None
            for column in list(holder.find_all(exp.Column)):
                if column.table == part.name:
                    column.replace(exp.paren(inner.copy()))
        return fold(cast("exp.Expr", holder.this))

    def _over_blocks(self, tree: exp.Expr) -> exp.Expr | None:
        """Write the expressions of the blocks in place of their columns."""
        holder = exp.paren(tree, copy=False)
        for column in list(holder.find_all(exp.Column)):
            block = self.blocks[column.table]
            inner = self._taken(block.columns[column.name].copy(), block.source)
            if inner is None:
                return None
            column.replace(exp.paren(inner) if isinstance(inner, exp.Binary) else inner)
        return cast("exp.Expr", holder.this)

    def _taken(self, tree: exp.Expr, query: exp.Query) -> exp.Expr | None:
        """Write aggregates over a query as aggregates over the rows that the query takes."""
        value = self._over(tree, query)
        if value is None:
            return None
        holder = exp.paren(value, copy=False)
        for condition in self._conditions(cast("exp.Select", query)):
            for aggregate in list(holder.find_all(exp.AggFunc)):
                filtered = aggregate.parent if isinstance(aggregate.parent, exp.Filter) else aggregate
                known = [filtered.expression.this] if isinstance(filtered, exp.Filter) else []
                where = exp.Where(this=exp.and_(*(c.copy() for c in (*known, condition))))
                filtered.replace(exp.Filter(this=aggregate.copy(), expression=where))
        return cast("exp.Expr", holder.this)

    def _conditions(self, query: exp.Select) -> Iterator[exp.Expr]:
        """Yield the conditions on the rows of a query and of what it reads, over the columns of the rows."""
        where = query.args.get("where")
        if where is not None:
            yield cast("exp.Expr", self._over(where.this.copy(), query))
        name = query.args["from_"].this.name
        if name != ROWS:
            yield from self._conditions(cast("exp.Select", self.composer.steps[name]))

    def _over(self, tree: exp.Expr, query: exp.Query) -> exp.Expr | None:
        """Write a tree over the columns that a query reads as one over those of the rows."""
        if not isinstance(query, exp.Select) or not _is_plain(query):
            return None
        name = query.args["from_"].this.name
        if name == ROWS:
            return _unqualified(tree, query.args["from_"].this.alias_or_name)
        inner = self.composer.steps[name]
        if not isinstance(inner, exp.Select):
            return None
        known = {p.alias_or_name: p.unalias() for p in inner.selects}
        holder = exp.paren(tree, copy=False)
        for column in list(holder.find_all(exp.Column)):
            if column.name in known:
                replacement = self._over(known[column.name].copy(), inner)
                if replacement is None:
                    return None
                column.replace(exp.paren(replacement) if isinstance(replacement, exp.Binary) else replacement)
        return fold(cast("exp.Expr", holder.this))


def _unqualified(tree: exp.Expr, alias: str) -> exp.Expr:
    """Write the columns of a tree without the table of the rows, in place.

    Args:
        alias: the name that the query gives the table.
    """
    for column in tree.find_all(exp.Column):
        if column.table.lower() == alias.lower():
            column.set("table", None)
    return tree


def _reads_only(value: exp.Expr, known: Collection[str]) -> bool:
    """Return whether a value reads no other columns of the rows than these."""
    names = {name.lower() for name in known}
    read = (column for column in value.find_all(exp.Column) if not _is_bound(column))
    return all(not column.table and column.name.lower() in names for column in read)


def _is_plain(query: exp.Select) -> bool:
    """Return whether a query only computes columns of one table, or aggregates all of its rows."""
    clauses = {name for name, value in query.args.items() if value}
    keys = {key.name for key in query.args["group"].expressions} if query.args.get("group") else set()
    return (
        clauses <= {"expressions", "from_", "group", "where"}
        and isinstance(query.args["from_"].this, exp.Table)
        and keys <= set(KEYS[CLASSIFICATION])
        and not query.find(exp.Window)
    )


def _is_aggregate(tree: exp.Expr) -> bool:
    """Return whether there is an aggregate, and none inside of another."""
    found = list(tree.find_all(exp.AggFunc))
    return bool(found) and not tree.find(exp.Window) and not any(a.find_ancestor(exp.AggFunc) for a in found)


def _filtered(aggregate: exp.Expr, condition: exp.Expr) -> exp.Expr:
    """Restrict an aggregate to the rows that the caller wants."""
    wanted = reference(WHERE) if condition == exp.true() else exp.and_(reference(WHERE), condition)
    return exp.Filter(this=aggregate, expression=exp.Where(this=wanted))


def _refused(text: exp.Expr) -> exp.Expr:
    """Return a number that is not there: reading the text as one fails, and the error shows the text."""
    return exp.cast(text, "DOUBLE")


def _told_of_weights(tree: exp.Expr) -> exp.Expr:
    """Write whether a weight is given, in place; next to aggregates, only an aggregate of it can stand."""
    for placeholder in list(tree.find_all(exp.Placeholder)):
        if placeholder.name == WEIGHTED:
            inside = placeholder.find_ancestor(exp.AggFunc, exp.Filter)
            placeholder.replace(is_weighted(of_rows=inside is not None))
    return tree
