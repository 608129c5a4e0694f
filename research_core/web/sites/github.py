"""Reads files of GitHub, READMEs and gists as they were written, since GitHub's own pages draw them
with scripts.

A file comes from GitHub's raw host, a gist from its interface, and a README that is not called
README.md too. Issues, lists, repositories without a README and everything else are ordinary pages.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import Hidden, HttpReply, Metadata, Page
from research_core.text.dates import iso
from research_core.text.words import truncate
from research_core.web.documents.kinds import read_body
from research_core.web.documents.signatures import MAX_DOCUMENT
from research_core.web.documents.tally import Tally, count_characters
from research_core.web.http.charsets import decode
from research_core.web.sites.layout import code, document, heading, line, paragraphs
from research_core.web.sites.service import Tries, ask, changed, get, names, object_in, text

if TYPE_CHECKING:
    from research_core.journal.deps import Deps

NAME = "GitHub"
SITE, RAW, API = "https://github.com", "https://raw.githubusercontent.com", "https://api.github.com"
JSON = {"accept": "application/vnd.github+json"}
#: What is read as prose or as what its bytes are; anything else is code, whose lines stand.
PROSE = frozenset(
    {
        ".md",
        ".markdown",
        ".rst",
        ".txt",
        ".adoc",
        ".html",
        ".htm",
        ".xhtml",
        ".pdf",
        ".docx",
        ".pptx",
        ".ipynb",
        "",
    }
)


def read_file(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """A file of a repository. Raises FetchError."""
    repository, path = f"{found['owner']}/{found['repo']}", found["path"]
    reply = ask(
        deps.http,
        NAME,
        f"{RAW}/{repository}/{found['ref']}/{path}",
        page=True,
        max_document=MAX_DOCUMENT,
    )
    address = f"{SITE}/{repository}/blob/{found['ref']}/{path}"
    return file_page(reply, url=url, address=address, title=f"{unquote(path)} in {repository}")


def read_readme(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """The README of a repository's main branch, whatever it is called.

    Raises FetchError, content_empty where there is none: that says nothing of the repository, whose
    page is an ordinary one.
    """
    repository, tries = f"{found['owner']}/{found['repo']}", Tries()
    raw, named = f"{RAW}/{repository}/HEAD/README.md", f"{API}/repos/{repository}/readme"

    def page_in(reply: HttpReply, name: str) -> Page:
        return file_page(
            reply, name, url=url, address=f"{SITE}/{repository}", title=f"{repository}: README"
        )

    page = tries.run(
        "github:README.md", lambda: page_in(ask(deps.http, NAME, raw, page=True), "README.md")
    )
    if page is None and _lacks(tries.error):
        page = tries.run(
            "github:readme", lambda: page_in(*readme_in(ask(deps.http, NAME, named, headers=JSON)))
        )
    if page is None:
        none = FetchError("The repository has no README that can be read.", kind="content_empty")
        raise tries.failed(none if _lacks(tries.error) else tries.error or none)
    return replace(page, attempts=tuple(tries.made))


def _lacks(error: FetchError | None) -> bool:
    return error is not None and error.kind == "not_found"


def readme_in(reply: HttpReply) -> tuple[HttpReply, str]:
    """The README within the interface's answer, as if it had been asked for, and what it is called.
    Raises FetchError bad_reply.
    """
    said = object_in(reply, NAME)
    name, content = line(text(said, "name")), text(said, "content")
    if not name or text(said, "encoding") != "base64":  # so of a file of more than 1 MB
        raise changed(NAME, "the README has no name, or is not in the answer")
    try:
        return HttpReply(reply.url, 200, {}, b64decode(content)), name
    except ValueError as error:
        raise changed(NAME, "the README is not in base64") from error


def file_page(reply: HttpReply, name: str = "", *, url: str, address: str, title: str) -> Page:
    """The file in an answer. name: what it is called, where the address does not say. Raises
    FetchError, as `read_body` does.
    """
    name = name or PurePosixPath(unquote(address)).name
    about = Metadata(site=NAME, canonical=address)
    if PurePosixPath(name).suffix.lower() in PROSE or b"\x00" in reply.body[:8192]:
        media = (
            "text/markdown"
            if name.lower().endswith((".md", ".markdown"))
            else reply.headers.get("content-type", "")
        )
        page = read_body(reply.body, address, media, name=name)
        return Page(
            url, address, truncate(title, 300), page.text, page.kind, "", about, page.hidden
        )
    source = decode(reply.body)
    return Page(
        url,
        address,
        truncate(title, 300),
        document(title, code(source)),
        "text",
        "",
        about,
        _hidden(source),
    )


def read_gist(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """A gist with all its files. Raises FetchError."""
    reply = ask(deps.http, NAME, f"{API}/gists/{found['id']}", headers=JSON)
    return gist_page(object_in(reply, NAME), url, found["id"])


def gist_page(gist: Json, url: str, id: str) -> Page:
    """A gist as the interface gives it. Raises FetchError: bad_reply, content_empty."""
    files = get(gist, "files")
    if text(gist, "id") != id or not isinstance(files, dict):
        raise changed(NAME, "the gist is not the one that was asked for, or has no files")
    owner, said = line(text(gist, "owner", "login")), line(text(gist, "description"))
    contents = [block for name, file in sorted(files.items()) for block in _content(name, file)]
    if not contents:
        raise FetchError("The gist holds no text.", kind="content_empty", status=200)
    title = truncate(said or f"Gist: {', '.join(sorted(map(line, files)))}", 300)
    address = f"https://gist.github.com/{f'{owner}/' if owner else ''}{id}"
    published, updated = iso(text(gist, "created_at")), iso(text(gist, "updated_at"))
    about = Metadata(
        names([owner]), "GitHub Gist", updated if updated != published else "", canonical=address
    )
    hidden = _hidden(*(text(file, "content") for _, file in sorted(files.items())))
    return Page(url, address, title, document(title, *contents), "text", published, about, hidden)


def _hidden(*texts: str) -> Hidden:
    """What these hold of characters nobody sees."""
    tally = Tally()
    for each in texts:
        count_characters(each, tally)
    return tally.hidden


def _content(name: str, file: object) -> Iterator[str]:
    words = text(file, "content")
    if words.strip():
        yield heading(2, name)
        yield paragraphs(words) if PurePosixPath(name).suffix.lower() in PROSE else code(words)
