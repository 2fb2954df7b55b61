"""One relevant item among sampled ones: the table of Krichene and Rendle (KDD 2020), correction, warning.

Instead of drawing samples, every rank that the relevant item can get in a sample is evaluated once:
over n items it has rank r, over m sampled ones rank 1 + Binomial(m, (r - 1) / (n - 1)), so that the
expectation of a metric is a sum over the m + 1 values.
"""

from __future__ import annotations

import json
import math
import re
from statistics import fmean
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

import duckmetrics
from duckmetrics import InputError, MetricError
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.checks import counting
from duckmetrics.reference import per_query
from support.cases import CATALOG, RANKING, ROOT, specs_of, values_per_query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckmetrics import Evaluation
    from duckmetrics.results.findings import Finding

DOCUMENT = json.loads((ROOT / "tests/data/recorded/statistics.json").read_text("utf-8"))
TOY = DOCUMENT["krichene_rendle_toy"]
N, M, RANKS = TOY["inputs"]["n_items"], TOY["inputs"]["m"], TOY["inputs"]["ranks"]
SPECS = {
    "AUC": "query_auc", "AP": "map", "NDCG": "ndcg", "Recall@10": "recall@10", "NDCG@10": "ndcg@10",
    "MRR@10": "mrr@10",
}  # fmt: skip
PAPER = ("AUC", "AP", "NDCG", "Recall@10")
CORRECTED = [metric for metric in RANKING if "catalog_size" in CATALOG.params(metric)]
Curve = dict[int, float]


# --- expectations ----------------------------------------------------------------------------------


def ranked_at(ranks: Sequence[tuple[str, int, int]], n: int) -> Evaluation:
    """Evaluate every metric of the table over n items per (system, query, rank of item 0)."""
    rows = ", ".join(f"('{system}', {query}, {rank})" for system, query, rank in ranks)
    predictions = (
        f"SELECT system, query_id, (place - rank + {n}) % {n} AS item_id, -place AS score "
        f"FROM (VALUES {rows}) AS r(system, query_id, rank), range(1, {n} + 1) AS places(place)"
    )
    truth = f"SELECT DISTINCT query_id, 0 AS item_id FROM (VALUES {rows}) AS r(system, query_id, rank)"
    return duckmetrics.evaluate(predictions, truth, list(SPECS.values()), system="system")


def samples(m: int) -> tuple[str, str]:
    """Return predictions and truth: in query r, item 0 has rank r among m items of that query only."""
    ranks = f"range(1, {m} + 2)"
    predictions = (
        "SELECT r AS query_id, CASE WHEN place = r THEN 0 ELSE r * 10000 + place END AS item_id, "
        "-place AS score "
        f"FROM {ranks} AS queries(r), {ranks} AS places(place)"
    )
    return predictions, f"SELECT r AS query_id, 0 AS item_id FROM {ranks} AS queries(r)"


def curves(m: int, specs: Sequence[str], **switches: Any) -> dict[str, Curve]:
    """Return spec -> rank in the sample -> value."""
    found: dict[str, Curve] = {spec: {} for spec in specs}
    for row in duckmetrics.evaluate(*samples(m), list(specs), **switches).per_query.to_pylist():
        found[row["metric"]][row["query_id"]] = row["value"]
    return found


def moments(curve: Curve, rank: int, n: int) -> tuple[float, float]:
    """Return mean and variance over the samples of an item that has this rank among n."""
    m, p = len(curve) - 1, (rank - 1) / (n - 1)
    chances = [math.comb(m, x) * p**x * (1 - p) ** (m - x) for x in range(m + 1)]
    mean = math.fsum(chance * curve[x + 1] for x, chance in enumerate(chances))
    return mean, math.fsum(chance * (curve[x + 1] - mean) ** 2 for x, chance in enumerate(chances))


def of_one_run(curve: Curve, ranks: Sequence[int], n: int) -> tuple[float, float]:
    """Return mean and standard deviation of the mean over the instances of a system."""
    means, variances = zip(*(moments(curve, rank, n) for rank in ranks), strict=True)
    return fmean(means), math.sqrt(math.fsum(variances)) / len(ranks)


