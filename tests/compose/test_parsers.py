"""The text for other engines is SQL to their own parsers, also where nobody executes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from duckmetrics.api.sql import sql
from duckmetrics.catalog.specs import parse_measure
from duckmetrics.compose.dialects import DIALECTS
from duckmetrics.compose.portable import reason_against
from support.cases import CATALOG
from support.golden import SPECS, golden
from support.other_engines import spark_session

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow
NONSENSE = "SELECT FROM predictions WHERE"


def of_postgres() -> Callable[[str], object]:
    return pytest.importorskip("pglast").parse_sql


def of_trino() -> Callable[[str], object]:
    parser = pytest.importorskip("trino_query_parser")
    return lambda text: parser.parse_statement(text.rstrip().removesuffix(";"))


def of_bigquery() -> Callable[[str], object]:
    """Return GoogleSQL, which BigQuery has."""
    api, types = pytest.importorskip("zetasql.api"), pytest.importorskip("zetasql.types")
    options = types.LanguageOptions.maximum_features()
    return lambda text: api.Parser.parse_statement_static(text, options)


def of_clickhouse() -> Callable[[str], object]:
    engine = pytest.importorskip("chdb")
    return lambda text: engine.query(f"EXPLAIN AST {text.rstrip().removesuffix(';')}")


def of_spark() -> Callable[[str], object]:
    parser = spark_session()._jsparkSession.sessionState().sqlParser()
    return lambda text: parser.parsePlan(text.rstrip().removesuffix(";"))


PARSERS = {
    "postgres": of_postgres,
    "trino": of_trino,
    "bigquery": of_bigquery,
    "clickhouse": of_clickhouse,
    "spark": of_spark,
}
NAMES = [pytest.param(name, marks=pytest.mark.spark) if name == "spark" else name for name in PARSERS]


@pytest.mark.parametrize("name", NAMES)
def test_the_parser_of_an_engine_takes_its_text(name: str) -> None:
    parse = PARSERS[name]()
    with pytest.raises(Exception, match=r"(?i)syntax|from"):
        parse(NONSENSE)
    for family in SPECS:
        parse(golden(family, name))


@pytest.mark.parametrize("name", ["postgres", "bigquery"])
def test_the_parser_of_an_engine_takes_every_metric(name: str) -> None:
    parse = PARSERS[name]()
    taken = 0
    for (family, _), metric in CATALOG.metrics.items():
        if reason_against(CATALOG, metric) is None:
            needed = ", ".join(f"{p.name}=0.5" for p in metric.own_params.values() if p.required)
            spec = f"{family}.{metric.name}" + (f"({needed})" if needed else "")
            assert parse_measure(CATALOG, spec)
            parse(sql(spec, name))
            taken += 1
    assert taken > 100


def test_bigquery_knows_the_types_of_what_it_reads() -> None:
    """GoogleSQL resolves names, types and functions, as BigQuery does before it runs a query."""
    api, types = pytest.importorskip("zetasql.api"), pytest.importorskip("zetasql.types")
    kinds = {"id": types.TypeKind.TYPE_STRING, "number": types.TypeKind.TYPE_DOUBLE,
             "label": types.TypeKind.TYPE_INT64}  # fmt: skip
    tables = {
        "ranking": {
            "predictions": {"query_id": "id", "item_id": "id", "score": "number"},
            "truth": {"query_id": "id", "item_id": "id", "relevance": "number"},
        },
        "classification": {"predictions": {"label": "label", "score": "number"}},
    }
    options = types.LanguageOptions.maximum_features()
    functions = types.ZetaSQLBuiltinFunctionOptions(language_options=options)
    for family, known in tables.items():
        catalog = api.CatalogBuilder("catalog").with_builtin_functions(functions)
        for table, columns in known.items():
            built = api.TableBuilder(table)
            for column, kind in columns.items():
                built = built.add_column(column, kinds[kind])
            catalog = catalog.add_table(built.build())
        analyzer = api.Analyzer(types.AnalyzerOptions(language_options=options), catalog.build())
        assert analyzer.analyze_statement(golden(family, "bigquery"))
        with pytest.raises(Exception, match="Unrecognized name: nothing"):
            analyzer.analyze_statement("SELECT nothing FROM predictions")


@pytest.mark.parametrize("name", DIALECTS)
def test_a_text_that_no_test_executes_says_so_first(name: str) -> None:
    first = golden("ranking", name).splitlines()[0]
    assert first.startswith(f"-- {DIALECTS[name].engine} (")
    assert ("no test executes it" in first) is not DIALECTS[name].executed
