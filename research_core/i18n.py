"""Translate the words of screens, reports and exports.

The source language is English. Mark every text that a reader sees, with its values as named fields:

    _("Report deleted.")
    _("Reads up to {pages} pages.").format(pages=7)
    ngettext("{count} source", "{count} sources", count).format(count=count)
    LABELS = {"kept": N_("Kept")}          # a table: marked here, `_(LABELS["kept"])` where drawn

Numbers in such fields, `{count:,}` and `{score:.2f}`, get the marks of the language by themselves;
`format_number` gives a number alone, or one that goes into a field as text.

Never build a sentence from fragments: word order differs between languages. `docs/messages.py`
extracts all marked texts into `locale/assay.pot` and brings the catalogues up to date.

Screens are in the language of the installation (`set_interface_language`); a report is in the
language of its question (`in_report_language`), whatever the language of the screens is. Reports of
sessions that began before texts were marked keep their wording: it is the catalogue
EARLIER_ENGLISH, which translates today's English into the English of then.
"""

from __future__ import annotations

import gettext as catalogues
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache, partial, wraps
from pathlib import Path
from string import Formatter
from typing import Concatenate, ParamSpec, Protocol, TypeVar

SOURCE_LANGUAGE = "en"
#: The languages that have a catalogue, each by its own name.
LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "pt": "Português",
    "zh": "中文",
    "ja": "日本語",
    "ar": "العربية",
}
RIGHT_TO_LEFT = frozenset({"ar"})
#: The wording of reports before version 5 of the rules of scoring, as a catalogue.
EARLIER_ENGLISH = "en_v4"
#: The languages that do not set words and list items apart with ", ", and what they set instead.
_LIST_SEPARATORS = {"zh": "、", "ja": "、", "ar": "، "}
_CLAUSE_SEPARATORS = {"fr": "\u00a0; ", "zh": "；", "ja": "；", "ar": "؛ "}
#: The quotation marks of the languages that do not use those of English.
_QUOTES = {
    "de": "„{}“",
    "fr": "«\u00a0{}\u00a0»",
    "es": "«{}»",
    "pt": "«{}»",
    "ja": "「{}」",
    "ar": "«{}»",
}
#: The marks between groups of digits, and before decimals, where they are not those of English.
NUMBER_MARKS = {
    "de": (".", ","),
    "fr": ("\u202f", ","),
    "es": (".", ","),
    "pt": (".", ","),
}
#: A field of a text that is written as a number: {count:,}, {score:.2f}, {share:.0%}.
_NUMBER_FIELD = re.compile(r"\{\w*:[^{}]*(?:,|\.\d|[gf%])[^{}]*\}")
FOLDER = Path(__file__).parent / "locale"
DOMAIN = "assay"

#: The language of the text that is being written, where it is not the language of the screens.
_language: ContextVar[str | None] = ContextVar("language", default=None)
_interface_language = SOURCE_LANGUAGE


def gettext(message: str) -> str:
    """Return `message` in the current language, or as it is where no catalogue has it."""
    # Of "" a catalogue would return its header.
    if not message:
        return ""
    return _localize_fields(_load_catalogue(current_language()).gettext(message), message)


def ngettext(singular: str, plural: str, count: float) -> str:
    """Return the form for `count` in the current language. count: only its whole part decides."""
    text = _load_catalogue(current_language()).ngettext(singular, plural, int(count))
    return _localize_fields(text, plural)


def pgettext(context: str, message: str) -> str:
    """Return `message` in the current language, where one English word has several meanings."""
    text = _load_catalogue(current_language()).pgettext(context, message)
    return _localize_fields(text, message)


def mark(message: str) -> str:
    """Return `message` unchanged: it is extracted here and translated where it is drawn."""
    return message


_ = gettext
N_ = mark


def current_language() -> str:
    """Return the code of the language that texts are translated into now."""
    return _language.get() or _interface_language


@contextmanager
def use_language(code: str) -> Iterator[None]:
    """Translate into a language while the block runs, in this thread or task only.

    code: a key of LANGUAGES, or another code with or without a region ("de-AT", "sv"). A language
    without a catalogue means English.
    """
    token = _language.set(find_language(code))
    try:
        yield
    finally:
        _language.reset(token)


class HasLanguage(Protocol):
    """A run or a report: it knows the language that its texts are in."""

    @property
    def language(self) -> str: ...


