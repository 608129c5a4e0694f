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
from research_core.search.library.meaning import format_duration
from research_core.sessions.run_defaults import OWN
from research_core.text.words import to_single_line
from research_core.wiring import LOCAL_USER, Resources, make_page_reader

MAX_RESULTS = 10
EMBEDDING_TIME_S = 600.0


def _add(arguments: argparse.Namespace, office: Resources) -> int:
    """Add each path by itself and all addresses together; then work out what the new documents
    mean, where there is a model.
    """
    name, sources = _split_library_name(arguments)
    if not all(source.strip() for source in sources):
        raise UsageError(
            "There is a path or an address of no characters.",
            next_step="A folder that is meant by it is called `.`.",
        )
    library, addresses = (
        office.library(LOCAL_USER),
        [source for source in sources if _is_address(source)],
    )
    done = [
        library.add(Path(path), name, _print_progress, prune=arguments.prune)
        for path in sources
        if not _is_address(path)
    ] + (
        [library.add_pages(addresses, name, make_page_reader(office, LOCAL_USER), _print_progress)]
        if addresses
        else []
    )
    for added in done:
        print(added.sentence())
        if added.gone:
            say(f"{added.missing()} Add the folder with --prune to take them out.")
    _embed_documents(arguments, office, name)
    return FAILED if any(added.failed for added in done) else DONE


def _split_library_name(arguments: argparse.Namespace) -> tuple[str, list[str]]:
    """The library, and what to add to it."""
    first, *rest = arguments.sources
    if (
        rest
        and arguments.name is None
        and first.strip()
        and not _is_address(first)
        and not _path_exists(first)
    ):
        return first, rest
    return arguments.name or OWN, arguments.sources


def _path_exists(path: str) -> bool:
    """Whether something is at a path, or something that cannot be looked at."""
    try:
        return os.path.lexists(Path(path).expanduser())
    except (RuntimeError, ValueError):  # the home of nobody, or a byte that no path has
        return False


def _is_address(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def _print_progress(done: int, total: int, name: str) -> None:
    say(f"[{done}/{total}] {to_single_line(name)}")


def _embed_documents(arguments: argparse.Namespace, office: Resources, name: str) -> None:
    """At most ten minutes of it; what is left, a later `library add` goes on with."""
    library = office.library(LOCAL_USER)
    known = library.meaning(name)
    if known.why or arguments.no_meaning:
        say(known.sentence())
        return
    if known.missing:
        say(
            f"Working out the meaning of {known.missing:,} documents ({format_duration(known.seconds)}; Ctrl-C"
            " leaves the rest for later)."
        )
        known = library.work_out(
            name,
            lambda done, total, title: say(f"[meaning {done}/{total}] {to_single_line(title)}"),
            within_s=EMBEDDING_TIME_S,
        )
        rest = " `assay library add` with any of them goes on." if known.missing else ""
        say(known.sentence() + rest)


def _list(arguments: argparse.Namespace, office: Resources) -> int:
    for document in _documents(arguments, office):
        print(f"{document['url']}  {to_single_line(document['title'])}")
    return DONE


def _documents(arguments: argparse.Namespace, office: Resources) -> list[Any]:
    library = office.library(LOCAL_USER)
    library.prepare(arguments.name, _print_progress)
    documents = library.documents(arguments.name)
    if not documents:
        step = f"`assay library add FOLDER --name {arguments.name}` adds to it."
        raise UsageError(
            f"There is nothing in a library called {arguments.name!r}.", next_step=step
        )
    return documents


def _search(arguments: argparse.Namespace, office: Resources) -> int:
    library, documents = office.library(LOCAL_USER), _documents(arguments, office)
    say(f"Searching {len(documents):,} document{'s' * (len(documents) != 1)}.")
    results, known = (
        library.find(arguments.name, arguments.query, MAX_RESULTS),
        library.meaning(arguments.name),
    )
    say(known.sentence())
    for found in results:
        place = (
            f"passage {found['passage']} of {found['passages']}, characters"
            f" {found['start']}-{found['end']}"
        )
        print(
            f"{to_single_line(found['title'])}\n  {found['url']}\n  {place}\n  {to_single_line(found['snippet'])}\n"
        )
    if not results:
        say(f"Nothing in the library {arguments.name!r} holds any of these words.")
    return DONE


def _remove(arguments: argparse.Namespace, office: Resources) -> int:
    """The documents at these addresses, or without any the whole library."""
    if not arguments.urls:
        office.library(LOCAL_USER).remove_library(arguments.name)
        say(f"The library {arguments.name!r} was removed.")
        return DONE
    count = office.library(LOCAL_USER).remove(arguments.name, arguments.urls)
    say(f"Documents removed: {count}.")
    return DONE if count == len(set(arguments.urls)) else FAILED


#: What each command of `usage` does.
COMMANDS: dict[str, Callable[[argparse.Namespace, Resources], int]] = {
    "library add": _add,
    "library list": _list,
    "library search": _search,
    "library remove": _remove,
}
