"""Every tool with every key and switch set, before a web that is written down.

For clients over HTTP, and as a program on standard input, which takes the folder it works in.
Whichever service is first in the order of its kind answers as its contract has it (`contracts`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from research_core import policy
from research_core.errors import FetchError
from research_core.interfaces.mcp.server import serve_stdio
from research_core.journal.circuit_breaker import CircuitBreakers as Paces
from research_core.model_messages import Json
from research_core.models import HttpReply, Principal
from research_core.search.providers import KINDS, PROVIDERS
from research_core.settings import SETTING_ROWS
from research_core.tools import CLIENT_TOOLS
from research_core.tools.registry import Tool
from research_core.userdata import consent, workspaces
from research_core.wiring import LOCAL_USER, Resources
from tests.contracts import encoded
from tests.counter import Counter, make_tool_caller
from tests.search.providers.test_contract import CASES, run
from tests.tool_session import HTML, html

PAGE, ROOM = "https://tides.example.org/bay", "tides"
WORDS = "The bay has the highest tides of all, and the harbour seals know their hours better than the pilots do. "
SOURCE: Json = {"url": PAGE, "title": "Tides of the bay", "author": "Ann Lee", "date": "2024"}
_FIELDS = {row.name: row.field for row in SETTING_ROWS}
#: What an address or a mail is set to, which cannot be any word; and what nobody needs, but is
#: served better with.
SET = {
    "SEARXNG_URL": "http://searx.example.org",
    **dict.fromkeys(("EDGAR_CONTACT_EMAIL", "OPENALEX_EMAIL"), "ann@example.org"),
}
MORE_KEYS = (
    "OPENALEX_EMAIL", "OPENALEX_API_KEY", "PUBMED_API_KEY", "SEMANTIC_SCHOLAR_API_KEY", "COURTLISTENER_API_TOKEN", "IA_ACCESS_KEY",
    "IA_SECRET_KEY",
)  # fmt: skip

#: The values of parameters, wherever they are required; and what tools are given beside.
VALUES: Json = {
    "query": "tea", "url": PAGE, "paper": "10.1000/tea.9", "note": "High water at nine.", "workspace_id": ROOM, "searchStep": "Look.",
    "stepNumber": 1, "nextStepNeeded": True, "citation": PAGE, "recommendations": [{"title": "Tides", "url": PAGE}],
}  # fmt: skip
MORE: Mapping[str, Json] = {
    "citation_graph": {"direction": "cited_by"},
    "econ_search": {"series_id": "TEAUS"},
    "filing_search": {"query": "CIK1234567", "form_type": "10k"},
    "clinical_search": {"query": "tea"},
    "patent_search": {"query": "fuel cell"},
    "format_bibliography": {"sources": [SOURCE]},
    "audit_bibliography": {"entries": [SOURCE]},
    "brand_research": {"url": PAGE, "depth": "quick"},
}


def arguments(row: Tool, session: str) -> Json:
    """What a tool is called with: a value for each parameter that it requires. session: of
    sequential_search.
    """
    known = {**VALUES, "sessionId": session}
    return {
        **{name: known[name] for name in row.schema.get("required", ())},
        **MORE.get(row.name, {}),
    }


def everything() -> Json:
    """The settings with every key of a service and every switch of a tool."""
    needed = [name for row in PROVIDERS for name in row.needs]
    keys = {
        _FIELDS[name]: SET.get(name, f"{name.lower()}-of-a-test") for name in (*needed, *MORE_KEYS)
    }
    return {**keys, **{row.switch: True for row in CLIENT_TOOLS if row.switch}, "robots": False}


@cache
def answers() -> Mapping[tuple[str, str], Any]:
    """(host, part of an address) → what is answered, by the first provider of each kind; what two
    kinds are answered there is one.
    """
    told: dict[tuple[str, str], Any] = {}
    for kind in KINDS:
        first = next(row for row in PROVIDERS if row.kind == kind and not row.named_only)
        case = next(case for case in CASES if (case.name, case.kind) == (first.name, kind))
        for host in {urlsplit(url).netloc for _, url, _ in run(case, case.answers)[1].asked}:
            for part, body in case.answers:
                both = isinstance(told.get((host, part)), dict) and isinstance(body, dict)
                told[host, part] = {**told[host, part], **body} if both else body
    return told


class Written:
    """The web: those services, pages of example.org, and an archive that turns everybody away."""

    def send(self, _method: str, url: str, **_options: Any) -> HttpReply:
        host = urlsplit(url).netloc
        for (at, part), body in answers().items():
            if at == host and part in url:
                return HttpReply(url, 200, {}, encoded(body))
        if host.endswith(("example.org", "example.com")):
            return HttpReply(url, 200, HTML, html(WORDS * 9, title="Tides").encode())
        if host.endswith("archive.org"):
            return HttpReply(url, 403, {}, b"")
        raise FetchError("There is nobody at this address.", kind="network")


def ready(resources: Resources, who: Principal) -> None:
    """Let this user keep and share what tools keep."""
    for purpose in policy.CONSENT_PURPOSES:
        consent.give_consent(resources.db, who, purpose, resources.clock.now())
    workspaces.add_member(resources.db, ROOM, who, resources.clock.now())


def outside(resources: Counter) -> None:
    """Put that web in the place of the resources' own, where nobody waits for their turn."""
    resources.__dict__["client"] = Written()
    resources.__dict__["services"] = Paces(partial(next, count(0.0, 5.0)))


def main(folder: str) -> None:
    resources = make_tool_caller(Path(folder), {}, **everything()).resources
    assert isinstance(resources, Counter)
    outside(resources)
    ready(resources, LOCAL_USER)
    serve_stdio(resources)


if __name__ == "__main__":
    main(sys.argv[1])
