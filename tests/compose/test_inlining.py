"""Steps that a query reads are written into it only where that changes no value."""

from __future__ import annotations

from typing import cast

import pytest
import sqlglot
from sqlglot import exp

from duckmetrics.compose.composer import inline


def inlined(step: str) -> str:
    query = cast("exp.Select", sqlglot.parse_one("SELECT x FROM step", dialect="duckdb"))
    inline(query, cast("exp.Select", sqlglot.parse_one(step, dialect="duckdb")))
    return query.sql("duckdb")


@pytest.mark.parametrize("star", ["* REPLACE (1 AS x)", "rows.* REPLACE (1 AS x)", "* EXCLUDE (y)"])
def test_a_star_with_other_columns_stays_a_step(star: str) -> None:
    assert inlined(f"SELECT {star} FROM rows") == "SELECT x FROM step"


def test_a_column_of_a_step_is_written_into_the_query() -> None:
    assert inlined("SELECT y AS x FROM rows") == "SELECT y AS x FROM rows"
