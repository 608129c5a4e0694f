"""The JSON-LD of a page within bounds, and the one node of it that speaks of the page itself.

It believes the page as far as a page can be believed about itself: nothing here is compared with
anything, and no context is loaded. What is no JSON, too long or nested too deep is passed over.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from research_core.model_messages import Json
from research_core.text.words import visible

Element = Any  # lxml ships no types

BLOCKS, BLOCK_BYTES, TOTAL_BYTES = 16, 32 * 1024, 64 * 1024
DEPTH = 24
#: Nodes looked at in all blocks together.
NODES = 500

_WRAPPINGS = (
    ("<!--", "-->"),
    ("//<![CDATA[", "//]]>"),
    ("// <![CDATA[", "// ]]>"),
    ("<![CDATA[", "]]>"),
    ("/*<![CDATA[*/", "/*]]>*/"),
)


def blocks(tree: Element) -> list[Any]:
    """The parsed values of the blocks in document order, without what cannot be seen in their
    texts; always JSON again.
    """
    found: list[Any] = []
    room = TOTAL_BYTES
    for script in tree.iter("script"):
        if "ld+json" not in (script.get("type") or "").lower() or len(found) == BLOCKS:
            continue
        source = script.text or ""
        size = len(source.encode("utf-8", "replace"))
        if size <= min(room, BLOCK_BYTES) and (value := _parsed(source.strip())) is not None:
            found.append(value)
            room -= size
    return found


def _parsed(source: str) -> Any:
    """The value, None where it is no object or array of JSON."""
    try:
        value = json.loads(
            _bare_source(source), strict=False, parse_float=_finite, parse_constant=_refused
        )
        return _clean(value, DEPTH) if isinstance(value, (dict, list)) else None
    except (ValueError, RecursionError):  # RecursionError: deeper than any depth allowed here
        return None


def _bare_source(source: str) -> str:
    for opening, closing in _WRAPPINGS:
        if source.startswith(opening):
            source = source.removeprefix(opening).removesuffix(closing).strip()
    return source.removesuffix(";")


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError("no JSON can hold it")
    return number


def _refused(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _clean(value: Any, depth: int) -> Any:
    if depth == 0:
        raise ValueError("nested too deep")
    if isinstance(value, str):
        return value if value.isascii() and value.isprintable() else visible(value)
    if isinstance(value, list):
        return [_clean(each, depth - 1) for each in value]
    if isinstance(value, dict):
        return {_clean(name, depth): _clean(each, depth - 1) for name, each in value.items()}
    return value


# ---------------------------------------------------------------- the node of the page


@dataclass(frozen=True)
class Linked:
    """Nodes that may speak of the page, in document order, and every node by its @id."""

    nodes: Sequence[Json] = ()
    by_id: Mapping[str, Json] = field(default_factory=dict)

    def node(self, value: Any) -> Json:
        """The node a value is or names by its @id; {} for neither."""
        if isinstance(value, str):
            return self.by_id.get(value, {})
        if not isinstance(value, dict):
            return {}
        return (
            value
            if len(value) > 1 or "@id" not in value
            else self.by_id.get(_text(value["@id"]), value)
        )

    def all(self, value: Any) -> Iterator[Json | str]:
        """What a property holds, one by one: a node, or the text that names none."""
        for each in (value if isinstance(value, list) else [value])[:NODES]:
            if found := self.node(each):
                yield found
            elif isinstance(each, str) and each.strip():
                yield each

    def of_page(self, addresses: frozenset[str], headline: str = "") -> Sequence[Json]:
        """The nodes that speak of the page, the likeliest first: of each kind the one that names
        one of these addresses or this headline,

        else the first.
        """
        ordered = sorted(self.nodes, key=lambda node: not self._is_of(node, addresses, headline))
        best = {rank: node for node in reversed(ordered) if (rank := _rank(node)) is not None}
        return [best[rank] for rank in sorted(best)]

    def of_type(self, *names: str) -> Iterator[Json]:
        return (node for node in self.nodes if not types(node).isdisjoint(names))

    def _is_of(self, node: Json, addresses: frozenset[str], headline: str) -> bool:
        named = (
            node.get("url"),
            node.get("@id"),
            self.node(node.get("mainEntityOfPage")).get("@id"),
            node.get("mainEntityOfPage"),
        )
        if any(_bare(name) in addresses for name in named if isinstance(name, str) and name):
            return True
        return (
            bool(headline)
            and _text(node.get("headline") or node.get("name")).strip().casefold()
            == headline.casefold()
        )


def linked(found: Sequence[Any]) -> Linked:
    """The nodes of these blocks. Those nested in properties other than @graph are only found by
    their @id.
    """
    nodes: list[Json] = []
    by_id: dict[str, Json] = {}
    waiting = deque((value, True) for value in found)
    for _ in range(NODES):
        if not waiting:
            break
        value, tops = waiting.popleft()
        if isinstance(value, list):
            waiting += [(each, tops) for each in value[:NODES]]
        elif isinstance(value, dict):
            if tops and "@type" in value:
                nodes.append(value)
            if len(value) > 1 and (name := _text(value.get("@id"))):
                by_id.setdefault(name, value)
            waiting += [
                (each, tops and key in _STILL_TOP)
                for key, each in value.items()
                if isinstance(each, (dict, list))
            ]
    return Linked(nodes, by_id)


_STILL_TOP = frozenset({"@graph", "mainEntity", "mainEntityOfPage"})

#: Kinds of nodes that have an author or a date, the likeliest to be the page first; of other kinds
#: nothing is believed.
_KINDS = (
    re.compile(
        r"\w*Article|(?!Job)\w+Posting|Report|\w*Review|Recipe|HowTo|Chapter|Thesis|Dataset|APIReference"
    ),
    re.compile(
        r"CreativeWork|VideoObject|PodcastEpisode|Episode|AudioObject|SoftwareSourceCode|Question|Course|Event"
    ),
    re.compile(r"\w*Page"),
)


def _rank(node: Json) -> int | None:
    return next(
        (rank for rank, kind in enumerate(_KINDS) if any(map(kind.fullmatch, types(node)))), None
    )


def types(node: Json) -> frozenset[str]:
    """The bare names of a node's types: "NewsArticle", not "http://schema.org/NewsArticle"."""
    said = node.get("@type")
    return frozenset(
        re.split(r"[/#:]", name)[-1]
        for name in (said if isinstance(said, list) else [said])
        if isinstance(name, str)
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _bare(address: str) -> str:
    return address.split("#")[0].rstrip("/")