@pytest.fixture(scope="module")
def naive() -> dict[str, Curve]:
    return curves(M, list(SPECS.values()))


@pytest.fixture(scope="module")
def corrected() -> dict[str, Curve]:
    return curves(M, [spec for spec in SPECS.values() if spec != "query_auc"], catalog_size=N)


# --- the table of the paper ------------------------------------------------------------------------


def test_the_exact_values_of_the_paper() -> None:
    instances = [(s, i, rank) for s, ranks in RANKS.items() for i, rank in enumerate(ranks)]
    result = ranked_at(instances, N)
    assert not result.checks
    for system, values in TOY["expected"]["exact"].items():
        for name, value in values.items():
            assert result.value(SPECS[name], system=system) == pytest.approx(value, rel=1e-9), (system, name)
    for system, printed in TOY["expected"]["paper_exact_AUC_AP_NDCG_Recall10"].items():
        for name, value in zip(PAPER, printed, strict=True):
            assert result.value(SPECS[name], system=system) == pytest.approx(value, abs=5e-4), (system, name)


@pytest.mark.some(2)
@pytest.mark.parametrize("system", RANKS)
def test_the_values_over_samples_of_the_paper(naive: dict[str, Curve], system: str) -> None:
    for name, spec in SPECS.items():
        mean, deviation = of_one_run(naive[spec], RANKS[system], N)
        assert mean == pytest.approx(TOY["expected"]["expected_sampled"][system][name], rel=1e-9), name
        # The document has some deviations as a difference of squares, and so fewer digits.
        expected = TOY["expected"]["sd_of_one_sampled_run"][system][name]
        assert deviation == pytest.approx(expected, rel=1e-5, abs=1e-6), name
    for name, (mean, _) in zip(PAPER, TOY["expected"]["paper_sampled_mean_sd_1000reps"][system], strict=True):
        assert of_one_run(naive[SPECS[name]], RANKS[system], N)[0] == pytest.approx(mean, abs=0.01), name


def test_samples_turn_the_order_of_the_systems_round(naive: dict[str, Curve]) -> None:
    exact = {system: values["AP"] for system, values in TOY["expected"]["exact"].items()}
    sampled = {system: of_one_run(naive["map"], ranks, N)[0] for system, ranks in RANKS.items()}
    assert sorted(exact, key=exact.__getitem__) == sorted(sampled, key=sampled.__getitem__)[::-1]


@pytest.mark.parametrize("name", [name for name in SPECS if name != "AUC"])
@pytest.mark.parametrize("system", RANKS)
def test_the_estimated_ranks_have_the_expected_values(
    corrected: dict[str, Curve], system: str, name: str
) -> None:
    found = of_one_run(corrected[SPECS[name]], RANKS[system], N)
    assert found == pytest.approx(TOY["expected"]["corrected"][name]["rank_estimate"][system], rel=1e-9)


@pytest.mark.slow
def test_hit_rates_over_few_samples() -> None:
    example = DOCUMENT["sampled_rank_em"]
    n, m = example["inputs"]["N"], example["inputs"]["m"]
    ranks = [int(rank) for rank, count in example["inputs"]["ranks"].items() for _ in range(count)]
    assert fmean(rank <= 10 for rank in ranks) == example["expected"]["true"]
    for switches, name in (({}, "naive_sampled"), ({"catalog_size": n}, "rank_estimate")):
        curve = curves(m, ["hit_rate@10"], **switches)["hit_rate@10"]
        assert of_one_run(curve, ranks, n)[0] == pytest.approx(example["expected"][name], rel=1e-9)


