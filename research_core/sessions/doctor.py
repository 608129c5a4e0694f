"""Say what this machine is configured with and, on request, whether each part of it answers.

A live check makes one small call to each configured model, search engine and provider. The report
can be pasted into a public issue: keys, addresses of own servers, e-mail addresses and the home
folder are replaced by the names of their settings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from research_core.context import memory_log
from research_core.errors import ResearchError, SearchError
from research_core.journal.deps import Clock, Provider
from research_core.policy import OFFLINE_MODEL
from research_core.search import engines, providers
from research_core.sessions import diagnostics
from research_core.sessions.diagnostics import SECRET_FIELDS, DiagnosticItem
from research_core.settings import SETTING_ROWS, Settings, origin_of
from research_core.text.words import format_count, to_single_line, truncate
from research_core.wiring import Resources, default_deps

#: What a provider is asked, by kind. Kinds that cost money each time are not asked.
TRIAL_TEXTS = {
    "web": "history of tea",
    "news": "economy",
    "images": "tea plant",
    "papers": "tea polyphenols",
    "citations": "10.1038/nature14539",
    "patents": "bicycle gear",
    "filings": "Apple",
    "cases": "freedom of speech",
    "series": "unemployment rate",
    "trials": "asthma",
    "places": "library in London",
}
#: Calls that are under way at once.
MAX_AT_ONCE = 4
#: Settings whose values identify a person or a machine.
PRIVATE_FIELDS = frozenset(
    "home contact openalex_email unpaywall_email edgar_contact_email issuer audience jwks_url"
    " public_url chrome_path audit_path lenses_path reputation_path".split()
)
#: Shorter values are words that may stand anywhere.
MIN_PRIVATE_LENGTH = 5
#: States that are no failure.
GOOD_STATES = frozenset({"answered", "empty", "ready", "not configured"})
#: What a part can raise beside the errors of Assay: for a reply of another shape, a file or a
#: connection that fails, a package that is missing or broken.
UNEXPECTED_ERRORS = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True)
class CheckResult:
    """What was found of one part of this machine.

    part: model | web | papers | … (the kinds of provider) | reader | extra | version; state: ready
    (configured, not asked) | not configured | answered | empty | rate_limited | refused | timed_out
    | failed; words: the reply, or why there is none and what to do; seconds: None if it was not
    asked.
    """

    part: str
    name: str
    state: str
    words: str = ""
    seconds: float | None = None


def check_machine(
    resources: Resources, *, live: bool, kinds: Collection[str] = TRIAL_TEXTS.keys()
) -> Iterator[CheckResult]:
    """Yield the state of every part, those that are asked as they answer.

    live: make the calls; otherwise nothing leaves this machine. kinds: of providers. Raises
    SettingsError.
    """
    for name, number in diagnostics.list_versions():
        yield CheckResult("version", name, "ready", number)
    for item in diagnostics.list_extras(resources):
        yield _describe_item("extra", item)
    for item in diagnostics.list_fallback_readers(resources):
        yield _describe_item("reader", item)
    yield from _list_unconfigured(resources.settings, kinds)
    trials = [*_list_model_trials(resources), *_list_provider_trials(resources, kinds)]
    if live and resources.settings.openai_base_url and not resources.settings.openai_models:
        trials.insert(0, _Trial("model", SERVER, partial(_try_server, resources)))
    if not live:
        for trial in trials:
            yield CheckResult(trial.part, trial.name, "ready")
        return
    with ThreadPoolExecutor(MAX_AT_ONCE, thread_name_prefix="doctor") as pool:
        yield from pool.map(partial(_run_trial, resources.clock), trials)


@dataclass(frozen=True)
class _Trial:
    """One call to be made. ask: makes it."""

    part: str
    name: str
    ask: Callable[[], CheckResult]


def _run_trial(clock: Clock, trial: _Trial) -> CheckResult:
    """Make the call. A part that raises what it should not is a fault of that part alone."""
    began = clock.monotonic()
    try:
        return trial.ask()
    except ResearchError as error:
        words = error.sentence()
    except UNEXPECTED_ERRORS as error:
        words = f"A fault in Assay ({type(error).__name__}); please report it."
    return CheckResult(trial.part, trial.name, "failed", words, clock.monotonic() - began)


def _describe_item(part: str, item: DiagnosticItem) -> CheckResult:
    state = "ready" if item.on else "not configured"
    return CheckResult(part, item.name, state, item.how)


def _list_unconfigured(settings: Settings, kinds: Collection[str]) -> Iterator[CheckResult]:
    for item in diagnostics.list_models(settings):
        if not item.on:
            yield _describe_item("model", item)
    for kind in kinds:
        for row in providers.list_rows_of_kind(kind):
            missing = providers.list_missing_settings(row, settings)
            if missing:
                how = " ".join(f"{need}=…" for need in missing)
                yield CheckResult(kind, row.name, "not configured", how)


def _list_model_trials(resources: Resources) -> Iterator[_Trial]:
    names = [item.name for item in diagnostics.list_models(resources.settings) if item.on]
    if resources.settings.gemini_api_key:
        names += [f"gemini:{model}" for model in resources.settings.gemini_models]
    names += filter(None, (resources.settings.writer, resources.settings.judge))
    for name in dict.fromkeys(names):
        if name != OFFLINE_MODEL:
            yield _Trial("model", name, partial(_try_model, resources, name))


def _try_model(resources: Resources, name: str) -> CheckResult:
    trial = diagnostics.try_model(resources, name)
    said = trial.words
    if trial.state == "answered":
        cost = "price unknown" if trial.cost is None else f"${trial.cost:.6f}"
        said = f"{said} ({format_count(trial.tokens, 'token')}, {cost})"
    return CheckResult("model", name, trial.state, said, trial.seconds)


#: The name in the report of a model server for which no model is chosen.
SERVER = "ASSAY_OPENAI_BASE_URL"


def _try_server(resources: Resources) -> CheckResult:
    """Have the server list its models, because none is chosen that could be asked."""
    began = resources.clock.monotonic()
    found = diagnostics.find_server_models(resources)
    names = ", ".join(model.name.removeprefix("openai:") for model in found)
    words = f"No model is chosen (ASSAY_OPENAI_MODELS). Models at this address: {names or 'none'}."
    return CheckResult("model", SERVER, "answered", words, resources.clock.monotonic() - began)


def _list_provider_trials(resources: Resources, kinds: Collection[str]) -> Iterator[_Trial]:
    for kind in kinds:
        for row in providers.list_available_rows(resources.settings, kind):
            yield _Trial(kind, row.name, partial(_try_provider, resources, row))


def _try_provider(resources: Resources, row: Provider) -> CheckResult:
    query = providers.KINDS[row.kind].query(TRIAL_TEXTS[row.kind])
    deps = default_deps(memory_log(query.text), resources, fresh=True)
    began = resources.clock.monotonic()
    try:
        records = row.search(deps.http, resources.settings, query)
    except SearchError as error:
        state = engines.STATE_OF_ERROR_KIND.get(error.kind, "failed")
        words = error.sentence()
    else:
        state = "answered" if records else "empty"
        words = format_count(len(records), "result")
    return CheckResult(row.kind, row.name, state, words, resources.clock.monotonic() - began)


# -- the report ------------------------------------------------------------------


def format_report(results: Sequence[CheckResult], settings: Settings) -> str:
    """Return the results as a Markdown table without anything private."""
    lines = ["| part | name | state | seconds | said |", "|---|---|---|---:|---|"]
    for result in results:
        seconds = "" if result.seconds is None else f"{result.seconds:.1f}"
        cells = (result.part, result.name, result.state, seconds, format_words(result, settings))
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def format_words(result: CheckResult, settings: Settings) -> str:
    """Return what a part said on one line, without anything private."""
    return truncate(redact(to_single_line(result.words), settings), 300)


def redact(text: str, settings: Settings) -> str:
    """Return a text in which private values are replaced by the names of their settings."""
    private = _list_private_texts(settings)
    if private:
        either = "|".join(f"({pattern})" for pattern, _ in private)
        text = re.sub(
            either, lambda match: f"<{private[(match.lastindex or 1) - 1][1]}>", text, flags=re.I
        )
    return text.replace(str(Path.home()), "~")


def _list_private_texts(settings: Settings) -> list[tuple[str, str]]:
    """Return (pattern, name of its setting) of each private text, the longest text first."""
    values, parts = [], []
    for row in SETTING_ROWS:
        if row.field not in SECRET_FIELDS | PRIVATE_FIELDS:
            continue
        value = str(getattr(settings, row.field) or "")
        values += [(text, re.escape(text), row.name) for text in (value, value.rstrip("/"))]
        host, *others = _split_address(value)
        parts += [(text, re.escape(text), row.name) for text in others]
        # The name of a host can be a word, which may be part of another.
        parts.append((host, rf"(?<!\w){re.escape(host)}(?!\w)", row.name))
    rows = sorted((*values, *parts), key=lambda row: -len(row[0]))
    return [(pattern, name) for text, pattern, name in rows if len(text) >= MIN_PRIVATE_LENGTH]


def _split_address(value: str) -> tuple[str, ...]:
    """Return the host of an address, then other parts that tell whose it is; ("",) for no address.

    The parts: its origin, the host with its port, both as written and in full, and a password.
    """
    try:
        parts = urlsplit(value)
        origin = origin_of(value)
    except ValueError:
        return ("",)
    if not parts.hostname:
        return ("",)
    password = parts.password or ""
    written = (parts.netloc, parts.netloc.rpartition("@")[2], password, unquote(password))
    return (parts.hostname, origin, origin.partition("://")[2], *written)


def list_failures(results: Sequence[CheckResult]) -> list[CheckResult]:
    """Return the parts that failed."""
    return [result for result in results if result.state not in GOOD_STATES]


def is_healthy(results: Sequence[CheckResult]) -> bool:
    """Return True if every part that was asked answered."""
    return not list_failures(results)
