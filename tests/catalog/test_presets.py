"""Presets are data: their names exist, their values are allowed, and their page matches them."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

import duckmetrics
from duckmetrics import MetricError, UnsupportedError
from duckmetrics.catalog.definition import METRIC_FAMILIES, MULTICLASS
from duckmetrics.catalog.measure import AGGREGATION, written
from duckmetrics.catalog.presets import ALWAYS, NEVER, page, pages, preset, presets
from duckmetrics.catalog.spec_text import split_specs
from duckmetrics.catalog.specs import parse_measure, parse_measures
from support.cases import CATALOG, ROOT
from support.command_line import exports, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from duckmetrics.catalog.presets import Preset, PresetEntry
    from support.command_line import Command

__all__ = ["exports", "run"]

FOLDER = ROOT / "duckmetrics" / "presets"
KEYS = {"title", "version", "url", "note", "defects", "like", *METRIC_FAMILIES}
# Numbers for the braces in names; the others are 0.5.
NUMBERS = {"k": "10", "rel": "2", "percent": "80", "reference_k": "5", "count": "3"}
REQUIRED = {"recall": 0.5, "beta": 1, "max_fpr": 0.5, "top": 0.1, "precision": 0.5, "fpr": 0.5}
DATA = ("FROM (VALUES ('q', 'a', 2), ('q', 'b', 1)) AS t(query_id, item_id, score)",
        "FROM (VALUES ('q', 'b', 1), ('r', 'b', 1)) AS t(query_id, item_id, relevance)")  # fmt: skip


def entries() -> Iterator[tuple[Preset, str, str, PresetEntry]]:
    for tool in presets().values():
        for family, known in tool.families.items():
            for name, entry in known.metrics.items():
                yield tool, family, name, entry


def spec_of(family: str, name: str, ranked: bool) -> str:
    needed = [p.name for p in CATALOG.metrics[family, name].own_params.values() if p.required]
    arguments = ", ".join(f"{n}={REQUIRED[n]}" for n in needed)
    return f"{family}.{name}" + (f"({arguments})" if arguments else "") + ("@10" if ranked else "")


def written_names(tool: Preset, family: str, names: str) -> list[str]:
    """Return names as a user writes them, with numbers in the places of the braces.

    Where classes= names several classes, a name without a family has theirs.
    """
    before = f"{MULTICLASS}." if family == MULTICLASS else ""
    forms = [form for name in split_specs(names) for form in tool.families[family].written(name)]
    return [re.sub(r"\{(\w+)\}", lambda hole: NUMBERS.get(hole[1], "0.5"), before + form) for form in forms]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_file_has_no_other_keys(path: Path) -> None:
    document = tomllib.loads(path.read_text("utf-8"))
    assert document.keys() <= KEYS
    assert max(map(len, path.read_text("utf-8").splitlines())) <= 140


@pytest.mark.some(233)
@pytest.mark.parametrize(
    ("tool", "family", "name", "entry"),
    [pytest.param(*found, id=f"{found[0].name}-{found[1]}-{found[2]}") for found in entries()],
)
def test_an_entry_sets_what_the_metric_has(tool: Preset, family: str, name: str, entry: PresetEntry) -> None:
    """The metric allows every value, and the value reaches the measure."""
    metric = CATALOG.metrics[family, name]
    params = CATALOG.params(metric)
    assert entry.cutoff in ("", ALWAYS, NEVER)
    assert "k" in params or not (entry.at or entry.cutoff == ALWAYS)
    for ranked in (False, True):
        if ranked and "k" not in params:
            continue
        if entry.cutoff == (NEVER if ranked else ALWAYS):
            with pytest.raises(UnsupportedError, match="cut-off"):
                parse_measure(CATALOG, spec_of(family, name, ranked), like=tool)
            continue
        measure = parse_measure(CATALOG, spec_of(family, name, ranked), like=tool)
        for param, value in entry.settings(ranked).items():
            if param in params and measure.values[param] != value:
                # Switches without an effect there, such as ties without a cut-off, keep their default, and
                # are noted; so do shared ones that the metric does not allow.
                other = f"|{param} is {value}, but|{param} cannot be" if param in entry.shared else ""
                spec = spec_of(family, name, ranked)
                try:
                    (one,) = parse_measures(CATALOG, [spec], {param: value}, like=tool)
                    said = " ".join(one.without_effect)
                except (MetricError, UnsupportedError) as error:
                    said = str(error)
                nothing = f"{param}={re.escape(written(value))} changes nothing"
                assert re.search(f"{nothing}|{param} is not imitated{other}", said)


def test_what_is_common_to_a_tool_belongs_to_some_metric_of_it() -> None:
    """Metrics that do not declare a parameter at the head of a family ignore it."""
    for tool in presets().values():
        for family, known in tool.families.items():
            declared = {p for name in known.metrics for p in CATALOG.params(CATALOG.metrics[family, name])}
            for entry in known.metrics.values():
                assert {*entry.sets, *entry.at} <= {*declared, AGGREGATION}, tool.name


def test_refused_metrics_exist_and_are_refused() -> None:
    for tool in presets().values():
        for family, known in tool.families.items():
            for name, because in known.refused.items():
                assert (family, name) in CATALOG.metrics
                with pytest.raises(UnsupportedError, match="is not imitated") as caught:
                    parse_measure(CATALOG, spec_of(family, name, False), like=tool)
                assert because in str(caught.value)


def test_variants_are_specs_under_their_preset() -> None:
    for tool in presets().values():
        for family, known in tool.families.items():
            for variant in known.variants:
                for name in written_names(tool, family, variant.name):
                    measure = parse_measure(CATALOG, name, meant=lambda family=family: family, like=tool)
                    assert measure.metric.name in known.metrics, name


def test_a_shared_setting_reaches_the_metrics_that_allow_it() -> None:
    lenskit = presets()["lenskit"]
    assert parse_measure(CATALOG, "precision@3", like=lenskit).values["no_relevant"] == "zero"
    assert parse_measure(CATALOG, "ListGini(n=3)", like=lenskit).values["no_relevant"] == "keep"
    with pytest.raises(MetricError, match="no_relevant cannot be 'zero'"):
        parse_measures(CATALOG, ["ListGini(n=3)"], {"no_relevant": "zero"}, like=lenskit)


def test_an_entry_sets_the_aggregation() -> None:
    elliot = presets()["elliot"]
    assert str(parse_measure(CATALOG, "UserCoverageAtN@5", like=elliot)).startswith("user_coverage(")
    assert parse_measure(CATALOG, "UserCoverageAtN@5", like=elliot).aggregation == "sum"
    assert parse_measure(CATALOG, "user_coverage(agg=mean)", like=elliot).aggregation == "mean"
    assert parse_measure(CATALOG, "user_coverage", {"agg": "mean"}, like=elliot).aggregation == "mean"


@pytest.mark.parametrize(
    ("ratio", "settings"),
    [("0.3", ("items", 0.7)), ("0.7", ("items", 0.3)), ("1", ("items", 0)), ("5", ("count", 5))],
)
def test_a_number_with_two_meanings(ratio: str, settings: tuple[str, float]) -> None:
    """RecBole's tail_ratio is a share of the items up to 1, and a number of interactions above."""
    measure = parse_measure(CATALOG, f"TailPercentage(tail_ratio={ratio})@3", like=presets()["recbole"])
    assert (measure.values["tail"], measure.values["boundary"], measure.values["cold"]) == (*settings, "head")


