"""The folder where a database writes what memory cannot hold."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from duckmetrics.errors import InputError


def writable_folder(path: str | os.PathLike[str]) -> str:
    """Return the folder as text; DuckDB makes it when it first needs it, but its parent must exist.

    Raises:
        InputError: nothing can be written there.
    """
    folder = Path(os.path.expanduser(os.fspath(path))).absolute()
    existing = folder if folder.exists() else folder.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise InputError(
            f"temp_directory={str(path)!r}", "no folder that can be written to", "choose another"
        )
    return str(folder)


def private_folder() -> str:
    """Return a folder of this user that nobody else can read."""
    owner = os.getuid() if hasattr(os, "getuid") else None
    folder = Path(tempfile.gettempdir()) / ("duckmetrics" if owner is None else f"duckmetrics-{owner}")
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and owner in (None, found.st_uid):
            folder.chmod(0o700)
            return str(folder)
        # Another user made a file, a link or a folder of this name.
        return tempfile.mkdtemp(prefix=f"{folder.name}-")
    except OSError:
        return str(folder)  # DuckDB reports it if it needs the folder
