"""The differences of a comparison by slice: whether they differ from each other, and shrunken estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from duckmetrics.results.document import json_object
from duckmetrics.results.notebook import readable

if TYPE_CHECKING:
    import pyarrow as pa

    from duckmetrics.results.evaluation import Evaluation

WORDS = ("system", "metric", "slice")
COUNTS = ("n_slices", "df")
NUMBERS = ("q", "p", "i2", "tau2", "delta", "delta_lower", "delta_upper")


class Sliced(NamedTuple):
    """What the slices show together.

    heterogeneity: one dictionary per system, metric and slicing.
    shrunk: one dictionary per system, metric and slice.
    """

    heterogeneity: tuple[dict[str, Any], ...] = ()
    shrunk: tuple[dict[str, Any], ...] = ()


class SlicedDifferences:
    """A comparison with slices.

    Attributes:
        sliced: what the slices show together.
        evaluation: the values of the systems.
    """

    sliced: Sliced
    evaluation: Evaluation

    @property
    def heterogeneity(self) -> pa.Table:
        """Whether the differences are the same in every slice: one row per system, metric and slicing.

        system, metric, slice, n_slices; q, df, p: Cochran's Q of the differences, see
        sql/statistics/heterogeneity.sql, p not adjusted; i2: the share of their variation that is between
        the slices; tau2: the variance between them; delta, delta_lower, delta_upper: the mean of the slices.
        Slicings with fewer than two tested slices have no row.

        Example:
            tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
            result = duckmetrics.compare(*tables, "ndcg@10", system="system", baseline="blocks")
            result.heterogeneity.num_rows  # 0
        """
        import pyarrow as pa

        types = dict.fromkeys(WORDS, pa.string()) | dict.fromkeys(COUNTS, pa.int64())
        types |= dict.fromkeys(NUMBERS, pa.float64())
        order = (*WORDS, "n_slices", "q", "df", *NUMBERS[1:])
        return self._sliced_table(self.sliced.heterogeneity, [(name, types[name]) for name in order])

    def shrunk(self) -> pa.Table:
        """Return the difference of every slice, moved toward the mean of the slices.

        The differences of small slices are uncertain, and the largest of them are exaggerated by chance.

        Returns:
            (system, metric, slice, the slicing columns, delta, se, shrunk, shrunk_lower, shrunk_upper):
            shrunk is delta, moved to the mean by its share of chance, see sql/statistics/shrinkage.sql.
            Slicings with fewer than two tested slices have no rows.

        Example:
            tables = "data/digits/pixels.parquet", "data/digits/qrels.parquet"
            result = duckmetrics.compare(*tables, "ndcg@10", system="system", baseline="blocks")
            result.shrunk().num_rows  # 0
        """
        import pyarrow as pa

        known = self.evaluation.summary.schema
        own = [(name, known.field(name).type) for name in (*WORDS, *self.evaluation.by)]
        numbers = ("delta", "se", "shrunk", "shrunk_lower", "shrunk_upper")
        return self._sliced_table(self.sliced.shrunk, [*own, *((name, pa.float64()) for name in numbers)])

    def _sliced_document(self) -> dict[str, Any]:
        """Return what the slices show together for JSON, under its key; nothing without slices."""
        told = [json_object(row) for row in self.sliced.heterogeneity]
        return {"heterogeneity": told} if told else {}

    def _sliced_table(self, rows: tuple[dict[str, Any], ...], columns: list[tuple[str, Any]]) -> pa.Table:
        import pyarrow as pa

        return readable(pa.Table.from_pylist(list(rows), pa.schema(columns)))
