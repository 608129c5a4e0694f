"""Notebooks as the Markdown they are written in."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from research_core.web.documents.kinds import read_body
from research_core.web.documents.notebook import format_notebook

CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "source": ["# Tides of the north\n", "\n", "The gauge reads **high**.\n",
                                            "<p hidden>These words were left where nobody reads.</p>"]},
    {"cell_type": "code", "source": ["import os\n", "print('```')"], "outputs": [
        {"output_type": "stream", "name": "stdout", "text": ["```\n", "\x1b[31mread\x1b[0m\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "14.2", "image/png": "aGk="}},
        {"output_type": "error", "ename": "ValueError", "evalue": "too high", "traceback": ["x"]},
    ]},
    {"cell_type": "code", "source": "", "outputs": []},
    {"cell_type": "raw", "source": "As it is."},
]  # fmt: skip


def notebook(cells: Any, **more: Any) -> bytes:
    return json.dumps(
        {"nbformat": 4, "metadata": {"kernelspec": {"language": "python"}}, "cells": cells, **more}
    ).encode()


def test_a_notebook_is_its_words_and_its_programs_with_their_lines() -> None:
    page = read_body(notebook(CELLS), "", name="tides.ipynb")
    assert (page.kind, page.title, page.hidden.total) == ("markdown", "Tides of the north", 1)
    assert re.split(r"\n{2,}", page.text) == [
        "# Tides of the north", "The gauge reads **high**.", "````python\nimport os\nprint('```')\n````", "````\n```\nread\n````",
        "```\n14.2\n```", "```\nValueError: too high\n```", "As it is.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "cells",
    [
        None,
        "x",
        {},
        [1, "a", None],
        [{"cell_type": "code"}],
        [{"source": True}],
        [{"source": [False, None]}],
        [{"outputs": [3, {"data": []}, {"text": {}}]}],
    ],
)
@pytest.mark.parametrize(
    "metadata", [None, [], {"kernelspec": 3}, {"kernelspec": {"language": "`\n"}}]
)
def test_what_is_built_like_no_notebook_holds_no_words_and_is_read_as_values(
    cells: Any, metadata: Any
) -> None:
    assert format_notebook(json.loads(notebook(cells, metadata=metadata))) == ""
    assert read_body(notebook(cells, metadata=metadata), "", name="a.ipynb").kind == "json"


def test_other_values_are_no_notebook() -> None:
    assert (
        format_notebook([1])
        == format_notebook({"cells": [{"source": "a"}]})
        == format_notebook("nbformat")
        == ""
    )


@pytest.mark.parametrize(
    ("after", "title"),
    [
        (["# Tides of the north\n", "## The gauge"], "Tides of the north"),
        (["The gauge reads high.\n", "\n", "## Tides"], "Tides"),
        (["Tides\n", "=====\n", "They rise."], "Tides"),
        (["The gauge reads high."], ""),
        ([], ""),
    ],
)
def test_a_notebook_that_begins_with_a_program_has_its_first_heading_for_a_title(
    after: list[str], title: str
) -> None:
    first = {
        "cell_type": "code",
        "source": "# no heading\nimport os",
        "outputs": [{"text": "# nor this"}],
    }
    page = read_body(
        notebook([first, {"cell_type": "markdown", "source": after}]), "", name="tides.ipynb"
    )
    assert (page.title, page.text[:9]) == (title, "```python")
