"""The headline of the page is the sentence of the package, whatever the verdicts are."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from duckmetrics.words.verdict import ComparedSystem, Fact, leading_sentence
from duckmetrics.words.verdicts import BETTER, DIFFERENT, UNCLEAR, UNTESTED, WORSE

if TYPE_CHECKING:
    from collections.abc import Sequence

SENTENCES = Path(__file__).with_name("sentences.mjs")
# The page asks for no margin.
VERDICTS = (BETTER, WORSE, DIFFERENT, UNCLEAR, UNTESTED)
METRICS, PLACES = "abcdefg", ["country BR", "country DE", "country FR", "country JP", "country US"]
MEANINGS = ("", "no direction is better", "nearer to 1")


def drawn(seed: int) -> ComparedSystem:
    """Return a comparison with verdicts at random; the page groups the digits of values from 1,000 on."""
    at = random.Random(seed)
    known = at.sample(VERDICTS, at.randint(1, len(VERDICTS)))
    systems = [f"s{i}" for i in range(at.choice((1, 1, 2, 3, 6)))]
    facts = [
        Fact(
            system, metric, at.choice(known), place, at.choice(MEANINGS),
            at.choice((None, at.uniform(0.1, 900))), at.choice((None, at.uniform(0.1, 1))),
            at.choice((None, -1.0, 0.0, 1.0)),
        )
        for metric in METRICS[: at.randint(1, len(METRICS))]
        for place in ["", *at.sample(PLACES, at.choice((0, 1, 2, 5)))]
        for system in systems
    ]  # fmt: skip
    return ComparedSystem("base", facts)


def of_page(asked: Sequence[ComparedSystem]) -> list[str]:
    told = [{"baseline": one.baseline, "facts": [fact._asdict() for fact in one.facts]} for one in asked]
    done = subprocess.run(
        ["node", str(SENTENCES)], input=json.dumps(told), capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.browser
@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_page_has_the_sentence_of_the_package() -> None:
    asked = [drawn(seed) for seed in range(3000)]
    expected = [leading_sentence(one) for one in asked]
    assert len(set(expected)) > 1000
    assert of_page(asked) == expected
