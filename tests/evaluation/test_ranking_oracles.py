"""The oracle that a header names confirms the metric, per query, on data without ties.

The data have no ties because each provider of ir_measures breaks them differently; ties are
compared with pytrec_eval itself in test_properties.
"""

from __future__ import annotations

import random
from typing import Any

import ir_measures
import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import dcg_score, roc_auc_score

import duckmetrics
from support.cases import RANKING
from support.must_run import no_case

DEFAULTS = {"k": "5", "p": "0.8", "recall": "0.3"}
ORACLES = [metric for metric in RANKING if metric.header["oracle"] != "reference"]


def example() -> tuple[list[tuple[str, str, float]], list[tuple[str, str, int]]]:
    chance = random.Random(5)
    predictions, truth = [], []
    for number in range(40):
        items = [f"d{i}" for i in range(30)]
        scores = chance.sample(range(1000), 30)
        returned = chance.sample(items, chance.choice([1, 4, 30]))
        predictions += [
            (f"{number}", item, float(score)) for item, score in zip(returned, scores, strict=False)
        ]
        truth += [(f"{number}", item, chance.choice([0, 0, 1, 2, 4])) for item in chance.sample(items, 15)]
    return predictions, truth


PREDICTIONS, TRUTH = example()


def table(names: tuple[str, ...], rows: list[Any]) -> pa.Table:
    return pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))


def values(spec: str) -> dict[str, float | None]:
    result = duckmetrics.evaluate(
        table(("query_id", "item_id", "score"), PREDICTIONS),
        table(("query_id", "item_id", "relevance"), TRUTH),
        [spec],
        **({"no_relevant": "zero"} if not spec.startswith(("judged", "n_")) else {}),
    )
    return {row["query_id"]: row["value"] for row in result.per_query.to_pylist()}


def by_query() -> dict[str, tuple[list[float], list[int]]]:
    """Return the scores and grades of the returned rows."""
    grades = {(query, item): grade for query, item, grade in TRUTH}
    rows: dict[str, tuple[list[float], list[int]]] = {}
    for query, item, score in PREDICTIONS:
        scores, labels = rows.setdefault(query, ([], []))
        scores.append(score)
        labels.append(grades.get((query, item), 0))
    return rows


@pytest.mark.some(2)
@pytest.mark.parametrize("metric", ORACLES, ids=lambda metric: metric.name)
def test_the_oracle_of_the_header_agrees(metric: Any) -> None:
    library, _, name = metric.header["oracle"].partition(" ")
    given = {n: DEFAULTS[n] for n in metric.own_params if n in DEFAULTS}
    k = given.pop("k", None) if "{k}" in name else given.pop("k", None) and None
    arguments = ", ".join(f"{n}={v}" for n, v in given.items())
    spec = metric.name + (f"({arguments})" if arguments else "") + (f"@{k}" if k else "")
    found = values(spec)
    compare = {"ir_measures": against_ir_measures, "sklearn": against_sklearn}[library]
    assert compare(name.format(k=k, **given), found) >= 15


# ir_measures computes it with a package that the tests do not install, cwl-eval.
NO_PROVIDER = "RBP"


def against_ir_measures(name: str, found: dict[str, float | None]) -> int:
    measure = ir_measures.parse_measure(name)
    if name.startswith(NO_PROVIDER):
        no_case("cwl-eval is not among the packages of the tests")
    if not any(p.is_available() and p.supports(measure) for p in ir_measures.DefaultPipeline.providers):
        pytest.skip(f"no provider of ir_measures for {name} on this machine")
    run = [ir_measures.ScoredDoc(*row) for row in PREDICTIONS]
    qrels = [ir_measures.Qrel(*row) for row in TRUTH]
    # gdeval, the provider of ERR, prints five decimals.
    tolerance = 5e-6 + 1e-12 if name.startswith("ERR") else 1e-12
    compared = 0
    for result in ir_measures.iter_calc([measure], qrels, run):
        assert found[result.query_id] == pytest.approx(result.value, abs=tolerance), result.query_id
        compared += 1
    return compared


def against_sklearn(name: str, found: dict[str, float | None]) -> int:
    compared = 0
    for query, (scores, labels) in by_query().items():
        if name == "dcg_score" and len(scores) > 1:
            expected = dcg_score(np.array([labels]), np.array([scores]), ignore_ties=True)
        elif name == "roc_auc_score" and len({label > 0 for label in labels}) == 2:
            expected = roc_auc_score([label > 0 for label in labels], scores)
        else:
            continue
        assert found[query] == pytest.approx(expected, abs=1e-12), query
        compared += 1
    return compared
