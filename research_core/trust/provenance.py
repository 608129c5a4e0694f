"""Where a source comes from, in words: its site, who wrote it, what kind of page it is, its dates,
whose copy it is, what was not read.

The screens and the exports say it alike. What a page says of itself is untrusted: whoever draws it
cleans it first. Nothing is decided.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from research_core.models import ReportSource
from research_core.text.words import strip_invisible
from research_core.trust.page_signals import PageSignals
from research_core.urls import canonical_url, find_host, is_own_document, strip_user_part

#: Authors named beside a source; of more it is said that there are more.
MAX_AUTHORS = 3
#: The kinds of page that `Metadata.type` names, in a word. It is the page's markup that says so, or
#: its host.
PAGE_KINDS = {
    "peer_reviewed": "paper", "official_docs": "documentation", "government": "government",
    "news_publication": "news",
    "blog": "blog", "forum": "forum", "wiki": "wiki", "social_media": "social media",
}  # fmt: skip
THIN_TEXT = "It has next to no text, and other ways of reading it failed."


def name_site(url: str) -> str:
    """Where a source is from, in a word."""
    try:
        return find_host(url) or "own document"
    except ValueError:
        return "no web address"


def format_address(url: str) -> str:
    """An address as a reader should see it: without a user name, a host in other letters as the one
    that is asked ("xn--…").
    """
    url = strip_user_part(strip_invisible(url))
    try:
        name, asked = urlsplit(url).hostname or "", find_host(url)
        return (
            url
            if name.isascii()
            else url.replace(name, asked, 1)
            if name in url
            else canonical_url(url)
        )
    except ValueError:
        return url


def describe_searched_as(url: str) -> str:
    """What is said of a source that was found under another address than where it stands."""
    return f"searched as {url}"


def find_claimed_address(source: ReportSource) -> str:
    """The address that an own document names as its own; nobody else says so. "" of any other
    source, and where it names none.
    """
    return source.metadata.canonical if is_own_document(source.url) else ""


def describe_claimed_address(address: str) -> str:
    """What is said of an own document that names an address as its own."""
    return f"says it is from {address}"


def format_byline(source: ReportSource) -> str:
    """Who a page says wrote it, and for which site where its address does not say that too; ""
    where it says neither.
    """
    said, name = source.metadata, "".join(filter(str.isalnum, name_site(source.address)))
    authors = ", ".join(said.authors[:MAX_AUTHORS]) + " et al." * (len(said.authors) > MAX_AUTHORS)
    known = "".join(filter(str.isalnum, said.site.casefold())) in name
    return " · ".join(filter(None, (authors, "" if known else said.site)))


def name_page_kind(source: ReportSource) -> str:
    """What kind of page it is, in a word; "" where nothing says it."""
    return PAGE_KINDS.get(source.metadata.type, "")


def format_dates(source: ReportSource) -> str:
    """The day it is of and the day it was changed, as the page states them; "" where it states
    none.
    """
    changed = source.metadata.modified
    stated = (
        ("dated", source.published[:40]),
        ("changed", "" if changed == source.published else changed),
    )
    return ", ".join(f"{word} {day}" for word, day in stated if day)


def describe_unread(source: ReportSource) -> str:
    """What of the page was not read, in a sentence; "" where all of it was."""
    return " ".join(filter(None, (source.metadata.cut, THIN_TEXT if source.partial else "")))


def describe_hidden_texts(source: ReportSource) -> str:
    """How many texts of its page nobody sees, which were taken out before it was read; "" where
    there are none.
    """
    return format_hidden_count(source.hidden.total)


def format_hidden_count(total: int) -> str:
    """The same of a page that is no source."""
    return f"hides {total:,} text{'' if total == 1 else 's'}" if total else ""


def describe_machine_instructions(times: int) -> str:
    """What is said of a page whose own text speaks to machines so many times; "" of one that does
    not.
    """
    return f"speaks to machines{f' {times:,} times' if times > 1 else ''}" if times else ""


def find_retraction(source: ReportSource) -> str:
    """Who says that it was: its title, or the registry or index that gave it, by name; "" where
    nobody does.
    """
    return (
        "its title" if PageSignals.from_json(source.signs).retracted else source.metadata.retracted
    )


def is_unknown_host(source: ReportSource) -> bool:
    """Whether nothing is known of its host, which is then valued as any such host is."""
    return source.parts is not None and source.parts.basis == "unknown"


def describe_copy(original: str) -> str:
    """What is said of a source whose text is that of another one. original: what that one is
    called: "[7]".
    """
    return f"copy of {original}, counted once"
