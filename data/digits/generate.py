"""Write pixels.parquet (two runs) and qrels.parquet: handwritten digits that look for their own kind.

Run it from anywhere: ``python data/digits/generate.py`` (needs scikit-learn and pyarrow, no network).
Every dot product is of integers, so the scores are the same doubles on every machine.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.datasets import load_digits

FOLDER = Path(__file__).parent
EVERY = 9  # each ninth image is a query, the others are the items
DEPTH = 50


def cosine(queries: np.ndarray, items: np.ndarray) -> np.ndarray:
    """Cosine similarity of integer vectors, shape (queries, items)."""
    dots = queries @ items.T
    norms = (queries**2).sum(axis=1)[:, None] * (items**2).sum(axis=1)[None, :]
    return dots / np.sqrt(norms)


def run(system: str, scores: np.ndarray, query_ids: np.ndarray, item_ids: np.ndarray) -> pa.Table:
    """The DEPTH best items of each query; among equal scores the smaller id first."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
    return pa.table(
        {
            "system": pa.array([system] * best.size),
            "query_id": np.repeat(query_ids, DEPTH),
            "item_id": item_ids[best].ravel(),
            "score": np.take_along_axis(scores, best, axis=1).ravel(),
        }
    )


def write(table: pa.Table, name: str) -> None:
    """Save the table beside this script."""
    pq.write_table(table, FOLDER / name, compression="zstd", compression_level=19)


digits = load_digits()
pixels = digits.images.astype(np.int64)  # (1797, 8, 8), each 0 to 16
ids = np.array([f"img-{number:04d}" for number in range(len(pixels))])
is_query = np.arange(len(pixels)) % EVERY == 0

# A cruder look at the same images: 4 x 4 blocks of four pixels, the ink of each in five levels.
# Some scores tie.
blocks = pixels.reshape(-1, 4, 2, 4, 2).sum(axis=(2, 4)) // 16
systems = {"pixels": pixels, "blocks": blocks}

runs = []
for name, images in systems.items():
    vectors = images.reshape(len(images), -1)
    runs.append(run(name, cosine(vectors[is_query], vectors[~is_query]), ids[is_query], ids[~is_query]))
write(pa.concat_tables(runs), "pixels.parquet")

same = digits.target[is_query][:, None] == digits.target[~is_query][None, :]
query, item = np.nonzero(same)
write(
    pa.table(
        {
            "query_id": ids[is_query][query],
            "item_id": ids[~is_query][item],
            "relevance": np.ones(len(query), dtype=np.int32),
        }
    ),
    "qrels.parquet",
)
