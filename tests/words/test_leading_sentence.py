"""The verdict in one sentence: its exceptions, several systems, and what was not tested."""

from __future__ import annotations

import pytest

from duckmetrics.words.verdict import (
    ComparedSystem,
    Fact,
    Pair,
    leading_sentence,
    place_of,
    sentence_of_pairs,
    verdict_of,
)
from duckmetrics.words.verdicts import (
    BETTER,
    DIFFERENT,
    EQUIVALENT,
    INCONCLUSIVE,
    NOT_WORSE,
    UNCLEAR,
    UNTESTED,
    WORSE,
)

ONE = {
    (BETTER,): "B is better than A",
    (WORSE, WORSE): "B is worse than A",
    (UNCLEAR,): "B does not clearly differ from A",
    (UNTESTED,): "B was not tested against A",
    (DIFFERENT,): "B differs from A",
    (BETTER, WORSE): "B is better than A on m1, but worse on m2",
    (WORSE, BETTER, WORSE): "B is worse than A on m1 and m3, but better on m2",
    (BETTER, BETTER, BETTER, BETTER, WORSE): "B is better than A on 4 of 5 metrics, but worse on m5",
    (BETTER, UNCLEAR, UNTESTED): "B is better than A on m1, unclear on m2, not tested on m3",
    (UNCLEAR, DIFFERENT): "B differs from A on m2, unclear on m1",
    (UNCLEAR, UNTESTED): "B does not clearly differ from A on m1, not tested on m2",
    (EQUIVALENT, NOT_WORSE): "B is equivalent to A on m1, not worse on m2",
    (NOT_WORSE, WORSE): "B is worse than A on m2, not worse on m1",
    (BETTER, EQUIVALENT, INCONCLUSIVE): "B is better than A on m1, equivalent on m2, inconclusive on m3",
    (INCONCLUSIVE, INCONCLUSIVE): "The comparison of B with A is inconclusive",
    (BETTER, *[UNCLEAR] * 4): "B is better than A on m1, unclear on 4 metrics",
}  # fmt: skip


@pytest.mark.parametrize("verdicts", ONE, ids=", ".join)
def test_metrics_of_one_system(verdicts: tuple[str, ...]) -> None:
    facts = [Fact("B", f"m{place}", verdict) for place, verdict in enumerate(verdicts, start=1)]
    assert verdict_of("B", "A", facts) == ONE[verdicts]


def fact(system: str, verdict: str, metric: str = "m1", place: str = "") -> Fact:
    return Fact(system, metric, verdict, place)


JP, DE = "country JP", "country DE"
SLICED = [
    (BETTER, [(JP, WORSE, "m1")], "B is better than A, but worse in country JP"),
    (BETTER, [(JP, WORSE, "m1"), (DE, WORSE, "m1")],
     "B is better than A, but worse in country JP and country DE"),
    (BETTER, [(JP, WORSE, "m2")], "B is better than A, but worse in country JP on m2"),
    (BETTER, [(JP, UNCLEAR, "m1")], "B is better than A"),
    (UNCLEAR, [(JP, WORSE, "m1"), (DE, BETTER, "m1")],
     "B does not clearly differ from A, but worse in country JP and better in country DE"),
    (UNCLEAR, [(JP, BETTER, "m1")], "B does not clearly differ from A, but better in country JP"),
    (WORSE, [(JP, WORSE, "m1"), (DE, BETTER, "m1")], "B is worse than A, but better in country DE"),
    (WORSE, [(JP, WORSE, "m1")], "B is worse than A"),
    (BETTER, [(f"s {i}", WORSE if i < 4 else BETTER, "m1") for i in range(9)],
     "B is better than A, but worse in 4 of 9 slices"),
    (BETTER, [(f"s {i}", WORSE, "m1") for i in range(4)], "B is better than A, but worse in all 4 slices"),
    (BETTER, [(JP, WORSE, "m1"), (DE, WORSE, "m2")],
     "B is better than A, but worse in country JP and in country DE on m2"),
    (BETTER, [(JP, WORSE, "m2"), (DE, WORSE, "m3"), ("device tv", BETTER, "m1")],
     "B is better than A, but worse in country JP (m2) and in country DE (m3)"),
    (BETTER, [(DE, WORSE, "m2"), (JP, WORSE, "m3"), (JP, WORSE, "m2")],
     "B is better than A, but worse in country JP (m3 and m2) and in country DE (m2)"),
    (BETTER, [(f"s {i}", WORSE, "m2") for i in range(5)],
     "B is better than A, but worse in s 0, s 1 and 3 more (m2)"),
]  # fmt: skip


