"""Failures of reading a page in other languages: each message is a text that can be translated."""

from __future__ import annotations

import ast
import importlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from pkgutil import iter_modules
from types import SimpleNamespace
from typing import Any

import pytest
import requests

import research_core
from research_core import errors
from research_core.errors import FetchError, ModelError, SearchError, SettingsError, UsageError
from research_core.i18n import LANGUAGES, gettext, use_language
from research_core.journal import budget, database
from research_core.llm import gemini_wire, openai_failures, reply_shapes
from research_core.models import HttpReply
from research_core.modes import ResearchMode
from research_core.pipeline import plan_review
from research_core.pipeline.plan import skip_gaps
from research_core.search import providers
from research_core.search.lenses import read_lens
from research_core.search.library import importing
from research_core.search.library.document_names import find_document_url
from research_core.search.library.library import LIST_STEP
from research_core.search.library.removed import find_removed_library
from research_core.search.providers import (
    brave_local,
    counts,
    ddgs,
    exa,
    openalex,
    semanticscholar,
    series,
)
from research_core.search.providers.reply import refusal_error, unreached_error
from research_core.sessions import session_control
from research_core.sessions.session_status import name_status, suggest_finish
from research_core.settings import SETTING_ROWS, parse_value
from research_core.text.embeddings import INSTALL_HINT
from research_core.text.question import check_instructions, clean_instruction, clean_question
from research_core.tools.client_session.answers import missing_step_error
from research_core.tools.client_session.view import ClientResearch
from research_core.tools.failures import (
    KINDS,
    PAGE_STEPS,
    PROVIDER_STEPS,
    SOLE_PROVIDER_STEPS,
    reword_failure,
)
from research_core.trust.reputation import _read_table
from research_core.web import signatures
from research_core.web.documents import office, pdf, sandbox
from research_core.web.failure_texts import (
    FAILURES,
    find_failure_text,
    find_value_text,
    translate_failure,
)
from research_core.web.fetch import browser, responses, stubs, tiers
from research_core.web.http import client, guard
from research_core.web.http.guard import Origin
from research_core.web.http.pacing import HostPacing
from research_core.web.sites import service
from tests.site_replies import Services

