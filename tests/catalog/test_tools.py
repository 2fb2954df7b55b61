"""Files and frames that the tools write are read without a mapping, with the same result as with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import duckmetrics
from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics.results.evaluation import Evaluation

RUN = {"q1": {"a": 0.5, "b": 2.0, "c": 1.5}, "q2": {"c": 1.0, "a": 1.0}, "q4": {"a": 1.0}}
QRELS = {"q1": {"a": 1, "c": 1}, "q2": {"c": 2}, "q3": {"x": 1}}
SPECS = ["ndcg@10", "mrr", "map"]


def values(result: Evaluation) -> list[Any]:
    return [(row["metric"], row["value"], row["n"]) for row in result.rows]


def expected() -> list[Any]:
    run = [(q, i, s) for q, items in RUN.items() for i, s in items.items()]
    qrels = [(q, i, g) for q, items in QRELS.items() for i, g in items.items()]
    predictions = dict(zip(("query_id", "item_id", "score"), zip(*run, strict=True), strict=True))
    truth = dict(zip(("query_id", "item_id", "relevance"), zip(*qrels, strict=True), strict=True))
    return values(duckmetrics.evaluate(predictions, truth, SPECS))


@pytest.mark.bench
@pytest.mark.parametrize("suffix", ["json", "trec", "parquet"])
def test_files_of_ranx(tmp_path: Path, suffix: str) -> None:
    ranx = pytest.importorskip("ranx")
    run, qrels = str(tmp_path / f"run.{suffix}"), str(tmp_path / f"qrels.{suffix}")
    ranx.Run(RUN).save(run)
    ranx.Qrels(QRELS).save(qrels)
    assert values(duckmetrics.evaluate(run, qrels, SPECS)) == expected()


@pytest.mark.bench
def test_frames_of_ranx() -> None:
    ranx = pytest.importorskip("ranx")
    run, qrels = ranx.Run(RUN).to_dataframe(), ranx.Qrels(QRELS).to_dataframe()
    assert values(duckmetrics.evaluate(run, qrels, SPECS)) == expected()


def test_lists_of_ir_measures(tmp_path: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text("".join(f"{q} Q0 {i} 1 {s} x\n" for q, items in RUN.items() for i, s in items.items()))
    qrels.write_text("".join(f"{q} 0 {i} {g}\n" for q, items in QRELS.items() for i, g in items.items()))
    predictions = list(ir_measures.read_trec_run(str(run)))
    truth = list(ir_measures.read_trec_qrels(str(qrels)))
    assert values(duckmetrics.evaluate(predictions, truth, SPECS)) == expected()


@pytest.mark.bench
def test_frames_of_rectools() -> None:
    """They have a score and a rank, as those of LensKit, so the user must name the tool."""
    pytest.importorskip("rectools")
    import pandas as pd
    from rectools.dataset import Dataset
    from rectools.models import PopularModel

    users, items = [1, 1, 2, 3, 3], [10, 11, 10, 12, 10]
    seen = pd.DataFrame({"user_id": users, "item_id": items, "weight": 1.0, "datetime": "2024-01-01"})
    dataset = Dataset.construct(seen)
    reco = PopularModel().fit(dataset).recommend([1, 2, 3], dataset, k=3, filter_viewed=False)
    with pytest.raises(InputError, match=r"LensKit.*RecTools"):
        duckmetrics.evaluate(reco, seen, SPECS)
    found = duckmetrics.evaluate(reco, seen, SPECS, layout="rectools")
    columns = {"query_id": "user_id", "predictions.rank": "rank"}
    assert values(found) == values(duckmetrics.evaluate(reco, seen, SPECS, columns=columns))


@pytest.mark.slow
def test_lines_of_scikit_learn_beside_scores(tmp_path: Path) -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    chance = np.random.default_rng(0)
    features, scores = chance.normal(size=(60, 3)), chance.normal(size=60)
    labels, queries = (features[:, 0] > 0).astype(int), np.repeat([1, 2, 3], 20)
    lines = str(tmp_path / "test.svm")
    datasets.dump_svmlight_file(features, labels, lines, query_id=queries)
    np.savetxt(tmp_path / "scores.txt", scores)
    found = duckmetrics.evaluate(str(tmp_path / "scores.txt"), lines, SPECS)
    columns = {"query_id": queries, "item_id": np.arange(1, 61), "score": scores, "label": labels}
    assert values(found) == values(duckmetrics.evaluate(columns, metrics=SPECS))
