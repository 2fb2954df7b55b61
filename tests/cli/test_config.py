"""Options in a file: the allowed options, their priority, and the start of their paths."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.command_line import exports, results, run
from support.little import DCG, RR

if TYPE_CHECKING:
    from support.command_line import Command

__all__ = ["exports", "run"]

TABLES = 'predictions = "p.parquet"\ntruth = "t.parquet"\n'


@pytest.fixture
def file(exports: Path) -> Path:
    """Write a file of options into a folder next to the exports; its paths start there."""
    folder = exports / "options"
    folder.mkdir(exist_ok=True)
    return folder / "eval.toml"


def found(run: Command, text: str, *arguments: object, command: str = "evaluate") -> list[tuple[Any, ...]]:
    Path("eval.toml").write_text(text)
    rows = results(run(command, "--config", "eval.toml", *arguments, "--format", "json"))
    return [(row["metric"], row["value"]) for row in rows]


def test_arguments_and_required_options_come_from_the_file(run: Command) -> None:
    assert found(run, f'{TABLES}metric = "rr"') == [("rr", RR)]
    assert found(run, f'{TABLES}[evaluate]\nmetric = ["rr", "dcg"]') == [("rr", RR), ("dcg", DCG)]


@pytest.mark.slow
def test_the_command_line_wins_and_then_the_table_of_the_command(run: Command) -> None:
    text = f'{TABLES}metric = "map"\n[evaluate]\nmetric = ["dcg"]\n[compare]\nmetric = ["hits"]'
    assert found(run, text) == [("dcg", DCG)]
    assert found(run, text, "-m", "rr") == [("rr", RR)]
    assert found(run, text, "reverse.parquet", "-m", "rr") == [("rr", 1 / 2)]
    assert found(run, text, "reverse.parquet", "t.parquet", "-m", "rr") == [("rr", 1 / 2)]
    assert found(run, text, "--truth", "none.parquet", "-m", "rr") != [("rr", RR)]
    assert found(run, text, "p.parquet", "none.parquet", "-m", "rr") != [("rr", RR)]


@pytest.mark.slow
def test_pairs_are_tables_or_texts(run: Command) -> None:
    renamed = 'predictions = "renamed.parquet"\ntruth = "t.parquet"\nmetric = "dcg"\n'
    names = {"query_id": "user", "item_id": "sku", "score": "estimate"}
    table = "\n".join(f'{name} = "{yours}"' for name, yours in names.items())
    assert found(run, f"{renamed}[column]\n{table}") == [("dcg", DCG)]
    text = ",".join(f"{name}={yours}" for name, yours in names.items())
    assert found(run, f'{renamed}column = "{text}"') == [("dcg", DCG)]
    assert found(run, f'{TABLES}metric = "rr"\nset = {{missing = "skip"}}') == [("rr", 3 / 4)]
    assert found(run, f'{TABLES}metric = "rr"\nset = ["missing=skip"]') == [("rr", 3 / 4)]


@pytest.mark.slow
def test_systems_are_a_table(run: Command) -> None:
    text = 'truth = "t.parquet"\nmetric = "rr"\nsystem = {A = "p.parquet", B = "reverse.parquet"}'
    assert found(run, text) == [("rr", RR), ("rr", 1 / 2)]
    assert found(run, text, "t.parquet") == [("rr", RR), ("rr", 1 / 2)]
    assert found(run, text, "--system", "B=reverse.parquet") == [("rr", 1 / 2)]
    assert found(run, f'{TABLES}metric = "rr"', "--system", "B=reverse.parquet") == [("rr", 1 / 2)]


@pytest.mark.slow
def test_compare_takes_its_systems_from_the_file(run: Command) -> None:
    Path("eval.toml").write_text(
        'truth = "t.parquet"\nmetric = "rr"\n[compare]\npredictions = ["p.parquet", "reverse.parquet"]\n'
        'test = "sign"\nall = true'
    )
    code, out, err = run("compare", "--config", "eval.toml")
    assert (code, "sign" in out, "relative_change" in out) == (0, True, True), err
    swapped = run("compare", "reverse.parquet", "p.parquet", "--config", "eval.toml").out
    assert "against reverse: sign" in swapped


def test_paths_start_at_the_folder_of_the_file(run: Command, file: Path) -> None:
    file.write_text(
        'predictions = "../p.parquet"\ntruth = "../t.parquet"\nmetric = "rr"\noutput = "r.json"\n'
        'per-query = "v.parquet"\nset = {population = "../p.parquet"}'
    )
    assert run("evaluate", "--config", "options/eval.toml").code == 0
    assert {path.name for path in file.parent.iterdir()} == {"eval.toml", "r.json", "v.parquet"}
    assert '"value": 0.75' in (file.parent / "r.json").read_text()
    file.write_text(f'predictions = "SELECT * FROM \'p.parquet\'"\ntruth = "file:{file.parent}/../t.parquet"')
    assert run("evaluate", "--config", "options/eval.toml", "-m", "rr").code == 0


def test_names_of_tables_stay_names(run: Command, file: Path) -> None:
    file.write_text('predictions = "p"\ntruth = "t"\ndatabase = "../shop.duckdb"\nmetric = "rr"')
    outcome = run("evaluate", "--config", file, "--format", "json")
    assert [row["value"] for row in results(outcome)] == [RR]


def test_flags_numbers_and_lists(run: Command) -> None:
    text = f'{TABLES}metric = "rr"\nlong = true\nthreads = 1\ninterval = 0.9\nqueries = "users.parquet"\n'
    Path("eval.toml").write_text(text + 'by-each = ["country", "country,plan"]\nfail-if = "rr < 0.9"')
    code, out, _ = run("evaluate", "--config", "eval.toml")
    assert code == 1
    assert out.splitlines()[0].split()[:5] == ["country", "plan", "metric", "value", "lower"]


@pytest.mark.slow
def test_other_commands_read_it_too(run: Command) -> None:
    Path("eval.toml").write_text(
        f"{TABLES}n-items = 50\n[test]\nformat = 'json'\n[test.paired-t]\nset = {{baseline = 'A'}}\n"
        "[test.sample-ratio]\ndata = [5000, 5200]\n[check]\nmetric = 'map@2'"
    )
    assert run("check", "--config", "eval.toml").code == 0
    code, out, err = run("test", "sample-ratio", "--config", "eval.toml")
    assert (code, '"statistic"' in out) == (0, True), err
    assert run("test", "sample-ratio", 3, 7, "--config", "eval.toml").out != out


WRONG = {
    "a misspelled option": ("metrics = 'rr'", "unknown option 'metrics' at the top; did you mean 'metric'?"),
    "an underscore": ("by_each = 'a'", "did you mean 'by-each'?"),
    "a misspelled command": ("[evalute]\nmetric = 'rr'", "'evalute' at the top; did you mean 'evaluate'?"),
    "an option of another command": ("[evaluate]\nalpha = 0.1", "unknown option 'alpha' of [evaluate]"),
    "a command without options": ("[presets]\nall = true", "unknown option 'presets' at the top"),
    "the file itself": ("config = 'x.toml'", "unknown option 'config' at the top"),
    "no TOML": ("metric = ", "is not TOML: "),
    "a list of lists": ("metric = [['rr']]", "metric = ['rr'] is of the wrong kind"),
    "several of one": ("like = ['ranx', 'pytrec_eval']", "['ranx', 'pytrec_eval'] is of the wrong kind"),
    "a word for a flag": ("long = 'yes'", "long = 'yes' is of the wrong kind; write true or false"),
    "a flag for a number": ("interval = true", "interval = True is of the wrong kind"),
    "a table for a list": ("by = {a = 'b'}", "by = {'a': 'b'} is of the wrong kind"),
    "a number for a command": ("evaluate = 3", "unknown option 'evaluate' at the top"),
    "no such number": ("threads = 0", "Invalid value for '--threads'"),
}  # fmt: skip


@pytest.mark.some(3)
@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_one_message(run: Command, text: str, message: str) -> None:
    Path("eval.toml").write_text(text)
    code, out, err = run("evaluate", "p.parquet", "t.parquet", "-m", "rr", "--config", "eval.toml")
    assert (code, out, message in err) == (2, "", True), err
    assert "eval.toml: " in err or "--threads" in err


def test_no_file_is_one_message(run: Command) -> None:
    code, _, err = run("evaluate", "--config", "none.toml")
    assert (code, err.startswith("duckmetrics: none.toml: cannot be read: ")) == (2, True)


def test_an_option_of_another_command_may_stand_at_the_top(run: Command) -> None:
    assert found(run, f'{TABLES}metric = "rr"\nalpha = 0.1\nn-items = 5') == [("rr", RR)]


@pytest.mark.slow
def test_a_file_on_the_command_line_replaces_the_database_of_the_file(run: Command) -> None:
    text = f'{TABLES}metric = "rr"\noutput = "w.duckdb"\ntable = "metrics"\nrun-id = "a"'
    Path("eval.toml").write_text(text)
    assert run("evaluate", "--config", "eval.toml", "-o", "r.csv").code == 0
    assert (Path("r.csv").exists(), Path("w.duckdb").exists()) == (True, False)
    assert run("evaluate", "--config", "eval.toml").code == 0
    assert Path("w.duckdb").exists()
    code, _, err = run("evaluate", "--config", "eval.toml", "-o", "r.csv", "--table", "metrics")
    assert (code, "--table metrics: there is no database" in err) == (2, True)
