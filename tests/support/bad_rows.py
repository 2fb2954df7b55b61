"""Rows that cannot be evaluated, and the messages about them."""

from __future__ import annotations

from typing import Any

FROM_ROWS = "found label, score, weight, group_id, country"


PROBABILITY = (
    "no_probability: column 'score': 2 rows whose score lies outside of [0, 1], so it is not a probability "
    "(label=1.0, score=-0.2; label=1.0, score=1.2); divide percentages by 100, or apply the sigmoid "
    "to logits; metrics such as auc accept any score"
)


LABEL = "whose label is not 0, 1, -1, true or false"


TO_LABEL = (
    "map the column with 0 and 1 as the label, for the score may be mapped instead; of other classes, say "
    'which one is positive, as in "SELECT * REPLACE (CAST(label = 2 AS INTEGER) AS label) FROM ..."; for the '
    "scores of more than two classes, name their columns with classes= (--classes)"
)


NULL_SCORE = (
    "null_score: column 'score': 1 row whose score is NULL (label=0.0); drop these rows or find out why "
    "nothing was predicted"
)


NAN_SCORE = (
    "nan_score: column 'score': 1 row whose score is NaN, which would sort above every number (label=0.0, "
    "score=nan); drop these rows or find out why nothing was predicted"
)


NO_THRESHOLD = (
    "no_probability: column 'score': 2 rows whose score lies outside of [0, 1], so that 0.5 does not "
    "separate the classes (label=1.0, score=-0.2; label=1.0, score=1.2); divide percentages by 100, or set "
    "threshold, such as threshold=50 for percentages and threshold=0 for log odds; metrics such as auc need "
    "none"
)


Case = tuple[str, str, dict[str, Any], str]


def _with(column: str, where: str, value: str) -> str:
    return (
        f"SELECT * REPLACE (CASE WHEN {where} THEN {value}::DOUBLE ELSE {column} END AS {column}) FROM rows"
    )


