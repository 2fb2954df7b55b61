"""Values of metrics beyond accuracy that other tools gave."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from support.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

DOCUMENT = json.loads((ROOT / "tests/data/recorded/beyond_accuracy.json").read_text("utf-8"))


def call_of(record: Mapping[str, Any]) -> tuple[tuple[str, str], int]:
    """Return the call without its cut-off, and the cut-off."""
    found = re.search(r"(?:\bk=|@|\bn=|top_k=|first |^[A-Z]\w+\()(\d+)", record["call"])
    cut = found[1] if found else "0"
    written = re.sub(rf"(\bk=|@|\bn=|top_k=|first |^[A-Z]\w+\(){cut}\b", r"\1K", record["call"])
    return (record["tool"], written), int(cut)
