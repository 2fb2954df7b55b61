"""The sentence of a comparison has the same words on a screen, a command line, a page, and in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import duckmetrics
from support.command_line import Command
from support.reports import Page

if TYPE_CHECKING:
    from pathlib import Path

# Systems on 80 queries with one relevant item. B ranks it higher than A, except in JP, and C ranks it last.
RUNS = """SELECT system, 'q' || q AS query_id, 'i' || i AS item_id,
    CASE WHEN i < 5 THEN 5 - i
         WHEN system = 'A' THEN 2.5 + q % 3
         WHEN system = 'B' THEN if(q % 4 = 0, -1, 3.5 + q % 4)
         ELSE -2 END AS score
    FROM range(80) AS a(q), range(6) AS b(i), (VALUES ('A'), ('B'), ('C')) AS s(system)"""
TRUTH = "SELECT 'q' || q AS query_id, 'i5' AS item_id, 1 AS relevance FROM range(80) AS a(q)"
USERS = """SELECT 'q' || q AS query_id, CASE WHEN q % 4 = 0 THEN 'JP' ELSE 'DE' END AS country
    FROM range(80) AS a(q)"""
CLICKS = """SELECT (i % 3 = 0)::INT AS label, i % 20 AS user_id,
    CASE WHEN i % 2 = 0 THEN 'DE' ELSE 'FR' END AS country,
    (i * 7 % 20 + 1) / 42 AS a, (i * 7 % 20 + 1 + 9 * (i % 3 = 0)::INT) / 32 AS b
    FROM range(120) AS t(i)"""


class Case(NamedTuple):
    """A comparison: the systems, and the options as a command line and as Python has them."""

    systems: str
    metrics: str
    expected: str
    options: tuple[str, ...] = ()
    given: dict[str, Any] = {}  # noqa: RUF012


CASES = {
    "slices": Case("AB", "mrr,ndcg@3", "B is better than A, but worse in country JP",
                   ("--queries", USERS, "--by", "country"), {"queries": USERS, "by": "country"}),
    "rankings": Case("AB", "mrr,ndcg@3", "B is better than A"),
    "lower is better": Case("AC", "first_rank", "C is worse than A"),
    "several": Case("ABC", "mrr,first_rank", "B is the best of 3 systems by mrr"),
    "none better": Case("ABC", "mrr", "No system is better than B (0.6667) by mrr; the closest is A (0.3594)",
                        ("--baseline", "B", "--alpha", "1e-90"), {"baseline": "B", "alpha": 1e-90}),
    "nothing clear": Case("AB", "mrr", "B does not clearly differ from A", ("--alpha", "1e-90"),
                          {"alpha": 1e-90}),
    "no direction": Case("AB", "n_returned,mrr", "B is better than A on mrr, unclear on n_returned"),
    "clicks": Case(
        "ab", "log_loss,auc,calibration_ratio",
        "b is better than a on log_loss and auc, different on calibration_ratio (on the other side of 1)",
        ("--cluster", "user_id", "--by", "country"), {"cluster": "user_id", "by": "country"},
    ),
    "target": Case("ab", "calibration_ratio",
                   "b differs from a on calibration_ratio (on the other side of 1)"),
}  # fmt: skip


def compared(case: Case) -> duckmetrics.Comparison:
    """Compare in Python."""
    if "a" in case.systems:
        return duckmetrics.compare(
            CLICKS, metrics=case.metrics.split(","), score={"a": "a", "b": "b"}, baseline="a", **case.given
        )
    runs = {name: f"SELECT * EXCLUDE (system) FROM ({RUNS}) WHERE system = '{name}'" for name in case.systems}
    return duckmetrics.compare(runs, TRUTH, case.metrics.split(","), **case.given)


def command_of(case: Case) -> list[str]:
    """Return the arguments of the same comparison on the command line."""
    if "a" in case.systems:
        tables = [CLICKS, "--score", "a=a", "--score", "b=b", "--baseline", "a"]
    else:
        runs = f"FROM ({RUNS}) WHERE contains('{case.systems}', system)"
        tables = [runs, TRUTH, "--system", "system", "--baseline", "A"]
    return [*tables, "-m", case.metrics, *case.options]


def first_paragraph(lines: list[str]) -> str:
    return " ".join(lines[: lines.index("")])


@pytest.mark.some(0)
@pytest.mark.parametrize("name", CASES)
def test_every_door_has_the_same_sentence(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    result, run = compared(CASES[name]), Command(capsys)
    sentence = result.verdict
    assert sentence == CASES[name].expected
    assert first_paragraph(result.lines(width=60)) == sentence
    assert first_paragraph(run("compare", *command_of(CASES[name])).out.splitlines()) == sentence
    path = tmp_path / "report.html"
    assert run("report", *command_of(CASES[name]), "-o", path).out == f"{path}: {sentence}.\n"
    assert Page(path.read_text("utf-8")).text("h1") == f"{sentence}."


@pytest.mark.slow
def test_a_comparison_of_every_pair_has_the_same_sentence_on_a_page() -> None:
    case = Case("ABC", "mrr", "B is the best of 3 systems by mrr", given={"pairs": True, "baseline": "C"})
    result = compared(case)
    report = result.report()
    assert result.verdict == case.expected
    assert report.verdict == f"{case.expected}."
    assert "not tested against each other" not in report.html
