"""Under which names the app answers, and where it may listen."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.config import get_option, set_option

from parts.server import addresses
from research_core.settings import Settings
from research_core.wiring import Resources


async def answer(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("secret")


async def greet(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("secret")
    await socket.close()


@pytest.fixture
def client() -> TestClient:
    routes = [Route("/{path:path}", answer), WebSocketRoute("/_stcore/stream", greet)]
    return TestClient(addresses.refuse_foreign_hosts(Starlette(routes=[*reversed(routes)])))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8501", "LOCALHOST", "[::1]:8501"])
def test_own_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/sessions", headers={"Host": host}).text == "secret"
    with client.websocket_connect("/_stcore/stream", headers={"Host": host}) as socket:
        assert socket.receive_text() == "secret"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "192.168.1.4:8501",
        "me@localhost",
        "",
        "例え.テスト",
    ],
)
def test_foreign_names_are_refused(client: TestClient, host: str) -> None:
    headers = {"Host": host.encode()}
    for path in ("/", "/sessions", "/media/x.pdf", "/app/static/x"):
        refused = client.get(path, headers=headers)
        assert (refused.status_code, "secret" in refused.text) == (421, False)
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/_stcore/stream", headers=headers),
    ):
        pass


def test_health_is_answered_under_any_name(client: TestClient) -> None:
    asked = {"Host": "10.1.2.3:8501"}
    assert client.get(addresses.HEALTH_PATH, headers=asked).status_code == 200


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.0.1", "localhost", "::1", "[::1]"])
def test_loopback_needs_no_sign_in(address: str) -> None:
    assert addresses.is_loopback(address)


@pytest.mark.parametrize(
    "address", ["", "0.0.0.0", "::", "192.168.1.4", "assay.example", "10.0.0.1"]
)
def test_elsewhere_the_app_listens_only_with_a_sign_in(address: str, tmp_path: Path) -> None:
    before = get_option("server.address")
    try:
        set_option("server.address", address)
        settings = Settings.from_env({"ASSAY_HOME": str(tmp_path)})
        error = addresses.find_exposure_error(Resources(settings))
        assert error is not None
        assert "no sign-in is configured" in error.message
        settings = Settings.from_env({"ASSAY_HOME": str(tmp_path), "ASSAY_PUBLISHED_LOCALLY": "1"})
        assert addresses.find_exposure_error(Resources(settings)) is None
    finally:
        set_option("server.address", before)
