"""Charts of evaluations and comparisons: the numbers that they draw are those of the results."""

from __future__ import annotations

import itertools
import math
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import sklearn.metrics as sk

import duckmetrics
from duckmetrics import InputError, MetricError
from duckmetrics.pages.pictures import names_of_comparisons, names_of_evaluations
from duckmetrics.pages.tables import in_order
from support.cases import CATALOG, ROOT
from support.drawings import marks, of_class, parsed, points, texts
from support.reports import Page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from duckmetrics import Comparison, Evaluation
    from duckmetrics.pages.chart import Chart

CANCER = str(ROOT / "data/breast_cancer/predictions.parquet")
CLICKS = {
    "label": [1, 0, 1, 0, 1, 0, 0, 0],
    "old": [0.9, 0.4, 0.3, 0.7, 0.6, 0.2, 0.1, 0.5],
    "new": [0.9, 0.4, 0.8, 0.7, 0.6, 0.2, 0.1, 0.5],
    "day": ["Mo", "Mo", "Tu", "Tu", "Mo", "Mo", "Tu", "Tu"],
}
SCORES = {"old": "old", "new": "new"}
QUERIES = [f"q{i}" for i in range(12)]
RUN = {q: {"a": 0.9, "b": 0.5, "c": 0.1} for q in QUERIES}
BETTER = {q: {"a": 0.1 if i % 4 else 0.9, "b": 0.5, "c": 0.3} for i, q in enumerate(QUERIES)}
QRELS = {q: {"b": 1, "c": 2} for q in QUERIES}


@pytest.fixture(scope="module")
def clicks() -> Evaluation:
    return duckmetrics.evaluate(CLICKS, None, ["auc", "log_loss"], score=SCORES, by="day", interval=0.9)


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return duckmetrics.compare({"B": BETTER, "A": RUN}, QRELS, ["ndcg@10", "mrr"], baseline="A")


def lines(chart: Chart, kind: str) -> list[list[tuple[float, float]]]:
    box = [svg for svg in parsed(chart.svg()).iter("svg") if svg.get("preserveAspectRatio") == "none"]
    return [points(path) for svg in box for path in of_class(svg, "path", "line", kind)]


def near(expected: Any) -> list[Any]:
    return [pytest.approx(point, abs=1e-3) for point in expected]


@pytest.mark.parametrize("name", in_order(CATALOG.charts, of_classes=False))
def test_a_curve_draws_the_overall_rows_of_its_table(clicks: Evaluation, name: str) -> None:
    chart = clicks.chart(name)
    assert set(chart.data["slice"].to_pylist()) == {""}
    assert set(chart.data["system"].to_pylist()) == {"old", "new"}
    parsed(chart.svg())
    assert len(chart.svg()) < 6000


def test_the_roc_curve_has_the_points_of_the_table(clicks: Evaluation) -> None:
    chart = clicks.chart("roc_curve")
    for system, kind in (("old", "s0"), ("new", "s1")):
        rows = [r for r in clicks.table("roc_curve").to_pylist() if (r["system"], r["slice"]) == (system, "")]
        assert lines(chart, kind) == [near((r["fpr"], r["tpr"]) for r in rows)]
    old, new = (clicks.value("auc", system=system) for system in ("old", "new"))
    assert chart.title == f"ROC: area {new:.3f} of new, {old:.3f} of old"


def test_a_curve_has_at_most_80_points_and_keeps_its_ends() -> None:
    chart = duckmetrics.evaluate(CANCER, metrics="auc").chart("roc_curve")
    rows = chart.data.to_pylist()
    assert 60 < len(rows) <= 80
    assert (rows[0]["fpr"], rows[0]["tpr"], rows[-1]["fpr"], rows[-1]["tpr"]) == (0, 0, 1, 1)


def rare_clicks(n: int, share: float) -> dict[str, list[float]]:
    """Return rows of a classifier with few positives, whose scores are mostly higher."""
    draw = Random(5)
    labels = [int(draw.random() < share) for _ in range(n)]
    return {"label": labels, "score": [1 / (1 + math.exp(5 - draw.gauss(2.5 * y, 1))) for y in labels]}


