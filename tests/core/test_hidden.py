"""What a page shows to nobody never reaches its text, however it was hidden; what it shows stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring

from research_core.web.hidden import declarations, drop_hidden, unseen
from research_core.web.html import without_hidden

HIDDEN = """
<p hidden>X</p>
<p hidden="until-found">X</p>
<p style="display:none">X</p>
<p style="DISPLAY : None !important">X</p>
<p style="display:/* shown */none">X</p>
<p style="d\\69splay:none">X</p>
<p style="display:block; display:none">X</p>
<p style="visibility:hidden">X</p>
<p style="visibility: collapse">X</p>
<p style="content-visibility:hidden">X</p>
<p style="opacity:0">X</p>
<p style="opacity:.01">X</p>
<p style="opacity:0%">X</p>
<p style="filter:opacity(0)">X</p>
<p style="font-size:0">X</p>
<p style="font-size:1px">X</p>
<p style="font-size:0.1em">X</p>
<p style="font:0/0 a">X</p>
<p style="font:italic 1px serif">X</p>
<p style="font-size:0">X<b>X</b>X</p>
<p style="position:absolute;left:-9999px">X</p>
<p style="position:fixed;top:-200em">X</p>
<p style="text-indent:-9999px">X</p>
<p style="margin-left:-5000px">X</p>
<p style="margin:0 0 0 -9999px">X</p>
<p style="transform:translateX(-9999px)">X</p>
<p style="transform:scale(0)">X</p>
<p style="transform:scale(0, 0)">X</p>
<p style="clip:rect(0,0,0,0)">X</p>
<p style="clip:rect(1px, 1px, 1px, 1px)">X</p>
<p style="clip-path:inset(100%)">X</p>
<p style="clip-path:circle(0)">X</p>
<p style="height:0;overflow:hidden">X</p>
<p style="max-height:0px;overflow-y:clip">X</p>
<p style="width:1px;height:1px;overflow:hidden">X</p>
<p style="color:transparent">X</p>
<p style="color:rgba(0,0,0,0)">X</p>
<p style="color:#00000000">X</p>
<p style="-webkit-text-fill-color:transparent">X</p>
<p style="color:#fff;background:#fff">X</p>
<p style="color:white;background-color:rgb(255, 255, 255)">X</p>
<p style="color:#fefefe">X</p>
<p style="color:#111;background:#101010">X</p>
<div style="background:black"><p style="color:#000">X</p></div>
<table><tr bgcolor="#ff0000"><td style="color:red">X</td></tr></table>
<font color="white">X</font>
<script>X</script>
<noscript><p>X</p></noscript>
<template><p>X</p></template>
<dialog><p>X</p></dialog>
<svg><title>X</title><text>X</text></svg>
<select><option>X</option></select>
<textarea>X</textarea>
<object><p>X</p></object>
<!-- X -->
<style>.a{display:none}</style><p class="b a">X</p>
<style>P.a , .z{display:none}</style><p class="a">X</p>
<style>#a{visibility:hidden}</style><p id="a">X</p>
<style>.a.b{opacity:0}</style><p class="a b">X</p>
<style>@media screen{.a{display:none}}</style><p class="a">X</p>
<style>@media all{@media screen{.a{display:none}}}</style><p class="a">X</p>
<style>@import url(x.css);.a{display:none}</style><p class="a">X</p>
<style>.a{color:#eee;background:#eee}</style><p class="a">X</p>
<style>.a{position:absolute;left:-9999px}</style><p class="a">X</p>
<style>.a{font-size:0}</style><p class="a">X</p>
<style>.a{display:block}</style><style>.a{display:none}</style><p class="a">X</p>
""".strip().splitlines()

SHOWN = """
<p>X</p>
<p aria-hidden="true">X</p>
<p style="display:block">X</p>
<p style="display:none;display:block">X</p>
<p style="opacity:0.8">X</p>
<p style="font-size:9px">X</p>
<p style="font:12px/1.5 serif">X</p>
<ul style="font-size:0"><li style="font-size:16px">X</li></ul>
<p style="left:-20px">X</p>
<p style="margin-left:-1em">X</p>
<p style="transform:translate(-50%, -50%)">X</p>
<p style="height:0">X</p>
<p style="overflow:hidden;height:200px">X</p>
<p style="color:#333">X</p>
<p style="color:white;background:navy #003">X</p>
<div style="background:#003"><p style="color:white">X</p></div>
<p style="color:black">X</p>
<details><summary>more</summary>X</details>
<dialog open>X</dialog>
<div hidden>no</div>X
<p>a<span style="display:none">no</span>X</p>
<style>.a{display:none}</style><p class="ab">X</p>
<style>.a .b{display:none}</style><p class="b">X</p>
<style>@media print{.a{display:none}}</style><p class="a">X</p>
<style media="print">.a{display:none}</style><p class="a">X</p>
<style>.a{display:none} .a{display:block}</style><p class="a">X</p>
<style>.a{display:none}</style><p class="a" style="display:block">X</p>
<style>/* .a{display:none} */ .c{display:none}</style><p class="a">X</p>
<style>p::before{display:none} .a:hover{display:none}</style><p class="a">X</p>
""".strip().splitlines()


@pytest.mark.parametrize("page", HIDDEN)
def test_hidden_text_goes(page: str) -> None:
    assert without_hidden(f"<p>before</p>{page}<p>after</p>").split() == ["beforeafter"]


@pytest.mark.parametrize("page", SHOWN)
def test_shown_text_stays(page: str) -> None:
    assert "X" in without_hidden(page)


def test_a_page_hidden_as_a_whole_is_one_that_a_script_reveals() -> None:
    tree = document_fromstring('<style>#b{opacity:0}</style><body id="b" style="visibility:hidden"><p>X</p></body>')
    drop_hidden(tree)
    assert tree.text_content() == "X"


@given(st.text(alphabet="abdeinorsty-:;(){}#.,/*\\@ 0123456789%px", max_size=200))
def test_no_style_is_too_strange(css: str) -> None:
    assert unseen(declarations(css)) in (True, False)
    assert "after" in without_hidden(f"<style>{css}</style><p style='{css}'>x</p><p>after</p>")