Written = TypeVar("Written", bound=HasLanguage)
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def in_report_language(
    function: Callable[Concatenate[Written, Arguments], Result],
) -> Callable[Concatenate[Written, Arguments], Result]:
    """Make a function write in the language of the run or report that is its first argument.

    It must return its texts, not yield them: a generator would run outside the language.
    """

    @wraps(function)
    def write(first: Written, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        with use_language(first.language):
            return function(first, *args, **kwargs)

    return write


class LanguagePool(ThreadPoolExecutor):
    """A thread pool whose threads write in the language of the thread that submits."""

    def submit(
        self, fn: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Future[Result]:
        return super().submit(partial(copy_context().run, fn, *args, **kwargs))


def set_interface_language(code: str) -> None:
    """Translate into a language wherever `use_language` does not name another."""
    global _interface_language
    _interface_language = find_language(code)


def find_language(code: str) -> str:
    """Return the language with a catalogue that a code names, or English."""
    if code == EARLIER_ENGLISH:
        return code
    base = code.replace("_", "-").partition("-")[0].lower()
    return base if base in LANGUAGES else SOURCE_LANGUAGE


def compile_message(text: str, build_value: Callable[[str], str]) -> re.Pattern[str]:
    """Return the pattern of what a text says with its fields filled in, a group for each field.

    build_value: returns the pattern of the value of a field, by its name.
    """
    pattern = ""
    for literal, name, _spec, _conversion in Formatter().parse(text):
        pattern += re.escape(literal)
        if name and f"(?P<{name}>" in pattern:
            pattern += f"(?P={name})"
        elif name:
            pattern += f"(?P<{name}>{build_value(name)})"
    return re.compile(pattern, re.DOTALL)


@cache
def list_translations(message: str) -> frozenset[str]:
    """Return a message in every language, the wording of older reports included."""
    codes = (*LANGUAGES, EARLIER_ENGLISH)
    return frozenset(_load_catalogue(code).gettext(message) for code in codes)


def get_language_tag() -> str:
    """Return the current language as HTML and documents name it."""
    code = current_language()
    return SOURCE_LANGUAGE if code == EARLIER_ENGLISH else code


def is_right_to_left() -> bool:
    """Return True if the current language is written from right to left."""
    return current_language() in RIGHT_TO_LEFT


def format_number(value: float, spec: str = ",") -> str:
    """Format a number with the marks of the current language. spec: as of `format`.

    For readers only: files and messages that a program reads take `format` itself. A text with its
    number as a field ({score:.2f}) needs no call of this.
    """
    return _use_marks(format(value, spec), current_language())


def _use_marks(number: str, language: str) -> str:
    marks = NUMBER_MARKS.get(language)
    if marks is None:
        return number
    group, decimal = marks
    return number.translate({ord(","): group, ord("."): decimal})


class _TextWithNumbers(str):
    """A text whose `format` writes the numbers of its fields with the marks of its language."""

    language = ""

    def format(self, *args: object, **kwargs: object) -> str:
        return _NumberFormatter(self.language).format(str(self), *args, **kwargs)


class _NumberFormatter(Formatter):
    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: object, format_spec: str) -> str:
        text = format(value, format_spec)
        if format_spec and isinstance(value, int | float):
            return _use_marks(text, self._language)
        return text


def _localize_fields(text: str, message: str) -> str:
    """Return a text whose fields will be written as numbers of the current language.

    message: the English text. A translation may leave out how a field is written: {count} for
    {count:,} is written like the latter.
    """
    language = current_language()
    fields = _NUMBER_FIELD.findall(message) if language in NUMBER_MARKS else ()
    if not fields:
        return text
    for field in fields:
        text = text.replace(f"{field.partition(':')[0]}}}", field)
    marked = _TextWithNumbers(text)
    marked.language = language
    return marked


def put_in_quotes(text: str) -> str:
    """Put a text into the quotation marks of the current language."""
    return _QUOTES.get(current_language(), "“{}”").format(text)


def join_list(items: Sequence[str]) -> str:
    """Join short items as the current language sets them apart."""
    return _LIST_SEPARATORS.get(current_language(), ", ").join(items)


def join_clauses(clauses: Iterable[str]) -> str:
    """Join clauses that may hold commas, with semicolons as the current language has them."""
    return _CLAUSE_SEPARATORS.get(current_language(), "; ").join(clauses)


def join_sentences(sentences: Sequence[str]) -> str:
    """Join sentences that are not empty; Chinese and Japanese set no space between them."""
    gap = "" if current_language() in ("zh", "ja") else " "
    return gap.join(sentence for sentence in sentences if sentence)


def get_sentence_gap(before: str) -> str:
    """Return what stands between a sentence and the next: in Chinese and Japanese nothing."""
    is_unspaced = current_language() in ("zh", "ja") and before.endswith(("。", "！", "？"))
    return "" if is_unspaced else " "


def end_with_stop(text: str) -> str:
    """Return a text with the full stop of the current language at its end."""
    if current_language() in ("zh", "ja"):
        return text.rstrip(".。") + "。"
    return text.rstrip(".") + "."


@cache
def _load_catalogue(code: str) -> catalogues.NullTranslations:
    if code == SOURCE_LANGUAGE:
        return catalogues.NullTranslations()
    return catalogues.translation(DOMAIN, FOLDER, [code], fallback=True)
