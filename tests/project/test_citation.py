"""The citation file agrees with the package."""

from __future__ import annotations

import re
import tomllib

import duckmetrics
from support.cases import ROOT

FIELD = re.compile(r"^([\w-]+): *\"?(.*?)\"?$", re.MULTILINE)


def test_the_citation_has_the_name_version_and_license_of_the_package() -> None:
    cited = dict(FIELD.findall((ROOT / "CITATION.cff").read_text("utf-8")))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert cited["cff-version"] == "1.2.0"
    assert cited["title"] == project["name"]
    assert cited["license"] == project["license"]
    assert cited["version"] == duckmetrics.__version__
