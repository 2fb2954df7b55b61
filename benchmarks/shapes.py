"""``python -m benchmarks shapes``: five metrics over tables of many shapes, as people have them.

A shape is a kind of ids, of lists, of the order of rows, of scores, and of the source of the predictions.
Every two values of different kinds meet in some shape. Each is evaluated as a whole process, next to DuckDB's
bare join of the two files, and to Polars by hand, which checks nothing and reads Parquet.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.data import size
from benchmarks.timing import FailedError, Run, run
from benchmarks.works import FIVE, OURS, SINGLE, Contestant, command, peer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SCRIPTS = Path(__file__).with_name("data") / "shape"
RESULTS = Path("benchmarks/results")
KINDS = {
    "ids": ("small", "sparse", "hashed", "uuid", "text", "hex"),
    "lists": ("10", "100", "1000", "mixed"),
    "rows": ("users", "shuffled", "days"),
    "scores": ("double", "float", "digits", "equal"),
    "source": ("parquet", "table", "csv"),
}
JOIN, POLARS = "bare join", "Polars by hand"
PEERS = {JOIN: peer("bare_join"), POLARS: peer("polars_ranking")}
# The options that name the predictions and the truth.
TABLES = {
    "parquet": ("predictions.parquet", "truth.parquet"),
    "table": ("predictions", "truth", "--database", "shape.duckdb"),
    "csv": ("predictions.csv", "truth.csv"),
}


class Shape(NamedTuple):
    """One value of each kind."""

    ids: str
    lists: str
    rows: str
    scores: str
    source: str

    @property
    def folder(self) -> str:
        """The folder of its files, which all sources share."""
        return "-".join(self[:-1])


def shapes() -> list[Shape]:
    """Return shapes in which every two values of different kinds meet; small ids in Parquet come first."""
    every = [Shape(*values) for values in itertools.product(*KINDS.values())]
    missing = {pair for one in every for pair in _pairs(one)}
    found: list[Shape] = []
    while missing:
        best = max(every, key=lambda one: len(missing.intersection(_pairs(one))))
        missing.difference_update(_pairs(best))
        found.append(best)
    return sorted(found, key=_place)


def _place(shape: Shape) -> list[int]:
    return [values.index(value) for values, value in zip(KINDS.values(), shape, strict=True)]


def _pairs(shape: Shape) -> Iterator[tuple[tuple[str, str], ...]]:
    yield from itertools.combinations(zip(KINDS, shape, strict=True), 2)


def generate(folder: Path, shape: Shape, rows: int) -> Path:
    """Write the files of a shape unless they are there; return their folder."""
    place = folder / size(rows) / "shapes" / shape.folder
    if (place / "done").exists():
        return place
    place.mkdir(parents=True, exist_ok=True)
    parts = [f"{kind}_{value}" for kind, value in zip(KINDS, shape[:-1], strict=False)]
    here = Path.cwd()
    os.chdir(place)
    try:
        with duckdb.connect() as connection:
            for part in (*parts, "shape"):
                for statement in connection.extract_statements((SCRIPTS / f"{part}.sql").read_text("utf-8")):
                    known = {"rows": rows} if statement.named_parameters else None
                    connection.execute(statement, known)
    finally:
        os.chdir(here)
    (place / "done").touch()
    return place


def measured(shape: Shape, place: Path, turns: int) -> Iterator[tuple[str, int, Run]]:
    """Run all contestants in turns; the values of Polars are compared where no scores are equal.

    Raises:
        SystemExit: the values differ.
    """
    ours = Contestant(("-m", OURS, "evaluate", *TABLES[shape.source], "-m", FIVE, "--format", "json"))
    for turn in range(turns):
        found = {name: run(command(one), place) for name, one in {OURS: ours, **PEERS}.items()}
        if shape.scores in ("double", "float"):
            for metric, value in found[OURS].values.items():
                if abs(value - found[POLARS].values[metric]) > SINGLE:
                    raise SystemExit(f"{shape}: {metric} is {value}, not {found[POLARS].values[metric]}")
        yield from ((name, turn, one) for name, one in found.items())


SCHEMA = pa.schema([
    *((kind, pa.string()) for kind in KINDS), ("predictions", pa.int64()), ("process", pa.string()),
    ("turn", pa.int32()), ("seconds", pa.float64()), ("cpu", pa.float64()), ("mib", pa.float64()),
])  # fmt: skip


def write(folder: Path) -> None:
    """Write the page from the runs that are kept."""
    table = pq.read_table(folder / "shapes.parquet")
    told = (
        "CPU seconds of whole processes, and ratios within a turn (medians). Polars by hand reads Parquet "
        "and checks nothing; a ratio below 1, in bold, means that it needs less."
    )
    lines = ["# Shapes", "", told, ""]
    for rows in sorted(set(table["predictions"].to_pylist())):
        known = [row for row in table.to_pylist() if row["predictions"] == rows]
        lines += [f"## {rows:,} predictions", "", *_table(known), ""]
    (folder / "shapes.md").write_text("\n".join(lines).rstrip() + "\n", "utf-8")


def _table(rows: Sequence[dict[str, object]]) -> Iterator[str]:
    yield f"| {' | '.join(KINDS)} | CPU s | / {JOIN} | Polars / ours | MiB | Polars MiB |"
    yield "|" + "---|" * len(KINDS) + "---:|" * 5
    ratios: list[float] = []
    for shape in shapes():
        own = [row for row in rows if tuple(row[kind] for kind in KINDS) == shape]
        if not own:
            continue
        cpu, mib = ({name: [row[what] for row in own if row["process"] == name] for name in (OURS, *PEERS)}
                    for what in ("cpu", "mib"))  # fmt: skip
        to_join = statistics.median(map(_divided, cpu[OURS], cpu[JOIN]))
        to_polars = statistics.median(map(_divided, cpu[POLARS], cpu[OURS]))
        ratios.append(to_polars)
        mark = "**" if to_polars < 1 else ""
        yield (f"| {' | '.join(shape)} | {statistics.median(cpu[OURS]):.2f} | {to_join:.1f} | "
               f"{mark}{to_polars:.2f}{mark} | {max(mib[OURS]):.0f} | {max(mib[POLARS]):.0f} |")  # fmt: skip
    if ratios:
        yield ""
        mean = statistics.geometric_mean(ratios)
        yield f"Polars / ours: {mean:.2f} in the geometric mean, {min(ratios):.2f} to {max(ratios):.2f}."


def _divided(one: float, other: float) -> float:
    return one / other


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks shapes", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("benchmarks/.data"), help="folder of the data")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--rows", type=int, default=1_000_000, help="number of predictions")
    parser.add_argument("--turns", type=int, default=3, help="turns")
    parser.add_argument("--only", default="", metavar="TEXT", help="shapes whose values contain this")
    options = parser.parse_args(arguments)
    kept = options.output / "shapes.parquet"
    known = pq.read_table(kept).to_pylist() if kept.exists() else []
    for shape in shapes():
        if options.only not in shape.folder + shape.source:
            continue
        own = {**shape._asdict(), "predictions": options.rows}
        try:
            runs = list(
                measured(shape, generate(options.folder.absolute(), shape, options.rows), options.turns)
            )
        except FailedError as error:
            print(f"{shape}: {error}", flush=True)
            continue
        known = [row for row in known if not own.items() <= row.items()]
        known += [
            {**own, "process": name, "turn": turn, "seconds": one.seconds, "cpu": one.cpu, "mib": one.mib}
            for name, turn, one in runs
        ]  # fmt: skip
        pq.write_table(pa.Table.from_pylist(known, SCHEMA), kept)
        print(*_table([row for row in known if own.items() <= row.items()]), sep="\n", flush=True)
    write(options.output)
