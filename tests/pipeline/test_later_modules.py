"""The model is opened once, before pages are read, and a failure to open it ends nothing here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: In a process of its own, as it happens once in each.
PROGRAM = """
import sys, threading, types
from research_core.pipeline import later_modules
from research_core.policy import RunSettings

opened, loaded, go = [], [], threading.Event()

def open_model():
    go.wait(30)
    opened.append(threading.current_thread().name)
    if {fails}:
        raise ValueError("no such model")

log = types.SimpleNamespace(answers=lambda: {answers}, readonly={replays})
deps = types.SimpleNamespace(
    log=log,
    model=types.SimpleNamespace(open=open_model),
    run=RunSettings(passage_model="{passage_model}"),
    embedder=types.SimpleNamespace(load=lambda: loaded.append("finish" in "".join(sys.modules))),
)
later_modules.wait_until_opened()  # nobody opens it yet
for _ in range(3):
    later_modules.start_loading(deps)
waiting = threading.Thread(target=later_modules.wait_until_opened)
waiting.start()
waiting.join(0.2)
waited = waiting.is_alive()
go.set()
waiting.join(30)
for thread in threading.enumerate():
    if thread.name == "assay-imports":
        thread.join(30)
print(len(opened), waited, "research_core.pipeline.finish" in sys.modules, *loaded)
"""


@pytest.mark.parametrize(
    ("fails", "answers", "said"),
    [
        (False, {}, "1 True True"),
        (True, {}, "1 True False"),
        (False, {"key": "a call"}, "0 False True"),
    ],
    ids=["new", "cannot be opened", "answered by its log"],
)
def test_the_model_is_opened_once_and_waited_for(
    fails: bool, answers: dict[str, str], said: str
) -> None:
    program = PROGRAM.format(fails=fails, answers=answers, replays=False, passage_model="")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == (said, "")


@pytest.mark.parametrize(
    ("passage_model", "replays", "said"),
    [
        ("a model", False, "1 True True True"),
        ("a model", True, "1 True True"),
        ("words alone", False, "1 True True"),
        ("", False, "1 True True"),
    ],
    ids=["named", "replayed", "words alone", "of before"],
)
def test_the_embedding_model_is_loaded_last_if_the_run_names_it(
    passage_model: str, replays: bool, said: str
) -> None:
    program = PROGRAM.format(fails=False, answers={}, replays=replays, passage_model=passage_model)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == (said, "")


#: The process has nothing left to do while the embedding model is being loaded.
ENDING_PROGRAM = """
import sys, threading, time, types
from research_core.pipeline import later_modules
from research_core.policy import RunSettings

begun = threading.Event()

def load():
    begun.set()
    time.sleep(0.5)
    sys.stdout.write("loaded")
    sys.stdout.flush()

later_modules.start_loading(
    types.SimpleNamespace(
        log=types.SimpleNamespace(answers=lambda: {"key": "a call"}, readonly=False),
        model=None,
        run=RunSettings(passage_model="a model"),
        embedder=types.SimpleNamespace(load=load),
    )
)
assert begun.wait(60)
"""


def test_a_process_that_ends_lets_the_embedding_model_load_first() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDING_PROGRAM],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("loaded", "")
