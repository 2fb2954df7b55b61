"""Metrics of several classes: every way to give the scores, two oracles, intervals, mistakes."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from scipy import special, stats

import duckmetrics
from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.definition import MULTICLASS
from duckmetrics.errors import DuckmetricsError, InputError, MetricError
from duckmetrics.reference import multiclass
from duckmetrics.reference.multiclass import Classified

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

pytestmark = pytest.mark.engine

NAMES = ("ant", "bee", "cat", "dog")
AVERAGED = ("precision", "recall", "f1", "auc", "average_precision")
PLAIN = ("accuracy", "accuracy(k=2)", "balanced_accuracy", "cohen_kappa", "mcc", "log_loss", "brier", "ece")
EVERY = (*PLAIN, "ece(kind=class)", "ece(bins=3)", "ece(bins=3, binning=mass)",
         "ece(binning=mass, kind=class)", "ece(edges=[0, 0.1, 0.3, 0.5, 1])",
         "ece(edges=[0, 0.1, 0.3, 0.5, 1], kind=class)", *AVERAGED,
         *(f"{name}(average={way})" for name in AVERAGED for way in ("weighted", "micro")))  # fmt: skip


def rows(seed: int, n: int = 60, classes: int = 4, digits: int = 1) -> list[Classified]:
    """Return rows with ties, rare classes, and weights of which some are 0."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(classes))
    found = []
    for _ in range(n):
        right = rng.choice(classes, p=shares)
        p = rng.dirichlet(np.ones(classes) + 2 * (np.arange(classes) == right))
        p = np.round(p, digits)
        scores = dict(zip(NAMES, map(float, p), strict=False))
        found.append(Classified(NAMES[right], scores, float(rng.integers(0, 4))))
    return found


def table(given: Sequence[Classified], **more: Sequence[Any]) -> pa.Table:
    columns: dict[str, Any] = {
        "label": [row.actual for row in given],
        "weight": [row.weight for row in given],
    }
    columns |= {f"p_{name}": [row.scores[name] for row in given] for name in given[0].scores}
    return pa.table({**columns, **more})


def values(given: Any, metrics: Sequence[str], **options: Any) -> dict[str, float | None]:
    found = duckmetrics.evaluate(given, metrics=list(metrics), **{"classes": "p_*", **options})
    return {row["metric"]: row["value"] for row in found.rows}


def reference(spec: str, given: Sequence[Classified]) -> float | None:
    """Compute a metric of several classes in plain Python."""
    name, _, rest = spec.partition("(")
    params: dict[str, Any] = dict(re.findall(r"(\w+)=(\[.*?\]|[^,)]+)", rest))
    params = {k: json.loads(v) if re.match(r"[\d[]", v) else v for k, v in params.items()}
    if name == "f1":
        name, params = "f_beta", {**params, "beta": 1.0}
    function: Callable[..., float | None] = getattr(multiclass, name)
    return function([row for row in given if row.weight > 0], **params)


def close(found: float | None, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_equals_the_reference(seed: int) -> None:
    given = rows(seed, n=(60, 5, 2, 1, 40, 200)[seed], classes=(4, 3, 2, 3, 4, 4)[seed])
    found = values(table(given), EVERY, weighted=True)
    for spec in EVERY:
        assert close(found[spec], reference(spec, given)), (spec, found[spec], reference(spec, given))


def test_equals_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    given = rows(11, n=400)
    names = list(given[0].scores)
    y = np.array([names.index(row.actual) for row in given])
    p = np.array([[row.scores[name] for name in names] for row in given])
    p /= p.sum(axis=1, keepdims=True)
    given = [Classified(r.actual, dict(zip(names, map(float, q), strict=True)), r.weight)
             for r, q in zip(given, p, strict=True)]  # fmt: skip
    w, predicted, one = np.array([row.weight for row in given]), p.argmax(axis=1), np.eye(len(names))[y]
    expected = {
        "accuracy": metrics.accuracy_score(y, predicted, sample_weight=w),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted, sample_weight=w),
        "cohen_kappa": metrics.cohen_kappa_score(y, predicted, sample_weight=w),
        "mcc": metrics.matthews_corrcoef(y, predicted, sample_weight=w),
        "log_loss": metrics.log_loss(y, np.clip(p, 1e-15, 1 - 1e-15), sample_weight=w),
    }
    for average in ("macro", "weighted", "micro"):
        of = "" if average == "macro" else f"(average={average})"
        given_ = {"average": average, "sample_weight": w}
        expected[f"precision{of}"] = metrics.precision_score(y, predicted, **given_)
        expected[f"recall{of}"] = metrics.recall_score(y, predicted, **given_)
        expected[f"f1{of}"] = metrics.f1_score(y, predicted, **given_)
        expected[f"auc{of}"] = metrics.roc_auc_score(one, p, **given_)
        expected[f"average_precision{of}"] = metrics.average_precision_score(one, p, **given_)
    found = values(table(given), list(expected), weighted=True)
    for spec, value in expected.items():
        assert close(found[spec], float(value)), spec
    matrix = duckmetrics.curve(table(given), "confusion_matrix", classes="p_*", weighted=True).to_pylist()
    counts = metrics.confusion_matrix(y, predicted, sample_weight=w)
    assert matrix == multiclass.confusion_matrix([row for row in given if row.weight > 0])
    assert {(one["actual"], one["predicted"]): one["n"] for one in matrix} == {
        (names[i], names[j]): counts[i, j] for i, j in zip(*np.nonzero(counts), strict=True)
    }


