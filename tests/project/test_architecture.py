"""The shape of the package: imports between modules, use of the database, and limits of each module."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

from support.cases import CATALOG, ROOT
from support.loops import each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = ROOT / "duckmetrics"
MODULES = sorted(PACKAGE.rglob("*.py"))
REFERENCE = [path for path in MODULES if "reference" in path.parts]
OWN = [path for path in MODULES if path not in REFERENCE]
# This module is generated from the files under sql/, so it may name their switches and choices.
GENERATED = PACKAGE / "switches.py"
WRITTEN = [path for path in OWN if path != GENERATED]

# From the top layer down to the base; a room imports only from floors below its own.
FLOORS = (
    ("cli",),
    ("api",),
    ("shell", "comparison"),
    ("evaluation", "statistics"),
    ("inference", "checks"),
    ("engines",),
    ("inputs",),
    ("compose", "results"),
    ("catalog", "pages"),
    ("words", "expressions"),
    ("errors", "version", "switches"),
)
FLOOR = {room: depth for depth, rooms in enumerate(FLOORS) for room in rooms}
# The maximum number of rooms, and of modules in all of them.
MOST_ROOMS, MOST_MODULES = 16, 250
# The rooms whose subject is SQL; elsewhere the modules that write some, and why no file under sql/ can.
PARSE = ("expressions", "catalog", "compose", "shell", "inference")
BUILDERS = {
    "inputs": (
        "canonical queries over columns that have the names and types of the caller",
        "advice classes classification columns layout_tables lists ranking ranking_tables slices sources "
        "systems values",
    ),
    "engines": (
        "statements around a query (keep, copy, define), that set a connection up, or read and write files",
        "connection duckdb duckdb_csv duckdb_files duckdb_tables duckdb_texts engine plans results_database "
        "run_log settings spark spark_tables stores",
    ),
    "checks": (
        "the conditions of many files in one scan, and columns in place of those that cannot be read",
        "counting examination notes schema",
    ),
    "evaluation": (
        "columns per metric and slicing column, steps of a composed query, and queries as text",
        "chunks earlier given_values logged merging own_metrics report_data samples shared_orders sql_text "
        "state_sums states tables tied",
    ),
    "comparison": (
        "values of several evaluations side by side, ranks as literals, parameters in a condition",
        "comparer corrections from_evaluations rows sampled shuffled trend",
    ),
    "statistics": (
        "canonical queries over the columns of the caller, and calls of functions over rows of results",
        "answers arms caps checks counts inputs per_unit slices",
    ),
}
ENTRANCES = ("__init__", "__main__")
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "shared", "core", "base", "lib"}
ALSO_WORDS = {"precision", "recall", "fpr", "tpr", "hits", "p"}
# Switches that are also tables, columns or commands, and the modules that must know a switch.
ALSO_COLUMNS = {"population", "missing", "no_relevant", "undefined", "scores", "labels", "ties"}
KNOWN_SWITCHES = {
    "inputs/classification.py": {"weighted"},  # whether the column of weights counts
}
# The switches that a module reads from a measure by name.
READ_SWITCHES = {"evaluation/recomputed.py": {"population", "undefined"}}


def room_of(path: Path) -> str:
    """Return the room of a file: ``engines`` for engines/duckdb.py, ``errors`` for errors.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def shown(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a module; eight tests visit each."""
    return tuple(ast.walk(tree_of(path)))


@cache
def imported(path: Path, typing: bool = True) -> tuple[str, ...]:
    """Return the dotted names that a module imports, at the top or within functions.

    Args:
        typing: whether to include names that only its types need.
    """
    return tuple(_imported(path, typing))


def _imported(path: Path, typing: bool) -> Iterator[str]:
    pending: list[ast.AST] = [tree_of(path)]
    while pending:
        node = pending.pop()
        if not typing and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{shown(path)} imports by dots"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        pending += ast.iter_child_nodes(node)


def rooms_of(path: Path) -> set[str]:
    """Return the other rooms that a module imports, except the reference."""
    dotted = (name.split(".") for name in imported(path))
    parts = {name[1] for name in dotted if name[0] == "duckmetrics" and len(name) > 1}
    return parts - {"reference", room_of(path)}


@each("path", [p for p in OWN if room_of(p) not in ENTRANCES], shown)
def test_a_room_imports_only_from_the_floors_below(path: Path) -> None:
    assert room_of(path) in FLOOR, f"say in FLOORS where {room_of(path)} stands"
    upward = {room for room in rooms_of(path) if FLOOR[room] <= FLOOR[room_of(path)]}
    assert not upward, f"{shown(path)} imports {upward}"


def test_no_two_modules_import_each_other() -> None:
    """Longer cycles are not allowed either, nor cycles for their types."""
    known = {dotted(path): path for path in OWN}
    graph = {name: {n for n in imported(path) if n in known and n != name} for name, path in known.items()}
    while leaves := {name for name, needed in graph.items() if not needed & graph.keys()}:
        graph = {name: needed for name, needed in graph.items() if name not in leaves}
    assert not graph, f"a circle among {sorted(graph)}"


def dotted(path: Path) -> str:
    """Return ``duckmetrics.engines.duckdb`` for duckmetrics/engines/duckdb.py."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_every_room_has_a_floor_and_rooms_are_few() -> None:
    rooms = {room_of(path) for path in OWN} - {*ENTRANCES}
    assert rooms == set(FLOOR)
    assert len({room for room in rooms if (PACKAGE / room).is_dir()}) <= MOST_ROOMS
    assert len([path for path in OWN if path.stem not in ENTRANCES]) <= MOST_MODULES


def test_what_is_in_a_room_can_be_read() -> None:
    """Modules, classes and functions have a maximum length."""
    long = []
    for path in MODULES:
        if (n := len(path.read_text("utf-8").splitlines())) > 800:
            long.append(f"{shown(path)}: {n} lines")
        for node in nodes_of(path):
            most = {ast.ClassDef: 280, ast.FunctionDef: 40}.get(type(node))
            if most and (n := body_lines(node)) > most:
                long.append(f"{shown(path)}: {node.name} has {n} lines")
    assert not long, "\n".join(long)


def body_lines(node: ast.ClassDef | ast.FunctionDef) -> int:
    """Return the lines of a definition after its signature and docstring, without examples of methods."""
    first = node.body[1] if ast.get_docstring(node) is not None and node.body[1:] else node.body[0]
    examples = sum(example_lines(method) for method in node.body if isinstance(method, ast.FunctionDef))
    return (node.end_lineno or 0) - first.lineno + 1 - examples


def example_lines(function: ast.FunctionDef) -> int:
    """Return the lines of the example in a docstring, which is its last section."""
    _, title, code = (ast.get_docstring(function) or "").partition("\n\nExample:\n")
    return len(code.splitlines()) + 2 if title else 0


@each("path", MODULES, shown)
def test_only_engines_import_a_database(path: Path) -> None:
    tops = {name.partition(".")[0] for name in imported(path, typing=False)}
    if room_of(path) != "engines":
        assert not tops & {"duckdb", "pyspark"}


def test_only_what_writes_sql_imports_the_parser() -> None:
    """Write a file under sql/, take a builder of expressions/build.py, or give a reason in BUILDERS."""
    found = {
        (room_of(path), path.stem) for path in MODULES
        if "sqlglot" in {name.partition(".")[0] for name in imported(path, typing=False)}
    }  # fmt: skip
    listed = {(room, module) for room, (_, modules) in BUILDERS.items() for module in modules.split()}
    assert {one for one in found if one[0] not in PARSE} == listed


@each("path", REFERENCE, shown)
def test_the_reference_shares_nothing_with_the_rest(path: Path) -> None:
    for name in imported(path, typing=False):
        assert not name.startswith("duckmetrics") or name.startswith("duckmetrics.reference"), name
        assert name.partition(".")[0] not in {"duckdb", "sqlglot", "pyarrow", "numpy", "pandas"}, name


@each("path", OWN, shown)
def test_only_what_verifies_reads_the_reference(path: Path) -> None:
    if shown(path) != "evaluation/recomputed.py":
        assert not any(name.startswith("duckmetrics.reference") for name in imported(path, typing=False))


@each("path", MODULES, shown)
def test_modules_are_named_after_things(path: Path) -> None:
    assert path.stem not in VAGUE


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Return the string constants of a module, except docstrings and the defaults of functions."""
    nodes = nodes_of(path)
    spared = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for function in nodes:
        if isinstance(function, ast.FunctionDef):
            defaults = [*function.args.defaults, *(d for d in function.args.kw_defaults if d)]
            spared |= {id(node) for default in defaults for node in ast.walk(default)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spared:
            yield node.lineno, node.value


@each("path", WRITTEN, shown)
def test_no_module_knows_a_metric_by_name(path: Path) -> None:
    names = {name for _, name in CATALOG.names} | {f"{family}.{name}" for family, name in CATALOG.names}
    found = [(line, text) for line, text in strings(path) if text in names - ALSO_WORDS]
    assert not found, f"{shown(path)} names a metric: {found}"


SWITCHES = {
    name for metric in CATALOG.metrics.values() for name in CATALOG.params(metric)
    if name not in metric.own_params
}  # fmt: skip


@each("path", WRITTEN, shown)
def test_no_module_knows_a_switch_by_name(path: Path) -> None:
    known = ALSO_COLUMNS | KNOWN_SWITCHES.get(shown(path), set())
    found = [(line, text) for line, text in strings(path) if text in SWITCHES - known]
    assert not found, f"{shown(path)} names a switch: {found}; declare a fact in the header of its file"


@each("path", OWN, shown)
def test_no_module_reads_a_switch_by_name(path: Path) -> None:
    """Neither ``measure.values["ties"]`` nor ``measure.values.get("ties")`` occurs."""
    found = set()
    for node in nodes_of(path):
        match node:
            case ast.Subscript(ast.Attribute(attr="values"), ast.Constant(value=name)):
                found.add(name)
            case ast.Call(ast.Attribute(ast.Attribute(attr="values"), "get"), [ast.Constant(value=name), *_]):
                found.add(name)
    assert found & SWITCHES <= READ_SWITCHES.get(shown(path), set()), f"{shown(path)} reads {found}"


@each("path", MODULES, shown)
def test_no_module_asserts(path: Path) -> None:
    lines = [n.lineno for n in nodes_of(path) if isinstance(n, ast.Assert)]
    assert not lines, f"{shown(path)} asserts in lines {lines}; raise an error of duckmetrics instead"