@pytest.mark.parametrize(("overall", "slices", "sentence"), SLICED)
def test_slices_are_the_exception(overall: str, slices: list[tuple[str, str, str]], sentence: str) -> None:
    placed = [fact("B", verdict, metric, place) for place, verdict, metric in slices]
    assert leading_sentence(ComparedSystem("A", [fact("B", overall), *placed])) == sentence


def test_metrics_and_slices_that_contradict_stand_together() -> None:
    facts = [fact("B", BETTER), fact("B", WORSE, "m2"), fact("B", UNCLEAR, "m3"), fact("B", WORSE, place=JP)]
    told = leading_sentence(ComparedSystem("A", facts))
    assert told == "B is better than A on m1, but worse on m2 and in country JP, unclear on m3"


def test_an_exception_stands_next_to_its_system_and_names_it_among_others() -> None:
    facts = [fact("B", BETTER), fact("C", UNCLEAR), fact("B", WORSE, place=JP)]
    told = leading_sentence(ComparedSystem("A", facts))
    rest = "; C does not clearly differ from A"
    assert told == f"B is better than A by m1, but worse than A in country JP{rest}"
    told = leading_sentence(ComparedSystem("A", [*facts, fact("D", BETTER)]))
    rest = f"; they were not tested against each other{rest}"
    assert told == f"B and D are better than A by m1, but B is worse than A in country JP{rest}"


def test_one_difference_without_a_direction_has_its_meaning() -> None:
    aimed = Fact("B", "m2", DIFFERENT, words="on the other side of 1")
    assert leading_sentence(ComparedSystem("A", [aimed])) == "B differs from A on m2 (on the other side of 1)"
    told = leading_sentence(ComparedSystem("A", [fact("B", BETTER), aimed]))
    assert told == "B is better than A on m1, different on m2 (on the other side of 1)"


def test_names_stay_on_their_line() -> None:
    assert leading_sentence(ComparedSystem("A\nB", [fact("C\t", BETTER)])) == "C\\t is better than A\\nB"


SEVERAL = {
    (BETTER, WORSE): "B is the best of 3 systems by m1",
    (WORSE, WORSE): "A is the best of 3 systems by m1",
    (BETTER, BETTER): "B and C are better than A by m1; they were not tested against each other",
    (BETTER, UNCLEAR): "B is better than A by m1; C does not clearly differ from A",
    (UNCLEAR, UNCLEAR): "B and C do not clearly differ from A by m1",
    (WORSE, UNCLEAR): "B is worse than A by m1; C does not clearly differ from A",
    (BETTER, UNTESTED): "B is better than A by m1; C was not tested against A",
    (UNTESTED, UNTESTED): "B and C were not tested against A by m1",
    (*[BETTER] * 4, WORSE): "B and 3 other systems are better than A by m1; "
    "they were not tested against each other; F is worse than A",
}


@pytest.mark.parametrize("verdicts", SEVERAL, ids=", ".join)
def test_the_best_of_several_is_named_only_where_tests_show_it(verdicts: tuple[str, ...]) -> None:
    facts = [fact(system, verdict) for system, verdict in zip("BCDEF", verdicts, strict=False)]
    assert leading_sentence(ComparedSystem("A", facts)) == SEVERAL[verdicts]


CLOSEST = {
    (UNCLEAR, UNCLEAR): "No system is better than A (0.6870) by m1; the closest is C (0.6800)",
    (WORSE, UNCLEAR): "No system is better than A (0.6870) by m1; the closest is C (0.6800); 1 of 2 is worse",
    (UNCLEAR, UNTESTED): "No system is better than A (0.6870) by m1; the closest is C (0.6800); "
    "C was not tested against A",
    # Tests show that the baseline is the best.
    (WORSE, WORSE): "A is the best of 3 systems by m1",
    # The test, not the value, is what counts.
    (BETTER, UNCLEAR): "B is better than A by m1; C does not clearly differ from A",
}


