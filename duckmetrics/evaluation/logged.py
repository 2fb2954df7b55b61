"""The rows that the log keeps of an evaluation: its values, and a fingerprint of the data."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from duckmetrics.catalog.definition import DIALECT
from duckmetrics.engines import run_log
from duckmetrics.engines.engine import Feature
from duckmetrics.expressions.build import hash_of_all, row_count
from duckmetrics.inputs.inputs import VALUES
from duckmetrics.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from duckmetrics.evaluation.report_data import Opened
    from duckmetrics.inputs.sources import Source
    from duckmetrics.results.evaluation import Evaluation
    from duckmetrics.results.per_query import LogPlace


# The columns of a row of results that are logged as they are.
KEPT = (
    "system", "metric", "slice", "value", "lower", "upper", "n", "reason", "better", "target", "signature",
)  # fmt: skip
# Types of days and times.
_TIME = ("DATE", "TIMESTAMP")


def log(evaluation: Evaluation, place: LogPlace, session: Opened, per_query: exp.Query | None) -> str:
    """Append an evaluation to a log of runs, and return the name of the run."""
    with session.engine.exclusive(keep=False):
        session.refuse_changed()
        known = {**dict.fromkeys(FINGERPRINT), **_fingerprint(session, per_query)}
    rows = _rows(evaluation, known, dict(place.tags))
    if not place.values or per_query is None:
        return run_log.append(place, rows)
    text = exp.cast(exp.column("query_id"), "VARCHAR").as_("query_id")
    values = exp.select("system", "metric", text, "value").from_(per_query.subquery("per_query"))
    with TemporaryDirectory(prefix="duckmetrics-") as folder:
        draft = Path(folder) / "values.parquet"
        session.engine.copy(values, draft)
        return run_log.append(place, rows, draft)


# What is known of the data: rows and queries, the first and the last day, and a hash of the ids of queries.
FINGERPRINT = ("n_rows", "n_queries", "first_day", "last_day", "query_hash")


def _rows(evaluation: Evaluation, known: Mapping[str, Any], tags: Mapping[str, str]) -> pa.Table:
    """Return the rows of the log but for the time and the name of the run."""
    import pyarrow as pa

    pairs = pa.map_(pa.string(), pa.string())
    columns: dict[str, tuple[Any, pa.DataType]] = {
        name: ([row.get(name) for row in evaluation.rows], _type(name)) for name in KEPT
    }
    segments = [
        [(column, None if value is None else str(value)) for column, value in evaluation.segment(row).items()]
        for row in evaluation.rows
    ]
    n = len(evaluation.rows)
    columns |= {
        "segment": (segments, pairs), "level": ([evaluation.level] * n, pa.float64()),
        "release": ([__version__] * n, pa.string()), "tags": ([list(tags.items())] * n, pairs),
        "n_rows": ([known["n_rows"]] * n, pa.int64()), "n_queries": ([known["n_queries"]] * n, pa.int64()),
    }  # fmt: skip
    columns |= {name: ([known[name]] * n, pa.string()) for name in FINGERPRINT[2:]}
    return pa.table({name: pa.array(values, type_) for name, (values, type_) in columns.items()})


def _type(name: str) -> pa.DataType:
    import pyarrow as pa

    if name in ("value", "lower", "upper", "target"):
        return pa.float64()
    return pa.int64() if name == "n" else pa.string()


def _fingerprint(session: Opened, per_query: exp.Query | None) -> dict[str, Any]:
    """Count the rows of the data, and find their days and the hash of the ids, if that costs little."""
    engine, found = session.engine, dict[str, Any]()
    sources = list(_sources(session))
    if sources and engine.supports(Feature.REREADING):
        found["n_rows"] = sum(engine.rows(row_count(one.relation.copy()))[0][0] for one in sources)
        ends = [end for one in sources for end in _days(session, one)]
        if ends:
            found |= {"first_day": str(min(ends)), "last_day": str(max(ends))}
    if per_query is not None and engine.dialect == DIALECT:
        ids = exp.select(exp.cast(exp.column("query_id"), "VARCHAR").as_("id")).distinct()
        query = exp.select(exp.Count(this=exp.Star()), hash_of_all(exp.column("id"))).from_(
            ids.from_(per_query.subquery("per_query")).subquery("ids")
        )
        ((found["n_queries"], found["query_hash"]),) = engine.rows(query)
    return found


def _sources(session: Opened) -> Iterator[Source]:
    """Yield the tables of the predictions, or of the values."""
    for (_, role), known in session.tables.found.items():
        if role in ("predictions", VALUES):
            yield known.source


def _days(session: Opened, source: Source) -> Sequence[Any]:
    """Return the first and the last day of the rows; none if no column, or more than one, has times."""
    table = source.whole if source.in_place else source
    names = [name for name, type_ in table.columns.items() if type_.startswith(_TIME)]
    if len(names) != 1:
        return []
    return [end for end in session.engine.extremes(table, names[0]) if end is not None]
