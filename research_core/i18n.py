"""Translate the words of screens, reports and exports.

The source language is English. Mark every text that a reader sees, with its values as named fields:

    _("Report deleted.")
    _("Reads up to {pages} pages.").format(pages=7)
    ngettext("{count} source", "{count} sources", count).format(count=count)
    LABELS = {"kept": N_("Kept")}          # a table: marked here, `_(LABELS["kept"])` where drawn

Never build a sentence from fragments: word order differs between languages. `docs/messages.py`
extracts all marked texts into `locale/assay.pot` and brings the catalogues up to date.

Screens are in the language of the installation (`set_interface_language`); a report is in the
language of its question (`use_language`), whatever the language of the screens is.
"""

from __future__ import annotations

import gettext as catalogues
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

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
FOLDER = Path(__file__).parent / "locale"
DOMAIN = "assay"

#: The language of the text that is being written, where it is not the language of the screens.
_language: ContextVar[str | None] = ContextVar("language", default=None)
_interface_language = SOURCE_LANGUAGE


def gettext(message: str) -> str:
    """Return `message` in the current language, or as it is where no catalogue has it."""
    return _load_catalogue(current_language()).gettext(message)


def ngettext(singular: str, plural: str, count: float) -> str:
    """Return the form for `count` in the current language. count: only its whole part decides."""
    return _load_catalogue(current_language()).ngettext(singular, plural, int(count))


def pgettext(context: str, message: str) -> str:
    """Return `message` in the current language, where one English word has several meanings."""
    return _load_catalogue(current_language()).pgettext(context, message)


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

    code: a key of LANGUAGES, or another code with or without a region ("de-AT", "sv"); English
    stands in for languages without a catalogue.
    """
    token = _language.set(find_language(code))
    try:
        yield
    finally:
        _language.reset(token)


def set_interface_language(code: str) -> None:
    """Translate into a language wherever `use_language` does not name another."""
    global _interface_language
    _interface_language = find_language(code)


def find_language(code: str) -> str:
    """Return the language with a catalogue that a code names, or English."""
    base = code.replace("_", "-").partition("-")[0].lower()
    return base if base in LANGUAGES else SOURCE_LANGUAGE


@cache
def _load_catalogue(code: str) -> catalogues.NullTranslations:
    if code == SOURCE_LANGUAGE:
        return catalogues.NullTranslations()
    return catalogues.translation(DOMAIN, FOLDER, [code], fallback=True)
