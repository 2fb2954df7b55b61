"""Explanations of classifiers: what rows and groups of rows add, against sums written out by hand."""

from __future__ import annotations

import random
from collections import defaultdict
from functools import cache
from math import fsum, log
from typing import TYPE_CHECKING, Any

import pytest

import duckmetrics
from duckmetrics import InputError, MetricError, UnsupportedError
from duckmetrics.catalog.catalog import catalog
from duckmetrics.inference.contributions import explainable_rows
from support.command_line import exports, run
from support.must_run import no_case

if TYPE_CHECKING:
    from duckmetrics import Evaluation
    from duckmetrics.results.explanation import ExplainedGroups
    from support.command_line import Command

__all__ = ["exports", "run"]

CLICKS = {
    "id": [1, 2, 3, 4, 5, 6, 7, 8],
    "label": [1, 0, 1, 0, 1, 0, 0, 1],
    "old": [0.9, 0.2, 0.4, 0.5, 0.6, 0.1, 0.4, 0.4],
    "new": [0.8, 0.3, 0.7, 0.4, 0.5, 0.2, 0.5, 0.5],
    "weight": [1.0, 2.0, 0.5, 1.0, 3.0, 0.0, 1.0, 2.0],
    "land": ["DE", "DE", "FR", "FR", None, None, "DE", "FR"],
    "user_id": [1, 1, 2, 2, 3, 3, 1, 2],
}
SCORES = {"old": "old", "new": "new"}
MEAN_TERMS = {
    "log_loss": lambda y, p: -log(p if y else 1 - p),
    "brier": lambda y, p: (y - p) ** 2,
    "mae": lambda y, p: abs(y - p),
    "accuracy": lambda y, p: float((p >= 0.5) == bool(y)),
}


def both(*metrics: str, rows: dict[str, list[Any]] | None = None, **switches: Any) -> Evaluation:
    """Evaluate the two scores of one table, without weights."""
    return duckmetrics.evaluate(
        CLICKS if rows is None else rows, None, list(metrics), score=SCORES, weighted=False, **switches
    )


def groups(found: ExplainedGroups) -> dict[Any, tuple[float, float]]:
    return {
        r[found.by] if r["kind"] == "group" else r["kind"]: (r["baseline_contribution"], r["contribution"])
        for r in found.rows
    }


def total(found: ExplainedGroups, column: str) -> float:
    return fsum(row[column] for row in found.rows)


def by_land(terms: list[float]) -> dict[Any, float]:
    found: dict[Any, float] = defaultdict(float)
    for land, term in zip(CLICKS["land"], terms, strict=True):
        found[land] += term
    return found


def halves(labels: list[int], scores: list[float]) -> list[float]:
    """Return what each row adds to AUC: half of each pair that it wins, ties one quarter."""
    pairs = sum(labels) * (len(labels) - sum(labels))
    found = [0.0] * len(labels)
    for i, one in enumerate(labels):
        for j, other in enumerate(labels):
            if one and not other:
                won = 1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0
                found[i] += won / 2 / pairs
                found[j] += won / 2 / pairs
    return found


@pytest.mark.some(1)
@pytest.mark.parametrize("metric", MEAN_TERMS)
def test_the_mean_of_rows_is_divided_among_the_groups(metric: str) -> None:
    found = both(metric).explain(by="land")
    expected = {
        system: by_land(
            [MEAN_TERMS[metric](y, p) / 8 for y, p in zip(CLICKS["label"], CLICKS[system], strict=True)]
        )
        for system in SCORES
    }
    assert groups(found) == {
        land: (pytest.approx(expected["old"][land]), pytest.approx(expected["new"][land]))
        for land in ("DE", "FR", None)
    }
    assert [row["n"] for row in found.rows] == [{"DE": 3, "FR": 3, None: 2}[r["land"]] for r in found.rows]