ROOT = Path(research_core.__file__).parent
#: Where pages are read: what these packages raise reaches screens and reports.
PACKAGES = ("web", "journal")
#: Functions that raise a FetchError of the words given to them, and where these stand in them.
MAKERS = {
    "FetchError": "{}",
    "make_refusal_error": "Address refused: {}.",
    "make_not_found_error": "{}",
}
#: What these packages raise reaches screens: messages and next steps of errors of all kinds.
SCREEN_PACKAGES = (
    "sessions", "userdata", "search", "tools", "export", "llm", "journal", "modes.py",
    "policy.py", "settings.py", "wiring.py", "citations", "pipeline", "text", "trust",
    "interfaces/cli",
)  # fmt: skip
ERROR_TYPES = [
    name
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, errors.ResearchError)
]
SCREEN_MAKERS = {
    **dict.fromkeys(ERROR_TYPES, "{}"),
    "_bomb_error": "The archive is refused: {}, far more than text does.",
}
#: Modules whose errors no screen shows, or that are translated where they are raised.
NOT_ON_SCREENS = frozenset(
    {
        "sessions/key_rotation.py",
        "sessions/settings_change.py",
        "sessions/user_summary.py",
        "sessions/workers.py",
        "tools/default_tools.py",
        "tools/groups.py",
        "journal/access_token.py",
        "journal/audit/file.py",
        "journal/audit/verify.py",
        "journal/deps.py",
        "journal/salvage.py",
    }
)
#: Errors of these packages that no screen shows, and those that tests below try.
SCREEN_PUT_TOGETHER = {
    ("sessions/tool_calls.py", "f'The scopes of this token do not include {name}.'"),
    ("sessions/tool_calls.py", "f'A fault of Assay: {type(error).__name__}.'"),
    ("sessions/tool_calls.py", "'Its caller gave it up.'"),
    ("sessions/tool_calls.py", "error.next_step"),
    ("sessions/tool_calls.py", "step"),
    ("citations/checks/cited_source.py", "gettext(what)"),
    ("citations/checks/page_capture.py", "error.message"),
    ("citations/report_text.py", "error.next_step or 'Save it as Markdown, HTML, DOCX or PDF.'"),
    ("citations/report_text.py", "next_step"),
    ("pipeline/early_stop.py", "why"),
    ("pipeline/gather_agentic.py", "f'The recorded run never answered whether"
     " {call.name} may be called.'"),
    ("pipeline/plan_review.py", "f'A {what} has {len(line)} characters;"
     " the limit is {longest}: “{line[:60]}…”.'"),
    ("pipeline/plan_review.py", "f'The plan has {format_count(len(new), what)};"
     " this mode uses at most {most}.'"),
    ("pipeline/synthesize.py", "error.next_step or RESUME_STEP"),
    ("pipeline/tool_loop.py", "BLOCKED_REFUSAL"),
    ("pipeline/tool_loop.py", "STRUCK_REFUSAL"),
    ("text/embeddings/__init__.py", "self.why"),
    ("text/question.py", "f'The instruction {size}.'"),
    ("text/question.py", "f'“{truncate(instruction, 80)}” asks"
     " to leave something out. {NO_FILTER}'"),
    ("text/question.py", "f\"The question is too short: it has {len(question)} character{'s' * "
     "(len(question) > 1)}, and at least {low} are needed.\""),
    ("citations/formats/reading.py", "f\"Choose one of: auto, {', '.join(READERS)}.\""),
    ("sessions/plan_approval.py", "steps.get(info.status, '`assay sessions` lists the waiting sessions.')"),
    ("sessions/replay.py", "suggest_finish(row)"),
    ("sessions/replay.py", "why"),
    ("sessions/replay.py", "error.next_step"),
    ("sessions/session_control.py", "f'The {what} has {len(label)} characters;"
     " at most {most} are allowed.'"),
    ("search/library/library.py", "step"),
    ("search/providers/counts.py", "next_step"),
    ("search/providers/counts.py", "sentence"),
    ("search/providers/ddgs.py", "f'{name} {what}.'"),
    ("search/providers/duckduckgo.py", "sentence"),
    ("search/providers/exa.py", "SCHEMA_STEP"),
    ("search/providers/google.py", "f'{NAME} reads {WORDS} words of a query, too few"
     " for this one and its {counted}.'"),
    ("search/providers/pubmed.py", "NEXT.get(kind, '')"),
    ("search/providers/reply.py", "f'{name} answered {reply.status}{quoted}.'"),
    ("search/providers/reply.py", "next_steps.get(kind, '')"),
    ("search/providers/reply.py", "next_step"),
    ("search/providers/reply.py", "step"),
    ("search/providers/semanticscholar.py", "f\"{NAME} may not pass on the"
     " {path} of this work, at its publisher's wish.\""),
    ("search/providers/series.py", "f'{name} has no {what} of this form: {written[:100]!r}.'"),
    ("search/routing.py", "collect_next_steps(failed, rows)"),
    ("search/routing.py", "message"),
    ("tools/academic_search.py", "f'{first.message} The web search of academic sites {web}'"),
    ("tools/academic_search.py", "first.next_step or next_step"),
    ("tools/call_context.py", "step"),
    ("tools/client_session/answers.py", "f'There is no step {number} {what}.'"),
    ("tools/failures.py", "f'{error.message}{suggest_name(str(name), names)}.'"),
    ("tools/failures.py", "f\"There are: {', '.join((row.name for row in rows if not row.extra))}.\""),
    ("tools/failures.py", "message"),
    ("tools/failures.py", "step"),
    ("tools/failures.py", "error.message"),
    ("tools/failures.py", "error.next_step"),
    ("tools/patent_search.py", "' '.join(sentences)"),
    ("tools/patent_search.py", "first.next_step or web.next_step"),
    ("tools/provider_search.py", "format_none_usable(len(found.rows), 'address', found.route.provider)"),
    ("tools/scrape_page.py", "f'{str(error).capitalize()}.'"),
    ("search/library/archives.py", "f'The archive is refused: {why}, far more than text does.'"),
    ("export/__init__.py", "f'A check has no format for files that end in .{ending}.'"),
    ("export/__init__.py", "f\"End the name in .{', .'.join(AUDIT_FORMATS)}, or add --format.\""),
    ("interfaces/cli/commands.py", "f'The operating system reported an error:"
     " {where}{error.strerror or error}.'"),
    ("interfaces/cli/data.py", "f\"This permanently deletes your sessions, memories,"
     " contributions and consents"
     "{(', and ' + libraries if libraries else '.')}\""),
    ("interfaces/cli/output.py", "f'{path} cannot be written: {why}.'"),
    ("interfaces/cli/output.py", "f'Add `--out {name}{chosen.suffix}`, or"
     " redirect the output to a file.'"),
    ("interfaces/cli/reports.py", "session_status.suggest_finish(row)"),
    ("trust/ratings/importing.py", "f'What is at the address of {published} is not the edition"
     " that was checked"
     " (SHA-256 {digest[:12]}…, expected {preset.sha256[:12]}…). Nothing was imported.'"),
    ("trust/ratings/lists.py", "f'Name the column with {option}.'"),
    ("trust/ratings/lists.py", "f\"{missing}; it has {', '.join(made.columns[:20])}.\""),
    ("llm/__init__.py", "f\"Choose one of: {', '.join(_FORMS_OF_NAMES)}.\""),
    ("llm/__init__.py", "f'Unknown model {name or settings.model!r}.'"),
    ("llm/gemini.py", "f'{check} See ASSAY_GEMINI_URL.' if check else ''"),
    ("llm/gemini.py", "wire.NEXT_STEPS['config']"),
    ("llm/gemini_wire.py", "quote_failure(model, status, message)"),
    ("llm/gemini_wire.py", "NEXT_STEPS['blocked']"),
    ("llm/gemini_wire.py", "describe_thoughts(model)"),
    ("llm/gemini_wire.py", "describe_used_up(model)"),
    ("llm/gemini_wire.py", "f'{model} answered nothing{why}.'"),
    ("llm/gemini_wire.py", "next_step"),
    ("llm/model_chain.py", "error.message"),
    ("llm/model_chain.py", "error.next_step"),
    ("llm/openai.py", "failures.NEXT_STEPS['config']"),
    ("llm/openai.py", "f'{check} See ASSAY_OPENAI_BASE_URL.' if check else step"),
    ("llm/openai_failures.py", "quote_failure(model, status, error.message)"),
    ("llm/openai_failures.py", "next_step"),
    ("llm/openai_wire.py", "_describe_emptiness(model, raw, parts)"),
    ("llm/openai_wire.py", "f'{model} {why} in the middle of its answer.'"),
    ("llm/openai_wire.py", "f'{model} refused to answer{why}.'"),
    ("llm/openai_wire.py", "NEXT_STEPS['blocked']"),
    ("journal/budget.py", "'cost'"),
    ("journal/budget.py", "cap"),
    ("journal/database.py", "fault[0]"),
    ("journal/database.py", "fault[1]"),
    ("journal/doorway.py", "message"),
    ("journal/doorway.py", "error.next_step"),
    ("journal/encryption.py", "f'What this database holds was sealed with {what}.'"),
    ("journal/limits.py", "f\"No more than {format_count(self.per_day, 'call')} of tools may be made a day (UTC).\""),
    ("journal/log.py", "f'The recorded run never made this call: {kind} {described}.'"),
    ("modes.py", "f'{self.name} mode: {message}.'"),
    ("settings.py", "f'{setting}: {file} is not a {what}: {why}.'"),
    ("settings.py", "f'Correct it, or {otherwise}.'"),
    ("wiring.py", "f'The page cache could not be used. {error.message}'"),
    ("wiring.py", "f'A replay asked {self.name} for {request.kind}.'"),
    ("wiring.py", "error.next_step"),
}  # fmt: skip
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
PAGES = "https://pages.example.org/"
SITE = Origin("https", "pages.example.org", 443)
#: A value, a host and its port, or an address, which are one value; or the name of a tool.
VALUE = re.compile(r"7(?:://7)?(?::7)*|[a-z_]+")


