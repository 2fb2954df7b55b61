"""The ranking metrics: one function per metric, one number per query.

h: relevant rows among the first k; m: relevant items in the truth; n: returned rows; k: cut-off,
None for all rows. Relevant: grade > 0, or grade >= rel. None: the metric is undefined.
"""

from __future__ import annotations

import math

from duckmetrics.reference.choice import choose
from duckmetrics.reference.gains import discounted_sum, ideal_gains, returned_gains
from duckmetrics.reference.query import Query, is_relevant
from duckmetrics.reference.tied import chance_of_a_hit, mean_hits, mean_precisions, mean_reciprocal_rank

__all__ = [
    "average_precision",
    "bpref",
    "cg",
    "dcg",
    "err",
    "f_beta",
    "first_rank",
    "hit_rate",
    "hits",
    "idcg",
    "infap",
    "iprec",
    "judged",
    "n_relevant",
    "n_returned",
    "ndcg",
    "precision",
    "query_auc",
    "r_precision",
    "rbp",
    "recall",
    "reciprocal_rank",
    "set_average_precision",
    "user_coverage",
]


def precision(
    query: Query, *, k: int | None = None, norm: str = "k", rel: float | None = None, ties: str = "item_asc"
) -> float | None:
    """Return P@k = h / k; norm='returned': h / min(k, n); without k: h / n.

    Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, section 8.4.
    """
    n = len(query.rows)
    cut = n if k is None else k
    slots = choose({"k": cut, "returned": min(cut, n)}, norm)
    return _ratio(hits(query, k=k, rel=rel, ties=ties), slots)


def recall(
    query: Query,
    *,
    k: int | None = None,
    norm: str = "relevant",
    rel: float | None = None,
    ties: str = "item_asc",
) -> float | None:
    """Return R@k = h / m; norm='min_k': h / min(m, k), which a perfect list of k rows takes to 1.

    Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, section 8.4.
    """
    m = query.relevant_count(rel)
    reachable = m if k is None else min(m, k)
    findable = choose({"relevant": m, "min_k": reachable}, norm)
    return _ratio(hits(query, k=k, rel=rel, ties=ties), findable)


def f_beta(
    query: Query, *, beta: float, k: int | None = None, rel: float | None = None, ties: str = "item_asc"
) -> float | None:
    """Return F@k = (1 + beta^2) P R / (beta^2 P + R) with P = h / k (without k: h / n) and R = h / m.

    Written with the counts, (1 + beta^2) h / (beta^2 m + k): then it is 0 where P and R are, and
    also where nothing is left to be precise about (n = 0). van Rijsbergen, Information Retrieval,
    1979, chapter 7.
    """
    m = query.relevant_count(rel)
    slots = len(query.rows) if k is None else k
    h = hits(query, k=k, rel=rel, ties=ties)
    return (1 + beta**2) * h / (beta**2 * m + slots) if m else None


def hit_rate(
    query: Query, *, k: int | None = None, rel: float | None = None, ties: str = "item_asc"
) -> float:
    """Return 1 if h >= 1, else 0.

    Deshpande and Karypis, TOIS 2004, doi:10.1145/963770.963776; "success" in trec_eval.
    """
    if ties == "expected":
        return chance_of_a_hit(query, k, rel)
    return 1.0 if query.hit_ranks(k, rel) else 0.0


def hits(query: Query, *, k: int | None = None, rel: float | None = None, ties: str = "item_asc") -> float:
    """Return h, a count; num_rel_ret in trec_eval."""
    return mean_hits(query, k, rel) if ties == "expected" else float(len(query.hit_ranks(k, rel)))


def average_precision(
    query: Query,
    *,
    k: int | None = None,
    norm: str = "relevant",
    rel: float | None = None,
    ties: str = "item_asc",
) -> float | None:
    """Return AP@k = sum over hits at ranks i <= k of (hits up to i) / i, divided by the norm.

    norm: relevant = m, min_k = min(m, k), min_returned = min(m, k, n) (no rows: 0), hits = h (no
    hits: 0), k = k. The one of the definition is m: Buckley and Voorhees, SIGIR 2000,
    doi:10.1145/345508.345543.
    """
    ranks = query.hit_ranks(k, rel)
    m = query.relevant_count(rel)
    reachable = m if k is None else min(m, k)
    norms = {
        "relevant": m, "min_k": reachable, "min_returned": min(reachable, len(query.rows) or reachable),
        "hits": len(ranks) or 1, "k": k,
    }  # fmt: skip
    divisor = choose(norms, norm)
    if divisor is None:
        raise ValueError("norm='k' needs a cut-off k")
    if ties == "expected":
        return _ratio(mean_precisions(query, k, rel), divisor)
    return _ratio(math.fsum(_precisions(ranks)), divisor)


