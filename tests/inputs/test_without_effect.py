"""Options that cannot have an effect are refused, or noted where `like` asks for the way of a tool."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

import duckmetrics
from duckmetrics.cli.main import cli
from duckmetrics.errors import DuckmetricsError

RUN = {"q1": {"a": 3.5, "b": 2.0, "c": 1.0}, "q2": {"a": 1.0, "d": 0.5}}
QRELS = {"q1": {"b": 1, "c": 2}, "q2": {"d": 1}}
ROWS = {"label": [1, 0, 1, 0], "score": [0.9, 0.4, 0.6, 0.7]}
# Of rankings: the metrics, the options, and a part of the refusal.
RANKINGS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a cut-off next to another": ("ndcg@5", {"k": 10}, "k=10: ndcg@5 has a k of its own"),
    "cut-offs next to another": ("ndcg@5", {"k": [5, 10]}, "has a cut-off of its own"),
    "a gain next to another": ("ndcg(gain=exp2)@5", {"gain": "linear"}, "has a gain of its own"),
    "an aggregation next to another": ("ndcg(agg=median)@5", {"agg": "mean"}, "has a agg of its own"),
    "a grade that no gain reads": ("ndcg@5", {"rel": 2}, "rel=2 changes nothing"),
    "resamples without intervals": ("ndcg@5", {"resamples": 100}, "resamples: without effect"),
    "a seed without intervals": ("ndcg@5", {"seed": 1}, "seed: without effect"),
    "resamples of Student's t": ("ndcg@5", {"interval": 0.9, "resamples": 9}, "resamples: changes nothing"),
    "a seed of Student's t": ("ndcg@5", {"interval": 0.9, "seed": 9}, "seed: changes nothing"),
    "attributes that are no table": ("ndcg@5", {"queries": 5}, "queries (int)"),
    "weights of items": ("ndcg@5", {"columns": {"weight": "score"}}, "differs within"),
    "groups": ("ndcg@5", {"columns": {"predictions.group_id": "query_id"}}, "is not used by rankings"),
    "a positive label of no label": ("rbo@5", {"positive": 1, "reference": RUN}, "positive=1: names a label"),
}  # fmt: skip
CLASSIFIERS: dict[str, tuple[dict[str, Any], str]] = {
    "a rank": ({"columns": {"rank": "score"}}, "rank: is not used by classifiers"),
    "a relevance": ({"columns": {"relevance": "label"}}, "relevance: is not used by classifiers"),
    "chunks": ({"chunks": 2}, "are of queries"),
    "resamples of DeLong": ({"interval": 0.9, "resamples": 100}, "resamples: changes nothing"),
}  # fmt: skip


@pytest.mark.some(6)
@pytest.mark.parametrize("name", RANKINGS)
def test_an_option_of_rankings_without_effect_is_refused(name: str) -> None:
    metrics, options, refusal = RANKINGS[name]
    truth = None if metrics == "rbo@5" else QRELS
    with pytest.raises(DuckmetricsError) as caught:
        duckmetrics.evaluate(RUN, truth, metrics, **options)
    assert refusal in str(caught.value)


@pytest.mark.some(2)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_an_option_of_classifiers_without_effect_is_refused(name: str) -> None:
    options, refusal = CLASSIFIERS[name]
    with pytest.raises(DuckmetricsError) as caught:
        duckmetrics.evaluate(ROWS, metrics="auc", **options)
    assert refusal in str(caught.value)


@pytest.mark.parametrize("option", ["unpaired", "allow_different", "pairs"])
def test_a_word_is_no_flag(option: str) -> None:
    options: dict[str, Any] = {option: "yes"}
    with pytest.raises(DuckmetricsError, match=f"{option}='yes': is neither true nor false"):
        duckmetrics.compare({"A": RUN, "B": RUN}, QRELS, "mrr", **options)


def test_resamples_of_a_comparison_need_a_test_that_resamples() -> None:
    systems = {"A": RUN, "B": RUN}
    with pytest.raises(DuckmetricsError, match="resamples: changes nothing"):
        duckmetrics.compare(systems, QRELS, "mrr", resamples=100)
    duckmetrics.compare(systems, QRELS, "mrr", test="randomization", resamples=100)


def test_resamples_and_the_seed_of_a_leaderboard_are_those_of_the_chances_to_be_the_best() -> None:
    found = duckmetrics.leaderboard({"A": RUN, "B": RUN}, QRELS, "mrr", resamples=100, seed=7)
    assert [row["probability_best"] for row in found.rows] == [0.5, 0.5]


def test_a_row_is_called_after_the_cutoff_of_the_call() -> None:
    found = duckmetrics.evaluate(RUN, QRELS, ["recall", "ndcg@1"], k=2)
    # Of q1 one of two relevant items is among the first two; of q2 the only one.
    assert [row["metric"] for row in found.rows] == ["recall@2", "ndcg@1"]
    assert found["recall@2"] == pytest.approx((1 / 2 + 1) / 2)


def test_what_a_tool_accepts_is_noted() -> None:
    """trec_eval accepts a level of relevance for ndcg_cut, whose gains are the grades; pytrec_eval, too."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    found = duckmetrics.evaluate(RUN, QRELS, "ndcg_cut_2", like="trec_eval", rel=2)
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"ndcg_cut_2"}, relevance_level=2)
    values = [value["ndcg_cut_2"] for value in evaluator.evaluate(RUN).values()]
    assert found["ndcg_cut_2"] == pytest.approx(sum(values) / 2)
    (note,) = (one for one in found.checks if one.check == "without_effect")
    assert note.severity == "note"
    assert note.message.startswith("rel=2 changes nothing")


def test_the_command_line_refuses_the_same(tmp_path: Any) -> None:
    (tmp_path / "run.csv").write_text("query_id,item_id,score\nq,a,1\n", "utf-8")
    (tmp_path / "truth.csv").write_text("query_id,item_id,relevance\nq,a,1\n", "utf-8")
    words = ["evaluate", str(tmp_path / "run.csv"), str(tmp_path / "truth.csv"), "-m", "ndcg@5"]
    for more, refusal in ((["--set", "k=10"], "k=10: ndcg@5"), (["--resamples", "9"], "resamples")):
        done = CliRunner().invoke(cli, [*words, *more])
        assert refusal in str(done.exception)