@pytest.mark.slow
def test_the_metrics_that_say_so_are_consistent_under_sampling() -> None:
    """Their expectation over samples is the value over all items; the others' differs, or is constant."""
    n, ranks = 200, (1, 4, 60, 150)
    specs = [specs_of(metric, (5,), one_at_a_time=True)[0] for metric in RANKING]
    rows = ", ".join(f"({rank})" for rank in ranks)
    exact: dict[str, Curve] = {spec: {} for spec in specs}
    whole = duckmetrics.evaluate(
        f"SELECT r AS query_id, (place - r + {n}) % {n} AS item_id, -place AS score "
        f"FROM (VALUES {rows}) AS t(r), range(1, {n} + 1) AS places(place)",
        f"SELECT r AS query_id, 0 AS item_id FROM (VALUES {rows}) AS t(r)",
        specs,
    )
    for row in whole.per_query.to_pylist():
        exact[row["metric"]][row["query_id"]] = row["value"]
    sampled = curves(19, specs)
    for metric, spec in zip(RANKING, specs, strict=True):
        same = None not in sampled[spec].values() and all(
            moments(sampled[spec], r, n)[0] == pytest.approx(exact[spec][r], abs=1e-9) for r in ranks
        )
        moves = len(set(exact[spec].values())) > 1
        assert (metric.header.get("sampled") == "consistent") == (same and moves), spec


# --- the correction --------------------------------------------------------------------------------


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("m", "n", "ranks"), [(3, 10, [1, 4, 7, 10]), (4, 11, [1, 3, 6, 8, 11]), (3, 4, [1, 2, 3, 4])]
)
def test_the_rank_in_a_sample_becomes_a_rank_among_all_items(m: int, n: int, ranks: list[int]) -> None:
    """The expected value is floor(1 + (n - 1)(r - 1) / m), by hand."""
    found = curves(m, ["first_rank"], catalog_size=n)["first_rank"]
    assert [found[rank] for rank in range(1, m + 2)] == ranks


@pytest.mark.slow
def test_a_sample_of_all_items_is_no_sample() -> None:
    specs = [spec for metric in CORRECTED for spec in specs_of(metric, (None, 2), one_at_a_time=True)]
    assert curves(4, specs, catalog_size=5) == curves(4, specs)


@pytest.mark.slow
def test_the_list_is_as_long_as_there_are_items() -> None:
    specs = ["precision", "precision(norm=returned)@8", "f1"]
    values = {spec: curve[2] for spec, curve in curves(4, specs, catalog_size=100).items()}
    assert values == pytest.approx({specs[0]: 1 / 100, specs[1]: 0, specs[2]: 2 / 101})
    assert curves(4, specs, catalog_size=20)[specs[1]][2] == 1 / 8  # rank 1 + floor(19 / 4) = 5


@pytest.mark.slow
def test_a_smaller_depth_changes_no_estimated_rank() -> None:
    connection = duckdb.connect()
    predictions, truth = samples(9)
    connection.execute(
        f"CREATE TABLE predictions AS SELECT '' AS system, *, 0 AS position FROM ({predictions});"
        f"CREATE TABLE truth AS SELECT *, 1.0::DOUBLE AS relevance FROM ({truth})"
    )
    for size in (10, 12, 25, 1000):
        for spec in ("recall@3", "ndcg@3", "mrr@3", "map@3", "err@3", "rbp@3", "first_rank@3"):
            alone = values_per_query(connection, [spec], catalog_size=size)[spec]
            together = values_per_query(connection, [spec, "r_precision"], catalog_size=size)[spec]
            assert alone == together, (spec, size)


def test_the_signature_and_the_text_of_a_measure_tell_the_correction() -> None:
    result = duckmetrics.evaluate(*samples(19), ["ndcg@10", "query_auc"], catalog_size=500)
    ndcg, auc = (row["signature"] for row in result.rows)
    assert "|catalog_size:500|" in ndcg
    assert "catalog_size" not in auc
    assert "|catalog_size:null|" in duckmetrics.evaluate(*samples(3), "ndcg").rows[0]["signature"]
    assert str(parse_measure(CATALOG, "ndcg@10", {"catalog_size": 500})) == "ndcg(catalog_size=500)@10"


