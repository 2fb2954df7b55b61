"""The macro of A/B tests gives the results of `duckmetrics.ab`, and refuses the same calls."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportions_ztest

import duckmetrics
from support.duckdb_shell import CommandLine, connected, refusal, written

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.engine

Row = dict[str, Any]
SUMMARY = [
    "metric", "variant", "control", "control_value", "value", "delta", "delta_lower", "delta_upper",
    "relative_change", "relative_lower", "relative_upper", "p", "p_adjusted", "verdict", "statistic",
    "adjust",
    "n_control", "n", "left_out_control", "left_out", "variance_reduction", "reason",
]  # fmt: skip
# Every kind of column: skewed with NULL, counts for ratios, 0 and 1, BOOLEAN, a constant, only NULL,
# NULL in one variant, NULL in the control, and negative values.
USERS = """
    SELECT i AS "user", (['A', 'it''s B', 'C', 'D'])[1 + i % 4] AS variant,
        (['old', 'new'])[1 + i % 2] AS half, i % 2 = 0 AS treated, i % 3 AS arm,
        CASE WHEN hash(i) % 10 > 0 THEN -ln((1 + hash(i + 7) % 1000) / 1001) * (1 + 0.2 * (i % 4)) END
            AS revenue,
        CAST(hash(i + 1) % 5 AS INTEGER) AS clicks, CAST(1 + hash(i + 2) % 6 AS DECIMAL(9, 2)) AS sessions,
        hash(i + 3) % 3 = 0 AS paid,
        CASE WHEN hash(i + 4) % 9 > 0 THEN CAST(hash(i + 5) % 2 AS TINYINT) END AS flag,
        CASE WHEN hash(i + 6) % 5 > 0 THEN ln(1 + hash(i + 7) % 1000) END AS before,
        5.0 AS flat, CAST(NULL AS DOUBLE) AS nothing, nullif(hash(i) % 4, i % 4) + 0.5 AS some,
        CASE WHEN i % 4 <> 1 THEN CAST(hash(i + 8) % 7 AS DOUBLE) END AS part,
        CASE WHEN i % 4 <> 0 THEN CAST(hash(i + 9) % 7 AS DOUBLE) END AS "no, control",
        CAST(-1 - hash(i + 3) % 9 AS DOUBLE) AS "a/b",
        CAST(hash(i + 9) % 7 AS DOUBLE) AS "say ""x"" = 1"
    FROM range({n}) AS units(i)
"""
FEW = """
    SELECT * FROM (VALUES ('A', 1.0, 1, true), ('A', 2.0, 0, false), ('B', 1.0, 1, true),
        ('C', NULL, NULL, NULL), ('C', NULL, 1, true)) AS t(variant, x, flag, won)
