"""Every value of a metric beyond accuracy is reproduced by its name in the tool, or listed with a reason."""

from __future__ import annotations

from collections import Counter

import pytest

from duckmetrics.catalog.presets import presets
from support.recorded_lists import NOT_IMITATED, Recorded, is_same, recorded

EVERY = list(recorded())
IMITATED = [one for one in EVERY if one.key is None]
# Values that the tools publish, in their tests or their documentation: tool, case, spec -> value.
PUBLISHED: dict[tuple[str, str, str], float] = {
    ("recommenders", "recommenders_tests", "catalog_coverage@2"): 0.8,
    ("recommenders", "recommenders_tests", "distributional_coverage@2"): 1.9183,
    ("recommenders", "recommenders_tests", "novelty@2"): 2.83333,
    ("rectools", "rectools_serendipity", "Serendipity(k=1)"): 0.125,
    ("rectools", "rectools_serendipity", "Serendipity(k=2)"): 0.15625,
    ("rectools", "rectools_ild", "IntraListDiversity(k=2)"): 0.5,
    ("rectools", "rectools_ild", "IntraListDiversity(k=3)"): 0.66666667,
    ("rectools", "rectools_miuf", "MeanInvUserFreq(k=1)"): 1.05664167,
    ("rectools", "rectools_miuf", "MeanInvUserFreq(k=3)"): 1.32080208,
    ("rectools", "rectools_arp", "AvgRecPopularity(k=3)"): 2.0,
    ("rectools", "rectools_arp", "AvgRecPopularity(k=3, normalize=True)"): 0.33333333,
    ("replay", "replay_docs", "Coverage(2)"): 0.5555555555555556,
    ("replay", "replay_docs", "Novelty(2)"): 0.3333333333333333,
    ("replay", "replay_docs", "Surprisal(2)"): 0.6845351232142715,
    ("replay", "replay_docs", "CategoricalDiversity(5)"): 0.8666666666666667,
    ("lenskit", "recommenders_tests", "ListGini(n=2)"): 0.3333,
    ("recbole", "recommenders_tests", "giniindex@2"): 0.4444,
    ("recbole", "recommenders_tests", "itemcoverage@2"): 0.6667,
    ("recbole", "recommenders_tests", "shannonentropy@2"): 0.3324,
    ("evidently", "evidently_diversity", "Diversity(k=4, item_features=vector)"): 1.0963,
}
# Two calls of recommenders differ in their similarity alone.
DIVERSITY = {"item_cooccurrence_count": 0.43096, "item_feature_vector": 0.5}


def name_of(one: Recorded) -> str:
    return f"{one.tool}-{one.case}-{one.call}".replace("[", "(").replace("]", ")")


def test_every_value_is_accounted_for() -> None:
    assert len(EVERY) == 519
    assert len(IMITATED) == 484
    assert {one.tool for one in EVERY} > {
        "rectools",
        "replay",
        "recommenders",
        "recbole",
        "elliot",
        "lenskit",
    }
    refused = Counter(one.key for one in EVERY if one.key is not None)
    assert refused.keys() == NOT_IMITATED.keys()


@pytest.mark.some(14)
@pytest.mark.parametrize("one", IMITATED, ids=name_of)
def test_the_value_is_that_of_the_tool(one: Recorded) -> None:
    assert is_same(one), one.spec


@pytest.mark.some(4)
@pytest.mark.parametrize("one", [one for one in EVERY if one.key is not None], ids=name_of)
def test_every_reason_is_needed(one: Recorded) -> None:
    """A value that is not imitated is refused, or another number."""
    assert not is_same(one), one.spec


def test_published_values_are_among_them() -> None:
    known = {(one.tool, one.case, one.spec): one.record for one in IMITATED}
    for key, value in PUBLISHED.items():
        record = known[key]
        assert record.get("mean", record.get("value")) == pytest.approx(value, abs=5e-5), key
    for similarity, value in DIVERSITY.items():
        of_call = [one for one in IMITATED if one.case == "recommenders_tests" and similarity in one.call]
        assert [one.record["mean"] for one in of_call] == pytest.approx([value], abs=5e-6)


def test_the_presets_are_of_the_recorded_versions() -> None:
    for one in EVERY:
        if one.tool in presets():
            assert presets()[one.tool].version == one.record["version"].split()[0], one.tool
