"""Access to object stores by the environment variables that the tools of AWS read."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import duckdb

from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMES = ("s3://", "s3a://", "s3n://")
# Option of a secret of DuckDB -> the variables that hold it; the first that is set counts.
VARIABLES = {
    "KEY_ID": ("AWS_ACCESS_KEY_ID",),
    "SECRET": ("AWS_SECRET_ACCESS_KEY",),
    "SESSION_TOKEN": ("AWS_SESSION_TOKEN",),
    "REGION": ("AWS_REGION", "AWS_DEFAULT_REGION"),
}
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")


def has_variables(variables: Mapping[str, str]) -> bool:
    """Return whether one of the environment variables is set."""
    names = (*ENDPOINTS, *(name for names in VARIABLES.values() for name in names))
    return any(variables.get(name) for name in names)


def has_extension(connection: duckdb.DuckDBPyConnection) -> bool:
    """Load the extension for object stores, which DuckDB may install."""
    cursor = connection.cursor()
    for statement in ("LOAD httpfs", "INSTALL httpfs; LOAD httpfs"):
        try:
            cursor.execute(statement)
        except duckdb.Error:
            if not cursor.execute("SELECT current_setting('autoinstall_known_extensions')").fetchall()[0][0]:
                return False
        else:
            return True
    return False


def secret_options(variables: Mapping[str, str]) -> dict[str, str | int]:
    """Return the options of the secret that the environment variables describe.

    Raises:
        InputError: the endpoint is not a URL.
    """
    found: dict[str, str | int] = {}
    for option, names in VARIABLES.items():
        value = next((variables[name] for name in names if variables.get(name)), None)
        if value is not None:
            found[option] = value
    name = next((name for name in ENDPOINTS if variables.get(name)), None)
    return found if name is None else found | _endpoint(name, variables[name])


def _endpoint(name: str, url: str) -> dict[str, str | int]:
    """Return the options for a server other than Amazon's, which has no host name for each bucket."""
    try:
        address = urlsplit(url)
        is_address = address.scheme in ("http", "https") and bool(address.hostname)
    except ValueError:
        is_address = False
    if not is_address or address.username is not None:
        # Not shown: it may hold a password.
        advice = "write one such as https://minio.example.org:9000, without a user or password"
        raise InputError(name, "is not the URL of a server", advice)
    place = f"{address.netloc}{address.path.rstrip('/')}"
    return {"ENDPOINT": place, "USE_SSL": address.scheme == "https", "URL_STYLE": "path"}
