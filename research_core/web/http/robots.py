"""Read robots.txt (RFC 9309): which pages a site asks programs not to read, and how fast they may
ask.

Protego groups the rules and decides which one counts. What is ours comes before it: how much of a
file is read, what a line is, and whose name is ours. It never sees the name of another program, so
no file can make it do more work than the file is long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from protego import Protego

#: Our name in a robots.txt, as it begins our User-Agent.
TOKEN = "ResearchAgent"
#: Bytes that are read of one; RFC 9309 wants at least 500 KiB.
LIMIT = 500 * 1024
EVERYBODY, SOMEBODY_ELSE = "*", "other"
#: Bytes that a parsed rule takes, besides its characters; one with a wildcard takes twice as many.
RULE_SIZE = 500
_DELAY = re.compile(r"[0-9]{1,6}(?:\.[0-9]{0,6})?")


@dataclass(frozen=True)
class Rules:
    """The rules of one file. lines: those of its lines that say something, in one spelling."""

    lines: tuple[str, ...] = ()
    _parsed: Protego = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_parsed", Protego.parse("\n".join(self.lines)))

    def allows(self, target: str) -> bool:
        """Return True if we may read this page. target: path and query, as they are asked for."""
        return self._parsed.can_fetch(f"http://site/{target.removeprefix('/')}", TOKEN)

    @property
    def delay_s(self) -> float | None:
        """Seconds the site wants between two requests; None where it does not say."""
        return self._parsed.crawl_delay(TOKEN)

    @property
    def size(self) -> int:
        """About how many bytes they take."""
        size = 0
        for line in self.lines:
            size += RULE_SIZE * (2 if re.search(r"[*$]", line) else 1) + 2 * len(line)
        return size


def read_robots(body: bytes) -> Rules:
    """Read the rules of a file. Any bytes can be read; a line that is no rule is passed over."""
    text = body[:LIMIT].decode("utf-8", "replace").removeprefix("\ufeff")
    lines = re.split(r"\r\n|\r|\n", text)
    if len(body) > LIMIT:
        lines.pop()  # the limit cuts through it
    return Rules(tuple(_plain(lines)))


def _plain(lines: list[str]) -> Iterator[str]:
    """Yield the lines that Protego is to read. It would also read misspelled names and other
    programs' fields.
    """
    for line in lines:
        name, colon, value = line.partition("#")[0].partition(":")
        name, value = name.strip().lower(), " ".join(value.split())
        if not colon:
            continue
        if name == "user-agent":
            yield f"{name}: {_program(value)}"
        elif name in ("allow", "disallow"):
            pattern = re.sub(
                r"\*+", "*", value
            )  # the longest rule counts, and asterisks make none longer
            yield f"{name}: {pattern}"
        elif name == "crawl-delay":
            yield f"{name}: {value if _DELAY.fullmatch(value) else ''}"


def _program(value: str) -> str:
    """Return whom a group is for: us, everybody, or somebody else."""
    if value.startswith("*"):
        return EVERYBODY
    product = re.match(r"[A-Za-z_-]+", value)  # without its version
    return TOKEN if product and product[0].lower() == TOKEN.lower() else SOMEBODY_ELSE
