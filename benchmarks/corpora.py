"""Every document made to break a reader: `python benchmarks/corpora.py`. Each must end in a page or
a clear error within 5 s and 300 MB.

Reads all broken PDFs, html5lib inputs, bombs and naughty strings of the shared data as the web
would serve them, and records how each ended, how long the slowest took, and the most memory that a
child and this process held.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record
from research_core.web.html import MAX_IN_PROCESS_BYTES
from tests import corpora
from tests.corpora import DATA, MOST_S, Item, Outcome

MOST_MB = 300
#: Seconds of its own that this process may take over a page that it reads itself.
MOST_CPU_S = 1.0
#: Corpora whose documents are made, which takes more memory than reading them: one at a time.
MADE = ("bombs", "swollen", "long")


class Memory:
    """The most that this process and each of its children held, in megabytes, while it is watched."""

    def __init__(self) -> None:
        self.parent = self.child = 0.0
        self._done = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Memory:
        Path("/proc/self/clear_refs").write_text(
            "5"
        )  # forgets the peak so far, which was of making the documents
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watch.join()
        self.parent = _peak(os.getpid())

    def _look(self) -> None:
        while not self._done.wait(0.01):
            for child in _children(os.getpid()):
                self.child = max([self.child, _peak(child), *map(_peak, _children(child))])


def _children(pid: int) -> list[int]:
    """The processes that a process started. Each document is read in a copy of a child."""
    found = list[int]()
    with contextlib.suppress(OSError):  # it has ended
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def _peak(pid: int) -> float:
    """VmHWM of a process; 0 where it is gone, or has only begun and is still the copy of its
    parent.
    """
    try:
        if (
            Path(f"/proc/{pid}/cmdline").read_bytes() == Path("/proc/self/cmdline").read_bytes()
            and pid != os.getpid()
        ):
            return 0.0
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
        return next(
            (int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0
        )
    except OSError:
        return 0.0


def items(folder: Path) -> Iterator[Item]:
    yield from corpora.pdfs()
    yield from corpora.pages()
    yield from corpora.bombs(folder)
    yield from corpora.strings()
    yield from corpora.swelling()
    yield from corpora.honest()
    yield from corpora.tedious(MAX_IN_PROCESS_BYTES)


def figures(done: list[tuple[Item, Outcome]], memory: Memory) -> dict[str, Any]:
    """What is recorded of a corpus."""
    slow = max(done, key=lambda each: each[1].seconds)
    wanted = [outcome for item, outcome in done if item.wanted]
    return {
        "documents": len(done),
        "read": dict(sorted(Counter(outcome.kind for _, outcome in done if outcome.kind).items())),
        "clear_errors": dict(
            sorted(Counter(outcome.error for _, outcome in done if outcome.error).items())
        ),
        "slowest_s": round(slow[1].seconds, 2),
        "slowest": slow[0].label,
        "slowest_cpu_s": round(max(outcome.cpu_s for _, outcome in done), 2),
        "peak_mb_child": round(memory.child),
        "peak_mb_parent": round(memory.parent),
        **(
            {
                "well_formed": len(wanted),
                "well_formed_read": sum(bool(outcome.kind) for outcome in wanted),
            }
            if wanted
            else {}
        ),
        **(
            {"seconds": {item.label: round(outcome.seconds, 2) for item, outcome in done}}
            if done[0][0].corpus == "long"
            else {}
        ),
    }


def main() -> int:
    if not DATA.is_dir():
        raise SystemExit(
            f"{DATA} is not there: this benchmark needs the shared data (set ASSAY_SHARED)."
        )
    found: dict[str, dict[str, Any]] = {}
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        by_corpus: dict[str, list[Item]] = {}
        for item in items(Path(folder)):
            by_corpus.setdefault(item.corpus, []).append(item)
        for corpus, listed in by_corpus.items():
            done, most = list[tuple[Item, Outcome]](), Memory()
            for together in ([item] for item in listed) if corpus in MADE else [listed]:
                bodies = [(item, item.load()) for item in together]
                with Memory() as memory:
                    done += [(item, corpora.read(item, body)) for item, body in bodies]
                most.parent, most.child = (
                    max(most.parent, memory.parent),
                    max(most.child, memory.child),
                )
                del bodies
            found[corpus] = figures(done, most)
            print(corpus, found[corpus], flush=True)
            for item, outcome in done:
                if corpus in MADE or outcome.seconds > MOST_S / 2 or outcome.cpu_s > MOST_CPU_S / 2:
                    took = f"{outcome.seconds:5.2f} s, {outcome.cpu_s:.2f} s here"
                    print(
                        f"    {item.label:24} {outcome.kind or outcome.error:14} {took}", flush=True
                    )
    record("corpora", found | {"seconds": round(time.perf_counter() - began)})
    over = [
        corpus
        for corpus, each in found.items()
        if each["slowest_s"] > MOST_S
        or each["slowest_cpu_s"] > MOST_CPU_S
        or max(each["peak_mb_child"], each["peak_mb_parent"]) > MOST_MB
    ]
    print("over the limits:", ", ".join(over) or "none")
    return bool(over)


if __name__ == "__main__":
    sys.exit(main())
