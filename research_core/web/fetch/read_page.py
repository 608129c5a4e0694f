"""Read a page: the library's copy if there is one, else from the web.

The doorway records what came back; everything done with it here is recomputed in a replay, with the
same result. Whole pages are read; nothing is shortened for a model, and credibility is judged
elsewhere.
"""

from __future__ import annotations

from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import Attempt, Page, fields_from_facts
from research_core.urls import is_own_document
from research_core.web.fetch.tiers import read_web


def read_page(url: str, deps: Deps) -> Page:
    """Read the page at this address, from the library if it holds a copy, else from the web.

    final_url is the canonical address after redirects. Raises FetchError, whose kind says why there
    is no text.
    """
    held = _find_library_copy(url, deps)
    if held is not None:
        said = {name: held[name] for name in ("title", "text", "kind", "published")}
        facts = {
            **fields_from_facts(held.get("facts", {})),
            "attempts": (Attempt("library"),),
            "added": held.get("added", ""),
        }  # an older log has none of these
        return Page(url=url, final_url=held["url"], **said, **facts)
    if is_own_document(url):
        raise FetchError(
            "The library no longer holds this document.",
            kind="not_found",
            next_step="Add it again, or leave it out.",
        )
    return read_web(url, deps)


def _find_library_copy(url: str, deps: Deps) -> Json | None:
    if deps.documents is None:
        return None
    documents, name = deps.documents, deps.run.library
    found: Json | None = deps.http.call(
        "library", {"library": name, "url": url}, lambda: documents.read(url)
    )
    return found
