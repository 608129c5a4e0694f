"""Read who a company is: its name and place, accounts, theme colour and logos.

A homepage declares them for machines; logos are also pictures and links of brand pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from research_core.model_messages import Json
from research_core.tools.brand.colours import make_colour, parse_hex
from research_core.tools.brand.markup import PICTURE_ENDINGS, Markup, parse_address
from research_core.tools.wire_values import drop_empty
from research_core.urls import find_host, is_under_domain
from research_core.web.metadata.page_markup import fit_on_line

#: Characters of a name, of a line and of a description.
MAX_NAME_CHARACTERS, MAX_LINE_CHARACTERS, MAX_DESCRIPTION_CHARACTERS = 120, 200, 600
#: The format of a picture, by the ending of its address.
FORMATS = {name: name for name in ("svg", "png", "jpg", "webp", "gif", "ico", "avif")}
FORMATS["jpeg"] = "jpg"
#: The domains of each network, and the form of an account's path. A share link is no account.
NETWORKS: Mapping[str, tuple[tuple[str, ...], re.Pattern[str]]] = {
    "twitter": (
        ("twitter.com", "x.com"),
        re.compile(r"/(?!intent|share|home|search|hashtag|i/)\w{1,30}/?"),
    ),
    "linkedin": (("linkedin.com",), re.compile(r"/(?:company|school|showcase)/[^/]+.*")),
    "github": (("github.com",), re.compile(r"/[\w.-]+/?")),
    "youtube": (
        ("youtube.com",),
        re.compile(
            r"/(?:@|c/|channel/|user/)[^/]+/?.*"
            r"|/(?!watch|embed|playlist|results|redirect|shorts)[\w.-]+/?"
        ),
    ),
    "facebook": (("facebook.com",), re.compile(r"/(?!sharer|share|dialog|plugins)[^/]+/?(?:.*)")),
    "instagram": (("instagram.com",), re.compile(r"/(?!p/|reel|explore|share)[\w.]+/?")),
}
_LOGO_WORDS = re.compile(r"\blogo(?:s|type|mark)?\b|wordmark", re.IGNORECASE)
_DARK_WORDS = re.compile(
    r"\b(?:dark|white|reversed?|inverse|inverted|negative|knockout)\b", re.IGNORECASE
)
_SIZE = re.compile(r"(\d{1,4})x(\d{1,4})")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_COUNTRY = re.compile(r"[A-Za-z]{2}")


def read_identity(page: Markup, domain: str) -> Json:
    """Return the declared identity.

    Keys: name, domain, tagline, description, industry, founded and location.
    """
    company = page.company
    meta = page.meta
    year = _YEAR.match(_clean_text(company.get("foundingDate"), MAX_LINE_CHARACTERS))
    found: Json = {
        "name": (
            _clean_text(company.get("name"), MAX_NAME_CHARACTERS)
            or meta.get("site", "")[:MAX_NAME_CHARACTERS]
            or meta.get("application", "")[:MAX_NAME_CHARACTERS]
        ),
        "domain": domain,
        "tagline": _clean_text(company.get("slogan"), MAX_LINE_CHARACTERS),
        "description": _clean_text(company.get("description"), MAX_DESCRIPTION_CHARACTERS)
        or page.description,
        "industry": _clean_text(company.get("industry"), MAX_LINE_CHARACTERS),
        "founded": int(year[0]) if year else 0,
        "location": _read_location(company),
    }
    return drop_empty(found)


def find_accounts(page: Markup) -> Json:
    """Return the company's accounts: those its node declares, then those its homepage links to."""
    same = page.company.get("sameAs")
    values = same if isinstance(same, list) else [same]
    addresses = [value for value in values if isinstance(value, str)][:50]
    account = page.meta.get("account", "")
    if re.fullmatch(r"@\w{1,15}", account):
        addresses.append(f"https://x.com/{account[1:]}")
    addresses += [url for _, url in page.links]
    found: Json = {}
    for address in addresses:
        url = parse_address(address, page.url)
        for name in _find_networks(url):
            found.setdefault(name, url)
    return found


