"""Every value of every parameter has one sentence that describes it, in the header of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duckmetrics.catalog.catalog import Catalog
from duckmetrics.catalog.definition import Definition
from duckmetrics.catalog.meanings import meanings, sentences
from duckmetrics.catalog.presets import presets, tools_with
from duckmetrics.errors import DefinitionError
from support.cases import CATALOG
from support.loops import each

if TYPE_CHECKING:
    from pathlib import Path

ASKED = [
    *CATALOG.metrics.values(), *CATALOG.tables.values(), *CATALOG.statistics.values(),
    *CATALOG.aggregations.values(), *CATALOG.aggregates.values(),
]  # fmt: skip
REFERENCE = "as in "
LONGEST = 75


def identity(definition: Definition) -> str:
    return f"{definition.family}/{definition.name}"


@each("definition", [*CATALOG.files.values()], identity)
def test_every_choice_has_a_sentence_and_nothing_else_has(definition: Definition) -> None:
    for param in {**definition.switches, **definition.own_params}.values():
        if param.choices:
            assert [*meanings(CATALOG, definition, param)] == [str(choice) for choice in param.choices]
    for (name, value), sentence in sentences(definition).items():
        assert len(sentence) <= LONGEST, (name, value)
        assert sentence[0].islower(), (name, value)
        assert not sentence.endswith("."), (name, value)


@each("definition", ASKED, identity)
def test_every_parameter_that_people_set_is_explained(definition: Definition) -> None:
    own = {**definition.switches, **definition.own_params}
    is_metric = (definition.family, definition.name) in {**CATALOG.metrics, **CATALOG.tables}
    for param in (CATALOG.params(definition) if is_metric else own).values():
        assert len(meanings(CATALOG, definition, param)) == max(len(param.choices), 1), param.name


def test_no_sentence_is_written_twice() -> None:
    """A file with the same meaning refers to the other; switches may share the sentence of an error."""
    known: dict[tuple[str, str, str], Path] = {}
    for definition in CATALOG.files.values():
        for (name, value), sentence in sentences(definition).items():
            if not sentence.startswith(REFERENCE):
                other = known.setdefault((name, value, sentence), definition.path)
                assert other == definition.path, (name, value, sentence)


def test_a_reference_leads_to_a_sentence() -> None:
    for definition in CATALOG.files.values():
        for (name, _), sentence in sentences(definition).items():
            if sentence.startswith(REFERENCE):
                param = {**definition.switches, **definition.own_params}[name]
                assert meanings(CATALOG, definition, param), (definition.path, name)


def read(
    folder: Path, values: str, params: str = "k INTEGER, way VARCHAR CHECK (way IN ('a', 'b'))"
) -> Catalog:
    path = folder / "ranking" / "one.sql"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"-- name:     one\n-- params:   {params}\n-- values:   {values}\nSELECT 1 AS one;\n")
    return Catalog([Definition(path, "relations")])


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ("k", "cannot read the values line 'k'"),
        ("k: ranks\n--           k: more ranks", "'k: more ranks' explains a value again"),
        ("p: odds", "'p: odds' explains what is not declared here"),
        ("way=c: neither", "'way=c: neither' explains what is not declared here"),
        ("way: one way or the other", "explains what is not declared here"),
        ("k=3: three", "explains what is not declared here"),
        ("k: as in nowhere", "there is no nowhere.sql to refer to"),
    ],
)
def test_wrong_sentences_are_refused(tmp_path: Path, values: str, problem: str) -> None:
    catalog = read(tmp_path, values)
    (one,) = catalog.relations.values()
    with pytest.raises(DefinitionError, match=problem):
        meanings(catalog, one, one.own_params["k"])


def test_a_sentence_that_is_not_there_is_not_made_up(tmp_path: Path) -> None:
    catalog = read(tmp_path, "way=b: the other way")
    (one,) = catalog.relations.values()
    assert meanings(catalog, one, one.own_params["way"]) == {"b": "the other way"}
    assert meanings(catalog, one, one.own_params["k"]) == {}


def test_the_nearest_file_explains() -> None:
    """`first_rank` has its own value for a switch that `evaluated` explains in another way."""
    metric = CATALOG.metrics["ranking", "first_rank"]
    found = meanings(CATALOG, metric, CATALOG.params(metric)["missing"])
    usual = CATALOG.relations["evaluated"]
    others = meanings(CATALOG, usual, usual.switches["missing"])
    assert list(found) == ["undefined", "skip", "error"]
    assert found["skip"] == others["skip"]
    assert found["undefined"] not in others.values()


def test_tools_are_those_whose_preset_sets_the_value() -> None:
    found = tools_with("ranking", "ndcg", "ties", "expected")
    assert found == ["sklearn", "torchmetrics"]
    for tool in found:
        assert presets()[tool].families["ranking"].metrics["ndcg"].sets["ties"] == "expected"
    assert "catboost" in tools_with("ranking", "average_precision", "norm", "min_k")
    assert tools_with("ranking", "ndcg", "ties", "nothing") == []
