"""Completions that the shell offers after the tab key."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class

from duckmetrics.catalog.catalog import catalog
from duckmetrics.catalog.presets import presets
from duckmetrics.cli import completion
from duckmetrics.cli.main import COMMANDS, COMPLETE, cli
from support.cases import ROOT
from support.loops import each

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

METRICS = {name for _, name in catalog().names}
NDCG = catalog().metrics["ranking", "ndcg"]
# Words that are not tables, such as numbers and columns.
PLAIN = {
    "--new",
    "--difference", "--margin", "--attach", "--where", "--version", "--as", "--as-of", "--partition-by",
    "--column", "--positive", "--score", "--classes",
    "--threads", "--memory-limit", "--master", "--by", "--by-each", "--interval", "--cluster",
    "--interval-method", "--resamples", "--seed", "--fail-if", "--baseline", "--chunks", "--verify", "--test",
    "curve --system", "sql --system",
    "--adjust", "--alpha", "--power", "--n-items", "--n-negatives", "--method", "--gamma",
    "ab -m", "--variant", "--control", "--shares", "--pre", "--lower-is-better", "--unit", "--per-unit",
    "--cap",
    "--tag", "--run-time", "trend --system", "trend --last",
    "--table", "--per-query-table", "--run-id", "chart --of", "chart --k", "chart --param",
    "explain --query", "explain --of", "explain --show", "report --title", "report --otherwise",
    "--time-zone",
}  # fmt: skip


def completed(*words: str) -> list[str]:
    """Return the completions of the last word, as click gives them to any shell."""
    return [item.value for item in items(*words)]


def items(*words: str) -> Sequence[CompletionItem]:
    *args, incomplete = words
    return ShellComplete(cli, {}, "duckmetrics", COMPLETE).get_completions(args, incomplete)


@each("command", ["evaluate", "compare", "check", "conventions", "ties", "sampled"])
def test_metrics_complete_after_m(command: str) -> None:
    assert set(completed(command, "run.parquet", "-m", "")) == METRICS
    assert completed(command, "run.parquet", "-m", "ndc") == ["ndcg", "ndcg@"]
    assert completed(command, "run.parquet", "--metric=ndc") == ["ndcg", "ndcg@"]


def test_the_last_of_several_metrics_completes() -> None:
    assert completed("evaluate", "-m", "map@10,ndc") == ["map@10,ndcg", "map@10,ndcg@"]
    assert completed("evaluate", "-m", "map(norm=min_k,rel=2)@5,brier_s") == [
        "map(norm=min_k,rel=2)@5,brier_score", "map(norm=min_k,rel=2)@5,brier_skill"
    ]  # fmt: skip


def test_a_family_before_the_name_completes() -> None:
    assert completed("evaluate", "-m", "classification.preci") == [
        "classification.precision", "classification.precision_at_recall"
    ]  # fmt: skip
    assert completed("evaluate", "-m", "ranking.preci") == ["ranking.precision", "ranking.precision@"]


def test_parameters_complete_in_parentheses() -> None:
    gains = [f"ndcg(gain={gain}" for gain in catalog().params(NDCG)["gain"].choices]
    assert completed("evaluate", "-m", "ndcg(ga") == gains  # a shell writes the common part: ndcg(gain=
    assert len({gain[len("ndcg(gain=")] for gain in gains}) > 1
    assert completed("evaluate", "-m", "ndcg(gain=e") == ["ndcg(gain=exp2", "ndcg(gain=exp2)"]
    assert completed("evaluate", "-m", "ndcg(no_such=") == completed("evaluate", "-m", "no_such(") == []
    assert completed("evaluate", "-m", "ndcg(re") == ["ndcg(rel="]
    assert completed("evaluate", "-m", "ndcg(rel=") == []
    assert completed("evaluate", "-m", "ndcg( disc")[0] == "ndcg( discount=log2"


def test_every_parameter_is_offered_once() -> None:
    names = {*catalog().params(NDCG), "agg"} - {"population"}  # a switch of the call; no spec takes it
    assert set(completed("evaluate", "-m", "ndcg(")) == {f"ndcg({name}=" for name in names}
    rest = completed("evaluate", "-m", "map@5,ndcg(gain=exp2,k=3,")
    assert set(rest) == {f"map@5,ndcg(gain=exp2,k=3,{name}=" for name in names - {"gain", "k"}}
    assert completed("evaluate", "-m", "map@5,ndcg(gain=exp2, disc")[1].endswith(
        "(gain=exp2, discount=log2_clip"
    )


def test_what_an_alias_binds_is_not_offered() -> None:
    bound = [(name, alias) for (_, name), alias in catalog().names.items() if alias.bound]
    assert bound
    for name, alias in bound:
        offered = completed("evaluate", "-m", f"{name}(")
        assert not {f"{name}({parameter}=" for parameter in alias.bound} & set(offered), alias


def test_a_cutoff_follows_the_parentheses() -> None:
    assert completed("evaluate", "-m", "ndcg(gain=exp2)") == ["ndcg(gain=exp2)@"]
    assert completed("evaluate", "-m", "ndcg(gain=exp2, k=3)") == []
    assert completed("evaluate", "-m", "auc(approx=3)") == []
    assert completed("evaluate", "-m", "ndcg(gain=exp2)@") == []


def test_a_name_of_two_families_takes_the_parameters_of_both() -> None:
    both = completed("evaluate", "-m", "precision(")
    assert {"precision(norm=", "precision(threshold="} <= set(both)
    assert completed("evaluate", "-m", "classification.precision(thr") == [
        "classification.precision(threshold="
    ]
    assert completed("evaluate", "-m", "ranking.precision(thr") == []


def test_tables_take_parameters_in_parentheses() -> None:
    assert completed("curve", "roc_curve(po") == completed("sql", "roc_curve(po") == ["roc_curve(points="]


@pytest.mark.parametrize(
    ("typed", "found", "offered"),
    [
        ("'ndcg(re", "ndcg(rel=", ["ndcg(rel=", "ndcg(rel= "]),
        ("ndcg", "ndcg(rel=", ["ndcg(rel="]),
        ("'ndcg(gain=exp2)", "ndcg(gain=exp2)@", ["ndcg(gain=exp2)@", "ndcg(gain=exp2)@ "]),
        ("'run", "run.parquet", ["run.parquet"]),
    ],
)
def test_bash_leaves_a_quote_open(tmp_path: Path, typed: str, found: str, offered: list[str]) -> None:
    """Bash closes the quote after a single match, so it gets a second match with the same beginning."""
    completion.prepare()
    bash = get_completion_class("bash")
    assert bash is not None
    answer = tmp_path / "duckmetrics"
    answer.write_text(f"#!/bin/sh\necho 'plain,{found}'\n", "utf-8")
    answer.chmod(0o755)
    script = (
        "complete() { :; }; compopt() { :; }\n" + bash(cli, {}, "duckmetrics", COMPLETE).source()
        + f'\nCOMP_WORDS=(duckmetrics "{typed}"); COMP_CWORD=1; _duckmetrics_completion {answer}\n'
        "printf '%s|' \"${COMPREPLY[@]}\""
    )  # fmt: skip
    done = subprocess.run(["bash", "-c", script], text=True, capture_output=True, check=True)
    assert done.stdout == "".join(f"{word}|" for word in offered)


def test_a_metric_comes_with_its_title() -> None:
    assert items("evaluate", "-m", "ndc")[0].help == catalog().metrics["ranking", "ndcg"].title


def test_tools_complete_after_like() -> None:
    assert completed("evaluate", "--like", "") == sorted(presets())
    assert completed("check", "--like", "trec_") == ["trec_eval", "trec_eval9"]
    assert completed("conventions", "--like", "ranx,trec_") == ["ranx,trec_eval", "ranx,trec_eval9"]
    assert completed("presets", "skl") == ["sklearn"]


def test_switches_complete_after_set() -> None:
    every = completed("evaluate", "run.parquet", "--set", "")
    assert {"ties=", "missing=", "agg=", "threshold=", "weighted="} <= set(every)
    assert completed("evaluate", "--set", "mis")[0].startswith("missing=")  # a single match: with its values
    assert completed("evaluate", "--set", "ties=pe") == ["ties=pessimistic"]
    assert completed("evaluate", "--set=ties=pe") == ["ties=pessimistic"]
    assert completed("evaluate", "--set", "rel=") == []
    assert completed("evaluate", "--set", "weighted=") == ["weighted=true", "weighted=false"]
    assert completed("evaluate", "--set", "tiess=") == []


def test_switches_are_those_of_the_metrics_before_them() -> None:
    taken = {f"{name}=" for name in catalog().params(catalog().metrics["ranking", "ndcg"])}
    assert set(completed("evaluate", "-m", "ndcg@10", "--set", "")) == {*taken, "agg="}
    assert "agg=" not in completed("evaluate", "-m", "auc", "--set", "")
    assert "bins=" in completed("evaluate", "-m", "nothing_like_it", "--set", "")
    assert completed("sql", "ndcg@10", "--set", "ties=exp") == ["ties=expected"]
    assert completed("sql", "ndcg@10", "--set", "gain=ex") == ["gain=exp2"]
    assert completed("sql", "roc_curve", "--set", "po") == ["points="]


def test_a_value_comes_with_its_meaning() -> None:
    assert items("evaluate", "--set", "ties=item_desc")[0].help.startswith("equal scores are sorted")


def test_tables_and_statistics_complete_with_their_parameters() -> None:
    assert set(completed("curve", "")) == {name for _, name in catalog().tables}
    assert "points=" in completed("curve", "roc_curve", "run.parquet", "--set", "")
    assert "bins=" not in completed("curve", "roc_curve", "run.parquet", "--set", "")
    assert "paired-t" in completed("test", "pai")
    assert set(completed("test", "paired-t", "--set", "")) == {
        f"{name}=" for name in catalog().params(catalog().statistics["paired_t"])
    }


def test_names_to_explain_complete() -> None:
    assert completed("metrics", "ndc") == ["ndcg"]
    assert completed("metrics", "roc_") == ["roc_auc", "roc_curve"]
    assert "duplicate_prediction" in completed("checks", "dup")
    assert completed("sql", "ndcg", "--dialect", "sp") == ["spark"]


@each("name", sorted(COMMANDS))
def test_every_table_completes_as_a_file(name: str) -> None:
    """Each option names its completion, or is in PLAIN; otherwise a shell offers no files there."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    for param in command.params:
        known = param._custom_shell_complete is not None or param.type is not click.STRING
        assert known or PLAIN & {param.opts[0], f"{name} {param.opts[0]}"}, param.opts
    if any(param.name in ("predictions", "truth") for param in command.params):
        assert [item.type for item in items(name, *(["roc_curve"] * (name in ("curve", "chart"))), "")] == [
            "file"
        ]