"""


@pytest.fixture(scope="module")
def session() -> Iterator[duckdb.DuckDBPyConnection]:
    with connected() as connection:
        connection.execute(f"CREATE TABLE users AS {USERS.format(n=800)}")
        connection.execute(f"CREATE TABLE few AS {FEW}")
        yield connection


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    found = connection.execute(query)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def pairs(given: dict[str, Any]) -> str:
    """Write a mapping as the macro reads it, with every name within double quotes."""

    def quoted(name: Any) -> str:
        return '"' + str(name).replace('"', '""') + '"'

    return ", ".join(f"{quoted(name)}={quoted(value)}" for name, value in given.items())


def call(table: str, variant: str, metrics: str, **options: Any) -> str:
    texts = {name: pairs(value) if isinstance(value, dict) else value for name, value in options.items()}
    named = (f"{'level' if name == 'interval' else name} := {written(v)}" for name, v in texts.items())
    return f"FROM ab({', '.join([written(table), written(variant), written(metrics), *named])})"


def different(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, float):
        is_close = isinstance(found, float) and math.isclose(found, wanted, rel_tol=1e-12, abs_tol=1e-14)
        return not is_close
    return type(found) is not type(wanted) or bool(found != wanted)


CALLS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "two arms": ("users", "half", "revenue, clicks/sessions, paid, flag", {"control": "old"}),
    "four arms": ("users", "variant", "revenue, clicks/sessions, paid, flag", {"control": "it's B"}),
    "cuped": (
        "users", "variant", "revenue, some",
        {"control": "A", "pre": {"revenue": "before", "some": "part"}},
    ),
    "all at once": (
        "users", "variant", "paid, revenue, clicks/sessions, some, flag",
        {"control": "A", "pre": {"revenue": "before"}, "adjust": "BH", "alpha": 0.3},
    ),
    "all at every look": (
        "users", "variant", "paid, revenue, clicks/sessions, some, flag",
        {"control": "A", "pre": {"revenue": "before"}, "sequential": True, "planned": 2000, "interval": 0.9},
    ),
    "two arms at every look": (
        "users", "half", "paid, flat, clicks/flag", {"control": "old", "sequential": True},
    ),
    "one mean": ("users", "half", "revenue", {"control": "new", "interval": 0.9}),
    "one ratio": ("users", "half", "clicks / sessions", {"control": "new", "interval": 0.5}),
    "one proportion": ("users", "half", "paid", {"control": "new", "adjust": "none"}),
    "little is known": (
        "users", "variant", "flat, nothing, part, nothing/flat, flat/nothing, clicks/flag, part/sessions",
        {"control": "A", "adjust": "hochberg",
         "pre": {"part": "before", "nothing": "flat", "flat": "nothing"}},
    ),
    "lower is better": (
        "users", "half", "clicks, sessions, paid",
        {"control": "old", "lower_is_better": "clicks, paid", "alpha": 0.9999, "adjust": "bonferroni"},
    ),
    "a boolean variant": ("users", "TREATED", "Revenue, PAID", {"control": True}),
    "a numbered variant": (
        "users", "arm", "revenue, revenue", {"control": 2, "adjust": "benjamini_yekutieli"},
    ),
    "few": ("few", "variant", "x, flag, won, x/flag", {"control": "A", "pre": {"x": "flag"}}),
    "a control without values": ("few", "variant", "x, flag, won, x/flag", {"control": "C"}),
}  # fmt: skip


@pytest.mark.some(0)
@pytest.mark.parametrize("name", CALLS)
def test_the_macro_gives_what_python_gives(session: duckdb.DuckDBPyConnection, name: str) -> None:
    table, variant, metrics, options = CALLS[name]
    wanted = duckmetrics.ab(table, variant=variant, metrics=metrics, connection=session, **options)
    ratio, *found = rows(session, call(table, variant, metrics, **options))
    assert [list(row) for row in (ratio, *found)] == [SUMMARY] * (len(wanted.rows) + 1)
    assert list(wanted.rows[0]) == SUMMARY
    for row, other in zip(found, wanted.rows, strict=True):
        wrong = {key: (row[key], other[key]) for key in SUMMARY if different(row[key], other[key])}
        assert not wrong, (other["metric"], other["variant"])
    check = wanted.sample_ratio
    assert not different(ratio["p"], check.p)
    told = str(check).removeprefix("sample ratio: ").split("; p = ")[0]
    assert (ratio["metric"], ratio["verdict"], ratio["reason"]) == ("sample ratio", "no mismatch", told)
    assert (ratio["n_control"], ratio["n"]) == (
        check.observed[wanted.control], sum(check.observed.values()) - check.observed[wanted.control],
    )  # fmt: skip


@pytest.mark.slow
def test_the_numbers_are_those_of_scipy_and_statsmodels(session: duckdb.DuckDBPyConnection) -> None:
    found = {
        (row["metric"], row["variant"]): row
        for row in rows(session, call("users", "variant", "revenue, flag", control="A"))
    }
    values: dict[str, dict[str, list[float]]] = {"revenue": {}, "flag": {}}
    for metric, arms in values.items():
        for arm, value in session.execute(
            f"SELECT variant, {metric} FROM users WHERE {metric} >= 0"
        ).fetchall():
            arms.setdefault(arm, []).append(value)
    p_values = []
    for arm in ("C", "D", "it's B"):
        test = scipy.stats.ttest_ind(values["revenue"][arm], values["revenue"]["A"], equal_var=False)
        row = found["revenue", arm]
        assert (row["p"], row["statistic"]) == (pytest.approx(test.pvalue, rel=1e-10), "welch_t")
        interval = test.confidence_interval(0.95)
        assert [row["delta_lower"], row["delta_upper"]] == pytest.approx(
            [interval.low, interval.high], rel=1e-9
        )
        p_values.append(row["p"])
    for arm in ("C", "D", "it's B"):
        row, flags = found["flag", arm], values["flag"]
        hits, sizes = zip(*((sum(flags[one]), len(flags[one])) for one in (arm, "A")), strict=True)
        assert row["p"] == pytest.approx(proportions_ztest(hits, sizes)[1], rel=1e-9)
        assert (row["statistic"], row["value"]) == ("two_proportion_z", pytest.approx(hits[0] / sizes[0]))
        p_values.append(row["p"])
    adjusted = [row["p_adjusted"] for (metric, _), row in found.items() if metric != "sample ratio"]
    assert adjusted == pytest.approx(list(multipletests(p_values, method="holm")[1]), rel=1e-12)


# ---- the sample ratio ---------------------------------------------------------------------------


@pytest.mark.slow
def test_a_mismatch_is_the_first_row_and_cannot_be_missed(session: duckdb.DuckDBPyConnection) -> None:
    lost = "FROM users WHERE half = 'old' OR \"user\" % 3 > 0"
    first, *_ = rows(session, call(lost, "half", "paid", control="old"))
    counts = dict(session.execute(f"SELECT half, count(*) FROM ({lost}) GROUP BY ALL").fetchall())
    assert (first["metric"], first["verdict"], first["statistic"]) == (
        "sample ratio",
        "MISMATCH",
        "sample_ratio",
    )
    assert first["p"] == pytest.approx(scipy.stats.chisquare([*counts.values()]).pvalue, rel=1e-9)
    assert first["reason"] == (
        f"MISMATCH: old {counts['old']}, new {counts['new']}; equal shares planned; "
        "do not trust any difference below, find out where the units went"
    )
    planned = call(lost, "half", "paid", control="old", shares="old=3, new=2")
    assert rows(session, planned)[0]["verdict"] == "no mismatch"
    assert rows(session, planned)[0]["reason"].endswith("planned old 0.6, new 0.4")


@pytest.mark.slow
def test_shares_are_those_of_python(session: duckdb.DuckDBPyConnection) -> None:
    shares = {"old": 0.4, "new": 0.3, "lost": 0.3}
    options: Row = {"metrics": "paid", "control": "old", "shares": shares}
    wanted = duckmetrics.ab("users", variant="half", connection=session, **options)
    first, *_ = rows(session, call("users", "half", "paid", control="old", shares=shares))
    assert first["p"] == pytest.approx(wanted.sample_ratio.p, rel=1e-12)
    assert first["reason"].startswith(
        "MISMATCH: old 400, new 400, lost 0; planned old 0.4, new 0.3, lost 0.3;"
    )
    assert first["variant"] == "lost, new"


@pytest.mark.parametrize(
    ("name", "metric"), [("sessions_of_users", "revenue"), ("users_in_two_variants", "rev")]
)
def test_rows_that_are_no_units_give_no_verdict(
    session: duckdb.DuckDBPyConnection, name: str, metric: str
) -> None:
    """The macro finds what Python finds, and says it in the same words; it advises a query."""
    path = str(Path(__file__).parents[1] / "data" / "people" / f"{name}.parquet")
    wanted = duckmetrics.ab(path, variant="variant", control="A", metrics=metric)
    _, *doubts, row = rows(session, call(path, "variant", metric, control="A"))
    (told,), (warned,) = ([doubt["reason"] for doubt in doubts], wanted.warnings)
    before, advice = told.split(", as in ")
    assert before == warned.split(", as in ")[0]
    _, again = rows(
        session, call(advice.removesuffix(". No verdict is given"), "variant", metric, control="A")
    )
    unit = {"revenue": "user_id", "rev": "user"}[metric]
    united = duckmetrics.ab(
        path, variant="variant", control="A", metrics=metric, unit=unit, shared_units="drop"
    )
    assert again["p"] == pytest.approx(united.row(metric)["p"], rel=1e-9)
    assert {doubt["metric"] for doubt in doubts} == {"units"}
    known = wanted.row(metric)
    assert (
        (row["verdict"], row["reason"])
        == (known["verdict"], known["reason"])
        == ("not tested", row["reason"])
    )


# ---- arguments ----------------------------------------------------------------------------------


METRICS = "'revenue, clicks/sessions, paid'"
WAYS = (
    f"FROM ab(users, half, {METRICS}, control := old)",
    "FROM ab(people, half, ['revenue', 'clicks/sessions', 'paid'], control := 'old')",
    "FROM ab(s.users, half, [revenue, 'clicks/sessions, paid'], control := 'old')",
    f"FROM ab('{{folder}}/users.parquet', 'HALF', {METRICS}, control := 'old')",
    f"FROM ab('{{folder}}/*.parquet', half, {METRICS}, control := 'old', level := '0.95', shares := NULL)",
    f"FROM ab('FROM users', half, {METRICS}, control := 'old')",
    f"WITH mine AS (FROM users) FROM ab('mine', half, {METRICS}, control := 'old')",
    f"SELECT * FROM ab(users, half, {METRICS}, control := 'old', lower_is_better := [], pre := '')",
    'FROM ab(users, half, \' "revenue" , "clicks"/"sessions",paid, \', control := \'old\')',
)


@pytest.mark.some(0)
@pytest.mark.parametrize("way", WAYS)
def test_arguments_may_be_written_in_many_ways(
    session: duckdb.DuckDBPyConnection, tmp_path: Path, way: str
) -> None:
    wanted = rows(session, call("users", "half", "revenue, clicks/sessions, paid", control="old"))
    session.execute(f"COPY users TO '{tmp_path}/users.parquet'")
    session.execute("CREATE OR REPLACE VIEW people AS FROM users")
    session.execute("CREATE SCHEMA IF NOT EXISTS s; CREATE OR REPLACE TABLE s.users AS FROM users")
    found = rows(session, way.replace("{folder}", str(tmp_path)))
    for row, other in zip(found, wanted, strict=True):
        assert not [key for key in SUMMARY if different(row[key], other[key])]


@pytest.mark.slow
def test_a_prepared_statement_may_name_them(session: duckdb.DuckDBPyConnection) -> None:
    prepared = f"FROM ab(?, ?, {METRICS}, control := ?)"
    found = session.execute(prepared, ["users", "half", "old"]).fetchall()
    assert [row[0] for row in found] == ["sample ratio", "revenue", "clicks/sessions", "paid"]


@pytest.mark.slow
def test_names_may_hold_anything(session: duckdb.DuckDBPyConnection) -> None:
    metrics = '"a/b", "no, control"/"say ""x"" = 1", "no, control"'
    options = {"control": "it's B", "pre": {"no, control": 'say "x" = 1'}, "lower_is_better": '"a/b"'}
    found = rows(session, call("users", "variant", metrics, **options))
    session.execute(
        'CREATE VIEW plain AS SELECT variant, "a/b" AS a, "no, control" AS b, "say ""x"" = 1" AS c FROM users'
    )
    wanted = rows(
        session, call("plain", "variant", "a, b/c, b", control="it's B", pre="b=c", lower_is_better="a")
    )
    names = {"a": "a/b", "b/c": 'no, control/say "x" = 1', "b": "no, control"}
    for row, other in zip(found, wanted, strict=True):
        assert row["metric"] == names.get(other["metric"], other["metric"])
        assert not [key for key in SUMMARY[1:-1] if different(row[key], other[key])]


@pytest.mark.slow
def test_names_that_look_like_marks_are_names(session: duckdb.DuckDBPyConnection) -> None:
    odd = "it's {0} __found {place} \\1"
    columns = f'variant AS "{odd}", paid AS "{{value}}", revenue AS "{{name}}"'
    session.execute(f"CREATE TABLE odd AS SELECT {columns} FROM users")
    found = rows(session, call("odd", odd, "{value}, {name}", control="A"))
    wanted = rows(session, call("users", "variant", "paid, revenue", control="A"))
    assert [row["metric"] for row in found] == ["sample ratio", *["{value}"] * 3, *["{name}"] * 3]
    for row, other in zip(found, wanted, strict=True):
        assert not [key for key in SUMMARY[1:] if different(row[key], other[key])]


@pytest.mark.slow
def test_settings_and_columns_of_the_same_name_change_nothing(session: duckdb.DuckDBPyConnection) -> None:
    query = call("users", "variant", "revenue, clicks/sessions, paid, some", control="C", pre="some=part")
    wanted = rows(session, query)
    session.execute(
        "SET default_order = 'desc'; SET default_null_order = 'nulls_first'; SET integer_division = true"
    )
    try:
        found = rows(session, query)
    finally:
        session.execute("RESET default_order; RESET default_null_order; RESET integer_division")
    renamed = "SELECT variant AS control, revenue AS metric, clicks AS users, sessions AS n FROM users"
    others = rows(session, call(renamed, "control", "metric, users/n", control="C"))
    for row, other in zip(found, wanted, strict=True):
        assert not [key for key in SUMMARY if different(row[key], other[key])]
    alike = rows(session, call("users", "variant", "revenue, clicks/sessions", control="C"))
    assert not any(different(row["p"], other["p"]) for row, other in zip(others, alike, strict=True))


@pytest.mark.slow
def test_one_query_does_all_metrics(session: duckdb.DuckDBPyConnection) -> None:
    """More metrics of a kind add no scan and no aggregate; DuckDB joins a long list of names."""
    steps = []
    for metrics in ("revenue", "revenue, clicks, sessions, some, part, flag, paid"):
        query = call("users", "variant", metrics, control="A")
        plan = "\n".join(row[1] for row in session.execute(f"EXPLAIN (FORMAT JSON) {query}").fetchall())
        steps.append(Counter(re.findall(r'"name": "(\w*(?:SEQ_SCAN|GROUP_BY|WINDOW|AGGREGATE|UNION))', plan)))
    assert steps[0] == steps[1]
    assert steps[0].total() > 20


@pytest.mark.slow
def test_the_shell_answers_in_one_line(session: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    wanted = rows(session, call("few", "variant", "x, flag", control="A"))
    script = f"CREATE TABLE few AS {FEW}; FROM ab(few, variant, 'x, flag', control := 'A');"
    (found,) = CommandLine(tmp_path).run(script)
    assert [(row["metric"], row["verdict"]) for row in found] == [
        (row["metric"], row["verdict"]) for row in wanted
    ]


# ---- refusals -----------------------------------------------------------------------------------

AB = "FROM ab(users, half, {}, control := 'old'{})"
REFUSED = {
    "FROM ab(users, half, 'paid', control := 'old', planned := 300)":
        "planned: belongs to a sequential test; add sequential := true",
    "FROM ab(users, half, 'paid', control := 'old', sequential := true, planned := 0)":
        "planned cannot be '0'",
    "FROM ab(users, half, 'paid', control := 'old', sequential := 'often')":
        "sequential: is not true or false",
    "FROM ab(users, half, 'paid')": "control is missing; choose new, old",
    "FROM ab(users, half, 'paid', control := 'D')":
        "column 'half' has no control 'D'; there are new, old; name one of the variants",
    "FROM ab('FROM users WHERE half = ''old''', half, 'paid', control := 'old')":
        "column 'half' has only the variant 'old'; compare two or more",
    "FROM ab('FROM users WHERE false', half, 'paid', control := 'old')":
        "no rows; check how it was exported",
    "FROM ab('FROM few', x, 'flag', control := '1.0')": "column 'x': 2 units have no variant",
    "FROM ab(users, 'user', 'paid', control := '1')": "column 'user' has more than 50 different values",
    AB.format("''", ""): "metrics: none given",
    AB.format("NULL", ""): "metrics: none given",
    AB.format("'paid/'", ""): "paid/: is not a ratio of two columns; write numerator/denominator",
    AB.format("'clicks/sessions/flag'", ""): "is not a ratio of two columns",
    AB.format("'variant'", ""): "variant is VARCHAR, not a number",
    AB.format("'paid'", ", pre := 'visits=paid'"): "pre: unknown metric 'visits'; choose paid",
    AB.format("'paid'", ", pre := 'paid'"): "pre: 'paid' maps no metric; write 'revenue=revenue_before'",
    AB.format("'paid'", ", pre := 'paid=PAID'"): "pre paid: is the metric itself",
    AB.format("'paid'", ", pre := 'paid=flag, paid=some'"): "pre paid: is given twice",
    AB.format("'clicks/sessions'", ", pre := 'clicks/sessions=some'"): "there is no CUPED of a ratio",
    AB.format("'paid, flag'", ", lower_is_better := 'won'"):
        "lower_is_better: unknown metric 'won'; choose paid or flag",
    AB.format("'paid'", ", shares := 'old=1'"):
        "shares: variant 'new' has none; given for old; add one: new=1",
    AB.format("'paid'", ", shares := 'old=1, new=0'"): "shares new: '0' is not a positive number",
    AB.format("'paid'", ", shares := 'old=1, old=1'"): "shares old: is given twice",
    AB.format("'paid, p90(paid)'", ""): "p90(paid): is not a column; the macro tests means and ratios",
    AB.format("'paid'", ", shares := '1'"): "shares: '1' maps no variant; write 'A=0.5, B=0.5'",
    AB.format("'paid'", ", adjust := 'homl'"): "adjust cannot be 'homl'; choose bonferroni or holm or",
    AB.format("'paid'", ", adjust := NULL"): "adjust cannot be 'NULL'",
    AB.format("'paid'", ", level := 95"): "level cannot be '95' for what is asked",
    AB.format("'paid'", ", alpha := 0"): "alpha cannot be '0' for what is asked",
    "FROM ab('SELECT half, clicks / 0e0 AS x FROM users', half, 'x', control := 'old')":
        "column 'x': 800 rows with NaN or an infinite value; give finite numbers, or NULL for a "
        "missing number",
    "FROM ab('SELECT half, paid, clicks / 0e0 AS x FROM users', half, 'paid/x', control := 'old')":
        "column 'x': 800 rows with NaN or an infinite value",
}  # fmt: skip


@pytest.mark.some(2)
@pytest.mark.parametrize("query", REFUSED)
def test_the_macro_says_what_is_wrong(session: duckdb.DuckDBPyConnection, query: str) -> None:
    assert REFUSED[query] in refusal(session, query)


@pytest.mark.parametrize("metrics", ["piad", "paid/piad", "paid"])
def test_an_unknown_column_is_refused_with_those_that_there_are(
    session: duckdb.DuckDBPyConnection, metrics: str
) -> None:
    variant = "piad" if metrics == "paid" else "half"
    with pytest.raises(duckdb.BinderException, match=r'(?s)"piad" not found.*Candidate bindings: .*"?paid"?'):
        session.execute(f"FROM ab(users, {variant}, '{metrics}', control := 'old')")


def test_the_help_describes_every_parameter(session: duckdb.DuckDBPyConnection) -> None:
    told = dict(
        session.execute("SELECT topic, about FROM duckmetrics_help('ab') WHERE name = 'ab'").fetchall()
    )
    assert told["call"] == "FROM ab(users, variant, metrics, control := ...)"
    parameters = (
        "users variant metrics control pre shares lower_is_better adjust level alpha adjust=none adjust=holm"
    )
    assert told.keys() >= {*parameters.split(), "formula", "source", "note"}