def test_the_metrics_that_look_at_other_items_are_not_corrected() -> None:
    assert {m.name for m in RANKING} - {m.name for m in CORRECTED} == {
        "bpref", "infap", "judged", "n_relevant", "n_returned", "query_auc", "user_coverage",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "switches", "message"),
    [
        ("query_auc", {"catalog_size": 50}, "no metric asked for takes it"),
        ("ndcg", {"catalog_size": 1}, "catalog_size is 1, but must satisfy catalog_size > 1"),
        ("ndcg(ties=expected)", {"catalog_size": 50}, "catalog_size IS NULL OR ties <> 'expected'"),
        ("ndcg(catalog_size=many)", {}, "catalog_size must be a whole number, got 'many'"),
    ],
)
def test_a_correction_that_makes_no_sense_is_refused(
    spec: str, switches: dict[str, Any], message: str
) -> None:
    with pytest.raises(MetricError, match=re.escape(message)):
        duckmetrics.evaluate(*samples(19), spec, **switches)


UNFIT = {
    "two relevant items": ("SELECT 1, 0 UNION ALL SELECT 1, 10002", 50, "relevant=2, found=2, candidates=20"),
    "one of two relevant items": (
        "SELECT 1, 0 UNION ALL SELECT 1, -1",
        50,
        "relevant=2, found=1, candidates=20",
    ),
    "not among the candidates": ("SELECT 1, -1", 50, "relevant=1, found=0, candidates=20"),
    "more candidates than items": ("SELECT 1, 0", 19, "relevant=1, found=1, candidates=20"),
}


@pytest.mark.some(1)
@pytest.mark.parametrize(("truth", "size", "counts"), UNFIT.values(), ids=UNFIT)
def test_the_rank_of_what_is_no_sample_cannot_be_corrected(truth: str, size: int, counts: str) -> None:
    predictions, _ = samples(19)
    judged = f"SELECT * FROM ({truth}) AS t(query_id, item_id)"
    message = (
        "column 'query_id': 1 query without exactly one relevant item among 2 to catalog_size candidates "
        f"(query_id=1, {counts}); make each relevant item"
    )
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        duckmetrics.evaluate(predictions, judged, ["ndcg@10", "recall@10"], catalog_size=size)
    assert str(caught.value).count("\n") == 0
    duckmetrics.evaluate(predictions, judged, ["ndcg@10", "recall@10"])


def test_one_candidate_is_no_sample() -> None:
    with pytest.raises(InputError, match="relevant=1, found=1, candidates=1"):
        duckmetrics.evaluate(*samples(0), "mrr", catalog_size=50)
    with pytest.raises(InputError, match="relevant=1, found=1, candidates=1"):
        duckmetrics.evaluate(*samples(19), "mrr", catalog_size=50, unjudged="skip")


def test_a_query_without_predictions_is_missing_as_ever() -> None:
    predictions, truth = samples(4)
    result = duckmetrics.evaluate(predictions, f"{truth} UNION ALL SELECT 99, 0", "mrr", catalog_size=9)
    assert result.rows[0]["n_missing"] == 1
    assert result["mrr"] == pytest.approx((1 + 1 / 3 + 1 / 5 + 1 / 7 + 1 / 9) / 6)


def test_the_reference_refuses_the_same() -> None:
    predictions = [("", "q", item, -item) for item in range(5)]
    truth = [("q", 3, 1.0)]
    assert per_query("first_rank", predictions, truth, catalog_size=9) == {("", "q"): 7}
    for name, switches in (("query_auc", {}), ("ndcg", {"ties": "expected"})):
        with pytest.raises(ValueError, match="needs more than the rank"):
            per_query(name, predictions, truth, catalog_size=9, **switches)
    with pytest.raises(ValueError, match="5 rows are not a sample of 4 items"):
        per_query("ndcg", predictions, truth, catalog_size=4)


# --- the warning -----------------------------------------------------------------------------------


