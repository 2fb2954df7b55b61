"""The shape of the package: who imports whom, who knows the database, and what no module may hold."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from conftest import CATALOG, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = ROOT / "duckmetrics"
MODULES = sorted(PACKAGE.rglob("*.py"))
REFERENCE = [path for path in MODULES if "reference" in path.parts]
OWN = [path for path in MODULES if path not in REFERENCE]

# From what people call down to what everything rests on; a module imports only what is below it,
# or beside it within a level.
LEVELS = [
    ["cli"],
    ["report", "progress", "shell", "support"],
    ["comparison"],
    ["api", "findings", "significance", "statistical_tests", "tie_report", "tools", "sampling"],
    ["session", "comparing", "evaluated"],
    ["inspection"],
    ["families", "macros"],
    ["engines"],
    [
        "results",
        "admission",
        "checks",
        "copies",
        "notices",
        "summary",
        "segments",
        "observations",
        "functions",
        "script",
        "portable",
        "dialects",
        "chunks",
        "compose",
        "exact",
        "plan",
        "inputs",
        "systems",
        "count_checks",
        "counts",
        "statistic_checks",
        "statistic_inputs",
        "tables",
        "lakes",
        "outputs",
        "samples",
        "sampled_ranks",
        "sampling_model",
        "sampling_results",
        "verification",
        "verify",
        "units",
        "derivative",
        "linearized",
        "intervals",
        "bootstrapped",
        "inference",
        "gates",
        "comparison_results",
    ],
    ["measure"],
    ["presets"],
    ["catalog"],
    ["fold", "header", "signature", "cholesky"],
    ["errors", "version", "visible"],
]
LEVEL = {name: depth for depth, names in enumerate(LEVELS) for name in names}
ENTRANCES = ("__init__", "__main__")
MAY_PARSE = {name for names in LEVELS[4:-1] for name in names} - {"results"}
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "shared", "core", "base", "lib"}
ALSO_WORDS = {"precision", "recall", "hits", "p", "judged"}


def name_of(path: Path) -> str:
    """The part of the package a file belongs to: ``engines`` for engines/duckdb.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def shown(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def runtime_imports(path: Path) -> Iterator[str]:
    """The dotted names a module imports, at the top or within functions, but not for its types only."""
    pending: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield f"duckmetrics.{name_of(path)}" + (f".{node.module}" if node.module else "")
            elif node.module == "duckmetrics":
                yield from (f"duckmetrics.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""
        pending += ast.iter_child_nodes(node)


def own_imports(path: Path) -> set[str]:
    """The parts of the package that a module imports, but for the reference."""
    dotted = (name.split(".") for name in runtime_imports(path))
    parts = {name[1] for name in dotted if name[0] == "duckmetrics" and len(name) > 1}
    return parts - {"reference"}


@pytest.mark.parametrize("path", [p for p in OWN if name_of(p) not in ENTRANCES], ids=shown)
def test_a_module_imports_only_what_is_below_it(path: Path) -> None:
    name = name_of(path)
    assert name in LEVEL, f"say in LEVELS where {name} stands"
    upward = {other for other in own_imports(path) if LEVEL[other] < LEVEL[name]}
    assert not upward, f"{name} imports {upward}"


def test_no_two_modules_import_each_other() -> None:
    graph = {name_of(path): set[str]() for path in OWN}
    for path in OWN:
        graph[name_of(path)] |= own_imports(path) - {name_of(path)}
    while leaves := {name for name, needed in graph.items() if not needed & graph.keys()}:
        graph = {name: needed for name, needed in graph.items() if name not in leaves}
    assert not graph, f"a circle among {sorted(graph)}"


def test_every_level_is_there() -> None:
    assert {name_of(path) for path in OWN} - {*ENTRANCES} == set(LEVEL)


@pytest.mark.parametrize("path", MODULES, ids=shown)
def test_only_engines_import_a_database(path: Path) -> None:
    tops = {name.partition(".")[0] for name in runtime_imports(path)}
    if name_of(path) != "engines":
        assert not tops & {"duckdb", "pyspark"}


@pytest.mark.parametrize("path", MODULES, ids=shown)
def test_only_what_writes_sql_imports_the_parser(path: Path) -> None:
    tops = {name.partition(".")[0] for name in runtime_imports(path)}
    if name_of(path) not in MAY_PARSE:
        assert "sqlglot" not in tops


@pytest.mark.parametrize("path", REFERENCE, ids=shown)
def test_the_reference_shares_nothing_with_the_rest(path: Path) -> None:
    for name in runtime_imports(path):
        assert not name.startswith("duckmetrics") or name.startswith("duckmetrics.reference"), name
        assert name.partition(".")[0] not in {"duckdb", "sqlglot", "pyarrow", "numpy", "pandas"}, name


@pytest.mark.parametrize("path", OWN, ids=shown)
def test_only_what_verifies_reads_the_reference(path: Path) -> None:
    if name_of(path) != "verify":
        assert not any(name.startswith("duckmetrics.reference") for name in runtime_imports(path))


@pytest.mark.parametrize("path", MODULES, ids=shown)
def test_modules_are_named_after_things(path: Path) -> None:
    assert path.stem not in VAGUE


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """The string constants of a module, but for docstrings and the defaults of functions."""
    tree = ast.parse(path.read_text("utf-8"))
    spared = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            defaults = [*function.args.defaults, *(d for d in function.args.kw_defaults if d)]
            spared |= {id(node) for default in defaults for node in ast.walk(default)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in spared:
            yield node.lineno, node.value


@pytest.mark.parametrize("path", OWN, ids=shown)
def test_no_module_knows_a_metric_by_name(path: Path) -> None:
    names = {name for _, name in CATALOG.names} | {f"{family}.{name}" for family, name in CATALOG.names}
    found = [(line, text) for line, text in strings(path) if text in names - ALSO_WORDS]
    assert not found, f"{shown(path)} names a metric: {found}"


@pytest.mark.parametrize("path", MODULES, ids=shown)
def test_no_module_asserts(path: Path) -> None:
    lines = [n.lineno for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Assert)]
    assert not lines, f"{shown(path)} asserts in lines {lines}; raise an error of duckmetrics instead"
