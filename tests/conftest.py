"""What the tests share: the catalogue, the tiny cases, and evaluation beside the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.cases import ALONE, TOGETHER, open_case

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb


@pytest.fixture(params=(TOGETHER, *ALONE))
def case(request: pytest.FixtureRequest) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection with the tables `predictions` and `truth` of one case, or of several."""
    connection = open_case(request.param)
    yield connection
    connection.close()
