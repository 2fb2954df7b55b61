"""Points in time as ids: each unit, with a zone and without one."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest

import duckmetrics
from duckmetrics import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

UNITS, ZONES = ("s", "ms", "us", "ns"), (None, "UTC", "America/New_York")
TYPES = list(product(UNITS, ZONES))


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("SET TimeZone = 'America/New_York'")
        yield opened


def ids(unit: str, zone: str | None) -> pa.Array:
    return pa.array([datetime(2024, 3, 31, hour) for hour in (1, 2)], pa.timestamp(unit)).cast(
        pa.timestamp(unit, zone)
    )


def mrr(one: pa.Array, other: pa.Array, connection: duckdb.DuckDBPyConnection) -> float | None:
    run = pa.table({"query_id": [1, 1], "item_id": one, "score": [0.9, 0.1]})
    truth = pa.table({"query_id": [1], "item_id": other[1:]})
    return duckmetrics.evaluate(run, truth, "mrr", connection=connection)["mrr"]


@pytest.mark.some(3)
@pytest.mark.parametrize(("one", "other"), [
    (("ns", "UTC"), ("ns", None)), (("us", "UTC"), ("us", None)), (("ns", "UTC"), ("us", "UTC")),
    (("s", None), ("ns", None)), *product(TYPES, TYPES),
])  # fmt: skip
def test_times_with_a_zone_are_ids_of_one_kind_in_every_unit(
    one: tuple[str, str | None], other: tuple[str, str | None], connection: duckdb.DuckDBPyConnection
) -> None:
    """The items are the same points in time, or two clocks that nothing says how to compare."""
    if (one[1] is None) == (other[1] is None):
        assert mrr(ids(*one), ids(*other), connection) == 0.5
    else:
        with pytest.raises(InputError, match=r"item_id: .* of type TIMESTAMP"):
            mrr(ids(*one), ids(*other), connection)


@pytest.mark.skipif(duckdb.__version__ < "2", reason="DuckDB reads microseconds only")
def test_nanoseconds_tell_ids_apart(connection: duckdb.DuckDBPyConnection) -> None:
    """Both would be one microsecond; the second id of the run is relevant."""
    moment = int(datetime(2024, 3, 31, tzinfo=UTC).timestamp()) * 10**9
    one = pa.array([moment + 1, moment], pa.timestamp("ns", "UTC"))
    truth = one.cast(pa.timestamp("us", "UTC"), safe=False)
    assert mrr(one, truth, connection) == 0.5
