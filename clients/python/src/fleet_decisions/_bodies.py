"""Bodies as JSON."""

from __future__ import annotations

import json
import keyword
from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic import BaseModel


def write_json_body(body: Mapping[str, Any]) -> bytes:
    """The bytes of a body. Times, parts of answers and numbers of data frames may be in it; `from_` is sent as `from`.

    Raises:
        ValueError: a number is not finite.

    """
    named = {key[:-1] if keyword.iskeyword(key[:-1]) else key: value for key, value in body.items()}
    return json.dumps(named, default=_plain, allow_nan=False, ensure_ascii=False).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, date):  # datetime is one
        return value.isoformat()
    if hasattr(value, "tolist"):  # numbers and arrays of numpy, series of pandas
        return value.tolist()
    if hasattr(value, "to_list"):  # series of polars
        return value.to_list()
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON")
