"""No screen draws a raw string of the outside: a reading of the screens' own source, as the one
browser test sees only what it is shown.

The rule is simple enough to be kept by hand: where a screen hands a widget, or a piece of HTML, an
attribute or an entry that holds words of the web, of a model or of a user, it does so through one
of the functions that clean.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from parts.shared import html_text

PAGES = sorted((Path(__file__).parents[2] / "pages").rglob("*.py"))
#: What holds such words, as an attribute (source.title) or an entry (data["title"]).
WORDS = {
    "title", "snippet", "question", "text", "reason", "explanation", "message", "next_step", "rationale", "note", "summary", "published",
    "disclaimer", "strategy", "authors", "sub_questions", "instructions", "tags", "purpose", "failure", "refined",
}  # fmt: skip
CLEAN = {
    "plain",
    "inert",
    "escape",
    "markup",
    "paragraphs",
    "link",
    "cell",
    "_cell",
    "html",
    "len",
    "bool",
    "sum",
    "any",
    "host",
    "site",
    "say",
}
#: Arguments of a widget that nobody sees, or that the browser shows as they are (a text box's own
#: value, a code block).
UNSEEN = {
    "key",
    "args",
    "kwargs",
    "on_click",
    "on_change",
    "on_select",
    "value",
    "data",
    "options",
    "query_params",
    "disabled",
    "file_name",
    "format_func",
}
#: Functions of the core that make Markdown for a document; on a screen, what others wrote in it
#: would come alive again.
MADE = {"report.methods", "report.notices", "report.to_markdown"}
PASSES_ON = {"str", "repr", "format", "list", "tuple", "sorted", "next", "max", "min", "dict"}
SHOWN_AS_IT_IS = {
    "code",
    "text",
    "text_area",
    "text_input",
    "json",
    "dataframe",
    "download_button",
    "fragment",
}


def raw(node: ast.AST) -> Iterator[ast.AST]:
    """The words in an expression that no cleaning function stands around."""
    if isinstance(node, ast.Compare | ast.Lambda):
        return
    if isinstance(node, ast.Call):
        yield from _called(node)
        return
    if isinstance(node, ast.IfExp):
        yield from raw(node.body)
        yield from raw(node.orelse)
        return
    if isinstance(node, ast.Attribute) and node.attr in WORDS:
        yield node
    entry = (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and node.slice.value in WORDS
    )
    if entry and not ast.unparse(node).startswith("st.session_state"):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from raw(child)


def _called(node: ast.Call) -> Iterator[ast.AST]:
    """A function of ours is looked at where it is written; a method gives its object's words on, a
    builtin its arguments'.
    """
    method = isinstance(node.func, ast.Attribute)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if ast.unparse(node.func) in MADE:
        yield node
        return
    if name in CLEAN or (not method and name not in PASSES_ON):
        return
    if isinstance(node.func, ast.Attribute):
        yield from raw(node.func.value)
    for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
        yield from raw(argument)


def drawn(tree: ast.AST) -> Iterator[ast.AST]:
    """What is handed to Streamlit to be shown, and what is put into HTML."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func).startswith(("st.", "left.", "right."))
        ):
            if node.func.attr not in SHOWN_AS_IT_IS:
                yield from node.args
                yield from (keyword.value for keyword in node.keywords if keyword.arg not in UNSEEN)
        elif isinstance(node, ast.JoinedStr) and any(
            isinstance(part, ast.Constant) and "<" in str(part.value) for part in node.values
        ):
            yield node


def found(source: str) -> list[str]:
    return sorted(
        {
            f"{node.lineno}: {ast.unparse(node)}"
            for part in drawn(ast.parse(source))
            for node in raw(part)
        }
    )


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_screen_draws_a_raw_string(path: Path) -> None:
    assert found(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("st.caption(source.title)", 1),
        ("st.caption(plain(source.title))", 0),
        ('st.caption(f"{source.title} of {plain(source.snippet)}")', 1),
        ("st.html(f\"<b>{data['reason']}</b>\")", 1),
        ('line = f"<b>{source.title}</b>"', 1),
        ('line = f"<b>{markup(source.title)}</b>"', 0),
        ('st.markdown("\\n".join(f"- {line}" for line in report.methods(built)))', 1),
        ("st.warning(plain(next(report.notices(built))))", 0),
        ("st.caption(str(source.title).upper())", 1),
        ("st.html(stages.text(blocks))", 0),
        ("st.button('x', key=source.title, args=(source.title,))", 0),
        ("st.title('a' if row.title else 'b')", 0),
        ("st.title(row.title if row.title else 'b')", 1),
        ("st.text_area('Question', value=row.question)", 0),
    ],
)
def test_the_rule_sees_what_it_must(source: str, seen: int) -> None:
    assert len(found(source)) == seen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("＝cmd|1", "'＝cmd|1"),
        ("+1", "'+1"),
        ("＠x", "'＠x"),
        ("-1\u202e\n2", "'-1 2"),
        ("Tide", "Tide"),
    ],
)
def test_cell_that_a_spreadsheet_would_run_is_quoted(text: str, said: str) -> None:
    assert html_text.clean_cell(text) == said


def test_there_is_one_cleaner_of_cells() -> None:
    defined = [path.name for path in PAGES for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
               if isinstance(node, ast.FunctionDef) and node.name.lstrip("_") in ("cell", "clean_cell")]  # fmt: skip
    assert defined == ["html_text.py"]


def test_what_is_typed_stands_as_code_and_nothing_else_is_markup() -> None:
    assert html_text.escape_with_code("Type `python3 run.py extras browser` <b>now</b>.") == (
        "Type <code>python3 run.py extras browser</code> &lt;b&gt;now&lt;/b&gt;."
    )
    assert html_text.escape_with_code("`<i>`") == "<code>&lt;i&gt;</code>"
