"""What every style and format makes of one work of each kind, to the letter. ASSAY_UPDATE_GOLDEN=1
writes the files anew.

The files were read line by line against the styles' published rules: a change in one is a change of
what is promised.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from research_core.citations.formats.styles import FORMATS, STYLE_FORMATTERS
from tests.works_to_cite import WORKS

GOLDEN = Path(__file__).parents[2] / "golden"
UPDATE = os.environ.get("ASSAY_UPDATE_GOLDEN") == "1"
ENDINGS = {"bibtex": "bib", "ris": "ris", "csl-json": "json"}


def made(style: str) -> str:
    """Every work under what it is for; of a format all of them, each under that as its key."""
    if style in FORMATS:
        return FORMATS[style](
            (name.replace(",", "").replace(" ", "-"), work) for name, work in WORKS.items()
        )
    return "".join(f"{name}\n    {STYLE_FORMATTERS[style](work)}\n" for name, work in WORKS.items())


@pytest.mark.parametrize("style", [*STYLE_FORMATTERS, *FORMATS])
def test_every_work_is_written_as_it_was_reviewed(style: str) -> None:
    path = GOLDEN / f"bibliography-{style}.{ENDINGS.get(style, 'txt')}"
    if UPDATE:
        path.write_bytes(made(style).encode())
    assert path.read_bytes().decode() == made(style), (
        "Run this test with ASSAY_UPDATE_GOLDEN=1 where it changed on purpose."
    )
