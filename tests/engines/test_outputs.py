"""Files of results: some files are never replaced, and a replaced file is always complete."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow.parquet as pq
import pytest

import duckmetrics
from duckmetrics import InputError
from duckmetrics.cli.files import checked_files
from duckmetrics.engines.targets import refuse
from support.command_line import Command, exports, run  # noqa: F401
from support.little import PREDICTIONS, TRUTH
from support.must_run import no_case

if TYPE_CHECKING:
    from collections.abc import Iterator

EVALUATE = ("evaluate", "p.parquet", "t.parquet", "-m", "rr")
LABELS = "SELECT * FROM (VALUES (1, 0.9), (0, 0.2), (1, 0.4), (0, 0.5)) AS t(label, score)"
BUSY = {
    "evaluate": EVALUATE,
    "compare": ("compare", "p.parquet", "reverse.parquet", "--truth", "t.parquet", "-m", "rr"),
    "check": ("check", "p.parquet", "t.parquet"),
    "conventions": ("conventions", "p.parquet", "t.parquet", "-m", "rr", "--like", "ranx"),
    "explain": ("explain", "p.parquet", "t.parquet", "-m", "rr", "--query", "q1"),
    "explain by": ("explain", "p.parquet", "t.parquet", "-m", "rr", "--by", "rank"),
    "ties": ("ties", "p.parquet", "t.parquet", "-m", "rr"),
    "sampled": ("sampled", "p.parquet", "one.parquet", "-m", "rr", "--n-items", 50, "--n-negatives", 9),
    "curve": ("curve", "roc_curve", LABELS),
    "test": ("test", "sample-ratio", 5000, 5200),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a folder of the user with data of every kind, as the working directory."""
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("shop.duckdb") as connection:
        connection.execute(f"CREATE TABLE p AS FROM {PREDICTIONS}; CREATE TABLE t AS FROM {TRUTH}")
        for name in ("p", "t"):
            for suffix in ("parquet", "csv", "json"):
                connection.execute(f"COPY {name} TO '{name}.{suffix}'")
        connection.execute("COPY (FROM p SELECT * REPLACE (-score AS score)) TO 'reverse.parquet'")
        connection.execute("COPY (FROM t WHERE item_id <> 'c') TO 'one.parquet'")
    Path("README.md").write_text("# Mine\n\nA text.\n")
    Path("notes.txt").write_text("buy milk\n")
    Path("kpi.csv").write_text("day,metric,value\n2026-01-01,sales,3\n")
    Path("package.json").write_text('{\n  "name": "mine",\n  "version": "1"\n}\n')
    Path("page.html").write_text("<html></html>")
    Path("book.xlsx").write_bytes(b"PK\3\4")
    Path("disguised.csv").write_bytes(Path("shop.duckdb").read_bytes())
    Path("disguised.parquet").write_bytes(Path("shop.duckdb").read_bytes())
    return tmp_path