def list_messages(
    packages: Sequence[str], makers: Mapping[str, str], *, with_steps: bool = False
) -> Iterator[tuple[str, str, str | None]]:
    """Yield (file, expression, message with 7 in place of each value) of each error that is made.

    The message is None where only a run can say it. makers: what makes the errors, and where its
    words stand in their messages. with_steps: yield their next steps too.
    """
    for package in packages:
        place = ROOT / package
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for scope in ast.walk(tree):
                if not isinstance(scope, (ast.FunctionDef, ast.Module)):
                    continue
                for node in ast.walk(scope):
                    frame = makers.get(name_called(node)) if isinstance(node, ast.Call) else None
                    if frame is None or not node.args:
                        continue
                    for words in resolve(node.args[0], scope, file):
                        message = None if words is None else frame.format(words)
                        yield file, ast.unparse(node.args[0]), message
                    for keyword in node.keywords if with_steps else ():
                        if keyword.arg == "next_step":
                            for words in resolve(keyword.value, scope, file):
                                yield file, ast.unparse(keyword.value), words


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


def is_text(message: str | None) -> bool:
    """Whether a message is a text itself, not one whose value takes in words of the message."""
    known = find_failure_text(message) if message is not None else None
    return known is not None and all(map(VALUE.fullmatch, known[1].values()))


def test_every_message_is_one_that_can_be_translated() -> None:
    found = list(list_messages(PACKAGES, MAKERS))
    assert len(found) > 150
    unknown = {each for each in found if each[:2] not in PUT_TOGETHER and not is_text(each[2])}
    assert unknown == set()


def test_every_error_that_a_screen_shows_can_be_translated() -> None:
    found = list(list_messages(SCREEN_PACKAGES, SCREEN_MAKERS, with_steps=True))
    assert len(found) > 150
    unknown = {
        each
        for each in found
        if each[0] not in NOT_ON_SCREENS
        and each[:2] not in SCREEN_PUT_TOGETHER
        and not each[1].startswith(("_(", "N_("))
        and not is_text(each[2])
    }
    assert unknown == set()


@pytest.mark.parametrize("status", [*responses.STATUS_MESSAGES, 100, 302, 418, 500, 503])
def test_the_message_of_a_status_is_one(status: int) -> None:
    with pytest.raises(FetchError) as raised:
        responses.raise_for_status(HttpReply("https://a.example.org/x", status, {}, b""))
    assert check_text(raised.value.message, status=str(status)).endswith("(HTTP {status})")


def test_messages_that_are_put_together_are_texts() -> None:
    for error in (requests.Timeout(), requests.exceptions.SSLError(), requests.RequestException()):
        made = client._make_fetch_error(error, "a.example.org")
        check_text(made.message, host="a.example.org")
    for stub in stubs.STUBS:
        made = stubs._build_error(stub.kind, stub.sentence, 200)
        values = {"status": "200"} if "200" in made.message else {}
        check_text(made.message, **values)
    check_text(guard.make_metadata_error("metadata.example").message, host="metadata.example")
    for why in ("is damaged", "is encrypted and needs a password"):
        check_text(f"The PDF {why}.")
    for what in ("page", "file"):
        check_text(f"The {what} is empty.")
    first, outcomes = "There is no such page. (HTTP 404)", "direct: HTTP 404, archive: no copy"
    check_text(f"{first} Tried: {outcomes}.", message=first, outcomes=outcomes)


@pytest.mark.parametrize("status", [429, 503])
def test_what_pacing_says_of_a_robots_txt_is_a_text(status: int) -> None:
    pacing = HostPacing(clock=lambda: 100.0, wall=lambda: 1_790_000_000.0)
    answer = HttpReply(f"{PAGES}robots.txt", status, {}, b"")
    with pytest.raises(FetchError) as raised:
        pacing.wait_for_page(PAGES, SITE, lambda _: answer, lambda _: None)
    text = check_text(raised.value.message, status=str(status), seconds="60")
    assert "robots.txt" in text


