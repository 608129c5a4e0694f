"""Find the EDGAR company a person means, by ticker, number (CIK) or name.

Uses the SEC's list of companies with a ticker; a company without one is known by its number only.
The list is fetched and cached like any other answer, and fetched again after a failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from research_core.journal.deps import Http
from research_core.search.providers.edgar_concepts import is_figure_word
from research_core.search.providers.edgar_files import NAME, fetch_json
from research_core.search.providers.reply import changed_format_error, read_number, read_text

TICKERS = "https://www.sec.gov/files/company_tickers.json"
#: Legal forms that people leave out at the end of a name.
FORMS = frozenset(
    "inc incorporated corp corporation co company ltd limited plc llc lp sa nv ag se ab asa oyj spa"
    " holding holdings group the new de md nj pa oh mn ny class com adr".split()
)
#: Legal forms that are words of questions too.
COMMON = frozenset("the new de class a".split())
#: Words of a name that a question is searched for at most.
MAX_NAME_WORDS = 6
_NUMBER = re.compile(r"(?:CIK)?\s?([0-9]{1,10})", re.IGNORECASE)
#: Explicitly marked tickers: "Apple Inc. (AAPL)", "NASDAQ: AAPL", "$AAPL".
_SYMBOL = re.compile(
    r"(?:.{1,80}\s)?(?:\((?:[A-Za-z]{2,8}:\s?)?|(?:NYSE|NASDAQ|Nasdaq|AMEX):\s?|\$)"
    r"([A-Z][A-Z0-9.-]{0,7})\)?"
)
_TICKER = re.compile(r"[A-Za-z][A-Za-z0-9.-]{0,9}")


@dataclass(frozen=True)
class Company:
    """A company. cik: without leading zeros; listed: whether it is on the SEC's list."""

    cik: int
    listed: bool

    @property
    def padded(self) -> str:
        return f"{self.cik:010d}"


@dataclass(frozen=True)
class _Row:
    cik: int
    ticker: str
    words: tuple[str, ...]


def find_by_ticker(http: Http, ticker: str) -> Company | None:
    """Return the company of this ticker ("$" allowed) or number, or None. Raises SearchError."""
    company = _parse_number(ticker)
    if company:
        return company
    marked = _SYMBOL.fullmatch(ticker.upper())
    symbol = _normalize_ticker(marked[1] if marked else ticker)
    return _find_first_company(row for row in _fetch_companies(http) if row.ticker == symbol)


def find_by_name(http: Http, words: str) -> Company | None:
    """Return the company with this number, name or ticker; None if none, or if quoted.

    An explicitly marked ticker is tried first, then a whole name, then a ticker in capitals, then
    the first word if it belongs to one company's name only. Raises SearchError.
    """
    company = _parse_number(words)
    if company:
        return company
    named = _list_significant_words(words)
    if not named or words.startswith('"'):
        return None
    rows = _fetch_companies(http)
    symbol = _SYMBOL.fullmatch(words)
    marked: list[_Row] = []
    if symbol:
        marked = [row for row in rows if row.ticker == _normalize_ticker(symbol[1])]
    ticker: list[_Row] = []
    if _TICKER.fullmatch(words):
        ticker = [row for row in rows if row.ticker == _normalize_ticker(words)]
    begun = [row for row in rows if len(named) == 1 and row.words[:1] == named]
    alone = begun if words[:1].isupper() and len({row.cik for row in begun}) == 1 else []
    whole = [row for row in rows if row.words == named]
    return _find_first_company(
        (*marked, *whole, *(ticker if words.isupper() else ()), *alone, *ticker)
    )


def find_in_question(http: Http, words: str) -> tuple[Company | None, str]:
    """Return the company that a question about figures names, and the question without its name.

    Longer names are tried first. A name of one word and a ticker count if they are written with a
    capital, or if nothing in the question is. Raises SearchError.
    """
    company = find_by_name(http, words)
    if company:
        return company, ""
    number = re.search(r"\bCIK\s?([0-9]{1,10})\b", words, re.IGNORECASE)
    if number and int(number[1]):
        return Company(int(number[1]), listed=False), words.replace(number[0], " ")
    rows = _fetch_companies(http)
    symbol = re.search(r"\((?:[A-Z]+:\s?)?([A-Z][A-Z0-9.-]{0,7})\)|\$([A-Z][A-Z.-]{0,7})\b", words)
    if symbol:
        ticker = _normalize_ticker(symbol[1] or symbol[2])
        for row in rows:
            if row.ticker == ticker:
                return _as_company(row), _cut_name(words.replace(symbol[0], " "), row.words)
    by_name = {row.words: row for row in reversed(rows)}
    tickers = {row.ticker: row for row in reversed(rows)}
    tokens = _list_tokens(words)
    for length in range(min(len(tokens), MAX_NAME_WORDS), 0, -1):
        for start in range(len(tokens) - length + 1):
            run = tokens[start : start + length]
            named = _find_named(run, by_name, words)
            if named:
                return _as_company(named), words[: run[0].start()] + words[run[-1].end() :]
    for token in tokens:
        if len(token[0]) > 1 and token[0].isupper() and _normalize_ticker(token[0]) in tickers:
            row = tickers[_normalize_ticker(token[0])]
            return _as_company(row), words[: token.start()] + words[token.end() :]
    return None, words