@pytest.mark.parametrize(
    ("words", "given", "written"),
    [
        (["evaluate", "-m", "ndc"], ["evaluate", "-m", "ndc"], ""),
        (["evaluate", "-m", "map", "@", "10,ndc"], ["evaluate", "-m", "map@10,ndc"], "map"),
        (["evaluate", "-m", "map", "@"], ["evaluate", "-m", "map@"], "map"),
        (["evaluate", "--set", "ties", "=", "pe"], ["evaluate", "--set", "ties=pe"], "ties="),
        (["evaluate", "--set", "rel", "=", ""], ["evaluate", "--set", "rel=", ""], ""),
        (["evaluate", "--set", "ties", "="], ["evaluate", "--set", "ties="], "ties="),
        (["evaluate", "--set", "=", "ties", "=", "p"], ["evaluate", "--set", "ties=p"], "ties="),
        (["evaluate", "--set", "ties", "=", "pe", "-m", ""], ["evaluate", "--set", "ties=pe", "-m", ""], ""),
    ],
)
def test_bash_cuts_words(
    monkeypatch: pytest.MonkeyPatch, words: list[str], given: list[str], written: str
) -> None:
    """Bash splits words at = and @, and keeps all but the last of them on the line."""
    completion.prepare()
    found = get_completion_class("bash")
    assert found is not None
    bash = found(cli, {}, "duckmetrics", COMPLETE)
    monkeypatch.setenv("COMP_WORDS", "\n".join(["duckmetrics", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    args, incomplete = bash.get_completion_args()
    assert [*args, incomplete] == given
    item = CompletionItem(f"{written}rest")
    assert bash.format_completion(item) == "plain,rest"
    assert "nospace" in bash.source_template


@each("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script_without_the_catalogue(shell: str) -> None:
    """The script comes in a new process, as the line of the README starts it."""
    code = (
        "import sys; sys.argv = ['duckmetrics']; from duckmetrics.cli import main\n"
        "try: main()\n"
        "finally: print('sqlglot' in sys.modules, 'duckdb' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, COMPLETE: f"{shell}_source"}, cwd=ROOT, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    assert f"{shell}_complete" in done.stdout
    assert done.stdout.endswith("False False\n")
