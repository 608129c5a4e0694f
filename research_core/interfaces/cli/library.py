"""The command line's `library` commands: add, list, search, remove. What they print stands here;
what they do is the library's.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from research_core.errors import UsageError
from research_core.interfaces.cli.terminal import DONE, FAILED, say
from research_core.search.library.meaning import took
from research_core.sessions.run_defaults import OWN
from research_core.text.words import line
from research_core.wiring import LOCAL, Office, page_reader

RESULTS = 10
WITHIN_S = 600.0


def _add(arguments: argparse.Namespace, office: Office) -> int:
    """Add each path by itself and all addresses together; then work out what the new documents
    mean, where there is a model.
    """
    name, sources = _named(arguments)
    if not all(source.strip() for source in sources):
        raise UsageError(
            "There is a path or an address of no characters.",
            next_step="A folder that is meant by it is called `.`.",
        )
    library, addresses = (
        office.library(LOCAL),
        [source for source in sources if _is_address(source)],
    )
    done = [
        library.add(Path(path), name, _count, prune=arguments.prune)
        for path in sources
        if not _is_address(path)
    ] + (
        [library.add_pages(addresses, name, page_reader(office, LOCAL), _count)]
        if addresses
        else []
    )
    for added in done:
        print(added.sentence())
        if added.gone:
            say(f"{added.missing()} Add the folder with --prune to take them out.")
    _work_out(arguments, office, name)
    return FAILED if any(added.failed for added in done) else DONE


def _named(arguments: argparse.Namespace) -> tuple[str, list[str]]:
    """The library, and what to add to it."""
    first, *rest = arguments.sources
    if (
        rest
        and arguments.name is None
        and first.strip()
        and not _is_address(first)
        and not _is_there(first)
    ):
        return first, rest
    return arguments.name or OWN, arguments.sources


def _is_there(path: str) -> bool:
    """Whether something is at a path, or something that cannot be looked at."""
    try:
        return os.path.lexists(Path(path).expanduser())
    except (RuntimeError, ValueError):  # the home of nobody, or a byte that no path has
        return False


def _is_address(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def _count(done: int, total: int, name: str) -> None:
    say(f"[{done}/{total}] {line(name)}")


def _work_out(arguments: argparse.Namespace, office: Office, name: str) -> None:
    """At most ten minutes of it; what is left, a later `library add` goes on with."""
    library = office.library(LOCAL)
    known = library.meaning(name)
    if known.why or arguments.no_meaning:
        say(known.sentence())
        return
    if known.missing:
        say(
            f"Working out the meaning of {known.missing:,} documents ({took(known.seconds)}; Ctrl-C"
            " leaves the rest for later)."
        )
        known = library.work_out(
            name,
            lambda done, total, title: say(f"[meaning {done}/{total}] {line(title)}"),
            within_s=WITHIN_S,
        )
        rest = " `assay library add` with any of them goes on." if known.missing else ""
        say(known.sentence() + rest)


def _list(arguments: argparse.Namespace, office: Office) -> int:
    for document in _documents(arguments, office):
        print(f"{document['url']}  {line(document['title'])}")
    return DONE


def _documents(arguments: argparse.Namespace, office: Office) -> list[Any]:
    library = office.library(LOCAL)
    library.prepare(arguments.name, _count)
    documents = library.documents(arguments.name)
    if not documents:
        step = f"`assay library add FOLDER --name {arguments.name}` adds to it."
        raise UsageError(
            f"There is nothing in a library called {arguments.name!r}.", next_step=step
        )
    return documents


def _search(arguments: argparse.Namespace, office: Office) -> int:
    library, documents = office.library(LOCAL), _documents(arguments, office)
    say(f"Searching {len(documents):,} document{'s' * (len(documents) != 1)}.")
    results, known = (
        library.find(arguments.name, arguments.query, RESULTS),
        library.meaning(arguments.name),
    )
    say(known.sentence())
    for found in results:
        place = (
            f"passage {found['passage']} of {found['passages']}, characters"
            f" {found['start']}-{found['end']}"
        )
        print(f"{line(found['title'])}\n  {found['url']}\n  {place}\n  {line(found['snippet'])}\n")
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
