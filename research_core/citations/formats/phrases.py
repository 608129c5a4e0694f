"""Format the parts that styles share: dates, pages, editions and links, and join parts."""

from __future__ import annotations

import re

from research_core.citations.formats.dates import SEASON_NAMES
from research_core.citations.formats.item import Item
from research_core.urls import build_doi_url

MONTHS = (
    "January February March April May June July August September October November December".split()
)
SHORT_MONTHS = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split()
#: Signs that end a sentence.
END_MARKS = (".", "?", "!", "。", "？", "！", "…")


# -- joining ---------------------------------------------------------------------------------------


def add_full_stop(text: str) -> str:
    """Add a full stop, inside a final quotation, unless the text ends with an end mark."""
    core = text.rstrip("”’") if text.endswith("”") or "‘" in text else text
    return text if not core or core.endswith(END_MARKS) else f"{core}.{text[len(core) :]}"


def join_sentences(*parts: str) -> str:
    """Join the non-empty parts, each with its full stop."""
    return " ".join(add_full_stop(part) for part in parts if part)


def join_commas(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def join_spaces(*parts: str) -> str:
    return " ".join(part for part in parts if part)


# -- days ------------------------------------------------------------------------------------------


def format_date(date: str, form: str, months: list[str] = SHORT_MONTHS) -> str:
    """Format the known parts of an ISO date by a form of "Y", "M" and "D".

    "D M Y" gives "27 May 2015"; "DD" is the day with two digits; unknown parts leave no gap. A
    season is printed in place of the month.
    """
    known = dict(zip("YMD", date.split("-"), strict=False)) if date else {}
    if "M" in known:
        number = int(known["M"])
        known["M"] = SEASON_NAMES[number] if number in SEASON_NAMES else months[number - 1]
    if "D" in known:
        known["D"] = str(int(known["D"])) if "DD" not in form else known["D"]
    parts = [
        re.sub("Y|M|DD?", lambda found: known[found[0][0]], each)
        for each in form.split()
        if each.strip(",")[0] in known
    ]
    return " ".join(parts).strip(",")


# -- pages -----------------------------------------------------------------------------------------

_PAGE_LABEL = re.compile(r"^(?:pp?|pgs?|S)\.\s*(?=\w)", re.IGNORECASE)
#: A number of an article that has a hyphen of its own ("e00122-21"), not a range.
_ARTICLE_NUMBER = re.compile(r"[^\W\d_]+0\d*-\d+")
_PAGE_RANGE = re.compile(r"([^\W\d_]*)(\d+)\s*[-–—]+\s*([^\W\d_]*)(\d+)")


def format_pages(text: str, keep: int = 0) -> str:
    """Format page numbers with en dashes.

    keep: digits kept of the second number, more if they differ; 0 keeps all. 2 gives "933–39" and
    "102–03" (MLA), 1 "102–3" and "933–9"; -2 is Chicago's form, which is 2 but 1 after "10".
    """
    if _ARTICLE_NUMBER.fullmatch(text):
        return text
    parts = _PAGE_LABEL.sub("", text).split(",")
    return ", ".join(_format_page_range(part.strip(), keep) for part in parts if part.strip())


def _format_page_range(text: str, keep: int) -> str:
    found = _PAGE_RANGE.fullmatch(text)
    if not found:
        return re.sub(r"\s*(?:--+|[-–—])\s*", "–", text)
    before, first, again, last = found.groups()
    if len(last) < len(first):
        again = again or before
        last = first[: len(first) - len(last)] + last
    if (before, first) == (again, last):
        return before + first
    repeats_letters = keep == 1 and bool(before)
    shortens = keep and before == again and len(first) == len(last)
    shortens = shortens and (len(first) > 1 or repeats_letters)
    if shortens and not (keep < 0 and first.endswith("00")):
        return f"{before}{first}–{_shorten_last_page(first, last, keep)}"
    return f"{before}{first}–{again}{last}"


def _shorten_last_page(first: str, last: str, keep: int) -> str:
    """Drop the digits that both pages share, but keep as many as `format_pages` says."""
    same = 0
    while same < len(first) and first[same] == last[same]:
        same += 1
    least = abs(keep)
    if keep < 0 and first[-2] == "0" and last[-2] == "0":
        least = 1
    return last[min(same, len(last) - least) :]


def label_pages(text: str, one: str = "p. ", many: str = "pp. ") -> str:
    """Put the label for one page or for several before page numbers."""
    if not text:
        return ""
    label = many if re.search(r"[-–—,&]", text) else one
    return label + text


# -- the rest --------------------------------------------------------------------------------------


def format_edition(text: str, word: str = "ed.") -> str:
    """Format "2nd ed." from "2" or "2nd"; anything else unchanged."""
    found = re.fullmatch(r"(\d+)(?:st|nd|rd|th|\.)?", text)
    return f"{add_number_suffix(int(found[1]))} {word}" if found else text


def add_number_suffix(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    suffixes = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{suffixes.get(number % 10, 'th')}"


def get_best_link(work: Item) -> str:
    """Return the most durable address: of the DOI, else the work's own."""
    return build_doi_url(work.doi) or work.address


def is_own_container(work: Item) -> bool:
    """Return True for a page that its own site wrote, whose name then stands once."""
    return work.type in ("webpage", "document") and work.container in (
        each.full_name for each in work.authors
    )