@pytest.mark.parametrize("verdicts", CLOSEST, ids=", ".join)
def test_a_baseline_with_the_best_value_is_named_with_the_closest_system(verdicts: tuple[str, ...]) -> None:
    values = {"B": 0.6, "C": 0.68}
    facts = [
        Fact(system, "m1", verdict, before=0.687, value=value, gain=value - 0.687)
        for (system, value), verdict in zip(values.items(), verdicts, strict=True)
    ]
    assert leading_sentence(ComparedSystem("A", facts)) == CLOSEST[verdicts]


def test_a_system_with_a_better_value_is_not_below_the_baseline() -> None:
    facts = [Fact(system, "m1", UNCLEAR, before=0.6, value=0.6 + gain, gain=gain)
             for system, gain in (("B", -0.1), ("C", 0.01))]  # fmt: skip
    assert leading_sentence(ComparedSystem("A", facts)) == "B and C do not clearly differ from A by m1"


def test_a_slice_of_several_columns_has_its_values_where_they_are_clear() -> None:
    assert place_of({"country": "JP", "device": "desktop"}) == "JP desktop"
    assert place_of({"country": "JP", "age": "30"}) == "country JP, age 30"
    assert place_of({"country": "NULL", "device": "phone"}) == "country NULL, device phone"
    assert place_of({"country": "JP"}) == "country JP"


def test_the_best_of_several_has_its_exceptions() -> None:
    facts = [fact("B", BETTER), fact("C", WORSE), fact("B", WORSE, "ece"), fact("C", WORSE, "ece")]
    facts += [fact("B", WORSE, place=JP), fact("C", WORSE, place=JP)]
    told = leading_sentence(ComparedSystem("A", facts))
    assert told == "B is the best of 3 systems by m1, but worse than A on ece and in country JP"


PAIRS = [
    ({"ab": WORSE, "ac": WORSE, "bc": BETTER}, "b is the best of 3 systems by m"),
    ({"ab": WORSE, "ac": WORSE, "bc": UNCLEAR},
     "b and c are the best of 3 systems by m, and do not clearly differ"),
    ({"ab": UNCLEAR, "ac": UNCLEAR, "bc": UNTESTED}, "The 3 systems do not clearly differ by m"),
    ({"ab": UNCLEAR, "ac": BETTER, "bc": BETTER},
     "a and b are the best of 3 systems by m, and do not clearly differ"),
]  # fmt: skip


@pytest.mark.parametrize(("verdicts", "sentence"), PAIRS)
def test_pairs_show_which_systems_are_the_best(verdicts: dict[str, str], sentence: str) -> None:
    assert sentence_of_pairs("m", "abc", pairs_of(**verdicts)) == sentence


def pairs_of(**verdicts: str) -> list[Pair]:
    """Return pairs, from the names of both systems in one word: ``AB="better"``."""
    return [Pair(pair[0], pair[1], verdict) for pair, verdict in verdicts.items()]


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        (pairs_of(AB=UNTESTED, AC=UNTESTED, BC=UNTESTED),
         "The 3 systems were not tested against each other by m"),
        (pairs_of(AB=DIFFERENT, AC=UNCLEAR, BC=UNCLEAR), "1 of 3 pairs of 3 systems differ by m"),
        (pairs_of(AB=UNCLEAR, AC=UNCLEAR, BC=UNTESTED), "The 3 systems do not clearly differ by m"),
        # B beats nobody: it is not one of the best.
        (pairs_of(AB=UNCLEAR, AC=BETTER, BC=UNCLEAR),
         "Of 3 systems, none is clearly better than A or B by m"),
        (pairs_of(AB=UNCLEAR, AC=BETTER, BC=BETTER),
         "A and B are the best of 3 systems by m, and do not clearly differ"),
        (pairs_of(AB=BETTER, AC=WORSE, BC=BETTER), "None of 3 systems is better than all others by m"),
    ],
)  # fmt: skip
def test_pairs_claim_no_more_than_the_tests_show(pairs: list[Pair], sentence: str) -> None:
    assert sentence_of_pairs("m", ["A", "B", "C"], pairs) == sentence


def test_the_first_metric_leads() -> None:
    overall = [fact("B", BETTER, "m1"), fact("B", WORSE, "m2"), fact("B", WORSE, "m3")]
    told = leading_sentence(ComparedSystem("A", overall))
    assert told == "B is better than A on m1, but worse on m2 and m3"
