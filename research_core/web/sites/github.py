"""Reads files of GitHub, READMEs and gists as they were written, since GitHub's own pages draw them with scripts.

A file comes from GitHub's raw host, a gist from its interface. Issues, lists and everything else are ordinary pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from research_core.days import iso
from research_core.errors import FetchError
from research_core.models import Hidden, HttpReply, Json, Metadata, Page
from research_core.text import truncate
from research_core.web.html import decode
from research_core.web.kinds import read_body
from research_core.web.signatures import MAX_DOCUMENT
from research_core.web.sites.layout import code, document, heading, line, paragraphs
from research_core.web.sites.service import ask, changed, get, names, object_in, text
from research_core.web.tally import Tally, count_characters

if TYPE_CHECKING:
    from research_core.deps import Deps

NAME = "GitHub"
SITE, RAW, GISTS = "https://github.com", "https://raw.githubusercontent.com", "https://api.github.com/gists"
#: What is read as prose or as what its bytes are; anything else is code, whose lines stand.
PROSE = frozenset({".md", ".markdown", ".rst", ".txt", ".adoc", ".html", ".htm", ".xhtml", ".pdf", ".docx", ".pptx", ".ipynb", ""})


def read_file(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """A file of a repository. Raises FetchError."""
    repository, path = f"{found['owner']}/{found['repo']}", found["path"]
    reply = ask(deps.http, NAME, f"{RAW}/{repository}/{found['ref']}/{path}", page=True, max_document=MAX_DOCUMENT)
    return file_page(reply, url, f"{SITE}/{repository}/blob/{found['ref']}/{path}", f"{unquote(path)} in {repository}")


def read_readme(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """The README.md of a repository's main branch. Raises FetchError."""
    repository = f"{found['owner']}/{found['repo']}"
    reply = ask(deps.http, NAME, f"{RAW}/{repository}/HEAD/README.md", page=True)
    return file_page(reply, url, f"{SITE}/{repository}", f"{repository}: README", name="README.md")


def file_page(reply: HttpReply, url: str, address: str, title: str, name: str = "") -> Page:
    """The file in an answer. name: what it is called, where the address does not say. Raises FetchError, as `read_body` does."""
    name = name or PurePosixPath(unquote(address)).name
    about = Metadata(site=NAME, canonical=address)
    if PurePosixPath(name).suffix.lower() in PROSE or b"\x00" in reply.body[:8192]:
        media = "text/markdown" if name.lower().endswith((".md", ".markdown")) else reply.headers.get("content-type", "")
        page = read_body(reply.body, address, media, name=name)
        return Page(url, address, truncate(title, 300), page.text, page.kind, "", about, page.hidden)
    source = decode(reply.body)
    return Page(url, address, truncate(title, 300), document(title, code(source)), "text", "", about, _hidden(source))


def read_gist(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """A gist with all its files. Raises FetchError."""
    reply = ask(deps.http, NAME, f"{GISTS}/{found['id']}", headers={"accept": "application/vnd.github+json"})
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
    about = Metadata(names([owner]), "GitHub Gist", updated if updated != published else "", canonical=address)
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
