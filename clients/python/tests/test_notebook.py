"""The notebook: run from the first cell to the last on a service without data, it shows what is stored in it."""

import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from fleet_decisions import Fleet

NOTEBOOK = Path(__file__).parents[1] / "examples" / "trips-to-plan.ipynb"


def _shown(notebook: Any) -> list[list[str]]:
    """Texts of the outputs of each cell. Of a picture only that there is one: fonts differ between machines."""
    return [[_text(output) for output in cell.get("outputs", [])] for cell in notebook.cells]


def _text(output: Any) -> str:
    data = output.get("data", {"text/plain": output.get("text", "")})
    return " ".join([re.sub(r"size \S+", "size", data["text/plain"]), *sorted(data)])


def test_the_notebook_shows_what_it_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    url = os.environ["FLEET_EMPTY_URL"]
    monkeypatch.setenv("FLEET_URL", url)
    notebook: Any = nbformat.reads(NOTEBOOK.read_text("utf-8"), 4)  # type: ignore[no-untyped-call]
    stored = _shown(notebook)
    resources = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    assert _shown(notebook) == stored
    assert sum("image/png" in text for texts in stored for text in texts) == 2
    assert NOTEBOOK.stat().st_size < 100_000
    with Fleet(url) as fleet:
        assert list(fleet.iter_locations()) == []