def test_what_pacing_says_of_a_turn_is_a_text() -> None:
    pacing = HostPacing(delay_s=20.0, clock=lambda: 100.0, wall=lambda: 1_790_000_000.0)
    answer = HttpReply(f"{PAGES}robots.txt", 404, {}, b"")

    def refuse() -> str:
        with pytest.raises(FetchError) as raised:
            pacing.wait_for_page(PAGES, SITE, lambda _: answer, lambda _: None)
        return raised.value.message

    for _ in range(2):
        pacing.wait_for_page(PAGES, SITE, lambda _: answer, lambda _: None)
    assert check_text(refuse(), name=SITE.host, seconds="40").startswith("Too many pages of {name}")
    pacing.record_reply(SITE, 429, {"retry-after": "900"})
    assert check_text(refuse(), name=SITE.host, seconds="900").startswith("{name} asks for")


@pytest.mark.parametrize(
    ("answer", "text", "values"),
    [
        (503, "{service} answered {status}.", {"status": "503"}),
        (b" ", "{service} sent an empty answer.", {}),
        (b"no", "{service} gave an answer that cannot be read: {why}.", {"why": "it is not JSON"}),
        (b"[]", "{service} gave an answer that cannot be read: {why}.",
         {"why": "it is no JSON object with fields"}),
    ],
)  # fmt: skip
def test_what_is_said_of_a_service_is_a_text(
    answer: int | bytes, text: str, values: dict[str, str]
) -> None:
    def ask() -> None:
        reply = service.ask_service(Services({PAGES: answer}), "Semantic Scholar", PAGES)
        service.parse_object_reply(reply, "Semantic Scholar")

    with pytest.raises(FetchError) as raised:
        ask()
    assert check_text(raised.value.message, service="Semantic Scholar", **values) == text
    check_text(service.make_not_found_error("PubMed has no such article.").message)


def test_what_a_child_process_says_is_a_text() -> None:
    answer = json.loads(json.dumps(sandbox._encode_answer(pdf.parse, b"%PDF-1.7 no more", {})))
    with pytest.raises(FetchError) as raised:
        sandbox.Sandbox()._check_answer(answer, late=False)
    assert check_text(raised.value.message) == "The PDF is damaged."


@pytest.mark.parametrize(
    ("refuse", "values"),
    [
        (lambda: clean_question("?"), {"least": "3"}),
        (lambda: clean_question("né"), {"count": "2", "least": "3"}),
        (lambda: clean_question("问" * 2_399), {"count": "2,399", "most": "2,000"}),
        (lambda: clean_instruction(" "), {}),
        (lambda: clean_instruction("b"), {}),
        (lambda: clean_instruction("ö" * 501), {"count": "501"}),
        (lambda: check_instructions(["Leave out opinion pieces. Please."], by_model=False),
         {"instruction": "Leave out opinion pieces. Please."}),
    ],
)  # fmt: skip
def test_what_is_said_of_an_input_is_a_text(
    refuse: Callable[[], object], values: dict[str, str]
) -> None:
    with pytest.raises(UsageError) as raised:
        refuse()
    check_text(raised.value.message, **values)


def test_the_next_step_of_an_instruction_is_a_text() -> None:
    with pytest.raises(UsageError) as raised:
        clean_instruction("b")
    check_text(raised.value.next_step, least="3", most="500")
    with pytest.raises(UsageError) as raised:
        check_instructions(["skip blogs"], by_model=False)
    check_text(raised.value.next_step)


def test_what_is_said_of_a_search_engine_is_a_text() -> None:
    for _, _, what in ddgs.FAILURES:
        assert find_failure_text(f"mojeek {what}.") is not None
    check_text(ddgs.NEXT_STEP)
    engines = ddgs.EnginePool(now=lambda: 100.0)
    engines._rest("yahoo")
    with pytest.raises(SearchError) as raised:
        engines._check_rest("yahoo")
    check_text(raised.value.message, name="yahoo", seconds="60")
    with pytest.raises(SearchError) as raised:
        ddgs._check_empty_page("brave", "<p>Please solve this CAPTCHA</p>")
    check_text(raised.value.message, name="brave")


def list_provider_steps() -> Iterator[str]:
    """Yield the next steps that the modules of providers define."""
    for module in iter_modules(providers.__path__, f"{providers.__name__}."):
        defined = vars(importlib.import_module(module.name))
        for name in ("NEXT_STEP", "STEP", "WITHOUT_SOURCE", "NARROWER", "EXACTER", "SCHEMA_STEP"):
            yield defined.get(name, "")
        for name in ("NEXT_STEPS", "NEXT"):
            yield from defined.get(name, {}).values()
    yield brave_local.MOVE_CLOSER_STEP
    for build in (semanticscholar._build_next_steps, openalex._build_next_steps):
        for key in ("", "a-key"):
            settings: Any = SimpleNamespace(semantic_scholar_api_key=key, openalex_api_key=key)
            yield from build(settings).values()


def test_every_next_step_of_a_provider_is_a_text() -> None:
    steps = {step for step in list_provider_steps() if step}
    assert len(steps) > 40
    unknown = {step for step in steps if not is_text(step) and not _translates_as_sentences(step)}
    assert unknown == set()
    check_text(exa.SCHEMA_STEP, most="10")


