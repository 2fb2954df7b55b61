"""Messages about frequent mistakes: the advice is right, and following it works."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics.engines.duckdb_errors import first_line
from duckmetrics.errors import InputError, MetricError
from support.command_line import Command

if TYPE_CHECKING:
    from pathlib import Path

RUN = pa.table({"query_id": ["q", "q"], "item_id": ["a", "b"], "score": [2.0, 1.0]})
TRUTH = pa.table({"query_id": ["q"], "item_id": ["a"], "relevance": [1]})
CLICKS = pa.table({"label": [1, 0], "score": [0.9, 0.1]})


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        ("R@10", "recall@10"),
        ("P_10", "precision@10"),
        ("ndcg_cut_10", "ndcg@10"),
        ("recip_rank", "reciprocal_rank"),
        ("iprec_at_recall_0.10", "iprec(recall=0.1)"),
    ],
)
def test_names_of_other_tools_are_known(spec: str, advice: str) -> None:
    """Under the conventions of another tool they are refused, and the advice works."""
    with pytest.raises(MetricError) as raised:
        duckmetrics.evaluate(RUN, TRUTH, [spec], like="cornac")
    assert f"calls {advice} so, write that" in str(raised.value)
    assert duckmetrics.evaluate(RUN, TRUTH, [advice])[advice] is not None


def test_a_point_is_no_parameter() -> None:
    with pytest.raises(MetricError, match=r"in parentheses, as in rbp\(p=...\)"):
        duckmetrics.evaluate(RUN, TRUTH, ["rbp.q"])
    with pytest.raises(MetricError, match=r"no family 'rankings' of metrics; write .*ranking\.map"):
        duckmetrics.evaluate(RUN, TRUTH, ["rankings.map"])


def test_a_missing_truth_names_the_metric_that_needs_it() -> None:
    """Self-information reads no truth; serendipity and NDCG do."""
    message = "run: no truth table, which serendipity@2 needs, and no column 'label'"
    metrics = ["self_information@2", "serendipity@2", "ndcg@2"]
    with duckdb.connect() as connection:
        connection.register("run", RUN)
        given = {"history": RUN, "connection": connection}
        with pytest.raises(InputError, match=f"^{message}"):
            duckmetrics.evaluate("run", None, metrics, **given)
        (error,) = duckmetrics.check("run", None, metrics, **given).errors
    assert error.message.startswith(message)


@pytest.mark.parametrize("name", ["ttest", "t_test", "t-test", "T"])
def test_the_t_tests_are_found(name: str) -> None:
    with pytest.raises(MetricError, match="'paired_t' or 'unpaired_t' or 'welch_t'"):
        duckmetrics.run_test(name, CLICKS)


def test_columns_must_map() -> None:
    given: Any = ["uid"]
    with pytest.raises(InputError, match=r"\{'query_id': 'user_id'\}"):
        duckmetrics.evaluate(RUN, TRUTH, ["mrr"], columns=given)
    with pytest.raises(InputError, match=r"wrong way round; write \{'query_id': 'user_id'\}"):
        duckmetrics.evaluate(RUN, TRUTH, ["mrr"], columns={"user_id": "query_id"})
    with pytest.raises(
        InputError, match=r"^columns: label and score are the same column 'clicked'; map each"
    ):
        duckmetrics.evaluate(CLICKS, metrics="auc", columns={"label": "clicked", "score": "clicked"})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"interval": 0.95, "cluster": ["user_id", "day"]},
            "cluster=['user_id', 'day']: is not the name of",
        ),
        ({"by": 5}, "by=5: is not a column"),
    ],
)
def test_arguments_of_other_types_are_refused(given: Any, message: str) -> None:
    with pytest.raises(MetricError, match=re.escape(message)):
        duckmetrics.evaluate(CLICKS, metrics="auc", **given)


@pytest.mark.parametrize("gates", [None, 5, ["auc < 1", 5]])
def test_a_gate_is_a_text(gates: Any) -> None:
    result = duckmetrics.evaluate({"label": [1, 0], "score": [0.9, 0.1]}, metrics="auc")
    with pytest.raises(MetricError, match="is not a text; write a condition such as"):
        result.failures(gates)


def test_swapped_tables_are_recognized(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="predictions come first, then the truth"):
        duckmetrics.evaluate(TRUTH, RUN, ["mrr"])
    run, qrels = tmp_path / "a.run", tmp_path / "b.qrels"
    run.write_text("q1 Q0 a 1 0.5 tag\n")
    qrels.write_text("q1 0 a 1\n")
    assert duckmetrics.evaluate(run, qrels, ["mrr"])["mrr"] == 1.0
    for given in ((qrels, run), (run, run), (qrels, qrels)):
        with pytest.raises(InputError, match="give the run first, then the qrels"):
            duckmetrics.evaluate(*given, ["mrr"])


@pytest.mark.parametrize("metrics", [["auc"], ["auc", "log_loss"]])
def test_a_truth_that_no_metric_reads_is_refused(metrics: list[str]) -> None:
    with pytest.raises(MetricError, match=r"but a truth is given; leave the truth out"):
        duckmetrics.evaluate(CLICKS, TRUTH, metrics)


def test_a_table_and_its_rows_may_be_in_either_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = duckmetrics.curve(CLICKS, "roc_curve")
    assert duckmetrics.curve("roc_curve", CLICKS) == one  # type: ignore[arg-type]
    file = tmp_path / "clicks.csv"
    file.write_text("label,score\n1,0.9\n0,0.1\n")
    run = Command(capsys)
    first = run("curve", "roc_curve", file)
    assert first.code == 0
    assert run("curve", file, "roc_curve") == first


@pytest.mark.slow
def test_a_list_called_item_id_is_read_as_a_list() -> None:
    lists = "SELECT 'q' AS query_id, ['a', 'b'] AS item_id"
    with pytest.raises(InputError, match=r"columns=\{'items': 'item_id'\}"):
        duckmetrics.evaluate(lists, TRUTH, ["mrr"])
    assert duckmetrics.evaluate(lists, TRUTH, ["mrr"], columns={"items": "item_id"})["mrr"] == 1.0
    with pytest.raises(InputError, match=r"columns=\{'relevant': 'item_id'\}"):
        duckmetrics.evaluate(RUN, lists, ["mrr"])
    assert duckmetrics.evaluate(RUN, lists, ["mrr"], columns={"relevant": "item_id"})["mrr"] == 1.0
    assert not duckmetrics.check(lists, TRUTH, ["mrr"], columns={"items": "item_id"}).errors


def test_a_message_within_a_message_is_not_cut_off() -> None:
    error = duckdb.IOException(
        "IO Error: An error occurred with the extension 'httpfs:\nFailed to download it'"
    )
    message = first_line(error)
    assert "Failed to download it" in message


def test_a_defect_of_duckdb_comes_with_a_way_out() -> None:
    error = duckdb.InternalException("INTERNAL Error: Attempted to access index 3\nstack trace: ...")
    message = first_line(error)
    assert "copy the rows into a table first" in message
    assert "stack" not in message
