"""Gates on an A/B test: `Experiment.failures` and 'duckmetrics ab --fail-if'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from duckmetrics import Experiment, MetricError, ab
from support.command_line import Command

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS: dict[str, Any] = {"variant": "variant", "control": "A"}


@pytest.fixture(scope="module")
def users() -> pd.DataFrame:
    """Return users: revenue falls in B, clicks do not move, rare has a value in A only."""
    rng = np.random.default_rng(6)
    n = 600
    frame = pd.DataFrame({"variant": np.array(["A", "B"])[np.arange(n) % 2]})
    frame["revenue"] = rng.normal(10, 2, n) - 2 * (frame.variant == "B")
    frame["clicks"] = rng.permutation(np.tile([1.0, 2.0, 3.0], n // 3))
    frame["rare"] = np.where(frame.variant == "A", frame.clicks, np.nan)
    frame["land"] = np.array(["DE", "US"])[(np.arange(n) // 2) % 2]
    return frame


@pytest.fixture(scope="module")
def result(users: pd.DataFrame) -> Experiment:
    return ab(users, metrics="revenue,clicks,rare", by="land", **OPTIONS)


def test_gates_look_at_every_column(result: Experiment) -> None:
    row = result.row("revenue")
    assert row["verdict"] == "worse"
    assert result.failures("revenue verdict = worse") == [
        "gate failed: revenue verdict = worse: verdict of B is worse"
    ]
    assert len(result.failures(f"revenue < {row['value'] + 0.001}")) == 1
    assert result.failures(f"revenue < {row['value'] - 0.001}") == []
    assert len(result.failures(["revenue change < -10%", "revenue delta_lower < -1"])) == 2
    assert result.failures(["revenue change < -90%", "clicks verdict = worse", "clicks p < 1e-9"]) == []
    assert len(result.failures(f"revenue control_value > {row['control_value'] - 0.001}")) == 1
    assert len(result.failures("clicks n > 299")) == 1


def test_a_gate_by_a_slice_looks_at_each(result: Experiment) -> None:
    failed = result.failures("revenue verdict by land = worse")
    assert failed == [
        f"gate failed: revenue verdict by land = worse: verdict of B, land={land} is worse"
        for land in ("DE", "US")
    ]
    assert result.failures("clicks verdict by land = worse") == []


def test_a_metric_without_a_test_fails_its_gates(result: Experiment) -> None:
    (failed,) = result.failures("rare verdict = worse")
    assert failed.endswith("verdict of B was not tested: no unit of B has a value")


def test_an_experiment_that_cannot_be_trusted_fails_every_gate(users: pd.DataFrame) -> None:
    """Neither a mismatch of the sample ratio nor rows that are not units let a gate pass."""
    lost = users[(users.variant == "A") | (users.index % 4 == 1)]
    repeated = pd.concat([users, users.assign(clicks=2)]).reset_index(names="user_id")
    mismatch = ab(lost, metrics="clicks", **OPTIONS)
    rows = ab(repeated, metrics="clicks", **OPTIONS)
    units = ab(repeated, metrics="clicks", unit="user_id", **OPTIONS)
    for asked in ("verdict = worse", "< 0", "p < 1e-9", "change < -90%", "n < 1"):
        gate = f"clicks {asked}"
        (failed,) = mismatch.failures(gate)
        assert failed.endswith(": sample ratio mismatch"), gate
        (failed,) = rows.failures(gate)
        assert failed.endswith(": rows are not units"), gate
        assert units.failures(gate) == []


def test_each_variant_is_looked_at(users: pd.DataFrame) -> None:
    three = users.assign(variant=np.where(users.index % 3 == 0, "C", users.variant))
    shares = {"A": 2, "B": 2, "C": 2}
    result = ab(three, metrics="revenue", shares=shares, **OPTIONS)
    assert [line.rpartition(": ")[2] for line in result.failures("revenue n > 1")] == [
        "n of B is 200", "n of C is 200"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("revenue", "gate 'revenue': no comparison"),
        ("revnue verdict = worse", "'revnue' is not evaluated; did you mean 'revenue'?"),
        ("revenue verdict = wrose", "unknown verdict 'wrose'; did you mean 'worse'?"),
        ("revenue verdict = equivalent", "is a verdict with a margin, and an experiment has none"),
        ("revenue delta_lowr < 0", "unknown column 'delta_lowr'; did you mean 'delta_lower'?"),
        ("revenue verdict by device = worse", "no slices by 'device'"),
        ("revenue delta < -1%", "is in the units of the metric, and '-1%' is a share"),
        ("revenue drops more than 1%", "no log is given; an experiment has no log; for a change"),
        ("revenue < last - 1", "an experiment has no log"),
        ("revenue < a", "'a' is not a number"),
    ],
)  # fmt: skip
def test_a_gate_that_cannot_be_read_is_refused(result: Experiment, gate: str, message: str) -> None:
    with pytest.raises(MetricError) as caught:
        result.failures(gate)
    assert message in str(caught.value)


def test_the_command_fails_by_its_gates(
    users: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    users.to_parquet(tmp_path / "users.parquet")
    monkeypatch.chdir(tmp_path)
    run = Command(capsys)
    command = ("ab", "users.parquet", "--variant", "variant", "--control", "A", "-m", "revenue,clicks")
    gates = ("--fail-if", "revenue verdict = worse", "--fail-if", "clicks verdict = worse")
    failed = run(*command, *gates, "--junit", "gates.xml")
    assert failed.code == 1
    assert failed.out == f"{ab(users, metrics='revenue,clicks', **OPTIONS)}\n"
    assert failed.err == "duckmetrics: gate failed: revenue verdict = worse: verdict of B is worse\n"
    suite = ElementTree.parse(tmp_path / "gates.xml").getroot()
    cases = {case.get("name"): case.find("failure") is not None for case in suite.iter("testcase")}
    assert cases == {"revenue verdict = worse": True, "clicks verdict = worse": False}
    assert run(*command, "--fail-if", "clicks verdict = worse").code == 0
    wrong = run(*command, "--fail-if", "revenue drops more than 1%")
    assert (wrong.code, wrong.out) == (2, "")
    assert run(*command, "--junit", "gates.xml").code == 2