def test_auc_is_divided_among_the_rows_of_each_pair() -> None:
    found = both("auc").explain(by="row", n=8)
    old, new = (halves(CLICKS["label"], CLICKS[system]) for system in ("old", "new"))
    assert groups(found) == {i + 1: (pytest.approx(old[i]), pytest.approx(new[i])) for i in range(8)}
    assert found.delta == pytest.approx(
        both("auc").value("auc", system="new") - both("auc").value("auc", system="old")
    )


def test_the_rows_of_one_table_with_one_score_have_numbers() -> None:
    rows = {"label": CLICKS["label"], "score": CLICKS["new"], "land": CLICKS["land"]}
    found = duckmetrics.explain(rows, metrics="auc", by="row", n=8, show=["land"])
    shares = halves(CLICKS["label"], CLICKS["new"])
    assert {row["row"]: row["contribution"] for row in found.rows} == {
        i + 1: pytest.approx(share) for i, share in enumerate(shares)
    }
    assert [row["land"] for row in found.rows] == [CLICKS["land"][row["row"] - 1] for row in found.rows]


def test_weights_count() -> None:
    rows = {**CLICKS, "score": CLICKS["new"]}
    found = duckmetrics.explain(rows, metrics="brier", by="land", columns={"score": "score"})
    terms = [
        w * (y - p) ** 2 / 10.5 for y, p, w in zip(rows["label"], rows["new"], rows["weight"], strict=True)
    ]
    assert {r["land"]: r["contribution"] for r in found.rows} == {
        land: pytest.approx(value) for land, value in by_land(terms).items()
    }


@pytest.mark.slow
def test_a_part_that_no_row_makes_has_a_row_of_its_own() -> None:
    found = both("rig").explain(by="land")
    assert groups(found)["constant"] == (1.0, 1.0)
    assert "constant" not in groups(both("classification.f1").explain(by="land", system="new"))
    entropy = both("normalized_entropy").explain(by="land")
    for land in ("DE", "FR", None):
        assert groups(found)[land] == tuple(pytest.approx(-value) for value in groups(entropy)[land])


ALL = explainable_rows(catalog())


def spec_of(metric: str) -> str:
    beta = "(beta=2)" if metric == "f_beta" else ""
    return f"classification.{metric}{beta}" if metric in ("precision", "recall", "f_beta") else metric


@cache
def drawn(weighted: bool) -> Evaluation:
    """Evaluate every metric that can be explained on random rows with ties, weights of 0 and a NULL group."""
    draw = random.Random(7)
    n = 60
    rows: dict[str, list[Any]] = {
        "label": [1, 0, *(draw.randrange(2) for _ in range(n - 2))],
        "old": [draw.choice((0.1, 0.3, 0.5, 0.7, 0.9)) for _ in range(n)],
        "new": [draw.random() for _ in range(n)],
        "weight": [draw.choice((0.0, 0.5, 1.0, 2.0)) for _ in range(n)],
        "user_id": [draw.randrange(6) for _ in range(n)],
    }
    rows["land"] = [[None, "DE", "FR", "CH"][user % 4] for user in rows["user_id"]]
    chosen = [
        spec_of(m)
        for m in ALL
        if not weighted or "weight" in catalog().metrics["classification", m].inputs["predictions"]
    ]
    return duckmetrics.evaluate(
        rows, None, chosen, score=SCORES, columns={"group_id": "user_id"}, weighted=weighted
    )


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", ALL)
def test_contributions_add_up_to_the_value(metric: str, weighted: bool) -> None:
    ev, spec = drawn(weighted), spec_of(metric)
    if spec not in {row["metric"] for row in ev.rows}:
        no_case("takes no weights")
    for by in ("land", "user_id" if metric == "gauc" else "row"):
        for system in SCORES:
            found = ev.explain(by=by, metric=spec, system=system, n=7)
            value = ev.value(spec, system=system)
            assert total(found, "contribution") == pytest.approx(value, rel=1e-12, abs=1e-12)


