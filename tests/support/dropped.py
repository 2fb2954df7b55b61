"""Files that people drop: from several tools, and with faults."""

from __future__ import annotations

import csv
import gzip
import json
from datetime import datetime
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

QUERIES, ITEMS = 30, 12
# A file may name its query like this; the page shows it as text.
MARKUP = "<img src=x onerror=alert(1)>"
# The first integer that a double does not hold.
BIG = 2**53 + 1


def ranking(query: object = "query {}") -> tuple[pa.Table, pa.Table]:
    """Return predictions and truth of a few queries, with ties; `query` writes the id of a number."""
    write = query.format if isinstance(query, str) else query
    runs, judged = [], []
    for number in range(QUERIES):
        name = write(number)  # type: ignore[operator]
        for item in range(ITEMS):
            runs.append((name, f"item {item}", ((item * 7 + number * 5) % 13) / 4))
            if (item + number) % 3 == 0:
                judged.append((name, f"item {item}", 1 + (item + number) % 2))
    return _table(runs, "query_id", "item_id", "score"), _table(judged, "query_id", "item_id", "relevance")


def _table(rows: list[tuple[object, ...]], *names: str) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})


def parquet(folder: Path, **tables: pa.Table) -> list[Path]:
    """Write tables as Parquet, each named after its key."""
    paths = []
    for name, table in tables.items():
        paths.append(folder / f"{name}.parquet")
        pq.write_table(table, paths[-1])
    return paths


def pair(folder: Path, query: object = "query {}") -> list[Path]:
    """Write predictions and truth as Parquet."""
    run, truth = ranking(query)
    return parquet(folder, run=run, truth=truth)


