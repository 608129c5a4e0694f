"""The `library` commands: list, share, remove and restore libraries; add, list, search and remove
documents.
"""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import Any

from research_core.errors import UsageError
from research_core.interfaces.terminal import DONE, FAILED, Commands, say
from research_core.models import describe_respelled
from research_core.policy import SAMPLE_LIBRARY
from research_core.search.library.document_names import find_document_url
from research_core.search.library.library import LIST_STEP, list_respelled
from research_core.search.library.meaning import format_duration
from research_core.search.library.removed import describe_removed_library
from research_core.sessions.run_defaults import OWN
from research_core.text.words import format_count, strip_invisible, to_single_line
from research_core.urls import is_web_address
from research_core.wiring import LOCAL_USER, Resources, make_page_reader

MAX_RESULTS = 10
EMBEDDING_TIME_S = 600.0


def _add(arguments: argparse.Namespace, resources: Resources) -> int:
    """Add each path, then all addresses together, then embed the new documents."""
    name, sources = _split_library_name(arguments)
    if not all(source.strip() for source in sources):
        raise UsageError(
            "One of the paths or addresses is empty.",
            next_step="For the current folder, use `.`.",
        )
    library = resources.library(LOCAL_USER)
    paths = [Path(source) for source in sources if not is_web_address(source)]
    addresses = [source for source in sources if is_web_address(source)]
    results = [library.add(path, name, _print_progress, prune=arguments.prune) for path in paths]
    if addresses:
        read_page = make_page_reader(resources, LOCAL_USER)
        results.append(library.add_pages(addresses, name, read_page, _print_progress))
    for added in results:
        print(added.sentence())
        if added.missing_files:
            say(f"{added.describe_missing_files()} Add the folder with --prune to remove them.")
    has_new = any(added.added or added.replaced for added in results)
    _embed_documents(arguments, resources, name, has_new=has_new)
    return FAILED if any(added.failed for added in results) else DONE


def _split_library_name(arguments: argparse.Namespace) -> tuple[str, list[str]]:
    """Return the name of the library and the sources to add to it."""
    first, *rest = arguments.sources
    _require_name(arguments.name)
    if (
        rest
        and arguments.name is None
        and first.strip()
        and not is_web_address(first)
        and not _path_exists(first)
    ):
        return first, rest
    return arguments.name or OWN, arguments.sources


def _require_name(name: str | None) -> None:
    """Raise UsageError for a name without any character; None is no name and may be."""
    if name is not None and not strip_invisible(name).strip():
        raise UsageError("The library name is empty.", next_step=LIST_STEP)


def _path_exists(path: str) -> bool:
    """Return whether something is at a path, even if it cannot be read."""
    try:
        return os.path.lexists(Path(path).expanduser())
    except (RuntimeError, ValueError):  # the home of nobody, or a byte that no path has
        return False


def _print_progress(done: int, total: int, name: str) -> None:
    say(f"[{done}/{total}] {to_single_line(name)}")


def _embed_documents(
    arguments: argparse.Namespace, resources: Resources, name: str, *, has_new: bool
) -> None:
    """Embed documents for at most ten minutes; a later `library add` continues."""
    library = resources.library(LOCAL_USER)
    known = library.read_embedding_state(name)
    if known.why or arguments.no_meaning:
        if has_new:
            say(known.sentence())
        return
    if not known.missing:
        return
    duration = format_duration(known.seconds)
    say(
        f"Indexing {format_count(known.missing, 'document')} for search by meaning ({duration}; Ctrl-C"
        " leaves the rest for later)."
    )
    known = library.embed_documents(
        name,
        lambda done, total, title: say(f"[meaning {done}/{total}] {to_single_line(title)}"),
        within_s=EMBEDDING_TIME_S,
    )
    rest = " `assay library add` with any of them continues." if known.missing else ""
    say(known.sentence() + rest)


def _list(arguments: argparse.Namespace, resources: Resources) -> int:
    """List the documents of a library, or the libraries if none is named."""
    if arguments.library is not None and arguments.name is not None:
        raise UsageError("Two libraries are given.", next_step="Give one.")
    if arguments.name is None:
        arguments.name = arguments.library
    if arguments.name is None:
        return _list_libraries(resources)
    _count_documents(arguments, resources)
    for url, title in resources.library(LOCAL_USER).list_titles(arguments.name):
        print(f"{url}  {to_single_line(title)}")
    return DONE