def test_groups_of_one_row_show_label_scores_and_columns() -> None:
    found = both("log_loss").explain(by="id", show=["land"], n=2)
    assert found.details == ("label", "score", "baseline_score", "land")
    first = found.rows[0]
    assert (first["id"], first["label"], first["baseline_score"], first["score"], first["land"]) == (
        3,
        1,
        0.4,
        0.7,
        "FR",
    )
    assert [row["kind"] for row in found.rows] == ["group", "group", "others"]
    assert found.summary.column_names[-4:] == ["label", "score", "baseline_score", "land"]


@pytest.mark.slow
def test_sizes_count_all_groups() -> None:
    sizes = both("log_loss").explain(by="row", n=1).sizes
    assert sizes is not None
    changes = [
        -log(new if y else 1 - new) / 8 + log(old if y else 1 - old) / 8
        for y, old, new in zip(CLICKS["label"], CLICKS["old"], CLICKS["new"], strict=True)
    ]
    ups, downs = [c for c in changes if c > 0], [c for c in changes if c < 0]
    assert (sizes.n_groups, sizes.n_up, sizes.n_down, sizes.n_largest) == (8, len(ups), len(downs), 1)
    assert (sizes.up, sizes.down) == (pytest.approx(fsum(ups)), pytest.approx(fsum(downs)))
    assert sizes.share == pytest.approx(max(map(abs, changes)) / fsum(map(abs, changes)))


def test_an_expression_with_a_name_makes_groups() -> None:
    found = both("brier").explain(by="floor(new * 2) AS half")
    assert {row["half"]: row["n"] for row in found.rows} == {1.0: 5, 0.0: 3}


@pytest.mark.slow
def test_systems_may_be_rows_of_one_table() -> None:
    stacked = {name: CLICKS[name] * 2 for name in ("id", "label", "land")}
    stacked |= {"score": CLICKS["old"] + CLICKS["new"], "model": ["old"] * 8 + ["new"] * 8}
    found = duckmetrics.explain(stacked, metrics="log_loss", by="id", system="model", baseline="old", n=8)
    assert groups(found) == groups(both("log_loss").explain(by="id", n=8))
    with pytest.raises(
        MetricError, match=r"not scores of the same table; name a column that identifies a row"
    ):
        duckmetrics.explain(stacked, metrics="log_loss", by="row", system="model")


SCREEN = """\
log_loss by id: new 0.4687, old 0.4977 (-0.0289), lower is better

id             old     new  difference    share   label            score  land
----------  ------  ------  ----------  -------  ------  ---------------  ----
3           0.1145  0.0446     -0.0700   241.9%       1  0.4000 → 0.7000    FR
8           0.1145  0.0866     -0.0279    96.5%       1  0.4000 → 0.5000    FR
(6 others)  0.2686  0.3375     +0.0689  -238.4%  6 rows

each row is a part: the columns add up to the values above
of 8 rows, 5 raise the value by 0.0917, and 3 lower it by 0.1206
the largest makes 32.9% of all changes"""


def test_a_metric_with_a_target_says_where_it_aims() -> None:
    title = str(both("calibration_ratio").explain(by="land")).splitlines()[0]
    assert title.startswith("calibration_ratio by land: new ")
    assert title.endswith(", aims at 1")


def test_the_screen() -> None:
    assert str(both("log_loss").explain(by="id", show="land", n=2)) == SCREEN


def test_the_command(run: Command, tmp_path: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(CLICKS), tmp_path / "clicks.parquet")
    asked = [
        "explain",
        str(tmp_path / "clicks.parquet"),
        "-m",
        "log_loss",
        "--score",
        "old=old",
        "--score",
        "new=new",
    ]
    asked += ["--set", "weighted=false"]
    assert run(*asked, "--by", "id", "--show", "land", "--top", "2").out.rstrip() == SCREEN
    assert '"kind": "others"' in run(*asked, "--by", "row", "--top", "2", "--format", "json").out
    assert "explain groups of rows with by= (--by)" in run(*asked, "--query", "1").err


