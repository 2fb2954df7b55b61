"""Every public function has an example in its docstring, which runs and has the values that it shows."""

from __future__ import annotations

import ast
import inspect
import re
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from support.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The last section of a docstring.
EXAMPLE = re.compile(r"^Example:\n((?:(?:    .*)?(?:\n|\Z))+)\Z", re.MULTILINE)
COMMENT = re.compile(r"  # (.+)$")
FEWEST, MOST = 2, 6
FUNCTIONS = [name for name in duckmetrics.__all__ if inspect.isfunction(getattr(duckmetrics, name))]
METHODS = [
    *(f"Evaluation.{name}" for name in ("value", "table", "movers", "failures", "wide", "to_pandas",
                                        "to_polars", "to_dict", "to_latex", "write_per_query", "chart")),
    *(f"Comparison.{name}" for name in ("row", "movers", "failures", "wide", "to_pandas", "to_latex")),
    "Comparison.chart", "Chart.svg", "Chart.html", "Chart.save",
    "Experiment.row", "Experiment.to_pandas", "SampledEvaluation.value", "Signature.differences",
    "TestResult.to_polars",
]  # fmt: skip
# It writes a database, which takes minutes; macros/test_file.py does it.
NOT_RUN = {"macros_database"}
# Other examples take the same calls.
SLOW = {
    "conventions", "macros_sql", "Comparison.movers", "Comparison.failures", "Comparison.wide",
    "Comparison.to_pandas", "Comparison.to_latex", "Evaluation.wide", "Experiment.to_pandas",
    "TestResult.to_polars",
}  # fmt: skip
EXAMPLES = [
    pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name
    for name in (*FUNCTIONS, *METHODS) if name not in NOT_RUN
]  # fmt: skip


def example_of(name: str) -> str:
    """Return the code of the example of ``evaluate`` or ``Evaluation.value``."""
    thing: Any = duckmetrics
    for part in name.split("."):
        thing = getattr(thing, part)
    found = EXAMPLE.search(inspect.getdoc(thing) or "")
    assert found, f"{name} has no section 'Example:' at the end of its docstring"
    return inspect.cleandoc(found[1])


def statements(code: str) -> Iterator[tuple[ast.stmt, str | None]]:
    """Yield each statement with the value in the comment behind it, if it is an expression with one."""
    lines = code.splitlines()
    for statement in ast.parse(code).body:
        shown = COMMENT.search(lines[(statement.end_lineno or 1) - 1])
        yield statement, shown[1] if shown and isinstance(statement, ast.Expr) else None


def is_like(found: Any, shown: Any) -> bool:
    """Return whether a value is what a comment shows, floats to the digits of the comment."""
    if isinstance(shown, list | tuple):
        return type(found) is type(shown) and len(found) == len(shown) and all(map(is_like, found, shown))
    if isinstance(shown, float):
        digits = len(repr(shown).partition(".")[2])
        return isinstance(found, float) and found == pytest.approx(shown, abs=0.51 * 10**-digits)
    return type(found) is type(shown) and bool(found == shown)


@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_a_function_has_an_example_of_few_lines(name: str) -> None:
    code = example_of(name)
    assert FEWEST <= len(code.splitlines()) <= MOST
    assert ">>>" not in code
    assert f".{name.split('.')[-1]}(" in code


@pytest.mark.some(10)
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_and_has_the_values_in_its_comments(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {"duckmetrics": duckmetrics, "folder": tmp_path}
    for statement, shown in statements(example_of(name)):
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), name, "exec"), names)
            continue
        found = eval(compile(ast.Expression(statement.value), name, "eval"), names)
        if shown is not None:
            assert is_like(found, ast.literal_eval(shown)), f"{ast.unparse(statement)} is {found!r}"
