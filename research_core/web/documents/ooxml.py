"""Read an Open Packaging container (DOCX, PPTX): its parts as XML, their types and references.

No DTD and no entity is followed, and nothing linked or embedded is opened.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lxml import etree

from research_core.errors import FetchError
from research_core.text.words import strip_invisible
from research_core.web.documents.container import BROKEN_ZIP_ERRORS, Container, make_broken_error
from research_core.web.documents.properties import SAFE_XML, get_local_name
from research_core.web.documents.tally import HiddenTextTally, count_characters
from research_core.web.lxml_types import Element
from research_core.web.parser_memory import raise_if_out_of_memory

TYPES_PART = "[Content_Types].xml"
#: Reason for leaving out text that is hidden by a setting of the program.
HIDDEN_BY_AUTHOR = "hidden by its author"
#: Programs draw the first alternative they know; the text is the same in each.
_ALTERNATIVES, _ALTERNATIVE_ORDER = "AlternateContent", ("Choice", "Fallback")


class Package:
    """The parts of a container. Raises FetchError unsupported for parts that are not XML.

    keeps_links: links on words are read as Markdown links, not as their words alone.
    """

    def __init__(self, container: Container, *, keeps_links: bool = False) -> None:
        self.container = container
        self.keeps_links = keeps_links

    @cached_property
    def types(self) -> dict[str, str]:
        """Content types by part name, for parts that declare one."""
        found = {}
        for each in self.xml(TYPES_PART):
            if get_local_name(each) == "Override":
                name = each.get("PartName", "").lstrip("/")
                found[name] = each.get("ContentType", "")
        return found

    def xml(self, name: str) -> Element:
        """Return the root of a part; an empty element if there is no such part."""
        part = self.container.read(name)
        if not part:
            return etree.Element("none")
        try:
            return etree.fromstring(part, etree.XMLParser(**SAFE_XML))
        except (etree.XMLSyntaxError, ValueError) as error:
            raise_if_out_of_memory(error)
            raise _make_broken_part_error(name) from error

    def iterate_elements(self, name: str, inner: str, outer: str) -> Iterator[Element]:
        """Yield every `outer` element of a part, and every `inner` one outside of them, in order.

        Each is freed after its turn, so that a long document is never in memory as a whole.
        """
        try:
            with self.container.open(name) as part:
                yield from _iterate_outermost(part, inner, outer)
        except etree.XMLSyntaxError as error:
            raise_if_out_of_memory(error)
            raise _make_broken_part_error(name) from error
        except BROKEN_ZIP_ERRORS as error:
            raise make_broken_error() from error

    def read_references(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the references of a part: id -> (last word of the type, part name)."""
        folder, base = posixpath.split(name)
        found = {}
        for each in self.xml(f"{folder}/_rels/{base}.rels".lstrip("/")):
            if get_local_name(each) != "Relationship" or each.get("TargetMode") == "External":
                continue
            kind = each.get("Type", "").rpartition("/")[2]
            part = _resolve_part_name(folder, each.get("Target", ""))
            found[each.get("Id", "")] = (kind, part)
        return found

    def link_targets(self, name: str) -> dict[str, str]:
        """Return the web addresses that a part links to, by the id of the reference."""
        folder, base = posixpath.split(name)
        found = {}
        for each in self.xml(f"{folder}/_rels/{base}.rels".lstrip("/")):
            if get_local_name(each) == "Relationship" and each.get("TargetMode") == "External":
                found[each.get("Id", "")] = each.get("Target", "")
        return found

    def first_reference(self, name: str, kind: str) -> str:
        """Return the first part of this kind that a part refers to, or ""."""
        return next(
            (part for each, part in self.read_references(name).values() if each == kind), ""
        )


@dataclass(frozen=True)
class Text:
    """The text a reader extracts from the main part.

    title: the one named in the text itself, if any; cut: as in Metadata.
    """

    text: str
    title: str = ""
    cut: str = ""


#: (package, name of its main part, tally of what is left out) -> the text.
Reader = Callable[[Package, str, HiddenTextTally], Text]


def _iterate_outermost(part: Any, inner: str, outer: str) -> Iterator[Element]:
    depth = 0
    for event, element in etree.iterparse(part, events=("start", "end"), **SAFE_XML):
        name = get_local_name(element)
        if name not in (inner, outer):
            continue
        depth += 1 if event == "start" else -1
        if event == "end" and depth == 0:
            yield element
            _free_element(element)


def _free_element(element: Element) -> None:
    """Free an element and everything before it."""
    element.clear()
    before = element.getprevious()
    while before is not None:
        element.getparent().remove(before)
        before = element.getprevious()


def _resolve_part_name(folder: str, target: str) -> str:
    path = target if target.startswith("/") else f"/{folder}/{target}"
    return posixpath.normpath(path).lstrip("/")


def _make_broken_part_error(name: str) -> FetchError:
    return FetchError(f"The document is damaged: {name} is not XML.", kind="unsupported")


# ---------------------------------------------------------------- walking


def find_child(element: Element | None, *path: str) -> Element | None:
    """Follow a path of child names from an element; None if one is missing."""
    for name in path:
        if element is None:
            return None
        element = next((each for each in element if get_local_name(each) == name), None)
    return element


def get_attribute(element: Element | None, name: str = "val") -> str:
    """Return an attribute by its local name; "" if it is missing or there is no element."""
    if element is None:
        return ""
    for key, text in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(text)
    return ""


def iterate_drawn_children(element: Element | None) -> Iterator[Element]:
    """Yield the children of an element, and of alternatives those of the chosen one."""
    if element is None:
        return
    for each in element:
        if get_local_name(each) != _ALTERNATIVES:
            yield each
            continue
        for name in _ALTERNATIVE_ORDER:
            alternative = find_child(each, name)
            if alternative is not None:
                yield from iterate_drawn_children(alternative)
                break


def format_link(words: str, url: str) -> str:
    """Return a Markdown link, or the words alone if the address is no web address."""
    if not words.strip() or not url.lower().startswith(("http://", "https://")):
        return words
    target = url.strip().replace("(", "%28").replace(")", "%29").replace(" ", "%20")
    return f"[{words.strip()}]({target})"


def clean_lines(text: str, tally: HiddenTextTally) -> str:
    """Fold white space and drop empty lines; count and remove invisible characters."""
    count_characters(text, tally)
    lines = (" ".join(line.split()) for line in strip_invisible(text).split("\n"))
    return "\n".join(filter(None, lines))
