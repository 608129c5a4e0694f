"""Two users in two real browsers: nothing of the first is reached with their ids by the second.

The test lists what there is to reach itself: the server's routes, the navigation's screens, the
parameters that screens read from the address, and the files that offer downloads. Something new
fails here until a way to try it is added to the table of its kind.

Tables are drawn on a canvas, so that the text of a page lacks them. Each screen is therefore
checked by the bytes that the server sends for it; the first user's own are the control.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit

import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from research_core import export
from research_core.models import Principal
from research_core.policy import SHARED_PREFIX, Override, RunSettings
from research_core.sessions import heartbeats, runner, session_control, session_start
from research_core.settings import Settings
from research_core.tools.client_session import store
from research_core.userdata import consent, memory, overrides
from research_core.wiring import Resources
from tests.e2e.conftest import ROOT, served, until_settled
from tests.e2e.test_sign_in import LONG, sign_in
from tests.everyday import mark_first_everyday
from tests.oidc import Provider

PAGES = ROOT / "pages"
#: A word that only Ada's data holds.
MARKER = "quillwort"
QUESTION = f"What are the environmental risks of deep-sea mining for {MARKER}?"
LIBRARY = "Kelp beds"
TEXT = f"A note on kelp. The {MARKER} grows in cold water. It is rare near the coast."
MADE_UP = "0123456789abcdef"
NO_DOCUMENT = "document:" + "0" * 64
NO_LIBRARY = "Nobody has it"
NO_LED_SESSION = "Session not found or expired"
SCREENS_OF_A_SESSION = ("live", "sources", "gate", "report", "compare", "replay")
#: What the server sends the first user for each screen that shows something of hers. "": the first.
HER_DATA: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((*SCREENS_OF_A_SESSION, "", "sessions", "citations"), (MARKER,)),
    "library": (f"{MARKER}.txt", f"The {MARKER} grows"),
    "my_data": (f"{MARKER} is rare", f"knows {MARKER}"),
}
#: The screens that the everyday suite opens in a browser; the others' bytes it reads by a socket.
EVERYDAY_SCREENS = ("my_data",)
#: The screens that are opened in a browser one by one. The bytes of all are read by a socket, as are
#: those at all their addresses, which the walk over her links collects.
BROWSER_SCREENS = ("my_data", "library", "report", "sources", "citations")
#: Tools that read a session and need nothing else.
TOOLS_OF_A_SESSION = ("get_research_session", "research_export", "format_bibliography")


@dataclass
class First:
    """What the first user has, and the addresses of files that her tabs were sent.

    session, other: of runs; led: the session of a client of the tools; document: an address.
    """

    address: str
    session: str
    other: str
    led: str
    document: str
    downloads: list[str] = field(default_factory=list)
    uploads: list[str] = field(default_factory=list)
    tab: str = ""
    page: Page | None = None

    def watch(self, page: Page) -> None:
        """Note the addresses and the id that the server sends to a tab."""
        page.on("websocket", lambda socket: socket.on("framereceived", self._read))

    def _read(self, frame: str | bytes) -> None:
        if isinstance(frame, str):
            return
        message = ForwardMsg()
        message.ParseFromString(frame)
        if message.WhichOneof("type") == "new_session":
            self.tab = message.new_session.initialize.session_id
        for each in message.file_urls_response.file_urls:
            self.uploads.append(each.upload_url)
        for url in (
            message.delta.new_element.download_button.url,
            message.backend_operation_response.deferred_file.url,
        ):
            if url:
                self.downloads.append(url)


def make_data(folder: Path, ada: Principal) -> tuple[str, str, str, str]:
    """Store two sessions of runs, one of a client, a library, a note and a rating of Ada's.

    Return the sessions' ids and the address of the library's document.
    """
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(folder / "home")}))
    executor = heartbeats.make_executor_id()
    made = []
    with heartbeats.keep_heartbeat(resources, executor):
        for _ in range(2):
            session = session_start.new_session(resources, QUESTION, RunSettings(), who=ada)
            assert runner.resume_or_run(resources, session, executor, who=ada).outcome == "done"
            made.append(session)
    now = resources.clock.now()
    session_control.rename(resources, made[1], f"The second on {MARKER}", who=ada)
    session_control.tag(resources, made[0], [MARKER], who=ada)
    led = store.begin_session(
        resources.db, ada, resources.clock, f"How rare is {MARKER}?", RunSettings(), ttl_s=3_600
    )
    resources.library(ada).add_uploads([(f"{MARKER}.txt", TEXT.encode())], LIBRARY)
    [document] = resources.library(ada).list_documents(LIBRARY)
    consent.give_consent(resources.db, ada, "memory", now)
    memory.save_note(resources.db, ada, f"{MARKER} is rare", MARKER, "", [MARKER], now)
    rated = Override("herbarium.example.org", 0.9, f"knows {MARKER}")
    overrides.save_override(resources.db, ada, rated, now)
    resources.close()
    return made[0], made[1], led.id, document["url"]


@dataclass
class Two:
    """Two signed-in browsers: what the first user has, and the second user's context."""

    first: First
    ada: BrowserContext
    grace: BrowserContext


