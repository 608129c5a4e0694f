"""What a Reddit page says of its post in its structured data: votes, comments, author, day. The
post's text is read like any page's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from research_core.model_messages import Json
from research_core.text.dates import iso, whole
from research_core.text.words import truncate
from research_core.urls import host
from research_core.web.sites.layout import line
from research_core.web.sites.service import get, number, text

HOSTS = frozenset(f"{name}reddit.com" for name in ("", "www.", "old.", "new.", "np.", "sh.")) | {
    "redd.it",
    "www.redd.it",
}
POSTS = frozenset({"DiscussionForumPosting", "SocialMediaPosting"})
VOTES, COMMENTS = ("LikeAction", "VoteAction"), ("CommentAction", "ReplyAction")
#: Below this many votes a few accounts can have made them all.
FEW = 20
NOTE = (
    f"Fewer than {FEW} upvotes: a few accounts can bring that about, so take the votes for no sign"
    " of approval."
)
#: Deeper structured data is nobody's post.
DEEPEST = 8


def signals(url: str, json_ld: Sequence[Any]) -> Json:
    """{"platform", "upvotes", "comments", "datePublished", "authorName", "credibilityNote"} of a
    Reddit post, as far as they are said.

    {} where the address is not Reddit's or no post says how many votes it has. json_ld: the page's
    blocks, as JSON text or as values.
    """
    try:
        if host(url) not in HOSTS:
            return {}
    except ValueError:
        return {}
    return next(filter(None, map(_signals, _posts(json_ld))), {})


def _posts(json_ld: Sequence[Any]) -> Iterator[Json]:
    """The posts among the blocks and what they list, outermost first."""
    level = [_value(block) for block in json_ld]
    for _ in range(DEEPEST):
        yield from (
            each
            for each in level
            if isinstance(each, dict) and POSTS & set(_types(each.get("@type")))
        )
        level = [child for each in level for child in _children(each)]


def _value(block: Any) -> Any:
    try:
        return json.loads(block) if isinstance(block, str) else block
    except (ValueError, RecursionError):
        return None


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        yield from (
            value[name]
            for name in ("@graph", "mainEntity", "itemListElement", "item")
            if name in value
        )


def _types(value: Any) -> list[str]:
    return [
        each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
    ]


def _signals(post: Json) -> Json:
    upvotes = _count(post, VOTES)
    upvotes = number(post, "upvoteCount") if upvotes is None else upvotes
    if upvotes is None:
        return {}
    comments = _count(post, COMMENTS)
    comments = number(post, "commentCount") if comments is None else comments
    when = line(text(post, "datePublished"))
    author = get(post, "author", 0) if isinstance(post.get("author"), list) else post.get("author")
    said = {
        "datePublished": truncate(when, 40) if whole(iso(when)) else "",
        "authorName": truncate(
            line(author if isinstance(author, str) else text(author, "name")), 100
        ),
        "credibilityNote": NOTE if upvotes < FEW else "",
    }
    return {"platform": "reddit", "upvotes": upvotes, "comments": comments or 0} | {
        name: value for name, value in said.items() if value
    }


def _count(post: Json, actions: Sequence[str]) -> int | None:
    """The count of the first of these actions in `interactionStatistic`."""
    listed = post.get("interactionStatistic")
    counters = listed if isinstance(listed, list) else [listed]
    for action in actions:
        for counter in counters:
            kind = get(counter, "interactionType")
            kinds = _types(kind.get("@type")) if isinstance(kind, dict) else _types(kind)
            count = number(counter, "userInteractionCount")
            if count is not None and any(each.rpartition("/")[2] == action for each in kinds):
                return count
    return None
