"""Every metric explains itself in plain words; its example by hand gives the value that the SQL gives."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import duckdb
import pytest

import duckmetrics
from duckmetrics.catalog.meanings import explanation
from support.cases import CATALOG, of_sample
from support.loops import each

if TYPE_CHECKING:
    from duckmetrics.catalog.definition import Definition

MEASURES = [*CATALOG.metrics.values(), *CATALOG.tables.values()]
METRICS = [*CATALOG.metrics.values()]
EXPLAINED = [*MEASURES, *CATALOG.statistics.values()]
MOST_WORDS = 26


def identity(definition: Definition) -> str:
    return f"{definition.family}/{definition.name}"


@each("definition", EXPLAINED, identity)
def test_every_metric_and_test_has_a_meaning_a_use_and_a_warning(definition: Definition) -> None:
    words = explanation(definition)
    assert words.meaning, "-- meaning:"
    assert words.meaning.endswith(".")
    assert words.meaning[0].isupper()
    assert words.use, "-- use:"
    assert words.beware, "-- beware:"
    for phrase in (words.use, words.beware, *words.reading.values(), *words.symbols.values()):
        assert not phrase.endswith("."), phrase
        assert phrase.split()[0] not in ("When", "The", "A", "An", "No"), (
            "a phrase begins with a small letter"
        )
    for sentence in re.split(r"[.;] ", " ".join((words.meaning, words.use + ".", words.beware))):
        assert len(sentence.split()) <= MOST_WORDS, sentence


@each("definition", METRICS, identity)
def test_every_metric_has_a_formula_in_tex_and_says_what_values_mean(definition: Definition) -> None:
    words = explanation(definition)
    assert words.tex, "-- tex:"
    assert words.tex.count("{") == words.tex.count("}")
    assert words.symbols, "-- symbols:"
    assert words.reading, "-- reading:"
    assert words.worked or words.not_worked, "-- worked:"


@each("definition", EXPLAINED, identity)
def test_related_metrics_exist(definition: Definition) -> None:
    names = {name for _, name in (*CATALOG.metrics, *CATALOG.tables)} | set(CATALOG.statistics)
    related = explanation(definition).related
    assert related
    assert set(related) <= names - {definition.name}


@pytest.mark.slow
@each("definition", [metric for metric in METRICS if explanation(metric).worked], identity)
def test_the_example_by_hand_is_the_value_of_the_sql(definition: Definition) -> None:
    """DuckDB computes the left side from its numbers alone; it is the value of the query, or of all rows."""
    connection = duckdb.connect()
    by_hand = {}
    for step in explanation(definition).worked:
        assert re.fullmatch(r"[\d.e,()\[\]+*/ a-z_^-]+", step.expression), "an expression of numbers"
        (value,) = connection.execute(f"SELECT ({step.expression})::DOUBLE").fetchall()[0]
        assert value == pytest.approx(float(step.value), abs=6e-5), step
        by_hand[step.of] = value
    computed = on_sample(definition)
    assert by_hand == pytest.approx(computed, abs=1e-9)


def on_sample(definition: Definition) -> dict[str, float]:
    """Return the values of the header's example: one for each query of the sample, or one for all rows."""
    return examples(definition.family)[definition.name]


@cache
def examples(family: str) -> dict[str, dict[str, float]]:
    """Compute the examples of a family in one call: metric -> query, or "" for all rows -> value."""
    specs = {metric.name: spec_of(metric) for metric in METRICS if metric.family == family}
    result = duckmetrics.evaluate("predictions", metrics=[*specs.values()], **of_sample(family))
    if family != "ranking":
        return {name: {"": row["value"]} for name, row in zip(specs, result.rows, strict=True)}
    labels = {spec: name for name, spec in specs.items()}
    found: dict[str, dict[str, float]] = {name: {} for name in specs}
    for row in result.rows:
        if CATALOG.metrics[family, labels[row["metric"]]].is_of_systems:
            found[labels[row["metric"]]][""] = row["value"]
    for row in result.per_query.to_pylist():
        found[labels[row["metric"]]][row["query_id"]] = row["value"]
    return found


def spec_of(definition: Definition) -> str:
    """Return the call of the header's example as a spec."""
    match = re.match(r"\w+\((.*)\) = ", definition.header["example"])
    assert match is not None
    switches = match[1].replace(" := ", "=").replace("'", "")
    return f"{definition.family}.{definition.name}" + (f"({switches})" if switches else "")
