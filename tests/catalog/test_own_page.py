"""The metrics of the page "Write your own metric": values, intervals and tests, and as a package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import duckmetrics
from support.cases import ROOT
from support.own_metrics import folder

__all__ = ["folder"]

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

PAGE = ROOT / "docs/howto/your-own-metrics.md"
FILES = dict(re.findall(r"cat > (\w+)\.sql <<'SQL'\n(.*?)\nSQL\n", PAGE.read_text("utf-8"), re.S))
GAINS = {0: 0.0, 1: 1.0, 2: 4.0, 3: 10.0}
K = 5
Lists = dict[str, dict[str, float]]


@pytest.fixture(autouse=True)
def written(folder: Path) -> Path:
    for name, text in FILES.items():
        (folder / f"{name}.sql").write_text(text, "utf-8")
    return folder


def rankings(seed: int) -> Lists:
    """Return lists with equal scores; the last query has none."""
    random = np.random.default_rng(seed)
    return {
        f"q{i:02}": {
            f"i{j:02}": round(float(random.random()), 1) for j in random.choice(20, 12, replace=False)
        }
        for i in range(39)
    }


def judgments() -> dict[str, list[Any]]:
    """Return grades and prices; the first query has nothing relevant."""
    random = np.random.default_rng(7)
    rows = [(f"q{i:02}", f"i{j:02}", int(random.integers(0, 4)) * (i > 0), float(random.integers(1, 100)))
            for i in range(40) for j in random.choice(20, 10, replace=False)]  # fmt: skip
    return dict(
        zip(("query_id", "item_id", "relevance", "price"), map(list, zip(*rows, strict=True)), strict=True)
    )


TRUTH = judgments()
RUNS = {"A": rankings(1), "B": rankings(2)}
Judged = dict[str, tuple[int, float]]


def revenue(best: list[str], judged: Judged) -> float:
    prices = {item: price for item, (grade, price) in judged.items() if grade > 0}
    return float(np.sum([prices.get(item, 0.0) for item in best[:K]]) / np.sum([*prices.values()]))


def graded(best: list[str], judged: Judged) -> float:
    discounts = 1 / np.log2(np.arange(2, K + 2))
    found = np.array([GAINS[judged[item][0]] if item in judged else 0.0 for item in best[:K]])
    ideal = np.sort([GAINS[grade] for grade, _ in judged.values()])[::-1][:K]
    return float((found * discounts[: len(found)]).sum() / (ideal * discounts[: len(ideal)]).sum())


BY_HAND: Mapping[str, Callable[[list[str], Judged], float]] = {"revenue_hit": revenue, "graded_ndcg": graded}


def per_query(name: str, run: Lists) -> dict[str, float | None]:
    judged: dict[str, Judged] = {}
    for query, item, grade, price in zip(*TRUTH.values(), strict=True):
        judged.setdefault(query, {})[item] = grade, price
    found: dict[str, float | None] = {}
    for query, items in judged.items():
        scores = run.get(query, {})
        best = sorted(scores, key=lambda item: (-scores[item], item))
        is_relevant = any(grade > 0 for grade, _ in items.values())
        found[query] = BY_HAND[name](best, items) if is_relevant else None
    return found


def test_the_page_has_three_files() -> None:
    assert list(FILES) == ["revenue_hit", "graded_ndcg", "cost"]


@pytest.mark.parametrize("name", BY_HAND)
def test_metrics_of_lists_are_those_of_numpy_and_their_tests_those_of_scipy(name: str) -> None:
    spec = f"{name}.sql@{K}"
    expected = {system: per_query(name, run) for system, run in RUNS.items()}
    found = duckmetrics.evaluate(RUNS, TRUTH, spec, interval=0.9)
    for row in found.per_query.to_pylist():
        value = expected[row["system"]][row["query_id"]]
        assert row["value"] == (None if value is None else pytest.approx(value, abs=1e-12))
    values = {system: np.array([v for v in of.values() if v is not None]) for system, of in expected.items()}
    for row in found.rows:
        known = values[row["system"]]
        low, high = stats.t.interval(0.9, len(known) - 1, known.mean(), stats.sem(known))
        assert (row["n"], row["n_no_relevant"]) == (39, 1)
        assert [row["value"], row["lower"], row["upper"]] == pytest.approx(
            [known.mean(), low, high], abs=1e-12
        )
    compared = duckmetrics.compare(RUNS, TRUTH, spec).row(f"{name}@{K}")
    test = stats.ttest_rel(values["B"], values["A"])
    low, high = test.confidence_interval(0.95)
    assert [compared[key] for key in ("delta", "p", "delta_lower", "delta_upper")] == pytest.approx(
        [values["B"].mean() - values["A"].mean(), test.pvalue, low, high], abs=1e-12
    )


def costs(score: np.ndarray[Any, Any], label: np.ndarray[Any, Any], threshold: float) -> np.ndarray[Any, Any]:
    return 10.0 * ((label == 1) & (score < threshold)) + 1.0 * ((label == 0) & (score >= threshold))


def test_a_metric_of_rows_is_that_of_numpy_and_its_test_that_of_scipy() -> None:
    random = np.random.default_rng(3)
    label = (random.random(200) < 0.4).astype(int)
    scores = {name: np.round(np.clip(random.normal(0.3 + 0.3 * label, 0.2), 0, 1), 1) for name in ("A", "B")}
    rows = {name: {"id": [*range(200)], "label": label, "score": score} for name, score in scores.items()}
    for threshold in (0.5, 0.3):
        spec = f"cost.sql(threshold={threshold})"
        of = {name: costs(score, label, threshold) for name, score in scores.items()}
        found = duckmetrics.evaluate(rows, metrics=spec, interval=0.9)
        for row in found.rows:
            known = of[row["system"]]
            low, high = stats.t.interval(0.9, 199, known.mean(), stats.sem(known))
            assert [row["value"], row["lower"], row["upper"]] == pytest.approx(
                [known.mean(), low, high], abs=1e-12
            )
        compared = duckmetrics.compare(rows, metrics=spec, cluster="id").rows
        row = next(row for row in compared if row["system"] == "B")
        test = stats.ttest_rel(of["B"], of["A"])
        assert [row["delta"], row["p"]] == pytest.approx(
            [of["B"].mean() - of["A"].mean(), test.pvalue], abs=1e-9
        )


# --- a package -----------------------------------------------------------------------------------------

ABOUT = "our_metrics-1.0.dist-info"
WHEEL = {
    "our_metrics/__init__.py": "",
    **{f"our_metrics/sql/{name}.sql": text for name, text in FILES.items()},
    f"{ABOUT}/METADATA": "Metadata-Version: 2.1\nName: our-metrics\nVersion: 1.0\n",
    f"{ABOUT}/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{ABOUT}/entry_points.txt": "[duckmetrics.definitions]\nours = our_metrics:sql\n",
}
ASKED = """import duckmetrics
run, truth = {"q1": {"a": 0.9, "b": 0.1}}, {"q1": {"a": 1, "b": 3}}
found = duckmetrics.evaluate(run, truth, "graded_ndcg@1")
print(found["graded_ndcg@1"], "revenue_hit" in duckmetrics.metrics()["name"].to_pylist())
"""


def test_a_package_that_is_installed_brings_its_metrics(folder: Path) -> None:
    wheel = folder / "our_metrics-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in {**WHEEL, f"{ABOUT}/RECORD": "".join(f"{name},,\n" for name in WHEEL)}.items():
            archive.writestr(name, text)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--target",
        "site",
        wheel,
    ]
    subprocess.run(pip, check=True, cwd=folder)
    for name in FILES:
        (folder / f"{name}.sql").unlink()
    paths = os.pathsep.join([str(folder / "site"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", ASKED], env={**os.environ, "PYTHONPATH": paths}, cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("0.1 True\n", "")
