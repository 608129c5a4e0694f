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

opened, go = [], threading.Event()

def open_model():
    go.wait(30)
    opened.append(threading.current_thread().name)
    if {fails}:
        raise ValueError("no such model")

log = types.SimpleNamespace(answers=lambda: {answers})
deps = types.SimpleNamespace(log=log, model=types.SimpleNamespace(open=open_model))
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
print(len(opened), waited, "research_core.pipeline.finish" in sys.modules)
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
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(fails=fails, answers=answers)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == (said, "")