def drawn_area(points: Sequence[tuple[float, float]]) -> float:
    """Return the area under a drawn line, from 0 to 1 on both axes."""
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in itertools.pairwise(points))


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("n", "share"), [(8_000, 0.005), (300, 0.5), (20_000, 0.001), (30, 0.2), (60_000, 0.02)]
)
def test_a_drawn_curve_shows_its_head_and_has_the_area_of_its_title(n: int, share: float) -> None:
    """With few positives, most of the curve is in the first rows; points are at equal lengths of it."""
    rows = rare_clicks(n, share)
    y, s = np.array(rows["label"]), np.array(rows["score"])
    ev = duckmetrics.evaluate(rows, metrics="auc")
    expected = {"roc_curve": sk.roc_auc_score(y, s), "pr_curve": sk.average_precision_score(y, s)}
    for name, area in expected.items():
        chart = ev.chart(name)
        ((drawn,),) = [lines(chart, "s1")]
        assert drawn_area(drawn) == pytest.approx(area, abs=0.005)
        assert chart.title.endswith(f"{area:.3f}")
        x, height = zip(*drawn, strict=True)
        assert (min(x), max(x)) == (0, 1)
        # No step along recall, or along the true positive rate, is much longer than a 40th.
        along = x if name == "pr_curve" else height
        assert max(np.diff(along)) < max(0.06, 2.5 / y.sum())
    fpr, tpr, thresholds = sk.roc_curve(y, s, drop_intermediate=False)
    whole = dict(zip(thresholds, zip(fpr, tpr, strict=True), strict=True))
    for row in ev.chart("roc_curve").data.to_pylist():
        assert (row["fpr"], row["tpr"]) == pytest.approx(whole[row["threshold"]])
    gains = ev.chart("gains_curve").data.to_pylist()
    assert max(np.diff([row["gain"] for row in gains])) < max(0.06, 2.5 / y.sum())


def test_a_curve_of_few_scores_is_drawn_in_the_steps_that_its_area_counts() -> None:
    """Three scores: average precision is 1/2 * 1 + 1/2 * 2/3 + 0, not the area below straight lines."""
    rows = {"label": [1, 1, 0, 0], "score": [0.9, 0.5, 0.5, 0.1]}
    chart = duckmetrics.evaluate(rows, metrics="auc").chart("pr_curve")
    assert lines(chart, "s1") == [near([(0, 1), (0.5, 1), (0.5, 2 / 3), (1, 2 / 3)])]


@pytest.mark.some(1)
@pytest.mark.parametrize("by_rank", [False, True])
def test_a_metric_is_not_drawn_beyond_the_longest_list(by_rank: bool) -> None:
    """The longest list has 14 places, so precision at 50 would only show that nothing is there."""
    places = {"q1": 14, "q2": 5}
    column = "rank" if by_rank else "score"
    rows = [(q, f"d{i}", i if by_rank else -i) for q, n in places.items() for i in range(1, n + 1)]
    run = dict(zip(("query_id", "item_id", column), map(list, zip(*rows, strict=True)), strict=True))
    qrels = {"q1": {"d2": 1, "d14": 1}, "q2": {"d1": 1}}
    asked = {"precision": [*range(1, 11), 12, 14], "precision@20": [*range(1, 11), 12, 15, 20], "mrr@5": [
        *range(1, 11)
    ]}  # fmt: skip
    for metric, cutoffs in asked.items():
        chart = duckmetrics.evaluate(run, qrels, metric).chart("at_k")
        assert chart.data["k"].to_pylist() == cutoffs
    chosen = duckmetrics.evaluate(run, qrels, "precision").chart("at_k", k=[1, 30])
    assert chosen.data["k"].to_pylist() == [1, 30]
    numbers = Page(duckmetrics.evaluate(run, qrels, "precision").report().html).numbers["pictures"]["at_k"]
    assert max(one["k"] for one in numbers) == 14


def test_parameters_of_a_table() -> None:
    ev = duckmetrics.evaluate(CANCER, metrics="auc")
    assert {0.0, 0.2, 0.4, 0.6, 0.8, 1.0} <= set(ev.chart("gains_curve", bins=5).data["share"].to_pylist())
    assert ev.chart("gains_curve", bins=5, points=2).data.num_rows <= 6 + 2
    assert ev.chart("calibration_curve", bins=4, binning="width").data["lo"].to_pylist() == [
        0,
        0.25,
        0.5,
        0.75,
    ]
    with pytest.raises(MetricError, match="bins=41 is more than a chart shows; take at most 40"):
        ev.chart("score_histogram", bins=41)
    with pytest.raises(MetricError, match="points=1000 is more"):
        ev.chart("roc_curve", points="1000")  # type: ignore[arg-type]
    with pytest.raises(MetricError, match="takes one value of bins"):
        ev.chart("gains_curve", bins=[5, 10])
    with pytest.raises(MetricError, match="takes no bins; leave it out"):
        ev.chart("intervals", bins=5)
    with pytest.raises(MetricError, match="takes no metric"):
        ev.chart("roc_curve", metric="auc")
    with pytest.raises(MetricError, match="takes no k; draw 'at_k'"):
        ev.chart("roc_curve", k=[1])


