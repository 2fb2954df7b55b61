"""Every pair of systems: against separate comparisons, scipy, statsmodels and ranx; letters and formats."""

from __future__ import annotations

import csv
import random
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

import duckmetrics
from duckmetrics import Comparison, MetricError, compare
from duckmetrics.results.tabular import LETTERS, superscript
from support.command_line import document, exports, run
from support.intervals import drawing

if TYPE_CHECKING:
    from pathlib import Path

    from support.command_line import Command

__all__ = ["exports", "run"]

pytestmark = pytest.mark.engine

METRICS = ["ndcg@10", "mrr", "mean_rank"]
QUERIES, ITEMS = 40, 20
SYSTEMS = {"bad": 4.0, "fair": 1.2, "good": 0.8, "like good": 0.8}
Scores = dict[str, dict[str, float]]
# Columns that depend on the number of comparisons of the call.
OF_FAMILIES = {"p_adjusted", "n_tests", "mde", "verdict"}


@pytest.fixture(scope="module")
def truth() -> dict[str, dict[str, int]]:
    drawn = random.Random(7)
    return {f"q{q}": {f"d{d}": 1 for d in drawn.sample(range(ITEMS), 4)} for q in range(QUERIES)}


@pytest.fixture(scope="module")
def runs(truth: dict[str, dict[str, int]]) -> dict[str, Scores]:
    """Create runs whose scores have noise, which decreases from system to system."""
    drawn = random.Random(11)
    return {
        name: {q: {f"d{d}": (f"d{d}" in relevant) + drawn.gauss(0, noise) for d in range(ITEMS)}
               for q, relevant in truth.items()}
        for name, noise in SYSTEMS.items()
    }  # fmt: skip


@pytest.fixture(scope="module")
def pairs(runs: dict[str, Scores], truth: Any) -> Comparison:
    return compare(runs, truth, METRICS, pairs=True)