# Names of scikit-learn -> what it computes: function, arguments, and whether of the predicted classes.
NAMED: dict[str, tuple[str, dict[str, Any], str]] = {
    "accuracy_score": ("accuracy_score", {}, "predicted"),
    "top_k_accuracy_score(k=2)": ("top_k_accuracy_score", {"k": 2}, "scores"),
    "balanced_accuracy_score": ("balanced_accuracy_score", {}, "predicted"),
    "cohen_kappa_score": ("cohen_kappa_score", {}, "predicted"),
    "matthews_corrcoef": ("matthews_corrcoef", {}, "predicted"),
    "f1_score": ("f1_score", {"average": "macro"}, "predicted"),
    "f1_score(average='weighted')": ("f1_score", {"average": "weighted"}, "predicted"),
    "f1_micro": ("f1_score", {"average": "micro"}, "predicted"),
    "precision_macro": ("precision_score", {"average": "macro"}, "predicted"),
    "precision_score(average=weighted)": ("precision_score", {"average": "weighted"}, "predicted"),
    "recall_score(average='macro')": ("recall_score", {"average": "macro"}, "predicted"),
    "fbeta_score(beta=0.5, average='weighted')":
        ("fbeta_score", {"beta": 0.5, "average": "weighted"}, "predicted"),
    "log_loss": ("log_loss", {}, "scores"),
    "brier_score_loss": ("brier_score_loss", {}, "scores"),
    "average_precision_score": ("average_precision_score", {"average": "macro"}, "one-hot"),
    "roc_auc_ovr": ("roc_auc_score", {"multi_class": "ovr"}, "scores"),
    "roc_auc_score(multi_class='ovr', average='micro')":
        ("roc_auc_score", {"multi_class": "ovr", "average": "micro"}, "scores"),
    "roc_auc_ovr_weighted": ("roc_auc_score", {"multi_class": "ovr", "average": "weighted"}, "scores"),
}  # fmt: skip


def test_the_names_of_scikit_learn_give_its_numbers() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(5)
    y, n = rng.integers(0, 4, 300), 300
    p = rng.dirichlet(np.ones(4), n) ** 2 + 0.2 * np.eye(4)[y]
    p /= p.sum(axis=1, keepdims=True)
    p[0] = np.roll([0, 0.5, 0.3, 0.2], y[0])  # a right class of probability 0
    w = rng.integers(1, 4, n).astype(float)
    given = pa.table({"label": [NAMES[i] for i in y], "weight": w,
                      **{f"p_{name}": p[:, i] for i, name in enumerate(NAMES)}})  # fmt: skip
    found = values(given, list(NAMED), weighted=True, like="sklearn")
    read = {"predicted": (y, p.argmax(axis=1)), "scores": (y, p), "one-hot": (np.eye(4)[y], p)}
    for name, (function, arguments, of) in NAMED.items():
        value = getattr(metrics, function)(*read[of], sample_weight=w, **arguments)
        assert close(found[name], float(value)), name
    without = values(given, [name for name in NAMED if name != "log_loss"], weighted=True)
    assert without == {name: pytest.approx(found[name], abs=1e-12) for name in without}
    assert values(given, ["log_loss"], weighted=True)["log_loss"] != found["log_loss"]
    one = pa.table({"label": ["ant"] * 2, "p_ant": [0.9, 0.8], "p_bee": [0.1, 0.2]})
    assert values(one, ["matthews_corrcoef"], like="sklearn") == {"matthews_corrcoef": 0}


