"""Folders of Parquet files that results go to; a value of a column names each folder within."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from duckmetrics.errors import InputError
from duckmetrics.outputs.overlaps import refuse_inputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def refuse(path: Path, inputs: Iterable[str] = ()) -> None:
    """Refuse a folder that must not be written, before anything is computed.

    Raises:
        InputError: it is a file, is an input, holds something, or its parent is not there.
    """
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise InputError(path, "cannot be written", "name a folder in an existing one")
    refuse_inputs(path, inputs)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(path, "exists already", "name a new folder, or an empty one")


@contextmanager
def replacing(path: Path, inputs: Iterable[str] = ()) -> Iterator[Path]:
    """Give the path of a draft to write, and move it into place at the end, so that no folder is incomplete.

    Raises:
        InputError: the folder must not be written, see `refuse`, or it cannot be.
    """
    refuse(path, inputs)
    target = Path(os.path.realpath(path))
    try:
        with TemporaryDirectory(prefix=".duckmetrics-", dir=target.parent) as folder:
            draft = Path(folder) / "draft"
            yield draft
            draft.replace(target)  # also an empty folder
    except OSError as error:
        raise InputError(
            path, f"cannot be written: {error.strerror or error}", "choose another one"
        ) from error
