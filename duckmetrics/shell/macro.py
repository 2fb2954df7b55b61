"""A macro of the DuckDB shell: its parameters, its text, and the files under sql/macros that it reads."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, MULTICLASS, Param, substituted
from duckmetrics.catalog.measure import CUTOFF
from duckmetrics.errors import DefinitionError
from duckmetrics.expressions.build import named_step, try_cast, with_directions
from duckmetrics.expressions.folding import constant, literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from duckmetrics.catalog.catalog import Catalog
    from duckmetrics.catalog.definition import Definition
    from duckmetrics.catalog.measure import Measure
    from duckmetrics.expressions.folding import Value


# The keys of a header that the help shows.
EXPLAINED = ("meaning", "use", "beware")
TOPICS = ("range", "formula", "source", "note", "warning")
# The lines at the start of a comment that are always there: whose it is, and the title.
HEAD = 2
# The schema of the macros of a session.
TEMPORARY = "temp."
# The help of a choice that metrics of one macro read differently.
VARIES = "depends on the metric; see its own macro"
# Words that a release of DuckDB takes as the name of a parameter or a macro only between quotes.
_WORDS = """
    all analyse analyze and anti any array as asc asof asymmetric at authorization between bigint binary
    bit boolean both by case cast char character check coalesce collate collation column columns
    concurrently constraint create cross dec decimal default deferrable desc describe distinct do else
    end except exists extract false fetch float for foreign freeze from full glob group grouping
    grouping_id having if ilike in initially inner inout int integer intersect interval into is isnull
    join lambda lateral leading left like limit national natural nchar none not notnull null nullif
    numeric offset on only or order out outer overlaps overlay pivot pivot_longer pivot_wider placing
    position positional precision primary qualify real references returning right row select semi setof
    show similar smallint some substring summarize symmetric table tablesample then time timestamp to
    trailing treat trim true try_cast union unique unpack unpivot using values varchar variadic verbose
    when where window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse
    xmlpi xmlroot xmlserialize xmltable
