"""Read robots.txt (RFC 9309): which pages programs should not read, and how fast they may ask.

Protego groups the rules and decides which one counts. This module decides before that how much of
a file is read, what a line is, and which name is ours. Protego never sees the name of another
program, so no file can make it do more work than the file is long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protego import Protego

#: Our name in a robots.txt; our User-Agent begins with it.
TOKEN = "ResearchAgent"
#: Bytes read of a file; RFC 9309 wants at least 500 KiB.
LIMIT = 500 * 1024
#: Names of the groups for all programs, and for a program other than ours.
EVERYBODY, SOMEBODY_ELSE = "*", "other"
#: Bytes that a parsed rule takes, besides its characters; one with a wildcard takes twice as many.
RULE_SIZE = 500
_DELAY = re.compile(r"[0-9]{1,6}(?:\.[0-9]{0,6})?")


@dataclass(frozen=True)
class Rules:
    """The rules of one file. lines: its rules, each in one spelling."""

    lines: tuple[str, ...] = ()
    _parsed: Protego = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Imported here: it takes 7 ms, and only a request for a page needs it.
        from protego import Protego

        object.__setattr__(self, "_parsed", Protego.parse("\n".join(self.lines)))

    def allows(self, target: str) -> bool:
        """Return True if we may read this page. target: path and query, as they are requested."""
        return self._parsed.can_fetch(f"http://site/{target.removeprefix('/')}", TOKEN)

    @property
    def delay_s(self) -> float | None:
        """Seconds the site wants between two requests; None if it does not say."""
        return self._parsed.crawl_delay(TOKEN)

    @property
    def size(self) -> int:
        """About how many bytes the parsed rules take."""
        size = 0
        for line in self.lines:
            size += RULE_SIZE * (2 if re.search(r"[*$]", line) else 1) + 2 * len(line)
        return size


def read_robots(body: bytes) -> Rules:
    """Read the rules of a file. Any bytes can be read; a line that is no rule is skipped."""
    text = body[:LIMIT].decode("utf-8", "replace").removeprefix("\ufeff")
    lines = re.split(r"\r\n|\r|\n", text)
    if len(body) > LIMIT:
        lines.pop()  # the limit cuts through it
    return Rules(tuple(_normalize_lines(lines)))


def _normalize_lines(lines: list[str]) -> Iterator[str]:
    """Yield the rules in one spelling, without what Protego would accept beside them.

    It would also read misspelled names of fields, and the fields of other programs.
    """
    for line in lines:
        name, colon, value = line.partition("#")[0].partition(":")
        name, value = name.strip().lower(), " ".join(value.split())
        if not colon:
            continue
        if name == "user-agent":
            yield f"{name}: {_find_group(value)}"
        elif name in ("allow", "disallow"):
            # The longest rule counts, and further asterisks make none longer.
            pattern = re.sub(r"\*+", "*", value)
            yield f"{name}: {pattern}"
        elif name == "crawl-delay":
            yield f"{name}: {value if _DELAY.fullmatch(value) else ''}"


def _find_group(value: str) -> str:
    """Return the name of the group a User-agent line is for: ours, all programs, or another."""
    if value.startswith("*"):
        return EVERYBODY
    product = re.match(r"[A-Za-z_-]+", value)  # without its version
    return TOKEN if product and product[0].lower() == TOKEN.lower() else SOMEBODY_ELSE