def test_what_a_kind_of_provider_finds_is_a_text() -> None:
    for kind in providers.KINDS.values():
        assert find_value_text(kind.finds) == (kind.finds, {})


@pytest.mark.parametrize("what", ["results", "papers", "works", "places", "documents"])
@pytest.mark.parametrize(("total", "read"), [(31_200, 50), (None, 7)])
def test_how_far_a_provider_looked_is_a_text(what: str, total: int | None, read: int) -> None:
    with pytest.raises(SearchError) as raised:
        counts.limit_to_scanned("arXiv", (), 5, read, total, most=read, what=what)
    known = {"name": "arXiv", "count": str(read)}
    check_text(raised.value.message, **known, **({"total": "31,200"} if total else {}))
    check_text(raised.value.next_step)


@pytest.mark.parametrize("what", ["series", "dataset", "dataflow", "indicator", "country"])
def test_the_id_that_a_provider_cannot_have_is_named(what: str) -> None:
    with pytest.raises(SearchError) as raised:
        series.check_name("Eurostat", what, "../größe")
    check_text(raised.value.message, name="Eurostat", id=repr("../größe"))


@pytest.mark.parametrize("body", [b"", b'{"error": "Too many calls."}', "見つかりません".encode()])
def test_the_answer_of_a_service_is_a_text_with_its_words(body: bytes) -> None:
    error = refusal_error("OpenAlex", HttpReply("https://a.example.org/", 429, {}, body))
    known = find_failure_text(error.message)
    assert known is not None
    assert known[0] == "{service} answered {status}."
    assert known[1]["status"].startswith("429")


@pytest.mark.parametrize("language", ["de", "fr", "ja"])
def test_each_failure_of_several_providers_is_translated(language: str) -> None:
    said = ("No connection to a.example.org.", "This call reached its time limit.")
    first, second = f"arXiv: {said[0]}", f"SEC EDGAR: {said[1]}"
    with use_language(language):
        shown = translate_failure(f"Every provider failed. {first} {second}")
        assert all(translate_failure(each) in shown for each in (first, second))
        assert not any(each in shown for each in said)


def test_a_name_of_a_setting_is_no_other_word() -> None:
    assert check_text(
        "Check FRED_API_KEY; a key is free at fred.stlouisfed.org.", key="FRED_API_KEY"
    )
    assert find_failure_text("Check whatever you like.") is None


def test_the_failure_of_a_call_to_an_engine_is_translated_with_its_name() -> None:
    failed = FetchError("There is no such page. (HTTP 404)", kind="not_found")
    message = unreached_error("OpenAlex", failed).message
    check_text(message, name="OpenAlex", message=failed.message)
    with use_language("de"):
        assert translate_failure(failed.message) in translate_failure(message)
        assert translate_failure(failed.message) != failed.message


LIBRARY_NAMES = ["Fische & Aale", "図書館", "مكتبة الأسماك", "Thés. Verts", "O'Neill"]


@pytest.mark.parametrize("name", LIBRARY_NAMES)
def test_what_is_said_of_a_library_is_a_text_whatever_it_is_called(name: str) -> None:
    rows = [{"title": name, "id": f"{n}234567890", "removed": 0.0, "documents": n} for n in (1, 2)]
    with pytest.raises(UsageError) as raised:
        find_removed_library([], name)
    check_text(raised.value.message, library=repr(name))
    with pytest.raises(UsageError) as raised:
        find_removed_library(rows, name)
    assert find_text(raised.value.message).startswith("{count} removed libraries match")
    check_text(raised.value.next_step, id="12345678")
    with pytest.raises(UsageError) as raised:
        find_document_url([], "Aal.pdf", name)
    check_text(raised.value.message, library=repr(name), document="'Aal.pdf'")
    check_text(raised.value.next_step, library=repr(name))
    documents = [{"url": f"https://a.example.org/{n}", "title": name, "file": ""} for n in (1, 2)]
    with pytest.raises(UsageError) as raised:
        find_document_url(documents, name, "Aale")
    assert find_text(raised.value.message).startswith("{count} documents of the library")


@pytest.mark.parametrize(
    ("address", "values"),
    [
        ("ftp://a.example.org/x", {"start": "'ftp://a.example.org/x'"}),
        ("魚の本", {"start": "'魚の本'"}),
        ("http://", {}),
        ("https://a.example.org:0/", {}),
        ("https://a..example.org/", {"name": "'a..example.org'"}),
    ],
)
def test_why_an_address_is_none_is_a_text_of_its_own(address: str, values: dict[str, str]) -> None:
    with pytest.raises(UsageError) as raised:
        session_control.check_address(address)
    known = find_failure_text(raised.value.message)
    assert known is not None
    assert known[0] == "{address} is not the address of a source: {why}."
    why = find_value_text(known[1]["why"])
    assert why is not None
    assert why[1] == values
    with pytest.raises(FetchError) as failed:
        importing._canonical_address(address)
    check_text(failed.value.message, why=known[1]["why"])


def test_the_label_that_is_too_long_is_named() -> None:
    for what in ("title", "tag"):
        with pytest.raises(UsageError) as raised:
            session_control._clean_label("ö" * 41, 40, what)
        assert what in check_text(raised.value.message, count="41", most="40")


