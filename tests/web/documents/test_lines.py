"""Plain texts made of lines keep them; prose that was only broken to fit a width does not. A title
is short.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.web.documents.kinds import read_body
from research_core.web.documents.lines import LINE_FILE_ENDINGS, SAMPLE_LINES, is_line_oriented
from research_core.web.documents.plain_text import TITLE_FROM_WORDS, read_text
from tests.timing import check_cpu_time

LOG = "\n".join(
    f"2020-01-0{n} 10:00:0{n} INFO the gauge on the north pier was read and is high again, as before"
    for n in range(1, 9)
)
PROGRAM = '"""Reads the gauge."""\nimport os\n\n\ndef read(pier, **more):\n    # of the pier\n    return os.stat(pier)\n\n\nprint(1)\n'
SCRIPT = "#!/bin/sh\nset -e\ncd /srv/gauge && ls\necho done\n"
SETTINGS = "[gauge]\npier = north\nheight = 14.2\n"
TRACE = 'Traceback (most recent call last):\n  File "gauge.py", line 3, in read\n    return 1 / 0\nZeroDivisionError: division by zero'
ACCESS = "\n".join(
    f'10.0.0.{n} - - [10/Oct/2020:13:55:36 +0000] "GET /gauge HTTP/1.0" 200 2326 of the harbour site'
    for n in range(9)
)
JAVA = "package a;\n\npublic class Gauge {\n    private final int height;\n    public int read() {\n        return height;\n    }\n}\n"
WRAPPED = "The gauge on the north pier was read on four mornings\nin May, and the readings were compared with those of\nthe south pier.\n"
LETTER = "Dear master,\n\nI write of the gauge on the pier (that of the north);\nit reads high, at 10:30 as at noon, and is wrong.\n"
LICENCE = "Copyright (c) 2020 The Authors\n\nPermission is hereby granted, free of charge, to any person\nobtaining a copy, to use it."


@pytest.mark.parametrize(
    "text",
    [LOG, PROGRAM, SCRIPT, SETTINGS, TRACE, ACCESS, JAVA],
    ids="log program script settings trace access java".split(),
)
@pytest.mark.parametrize("name", ["", "a.txt", "README", "a.log", "a.py"])
def test_a_log_and_a_program_keep_their_lines_and_have_no_title(text: str, name: str) -> None:
    page = read_body(text.encode(), "", name=name)
    assert (page.kind, page.text, page.title) == ("text", text.strip(), "")


@pytest.mark.parametrize("text", [WRAPPED, LETTER, LICENCE], ids="wrapped letter licence".split())
@pytest.mark.parametrize("name", ["", "a.txt", "README", "a.rst"])
def test_prose_that_was_broken_to_fit_is_joined(text: str, name: str) -> None:
    page = read_body(text.encode(), "", name=name)
    assert not is_line_oriented(text)
    assert page.text.split("\n\n")[-1] == " ".join(text.strip().split("\n\n")[-1].split())
    assert page.title


@pytest.mark.parametrize("ending", LINE_FILE_ENDINGS)
def test_what_is_called_a_program_keeps_its_lines_whatever_they_look_like(ending: str) -> None:
    assert read_body(WRAPPED.encode(), "", name=f"a{ending}").text == WRAPPED.strip()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("THE GAUGE\n\nIt reads high.", "THE GAUGE"),
        ("word " * 300, ("word " * 300)[:99].strip() + "…"),
        ("# " + "word " * 30 + "\n\nText.", ("word " * 30).strip()),
        ("---\ntitle: " + "word " * 30 + "\n---\nText.", ("word " * 30).strip()),
        ("---\ntitle: Settings\n---\na = 1\nb = 2\n", "Settings"),
    ],
)
def test_a_title_is_a_heading_or_the_first_words(text: str, title: str) -> None:
    assert read_text(text.encode(), "").title == title


@given(st.text(max_size=400) | st.text(alphabet="ab =:;{}()[]<>#/\\\"'.-\n0123", max_size=400))
def test_any_text_keeps_its_words_and_has_a_short_title(text: str) -> None:
    page = read_text(f"words {text}".encode("utf-8", "replace"), "")
    assert len(page.title) <= TITLE_FROM_WORDS or page.text.startswith("# ")
    assert page == read_text(f"words {text}".encode("utf-8", "replace"), "")


@pytest.mark.parametrize(
    "piece", ["public static ", "a.b", "for x ", "(", "[0", "a=", "{;\\", "import a", "1.", "a("]
)
def test_lines_made_to_take_long_do_not(piece: str) -> None:
    with check_cpu_time(1):
        is_line_oriented("\n".join([(piece * 400)[:400]] * SAMPLE_LINES))
