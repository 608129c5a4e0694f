"""No page takes longer than its length lets on, whatever of it is repeated; what is cut for that is
nothing that is read.
"""

from __future__ import annotations

import pytest

from research_core.errors import FetchError
from research_core.web.html import parse
from research_core.web.html.bounds import MOST_ATTRIBUTES, trim_attributes
from tests.everyday import mark_nth_everyday
from tests.slow_pages import make_slow_pages
from tests.timing import check_cpu_time

PAGES = dict(make_slow_pages(60_000))


def parsed(body: bytes) -> None:
    try:
        parse(body, "https://example.org/")
    except FetchError as error:
        assert error.kind == "content_empty"  # noqa: PT017 – much of it has no words that are seen


@pytest.mark.full
@pytest.mark.parametrize("label", mark_nth_everyday(PAGES, 12))
def test_no_page_takes_longer_than_its_length_lets_on(label: str) -> None:
    """A tenth of what the slowest of them once took; a slow machine takes a fifth of that."""
    with check_cpu_time(2.5):
        parsed(PAGES[label])


@pytest.mark.full
def test_very_many_comments_take_their_number_and_not_its_square() -> None:
    with check_cpu_time(10):  # XPath puts them in order, which took minutes
        parsed(b"<p>Words</p>" + b"<!---->" * 120_000)


def test_of_very_many_attributes_the_first_are_kept() -> None:
    few, many = (
        "".join(f" a{n}='>'" for n in range(100)),
        "".join(f' b{n}="<"' for n in range(9_000)),
    )
    source = f"<p{few}>One</p><p{many}>Two</p><p class=c>Three</p>"
    shorter = trim_attributes(source)
    assert shorter.startswith(f'<p{few}>One</p><p b0="<" b1="<"')
    assert shorter.endswith(">Two</p><p class=c>Three</p>")
    assert shorter.count(" b") == MOST_ATTRIBUTES - 1  # the first is the tag
    assert parse(source.encode())["text"] == "One\n\nTwo\n\nThree"


@pytest.mark.parametrize(
    "value",
    ["data:image/png;base64," + "iVBORw0KGgo" * 9_000, "M 1 2 " * 9_000],
    ids=["a picture", "a shape"],
)
def test_one_long_attribute_is_kept(value: str) -> None:
    source = f'<p>One</p><img src="{value}" alt="x"><p>Two</p>'
    assert trim_attributes(source) == source


def test_a_crowd_of_elements_is_read_whole_without_the_page_s_furniture() -> None:
    """As `tests/web/html/test_html.py` has it for pages that the extractor makes nothing of."""
    cells = "".join(f"<tr><td>{n}<td>{n * 7}" for n in range(4_000))
    text = parse(
        f"<nav><p>Home</p></nav><main><h1>Readings</h1><table><tr><th>n<th>mm{cells}</table></main><footer>x</footer>".encode()
    )["text"]
    assert text.startswith("# Readings\n\n| n | mm |\n|---|---|\n| 0 | 0 |\n| 1 | 7 |\n")
    assert text.endswith("\n| 3999 | 27993 |")


@pytest.mark.parametrize(
    "raw",
    [
        "<script>{}</script>",
        "<SCRIPT type=x>{}</Script>",
        "<style>{}</style>",
        "<title>{}</title>",
        "<!--{}-->",
    ],
)
def test_what_is_no_markup_is_no_tag_however_long(raw: str) -> None:
    code = "for(i=0;a<c.indexOf('\u0130');i++){ b = \"" + "x y ' " * 6_000 + '"; }'
    assert trim_attributes(source := f"{raw.format(code)}<p id='a'>Words</p>") == source
    assert trim_attributes(source := f"{raw.partition('{')[0]}{code}<p id='a'>Words") == source


def test_a_stray_quote_opens_no_tag_that_swallows_the_page() -> None:
    words = "<p>The gauge's reading is 4\" high.</p>" * 1_000
    assert trim_attributes(source := f'<div class="a"">{words}<p title=\'x>{words}</div>') == source