def _list_libraries(resources: Resources) -> int:
    """Print the libraries that can be searched, one a line: own, shared, the sample last."""
    rows = resources.library(LOCAL_USER).list_libraries()
    for row in rows:
        if row["name"] == SAMPLE_LIBRARY:
            continue
        count = format_count(row["documents"], "document")
        print(f"{to_single_line(row['name'])}  {count}{_describe_sharing(row)}")
    held = [row["documents"] for row in rows if row["name"] == SAMPLE_LIBRARY and row["documents"]]
    count = format_count(held[0], "document") if held else "built at first use"
    print(f"{SAMPLE_LIBRARY}  {count}, written for trying Assay out")
    say("`assay library list NAME` lists the documents of one.")
    return DONE


def _describe_sharing(row: Any) -> str:
    if not row["own"]:
        return ", shared by another user"
    return ", shared with everyone who signs in" if row["shared"] else ""


def _count_documents(arguments: argparse.Namespace, resources: Resources) -> int:
    """Return how many documents the library holds. Raises UsageError for none."""
    _require_name(arguments.name)
    library = resources.library(LOCAL_USER)
    library.prepare(arguments.name, _print_progress)
    count = library.count_documents(arguments.name)
    if not count:
        step = (
            f"`assay library add FOLDER --name {shlex.quote(arguments.name)}` adds to it;"
            " `assay library list` lists the libraries."
        )
        raise UsageError(
            f"The library {arguments.name!r} is empty or does not exist.", next_step=step
        )
    return count


def _search(arguments: argparse.Namespace, resources: Resources) -> int:
    library = resources.library(LOCAL_USER)
    count = _count_documents(arguments, resources)
    plural = "" if count == 1 else "s"
    say(f"Searching {count:,} document{plural}.")
    results = library.find(arguments.name, arguments.query, MAX_RESULTS)
    say(library.read_embedding_state(arguments.name).sentence())
    respelled = describe_respelled(list_respelled(results))
    if respelled:
        say(respelled)
    for found in results:
        print(to_single_line(found["title"]))
        print(f"  {found['url']}")
        print(
            f"  passage {found['passage']} of {found['passages']}, characters"
            f" {found['start']}-{found['end']}"
        )
        print(f"  {to_single_line(found['snippet'])}\n")
    if not results:
        say(f"No document in the library {arguments.name!r} contains any of these words.")
    return DONE


def _remove(arguments: argparse.Namespace, resources: Resources) -> int:
    """Remove these documents, or the whole library if none is named."""
    words = list(arguments.words)
    name = arguments.name
    if name is None and words:
        name = words.pop(0)
    if name is None:
        raise UsageError(
            "No library is given.",
            next_step="`assay library remove NAME` removes a whole library, `assay library remove"
            " NAME DOCUMENT` one document; `assay library list` lists the libraries.",
        )
    _require_name(name)
    library = resources.library(LOCAL_USER)
    if not words:
        library.remove_library(name)
        alike = [row for row in library.list_removed() if row["title"] == name]
        step = f"`assay library restore {shlex.quote(name)}` restores it."
        if len(alike) > 1:
            step = f"`assay library restore` lists it and {len(alike) - 1} more of that name."
        say(f"The library {name!r} was removed. {step}")
        return DONE
    if not library.exists(name):
        raise UsageError(f"There is no library {name!r}.", next_step=LIST_STEP)
    documents = library.list_documents(name)
    urls = {find_document_url(documents, word, name) for word in words}
    count = library.remove(name, sorted(urls))
    say(f"Documents removed: {count}.")
    return DONE if count == len(urls) else FAILED


def _restore(arguments: argparse.Namespace, resources: Resources) -> int:
    """Restore a removed library, or list those that can be if none is named."""
    library = resources.library(LOCAL_USER)
    named = arguments.name if arguments.library is None else arguments.library
    for name in (named, arguments.new_name):
        _require_name(name)
    if named is None:
        return _list_removed(library.list_removed())
    name = library.restore_library(named, arguments.new_name or "")
    say(f"The library {name!r} was restored.")
    return DONE


def _list_removed(rows: list[Any]) -> int:
    for row in rows:
        print(f"{describe_removed_library(row)}: {to_single_line(row['title'])}")
    if rows:
        say(
            "`assay library restore ID` restores one, with `--as NAME` under another name. The ID is"
            " the first word of its line."
        )
    else:
        say("No removed library can be restored.")
    return DONE


def _share(arguments: argparse.Namespace, resources: Resources) -> int:
    """Let users who sign in to the app read a library, or end that."""
    _require_name(arguments.name)
    resources.library(LOCAL_USER).share(arguments.name, not arguments.end)
    ended = "is private again" if arguments.end else "is shared with everyone who signs in"
    say(f"The library {arguments.name!r} {ended}.")
    return DONE


COMMANDS: Commands = {
    "library add": _add,
    "library list": _list,
    "library search": _search,
    "library remove": _remove,
    "library restore": _restore,
    "library share": _share,
}
