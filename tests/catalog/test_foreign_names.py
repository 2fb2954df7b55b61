"""Names of other tools are specs: with `like` the specs of that tool, without it names with one meaning."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import ir_measures
import pyarrow as pa
import pytest
import pytrec_eval
from catalog.test_presets import entries, written_names

import duckmetrics
from duckmetrics import MetricError
from duckmetrics.catalog.names import meant_by
from duckmetrics.catalog.presets import presets
from duckmetrics.catalog.spec_text import split_specs
from duckmetrics.catalog.specs import parse_measure, parse_measures
from support.cases import CATALOG
from support.command_line import exports, run

if TYPE_CHECKING:
    from duckmetrics.catalog.presets import Preset, PresetEntry
    from support.command_line import Command

__all__ = ["exports", "run"]

QUERIES = [f"q{i}" for i in range(25)]
SAME = 1e-12
# RePlay: the share of items that the user has not seen; evidently: the self-information of the items.
AMBIGUOUS = {"Novelty(10)"}


def written() -> list[tuple[Preset, str, str, PresetEntry, str]]:
    return [(*one, name) for one in entries() for name in written_names(one[0], one[1], one[3].name)]


def test_every_name_of_a_tool_means_its_metric_there() -> None:
    """Every name of a preset has the metric and the conventions of that preset."""
    for tool, family, metric, entry, name in written():
        measure = parse_measure(CATALOG, name, meant=lambda family=family: family, like=tool)
        assert (measure.family, measure.metric.name) == (family, metric), (tool.name, name)
        assert (measure.text, measure.needed, measure.tools) == (name, entry.requires, ())
        again = parse_measure(CATALOG, f"  {name} ", meant=lambda family=family: family, like=tool)
        assert again.signature == measure.signature


@pytest.mark.slow
def test_without_a_tool_a_name_means_our_metric_under_our_defaults() -> None:
    """A name is ours, or means the same to all tools that have it; AMBIGUOUS lists the others."""
    ambiguous = set()
    for tool, family, metric, _, name in written():
        try:
            measure = parse_measure(CATALOG, name, meant=lambda family=family: family)
        except MetricError:
            ambiguous.add(name)
            continue
        if measure.tools and measure.family == family:
            assert measure.metric.name == metric, name
            assert tool.name in measure.tools
            assert parse_measure(CATALOG, str(measure)).signature == measure.signature
    assert ambiguous == AMBIGUOUS


@pytest.mark.slow
def test_options_of_tools_mean_one_thing() -> None:
    """No two tools have the same name for different specs, except the listed ones."""
    several = {}
    for tool in presets().values():
        for family, known in tool.families.items():
            names = [*(v.name for v in known.variants), *(e.name for e in known.metrics.values())]
            for name in {w for n in names for w in written_names(tool, family, n)}:
                found = meant_by(CATALOG, name, presets().values())
                specs = {str(parse_measure(CATALOG, m.spec)) for m in found if m.family == family}
                if len(specs) > 1:
                    several[name] = specs
    assert several.keys() == AMBIGUOUS, several


def test_a_name_of_two_metrics_is_refused_with_the_choices() -> None:
    with pytest.raises(MetricError, match=r"several metrics.*write query_auc \(sklearn\) or auc \(sklearn\)"):
        parse_measure(CATALOG, "roc_auc_score")
    assert parse_measure(CATALOG, "roc_auc_score", meant=lambda: "ranking").metric.name == "query_auc"
    assert parse_measure(CATALOG, "roc_auc_score", meant=lambda: "classification").metric.name == "auc"


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("P_10", "precision@10"), ("ndcg_cut.10", "ndcg@10"), ("set_F.4", "ranking.f_beta(beta=2)"),
        ("iprec_at_recall_0.10", "iprec(recall=0.1)"), ("P(rel=2)@5", "precision(rel=2)@5"),
        ("R(rel=2)@5", "recall(rel=2)@5"), ("rbp.80", "rbp"), ("ndcg_burges@10", "ndcg(gain=exp2)@10"),
        ("map@10-l2", "average_precision(rel=2)@10"), ("MAP(10)", None), ("recall_at_10", "recall@10"),
        ("RBP(n=10, patience=0.5)", "rbp(p=0.5)@10"), ("f1_score", "classification.f_beta(beta=1)"),
        ("NDCG:top=5;type=Exp", "ndcg(gain=exp2)@5"), ("gm_map", "ranking.average_precision(agg=gmean)"),
        ("num_ret", "n_returned(agg=sum)"),
    ],
)  # fmt: skip
def test_examples(name: str, ours: str | None) -> None:
    assert str(parse_measure(CATALOG, name)) == (ours or "average_precision@10")


@pytest.mark.parametrize("name", ["neg_log_loss", "P_x", "rbp.0.8", "frobnicate", "P_10_", "ndcg@x"])
def test_names_that_no_tool_has(name: str) -> None:
    with pytest.raises(MetricError):
        parse_measure(CATALOG, name)


@pytest.mark.parametrize(
    ("name", "tool", "advice"),
    [
        ("IntraListDiversity@10", None, "IntraListDiversity is category_distance here; write "
         "category_distance@10; with like='rectools' its own spelling is IntraListDiversity(k=10)"),
        ("meaninvuserfreq", None, "meaninvuserfreq is self_information here; write self_information@10; "
         "with like='rectools' its own spelling is MeanInvUserFreq(k=10)"),
        ("F1Beta@5", None, "F1Beta is f_beta here; write ranking.f_beta(beta=1)@5; with like='rectools' its "
         "own spelling is F1Beta(k=5)"),
        ("ndcg_cut@5", None, "ndcg_cut is ndcg here; write ndcg@5; with like='pytrec_eval' its own spelling "
         "is ndcg_cut_5"),
        ("MeanInvUserFreq@5", "rectools", "MeanInvUserFreq is self_information here; write "
         "MeanInvUserFreq(k=5), as RecTools does, or self_information@5"),
        ("inter_list_diversit@10", None, "unknown metric 'inter_list_diversit'; did you mean "
         "'inter_list_diversity'?"),
        (r"ndcg_cut@\1", None, "unknown metric 'ndcg_cut'; did you mean 'ndcg'?"),
    ],
)  # fmt: skip
def test_a_name_of_a_tool_in_our_notation_names_its_spelling(
    name: str, tool: str | None, advice: str
) -> None:
    with pytest.raises(MetricError, match=f"^{re.escape(f'{name}: {advice}')}$"):
        parse_measure(CATALOG, name, like=tool and presets()[tool])


def test_our_names_win_without_a_tool_and_lose_with_it() -> None:
    assert parse_measure(CATALOG, "Accuracy").family == "classification"
    tool = presets()["ir_measures"]
    assert parse_measure(CATALOG, "Accuracy", like=tool).metric.name == "query_auc"


def test_sets_have_known_members() -> None:
    for tool in presets().values():
        for known in tool.families.values():
            for names in known.sets:
                measures = parse_measures(CATALOG, [names.name], like=tool)
                assert all(measure.member_of for measure in measures)
    several = parse_measures(CATALOG, ["P_10", "official", "set", " map "], like=presets()["trec_eval"])
    texts = [measure.text for measure in several]
    assert len(texts) == len(set(texts)) == 32
    assert texts[0] == "P_10"


def tables(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]], pa.Table, pa.Table]:
    """Return a run with many ties, queries that only one side has, and queries without relevant items."""
    rng = random.Random(seed)
    items = [f"d{i}" for i in range(40)]
    found = {
        q: {d: float(rng.randint(0, 6)) for d in rng.sample(items, rng.randint(1, 30))} for q in QUERIES[3:]
    }
    truth = {
        q: {d: rng.choice([0, 0, 1, 2]) for d in rng.sample(items, rng.randint(1, 15))} for q in QUERIES[:-2]
    }
    truth[QUERIES[5]] = dict.fromkeys(items[:4], 0)
    return found, truth, table(found, "score"), table(truth, "relevance")


def table(values: dict[str, dict[str, float]] | dict[str, dict[str, int]], name: str) -> pa.Table:
    rows = [(q, d, value) for q, row in values.items() for d, value in row.items()]
    query, item, value = zip(*rows, strict=True)
    return pa.table({"query_id": query, "item_id": item, name: value})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_values_are_those_of_pytrec_eval(seed: int) -> None:
    found, truth, predictions, judged = tables(seed)
    per_query = pytrec_eval.RelevanceEvaluator(truth, pytrec_eval.supported_measures).evaluate(found)
    specs = "official,set,P_10,ndcg_cut_10,recip_rank,map,bpref,success_5,Rprec,recall_1000,infAP,map_cut_100"
    result = duckmetrics.evaluate(predictions, judged, specs, like="pytrec_eval")
    for row in result.rows:
        name = row["metric"]
        values = [of_query[name] for of_query in per_query.values()]
        expected = pytrec_eval.compute_aggregated_measure(name, values)
        assert row["value"] == pytest.approx(expected, abs=1e-6 if name == "infAP" else SAME), name
    assert len(result.rows) == 37


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_values_are_those_of_ir_measures(seed: int) -> None:
    found, truth, predictions, judged = tables(seed)
    specs = (
        "nDCG@10,P@10,P(rel=2)@5,RR,RR@5,AP@100,R@10,Success@5,Rprec,Bpref,SetF(beta=0.5),SetAP,NumRet,NumRel,"
        "NumRet(rel=2)"
    )
    result = duckmetrics.evaluate(predictions, judged, specs, like="ir_measures")
    for name in split_specs(specs):
        expected = ir_measures.calc_aggregate([ir_measures.parse_measure(name)], truth, found)
        assert result[name] == pytest.approx(next(iter(expected.values())), abs=SAME), name


@pytest.mark.some(0)
@pytest.mark.parametrize("tool", ["trec_eval", "trec_eval9"])
def test_with_all_queries_of_the_truth_all_relevant_items_count(tool: str) -> None:
    """With the option -c of trec_eval, a query without predictions counts its relevant items, too."""
    _, truth, predictions, judged = tables(0)
    result = duckmetrics.evaluate(predictions, judged, "official", like=tool, missing="zero")
    assert result["num_rel"] == sum(grade > 0 for row in truth.values() for grade in row.values())
    assert result["num_ret"] == sum(query in truth for query in predictions["query_id"].to_pylist())


@pytest.mark.slow
def test_one_note_says_what_foreign_names_mean() -> None:
    _, _, predictions, judged = tables(0)
    result = duckmetrics.evaluate(predictions, judged, ["P_10", "map", "ndcg_cut_5", "R@5"])
    notes = [finding.message for finding in result.checks if finding.check == "foreign_name"]
    assert notes == [
        "P_10 is precision@10, ndcg_cut_5 is ndcg@5 here; "
        "like='pytrec_eval' or 'trec_eval' or 'trec_eval9' takes its conventions too",
        "R@5 is recall@5 here; like='ir_measures' takes its conventions too",
    ]
    assert [row["metric"] for row in result.rows] == ["P_10", "map", "ndcg_cut_5", "R@5"]
    ours = duckmetrics.evaluate(predictions, judged, "precision@10")
    assert result["P_10"] == ours["precision@10"]
    assert result.rows[0]["signature"] == ours.rows[0]["signature"]
    alike = duckmetrics.evaluate(predictions, judged, "official", like="pytrec_eval").checks
    assert [f.message for f in alike if f.check == "foreign_name"] == []
    assert [f.message for f in alike if f.check == "partial_set"] == [
        "official is without runid (the system) and num_q (the column n)"
    ]


@pytest.mark.slow
def test_conventions_translate_the_name_for_the_other_tools() -> None:
    _, _, predictions, judged = tables(0)
    found = duckmetrics.conventions(predictions, judged, "P_10", like=["pytrec_eval", "ranx"])
    assert {row.like for row in found.rows if row.metric == "P_10"} == {"duckmetrics", "pytrec_eval", "ranx"}


def test_the_command_line_takes_them(run: Command) -> None:
    shown = run(
        "evaluate",
        "p.parquet",
        "t.parquet",
        "-m",
        "P_10,P(rel=2)@5,SetF(beta=2),F1Beta(10, beta=2)",
    )
    assert shown.code == 0, shown.err
    assert all(name in shown.out for name in ("P_10", "P(rel=2)@5", "SetF(beta=2)", "F1Beta(10, beta=2)"))
    assert "P_10 is precision@10" in shown.err + shown.out
