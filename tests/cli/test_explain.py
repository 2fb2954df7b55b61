"""``duckmetrics explain``: the same explanation in every format, and messages for mistakes."""

from __future__ import annotations

import csv
import json
from math import fsum
from typing import TYPE_CHECKING

import pytest

from support.command_line import exports, run  # noqa: F401

if TYPE_CHECKING:
    from pathlib import Path

    from support.command_line import Command

EXPLAIN = ("explain", "--system", "A=p.parquet", "--system", "B=reverse.parquet", "--truth", "t.parquet",
           "-m", "rr")  # fmt: skip
SCREEN = """\
query q1, rr: B 1.0000, A 0.5000 (+0.5000)

rank  A    grade    adds  B    grade    adds
----  ---  -----  ------  ---  ------  ------
   1  a        ?       0  c         2  1.0000
   2  b        1  0.5000  b         1       0
   3  c        2       0  a         ?       0
      sum         0.5000  sum          1.0000

rr = 1 / rank of the first relevant item; 0 if it is not returned or its rank is above k
best order: c (2), b (1)
the largest gain of 3 queries
c (grade 2) rose from rank 3 to rank 1: +1.0000
b (grade 1) stayed at rank 2, and counts differently as other items moved: -0.5000
not judged among the first 10: 1 (A 1)
"""


def test_the_screen_of_a_query(run: Command) -> None:  # noqa: F811
    assert run(*EXPLAIN, "--query", "q1") == (0, SCREEN, "")


@pytest.mark.slow
def test_files_of_every_format(run: Command, tmp_path: Path) -> None:  # noqa: F811
    for suffix in ("txt", "md", "html", "tex", "csv", "json", "parquet"):
        path = tmp_path / f"found.{suffix}"
        for _ in range(2):  # the second time, the file is replaced
            assert run(*EXPLAIN, "--query", "q1", "-o", path).code == 0
    document = json.loads((tmp_path / "found.json").read_text("utf-8"))
    rows = list(csv.DictReader((tmp_path / "found.csv").read_text("utf-8").splitlines()))
    assert fsum(float(row["difference"]) for row in rows) == document["delta"] == 0.5
    assert (tmp_path / "found.txt").read_text("utf-8").split()[:3] == ["item_id", "relevance", "is_relevant"]
    assert "| 1 | a | ? | 0 | c | 2 | 1.0000 |" in (tmp_path / "found.md").read_text("utf-8")


def test_groups_of_one_system(run: Command) -> None:  # noqa: F811
    outcome = run(*EXPLAIN, "--by", "grade", "--of", "A", "--top", 1)
    assert outcome.out.splitlines() == [
        "rr by grade: A 0.5000",
        "",
        "grade                     A   share    items",
        "-------------------  ------  ------  -------",
        "1                    0.5000  100.0%        2",
        "(1 other)            0.0000    0.0%        0",
        "(queries by policy)  0.0000    0.0%  1 query",
        "",
        "each row is a part: the columns add up to the values above",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--query", "q9"), "query 'q9': no such query; a query of the truth is q1"),
        ((), "explain: takes either query= (--query) or by= (--by); give one, such as by='grade'"),
        (("--by", "land"), "by 'land': no such grouping; write query.land for an attribute of the queries, "
         "item.land for a column of the items, or grade, rank or item_id"),
        (("--by", "rank", "--show", "title"), "show: needs one query; name it with query= (--query), or "
         "leave show out"),
        (("--query", "q1", "-m", "f1@3"), None),
        (("--query", "q1", "--of", "C"), "system 'C': not evaluated; known: A, B"),
        (("--query", "q1", "--show", "title"), "show: columns of the items, and no table of items; give it "
         "with items= (--items)"),
    ],
)  # fmt: skip
def test_mistakes(run: Command, arguments: tuple[str, ...], message: str | None) -> None:  # noqa: F811
    outcome = run(*EXPLAIN, *arguments)
    if message is None:
        assert outcome.code == 0  # the first metric that is a sum is explained
    else:
        assert (outcome.code, outcome.err) == (2, f"duckmetrics: {message}\n")


def test_one_grouping_is_taken(run: Command) -> None:  # noqa: F811
    outcome = run(*EXPLAIN, "--by", "rank", "--by", "grade")
    assert outcome.code == 2
    assert "--by is given twice; combine several columns in an expression, such as" in outcome.err


def test_columns_to_show_are_listed_with_commas(run: Command) -> None:  # noqa: F811
    items = "SELECT 'c' AS item_id, 'sea' AS name, 3 AS price"
    outcome = run(*EXPLAIN, "--query", "q1", "--items", items, "--show", "name,price")
    assert "c sea 3 (grade 2) rose from rank 3 to rank 1: +1.0000" in outcome.out
