"""Measure how soon the command line and the app answer.

    python benchmarks/starts.py [--runs N] [--record]

Needs no data. Prints, as medians of N runs (5): the CPU seconds of `assay --help` and
`assay sessions`; the seconds from the spawn of the app until it answers a request with 200, and its
memory in MB some seconds later; the same of a Streamlit app of one line. Each run has an empty
ASSAY_HOME.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import ROOT, make_parser
from benchmarks.results import record

COMMANDS = ("--help", "sessions")
BARE_APP = 'import streamlit as st\nst.write("hello")\n'
#: Seconds from the first answer until memory is measured: by then the engine has started.
SETTLE_S = 3.0


def measure_command(word: str, home: str) -> float:
    """Return the CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "research_core", word],
        cwd=ROOT, env={**os.environ, "ASSAY_HOME": home}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_app(app: Path, home: str) -> tuple[float, float]:
    """Return the seconds until a Streamlit app answers with 200, and its memory in MB."""
    port = _find_free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(app), f"--server.port={port}"]
    began = time.monotonic()
    with subprocess.Popen(
        [*command, "--server.headless=true"],
        cwd=app.parent, env={**os.environ, "ASSAY_HOME": home}, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        while not _answers(port):
            time.sleep(0.02)
        seconds = time.monotonic() - began
        time.sleep(SETTLE_S)
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        process.terminate()
    return seconds, next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1000


def _find_free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/", timeout=1) as reply:
            return bool(reply.status == 200)
    except (URLError, OSError):
        return False


def repeat(runs: int, measure: Callable[[str], tuple[float, ...]]) -> list[float]:
    """Return the median of each figure."""
    rows = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as home:
            rows.append(measure(home))
    return [round(statistics.median(figures), 2) for figures in zip(*rows, strict=True)]


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--record", action="store_true", help="store the figures in results.json")
    options = parser.parse_args()
    figures = {}
    for word in COMMANDS:
        (figures[f"{word}_cpu_s"],) = repeat(
            options.runs, lambda home, word=word: (measure_command(word, home),)
        )
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE_APP)
        for name, app in (("bare_app", bare), ("app", ROOT / "app.py")):
            seconds, memory = repeat(options.runs, lambda home, app=app: measure_app(app, home))
            figures |= {f"{name}_answers_s": seconds, f"{name}_mb": memory}
    print(json.dumps(figures, indent=2))
    if options.record:
        record("starts", figures)


if __name__ == "__main__":
    main()
