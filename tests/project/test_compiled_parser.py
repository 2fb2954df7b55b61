"""No class inherits from a class that `pip install sqlglot[c]` compiles, because that fails at run time."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

import pytest

from support.cases import ROOT

MODULES = sorted((ROOT / "duckmetrics").rglob("*.py"))


def test_no_class_of_the_parser_has_a_subclass_of_ours() -> None:
    """Dialects are an exception, because they are not compiled."""
    found = []
    for path in MODULES:
        tree = ast.parse(path.read_text("utf-8"))
        statements = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        compiled = [s for s in statements if re.match(r"sqlglot\b(?!\.dialects)", s.module or "")]
        imported = {alias.asname or alias.name for statement in compiled for alias in statement.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(base).partition(".")[0] for base in node.bases}
                found += [f"{path.name}: {node.name}"] if bases & imported else []
    assert not found


@pytest.mark.parametrize("name", ["generator", "parser", "expressions.core"])
def test_the_tests_run_with_it_where_it_is_installed(name: str) -> None:
    try:
        version("sqlglotc")
    except PackageNotFoundError:
        pytest.skip("the parser is not compiled here")
    assert (import_module(f"sqlglot.{name}").__file__ or "").endswith((".so", ".pyd"))