@pytest.fixture
def here(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# --- files that are never replaced ------------------------------------------------------------------


@pytest.mark.some(3)
@pytest.mark.parametrize("command", BUSY)
@pytest.mark.parametrize(
    "name",
    ["shop.duckdb", "p.parquet", "p.csv", "p.json", "README.md", "notes.txt", "kpi.csv", "package.json",
     "page.html", "new.rtf", "book.xlsx", "disguised.csv", "disguised.parquet", "new.duckdb", "new"],
)  # fmt: skip
def test_no_file_of_a_user_is_replaced(here: Command, folder: Path, command: str, name: str) -> None:
    before = contents(folder)
    outcome = here(*BUSY[command], "-o", name)
    assert outcome.code == 2, outcome
    assert outcome.err.startswith(f"duckmetrics: {name}: ")
    assert contents(folder) == before


@pytest.mark.parametrize("name", ["shop.duckdb", "README.md", "kpi.csv", "p.parquet", "disguised.csv"])
def test_a_format_that_is_asked_for_replaces_no_file_either(here: Command, folder: Path, name: str) -> None:
    before = contents(folder)
    assert here(*EVALUATE, "-o", name, "--format", "csv").code == 2
    assert contents(folder) == before


@pytest.mark.some(4)
@pytest.mark.parametrize("option", ["--per-query", "--movers"])
@pytest.mark.parametrize("name", ["p.parquet", "reverse.parquet", "disguised.parquet"])
def test_files_beside_the_results_replace_none_either(
    here: Command, folder: Path, option: str, name: str
) -> None:
    before = contents(folder)
    assert here(*BUSY["compare"], option, name).code == 2
    assert contents(folder) == before


def test_macros_replace_only_macros(here: Command, folder: Path) -> None:
    Path("mine.sql").write_text("SELECT 1;")
    before = contents(folder)
    assert here("macros", "-o", "shop.duckdb").code == 2
    assert here("macros", "-o", "mine.sql").code == 2
    assert here("macros", "--database", "shop.duckdb").code == 2
    assert here("macros", "--database", "macros.txt").code == 2
    with pytest.raises(InputError, match="holds more than our macros"):
        duckmetrics.macros_database("shop.duckdb")
    assert contents(folder) == before


def test_a_database_of_macros_is_replaced_unless_it_holds_more(tmp_path: Path) -> None:
    from duckmetrics.engines.results_database import holds_only_macros, write_database

    path = tmp_path / "m.duckdb"
    ours = ["CREATE MACRO duckmetrics_help() AS 1", "COMMENT ON MACRO duckmetrics_help IS 'ours'"]
    write_database(path, "dm", ours)
    write_database(path, "dm", ours)
    assert holds_only_macros(path)
    for more in ("CREATE TABLE t (i INT)", "CREATE MACRO mine() AS 2", "CREATE VIEW v AS SELECT 1"):
        write_database(path, "dm", ours)
        with duckdb.connect(str(path)) as connection:
            connection.execute(more)
        with pytest.raises(InputError, match="holds more than our macros"):
            write_database(path, "dm", ours)
        path.unlink()


def test_a_failing_database_leaves_the_old_one(tmp_path: Path) -> None:
    from duckmetrics.engines.results_database import holds_only_macros, write_database

    path = tmp_path / "m.duckdb"
    write_database(
        path, "dm", ["CREATE MACRO duckmetrics_help() AS 1", "COMMENT ON MACRO duckmetrics_help IS 'x'"]
    )
    with pytest.raises(duckmetrics.EngineError):
        write_database(path, "dm", ["CREATE MACRO a() AS 1", "CREATE MACRO b( AS"])
    assert holds_only_macros(path)
    assert os.listdir(tmp_path) == ["m.duckdb"]


# --- inputs -----------------------------------------------------------------------------------------

# Calls that read an earlier output again: as an input it must stay.
READ_AGAIN = {
    "itself": "FILE",
    "in full": "FOLDER/FILE",
    "another way": "./../NAME/FILE",
    "file:": "file:FILE",
    "a pattern": "f*.parquet",
    "a deep pattern": "../**/found.parquet",
    "its folder": ".",
    "its folder in full": "FOLDER",
    "a symbolic link": "soft.parquet",
    "a hard link": "hard.parquet",
    "a linked folder": "../linked/FILE",
    "SQL": "SELECT * FROM 'FILE'",
    "SQL with an identifier": 'FROM "FILE"',
    "SQL with a function": "FROM read_parquet(['FOLDER/FILE'])",
    "SQL with a pattern": "(FROM 'fou*.parquet')",
}


@pytest.mark.parametrize("way", READ_AGAIN)
@pytest.mark.parametrize("role", ["predictions", "truth", "queries", "system", "population"])
def test_no_input_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, role: str) -> None:
    found = tmp_path / "here" / "found.parquet"
    found.parent.mkdir()
    monkeypatch.chdir(found.parent)
    duckdb.sql("SELECT 's' AS system, 'm' AS metric, 1.0 AS value, 1 AS n").write_parquet(str(found))
    os.symlink(found, "soft.parquet")
    os.link(found, "hard.parquet")
    os.symlink(found.parent, "../linked")
    text = READ_AGAIN[way].replace("FOLDER", str(found.parent)).replace("FILE", found.name)
    text = text.replace("NAME", "here")
    options: dict[str, Any] = {"output": Path("found.parquet"), "format_": None}
    assert checked_files(options) == "parquet"
    options |= {
        "predictions": {"predictions": text}, "truth": {"truth_option": text}, "queries": {"queries": text},
        "system": {"systems": (f"A={text}", "B=b.parquet")},
        "population": {"switches": (f"population={text}",)},
    }[role]  # fmt: skip
    with pytest.raises(InputError, match="is an input"):
        checked_files(options)