TABLES = {
    "rows": """FROM (VALUES (1, 0.9, 1.0, 'a', 'DE'), (0, 0.4, 2.0, 'a', 'FR'), (0, 0.6, 0.5, 'b', 'DE'),
        (1, 0.2, 1.0, 'b', NULL)) AS _(label, score, weight, group_id, country)""",
    "null_label": "SELECT * REPLACE (nullif(label, 0) AS label) FROM rows",
    "nan_label": _with("label", "label = 0", "'nan'"),
    "infinite_label": _with("label", "score = 0.4", "'inf'"),
    "null_score": "SELECT * REPLACE (nullif(score, 0.4) AS score) FROM rows",
    "nan_score": _with("score", "score = 0.4", "'nan'"),
    "label_2": "SELECT * REPLACE (label * 2 AS label) FROM rows",
    "label_half": _with("label", "score = 0.4", "0.5"),
    "mixed": _with("label", "score = 0.4", "-1"),
    "text_label": "SELECT * REPLACE (label::VARCHAR AS label) FROM rows",
    "text_score": "SELECT * REPLACE (score::VARCHAR AS score) FROM rows",
    "text_weight": "SELECT * REPLACE (weight::VARCHAR AS weight) FROM rows",
    "no_probability": "SELECT * REPLACE (score * 2 - 0.6 AS score) FROM rows",
    "null_weight": "SELECT * REPLACE (nullif(weight, 2) AS weight) FROM rows",
    "negative_weight": "SELECT * REPLACE (weight - 1 AS weight) FROM rows",
    "nan_weight": _with("weight", "weight = 2", "'nan'"),
    "infinite_weight": _with("weight", "weight = 2", "'inf'"),
    "null_group": "SELECT * REPLACE (nullif(group_id, 'a') AS group_id) FROM rows",
    "no_label": "SELECT * EXCLUDE (label) FROM rows",
    "no_score": "SELECT * EXCLUDE (score) FROM rows",
    "no_group": "SELECT * EXCLUDE (group_id) FROM rows",
    "no_weight": "SELECT * EXCLUDE (weight) FROM rows",
    "empty": "FROM rows WHERE false",
    "certain": "SELECT label, CASE WHEN score = 0.9 THEN 1 ELSE score END::DOUBLE AS score FROM rows",
    "models": "SELECT nullif(country, 'FR') AS model, * FROM rows",
    "sliced": "SELECT 1 AS threshold, * FROM rows",
    "log": "SELECT group_id AS query_id, row_number() OVER (ORDER BY score) AS item_id, * FROM rows",
}  # fmt: skip
CASES: dict[str, Case] = {
    "missing label": (
        "no_label", "auc", {},
        "no_label: no column 'label'; found score, weight, group_id, country; map it with "
        "columns={'label': ...} (on the command line --column label=...)"),
    "missing score": (
        "no_score", "auc", {},
        "no_score: no column 'score'; found label, weight, group_id, country; map it with "
        "columns={'score': ...} (on the command line --column score=...)"),
    "missing group": (
        "no_group", "gauc", {},
        "no_group: no column 'group_id'; found label, score, weight, country; map it with "
        "columns={'group_id': ...} (on the command line --column group_id=...)"),
    "missing weight": (
        "no_weight", "auc", {"weighted": True},
        "no_weight: no column 'weight'; found label, score, group_id, country; map it with "
        "columns={'weight': ...} (on the command line --column weight=...)"),
    "a weight in one table only": (
        "rows", "auc", {"system": {"A": "rows", "B": "no_weight"}},
        "rows, no_weight: only some tables have a column 'weight'; give it to all"),
    "no rows": ("empty", "auc", {}, "empty: no rows; check how it was exported"),
    "by of no column": (
        "rows", "auc", {"by": "contry"},
        f"by: rows has no column 'contry'; {FROM_ROWS}; did you mean 'country'?"),
    "by of a reserved name": (
        "rows", "auc", {"by": "value"},
        "by: 'value' is also a column of the results; give it another name: by='value AS "
        "my_value' (--by 'value AS my_value')"),
    "missing system": (
        "rows", "auc", {"system": "model"},
        f"rows: no column 'model' to tell systems apart; {FROM_ROWS}; name one of them with system= "
        "(--system)"),
    "NULL system": (
        "models", "auc", {"system": "model"},
        "models: column 'model': 2 rows with no system (label=0.0, score=0.4; label=1.0, score=0.2); drop "
        "these rows or give them a name"),
    "scores on no side of 0.5": ("no_probability", "accuracy", {}, NO_THRESHOLD),
    "NULL label": (
        "null_label", "auc", {},
        "null_label: column 'label': 2 rows whose label is NULL (score=0.4; score=0.6); drop these rows, or "
        "replace NULL with the label it stands for"),
    "NULL label of a rating": (
        "null_label", "rmse", {},
        "null_label: column 'label': 2 rows whose label is NULL (score=0.4; score=0.6); drop these rows, or "
        "replace NULL with the label it stands for"),
    "NaN label": (
        "nan_label", "auc", {},
        "nan_label: column 'label': 2 rows whose label is NaN or infinite (label=nan, score=0.4; label=nan, "
        "score=0.6); drop these rows"),
    "infinite label": (
        "infinite_label", "r2", {},
        "infinite_label: column 'label': 1 row whose label is NaN or infinite (label=inf, score=0.4); drop "
        "these rows"),
    "label 2": (
        "label_2", "auc", {},
        f"label_2: column 'label': 2 rows {LABEL} (label=2.0, score=0.2; label=2.0, score=0.9); {TO_LABEL}"),
    "label 0.5": (
        "label_half", "brier", {},
        f"label_half: column 'label': 1 row {LABEL} (label=0.5, score=0.4); {TO_LABEL}"),
    "labels -1 and 0": (
        "mixed", "auc", {},
        "mixed: column 'label': 1 row with the label -1 while other rows have 0, so the negative class is "
        "unclear (label=-1.0, score=0.4); drop the rows with one of the two labels, or map both to one "
        "label"),
    "text label": (
        "text_label", "auc", {},
        "text_label: column 'label' is VARCHAR, not a number; it has 0, 1: name the one that counts "
        "as 1, as in positive='1' (--positive 1); every other counts as 0"),
    "text score": (
        "text_score", "auc", {},
        "text_score: column 'score' is VARCHAR, not a number; cast it, as in \"SELECT * REPLACE "
        '(CAST(score AS DOUBLE) AS score) FROM ..."; '
        'WHERE TRY_CAST(score AS DOUBLE) IS NULL finds what is not a number; if it has decimal commas, as '
        'in "SELECT * REPLACE (CAST(replace(score, ' "',', '.') AS DOUBLE) AS score) FROM ...\""),
    "text weight": (
        "text_weight", "auc", {},
        "text_weight: column 'weight' is VARCHAR, not a number; cast it, as in \"SELECT * REPLACE "
        '(CAST(weight AS DOUBLE) AS weight) FROM ..."; '
        'WHERE TRY_CAST(weight AS DOUBLE) IS NULL finds what is not a number; if it has decimal commas, as '
        'in "SELECT * REPLACE (CAST(replace(weight, ' "',', '.') AS DOUBLE) AS weight) FROM ...\""),
    "NULL score": ("null_score", "auc", {}, NULL_SCORE),
    "NaN score": ("nan_score", "auc", {}, NAN_SCORE),
    # greatest(least(NULL, 1 - eps), eps) is eps, and NaN would be clipped to 1 - eps.
    "NULL is not clipped": ("null_score", "log_loss", {}, NULL_SCORE),
    "NaN is not clipped": ("nan_score", "log_loss", {}, NAN_SCORE),
    "no probability for log_loss": ("no_probability", "log_loss", {}, PROBABILITY),
    "no probability for the curve": ("no_probability", "calibration_slope", {}, PROBABILITY),
    "NULL weight": (
        "null_weight", "auc", {},
        "null_weight: column 'weight': 1 row whose weight is NULL (label=0.0, score=0.4); give them a "
        "weight; 0 leaves a row out"),
    "negative weight": (
        "negative_weight", "auc", {},
        "negative_weight: column 'weight': 1 row whose weight is negative, NaN, infinite, above 1e250 or "
        "from 0 to 1e-150 (label=0.0, score=0.6, weight=-0.5); correct them; 0 leaves a row out"),
    "NaN weight": (
        "nan_weight", "rmse", {},
        "nan_weight: column 'weight': 1 row whose weight is negative, NaN, infinite, above 1e250 or "
        "from 0 to 1e-150 (label=0.0, score=0.4, weight=nan); correct them; 0 leaves a row out"),
    "infinite weight": (
        "infinite_weight", "ece", {},
        "infinite_weight: column 'weight': 1 row whose weight is negative, NaN, infinite, above 1e250 or "
        "from 0 to 1e-150 (label=0.0, score=0.4, weight=inf); correct them; 0 leaves a row out"),
    "NULL group": (
        "null_group", "gauc", {},
        "null_group: column 'group_id': 2 rows whose group is NULL (label=0.0, score=0.4; label=1.0, "
        "score=0.9); drop these rows or give them a group; its column is named with group_id="),
    "no query": (
        "rows", "precision@2", {},
        f"rows: no column 'query_id'; {FROM_ROWS}: metrics of rankings need it; for a classifier, "
        "name metrics of classifiers; for rankings, map it with columns={'query_id': ...} (on the command "
        "line --column query_id=...)"),
}  # fmt: skip
