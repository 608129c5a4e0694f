"""Reads brand pages with those they lead to, and takes out of each what it states: colours,
typefaces, logos and the tone of voice.

Every page is read as any page is: robots.txt, scripts where there is a browser, and without what is
hidden. What one page stated, no later one changes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import HttpReply, Page
from research_core.tools.brand import markup
from research_core.tools.brand.colours import find_colours, group_by_role
from research_core.tools.brand.homepage import make_logo
from research_core.tools.brand.markup import Markup
from research_core.tools.brand.typography import read_typography
from research_core.tools.brand.voice import read_tone_of_voice
from research_core.urls import find_host
from research_core.web.fetch.tiers import read_web
from research_core.web.http.responses import read_page_reply

#: Pages that a portal leads to and that are read with it; characters below which a page says
#: nothing of a brand.
MAX_SUBPAGES, MIN_TEXT_CHARACTERS = 6, 150
#: What leads to a page that states something of the brand.
_BRAND_LINK = re.compile(
    r"colou?rs?|palette|typograph|fonts?\b|logo|tone|voice|identity|guideline", re.IGNORECASE
)
_LOGO_WORDS = re.compile(r"\blogo(?:s|type|mark)?\b|wordmark", re.IGNORECASE)
_DARK_WORDS = re.compile(
    r"\b(?:dark|white|reversed?|inverse|inverted|negative|knockout)\b", re.IGNORECASE
)
_PICTURE_ENDINGS = (".svg", ".png", ".jpg", ".jpeg", ".webp")


@dataclass(frozen=True)
class BrandPage:
    """A brand page that was read. address: as it was asked for; page: for the session; said: its
    markup, text included.
    """

    address: str
    page: Page
    said: Markup


def read_brand_page(url: str, deps: Deps) -> BrandPage:
    """The page at this address. Raises FetchError."""
    seen: list[Markup] = []

    def noted(reply: HttpReply, asked: str) -> Page:
        made = read_page_reply(reply, asked)
        if made.kind == "html":
            seen.append(markup.read_markup(reply))
        return made

    page = read_web(url, deps, read=noted)
    said = seen[-1] if seen and page.kind == "html" else Markup(page.final_url, page.title)
    return BrandPage(
        url,
        page,
        replace(
            said,
            title=said.title or page.title,
            text=said.text if len(said.text) > MIN_TEXT_CHARACTERS else page.text,
        ),
    )


def find_subpages(first: BrandPage) -> list[str]:
    """Where a portal leads to of the same host that is about its colours, typefaces, logos or
    voice, each once, in its order.
    """
    at, known = find_host(first.page.final_url), {first.address, first.page.final_url}
    links = (
        url
        for words, url in first.said.links
        if find_host(url) == at and _BRAND_LINK.search(f"{words} {urlsplit(url).path}")
    )
    pages = (
        url
        for url in links
        if not urlsplit(url)
        .path.lower()
        .endswith((*_PICTURE_ENDINGS, ".zip", ".pdf", ".eps", ".css", ".js", ".woff2"))
    )
    return [url for url in dict.fromkeys(pages) if url not in known][:MAX_SUBPAGES]


def read_brand_pages(
    urls: Sequence[str], deps: Deps
) -> tuple[list[BrandPage], list[tuple[str, FetchError]]]:
    """The pages at these addresses that could be read, and the failures of the others, each in
    their order.
    """

    def one(url: str) -> BrandPage | FetchError:
        try:
            return read_brand_page(url, deps)
        except FetchError as error:
            return error

    read = list(zip(urls, deps.pool.map(one, urls), strict=True))
    return [each for _, each in read if isinstance(each, BrandPage)], [
        (url, each) for url, each in read if isinstance(each, FetchError)
    ]


def extract_brand(said: Markup) -> Json:
    """colors, typography, logos and tone_of_voice as one page states them."""
    found = {
        "colors": {"palette": find_colours(said.text)},
        "typography": read_typography(said.text, [url for _, url in said.links]),
        "logos": find_logos(said),
        "tone_of_voice": read_tone_of_voice(said.text),
    }
    return {
        name: {each: value for each, value in part.items() if value} for name, part in found.items()
    }


def find_logos(said: Markup) -> Json:
    """primary and dark: the first picture, or link to one, that is called a logo, and the first
    that is called one for dark ground.
    """
    linked = [
        (words, url, 0, 0)
        for words, url in said.links
        if urlsplit(url).path.lower().endswith(_PICTURE_ENDINGS)
    ]
    named = [
        each
        for each in (*said.pictures, *linked)
        if _LOGO_WORDS.search(f"{each[0]} {_file_name(each[1])}")
    ]
    dark = next(
        (each for each in named if _DARK_WORDS.search(f"{each[0]} {_file_name(each[1])}")), None
    )
    plain = next(
        (
            each
            for each in named
            if each is not dark and not _DARK_WORDS.search(f"{each[0]} {_file_name(each[1])}")
        ),
        None,
    )
    return {
        name: make_logo(*each[1:]) for name, each in (("primary", plain), ("dark", dark)) if each
    }


def merge_findings(found: Json, told: Json) -> tuple[Json, list[str]]:
    """What was found with what is told beside it, and the names of what that added; nothing that
    was there is changed.
    """
    added: list[str] = []
    result: Json = {}
    for name in dict.fromkeys((*found, *told)):
        old, new = found.get(name, {}), told.get(name, {})
        result[name] = {**new, **old}
        if name == "colors":
            result[name] = {
                **result[name],
                "palette": _merge_palettes(old.get("palette", []), new.get("palette", [])),
            }
            added += (
                ["colors.palette"]
                if len(result[name]["palette"]) > len(old.get("palette", []))
                else []
            )
        added += [f"{name}.{each}" for each in new if each not in old and each != "palette"]
    return result, added


def add_role_colours(found: Json) -> Json:
    """With the colour of each role, which the palette tells."""
    colors = found.get("colors", {})
    return {**found, "colors": {**group_by_role(colors.get("palette", [])), **colors}}


def measure_coverage(found: Json) -> Json:
    """How much of each part was found: full, partial or none; of the tone of voice, found or none."""
    logos, faces = found.get("logos", {}), found.get("typography", {})
    entries = found.get("colors", {}).get("palette", [])
    icon = "icon" in logos or "favicon" in logos
    return {
        "colors": _grade_coverage(len(entries) >= 3, entries),
        "logos": _grade_coverage("primary" in logos and icon, logos),
        "typography": _grade_coverage("heading" in faces and "body" in faces, faces),
        "tone_of_voice": "found" if found.get("tone_of_voice") else "none",
    }


def join_texts(sheets: Sequence[BrandPage]) -> str:
    """The text of all pages, each under its title and address."""
    return "\n\n".join(
        f"# {each.said.title or each.address}\n\nSource: {each.page.final_url}\n\n{each.said.text}"
        for each in sheets
    )


def _grade_coverage(is_full: bool, found: Any) -> str:
    return "full" if is_full else "partial" if found else "none"


def _merge_palettes(old: list[Json], new: list[Json]) -> list[Json]:
    known = {entry["hex"] for entry in old}
    return [*old, *(entry for entry in new if entry["hex"] not in known)]


def _file_name(url: str) -> str:
    return re.sub(r"[\W_]+", " ", urlsplit(url).path.rpartition("/")[2])
