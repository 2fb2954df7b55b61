"""The text of a leaderboard: golden screens, narrow and wide; pages; names that try to forge lines."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import duckmetrics
from duckmetrics.pages.screens import width_of
from duckmetrics.words.verdicts import claim_of
from support.cases import ROOT
from support.command_line import document, exports, run

if TYPE_CHECKING:
    from pathlib import Path

    from duckmetrics import Leaderboard
    from support.command_line import Command

__all__ = ["exports", "run"]

pytestmark = pytest.mark.engine

PIXELS = f"'{ROOT}/data/digits/pixels.parquet'"
ONE = f"FROM {PIXELS} WHERE system = 'pixels'"
SYSTEMS = {
    "blocks": f"SELECT * EXCLUDE (system) FROM {PIXELS} WHERE system = 'blocks'",
    "1 digit": f"SELECT query_id, item_id, round(score, 1) AS score {ONE}",
    "pixels": f"SELECT query_id, item_id, score {ONE}",
    "2 digits": f"SELECT query_id, item_id, round(score, 2) AS score {ONE}",
}
# Who is the best of them.
SHARED = "pixels and 2 digits share the first tier of 4 systems"
SCREEN = f"""\
{SHARED}: they do not clearly differ

tier  #  system    precision@5   ranks  to best  P(best)
────────────────────────────────────────────────────────────────────────────────
a     1  pixels         0.9850  1 to 2              84 %                     ─●─
a     2  2 digits       0.9830  1 to 2  −0.0020     16 %                     ─●─
b     3  1 digit        0.9250       3  −0.0600     <1 %               ──●──
c     4  blocks         0.7950       4  −0.1900     <1 %  ────●───

tier: systems that share a letter do not clearly differ (paired_t; 6 pairs, p
  adjusted by holm, p < 0.05)
ranks: the true rank is in this range, for all systems of a table at once with
  95 % confidence
P(best): chance of being the best, the share of 2,000 bootstrap resamples of the
  queries in which the system is the best
