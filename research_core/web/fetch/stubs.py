"""Detect error and for-sale pages that are served with a success status.

Decided by title and text together, with no rules for single sites. A short page, or one about such
answers, is read like any other: if only title or text says so, only unmistakable pages are refused.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from research_core.errors import FetchError
from research_core.models import Page

#: Limits in characters: text of an error page, text of one recognised by title alone, and a
#: title; and words of a site's name.
MAX_STUB_LENGTH, MAX_TITLED_LENGTH, MAX_TITLE_LENGTH, MAX_NAME_WORDS = 600, 200, 80, 4
KINDS = frozenset({"html", "markdown", "text"})


class StubKind(NamedTuple):
    """A kind of error page.

    codes: statuses a title may name; sure, unsure: titles as words, that need no confirmation by
    the text or do; text: what the text then says.
    """

    kind: str
    sentence: str
    codes: frozenset[str]
    sure: frozenset[str]
    unsure: frozenset[str]
    text: re.Pattern[str]


#: Words of a title that are ignored.
_FILLER_WORDS = frozenset(
    "error errors http oops whoops sorry uh oh the this that your requested status code fehler"
    " erreur errore erro die der".split()
)


def _build_title_phrases(phrases: str) -> frozenset[str]:
    return frozenset(
        " ".join(_list_significant_words(phrase))
        for phrase in phrases.replace("\n", "|").split("|")
        if phrase.strip()
    )


def _list_significant_words(title: str) -> list[str]:
    """Return the words of a title in lower case, without filler words."""
    return [
        word
        for word in re.findall(r"[^\W_]+", title.lower().replace("'", "").replace("’", ""))
        if word not in _FILLER_WORDS
    ]


def _compile_alternatives(lines: str) -> re.Pattern[str]:
    """Compile alternatives, one row a line; a blank stands for any white space."""
    rows = [line.strip().replace(" ", r"\s+") for line in lines.strip().splitlines()]
    return re.compile("|".join(rows), re.IGNORECASE)


STUBS = (
    StubKind(
        "not_found",
        "The site says that there is no such page, though it answers as if there were one.",
        frozenset({"404", "410"}),
        _build_title_phrases("""
            page not found|page was not found|page is not found|page could not be found
            page cannot be found|page cant be found
            page does not exist|page doesnt exist|page no longer exists|file not found
            document not found|url not found|404 not found
            seite nicht gefunden|seite wurde nicht gefunden|seite existiert nicht|page introuvable
            page non trouvée|cette page nexiste pas
            página no encontrada|página não encontrada|pagina non trovata|pagina niet gevonden
            pagina nu a fost găsită|oldal nem található
            sidan hittades inte|sidan kunde inte hittas|siden blev ikke fundet|siden ble ikke funnet
            sivua ei löytynyt|stránka nenalezena
            nie znaleziono strony|strona nie została znaleziona|strona nie istnieje|sayfa bulunamadı
            halaman tidak ditemukan
            страница не найдена|страницы не существует|сторінку не знайдено|页面不存在|找不到页面|页面未找到|找不到網頁
            頁面不存在
            ページが見つかりません|お探しのページは見つかりませんでした|페이지를 찾을 수 없습니다|الصفحة غير موجودة
            """),
        _build_title_phrases("""
            not found|nothing found|missing page|page missing|page unavailable|page not available
            page is not available
            page removed|page gone|article not found|story not found|content not found
            content unavailable
            resource not found|object not found|item not found
            product not found|no longer available|page no longer available
            page is no longer available|gone|nicht gefunden|introuvable
            we cant find page|we couldnt find page|we could not find page|page has been removed
            page you are looking for cannot be found
            """),
        _compile_alternatives(r"""
            \b(?:page|url|address|file|document) (?:that )?you(?:['’][rv]e| are| were| have)?\b
            \b(?:article|resource|content|link|site) (?:that )?you(?:['’][rv]e| are| were| have)?\b
            \b(?:what|something) you(?:'re|’re| are| were) looking for\b
            \brequested (?:page|url|address|file|document|article|resource|content)\b
            \bcan(?:no|'|’)t (?:seem to )?(?:find|locate) (?:the|that|this|your|what)\b
            \bunable to (?:seem to )?(?:find|locate) (?:the|that|this|your|what)\b
            \bcould(?:n'|n’| no)t (?:seem to )?(?:find|locate) (?:the|that|this|your|what)\b
            \b(?:this|that|the) (?:page|url|article|document|link) (?:doesn.t|does not|was not)\b
            \b(?:this|that|the) (?:page|url|article|document|link) (?:is )?no longer\b
            \b(?:this|that|the) (?:page|url|article|document|link) is(?: not|n.t) available\b
            \b(?:this|that|the) (?:page|url|article|document|link) (?:cannot|could not) be(?:en)?\b
            \b(?:this|that|the) (?:page|url|article|document|link) (?:may|might) have be(?:en)?\b
            \b(?:this|that|the) (?:page|url|article|document|link) has be(?:en)?\b
            \bnot found on this server\b
            """),
    ),
    StubKind(
        "upstream_unavailable",
        "The site says that it has failed or is out of order, though it answers as if it had a"
        " page.",
        frozenset({"500", "501", "502", "503", "504", "520", "521", "522", "523", "524"}),
        _build_title_phrases(
            "500 internal server|internal server|502 bad gateway|503 service unavailable|504"
            " gateway timeout"
        ),
        _build_title_phrases("""
            server error|internal server error|server error in application|service unavailable
            service temporarily unavailable|bad gateway
            gateway timeout|gateway time out|application error|database error|fatal error
            runtime error|unexpected error|system error
            error establishing a database connection|something went wrong|an error occurred
            an error has occurred|error occurred
            temporarily unavailable|site temporarily unavailable|site unavailable
            website unavailable|site offline|site is down|we are down
            maintenance|maintenance mode|down for maintenance|under maintenance
            site under maintenance
            site maintenance|scheduled maintenance|web server is down|connection timed out|error
            problem loading page
            """),
        _compile_alternatives(r"""
            \b(?:internal server|unexpected|technical|critical) (?:error|problem)\b
            \b(?:unhandled|application|fatal) (?:error|problem)\b
            \berror (?:has )?occurred\b
            \berror (?:while )?processing your request\b
            \bencountered an? (?:\w+ )?(?:error|problem)\b
            \berror establishing a database connection\b
            \btry (?:your request )?again (?:later|in (?:a|few|some|\d+))\b
            \btemporarily (?:unavailable|unable|offline|down)\b
            \b(?:down|closed|offline) for (?:\w+ )?maintenance\b
            \bundergoing (?:\w+ )?maintenance\b
            \bunable to (?:service|complete|process|handle) your request\b
            \bcontact (?:the|your|our) (?:server|site|web|system) ?(?:administrator|master|owner)\b
            \bdid not (?:respond|receive a (?:timely|valid) response)\b
            """),
    ),
)
#: Phrases of domains for sale. Two are required, as an article may use one.
_FOR_SALE = _compile_alternatives(r"""
    \b(?:domain(?: name)?|web ?site|web ?page|site) (?:is|may be|might be) (?:for sale|parked)\b
    \b(?:domain(?: name)?|web ?site|web ?page|site) (?:is|may be|might be) available for purchase\b
    \b[\w-]{1,63}(?:\.[\w-]{1,63}){1,5} (?:is|may be|might be) (?:for sale|parked)\b
    \b[\w-]{1,63}(?:\.[\w-]{1,63}){1,5} (?:is|may be|might be) available for purchase\b
    \bbuy (?:this|the) domain\b
    \bmake (?:an|your) offer\b
    \bdomain (?:name )?(?:has been registered|has expired|is parked|parking)\b
    \bparked (?:free|domain)\b
    \brelated (?:searches|links):
    \b(?:inquire|enquire) (?:about|now)\b
    \bowner of .{1,60}? (?:is offering|offers) it for sale\b
    \bdomain (?:steht zum verkauf|ist zu verkaufen|zu verkaufen)\b
    \bget (?:this domain|a price)\b
    """)
#: Phrases of a text that discusses such error pages.
_ABOUT_ERRORS = _compile_alternatives(r"""
    \b(?:status|response|http|error) codes?\b
    \b(?:means|stands for|refers to)\b
    \bwebmasters?\b
    """)
_TITLE_SEPARATOR = re.compile(r"\s[|–—·»«›:-]\s|[|»›]")


def raise_for_stub(page: Page) -> None:
    """Raise FetchError for an error page or a domain for sale served as a success.

    Kinds: not_found (no such page, or only the address for sale) and upstream_unavailable (the
    server failed).
    """
    if (
        page.kind not in KINDS
        or len(page.text) > MAX_STUB_LENGTH
        or _ABOUT_ERRORS.search(page.text)
    ):
        return
    words = f"{page.title[:MAX_STUB_LENGTH]}\n{page.text}"
    if len({found.lower() for found in _FOR_SALE.findall(words)}) > 1:
        raise FetchError("The address is for sale, and has no page.", kind="not_found")
    line = page.text.lstrip("# ").partition("\n")[0]
    sentence = re.split(r"[.!?]\s", line)[0]
    for stub in STUBS:
        for title in (page.title, line, sentence):
            if _matches_stub(stub, title, page.text):
                raise FetchError(stub.sentence, kind=stub.kind)


def _matches_stub(stub: StubKind, title: str, text: str) -> bool:
    """Return whether a page with this title, first line or first sentence is such an error page."""
    if len(title) > MAX_TITLE_LENGTH:
        return False
    parts = [title, *_TITLE_SEPARATOR.split(title)]
    sure = [part for part in parts if _title_names_stub(part, stub) in stub.sure]
    if sure and len(text) <= MAX_TITLED_LENGTH:
        rest = [part for part in parts[1:] if part not in sure]
        if all(len(part.split()) <= MAX_NAME_WORDS for part in rest):
            return True
    if not sure and not any(_title_may_name_stub(part, stub) for part in parts):
        return False
    return bool(stub.text.search(text))


def _title_names_stub(title: str, stub: StubKind) -> str:
    words = _list_significant_words(title)
    kept = [word for word in words if word not in stub.codes]
    return " ".join(words if " ".join(words) in stub.sure else kept)


def _title_may_name_stub(title: str, stub: StubKind) -> bool:
    words = _title_names_stub(title, stub)
    if words:
        return words in stub.unsure
    if any(code in title for code in stub.codes):
        return True
    return "" in stub.unsure and "error" in title.lower()
