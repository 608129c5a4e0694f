"""Measure what sessions cost on the queue, by the number of workers and the database.

    python benchmarks/load.py [--sessions N] [--workers N ...] [--at-once N ...] [--paced]
        [--database NAME] [--record]

Needs no data and no network: quick sessions on the sample library with the offline writer. --paced:
on a web and with a model of this machine instead, which take 200 ms for a page and 500 ms for a
reply, as in `latency.py`. Each row has its own database, on SQLite and, where a server's programs
are installed, on a PostgreSQL server of its own. All sessions wait in the queue when the workers
start. Prints a table: workers, and the sessions that each runs at once; sessions a minute, the start
of the workers included; CPU seconds of the workers a session, after the first ones; CPU seconds of
the database server a session; CPU seconds to start a worker and to run its first sessions; peak
memory of all workers; kB by which the database grew a session; sessions whose log begins with their
place in the queue; sessions that did not end as done. Exits with 1 if there are any of these, or a
place is missing.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

import sqlalchemy as sa

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import ROOT, make_parser
from benchmarks.paced_web import HOSTS, Pace, open_paced_web
from benchmarks.results import record
from benchmarks.stub import choose_resources
from research_core.journal.tables import event, session
from research_core.policy import SAMPLE_LIBRARY, RunSettings
from research_core.sessions import run_defaults, session_start
from research_core.sessions.workers import WorkerEngine, serve_until_signal
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources

QUESTIONS = (
    "How does value-based pricing for software work?",
    "What are the effects of microplastics on marine life?",
    "What is the impact of deep-sea mining?",
    "How far is fusion energy?",
)
POSTGRES = Path("/usr/lib/postgresql/15/bin")
#: Seconds without any session ending after which the rest counts as lost.
STALL_S = 120.0
LOOK_S = 0.25
PACED = Pace(page_s=0.2, model_s=0.5)
HEADINGS = (
    f"{'database':11}{'workers':>8}{'at once':>8}{'sessions':>9}{'a minute':>9}{'CPU s':>8}{'server CPU s':>13}"
    f"{'start CPU s':>12}{'peak MB':>9}{'kB each':>9}{'placed':>8}{'lost':>6}"
)


@dataclass(frozen=True)
class Load:
    """One row of the table; CPU seconds of workers and server are a session's."""

    database: str
    workers: int
    at_once: int
    sessions: int
    a_minute: float
    cpu_s: float
    server_cpu_s: float
    start_cpu_s: float
    peak_mb: int
    kb_each: float
    placed: int
    lost: int

    def format(self) -> str:
        return (
            f"{self.database:11}{self.workers:8}{self.at_once:8}{self.sessions:9}{self.a_minute:9.0f}"
            f"{self.cpu_s:8.3f}{self.server_cpu_s:13.3f}{self.start_cpu_s:12.2f}{self.peak_mb:9}"
            f"{self.kb_each:9.1f}{self.placed:8}{self.lost:6}"
        )


# -- what the system says of a process -------------------------------------------------------------


def read_cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process so far, with those of its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def read_peak_mb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) // 1000


