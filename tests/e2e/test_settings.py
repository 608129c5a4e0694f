"""A language model is connected on the Settings screen, in a real browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect
from pytest_httpserver import HTTPServer

from tests.e2e.conftest import served
from tests.model_servers import as_json, serve, whole

KEY = "sk-not-a-real-key-4f2a"


def test_a_model_is_connected_and_its_key_leaves_the_screen(
    page: Page, tmp_path: Path, httpserver: HTTPServer
) -> None:
    serve(httpserver, [as_json(whole("Paris."))], models=["phi4"])
    file = tmp_path / ".env"
    with served(tmp_path, ASSAY_ENV_FILE=str(file), ASSAY_SEMANTIC="0") as address:
        page.goto(address)
        page.get_by_role("link", name="Connect a model").click()
        heading = page.get_by_role("heading", name="Connect a language model")
        expect(heading).to_be_in_viewport()
        page.get_by_role("radio", name="OpenAI-compatible server").click()
        page.get_by_label("Address").fill(httpserver.url_for("/v1"))
        page.get_by_label("Model", exact=True).fill("phi4")
        page.get_by_label("API key, if it needs one").fill(KEY)
        page.get_by_role("button", name="Save and test").click()
        expect(page.get_by_text("Paris. · 31 tokens · no cost")).to_be_visible()
        field = page.get_by_label("API key, if it needs one")
        expect(field).to_have_value("")
        expect(field).to_have_attribute("placeholder", "Set, ends in …4f2a")
        assert KEY not in page.content() + page.url
        assert f"ASSAY_OPENAI_API_KEY={KEY}\n" in file.read_text()
        assert file.stat().st_mode & 0o777 == 0o600
        page.goto(f"{address}?q=x")
        expect(page.get_by_text("Model · ")).to_be_attached()
        expect(page.get_by_text("Without a language model")).to_have_count(0)
    assert KEY not in (tmp_path / "server.log").read_text()
    stored = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert stored
    assert [path for path in stored if KEY.encode() in path.read_bytes()] == []
