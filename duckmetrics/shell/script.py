"""All macros of the DuckDB shell as one file of SQL, with the digest of what it is made from."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from duckmetrics.catalog.catalog import sql_root
from duckmetrics.catalog.definition import CLASSIFICATION, RANKING
from duckmetrics.compose import functions
from duckmetrics.errors import DefinitionError
from duckmetrics.expressions.folding import literal
from duckmetrics.shell.aggregates import aggregate_macros
from duckmetrics.shell.described import own_line
from duckmetrics.shell.experiment_macro import ab_macro
from duckmetrics.shell.explanation_macro import explain_macro
from duckmetrics.shell.findings import problem_macro
from duckmetrics.shell.inspection import inspect_macro, inspect_rows_macro
from duckmetrics.shell.like import conventions_macro
from duckmetrics.shell.macro import (
    FUNCTIONS,
    HEAD,
    Argument,
    Macro,
    Overload,
    given,
    query_of,
    quoted_name,
    reference,
    scalar_macros,
)
from duckmetrics.shell.ranking_macros import ranking_macros
from duckmetrics.shell.row_macros import classification_macros
from duckmetrics.shell.statistic_macros import statistic_macros
from duckmetrics.shell.words import shortened
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckmetrics.catalog.catalog import Catalog


_PACKAGE = Path(__file__).parents[1]
# The module that writes the text.
_WRITERS = ("shell.script",)
# Packages that show results, of which macros take words only: the slow tests compare these.
_SHOWING = ("engines", "pages", "results", "words")
# Folders of files that the writers read: names, values and layouts of tools.
_TABLES = ("presets", "layouts")


def digest() -> str:
    """Return the digest of the definitions, the presets and the modules, without comments and docstrings."""
    whole = sha256()
    for path in sorted(_definitions()):
        whole.update(path.read_bytes())
    for path in sorted(_modules()):
        whole.update("\n".join(_code(path.read_text("utf-8"))).encode())
    return whole.hexdigest()[:16]


def _definitions() -> Iterator[Path]:
    yield from (path for path in sql_root().rglob("*.sql") if path.parent != sql_root())
    for folder in _TABLES:
        yield from (_PACKAGE / folder).glob("*.toml")


def _modules() -> set[Path]:
    """Return the modules that the writers import, directly or not."""
    found: set[Path] = set()
    waiting = [_PACKAGE / f"{name.replace('.', '/')}.py" for name in _WRITERS]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(path)
    return found


def _imported(path: Path) -> Iterator[Path]:
    """Yield the modules of ours that a module imports at its head."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("duckmetrics."):
            continue
        room, *rest = str(node.module).split(".")[1:]
        if room in _SHOWING:
            continue
        names = [[room, *rest], *([room, *rest, alias.name] for alias in node.names)]
        paths = (_PACKAGE.joinpath(*name).with_suffix(".py") for name in names)
        yield from (found for found in paths if found.is_file())


