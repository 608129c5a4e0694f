"""The pages about the tools are what the registry says, and the table about services knows every
one that is asked.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from docs.tool_pages import pages
from research_core.search.providers import PROVIDERS
from research_core.search.providers.service_info import SERVICES
from research_core.tools import CLIENT_TOOLS, DEFAULT_TOOLS, TOOLS
from research_core.tools.groups import find_group
from research_core.tools.registry import Tool

UPDATE = os.environ.get("ASSAY_UPDATE_GOLDEN") == "1"
DOCS = Path(__file__).parents[2] / "docs" / "tools"


@pytest.mark.parametrize("name", pages())
def test_a_page_is_what_the_registry_says(name: str) -> None:
    if UPDATE:
        (DOCS / name).write_text(pages()[name], encoding="utf-8")
    assert (DOCS / name).read_text(encoding="utf-8") == pages()[name], (
        "Run this test with ASSAY_UPDATE_GOLDEN=1."
    )


def test_there_is_no_page_that_nobody_makes() -> None:
    assert {path.name for path in DOCS.iterdir()} == set(pages())


def test_every_tool_and_every_service_has_its_place() -> None:
    assert all(find_group(row.name) for row in TOOLS if row not in DEFAULT_TOOLS)
    assert {row.name.partition(":")[0] for row in PROVIDERS} | {"unpaywall"} == set(SERVICES)


@pytest.mark.parametrize(
    "row", [row for row in CLIENT_TOOLS if not row.open_world], ids=lambda row: row.name
)
def test_a_tool_of_a_closed_world_asks_nobody(row: Tool) -> None:
    (line,) = [
        line for line in pages()["README.md"].splitlines() if line.startswith(f"| [{row.name}](")
    ]
    assert line.split(" | ")[-1].startswith("nobody")
