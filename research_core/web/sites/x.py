"""Read posts, articles and profiles of X through FxTwitter's public API.

X itself shows them to no program. FxTwitter is a third party: it learns which post or profile was
read, and nothing more. Answers to a post are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import HiddenText, HttpReply, Metadata, Page
from research_core.text.dates import format_timestamp_day
from research_core.text.words import truncate
from research_core.web.documents.tally import HiddenTextTally, count_characters
from research_core.web.sites.layout import (
    format_code,
    format_heading,
    format_item,
    format_quote,
    join_document,
    one_line,
    split_paragraphs,
)
from research_core.web.sites.service import (
    ask_service,
    format_counts,
    limit_names,
    not_found_error,
    number_at,
    objects_at,
    parse_object_reply,
    text_at,
    unexpected_answer,
    value_at,
)

if TYPE_CHECKING:
    from research_core.journal.deps import Deps

SERVICE_NAME = "FxTwitter"
API_URL = "https://api.fxtwitter.com"
SITE_URL = "https://x.com"
TIMEOUT_S = 8.0
#: Kinds of FxTwitter's own codes, beside the HTTP status; any other but 200 is its failure.
STATUS_KINDS = {
    401: "auth_required",
    403: "blocked",
    404: "not_found",
    410: "not_found",
    429: "rate_limited",
}
#: Formats of an article's blocks.
HEADING_LEVELS = {"header-one": 2, "header-two": 3, "header-three": 4}
ITEM_TYPES = frozenset({"unordered-list-item", "ordered-list-item"})


def read_post(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read a post, or the article it is. Raises FetchError."""
    address = f"{API_URL}/{found['user']}/status/{found['id']}"
    return build_post_page(
        ask_service(deps.http, SERVICE_NAME, address, timeout_s=TIMEOUT_S), url, found["id"]
    )


