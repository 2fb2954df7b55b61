"""``duckmetrics metrics`` and ``checks`` describe the values of parameters and the purpose of checks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import duckmetrics
from duckmetrics.api.catalogue import SEVERITIES, checks, family_of
from duckmetrics.catalog.meanings import meanings
from support.cases import CATALOG
from support.command_line import exports, run
from support.loops import each

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition
    from support.command_line import Command

__all__ = ["exports", "run"]

METRICS = [*CATALOG.metrics.values(), *CATALOG.tables.values()]
WIDTH = 100


def explanation(name: str) -> str:
    """Return the text that `describe` prints above the text of the file."""
    return re.split(r"-- (?:name: |sql/)", duckmetrics.describe(name))[0]


def in_one_line(text: str) -> str:
    return " ".join(text.split())


@each("metric", METRICS, lambda metric: f"{metric.family}.{metric.name}")
def test_every_value_is_explained(metric: Definition) -> None:
    said = explanation(f"{metric.family}.{metric.name}")
    words = in_one_line(said)
    assert max(map(len, said.splitlines())) <= WIDTH
    for param in CATALOG.params(metric).values():
        for choice, meaning in meanings(CATALOG, metric, param).items():
            assert f"{choice or param.name} {meaning}" in words
        if param.choices:
            usual = meanings(CATALOG, metric, param)[str(param.default)]
            assert f"{param.default} {usual} (default)" in words


def test_a_value_names_the_tools_that_set_it() -> None:
    words = in_one_line(explanation("ndcg"))
    assert "expected the mean over all orders of the equal scores [sklearn, torchmetrics]" in words
    assert "in brackets: the tools" in words
    assert "in brackets" not in explanation("bootstrap_interval")


def test_metrics_are_listed_by_group(run: Command) -> None:
    lines = [line.split("  ")[0].rstrip() for line in run("metrics").out.splitlines()]
    start = lines.index("ranking: Accuracy")
    assert lines[start - 1] == ""
    end = lines.index("", start)
    expected = [name for (_, name), m in CATALOG.metrics.items() if m.group == "Accuracy"]
    assert [line.removeprefix("ranking.") for line in lines[start + 1 : end]] == sorted(expected)
    assert lines.index("classification") < lines.index("classification.accuracy") < start


def test_a_number_shows_its_default() -> None:
    assert "predicted positive; default 0.5\n" in explanation("accuracy")
    assert "recall is beta times as important as precision; required\n" in explanation("ranking.f_beta")
    assert "the number of top ranks that count; all by default\n" in explanation("ranking.recall")


def test_a_metric_of_several_classes_says_what_it_needs() -> None:
    assert "\nneeds     a score for each class; name them with classes= in Python" in explanation(
        "multiclass.f1"
    )
    assert "\nneeds" not in explanation("classification.f1")
    titles = re.findall(r"^\w+\.f_beta(?=: )", duckmetrics.describe("f1"), re.MULTILINE)
    assert sorted(titles) == ["classification.f_beta", "multiclass.f_beta", "ranking.f_beta"]


def test_a_statistic_is_explained() -> None:
    said = explanation("wilcoxon")
    assert said.startswith("wilcoxon: Wilcoxon signed-rank test against a baseline\n")
    assert "    wilcox    differences of 0 are left out before ranking (default)\n" in said
    assert "it does not compare means" in said
    assert "benjamini_hochberg" in explanation("holm")


def test_the_help_of_a_statistic_explains_every_value(run: Command) -> None:
    _, out, _ = run("test", "wilcoxon", "--help")
    assert "set      zeros=pratt: differences of 0 are ranked" in out
    assert "set      baseline=...: the system that the others are compared with" in out
    assert "before ranking (default)" in out
    _, out, _ = run("test", "holm", "--help")
    assert "set      method=holm, always" in out


def test_every_check_is_listed(run: Command) -> None:
    code, out, err = run("checks")
    assert (code, err) == (0, "")
    listed = [line.split()[:3] for line in out.splitlines()[1:-1] if line.strip()]
    assert listed == [[c.reported, family_of(c), c.header["severity"]] for c in checks()]
    assert all(check.title in out for check in checks())


@each("check", checks(), lambda check: f"{family_of(check)}.{check.reported}")
def test_every_check_is_explained(check: Definition) -> None:
    said = explanation(f"{family_of(check)}.{check.reported}")
    words = in_one_line(said)
    severity = check.header["severity"]
    assert f"{check.reported}: {check.title}" in words
    assert f"{severity}: {SEVERITIES[severity]}" in words
    assert check.header["advice"] in words
    assert check.header["why"] in words
    assert check.header.get("column", "") in words
    assert max(map(len, said.splitlines())) <= WIDTH


def test_a_check_names_its_metrics(run: Command) -> None:
    code, out, _ = run("checks", "duplicate_prediction")
    assert code == 0
    assert out.startswith("ranking.duplicate_prediction: items predicted more than once for a query\n")
    assert "metrics   all of ranking\n" in out
    assert "HAVING count(*) > 1" in out
    assert "run by    evaluate, compare and check\n" in out
    words = in_one_line(run("checks", "not_a_probability").out)
    assert "brier_skill" in words
    assert " auc," not in words
    assert "threshold_table, multiclass.brier, multiclass.ece, multiclass.log_loss" in words


def test_a_check_has_the_name_of_its_file_and_that_of_its_findings() -> None:
    by_file, by_finding = explanation("constant_score"), explanation("row_constant_score")
    assert "classification.row_constant_score" in by_file
    assert by_file.startswith("classification.row_constant_score") or "ranking.constant_score" in by_file
    assert by_finding.count("severity") == 1


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("ndgc", "did you mean 'ndcg'"),
        ("duplicate_predicton", "did you mean 'duplicate_prediction'"),
        ("wilcoxn", "did you mean 'wilcoxon'"),
        ("classification.duplicate_prediction", "did you mean|known"),
    ],
)
def test_a_wrong_name_is_refused_with_a_name_that_is_known(name: str, advice: str) -> None:
    with pytest.raises(duckmetrics.MetricError, match=advice):
        duckmetrics.describe(name)
