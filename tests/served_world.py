"""The made-up world of tests/world.py behind a server on loopback.

For runs in processes that get killed: the server survives and counts. `Server` belongs to the test;
`ServedResources` and `ServedModel` to the process under test, which `start_process` starts.
"""

from __future__ import annotations

import json
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from research_core.errors import ModelError, SearchError
from research_core.model_messages import ModelReply, ModelRequest, Usage
from research_core.models import Principal
from research_core.policy import RunSettings
from research_core.sessions import heartbeats, runner, session_start, workers
from research_core.settings import Settings
from research_core.web.http.client import Client
from research_core.web.http.pacing import HostPacing
from research_core.wiring import LOCAL_USER, Resources
from tests.local_web import PUBLIC, Internet
from tests.timing import LONG_S
from tests.world import ANSWERS, QUESTION, World

SITES = [f"site{n}.example.{end}" for n in range(9) for end in ("org", "com")]


@dataclass
class Call:
    """A request at the server.

    answered: when the last byte of the answer was sent, 0.0 while it was not; over: nothing more is
    sent.
    """

    what: str
    asked: float
    answered: float = 0.0
    over: bool = False


class Server:
    """The world, each answer after low to high seconds.

    calls: every request, in order; at: {number of a request: what to do then}; halt: from the
    request of this number on no answer is begun until `going` is set.
    """

    def __init__(self, seed: int = 1, low: float = 0.05, high: float = 0.1) -> None:
        self.world, self.low, self.high = World(seed), low, high
        self.calls: list[Call] = []
        self.at: dict[int, Callable[[], object]] = {}
        self.halt: Callable[[int, str], bool] = lambda number, what: False
        self.going = threading.Event()
        self.going.set()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.port = self._http.server_port
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def asked(self) -> list[str]:
        with self._lock:
            return [call.what for call in self.calls]

    def meanwhile(self, number: int, do: Callable[[], object]) -> None:
        """Do this while the request of that number is under way, and any other waits for its
        answer.
        """

        def act() -> None:
            do()
            self.going.set()

        self.halt, self.at[number] = (lambda n, what: n == number), act

    def is_idle(self, for_s: float = 0.3) -> bool:
        """Return True if it was asked for nothing for so long and owes nobody an answer."""
        with self._lock:
            calls = list(self.calls)
        now = time.monotonic()
        return all(call.over and now - max(call.asked, call.answered) >= for_s for call in calls)

    def begin(self, what: str) -> Call:
        call = Call(what, time.monotonic())
        with self._lock:
            self.calls.append(call)
            if self.halt(len(self.calls), what):
                self.going.clear()
            do = self.at.pop(len(self.calls), None)
        if do:
            threading.Thread(target=do, daemon=True).start()
        time.sleep(self.low + self.world.chance("latency", what) * (self.high - self.low))
        self.going.wait(LONG_S)
        return call

    def search(self, query: str) -> tuple[int, Any]:
        try:
            found = self.world.results("searxng", query)
        except SearchError:
            return 404, {}  # a failure that trying again does not help
        rows = [
            {
                "url": row["url"].replace("https:", "http:"),
                "title": row["title"],
                "content": row["snippet"],
            }
            for row in found
        ]
        return 200, {"results": rows}

    def page(self, url: str) -> tuple[int, str]:
        return (
            (404, "gone") if self.world.chance("dead", url) < 0.25 else (200, self.world.page(url))
        )

    def model(self, kind: str, inputs: Mapping[str, Any]) -> tuple[int, Any]:
        return 200, {"text": ANSWERS[kind](self.world, inputs)}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = f"http://{self.headers['Host']}{self.path}"
                call = server.begin(f"GET {url}")
                query = parse_qs(urlsplit(url).query).get("q")
                self.reply(call, *(server.search(query[0]) if query else server.page(url)))

            def do_POST(self) -> None:
                asked = self.rfile.read(int(self.headers["Content-Length"]))
                request = json.loads(asked)
                call = server.begin(f"model {request['kind']} {sha256(asked).hexdigest()[:12]}")
                self.reply(call, *server.model(**request))

            def reply(self, call: Call, status: int, body: Any) -> None:
                kind = "text/html" if isinstance(body, str) else "application/json"
                sent = (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(sent)))
                try:
                    self.end_headers()
                    self.wfile.write(sent)
                    call.answered = time.monotonic()
                finally:
                    call.over = True

            def handle(self) -> None:
                with suppress(ConnectionError):  # whoever asked was killed
                    super().handle()

            def log_message(self, *_: Any) -> None: ...

        return Handler