def by_pair(rows: Any) -> dict[tuple[str, ...], dict[str, Any]]:
    return {(row["metric"], row["against"], row["system"]): row for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("test", ["randomization", "paired_t", "bootstrap"])
def test_numbers_are_those_of_separate_comparisons(runs: dict[str, Scores], truth: Any, test: str) -> None:
    options: dict[str, Any] = {"test": test, "metrics": METRICS[:2], **drawing(test, 400)}
    found = by_pair(compare(runs, truth, pairs=True, **options).pairs)
    assert list(found) == [(m, *pair) for m in METRICS[:2] for pair in combinations(SYSTEMS, 2)]
    for baseline in ("fair", "good"):
        alone = compare(runs, truth, baseline=baseline, **options)
        for (metric, against, system), row in found.items():
            if against == baseline:
                own = alone.row(metric, system)
                same = [name for name in own if name not in {*OF_FAMILIES, "baseline"}]
                words = [name for name in same if not isinstance(own[name], float)]
                assert {n: row[n] for n in words} == {n: own[n] for n in words}
                numbers = [name for name in same if name not in words]
                assert [row[n] for n in numbers] == pytest.approx([own[n] for n in numbers], rel=1e-12)
                assert row["against_value"] == alone.evaluation.value(metric, against)
            if system == baseline:
                own = alone.row(metric, against)
                assert (row["p"], -row["delta"]) == pytest.approx((own["p"], own["delta"]), rel=1e-9)


@pytest.mark.slow
def test_p_is_adjusted_over_all_pairs(pairs: Comparison) -> None:
    expected = multipletests([row["p"] for row in pairs.pairs], method="holm")[1]
    assert [row["p_adjusted"] for row in pairs.pairs] == pytest.approx(list(expected), rel=1e-9)
    assert {row["n_tests"] for row in pairs.pairs} == {18}
    # The rows of the baseline are the same.
    for row in pairs.rows:
        if row["system"] != pairs.baseline:
            (own,) = (p for p in pairs.pairs if all(p[n] == row[n] for n in ("system", "metric"))
                      and p["against"] == pairs.baseline)  # fmt: skip
            assert all(own[name] == row[name] for name in row if name != "baseline")


def values_of(result: Comparison) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {}
    for row in sorted(result.evaluation.per_query.to_pylist(), key=lambda row: row["query_id"]):
        found.setdefault((row["metric"], row["system"]), []).append(row["value"])
    return found


@pytest.mark.slow
def test_letters_name_the_systems_that_are_significantly_worse(pairs: Comparison) -> None:
    """The expected table is made by hand from scipy's p-values."""
    values, shown = values_of(pairs), pairs.shown()
    names = list(SYSTEMS)
    tests = {
        (metric, one, other): scipy.stats.ttest_rel(values[metric, one], values[metric, other])
        for metric in METRICS for one, other in combinations(names, 2)
    }  # fmt: skip
    adjusted = multipletests([test.pvalue for test in tests.values()], method="holm")[1]
    beaten: dict[tuple[str, str], set[str]] = {}
    for ((metric, one, other), test), p in zip(tests.items(), adjusted, strict=True):
        if p < 0.05:
            is_first_better = (test.statistic > 0) != (metric == "mean_rank")
            winner, loser = (one, other) if is_first_better else (other, one)
            beaten.setdefault((metric, winner), set()).add("abcd"[names.index(loser)])
    means = {key: sum(v) / len(v) for key, v in values.items()}
    lines = [
        [letter, name, *(f"{means[m, name]:.4f}{superscript(''.join(sorted(beaten.get((m, name), ()))))}"
                         for m in METRICS)]
        for letter, name in zip("abcd", names, strict=True)
    ]  # fmt: skip
    assert list(map(list, shown.cells)) == lines
    assert any("ᵃᵇ" in cell for line in lines for cell in line)
    best = {
        ((min if metric == "mean_rank" else max)(range(4), key=lambda i: means[metric, names[i]]), 2 + j)
        for j, metric in enumerate(METRICS)
    }  # fmt: skip
    assert shown.best == best
    assert shown.header == ["", "system", "ndcg@10", "mrr", "mean_rank ↓"]
    assert shown.notes[0] == (
        "a superscript names a system that is significantly worse: paired_t; 18 comparisons, p adjusted by "
        "holm; p_adjusted < 0.05"
    )


@pytest.mark.bench
@pytest.mark.parametrize("test", ["student", "tukey"])
def test_letters_are_those_of_ranx(runs: dict[str, Scores], truth: Any, test: str) -> None:
    ranx = pytest.importorskip("ranx")
    known = [ranx.Run(run, name=name) for name, run in runs.items()]
    report = ranx.compare(ranx.Qrels(truth), known, METRICS[:2], max_p=0.01, stat_test=test)
    expected = [line.split("  ") for line in str(report).splitlines()[2:]]
    found = compare(
        runs, truth, METRICS[:2], pairs=True, adjust="none", alpha=0.01,
        test={"student": "paired_t"}.get(test, test),
    )  # fmt: skip
    for line, row in zip(expected, found.shown().cells, strict=True):
        letter, name, *cells = [cell.strip() for cell in line if cell.strip()]
        assert [letter, name] == list(row[:2])
        marks = "".join(map(superscript, LETTERS))
        assert [[m for m in cell if m in marks] for cell in cells] == [
            [m for m in cell if m in marks] for cell in row[2:]
        ]


@pytest.mark.slow
def test_tukey_shows_the_pairs_that_it_promises(runs: dict[str, Scores], truth: Any) -> None:
    options: dict[str, Any] = {"test": "tukey", "resamples": 300}
    found = compare(runs, truth, "ndcg@10", **options)
    tested = duckmetrics.run_test("tukey_hsd", found.per_query, resamples=300).rows
    expected = {frozenset((row["system"], row["other"])): row["p"] for row in tested}
    assert {frozenset((row["system"], row["against"])): row["p"] for row in found.pairs} == expected
    assert len(expected) == 6
    assert "tukey_hsd with 300 resamples; 6 comparisons, p not adjusted further" in found.method_line
    assert not compare(runs, truth, "ndcg@10", pairs=False, **options).pairs


@pytest.mark.slow
def test_slices_have_lines_and_a_family_of_their_own(runs: dict[str, Scores], truth: Any) -> None:
    import pyarrow as pa

    plan = pa.table({"query_id": list(truth), "plan": ["x" if i % 2 else "y" for i in range(QUERIES)]})
    chosen = {name: runs[name] for name in ("bad", "fair", "good")}
    found = compare(chosen, truth, ["ndcg@10"], pairs=True, by="plan", queries=plan)
    assert [row[:3] for row in found.shown().cells] == [
        [plan, letter, name]
        for plan in ("(all)", "x", "y")
        for letter, name in zip("abc", chosen, strict=True)
    ]
    assert [(row["slice"], row["plan"], row["n_tests"]) for row in found.pairs] == (
        [("", None, 3)] * 3 + [("plan", "x", 6)] * 3 + [("plan", "y", 6)] * 3
    )
    alone = compare(chosen, truth, ["ndcg@10"], baseline="fair", by="plan", queries=plan)
    own = alone.row("ndcg@10", "good", plan="x")
    (row,) = (r for r in found.pairs if (r["system"], r["against"], r["plan"]) == ("good", "fair", "x"))
    assert [row["p"], row["delta"]] == pytest.approx([own["p"], own["delta"]], rel=1e-12)


def test_text_fits_the_screen(pairs: Comparison) -> None:
    lines = pairs.lines(width=100)
    assert lines[0] == "Of 4 systems, none is clearly better than good or like good by ndcg@10"
    assert lines[2].split() == ["system", *METRICS, "↓"]
    assert lines[7].split()[:3] == ["d", "like", "good"]
    # The digits are aligned, whatever follows them.
    assert {line.index(".") for line in lines[4:8]} == {lines[4].index(".")}
    assert "* best value" in lines
    narrow = pairs.lines(width=30)
    assert max(map(len, narrow)) <= 30
    assert sum(line.startswith("d  like good") for line in narrow) == 3


def test_the_whole_table_has_a_line_per_pair(pairs: Comparison) -> None:
    lines = pairs.lines(whole=True)
    assert lines[0].split()[:4] == ["metric", "system", "against", "verdict"]
    assert len(lines) == 2 + 18 + 1
    assert lines[-1].startswith("every pair: paired_t; 18 comparisons, p adjusted by holm; a verdict needs")


def test_pages_raise_the_letters_and_embolden_the_best(pairs: Comparison) -> None:
    value = f"{pairs.evaluation.value('ndcg@10', 'fair'):.4f}"
    assert f"<td>{value}<sup>a</sup></td>" in pairs._repr_html_()
    assert f" & {value}$^{{a}}$ & " in pairs.to_latex()
    assert f"| {value}ᵃ |" in pairs.shown().markdown()
    best = f"{min(row['value'] for row in pairs.pairs if row['metric'] == 'mean_rank'):.4f}"
    assert f"<b>{best}</b><sup>a" in pairs._repr_html_()
    assert f"\\textbf{{{best}}}$^{{a" in pairs.to_latex()
    assert f"**{best}**ᵃ" in pairs.shown().markdown()


def test_long_form(pairs: Comparison) -> None:
    names = pairs.summary.column_names
    assert names[:9] == [
        "system", "against", "metric", "slice", "value", "against_value", "lower", "upper", "delta",
    ]  # fmt: skip
    assert names[-1] == "signature"
    assert pairs.summary.num_rows == 18
    wide = pairs.to_pandas(wide=True)
    assert list(wide.columns[:4]) == ["system", "against", "ndcg@10", "ndcg@10 delta"]
    assert list(zip(wide["against"], wide["system"], strict=True)) == list(combinations(SYSTEMS, 2))


def test_there_are_letters_for_any_number_of_systems(pairs: Comparison) -> None:
    rows = tuple({**pairs.rows[0], "system": f"s{i}"} for i in range(60))
    letters = list(type(pairs)(rows, "s0", "t", "none", 0.95, pairs.evaluation).letters.values())
    assert (letters[:2], letters[24:27], letters[59]) == (["a", "b"], ["z", "a2", "b2"], "j3")
    assert len(set(letters)) == 60
    assert superscript("z2") == "ᶻ²"


def test_gates_and_rows_are_about_the_baseline(pairs: Comparison) -> None:
    assert pairs.baseline == "bad"
    assert pairs.row("ndcg@10", "good")["baseline"] == "bad"
    assert pairs.failures("ndcg@10 delta_lower < 0") == []
    with pytest.raises(MetricError, match="several systems; name one of"):
        pairs.row("ndcg@10")


# --- on the command line --------------------------------------------------------------------------

ASK = ("compare", "models.parquet", "--system", "model", "--truth", "t.parquet", "-m", "rr,ndcg")


@pytest.mark.slow
def test_every_format_holds_the_pairs(run: Command) -> None:
    assert "superscript" in run(*ASK, "--pairs").out
    rows = list(csv.DictReader(run(*ASK, "--pairs", "--format", "csv").out.splitlines()))
    assert [(row["metric"], row["system"], row["against"]) for row in rows] == [
        ("rr", "B", "A"), ("ndcg", "B", "A"),
    ]  # fmt: skip
    found = document(run(*ASK, "--pairs", "--format", "json").out)
    assert [row["against"] for row in found["rows"]] == ["A", "A"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pairs.md", "pairs.txt", "pairs.csv", "pairs.json", "pairs.parquet"])
def test_a_file_of_pairs_is_replaced(run: Command, tmp_path: Path, name: str) -> None:
    for _ in range(2):
        assert run(*ASK, "--pairs", "-o", tmp_path / name).code == 0
    assert (tmp_path / name).stat().st_size > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format_", "said"),
    [("markdown", "|  | system | rr | ndcg |"), ("latex", "\\begin{tabular}{llrr}"), ("html", "<th>rr</th>")],
)
def test_every_page_holds_the_letters(run: Command, format_: str, said: str) -> None:
    assert said in run(*ASK, "--pairs", "--format", format_).out


@pytest.mark.slow
def test_a_baseline_is_needed_only_where_it_means_something(run: Command) -> None:
    refused = run(*ASK, "--pairs", "--fail-if", "rr delta < 0")
    assert (refused.code, "add --baseline SYSTEM" in refused.err) == (2, True)
    assert run(*ASK, "--pairs", "--baseline", "B", "--fail-if", "rr delta < 0").code == 0
    assert "set baseline= (--baseline) to 'A' or 'B'" in run(*ASK).err