@pytest.mark.some(1)
@pytest.mark.parametrize("metric", ["rmse", "r2", "ece", "ks", "mcc", "average_precision", "hosmer_lemeshow"])
def test_metrics_that_are_not_sums_are_refused(metric: str) -> None:
    ev = both(f"classification.{metric}" if metric == "average_precision" else metric)
    with pytest.raises(
        UnsupportedError, match="is not a sum over rows; these metrics of rows can be explained: ac"
    ):
        ev.explain(by="land")


def test_sums_that_the_scores_divide_differently_are_not_compared() -> None:
    ev = both("classification.precision", threshold=0.45)
    with pytest.raises(
        UnsupportedError, match=r"depends on the scores: 3 and 5; explain one .* system= \(.*of=, --of\), or"
    ):
        ev.explain(by="land")
    assert ev.explain(by="land", system="new").value == pytest.approx(0.8)


def test_of_several_metrics_a_note_names_the_one_that_is_explained() -> None:
    ev = both("ece", "brier", "log_loss")
    note = "brier is the first of 2 metrics that can be explained; name another with metric= (-m)"
    assert ev.explain(by="land").lines(100)[-1] == note
    assert ev.explain(by="land", metric="log_loss").metric_notes == []


@pytest.mark.slow
def test_what_cannot_be_explained_says_why() -> None:
    ev = both("log_loss")
    with pytest.raises(InputError, match=r"no column 'lands'; found .*; did you mean 'land'"):
        ev.explain(by="lands")
    for several in ("land,label", ["land", "label"]):
        with pytest.raises(MetricError, match=r"takes one column; combine several in an expression"):
            ev.explain(by=several)  # type: ignore[call-overload]
    with pytest.raises(MetricError, match="show: needs groups of one row, and those of 'land' have more"):
        ev.explain(by="land", show="id")
    with pytest.raises(MetricError, match="items: belong to rankings, not to rows"):
        ev.explain(by="land", items={"item_id": [1]})
    for undefined, value in (("null", "no value: one class only"), ("one", "the value 1")):
        with pytest.raises(InputError, match=f"auc: new has {value}.*; rows do not add up to it"):
            both("auc", rows={**CLICKS, "label": [1] * 8}, undefined=undefined).explain(by="land")
    fewer = {"a": {"label": [1, 0], "score": [0.5, 0.2]}, "b": {"label": [1, 0, 0], "score": [0.5, 0.2, 0.1]}}
    with pytest.raises(InputError, match="the systems have different rows: 2 and 3"):
        duckmetrics.explain(fewer, metrics="log_loss", by="label AS actual")
    changed = {**fewer, "b": {"label": [1, 1], "score": [0.5, 0.2]}}
    with pytest.raises(InputError, match="the systems have different rows: 1 and 2 positives of 2 rows;"):
        duckmetrics.explain(changed, metrics="log_loss", by="label AS actual")


@pytest.mark.slow
def test_groups_of_users_may_not_be_split() -> None:
    rows = {**CLICKS, "land": ["DE", "FR", *CLICKS["land"][2:]]}
    ev = both("gauc", rows=rows, columns={"group_id": "user_id"})
    with pytest.raises(InputError, match="groups of 'user_id' have rows in several 'land'"):
        ev.explain(by="land")
    whole = both("gauc", columns={"group_id": "user_id"}).explain(by="land")
    assert total(whole, "difference") == pytest.approx(whole.delta)


@pytest.mark.slow
def test_a_comparison_explains_against_its_baseline() -> None:
    result = duckmetrics.compare(CLICKS, None, "log_loss", score=SCORES, baseline="new", weighted=False)
    found = result.explain(by="land")
    assert (found.side.system, found.baseline_side and found.baseline_side.system) == ("old", "new")
