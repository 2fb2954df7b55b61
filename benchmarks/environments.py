"""``python -m benchmarks environments``: an environment for each peer that conflicts with the others.

The benchmarks find these environments by themselves.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.timing import FailedError

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path(__file__).with_name(".environments")
# A peer of peers.py, and the packages of its environment: RePlay needs an older Polars.
APART = {"replay": ("replay-rec>=0.20", "polars", "pandas", "pyarrow")}
# The peers that run in the environment of another one.
SAME = {"replay_lists": "replay"}
# The packages of this environment whose versions a page of results names.
TOGETHER = ("duckdb", "sqlglot", "numpy", "pyarrow", "polars", "scikit-learn", "chdb", "pytrec_eval-terrier",
            "ranx", "rectools")  # fmt: skip
# Prints the version of each package that is installed.
VERSIONS = """
import json, sys
from importlib.metadata import version
print(json.dumps({name: version(name) for name in sys.argv[1:]}))
"""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks environments", description=__doc__)
    parser.parse_args(arguments)
    for peer in APART:
        make(peer)
        print(f"{peer}: {_python(peer)}", flush=True)


def make(peer: str) -> None:
    """Make the environment of a peer anew."""
    venv.create(FOLDER / peer, clear=True, with_pip=True)
    subprocess.run([_python(peer), "-m", "pip", "install", "--quiet", *APART[peer]], check=True)
    (FOLDER / peer / "done").touch()


def interpreter(peer: str) -> str:
    """Return the interpreter of a peer: that of its own environment, or else this one.

    Raises:
        FailedError: the environment of the peer is not there.
    """
    peer = SAME.get(peer, peer)
    if peer not in APART:
        return sys.executable
    if not _is_made(peer):
        raise FailedError("no environment; make it with 'python -m benchmarks environments'")
    return str(_python(peer))


def versions(peers: Iterable[str]) -> str:
    """Return the versions of the packages here, and of those in the environments of some peers."""
    found = []
    for name in TOGETHER:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    apart = [_versions_of(peer) for peer in peers if peer in APART and _is_made(peer)]
    return "; ".join([", ".join(found), *apart])


def _versions_of(peer: str) -> str:
    names = [package.partition(">")[0] for package in APART[peer]]
    command = [_python(peer), "-c", VERSIONS, *names]
    found = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return f"{peer} with {', '.join(f'{name} {known}' for name, known in found.items())}"


def _is_made(peer: str) -> bool:
    """Return whether all packages of an environment were installed."""
    return (FOLDER / peer / "done").exists()


def _python(peer: str) -> Path:
    """Return the path of the interpreter of an environment."""
    return FOLDER / peer / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