def test_metrics_of_different_queries_are_refused_together() -> None:
    """RecTools averages accuracy over the users of the truth, and other metrics over those of the lists."""
    both = ["Recall(k=3)", "SufficientReco(k=3)"]
    rectools = presets()["rectools"]
    with pytest.raises(MetricError, match="population=truth and population=predictions, but all metrics"):
        parse_measures(CATALOG, both, like=rectools)
    for choice in ("truth", "predictions"):
        measures = parse_measures(CATALOG, both, {"population": choice}, like=rectools)
        assert [measure.values["population"] for measure in measures] == [choice, choice]
    with pytest.raises(MetricError, match="population is common to all metrics"):
        parse_measure(CATALOG, "recall(population=predictions)@3")


def test_a_metric_that_a_tool_lacks_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"like=sklearn: scikit-learn has no reciprocal_rank"):
        duckmetrics.evaluate(*DATA, "mrr", like="sklearn")
    with pytest.raises(UnsupportedError, match="no metrics of ranking at all"):
        duckmetrics.evaluate(*DATA, "mrr", like="clickhouse")


def test_an_unknown_tool_is_told_with_what_was_meant() -> None:
    with pytest.raises(MetricError, match="did you mean 'trec_eval'"):
        duckmetrics.evaluate(*DATA, "mrr", like="trek_eval")
    assert preset("Trec-Eval") is preset("trec_eval")


