"""Classifiers beside pandas with scikit-learn and beside Polars: 20,000,000 impressions, from Parquet."""

from __future__ import annotations

from benchmarks.timing import Command, Comparison, evaluate, python

SCRIPT = "classification.sql"
FILES = ("impressions.parquet",)


def sklearn(function: str, score: str) -> Command:
    return python(
        f"import pandas; from sklearn.metrics import {function}; "
        f"t = pandas.read_parquet('{FILES[0]}', columns=['label', '{score}']); "
        f"print({function}(t['label'], t['{score}']))"
    )


def polars(score: str) -> Command:
    """The sum of the average ranks, as somebody who knows Polars would write it."""
    return python(
        "import polars as pl; y = pl.col('label') == 1; "
        f"t = pl.scan_parquet('{FILES[0]}')"
        f".select(y.alias('y'), pl.col('{score}').rank('average').alias('r'))"
        ".select(pl.col('r').filter('y').sum(), pl.col('y').sum().cast(pl.Float64).alias('p'), "
        "pl.len().cast(pl.Float64).alias('n')).collect().row(0); "
        "r, p, n = t; print((r - p * (p + 1) / 2) / (p * (n - p)))"
    )


def classifier(metrics: str, *options: str, score: str = "score") -> Command:
    return evaluate(FILES[0], metrics, "--column", f"score={score}", *options)


AUC, ROUNDED = classifier("auc"), classifier("auc", score="rounded")
GROUPS = ("--column", "group_id=user_id")
COMPARISONS = [
    Comparison("pandas + scikit-learn / AUC, distinct scores", sklearn("roc_auc_score", "score"), AUC),
    Comparison("Polars rank / AUC, distinct scores", polars("score"), AUC),
    Comparison("pandas + scikit-learn / log loss", sklearn("log_loss", "score"), classifier("log_loss")),
    Comparison("pandas + scikit-learn / AUC, 1001 distinct scores",
               sklearn("roc_auc_score", "rounded"), ROUNDED),
    Comparison("Polars rank / AUC, 1001 distinct scores", polars("rounded"), ROUNDED),
    Comparison("GAUC of 100,000 users / AUC", classifier("gauc", *GROUPS), AUC, same_value=False),
    Comparison("AUC within 1 GB / AUC", classifier("auc", "--memory-limit", "1GB"), AUC),
]  # fmt: skip
