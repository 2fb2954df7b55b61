"""A macro of the DuckDB shell: its name, its parameters, its result, and its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.expressions.build import named_step
from duckmetrics.expressions.folding import literal
from duckmetrics.expressions.orders import with_directions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from duckmetrics.catalog.definition import Definition
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
# Words that DuckDB 1.x takes as the name of a parameter only between quotes.
QUOTED = ("by", "like", "position", "precision")
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
    return exp.var(f'"{name}"' if name in QUOTED else name)


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