@contextmanager
def serve_world(**options: Any) -> Iterator[Server]:
    server = Server(**options)
    try:
        yield server
    finally:
        server.close()


# ---------------------------------------------------------------- in the process under test


class ServedModel:
    """A model that the server answers for."""

    name = "served"

    def __init__(self, port: int) -> None:
        self.port = port

    def open(self) -> None: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=2 * LONG_S)
        try:
            connection.request(
                "POST", "/", json.dumps({"kind": request.kind, "inputs": request.inputs})
            )
            answer = json.loads(connection.getresponse().read())
        except OSError as error:
            raise ModelError(f"The model does not answer: {error}.", kind="blocked") from error
        finally:
            connection.close()
        if on_text:
            on_text(answer["text"])
        return ModelReply(answer["text"], self.name, Usage(100, 50, answer.get("cost", 0.001)))


@dataclass(frozen=True)
class ServedResources(Resources):
    """Resources whose every host name and public address leads to the server."""

    port: int = 0

    @cached_property
    def client(self) -> Client:
        names = {site: [[PUBLIC]] for site in SITES}
        web = Internet(names, self.port, self.port)
        pacing = HostPacing(delay_s=0.0, robots=False)  # the server counts what is asked of it
        return Client(
            allowed_endpoints=self.settings.endpoints,
            pacing=pacing,
            resolve=web.resolve,
            connect=web.connect,
        )

    def open_page_cache(self, who: Principal) -> None:
        """Return no cache.

        A run is held against one before it in the same database, which asked for the same pages.
        """


def make_resources(home: Path, port: int, database_url: str = "") -> ServedResources:
    env = {
        "ASSAY_HOME": str(home),
        "ASSAY_DATABASE_URL": database_url,
        "SEARXNG_URL": f"http://127.0.0.1:{port}",
        "ASSAY_ARCHIVE": "0",
        "ASSAY_SEMANTIC": "0",
    }
    return ServedResources(Settings.from_env(env), port)


def new_session(place: Resources, mode: str = "standard", who: Principal = LOCAL_USER) -> str:
    return session_start.new_session(
        place,
        QUESTION,
        RunSettings(mode=mode, engines=("searxng",), model=ServedModel.name),
        who=who,
    )


def attempt_run(place: ServedResources, session: str) -> runner.AttemptOutcome:
    """One attempt in this process, as the command line makes it."""
    executor = heartbeats.make_executor_id()
    with heartbeats.keep_heartbeat(place, executor):
        return runner.resume_or_run(place, session, executor, model=ServedModel(place.port))


def run_worker(place: ServedResources, pace: workers.WorkerPace) -> None:
    """A worker process."""
    workers.serve_until_signal(
        workers.WorkerEngine(place, runs=True, pace=pace, model=ServedModel(place.port))
    )


# ---------------------------------------------------------------- starting one

#: Processes of their own, forked off a server that has imported everything: they start in
#: milliseconds.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.served_world", "trafilatura"])


def start_process(target: Callable[..., object], *arguments: object) -> ForkServerProcess:
    """Start this function in a process of its own."""
    started = _PROCESSES.Process(target=target, args=arguments, daemon=True)
    started.start()
    return started
