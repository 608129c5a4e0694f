"""The Sessions screen, without a browser."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

PAGE = Path(__file__).parents[2] / "pages" / "sessions.py"


def test_empty_list_says_how_to_start() -> None:
    at = AppTest.from_file(PAGE).run()
    assert not at.exception
    assert [title.value for title in at.title] == ["Sessions"]
    assert [heading.value for heading in at.subheader] == ["No sessions yet"]
    assert [code.value for code in at.code] == ['python3 run.py ask "…"']
    assert not at.dataframe