@pytest.mark.parametrize("pattern", ["*.csv", "d/*.csv", "**/*.csv", "d", "d/**/r?.csv"])
def test_no_file_is_made_that_the_next_run_would_read(here: Command, folder: Path, pattern: str) -> None:
    (folder / "d").mkdir()
    name = "r1.csv" if pattern == "*.csv" else "d/r1.csv"
    outcome = here("evaluate", pattern, "t.parquet", "-m", "rr", "-o", name)
    assert (outcome.code, Path(name).exists()) == (2, False)
    assert "is an input" in outcome.err


@pytest.mark.parametrize("pattern", ["p.*", "d/*.csv", "d", "d/**/*.csv", "SELECT 'r.csv' AS x FROM 'p.csv'"])
def test_a_file_beside_the_inputs_is_no_input(folder: Path, pattern: str) -> None:
    (folder / "d" / "e").mkdir(parents=True)
    refuse(Path("x.csv"), "csv", [pattern])
    refuse(Path("d/e/x.txt"), "table", ["d/*.txt"])


def test_values_per_query_replace_no_input_from_python(folder: Path) -> None:
    found = duckmetrics.evaluate("p.parquet", "FROM 't.parquet'", "rr")
    before = contents(folder)
    for name in ("p.parquet", "t.parquet", "one.parquet", "shop.duckdb"):
        with pytest.raises(InputError, match=name):
            found.write_per_query(name)
    assert contents(folder) == before
    found.write_per_query("v.parquet")
    found.write_per_query(Path("v.parquet"))
    assert pq.read_table("v.parquet").num_rows == 3
    again = duckmetrics.evaluate("p.parquet", "t.parquet", "rr", population="v.parquet")
    with pytest.raises(InputError, match=r"v\.parquet: is an input"):
        again.write_per_query("v.parquet")


def test_two_results_do_not_go_to_one_file(here: Command) -> None:
    outcome = here(*BUSY["compare"], "-o", "x.parquet", "--per-query", "./x.parquet")
    assert (outcome.code, Path("x.parquet").exists()) == (2, False)
    assert "two results would go to one file" in outcome.err


# --- files that are replaced ------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "suffix"),
    [*((command, "json") for command in BUSY), *(("test", name) for name in ("csv", "txt", "md", "parquet")),
     ("check", "csv"), ("check", "txt"), ("curve", "csv"), ("ties", "md"), ("conventions", "txt"),
     ("sampled", "csv")],
)  # fmt: skip
def test_an_output_of_ours_is_replaced(here: Command, folder: Path, command: str, suffix: str) -> None:
    path = folder / f"r.{suffix}"
    codes = [here(*BUSY[command], "-o", path).code for _ in range(2)]
    assert codes[0] == codes[1] in (0, 1)
    assert path.stat().st_size
    path.write_bytes(b"")  # a file of mktemp
    assert here(*BUSY[command], "-o", path).code == codes[0]
    assert path.stat().st_size


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "txt", "md", "json", "parquet"])
def test_an_output_with_other_slices_is_replaced(here: Command, folder: Path, suffix: str) -> None:
    attributes = "SELECT DISTINCT query_id, 'DE' AS country FROM 't.parquet'"
    assert here(*EVALUATE, "-o", f"r.{suffix}").code == 0
    assert here(*EVALUATE, "-o", f"r.{suffix}", "--by", "country", "--queries", attributes).code == 0
    assert here(*BUSY["compare"], "-o", f"r.{suffix}").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_the_permissions_stay(here: Command, folder: Path, mode: int) -> None:
    for option, name in (("-o", "r.json"), ("--per-query", "v.parquet")):
        assert here(*EVALUATE, option, name).code == 0
        Path(name).chmod(mode)
        assert here(*EVALUATE, option, name).code == 0
        assert Path(name).stat().st_mode & 0o777 == mode