def reciprocal_rank(
    query: Query, *, k: int | None = None, rel: float | None = None, ties: str = "item_asc"
) -> float:
    """Return 1 / rank of the first relevant row, 0 if there is none within k.

    Voorhees, The TREC-8 Question Answering Track Report, 1999.
    """
    if ties == "expected":
        return mean_reciprocal_rank(query, k, rel)
    ranks = query.hit_ranks(k, rel)
    return 1 / ranks[0] if ranks else 0.0


def first_rank(query: Query, *, k: int | None = None, rel: float | None = None) -> float | None:
    """Return the rank of the first relevant row; undefined if there is none within k.

    Its mean is the "mean rank" of Bordes et al., NIPS 2013 (TransE), without their filtering.
    """
    ranks = query.hit_ranks(k, rel)
    return float(ranks[0]) if ranks else None


def cg(
    query: Query,
    *,
    k: int | None = None,
    gain: str = "linear",
    rel: float | None = None,
    ties: str = "item_asc",
) -> float:
    """Return CG@k = sum of the gains of the first k rows.

    gain: linear = grade, exp2 = 2^grade - 1, binary = 1 if relevant (only here rel matters).
    Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418.
    """
    return math.fsum(returned_gains(query, gain, rel, ties)[:k])


def dcg(
    query: Query,
    *,
    k: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
    rel: float | None = None,
    ties: str = "item_asc",
) -> float:
    """Return DCG@k = sum over ranks i <= k of gain(i) * discount(i); gains as in `cg`.

    discount: log2 = 1 / log2(i + 1) as in Burges et al., ICML 2005, doi:10.1145/1102351.1102363;
    log2_clip = 1 / max(1, log2 i) as in Järvelin and Kekäläinen, TOIS 2002,
    doi:10.1145/582415.582418, base 2; reciprocal = 1 / i.
    """
    return discounted_sum(returned_gains(query, gain, rel, ties)[:k], discount)


def idcg(
    query: Query,
    *,
    k: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
    ideal: str = "judged",
    rel: float | None = None,
) -> float:
    """Return IDCG@k = DCG@k of the ideal list: the highest gains in descending order.

    ideal: judged = of all judged items, returned = of all returned rows, full_k = k times the
    largest gain of the query. Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418.
    """
    return discounted_sum(ideal_gains(query, k, gain, ideal, rel), discount)


def ndcg(
    query: Query,
    *,
    k: int | None = None,
    gain: str = "linear",
    discount: str = "log2",
    ideal: str = "judged",
    rel: float | None = None,
    ties: str = "item_asc",
) -> float | None:
    """Return NDCG@k = DCG@k / IDCG@k.

    Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418.
    """
    reached = dcg(query, k=k, gain=gain, discount=discount, rel=rel, ties=ties)
    return _ratio(reached, idcg(query, k=k, gain=gain, discount=discount, ideal=ideal, rel=rel))


def r_precision(query: Query, *, rel: float | None = None, ties: str = "item_asc") -> float | None:
    """Return the number of hits among the first m rows, divided by m: where precision equals recall.

    Buckley and Voorhees, "Retrieval System Evaluation", in TREC: Experiment and Evaluation in
    Information Retrieval, 2005.
    """
    m = query.relevant_count(rel)
    return _ratio(hits(query, k=m, rel=rel, ties=ties), m)


def bpref(query: Query, *, rel: float | None = None) -> float | None:
    """Return 1/R * sum over relevant rows of 1 - min(nonrelevant above, R) / min(N, R).

    R and N: relevant and judged nonrelevant items of the truth; "nonrelevant above" counts judged
    rows only, unjudged rows are passed over. Buckley and Voorhees, SIGIR 2004,
    doi:10.1145/1008992.1009000, in the form of trec_eval, m_bpref.c.
    """
    relevant = query.relevant_count(rel)
    nonrelevant = len(query.grades) - relevant
    total, above = 0.0, 0
    for row in query.rows:
        if is_relevant(row.grade, rel):
            total += 1 - min(above, relevant) / min(nonrelevant, relevant) if above else 1
        elif row.grade is not None:
            above += 1
    return _ratio(total, relevant)