def warnings(predictions: str, truth: str, specs: Any = "ndcg@10", **options: Any) -> list[Finding]:
    found = duckmetrics.evaluate(predictions, truth, specs, **options).checks
    return [finding for finding in found if finding.check == "sampled_candidates"]


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "specs", ["ndcg@10", ["query_auc", "recall@5", "ndcg@10", "infap", "err@5"]], ids=str
)
def test_a_metric_over_samples_is_warned_of_once(specs: Any) -> None:
    (warning,) = warnings(*samples(19), specs)
    assert (warning.severity, warning.column, warning.count) == ("warning", "query_id", 20)
    assert warning.examples[0] == "query_id=1, candidates=20"
    for part in ("only query_auc is consistent", "doi:10.1145/3394486.3403226", "set catalog_size"):
        assert part in warning.message


@pytest.mark.slow
def test_what_is_consistent_or_corrected_is_not_warned_of() -> None:
    assert not warnings(*samples(19), "query_auc")
    assert not warnings(*samples(19), ["query_auc", "ndcg@10"], catalog_size=1000)
    assert warnings(*samples(19), ["ndcg(catalog_size=1000)@10", "mrr"])


def test_systems_that_rank_the_same_samples_are_warned_of() -> None:
    predictions, truth = samples(19)
    both = (
        f"SELECT 'A' AS model, * FROM ({predictions}) UNION ALL "
        f"SELECT 'B', * FROM ({predictions}) WHERE query_id <> 3"
    )
    (warning,) = warnings(both, truth, system="model")
    assert warning.count == 39


JUDGED = "SELECT r AS query_id, 0 AS item_id FROM range(1, 31) AS queries(r)"
OTHER = JUDGED.replace("0 AS", "CASE WHEN r = 30 THEN -1 ELSE 0 END AS")
SECOND = JUDGED.replace("0 AS", "r * 10000 + CASE WHEN r = 1 THEN 2 ELSE 1 END AS")
PLAIN = {
    "a top-30 list misses an item": ("true", 29, OTHER),
    "the numbers of candidates differ": ("query_id > 1 OR score > -30", 29, JUDGED),
    "short lists": ("true", 18, JUDGED),
    "long lists": ("query_id < 4", 1001, JUDGED.replace("31", "4")),
    "two relevant items": ("true", 29, f"{JUDGED} UNION ALL {SECOND}"),
}


@pytest.mark.some(1)
@pytest.mark.parametrize(("kept", "m", "truth"), PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("rows", [10_000, 3], ids=["seen in the first rows", "seen in all rows"])
def test_other_rankings_are_not_warned_of(
    monkeypatch: pytest.MonkeyPatch, kept: str, m: int, truth: str, rows: int
) -> None:
    monkeypatch.setattr(counting, "SAMPLE", rows)
    predictions, judged = samples(m)
    predictions = f"SELECT * FROM ({predictions}) WHERE query_id <= 30 AND ({kept})"
    assert not warnings(predictions, truth)
    if m == 29:
        assert warnings(samples(m)[0], judged)


@pytest.mark.slow
def test_a_ranking_of_all_items_is_not_warned_of() -> None:
    predictions = (
        "SELECT q AS query_id, i AS item_id, (q * 7 + i * 3) % 31 AS score "
        "FROM range(30) AS queries(q), range(30) AS items(i)"
    )
    truth = "SELECT q AS query_id, q AS item_id FROM range(30) AS queries(q)"
    assert not warnings(predictions, truth)
    assert not warnings(f"SELECT * FROM ({predictions}) WHERE item_id <> (query_id + 1) % 30", truth)
    drawn = predictions.replace("i AS item_id", "CASE WHEN i = q THEN q ELSE q * 100 + i END AS item_id")
    assert warnings(drawn, truth)


def test_logs_with_labels_are_warned_of_too() -> None:
    predictions, _ = samples(19)
    logs = f"SELECT *, item_id = 0 AS label FROM ({predictions})"
    found = duckmetrics.evaluate(logs, metrics="mrr").checks
    assert [finding.check for finding in found] == ["sampled_candidates"]
