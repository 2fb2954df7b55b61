"""Refusals about the text of a user's metric, before anything of it runs: what it reads, and its shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT, RANKING, substituted
from duckmetrics.errors import DefinitionError, unknown
from duckmetrics.expressions.folding import Unknown, constant

if TYPE_CHECKING:
    from collections.abc import Collection

    from duckmetrics.catalog.definition import Definition, Param


# Parts of SQL that are more than a query, wherever they stand.
_STATEMENTS = (
    exp.DDL, exp.DML, exp.Command, exp.Describe, exp.Summarize, exp.Show, exp.Into, exp.Copy, exp.Attach,
    exp.Detach, exp.Set, exp.Pragma, exp.Use, exp.Pivot, exp.HistoricalData, exp.Block,
)  # fmt: skip
# What a FROM or JOIN may name; the functions in place of tables are those below.
_SOURCES = (exp.Table, exp.Subquery, exp.Unnest, exp.Lateral, exp.Values, exp.Select, exp.SetOperation)
_SERIES = (exp.GenerateSeries, exp.Explode, exp.Unnest)
LONGEST_SERIES = 1_000_000
# Functions that read files, variables, settings or the catalog of the database, write something, or give
# another value at each call.
_FOREIGN = re.compile(
    r"(read|parquet|sniff|duckdb|pragma|pg|http|st_read|which|sqlite|postgres|mysql|iceberg|delta|load_aws"
    r"|json_execute|json_serialize_sql|from_substrait|current|session|local|get_current)_\w*"
    r"|\w+_(scan|query|execute|attach|metadata)|read|scan|glob|query|query_table|getenv|getvariable"
    r"|in_search_path|nextval|currval|txid_current|write_log|setseed|checkpoint|force_checkpoint"
    r"|sql_auto_complete|rand|randn|random|uuid|gen_random_uuid|uuidv\d|now|today|localtime|localtimestamp"
)
# Keys of a header whose values are conditions over names.
_CONDITIONS = ("requires", "optional", "idle", "facts", "depth", "contribution")
_QUERY = re.compile(r"\b(select|from|with)\b|--|/\*", re.I)
# Lines that have several conditions, which only Python reads.
_SEVERAL = ("idle", "facts")
_CALL = re.compile(r"(\w+)\s*\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
_RANGE = re.compile(
    r"[\[(](-?[\d.]+(?:e\d+)?|-inf), (-?[\d.]+(?:e\d+)?|inf)[\])]"
    r"(, (higher is better|lower is better|neither is better|closest to [\d.]+ is better))?"
)
# Window functions that put equal rows in some order.
_ORDERING = (exp.RowNumber, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Ntile)
# The columns in which rows often are equal.
_REPEATED = {"score", "relevance", "label", "weight", "query_id", "system", "segment", "group_id"}


def line_of(made: Definition, word: str) -> int:
    """Return the first line of the query with a word, or the first line of the query."""
    lines = made.text.splitlines()
    start = next((i for i, line in enumerate(lines) if not line.startswith("--")), 0)
    found = (
        i for i, line in enumerate(lines) if i >= start and re.search(rf"\b{re.escape(word)}\b", line, re.I)
    )
    return next(found, start) + 1


def _at(made: Definition, word: str) -> str:
    return f"{made.path}:{line_of(made, word)}"


# --- what it reads ---------------------------------------------------------------------------------------


def refuse_foreign(made: Definition) -> None:
    """Refuse a metric that reads or does more than a query of its inputs and relations.

    Raises:
        DefinitionError: names the file and the line.
    """
    for key in _CONDITIONS:
        _refuse_condition(made, key)
    for param in (*made.own_params.values(), *made.switches.values()):
        key = "params" if param.name in made.own_params else "switches"
        for tree in param.checks:
            _refuse_nodes(made, tree, made.place(key))
            _refuse_queries(made, tree, key)
        if isinstance(param.default, Unknown):
            raise DefinitionError(
                made.place(key), f"the default of {param.name!r} is not a number, text, TRUE, FALSE or NULL",
                "write the value",
            )  # fmt: skip
    _refuse_nodes(made, made.query)
    for node in made.query.find_all(exp.From, exp.Join, exp.Table, exp.With):
        _refuse_source(made, node)


def _refuse_condition(made: Definition, key: str) -> None:
    """Refuse a line of the header that holds a query or cannot be read; some are parsed only later."""
    text = made.header.get(key, "")
    if _QUERY.search(text) or (";" in text and key not in _SEVERAL):
        raise DefinitionError(made.place(key), f"a query in {key}", "write a condition over names")
    for name in _CALL.findall(text):
        _refuse_call(name.lower(), made.place(key))
    try:
        sqlglot.parse_one(text or "NULL", dialect=DIALECT) if key == "depth" else getattr(made, key, None)
    except (sqlglot.ParseError, sqlglot.TokenError, ValueError) as error:
        raise DefinitionError(made.place(key), f"cannot read {text!r}", "fix it") from error


def _refuse_queries(made: Definition, tree: exp.Expr, key: str) -> None:
    if tree.find(exp.Query, exp.Table) is not None:
        raise DefinitionError(made.place(key), f"a query in {key}", "write a condition over names")


def _refuse_nodes(made: Definition, tree: exp.Expr, where: str = "") -> None:
    """Refuse the parts of a tree that are more than a query, and functions that read something else."""
    for node in tree.walk():
        word = str(node.this) if isinstance(node, exp.Command) else node.key
        name = (node.name if isinstance(node, exp.Anonymous) else _named(node)).lower()
        if isinstance(node, _STATEMENTS):
            raise DefinitionError(
                where or _at(made, word), f"{word.upper()} is no part of a metric", "write a bare SELECT"
            )
        if name and _FOREIGN.fullmatch(name):
            what = f"{name}() depends on more than the rows and the parameters"
            raise DefinitionError(
                where or _at(made, name), what, "read the tables and columns of inputs only"
            )
        if isinstance(node, exp.GenerateSeries):
            _refuse_long(node, where or _at(made, "generate_series|range"))


def _refuse_call(name: str, where: str) -> None:
    if _FOREIGN.fullmatch(name):
        what = f"{name}() depends on more than the rows and the parameters"
        raise DefinitionError(where, what, "read the tables and columns of inputs only")


def _named(node: exp.Expr) -> str:
    return node.sql_name() if isinstance(node, exp.Func) else ""


def _refuse_long(series: exp.GenerateSeries, where: str) -> None:
    ends = [constant(series.args.get(end)) for end in ("start", "end")]
    if any(isinstance(end, int | float) and abs(end) > LONGEST_SERIES for end in ends):
        raise DefinitionError(
            where, f"a series beyond {LONGEST_SERIES:,}", "join rows that there are, such as those of ranked"
        )  # fmt: skip


def _refuse_source(made: Definition, node: exp.Expr) -> None:
    """Refuse a table that is not named by one word, and a query that reads itself."""
    read = node.this
    if isinstance(node, exp.With):
        if node.args.get("recursive"):
            raise DefinitionError(
                _at(made, "recursive"), "a recursive query may never end", "write it without RECURSIVE"
            )
        for step in node.expressions:
            _refuse_own_step(made, step)
    elif isinstance(node, exp.Table):
        if isinstance(read, exp.Identifier) and not node.db and _WORD.fullmatch(node.name):
            return
        if not isinstance(read, _SERIES):
            name = read.name if isinstance(read, exp.Identifier) else str(getattr(read, "name", read.key))
            name = name or read.sql_name().lower()
            what = f"reads {f'{node.db}.' if node.db else ''}{name}, which is no input, relation or metric"
            raise DefinitionError(_at(made, name), what, "name the columns in inputs")
    elif not isinstance(read, _SOURCES) or (
        isinstance(read, exp.Lateral) and not isinstance(read.this, (exp.Subquery, *_SERIES))
    ):
        what = f"reads {read.sql(DIALECT)}, which is no input, relation or metric"
        raise DefinitionError(_at(made, read.key), what, "name the columns in inputs")


def _refuse_own_step(made: Definition, step: exp.CTE) -> None:
    """Refuse a step that has the name of something it reads, which is not the step."""
    if not _WORD.fullmatch(step.alias):
        raise DefinitionError(_at(made, "with"), f"{step.alias!r} is not a name", "use letters and digits")
    if any(table.name.lower() == step.alias.lower() for table in step.this.find_all(exp.Table)):
        what = f"the step {step.alias!r} hides the table of that name, which it reads"
        raise DefinitionError(_at(made, step.alias), what, "give the step another name")


def tables_read(made: Definition) -> set[str]:
    """Return the tables that a query reads and that are no steps where it reads them."""
    return {table.name for table in made.query.find_all(exp.Table) if table.name and not _is_step(table)}


def _is_step(table: exp.Table) -> bool:
    """Return whether a step before the place of a table has its name."""
    node: exp.Expr | None = table
    within: list[exp.Expr] = []
    while node is not None:
        within += [node] if isinstance(node, exp.CTE) else []
        steps = node.ctes if isinstance(node, exp.Query) else []
        n_before = next((i for i, step in enumerate(steps) if step in within), len(steps))
        if table.name in {step.alias for step in steps[:n_before]}:
            return True
        node = node.parent
    return False


# --- its shape -------------------------------------------------------------------------------------------


def refuse_unfit(made: Definition, relations: Collection[str], metrics: Collection[str]) -> None:
    """Refuse a metric that declares something else than it does, or whose query cannot be composed.

    Args:
        metrics: the names of the metrics of its family.

    Raises:
        DefinitionError: names the file and the line.
    """
    if _RANGE.fullmatch(made.header["range"]) is None or made.range.low >= made.range.high:
        raise DefinitionError(
            made.place("range"), f"cannot read the range {made.header['range']!r}",
            "write two numbers and the better direction, as in [0, 1], higher is better; or (-inf, inf), "
            "lower is better",
        )  # fmt: skip
    for param in made.own_params.values():
        _refuse_default(made, param)
    for step in made.query.find_all(exp.CTE):
        if step.alias.lower() in {*relations, *made.inputs}:
            what = f"the step {step.alias!r} hides the table of that name"
            raise DefinitionError(_at(made, step.alias), what, "give the step another name")
    _refuse_grouping(made, made.tables & set(metrics))
    for window in made.query.find_all(exp.Window):
        _refuse_window(made, window)


def _refuse_default(made: Definition, param: Param) -> None:
    """Refuse a parameter whose default has another type, or is not allowed by its CHECK."""
    where, value = made.place("params"), param.default
    if value is not None and type(value) is not param.type:
        what = f"the default of {param.name!r} is {value!r}, and its type is another"
        raise DefinitionError(where, what, "write a default of the type")
    names = {column.name for check in param.checks for column in check.find_all(exp.Column)}
    for name in sorted(names - {*made.own_params, *made.switches}):
        raise DefinitionError(where, *unknown("parameter", name, made.own_params))
    values = {name: one.default for name, one in made.own_params.items()}
    for check in param.checks:
        if constant(substituted(check, values)) is False:
            what = f"the default of {param.name!r} is {value!r}, and its CHECK is {check.sql(DIALECT)}"
            raise DefinitionError(where, what, "change one of them")


def refuse_idle(made: Definition, read: Collection[str]) -> None:
    """Refuse a parameter that nothing reads.

    Args:
        read: the parameters of the query and of all that it builds on.

    Raises:
        DefinitionError: names the file and the line.
    """
    for name in made.own_params.keys() - set(read):
        what = f"the query does not read ${name}, which params declares"
        raise DefinitionError(made.place("params"), what, f"write ${name} in the query, or take it out")


def _refuse_grouping(made: Definition, parts: Collection[str]) -> None:
    """Refuse a query that neither groups its rows by its grain nor only combines metrics."""
    query, keys = made.query, ", ".join(made.grain)
    if not isinstance(query, exp.Select):
        raise DefinitionError(
            _at(made, query.key), f"{query.key.upper()} of queries", f"write one, GROUP BY {keys}"
        )
    more = [
        clause for clause in ("distinct", "order", "limit", "offset", "qualify") if query.args.get(clause)
    ]
    if parts:
        more += [clause for clause in ("with_", "where", "group", "having") if query.args.get(clause)]
        other = sorted(made.tables - set(parts))
        if more or other:
            what = f"combines {', '.join(sorted(parts))} with {(more + other)[0].strip('_').upper()}"
            advice = (
                "a query that reads metrics has values of metrics only: FROM one LEFT JOIN other USING (...)"
            )
            raise DefinitionError(_at(made, (more + other)[0].strip("_")), what, advice)
        return
    if more:
        what = f"{more[0].upper()} of a query that has one row for each {made.grain[-1]}"
        raise DefinitionError(_at(made, more[0]), what, "leave it out, or put it into a step (WITH)")
    group = query.args.get("group")
    if group is None and made.family == RANKING:
        raise DefinitionError(_at(made, "select"), "no GROUP BY", f"aggregate by {keys}")
    named = (
        set(made.grain)
        if group is None
        else {one.name for one in group.expressions if isinstance(one, exp.Column)}
    )
    if not set(made.grain) <= named:
        written = "" if group is None else group.sql(DIALECT).strip()
        what = f"{written} does not name {', '.join(k for k in made.grain if k not in named)}"
        raise DefinitionError(_at(made, "group"), what, f"write the names: GROUP BY {keys}")


def _refuse_window(made: Definition, window: exp.Window) -> None:
    """Refuse a window that puts rows with equal values in any order."""
    function = window.this.this if isinstance(window.this, exp.IgnoreNulls) else window.this
    order = window.args.get("order")
    keys = [*(window.args.get("partition_by") or []), *(order.expressions if order is not None else [])]
    names = {column.name for key in keys for column in key.find_all(exp.Column)}
    if not isinstance(function, _ORDERING) or window.alias or not names <= _REPEATED:
        return
    name = function.sql_name()
    cure = "end its ORDER BY with item_id, or read ranked.rank, which follows the switch ties" if (
        made.family == RANKING
    ) else "use RANK(), or an aggregate, which do not depend on the order of equal rows"  # fmt: skip
    raise DefinitionError(_at(made, name), f"{name}() puts equal rows in any order", cure)
