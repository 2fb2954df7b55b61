"""A comparison under other conventions: does the verdict depend on them?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from duckmetrics.errors import DuckmetricsError

if TYPE_CHECKING:
    import pyarrow as pa

# The rows of a comparison with other switches, or why there is none.
Recounted = Sequence[Mapping[str, Any]] | DuckmetricsError
Recount = Callable[[Mapping[str, Any]], Recounted]
NUMBERS = (
    "value", "baseline_value", "delta", "relative_change", "relative_lower", "relative_upper", "p_adjusted",
)  # fmt: skip


def conventions_text(switches: Mapping[str, Any]) -> str:
    """Write switches as a person would: ``missing=skip, unjudged=skip``."""
    return ", ".join(f"{name}={value}" for name, value in switches.items())


def otherwise_table(
    rows: Sequence[Mapping[str, Any]], baseline: str, others: Sequence[tuple[str, Recounted]]
) -> pa.Table:
    """Return the overall rows of a comparison, and then those under each of the other conventions."""
    import pyarrow as pa

    found = [*_overall("", rows, baseline)]
    for text, recounted in others:
        if isinstance(recounted, DuckmetricsError):
            found.append({"otherwise": text, "reason": str(recounted)})
        else:
            found += _overall(text, recounted, baseline)
    texts = dict.fromkeys(("otherwise", "metric", "system"), pa.string())
    types = {**texts, **dict.fromkeys(NUMBERS, pa.float64()), "verdict": pa.string(), "n": pa.int64()}
    schema = pa.schema({**types, "reason": pa.string()})
    return pa.Table.from_pylist(found, schema)


def _overall(text: str, rows: Sequence[Mapping[str, Any]], baseline: str) -> list[dict[str, Any]]:
    """Return the overall rows of the systems that are compared with the baseline."""
    overall = [row for row in rows if not row["slice"]]
    bases = {row["metric"]: row["value"] for row in overall if row["system"] == baseline}
    return [
        {**row, "otherwise": text, "baseline_value": bases.get(row["metric"])}
        for row in overall if row["system"] != baseline
    ]  # fmt: skip
