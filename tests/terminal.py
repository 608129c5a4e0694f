"""The command line as a person uses it, in this process or in one of its own.

Also a small library to ask about, and a model.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from research_core.interfaces.cli import commands
from research_core.journal import store
from research_core.policy import RunSettings
from research_core.sessions import session_start
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources
from tests.gemini_server import ANY

ROOT = Path(__file__).parents[1]
QUESTION = "How deep do sperm whales dive?"
#: Nothing in the library says a word about this.
ELSEWHERE = "Which glaze suits raku pottery?"
PAGES = {
    "https://abyss.example.edu/dives": ("How deep sperm whales dive", "Sperm whales dive 1,200 metres deep to hunt, tags showed in 2024."),
    "https://reef.example.org/dives": ("Sperm whales dive deep", "The sperm whales of this reef dive 900 metres deep, for 45 minutes."),
    "https://tide.example.edu/dives": ("Deep dives of sperm whales", "A team followed sperm whales that dive as deep as 2,035 metres."),
    "https://bay.example.org/dives": ("Sperm whale dive depths", "How deep sperm whales dive depends on squid: 600 metres here."),
    "https://pots.example.org/kilns": ("How deep a kiln is", "A kiln for pots is two metres deep and fired twice a month."),
}  # fmt: skip


@dataclass(frozen=True)
class Said:
    """What a command said. code: its exit code."""

    code: int
    out: str
    err: str

    @property
    def last(self) -> str:
        """The last line on stderr."""
        return self.err.strip().rpartition("\n")[2]

    @property
    def session(self) -> str:
        return next(
            line.split()[1] for line in self.err.splitlines() if line.startswith("Session ")
        )


def assay(*words: str) -> Said:
    """Run a command in this process."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = commands.main(words)
        except SystemExit as exit:  # argparse's own way out
            code = int(exit.code or 0)
    return Said(code, out.getvalue(), err.getvalue())


def ask(*flags: str, question: str = QUESTION) -> Said:
    """Ask the library "whales"."""
    return assay("ask", question, "--library", "whales", "--no-web", *flags)


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "research_core", *words]


def ran(*words: str, **env: str) -> Said:
    """Run a command in a process of its own."""
    done = subprocess.run(
        command(*words),
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    return Said(done.returncode, done.stdout, done.stderr)


@contextmanager
def running(*words: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """A command in a process of its own, while it runs. Ctrl-C reaches it even where the tests run
    in the background.
    """
    options = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    }
    with subprocess.Popen(
        command(*words), cwd=ROOT, env={**os.environ, **env}, text=True, **options
    ) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


def whales(folder: Path) -> Path:
    """A folder of saved pages about one question, with their addresses."""
    folder.mkdir(parents=True)
    lines = []
    for n, (url, (title, text)) in enumerate(PAGES.items()):
        (folder / f"{n}.md").write_text(f"{text}\n", encoding="utf-8")
        lines.append(json.dumps({"file": f"{n}.md", "url": url, "title": title}))
    (folder / "manifest.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def open_resources(home: Path) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(home)}))


def interrupted(home: Path) -> str:
    """A session that some process began and never ended."""
    place = open_resources(home)
    session = session_start.new_session(place, QUESTION, RunSettings(library="whales"))
    store.take_session(place.db, LOCAL_USER, session, "elsewhere:1:dead", place.clock.now())
    place.db.close()
    return session


class Gemini:
    """A Gemini that answers what it is asked. refuses: a status to answer with instead; wait:
    seconds before requests that hold `slow`.
    """

    def __init__(self, server: HTTPServer) -> None:
        self.refuses, self.wait, self.slow, self.asked = 0, 0.0, "", 0
        self.free = threading.Event()  # set: it waits no more
        server.expect_request(ANY).respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        body, streamed = request.get_data(as_text=True), "streamGenerateContent" in request.path
        self.asked += 1
        self.free.wait(self.wait if self.slow in body else 0.0)
        if self.refuses:
            error = {
                "code": self.refuses,
                "message": "API key not valid.",
                "status": "PERMISSION_DENIED",
            }
            return Response(
                json.dumps({"error": error}), self.refuses, content_type="application/json"
            )
        reply = {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [{"text": self.text(body)}]},
                    "finishReason": "STOP",
                }
            ]
        }
        kind = "text/event-stream" if streamed else "application/json"
        return Response(
            f"data: {json.dumps(reply)}\r\n\r\n" if streamed else json.dumps(reply),
            content_type=kind,
        )

    def text(self, body: str) -> str:
        if "ORIGINAL QUERY" in body:
            return "SCORE: 5\nEXPLANATION: It says how deep."
        if "Executive Summary" in body:
            ids = re.findall(r"\[(p[0-9a-f]{8})\]\\n", body)
            return f"## Executive Summary\n\nSperm whales dive 900 metres deep. [{ids[0]}]"
        return json.dumps(
            {
                "type": "overview",
                "strategy": "ask",
                "sub_questions": [],
                "queries": [],
                "query": "sperm whales",
                "gaps": [],
            }
        )
