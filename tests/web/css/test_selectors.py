"""Selectors and the weight of rules, as they decide what a page hides."""

from __future__ import annotations

import pytest

from research_core.web.html import parse

PAGE = '<div><p>Shown words here.</p><p class="a b" title="a  b">Secret words.</p></div><p>More that is shown.</p>'


def shown(css: str) -> bool:
    """Whether the words in question are."""
    text = parse(f"<style>{css}</style>{PAGE}".encode())["text"]
    assert "Shown words" in text
    return "Secret" in text


@pytest.mark.parametrize(
    "selector",
    [
        "p > p, div p.a", "div   >   p.a", "div\n>\n\tp.a", "p ~ p.a", "p+p.a", "[title='a  b']", '[title = "a  b" ]', "p:nth-child( 2 )",
        "p.a:not([x='b c'])", r".\61", r"p.\61 ", "div:first-child p.a", ".a.b", "p.a.a.a",
    ],
)  # fmt: skip
def test_white_space_parts_a_selector_only_outside_brackets(selector: str) -> None:
    assert not shown(f"{selector}{{display:none}}")


@pytest.mark.parametrize(
    "selector",
    ["> p.a", "p.a >", "div > > p.a", "p..a", "p.a::before", "p.a:hover", "p.a p", "[title='a b']"],
)
def test_what_is_no_selector_or_asks_for_something_else_hides_nothing(selector: str) -> None:
    assert shown(f"{selector}{{display:none}}")


@pytest.mark.parametrize(
    ("css", "seen"),
    [
        (".a.a{display:none}.a{display:block}", False),
        ("[class][class]{display:none}.a{display:block}", False),
        (".a{display:none}.a{display:block}", True),
        (".a{display:none}.b.b{display:block}", True),
        ("p:not(.x):not(.x){display:none}.a{display:block}", False),
    ],
)
def test_a_selector_weighs_what_it_names_as_often_as_it_names_it(css: str, seen: bool) -> None:
    page = css.replace("p:not", "p.a:not")
    assert shown(page) == seen


@pytest.mark.parametrize(
    "body",
    [
        r"display:n\6f ne",
        r"displa\79:none",
        r"d\69splay:n\6fne",
        "margin-left:-9999px",
        "left : -9999px",
    ],
)
def test_a_declaration_hides_however_it_is_spelled(body: str) -> None:
    assert not shown(f".a{{position:absolute;{body}}}")
