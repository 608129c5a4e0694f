"""Find a document of a library by its address, title or file name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from research_core.errors import UsageError
from research_core.model_messages import Json
from research_core.text.words import to_single_line
from research_core.urls import canonical_url

MAX_NAMED = 5


def find_document_url(documents: Sequence[Json], wanted: str, library: str) -> str:
    """Return the URL of the one document that an address, a title or a file name means.

    documents: as `Library.list_documents`. Raises UsageError if none or several match.
    """
    for match in (_has_url, _has_title_or_file):
        urls = [document["url"] for document in documents if match(document, wanted)]
        if len(urls) == 1:
            return str(urls[0])
        if urls:
            named = ", ".join(urls[:MAX_NAMED]) + (", …" if len(urls) > MAX_NAMED else "")
            raise UsageError(
                f"{len(urls)} documents of the library {library!r} are called {wanted!r}: {named}.",
                next_step="Give the address of one of them.",
            )
    raise UsageError(
        f"The library {library!r} has no document {wanted!r}.",
        next_step="Give an address, a title or a file name; `assay library list --name"
        f" {library!r}` shows them.",
    )


def _has_url(document: Json, wanted: str) -> bool:
    try:
        return bool(document["url"] in (wanted, canonical_url(wanted)))
    except ValueError:
        return bool(document["url"] == wanted)


def _has_title_or_file(document: Json, wanted: str) -> bool:
    name = to_single_line(wanted).strip()
    file = to_single_line(document["file"])
    names = {to_single_line(document["title"]).strip(), file, PurePosixPath(file).name}
    return bool(name) and name in names
