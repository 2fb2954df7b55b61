"""Tables with frequent mistakes, and calls with the mistakes that people make with them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

import duckdb

from support.little import PREDICTIONS, TRUTH

if TYPE_CHECKING:
    from pathlib import Path

ROWS = """(VALUES (1, 0.9, 'DE', 'u1'), (0, 0.2, 'DE', 'u1'), (1, 0.6, 'FR', 'u2'), (0, 0.7, 'FR', 'u2'),
    (0, 0.1, 'FR', 'u3')) AS r(label, score, country, user_id)"""
USERS = """SELECT i AS user_id, if(i % 2 = 0, 'A', 'B') AS variant, (i * 7) % 11 AS revenue, i % 3 AS clicks,
    1 + i % 4 AS views, 'x' || i AS city FROM range(200) AS t(i)"""
TABLES = {
    "run.parquet": f"FROM {PREDICTIONS}",
    "truth.parquet": f"FROM {TRUTH}",
    "new.parquet": f"SELECT * REPLACE (-score AS score) FROM {PREDICTIONS}",
    "models.parquet": f"""SELECT 'bm25' AS model, * FROM {PREDICTIONS}
        UNION ALL SELECT 'bert', * REPLACE (-score AS score) FROM {PREDICTIONS}""",
    "users.parquet": "FROM (VALUES ('q1', 'DE'), ('q2', 'FR'), ('q3', 'FR')) AS u(query_id, country)",
    "ctr.csv": f"FROM {ROWS}",
    "renamed.csv": f"SELECT query_id AS qid, item_id AS docid, score AS sim FROM {PREDICTIONS}",
    "dates.parquet": f"SELECT DATE '2024-12-30' + label AS label, score FROM {ROWS}",
    "label12.csv": f"SELECT label + 1 AS label, score FROM {ROWS}",
    "ones.csv": f"SELECT 1 AS label, score FROM {ROWS}",
    "percent.csv": f"SELECT label, 100 * score AS score FROM {ROWS}",
    "integers.parquet": f"SELECT * REPLACE (ascii(item_id) AS item_id) FROM {PREDICTIONS}",
    "nan.parquet": f"SELECT * REPLACE (if(item_id = 'b', 'nan'::DOUBLE, score) AS score) FROM {PREDICTIONS}",
    "rated.parquet": f"SELECT query_id, item_id, relevance AS rating FROM {TRUTH}",
    "twice.parquet": f"FROM {PREDICTIONS} UNION ALL FROM {PREDICTIONS}",
    "ab.csv": USERS,
    "one.csv": f"SELECT * REPLACE ('A' AS variant) FROM ({USERS})",
}
TEXTS = {
    "empty.csv": "",
    "empty.parquet": "",
    "header.csv": "query_id,item_id,score\n",
    "nohead.csv": "q1,b,3.0\nq1,a,2.5\nq2,a,2.0\n",
    "blanks.csv": "query_id item_id score\nq1 b 3.0\nq1 a 2.5\n",
    "commas.csv": 'query_id,item_id,score\nq1,b,"3,0"\nq1,a,"2,5"\n',
    "binary.parquet": "\x00\x01\x02" * 400,
    "results.csv": "my,own\n1,2\n",
    "folder/notes.md": "nothing\n",
    "a.run": "q1 Q0 a 1 3.0 x\n",
    "a.qrels": "q1 0 a 1\n",
}


def write_all(folder: Path) -> None:
    """Write the tables, the texts, and a database with the tables `recs` and `truth`."""
    (folder / "folder").mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute(f"CREATE TABLE recs AS FROM {PREDICTIONS}; CREATE TABLE truth AS FROM {TRUTH}")
        for name, query in TABLES.items():
            connection.execute(f"COPY ({query}) TO '{folder}/{name}'")


class Mistake(NamedTuple):
    """A wrong call.

    Attributes:
        call: the arguments, as they are typed.
        wrong: the part that the message must name.
        right: the replacement that the message must advise; with it, the call works.
        instead: the call that the message leads to, if more than this part differs.
    """

    call: str
    wrong: str
    right: str
    instead: str = ""

    @property
    def mended(self) -> list[str]:
        return shlex.split(self.instead or self.call.replace(self.wrong, self.right))


EVALUATE = "evaluate run.parquet truth.parquet"
NDCG = f"{EVALUATE} -m ndcg@10"
ROWS_AUC = "evaluate ctr.csv -m auc"
COMPARE = "compare run.parquet new.parquet --truth truth.parquet -m ndcg@10"
AB = "ab ab.csv --variant variant --control A -m revenue"
CAST = "CAST(replace(score, ',', '.') AS DOUBLE) AS score"
COMMAS = f"evaluate \"SELECT * REPLACE ({CAST}) FROM 'commas.csv'\" truth.parquet -m mrr"

# A misspelled word, or a value that is not allowed: the message names the intended one.
WORDS = [
    Mistake("help", "help", "--help"),
    Mistake("evalute run.parquet truth.parquet -m mrr", "evalute", "evaluate"),
    Mistake(f"{EVALUATE} -m ndgc@10", "ndgc", "ndcg"),
    Mistake(f"{EVALUATE} -m recal@5", "recal", "recall"),
    Mistake(f"{EVALUATE} -m hitrate@5", "hitrate", "hit_rate"),
    Mistake(f"{EVALUATE} -m ndcg10", "ndcg10", "ndcg@10"),
    Mistake(f"{EVALUATE} -m 'ndcg 10'", "ndcg 10", "ndcg@10"),
    Mistake(f"{EVALUATE} -m ndcg@", "ndcg@", "ndcg@10"),
    Mistake(f"{EVALUATE} -m @10", "@10", "ndcg@10"),
    Mistake(f"{EVALUATE} -m ndcg@0", "@0", "@10"),
    Mistake(f"{EVALUATE} -m ndcg@-1", "@-1", "@10"),
    Mistake(f"{EVALUATE} -m ndcg@ten", "@ten", "@10"),
    Mistake(f"{EVALUATE} -m ndcg@5,10", "10", "ndcg@10"),
    Mistake(f"{EVALUATE} -m 'ndcg(gain=exp2@10'", "ndcg(gain=exp2@10", "ndcg(gain=exp2)@10"),
    Mistake(f"{EVALUATE} -m 'ndcg(gain=exp2))@10'", "ndcg(gain=exp2))@10", "ndcg(gain=exp2)@10"),
    Mistake(f"{EVALUATE} -m 'ndcg(gian=exp2)@10'", "gian", "gain"),
    Mistake(f"{EVALUATE} -m 'ndcg(gain=exp)@10'", "gain=exp)", "exp2", f"{EVALUATE} -m 'ndcg(gain=exp2)@10'"),
    Mistake("evaluate ctr.csv -m acc", "acc", "accuracy"),
    Mistake("evaluate ctr.csv -m 'precision(treshold=0.5)'", "treshold", "threshold"),
    Mistake(f"{NDCG} --set tie=item_desc", "tie", "ties", f"{NDCG} --set ties=item_desc"),
    Mistake(f"{NDCG} --set ties=pesimistic", "pesimistic", "pessimistic"),
    Mistake(f"{NDCG} --set missing=drop", "drop", "skip"),
    Mistake(f"{EVALUATE} -m recall@5 --set rel=high", "high", "1"),
    Mistake(f"{NDCG} --ties item_desc", "--ties ", "--set ties=", f"{NDCG} --set ties=item_desc"),
    Mistake(f"{NDCG} --like rektools", "rektools", "rectools"),
    Mistake(
        f"{NDCG} --like scikit-lern", "scikit-lern", "sklearn", f"{NDCG} --like sklearn --set missing=skip"
    ),
    Mistake(f"{EVALUATE} -M ndcg@10", "-M", "-m"),
    Mistake(f"{EVALUATE} --metrics ndcg@10", "--metrics", "--metric"),
    Mistake(f"{EVALUATE} -m ndcg -k 10", "-k", "-m ndcg@10", NDCG),
    Mistake(f"{NDCG} --interval 95", "interval=95", "0.95", f"{NDCG} --interval 0.95"),
    Mistake(f"{NDCG} --interval 95%", "95%", "0.95"),
    Mistake(f"{NDCG} --threads 0", "0", "4", f"{NDCG} --threads 4"),
    Mistake(f"{NDCG} --memory-limit '4 gigs'", "4 gigs", "4GB"),
    Mistake(f"{NDCG} --interval 0.95 --interval-method bootstrp", "bootstrp", "bootstrap"),
    Mistake(f"{NDCG} --engine dukdb", "dukdb", "duckdb"),
    Mistake(f"{NDCG} --format xml", "xml", "json"),
    Mistake(f"{NDCG} --fail-if 'ndcg@10 =< 0.1'", "=<", "<="),
    Mistake(f"{NDCG} --fail-if 'ndcg@10 < 0,1'", "0,1", "0.1"),
    Mistake(f"{NDCG} --fail-if 'ndgc@10 < 0.1'", "ndgc@10", "ndcg@10"),
    Mistake("curve roc_curv ctr.csv", "roc_curv", "roc_curve"),
    Mistake("curve roc ctr.csv", "roc", "roc_curve"),
    Mistake("curve auc ctr.csv", "'auc' is a metric", "duckmetrics evaluate ... -m auc", ROWS_AUC),
    Mistake(
        "curve roc_curve ctr.csv --set point=5", "'point'", "points", "curve roc_curve ctr.csv --set points=5"
    ),
    Mistake("curve roc_curve ctr.csv --set points=-5", "-5", "2"),
    Mistake("curve roc_curve ctr.csv --set points=five", "five", "2"),
    Mistake("conventions run.parquet truth.parquet -m map@10 --like rektools", "rektools", "rectools"),
    Mistake("sql ndcg@10 --dialect postgre", "'postgre'", "postgres", "sql ndcg@10 --dialect postgres"),
    Mistake("metrics ndgc", "ndgc", "ndcg"),
    Mistake("checks duplicate_judgement", "duplicate_judgement", "duplicate_judgment"),
    Mistake("presets rektools", "rektools", "rectools"),
]
# Tables, columns, databases and SQL.
DATA = [
    Mistake("evaluate runn.parquet truth.parquet -m mrr", "runn.parquet", "run.parquet"),
    Mistake("evaluate run.parqet truth.parquet -m mrr", "run.parqet", "run.parquet"),
    Mistake("evaluate run truth.parquet -m mrr", "run:", "'run.parquet'", f"{EVALUATE} -m mrr"),
    Mistake("evaluate run.parquet truht.parquet -m mrr", "truht.parquet", "truth.parquet"),
    Mistake(
        "evaluate truth.parquet run.parquet -m mrr",
        "truth.parquet",
        "predictions come first",
        f"{EVALUATE} -m mrr",
    ),
    Mistake("evaluate a.qrels a.run -m mrr", "a.qrels", "the run first", "evaluate a.run a.qrels -m mrr"),
    Mistake(
        "evaluate empty.csv truth.parquet -m mrr", "empty.csv: no rows", "check how it was exported", NDCG
    ),
    Mistake(
        "evaluate header.csv truth.parquet -m mrr", "header.csv: no rows", "check how it was exported", NDCG
    ),
    Mistake(
        "evaluate empty.parquet truth.parquet -m mrr",
        "empty.parquet",
        "the export or download finished",
        NDCG,
    ),
    Mistake(
        "evaluate binary.parquet truth.parquet -m mrr",
        "binary.parquet",
        "the export or download finished",
        NDCG,
    ),
    Mistake(
        "evaluate nohead.csv truth.parquet -m mrr",
        "column0",
        "--column query_id=",
        "evaluate nohead.csv truth.parquet -m mrr --column predictions.query_id=column0 "
        "--column predictions.item_id=column1 --column score=column2",
    ),
    Mistake("evaluate folder truth.parquet -m mrr", "folder", "folder/**/*.parquet", NDCG),
    Mistake(
        "evaluate blanks.csv truth.parquet -m mrr",
        "query_id item_id score",
        "FROM read_csv('blanks.csv', delim = ' ')",
        "evaluate \"FROM read_csv('blanks.csv', delim = ' ')\" truth.parquet -m mrr",
    ),
    Mistake("evaluate commas.csv truth.parquet -m mrr", "VARCHAR", "replace(score, ',', '.')", COMMAS),
    Mistake(
        "evaluate dates.parquet -m auc",
        "DATE",
        "REPLACE ((label >= DATE '2024-12-31') AS label)",
        "evaluate \"SELECT * REPLACE ((label >= DATE '2024-12-31') AS label) FROM 'dates.parquet'\" -m auc",
    ),
    Mistake(
        "evaluate label12.csv -m auc",
        "label=2",
        "REPLACE (CAST(label = 2 AS INTEGER) AS label)",
        "evaluate \"SELECT * REPLACE (CAST(label = 2 AS INTEGER) AS label) FROM 'label12.csv'\" -m auc",
    ),
    Mistake(
        "evaluate percent.csv -m log_loss",
        "score=10",
        "divide percentages by 100",
        "evaluate \"SELECT * REPLACE (score / 100 AS score) FROM 'percent.csv'\" -m log_loss",
    ),
    Mistake(
        "evaluate integers.parquet truth.parquet -m mrr",
        "INTEGER",
        "CAST(item_id AS VARCHAR) AS item_id",
        "evaluate \"SELECT * REPLACE (CAST(item_id AS VARCHAR) AS item_id) FROM 'integers.parquet'\" "
        "truth.parquet -m mrr",
    ),
    Mistake(
        "evaluate nan.parquet truth.parquet -m mrr",
        "NaN",
        "drop these rows",
        "evaluate \"FROM 'nan.parquet' WHERE NOT isnan(score)\" truth.parquet -m mrr",
    ),
    Mistake(
        "evaluate twice.parquet truth.parquet -m mrr",
        "more than once",
        "duplicates=first",
        "evaluate twice.parquet truth.parquet -m mrr --set duplicates=first",
    ),
    Mistake(
        "evaluate models.parquet truth.parquet -m mrr",
        "'model'",
        "system=",
        "evaluate models.parquet truth.parquet -m mrr --system model",
    ),
    Mistake("evaluate models.parquet truth.parquet -m mrr --system modl", "modl", "model"),
    Mistake("evaluate models.parquet truth.parquet -m mrr --system bm25", "bm25", "model"),
    Mistake(
        "evaluate run.parquet -m mrr",
        "no truth table, which mrr needs,",
        "--truth",
        "evaluate run.parquet --truth truth.parquet -m mrr",
    ),
    Mistake(
        f"{EVALUATE} -m mrr,auc",
        "auc: run.parquet: no column 'label'",
        "--column label=",
        f"{EVALUATE} -m mrr",
    ),
    Mistake("evaluate ctr.csv truth.parquet -m auc", "auc", "leave the truth out", ROWS_AUC),
    Mistake(
        "evaluate renamed.csv truth.parquet -m mrr", "query_id", "--column query_id=", f"{EVALUATE} -m mrr"
    ),
    Mistake(f"{ROWS_AUC} --column lable=label", "'lable'", "'label'", ROWS_AUC),
    Mistake(f"{ROWS_AUC} --column score=scor", "'scor'", "'score'", ROWS_AUC),
    Mistake(f"{ROWS_AUC} --column country=label", "country", "--column label=country", ROWS_AUC),
    Mistake(f"{ROWS_AUC} --by contry", "contry", "country"),
    Mistake(f"{NDCG} --by contry --queries users.parquet", "contry", "country"),
    Mistake(f"{NDCG} --by country", "country", "--queries", f"{NDCG} --by country --queries users.parquet"),
    Mistake(f"{ROWS_AUC} --interval 0.9 --cluster usr_id", "usr_id", "user_id"),
    Mistake(
        f"{ROWS_AUC} --cluster user_id",
        "cluster",
        "--interval",
        f"{ROWS_AUC} --cluster user_id --interval 0.9",
    ),
    Mistake(
        "evaluate recs truth.parquet -m mrr",
        "recs",
        "--database",
        "evaluate recs truth --database shop.duckdb -m mrr",
    ),
    Mistake(
        "evaluate rec truth --database shop.duckdb -m mrr",
        "rec:",
        "'recs'",
        "evaluate recs truth --database shop.duckdb -m mrr",
    ),
    Mistake("evaluate recs truth --database shp.duckdb -m mrr", "shp.duckdb", "shop.duckdb"),
    Mistake(f"{NDCG} --database run.parquet", "run.parquet", "name it as a table instead", NDCG),
    Mistake(
        "evaluate \"SELEC * FROM 'run.parquet'\" truth.parquet -m mrr",
        "SELEC ",
        "SELECT",
        "evaluate \"SELECT * FROM 'run.parquet'\" truth.parquet -m mrr",
    ),
    Mistake("evaluate \"SELECT * FORM 'run.parquet'\" truth.parquet -m mrr", "FORM", "fix the query", NDCG),
    Mistake(
        "evaluate \"SELECT query_id, item_id, scor AS score FROM 'run.parquet'\" truth.parquet -m mrr",
        '"scor"',
        '"score"',
        NDCG,
    ),
    Mistake(
        "evaluate \"FROM 'run.parquet'; FROM 'new.parquet'\" truth.parquet -m mrr",
        "not one SELECT",
        "give a single query",
        NDCG,
    ),
    Mistake(
        "evaluate 'DELETE FROM recs' truth --database shop.duckdb -m mrr",
        "DELETE FROM recs",
        "begins with SELECT",
        "evaluate 'SELECT * FROM recs' truth --database shop.duckdb -m mrr",
    ),
]
# Missing, superfluous or forbidden arguments.
CALLS = [
    Mistake(f"{EVALUATE} ndcg@10", "ndcg@10", "metrics follow -m", NDCG),
    Mistake(f"{NDCG} new.parquet", "new.parquet", "the truth is the second argument", NDCG),
    Mistake(f"{NDCG} --set ties item_desc", "item_desc", "quote", f"{NDCG} --set ties=item_desc"),
    Mistake(f"{NDCG} --set ties", "'ties'", "--set NAME=VALUE", f"{NDCG} --set ties=item_desc"),
    Mistake(f"{NDCG} -m ndcg@10", "ndcg@10", "name each metric once", NDCG),
    Mistake(f"{NDCG} -o run.parquet", "run.parquet", "another name", f"{NDCG} -o out.parquet"),
    Mistake(f"{NDCG} -o results.csv", "results.csv", "another name", f"{NDCG} -o other.csv"),
    Mistake(f"{NDCG} -o results.xlsx", "results.xlsx", "results.json", f"{NDCG} -o results.json"),
    Mistake(
        f"{NDCG} -o nowhere/results.json",
        "nowhere/results.json",
        "an existing folder",
        f"{NDCG} -o folder/results.json",
    ),
    Mistake(
        f"{NDCG} --format parquet", "--format parquet", "-o results.parquet", f"{NDCG} -o results.parquet"
    ),
    Mistake(f"{NDCG} --per-query values.csv", "values.csv", "values.parquet"),
    Mistake(f"{NDCG} --baseline run", "--baseline", "duckmetrics compare", COMPARE),
    Mistake(
        f"{NDCG} --fail-if ndcg@10",
        "gate 'ndcg@10'",
        "'ndcg@10 < 0.35'",
        f"{NDCG} --fail-if 'ndcg@10 < 0.35'",
    ),
    Mistake(f"{NDCG} --fail-if 'ndcg@10 delta_lower < 0'", "delta_lower", "duckmetrics compare", COMPARE),
    Mistake(
        f"{EVALUATE} -m bpref --like sklearn",
        "bpref",
        "ndcg",
        f"{EVALUATE} -m ndcg --like sklearn --set missing=skip",
    ),
    Mistake(
        "compare run.parquet --truth truth.parquet -m ndcg@10",
        "run.parquet",
        "give a table for each",
        COMPARE,
    ),
    Mistake("compare run.parquet truth.parquet -m ndcg@10", "truth.parquet", "--truth", COMPARE),
    Mistake("compare run.parquet new.parquet -m ndcg@10", "no truth table", "--truth", COMPARE),
    Mistake(
        "compare run.parquet new.parquet rated.parquet -m mrr",
        "rated.parquet",
        "--truth",
        "compare run.parquet new.parquet --truth rated.parquet -m mrr",
    ),
    Mistake("metrics R@10", "R@10", "ranking.recall@10"),
    Mistake(
        f"{COMPARE} --baseline run.parquet", "baseline 'run.parquet'", "'run'", f"{COMPARE} --baseline run"
    ),
    Mistake(f"{COMPARE} --baseline old", "'old'", "run", f"{COMPARE} --baseline run"),
    Mistake("compare models.parquet truth.parquet --system model -m mrr --baseline bm52", "bm52", "bm25"),
    Mistake(
        "compare models.parquet truth.parquet --system model -m mrr",
        "baseline: not given",
        "'bert' or 'bm25'",
        "compare models.parquet truth.parquet --system model -m mrr --baseline bm25",
    ),
    Mistake(
        "compare models.parquet truth.parquet --system bm25 --system bert -m mrr",
        "bm25, bert",
        "name one column",
        "compare models.parquet truth.parquet --system model -m mrr --baseline bm25",
    ),
    Mistake(
        "compare old=run.parquet new=new.parquet --truth truth.parquet -m mrr",
        "old=run.parquet",
        "--system old=run.parquet",
        "compare --system old=run.parquet --system new=new.parquet --truth truth.parquet -m mrr",
    ),
    Mistake(
        "compare run.parquet run.parquet --truth truth.parquet -m mrr",
        "the same name",
        "--system NAME=TABLE",
        COMPARE,
    ),
    Mistake(f"{COMPARE} --test ttest", "ttest", "paired_t"),
    Mistake(f"{COMPARE} --test wilcoxn", "wilcoxn", "wilcoxon"),
    Mistake(f"{COMPARE} --adjust bonferoni", "bonferoni", "bonferroni"),
    Mistake(f"{COMPARE} --alpha 5", "alpha=5", "0.05", f"{COMPARE} --alpha 0.05"),
    Mistake(f"{COMPARE} --power 80", "power=80", "0.8", f"{COMPARE} --power 0.8"),
    Mistake(f"{COMPARE} --fail-if 'ndcg@10 verdict = wors'", "wors", "worse"),
    Mistake("ab ab.csv -m revenue", "--variant", "--variant COLUMN", AB),
    Mistake("ab ab.csv --variant variant -m revenue", "control", "choose A or B", AB),
    Mistake("ab ab.csv --variant varaint --control A -m revenue", "varaint", "variant"),
    Mistake("ab ab.csv --variant variant --control C -m revenue", "control 'C'", "A and B", AB),
    Mistake(
        "ab one.csv --variant variant --control A -m revenue",
        "only the variant 'A'",
        "compare two or more",
        AB,
    ),
    Mistake("ab ab.csv --variant variant --control A -m revenu", "'revenu'", "'revenue'", AB),
    Mistake("ab ab.csv --variant variant --control A -m clicks/vews", "vews", "views"),
    Mistake(
        "ab ab.csv --variant variant --control A -m clicks/views/2",
        "clicks/views/2",
        "numerator/denominator",
        AB,
    ),
    Mistake("ab ab.csv --variant variant --control A -m city", "city", "not a number", AB),
    Mistake(f"{AB} --shares A=0.5,C=0.5", "'B'", "B=0.5", f"{AB} --shares A=0.5,B=0.5"),
    Mistake(f"{AB} --shares 0.5,0.5", "'0.5'", "--shares NAME=VALUE", f"{AB} --shares A=0.5,B=0.5"),
    Mistake(f"{AB} --lower-is-better revnue", "revnue", "revenue"),
    Mistake(
        "test ttest ab.csv",
        "ttest",
        "'welch_t'",
        "test welch-t ab.csv --column arm=variant --column value=revenue --set control=A",
    ),
    Mistake(
        "test welsh-t ab.csv --column arm=variant --column value=revenue --set control=A",
        "welsh-t",
        "welch_t",
    ),
    Mistake(
        "test welch-t ab.csv --column value=revenue --set control=A",
        "'arm'",
        "--column arm=",
        "test welch-t ab.csv --column arm=variant --column value=revenue --set control=A",
    ),
    Mistake("test chi-square 3 x", "'x'", "3 7", "test chi-square 3 7"),
    Mistake(
        "sampled run.parquet truth.parquet -m recall@10", "--n-items", "--n-items 10000", "metrics recall"
    ),
]
