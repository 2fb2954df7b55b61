"""Types for editors and type checkers: public names, choices of switches, parameters of tables."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Sequence
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

import pytest

import duckmetrics
from duckmetrics import switches
from duckmetrics.catalog.specs import PER_CALL
from duckmetrics.catalog.typed_switches import switches_module
from support.cases import CATALOG, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

USER = """\
import duckmetrics
from duckmetrics.switches import Switches

chosen: Switches = {"missing": "skip"}
ev = duckmetrics.evaluate("p", "t", ["ndcg@10"], ties="item_asc", rel=2, agg="p90")
duckmetrics.evaluate("p", "t", **chosen)
duckmetrics.compare("p", "t", baseline="A", rel=None, population=ev.summary)
duckmetrics.curve("p", "roc_curve", points=[5, 10], threshold=1)
duckmetrics.run_test("paired_t", "values.parquet", baseline="A", level=0.9)
"""
REFUSED = {
    'duckmetrics.evaluate("p", "t", tiess="item_asc")': 'keyword argument "tiess"',
    'duckmetrics.evaluate("p", "t", ties="itm_asc")': 'argument "ties"',
    'duckmetrics.evaluate("p", "t", rel="2")': 'argument "rel"',
    'duckmetrics.compare("p", "t", mising="zero")': 'keyword argument "mising"',
    'duckmetrics.check("p", "t", gain="exp")': 'argument "gain"',
    'duckmetrics.conventions("p", "t", gains="exp2")': 'keyword argument "gains"',
    'duckmetrics.ties("p", "t", mising="zero")': 'keyword argument "mising"',
    'duckmetrics.sampled("p", "t", n_items=9, scores="float")': 'argument "scores"',
    'duckmetrics.curve("p", "roc_curve", pints=5)': 'keyword argument "pints"',
    'ev.table("roc_curve", points="5")': 'argument "points"',
    'duckmetrics.run_test("paired_t", "values.parquet", levl=0.9)': 'keyword argument "levl"',
    'duckmetrics.evalute("p", "t")': 'no attribute "evalute"',
}


def test_the_types_of_switches_are_fresh() -> None:
    """Write it again with: python -m duckmetrics.catalog.typed_switches > duckmetrics/switches.py."""
    assert (ROOT / "duckmetrics/switches.py").read_text("utf-8") == switches_module(CATALOG)


def test_every_switch_of_every_metric_has_all_its_choices() -> None:
    hints = get_type_hints(switches.Switches, localns={"Sequence": Sequence})
    for metric in CATALOG.metrics.values():
        for name, param in CATALOG.params(metric).items():
            if param.required:
                continue  # only a spec can give it
            known = set(members(hints[name]))
            assert {choice for choice in param.choices if name not in PER_CALL} <= known
            of_list = param.type is tuple and float in known  # the parts of Sequence[float]
            assert param.choices or param.type in known or of_list
            assert param.default is not None or type(None) in known
    assert set(members(hints["agg"])) == {*CATALOG.aggregation_names}


def members(hint: Any) -> Iterator[Any]:
    """Return the types of a union, and the words of a Literal."""
    if get_origin(hint) in (Union, UnionType):
        for one in get_args(hint):
            yield from members(one)
    else:
        yield from get_args(hint) or [hint]


def test_a_type_checker_sees_every_public_name() -> None:
    """Type checkers import each name from the module of its lazy import."""
    tree = ast.parse((ROOT / "duckmetrics/__init__.py").read_text("utf-8"))
    typed = {
        alias.name: node.module
        for block in tree.body if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }  # fmt: skip
    assert typed == {name: f"duckmetrics.{module}" for name, module in duckmetrics._LAZY.items()}
    assert {*typed} <= {*duckmetrics.__all__}
    for name, module in typed.items():
        assert getattr(duckmetrics, name) is getattr(importlib.import_module(str(module)), name)


@pytest.mark.slow
def test_a_misspelled_switch_and_a_wrong_value_are_type_errors(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api", reason="mypy is in the extra 'dev'")
    program = tmp_path / "program.py"
    program.write_text(USER + "".join(f"{line}\n" for line in REFUSED), "utf-8")
    config = tmp_path / "mypy.ini"
    config.write_text(f"[mypy]\nmypy_path = {ROOT}\nfollow_imports = silent\n", "utf-8")
    said, failed, _ = api.run([
        "--config-file", str(config), "--cache-dir", str(tmp_path / "cache"), "--no-error-summary",
        "--ignore-missing-imports", str(program),
    ])  # fmt: skip
    assert not failed
    errors = {int(n): text for n, text in re.findall(r":(\d+): error: (.*)", said)}
    first = USER.count("\n") + 1
    assert [*errors] == [*range(first, first + len(REFUSED))], said
    for number, (line, reason) in enumerate(REFUSED.items(), first):
        assert reason in errors[number].replace("Argument", "argument"), line
