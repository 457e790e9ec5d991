"""The pages: their Python is run from the first block to the last, and prints what they show."""

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = os.environ["FLEET_PAGES"].split(",")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_prints_what_it_shows(page: str, city_url: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    names: dict[str, object] = {"__name__": page}
    printed: str | None = None
    shown = 0
    for language, block in BLOCK.findall(text):
        if language == "python":
            code = block.replace("http://127.0.0.1:8000", city_url)
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(code, page, "exec"), names)
            printed = out.getvalue()
        elif language == "text":
            assert printed is not None, "an output without code"
            pattern = "(?s:.*?)".join(re.escape(part) for part in block.split("…"))
            assert re.fullmatch(pattern, printed), f"{code}\nprints\n{printed}\nand {page} shows\n{block}"
            shown += 1
    assert shown > 1
