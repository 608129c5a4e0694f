"""Remove made-up addresses from a writer's text.

A model may invent a link or a bare address. The words of such a link stay, its address is removed.
Addresses of sources, and those that appear in their passages, are kept.
"""

from __future__ import annotations

import re
from collections.abc import Collection

#: Replaces a bare address that was removed.
REMOVED_ADDRESS = "(address removed)"
_ADDRESS = r"(?:(?:https?|ftp)://|www\.)[^\s<>\[\]\"”»`|]+"
_TITLE = r"(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^)\n]*\)))?"
#: An address may contain round brackets, nested once.
_TARGET = r"(?:[^\s()<>]|\((?:[^\s()<>]|\([^\s()<>]*\))*\))*+"
_LINK = re.compile(
    rf"""
      ^[ ]{{0,3}}\[[^\[\]\n]{{1,200}}\]:[ \t]*<?(?P<defined>{_ADDRESS})[^\n]*\n?
    | !?\[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]*\]){{0,600}}+)\]
      \(\s*(?P<target><[^<>\n]*>|{_TARGET}){_TITLE}\s*\)
    | <(?P<enclosed>(?:https?|ftp|mailto):[^<>\s]+)>
    | \(\s*(?P<alone>(?:https?://|www\.)[^\s<>\[\]()\"”»`|]+)\s*\)
    | (?P<bare>{_ADDRESS})
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
#: Words of a link that are a citation mark: "1", "[2]", "^3", an id.
_MARK = re.compile(r"\[?\^?(?:\d{1,3}|p[0-9a-z]{4,16})\]?")
_LEAD = re.compile(r"\A(?:https?://|ftp://)?(?:www\.)?", re.IGNORECASE)
_END_OF_SENTENCE = re.compile(r"[.,;:!?…*_'’]+\Z|[。！？，、；：「」『』（）].*\Z", re.DOTALL)


def remove_invented_links(
    text: str, known: Collection[str], shown: str = "", mark: str = ""
) -> tuple[str, int]:
    """Return the text without addresses that are not known, and how many were removed.

    known: addresses of sources; shown: text of their passages, whose addresses are kept too; mark:
    added after each link that lost its address, so that its sentence can be found.
    """
    addresses = {_normalize(address) for address in known}
    shown = shown.lower()
    removed = 0

    def is_known(address: str) -> bool:
        plain = _normalize(address)
        return not plain or plain in addresses or plain in shown

    def replace_link(link: re.Match[str]) -> str:
        nonlocal removed
        if is_known(_find_address(link)):
            # Of a mark that is a link, the mark decides.
            is_mark = link["words"] is not None and _MARK.fullmatch(link["words"])
            return _leave_words(link) if is_mark else link[0]
        removed += 1
        return "" if link["defined"] else _leave_words(link) + mark

    return _LINK.sub(replace_link, text), removed


def _find_address(link: re.Match[str]) -> str:
    address = link["defined"] or link["target"] or link["enclosed"] or link["alone"]
    return address.strip("<>") if address else _split_bare(link["bare"] or "")[0]


def _leave_words(link: re.Match[str]) -> str:
    """Return a link without its address; a citation mark stays one."""
    words = link["words"]
    if words is None:
        end = _split_bare(link["bare"])[1] if link["bare"] else ""
        return REMOVED_ADDRESS + end
    if _MARK.fullmatch(words):
        return f"[{words.strip('[]^ ')}]"
    return REMOVED_ADDRESS if re.fullmatch(rf"\s*{_ADDRESS}\s*", words) else str(words)


def _split_bare(address: str) -> tuple[str, str]:
    """Split a bare address from the punctuation that follows it."""
    end = _END_OF_SENTENCE.search(address)
    start = end.start() if end else len(address)
    while address[:start].endswith(")") and address[:start].count("(") < address[:start].count(")"):
        start -= 1
    return address[:start], address[start:]


def _normalize(address: str) -> str:
    """Return an address for comparison: lower case, no scheme, "www.", fragment or final slash."""
    return _LEAD.sub("", address.strip()).partition("#")[0].rstrip("/").lower()