@pytest.mark.slow
def test_a_new_file_has_the_usual_permissions(here: Command, folder: Path) -> None:
    before = os.umask(0o027)
    try:
        assert here(*EVALUATE, "-o", "r.json", "--per-query", "v.parquet").code == 0
    finally:
        os.umask(before)
    assert [Path(name).stat().st_mode & 0o777 for name in ("r.json", "v.parquet")] == [0o640, 0o640]


@pytest.mark.slow
def test_a_link_stays_a_link(here: Command, folder: Path) -> None:
    (folder / "kept").mkdir()
    os.symlink("kept/r.json", "r.json")
    for _ in range(2):
        assert here(*EVALUATE, "-o", "r.json").code == 0
        assert (os.readlink("r.json"), Path("kept/r.json").is_file()) == ("kept/r.json", True)


def test_planted_links_are_not_followed(here: Command, folder: Path) -> None:
    precious = folder / "precious"
    precious.write_text("mine")
    for name in (".r.json.partial", ".v.parquet.partial", "tmp_v.parquet", "tmp_draft", "draft"):
        os.symlink(precious, name)
    assert here(*EVALUATE, "-o", "r.json", "--per-query", "v.parquet").code == 0
    assert precious.read_text() == "mine"


@pytest.mark.slow
def test_long_names_are_fine(here: Command, folder: Path) -> None:
    for name in ("n" * 251 + ".csv", "ü" * 125 + ".csv"):
        assert here(*EVALUATE, "-o", name).code == 0
        assert Path(name).is_file()
    assert here(*EVALUATE, "--per-query", "v" * 247 + ".parquet").code == 0
    outcome = here(*EVALUATE, "-o", "n" * 252 + ".csv")
    assert outcome.code == 2
    assert "name too long" in outcome.err


@pytest.mark.slow
def test_processes_with_one_output_do_not_meet(folder: Path) -> None:
    call = [sys.executable, "-m", "duckmetrics", *EVALUATE, "-o", "r.csv", "--per-query", "v.parquet"]
    for _ in range(1):
        running = [subprocess.Popen(call, stderr=subprocess.DEVNULL) for _ in range(4)]
        assert [process.wait() for process in running] == [0] * 4
    assert Path("r.csv").read_text().startswith("system,metric")
    assert not [name for name in os.listdir() if name.startswith(".")]


@pytest.mark.slow
def test_a_killed_process_leaves_the_old_file(here: Command, folder: Path) -> None:
    assert here(*EVALUATE, "-o", "r.csv").code == 0
    before = Path("r.csv").read_bytes()
    code = (
        "import os, sys; from duckmetrics import cli; from duckmetrics.engines import targets; "
        "targets._keep_mode = lambda *_: os.kill(os.getpid(), 9); cli.main(sys.argv[1:])"
    )
    done = subprocess.run([sys.executable, "-c", code, *EVALUATE, "-o", "r.csv"], capture_output=True)
    assert (done.returncode, Path("r.csv").read_bytes()) == (-9, before)
    assert here("check", "**/*.csv", "t.parquet").code != 3


# --- devices ----------------------------------------------------------------------------------------


