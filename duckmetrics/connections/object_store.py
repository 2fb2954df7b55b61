"""Access to a store of objects by the variables that the tools of AWS read."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from duckmetrics.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMES = ("s3://", "s3a://", "s3n://")
# Setting of DuckDB -> the variables that say it, the first that is set counts.
VARIABLES = {
    "s3_access_key_id": ("AWS_ACCESS_KEY_ID",),
    "s3_secret_access_key": ("AWS_SECRET_ACCESS_KEY",),
    "s3_session_token": ("AWS_SESSION_TOKEN",),
    "s3_region": ("AWS_REGION", "AWS_DEFAULT_REGION"),
}
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")


def settings_of(variables: Mapping[str, str]) -> dict[str, str | int]:
    """Return the settings of DuckDB that the variables of the environment mean.

    Raises:
        InputError: the endpoint is no address.
    """
    found: dict[str, str | int] = {}
    for setting, names in VARIABLES.items():
        value = next((variables[name] for name in names if variables.get(name)), None)
        if value is not None:
            found[setting] = value
    name = next((name for name in ENDPOINTS if variables.get(name)), None)
    if name is not None:
        address = urlsplit(variables[name])
        if address.scheme not in ("http", "https") or not address.netloc:
            raise InputError(name, "is no address", "write one such as https://minio.example.org:9000")
        place = f"{address.netloc}{address.path.rstrip('/')}"
        # A server other than that of Amazon has no host name for each bucket.
        found |= {"s3_endpoint": place, "s3_use_ssl": address.scheme == "https", "s3_url_style": "path"}
    return found
