"""Versions of Delta and Iceberg tables with deletes and overwrites: each equals the scan of its own library.

Skipped where an extension of DuckDB or a package is not installed; CI installs them (the extra `warehouses`).
"""

from __future__ import annotations

import base64
import json
import struct
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics.cli.main import main
from duckmetrics.engines.duckdb import DuckDBEngine
from duckmetrics.engines.duckdb_files import DuckDBLakes
from duckmetrics.errors import InputError
from duckmetrics.expressions.build import everything
from duckmetrics.inputs.versions import Version
from support.warehouses import RUN, TRUTH, extensions, values

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["extensions"]

pytestmark = pytest.mark.warehouse

HALF = RUN.take(list(range(0, RUN.num_rows, 2)))
BASELINE = RUN.filter(pc.equal(RUN["model"], "baseline"))
# Another system, with another column.
_THIRD = pa.repeat(pa.scalar("third"), BASELINE.num_rows)
_PLACE = RUN.column_names.index("model")
MORE = BASELINE.set_column(_PLACE, RUN.schema.field(_PLACE), _THIRD).append_column("extra", BASELINE["score"])
READERS = pytest.mark.parametrize("has_extension", [True, False])
# The alphabets of two codes with 85 characters: the one of Delta, and the one of Python.
_PYTHON = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_DELTA = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def without_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DuckDBLakes, "_lacks", lambda self, scan, path: "INSTALL it")


def rows_of(place: Any, version: Version | None = None) -> pa.Table:
    """Return the rows that we read of a table."""
    engine = DuckDBEngine()
    with engine.exclusive():
        return engine.arrow(everything(engine.attach(str(place), "predictions", version).relation))


def same(found: pa.Table, wanted: pa.Table) -> bool:
    """Return whether two tables have the same rows, to the last bit, in any order."""
    names = sorted(wanted.column_names)
    assert sorted(found.column_names) == names
    schema = pa.schema([(name, found.schema.field(name).type) for name in names])
    keys = [(name, "ascending") for name in names]
    first, second = (table.select(names).cast(schema).sort_by(keys) for table in (found, wanted))
    return bool(first.equals(second)) and wanted.num_rows > 0


@pytest.fixture
def delta(tmp_path: Path) -> Path:
    """Write a Delta table with partitions that was overwritten, deleted from, updated and widened."""
    package = pytest.importorskip("deltalake")
    write = partial(package.write_deltalake, tmp_path / "run")
    write(HALF, partition_by=["model"])
    write(RUN, mode="overwrite")
    package.DeltaTable(tmp_path / "run").delete("score > 0.6")
    write(BASELINE, mode="overwrite", predicate="model = 'baseline'")
    package.DeltaTable(tmp_path / "run").update({"score": "score * 0.1"}, predicate="country = 'DE'")
    write(MORE, mode="append", schema_mode="merge")
    package.DeltaTable(tmp_path / "run").optimize.compact()
    return tmp_path / "run"


@READERS
def test_every_version_of_a_delta_table_is_what_its_library_scans(
    delta: Path, monkeypatch: pytest.MonkeyPatch, has_extension: bool
) -> None:
    package = pytest.importorskip("deltalake")
    if not has_extension:
        without_extension(monkeypatch)
    last = package.DeltaTable(delta).version()
    assert last >= 5
    found = []
    for number in range(last + 1):
        scan = package.DeltaTable(delta, version=number).to_pyarrow_table()
        assert same(rows_of(delta, Version(f"v{number}", number, None)), scan)
        found.append(values(delta, TRUTH, version={"predictions": number}))
        assert found[-1] == values(scan, TRUTH)
    assert same(rows_of(delta), package.DeltaTable(delta).to_pyarrow_table())
    assert values(delta, TRUTH) == found[-1]
    assert len({tuple(one) for one in found}) >= 5