def list_family(pid: int) -> list[int]:
    """Return a process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


# -- the database ----------------------------------------------------------------------------------


def run_quietly(command: list[str | Path]) -> None:
    """Run a command that must succeed, without its output."""
    nowhere = subprocess.DEVNULL
    subprocess.run(command, cwd="/", stdout=nowhere, stderr=nowhere, check=True)


@contextmanager
def serve_postgres(folder: Path) -> Iterator[tuple[str, int]]:
    """Run a PostgreSQL server of its own and yield its address and process id.

    The server refuses to run as root, so the user `postgres` runs it there.
    """
    data = folder / "postgres"
    data.mkdir()
    by: list[str | Path] = []
    if os.geteuid() == 0:
        folder.chmod(0o755)
        shutil.chown(data, "postgres")
        by = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    make = [*by, POSTGRES / "initdb", "-D", data, "-A", "trust", "-U", "assay"]
    run_quietly(make)
    options = f"-c listen_addresses= -c unix_socket_directories={data} -c max_connections=300"
    start = [*by, POSTGRES / "pg_ctl", "-D", data, "-w", "-l", data / "log", "-o", options, "start"]
    run_quietly(start)
    try:
        pid = int((data / "postmaster.pid").read_text().splitlines()[0])
        yield f"postgresql+psycopg://assay@/postgres?host={data}", pid
    finally:
        stop = [*by, POSTGRES / "pg_ctl", "-D", data, "-m", "fast", "stop"]
        run_quietly(stop)


def measure_database(resources: Resources) -> int:
    """Return the size of the database in bytes."""
    if resources.db.path is None:
        with resources.db.reading() as conn:
            size = conn.execute(sa.select(sa.func.pg_database_size(sa.func.current_database())))
            return int(size.scalar_one())
    with resources.db.reading() as conn:
        conn.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return resources.db.path.stat().st_size


def count_outcomes(resources: Resources) -> dict[str, int]:
    """Return how many sessions ended, by outcome."""
    query = sa.select(session.c.outcome, sa.func.count()).where(session.c.outcome.is_not(None))
    with resources.db.reading() as conn:
        rows = conn.execute(query.group_by(session.c.outcome)).all()
    return {str(outcome): int(count) for outcome, count in rows}


def count_places(resources: Resources) -> int:
    """Return how many sessions have a log that begins with their place in the queue."""
    first = sa.select(event.c.session, sa.func.min(event.c.seq).label("seq"))
    firsts = first.group_by(event.c.session).subquery()
    joined = sa.and_(event.c.session == firsts.c.session, event.c.seq == firsts.c.seq)
    query = sa.select(sa.func.count()).select_from(event).join(firsts, joined)
    with resources.db.reading() as conn:
        return int(conn.execute(query.where(event.c.kind == "queued")).scalar_one())


# -- one row ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setup:
    """What one row measures. port: of the stub web, 0 for the sample library without a model."""

    database: str
    workers: int
    at_once: int
    sessions: int
    port: int

    def make_environment(self, home: Path, url: str) -> dict[str, str]:
        env = {
            **os.environ,
            "ASSAY_HOME": str(home),
            "ASSAY_SEMANTIC": "0",
            "ASSAY_WORKER_ONLY": "1",
            "ASSAY_SESSIONS_AT_ONCE": str(self.at_once),
        }
        env.pop("GEMINI_API_KEY", None)
        if url:
            env["ASSAY_DATABASE_URL"] = url
        if self.port:
            here = f"http://127.0.0.1:{self.port}"
            env |= {"SEARXNG_URL": here, "ASSAY_GEMINI_URL": here, "GEMINI_API_KEY": "key-of-stub"}
            env |= {"ASSAY_MODEL": "gemini", "ASSAY_HOST_DELAY": "0"}
        return env

    def list_command(self) -> list[str]:
        if not self.port:
            return [sys.executable, "-m", "research_core.workers"]
        return [sys.executable, "-P", str(Path(__file__).resolve()), "--serve", str(self.port)]


def serve_sessions(port: int) -> NoReturn:
    """Be a worker with the stub for all the web, until a signal."""
    resources = choose_resources(HOSTS, port)(Settings.from_env())
    serve_until_signal(WorkerEngine(resources, runs=True))


def enqueue_sessions(resources: Resources, setup: Setup) -> None:
    run = RunSettings(mode="quick", engines=("library",), library=SAMPLE_LIBRARY)
    if setup.port:
        model = run_defaults.list_models(resources)[0]
        run = RunSettings(mode="quick", engines=("searxng",), library="", model=model)
    else:
        resources.library(LOCAL_USER).prepare(SAMPLE_LIBRARY)
    engine = WorkerEngine(resources, runs=False)
    engine.start()
    for number in range(setup.sessions):
        question = QUESTIONS[number % len(QUESTIONS)]
        if setup.port:
            question = f"How high do the tides of the bay rise at station {number}?"
        engine.enqueue(session_start.new_session(resources, question, run))
    engine.stop()


def measure_load(setup: Setup, url: str, home: Path, server: int) -> Load:
    """Run sessions from the queue. server: the process id of the database server, 0 for none."""
    env = setup.make_environment(home, url)
    resources = Resources(Settings.from_env(env))
    enqueue_sessions(resources, setup)
    size = measure_database(resources)
    before = sum(map(read_cpu_s, list_family(server))) if server else 0.0
    running = [
        subprocess.Popen(setup.list_command(), cwd=ROOT, env=env, stderr=subprocess.DEVNULL)
        for _ in range(setup.workers)
    ]
    pids = [process.pid for process in running]
    began = last = time.monotonic()
    ended, first, start = 0, 0, 0.0
    while ended < setup.sessions and time.monotonic() - last < STALL_S:
        time.sleep(LOOK_S)
        now = sum(count_outcomes(resources).values())
        if now != ended:
            ended, last = now, time.monotonic()
        if not first and ended >= min(setup.sessions, setup.at_once * setup.workers):
            first, start = ended, sum(map(read_cpu_s, pids))
    seconds = last - began
    cpu = sum(map(read_cpu_s, pids))
    after = sum(map(read_cpu_s, list_family(server))) if server else 0.0
    memory = sum(map(read_peak_mb, pids))
    for process in running:
        process.send_signal(signal.SIGTERM)
    for process in running:
        process.wait()
    grown = (measure_database(resources) - size) / setup.sessions
    done = count_outcomes(resources).get("done", 0)
    placed = count_places(resources)
    resources.db.close()
    return Load(
        setup.database, setup.workers, setup.at_once, setup.sessions,
        a_minute=round(ended / seconds * 60, 1),
        cpu_s=round((cpu - start) / max(1, ended - first), 3),
        server_cpu_s=round((after - before) / max(1, ended), 3),
        start_cpu_s=round(start / setup.workers, 2),
        peak_mb=memory,
        kb_each=round(grown / 1000, 1),
        placed=placed,
        lost=setup.sessions - done,
    )  # fmt: skip


def measure_row(setup: Setup) -> Load:
    """Measure one row on a database of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if setup.database == "SQLite":
            return measure_load(setup, "", folder, 0)
        with serve_postgres(folder) as (url, pid):
            return measure_load(setup, url, folder / "home", pid)


def main() -> int:
    if sys.argv[1:2] == ["--serve"]:
        serve_sessions(int(sys.argv[2]))
    databases = ["SQLite", *(["PostgreSQL"] if POSTGRES.exists() else [])]
    parser = make_parser(__doc__)
    parser.add_argument("--sessions", type=int, default=100, help="of each row")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--at-once", type=int, nargs="+", default=[4], help="of each worker")
    parser.add_argument("--paced", action="store_true", help="with a slow web and model")
    parser.add_argument("--database", choices=databases, nargs="+", default=databases)
    parser.add_argument("--record", action="store_true", help="store the figures in results.json")
    options = parser.parse_args()
    print(HEADINGS, flush=True)
    rows: list[Load] = []
    stub = open_paced_web(PACED) if options.paced else nullcontext(0)
    with stub as port:
        for row in itertools.product(options.database, options.workers, options.at_once):
            load = measure_row(Setup(*row, options.sessions, port))
            rows.append(load)
            print(load.format(), flush=True)
    if options.record:
        name = "load_paced" if options.paced else "load"
        record(name, [asdict(load) for load in rows])
    return 1 if any(load.lost or load.placed != load.sessions for load in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
