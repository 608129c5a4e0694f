"""Import what a run needs after its first calls, while those calls are made.

Imports and the first calls share the interpreter, so the model is opened first: the plan that it
makes is what the run waits for longest. The embedding model comes last, as pages are read before it
is needed. Only the first run of a process has anything to import.
"""

from __future__ import annotations

import atexit
import threading
from contextlib import suppress
from importlib import import_module

from research_core.errors import ResearchError
from research_core.journal.deps import Deps

#: What the answers to the first calls need, in this order.
MODULES = (
    "research_core.web.fetch.read_page",
    "research_core.pipeline.summarize",
    "research_core.llm.offline_judge",
    "research_core.pipeline.finish",
)
#: The same for a check of a report.
AUDIT_MODULE = "research_core.pipeline.audit_text"
#: Held for good by the first run of the process that answers a question, and by the first that
#: checks a report.
_started = {False: threading.Lock(), True: threading.Lock()}
_opened = threading.Event()
#: Held while the embedding model is loaded, and for good once the process ends: an interpreter that
#: ends meanwhile is aborted.
_loading = threading.Lock()
atexit.register(_loading.acquire)


def start_loading(deps: Deps) -> None:
    """Open the models and import MODULES on a thread, once in a process.

    A check of a report needs AUDIT_MODULE instead, and embeds only sentences that are not on their
    page: the embedding model is loaded for the first of these.
    """
    if _started[deps.run.checks_report].acquire(blocking=False):
        thread = threading.Thread(target=_load, args=(deps,), name="assay-imports", daemon=True)
        thread.start()


def _load(deps: Deps) -> None:
    """Open the model, unless the log answers its first calls; then load what later steps need.

    The embedding model is loaded only if the run's settings name it, and not for a replay. Whoever
    needs what could not be imported or opened meets the error again, and reports it.
    """
    with suppress(ImportError, OSError, ResearchError, ValueError):
        try:
            if not deps.log.answers():
                deps.model.open()
        finally:
            _opened.set()
        if deps.run.checks_report:
            import_module(AUDIT_MODULE)
            return
        for name in MODULES:
            import_module(name)
        if deps.embedder is not None and deps.run.chooses_by_meaning and not deps.log.readonly:
            with _loading:
                deps.embedder.load()


def wait_until_opened() -> None:
    """Wait until the model is open, if a run of this process is opening it."""
    if any(lock.locked() for lock in _started.values()):
        _opened.wait()
