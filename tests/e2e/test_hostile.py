"""Hostile words on every screen of a real browser: nothing is loaded, nothing runs, nothing breaks
the layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from research_core.settings import Settings
from research_core.wiring import Resources
from tests import hostile
from tests.e2e.conftest import OWN, served, until_settled


@dataclass(frozen=True)
class Seeded:
    """A server over a home full of hostile words. session, failed: ids."""

    address: str
    session: str
    failed: str
    beacon: hostile.Beacon


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seeded]:
    folder = tmp_path_factory.mktemp("hostile")
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(folder / "home")}))
    with hostile.beacon() as beacon:
        session, failed = (
            hostile.session(resources, beacon.address),
            hostile.failed(resources, beacon.address),
        )
        hostile.documents(resources, folder / "documents", beacon.address)
        resources.close()
        with served(folder) as address:
            yield Seeded(address, session, failed, beacon)
        assert beacon.called == []


def screens(seeded: Seeded) -> list[str]:
    of_session = [
        f"{name}?session={seeded.session}"
        for name in ("live", "sources", "gate", "report", "replay")
    ]
    return [
        *of_session,
        f"compare?session={seeded.session}&with={seeded.failed}",
        f"live?session={seeded.failed}",
        "sessions",
        "library",
        "settings",
        "",
    ]


@pytest.mark.full
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_hostile_words_load_run_and_break_nothing(
    seeded: Seeded, browser: Browser, scheme: Literal["light", "dark"], width: int
) -> None:
    with browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 800}
    ) as context:
        page = context.new_page()
        said = watched(page)
        for screen in screens(seeded):
            page.goto(f"{seeded.address}/{screen}")
            until_settled(page)
            assert page.locator("[data-testid=stException]").count() == 0, screen
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), screen
            assert page.evaluate("window.ran === undefined"), screen
            assert page.locator("a[href^='mailto:']").count() == 0, screen
            assert seeded.beacon.called == [], screen
            assert said == [], screen


def watched(page: Page) -> list[str]:
    """What the page says that it must not: violations of the policy, script errors, dialogs,
    requests to anywhere but the server.
    """
    said: list[str] = []
    page.on(
        "console",
        lambda message: (
            said.append(message.text) if "Content Security Policy" in message.text else None
        ),
    )
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on(
        "request", lambda request: None if request.url.startswith(OWN) else said.append(request.url)
    )
    return said