@pytest.fixture(scope="module")
def two(
    identity: Provider, tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[Two]:
    folder = tmp_path_factory.mktemp("two")
    data = make_data(folder, Principal("local", f"{identity.issuer}|ada"))
    secrets = folder / "secrets.toml"
    secrets.write_text(identity.configuration, encoding="utf-8")
    with (
        served(folder, f"--secrets.files={secrets}", COURTLISTENER_API_TOKEN="") as address,
        browser.new_context() as ada,
        browser.new_context() as grace,
    ):
        first = First(address, *data)
        page = sign_in(ada, f"{address}/sessions", "ada")
        page.close()
        first.page = ada.new_page()
        first.watch(first.page)
        sign_in(grace, f"{address}/sessions", "grace").close()
        yield Two(first, ada, grace)


# -- what there is to reach ------------------------------------------------------------------------


class _Unmarked(ast.NodeTransformer):
    """Put a text in the place of `N_("…")`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return node.args[0]


def list_screens() -> list[str]:
    """Return the path of each screen in the navigation's own table."""
    for node in ast.parse((PAGES / "shell.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SCREENS":
            table = ast.literal_eval(_Unmarked().visit(node.value))
            files = [file for rows in table.values() for file, *_ in rows]
            return ["" if file == "ask.py" else file.removesuffix(".py") for file in files]
    raise AssertionError("pages/shell.py has no table SCREENS any more.")


def list_routes() -> set[str]:
    """Return the method and path of every route of the app's server."""
    program = (
        "import app, json; print(json.dumps([[getattr(each, 'methods', None) and"
        " sorted(each.methods) or ['WEBSOCKET' if 'WebSocket' in type(each).__name__ else 'GET'],"
        " each.path] for each in app.app._build_starlette_app().routes]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {
        f"{method} {path or '/'}"
        for methods, path in json.loads(done.stdout.splitlines()[-1])
        for method in methods
    }


def list_parameters_read() -> dict[str, set[str]]:
    """Return the expressions by which each file reads a parameter of the address."""
    read: dict[str, set[str]] = {}
    for path in sorted(PAGES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            asked = None
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "st.query_params":
                asked = node.slice
            elif (
                isinstance(node, ast.Call)
                and ast.unparse(node.func).startswith("st.query_params.get")
                and node.args
            ):
                asked = node.args[0]
            if asked is not None:
                name = path.relative_to(PAGES).as_posix()
                read.setdefault(name, set()).add(ast.unparse(asked))
    return read


def list_download_files() -> set[str]:
    """Return the files that offer a download."""
    return {
        path.relative_to(PAGES).as_posix()
        for path in PAGES.rglob("*.py")
        if ".download_button(" in path.read_text(encoding="utf-8")
    }


# -- screens ---------------------------------------------------------------------------------------

#: The expressions by which each file reads parameters of the address, and hers for a screen of it.
PARAMETERS: dict[str, tuple[set[str], Callable[[First], dict[str, str]]]] = {
    "shell.py": ({"'session'"}, lambda first: {"session": first.session}),
    "gate.py": ({"'source'"}, lambda first: {"source": "1"}),
    "tools.py": ({"'tool'"}, lambda first: {"tool": "get_research_session"}),
    "parts/ask/prefill.py": ({"name"}, lambda first: {"library": LIBRARY}),
    "parts/compare/session_pair.py": ({"OTHER_PARAMETER"}, lambda first: {"with": first.other}),
    "parts/library/open_document.py": (
        {"name", "key", "'library'"},
        lambda first: {"library": LIBRARY, "document": first.document, "at": "5"},
    ),
    "parts/session/activity/timeline.py": ({"POSITION_PARAMETER"}, lambda first: {"at": "5"}),
    "parts/session/report/evidence_pane.py": ({"'cite'"}, lambda first: {"cite": "1"}),
    "parts/session/sources/sliders.py": (
        {"f'if_{slider.name}'", "param"}, lambda first: {"if_minimum": "0.1"},
    ),
    "parts/session/sources/source_details.py": ({"'source'"}, lambda first: {"source": "1"}),
    "parts/settings/model_connection.py": ({"'form'"}, lambda first: {"form": "connect_model"}),
    "parts/tools/tool_form.py": (
        {"name", "field.name"}, lambda first: {"sessionId": first.session},
    ),
    "parts/tools/tool_list.py": ({"'session'"}, lambda first: {}),
}  # fmt: skip


def test_every_screen_and_parameter_is_tried() -> None:
    screens = list_screens()
    files = {path.stem for path in PAGES.glob("*.py")} - {"shell"}
    assert {name or "ask" for name in screens} == files
    assert set(SCREENS_OF_A_SESSION) < set(screens)
    assert list_parameters_read() == {file: names for file, (names, _) in PARAMETERS.items()}


def watch_frames(page: Page) -> list[bytes]:
    """Return a list that grows by each message that the server sends to a tab, as bytes."""
    frames: list[bytes] = []

    def add(frame: str | bytes) -> None:
        frames.append(frame.encode() if isinstance(frame, str) else frame)

    page.on("websocket", lambda socket: socket.on("framereceived", add))
    return frames


def read_screen(page: Page, frames: list[bytes], address: str) -> str:
    """Return all text of a screen. Neither it nor the messages may hold the marker."""
    frames.clear()
    page.goto(address)
    until_settled(page)
    page.wait_for_timeout(300)
    assert MARKER not in page.content(), address
    assert frames
    assert MARKER.encode() not in b"".join(frames), address
    return page.locator("body").inner_text()


def build_query(first: First) -> dict[str, str]:
    """Return every parameter of the address, with the first user's values."""
    query: dict[str, str] = {}
    for _, values in PARAMETERS.values():
        query |= values(first)
    return query


def hide_ids(text: str, first: First) -> str:
    """Return a text with hers and made-up ids written alike, and without the seconds gone by."""
    text = re.sub(r"\d+ \w+ ago", "ago", text)
    for id in (first.session, first.other, first.document, MADE_UP, NO_DOCUMENT, NO_LIBRARY):
        text = text.replace(id, "ID")
    return text.replace(LIBRARY, "ID")


@pytest.mark.parametrize("screen", list_screens())
def test_no_bytes_of_a_screen_hold_another_s_data(two: Two, screen: str) -> None:
    """With the first user's cookies, the control, they do."""
    first = two.first
    query = urlencode(build_query(first))
    sent = {}
    for who, cookies in (
        ("ada", read_cookies(two.ada)),
        ("grace", read_cookies(two.grace)),
        ("nobody", {}),
    ):
        with open_socket(first.address, cookies, tab="") as socket:
            _, sent[who] = read_run(socket, first.address, screen, query)
    holders = {who for who, body in sent.items() if MARKER.encode() in body}
    assert holders == ({"ada"} if screen in HER_DATA else set())
    for text in HER_DATA.get(screen, ()):
        assert text.encode() in sent["ada"]
    if screen in SCREENS_OF_A_SESSION:
        assert f"There is no session {first.session}".encode() in sent["grace"]


@pytest.mark.parametrize(
    "screen",
    [
        pytest.param(name, marks=() if name in EVERYDAY_SCREENS else pytest.mark.full)
        for name in BROWSER_SCREENS
    ],
)
def test_no_screen_shows_another_s_data_with_their_ids(two: Two, screen: str) -> None:
    """It answers as it does for ids that nobody has. Her own browser, the control, gets her data;
    of the other screens the test of their bytes shows that.
    """
    first, page = two.first, two.grace.new_page()
    frames = watch_frames(page)
    hers = build_query(first)
    made_up = {
        **hers, "session": MADE_UP, "with": MADE_UP, "sessionId": MADE_UP,
        "library": NO_LIBRARY, "document": NO_DOCUMENT,
    }  # fmt: skip
    text = read_screen(page, frames, f"{first.address}/{screen}?{urlencode(hers)}")
    for_nothing = read_screen(page, frames, f"{first.address}/{screen}?{urlencode(made_up)}")
    page.close()
    assert hide_ids(text, first) == hide_ids(for_nothing, first)
    if screen in SCREENS_OF_A_SESSION:
        assert f"There is no session {first.session}" in text
    if screen in EVERYDAY_SCREENS:
        own = two.ada.new_page()
        frames = watch_frames(own)
        own.goto(f"{first.address}/{screen}?{urlencode(hers)}")
        until_settled(own)
        own.close()
        for text in HER_DATA[screen]:
            assert text.encode() in b"".join(frames)


@pytest.mark.parametrize("name", mark_first_everyday([LIBRARY, f"{SHARED_PREFIX}{LIBRARY}"]))
def test_another_s_library_is_neither_opened_nor_listed(two: Two, name: str) -> None:
    first, page = two.first, two.grace.new_page()
    frames = watch_frames(page)
    query = {"library": name, "document": first.document, "at": "5"}
    text = read_screen(page, frames, f"{first.address}/library?{urlencode(query)}")
    assert f"There is no library “{name}”." in text
    page.get_by_role("combobox", name="Library").click(timeout=LONG)
    listed = page.get_by_role("option").all_inner_texts()
    assert listed
    assert not [label for label in listed if LIBRARY in label]
    assert MARKER.encode() not in b"".join(frames)
    page.close()


@pytest.mark.full
@pytest.mark.timeout(600)
def test_no_address_on_her_screens_shows_her_data_to_another(two: Two) -> None:
    """Every kind of link, by its screen and its parameters' names. What the second user is sent at
    its address is read by a socket, which is all that a browser draws.
    """
    first, page = two.first, two.first.page
    assert page is not None
    kinds: dict[tuple[str, tuple[str, ...]], str] = {}
    is_marker_shown = set()
    for screen in list_screens():
        page.goto(f"{first.address}/{screen}?session={first.session}")
        until_settled(page)
        if MARKER in page.content():
            is_marker_shown.add(screen)
        for link in page.locator("a[href]").all():
            address = urljoin(page.url, link.get_attribute("href") or "")
            if address.startswith(first.address) and MARKER not in address:
                names = tuple(sorted(name for name, _ in parse_qsl(urlsplit(address).query)))
                kinds.setdefault((urlsplit(address).path, names), address)
    assert is_marker_shown >= {*SCREENS_OF_A_SESSION, "sessions"}
    assert len(kinds) > 20
    cookies = read_cookies(two.grace)
    for address in kinds.values():
        parts = urlsplit(address)
        screen = parts.path.strip("/")
        with open_socket(first.address, cookies, tab="") as socket:
            tab, sent = read_run(socket, first.address, screen, parts.query)
        assert tab, address
        assert MARKER.encode() not in sent, address


def run_tool(page: Page, first: First, tool: str, answer: str) -> None:
    """Run a tool of the screen with the id of the client's session, and wait for its answer."""
    page.goto(f"{first.address}/tools?tool={tool}&sessionId={first.led}")
    until_settled(page)
    expect(page.get_by_role("textbox", name="Session id").first).to_have_value(first.led)
    page.get_by_role("button", name="Run").click(timeout=LONG)
    expect(page.locator(".st-key-answer").get_by_text(answer).first).to_be_visible(timeout=LONG)
    until_settled(page)


@pytest.mark.parametrize(
    "tool",
    [
        pytest.param(name, marks=() if name == TOOLS_OF_A_SESSION[0] else pytest.mark.full)
        for name in TOOLS_OF_A_SESSION
    ],
)
def test_no_tool_of_a_session_reads_another_s(two: Two, tool: str) -> None:
    """It runs, and says that there is no such session; the first user's own run answers."""
    page = two.grace.new_page()
    frames = watch_frames(page)
    run_tool(page, two.first, tool, NO_LED_SESSION)
    assert MARKER not in page.content()
    assert MARKER.encode() not in b"".join(frames)
    page.close()
    own = two.ada.new_page()
    frames = watch_frames(own)
    run_tool(own, two.first, tool, "✓ answered")
    own.close()
    assert (MARKER.encode() in b"".join(frames)) is (tool != "format_bibliography")  # lists sources


# -- downloads -------------------------------------------------------------------------------------


def take_report(page: Page, first: First) -> None:
    page.goto(f"{first.address}/report?session={first.session}")
    until_settled(page)
    with page.expect_download(timeout=LONG):
        page.get_by_role("button", name="Markdown", exact=True).click(timeout=LONG)
    buttons = page.locator("[data-testid=stPopoverBody] [data-testid=stDownloadButton] button")
    more = page.locator(".st-key-download_menu button:visible")
    more.click(timeout=LONG)
    expect(buttons.nth(1)).to_be_visible(timeout=LONG)
    for n in range(buttons.count()):
        if not buttons.nth(n).is_visible():  # a download may close the list
            more.click(timeout=LONG)
        with page.expect_download(timeout=LONG):
            buttons.nth(n).click(timeout=LONG)


def take_audit(page: Page, first: First) -> None:
    """Check a report over a library that lacks its source, and take each format of the result."""
    page.goto(f"{first.address}/check_report")
    until_settled(page)
    report = page.get_by_label("Report with its links, footnotes or list of sources")
    report.fill(f"The {MARKER} grew 30 cm in 2024 [1].\n\n## Sources\n\n1. https://kelp.example/1")
    report.press("Control+Enter")
    page.locator(".st-key-audit_place").get_by_text("Library only").click(timeout=LONG)
    until_settled(page)
    page.get_by_role("button", name="Check report").click(timeout=LONG)
    page.wait_for_url("**/report?**", timeout=LONG)
    until_settled(page)
    page.locator(".st-key-download_menu button:visible").click(timeout=LONG)
    for name in export.AUDIT_FORMATS:
        button = page.locator(f".st-key-download_check_{name} button")
        if not button.is_visible():  # a download may close the list
            page.locator(".st-key-download_menu button:visible").click(timeout=LONG)
        with page.expect_download(timeout=LONG):
            button.click(timeout=LONG)


def take_markdown(page: Page, first: First) -> None:
    page.goto(f"{first.address}/gate?session={first.session}")
    with page.expect_download(timeout=LONG):
        page.get_by_role("button", name="Markdown", exact=True).click(timeout=LONG)


def take_comparison(page: Page, first: First) -> None:
    page.goto(f"{first.address}/compare?session={first.session}&with={first.other}")
    for name in ("Download Markdown", "Download CSV"):
        with page.expect_download(timeout=LONG):
            page.get_by_role("button", name=name).click(timeout=LONG)


def take_data(page: Page, first: First) -> None:
    page.goto(f"{first.address}/my_data")
    with page.expect_download(timeout=LONG):
        page.get_by_role("button", name="Download my data").click(timeout=LONG)


def take_linted(page: Page, first: First) -> None:
    page.goto(f"{first.address}/citations")
    page.get_by_role("tab", name="Report text").click(timeout=LONG)
    page.locator(".st-key-report_to_lint textarea").fill(f"It is [rare](www.{MARKER}.example) [7].")
    page.get_by_role("button", name="Check citations").click(timeout=LONG)
    with page.expect_download(timeout=LONG):
        page.locator(".st-key-lint_download button").click(timeout=LONG)


def take_checked(page: Page, first: First) -> None:
    """Check a court case, about which nobody is asked, as the server has no token."""
    page.goto(f"{first.address}/citations")
    references = page.get_by_label("References, one per line")
    references.fill(f"Smith {MARKER} v. Roe, 410 U.S. 113 (1973)")
    references.press("Control+Enter")
    until_settled(page)
    page.get_by_role("button", name="Check", exact=True).click(timeout=LONG)
    for name in ("Download", "Results as CSV", "Results as JSON"):
        with page.expect_download(timeout=LONG):
            page.get_by_role("button", name=name, exact=True).click(timeout=LONG)


def take_rechecked(page: Page, first: First) -> None:
    """Look again at the sources of a report, which are documents of the sample library."""
    page.goto(f"{first.address}/report?session={first.session}")
    page.locator("summary").filter(has_text="Check sources again").click(timeout=LONG)
    page.get_by_role("button", name="Check now").click(timeout=LONG)
    with page.expect_download(timeout=LONG):
        page.get_by_role("button", name="Download results").click(timeout=LONG)


def take_result(page: Page, first: First) -> None:
    run_tool(page, first, "get_research_session", "✓ answered")
    page.locator(".st-key-answer").get_by_text("JSON", exact=True).click(timeout=LONG)
    with page.expect_download(timeout=LONG):
        page.locator(".st-key-answer").get_by_role("button", name="Download").click(timeout=LONG)


#: Each file that offers downloads, and the way to all of them.
DOWNLOADS: Mapping[str, Callable[[Page, First], None]] = {
    "compare.py": take_comparison,
    "parts/audit/audit_downloads.py": take_audit,
    "parts/citations/check_results.py": take_checked,
    "parts/citations/linter.py": take_linted,
    "parts/my_data/erase.py": take_data,
    "parts/session/report/downloads.py": take_report,
    "parts/session/report/source_recheck.py": take_rechecked,
    "parts/shared/markdown_download.py": take_markdown,
    "parts/tools/results.py": take_result,
}
EVERYDAY_DOWNLOADS = (take_data,)


def test_every_file_with_a_download_is_tried() -> None:
    assert list_download_files() == set(DOWNLOADS)


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(name, marks=() if take in EVERYDAY_DOWNLOADS else pytest.mark.full)
        for name, take in DOWNLOADS.items()
    ],
)
def test_no_download_is_given_to_another(two: Two, file: str) -> None:
    """Of each kind the first user gets hers, the control; one at least holds the marker."""
    first, page = two.first, two.first.page
    assert page is not None
    first.downloads.clear()
    DOWNLOADS[file](page, first)
    assert first.downloads
    is_hers = []
    for path in set(first.downloads):
        address = urljoin(first.address, path)
        own = two.ada.request.get(address)
        assert own.status == 200
        is_hers.append(MARKER.encode() in own.body())
        refused = two.grace.request.get(address)
        for_nothing = two.grace.request.get(f"{first.address}/media/{MADE_UP}.md")
        assert (refused.status, refused.body()) == (403, for_nothing.body())
    assert any(is_hers)


# -- the server's own routes -----------------------------------------------------------------------

#: Status of each route with the first user's ids, for the second user.
ROUTES = {
    "GET /": 200,
    "GET /_stcore/health": 200,
    "GET /_stcore/metrics": 200,
    "GET /_stcore/host-config": 200,
    "GET /media/{file_id:path}": 403,
    "OPTIONS /media/{file_id:path}": 403,
    "PUT /_stcore/upload_file/{session_id}/{file_id}": 403,
    "DELETE /_stcore/upload_file/{session_id}/{file_id}": 403,
    "OPTIONS /_stcore/upload_file/{session_id}/{file_id}": 403,
    "GET /component/{path:path}": 404,
    "GET /_stcore/bidi-components/{path:path}": 404,
    "OPTIONS /_stcore/health": 204,
    "OPTIONS /_stcore/metrics": 204,
    "OPTIONS /component/{path:path}": 204,
    "OPTIONS /_stcore/bidi-components/{path:path}": 204,
    "WEBSOCKET /_stcore/stream": 0,  # by the tests below
    "GET /auth/login": 0,  # of whoever asks: tests/e2e/test_sign_in.py
    "GET /auth/logout": 0,
    "GET /oauth2callback": 0,
    **{
        f"{method} /_stcore/agent/{name}": 0
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
        for name in ("interact", "openapi.json", "mcp")
    },
}


def test_every_route_of_the_server_is_tried() -> None:
    assert {each for each in list_routes() if not each.startswith("HEAD ")} == set(ROUTES)


@pytest.fixture(scope="module")
def sent_file(two: Two) -> Iterator[str]:
    """The address at which a tab of the first user's sends a file; the tab stays open."""
    first, page = two.first, two.ada.new_page()
    first.watch(page)
    page.goto(f"{first.address}/library?library={quote(LIBRARY)}")
    until_settled(page)
    first.uploads.clear()
    file = {
        "name": "more.txt",
        "mimeType": "text/plain",
        "buffer": TEXT.replace("A note", "More").encode(),
    }
    page.locator("input[type=file]").first.set_input_files([file])
    expect(page.get_by_text("more.txt").first).to_be_visible(timeout=LONG)
    assert first.uploads
    yield first.uploads[-1]
    page.close()


@pytest.mark.parametrize("route", [name for name, status in ROUTES.items() if status])
def test_no_route_answers_with_another_s_ids(two: Two, sent_file: str, route: str) -> None:
    """It answers as it does for ids that nobody has."""
    method, _, pattern = route.partition(" ")
    first = two.first
    *_, tab, upload = sent_file.split("/")
    download = (first.downloads or [f"/media/{upload}"])[-1].rpartition("/")[2]
    ids = {"session_id": tab, "path:path": first.session}
    ids |= {"file_id": upload, "file_id:path": download}
    made_up = dict.fromkeys(ids, MADE_UP)
    answers: list[APIResponse] = []
    for values in (ids, made_up):
        path = re.sub(r"{([^}]+)}", lambda name, values=values: values[name[1]], pattern)
        query = urlencode({"session": first.session, "library": LIBRARY})
        answers.append(send(two.grace, method, f"{first.address}{path}?{query}"))
    assert [answer.status for answer in answers] == [ROUTES[route]] * 2
    assert all(MARKER not in answer.text() for answer in answers)


def send(context: BrowserContext, method: str, address: str) -> APIResponse:
    """Send a request with this browser's cookies, and a file where one is sent."""
    token = next(each["value"] for each in context.cookies() if each["name"] == "_streamlit_xsrf")
    file = {"name": "theirs.txt", "mimeType": "text/plain", "buffer": b"not hers"}
    return context.request.fetch(
        address,
        method=method,
        headers={"X-Xsrftoken": token},
        multipart={"file": file} if method == "PUT" else None,
    )


def test_her_own_tab_may_take_back_what_it_sent(two: Two, sent_file: str) -> None:
    address = urljoin(two.first.address, sent_file)
    assert send(two.grace, "DELETE", address).status == 403
    assert send(two.ada, "DELETE", address).status == 204


@pytest.mark.parametrize("name", ["interact", "openapi.json", "mcp"])
def test_streamlit_s_own_interface_for_agents_is_closed(two: Two, name: str) -> None:
    for context in (two.ada, two.grace):
        for method in ("GET", "POST"):
            answer = context.request.fetch(
                f"{two.first.address}/_stcore/agent/{name}?session={two.first.session}",
                method=method,
                data={"session_id": two.first.tab} if method == "POST" else None,
            )
            assert answer.status >= 400 or name == "openapi.json"  # describes itself alone
            assert MARKER not in answer.text()


# -- the socket ------------------------------------------------------------------------------------

#: A run that ends early is followed by another.
ENDS_OF_A_RUN = {
    ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
}  # fmt: skip


def read_run(socket: ClientConnection, address: str, screen: str, query: str) -> tuple[str, bytes]:
    """Ask for a screen; return the id of the tab that answers, and all that is sent."""
    message = BackMsg()
    message.rerun_script.query_string = query
    message.rerun_script.page_name = screen
    message.rerun_script.context_info.url = f"{address}/{screen}"
    socket.send(message.SerializeToString())
    sent = b""
    tab = ""
    while True:
        body = socket.recv(timeout=30, decode=False)
        assert isinstance(body, bytes)
        answer = ForwardMsg.FromString(body)
        sent += body
        if answer.WhichOneof("type") == "new_session":
            tab = answer.new_session.initialize.session_id
        elif answer.script_finished in ENDS_OF_A_RUN and answer.HasField("script_finished"):
            return tab, sent


def open_socket(address: str, cookies: dict[str, str], tab: str) -> ClientConnection:
    """Connect as Streamlit's page does. tab: one to ask for that is open or was, "" for a new one."""
    protocols = ["streamlit", cookies.get("_streamlit_xsrf", "none")]
    if tab:
        protocols.append(tab)
    return connect(
        f"{address.replace('http', 'ws', 1)}/_stcore/stream",
        origin=address,  # type: ignore[arg-type]
        subprotocols=protocols,  # type: ignore[arg-type]
        additional_headers={"Cookie": "; ".join(f"{k}={v}" for k, v in cookies.items())},
        max_size=None,
        proxy=None,
    )


def read_cookies(context: BrowserContext) -> dict[str, str]:
    return {each["name"]: each["value"] for each in context.cookies()}


@pytest.mark.parametrize("is_open", [True, False], ids=["open tab", "closed tab"])
def test_no_socket_takes_over_another_s_tab(two: Two, is_open: bool) -> None:
    """Ada's own, the control and the last to try, is given her data."""
    first = two.first
    page = two.ada.new_page()
    first.watch(page)
    page.goto(f"{first.address}/report?session={first.session}")
    until_settled(page)
    tab = first.tab
    if not is_open:
        page.close()
    ada, grace = read_cookies(two.ada), read_cookies(two.grace)
    for who, cookies in {
        "grace": grace,
        "nobody": {},
        "grace with ada's token": {**grace, "assay_sign_in": ada["assay_sign_in"]},
        "grace's token with ada's cookie": {**ada, "assay_sign_in": grace["assay_sign_in"]},
        "ada": ada,
    }.items():
        with open_socket(first.address, cookies, tab) as socket:
            given, sent = read_run(socket, first.address, "report", f"session={first.session}")
        assert (MARKER.encode() in sent) is (who == "ada"), who
        assert given, who
        if who != "ada":
            assert given != tab, who
    page.close()