def read_user(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read a user's profile. Raises FetchError."""
    return build_user_page(
        ask_service(deps.http, SERVICE_NAME, f"{API_URL}/{found['user']}", timeout_s=TIMEOUT_S), url
    )


def build_post_page(reply: HttpReply, url: str, id: str) -> Page:
    """Return the page of the post with this id in an answer. Raises FetchError."""
    answer = _parse_reply(reply)
    post = value_at(answer, "tweet") or value_at(answer, "status")
    handle = one_line(text_at(post, "author", "screen_name"))
    if not isinstance(post, dict) or text_at(post, "id") != id or not handle:
        raise unexpected_answer(SERVICE_NAME, "the post is not the one that was asked for")
    said = list(_post_blocks(post))
    if not said:
        raise FetchError("The post holds no words.", kind="content_empty", status=200)
    name = one_line(text_at(post, "author", "name")) or handle
    title = one_line(text_at(post, "article", "title")) or truncate(
        f"{name} on X: {one_line(_post_words(post))}", 120
    )
    published = format_timestamp_day(number_at(post, "created_timestamp"))
    amounts = {
        each: number_at(post, each) for each in ("replies", "retweets", "likes", "quotes", "views")
    }
    facts = ". ".join(filter(None, (f"{name} (@{handle})", published, format_counts(**amounts))))
    answered = text_at(post, "replying_to") or text_at(post, "replying_to", "screen_name")
    blocks = [
        facts,
        f"In answer to @{one_line(answered)}" if one_line(answered) else "",
        *said,
        *_context_blocks(post),
    ]
    address = f"{SITE_URL}/{handle}/status/{id}"
    about = Metadata(
        limit_names([name]),
        "X",
        language=one_line(text_at(post, "lang"))[:35],
        canonical=address,
        type="social_media",
    )
    return Page(
        url,
        address,
        truncate(title, 300),
        join_document(title, *blocks),
        "html",
        published,
        about,
        _count_hidden_characters(post),
    )


def build_user_page(reply: HttpReply, url: str) -> Page:
    """Return the page of the profile in an answer. Raises FetchError."""
    user = value_at(_parse_reply(reply), "user")
    handle = one_line(text_at(user, "screen_name"))
    if not handle:
        raise unexpected_answer(SERVICE_NAME, "there is no user in it")
    name = one_line(text_at(user, "name")) or handle
    title, address = f"{name} (@{handle}) on X", f"{SITE_URL}/{handle}"
    facts = {
        "Place": text_at(user, "location"),
        "Joined": text_at(user, "joined"),
        "Website": text_at(user, "website", "url"),
    }
    amounts = {
        each: number_at(user, each) for each in ("followers", "following", "tweets", "likes")
    }
    said = [format_item(f"{what}: {words}") for what, words in facts.items() if one_line(words)]
    blocks = [
        split_paragraphs(text_at(user, "description")),
        *said,
        format_item(format_counts(**amounts)),
    ]
    about = Metadata(limit_names([name]), "X", canonical=address, type="social_media")
    return Page(
        url, address, truncate(title, 300), join_document(title, *blocks), "html", "", about
    )


def _parse_reply(reply: HttpReply) -> Json:
    answer = parse_object_reply(reply, SERVICE_NAME)
    status = number_at(answer, "code")
    if status is None:
        raise unexpected_answer(SERVICE_NAME, "it has no code")
    if status in STATUS_KINDS and status == 404:
        raise not_found_error("FxTwitter knows no such post or user.")
    if status != 200:
        said = truncate(one_line(text_at(answer, "message")), 100) or "no reason"
        raise FetchError(
            f"FxTwitter says {status}: {said}.",
            kind=STATUS_KINDS.get(status, "upstream_unavailable"),
            status=status,
        )
    return answer


# ---------------------------------------------------------------- what a post says


def _count_hidden_characters(post: Any) -> HiddenText:
    """Count the invisible characters in a post and the one it quotes."""
    tally = HiddenTextTally()
    for each in (post, value_at(post, "quote")):
        count_characters(_post_words(each), tally)
        for block in objects_at(each, "article", "content", "blocks"):
            count_characters(text_at(block, "text"), tally)
    return tally.hidden


def _post_words(post: Any) -> str:
    return text_at(post, "text") or text_at(post, "raw_text", "text")


def _post_blocks(post: Any) -> Iterator[str]:
    """Yield the post's own words.

    For an article its blocks, else its text, its picture descriptions and its poll.
    """
    article = map(_format_block, objects_at(post, "article", "content", "blocks"))
    blocks = list(filter(None, article))
    if not blocks:
        preview = split_paragraphs(text_at(post, "article", "preview_text"))
        blocks = list(filter(None, (split_paragraphs(_post_words(post)), preview)))
    yield from blocks
    for each in objects_at(post, "media", "photos"):
        description = one_line(text_at(each, "altText"))
        if description:
            yield format_item(f"Picture: {description}")
    for choice in objects_at(post, "poll", "choices"):
        label = text_at(choice, "label")
        votes = number_at(choice, "count")
        yield format_item(label if votes is None else f"{label}: {votes:,} votes")


def _format_block(block: Json) -> str:
    kind = text_at(block, "type")
    words = text_at(block, "text")
    if kind in HEADING_LEVELS:
        return format_heading(HEADING_LEVELS[kind], words)
    if kind in ITEM_TYPES:
        return format_item(words)
    if kind == "blockquote":
        return format_quote(words)
    if kind == "code-block":
        return format_code(words)
    return split_paragraphs(words)


def _context_blocks(post: Any) -> Iterator[str]:
    """Yield what the post quotes, and the note readers added."""
    quoted = value_at(post, "quote")
    said = list(_post_blocks(quoted)) if isinstance(quoted, dict) else []
    if said:
        yield format_heading(
            2, f"Quoted post by @{text_at(quoted, 'author', 'screen_name') or 'somebody'}"
        )
        yield from said
    note = split_paragraphs(text_at(post, "community_note", "text"))
    if note:
        yield format_heading(2, "Community note")
        yield note