def infap(query: Query, *, rel: float | None = None) -> float | None:
    """Return 1/m * sum over relevant rows of 1/i + (j/i) * (r + e) / (j + 2 e), e = 0.00001.

    i: rank; above it r relevant and j judged rows: the (i - 1)/i * j/(i - 1) of the paper is j/i.
    Yilmaz and Aslam, CIKM 2006, doi:10.1145/1183614.1183633; e as in trec_eval, m_infap.c.
    """
    total, relevant, judged_above, epsilon = 0.0, 0, 0, 0.00001
    for rank, row in enumerate(query.rows, start=1):
        if is_relevant(row.grade, rel):
            expected = (relevant + epsilon) / (judged_above + 2 * epsilon)
            total += 1 / rank + judged_above / rank * expected
            relevant += 1
        judged_above += row.grade is not None
    return _ratio(total, query.relevant_count(rel))


def rbp(query: Query, *, p: float = 0.8, k: int | None = None, rel: float | None = None) -> float:
    """Return RBP@k = (1 - p) * sum of p^(i - 1) over the ranks i <= k of relevant rows.

    Moffat and Zobel, TOIS 2008, doi:10.1145/1416950.1416952.
    """
    return (1 - p) * math.fsum(p ** (rank - 1) for rank in query.hit_ranks(k, rel))


def err(query: Query, *, max_grade: float = 4, k: int | None = None) -> float:
    """Return ERR@k = sum over ranks i <= k of 1/i * R(i) * product over j < i of (1 - R(j)).

    R = (2^grade - 1) / 2^max_grade: the chance that the reader stops there, satisfied.
    Chapelle, Metzler, Zhang and Grinspan, CIKM 2009, doi:10.1145/1645953.1646033.
    """
    total, still_reading = 0.0, 1.0
    for rank, row in enumerate(query.rows[:k], start=1):
        stop = (2 ** (row.grade or 0.0) - 1) / 2**max_grade
        total += still_reading * stop / rank
        still_reading *= 1 - stop
    return total


def iprec(query: Query, *, recall: float, rounding: str = "up", rel: float | None = None) -> float:
    """Return the interpolated precision: the largest (hits up to i) / i at any hit from the needed one on.

    Needed hits: floor(recall * m + 0.9) ('up', trec_eval 9) or floor(recall * m + 0.5)
    ('nearest', trec_eval 10); 0 if they are never reached. Manning, Raghavan and Schütze,
    Introduction to Information Retrieval, 2008, section 8.4; trec_eval, m_iprec_at_recall.c.
    """
    shift = choose({"up": 0.9, "nearest": 0.5}, rounding)
    needed = math.floor(recall * query.relevant_count(rel) + shift)
    reached = _precisions(query.hit_ranks(None, rel))
    return max(reached[max(needed, 1) - 1 :], default=0.0)


def judged(query: Query, *, k: int | None = None) -> float | None:
    """Return the number of judged rows among the first k, divided by min(k, n).

    Judged@k of ir_measures: MacAvaney, Macdonald and Ounis, ECIR 2022.
    """
    top = query.rows[:k]
    return _ratio(sum(row.grade is not None for row in top), len(top))


def n_returned(query: Query) -> float:
    """Return the number of returned rows: num_ret of trec_eval."""
    return float(len(query.rows))


def user_coverage(query: Query, *, at_least: int = 1) -> float:
    """Return 1 if the list has at_least rows or more, else 0.

    Herlocker, Konstan, Terveen and Riedl, ACM TOIS 2004, doi:10.1145/963770.963772.
    """
    return float(len(query.rows) >= at_least)


def n_relevant(query: Query, *, rel: float | None = None) -> float:
    """Return the number of relevant items, returned or not: num_rel of trec_eval."""
    return float(query.relevant_count(rel))


def query_auc(query: Query, *, rel: float | None = None) -> float | None:
    """Return the share of (relevant, other) pairs of returned rows in the right order, equal scores half.

    The rank-sum statistic over its largest value: Mann and Whitney, 1947,
    doi:10.1214/aoms/1177730491. Unjudged rows count as nonrelevant; one class: undefined.
    """
    relevant = [row.score for row in query.rows if is_relevant(row.grade, rel)]
    others = [row.score for row in query.rows if not is_relevant(row.grade, rel)]
    wins = math.fsum((a > b) + 0.5 * (a == b) for a in relevant for b in others)
    return _ratio(wins, len(relevant) * len(others))


def _precisions(hit_ranks: list[int]) -> list[float]:
    return [found / rank for found, rank in enumerate(hit_ranks, start=1)]


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def set_average_precision(query: Query, *, k: int | None = None, rel: float | None = None) -> float | None:
    """Return h^2 / (k m), without k h^2 / (n m), which is P R; set_map in trec_eval.

    The average precision of a list whose hits are spread evenly over its ranks.
    """
    m = query.relevant_count(rel)
    slots = len(query.rows) if k is None else k
    h = len(query.hit_ranks(k, rel))
    return (h * h / (slots * m) if h else 0.0) if m else None
