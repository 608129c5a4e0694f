"""Parse the text of one environment variable; each function raises ValueError with the reason."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

import idna

from research_core.i18n import LANGUAGES, find_language

#: Sites with a dedicated reader, which mostly uses an API instead of their pages.
SITES = ("youtube", "hn", "arxiv", "pubmed", "x", "github")
MODEL_FAMILY_NAMES = ("auto", "offline", "gemini", "openai")
#: Families that a colon and the name of a model may follow ("gemini:…").
NAMED_FAMILIES = ("gemini", "openai")
#: Search engines that ddgs can ask.
DDGS_ENGINE_NAMES = (
    "duckduckgo", "brave", "mojeek", "wikipedia", "startpage", "yahoo", "grokipedia",
)  # fmt: skip
#: Names of the providers of each kind that SEARCH_ROUTING can order.
ROUTED_PROVIDERS = {
    kind: tuple(names.split())
    for kind, names in {
        "web": "searxng brave google serper searchapi tavily exa hackernews duckduckgo "
        + " ".join(f"ddgs:{engine}" for engine in DDGS_ENGINE_NAMES),
        "news": "searxng brave google serper searchapi tavily exa hackernews",
        "images": "searxng brave google serper searchapi",
        "academic": "openalex semanticscholar crossref arxiv pubmed datacite exa",
        "citations": "openalex semanticscholar",
        "patents": "epo lens searchapi uspto",
        "filings": "edgar",
        "cases": "courtlistener",
        "series": "fred worldbank oecd eurostat",
        "trials": "clinicaltrials",
        "places": "brave",
        "answers": "exa",
        "structured": "exa",
    }.items()
}
#: Names of this machine.
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
#: Seconds per unit letter of a time span.
SECONDS_PER_UNIT = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}


def parse_names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise ValueError("it names nothing")
    return names


def check_choice(name: str, choices: Iterable[str], what: str) -> None:
    """Raise ValueError if the name is not one of the choices. what: a plural noun for them."""
    if name not in choices:
        raise ValueError(f"{name!r} is not one of the {what}: {', '.join(choices)}")


def parse_model(text: str) -> str:
    """Parse a family of models, or one with the name of a model: "gemini:gemini-3.5-flash"."""
    family, colon, model = text.partition(":")
    check_choice(family, MODEL_FAMILY_NAMES, "models")
    if colon and (family not in NAMED_FAMILIES or not model):
        raise ValueError(
            "only gemini and openai can be followed by a colon and the name of a model"
        )
    return text


def parse_language(text: str) -> str:
    """Parse the code of a language with a catalogue: "de", also with a region ("de-AT")."""
    check_choice(text.replace("_", "-").partition("-")[0].lower(), tuple(LANGUAGES), "languages")
    return find_language(text)


def parse_ddgs_engines(text: str) -> tuple[str, ...]:
    engines = parse_names(text)
    for engine in engines:
        check_choice(engine, DDGS_ENGINE_NAMES, "engines")
    return engines


def parse_sites(text: str) -> tuple[str, ...]:
    """Parse names of `SITES` and return them in its order; "none" for none."""
    chosen = () if text == "none" else parse_names(text)
    for name in chosen:
        check_choice(name, SITES, "sites")
    return tuple(name for name in SITES if name in chosen)


def parse_domains(text: str) -> tuple[str, ...]:
    """Parse host names as in addresses (lower case, ASCII); "*.example.org" means its domain."""
    found = []
    for name in text.split(","):
        if name.strip():
            plain = name.strip().lower().removeprefix("*").strip(".")
            found.append(parse_domain(plain))
    return tuple(dict.fromkeys(found))


def parse_domain(name: str) -> str:
    plain = name if name.isascii() else idna.encode(name, uts46=True).decode("ascii")
    if not re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", plain):
        raise ValueError(f"{name!r} is no domain")
    return plain


def parse_address(text: str) -> str:
    if not text:
        return text
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https"):
        raise ValueError("it must start with http:// or https://")
    if not parts.hostname or parts.port == 0:
        raise ValueError("it names no host or no usable port")
    if "?" in text or "#" in text:
        raise ValueError("it must end before its “?” or “#”")
    return text.rstrip("/")


def parse_database_url(text: str) -> str:
    if text and not text.startswith(("sqlite:///", "postgresql+psycopg://")):
        raise ValueError("it must start with sqlite:/// or postgresql+psycopg://")
    return text


def parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ValueError("it must be a number") from error


def parse_whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise ValueError("it must be a whole number") from error


def parse_seconds(text: str) -> float:
    number = parse_number(text)
    if not 0 < number < math.inf:
        raise ValueError("it must be above 0 and finite")
    return number


def parse_pause(text: str) -> float:
    number = parse_number(text)
    if not 0 <= number <= 60:
        raise ValueError("it must be from 0 to 60")
    return number


def parse_key(text: str) -> str:
    if text and not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise ValueError(f"it has {len(text)} characters, and needs 64 hexadecimal digits")
    return text.lower()


def parse_count(text: str) -> int:
    number = parse_whole_number(text)
    if number < 1:
        raise ValueError("it must be at least 1")
    return number


def parse_admin_key(text: str) -> str:
    """Parse a key that cannot be guessed and fits into a header; empty for none."""
    if text and (len(text) < 16 or not (text.isascii() and text.isprintable())):
        raise ValueError(
            f"it has {len(text)} characters; it needs at least 16, all of printable ASCII"
        )
    return text


def parse_issuer(text: str) -> str:
    """Parse an issuer address exactly as tokens name it: a slash at its end counts."""
    parse_address(text)
    parts = urlsplit(text)
    if text and parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise ValueError("it must start with https://, unless it is on this machine")
    if parts.username:
        raise ValueError("it is an address without a query, a fragment and a user")
    return text


def parse_origins(text: str) -> tuple[str, ...]:
    """Parse origins as browsers send them: scheme://host[:port] and nothing more."""
    each = parse_list(text)
    for one in each:
        parts = urlsplit(parse_address(one))
        if one != f"{parts.scheme}://{parts.netloc}" or parts.username:
            raise ValueError(f"{one!r} is no origin, such as https://app.example.org")
    return each


