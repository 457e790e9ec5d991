"""What all answers share."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Part of an answer. Keys that a later service adds are kept, as attributes without a type."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    def to_dataframe(self, rows: str | None = None, *, library: str | None = None) -> Any:
        """The rows of the answer as a data frame; see `fleet_decisions.to_dataframe`."""
        from .frames import to_dataframe

        return to_dataframe(self, rows, library=library)
