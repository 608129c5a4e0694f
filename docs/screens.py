"""Take the pictures of the README and docs/using.md: `python docs/screens.py [folder]`.

They show every screen on the sample library, light and dark, some on a phone. The sessions are
researched in a temporary folder. A picture is taken only once its screen is complete. Needs the
development tools and Chromium. Pictures are PNGs of 256 colours, named by screen and theme, in
docs/screens unless told otherwise.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from research_core.policy import SAMPLE_LIBRARY, CredibilityPolicy, RunSettings
from research_core.sessions import audits, heartbeats, runner, session_control, session_start
from research_core.sessions.run_defaults import OWN
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources
from tests.e2e.conftest import process, until_settled

MINING = "What are the environmental risks of deep-sea mining?"
GUITARS = (
    "How much do flamenco guitarists charge compared with classical guitarists for weddings and"
    " private events?"
)
FUSION = "What progress has been made toward fusion energy?"
GIVEN_REPORT = Path(__file__).parents[1] / "pages" / "parts" / "audit" / "example.md"
SAMPLES = Path(__file__).parents[1] / "research_core" / "search" / "library" / "sample"
DESKTOP: Mapping[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: Mapping[str, Any] = {
    "viewport": {"width": 390, "height": 800}, "is_mobile": True, "has_touch": True,
    "user_agent": "Mozilla/5.0 (Linux; Android 14) Mobile",
}  # fmt: skip
#: The address of each screen: {main} and {other} are the ids of two sessions on one question,
#: {none} of one that found too little.
SCREENS = {
    "ask": "",
    "live": "live?session={main}",
    "sources": "sources?session={main}&if_minimum=0.62",
    "gate": "gate?session={main}",
    "report": "report?session={main}&cite=3",
    "checked-report": "report?session={audit}&cite=4",
    "no-report": "report?session={none}",
    "sessions": "sessions",
    "compare": "compare?session={main}&with={other}",
    "replay": "replay?session={main}&at=60",
    "library": "library",
    "tools": "tools?tool=clinical_search",
    "citations": "citations",
    "check-report": "check_report",
    "my-data": "my_data",
    "settings": "settings",
    "how-far": "how_far",
}
ON_PHONE = ("ask", "live", "sources", "report")


def researched(home: Path) -> dict[str, str]:
    """The sessions of the pictures, finished."""
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(home)}))

    def run_to_the_end(session: str) -> str:
        executor = heartbeats.make_executor_id()
        with heartbeats.keep_heartbeat(resources, executor):
            assert runner.resume_or_run(resources, session, executor).outcome == "done"
        return session

    def research(question: str, run: RunSettings) -> str:
        return run_to_the_end(session_start.new_session(resources, question, run))

    strict = RunSettings(credibility=CredibilityPolicy(minimum=0.62))
    ids = {
        "none": research(GUITARS, RunSettings()),
        "fusion": research(FUSION, RunSettings(mode="deep")),
    }
    of_sample = audits.AuditRequest(library=SAMPLE_LIBRARY, library_only=True)
    ids["audit"] = run_to_the_end(
        audits.new_audit(resources, GIVEN_REPORT.read_text(encoding="utf-8"), of_sample)
    )
    ids |= {"other": research(MINING, strict), "main": research(MINING, RunSettings())}
    resources.library(LOCAL_USER).add_uploads(
        [(path.name, path.read_bytes()) for path in sorted(SAMPLES.glob("seabed-*.html"))[:6]], OWN
    )
    session_control.tag(resources, ids["main"], ["sea", "for Monday"])
    session_control.rename(resources, ids["other"], "Deep-sea mining, stricter sources only")
    resources.close()
    return ids


def pictures(browser: Browser, address: str, ids: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Name and PNG of each picture, always in the same order."""
    for theme in ("light", "dark"):
        for suffix, device, names in (("", DESKTOP, tuple(SCREENS)), ("-phone", PHONE, ON_PHONE)):
            with browser.new_context(
                color_scheme=theme, reduced_motion="reduce", **device
            ) as context:
                page = context.new_page()
                for name in names:
                    page.goto(f"{address}/{SCREENS[name].format(**ids)}")
                    yield f"{name}-{theme}{suffix}.png", still(page)


def still(page: Page) -> bytes:
    """The page once two pictures of it, a moment apart, are the same; after ten tries as it is."""
    until_settled(page)
    before = b""
    for _ in range(10):
        page.wait_for_timeout(300)
        now = page.screenshot(animations="disabled", caret="hide")
        if now == before:
            break
        before = now
    return before


def reduced(png: bytes) -> bytes:
    """The picture in 256 colours, a third of its size, no difference to the eye."""
    packed = BytesIO()
    picture = Image.open(BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    picture.save(packed, "PNG", optimize=True)
    return packed.getvalue()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "screens"
    folder.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as place:
        ids = researched(Path(place) / "home")
        with process(Path(place)) as (address, _), sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
            )
            for name, png in pictures(browser, address, ids):
                (folder / name).write_bytes(reduced(png))
                sys.stderr.write(f"{name}\n")
    size = sum(path.stat().st_size for path in folder.glob("*.png"))
    sys.stderr.write(f"{size / 1e6:.1f} MB in {folder}\n")


if __name__ == "__main__":
    main()