@pytest.mark.parametrize(
    ("until", "outcome"), [(5.0, None), (None, "waiting"), (None, "failed"), (None, None)]
)
def test_how_a_session_gets_a_report_is_a_text(until: float | None, outcome: str | None) -> None:
    row: Any = SimpleNamespace(id="5a1d", until=until, outcome=outcome)
    check_text(suggest_finish(row), session="5a1d")


def test_two_sentences_on_a_library_are_two_texts() -> None:
    for step in (f"{LIST_STEP} Choose one, and ask again.", f"{LIST_STEP} Add it again later."):
        assert all(find_failure_text(f"{part}.") for part in step.removesuffix(".").split(". "))


def test_what_an_import_leaves_out_is_a_text() -> None:
    said = ("no plain file", "answered with status 301", "it cannot be looked at: No such file.")
    for reason in said:
        assert find_value_text(reason) is not None
    check_text('It needs {"file": "a name", …}.')


def test_a_field_that_occurs_twice_has_one_value() -> None:
    step = "`assay approve {}` starts the research; `assay cancel {}` cancels it."
    check_text(step.format("5a1d", "5a1d"), session="5a1d")
    assert find_failure_text(step.format("5a1d", "77aa")) is None


@pytest.mark.parametrize("status", ["done", "failed", "cancelled", "waiting", "closed"])
def test_the_state_of_a_session_is_translated(status: str) -> None:
    state = name_status(status)
    message = f"Session 5a1d is already {state}."
    check_text(message, session="5a1d", state=state)
    with use_language("de"):
        assert gettext(state) != state
        assert gettext(state) in translate_failure(message)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_tool_says_of_a_page_is_a_text(kind: str) -> None:
    missing = FetchError("There is no such page. (HTTP 404)", kind=kind, status=404)
    address = "https://a.example.org/%E9%AD%9A?q=a b".replace(" ", "%20")
    said = reword_failure(missing, address)
    known = find_failure_text(said.message)
    assert known is not None
    assert known[1].get("url", address) == address
    assert known[1]["message"] == missing.message
    with use_language("de"):
        assert translate_failure(missing.message) in translate_failure(said.message)


def test_what_to_do_next_about_a_failed_call_is_a_text() -> None:
    for steps in (PROVIDER_STEPS, SOLE_PROVIDER_STEPS, PAGE_STEPS):
        for step in steps.values():
            assert find_failure_text(step) or _translates_as_sentences(step), step


def _translates_as_sentences(step: str) -> bool:
    return all(map(find_failure_text, re.split(r"(?<=[.?]) ", step)))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "Incorrect API key provided: sk-…."),
        (404, "el modelo «qwen» no existe"),
        (400, "モデルが見つかりません。"),
        (402, "Insufficient credits. Add more at https://provider.example/credits"),
        (403, "User location is not supported for the API use."),
        (429, "Rate limit reached for requests. Please try again in 20s."),
        (503, ""),
    ],
)
@pytest.mark.parametrize(
    "build", [openai_failures.build_model_error, gemini_wire.build_model_error]
)
def test_what_a_server_of_models_answers_is_a_text(
    status: int, said: str, build: Callable[..., ModelError]
) -> None:
    error = build("qwen3:8b", status, {"error": {"message": said}}, {})
    known = find_failure_text(error.message)
    assert known is not None
    assert known[1].get("model", known[1].get("service")) == "qwen3:8b"
    assert known[1]["status"] == str(status)
    assert said in known[1].get("words", "")
    assert not error.next_step or _translates_as_sentences(error.next_step)


def test_why_a_server_of_models_is_not_reached_is_a_text() -> None:
    causes = ("CERTIFICATE_VERIFY_FAILED", "WRONG_VERSION_NUMBER", "gaierror", "reset by peer")
    for cause in (*causes, "Connection refused", "?"):
        why, check = reply_shapes.describe_no_connection(OSError(cause))
        check_text(f"gpt-5 could not be reached ({why}).", model="gpt-5", why=why)
        assert find_value_text(why)
        assert not check or _translates_as_sentences(f"{check} See ASSAY_OPENAI_BASE_URL.")
    for error in (RecursionError(), ValueError("no JSON"), KeyError("choices")):
        assert find_value_text(reply_shapes.describe_unreadable(error))


def test_every_next_step_of_a_model_is_a_text() -> None:
    place = reply_shapes.describe_place_step(["gemini:x", "offline"])
    known = "Models at this address: a, b:8b. Choose one of them (ASSAY_OPENAI_MODELS)."
    steps = (*openai_failures.NEXT_STEPS.values(), *gemini_wire.NEXT_STEPS.values())
    for step in (*steps, gemini_wire.NOT_OFFERED_STEP, place, known):
        assert find_failure_text(step) or _translates_as_sentences(step), step


@pytest.mark.parametrize("cap", ["calls", "tokens", "cost", "seconds"])
@pytest.mark.parametrize("limit", [1, 20_000])
def test_a_cap_that_is_reached_is_a_text(cap: str, limit: int) -> None:
    known = find_failure_text(f"The cap of {budget.format_cap(cap, limit)} was reached.")
    assert known is not None
    assert set(known[1].values()) <= {"1", "20,000", "1.00", "20,000.00"}


def test_a_call_that_costs_more_than_a_cap_leaves_is_a_text() -> None:
    said = "One call would cost about 0.01 US dollars; the cap of 0.012 US dollars leaves 0.009."
    known = find_failure_text(said)
    assert known is not None
    assert known[1] == {"cost": "0.01", "cap": "0.012", "count": "0.009"}