def parse_limit(text: str) -> int:
    """Parse a limit or a number of days; 0 for none."""
    number = parse_whole_number(text)
    if number < 0:
        raise ValueError("it must be 0 or more")
    return number


def parse_port(text: str) -> int:
    """Parse a port; 0 for none."""
    number = parse_whole_number(text)
    if not 0 <= number <= 65_535:
        raise ValueError("it must be from 0 to 65535")
    return number


def parse_log_format(text: str) -> str:
    """Parse the form of the lines of a log: text or json."""
    check_choice(text, ("text", "json"), "formats")
    return text


def parse_retention(text: str) -> int:
    number = parse_whole_number(text)
    if number and not 180 <= number <= 3650:
        raise ValueError("it must be 0, or from 180 to 3650")
    return number


def parse_switch(text: str) -> bool:
    if text not in ("", "0", "1"):
        raise ValueError("it must be 1, 0 or empty")
    return text == "1"


def parse_truth(text: str) -> bool:
    words = {"true": True, "1": True, "false": False, "0": False}
    if text.lower() not in words:
        raise ValueError("it must be true or false")
    return words[text.lower()]


def parse_header(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        raise ValueError("a header holds only printable ASCII")
    return text


def parse_mail(text: str) -> str:
    if text and not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", parse_header(text)):
        raise ValueError("it is no e-mail address")
    return text


def parse_routing(text: str) -> dict[str, tuple[str, ...]]:
    """Parse "a,b,c" for every kind, or a JSON object of such lists by kind.

    "default" stands for kinds that are not named.
    """
    if not text:
        return {}
    if not text.startswith(("{", "[")):
        routing = {"default": parse_names(text)}
    else:
        routing = parse_routing_by_kind(text)
    for kind, names in routing.items():
        check_routed_names(kind, names)
    return routing


def parse_routing_by_kind(text: str) -> dict[str, tuple[str, ...]]:
    """Parse a JSON object that gives a list of names, or names with commas, by kind."""
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"it is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise ValueError('the JSON must be an object such as {"web": ["brave", "searxng"]}')
    routing: dict[str, tuple[str, ...]] = {}
    for kind, names in value.items():
        listed = names.split(",") if isinstance(names, str) else names
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            raise ValueError(f"{kind!r} takes a list of providers")
        routing[kind] = parse_names(",".join(listed))
    return routing


def check_routed_names(kind: str, names: Iterable[str]) -> None:
    """Raise ValueError for an unknown kind, or a provider that is not of it.

    A search engine of ddgs may be named without "ddgs:".
    """
    check_choice(kind, ("default", *ROUTED_PROVIDERS), "kinds")
    if kind == "default":
        known = tuple(dict.fromkeys(itertools.chain.from_iterable(ROUTED_PROVIDERS.values())))
    else:
        known = ROUTED_PROVIDERS[kind]
    for name in names:
        if f"ddgs:{name}" not in known:
            check_choice(name, known, f"providers of {kind}" if kind != "default" else "providers")


def parse_list(text: str) -> tuple[str, ...]:
    return parse_names(text) if text else ()


def parse_span(text: str) -> float:
    """Parse a time span to seconds: "4h", "30m", "90d", or a plain number."""
    unit = SECONDS_PER_UNIT.get(text[-1:].lower())
    return parse_seconds(text[:-1]) * unit if unit else parse_seconds(text)
