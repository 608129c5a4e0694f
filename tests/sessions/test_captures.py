"""Finding the PDF that the web answered for a page of a session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from research_core.journal.doorway import Doorway
from research_core.journal.events import Draft
from research_core.models import HttpReply
from research_core.policy import RunSettings
from research_core.sessions import captures, session_start
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.logs import BEN, Hands

PAPER = "http://papers.example.org/dive.pdf"
PAGE = "http://papers.example.org/dive"
BODY = b"%PDF-1.4\n%%EOF"


class Files:
    """A web of two pages."""

    def send(self, method: str, address: str, **options: Any) -> HttpReply:
        body = BODY if address == PAPER else b"<p>See the PDF: %PDF-1.4</p>"
        return HttpReply(address, 200, {}, body, (address,))


@pytest.fixture
def resources(tmp_path: Path) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path)}))


def test_a_pdf_comes_back_and_nothing_else(resources: Resources) -> None:
    session = session_start.new_session(
        resources, "How deep do whales dive?", RunSettings(engines=("library",))
    )
    log = open_log(resources, LOCAL_USER, session)
    log.append(Draft("created", {"question": "?", "settings": {}}, "created"))
    http = Doorway(log, Files(), None, Hands()).http  # type: ignore[arg-type]
    for address in (PAPER, PAGE):
        http.send("GET", address)
    assert captures.find_pdf(resources, session, PAPER) == BODY
    for address in (PAGE, f"{PAPER}?other", ""):
        assert captures.find_pdf(resources, session, address) == b""
    assert captures.find_pdf(resources, session, PAPER, who=BEN) == b""
    resources.close()
