"""Reads posts, articles and profiles of X through FxTwitter's public interface, as X itself shows
them to no program.

FxTwitter is somebody else's service: it learns which post or profile was read, and nothing more.
Answers to a post are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import Hidden, HttpReply, Metadata, Page
from research_core.text.dates import of_seconds
from research_core.text.words import truncate
from research_core.web.documents.tally import Tally, count_characters
from research_core.web.sites.layout import code, document, heading, item, line, paragraphs, quote
from research_core.web.sites.service import (
    ask,
    changed,
    counted,
    get,
    missing,
    names,
    number,
    object_in,
    rows,
    text,
)

if TYPE_CHECKING:
    from research_core.journal.deps import Deps

NAME = "FxTwitter"
API = "https://api.fxtwitter.com"
SITE = "https://x.com"
TIMEOUT_S = 8.0
#: What FxTwitter's own code means, beside the HTTP status; any other but 200 is trouble of its own.
CODES = {
    401: "auth_required",
    403: "blocked",
    404: "not_found",
    410: "not_found",
    429: "rate_limited",
}
#: How the blocks of an article are drawn.
HEADINGS = {"header-one": 2, "header-two": 3, "header-three": 4}
ITEMS = frozenset({"unordered-list-item", "ordered-list-item"})


def read_post(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """A post, or the article it is. Raises FetchError."""
    address = f"{API}/{found['user']}/status/{found['id']}"
    return post_page(ask(deps.http, NAME, address, timeout_s=TIMEOUT_S), url, found["id"])


def read_user(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """What a user says of themselves. Raises FetchError."""
    return user_page(ask(deps.http, NAME, f"{API}/{found['user']}", timeout_s=TIMEOUT_S), url)


def post_page(reply: HttpReply, url: str, id: str) -> Page:
    """The post of this id in an answer. Raises FetchError."""
    answer = _answer(reply)
    post = get(answer, "tweet") or get(answer, "status")
    handle = line(text(post, "author", "screen_name"))
    if not isinstance(post, dict) or text(post, "id") != id or not handle:
        raise changed(NAME, "the post is not the one that was asked for")
    said = list(_said(post))
    if not said:
        raise FetchError("The post holds no words.", kind="content_empty", status=200)
    name = line(text(post, "author", "name")) or handle
    title = line(text(post, "article", "title")) or truncate(
        f"{name} on X: {line(_words(post))}", 120
    )
    published = of_seconds(number(post, "created_timestamp"))
    amounts = {
        each: number(post, each) for each in ("replies", "retweets", "likes", "quotes", "views")
    }
    facts = ". ".join(filter(None, (f"{name} (@{handle})", published, counted(**amounts))))
    answered = text(post, "replying_to") or text(post, "replying_to", "screen_name")
    blocks = [
        facts,
        f"In answer to @{line(answered)}" if line(answered) else "",
        *said,
        *_around(post),
    ]
    address = f"{SITE}/{handle}/status/{id}"
    about = Metadata(
        names([name]),
        "X",
        language=line(text(post, "lang"))[:35],
        canonical=address,
        type="social_media",
    )
    return Page(
        url,
        address,
        truncate(title, 300),
        document(title, *blocks),
        "html",
        published,
        about,
        _hidden(post),
    )


def user_page(reply: HttpReply, url: str) -> Page:
    """The profile in an answer. Raises FetchError."""
    user = get(_answer(reply), "user")
    handle = line(text(user, "screen_name"))
    if not handle:
        raise changed(NAME, "there is no user in it")
    name = line(text(user, "name")) or handle
    title, address = f"{name} (@{handle}) on X", f"{SITE}/{handle}"
    facts = {
        "Place": text(user, "location"),
        "Joined": text(user, "joined"),
        "Website": text(user, "website", "url"),
    }
    amounts = {each: number(user, each) for each in ("followers", "following", "tweets", "likes")}
    said = [item(f"{what}: {words}") for what, words in facts.items() if line(words)]
    blocks = [paragraphs(text(user, "description")), *said, item(counted(**amounts))]
    about = Metadata(names([name]), "X", canonical=address, type="social_media")
    return Page(url, address, truncate(title, 300), document(title, *blocks), "html", "", about)


def _answer(reply: HttpReply) -> Json:
    answer = object_in(reply, NAME)
    status = number(answer, "code")
    if status is None:
        raise changed(NAME, "it has no code")
    if status in CODES and status == 404:
        raise missing("FxTwitter knows no such post or user.")
    if status != 200:
        said = truncate(line(text(answer, "message")), 100) or "no reason"
        raise FetchError(
            f"FxTwitter says {status}: {said}.",
            kind=CODES.get(status, "upstream_unavailable"),
            status=status,
        )
    return answer


# ---------------------------------------------------------------- what a post says


def _hidden(post: Any) -> Hidden:
    """What the post and the one it quotes hold of characters nobody sees."""
    tally = Tally()
    for each in (post, get(post, "quote")):
        count_characters(_words(each), tally)
        for block in rows(each, "article", "content", "blocks"):
            count_characters(text(block, "text"), tally)
    return tally.hidden


def _words(post: Any) -> str:
    return text(post, "text") or text(post, "raw_text", "text")


def _said(post: Any) -> Iterator[str]:
    """The post's own words: of an article its blocks, else its text, what its pictures show, and
    its poll.
    """
    article = [
        block for each in rows(post, "article", "content", "blocks") if (block := _block(each))
    ]
    yield from article or filter(
        None, (paragraphs(_words(post)), paragraphs(text(post, "article", "preview_text")))
    )
    yield from (
        item(f"Picture: {shown}")
        for each in rows(post, "media", "photos")
        if (shown := line(text(each, "altText")))
    )
    for choice in rows(post, "poll", "choices"):
        votes = number(choice, "count")
        yield item(f"{text(choice, 'label')}{f': {votes:,} votes' if votes is not None else ''}")


def _block(block: Json) -> str:
    kind, words = text(block, "type"), text(block, "text")
    if kind in HEADINGS:
        return heading(HEADINGS[kind], words)
    if kind in ITEMS:
        return item(words)
    return (
        quote(words)
        if kind == "blockquote"
        else code(words)
        if kind == "code-block"
        else paragraphs(words)
    )


def _around(post: Any) -> Iterator[str]:
    """What the post quotes, and what readers added to it."""
    quoted = get(post, "quote")
    said = list(_said(quoted)) if isinstance(quoted, dict) else []
    if said:
        yield heading(2, f"Quoted post by @{text(quoted, 'author', 'screen_name') or 'somebody'}")
        yield from said
    note = paragraphs(text(post, "community_note", "text"))
    if note:
        yield heading(2, "Community note")
        yield note