"""
QUOTED = frozenset(re.findall(r"\w+", _WORDS))
_PLAIN = re.compile(r"[^\W\d]\w*")
# The macros of the functions; those that the Python package makes for a query have other names,
# so that it can drop them again.
FUNCTIONS = "duckmetrics_fn_"
# The prefix of the names of steps, so that they hide no table of the user.
HIDDEN = "_dm_"
# The function of DuckDB that runs a text.
QUERY = "query"


@dataclass(frozen=True)
class Argument:
    """A parameter of a macro; without a default it must be given.

    Attributes:
        usual: the meaning of NULL, where that is the default.
        is_needed: whether NULL, the default, is refused in words of ours.
        by_name: whether people write its name in a call, though it must be given.
        type: the type that DuckDB casts the argument to; empty for any. Among overloads, DuckDB prefers one
            with a type for a name that it cannot resolve yet, such as a column of the user.
        is_guard: whether the parameter only catches what was passed without its name.
        meanings: what each choice does, or the parameter if it has none (under "").
    """

    name: str
    default: Value = None
    required: bool = False
    choices: tuple[Value, ...] = ()
    usual: Value = None
    is_needed: bool = False
    by_name: bool = False
    type: str = ""
    is_guard: bool = False
    meanings: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def about(self) -> tuple[str, ...]:
        """The lines of the help: the default, and what each choice does."""
        chosen = {choice: self.meanings.get(str(choice)) for choice in self.choices} if self.meanings else {}
        default = self.default if self.usual is None else self.usual
        others = [literal(c).sql(DIALECT) for c in self.choices if c != default and not chosen]
        meaning = self.meanings.get("", "")
        is_told = meaning and default is None
        usual = "" if is_told else f"default {literal(default).sql(DIALECT)}"
        is_needed = self.is_needed or (self.required and not self.by_name)
        alternatives = f"or {', '.join(others)}" if others else ""
        parts = [meaning, "must be given" if is_needed else usual, alternatives]
        return (
            f"{self.name}: {'; '.join(filter(None, parts))}",
            *(f"{self.name}={choice}: {said or VARIES}" for choice, said in chosen.items()),
        )

    @property
    def value(self) -> exp.Expr:
        return literal(self.default)

    @property
    def text(self) -> str:
        name = f"{reference(self.name).sql(DIALECT)} {self.type}".strip()
        return name if self.required else f"{name} := {self.value.sql(DIALECT)}"


@dataclass(frozen=True)
class Call:
    """A call of another macro; what is not passed goes on by name.

    Attributes:
        where: the condition that the call must satisfy.
        without: the columns that the result leaves out.
    """

    macro: Macro
    passed: Mapping[str, exp.Expr]
    where: exp.Expr | None = None
    without: tuple[str, ...] = ()

    def query(self, known: Iterable[Argument]) -> exp.Select:
        """Return the call as a query, in a macro that has these parameters."""
        names = {argument.name for argument in known}
        values = {
            a.name: self.passed.get(a.name, reference(a.name))
            for a in self.macro.overloads[0].arguments if a.name in names or a.name in self.passed
        }  # fmt: skip
        passed = [exp.PropertyEQ(this=reference(n), expression=v.copy()) for n, v in values.items()]
        called = exp.Table(this=exp.Anonymous(this=self.macro.name, expressions=passed))
        left_out = {"except_": [exp.to_identifier(name) for name in self.without]} if self.without else {}
        query = exp.select(exp.Star(**left_out)).from_(called)
        return query if self.where is None else query.where(self.where.copy())


@dataclass(frozen=True)
class Written:
    """A query that a macro writes when it is called.

    Attributes:
        write: returns the query that runs the text.
    """

    write: Callable[[], exp.Query]


@dataclass(frozen=True)
class Overload:
    """One body of a macro under one list of parameters."""

    arguments: tuple[Argument, ...]
    body: exp.Expr | Call | Written

    @property
    def query(self) -> exp.Expr:
        """The result of the macro: a query, or an expression."""
        if isinstance(self.body, Written):
            return self.body.write()
        return self.body.query(self.arguments) if isinstance(self.body, Call) else self.body

    @property
    def text(self) -> str:
        return f"({', '.join(argument.text for argument in self.arguments)})"


@dataclass(frozen=True)
class Macro:
    """A macro that yields a table, or a value where `is_table` is false.

    Attributes:
        comment: the text of COMMENT ON and of the help; empty for a macro that only others call.
        metric: the file behind it.
    """

    name: str
    overloads: tuple[Overload, ...]
    comment: str
    metric: Definition | None = None
    is_table: bool = True

    @property
    def is_internal(self) -> bool:
        """Whether only other macros call it."""
        return not self.comment

    @property
    def about(self) -> str:
        """The description of the macro, a line for each topic: the topic, a colon and the text."""
        header = self.metric.header if self.metric else {}
        lines = ["duckmetrics", f"title: {self.comment}"]
        lines += [f"{topic}: {header[topic]}" for topic in EXPLAINED if topic in header]
        for overload in self.overloads:
            given_ = ", ".join(
                f"{reference(a.name).sql(DIALECT)} := ..." if a.is_needed or a.by_name else a.name
                for a in overload.arguments if a.required or a.is_needed
            )  # fmt: skip
            lines.append(f"call: {'FROM ' if self.is_table else ''}{self.name}({given_})")
        known: dict[str, tuple[str, ...]] = {}
        for overload in self.overloads:
            told = (
                a for a in overload.arguments
                if (not a.required or a.by_name or a.meanings) and not a.is_guard
            )  # fmt: skip
            known |= {a.name: a.about for a in told}
        lines += [line for about in known.values() for line in about]
        lines += [f"{topic}: {header[topic]}" for topic in TOPICS if topic in header]
        return "\n".join(lines)

    def declare(self) -> str:
        """Write a statement that declares only the parameters and the result of the macro."""
        (overload,) = self.overloads
        if not self.is_table:
            return f"CREATE OR REPLACE TEMP MACRO {self.name}{overload.text} AS (NULL);"
        columns = [exp.null().as_(name) for name in cast("exp.Query", overload.query).named_selects]
        return (
            f"CREATE OR REPLACE TEMP MACRO {self.name}{overload.text} AS TABLE {_sql(exp.select(*columns))};"
        )

    def create(self) -> str:
        """Write the statement that creates the macro for the session."""
        bodies = []
        for overload in self.overloads:
            body = written(overload.query)
            kept = f"TABLE (\n{body}\n)" if self.is_table else f"(\n{body}\n)"
            bodies.append(f"{overload.text} AS {kept}")
        return f"CREATE OR REPLACE TEMP MACRO {self.name}" + ",\n".join(bodies) + ";"

    def comment_on(self, known: Mapping[str, int]) -> str:
        """Write the statement of its comment.

        Args:
            known: lines that stand elsewhere, each with its place there; ~3-7 stands for five of them.
        """
        lines = self.about.split("\n")
        found, places = lines[:HEAD], [known.get(line, 0) for line in lines[HEAD:]]
        for line, place, before in zip(lines[HEAD:], places, [0, *places], strict=False):
            if not place:
                found.append(line)
            elif before and place == before + 1:
                found[-1] = f"{found[-1].partition('-')[0]}-{place}"
            else:
                found.append(f"~{place}")
        kind = "MACRO TABLE" if self.is_table else "MACRO"
        text = literal("\n".join(found)).sql(DIALECT)
        return f"COMMENT ON {kind} {TEMPORARY}{self.name} IS {text};"


def reference(name: str) -> exp.Var:
    """Return a reference to the value of a parameter of a macro."""
    return exp.var(quoted_name(name))


def quoted_name(name: str) -> str:
    """Write the name of a macro or of a parameter, between quotes where SQL needs them."""
    is_plain = _PLAIN.fullmatch(name) is not None and name.lower() not in QUOTED
    return name if is_plain else exp.to_identifier(name, quoted=True).sql(DIALECT)


def hidden(tree: exp.Expr) -> exp.Expr:
    """Give every name in a tree a prefix, in place.

    The parameters of a macro replace columns of the same name everywhere. They keep the names that people
    use, so the columns get others. A step hides a table of the user with its name.
    """
    for identifier in list(tree.find_all(exp.Identifier)):
        is_key = (isinstance(identifier.parent, exp.PropertyEQ) and identifier.arg_key == "this") or (
            isinstance(identifier.parent, exp.Dot) and identifier.arg_key == "expression"
        )
        if is_key or identifier.name.startswith("_"):
            continue
        of_table = isinstance(identifier.parent, exp.Table | exp.TableAlias) or identifier.arg_key == "table"
        is_step = of_table and identifier.arg_key != "columns"
        identifier.set("this", f"{HIDDEN if is_step else '_'}{identifier.name}")
    return tree


def given(tree: exp.Expr, values: Mapping[str, exp.Expr]) -> exp.Expr:
    """Replace every ``$name`` by its expression, in place; names without one are parameters."""
    for placeholder in list(tree.find_all(exp.Placeholder)):
        value = values.get(placeholder.name)
        placeholder.replace(value.copy() if value is not None else reference(placeholder.name))
    return tree


def _sql(tree: exp.Expr) -> str:
    """Write an expression with every direction of its orders: a session may have other defaults."""
    return with_directions(with_whole_texts(tree.copy()))


def with_whole_texts(tree: exp.Expr) -> exp.Expr:
    """Write texts that are joined as one text, in place: DuckDB binds every ``||`` in each call."""
    holder = exp.Paren(this=tree)
    for found in reversed(list(holder.find_all(exp.DPipe))):  # the innermost first
        left, right = found.this, found.expression
        before = left.expression if isinstance(left, exp.DPipe) else left
        if _is_text(before) and _is_text(right):
            whole = exp.Literal.string(f"{before.this}{right.this}")
            if before is left:
                found.replace(whole)
            else:
                left.set("expression", whole)
                found.replace(left)
    return cast("exp.Expr", holder.this.pop())


def _is_text(value: exp.Expr) -> bool:
    return isinstance(value, exp.Literal) and bool(value.is_string)


def written(body: exp.Expr) -> str:
    """Write a query with every step on a line of its own."""
    if not isinstance(body, exp.Query):
        return _sql(body)
    with_ = body.args.get("with_")
    if with_ is None:
        return _sql(body)
    steps = ",\n".join(_sql(cte) for cte in with_.expressions)
    body.set("with_", None)
    try:
        word = "WITH RECURSIVE" if with_.args.get("recursive") else "WITH"
        return f"{word} {steps}\n{_sql(body)}"
    finally:
        body.set("with_", with_)


def without_with(query: exp.Query) -> tuple[exp.Query, list[tuple[str, exp.Query]]]:
    """Split a query into the query itself and its steps."""
    query = query.copy()
    with_ = query.args.pop("with_", None)
    return query, [] if with_ is None else [(cte.alias, cte.this) for cte in with_.expressions]


def with_steps(query: exp.Query, steps: Sequence[tuple[str, exp.Query]]) -> exp.Query:
    """Put steps in front of a query.

    DuckDB may keep steps that are read again: with NOT MATERIALIZED, 1.4 and 1.5 crash on Arrow tables.
    """
    ctes = [named_step(name, query) for name, query in steps]
    query.set("with_", exp.With(expressions=ctes) if ctes else None)
    return query


def closure(steps: Mapping[str, exp.Query], names: Iterable[str]) -> set[str]:
    """Return some steps with all steps that they read."""
    pending, found = set(names), set[str]()
    while pending:
        name = pending.pop()
        if name in steps and name not in found:
            found.add(name)
            pending |= {table.name for table in steps[name].find_all(exp.Table)}
    return found


def nested(
    steps: Sequence[tuple[str, exp.Query]], query: exp.Query
) -> tuple[list[tuple[str, exp.Query]], exp.Query]:
    """Write the steps that are read once where they are read.

    DuckDB 1.4 takes several times as long over a query of fifty steps as over one of fifteen.
    """
    known = dict(steps)
    reads: dict[str, list[exp.Table]] = {}
    for tree in (*known.values(), query):
        for table in tree.find_all(exp.Table):
            if isinstance(table.this, exp.Identifier):
                reads.setdefault(table.name, []).append(table)
    for name in reversed(list(known)):
        if len(reads.get(name, ())) == 1:
            (table,) = reads[name]
            alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name))
            table.replace(exp.Subquery(this=known.pop(name), alias=alias, joins=table.args.get("joins")))
    return list(known.items()), query


# Whether the predictions give ranks, and the step whose type shows it.
BY_RANK, ORDER = "by_rank", "order_columns"

TYPES: dict[type, str] = {int: "INT", float: "DOUBLE", str: "VARCHAR", bool: "BOOLEAN", tuple: "DOUBLE[]"}


def call(catalog: Catalog, name: str, *arguments: exp.Expr) -> exp.Expr:
    """Return a call of a file under sql/macros that is one expression."""
    if len(arguments) != len(catalog.shell[name].own_params):
        raise DefinitionError(catalog.shell[name].path, f"called with {len(arguments)} arguments")
    return exp.Anonymous(this=FUNCTIONS + name, expressions=list(arguments))


def scalar_macros(catalog: Catalog) -> Iterator[Macro]:
    """Yield the files under sql/macros that are one expression, each after those that it calls."""
    written: set[str] = set()
    pending = [d for d in catalog.shell.values() if not d.query.args.get("from_") and not d.query.ctes
               and isinstance(d.query, exp.Select)]  # fmt: skip
    while pending:
        ready = [d for d in pending if not _calls(d, {other.name for other in pending} - {d.name})]
        if not ready:
            raise DefinitionError(pending[0].path, "calls itself through others", "break the circle")
        for definition in ready:
            body = given(expanded(catalog, definition.query.selects[0].unalias().copy()), {})
            arguments = tuple(Argument(name, required=True) for name in definition.own_params)
            overloads = (Overload(arguments, hidden(body)),)
            yield Macro(FUNCTIONS + definition.name, overloads, "", definition, is_table=False)
            written.add(definition.name)
        pending = [d for d in pending if d.name not in written]


def _calls(definition: Definition, names: set[str]) -> bool:
    return any(found.name.lower() in names for found in definition.query.find_all(exp.Anonymous))


def by_rank(catalog: Catalog) -> exp.Expr:
    """Write whether the predictions give ranks; their columns show it when the macro is called."""
    type_ = exp.Anonymous(this="typeof", expressions=[exp.select(ORDER).from_(ORDER).subquery()])
    return call(catalog, "is_ranked", type_, reference("score"), reference("rank"))


def query_of(catalog: Catalog, name: str, values: Mapping[str, exp.Expr]) -> exp.Query:
    """Return the query of a file under sql/macros; parameters without a value are those of the macro."""
    query = cast("exp.Query", given(catalog.shell[name].query.copy(), values))
    return cast("exp.Query", expanded(catalog, query))


def expanded(catalog: Catalog, tree: exp.Expr) -> exp.Expr:
    """Point the calls of files under sql/macros at the macros made of them."""
    for found in list(tree.find_all(exp.Anonymous)):
        if found.name.lower() in catalog.shell:
            found.set("this", FUNCTIONS + found.name.lower())
    return tree


def source(catalog: Catalog, argument: exp.Expr, reader: str | None = None) -> exp.Expr:
    """Return SQL text that reads the table that the argument of a macro names.

    Args:
        reader: the file that reads a TREC file, where it may be one.
    """
    trec = literal("")
    if reader is not None:
        trec = literal(re.sub(r"\$path\b", "{files}", catalog.shell[reader].query.sql(DIALECT)))
    return call(catalog, "source", argument, trec)


def typed(param: Param) -> exp.Expr:
    """Cast a parameter to its declared type; a value that cannot be read becomes NULL, which is refused."""
    value = reference(param.name)
    return value if param.type is bool else try_cast(value, TYPES[param.type])


def fixed(param: Param) -> bool:
    """Return whether no other value than the default is allowed."""
    if param.required:
        return False
    if param.type is bool and param.default is not None:
        return any(constant(substituted(c, {param.name: not param.default})) is False for c in param.checks)
    only_null = (isinstance(c, exp.Is) and isinstance(c.expression, exp.Null) for c in param.checks)
    return len(param.choices) == 1 or any(only_null)


def concatenated(*parts: str | exp.Expr) -> exp.Expr:
    """Return an expression that joins texts."""
    pieces = [literal(part) if isinstance(part, str) else part for part in parts]
    return reduce(lambda left, right: exp.DPipe(this=left, expression=right, safe=True), pieces)


def is_null(value: exp.Expr) -> exp.Expr:
    return exp.Is(this=value, expression=exp.null())


def is_distinct(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.NullSafeNEQ(this=one, expression=other)


def signature_name(catalog: Catalog, measure: Measure) -> str:
    """Return the name of a metric in its signature, with the family if the name alone is ambiguous."""
    name = measure.metric.name
    families = [family for family, known in catalog.names if known == name and family != MULTICLASS]
    is_ambiguous = len(families) > 1 and measure.values.get(CUTOFF) is None
    return f"{measure.metric.family}.{name}" if is_ambiguous else name
