"""Headings of Markdown that hold no word: they go with their picture, and give no page its title."""

from __future__ import annotations

import pytest

from research_core.web.documents.plain_text import read_text
from research_core.web.documents.raw_html import drop_hidden_markdown
from research_core.web.documents.tally import HiddenTextTally


@pytest.mark.parametrize(
    ("markdown", "title", "text"),
    [
        ("# ![The logo](a.png)\n\n## Tides\n\nThey rise.", "Tides", "## Tides\n\nThey rise."),
        ("# ![The logo](a.png) #\n# Tides\n\nThey rise.", "Tides", "# Tides\n\nThey rise."),
        ("# [![The logo](a.png)](https://harbour.example.org/)\n\n# Tides", "Tides", "# Tides"),
        ("# [![The logo][1]][2]\n\nThey rise.\n\n[1]: a.png\n[2]: b", "They rise.", "They rise."),
        ("# <img src=a.png alt='The logo'>\n\n# Tides", "Tides", "# Tides"),
        ("# <!-- a > b --><img src=a.png>\n\n# Tides", "Tides", "# Tides"),
        (
            "![The logo](a.png)\n=====\n\nTides\n=====\n\nThey rise.",
            "Tides",
            "Tides\n=====\n\nThey rise.",
        ),
        ("#\n\n# Tides", "Tides", "# Tides"),
        (
            "They rise.\n\n### ![A chart](a.png)\n\nThey fall.",
            "They rise.",
            "They rise.\n\nThey fall.",
        ),
        ("> # ![The logo](a.png)\n\n# Tides", "Tides", "# Tides"),
        ("# ![The logo](a.png) Tides\n\nThey rise.", "Tides", "#  Tides\n\nThey rise."),
        ("# C#\n\n![A chart](a.png)", "C#", "# C#"),
        ("# \U0001f30a\n\n![A chart](a.png)", "\U0001f30a", "# \U0001f30a"),
    ],
)
def test_a_heading_that_holds_but_a_picture_goes(markdown: str, title: str, text: str) -> None:
    page = read_text(markdown.encode(), kind="markdown")
    assert (page.title, page.text) == (title, text)


@pytest.mark.parametrize("code", ["```\n#\n# ![a](b)\n```", "a\n\n    #\n    # ![a](b)"])
def test_code_that_looks_like_one_stays(code: str) -> None:
    assert drop_hidden_markdown(code, HiddenTextTally()) == code


def test_what_hides_the_text_after_such_a_heading_still_does() -> None:
    assert (
        read_text(b"# ![a](b)<div hidden>\n\nno\n\n# ![a](b)</div>\n\nyes", kind="markdown").text
        == "yes"
    )