@pytest.mark.slow
def test_all_cut_offs_come_from_one_evaluation() -> None:
    ev = duckmetrics.evaluate({"A": RUN, "B": BETTER}, QRELS, "ndcg(gain=exp2)@10")
    chart = ev.chart("at_k", k=[2, 1])
    wanted = duckmetrics.evaluate(
        {"A": RUN, "B": BETTER}, QRELS, ["ndcg(gain=exp2)@1", "ndcg(gain=exp2)@2"], interval=0.95
    )
    found = {(r["system"], r["metric"]): (r["value"], r["lower"], r["upper"]) for r in chart.data.to_pylist()}
    assert found == {(r["system"], r["metric"]): (r["value"], r["lower"], r["upper"]) for r in wanted.rows}
    assert chart.data["k"].to_pylist() == [1, 2, 1, 2]
    assert chart.title.startswith("ndcg(gain=exp2) of B is above A at every cut-off from 1 to 2, by 0.")
    assert len(lines(chart, "s0")) == len(lines(chart, "s1")) == 1


@pytest.mark.slow
def test_cut_offs_keep_the_switches_and_slices_of_the_call() -> None:
    tables = {"predictions": RUN, "truth": {**QRELS, "q99": {"a": 1}}}
    zero, skipped = (
        duckmetrics.evaluate(**tables, metrics="mrr", missing=missing).chart("at_k", k=[10])  # type: ignore[arg-type]
        for missing in ("zero", "skip")
    )
    assert zero.data["value"][0].as_py() * 13 == pytest.approx(skipped.data["value"][0].as_py() * 12)


@pytest.mark.slow
def test_a_name_of_another_tool_has_cut_offs() -> None:
    ev = duckmetrics.evaluate(RUN, QRELS, "ndcg_cut_10")
    assert ev.chart("at_k", k=[10]).data["value"][0].as_py() == pytest.approx(ev["ndcg_cut_10"])


@pytest.mark.parametrize("k", [[], [0], range(1, 60), [1.5], ["x"]])
def test_cut_offs_are_few_whole_numbers(k: Any) -> None:
    with pytest.raises(MetricError, match="k takes 1 to 50 numbers from 1 on"):
        duckmetrics.evaluate(RUN, QRELS, "mrr").chart("at_k", k=k)


@pytest.mark.slow
def test_the_usual_chart() -> None:
    def titles(metrics: list[str], **more: Any) -> str:
        return duckmetrics.evaluate(CANCER, None, metrics, **more).chart().title

    assert titles(["auc"]).startswith("ROC: area")
    assert titles(["auc", "ece"]).endswith("; 2 metrics")
    assert titles(["auc"], by="radius").startswith("auc by radius: from ")
    assert duckmetrics.evaluate(RUN, QRELS, "mrr").chart().title == "mrr at 1: 0.000; at 3: 0.500"


def test_slices_have_the_overall_value_as_a_line(clicks: Evaluation) -> None:
    chart = clicks.chart("slices", metric="auc")
    root = parsed(chart.svg())
    assert [t for t in texts(root) if t in ("overall", "by day", "Mo", "Tu")] == [
        "overall",
        "by day",
        "Mo",
        "Tu",
    ]
    assert of_class(root, "line", "guide")
    assert chart.data.column_names[:4] == ["system", "metric", "slice", "day"]


def test_names_are_checked(clicks: Evaluation, compared: Comparison) -> None:
    with pytest.raises(MetricError, match="chart 'roc': no such chart; did you mean 'roc_curve'"):
        clicks.chart("roc")
    with pytest.raises(MetricError, match="is of classifiers, and these are rankings; draw 'at_k'"):
        compared.chart("roc_curve")
    with pytest.raises(MetricError, match="is of rankings, and this is a classifier"):
        clicks.chart("at_k")
    with pytest.raises(MetricError, match="no slices; ask for them with by="):
        compared.chart("slices")
    with pytest.raises(MetricError, match="mrrr: not evaluated; did you mean 'mrr'"):
        compared.chart("intervals", metric="mrrr")
    with pytest.raises(MetricError, match="takes no k"):
        compared.chart("intervals", k=[1])
    of_evaluations = names_of_evaluations(CATALOG.charts)
    assert set(CATALOG.charts) < set(of_evaluations) < set(names_of_comparisons(CATALOG.charts))


