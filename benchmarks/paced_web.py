"""A stub web for `latency.py`: a search server, pages of 30 hosts and a Gemini API on one port.

It runs in a process of its own. Searches answer at once, pages and robots.txt after `page_s`
seconds, the model after `model_s`. The same request always gets the same bytes. GET /log returns
the requests since the last GET /reset.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from benchmarks.stub import ROWS, QuietHandler

HOSTS = tuple(f"site{number}.example.{'org' if number % 2 else 'com'}" for number in range(30))
#: Sentences on a page, which make it 11 kB long.
SENTENCES = 96
#: The words of a sentence, by their place in it.
WORDS = tuple(
    tuple(row.split())
    for row in (
        "the every this our another",
        "old northern deep narrow quiet measured early shallow eastern busy",
        "harbour station pier channel island observatory captain fisherman engineer survey",
        "describes records shows observed compared explained reported noted predicted watched",
        "the a its",
        "slow strong regular sudden highest lowest seasonal yearly daily rare",
        "tide current storm moon wind wave season level flood ebb",
        "near behind across along beyond within before after under above",
        "the a their",
        "bay bridge shore river cliff marsh village lighthouse reef valley",
        "during despite because-of through since until",
        "spring autumn winter summer rain frost drought fog daylight darkness",
    )
)
_ID = re.compile(r"\[(p[0-9a-f]{8})\]")
_PASSAGE = re.compile(r"^\[(p[0-9a-f]{8})\]\s+<[^>]*>\s*([^.]*\.)", re.MULTILINE)


class Pace(NamedTuple):
    """Seconds until a page or robots.txt is sent, and until the model answers."""

    page_s: float
    model_s: float


@dataclass(frozen=True)
class Request:
    """One request to the stub. kind: search | robots | page | model. begin, end: monotonic s.

    address: of a page or robots.txt, "" for others.
    """

    kind: str
    begin: float
    end: float
    address: str = ""


# ---------------------------------------------------------------- search and pages


def make_results(query: str) -> bytes:
    """Return the reply of a SearXNG server: ten results, other ones for each query."""
    start = int(hashlib.sha256(query.encode()).hexdigest()[:8], 16)
    rows = []
    for number in range(ROWS):
        host = HOSTS[(start + 7 * number) % len(HOSTS)]
        rows.append(
            {
                "url": f"http://{host}/{start % 1000}/{number}",
                "title": f"The tides of the bay, part {start % 1000}-{number}",
                "content": f"{query}: the tides of the bay are the highest, and are measured.",
                "engine": "bing",
            }
        )
    return json.dumps({"query": query, "results": rows}).encode()


def make_page(path: str) -> bytes:
    """Return an article of 11 kB with a menu, headings, a list and a table."""
    part = path.strip("/").replace("/", "-")
    sections = []
    for number in range(0, SENTENCES, 12):
        sentences = [_make_sentence(part, line) for line in range(number, number + 12)]
        sections.append(f"<h2>Section {number // 12}</h2><p>{' '.join(sentences)}</p>")
    menu = "".join(f"<li><a href='/m{n}'>Menu {n}</a></li>" for n in range(20))
    table = "".join(f"<tr><td>Station {n}</td><td>{n * 3} feet</td></tr>" for n in range(15))
    return (
        f"<!doctype html><html lang='en'><head><title>Tides of the bay {part}</title>"
        "<meta name='author' content='Ann Poole'></head>"
        f"<body><nav><ul>{menu}</ul></nav><main><article><h1>Tides of the bay {part}</h1>"
        f"{''.join(sections)}<table><tr><th>Where</th><th>Rise</th></tr>{table}</table>"
        "</article></main><footer>All rights reserved by the bay.</footer></body></html>"
    ).encode()


def _make_sentence(part: str, line: int) -> str:
    """Return a sentence that depends on page and line, so that no two pages are copies."""
    seed = hashlib.sha256(f"{part} {line}".encode()).digest()
    words = [choices[byte % len(choices)] for choices, byte in zip(WORDS, seed, strict=False)]
    sentence = " ".join(words)
    if line % 6 == 0:
        sentence += f", which was {seed[20] + 3} feet in {1900 + seed[21] % 120}"
    return f"{sentence[0].upper()}{sentence[1:]}."


# ---------------------------------------------------------------- the model


def make_reply(body: dict[str, Any]) -> str:
    """Return the text a language model could have answered to a request of the Gemini API."""
    schema = body.get("generationConfig", {}).get("responseJsonSchema", {})
    fields: dict[str, Any] = schema.get("properties", {})
    prompt = body["contents"][0]["parts"][0]["text"]
    for field, answer in ANSWERS.items():
        if field in fields:
            return json.dumps(answer(fields, prompt))
    lines = [f"{text} [{name}]" for name, text in _PASSAGE.findall(prompt)[:12]]
    if not lines:  # A request for the summary shows sections, which cite passages by their ids.
        lines = [f"The tide is high [{name}]." for name in _ID.findall(prompt)[:3]]
        lines += ["## Conflicting Information", "None of the stations disagree."]
        lines += ["## Confidence Assessment", "The stations measured the tides themselves."]
    return "## Executive Summary\n\n" + "\n\n".join(lines)


def _make_queries(fields: dict[str, Any], prompt: str) -> list[str]:
    mark = hashlib.sha256(prompt.encode()).hexdigest()[:6]
    topic = TOPIC_OF_PARTS if BY_PART in prompt else "tides bay"
    return [f"{topic} {mark} {n}" for n in range(fields["queries"]["maxItems"])]


def _make_plan(fields: dict[str, Any], prompt: str) -> dict[str, Any]:
    """Return a plan with a list of queries or, where the request is by part, with some for each."""
    plan = {"type": "overview", "strategy": "Read what stations measured."}
    if "parts" not in fields:
        questions = ["How high do the tides rise?"]
        return {**plan, "sub_questions": questions, "queries": _make_queries(fields, prompt)}
    mark = hashlib.sha256(prompt.encode()).hexdigest()[:6]
    parts = []
    for number in range(fields["parts"]["maxItems"]):
        queries = [f"{TOPIC_OF_PARTS} {mark} {number} {n}" for n in range(2)]
        parts.append({"question": f"How high is the {PARTS[number]}?", "queries": queries})
    return {**plan, "parts": parts}


#: The words of the queries of a plan by part, with which results pass the credibility threshold in all
#: rounds; words of a request by part; and what the parts are about.
TOPIC_OF_PARTS, BY_PART = "how high tides bay rise station", "one section for each"
PARTS = ("tide", "current", "storm", "wave", "season", "flood")
#: What is answered, by a field that only this kind of request asks for.
ANSWERS: dict[str, Callable[[dict[str, Any], str], Any]] = {
    "strategy": _make_plan,
    "gaps": lambda fields, prompt: {
        "gaps": ["The times are missing."],
        "queries": _make_queries(fields, prompt),
    },
    "query": lambda _, prompt: {
        "query": f"tides bay {hashlib.sha256(prompt.encode()).hexdigest()[:6]}"
    },
    "score": lambda *_: {"score": 4, "explanation": "It says how high the tides rise."},
    "judgements": lambda *_: {"judgements": []},
    "verdicts": lambda *_: {"verdicts": []},
}


def _wrap_reply(text: str) -> dict[str, Any]:
    """Return the text as the JSON of a Gemini reply."""
    return {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
        ],
        "usageMetadata": {"promptTokenCount": 900, "candidatesTokenCount": len(text) // 4},
        "modelVersion": "stub",
    }


# ---------------------------------------------------------------- the server


class PacedServer(ThreadingHTTPServer):
    """The stub's server, with its pace and the requests it got."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, pace: Pace) -> None:
        super().__init__(("127.0.0.1", 0), PacedHandler)
        self.pace = pace
        self.requests: list[Request] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about clients that were killed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class PacedHandler(QuietHandler):
    server: PacedServer

    def do_GET(self) -> None:
        begin = time.monotonic()
        address = urlsplit(self.path)
        if self.headers["Host"].partition(":")[0] in HOSTS:
            if address.path == "/robots.txt":
                self._reply("robots", begin, b"", "text/plain", status=404)
            else:
                self._reply("page", begin, make_page(address.path), "text/html; charset=utf-8")
        elif address.path == "/search":
            query = parse_qs(address.query)["q"][0]
            self._reply("search", begin, make_results(query), "application/json")
        elif address.path == "/log":
            logged = [asdict(request) for request in self.server.requests]
            self.send_body(json.dumps(logged).encode(), "application/json")
        elif address.path == "/reset":
            self.server.requests.clear()
            self.send_body(b"", "text/plain")
        else:
            self.send_body(b"", "text/plain", status=404)

    def do_POST(self) -> None:
        begin = time.monotonic()
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = json.dumps(_wrap_reply(make_reply(body)))
        if ":streamGenerateContent" in self.path:
            self._reply("model", begin, f"data: {reply}\n\n".encode(), "text/event-stream")
        else:
            self._reply("model", begin, reply.encode(), "application/json")

    def _reply(
        self, kind: str, begin: float, body: bytes, content_type: str, status: int = 200
    ) -> None:
        """Send the reply when its time has come, and log the request."""
        pace = self.server.pace
        seconds = {"page": pace.page_s, "robots": pace.page_s, "model": pace.model_s}.get(kind, 0.0)
        time.sleep(max(0.0, begin + seconds - time.monotonic()))
        # Logged before it is sent, as the client may ask for the log at once.
        address = self.headers["Host"] + self.path if kind in ("page", "robots") else ""
        self.server.requests.append(Request(kind, begin, time.monotonic(), address))
        self.send_body(body, content_type, status)


@contextmanager
def open_paced_web(pace: Pace) -> Iterator[int]:
    """Run the stub in a process of its own, and yield its port."""
    spawn = multiprocessing.get_context("spawn")
    ports: Any = spawn.Queue()
    process = spawn.Process(target=_run_paced_web, args=(ports, pace), daemon=True)
    process.start()
    yield ports.get(timeout=30)
    process.terminate()
    process.join()


def _run_paced_web(ports: Any, pace: Pace) -> None:
    """Run the stub until its process ends, and put its port into the queue."""
    server = PacedServer(pace)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ports.put(server.server_port)
    threading.Event().wait()
