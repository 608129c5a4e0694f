"""What a homepage declares for machines: who the company is, its logos and its accounts. Nothing is
read from its prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from research_core.model_messages import Json
from research_core.tools.brand.colours import make_colour, parse_hex
from research_core.tools.brand.markup import Markup, parse_address
from research_core.urls import find_host, is_under_domain
from research_core.web.metadata.declared import one_line

#: Characters of a name, of a line and of a description.
MAX_NAME_CHARACTERS, MAX_LINE_CHARACTERS, MAX_DESCRIPTION_CHARACTERS = 120, 200, 600
FORMATS = {
    "svg": "svg",
    "png": "png",
    "jpg": "jpg",
    "jpeg": "jpg",
    "webp": "webp",
    "gif": "gif",
    "ico": "ico",
    "avif": "avif",
}
#: Where accounts are, by network, and what the address of one looks like. Addresses that share a
#: page are none.
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
            r"/(?:@|c/|channel/|user/)[^/]+/?.*|/(?!watch|embed|playlist|results|redirect|shorts)[\w.-]+/?"
        ),
    ),
    "facebook": (("facebook.com",), re.compile(r"/(?!sharer|share|dialog|plugins)[^/]+/?(?:.*)")),
    "instagram": (("instagram.com",), re.compile(r"/(?!p/|reel|explore|share)[\w.]+/?")),
}
_SIZE = re.compile(r"(\d{1,4})x(\d{1,4})")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_COUNTRY = re.compile(r"[A-Za-z]{2}")


def read_identity(page: Markup, domain: str) -> Json:
    """name, domain, tagline, description, industry, founded, location: what is declared of them."""
    company, meta = page.company or {}, page.meta or {}
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
    return {name: value for name, value in found.items() if value}


def read_logos(page: Markup) -> Json:
    """primary, icon, favicon and og_image as declared."""
    company = page.company or {}
    picture = _first_item(company.get("logo"))
    node = picture if isinstance(picture, dict) else {"url": picture}
    url = parse_address(node.get("url") or node.get("contentUrl"), page.url)
    sizes = {
        name: int(value)
        for name in ("width", "height")
        if (value := _clean_text(node.get(name), 10).removesuffix("px")).isdigit()
    }
    icons = [each for each in page.icons if "mask-icon" not in each["rel"]]
    large = max(
        (each for each in icons if each["rel"] != "shortcut icon"),
        key=_compute_icon_area,
        default=None,
    )
    small = next((each["url"] for each in icons if "icon" in each["rel"].split()), "")
    found: Json = {
        "primary": make_logo(url, **sizes) if url else {},
        "icon": make_logo(large["url"], *_read_icon_sides(large))
        if large and _compute_icon_area(large)
        else {},
        "favicon": small,
        "og_image": parse_address((page.meta or {}).get("image"), page.url),
    }
    return {name: value for name, value in found.items() if value}


def make_logo(url: str, width: int = 0, height: int = 0) -> Json:
    """{"url", "format", "width", "height"}, what is known of it."""
    kind = FORMATS.get(urlsplit(url).path.rpartition(".")[2].lower(), "")
    return {
        "url": url,
        **({"format": kind} if kind else {}),
        **({"width": width, "height": height} if width and height else {}),
    }


def find_accounts(page: Markup) -> Json:
    """The company's accounts: what its node calls the same as it, then what its homepage links to."""
    same = (page.company or {}).get("sameAs")
    said = [each for each in (same if isinstance(same, list) else [same]) if isinstance(each, str)][
        :50
    ]
    account = (page.meta or {}).get("account", "")
    told = [f"https://x.com/{account[1:]}"] if re.fullmatch(r"@\w{1,15}", account) else []
    found: Json = {}
    for url in (
        parse_address(each, page.url) for each in (*said, *told, *(url for _, url in page.links))
    ):
        for name in _find_networks(url):
            found.setdefault(name, url)
    return found


def read_theme_colour(page: Markup) -> list[Json]:
    """The colour the page gives browsers for their frame, as an entry of a palette; it is called
    nothing else.
    """
    told = parse_hex((page.meta or {}).get("theme", ""))
    return [make_colour(told, "theme-color", "browser theme")] if told else []


def _find_networks(url: str) -> Iterator[str]:
    if not url:
        return
    name, path = find_host(url), urlsplit(url).path
    yield from (
        each
        for each, (hosts, form) in NETWORKS.items()
        if any(is_under_domain(name, at) for at in hosts) and form.fullmatch(path)
    )


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
    return {name: value for name, value in found.items() if value}


def _first_item(value: Any) -> Any:
    return next(iter(value), None) if isinstance(value, list) else value


def _clean_text(value: Any, limit: int) -> str:
    value = _first_item(value)
    if isinstance(value, dict):  # {"@value": …}, or a node that has a name
        value = value.get("@value") or value.get("name")
    return (
        one_line(str(value), limit)
        if isinstance(value, str | int) and not isinstance(value, bool)
        else ""
    )


def _read_icon_sides(icon: Json) -> tuple[int, int]:
    sides = [(int(width), int(height)) for width, height in _SIZE.findall(icon["sizes"])]
    return max(sides, default=(0, 0))


def _compute_icon_area(icon: Json) -> int:
    width, height = _read_icon_sides(icon)
    return width * height


def find_site_name(pages: Iterable[Markup]) -> str:
    """What the first page that says so calls its site."""
    return next((str(name) for page in pages if (name := read_identity(page, "").get("name"))), "")