def test_many_slices_are_refused() -> None:
    rows = {"label": [0, 1] * 150, "score": [0.5] * 300, "id": list(range(300))}
    with pytest.raises(MetricError, match="301 rows are more than the 200 that a chart shows"):
        duckmetrics.evaluate(rows, None, "base_rate", by="id").chart("slices")


def test_a_comparison_draws_changes_with_their_verdicts(compared: Comparison) -> None:
    chart = compared.chart()
    assert chart.title == "Against A, B: better on 2 metrics"
    root = parsed(chart.svg())
    rows = [svg for svg in root.iter("svg") if of_class(svg, "line", "zero") and svg is not root]
    assert [[m.shape for m in marks(svg)] for svg in rows] == [["up"], ["up"]]
    change = compared.row("ndcg@10")["relative_change"]
    assert f"+{100 * change:.1f}%" in texts(root)
    assert chart.data["verdict"].to_pylist() == ["baseline", "better"] * 2


@pytest.mark.slow
def test_the_baseline_is_dashed_wherever_it_stands(compared: Comparison) -> None:
    chart = compared.chart("at_k", k=[1, 3])
    values = {(r["system"], r["k"]): r["value"] for r in chart.data.to_pylist()}
    gaps = sorted(values["B", k] - values["A", k] for k in (1, 3))
    every = f"at every cut-off from 1 to 3, by {gaps[0]:.3f} to {gaps[1]:.3f}"
    assert chart.title == f"ndcg of B is above A {every}"
    curves = duckmetrics.compare(CLICKS, None, "auc", score=SCORES, baseline="new").chart("roc_curve")
    assert curves.title == "ROC: area 0.733 of old, 0.933 of new"


def found_at(place: int, every: int = 5) -> dict[str, dict[str, float]]:
    """Return a run with the best item at a place, counted from 0; one later in each of `every` queries."""
    others = {item: -float(i) for i, item in enumerate("adefg")}
    return {q: {**others, "c": 0.5 - place - (i % every == 0)} for i, q in enumerate(QUERIES)}


MANY = {"A": found_at(2), "B": found_at(1), "C": found_at(3), "D": found_at(0), "E": found_at(1, every=2)}


def test_many_systems_are_sorted_by_the_first_metric_and_counted() -> None:
    """The title is the sentence of the result; that of another metric is about this metric."""
    compared = duckmetrics.compare(MANY, QRELS, ["mrr", "ndcg@10"], baseline="A")
    chart = compared.chart()
    order = ["D", "B", "E", "C"]
    assert [text for text in texts(parsed(chart.svg())) if text in MANY] == order * 2
    assert chart.title == compared.verdict
    assert (
        chart.title
        == "B, D and E are better than A by mrr; they were not tested against each other; C is worse than A"
    )
    assert " by ndcg@10" in compared.chart(metric="ndcg@10").title
    pairs = duckmetrics.compare(MANY, QRELS, "mrr", pairs=True, baseline="A")
    assert pairs.chart().title == pairs.verdict
    assert "not tested" not in pairs.chart().title


def test_many_systems_have_small_charts_with_the_best_first() -> None:
    """The baseline of a mapping, or of a comparison, stays the line in each chart."""
    shown = {
        "D": duckmetrics.evaluate(as_table(MANY), QRELS, "mrr", system="system").chart("at_k", k=[1, 3]),
        "C": duckmetrics.compare(MANY, QRELS, "mrr", baseline="C").chart("at_k", k=[1, 3]),
    }
    for first, chart in shown.items():
        order = [text for text in texts(parsed(chart.svg())) if text in MANY]
        assert order == [name for name in ("D", "B", "E", "A", "C") if name != first]
        assert f"{first}, in each chart" in texts(parsed(chart.svg()))
        assert chart.title.endswith(" of C; 5 systems")
        assert chart.title.count("systems") == 1
        assert chart.title.startswith("mrr at 1: ")


def as_table(runs: dict[str, dict[str, dict[str, float]]]) -> dict[str, list[Any]]:
    rows = [
        (s, q, item, score)
        for s, run in runs.items()
        for q, own in run.items()
        for item, score in own.items()
    ]
    names = ("system", "query_id", "item_id", "score")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def test_one_system_is_named_once() -> None:
    chart = duckmetrics.evaluate(as_table({"B": RUN}), QRELS, "mrr", system="system").chart("at_k", k=[1, 3])
    assert chart.title == "mrr of B at 1: 0.000; at 3: 0.500"