def read_theme_colour(page: Markup) -> list[Json]:
    """Return the declared theme colour as an entry of a palette, [] for none."""
    code = parse_hex(page.meta.get("theme", ""))
    return [make_colour(code, "theme-color", "browser theme")] if code else []


def _find_networks(url: str) -> Iterator[str]:
    """Yield the networks of which an address is an account."""
    if not url:
        return
    host = find_host(url)
    path = urlsplit(url).path
    for network, (domains, form) in NETWORKS.items():
        is_there = any(is_under_domain(host, domain) for domain in domains)
        if is_there and form.fullmatch(path):
            yield network


def _read_location(company: Json) -> Json:
    place = _first_item(company.get("address"))
    if not isinstance(place, dict):
        return {}
    country = place.get("addressCountry")
    code = _clean_text(country.get("name") if isinstance(country, dict) else country, 60)
    found = {
        "city": _clean_text(place.get("addressLocality"), MAX_NAME_CHARACTERS),
        "country_code": code.upper() if _COUNTRY.fullmatch(code) else "",
    }
    return drop_empty(found)


def _first_item(value: Any) -> Any:
    return next(iter(value), None) if isinstance(value, list) else value


def _clean_text(value: Any, limit: int) -> str:
    """Return a declared text or number as one line, "" for anything else."""
    value = _first_item(value)
    if isinstance(value, dict):  # {"@value": …}, or a node that has a name
        value = value.get("@value") or value.get("name")
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return fit_on_line(str(value), limit)


# ---------------------------------------------------------------- logos


def read_logos(page: Markup) -> Json:
    """Return the declared primary, icon, favicon and og_image."""
    picture = _first_item(page.company.get("logo"))
    node = picture if isinstance(picture, dict) else {"url": picture}
    url = parse_address(node.get("url") or node.get("contentUrl"), page.url)
    found: Json = {}
    if url:
        sides: dict[str, int] = {}
        for name in ("width", "height"):
            value = _clean_text(node.get(name), 10).removesuffix("px")
            if value.isdigit():
                sides[name] = int(value)
        found["primary"] = _make_logo(url, **sides)
    icons = [icon for icon in page.icons if "mask-icon" not in icon["rel"]]
    large_icons = [icon for icon in icons if icon["rel"] != "shortcut icon"]
    large = max(large_icons, key=_compute_icon_area, default=None)
    if large and _compute_icon_area(large):
        found["icon"] = _make_logo(large["url"], *_read_icon_sides(large))
    for icon in icons:
        if "icon" in icon["rel"].split():
            found["favicon"] = icon["url"]
            break
    shared_image = parse_address(page.meta.get("image"), page.url)
    if shared_image:
        found["og_image"] = shared_image
    return found


def find_logos(page: Markup) -> Json:
    """Return the first picture or link that is called a logo (primary), and one for dark ground."""
    candidates = list(page.pictures)
    for words, url in page.links:
        if urlsplit(url).path.lower().endswith(PICTURE_ENDINGS):
            candidates.append((words, url, 0, 0))
    found: Json = {}
    for words, url, width, height in candidates:
        file_name = re.sub(r"[\W_]+", " ", urlsplit(url).path.rpartition("/")[2])
        name = f"{words} {file_name}"
        if not _LOGO_WORDS.search(name):
            continue
        ground = "dark" if _DARK_WORDS.search(name) else "primary"
        found.setdefault(ground, _make_logo(url, width, height))
    return {ground: found[ground] for ground in ("primary", "dark") if ground in found}


def _make_logo(url: str, width: int = 0, height: int = 0) -> Json:
    """Return {"url", "format", "width", "height"}, without what is unknown."""
    logo: Json = {"url": url}
    kind = FORMATS.get(urlsplit(url).path.rpartition(".")[2].lower(), "")
    if kind:
        logo["format"] = kind
    if width and height:
        logo["width"] = width
        logo["height"] = height
    return logo


def _read_icon_sides(icon: Json) -> tuple[int, int]:
    sides = [(int(width), int(height)) for width, height in _SIZE.findall(icon["sizes"])]
    return max(sides, default=(0, 0))


def _compute_icon_area(icon: Json) -> int:
    width, height = _read_icon_sides(icon)
    return width * height
