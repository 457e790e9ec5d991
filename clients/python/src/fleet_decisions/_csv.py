"""Bodies as CSV."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol, TypeAlias


class _Pandas(Protocol):
    def to_csv(self, *args: Any, **options: Any) -> Any: ...


class _Polars(Protocol):
    def write_csv(self, *args: Any, **options: Any) -> Any: ...


Csv: TypeAlias = str | bytes | os.PathLike[str] | _Pandas | _Polars
"""a text or bytes with a header, the path of a file (as `Path`; `.csv` or `.csv.gz`), or a data frame"""


def read_csv_body(csv: Csv) -> tuple[bytes, dict[str, str]]:
    """The bytes of a body and its headers."""
    headers = {"content-type": "text/csv"}
    if isinstance(csv, str):
        return csv.encode(), headers
    if isinstance(csv, bytes):
        return csv, headers
    if isinstance(csv, os.PathLike):
        if str(csv).endswith(".gz"):
            headers["content-encoding"] = "gzip"
        return Path(csv).read_bytes(), headers
    # Times as the service reads them.
    text = csv.to_csv(index=False, date_format="%Y-%m-%dT%H:%M:%S%z") if hasattr(csv, "to_csv") else csv.write_csv()
    return str(text).encode(), headers
