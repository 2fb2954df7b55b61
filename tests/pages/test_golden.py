"""The screens of evaluate, compare and ab as text, on narrow, usual and wide terminals.

``PYTHONPATH=tests:. python tests/pages/test_golden.py`` writes them anew; read the difference then.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from duckmetrics.pages.screens import width_of
from duckmetrics.words.verdicts import BETTER, DIFFERENT, UNCLEAR, UNTESTED, WORSE
from support.cases import ROOT
from support.made import Change, comparison, evaluation, experiment, value

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = ROOT / "tests/data/screens"
WIDTHS = (60, 80, 120)
MANY_WIDTHS = (24, 40, 60, 61, 79, 80, 81, 100, 120, 200)
LONG = "a_recommender_with_a_name_that_has_exactly_sixty_characters_"
HOSTILE = (
    LONG,
    "推薦システム・東京の新しいモデル・第二版",
    "[bold red]system[/] <b>|*_",
    "\x1b[31mred\n▲ better",
)
NO_INTERVAL = (
    "no interval: an item that few lists have is in fewer resamples, so that each would have a lower coverage"
)
NO_TEST = "it is not a function of sums over rows"


def sliced() -> Any:
    """Two systems: better on all metrics, and worse in one country."""
    return comparison([
        Change("ndcg@10", 0.2168, 0.2656, 0.0099, BETTER),
        Change("map@10", 0.0927, 0.1215, 0.0056, BETTER),
        Change("recall@20", 0.2331, 0.3467, 0.0091, BETTER),
        Change("mean_rank", 3.41, 3.12, 0.16, BETTER, better="lower"),
        Change("ndcg@10", 0.2087, 0.2831, 0.0205, BETTER, "DE", n=486),
        Change("map@10", 0.0843, 0.1302, 0.0118, BETTER, "DE", n=486),
        Change("recall@20", 0.23, 0.35, 0.02, BETTER, "DE", n=486),
        Change("mean_rank", 3.40, 3.10, 0.3, UNCLEAR, "DE", n=486, better="lower"),
        Change("ndcg@10", 0.2037, 0.1363, 0.0227, WORSE, "JP", n=328),
        Change("map@10", 0.0869, 0.0580, 0.0117, WORSE, "JP", n=328),
        Change("recall@20", 0.21, 0.20, 0.02, UNCLEAR, "JP", n=328),
        Change("mean_rank", 3.40, 4.10, 0.3, WORSE, "JP", n=328, better="lower"),
        Change("ndcg@10", 0.2306, 0.2956, 0.0163, BETTER, "US", n=834),
    ])  # fmt: skip


def three_systems() -> Any:
    """Systems on two metrics: one is better, and one is worse than the baseline."""
    return comparison([
        Change("ndcg@10", 0.2168, 0.2656, 0.0099, BETTER),
        Change("ndcg@10", 0.2168, 0.1604, 0.0082, WORSE, system="popularity"),
        Change("mrr@10", 0.4725, 0.5152, 0.0220, BETTER),
        Change("mrr@10", 0.4725, 0.3810, 0.0221, WORSE, system="popularity"),
    ])  # fmt: skip


def targets() -> Any:
    """Metrics that aim at a number, one that is worse, and one with an interval beyond the screen."""
    return comparison([
        Change("auc", 0.7308, 0.7805, 0.0069, BETTER, n=2400),
        Change("log_loss", 0.2971, 0.2789, 0.0030, BETTER, n=2400, better="lower"),
        Change("calibration_ratio", 1.2000, 1.0500, 0.0137, DIFFERENT, n=2400, better="target", target=1.0),
        Change("mean_error", 0.0020, 0.0021, 0.0004, UNCLEAR, n=2400, better="target", target=0.0),
        Change("ece", 0.0050, 0.0119, 0.0060, WORSE, n=2400, better="lower"),
        Change("ctr", 0.1, 0.1, 0.0, UNCLEAR, n=2400, better=None),
    ])  # fmt: skip


def untested() -> Any:
    """A baseline of 0, a value that is NULL, and metrics without a test."""
    return comparison([
        Change("ndcg@10", 0.2168, 0.2170, 0.0099, UNCLEAR),
        Change("coverage", 0.0, 0.3, 0.02, BETTER),
        Change("auc", 0.7, None, None, UNTESTED, reason="one class only"),
        Change("max_f1", 0.51, 0.52, None, UNTESTED, reason=NO_TEST),
    ])  # fmt: skip


def three_evaluated() -> Any:
    """Three systems with intervals; for one metric, lower values are better."""
    found = {
        "ndcg@10": (0.2168, 0.2656, 0.1604, 0.0074), "recall@20": (0.2331, 0.3467, 0.1893, 0.0065),
        "mean_rank": (3.41, 3.12, 4.26, 0.12),
    }  # fmt: skip
    systems = ("baseline", "candidate", "popularity")
    rows = [value(system, metric, numbers[i], numbers[3])
            for metric, numbers in found.items() for i, system in enumerate(systems)]  # fmt: skip
    return evaluation(rows, lower=frozenset({"mean_rank"}), level=0.95)


def sliced_evaluated() -> Any:
    """Two systems in two countries, and a value that is NULL."""
    rows = [
        value(system, "ndcg@10", number, n=n, country=country, reason=None if number else "no query")
        for country, n, *numbers in ((None, 814, 0.21, 0.26), ("DE", 486, 0.2, 0.28), ("JP", 328, 0.2, None))
        for system, number in zip(("baseline", "candidate"), numbers, strict=True)
    ]  # fmt: skip
    return evaluation(rows, by="country")


def one_evaluated() -> Any:
    """One system with intervals."""
    rows = [value(None, "ndcg@10", 0.2656, 0.0081), value(None, "mrr", None, reason="no query")]
    return evaluation(rows, level=0.95)


def without_an_interval() -> Any:
    """One system; a metric has a value and no interval, for a long reason."""
    rows = [value(None, "arp@10", 362.6281, 6.5689), value(None, "coverage@10", 0.9615, reason=NO_INTERVAL)]
    return evaluation(rows, level=0.95)


def ab() -> Any:
    """An A/B test with a metric of each verdict."""
    return experiment([
        ("conversion", 0.0412, 0.0452, 0.0025, 0.003, BETTER),
        ("revenue per user", 3.18, 3.31, 0.16, 0.111, UNCLEAR),
        ("pages per visit", 5.62, 5.48, 0.08, 0.002, WORSE),
        ("spend", 12345.6, 12350.1, 31.0, 0.74, UNCLEAR),
        ("refunds", None, None, None, None, UNTESTED),
    ], notes=("spend: 12 units without a value left out",))  # fmt: skip


def mismatched() -> Any:
    """An A/B test that lost units of a variant."""
    return experiment(
        [("conversion", 0.0412, 0.0452, 0.0025, 0.003, BETTER)], observed=(50_184, 9), mismatch=True
    )


def hostile(name: str) -> dict[str, Any]:
    """Results with a name for systems, metrics, slices and variants."""
    other = f"{name}2"
    keys = product((name, "mrr"), (name, other), (None, name, "DE"))
    changes = [Change(metric, 0.2, 0.3, 0.05, BETTER, place, system=system) for metric, system, place in keys]
    one = [Change(name, 0.2, 0.3, 0.05, WORSE, place, system=name) for place in (None, name)]
    values = [value(system, metric, 0.5, 0.01) for system in (name, other) for metric in (name, "mrr")]
    return {
        "compare": comparison(one, baseline=other), "compare several": comparison(changes),
        "evaluate": evaluation(values, level=0.9),
        "evaluate sliced": evaluation(
            [value(s, name, 0.5, n=9, country=c) for c in (None, name) for s in (name, other)], by="country"
        ),
        "evaluate one": evaluation([value(None, name, 0.5, 0.01)], level=0.9),
        "ab": experiment([(name, 3.1, 3.2, 0.05, 0.01, BETTER)], variant=name, control=other),
    }  # fmt: skip


SCREENS: dict[str, Callable[[], Any]] = {
    "compare_sliced": sliced, "compare_three": three_systems, "compare_targets": targets,
    "compare_untested": untested, "evaluate_three": three_evaluated, "evaluate_sliced": sliced_evaluated,
    "evaluate_one": one_evaluated, "evaluate_no_interval": without_an_interval, "ab": ab,
    "ab_mismatch": mismatched,
}  # fmt: skip


@cache
def made(name: str) -> Any:
    return SCREENS[name]()


def screen(name: str, width: int) -> str:
    return "".join(f"{line}\n" for line in made(name).lines(width=width))


@pytest.mark.parametrize("name", SCREENS)
def test_screens_are_as_recorded(name: str) -> None:
    for width in WIDTHS:
        assert screen(name, width) == (FOLDER / f"{name}.{width}.txt").read_text("utf-8"), (name, width)


@pytest.mark.parametrize("name", SCREENS)
def test_every_line_fits_and_nothing_is_cut(name: str) -> None:
    for width in MANY_WIDTHS:
        text = screen(name, width)
        assert max(map(width_of, text.splitlines())) <= width, (name, width)
        assert "…" not in text


def test_a_long_reason_takes_no_place_of_the_interval() -> None:
    for width in (60, 100, 150, 200):
        text = screen("evaluate_no_interval", width)
        header, *_ = text.splitlines()
        assert header.split()[:5] == ["metric", "value", "lower", "upper", "n"]
        assert NO_INTERVAL in " ".join(text.split())


@pytest.mark.parametrize("name", HOSTILE, ids=("long", "wide letters", "markup", "control"))
def test_names_of_others_are_shown_in_full_and_forge_nothing(name: str) -> None:
    shown = name.replace("\x1b", "\\x1b").replace("\n", "\\n")
    for command, result in hostile(name).items():
        for width in MANY_WIDTHS:
            lines = result.lines(width=width)
            assert max(map(width_of, lines)) <= width, (command, width)
            assert not any(not character.isprintable() for line in lines for character in line)
            if width >= 2 * len(shown):
                assert shown in "\n".join(lines), (command, width)
            assert shown.replace(" ", "") in "".join(lines).replace(" ", ""), (command, width)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for made_name in SCREENS:
        for its_width in WIDTHS:
            (FOLDER / f"{made_name}.{its_width}.txt").write_text(screen(made_name, its_width), "utf-8")