def test_what_a_database_answers_is_a_text() -> None:
    for _, (message, step) in database._STORAGE_FAULTS:
        check_text(message)
        check_text(step)
    check_text("The database refused: no such table: x.", reason="no such table: x")
    check_text(f"What this database holds was sealed with {'a key, and none is set'}.")


def test_what_is_wrong_with_a_threshold_is_a_text() -> None:
    for wrong in ({"relevance_cutoff": 9}, {"min_short": 0}, {"min_short": 9, "min_full": 3}):
        with pytest.raises(UsageError) as raised:
            ResearchMode.from_name("quick", **wrong)
        known = find_failure_text(raised.value.message)
        assert known is not None
        assert known[1]["mode"] == "quick"
        assert find_value_text(known[1]["why"])


def test_a_step_that_a_session_lacks_is_a_text() -> None:
    found = ClientResearch("question", 0.0, (), (), ())
    for what in ("in this session", "to revise", "to branch from"):
        error = missing_step_error(found, 12, what)
        check_text(error.message, number="12")
        check_text(error.next_step)


WRONG_VALUES = (
    "",
    "x y",
    "-3",
    "https://",
    "{",
    "[1]",
    "ftp://größe",
    "0.5.5",
    ",",
    "70000",
    "x" * 70,
    "https://example.org/v1?",
    "https://user@example.org",
)


def test_what_is_wrong_with_a_setting_is_a_text() -> None:
    refused = set()
    for row in SETTING_ROWS:
        for value in WRONG_VALUES:
            with suppress(SettingsError):
                row.read({row.name: value})
                continue
            with pytest.raises(SettingsError) as raised:
                row.read({row.name: value})
            known = find_failure_text(raised.value.message)
            assert known is not None
            refused.add(known[1]["why"])
            check_text(raised.value.next_step, meaning=row.meaning)
    assert len(refused) > 20
    assert {why for why in refused if not find_value_text(why)} <= {
        "Invalid IPv6 URL",
        "Codepoint U+003A at position 4 of 'ftp://größe' not allowed",
    }


def test_the_meaning_of_a_setting_is_translated_with_its_fault() -> None:
    with pytest.raises(SettingsError) as raised:
        parse_value("ASSAY_MODEL", "größe")
    row = next(row for row in SETTING_ROWS if row.name == "ASSAY_MODEL")
    with use_language("de"):
        assert gettext(row.meaning) != row.meaning
        assert gettext(row.meaning) in translate_failure(raised.value.next_step)
        assert "'größe'" in translate_failure(raised.value.message)


