"""What a site's robots.txt (RFC 9309) says to us: which of its pages programs are asked not to
read, and how fast they may ask.

Python 3.11's own reader takes the first rule that fits, not the longest, and knows no wildcard.
Pure: bytes in, rules out. Any bytes are read; what is no rule is passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

#: Our name in a robots.txt, as it begins our User-Agent.
TOKEN = "ResearchAgent"
#: Bytes that are read of one; RFC 9309 wants at least 500 KiB.
LIMIT = 500 * 1024
EVERYBODY = "*"


@dataclass(frozen=True)
class Rule:
    """pieces: what stands between the pattern's asterisks; whole: it has to reach the end. weight:
    of two that fit the heavier counts.
    """

    allow: bool
    pieces: tuple[str, ...]
    whole: bool
    weight: int

    def fits(self, path: str) -> bool:
        first, *between = self.pieces
        last = between.pop() if between else None
        at = len(first)
        if not path.startswith(first):
            return False
        if last is None:
            return not self.whole or at == len(path)
        for piece in between:
            found = path.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        return (
            path.endswith(last) and len(path) - len(last) >= at
            if self.whole
            else path.find(last, at) >= 0
        )


@dataclass(frozen=True)
class Rules:
    """Those that are meant for us, the heaviest first. delay_s: seconds the site wants between two
    requests, None where it does not say.
    """

    rules: tuple[Rule, ...] = ()
    delay_s: float | None = None

    def allows(self, target: str) -> bool:
        """target: path and query, as they are asked for."""
        path = _normal(target).replace("*", "%2A").replace("$", "%24")
        return path == "/robots.txt" or next(
            (rule.allow for rule in self.rules if rule.fits(path)), True
        )

    @property
    def size(self) -> int:
        """About how many bytes they take."""
        return sum(200 + rule.weight for rule in self.rules)


@dataclass
class _Group:
    rules: dict[Rule, None] = field(default_factory=dict)
    delays: list[float] = field(default_factory=list)


def read_robots(body: bytes, token: str = TOKEN) -> Rules:
    """The rules for this product: those of all groups that name it, else those for everybody."""
    groups: dict[str, _Group] = {}
    meant, naming = set[str](), False
    for name, value in _lines(body):
        if name == "user-agent":
            meant = meant if naming else set()
            meant.add(_product(value))
            naming = True
        elif name in ("allow", "disallow", "crawl-delay"):
            naming = False
        for group in (
            groups.setdefault(product, _Group()) for product in meant & {token.lower(), EVERYBODY}
        ):
            _add(group, name, value)
    ours = groups.get(token.lower()) or groups.get(EVERYBODY) or _Group()
    return Rules(
        tuple(sorted(ours.rules, key=lambda rule: (-rule.weight, not rule.allow))),
        max(ours.delays, default=None),
    )


def _lines(body: bytes) -> list[tuple[str, str]]:
    """(name in lower case, value) of each line that has one; a last line that the limit cuts
    through is none.
    """
    text = body[:LIMIT].decode("utf-8", "replace").removeprefix("\ufeff")
    lines = re.split(r"\r\n|\r|\n", text)
    parts = [
        line.partition("#")[0].partition(":")
        for line in (lines[:-1] if len(body) > LIMIT else lines)
    ]
    return [(name.strip().lower(), value.strip()) for name, colon, value in parts if colon]


def _product(value: str) -> str:
    """The product that a line names, without its version."""
    found = re.match(r"[A-Za-z_-]+", value)
    return EVERYBODY if value.startswith("*") else found[0].lower() if found else ""


def _add(group: _Group, name: str, value: str) -> None:
    if name == "crawl-delay" and re.fullmatch(r"[0-9]{1,6}(\.[0-9]{0,6})?", value):
        group.delays.append(float(value))
    elif name in ("allow", "disallow") and value:  # one without a path says nothing
        whole = value.endswith("$")
        pattern = re.sub(r"\*+", "*", _normal(value.removesuffix("$")).replace("$", "%24"))
        group.rules[
            Rule(name == "allow", tuple(pattern.split("*")), whole, len(pattern) + whole)
        ] = None


_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}|[^!-~]")
_PLAIN = re.compile(r"[A-Za-z0-9._~-]")


def _normal(text: str) -> str:
    """One spelling of a path: what need not be escaped is not, what has to be is."""

    def one(found: re.Match[str]) -> str:
        sign = found[0]
        if len(sign) == 1:
            return "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "replace"))
        plain = chr(int(sign[1:], 16))
        return plain if _PLAIN.fullmatch(plain) else sign.upper()

    return _ESCAPED.sub(one, text)
