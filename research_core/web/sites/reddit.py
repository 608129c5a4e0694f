"""Read the votes, comments, author and day of a Reddit post from its structured data.

The post's text is read like any page's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from research_core.model_messages import Json
from research_core.text.dates import parse_full_day, parse_iso_date
from research_core.text.words import truncate
from research_core.urls import find_host
from research_core.web.sites.layout import one_line
from research_core.web.sites.service import get_number, get_text, get_value

REDDIT_HOSTS = frozenset(
    f"{name}reddit.com" for name in ("", "www.", "old.", "new.", "np.", "sh.")
) | {
    "redd.it",
    "www.redd.it",
}
POST_TYPES = frozenset({"DiscussionForumPosting", "SocialMediaPosting"})
VOTE_ACTIONS, COMMENT_ACTIONS = ("LikeAction", "VoteAction"), ("CommentAction", "ReplyAction")
#: Votes below which a few accounts can have cast them all.
FEW_VOTES = 20
FEW_VOTES_NOTE = (
    f"Fewer than {FEW_VOTES} upvotes: a few accounts can bring that about, so take the votes for "
    f"no sign"
    " of approval."
)
#: Depth below which structured data is ignored.
MAX_DEPTH = 8


def read_post_signals(url: str, json_ld: Sequence[Any]) -> Json:
    """Return the signals of a Reddit post, as far as stated.

    Keys: "platform", "upvotes", "comments", "datePublished", "authorName", "credibilityNote". {} if
    the address is not Reddit's or no post states its votes. json_ld: the page's blocks, as JSON
    text or as values.
    """
    try:
        if find_host(url) not in REDDIT_HOSTS:
            return {}
    except ValueError:
        return {}
    return next(filter(None, map(_build_post_signals, _find_posts(json_ld))), {})


def _find_posts(json_ld: Sequence[Any]) -> Iterator[Json]:
    """Yield the posts among the blocks and what they list, outermost first."""
    level = [_parse_block(block) for block in json_ld]
    for _ in range(MAX_DEPTH):
        children: list[Any] = []
        for each in level:
            if isinstance(each, dict) and POST_TYPES & set(_list_node_types(each.get("@type"))):
                yield each
            children += _iterate_child_nodes(each)
        level = children


def _parse_block(block: Any) -> Any:
    try:
        return json.loads(block) if isinstance(block, str) else block
    except (ValueError, RecursionError):
        return None


def _iterate_child_nodes(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        for name in ("@graph", "mainEntity", "itemListElement", "item"):
            if name in value:
                yield value[name]


def _list_node_types(value: Any) -> list[str]:
    names = value if isinstance(value, list) else [value]
    return [name for name in names if isinstance(name, str)]


def _build_post_signals(post: Json) -> Json:
    upvotes = _find_interaction_count(post, VOTE_ACTIONS)
    if upvotes is None:
        upvotes = get_number(post, "upvoteCount")
    if upvotes is None:
        return {}
    comments = _find_interaction_count(post, COMMENT_ACTIONS)
    if comments is None:
        comments = get_number(post, "commentCount")
    signals: Json = {"platform": "reddit", "upvotes": upvotes, "comments": comments or 0}
    when = one_line(get_text(post, "datePublished"))
    if when and parse_full_day(parse_iso_date(when)):
        signals["datePublished"] = truncate(when, 40)
    author = post.get("author")
    if isinstance(author, list):
        author = get_value(author, 0)
    name = one_line(author if isinstance(author, str) else get_text(author, "name"))
    if name:
        signals["authorName"] = truncate(name, 100)
    if upvotes < FEW_VOTES:
        signals["credibilityNote"] = FEW_VOTES_NOTE
    return signals


def _find_interaction_count(post: Json, actions: Sequence[str]) -> int | None:
    """Return the count of the first of these actions in `interactionStatistic`, or None."""
    listed = post.get("interactionStatistic")
    counters = listed if isinstance(listed, list) else [listed]
    for action in actions:
        for counter in counters:
            kind = get_value(counter, "interactionType")
            kinds = (
                _list_node_types(kind.get("@type"))
                if isinstance(kind, dict)
                else _list_node_types(kind)
            )
            count = get_number(counter, "userInteractionCount")
            if count is not None and any(each.rpartition("/")[2] == action for each in kinds):
                return count
    return None
