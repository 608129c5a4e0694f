"""The command line's `library` commands: add, list, search, remove. What they print stands here; what they do is the library's."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from research_core.errors import UsageError
from research_core.terminal import DONE, FAILED, line, say
from research_core.wiring import LOCAL, Office


def _add(arguments: argparse.Namespace, office: Office) -> int:
    counts = office.library(LOCAL).add(
        Path(arguments.path), arguments.name, on_progress=lambda done, total, name: say(f"[{done}/{total}] {name}")
    )
    print(counts.sentence())
    return DONE if not counts.failed else FAILED


def _list(arguments: argparse.Namespace, office: Office) -> int:
    for document in _documents(arguments, office):
        print(f"{document['url']}  {line(document['title'])}")
    return DONE


def _documents(arguments: argparse.Namespace, office: Office) -> list[Any]:
    documents = office.library(LOCAL).documents(arguments.name)
    if not documents:
        step = f"`assay library add FOLDER --name {arguments.name}` adds to it."
        raise UsageError(f"There is nothing in a library called {arguments.name!r}.", next_step=step)
    return documents


def _search(arguments: argparse.Namespace, office: Office) -> int:
    _documents(arguments, office)
    results = office.library(LOCAL).search(arguments.name, arguments.query)
    for found in results:
        print(f"{line(found['title'])}\n  {found['url']}\n  {line(found['snippet'])}\n")
    if not results:
        say(f"Nothing in the library {arguments.name!r} holds any of these words.")
    return DONE


def _remove(arguments: argparse.Namespace, office: Office) -> int:
    """The documents at these addresses, or without any the whole library."""
    if not arguments.urls:
        office.library(LOCAL).remove_library(arguments.name)
        say(f"The library {arguments.name!r} was removed.")
        return DONE
    count = office.library(LOCAL).remove(arguments.name, arguments.urls)
    say(f"Documents removed: {count}.")
    return DONE if count == len(set(arguments.urls)) else FAILED


#: What each command of `usage` does.
COMMANDS: dict[str, Callable[[argparse.Namespace, Office], int]] = {
    "library add": _add,
    "library list": _list,
    "library search": _search,
    "library remove": _remove,
}
