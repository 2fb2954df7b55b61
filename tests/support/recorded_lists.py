"""Values of metrics beyond accuracy that other tools gave, and the same values here.

`tests/data/recorded/beyond_accuracy.json` holds small inputs with the numbers of seven tools that have a
preset, and of three that have none. The name of a metric in a tool is its spec here; ELSEWHERE maps the
calls of tools without a preset. NOT_IMITATED lists the values that are not reproduced, and why.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

import duckmetrics
from duckmetrics.catalog.presets import presets
from support.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DOCUMENT = json.loads((ROOT / "tests/data/recorded/beyond_accuracy.json").read_text("utf-8"))
# The recorded numbers have 13 digits; LensKit weighs exposures in single precision.
TOLERANCE, SINGLE = 1e-9, 1e-6
# Arguments of calls that are tables, objects, or sizes of tables; here they are inputs of the call.
OBJECTS = (
    "train, reco, ", "train, ", "reference, reranked, ", "items, categories, ", "(train, reco)",
    ", distance_calculator=PairwiseHammingDistanceCalculator(categories)", ", items=30", ", items=5",
    ", col_relevance='relevance'", "item_sim_measure='item_cooccurrence_count', ",
    "item_sim_measure='item_feature_vector', ",
)  # fmt: skip
# Forms of calls that are specs in another form: cut lists, and a parameter of the configuration.
FORMS = {
    r"(\w+)\(top_k=(\d+)\)": r"\1@\2",
    r"(\w+)@(\d+), (tail_ratio=[\d.]+)": r"\1(\3)@\2",
    r"gini\(\[.*\]\)": "ListGini",
}  # fmt: skip
ELSEWHERE = {
    r"RankingSimilarity\(first (\d+), reference's first \d+\)\.rbo_ext\(p=([\d.]+)\)": r"rbo(p=\2)@\1",
    r"RankingSimilarity\(list, reference\)\.rbo\(k=(\d+), p=([\d.]+)\)": r"rbo(p=\2, rest=truncated)@\1",
    r"kendalltau\(ranks in the list, ranks in the reference\), items of both first (\d+)": r"kendall_tau@\1",
    r"tauap\(scores of the reference, scores of the list\)": "tau_ap",
}
# (tool, case, the beginning of the call) -> why the value is not reproduced; an empty case means all cases.
SIMILARITY = "compares recommended items with the items of the user's history, by a similarity of items"
SHORTER = "stops at the end of the shorter list"
NOT_IMITATED: dict[tuple[str, str, str], str] = {
    ("replay", "random", "Novelty"): "averages over the users of the history; a user without a list counts 1",
    ("recommenders", "", "serendipity"): SIMILARITY,
    ("recommenders", "", "historical_item_novelty"): "values of items, not of lists",
    ("evidently", "", "Serendipity"): SIMILARITY,
    ("elliot", "unseen", "Gini"): "recommended items that the history lacks move the ranks of the others",
    ("rbo", "random", "RankingSimilarity(list, reference).rbo(k=3"): SHORTER,
    ("rbo", "random", "RankingSimilarity(list, reference).rbo(k=10"): SHORTER,
    ("rbo", "lenskit_reranking", "RankingSimilarity(list, reference).rbo(k=5"):
        SHORTER,
}  # fmt: skip


class Recorded(NamedTuple):
    """One value of a tool, of every query or of all lists."""

    tool: str
    case: str | None
    call: str
    record: Mapping[str, Any]

    @property
    def spec(self) -> str:
        """The call as a spec."""
        if self.tool not in presets():
            return next(re.sub(call, spec, self.call) for call, spec in ELSEWHERE.items()
                        if re.fullmatch(call, self.call))  # fmt: skip
        spec = self.call
        for given in OBJECTS:
            spec = spec.replace(given, "")
        for form, written in FORMS.items():
            if re.fullmatch(form, spec):
                return re.sub(form, written, spec)
        return spec

    @property
    def key(self) -> tuple[str, str, str] | None:
        """The entry of NOT_IMITATED for it; None where it is imitated."""
        return next((key for key in NOT_IMITATED if key[0] == self.tool and key[1] in (self.case, "")
                     and self.call.startswith(key[2])), None)  # fmt: skip

    @property
    def inputs(self) -> list[str]:
        """The tables that the call was given, or that stand for its arguments."""
        stand_ins = ["items"] if "cooccurrence" in self.call or self.case is None else []
        return list(dict.fromkeys(["predictions", *self.record["inputs"], *stand_ins]))


def recorded() -> Iterator[Recorded]:
    """Return every value of the fixture."""
    for record in DOCUMENT["records"]:
        yield Recorded(record["tool"], record["case"], record["call"], record)


def answer(one: Recorded) -> tuple[dict[str, float | None], float | None]:
    """Evaluate a recorded value here; return the values of queries, and their mean or the value."""
    like = {"like": one.tool} if one.tool in presets() else {}
    found = duckmetrics.evaluate(metrics=[one.spec], **tables(one), **like)
    if "per_query" not in one.record:
        return {}, found[one.spec]
    rows = found.per_query.to_pylist()
    return {str(row["query_id"]): row["value"] for row in rows}, found[one.spec]


def tables(one: Recorded) -> dict[str, pa.Table]:
    """Return the tables that a call was given."""
    case = DOCUMENT["cases"].get(one.case) or _of_counts(one.call)
    return {
        name: _items(one, case) if name == "items" else _table(name, case[name]) for name in one.inputs
    }  # fmt: skip


def _of_counts(call: str) -> dict[str, list[list[Any]]]:
    """Return lists that recommend the items as often as ``gini([0, 1, 2])`` says."""
    counts = json.loads(call.removeprefix("gini(").removesuffix(")"))
    lists = [[f"{item} {place}", item, 0, 1] for item, n in enumerate(counts) for place in range(n)]
    return {"predictions": lists, "items": [[item, None, None] for item in range(len(counts))]}


def _table(name: str, rows: list[list[Any]]) -> pa.Table:
    columns = DOCUMENT["columns"][name]
    return pa.table({c: [row[i] for row in rows] for i, c in enumerate(columns) if c != "score"})


def _items(one: Recorded, case: Mapping[str, Any]) -> pa.Table:
    """Return the catalog; RePlay has one category for an item; the users of an item can be its vector."""
    rows = [tuple(row) for row in case["items"]]
    if one.tool == "replay":
        rows = [(item, (categories or ["none"])[:1], vector) for item, categories, vector in rows]
    if "cooccurrence" in one.call:
        pairs = {tuple(row) for row in case["history"]}
        users = sorted({user for user, _ in pairs})
        items = sorted({item for _, item in pairs})
        rows = [(item, None, [float((user, item) in pairs) for user in users]) for item in items]
    return pa.table({
        "item_id": [row[0] for row in rows],
        "category": pa.array([row[1] or [] for row in rows], pa.list_(pa.string())),
        "vector": pa.array([row[2] for row in rows], pa.list_(pa.float64())),
    })  # fmt: skip


def is_same(one: Recorded) -> bool:
    """Return whether the values here are those of the tool; an error here stands for an exception there."""
    try:
        queries, value = answer(one)
    except duckmetrics.DuckmetricsError:
        return "error" in one.record
    wanted = one.record.get("per_query", {})
    others = {name: None for name in queries if name not in wanted}
    pairs = [(queries.get(name), number) for name, number in (wanted | others).items()]
    pairs += [(value, one.record[name]) for name in ("mean", "value") if name in one.record]
    tolerance = SINGLE if "Exposure" in one.call else TOLERANCE
    return "error" not in one.record and all(_equal(*pair, tolerance) for pair in pairs)


def _equal(found: float | None, wanted: float | None, tolerance: float) -> bool:
    if found is None or wanted is None:
        return found is wanted
    return math.isclose(found, wanted, rel_tol=0, abs_tol=tolerance)
