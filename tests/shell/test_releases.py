"""Every macro gives in the shell of each release the rows that it gives here, and the values of Python.

The shells are the one of this environment, and those that the variable DUCKDB_SHELLS lists as paths.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from shell.test_calls import MEANT, ROWS, SIDE_TABLES, printed, with_arguments, words

import duckmetrics
from duckmetrics.shell.script import macro_names
from support.cases import CATALOG, side_tables
from support.duckdb_shell import connected, executable, rows, same, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.engine, pytest.mark.slow]

SHELLS = [None, *filter(None, os.environ.get("DUCKDB_SHELLS", "").split(os.pathsep))]
COMPARED = ("'ndcg(gain=exp2)@3, map'", "'ndcg@3, map', \"like\" := 'trec_eval9'")
# Calls of macros whose help does not show the usual way to call them, or hides a part of what they do.
OTHERS = [
    *(f"FROM compare(systems, truth, {asked}, system := 'system', baseline := 'A')" for asked in COMPARED),
    *(f"FROM {name}(systems, truth, {asked}, system := 'system')"
      for name in ("evaluate", "evaluate_by_query") for asked in COMPARED),
    "FROM ndcg(systems, truth, k := [2, 5], system := 'system', by := 'part', queries := 'parts')",
    "FROM inspect(systems, truth, system := 'system', by := 'part', queries := 'parts')",
    "FROM ab(data, group_id, 'score', control := 0)",
]  # fmt: skip
TABLES = f"""
CREATE TABLE data AS {ROWS};
CREATE TABLE predictions AS SELECT id % 6 AS query_id, id AS item_id, score FROM data;
CREATE TABLE truth AS SELECT id % 6 AS query_id, id AS item_id, label AS relevance FROM data;
CREATE TABLE systems AS SELECT 'A' AS system, * FROM predictions
    UNION ALL SELECT 'B', * REPLACE (score * item_id % 3 AS score) FROM predictions;
CREATE TABLE parts AS SELECT i AS query_id, nullif(i % 3, 2) AS part FROM range(6) AS r(i);
{SIDE_TABLES}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("releases")
    (folder / "duckmetrics.sql").write_text(text(), "utf-8")
    (folder / "lines.trec").write_text("q1 Q0 a 1 0.5 tag\n")
    return folder


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        connection.execute(TABLES)
        yield connection


@pytest.fixture(scope="module")
def every(session: duckdb.DuckDBPyConnection, folder: Path) -> str:
    """Create a table with a column for every word of the calls, and return the statement."""
    known = {name for (name,) in session.execute("SELECT column_name FROM (DESCRIBE data)").fetchall()}
    named = {word for _, call, _ in printed(session, all_=True) for word in words(call)}
    others = sorted((named | {"metric", "system", "query_id", "value"}) - known - {"data", "weight"})
    columns = ", ".join(f'(id % 2)::DOUBLE AS "{name}"' for name in others)
    statement = f"CREATE TABLE every AS SELECT *, {columns} FROM data"
    session.execute(statement)
    return statement


@pytest.fixture(scope="module")
def wanted(session: duckdb.DuckDBPyConnection, folder: Path, every: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every call in this process; a call may refuse these data in words of ours."""
    meant = {**MEANT, "path": f"'{folder / 'lines.trec'}'"}
    found: dict[str, list[dict[str, Any]]] = {}
    calls, unbound = [*OTHERS], []
    for kind, call, like in printed(session, all_=True):
        if call.startswith("FROM ab("):
            continue  # its metrics are columns of the user
        written = with_arguments(call, {**meant, "like": f"'{like}'"})
        calls.append(written if kind == "table_macro" else f"SELECT {written} AS value FROM every")
    for call in calls:
        try:
            found[call] = rows(session, call)
        except duckdb.Error as error:
            if "duckmetrics: " not in str(error):
                unbound.append(f"{call}: {str(error)[:300]}")
    assert not unbound, "\n".join(unbound)
    assert len(found) > 200
    assert set(OTHERS) <= found.keys()
    return found


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_of_a_release(
    wanted: dict[str, list[dict[str, Any]]], every: str, folder: Path, shell: str | None
) -> None:
    program = shell or executable()
    files = {call: folder / f"{SHELLS.index(shell)}_{i}.parquet" for i, call in enumerate(wanted)}
    script = [TABLES, f"{every};", *(f"COPY ({call}) TO '{file}';" for call, file in files.items())]
    done = subprocess.run(
        [program, "-init", str(folder / "duckmetrics.sql"), "-batch"],
        input="\n".join(script), capture_output=True, encoding="utf-8", timeout=1200, check=False,
    )  # fmt: skip
    wrong = [call for call, file in files.items() if not file.exists()]
    assert not wrong, (wrong, done.stderr[-2000:])
    with duckdb.connect() as reader:
        for call, file in files.items():
            found = rows(reader, f"FROM '{file}'")
            pairs = zip(sorted(found, key=_key), sorted(wanted[call], key=_key), strict=False)
            if len(found) != len(wanted[call]) or not all(_alike(*pair) for pair in pairs):
                wrong.append(f"{call}\nis {found[:3]}\nshould be {wanted[call][:3]}")
    assert not wrong, "\n".join(wrong)


def test_the_values_are_those_of_python(
    session: duckdb.DuckDBPyConnection, wanted: dict[str, list[dict[str, Any]]]
) -> None:
    compared = 0
    for family, data in (("ranking", ("predictions", "truth")), ("classification", ("table:data", None))):
        for name, macro in macro_names(CATALOG, family).items():
            calls = [call for call in wanted if call.startswith(f"FROM {macro}(") and "[2, 5]" not in call]
            if (
                not calls
                or "range"
                not in CATALOG.metrics[
                    CATALOG.names[family, name].metric.family, CATALOG.names[family, name].metric.name
                ].header
            ):
                continue  # fmt: skip
            needed = [p.name for p in CATALOG.names[family, name].metric.own_params.values() if p.required]
            bound = CATALOG.names[family, name].bound
            params = ", ".join(f"{p}={MEANT.get(p, p)}".replace("'", "") for p in needed if p not in bound)
            spec = f"{family}.{name}" + (f"({params})" if params else "")
            known = side_tables(CATALOG.names[family, name].metric)
            tables = {n: table for n, table in known.items() if f'"{n}" := ' in calls[0]}
            value = duckmetrics.evaluate(*data, spec, connection=session, **tables)[spec]
            assert same(_number(wanted[calls[0]][0]["value"]), _number(value)), (calls[0], spec)
            compared += 1
    assert compared > 80


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _key(row: dict[str, Any]) -> str:
    return str([f"{v:.7g}" if isinstance(v, float) else v for v in row.values()])


def _alike(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Return whether rows are the same; sums of another release may differ in their last digits."""
    return list(found) == list(wanted) and all(
        found[n] == pytest.approx(v, rel=1e-9, abs=1e-12, nan_ok=True) if isinstance(v, float)
        else found[n] is not None and str(found[n]) == str(v) if v is not None else found[n] is None
        for n, v in wanted.items()
    )  # fmt: skip