def python(*arguments: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    call = [sys.executable, "-m", "duckmetrics", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, check=False, **options)


@pytest.mark.slow
def test_a_device_is_written_to(folder: Path) -> None:
    os.symlink("/dev/null", "null.csv")
    for device in ("/dev/null", "null.csv"):
        done = python(*EVALUATE, "-o", device)
        assert done.returncode == 0, done.stderr
    assert Path("/dev/null").is_char_device()
    assert os.readlink("null.csv") == "/dev/null"
    for option in ("-o", "--per-query"):
        os.symlink("/dev/full", f"full{option}.parquet")
        done = python(*EVALUATE, option, f"full{option}.parquet")
        assert done.returncode == 2
        assert f"full{option}.parquet: cannot be written: No space left".encode() in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["csv", "json", "table", "markdown", "parquet"])
def test_standard_output_by_its_name(folder: Path, format_: str) -> None:
    done = python(*EVALUATE, "-o", "/dev/stdout", "--format", format_)
    assert done.returncode == 0, done.stderr
    Path("r.parquet" if format_ == "parquet" else "r.txt").write_bytes(done.stdout)
    wanted = f"w.{ {'csv': 'csv', 'json': 'json', 'table': 'txt', 'markdown': 'md'}.get(format_, format_) }"
    assert python(*EVALUATE, "-o", wanted).returncode == 0
    assert done.stdout == Path(wanted).read_bytes()
    assert os.path.islink("/dev/stdout")


@pytest.mark.slow
def test_standard_output_that_is_a_file_keeps_what_it_has(folder: Path) -> None:
    with Path("log").open("ab") as log:
        log.write(b"before\n")
        log.flush()
        call = [sys.executable, "-m", "duckmetrics", *EVALUATE, "-o", "/dev/stdout", "--format", "csv"]
        assert subprocess.run(call, stdout=log, check=False).returncode == 0
    assert Path("log").read_bytes().startswith(b"before\nsystem,metric")


@pytest.mark.slow
def test_a_named_pipe_is_written_to(folder: Path) -> None:
    os.mkfifo("pipe.parquet")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe.parquet").read_bytes()))
    reader.start()
    done = python(*EVALUATE, "--per-query", "pipe.parquet")
    reader.join(10)
    assert (done.returncode, read[0][:4], read[0][-4:]) == (0, b"PAR1", b"PAR1")
    assert Path("pipe.parquet").is_fifo()


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 16 kB."""
    disk = tmp_path / "tiny"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True)
    if made.returncode:
        no_case("no disk can be mounted here")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.mark.slow
def test_a_full_disk_names_the_file_and_leaves_the_old_one(here: Command, tiny: Path) -> None:
    from duckmetrics.engines.results_database import write_database

    old = tiny / "r.csv"
    assert here(*EVALUATE, "-o", old).code == 0
    before = old.read_bytes()
    (tiny / "filler").write_bytes(b"x" * 8192)
    many = "SELECT range::VARCHAR AS query_id, 'a' AS item_id, 1.0 AS score FROM range(9999)"
    truth = "SELECT range::VARCHAR AS query_id, 'a' AS item_id FROM range(9999)"
    outcome = here("evaluate", many, truth, "-m", "rr", "--per-query", tiny / "v.parquet")
    assert outcome.code == 2
    assert f"{tiny / 'v.parquet'}: cannot be written: No space left on device; free some" in outcome.err
    (tiny / "more").write_bytes(b"x" * 4096)
    outcome = here(*EVALUATE, "-o", old)
    assert (outcome.code, old.read_bytes()) == (2, before)
    assert f"{old}: cannot be written: No space left on device" in outcome.err
    with pytest.raises(InputError, match=r"m\.duckdb: cannot be written: No space left"):
        write_database(tiny / "m.duckdb", "dm", ["CREATE TABLE t AS FROM range(99999)"])
    assert sorted(os.listdir(tiny)) == ["filler", "more", "r.csv"]


def test_a_page_that_only_mentions_us_is_not_ours(tmp_path: Path) -> None:
    page = tmp_path / "notes.md"
    page.write_text("# Notes on pages written by duckmetrics\n")
    with pytest.raises(InputError):
        refuse(page, "markdown", [])
