"""Parse the style sheets that a page brings along, in `style` elements and `data:` links.

The page is taken to be shown on a usual screen (see `conditions`). No sheet is loaded. Selectors
and declarations stay text here, since most of them are never needed.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from research_core.web.css import conditions, selectors
from research_core.web.css.animations import Frames, parse_animation_parts, read_keyframes
from research_core.web.css.styles import RELEVANT, Style, drop_comments, split_importance
from research_core.web.lxml_types import Element

#: Rules that are kept of a page.
MOST_RULES = 20_000
#: Levels of nested rules that are read, selectors that nesting makes of one, and characters of one.
DEEPEST, MOST_NESTED, LONGEST = 4, 50, 2_000

#: Signs that colours of the page come from elsewhere, or lie over pictures.
_FOREIGN_COLOURS = re.compile(
    r"@import|url\(|gradient\(|(?:color|background[\w-]*+)\s*+:[^;{}]*var\(", re.IGNORECASE
)
_DATA_ADDRESS = re.compile(r"\s*data:[^,;]*(?:;charset=[^,;]*)?(;base64)?,", re.IGNORECASE)
_CUSTOM_PROPERTY = re.compile(r"(--[\w-]+)\s*:\s*([^;{}]+)")
#: The parts of a selector outside attributes, whose values keep their case.
_OUTSIDE_ATTRIBUTES = re.compile(r"(?:^|\])[^\[]++")
#: Rules for readers who want no motion; they may take an animation back.
_REDUCED_MOTION = re.compile(
    r"@media[^{}]{0,200}prefers-reduced-motion(?!\s*:\s*no-)[^{}]{0,200}"
    r"\{((?:[^{}]*+\{[^{}]*+\})*+)",
    re.IGNORECASE,
)


class Rule(NamedTuple):
    """One selector of a style sheet with its declarations.

    order: its place in the sheets; sure: whether its conditions are known to hold.
    """

    order: int
    selector: str
    body: str
    sure: bool = True

    @property
    def declared(self) -> tuple[Style, Style]:
        """The declarations that decide whether text is seen: (normal, important).

        A colour for every element of a tag is left out, because on pages with dark parts a script
        usually corrects it.
        """
        normal, important = read_relevant_declarations(self.body)
        if "." in self.selector or "#" in self.selector:
            return normal, important
        return _drop_colour(normal), _drop_colour(important)


def _drop_colour(style: Style) -> Style:
    return {name: value for name, value in style.items() if name != "color"}


@dataclass(frozen=True)
class PageRules:
    """The rules of a page's own style sheets.

    still: those on animations for readers who want no motion; values: custom property -> every
    value the page gives it; alone: whether the page loads no other sheets; complete: whether its
    colours are known from these rules; quirky: whether browsers ignore the case of classes and ids.
    """

    rules: Sequence[Rule]
    still: Sequence[Rule]
    animations: Mapping[str, Frames]
    values: Mapping[str, Sequence[str]]
    alone: bool
    complete: bool
    quirky: bool


class StyleBlock(NamedTuple):
    """A rule as written.

    selectors: its list of them; body: its declarations; sure: whether it is known to apply.
    """

    selectors: str
    body: str
    sure: bool


def read_page_rules(tree: Element) -> PageRules:
    """Parse the style sheets of a page, each once."""
    links = [link for link in tree.iter("link") if _is_style_link(link)]
    loads_none = all(_DATA_ADDRESS.match(link.get("href") or "") for link in links)
    sources = list(_iterate_sheet_sources(tree))
    sheets = [(drop_comments(css), sure) for css, sure in sources]
    quirky = _is_quirky(tree)
    rules: list[Rule] = []
    for selector, body, sure in islice(_iterate_single_rules(sheets, quirky), MOST_RULES):
        rules.append(Rule(len(rules), selector, body, sure))
    texts = [plain for plain, _ in sheets]
    if rules:
        texts.append(" ".join(tree.xpath("//@style[contains(., '--')]")))
    return PageRules(
        rules=rules,
        still=[rule for plain, _ in sheets for rule in _drop_state_rules(plain, quirky)],
        animations=_read_animations(sheets),
        values=_collect_custom_values(texts),
        alone=loads_none and not any("@import" in css.lower() for css, _ in sources),
        complete=loads_none and not any(_FOREIGN_COLOURS.search(css) for css, _ in sources),
        quirky=quirky,
    )


@lru_cache(maxsize=4096)
def read_relevant_declarations(body: str) -> tuple[Style, Style]:
    """Return the declarations that bear on being seen, and those of them that are important."""
    normal, important = split_importance(body)
    return _keep_relevant(normal), _keep_relevant(important)


def _keep_relevant(style: Style) -> Style:
    return {
        name: value for name, value in style.items() if name in RELEVANT or name.startswith("--")
    }


# ---------------------------------------------------------------- the sheets of a page


def _iterate_sheet_sources(tree: Element) -> Iterator[tuple[str, bool]]:
    """Yield the text of each sheet that may apply, and whether it is known to apply."""
    for element in tree.iter("style", "link"):
        applies = conditions.fits_screen(element.get("media") or "all")
        if applies is False:
            continue
        if element.tag == "style":
            yield element.text or "", applies is True
        elif _is_style_link(element):
            yield _read_data_address(element.get("href") or ""), applies is True


def _is_style_link(link: Element) -> bool:
    return "stylesheet" in (link.get("rel") or "").lower()


def _read_data_address(address: str) -> str:
    """Return the sheet that a `data:` address holds; "" if it holds none that can be read."""
    found = _DATA_ADDRESS.match(address)
    if not found:
        return ""
    data = unquote(address[found.end() :])
    if not found[1]:
        return data
    with suppress(binascii.Error, ValueError):  # no sheet then, for a browser too
        return base64.b64decode(data).decode("utf-8", "replace")
    return ""


def _is_quirky(tree: Element) -> bool:
    """Return whether browsers show the page in quirks mode, which ignores the case of classes."""
    doctype = tree.getroottree().docinfo.doctype.lower()
    old = ("html 4.0 transitional", "html 3", "html 2")
    return "html" not in doctype or any(name in doctype for name in old)


def _iterate_single_rules(sheets: Iterable[tuple[str, bool]], quirky: bool) -> Iterator[StyleBlock]:
    """Yield the rules of all sheets, with one selector each."""
    for css, sheet_sure in sheets:
        for heads, body, sure in _iterate_blocks(css):
            for selector in selectors.split(_fold_case(heads, quirky)):
                yield StyleBlock(selector, body, sheet_sure and sure)


def _drop_state_rules(css: str, quirky: bool) -> Iterator[Rule]:
    for found in _REDUCED_MOTION.finditer(css):
        for heads, body, _ in _iterate_blocks(found[1]):
            if any(parse_animation_parts(body)):
                for selector in selectors.split(_fold_case(heads, quirky))[:MOST_NESTED]:
                    yield Rule(MOST_RULES, selector, body, sure=False)


def _fold_case(heads: str, quirky: bool) -> str:
    if not quirky:
        return heads
    return _OUTSIDE_ATTRIBUTES.sub(lambda found: found[0].lower(), heads)


def _read_animations(sheets: Iterable[tuple[str, bool]]) -> dict[str, Frames]:
    """Return the animations by name; {} if none of them hides anything.

    A later one of the same name counts; one in doubt only where it hides nothing.
    """
    found: dict[str, Frames] = {}
    for css, sheet_sure in sheets:
        for name, frames, is_top_level in read_keyframes(css):
            if name not in found or (sheet_sure and is_top_level) or not frames.hides:
                found[name] = frames
    return found if any(frames.hides for frames in found.values()) else {}


def _collect_custom_values(texts: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in texts:
        for name, value in _CUSTOM_PROPERTY.findall(text.lower()):
            found.setdefault(name, []).append(value)
    return found


# ---------------------------------------------------------------- the rules of a sheet


def _iterate_blocks(
    css: str, around: str = "", *, sure: bool = True, depth: int = 0
) -> Iterator[StyleBlock]:
    """Yield the rules of a sheet that may apply; other at-rules are passed over.

    around: the selectors of the rule it stands in, whose own declarations come first.
    """
    own, inside = _split_body(css)
    if around and own:
        yield StyleBlock(around, own, sure)
    for head, body in inside:
        applies = conditions.is_at_rule_in_force(head) if head.startswith("@") else "@" not in head
        known = sure and applies is True
        if applies is False or ("{" in body and depth >= DEEPEST):
            continue
        if head.startswith("@"):
            scope = _nest_selectors(_insert_scope(head), around) or around
            yield from _iterate_blocks(body, scope, sure=known, depth=depth + 1)
        elif "{" in body:
            yield from _iterate_blocks(
                body, _nest_selectors(head, around), sure=known, depth=depth + 1
            )
        else:
            yield StyleBlock(_nest_selectors(head, around), body, known)


def _split_body(css: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the declarations of a block itself, and (head, body) of each block within."""
    level, start, opened = 0, 0, 0
    own: list[str] = []
    inside: list[tuple[str, str]] = []
    for mark in re.finditer(r"[{};]", css):
        if mark[0] == "{":
            level += 1
            opened = mark.start() if level == 1 else opened
        elif mark[0] == "}":
            level = max(0, level - 1)
        if level > 0:
            continue
        if mark[0] == "}":
            inside.append((css[start:opened].strip(), css[opened + 1 : mark.start()]))
        else:
            own.append(css[start : mark.end()])
        start = opened = mark.end()
    return "".join((*own, css[start:])).strip(), inside


def _insert_scope(head: str) -> str:
    if not head.lower().startswith("@scope"):
        return ""
    return head[6:].partition(" to ")[0].strip(" ()\n")


def _nest_selectors(heads: str, around: str) -> str:
    """Return the selectors of a rule inside others as they would stand alone."""
    if not around or not heads:
        return heads
    found: list[str] = []
    for inner in selectors.split(heads):
        if inner.count("&") > DEEPEST:
            continue
        for outer in selectors.split(around):
            joined = _join_selectors(outer, inner)
            if len(joined) <= LONGEST:
                found.append(joined)
            if len(found) == MOST_NESTED:
                return ",".join(found)
    return ",".join(found)


def _join_selectors(outer: str, inner: str) -> str:
    inner = inner.replace(":scope", "&")
    if "&" not in inner:
        return f"{outer} {inner}"
    start = outer if inner.startswith("&") else ""
    return start + inner.removeprefix("&").replace("&", f":is({outer})")
