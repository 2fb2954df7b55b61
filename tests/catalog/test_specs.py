"""An unreadable metric or switch raises a MetricError that lists the valid ones, and no other error."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from duckmetrics import DuckmetricsError, MetricError
from duckmetrics.catalog.spec_text import split_specs
from duckmetrics.catalog.specs import parse_measures
from support.cases import CATALOG, open_case, ranking
from support.little import RR, evaluation, little

CUTOFF = "write a positive number after @, such as @10"
TIES = "item_asc or item_desc or item_asc_text or item_desc_text or pessimistic or optimistic or input"
OF_MEANS = f"{TIES} or expected"
SPECS = {
    "ndcg@0": f"ndcg@0: k is 0, but must satisfy k > 0; {CUTOFF}",
    "ndcg@-1": f"ndcg@-1: k is -1, but must satisfy k > 0; {CUTOFF}",
    "ndcg@ten": f"ndcg@ten: k must be a whole number, got 'ten'; {CUTOFF}",
    "ndcg@1.5": f"ndcg@1.5: k must be a whole number, got '1.5'; {CUTOFF}",
    "ndcg@": "ndcg@: cannot be read; write a number after @, as in ndcg@10",
    "ndcg@1@2": "ndcg@1@2: cannot be read; write name(param=value)@k, such as ndcg@10",
    "ndcg 10": "ndcg 10: cannot be read; did you mean 'ndcg@10'?",
    "ndcg(k=3)@3": "ndcg(k=3)@3: the cut-off is given twice; write it after @ only",
    "bpref@5": "bpref@5: bpref has no cut-off; drop @5",
    "lift(top=10)": "lift(top=10): top is 10, but must satisfy top <= 1; write 0.1",
    "lift(top=100)": "lift(top=100): top is 100, but must satisfy top <= 1; write 1",
    "rbp(p=1.5)": "rbp(p=1.5): p is 1.5, but must satisfy p < 1; write p=0.8",
    "rbp(p=x)": "rbp(p=x): p must be a number, got 'x'; write p=0.8",
    "rbp(p=nan)": "rbp(p=nan): p must be a number, got 'nan'; write p=0.8",
    "f_beta": "f_beta: beta is missing; write f_beta(beta=...)",
    "f_beta(beta=0)": "f_beta(beta=0): beta is 0, but must satisfy beta > 0; write beta=1",
    "ndcg(gian=exp2)": "ndcg(gian=exp2): unknown parameter 'gian'; did you mean 'gain'?",
    "ndcg(gain=exp)": "ndcg(gain=exp): gain cannot be 'exp'; did you mean 'exp2'?",
    "ndcg(gain)": "ndcg(gain): cannot read 'gain'; write param=value",
    "ndcg(gain=exp2, gain=exp2)": "ndcg(gain=exp2, gain=exp2): gain is given twice; keep one of them",
    "ndcg(ideal=full_k)": "ndcg(ideal=full_k): ideal=full_k needs k; write it as in @10",
    "ap(norm=k)": "ap(norm=k): norm=k needs k; write it as in @10",
    "rr(ties=random)": f"rr(ties=random): ties cannot be 'random'; choose {OF_MEANS}",
    "rr(missing=keep)": "rr(missing=keep): missing cannot be 'keep'; choose zero or skip or error",
    "first_rank(missing=zero)": "first_rank(missing=zero): missing cannot be 'zero'; did you mean 'error'?",
    "rr(agg=medain)": "rr(agg=medain): unknown agg 'medain'; did you mean 'median'?",
    "p(population=x)": "p(population=x): population is common to all metrics; set it for the whole call",
    "map,map": "map: asked for twice; name each metric once",
    "": "no metric; name at least one, such as 'ndcg@10'",
    "ndgc@10": "ndgc@10: unknown metric 'ndgc'; did you mean 'ndcg'?",
    "ndcg10": "ndcg10: unknown metric 'ndcg10'; did you mean 'ndcg@10'?",
    "ndcg@5,10": "10: unknown metric '10'; write every cut-off after its metric, as in ndcg@10",
    "@10": "@10: cannot be read; write every cut-off after its metric, as in ndcg@10",
    "ndcg(gain=exp2@10": "ndcg(gain=exp2@10: cannot be read; did you mean 'ndcg(gain=exp2)@10'?",
    "ndcg(gain=exp2))@10": "ndcg(gain=exp2))@10: cannot be read; did you mean 'ndcg(gain=exp2)@10'?",
}
REFUSED = ["ndcg(", "ndcg)", "ndcg(gain=exp2", "(ndcg)", "ndcg((gain=exp2))", "ndcg@(3)", "'ndcg'", "ndcg@1'",
           "rr;", "foo.ndcg", "classification.ndcg", "f1(beta=2)", "median_rank(agg=mean)"]  # fmt: skip
NULLS = ["rbp(p=null)", "f_beta(beta=null)", "iprec(recall=null)", "err(max_grade=null)", "ndcg(ties=null)",
         "ndcg(gain=null)", "ndcg(unjudged=null)", "ap(norm=none)"]  # fmt: skip
SWITCHES: list[tuple[dict[str, Any], str]] = [
    ({"ties": "random"}, f"switch ties=random: rr: ties cannot be 'random'; choose {OF_MEANS}"),
    ({"ties": 3}, "switch ties: ties must be a word, got 3; write ties=item_asc"),
    ({"rel": "high"}, "switch rel: rel must be a number, got 'high'; write rel=1"),
    ({"rel": True}, "switch rel: rel must be a number, got True; write rel=1"),
    ({"rel": 10**400}, f"switch rel: rel must be a number, got {10**400!r}; write rel=1"),
    ({"k": 0}, f"switch k=0: rr: k is 0, but must satisfy k > 0; {CUTOFF}"),
    ({"agg": "medain"}, "rr: unknown agg 'medain'; did you mean 'median'?"),
]


CONNECTION = little()


def refusal(specs: str, **switches: Any) -> str:
    """Return the message of the error; fail unless it is a MetricError."""
    with pytest.raises(MetricError) as caught:
        parse_measures(CATALOG, split_specs(specs), switches, ranking)
    return str(caught.value)


@pytest.mark.parametrize(("spec", "message"), SPECS.items())
def test_a_spec_that_cannot_be_read_is_explained(spec: str, message: str) -> None:
    assert refusal(spec) == message


@pytest.mark.parametrize("spec", REFUSED)
def test_a_spec_is_read_completely_or_not_at_all(spec: str) -> None:
    assert refusal(spec)


@pytest.mark.parametrize("spec", NULLS)
def test_null_is_a_value_only_where_it_is_the_default(spec: str) -> None:
    assert refusal(spec)


def test_a_cut_off_and_a_threshold_may_be_null() -> None:
    (measure,) = parse_measures(CATALOG, ["rr(k=null, rel=null, no_relevant=null)"])
    assert str(measure) == "reciprocal_rank"


@pytest.mark.parametrize(("switches", "message"), SWITCHES, ids=lambda value: str(value)[:20])
def test_a_switch_that_cannot_be_read_is_explained(switches: dict[str, Any], message: str) -> None:
    assert refusal("rr", **switches) == message


@pytest.mark.parametrize("name", ["ties", "missing", "unjudged", "duplicates", "population", "scores"])
def test_none_is_the_default_of_a_switch_or_refused(name: str) -> None:
    with contextlib.suppress(MetricError):
        assert evaluation(**{name: None})["rr"] == RR


def test_a_mean_over_orders_of_equal_scores_needs_a_formula() -> None:
    assert (
        refusal("rbp", ties="expected")
        == f"switch ties=expected: rbp: ties cannot be 'expected'; choose {TIES}"
    )
    assert "must satisfy ties <> 'expected' OR norm <> 'hits'" in refusal("ap(norm=hits)@5", ties="expected")


def test_an_unknown_switch_names_what_there_is() -> None:
    assert re.search(r"'tie'.*; did you mean 'ties'\?", refusal("rr", tie="item_asc"))
    assert "ties" in refusal("rr", zzz=1)


def test_a_switch_that_no_metric_takes_is_refused() -> None:
    assert "'gain'" in refusal("rr,map", gain="exp2")
    measures = parse_measures(CATALOG, ["rbp", "ndcg"], {"gain": "exp2", "ties": "expected"})
    assert [measure.values.get("gain") for measure in measures] == [None, "exp2"]
    assert [measure.values["ties"] for measure in measures] == ["item_asc", "expected"]


def test_the_parameter_of_a_spec_wins_over_a_switch() -> None:
    measures = parse_measures(CATALOG, ["ndcg(gain=binary)", "ndcg@3"], {"gain": "exp2"})
    assert [measure.values["gain"] for measure in measures] == ["binary", "exp2"]
    assert "ndcg(gain=binary) has a gain of its own" in refusal("ndcg(gain=binary)", gain="exp2")


def test_a_flag_is_true_or_false() -> None:
    with pytest.raises(MetricError, match="weighted must be true or false, got 'maybe'"):
        parse_measures(CATALOG, ["auc"], {"weighted": "maybe"})


def test_a_switch_that_the_name_of_a_metric_fixes_is_refused() -> None:
    with pytest.raises(MetricError, match=r"switch beta=2: f1@10 fixes beta already; write f_beta\(\.\.\.\)"):
        parse_measures(CATALOG, ["f1@10"], {"beta": 2})
    (measure,) = parse_measures(CATALOG, ["f1@10"], {"beta": 1})
    assert measure.values["beta"] == 1


def test_an_unknown_metric_is_not_matched_to_something_far_away() -> None:
    assert refusal("zzzzzz").endswith(
        "'duckmetrics metrics' lists all metrics, in Python duckmetrics.metrics()"
    )


def test_a_population_that_is_neither_a_choice_nor_a_table_names_the_choices() -> None:
    with pytest.raises(DuckmetricsError, match="predictions"):
        evaluation(population="predictoins")


# --- any input -------------------------------------------------------------------------------------

NAMES = sorted({name for family, name in CATALOG.names if family == "ranking"})
WORDS = [
    "null",
    "exp2",
    "median",
    "0",
    "1",
    "-1",
    "1.5",
    "1e400",
    "nan",
    "inf",
    "'x'",
    "'",
    "both",
    "true",
    "５",
]
PARAMS = ["k", "p", "gain", "rel", "agg", "ties", "missing", "beta", "recall", "max_grade", "population", "x"]
SWITCH_NAMES = [*PARAMS, "unjudged", "no_relevant", "scores", "duplicates"]

words = st.one_of(st.sampled_from(WORDS), st.text(max_size=4))
arguments = st.lists(st.builds("{}={}".format, st.sampled_from(PARAMS), words), max_size=2).map(", ".join)
typed = st.one_of(
    st.builds("{}@{}".format, st.sampled_from(NAMES), words),
    st.builds("{}({})".format, st.sampled_from(NAMES), arguments),
    st.builds("{}({})@{}".format, st.sampled_from(NAMES), arguments, words),
    st.text(alphabet="nrp(@)=,'. 1", max_size=8),
)
values = st.one_of(words, st.none(), st.booleans(), st.integers(), st.floats(), st.binary(max_size=2),
                   st.lists(st.integers(), max_size=1))  # fmt: skip


def without_blanks(text: str) -> str:
    return re.sub(r"[\s,]", "", text)


@given(typed)
@example("ndcg(")
def test_any_text_is_a_metric_or_a_metric_error(text: str) -> None:
    measures = []
    with contextlib.suppress(MetricError):
        measures = parse_measures(CATALOG, split_specs(text), meant=ranking)
    if measures:
        assert without_blanks("".join(measure.text for measure in measures)) == without_blanks(text)
    for measure in measures:
        (again,) = parse_measures(CATALOG, [str(measure)])
        assert (again.params, again.aggregation, str(again)) == (
            measure.params, measure.aggregation, str(measure))  # fmt: skip


@given(st.sampled_from(SWITCH_NAMES), values)
@example("rel", 10**400)
def test_any_switch_is_applied_or_a_metric_error(name: str, value: object) -> None:
    measures = []
    with contextlib.suppress(MetricError):
        measures = parse_measures(CATALOG, ["ndcg@3", "rr"], {name: value})
    assert all(name == "agg" or name in {n for m in measures for n in m.values} for _ in measures)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(typed, st.dictionaries(st.sampled_from(SWITCH_NAMES), values, max_size=1))
def test_any_call_returns_or_raises_an_error_of_this_package(text: str, switches: dict[str, Any]) -> None:
    with contextlib.suppress(DuckmetricsError):
        assert evaluation("predictions", "truth", text, connection=CONNECTION, **switches).rows


@pytest.mark.some(2)
@pytest.mark.parametrize("name", NAMES)
def test_every_name_in_the_catalogue_evaluates(name: str) -> None:
    spec = {
        "f_beta": "f_beta(beta=2)", "iprec": "iprec(recall=0.5)", "exposure": "exposure(category=drama)",
        "iprec_at_recall": "iprec_at_recall(recall=0.5)",
    }.get(name, name)  # fmt: skip
    side = {table: table for table in ("history", "items", "reference")}
    (row,) = evaluation(metric=spec, connection=open_case("sample"), **side).rows
    assert row["value"] is not None


def test_a_list_of_cutoffs_writes_each_metric_once_for_each() -> None:
    specs = [m.text for m in parse_measures(CATALOG, ["ndcg", "map@7", "recall(norm=min_k)"], {"k": [1, 5]})]
    assert specs == ["ndcg@1", "ndcg@5", "map@7", "recall(norm=min_k)@1", "recall(norm=min_k)@5"]
    assert [m.text for m in parse_measures(CATALOG, ["rr"], {"k": range(1, 4)})] == ["rr@1", "rr@2", "rr@3"]
    with pytest.raises(MetricError, match="switch k: no cut-off; list at least one"):
        parse_measures(CATALOG, ["ndcg"], {"k": []})