def remove_name(words: str, name: str, ticker: str) -> str:
    """Return words without a company's name, its legal form and its ticker."""
    rest = _cut_name(words, _list_significant_words(name))
    if ticker:
        rest = re.sub(rf"(?<!\w)\$?{re.escape(ticker.lstrip('$'))}(?!\w)", " ", rest, flags=re.I)
    return rest


def _cut_name(words: str, name: tuple[str, ...]) -> str:
    """Return words without a name and the legal form after it."""
    tokens = _list_tokens(words)
    for start in range(len(tokens) - len(name) + 1):
        run = tokens[start : start + len(name)]
        if name in _spell_names(run):
            end = start + len(name)
            while end < len(tokens) and tokens[end][0].casefold() in FORMS - COMMON:
                end += 1
            return f"{words[: run[0].start()]} {words[tokens[end - 1].end() :]}"
    return words


def _find_named(
    run: list[re.Match[str]], by_name: Mapping[tuple[str, ...], _Row], words: str
) -> _Row | None:
    """Return the company whose whole name these words are."""
    for name in _spell_names(run):
        if name not in by_name or all(is_figure_word(word) for word in name):
            continue
        if len(name) > 1 or run[0][0][:1].isupper() or words == words.lower():
            return by_name[name]
    return None


def _spell_names(run: list[re.Match[str]]) -> list[tuple[str, ...]]:
    """Return the name that words spell, and without the s of a genitive."""
    text = " ".join(token[0] for token in run)
    bare = re.sub(r"['’]s$|['’]$", "", text)
    names = [_list_significant_words(bare)]
    if bare.endswith("s") and bare == text:
        names.append(_list_significant_words(bare[:-1]))
    return names


def _list_tokens(words: str) -> list[re.Match[str]]:
    return list(re.finditer(r"[^\W_]+(?:[.'’&-][^\W_]+)*", words))


def _as_company(row: _Row) -> Company:
    return Company(row.cik, listed=True)


def _parse_number(words: str) -> Company | None:
    found = _NUMBER.fullmatch(words)
    if not found or not int(found[1]):
        return None
    return Company(int(found[1]), listed=False)


def _find_first_company(rows: Iterable[_Row]) -> Company | None:
    for row in rows:
        return Company(row.cik, listed=True)
    return None


def _fetch_companies(http: Http) -> list[_Row]:
    """Return the companies in the list's order, the largest first."""
    told = fetch_json(http, TICKERS)
    rows = list(told.values()) if isinstance(told, dict) else []
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise changed_format_error(NAME, "its list of companies is none")
    return [_read_row(row) for row in rows]


def _read_row(row: Mapping[str, Any]) -> _Row:
    cik = read_number(NAME, row, "cik_str")
    ticker = read_text(NAME, row, "ticker")
    if not isinstance(cik, int) or cik <= 0 or not ticker:
        raise changed_format_error(NAME, "a company of its list has no number or no ticker")
    return _Row(
        cik, _normalize_ticker(ticker), _list_significant_words(read_text(NAME, row, "title"))
    )


def _normalize_ticker(ticker: str) -> str:
    """Convert "brk.b" to "BRK-B"."""
    return re.sub(r"[./ ]", "-", ticker.upper())


def _list_significant_words(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a name without "and" and the legal form.

    "Tesla, Inc." gives ("tesla",).
    """
    bare = re.sub("['’]", "", name.casefold())
    spoken = re.sub(r"\b(?:\w\.){2,}", lambda initials: initials[0].replace(".", ""), bare)
    words = [word for word in re.findall(r"[^\W_]+", spoken) if word != "and"] or ["and"]
    while len(words) > 1 and words[-1] in FORMS:
        words.pop()
    return tuple(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)