@pytest.mark.slow
def test_what_is_said_wins_over_the_tool() -> None:
    """The spec comes first, then the switches of the call, then the tool."""
    plain = duckmetrics.evaluate(*DATA, "mrr", like="pytrec_eval")
    assert plain["mrr"] == 0.5
    assert "missing:skip" in plain.rows[0]["signature"]
    assert duckmetrics.evaluate(*DATA, "mrr", like="pytrec_eval", missing="zero")["mrr"] == 0.25
    spec = "map(norm=relevant)@1"
    assert "norm:relevant" in duckmetrics.evaluate(*DATA, spec, like="replay").rows[0]["signature"]


def test_a_tool_that_stops_stops_here() -> None:
    with pytest.raises(duckmetrics.InputError, match="1 query of the population with no predictions"):
        duckmetrics.evaluate(*DATA, "map", like="trec_eval")


def test_rows_that_a_tool_treats_otherwise_are_refused() -> None:
    logits = "SELECT 1 AS label, 3.0 AS score UNION ALL SELECT 0, -1.0"
    with pytest.raises(duckmetrics.InputError, match="remove like="):
        duckmetrics.evaluate(logits, metrics="auc", like="torchmetrics")
    assert duckmetrics.evaluate(logits, metrics="auc", like="sklearn")["auc"] == 1.0


def test_rows_of_several_systems_are_refused_where_only_rows_are_known() -> None:
    with pytest.raises(duckmetrics.InputError, match="evaluate the systems one by one"):
        duckmetrics.evaluate(None, DATA[1], "ndcg@1", system={"A": DATA[0], "B": DATA[0]}, like="sklearn")


def test_the_page_is_fresh_and_says_everything() -> None:
    """Write it again with: duckmetrics presets --all > duckmetrics/presets/README.md."""
    assert (FOLDER / "README.md").read_text("utf-8") == pages()
    for tool in presets().values():
        text = page(tool)
        assert all(defect in text for defect in tool.defects)
        for known in tool.families.values():
            assert all(f"`{name}`" in text for name in (*known.metrics, *known.refused))


def test_the_command_line_explains_them(run: Command) -> None:
    listed = run("presets")
    assert (listed.code, [name for name in presets() if name not in listed.out]) == (0, [])
    assert run("presets", "ranx").out == page(preset("ranx"))
    assert run("presets", "--all").out == pages()
    assert "did you mean 'ranx'" in run("presets", "ranks").err


@pytest.mark.parametrize("tool", ["clickhouse", "evidently", "recbole", "recommenders", "torchmetrics"])
def test_tools_without_weights_count_every_row_once(tool: str) -> None:
    rows = "(1, 0.2, 8.0), (0, 0.4, 1.0), (1, 0.6, 1.0), (0, 0.1, 3.0)"
    weighted = f"FROM (VALUES {rows}) AS t(label, score, weight)"
    found = duckmetrics.evaluate(weighted, metrics="auc", like=tool)
    assert found["auc"] == 0.75  # three of the four pairs are in order
    assert duckmetrics.evaluate(weighted, metrics="auc", like="sklearn")["auc"] != 0.75