n = 200; 95 % intervals, not adjusted; to best: difference to the first system"""


@pytest.fixture(scope="module")
def board() -> Leaderboard:
    return duckmetrics.leaderboard(SYSTEMS, f"{ROOT}/data/digits/qrels.parquet", "precision@5")


# --- a screen ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_screen_of_80_columns(board: Leaderboard) -> None:
    assert "\n".join(board.lines(80)) == SCREEN


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (140, "tier # system precision@5 95 % interval ranks to best p adj. P(best) verdict"),
        (100, "tier # system precision@5 95 % interval ranks to best p adj. P(best)"),
        (90, "tier # system precision@5 95 % interval ranks to best P(best)"),
        (60, "tier # system precision@5 ranks to best P(best)"),
        (50, "tier # system precision@5 ranks to best"),
        (40, "tier # system precision@5 ranks"),
        (30, "tier # system precision@5"),
    ],
)
def test_columns_are_left_out_on_a_narrow_screen(board: Leaderboard, width: int, columns: str) -> None:
    lines = board.lines(width)
    assert max(map(len, lines)) <= width
    header = next(line for line in lines if line.startswith("tier "))
    assert " ".join(header.split()) == columns
    # No cell is cut.
    assert all(any(name in line for line in lines) for name in SYSTEMS)


def test_the_drawing_has_one_scale(board: Leaderboard) -> None:
    """The dot is at the value, and the line from bound to bound, to half a column."""
    lines = [line for line in board.lines(80) if "●" in line]
    start = min(line.index("─") for line in lines)
    ends = [row[name] for row in board.rows for name in ("lower", "upper")]
    width = max(map(len, lines)) - start
    scale = (width - 1) / (max(ends) - min(ends))
    for line, row in zip(lines, board.rows, strict=True):
        drawn = re.search("─*●─*", line)
        assert drawn is not None
        places = [drawn.start() - start, line.index("●") - start, drawn.end() - 1 - start]
        for place, name in zip(places, ("lower", "value", "upper"), strict=True):
            assert place == pytest.approx((row[name] - min(ends)) * scale, abs=0.5 + 1e-9)


def test_without_intervals_and_tests_only_values_are_shown(board: Leaderboard) -> None:
    names = ("lower", "upper", "tier", "rank_lower", "rank_upper", "delta", "p_adjusted", "probability_best")
    rows = tuple({**row, **dict.fromkeys(names), "verdict": "not tested"} for row in board.rows)
    bare = replace(board, rows=rows)
    lines = bare.lines(80)
    assert lines[0] == "pixels has the best value of 4 systems, and no test compares them"
    assert lines[2].split() == ["#", "system", "precision@5", "verdict"]
    assert all(word not in "\n".join(bare.footer()) for word in ("tier", "ranks", "P(best)"))


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "<1 %"), (0.009, "<1 %"), (0.01, "1 %"), (0.5, "50 %"), (0.99, "99 %"), (1.0, ">99 %")],
)
def test_a_chance_is_never_certain(board: Leaderboard, share: float, shown: str) -> None:
    rows = tuple({**row, "probability_best": share} for row in board.rows)
    assert re.findall(r"[<>]?\d+ %", replace(board, rows=rows).lines(90)[4])[-1] == shown


def test_the_whole_table_has_all_columns(board: Leaderboard) -> None:
    lines = board.lines(whole=True)
    assert lines[0].split() == [name for name in board.rows[0] if name != "signature"]
    assert lines[7] == SCREEN.splitlines()[0]


# --- sentences -----------------------------------------------------------------------------------


def tiers(board: Leaderboard, *letters: str) -> Leaderboard:
    """Return the board as if the tests had given these letters; only the best is sure of its place."""
    shared = [letter for letter in letters if set(letter) & set(letters[0])]
    words = ["among the best" if letter in shared else "worse" for letter in letters]
    words[0] = "best" if len(shared) == 1 else words[0]
    rows = zip(board.rows, letters, words, strict=True)
    return replace(board, rows=tuple({**row, "tier": t, "verdict": w} for row, t, w in rows))


@pytest.mark.parametrize(
    ("letters", "sentence"),
    [
        (("a", "b", "b", "c"), "pixels is the best of 4 systems"),
        (("a", "a", "a", "a"), "all 4 systems share the first tier: they do not clearly differ"),
        (("a", "ab", "b", "c"), f"{SHARED}: they do not clearly differ"),
        (
            ("ab", "a", "b", "c"),
            f"{SHARED}: they do not clearly differ; 1 more cannot be distinguished from pixels",
        ),
    ],
)
def test_the_first_line_says_who_is_the_best(
    board: Leaderboard, letters: tuple[str, ...], sentence: str
) -> None:
    assert tiers(board, *letters).verdict == sentence


def test_a_system_may_be_alone_without_being_better(board: Leaderboard) -> None:
    """Values may differ, and nothing show which of them is nearer to the target."""
    rows = zip(board.rows, ("a", "b", "b", "c"), ("among the best", "different", "worse", "different"),
               strict=True)  # fmt: skip
    found = replace(board, rows=tuple({**row, "tier": t, "verdict": v} for row, t, v in rows))
    names = [row["system"] for row in board.rows]
    assert found.verdict.startswith(
        f"{names[0]} has the best value of 4 systems, but no test shows that it is better than "
        f"{names[1]} and {names[3]}"
    )


def test_a_letter_with_a_number_is_another_letter(board: Leaderboard) -> None:
    rows = zip(board.rows, ("a", "aa2", "a2", "a2b"), strict=True)
    found = replace(board, rows=tuple({**row, "tier": tier} for row, tier in rows))
    assert found.verdict.startswith(SHARED)


def test_of_many_systems_in_the_first_tier_the_best_has_a_name() -> None:
    rows = [
        {"system": f"s{i}", "value": 1 - i / 10, "tier": "a" if i < 4 else "b", "verdict": "among the best"}
        for i in range(6)
    ]
    assert claim_of(rows).text == "s0 and 3 others share the first tier of 6 systems"


# --- pages ---------------------------------------------------------------------------------------


def test_latex_raises_the_letters(board: Leaderboard) -> None:
    lines = board.to_latex().splitlines()
    assert lines[:3] == [
        "\\begin{tabular}{rlrrrrrr}",
        "\\toprule",
        "\\# & system & precision@5 & 95 \\% interval & ranks & to best & adjusted p & P(best) \\\\",
    ]
    assert lines[4] == "1 & pixels & \\textbf{0.9850}$^{a}$ & 0.9746 to 0.9954 & 1 to 2 &  &  & 84 \\% \\\\"
    assert lines[5].startswith("2 & 2 digits & 0.9830$^{a}$ & ")
    assert f"% {SHARED}: they do not clearly differ" in lines


def test_markdown_raises_the_letters(board: Leaderboard) -> None:
    lines = board.shown().markdown().splitlines()
    assert lines[2] == "| 1 | pixels | **0.9850**ᵃ | 0.9746 to 0.9954 | 1 to 2 |  |  | 84 % |"
    assert lines[7] == SCREEN.splitlines()[0]


def test_html_says_the_sentence_first(board: Leaderboard) -> None:
    shown = board.shown().html()
    assert shown.startswith(f"<p><b>{SHARED}")
    assert "<td><b>0.9850</b><sup>a</sup></td>" in shown
    assert shown in board._repr_html_()


def test_frames_have_all_columns(board: Leaderboard) -> None:
    table = board.to_pandas()
    assert list(table.columns) == [*board.rows[0]]
    assert table["tier"].tolist() == ["a", "a", "b", "c"]
    assert table["rank_upper"].tolist() == [2, 2, 3, 4]


HOSTILE = ["<script>alert(1)</script>", "a|b\n1 injected", "\x1b[31mred & 100%_{}", "名前\u202e$\\"]


def test_hostile_names_stay_in_their_cells(board: Leaderboard) -> None:
    names = dict(zip((row["system"] for row in board.rows), HOSTILE, strict=True))
    rows = tuple({**row, "system": names[row["system"]]} for row in board.rows)
    hostile = replace(board, rows=rows)
    text = "\n".join([*hostile.lines(100), *hostile.lines(whole=True), hostile.shown().markdown()])
    assert not set(text) & {"\x1b", "\u202e"}
    assert "\n1 injected" not in text
    assert "<script>" not in hostile._repr_html_()
    assert sum(line.startswith("| ") for line in hostile.shown().markdown().splitlines()) == 6
    assert "a\\|b\\n1 injected" in hostile.shown().markdown()
    assert "\\& 100\\%\\_\\{\\}" in hostile.to_latex()
    assert tiers(hostile, "a", "b", "b", "b").verdict.startswith("<script>")


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", ["s" * 24, "s" * 80, "s" * 95, "s" * 200, "推薦" * 20, "推薦" * 50])
def test_a_long_name_stands_above_its_line(board: Leaderboard, name: str, width: int) -> None:
    rows = tuple({**row, "system": f"{name}{i}"} for i, row in enumerate(board.rows))
    lines = replace(board, rows=rows).lines(width)
    # The sentences below the head of the table have no long words, and are not looked at.
    table = lines[lines.index("") + 1 :]
    table = table[: table.index("")]
    assert max(map(width_of, table)) <= width
    text = "".join(line.strip() for line in table)
    assert all(f"{name}{i}" in text for i in range(len(rows)))
    assert all(any(f"{row['value']:.4f}" in line for line in table) for row in rows)


# --- on the command line --------------------------------------------------------------------------

ASK = ("leaderboard", "models.parquet", "--system", "model", "--truth", "t.parquet", "-m", "rr,ndcg")


@pytest.mark.slow
def test_the_command_prints_the_screen(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run(*ASK)
    assert code == 0, err
    assert out.splitlines()[0] == "both systems share the first tier: they do not clearly differ"
    assert max(map(len, out.splitlines())) <= 80
    assert "intervals" in err


@pytest.mark.slow
def test_json_names_the_correction_and_the_pairs(run: Command) -> None:
    found = document(run(*ASK, "--format", "json").out)
    assert found["command"] == "leaderboard"
    assert found["verdict"].startswith("both systems share")
    assert found["method"] == "paired_t; 1 pair of each metric, p adjusted by holm, p < 0.05"
    assert {(row["test"], row["adjust"], row["n_tests"], row["alpha"]) for row in found["rows"]} == {
        ("paired_t", "holm", 1, 0.05)
    }
    assert [(pair["metric"], pair["system"], pair["against"]) for pair in found["pairs"]] == [
        ("rr", "B", "A"), ("ndcg", "B", "A"),
    ]  # fmt: skip


@pytest.mark.slow
def test_csv_holds_every_row(run: Command) -> None:
    rows = list(csv.DictReader(run(*ASK, "--format", "csv").out.splitlines()))
    assert [row["metric"] for row in rows] == ["rr", "rr", "ndcg", "ndcg"]
    assert "metric" in run(*ASK, "--format", "markdown").out.splitlines()[0]
    assert "\\toprule" in run(*ASK, "--format", "latex").out
    assert "<table>" in run(*ASK, "--format", "html").out
    assert "rank_lower" in run(*ASK, "--all").out


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["md", "txt", "csv", "json", "parquet", "html", "tex"])
def test_a_file_is_replaced(run: Command, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"board.{suffix}"
    for _ in range(2):
        assert run(*ASK, "-o", path, "--per-query", tmp_path / "values.parquet").code == 0
    assert path.stat().st_size > 0


def test_mistakes_are_one_message(run: Command) -> None:
    single = run("leaderboard", "p.parquet", "--truth", "t.parquet", "-m", "rr")
    assert (single.code, single.out) == (2, "")
    assert "p.parquet: is read as one system" in single.err
    wrong = run(*ASK, "--test", "nothing")
    assert wrong.code == 2
    assert wrong.err.startswith("duckmetrics: test:")