def _code(text: str) -> Iterator[str]:
    """Yield the lines of a module that are neither blank nor comments nor docstrings."""
    alone = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr))
    words = [node for node in alone if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    said = {line for one in words for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#") and number not in said:
            yield line


TITLE = f"""\
-- duckmetrics {__version__}: evaluation metrics for the DuckDB shell, written by 'duckmetrics macros'.
-- Load it with: duckdb -init duckmetrics.sql, or .read duckmetrics.sql; then FROM duckmetrics_help();
-- Do not edit: the definitions are the files next to it, one for every metric. Their digest: """
READERS = ("read_trec_run", "read_trec_qrels")
HELP = "duckmetrics_help"
# A comparison refuses one system. The page shows the values and intervals of one, by the same macro without
# that problem, which gets a name of its own.
ALONE = {"compare": "duckmetrics_fn_values", "compare_classification": "duckmetrics_fn_values_of_rows"}
_ONE_SYSTEM = re.compile(r"(is the only system;[^;]*? FROM _dm_contestants HAVING )COUNT\(\*\) = 1")
_CALL = re.compile(r"\b(\w+)\(")
HELP_LINES = f"{FUNCTIONS}help_lines"


@cache
def macros(catalog: Catalog) -> tuple[Macro, ...]:
    """Return every macro, each after those that it calls.

    Raises:
        DefinitionError: two metrics claim the same name.
    """
    known: dict[tuple[str, bool], Macro] = {}
    found = tuple(_every(catalog))
    for macro in found:
        other = known.setdefault((macro.name.strip('"').lower(), macro.is_table), macro)
        if other is not macro:
            places = [m.metric.path for m in (other, macro) if m.metric]
            raise DefinitionError(
                " and ".join(map(str, places)),
                f"two macros {macro.name!r}",
                f"say 'macro: other for {macro.name}' in one of them",
            )
    return found


def _every(catalog: Catalog) -> Iterator[Macro]:
    yield from (
        *scalar_macros(catalog), *_functions(catalog), *_function_macros(catalog),
        *_reader_macros(catalog), *aggregate_macros(catalog),
        *ranking_macros(catalog, macro_names(catalog, RANKING)), explain_macro(catalog),
        *classification_macros(catalog, macro_names(catalog, CLASSIFICATION)), *statistic_macros(catalog),
        ab_macro(catalog), inspect_macro(catalog), inspect_rows_macro(catalog), problem_macro(catalog),
        _help(catalog), conventions_macro(catalog),
    )  # fmt: skip


def script(catalog: Catalog) -> str:
    """Return the text of one file that creates all macros in the session that reads it.

    DuckDB binds the body of a macro when it is created. A macro that others call is therefore
    declared first, with a body that is cheap to bind, and created last; only the expressions that
    name the tables must be there at once.
    """
    every = macros(catalog)
    created = [(macro, macro.create()) for macro in every]
    _refuse_functions(created)
    scalars = list(scalar_macros(catalog))
    known = {macro.name for macro in scalars}
    hidden = [macro for macro in every if macro.is_internal and macro.name not in known]
    names = {macro.name for macro in hidden}
    commented = [macro for macro in every if macro.comment]
    lines = _shared_lines(commented)
    shared = literal("\n".join(lines))
    statements = [
        f"{TITLE}{digest()}", Macro(HELP_LINES, (Overload((), shared),), "", is_table=False).create(),
        *(macro.create() for macro in scalars), *(macro.declare() for macro in hidden),
        *(text for macro, text in created if not macro.is_internal),
        *(text for macro, text in created if macro.name in names),
        *(macro.comment_on(lines) for macro in commented),
    ]  # fmt: skip
    if catalog.has_own:
        texts = {macro.name: text for macro, text in created}
        statements += [of_one_system(texts[n], n, alone) for n, alone in ALONE.items() if n in texts]
        names_ = {family: macro_names(catalog, family) for family in (RANKING, CLASSIFICATION)}
        statements.insert(1, own_line(catalog, names_))
    return "\n".join(shortened(statements, sql_root())) + "\n"


def of_one_system(statement: str, name: str, alone: str) -> str:
    """Return the statement of a comparison under another name, with values where there is one system."""
    text, n = _ONE_SYSTEM.subn(r"\1FALSE", statement.replace(f"MACRO {name}(", f"MACRO {alone}(", 1))
    if not n:
        raise DefinitionError(
            sql_root() / "macros" / "one_system.sql", f"{name} does not refuse one system", "look at both"
        )
    return text


def _refuse_functions(created: Sequence[tuple[Macro, str]]) -> None:
    """Refuse macros of users with the name of a function that other macros call, which would call them.

    Raises:
        DefinitionError: names the file.
    """
    own = {macro.name: macro.metric for macro, _ in created if macro.metric and macro.metric.is_own}
    if not own:
        return
    texts = (text for macro, text in created if macro.name not in own)
    called = {name.lower() for text in texts for name in _CALL.findall(text)}
    for name, metric in own.items():
        if metric is not None and name.strip('"').lower() in called:
            what, advice = (
                f"the macros call a function {name!r}",
                f"say 'macro: other for {metric.name}' in it",
            )
            raise DefinitionError(metric.path, what, advice)


def _shared_lines(commented: Sequence[Macro]) -> dict[str, int]:
    """Return the lines that the comments of several macros have, each with its place."""
    counts = Counter(
        line for macro in commented for line in dict.fromkeys(macro.about.split("\n")[HEAD:])
        if not line.startswith("call: ")
    )  # fmt: skip
    return {line: place for place, line in enumerate((n for n, c in counts.items() if c > 1), start=1)}


def macro_names(catalog: Catalog, family: str) -> dict[str, str]:
    """Return the macro of every name of a family that has one."""
    names = {}
    for (known, name), alias in catalog.names.items():
        if known == family:
            macro = alias.metric.macros.get(name, name)
            names[name] = quoted_name(macro) if alias.metric.is_own else macro
    kept: dict[str, str] = {}
    for name, macro in names.items():
        if macro not in kept.values():
            kept[name] = macro
    return kept


def _functions(catalog: Catalog) -> Iterator[Macro]:
    """Yield the functions that macros call, each after those that it calls."""
    calls = [
        exp.Anonymous(this=name, expressions=[exp.null() for _ in definition.own_params])
        for name, definition in catalog.functions.items()
    ]
    for created in functions.linked(catalog, exp.select(*calls), FUNCTIONS)[1]:
        arguments = tuple(Argument(parameter.name, required=True) for parameter in created.this.expressions)
        body = created.expression.copy()
        for column in list(body.find_all(exp.Column)):
            column.replace(reference(column.name))
        yield Macro(created.this.this.name, (Overload(arguments, body.this),), "", is_table=False)


def _function_macros(catalog: Catalog) -> Iterator[Macro]:
    """Yield the functions that people call; their arguments have the types that the file declares."""
    for definition in catalog.functions.values():
        arguments = tuple(Argument(name, required=True) for name in definition.own_params)
        call: exp.Expr = exp.Anonymous(
            this=definition.name, expressions=[reference(argument.name) for argument in arguments]
        )
        linked, _ = functions.linked(catalog, exp.select(call), FUNCTIONS)
        for name in definition.macros.values():
            body = linked.selects[0]
            yield Macro(
                name, (Overload(arguments, body.copy()),), definition.title, definition, is_table=False
            )


def _reader_macros(catalog: Catalog) -> Iterator[Macro]:
    for name in READERS:
        definition = catalog.shell[name]
        body = given(definition.query.copy(), {})
        yield Macro(name, (Overload((Argument("path", required=True),), body),), definition.title, definition)


def _help(catalog: Catalog) -> Macro:
    definition = catalog.shell[HELP]
    lines = exp.Anonymous(this=HELP_LINES, expressions=[])
    body = query_of(catalog, HELP, {"shared": lines})
    return Macro(HELP, (Overload((Argument("pattern", ""),), body),), definition.title, definition)
