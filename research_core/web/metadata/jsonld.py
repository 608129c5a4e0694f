"""Read the JSON-LD of a page within bounds, and find the node about the page itself.

A page is believed about itself; nothing is verified and no context is loaded. Invalid JSON, and
what is too long or nested too deep, is skipped.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from research_core.model_messages import Json
from research_core.text.words import keep_letters, strip_invisible
from research_core.web.lxml_types import Element

MAX_BLOCKS, MAX_BLOCK_BYTES, MAX_TOTAL_BYTES = 16, 32 * 1024, 64 * 1024
MAX_DEPTH = 24
#: Nodes examined in all blocks together.
MAX_NODES = 500
#: Characters of a block that may hold the text of an article; and the words and letters from which,
#: and up to which, a declared length says something.
MAX_ARTICLE_BLOCK = 1_000_000
MIN_WORDS, MIN_LETTERS, MAX_WORDS = 150, 600, 200_000

_SOURCE_WRAPPINGS = (
    ("<!--", "-->"),
    ("//<![CDATA[", "//]]>"),
    ("// <![CDATA[", "// ]]>"),
    ("<![CDATA[", "]]>"),
    ("/*<![CDATA[*/", "/*]]>*/"),
)


def read_blocks(tree: Element) -> list[Any]:
    """Return the parsed JSON-LD blocks in document order, with invisible characters removed."""
    found: list[Any] = []
    room = MAX_TOTAL_BYTES
    for script in tree.iter("script"):
        if "ld+json" not in (script.get("type") or "").lower() or len(found) == MAX_BLOCKS:
            continue
        source = script.text or ""
        size = len(source.encode("utf-8", "replace"))
        if (
            size <= min(room, MAX_BLOCK_BYTES)
            and (value := _parse_source(source.strip())) is not None
        ):
            found.append(value)
            room -= size
    return found


def _parse_source(source: str) -> Any:
    """Parse one block; None if it is no JSON object or array."""
    try:
        value = json.loads(
            _unwrap_source(source),
            strict=False,
            parse_float=_parse_finite,
            parse_constant=_refuse_constant,
        )
        return _clean_value(value, MAX_DEPTH) if isinstance(value, (dict, list)) else None
    except (ValueError, RecursionError):  # RecursionError: deeper than any depth allowed here
        return None


def _unwrap_source(source: str) -> str:
    for opening, closing in _SOURCE_WRAPPINGS:
        if source.startswith(opening):
            source = source.removeprefix(opening).removesuffix(closing).strip()
    return source.removesuffix(";")


def _parse_finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError("no JSON can hold it")
    return number


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _clean_value(value: Any, depth: int) -> Any:
    if depth == 0:
        raise ValueError("nested too deep")
    if isinstance(value, str):
        return value if value.isascii() and value.isprintable() else strip_invisible(value)
    if isinstance(value, list):
        return [_clean_value(each, depth - 1) for each in value]
    if isinstance(value, dict):
        return {
            _clean_value(name, depth): _clean_value(each, depth - 1) for name, each in value.items()
        }
    return value


# ---------------------------------------------------------------- the node of the page


@dataclass(frozen=True)
class LinkedNodes:
    """The nodes that may be about the page, in document order, and every node by its @id."""

    nodes: Sequence[Json] = ()
    by_id: Mapping[str, Json] = field(default_factory=dict)

    def resolve_node(self, value: Any) -> Json:
        """Return the node a value is, or refers to by @id; {} for neither."""
        if isinstance(value, str):
            return self.by_id.get(value, {})
        if not isinstance(value, dict):
            return {}
        if len(value) > 1 or "@id" not in value:
            return value
        return self.by_id.get(_find_first_text(value["@id"]), value)

    def all(self, value: Any) -> Iterator[Json | str]:
        """Yield what a property holds: nodes, or texts that refer to none."""
        for each in (value if isinstance(value, list) else [value])[:MAX_NODES]:
            if found := self.resolve_node(each):
                yield found
            elif isinstance(each, str) and each.strip():
                yield each

    def of_page(self, addresses: frozenset[str], headline: str = "") -> Sequence[Json]:
        """Return the nodes about the page, most likely first.

        One of each kind: the one that names one of these addresses or this headline, else the
        first.
        """
        ordered = sorted(self.nodes, key=lambda node: not self._is_of(node, addresses, headline))
        best: dict[int, Json] = {}
        for node in ordered:
            rank = _rank_node(node)
            if rank is not None:
                best.setdefault(rank, node)
        return [best[rank] for rank in sorted(best)]

    def of_type(self, *names: str) -> Iterator[Json]:
        return (node for node in self.nodes if not get_node_types(node).isdisjoint(names))

    def _is_of(self, node: Json, addresses: frozenset[str], headline: str) -> bool:
        named = (
            node.get("url"),
            node.get("@id"),
            self.resolve_node(node.get("mainEntityOfPage")).get("@id"),
            node.get("mainEntityOfPage"),
        )
        for name in named:
            if isinstance(name, str) and name and _strip_address(name) in addresses:
                return True
        title = _find_first_text(node.get("headline") or node.get("name")).strip()
        return bool(headline) and title.casefold() == headline.casefold()


def link_nodes(found: Sequence[Any]) -> LinkedNodes:
    """Collect the nodes of these blocks.

    Nodes nested in properties other than @graph are only found by their @id.
    """
    nodes: list[Json] = []
    by_id: dict[str, Json] = {}
    waiting = deque((value, True) for value in found)
    for _ in range(MAX_NODES):
        if not waiting:
            break
        value, tops = waiting.popleft()
        if isinstance(value, list):
            waiting += [(each, tops) for each in value[:MAX_NODES]]
        elif isinstance(value, dict):
            if tops and "@type" in value:
                nodes.append(value)
            if len(value) > 1 and (name := _find_first_text(value.get("@id"))):
                by_id.setdefault(name, value)
            waiting += [
                (each, tops and key in _TOP_LEVEL_PROPERTIES)
                for key, each in value.items()
                if isinstance(each, (dict, list))
            ]
    return LinkedNodes(nodes, by_id)


_TOP_LEVEL_PROPERTIES = frozenset({"@graph", "mainEntity", "mainEntityOfPage"})

#: Kinds of nodes that have an author or a date, most likely the page first; other kinds are
#: ignored.
_PAGE_KINDS = (
    re.compile(
        r"\w*Article|(?!Job)\w+Posting|Report|\w*Review|Recipe|HowTo|Chapter|Thesis|Dataset"
        r"|APIReference"
    ),
    re.compile(
        r"CreativeWork|VideoObject|PodcastEpisode|Episode|AudioObject|SoftwareSourceCode|Question"
        r"|Course|Event"
    ),
    re.compile(r"\w*Page"),
)


def _rank_node(node: Json) -> int | None:
    names = get_node_types(node)
    for rank, kind in enumerate(_PAGE_KINDS):
        if any(map(kind.fullmatch, names)):
            return rank
    return None


def get_node_types(node: Json) -> frozenset[str]:
    """Return the bare type names of a node: "NewsArticle", not "http://schema.org/NewsArticle"."""
    said = node.get("@type")
    return frozenset(
        re.split(r"[/#:]", name)[-1]
        for name in (said if isinstance(said, list) else [said])
        if isinstance(name, str)
    )


# ---------------------------------------------------------------- the length of the article


@dataclass(frozen=True)
class ArticleLength:
    """The length that a page declares for its article; 0 if it does not.

    letters: of its text, if the page declares the text itself.
    """

    words: int = 0
    letters: int = 0


UNDECLARED_LENGTH = ArticleLength()
_TAG = re.compile(r"<[^<>]{0,2000}>")
#: Characters of scripts that write without spaces, each counted as a word.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


def find_article_length(tree: Element) -> ArticleLength:
    """Return the length that a page declares for its article.

    Undeclared if the page declares none, or the lengths of several articles.
    """
    nodes: list[Json] = []
    for script in tree.iter("script"):
        source = script.text or ""
        if "ld+json" not in (script.get("type") or "").lower() or len(source) > MAX_ARTICLE_BLOCK:
            continue
        if '"articleBody"' in source or '"wordCount"' in source:
            nodes += link_nodes([_parse_source(source.strip())]).nodes
    lengths = []
    for node in nodes:
        length = _read_article_length(node) if _rank_node(node) == 0 else UNDECLARED_LENGTH
        if length != UNDECLARED_LENGTH:
            lengths.append(length)
    return lengths[0] if len(lengths) == 1 else UNDECLARED_LENGTH


def _read_article_length(node: Json) -> ArticleLength:
    body = _TAG.sub(" ", html.unescape(_find_first_text(node.get("articleBody"))))
    letters = len(keep_letters(body))
    if letters >= MIN_LETTERS:
        return ArticleLength(count_words(body), letters)
    words = node.get("wordCount")
    if isinstance(words, str) and re.fullmatch(r"[0-9]{1,6}", words.strip()):
        words = int(words)
    if isinstance(words, (int, float)) and MIN_WORDS <= words <= MAX_WORDS:
        return ArticleLength(round(words))
    return UNDECLARED_LENGTH


def count_words(text: str) -> int:
    """Return the number of words in a text; where none are spaced, of characters."""
    return len(text.split()) + len(_UNSPACED.findall(text))


def _find_first_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _strip_address(address: str) -> str:
    return address.split("#")[0].rstrip("/")
