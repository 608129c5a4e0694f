"""Read GitHub files, READMEs and gists in their source form, since GitHub renders by script.

A file comes from GitHub's raw host, a gist from the API, and so does a README that is not called
README.md. Issues, lists, repositories without a README and everything else are ordinary pages.
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
from research_core.models import HiddenText, HttpReply, Metadata, Page
from research_core.text.dates import parse_iso_date
from research_core.text.words import truncate
from research_core.web.charsets import decode
from research_core.web.documents.kinds import read_body
from research_core.web.documents.tally import HiddenTextTally, count_characters
from research_core.web.signatures import MAX_DOCUMENT_BYTES
from research_core.web.sites.layout import (
    format_code,
    format_heading,
    join_document,
    one_line,
    split_paragraphs,
)
from research_core.web.sites.service import (
    Attempts,
    ask_service,
    get_text,
    get_value,
    limit_names,
    make_unexpected_answer_error,
    parse_object_reply,
)

if TYPE_CHECKING:
    from research_core.journal.deps import Deps

SERVICE_NAME = "GitHub"
SITE_URL, RAW_URL, API_URL = (
    "https://github.com",
    "https://raw.githubusercontent.com",
    "https://api.github.com",
)
JSON_HEADERS = {"accept": "application/vnd.github+json"}
#: Endings of files read as prose or by content; anything else is code, whose lines stay.
PROSE_ENDINGS = frozenset(
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
    """Read a file of a repository. Raises FetchError."""
    repository, path = f"{found['owner']}/{found['repo']}", found["path"]
    reply = ask_service(
        deps.http,
        SERVICE_NAME,
        f"{RAW_URL}/{repository}/{found['ref']}/{path}",
        page=True,
        max_document=MAX_DOCUMENT_BYTES,
    )
    address = f"{SITE_URL}/{repository}/blob/{found['ref']}/{path}"
    return build_file_page(
        reply, url=url, address=address, title=f"{unquote(path)} in {repository}"
    )


def read_readme(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read the README of a repository's main branch, whatever its name.

    Raises FetchError, content_empty if there is none: the repository's page is then read like any
    other.
    """
    repository, tries = f"{found['owner']}/{found['repo']}", Attempts()
    raw, named = f"{RAW_URL}/{repository}/HEAD/README.md", f"{API_URL}/repos/{repository}/readme"

    def page_in(reply: HttpReply, name: str) -> Page:
        return build_file_page(
            reply, name, url=url, address=f"{SITE_URL}/{repository}", title=f"{repository}: README"
        )

    page = tries.run(
        "github:README.md",
        lambda: page_in(ask_service(deps.http, SERVICE_NAME, raw, page=True), "README.md"),
    )
    if page is None and _is_missing(tries.error):
        page = tries.run(
            "github:readme",
            lambda: page_in(
                *parse_readme(ask_service(deps.http, SERVICE_NAME, named, headers=JSON_HEADERS))
            ),
        )
    if page is None:
        none = FetchError("The repository has no README that can be read.", kind="content_empty")
        raise tries.attach_to(none if _is_missing(tries.error) else tries.error or none)
    return replace(page, attempts=tuple(tries.made))


def _is_missing(error: FetchError | None) -> bool:
    return error is not None and error.kind == "not_found"


def parse_readme(reply: HttpReply) -> tuple[HttpReply, str]:
    """Return the README in an API answer, as a reply of its own, and its file name.

    Raises FetchError bad_reply.
    """
    said = parse_object_reply(reply, SERVICE_NAME)
    name, content = one_line(get_text(said, "name")), get_text(said, "content")
    if not name or get_text(said, "encoding") != "base64":  # of a file above 1 MB it is "none"
        raise make_unexpected_answer_error(
            SERVICE_NAME, "the README has no name, or is not in the answer"
        )
    try:
        return HttpReply(reply.url, 200, {}, b64decode(content)), name
    except ValueError as error:
        raise make_unexpected_answer_error(SERVICE_NAME, "the README is not in base64") from error


def build_file_page(
    reply: HttpReply, name: str = "", *, url: str, address: str, title: str
) -> Page:
    """Return the page of a file. Raises FetchError as `read_body` does.

    name: the file's name, if the address does not say.
    """
    name = name or PurePosixPath(unquote(address)).name
    about = Metadata(site=SERVICE_NAME, canonical=address)
    short_title = truncate(title, 300)
    is_prose = PurePosixPath(name).suffix.lower() in PROSE_ENDINGS
    if is_prose or b"\x00" in reply.body[:8192]:
        media = reply.headers.get("content-type", "")
        if name.lower().endswith((".md", ".markdown")):
            media = "text/markdown"
        page = read_body(reply.body, address, media, name=name)
        return Page(url, address, short_title, page.text, page.kind, "", about, page.hidden)
    source = decode(reply.body)
    text = join_document(title, format_code(source))
    hidden = _count_hidden_characters(source)
    return Page(url, address, short_title, text, "text", "", about, hidden)


def read_gist(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read a gist with all its files. Raises FetchError."""
    reply = ask_service(
        deps.http, SERVICE_NAME, f"{API_URL}/gists/{found['id']}", headers=JSON_HEADERS
    )
    return build_gist_page(parse_object_reply(reply, SERVICE_NAME), url, found["id"])


def build_gist_page(gist: Json, url: str, id: str) -> Page:
    """Return the page of a gist from the API. Raises FetchError: bad_reply, content_empty."""
    files = get_value(gist, "files")
    if get_text(gist, "id") != id or not isinstance(files, dict):
        raise make_unexpected_answer_error(
            SERVICE_NAME, "the gist is not the one that was asked for, or has no files"
        )
    owner, said = (
        one_line(get_text(gist, "owner", "login")),
        one_line(get_text(gist, "description")),
    )
    contents = [
        block for name, file in sorted(files.items()) for block in _format_gist_file(name, file)
    ]
    if not contents:
        raise FetchError("The gist holds no text.", kind="content_empty", status=200)
    title = truncate(said or f"Gist: {', '.join(sorted(map(one_line, files)))}", 300)
    address = f"https://gist.github.com/{f'{owner}/' if owner else ''}{id}"
    published, updated = (
        parse_iso_date(get_text(gist, "created_at")),
        parse_iso_date(get_text(gist, "updated_at")),
    )
    about = Metadata(
        limit_names([owner]),
        "GitHub Gist",
        updated if updated != published else "",
        canonical=address,
    )
    hidden = _count_hidden_characters(
        *(get_text(file, "content") for _, file in sorted(files.items()))
    )
    return Page(
        url, address, title, join_document(title, *contents), "text", published, about, hidden
    )


def _count_hidden_characters(*texts: str) -> HiddenText:
    """Count the invisible characters in these texts."""
    tally = HiddenTextTally()
    for each in texts:
        count_characters(each, tally)
    return tally.hidden


def _format_gist_file(name: str, file: object) -> Iterator[str]:
    words = get_text(file, "content")
    if words.strip():
        yield format_heading(2, name)
        yield (
            split_paragraphs(words)
            if PurePosixPath(name).suffix.lower() in PROSE_ENDINGS
            else format_code(words)
        )
