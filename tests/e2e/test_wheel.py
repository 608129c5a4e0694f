"""The wheel, built and installed into a clean environment far from the checkout: its command line,
its MCP server, and its screens in a real browser.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response, expect

from research_core import __version__
from tests.e2e.conftest import LONG, announced, until_settled
from tests.e2e.test_path import MICROPLASTICS, ask

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=110)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment where the wheel is installed from a folder.

    Its other packages are those of the tests, whose own editable Assay it cannot see.
    """
    folder = tmp_path_factory.mktemp("clean") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    ask_where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run(
        [python, "-c", ask_where], check=True, capture_output=True, text=True
    ).stdout
    others = sysconfig.get_path("purelib")
    (Path(site.strip()) / "others.pth").write_text(f"{others}\n", encoding="utf-8")
    install = [sys.executable, "-m", "uv", "pip", "install", "--python", str(python), "--no-deps"]
    source = ["--no-index", "--find-links", str(wheel.parent), "assay-research"]
    subprocess.run([*install, *source], check=True, capture_output=True, timeout=60)
    return python.parent


def environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(folder), "ASSAY_HOME": str(folder / "home")}


def run(
    installed: Path, folder: Path, *words: str, given: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [installed / "assay", *words],
        cwd=folder, env=environment(folder), input=given,
        capture_output=True, text=True, timeout=110,
    )  # fmt: skip


def test_wheel_puts_one_package_into_site_packages(wheel: Path) -> None:
    assert wheel.name == f"assay_research-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"research_core", f"assay_research-{__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name or name.endswith((".po", ".db"))]
    assert wheel.stat().st_size < 6_000_000


def test_wheel_holds_every_file_of_the_screens_and_of_the_package(wheel: Path) -> None:
    """Whatever lies in the checkout, but for what translators and builds leave there."""
    with zipfile.ZipFile(wheel) as file:
        held = set(file.namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "research_core", "pages", "app.py", ".streamlit"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\n")  # fmt: skip
    expected = set()
    for path in filter(None, tracked):
        place = path if path.startswith("research_core/") else f"research_core/screens/{path}"
        if not path.endswith((".po", ".pot")):
            expected.add(place)
    assert expected
    assert expected <= held


def test_wheel_lists_its_components_and_their_licences(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        place = f"assay_research-{__version__}.dist-info/sboms/assay-research.cdx.json"
        sbom = json.loads(file.read(place))
    assert (sbom["bomFormat"], sbom["specVersion"]) == ("CycloneDX", "1.6")
    assert sbom["metadata"]["component"]["version"] == __version__
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    listed = {f"{each['name']}=={each['version']}" for each in sbom["components"]}
    assert listed == set(re.findall(r"^[\w.-]+==[\w.+!-]+", pins, re.MULTILINE))
    assert all(each["licenses"][0]["expression"] for each in sbom["components"])


def test_installed_command_line_answers_from_the_sample_library(
    installed: Path, tmp_path: Path
) -> None:
    assert run(installed, tmp_path, "--version").stdout == f"assay {__version__}\n"
    done = run(installed, tmp_path, "ask", MICROPLASTICS, "--library", "sample", "--no-web")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"# {MICROPLASTICS}\n")
    session = json.loads(run(installed, tmp_path, "sessions", "--json").stdout)[0]["id"]
    for format in ("pdf", "docx", "html", "zip"):  # fonts, style sheets, the program of a pack
        out = tmp_path / f"report.{format}"
        saved = run(installed, tmp_path, "export", session, "--format", format, "--out", str(out))
        assert saved.returncode == 0, saved.stderr
        assert out.stat().st_size > 2000
    german = run(
        installed, tmp_path, "ask", "Was sind die Folgen von Mikroplastik für das Leben im Meer?",
        "--library", "sample", "--no-web",
    )  # fmt: skip
    assert "Traceback" not in german.stderr


def test_installed_mcp_server_offers_the_tools(installed: Path, tmp_path: Path) -> None:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    # Its input stays open until the answers are there: a server ends with its input.
    with subprocess.Popen(
        [installed / "assay", "mcp"], cwd=tmp_path, env=environment(tmp_path), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        server.stdin.flush()
        answers = {}
        while 2 not in answers:
            answer = json.loads(server.stdout.readline())
            answers[answer["id"]] = answer
        server.stdin.close()
    assert "web_search" in {tool["name"] for tool in answers[2]["result"]["tools"]}


def test_installed_screens_answer_a_question(installed: Path, tmp_path: Path, page: Page) -> None:
    log = tmp_path / "app.log"
    # A foreign module and a foreign page folder in the current folder change nothing.
    (tmp_path / "streamlit.py").write_text("raise SystemExit('shadowed')\n", encoding="utf-8")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "stranger.py").write_text("raise SystemExit\n", encoding="utf-8")
    command = [installed / "assay", "app", "--port", "0", "--no-browser"]
    with (
        log.open("wb") as lines,
        subprocess.Popen(
            command, cwd=tmp_path, env=environment(tmp_path), stdout=lines, stderr=lines
        ) as process,
    ):
        try:
            address = announced(log, process)
            failed: list[str] = []

            def note_failure(got: Response) -> None:
                # Below each screen the page first looks for a server of that screen's own.
                if got.status >= 400 and "/_stcore/" not in got.url:
                    failed.append(got.url)

            page.on("response", note_failure)
            ask(page, address, MICROPLASTICS)
            page.wait_for_url(re.compile(r"/report\?session="), timeout=LONG)
            until_settled(page)
            expect(page.get_by_role("heading", name=MICROPLASTICS)).to_be_visible(timeout=LONG)
            page.locator("a.cite").first.click()
            for screen in ("sources", "gate", "live", "how_far", "settings", "citations", "tools"):
                page.goto(page.url.replace(page.url.split("?")[0], f"{address}/{screen}"))
                until_settled(page)
                expect(page.get_by_role("heading").first).to_be_visible(timeout=LONG)
                expect(page.get_by_test_id("stException")).to_have_count(0)
            assert failed == []
        finally:
            process.terminate()
            process.wait(timeout=10)
    assert "Traceback" not in log.read_text(encoding="utf-8")