def test_deleted_rows_that_only_a_vector_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library does not write such vectors, so the test does; it does not read them either."""
    package, roaring = pytest.importorskip("deltalake"), pytest.importorskip("pyroaring")
    package.write_deltalake(tmp_path, RUN, configuration={"delta.enableDeletionVectors": "true"})
    deleted = range(0, RUN.num_rows, 7)
    data = struct.pack("<I", 1681511377) + roaring.BitMap64(deleted).serialize()
    padded = data + bytes(-len(data) % 4)
    log = tmp_path / "_delta_log"
    lines = (log / f"{0:020}.json").read_text().splitlines()
    (added,) = (entry["add"] for entry in map(json.loads, lines) if "add" in entry)
    vector = {
        "storageType": "i", "sizeInBytes": len(data), "cardinality": len(deleted),
        "pathOrInlineDv": base64.b85encode(padded).translate(bytes.maketrans(_PYTHON, _DELTA)).decode(),
    }  # fmt: skip
    removed = {"path": added["path"], "dataChange": True, "deletionTimestamp": 1}
    commit = [{"remove": removed}, {"add": {**added, "deletionVector": vector}}]
    (log / f"{1:020}.json").write_text("\n".join(map(json.dumps, commit)))
    kept = RUN.filter(pa.array([row % 7 != 0 for row in range(RUN.num_rows)]))
    assert same(rows_of(tmp_path), kept)
    assert values(tmp_path, TRUTH) == values(kept, TRUTH) != values(RUN, TRUTH)
    assert values(tmp_path, TRUTH, version={"predictions": 0}) == values(RUN, TRUTH)
    without_extension(monkeypatch)
    with pytest.raises(InputError, match=r"cannot be read: .*deletionVectors.*, or INSTALL it"):
        values(tmp_path, TRUTH)


@pytest.fixture
def iceberg(tmp_path: Path) -> Any:
    """Write an Iceberg table that was overwritten, deleted from, widened, and deleted from by position."""
    sql = pytest.importorskip("pyiceberg.catalog.sql")
    catalog = sql.SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("shop")
    table = catalog.create_table("shop.run", schema=RUN.schema)
    table.append(HALF)
    table.overwrite(RUN)
    table.delete("score > 0.6")
    table.overwrite(BASELINE, overwrite_filter="model == 'baseline'")
    with table.update_schema() as change:
        change.union_by_name(pa.schema([*RUN.schema, ("extra", pa.float64())]))
    table.append(MORE)
    delete_rows(table, 5)
    return table


def delete_rows(table: Any, every: int) -> None:
    """Delete rows of one data file by their positions, as other engines do and pyiceberg reads."""
    from pyiceberg import manifest
    from pyiceberg.partitioning import Record
    from pyiceberg.table.snapshots import Operation
    from pyiceberg.table.update.snapshot import _FastAppendFiles

    class Deletes(manifest.ManifestWriterV2):
        def content(self) -> manifest.ManifestContent:
            return manifest.ManifestContent.DELETES

        @property
        def _meta(self) -> dict[str, str]:
            return {**super()._meta, "content": "deletes"}

    class Snapshot(_FastAppendFiles):
        def new_manifest_writer(self, spec: Any) -> manifest.ManifestWriter:
            return Deletes(
                spec, self._transaction.table_metadata.schema(), self.new_manifest_output(),
                self.snapshot_id, self._compression,
            )  # fmt: skip

    file = max((task.file for task in table.scan().plan_files()), key=lambda one: one.record_count)
    positions = list(range(0, file.record_count, every))
    ids = ({b"PARQUET:field_id": b"2147483546"}, {b"PARQUET:field_id": b"2147483545"})
    schema = pa.schema([
        pa.field("file_path", pa.string(), False, ids[0]), pa.field("pos", pa.int64(), False, ids[1]),
    ])  # fmt: skip
    path = table.location().removeprefix("file://") + "/data/deletes.parquet"
    pq.write_table(pa.table([[file.file_path] * len(positions), positions], schema=schema), path)
    with table.transaction() as transaction:
        snapshot = Snapshot(Operation.DELETE, transaction, table.io)
        snapshot.append_data_file(manifest.DataFile.from_args(
            content=manifest.DataFileContent.POSITION_DELETES, file_path=f"file://{path}",
            file_format=manifest.FileFormat.PARQUET, partition=Record(), record_count=len(positions),
            file_size_in_bytes=pa.fs.LocalFileSystem().get_file_info(path).size, spec_id=0,
        ))  # fmt: skip
        snapshot.commit()


@READERS
def test_every_snapshot_of_an_iceberg_table_is_what_its_library_scans(
    iceberg: Any, monkeypatch: pytest.MonkeyPatch, has_extension: bool
) -> None:
    if not has_extension:
        without_extension(monkeypatch)
    place = iceberg.location().removeprefix("file://")
    found = []
    for entry in iceberg.history():
        number = entry.snapshot_id
        scan = iceberg.scan(snapshot_id=number).to_arrow()
        if not scan.num_rows:
            continue  # an overwrite deletes first
        assert same(rows_of(place, Version(f"v{number}", number, None)), scan)
        found.append(values(place, TRUTH, version={"predictions": number}))
        assert found[-1] == values(scan, TRUTH)
        time = datetime.fromtimestamp(entry.timestamp_ms / 1000, UTC)
        assert values(place, TRUTH, as_of={"predictions": time}) == found[-1]
    assert same(rows_of(place), iceberg.scan().to_arrow())
    # The rows that were deleted by their positions count.
    assert values(place, TRUTH) == found[-1] != found[-2]
    assert len({tuple(one) for one in found}) >= 5


# --- the ways to ask for a version ----------------------------------------------------------------


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> datetime:
    """Write the tables of the shop in the current folder, the run in two versions; return a time between."""
    package = pytest.importorskip("deltalake")
    monkeypatch.chdir(tmp_path)
    package.write_deltalake("run", HALF)
    between = datetime.now(UTC)
    package.write_deltalake("run", RUN, mode="overwrite")
    pq.write_table(TRUTH, "truth.parquet")
    package.write_deltalake("truth", TRUTH.slice(0, 100))
    package.write_deltalake("truth", TRUTH, mode="overwrite")
    return between


def test_a_version_alone_is_for_the_only_table_that_has_some(tables: datetime) -> None:
    old = values(HALF, TRUTH)
    for asked in ({"version": 0}, {"version": "v0"}, {"as_of": tables}, {"as_of": tables.isoformat()}):
        assert values("run", "truth.parquet", **asked) == old
    assert values("run", "truth", version={"predictions": 0, "truth": 0}) == values(HALF, TRUTH.slice(0, 100))
    assert values("run", "truth", version={"truth": 0}, as_of={"predictions": tables}) == values(
        HALF, TRUTH.slice(0, 100)
    )
    assert values("run", TRUTH, version=0, where={"predictions": "score > 0.5"}) == values(
        HALF.filter(pc.greater(HALF["score"], 0.5)), TRUTH
    )
    with pytest.raises(
        InputError,
        match=r"version: v0 names no table, and predictions and truth have versions; write "
        r"version=\{'predictions': 0\} \(on the command line --version predictions=0\)",
    ):
        values("run", "truth", version=0)
    with pytest.raises(InputError, match="names a version already, and version names v1; keep one of them"):
        values("run@v0", TRUTH, version={"predictions": 1})
    with pytest.raises(InputError, match=r"run@v7: cannot be read: .*; choose a version from 0 to 1"):
        values("run", TRUTH, version=7)


def test_every_door_reads_the_version(tables: datetime, capsys: pytest.CaptureFixture[str]) -> None:
    old = values(HALF, TRUTH)
    given: Any = {"system": "model", "version": {"predictions": 0}}
    compared = duckmetrics.compare("run", TRUTH, "ndcg@10", baseline="baseline", **given)
    assert [row["value"] for row in compared.rows] == old[:2]
    ranked = duckmetrics.leaderboard("run", TRUTH, "ndcg@10", **given)
    assert {row["value"] for row in ranked.rows} == set(old[:2])
    looked_at = duckmetrics.check("run", TRUTH, "ndcg@10", **given).looked_at
    assert looked_at["predictions"] == HALF.num_rows
    explained = duckmetrics.explain("run", TRUTH, "ndcg@10", by="rank", **given)
    assert explained == duckmetrics.explain(HALF, TRUTH, "ndcg@10", by="rank", system="model")
    for ask in (partial(duckmetrics.conventions, like="ranx"), duckmetrics.ties):
        found, wanted = ask("run", TRUTH, "ndcg@10", **given), ask(HALF, TRUTH, "ndcg@10", system="model")
        assert [getattr(row, "value", row) for row in found.rows] == [
            getattr(row, "value", row) for row in wanted.rows
        ]
    asked = ["run", "truth", "--system", "model", "-m", "ndcg@10", "--format", "json"]
    versions = ["--version", "predictions=0", "--as-of", f"truth={datetime.now(UTC).isoformat()}"]
    with open("file.toml", "w") as file:
        file.write(f"version.predictions = 0\n[as-of]\ntruth = {datetime.now(UTC).isoformat()}")
    with open("alone.toml", "w") as file:
        file.write('truth = "truth.parquet"\nversion = 0')
    for given in (versions, ["--config", "file.toml"], ["--config", "alone.toml"]):
        words = asked if "alone.toml" not in given else [asked[0], *asked[2:]]
        for command, more in (("evaluate", []), ("compare", ["--baseline", "baseline"])):
            main([command, *words, *more, *given])
            found = json.loads(capsys.readouterr().out)["rows"]
            assert [row["value"] for row in found] == old[:2]
