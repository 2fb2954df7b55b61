"""Parquet files whose statistics are wrong."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa


def write_with_wrong_ends(table: pa.Table, path: Path, ends: Mapping[float, float]) -> None:
    """Write a file that states other ends of a column of DOUBLE.

    Args:
        ends: end -> what the file says instead.
    """
    pq.write_table(table, path, compression="none", use_dictionary=False)
    whole = path.read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    stated = whole[-footer:]
    for old, new in ends.items():
        assert struct.pack("<d", old) in stated
        stated = stated.replace(struct.pack("<d", old), struct.pack("<d", new))
    path.write_bytes(whole[:-footer] + stated)
