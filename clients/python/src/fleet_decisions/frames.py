"""Answers as data frames of pandas or polars, whichever is installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pydantic import BaseModel

from .models import ForecastData

# Where an answer has several lists, the one that is meant without a name: the first that it has.
PREFERRED = ("policies", "locations", "allocation_plan")


def to_dataframe(
    answer: BaseModel | Iterable[BaseModel], rows: str | None = None, *, library: str | None = None
) -> Any:
    """The rows of an answer as a data frame.

    A plan or decision gives its locations, a replay its policies, a list its rows, a forecast a row per location and
    step. Values within values become columns such as `kpis.total_cost`.

    Args:
        answer: an answer, a part of one, or many parts, as `iter_plans()` gives them.
        rows: another list of the answer by its name, for example `allocation_plan` or `outlook`.
        library: `pandas` or `polars`; without it pandas if it is installed, else polars.

    Raises:
        ImportError: neither is installed.
        ValueError: the answer has no such list, or several and no name was given; the message names them.

    """
    return _frame(list(rows_of(answer, rows)), library)


def rows_of(answer: BaseModel | Iterable[BaseModel], rows: str | None = None) -> Iterator[dict[str, Any]]:
    """The rows of an answer as flat dictionaries; see `to_dataframe`."""
    if not isinstance(answer, BaseModel):
        for item in answer:
            yield _flat(item)
        return
    data: Any = getattr(answer, "data", answer)
    if isinstance(data, ForecastData) and rows is None:  # its lists are maps
        yield from _forecast_rows(data)
        return
    for item in _choose(data, rows):
        yield _flat(item)


def _choose(data: BaseModel, rows: str | None) -> list[BaseModel]:
    found = dict(_lists(data))
    if rows is None:
        names = [name for name in PREFERRED if name in found] or (list(found) if len(found) == 1 else [])
        if names:
            return found[names[0]]
    elif rows in found:
        return found[rows]
    asked = "several lists" if rows is None else f"no list {rows!r}"
    raise ValueError(f"{type(data).__name__} has {asked}: {', '.join(found) or 'none'}")


def _lists(data: BaseModel) -> Iterator[tuple[str, list[BaseModel]]]:
    """The lists of models in a model, the outer ones first. Of two with the same name the first is meant."""
    inner: list[BaseModel] = []
    for name in type(data).model_fields:
        value = getattr(data, name)
        if isinstance(value, BaseModel):
            inner.append(value)
        elif isinstance(value, list) and (not value or isinstance(value[0], BaseModel)):
            yield name, value
    seen: set[str] = set()
    for model in inner:
        for name, value in _lists(model):
            if name not in seen and name not in type(data).model_fields:
                seen.add(name)
                yield name, value


def _flat(item: BaseModel) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name in type(item).model_fields:
        if name not in item.model_fields_set:
            continue
        value = getattr(item, name)
        if isinstance(value, BaseModel):
            row |= {f"{name}.{key}": inner for key, inner in _flat(value).items()}
        else:
            row[name] = (
                [_flat(one) if isinstance(one, BaseModel) else one for one in value]
                if isinstance(value, list)
                else value
            )
    return row


def _forecast_rows(data: ForecastData) -> Iterator[dict[str, Any]]:
    """A row per location and step, with local times."""
    start = datetime.combine(data.metadata.start_date, datetime.min.time())
    intervals = data.intervals or {}
    for location, values in data.forecasts.items():
        for step, value in enumerate(values):
            row = {
                "location_id": int(location),
                "starts_at": start + timedelta(hours=step * data.metadata.step_hours),
                "expected": value,
            }
            if location in intervals:
                row |= {"lower": intervals[location].lower[step], "upper": intervals[location].upper[step]}
            yield row


def _frame(rows: list[dict[str, Any]], library: str | None) -> Any:
    chosen = library or next((name for name in ("pandas", "polars") if find_spec(name)), None)
    if chosen is None:
        raise ImportError("data frames need pandas or polars: pip install pandas")
    if chosen not in ("pandas", "polars"):
        raise ValueError(f"library {chosen!r} is neither pandas nor polars")
    # Of polars the types are those of all rows: the first hundred may lack a value.
    options: dict[str, Any] = {"infer_schema_length": None} if chosen == "polars" else {}
    return import_module(chosen).DataFrame(rows, **options)
