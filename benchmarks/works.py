"""The benchmarks: works, contestants, and claims about the times."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.environments import interpreter
from duckmetrics.shell.shipped import find

PEERS = Path(__file__).with_name("peers.py")
MACROS = Path(__file__).resolve().parents[1] / "sql/duckmetrics.sql"
OURS = "duckmetrics"
FIVE = "ndcg@10,ndcg@100,map,mrr,precision@10"
SHALLOW = "ndcg@10,map@10,mrr@10,precision@10,recall@5"
TWENTY = (
    "ndcg@10,ndcg@100,map,mrr,precision@10,ndcg@5,ndcg(gain=exp2)@10,precision@5,precision@20,recall@5,"
    "recall@10,recall@100,f1@10,hit_rate@1,hit_rate@10,hits@10,dcg@10,map@10,r_precision,rbp"
)
TWELVE = ("ndcg@10", "map@100", "mrr", "recall@10", "precision@10", "hit_rate@10", "f1@10", "dcg@10",
          "ndcg@100", "map", "rbp", "r_precision")  # fmt: skip
THREE_METRICS = "ndcg@2,mrr,hit_rate@1"
LISTS = (
    "arp@10,long_tail_share@10,popularity_percentile(popularity=interactions)@10,"
    "self_information(popularity=interactions)@10,ranking.gini@10"
)
OF_RECTOOLS = "arp@10,miuf@10,coverage@10"
OF_REPLAY = "miuf(scale=max, norm=k)@10,unseen_share@10,coverage@10"
# Single precision can have ties that double precision does not have.
SINGLE = 1e-4


@dataclass(frozen=True)
class Contestant:
    """A process that takes part.

    Attributes:
        arguments: the command; for a peer, the rest after its interpreter.
        peer: its name in peers.py, empty for duckmetrics.
        tolerance: the largest allowed difference of its values from ours.
    """

    arguments: tuple[str, ...]
    peer: str = ""
    tolerance: float = 1e-9


@dataclass(frozen=True)
class Claim:
    """The claim that the ratio of two times is at least, or at most, a bound.

    Attributes:
        one, other: names of contestants.
        sign: ``>=`` or ``<=``.
        bound: the limit of the median ratio; without a sign, the ratio is only shown.
    """

    one: str
    other: str
    sign: str = ""
    bound: float = 0


@dataclass(frozen=True)
class Work:
    """The same work done by several processes.

    Attributes:
        data: the data sets of contestants with their own; all others have `data_set`.
        rows: the factor of the number of rows, for contestants that differ from the others.
        most_mib: the largest peak memory of our own processes.
        most_cpu: the largest CPU seconds of a contestant.
    """

    name: str
    suite: str
    data_set: str
    contestants: dict[str, Contestant]
    claims: tuple[Claim, ...]
    most_mib: float | None = None
    data: dict[str, str] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    most_cpu: dict[str, float] = field(default_factory=dict)


def ranking(metrics: str, *options: str) -> Contestant:
    tables = ("predictions.parquet", "truth.parquet")
    return Contestant(("-m", OURS, "evaluate", *tables, "-m", metrics, "--format", "json", *options))


def compared(metrics: str, *options: str) -> Contestant:
    """Compare systems with the first of them."""
    tables = ("predictions.parquet", "--truth", "truth.parquet", "--baseline", "run0")
    return Contestant(("-m", OURS, "compare", *tables, "-m", metrics, "--format", "json", *options))


def rows(metrics: str, *options: str, score: str = "score") -> Contestant:
    return Contestant(("-m", OURS, "evaluate", "impressions.parquet", "-m", metrics, "--format", "json",
                       "--column", f"score={score}", *options))  # fmt: skip


def peer(name: str, tolerance: float = 1e-9) -> Contestant:
    return Contestant((str(PEERS), name), name, tolerance)


def shell(query: str, *options: str) -> Contestant:
    """Run the DuckDB shell, which prints one number."""
    return Contestant((find(), *options, "-noheader", "-list", "-c", query), "shell")


def in_the_shell(*metrics: str) -> Contestant:
    wanted = ", ".join(f"'{metric}'" for metric in metrics)
    call = f"evaluate('predictions.parquet', 'truth.parquet', [{wanted}])"
    return shell(f"SELECT value FROM {call} LIMIT 1", "-init", str(MACROS))


SYSTEMS = ("--system", "system")
UNSEARCHED = ("--set", "duplicates=count")
USERS = ("--column", "group_id=user_id")
LITTLE = ("--memory-limit", "2GB")
JOIN = peer("bare_join")
BARE = Claim(OURS, "bare join")
THREE, HELP, IMPORT = "evaluate on three rows", "--help", f"import {OURS}"


def shape(name: str, title: str) -> Work:
    """Define the five metrics over lists of another shape."""
    return Work(f"five metrics, {title}", "shapes", name, {OURS: ranking(FIVE), "bare join": JOIN}, (BARE,))


WORKS = [
    Work("five metrics", "ranking", "ranking", {
        OURS: ranking(FIVE),
        "duckmetrics, duplicates=count": ranking(FIVE, *UNSEARCHED),
        "bare join": JOIN,
        "Polars by hand": peer("polars_ranking"),
        "RePlay (Polars)": peer("replay"),
        "RecTools": peer("rectools"),
        "pytrec_eval-terrier": peer("pytrec_eval", SINGLE),
        "ir-measures": peer("ir_measures", SINGLE),
        "ranx": peer("ranx"),
    }, (
        Claim("pytrec_eval-terrier", OURS, ">=", 13), Claim("ranx", OURS, ">=", 20),
        Claim("RePlay (Polars)", OURS, ">=", 5), Claim("Polars by hand", OURS, ">=", 1.15),
        Claim("RecTools", OURS), Claim("ir-measures", OURS), Claim(OURS, "bare join", "<=", 4.5),
        Claim("pytrec_eval-terrier", "duckmetrics, duplicates=count"),
        Claim("ranx", "duckmetrics, duplicates=count"),
        Claim("Polars by hand", "duckmetrics, duplicates=count", ">=", 1.5),
        Claim("duckmetrics, duplicates=count", "bare join", "<=", 3.5),
    ), most_mib=0.8 * 1024),
    Work("cut-offs up to 10 only", "ranking", "ranking", {OURS: ranking(SHALLOW), "bare join": JOIN},
         (Claim(OURS, "bare join", "<=", 2.3),)),
    Work("five metrics, ranks given", "ranking", "ranks",
         {OURS: ranking(FIVE), "bare join": peer("bare_join_of_ranks")},
         (Claim(OURS, "bare join", "<=", 2.5),)),
    Work("ids of text and of integers", "ranking", "ranking",
         {"integers": ranking(FIVE), "text": ranking(FIVE)},
         (Claim("text", "integers", "<=", 1.35),), data={"text": "text"}),
    Work("twenty metrics next to one", "ranking", "ranking",
         {"one (map)": ranking("map"), "twenty": ranking(TWENTY)},
         (Claim("twenty", "one (map)", "<=", 1.3),)),
    Work("ten systems next to one", "ranking", "ranking",
         {"one system": ranking(FIVE), "ten systems": ranking(FIVE, *SYSTEMS)},
         (Claim("ten systems", "one system", "<=", 1.3),), data={"ten systems": "systems"}),
    shape("ties", "ten scores a list"), shape("text", "ids of text"), shape("shuffled", "rows in no order"),
    shape("skewed", "lists of 46 to 10,000"), shape("long", "1000 items a list"),
    shape("short", "top-10 lists"),
    Work("five metrics of accuracy, and five of lists", "lists", "history", {
        "accuracy": ranking(SHALLOW),
        "both": ranking(f"{SHALLOW},{LISTS}", "--history", "history.parquet", *LITTLE),
        "count of the history": peer("count_of_history"),
    }, (Claim("both", "accuracy"), Claim("count of the history", "accuracy")), most_mib=2048),
    Work("popularity, novelty and coverage", "lists", "history", {
        "as RecTools": ranking(OF_RECTOOLS, "--history", "history.parquet"),
        "RecTools": peer("rectools_lists"),
        "as RePlay": ranking(OF_REPLAY, "--history", "history.parquet"),
        "RePlay (Polars)": peer("replay_lists"),
    }, (Claim("RecTools", "as RecTools", ">=", 4), Claim("RePlay (Polars)", "as RePlay", ">=", 4))),
    Work("AUC, all scores differ", "classification", "impressions", {
        OURS: rows("auc"), "bare sort": peer("bare_sort"), "Polars": peer("polars_auc"),
        "ClickHouse (chdb)": peer("chdb_auc"), "pandas + scikit-learn": peer("sklearn_auc"),
    }, (
        Claim("pandas + scikit-learn", OURS, ">=", 5.5), Claim("Polars", OURS, ">=", 1.9),
        Claim("ClickHouse (chdb)", OURS, ">=", 1.7), Claim(OURS, "bare sort", "<=", 1.3),
    )),
    Work("average precision, all scores differ", "classification", "impressions", {
        OURS: rows("average_precision"), "Polars": peer("polars_average_precision"),
        "pandas + scikit-learn": peer("sklearn_average_precision"),
    }, (Claim("pandas + scikit-learn", OURS, ">=", 2), Claim("Polars", OURS, ">=", 1))),
    Work("AUC, 1001 scores", "classification", "impressions", {
        OURS: rows("auc", score="rounded"), "Polars": peer("polars_auc_rounded"),
        "pandas + scikit-learn": peer("sklearn_auc_rounded"),
    }, (Claim("pandas + scikit-learn", OURS, ">=", 18), Claim("Polars", OURS))),
    Work("log loss", "classification", "impressions",
         {OURS: rows("log_loss"), "pandas + scikit-learn": peer("sklearn_log_loss")},
         (Claim("pandas + scikit-learn", OURS, ">=", 8),)),
    Work("GAUC of 100,000 users (pandas: 1 % of them, scaled)", "classification", "impressions",
         {OURS: rows("gauc", *USERS), "AUC": rows("auc"), "pandas groupby": peer("pandas_gauc")},
         (Claim("pandas groupby", OURS, ">=", 20), Claim(OURS, "AUC"))),
    Work("five metrics within 2 GB, ten times the rows", "large", "ranking",
         {"1x": ranking(FIVE, *LITTLE), "10x": ranking(FIVE, *LITTLE),
          "10x, 10 parts": ranking(FIVE, *LITTLE, "--chunks", "10")},
         (Claim("10x", "1x", "<=", 16), Claim("10x, 10 parts", "1x", "<=", 16)), most_mib=2.2 * 1024,
         rows={"10x": 10, "10x, 10 parts": 10}),
    Work("AUC within 2 GB, five times the rows", "large", "impressions",
         {"1x": rows("auc", *LITTLE), "5x": rows("auc", *LITTLE)},
         (Claim("5x", "1x", "<=", 8),), most_mib=2.2 * 1024, rows={"5x": 5}),
    Work("ten systems compared", "inference", "systems", {
        "evaluate": ranking(FIVE, *SYSTEMS),
        "with intervals": ranking(FIVE, *SYSTEMS, "--interval", "0.95"),
        "compare": compared(FIVE, *SYSTEMS),
    }, (Claim("with intervals", "evaluate"), Claim("compare", "evaluate", "<=", 1.5))),
    Work("five systems compared, a tenth as many queries as rows", "inference", "compared", {
        "compare": compared(THREE_METRICS, *SYSTEMS),
        "with a margin": compared(THREE_METRICS, *SYSTEMS, "--margin", "0.01"),
        "unpaired": compared(THREE_METRICS, *SYSTEMS, "--unpaired"),
        "always valid": compared(THREE_METRICS, *SYSTEMS, "--test", "always_valid"),
        "max-T": compared(THREE_METRICS, *SYSTEMS, "--adjust", "max_t"),
    }, (
        Claim("with a margin", "compare", "<=", 1.5), Claim("unpaired", "compare", "<=", 1.5),
        Claim("always valid", "compare", "<=", 1.5), Claim("max-T", "compare"),
    )),
    Work("five metrics with intervals", "inference", "ranking",
         {"without": ranking(FIVE), "with intervals": ranking(FIVE, "--interval", "0.95")},
         (Claim("with intervals", "without", "<=", 1.1),)),
    Work("AUC with an interval over 100,000 users", "inference", "impressions",
         {"AUC": rows("auc"), "with an interval": rows("auc", "--cluster", "user_id", "--interval", "0.95")},
         (Claim("with an interval", "AUC", "<=", 2.5),), most_mib=1536),
    Work("the start", "start", "three",
         {THREE: ranking("ndcg@10"), HELP: Contestant(("-m", OURS, "--help")),
          IMPORT: Contestant(("-c", f"import {OURS}"))},
         (), most_cpu={THREE: 0.33, HELP: 0.1, IMPORT: 0.05}),
    Work("the shell with all macros", "shell", "ranking",
         {"bare start": shell("SELECT 1"), "with macros": shell("SELECT 1", "-init", str(MACROS))},
         (Claim("with macros", "bare start"),)),
    Work("twelve metrics next to one in the shell", "shell", "ranking",
         {"one": in_the_shell(TWELVE[0]), "twelve": in_the_shell(*TWELVE), OURS: ranking(TWELVE[0])},
         (Claim("twelve", "one"), Claim("one", OURS))),
]  # fmt: skip
SUITES = tuple(dict.fromkeys(work.suite for work in WORKS))


def command(contestant: Contestant) -> list[str]:
    """Return the command; a peer may have its own interpreter.

    Raises:
        FailedError: the peer has its own environment, which is not there.
    """
    if contestant.peer == "shell":
        return list(contestant.arguments)
    return [interpreter(contestant.peer), *contestant.arguments]
