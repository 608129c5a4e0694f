"""Failures of reading a page in other languages: each message is a text that can be translated."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

import research_core
from research_core.errors import (
    FETCH_FAILURES,
    FETCH_NEXT_STEPS,
    FetchError,
    find_failure_text,
    translate_failure,
)
from research_core.i18n import LANGUAGES, use_language
from research_core.models import HttpReply
from research_core.web.fetch import responses, stubs
from research_core.web.http import client, guard

ROOT = Path(research_core.__file__).parent
#: Where pages are read: what these packages raise reaches screens and reports.
PACKAGES = ("web", "journal")
#: Functions that raise a FetchError of the words given to them, and where these stand in them.
MAKERS = {
    "FetchError": "{}",
    "make_refusal_error": "Address refused: {}.",
    "make_not_found_error": "{}",
}
#: Messages that are put together of what the tests below try: by file, the expression.
PUT_TOGETHER = {
    ("web/http/client.py", "f'{host} {what}.'"),
    ("web/http/guard.py", "f'Address refused: {reason}.'"),
    ("web/http/pacing.py", "f'{site.closed}, so its pages are not requested for another {left_s:.0f} s.'"),
    ("web/fetch/responses.py", "f'{sentence} (HTTP {reply.status})'"),
    ("web/fetch/stubs.py", "f'{sentence} (HTTP {status}).'"),
    ("web/fetch/tiers.py", "message"),
    ("web/sites/service.py", "what"),
    ("web/documents/pdf.py", "f'The PDF {why}.'"),
    ("web/documents/kinds.py", "f'The {what} is empty.'"),
    ("web/documents/sandbox.py", "str(answer['error'])"),
    ("web/http/guard.py", "reason"),
}  # fmt: skip


def list_messages() -> Iterator[tuple[str, str, str | None]]:
    """Yield (file, expression, message with 7 in place of each value) of each error that is made.

    The message is None where only a run can say it.
    """
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for scope in ast.walk(tree):
                if not isinstance(scope, (ast.FunctionDef, ast.Module)):
                    continue
                for node in ast.walk(scope):
                    frame = MAKERS.get(name_called(node)) if isinstance(node, ast.Call) else None
                    if frame is None or not node.args:
                        continue
                    for words in resolve(node.args[0], scope, file):
                        message = None if words is None else frame.format(words)
                        yield file, ast.unparse(node.args[0]), message


def name_called(node: Any) -> str:
    function = node.func
    return str(getattr(function, "id", getattr(function, "attr", "")))


def resolve(node: ast.expr, scope: ast.AST, file: str) -> Iterator[str | None]:
    """Yield the strings that an expression may be, values filled in; None for one unknown."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "7" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from resolve(node.body, scope, file)
        yield from resolve(node.orelse, scope, file)
    elif isinstance(node, (ast.Name, ast.Attribute)):
        assigned = [
            each.value
            for each in ast.walk(scope)
            if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == ast.unparse(node)
        ]
        known = find_constant(node, file)
        if known is not None:
            yield known
        elif assigned and not isinstance(scope, ast.Module):
            for value in assigned:
                yield from resolve(value, scope, file)
        elif not isinstance(scope, ast.Module):
            yield None
    else:
        yield None


def find_constant(node: ast.expr, file: str) -> str | None:
    """Return the string that a name of the module, or of one that it imports, stands for."""
    name = "research_core." + file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    value: Any = importlib.import_module(name)
    for part in ast.unparse(node).split("."):
        value = getattr(value, part, None)
    return value if isinstance(value, str) else None


def test_every_message_is_one_that_can_be_translated() -> None:
    unknown: dict[tuple[str, str], str | None] = {}
    count = 0
    for file, expression, message in list_messages():
        count += 1
        if (file, expression) in PUT_TOGETHER:
            continue
        if message is None or find_failure_text(message) is None:
            unknown[file, expression] = message
    assert count > 150
    assert unknown == {}


@pytest.mark.parametrize("status", [*responses.STATUS_MESSAGES, 100, 302, 418, 500, 503])
def test_the_message_of_a_status_is_one(status: int) -> None:
    with pytest.raises(FetchError) as raised:
        responses.raise_for_status(HttpReply("https://a.example.org/x", status, {}, b""))
    text = check_text(raised.value.message)
    assert text.endswith("(HTTP {status})")


def test_messages_that_are_put_together_are_texts() -> None:
    for error in (requests.Timeout(), requests.exceptions.SSLError(), requests.RequestException()):
        check_text(client._make_fetch_error(error, "a.example.org").message)
    for stub in stubs.STUBS:
        check_text(stubs._build_error(stub.kind, stub.sentence, 200).message)
    check_text(guard.make_metadata_error("metadata.example").message)
    for why in ("is broken", "is encrypted and needs a password"):
        check_text(f"The PDF {why}.")
    for what in ("page", "file"):
        check_text(f"The {what} is empty.")
    whole = "There is no such page. (HTTP 404) Tried: direct: HTTP 404, archive: no copy."
    assert check_text(whole) == "{message} Tried: {outcomes}."


def check_text(message: str) -> str:
    """The text that a message fills in; filled in, it is the message."""
    known = find_failure_text(message)
    assert known is not None, message
    text, values = known
    assert text.format(**values) == message
    return text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translated_message_keeps_its_values(language: str) -> None:
    with use_language(language):
        for text in (*FETCH_FAILURES, *FETCH_NEXT_STEPS):
            names = re.findall(r"\{(\w+)\}", text)
            values = {name: f"{number}.example" for number, name in enumerate(names, 41)}
            shown = translate_failure(text.format(**values))
            assert shown
            assert "{" not in shown
            for value in values.values():
                assert value in shown
        assert translate_failure("Words of nobody.") == "Words of nobody."
        assert translate_failure("") == ""


def test_hostile_values_stay_values() -> None:
    message = "{x} {0} {message} Tried: did not answer in time. did not answer in time."
    with use_language("de"):
        assert "{x}" in translate_failure(message)
    assert len(translate_failure("a" * 5_000)) == 5_000
