"""Results with a wide form: systems and slices as rows, metrics as columns."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from duckmetrics.expressions.visible import hashable
from duckmetrics.results.tabular import Tabular, polars_frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Widened(Tabular):
    """A table with a row per metric, which has a form with a column per metric, too."""

    @abstractmethod
    def wide(self) -> pa.Table:
        """Return one row per system and slice, with a column per metric."""

    def to_arrow(self, wide: bool = False) -> pa.Table:
        """Return the result as an Arrow table.

        Args:
            wide: as for `to_pandas`.

        Example:
            ev = duckmetrics.evaluate("data/breast_cancer/predictions.parquet", metrics="auc", by="radius")
            ev.to_arrow(wide=True).column_names  # ['slice', 'radius', 'auc']
        """
        return self.wide() if wide else self.summary

    def to_pandas(self, wide: bool = False) -> pd.DataFrame:
        """Return the result as a pandas data frame.

        Args:
            wide: systems and slices are rows, and metrics are columns; by default each metric has its own
                row with all numbers, see `summary`.

        Example:
            ev = duckmetrics.evaluate("data/breast_cancer/predictions.parquet", metrics="auc", by="radius")
            len(ev.to_pandas())  # 4
            list(ev.to_pandas(wide=True).columns)  # ['slice', 'radius', 'auc']
        """
        return (self.wide() if wide else self.summary).to_pandas()

    def to_polars(self, wide: bool = False) -> pl.DataFrame:
        """Return the result as a Polars data frame.

        Args:
            wide: as for `to_pandas`.

        Example:
            ev = duckmetrics.evaluate("data/breast_cancer/predictions.parquet", metrics="auc", by="radius")
            ev.to_polars(wide=True).columns  # ['slice', 'radius', 'auc']
        """
        return polars_frame(self.wide() if wide else self.summary)


def widened(
    rows: Sequence[Mapping[str, Any]], schema: pa.Schema, keys: Sequence[str], columns: Sequence[str]
) -> pa.Table:
    """Return one row per combination of the keys, with columns for each metric.

    Args:
        rows: with the columns metric, `keys` and `columns`.
        schema: the types of these columns.
        columns: the first one has the name of the metric, the others names such as ``"ndcg@10 delta"``.
    """
    import pyarrow as pa

    shown = [key for key in keys if any(row[key] not in (None, "") for row in rows)]
    lines: dict[Any, dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        lines.setdefault(tuple(hashable(row[key]) for key in keys), {})[row["metric"]] = row
    names, arrays = list(shown), []
    for key in shown:
        own = [next(iter(line.values()))[key] for line in lines.values()]
        arrays.append(pa.array(own, schema.field(key).type))
    for metric in dict.fromkeys(row["metric"] for row in rows):
        for column in columns:
            names.append(metric if column == columns[0] else f"{metric} {column}")
            cells = [line.get(metric, {}).get(column) for line in lines.values()]
            arrays.append(pa.array(cells, schema.field(column).type))
    return pa.Table.from_arrays(arrays, names)