def text(folder: Path, suffix: str = ".csv", delimiter: str = ",") -> list[Path]:
    """Write both tables as text; with .gz they are compressed."""
    paths = []
    for name, table in zip(("run", "truth"), ranking(), strict=True):
        paths.append(folder / f"{name}{suffix}")
        opened = gzip.open if suffix.endswith(".gz") else open
        with opened(paths[-1], "wt", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(table.column_names)
            writer.writerows(zip(*table.to_pydict().values(), strict=True))
    return paths


def indexed(folder: Path) -> list[Path]:
    """Write CSV with the numbers of the rows in a first column without a name, as pandas does."""
    paths = text(folder)
    for path in paths:
        head, *lines = path.read_text("utf-8").splitlines()
        rows = (f"{number},{line}" for number, line in enumerate(lines))
        path.write_text("\n".join([f",{head}", *rows, ""]), "utf-8")
    return paths


def trec(folder: Path) -> list[Path]:
    """Write a run and qrels of TREC."""
    run, truth = ranking(lambda number: f"q{number}")
    with (folder / "system.run").open("w", encoding="utf-8") as file:
        for query, item, score in zip(*run.to_pydict().values(), strict=True):
            file.write(f"{query} Q0 {item.replace(' ', '-')} 0 {score} system\n")
    with (folder / "truth.qrels").open("w", encoding="utf-8") as file:
        for query, item, relevance in zip(*truth.to_pydict().values(), strict=True):
            file.write(f"{query} 0 {item.replace(' ', '-')} {relevance}\n")
    return [folder / "system.run", folder / "truth.qrels"]


def as_json(folder: Path) -> list[Path]:
    """Write JSON: lines of objects, and an object of objects."""
    run, truth = ranking()
    lines = folder / "run.jsonl"
    lines.write_text("\n".join(map(json.dumps, run.to_pylist())), "utf-8")
    nested: dict[str, dict[str, int]] = {}
    for row in truth.to_pylist():
        nested.setdefault(row["query_id"], {})[row["item_id"]] = row["relevance"]
    (folder / "qrels.json").write_text(json.dumps(nested), "utf-8")
    return [lines, folder / "qrels.json"]


def lists(folder: Path) -> list[Path]:
    """Write a row per query with a list of items."""
    run, truth = ranking()
    connection = duckdb.connect()
    connection.register("run", run)
    connection.register("truth", truth)
    connection.execute(
        "COPY (SELECT query_id, list(item_id ORDER BY score DESC, item_id) AS item_id FROM run GROUP BY ALL)"
        f" TO '{folder / 'run.parquet'}'"
    )
    connection.execute(f"COPY truth TO '{folder / 'truth.parquet'}'")
    return [folder / "run.parquet", folder / "truth.parquet"]


def dictionaries(folder: Path) -> list[Path]:
    """Write dictionary columns, with 200 more columns in the predictions."""
    run, truth = (
        table.set_column(0, "query_id", table["query_id"].dictionary_encode()) for table in ranking()
    )
    for number in range(200):
        run = run.append_column(f"feature_{number}", pa.array([number] * run.num_rows))
    return parquet(folder, run=run, truth=truth)


def of_spark(folder: Path) -> list[Path]:
    """Write Parquet as Spark does: timestamps of 96 bits, groups of 100 rows, a name with brackets."""
    paths = [folder / "part-00000-c000[1].snappy.parquet", folder / "truth.parquet"]
    tables = ranking(lambda number: datetime(2026, 1, 1 + number, 12, 30))
    for path, table in zip(paths, tables, strict=True):
        pq.write_table(table, path, flavor="spark", use_deprecated_int96_timestamps=True, row_group_size=100)
    return paths


def of_polars(folder: Path) -> list[Path]:
    """Write Parquet as Polars does, with ids as categories."""
    polars = pytest.importorskip("polars")
    paths = [folder / "run.parquet", folder / "truth.parquet"]
    for path, table in zip(paths, ranking(), strict=True):
        frame = polars.from_arrow(table)
        frame.with_columns(polars.col("query_id").cast(polars.Categorical)).write_parquet(path)
    return paths


def of_pandas(folder: Path) -> list[Path]:
    """Write Parquet as pandas does: with an index, here the query."""
    pytest.importorskip("pandas")
    paths = [folder / "run.parquet", folder / "truth.parquet"]
    for path, table in zip(paths, ranking(), strict=True):
        table.to_pandas().set_index("query_id").to_parquet(path)
    return paths


def bracketed(folder: Path) -> list[Path]:
    """Write CSV whose name is a pattern of names."""
    run, truth = text(folder)
    return [run.rename(folder / "run[1]*.csv"), truth]


def of_kaggle(folder: Path) -> list[Path]:
    """Write a submission: the items of a query in one text."""
    return _copied(folder, {
        "submission.csv": "SELECT query_id AS customer_id, "
        "string_agg(item_id, ' ' ORDER BY score DESC, item_id) AS prediction FROM run GROUP BY ALL",
        "truth.csv": "SELECT query_id AS customer_id, item_id AS article_id FROM truth",
    })  # fmt: skip


def of_spark_als(folder: Path) -> list[Path]:
    """Write recommendations as lists of items with ratings."""
    return _copied(folder, {
        "recommendations.parquet": "SELECT query_id AS userId, "
        "list({'movie': item_id, 'rating': score::FLOAT} ORDER BY score DESC) AS recommendations "
        "FROM run GROUP BY ALL",
        "truth.parquet": "SELECT query_id AS userId, item_id AS movieId FROM truth",
    })  # fmt: skip


def wide(folder: Path) -> list[Path]:
    """Write a row per query with a column per rank, some of them empty at the end or in between."""
    return _copied(folder, {
        "run.csv": "PIVOT (FROM (SELECT query_id AS user_id, item_id, 'rec_' || row_number() OVER "
        "(PARTITION BY query_id ORDER BY score DESC, item_id) AS place FROM run WHERE score > 0.5) "
        "WHERE place <> 'rec_2' OR ascii(right(CAST(user_id AS VARCHAR), 1)) % 2 = 1) "
        "ON place IN ('rec_1', 'rec_2', 'rec_3', 'rec_4', 'rec_5', 'rec_6', 'rec_7', 'rec_8', 'rec_9', "
        "'rec_10') USING first(item_id)",
        "truth.parquet": "SELECT query_id AS user_id, item_id, relevance FROM truth",
    })  # fmt: skip


def of_spark_ml(folder: Path) -> list[Path]:
    """Write labels with the probabilities of both classes."""
    query = "SELECT label, [1 - score, score] AS probability FROM labeled"
    return _copied(folder, {"predictions.parquet": query})


def of_bigquery(folder: Path) -> list[Path]:
    """Write labels that are text, with the probability of each."""
    return _copied(folder, {
        "predictions.parquet": "SELECT if(label, 'yes', 'no') AS churn, "
        "if(score > 0.5, 'yes', 'no') AS predicted_churn, "
        "[{'label': 'yes', 'prob': score}, {'label': 'no', 'prob': 1 - score}] AS predicted_churn_probs "
        "FROM labeled",
    })  # fmt: skip


def _copied(folder: Path, queries: Mapping[str, str]) -> list[Path]:
    """Write the rows of queries over the ranking, without blanks in items, and over labels with scores.

    Args:
        queries: the name of a file -> its query over `run`, `truth` or `labeled`.
    """
    run, truth = ranking(lambda number: number)
    connection = duckdb.connect()
    connection.register("runs", run)
    connection.register("judged", truth)
    for name, table in (("run", "runs"), ("truth", "judged")):
        connection.execute(
            f"CREATE TABLE {name} AS SELECT * REPLACE (replace(item_id, ' ', '') AS item_id) FROM {table}"
        )
    connection.execute(
        "CREATE TABLE labeled AS"
        " SELECT i % 3 = 0 AS label, (i * 37 % 101) / 101 AS score FROM range(300) AS t (i)"
    )
    for name, query in queries.items():
        connection.execute(f"COPY ({query}) TO '{folder / name}'")
    return [folder / name for name in queries]


def of_movielens(folder: Path, name: str = "u.data", delimiter: str = "\t", header: str = "") -> list[Path]:
    """Write ratings as text that is known by its name."""
    run, truth = ranking(lambda number: number)
    runs, judged = (table.set_column(1, "item_id", _numbers(table)) for table in (run, truth))
    paths = [*parquet(folder, run=runs), folder / name]
    columns = zip(*judged.to_pydict().values(), strict=True)
    lines = [delimiter.join(map(str, [*row, 978300760 + place])) for place, row in enumerate(columns)]
    paths[1].write_text("\n".join([*filter(None, [header]), *lines, ""]), "utf-8")
    return paths


def _numbers(table: pa.Table) -> pa.Array:
    return pa.array([int(item.split()[1]) for item in table["item_id"].to_pylist()])


def letor(folder: Path) -> list[Path]:
    """Write lines of features, as learning to rank has them."""
    path = folder / "test.txt"
    path.write_text("2 qid:1 1:0.5 2:0.1\n0 qid:1 1:0.4 2:0.3\n", "utf-8")
    return [path]


def timestamps(folder: Path) -> list[Path]:
    """Write timestamps as the ids of queries."""
    return pair(folder, lambda number: datetime(2026, 1, 1 + number, 12, 30))


def big(folder: Path) -> list[Path]:
    """Write ids that a double does not distinguish."""
    return pair(folder, lambda number: BIG + number)


def planted(folder: Path) -> list[Path]:
    """Write two systems and a truth whose ids are markup."""
    run, truth = ranking(lambda number: f"{MARKUP} {number}")
    other = run.set_column(2, "score", pa.array([-score for score in run["score"].to_pylist()]))
    return parquet(folder, old=run, new=other, truth=truth)


def changed(folder: Path, name: str, query: str) -> list[Path]:
    """Write the tables, of which `query` changes one."""
    run, truth = ranking()
    connection = duckdb.connect()
    connection.register("run", run)
    connection.register("truth", truth)
    tables = {"run": run, "truth": truth, name: connection.sql(query).to_arrow_table()}
    return parquet(folder, **tables)


def stacked(folder: Path) -> list[Path]:
    """Write two systems in one file, told apart by a column that no tool calls so."""
    run, truth = ranking()
    other = run.set_column(2, "score", pa.array([-score for score in run["score"].to_pylist()]))
    both = pa.concat_tables([run, other])
    return parquet(
        folder, run=both.append_column("arm", pa.array(["old"] * len(run) + ["new"] * len(run))), truth=truth
    )


def cut_off(folder: Path) -> list[Path]:
    """Write a Parquet file without its end."""
    path = pair(folder)[0]
    path.write_bytes(path.read_bytes()[:-200])
    return [path]


def picture(folder: Path) -> list[Path]:
    """Write the beginning of a PNG under the name of a table."""
    path = folder / "run.csv"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10")
    return [path]


def many(folder: Path) -> list[Path]:
    """Write 8.1 million predictions of two systems, which differ by little."""
    paths = [folder / "run.parquet", folder / "truth.parquet"]
    connection = duckdb.connect()
    connection.execute(f"""
        COPY (
            SELECT system, number // 50 AS query_id, number % 50 AS item_id,
                (number * 7919) % 10007 + if(system = 'b' AND number % 50 % 7 = 0, 120, 0) AS score
            FROM range(4050000) AS numbers (number), (VALUES ('a'), ('b')) AS systems (system)
        ) TO '{paths[0]}'""")
    connection.execute(f"""
        COPY (SELECT number // 5 AS query_id, number % 5 * 7 AS item_id, 1 + number % 2 AS relevance
        FROM range(405000) AS numbers (number)) TO '{paths[1]}'""")
    return paths


def very_many(folder: Path) -> list[Path]:
    """Write 6.2 million predictions, whose scores look like ranks."""
    paths = [folder / "run.parquet", folder / "truth.parquet"]
    connection = duckdb.connect()
    connection.execute(f"""
        COPY (SELECT number // 100 AS query_id, number % 100 AS item_id, 100 - number % 100 AS score
        FROM range(6200000) AS numbers (number)) TO '{paths[0]}'""")
    connection.execute(f"""
        COPY (SELECT number // 5 AS query_id, number % 5 * 2 AS item_id
        FROM range(310000) AS numbers (number)) TO '{paths[1]}'""")
    return paths
