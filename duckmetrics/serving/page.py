"""The folder of the page "Try it", and the files that a server may send."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from duckmetrics.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

START = "index.html"
# The list of the given files, which the page reads if its address names it.
LISTED = "files.json"
# The folders that may hold the page: in a clone of the repository, and next to the modules of the package.
_PACKAGE = Path(__file__).parents[1]
PLACES = (_PACKAGE.parent / "docs/try/dist", _PACKAGE / "try")
ROLES = ("predictions", "truth")


@dataclass(frozen=True)
class Page:
    """The content of a server: files by their paths below the address, and the list of the given files.

    Attributes:
        files: path -> the file on this machine.
        listed: the text of `LISTED`; empty if no files are given.
    """

    files: Mapping[str, Path]
    listed: str = ""

    @property
    def start(self) -> str:
        """The path and the query of the page, below the address."""
        return f"{START}?files={LISTED}" if self.listed else START


def find_page(folder: Path | None = None) -> Path:
    """Return the folder of the page.

    Args:
        folder: the only folder to look at, if given.
    Raises:
        InputError: the given folder does not hold the page.
        UnsupportedError: the page is not installed.
    """
    if folder is not None:
        if not (folder / START).is_file():
            raise InputError(folder, f"no {START}", "name the folder that 'python docs/try/build.py' writes")
        return folder
    for place in PLACES:
        if (place / START).is_file():
            return place
    raise UnsupportedError(
        "try",
        "the page is not installed",
        "build it in a clone of the repository with 'python docs/try/build.py', which needs node, "
        "or name its folder with --page",
    )


def page_with(folder: Path, given: Sequence[Path]) -> Page:
    """Return the page with files of the user: predictions, then truth.

    Raises:
        InputError: a file is not there.
    """
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    listed = []
    for place, path in enumerate(given):
        if not path.is_file():
            raise InputError(path, "no such file")
        url = f"files/{place}/{path.name}"
        files[url] = path
        role = ROLES[place] if len(given) > 1 else None  # one file may also hold labels and scores
        listed.append({"name": path.name, "role": role, "url": quote(url), "bytes": path.stat().st_size})
    return Page(files, json.dumps({"files": listed}) if listed else "")
