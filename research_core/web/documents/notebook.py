"""Convert a notebook (Jupyter, .ipynb) to Markdown, with programs and their output as code.

Pictures and HTML drawn by a program are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_LANGUAGE = re.compile(r"[\w+#.-]{1,20}")
_FENCE = re.compile(r"`{3,}")
_COLOUR_CODES = re.compile(r"\x1b\[[\d;]*m")


def format_notebook(value: Any) -> str:
    """Return the Markdown of a notebook given as JSON; "" for any other value."""
    cells = value.get("cells") if isinstance(value, dict) and "nbformat" in value else None
    if not isinstance(cells, list):
        return ""
    language = _find_notebook_language(value.get("metadata"))
    blocks: list[str] = []
    for cell in cells:
        if isinstance(cell, dict):
            blocks += _format_cell_blocks(cell, language)
    return "\n\n".join(block for block in blocks if block.strip())


def _format_cell_blocks(cell: dict[str, Any], language: str) -> Iterator[str]:
    source = _join_text(cell.get("source"))
    yield _fence_code(source, language) if cell.get("cell_type") == "code" else source
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict):
            yield _fence_code(_read_output_text(output), "")


def _read_output_text(output: dict[str, Any]) -> str:
    if output.get("output_type") == "error":
        return f"{_join_text(output.get('ename'))}: {_join_text(output.get('evalue'))}"
    text = _join_text(output.get("text"))
    data = output.get("data")
    if not text and isinstance(data, dict):
        text = _join_text(data.get("text/plain"))
    return _COLOUR_CODES.sub("", text)


def _join_text(said: Any) -> str:
    """Return a text, which a notebook may store as a list of lines."""
    if isinstance(said, str):
        return said
    if isinstance(said, list):
        return "".join(line for line in said if isinstance(line, str))
    return ""


def _fence_code(code: str, language: str) -> str:
    """Fence code with more backticks than any row of them in it."""
    marks = "`" * max((len(found) + 1 for found in _FENCE.findall(code)), default=3)
    return f"{marks}{language}\n{code.rstrip()}\n{marks}" if code.strip() else ""


def _find_notebook_language(said: Any) -> str:
    kernel = said.get("kernelspec") if isinstance(said, dict) else None
    name = kernel.get("language") if isinstance(kernel, dict) else None
    return name if isinstance(name, str) and _LANGUAGE.fullmatch(name) else ""