@pytest.mark.parametrize(
    ("read", "told", "why"),
    [
        (read_lens, "[]", "it is no object"),
        (read_lens, '{"größe": 1}', "{name} is no field of a lens"),
        (read_lens, '{"name": "Größe"}',
         "its name has to be of lower-case letters, digits, - and _"),
        (read_lens, '{"name": 7}', "its {name} is no text"),
        (read_lens, '{"name": "a", "description": "b", "domains": ["https://x.example"]}',
         "the domain {name} has a scheme; it has to be a host or host/path"),
        (read_lens, '{"name": "a", "description": "b", "domains": ["a b"]}',
         "the domain {name} cannot be used: {why}"),
        (read_lens, "{", "it is not JSON ({reason})"),
        (_read_table, "{}", 'there is no object "domains" in it'),
        (_read_table, '{"domains": {}, "version": 1}',
         'it has to say its "version" and its "basis"'),
        (_read_table, '{"version": 1, "basis": "b", "domains": {"Example.ORG": {}}}',
         "{name} is no host in lower case, without scheme and path"),
        (_read_table, '{"version": 1, "basis": "b", "domains": {"例え.example": {}}}',
         "{name} is no host in lower case, without scheme and path"),
        (_read_table, '{"version": 1, "basis": "b", "domains": {"a.example": {"tier": "top"}}}',
         "the tier of {name} is none of {names}"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_of_the_owner_is_a_text(
    tmp_path: Path, read: Callable[[Path], object], told: str, why: str
) -> None:
    file = tmp_path / "größe.json"
    file.write_text(told, encoding="utf-8")
    with pytest.raises(SettingsError) as raised:
        read(file)
    known = find_failure_text(raised.value.message)
    assert known is not None
    assert known[1]["file"] == str(file)
    found = find_value_text(known[1]["why"])
    assert found is not None
    assert found[0] == why
    assert set(find_failure_text(raised.value.next_step)[1]) == {"setting"}  # type: ignore[index]


def test_a_file_of_the_owner_that_cannot_be_read_is_a_text(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as raised:
        read_lens(tmp_path / "none.json")
    known = find_failure_text(raised.value.message)
    assert known is not None
    assert find_value_text(known[1]["why"]) is not None


@pytest.mark.parametrize("what", ["query", "sub-question"])
def test_a_line_or_a_number_of_lines_that_a_plan_cannot_have_is_a_text(what: str) -> None:
    with pytest.raises(UsageError) as raised:
        plan_review._clean_lines(["魚" * 90], (), 3, 40, what)
    check_text(raised.value.message, count="90", most="40", start="魚" * 60)
    with pytest.raises(UsageError) as raised:
        plan_review._clean_lines(["a b", "c d", "e f"], (), 2, 40, what)
    check_text(raised.value.message, count="3", most="2")


@pytest.mark.parametrize("language", ["de", "es", "zh"])
def test_the_note_of_a_plan_is_translated_with_its_cause(language: str) -> None:
    cause = "The cap of 3 model calls was reached."
    for begin in ("No plan was made", "Rules made the plan", "Gaps were not looked for"):
        known = find_failure_text(f"{begin}: {cause}")
        assert known == (f"{begin}: {{message}}", {"message": cause})
        with use_language(language):
            shown = translate_failure(f"{begin}: {cause}")
            assert translate_failure(cause) in shown
            assert cause not in shown
    assert skip_gaps(cause).note == f"Gaps were not looked for: {cause}"


def test_why_there_is_no_search_by_meaning_is_translated() -> None:
    missing = f"The embedding model is not installed. {INSTALL_HINT}"
    assert _translates_as_sentences(missing)
    check_text("The embedding model cannot be read: No such file.", reason="No such file")


def find_text(message: str) -> str:
    known = find_failure_text(message)
    assert known is not None, message
    return known[0]


def check_text(message: str, /, **values: str) -> str:
    """The text that a message with these values fills in."""
    known = find_failure_text(message)
    assert known is not None, message
    text, found = known
    assert found == values
    assert text.format(**found) == message
    return text


@pytest.mark.parametrize(
    "message",
    [
        "Assay could not start. The database answered late.",
        "What now? The service sent an empty answer.",
        "No page! a.example.org did not answer in time.",
        "It ended.\nThe server asks for a pause of another 7 s.",
        "No connection to a.example.org. Nobody knows why.",
    ],
)
def test_a_name_does_not_hold_the_end_of_a_sentence(message: str) -> None:
    assert find_failure_text(message) is None
    assert translate_failure(message) == message


@pytest.mark.parametrize(
    "said",
    [
        "8 requests were made.",
        "The provider asked to wait 1,300 s, longer than this step may wait.",
        "2 requests were made. The provider asked to wait 90 s, longer than this step may wait.",
    ],
)
@pytest.mark.parametrize("language", ["de", "fr", "ja", "ar"])
def test_how_patient_a_call_was_is_translated_with_its_failure(language: str, said: str) -> None:
    failed = "m answered too late."
    with use_language(language):
        told = translate_failure(f"{failed} {said}")
        assert translate_failure(failed) in told
        assert not re.search("requests|provider|longer", told)


def test_what_a_file_is_and_what_an_attempt_came_to_are_words_that_can_be_translated() -> None:
    kinds = [name for _, name in signatures.SIGNATURES]
    kinds += [*signatures._COMPOUND_STREAMS.values(), "an old Office document"]
    kinds += [*office.OTHER_PARTS.values(), *office.OTHER_MIMETYPES.values(), "an archive (ZIP)"]
    kinds += ["a file of type text/x-thing", "a program or another file without text"]
    outcomes = {*tiers.OUTCOMES.values(), *tiers.UNREAD.values()} - {"robots.txt"}
    for name in (*kinds, *sorted(outcomes)):
        known = find_value_text(name)
        assert known is not None, name
        assert known[0].format(**known[1]) == name


def test_values_are_translated_with_their_message() -> None:
    said = "This is an image (PNG), which Assay does not read."
    tried = "There is no such page. (HTTP 404) Tried: html: HTTP 404, exa: refused."
    with use_language("de"):
        assert gettext("an image ({format})").format(format="PNG") in translate_failure(said)
        assert gettext("refused") != "refused"
        assert translate_failure(tried).endswith(f"html: HTTP 404, exa: {gettext('refused')}.")


def test_a_next_step_of_several_sentences_is_translated_if_all_are_known() -> None:
    steps = f"The optional part `browser` is not installed. {browser.INSTALL_NEXT_STEP}"
    with use_language("de"):
        parts = [
            translate_failure(step)
            for step in (
                f"{steps.partition('. ')[0]}.",
                browser.INSTALL_NEXT_STEP,
                browser.NO_BROWSER_MESSAGE,
            )
        ]
        assert parts[1] != browser.INSTALL_NEXT_STEP
        assert translate_failure(f"{steps} {browser.NO_BROWSER_MESSAGE}") == " ".join(parts)
        unknown = f"{steps} Words of nobody."
        assert translate_failure(unknown) == unknown


@pytest.mark.parametrize("status", ["403", "429 (Slow down.)"])
def test_a_next_step_behind_a_value_is_translated(status: str) -> None:
    message, step = f"brave answered {status}.", "Try again."
    with use_language("de"):
        assert translate_failure(step) != step
        shown = translate_failure(f"{message} {step}")
        assert shown == f"{translate_failure(message)} {translate_failure(step)}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translated_message_keeps_its_values(language: str) -> None:
    with use_language(language):
        for text in FAILURES:
            names = re.findall(r"\{(\w+)\}", text)
            values = {name: f"{number}.example" for number, name in enumerate(names, 41)}
            shown = translate_failure(text.format(**values))
            assert shown
            assert "{" not in shown or "{{" in text
            for value in values.values():
                assert value in shown
        assert translate_failure("Words of nobody.") == "Words of nobody."
        assert translate_failure("") == ""


def test_hostile_values_stay_values() -> None:
    message = "{x} {0} {message} Tried: did not answer in time. did not answer in time."
    with use_language("de"):
        assert "{x}" in translate_failure(message)
    assert len(translate_failure("a" * 5_000)) == 5_000
