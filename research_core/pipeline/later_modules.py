"""Import what a run needs after its first calls, while those calls are made.

Imports and the first calls share the interpreter, so the model is opened first: the plan that it
makes is what the run waits for longest. Only the first run of a process has anything to import.
"""

from __future__ import annotations

import threading
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
_lock = threading.Lock()
_started, _loaded = threading.Event(), threading.Event()


def start_loading(deps: Deps) -> None:
    """Open the model and import MODULES on a thread, once in a process."""
    with _lock:
        if _started.is_set():
            return
        _started.set()
    threading.Thread(target=_load, args=(deps,), name="assay-imports", daemon=True).start()


def _load(deps: Deps) -> None:
    """Open the model, unless the log answers its first calls, then import the modules."""
    try:
        if not deps.log.answers():
            deps.model.open()
        for name in MODULES:
            import_module(name)
    except (ImportError, OSError, ResearchError, ValueError):
        return  # whoever needs what is missing meets the same error
    finally:
        _loaded.set()


def wait_until_loaded() -> None:
    """Wait until the thread is done, if one was started."""
    if _started.is_set():
        _loaded.wait()
