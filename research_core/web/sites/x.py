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
from research_core.text.words import format_count, truncate
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
    get_number,
    get_objects,
    get_text,
    get_value,
    limit_names,
    make_not_found_error,
    make_unexpected_answer_error,
    parse_object_reply,
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
#: Counts of a post and of an account: the noun of each, and its field in the reply.
POST_COUNTS = {
    "reply": "replies", "retweet": "retweets", "like": "likes", "quote": "quotes", "view": "views"
}  # fmt: skip
USER_COUNTS = {
    "follower": "followers", "followed account": "following", "tweet": "tweets", "like": "likes"
}  # fmt: skip
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
    post = get_value(answer, "tweet") or get_value(answer, "status")
    handle = one_line(get_text(post, "author", "screen_name"))
    if not isinstance(post, dict) or get_text(post, "id") != id or not handle:
        raise make_unexpected_answer_error(
            SERVICE_NAME, "the post is not the one that was asked for"
        )
    said = list(_format_post_blocks(post))
    if not said:
        raise FetchError("The post holds no words.", kind="content_empty", status=200)
    name = one_line(get_text(post, "author", "name")) or handle
    title = one_line(get_text(post, "article", "title")) or truncate(
        f"{name} on X: {one_line(_read_post_words(post))}", 120
    )
    published = format_timestamp_day(get_number(post, "created_timestamp"))
    amounts = {noun: get_number(post, field) for noun, field in POST_COUNTS.items()}
    facts = ". ".join(filter(None, (f"{name} (@{handle})", published, format_counts(amounts))))
    answered = get_text(post, "replying_to") or get_text(post, "replying_to", "screen_name")
    blocks = [
        facts,
        f"In answer to @{one_line(answered)}" if one_line(answered) else "",
        *said,
        *_format_context_blocks(post),
    ]
    address = f"{SITE_URL}/{handle}/status/{id}"
    about = Metadata(
        limit_names([name]),
        "X",
        language=one_line(get_text(post, "lang"))[:35],
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
    user = get_value(_parse_reply(reply), "user")
    handle = one_line(get_text(user, "screen_name"))
    if not handle:
        raise make_unexpected_answer_error(SERVICE_NAME, "there is no user in it")
    name = one_line(get_text(user, "name")) or handle
    title, address = f"{name} (@{handle}) on X", f"{SITE_URL}/{handle}"
    facts = {
        "Place": get_text(user, "location"),
        "Joined": get_text(user, "joined"),
        "Website": get_text(user, "website", "url"),
    }
    amounts = {noun: get_number(user, field) for noun, field in USER_COUNTS.items()}
    said = [format_item(f"{what}: {words}") for what, words in facts.items() if one_line(words)]
    blocks = [
        split_paragraphs(get_text(user, "description")),
        *said,
        format_item(format_counts(amounts)),
    ]
    about = Metadata(limit_names([name]), "X", canonical=address, type="social_media")
    return Page(
        url, address, truncate(title, 300), join_document(title, *blocks), "html", "", about
    )


def _parse_reply(reply: HttpReply) -> Json:
    answer = parse_object_reply(reply, SERVICE_NAME)
    status = get_number(answer, "code")
    if status is None:
        raise make_unexpected_answer_error(SERVICE_NAME, "it has no code")
    if status in STATUS_KINDS and status == 404:
        raise make_not_found_error("FxTwitter knows no such post or user.")
    if status != 200:
        said = truncate(one_line(get_text(answer, "message")), 100) or "no reason"
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
    for each in (post, get_value(post, "quote")):
        count_characters(_read_post_words(each), tally)
        for block in get_objects(each, "article", "content", "blocks"):
            count_characters(get_text(block, "text"), tally)
    return tally.hidden


def _read_post_words(post: Any) -> str:
    return get_text(post, "text") or get_text(post, "raw_text", "text")


def _format_post_blocks(post: Any) -> Iterator[str]:
    """Yield the post's own words.

    For an article its blocks, else its text, its picture descriptions and its poll.
    """
    article = map(_format_block, get_objects(post, "article", "content", "blocks"))
    blocks = list(filter(None, article))
    if not blocks:
        preview = split_paragraphs(get_text(post, "article", "preview_text"))
        blocks = list(filter(None, (split_paragraphs(_read_post_words(post)), preview)))
    yield from blocks
    for each in get_objects(post, "media", "photos"):
        description = one_line(get_text(each, "altText"))
        if description:
            yield format_item(f"Picture: {description}")
    for choice in get_objects(post, "poll", "choices"):
        label = get_text(choice, "label")
        votes = get_number(choice, "count")
        yield format_item(label if votes is None else f"{label}: {format_count(votes, 'vote')}")


def _format_block(block: Json) -> str:
    kind = get_text(block, "type")
    words = get_text(block, "text")
    if kind in HEADING_LEVELS:
        return format_heading(HEADING_LEVELS[kind], words)
    if kind in ITEM_TYPES:
        return format_item(words)
    if kind == "blockquote":
        return format_quote(words)
    if kind == "code-block":
        return format_code(words)
    return split_paragraphs(words)


def _format_context_blocks(post: Any) -> Iterator[str]:
    """Yield what the post quotes, and the note readers added."""
    quoted = get_value(post, "quote")
    said = list(_format_post_blocks(quoted)) if isinstance(quoted, dict) else []
    if said:
        yield format_heading(
            2, f"Quoted post by @{get_text(quoted, 'author', 'screen_name') or 'somebody'}"
        )
        yield from said
    note = split_paragraphs(get_text(post, "community_note", "text"))
    if note:
        yield format_heading(2, "Community note")
        yield note
