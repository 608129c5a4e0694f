"""Read every document that was made to break a reader, within 5 s and 300 MB each.

    python benchmarks/corpora.py

Linux only. Data: `adversarial` in the shared data: broken PDFs, html5lib inputs, bombs and naughty
strings, served as the web would. Each must end in a page or a clear error. Prints and records how
they ended, the slowest in seconds, and the most memory that a child and this process held in MB.
Exits with 1 if a corpus is over a limit.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import make_parser, require_folder
from benchmarks.results import record
from research_core.web.html import MAX_IN_PROCESS_BYTES
from tests import corpora
from tests.corpora import DATA, MOST_S, Item, Outcome

#: Memory that a process may hold.
MAX_MB = 300
#: CPU seconds that this process may take over a page that it parses itself.
MAX_CPU_S = 1.0
#: Seconds between two looks at the memory of the children.
WATCH_INTERVAL_S = 0.01
#: Corpora whose documents are generated, which takes more memory than reading them: one at a time.
GENERATED = ("bombs", "swollen", "long")


class Reading(NamedTuple):
    """A document and how reading it ended."""

    item: Item
    outcome: Outcome


# -- memory ----------------------------------------------------------------------------------------


class MemoryWatch:
    """The most memory in MB that this process and any of its children hold inside the block."""

    def __init__(self) -> None:
        self.parent_mb = 0.0
        self.child_mb = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch_children, daemon=True)

    def __enter__(self) -> MemoryWatch:
        # Resets the peak, which so far is that of generating the documents.
        Path("/proc/self/clear_refs").write_text("5")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self.parent_mb = _read_peak_mb(os.getpid())

    def _watch_children(self) -> None:
        while not self._ended.wait(WATCH_INTERVAL_S):
            for child in _list_children(os.getpid()):
                # Each document is read in a copy that a child makes of itself.
                for process in (child, *_list_children(child)):
                    self.child_mb = max(self.child_mb, _read_peak_mb(process))


def _list_children(pid: int) -> list[int]:
    """Return the ids of the processes that a process started; [] if it has ended."""
    children: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            children += map(int, (task / "children").read_text().split())
    except OSError:
        pass
    return children


def _read_peak_mb(pid: int) -> float:
    """Return the VmHWM of a process; 0 if it has ended or is still the copy of its parent."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        if pid != os.getpid() and command == Path("/proc/self/cmdline").read_bytes():
            return 0.0
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    for line in status.splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


# -- corpora ---------------------------------------------------------------------------------------


def iter_items(folder: Path) -> Iterator[Item]:
    """Yield the documents of all corpora. folder: where bombs are written."""
    yield from corpora.pdfs()
    yield from corpora.pages()
    yield from corpora.bombs(folder)
    yield from corpora.strings()
    yield from corpora.swelling()
    yield from corpora.honest()
    yield from corpora.tedious(MAX_IN_PROCESS_BYTES)


def read_corpus(name: str, items: list[Item]) -> dict[str, Any]:
    """Read a corpus, print its slow documents and return its figures."""
    batches: Iterable[list[Item]] = [items]
    if name in GENERATED:
        batches = ([item] for item in items)
    readings: list[Reading] = []
    parent_mb = child_mb = 0.0
    for batch in batches:
        batch_readings, memory = _read_batch(batch)
        readings += batch_readings
        parent_mb = max(parent_mb, memory.parent_mb)
        child_mb = max(child_mb, memory.child_mb)
    figures = summarise(readings, parent_mb, child_mb)
    print(name, figures, flush=True)
    for reading in readings:
        if name in GENERATED or _is_slow(reading.outcome):
            _print_reading(reading)
    return figures


def _read_batch(batch: list[Item]) -> tuple[list[Reading], MemoryWatch]:
    """Load documents, then read them under watch; their bytes are freed on return."""
    bodies = [item.load() for item in batch]
    readings = []
    with MemoryWatch() as memory:
        for item, body in zip(batch, bodies, strict=True):
            readings.append(Reading(item, corpora.read(item, body)))
    return readings, memory


def summarise(readings: list[Reading], parent_mb: float, child_mb: float) -> dict[str, Any]:
    """Return what is recorded of a corpus."""
    kinds: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    well_formed = []
    for reading in readings:
        if reading.outcome.kind:
            kinds[reading.outcome.kind] += 1
        if reading.outcome.error:
            errors[reading.outcome.error] += 1
        if reading.item.wanted:
            well_formed.append(reading.outcome)
    slowest = max(readings, key=lambda reading: reading.outcome.seconds)
    figures: dict[str, Any] = {
        "documents": len(readings),
        "read": dict(sorted(kinds.items())),
        "clear_errors": dict(sorted(errors.items())),
        "slowest_s": round(slowest.outcome.seconds, 2),
        "slowest": slowest.item.label,
        "slowest_cpu_s": round(max(reading.outcome.cpu_s for reading in readings), 2),
        "peak_mb_child": round(child_mb),
        "peak_mb_parent": round(parent_mb),
    }
    if well_formed:
        figures["well_formed"] = len(well_formed)
        figures["well_formed_read"] = sum(bool(outcome.kind) for outcome in well_formed)
    if readings[0].item.corpus == "long":
        seconds = {}
        for item, outcome in readings:
            seconds[item.label] = round(outcome.seconds, 2)
        figures["seconds"] = seconds
    return figures


def _is_slow(outcome: Outcome) -> bool:
    return outcome.seconds > MOST_S / 2 or outcome.cpu_s > MAX_CPU_S / 2


def _print_reading(reading: Reading) -> None:
    outcome = reading.outcome
    ending = outcome.kind or outcome.error
    times = f"{outcome.seconds:5.2f} s, {outcome.cpu_s:.2f} s here"
    print(f"    {reading.item.label:24} {ending:14} {times}", flush=True)


def is_over_limits(figures: dict[str, Any]) -> bool:
    """Return True if a document of the corpus took too long or too much memory."""
    peak_mb = max(figures["peak_mb_child"], figures["peak_mb_parent"])
    return bool(
        figures["slowest_s"] > MOST_S or figures["slowest_cpu_s"] > MAX_CPU_S or peak_mb > MAX_MB
    )


def main() -> int:
    make_parser(__doc__).parse_args()
    require_folder(DATA)
    began = time.perf_counter()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        by_corpus: dict[str, list[Item]] = {}
        for item in iter_items(Path(folder)):
            by_corpus.setdefault(item.corpus, []).append(item)
        for name, items in by_corpus.items():
            figures[name] = read_corpus(name, items)
    over = [name for name, row in figures.items() if is_over_limits(row)]
    record("corpora", figures | {"seconds": round(time.perf_counter() - began)})
    print("over the limits:", ", ".join(over) or "none")
    return bool(over)


if __name__ == "__main__":
    sys.exit(main())
