"""The HTML of a result in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics.results.tabular import html

if TYPE_CHECKING:
    from collections.abc import Callable

RUN = "SELECT * FROM (VALUES (1, 'a', 0.5), (1, 'b', 0.5), (2, 'a', 0.9)) t (query_id, item_id, score)"
TRUTH = "SELECT * FROM (VALUES (1, 'b', 1), (2, 'a', 1)) t (query_id, item_id, relevance)"
FIRST = "WHERE query_id = 1"
SYSTEMS = {"A<": RUN, "B": RUN.replace("0.9", "0.1")}
RESULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "evaluate": (lambda: duckmetrics.evaluate(RUN, TRUTH, "mrr"), "<td>mrr</td>"),
    "compare": (lambda: duckmetrics.compare(SYSTEMS, TRUTH, "mrr"), "<p>against A&lt;"),
    "leaderboard": (
        lambda: duckmetrics.leaderboard(SYSTEMS, TRUTH, "mrr"),
        "<p><b>both systems share the first tier: they do not clearly differ</b></p>",
    ),
    "check": (lambda: duckmetrics.check(RUN, TRUTH, "mrr"), "<th>advice</th>"),
    "ties": (lambda: duckmetrics.ties(RUN, TRUTH, "mrr"), "<td>1 of 2</td>"),
    "conventions": (lambda: duckmetrics.conventions(RUN, TRUTH, "mrr", like="ranx"), "<th>difference</th>"),
    "sampled": (
        lambda: duckmetrics.sampled(f"{RUN} {FIRST}", f"{TRUTH} {FIRST}", "mrr", n_items=9),
        "drawn uniformly from 9 items",
    ),
    "run_test": (
        lambda: duckmetrics.run_test("sample_ratio", [5000, 5200]), "<p><b>Sample ratio mismatch"
    ),
    "chi_square": (lambda: duckmetrics.chi_square([3, 7]), "<td>p</td><td>0.2059</td>"),
}  # fmt: skip


@pytest.mark.some(3)
@pytest.mark.parametrize("verb", RESULTS)
def test_every_result_is_a_table_in_a_notebook(verb: str) -> None:
    compute, part = RESULTS[verb]
    shown = compute()._repr_html_()
    assert part in shown
    assert shown.count("<table>") == shown.count("</table>") == 1
    assert shown.count("<tr>") == shown.count("</tr>") > 1
    assert "<B" not in shown.replace("<b", "")


def test_html_escapes_what_callers_name() -> None:
    shown = html(["a & b"], [["<script>"], ["two\nlines"]], ["1 < 2"], "<i>")
    assert shown.startswith("<p><b>&lt;i&gt;</b></p><table>")
    assert "<th>a &amp; b</th>" in shown
    assert "<td>&lt;script&gt;</td>" in shown
    assert "<td>two\\nlines</td>" in shown
    assert shown.endswith("<p>1 &lt; 2</p>")