def test_the_conventions_of_tools_are_listed_side_by_side() -> None:
    found = duckmetrics.conventions(table(rows(2)), metrics=["f1", "accuracy", "mcc"], classes="p_*").rows
    known = {(row.metric, row.like): row.name for row in found if row.value is not None}
    assert known["accuracy", "sklearn"] == "accuracy_score"
    assert known["f1", "sklearn"] == "fbeta_score(beta=1)"
    assert known["mcc", "sklearn"] == "matthews_corrcoef"
    assert {like for _, like in known} == {"duckmetrics", "sklearn"}


FORMS = {
    "columns": (
        "SELECT label, p_ant AS ant, p_bee AS bee, p_cat AS cat, p_dog AS dog FROM wide",
        ["ant", "bee", "cat", "dog"],
    ),
    "mapping": ("FROM wide", {"ant": "p_ant", "bee": "p_bee", "cat": "p_cat", "dog": "p_dog"}),
    "list": ("SELECT number AS label, [p_ant, p_bee, p_cat, p_dog] AS p FROM wide", "p"),
    "array": ("SELECT number::DOUBLE AS label, [p_ant, p_bee, p_cat, p_dog]::FLOAT[4] AS p FROM wide", "p"),
    "map": ("SELECT label, MAP {'ant': p_ant, 'bee': p_bee, 'cat': p_cat, 'dog': p_dog} AS p FROM wide", "p"),
    "struct": ("SELECT label, {'ant': p_ant, 'bee': p_bee, 'cat': p_cat, 'dog': p_dog} AS p FROM wide", "p"),
    "rows": (
        "SELECT id AS query_id, label, replace(c, 'p_', '') AS c, p AS score FROM "
        "(UNPIVOT wide ON p_dog, p_bee, p_ant, p_cat INTO NAME c VALUE p)",
        "c",
    ),
    "rows with a right one": (
        "SELECT id AS query_id, 'p_' || label = c AS label, replace(c, 'p_', '') AS c, p AS score FROM "
        "(UNPIVOT wide ON p_dog, p_bee, p_ant, p_cat INTO NAME c VALUE p)",
        "c",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_values(form: str) -> None:
    given = rows(3)
    numbers = {"id": range(len(given)), "number": [NAMES.index(row.actual) for row in given]}
    connection = duckdb.connect()
    connection.register("arrow", table(given, **numbers).drop_columns(["weight"]))
    connection.execute("CREATE TABLE wide AS FROM arrow")
    query, classes = FORMS[form]
    text = query if query.startswith("SELECT") else f"SELECT * {query}"
    specs = ("accuracy", "f1", "auc", "brier", "log_loss")
    found = values(text, specs, classes=classes, connection=connection)
    whole = [Classified(row.actual, row.scores) for row in given]
    for spec in specs:
        expected, one = reference(spec, whole), found[spec]
        assert one is not None
        assert expected is not None
        assert math.isclose(one, expected, rel_tol=1e-6 if form == "array" else 1e-12), spec


@pytest.mark.parametrize("kind", ["list", "array", "struct"])
def test_files_of_polars(kind: str, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    given = rows(3)
    names = list(given[0].scores)
    lists = [[row.scores[name] for name in names] for row in given]
    frames = {
        "list": {"label": [names.index(row.actual) for row in given], "p": lists},
        "array": {
            "label": [float(names.index(row.actual)) for row in given],
            "p": polars.Series(lists, dtype=polars.Array(polars.Float64, len(names))),
        },
        "struct": {
            "label": polars.Series([row.actual for row in given], dtype=polars.Categorical),
            "p": [dict(row.scores) for row in given],
        },
    }
    polars.DataFrame(frames[kind]).write_parquet(tmp_path / "p.parquet")
    found = values(str(tmp_path / "p.parquet"), ("accuracy", "f1", "auc"), classes="p")
    whole = [Classified(row.actual, row.scores) for row in given]
    assert all(close(found[spec], reference(spec, whole)) for spec in found)


def test_a_table_is_read_once() -> None:
    """The label and the scores of the table are part of the cells, so that no question reads them again."""
    data = duckmetrics.data(pa.table(GOOD), classes="p_*")
    first, second = (set(data.evaluate(name).sql.split()) for name in ("accuracy", "f1"))
    assert any(word.startswith("duckmetrics_classes") for word in first)
    assert not {word for word in second - first if word.startswith("duckmetrics_classes")}


def test_examples_of_the_headers() -> None:
    scores = [
        (0.7, 0.2, 0.1),
        (0.5, 0.4, 0.1),
        (0.6, 0.3, 0.1),
        (0.1, 0.8, 0.1),
        (0.2, 0.2, 0.6),
        (0.1, 0.6, 0.3),
    ]
    labels = ["cat", "cat", "dog", "dog", "fox", "fox"]
    given = pa.table(
        {"label": labels, **dict(zip(("cat", "dog", "fox"), zip(*scores, strict=True), strict=True))}
    )
    for metric in catalog().metrics.values():
        if metric.family == MULTICLASS:
            call, _, value = metric.header["example"].partition(" = ")
            spec = call.replace(" := ", "=").removesuffix("()")
            found = values(given, [spec], classes=["cat", "dog", "fox"])[spec]
            assert close(found and round(found, 6), float(value)), metric.name
            worked = metric.header["worked"].partition(" = ")[0]
            names = {"sqrt": math.sqrt, "ln": math.log, "abs": abs}
            by_hand = eval(worked.replace("^", "**").replace("\n", " "), names)
            assert abs(by_hand - float(value)) < 1e-6, metric.name


def test_each_class_is_a_slice() -> None:
    given = rows(5)
    result = duckmetrics.evaluate(
        table(given), metrics=["recall", "f1", "classification.auc"], classes="p_*", by="class", weighted=True
    )
    weighed = [row for row in given if row.weight > 0]
    for name in NAMES:
        own = {row["metric"]: row for row in result.rows if row["slice"] and row["class"] == name}
        right = [row for row in weighed if row.actual == name]
        assert own["recall"]["n"] == len(weighed)
        if right:
            share = sum(row.weight for row in right if row.order[0] == name) / sum(
                row.weight for row in right
            )
            assert own["recall"]["value"] == pytest.approx(share, abs=1e-12)
    everything = {row["metric"]: row["value"] for row in result.rows if not row["slice"]}
    assert close(everything["recall"], reference("recall", given))
    # Without its family, a metric of two classes looks at one class after the other.
    assert close(everything["classification.auc"], reference("auc(average=micro)", given))


LINEAR = ("accuracy", "log_loss")
RECOMPUTED = ("brier", "f1", "precision(average=weighted)", "recall(average=micro)", "balanced_accuracy",
              "cohen_kappa", "mcc", "auc")  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize("cluster", [None, "user"])
@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_are_those_of_the_jackknife(cluster: str | None, weighted: bool) -> None:
    given = [
        Classified(row.actual, row.scores, row.weight + 1 if weighted else 1.0) for row in rows(7, n=120)
    ]
    users = np.arange(len(given)) // 3 if cluster else np.arange(len(given))
    data = table(given, user=users)
    result = duckmetrics.evaluate(
        data, metrics=[*LINEAR, *RECOMPUTED], classes="p_*", interval=0.9, cluster=cluster, weighted=weighted
    )
    n = len(set(users))
    for row in result.rows:
        spec = row["metric"]
        rest = [
            reference(spec, [r for r, own in zip(given, users, strict=True) if own != u]) for u in set(users)
        ]
        known = np.array([value for value in rest if value is not None])
        assert len(known) == n
        se = math.sqrt((n - 1) / n * float(((known - known.mean()) ** 2).sum()))
        assert row["n_units"] == n, spec
        if spec not in RECOMPUTED:
            assert row["lower"] < row["value"] < row["upper"]
            continue
        effective = row["n_effective"]
        assert effective == pytest.approx(n) if not weighted else 2 < effective < n
        if spec == "brier":
            expected = stats.t.ppf(0.95, effective - 1) * se
            assert row["upper"] - row["value"] == pytest.approx(expected, rel=1e-9), spec
            continue
        # Others are bounded: the interval is one of the logit, with fewer degrees of freedom for long tails.
        low = -1 if spec in ("cohen_kappa", "mcc") else 0
        tails = 2 * n / (stats.kurtosis(known) + 2)
        half = stats.t.ppf(0.95, min(effective - 1, max(1.0, tails)))
        half *= se * (1 - low) / ((row["value"] - low) * (1 - row["value"]))
        for end, sign in (("lower", -1), ("upper", 1)):
            expected = special.expit(special.logit((row["value"] - low) / (1 - low)) + sign * half)
            assert row[end] == pytest.approx(low + (1 - low) * expected, rel=1e-9), (spec, end)


def test_what_has_no_jackknife_is_resampled() -> None:
    specs = ["average_precision", "auc(average=weighted)", "auc(average=micro)"]
    data = table(rows(8, n=200)).drop_columns(["weight"])
    result = duckmetrics.evaluate(data, metrics=specs, classes="p_*", interval=0.95)
    assert all(row["lower"] is None and "no interval" in row["reason"] for row in result.rows)
    options = {"interval_method": "bootstrap", "resamples": 200}
    result = duckmetrics.evaluate(data, metrics=[*specs, "auc"], classes="p_*", interval=0.95, **options)
    assert all(row["lower"] < row["value"] < row["upper"] for row in result.rows)


@pytest.mark.slow
def test_intervals_cover() -> None:
    """Of 2,000 samples, 94 to 96 % have an interval with the true value."""
    rng = np.random.default_rng(4)
    n, samples, classes = 150, 2000, 3
    y = rng.choice(classes, size=(samples + 200, n), p=(0.5, 0.3, 0.2))
    logits = rng.normal(size=(samples + 200, n, classes)) + 1.2 * (y[..., None] == np.arange(classes))
    p = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    flat = {"sample": np.repeat(np.arange(samples + 200), n), "label": y.ravel()}
    data = pa.table({**flat, **{f"p_{i}": p[..., i].ravel() for i in range(classes)}})
    connection = duckdb.connect()
    connection.register("drawn", data)
    specs = ["f1", "precision", "balanced_accuracy", "cohen_kappa", "mcc", "brier", "accuracy", "auc"]
    truth = values("drawn", specs, connection=connection)
    result = duckmetrics.evaluate(
        "SELECT * FROM drawn WHERE sample < 2000", metrics=specs, classes="p_*", by="sample", interval=0.95,
        connection=connection,
    )  # fmt: skip
    for spec in specs:
        slices = [row for row in result.rows if row["slice"] and row["metric"] == spec]
        covered = np.mean([row["lower"] <= truth[spec] <= row["upper"] for row in slices])
        assert 0.94 <= covered <= 0.96, (spec, covered)


def test_two_models_of_the_same_rows() -> None:
    given = rows(9, n=150)
    rng = np.random.default_rng(2)
    worse = [
        Classified(row.actual, {name: score + rng.random() for name, score in row.scores.items()})
        for row in given
    ]
    ids = {"id": range(len(given))}
    result = duckmetrics.compare(
        {"A": table(given, **ids), "B": table(worse, **ids)}, metrics="accuracy,f1,auc", classes="p_*",
        columns={"query_id": "id"}, baseline="A", weighted=False,
    )  # fmt: skip
    changed = {row["metric"]: row for row in result.rows if row["system"] == "B"}
    plain = [Classified(row.actual, row.scores) for row in given]
    for spec, row in changed.items():
        expected = (reference(spec, worse) or 0) - (reference(spec, plain) or 0)
        assert row["delta"] == pytest.approx(expected, abs=1e-12)
        assert 0 <= row["p"] <= 1
    hits = [np.array([float(r.order[0] == r.actual) for r in one]) for one in (plain, worse)]
    paired = stats.ttest_rel(hits[1], hits[0])
    assert changed["accuracy"]["p"] == pytest.approx(paired.pvalue, rel=1e-6)


def test_rows_of_two_tables_need_an_id() -> None:
    given = table(rows(1))
    with pytest.raises(InputError, match="no column shows which rows of the systems belong together"):
        duckmetrics.compare({"A": given, "B": given}, metrics="accuracy", classes="p_*")


GOOD = {"label": ["ant", "bee", "ant"], "p_ant": [0.5, 0.2, 0.9], "p_bee": [0.5, 0.8, 0.1]}
MISTAKES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "no such column": ({}, {"classes": ["p_ant", "p_be"]}, "no column 'p_be' for a class.*you mean 'p_bee'"),
    "no such pattern": ({}, {"classes": "q_*"}, r"no column is called 'q_\*'"),
    "no names": ({}, {"classes": []}, "names no columns"),
    "a number": ({}, {"classes": 3}, "3 names no columns"),
    "one class": ({}, {"classes": ["p_ant"], "columns": {"label": "label"}}, "no column 'score'"),
    "one class by name": ({"label": ["ant"] * 3}, {"classes": {"ant": "p_ant"}}, "has one class only, 'ant'"),
    "a label of no class": ({"label": ["ant", "cow", "ant"]}, {}, "has 'cow', which is none of the classes"),
    "a class twice": (
        {"q_bee": [0.5, 0.8, 0.1]}, {"classes": ["p_*", "q_*"]},
        "columns 'p_bee' and 'q_bee' are both of the class 'bee'",
    ),
    "NULL label": ({"label": ["ant", None, "ant"]}, {}, "is NULL in 1 of 3 rows"),
    "NULL score": ({"p_bee": [0.5, None, 0.1]}, {}, "1 of 3 rows have a score that is NULL"),
    "NaN": ({"p_bee": [0.5, math.nan, 0.1]}, {}, "1 of 3 rows have a score that is NaN or infinite"),
    "text": ({"p_bee": ["0.5", "0.1", "x"]}, {}, "column 'p_bee' is VARCHAR, not the scores of a class"),
    "no label": ({}, {"columns": {"label": "y"}}, "no column 'y' for label"),
    "a truth": ({}, {"truth": pa.table({"query_id": [1]})}, "truth: is given, and classes= too"),
    "positive": ({}, {"positive": "ant"}, "positive: is given, and classes= too"),
    "a metric of rankings": ({}, {"metrics": "ndcg@10"}, "is of rankings.*write one of accuracy"),
    "a metric of two classes": ({}, {"metrics": "ks"}, "is about two classes.*add by='class'"),
    "an average": ({}, {"metrics": "f1(average=macr)"}, r"^f1\(average=macr\): average.*mean 'macro'"),
    "several right classes": ({"label": [["ant"], ["bee"], ["ant", "bee"]]}, {}, "a row has one right class"),
    "percentages": ({"p_ant": [50.0, 20.0, 90.0]}, {"metrics": "log_loss"}, "lies outside of \\[0, 1\\]"),
    "verify": ({}, {"verify": 2}, "verify= recomputes metrics of rankings and of two classes"),
    "lists of other lengths": (
        {"p": [[0.1, 0.9], [0.2, 0.3, 0.5], [0.5, 0.5]], "label": [0, 1, 0]}, {"classes": "p"},
        "rows have from 2 to 3 scores",
    ),
    "a tool": ({}, {"like": "spark"}, "like=spark: has no conventions for several classes.*write sklearn"),
    "a metric that the tool lacks":
        ({}, {"like": "sklearn", "metrics": "ece"}, "scikit-learn has no ece of several classes"),
    "a taken name": ({"place": ["DE", "FR", "DE"]}, {"by": "place"}, "'place' has the name of one that"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(mistake: str) -> None:
    changed, options, message = MISTAKES[mistake]
    given = {"metrics": "accuracy", "classes": "p_*", **options}
    with pytest.raises(DuckmetricsError, match=message):
        duckmetrics.evaluate(pa.table({**GOOD, **changed}), **given)


def test_rows_of_one_id_have_every_class_and_one_label() -> None:
    columns = "t(query_id, label, c, score)"
    text = f"SELECT * FROM (VALUES (1, 'a', 'a', .5), (1, 'a', 'b', .5), (2, 'b', 'a', 1)) {columns}"
    with pytest.raises(InputError, match="rows have different classes: 'a'"):
        duckmetrics.evaluate(text, metrics="accuracy", classes="c")
    text = f"SELECT * FROM (VALUES (1, 'a', 'a', .5), (1, 'b', 'b', .5)) {columns}"
    with pytest.raises(InputError, match="'label' differs between the rows of query_id 1"):
        duckmetrics.evaluate(text, metrics="accuracy", classes="c")
    text = f"SELECT * FROM (VALUES (1, 'a', 'a', .5), (1, 'a', 'a', .2), (1, 'a', 'b', .3)) {columns}"
    with pytest.raises(InputError, match="the class 'a' has several scores in each row"):
        duckmetrics.evaluate(text, metrics="accuracy", classes="c")
    text = "SELECT * FROM (VALUES ('a', 'a', .5), ('b', 'b', .5)) t(label, c, score)"
    with pytest.raises(InputError, match="no column shows which rows belong together"):
        duckmetrics.evaluate(text, metrics="accuracy", classes="c")


def test_scores_that_are_no_probabilities_are_noted() -> None:
    given = pa.table({**GOOD, "p_ant": [5.0, -2.0, 9.0]})
    result = duckmetrics.evaluate(given, metrics="accuracy", classes="p_*")
    (found,) = [one for one in result.checks if one.check == "class_sums"]
    assert (found.severity, found.count, found.of) == ("warning", 3, 3)
    assert "the sums go from -1.2 to 9.1" in found.message
    assert not duckmetrics.evaluate(pa.table(GOOD), metrics="accuracy", classes="p_*").checks


def test_charts_are_those_of_values_and_of_the_confusion_matrix() -> None:
    result = duckmetrics.evaluate(table(rows(2)), metrics="accuracy", classes="p_*", interval=0.95)
    assert result.chart("intervals").title.startswith("accuracy is ")
    assert result.chart().title == result.chart("confusion_matrix").title
    for name in ("at_k", "roc_curve", "calibration_by_slice"):
        with pytest.raises(MetricError, match="is not drawn for several classes; draw 'confusion_matrix'"):
            result.chart(name)
    of_two = duckmetrics.evaluate({"label": [0, 1], "score": [0.1, 0.9]}, metrics="auc")
    with pytest.raises(MetricError, match="is of several classes; name their columns with classes="):
        of_two.chart("confusion_matrix")


def test_slices_by_the_class_count_its_rows() -> None:
    given, options = table(rows(2), country=["DE", "FR"] * 30), {"classes": "p_*", "weighted": False}
    result = duckmetrics.evaluate(given, metrics="f1", by=[["class"], ["country"]], **options)
    labels = Counter(given["label"].to_pylist())
    assert {row["class"]: row["n_positive"] for row in result.rows if row["slice"] == "class"} == labels
    assert {row["n_positive"] for row in result.rows if row["slice"] in ("", "country")} == {None}
    pairs = Counter(zip(given["label"].to_pylist(), given["country"].to_pylist(), strict=True))
    both = duckmetrics.evaluate(given, metrics="f1", by=["class", "country"], **options)
    found = {(r["class"], r["country"]): r["n_positive"] for r in both.rows if r["slice"]}
    assert {pair: n for pair, n in found.items() if n} == pairs
    shown = str(duckmetrics.evaluate(given, metrics="f1", classes="p_*", by="class")).splitlines()
    assert shown[0].split() == ["class", "n_positive", "f1"]


def test_questions_of_the_same_data() -> None:
    data = duckmetrics.data(table(rows(2), country=["DE", "FR"] * 30), classes="p_*")
    plain = data.evaluate("accuracy")["accuracy"]
    sliced = data.evaluate(["accuracy", "f1"], by="country", interval=0.95)
    assert sliced["accuracy"] == plain
    assert {one.check for one in data.check("accuracy")} == {"class_sums", "unasked_column"}
    assert data.curve("confusion_matrix")["n"].to_pylist()
    with pytest.raises(MetricError, match="is about two classes"):
        data.evaluate("gini")
    with pytest.raises(MetricError, match="metrics of several classes, whose counts are not kept"):
        sliced.state("day.state.parquet")
    with pytest.raises(MetricError, match=r"is about two classes.*write one of confusion_matrix"):
        data.curve("roc_curve")