def test_changes_of_slices_of_one_system() -> None:
    days = {"query_id": QUERIES, "day": ["Mo", "Tu"] * 6}
    runs = {"A": RUN, "B": BETTER, "C": RUN}
    compared = duckmetrics.compare(runs, QRELS, "mrr", queries=days, by="day")
    with pytest.raises(MetricError, match="several systems; name one of B, C with system="):
        compared.chart("slices")
    with pytest.raises(MetricError, match="system 'D': not compared"):
        compared.chart("slices", system="D")
    chart = compared.chart("slices", system="B")
    assert chart.title.startswith("B by mrr: worse in none of 2 slices; the least favorable is +")
    assert compared.chart().title.startswith("Against A, B: better on 1 metric; C: unclear on 1 metric")


@pytest.mark.slow
def test_results_of_evaluate_have_no_predictions() -> None:
    one, other = (duckmetrics.evaluate(run, QRELS, "mrr") for run in (RUN, BETTER))
    compared = duckmetrics.compare({"A": one, "B": other})
    assert compared.chart().title == "Against A, B: better on 1 metric"
    with pytest.raises(MetricError, match="results of evaluate: have no predictions"):
        compared.chart("at_k")


def test_a_notebook_shows_the_picture_next_to_the_table(compared: Comparison, clicks: Evaluation) -> None:
    for result in (compared, clicks):
        shown = result._repr_html_()
        assert shown.count("<table>") == shown.count('<img src="data:image/svg+xml;base64,') == 1
    assert "<img" not in duckmetrics.evaluate(RUN, QRELS, "mrr")._repr_html_()


def test_saving_replaces_only_our_own_files(clicks: Evaluation, tmp_path: Path) -> None:
    for name in ("x.svg", "x.html"):
        file = tmp_path / name
        clicks.chart("roc_curve").save(file)
        clicks.chart("pr_curve").save(file)
        assert "Precision and recall" in file.read_text("utf-8")
        file.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
        with pytest.raises(InputError, match="exists and is not an"):
            clicks.chart("roc_curve").save(file)
        assert file.read_text("utf-8").endswith("/>")
    with pytest.raises(InputError, match="name a file in an existing folder"):
        clicks.chart("roc_curve").save(tmp_path / "no" / "x.svg")


def test_differences_are_the_quantiles_of_the_queries(compared: Comparison) -> None:
    chart = compared.chart("differences", metric="mrr")
    assert chart.data.equals(compared.differences("mrr", points=201))
    row = compared.row("mrr")
    assert chart.title == f"B: {row['wins'] / 12:.1%} of the queries gain, {row['losses'] / 12:.1%} lose"
    assert len(of_class(parsed(chart.svg()), "path", "band", "better")) == 1
    three = duckmetrics.compare({"A": RUN, "B": BETTER, "C": RUN}, QRELS, "mrr")
    assert three.chart("differences").title == "Differences in mrr of 2 systems to A"
    assert three.chart("differences", system="C").title == "C: 0.0% of the queries gain, 0.0% lose"


def test_calibration_by_slice_takes_the_metric_that_aims_at_a_number() -> None:
    metrics = ["auc", "calibration_ratio"]
    clicks = {"label": CLICKS["label"], "score": CLICKS["old"], "day": CLICKS["day"]}
    chart = duckmetrics.evaluate(clicks, None, metrics, by="day").chart("calibration_by_slice")
    assert set(chart.data["metric"].to_pylist()) == {"calibration_ratio"}
    root = parsed(chart.svg())
    assert len(of_class(root, "line", "zero")) == 3  # the line of 1, in each row
    assert not of_class(root, "line", "guide")
    with pytest.raises(MetricError, match="no metric that aims at a number was evaluated; add one"):
        duckmetrics.evaluate(clicks, None, "auc", by="day").chart("calibration_by_slice")


@pytest.mark.slow
def test_a_change_has_the_sign_of_the_value_and_an_aim_gets_words() -> None:
    compared = duckmetrics.compare(CLICKS, None, ["log_loss", "calibration_ratio"], score=SCORES)
    change = compared.row("log_loss")["relative_change"]
    assert change < 0
    shown = texts(parsed(compared.chart().svg()))
    assert f"−{-100 * change:.1f}%" in shown
    assert any(text.startswith("aims at 1: ") for text in shown)


@pytest.mark.slow
def test_every_pair_of_systems_has_a_chart_to_the_baseline() -> None:
    pairs = duckmetrics.compare({"A": RUN, "B": BETTER, "C": RUN}, QRELS, "mrr", pairs=True)
    assert pairs.chart().title.startswith("Against A, B: better on 1 metric; C: ")
    assert "<img" not in pairs._repr_html_()
