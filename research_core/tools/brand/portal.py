"""Read brand pages and their subpages, and extract what they state."""

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

#: Subpages read with a portal; fewer characters of text say nothing about a brand.
MAX_SUBPAGES, MIN_TEXT_CHARACTERS = 6, 150
#: Words of a link to a page about the brand.
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
    """A brand page that was read.

    address: as requested; page: the page for the session; said: its markup, text included.
    """

    address: str
    page: Page
    said: Markup


def read_brand_page(url: str, deps: Deps) -> BrandPage:
    """Read the page at this address. Raises FetchError."""
    seen: list[Markup] = []

    def read_and_keep(reply: HttpReply, asked: str) -> Page:
        made = read_page_reply(reply, asked)
        if made.kind == "html":
            seen.append(markup.read_markup(reply))
        return made

    page = read_web(url, deps, read=read_and_keep)
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
    """Return the links of a portal to brand topics on its own host, in order, each once."""
    own_host = find_host(first.page.final_url)
    skipped_endings = (*_PICTURE_ENDINGS, ".zip", ".pdf", ".eps", ".css", ".js", ".woff2")
    pages: dict[str, None] = {}
    for words, url in first.said.links:
        if find_host(url) != own_host or url in (first.address, first.page.final_url):
            continue
        path = urlsplit(url).path
        if path.lower().endswith(skipped_endings):
            continue
        if _BRAND_LINK.search(f"{words} {path}"):
            pages[url] = None
    return list(pages)[:MAX_SUBPAGES]


def read_brand_pages(
    urls: Sequence[str], deps: Deps
) -> tuple[list[BrandPage], list[tuple[str, FetchError]]]:
    """Return the pages that could be read, and the failures of the others, in order."""

    def read_one(url: str) -> BrandPage | FetchError:
        try:
            return read_brand_page(url, deps)
        except FetchError as error:
            return error

    pages: list[BrandPage] = []
    failures: list[tuple[str, FetchError]] = []
    for url, result in zip(urls, deps.pool.map(read_one, urls), strict=True):
        if isinstance(result, BrandPage):
            pages.append(result)
        else:
            failures.append((url, result))
    return pages, failures


def extract_brand(said: Markup) -> Json:
    """Return the colors, typography, logos and tone_of_voice that one page states."""
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
    """Return the first picture or link that is called a logo (primary), and one for dark ground."""
    candidates = list(said.pictures)
    for words, url in said.links:
        if urlsplit(url).path.lower().endswith(_PICTURE_ENDINGS):
            candidates.append((words, url, 0, 0))
    primary: Json | None = None
    dark: Json | None = None
    for words, url, width, height in candidates:
        name = f"{words} {_file_name(url)}"
        if not _LOGO_WORDS.search(name):
            continue
        if _DARK_WORDS.search(name):
            dark = dark or make_logo(url, width, height)
        else:
            primary = primary or make_logo(url, width, height)
    logos: Json = {}
    if primary:
        logos["primary"] = primary
    if dark:
        logos["dark"] = dark
    return logos


def merge_findings(found: Json, told: Json) -> tuple[Json, list[str]]:
    """Add new findings without changing old ones. Return the result and the names that gained."""
    added: list[str] = []
    result: Json = {}
    for name in dict.fromkeys((*found, *told)):
        old = found.get(name, {})
        new = told.get(name, {})
        result[name] = {**new, **old}
        if name == "colors":
            old_palette = old.get("palette", [])
            palette = _merge_palettes(old_palette, new.get("palette", []))
            result[name]["palette"] = palette
            if len(palette) > len(old_palette):
                added.append("colors.palette")
        for field in new:
            if field not in old and field != "palette":
                added.append(f"{name}.{field}")
    return result, added


def add_role_colours(found: Json) -> Json:
    """Add the colour of each role, taken from the palette."""
    colors = found.get("colors", {})
    return {**found, "colors": {**group_by_role(colors.get("palette", [])), **colors}}


def measure_coverage(found: Json) -> Json:
    """Return how much of each part was found: full, partial or none; found or none for voice."""
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
    """Join the texts of all pages, each under its title and address."""
    return "\n\n".join(
        f"# {each.said.title or each.address}\n\nSource: {each.page.final_url}\n\n{each.said.text}"
        for each in sheets
    )


def _grade_coverage(is_full: bool, found: Any) -> str:
    if is_full:
        return "full"
    return "partial" if found else "none"


def _merge_palettes(old: list[Json], new: list[Json]) -> list[Json]:
    known = {entry["hex"] for entry in old}
    return [*old, *(entry for entry in new if entry["hex"] not in known)]


def _file_name(url: str) -> str:
    return re.sub(r"[\W_]+", " ", urlsplit(url).path.rpartition("/")[2])
