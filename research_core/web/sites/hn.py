"""Reads Hacker News: stories with their first comments, single comments, lists and users, from its
own interface and Algolia's.

The first says what there is and in which order, one request; Algolia gives all texts in one more.
Only what Algolia does not have is asked for one by one, in order. Answers to comments are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import Metadata, Page
from research_core.text.dates import of_seconds
from research_core.text.words import truncate
from research_core.web.documents.tally import Tally
from research_core.web.sites.layout import document, from_html, heading, item, line
from research_core.web.sites.service import (
    Tries,
    ask,
    changed,
    counted,
    json_in,
    missing,
    names,
    number,
    object_in,
    rows,
    text,
)

if TYPE_CHECKING:
    from research_core.journal.deps import Deps, Http

NAME, SEARCH = "Hacker News", "Hacker News search"
API = "https://hacker-news.firebaseio.com/v0"
ALGOLIA = "https://hn.algolia.com/api/v1"
SITE = "https://news.ycombinator.com"
COMMENTS, STORIES = 10, 20
#: Seconds for each of the small requests, of which there may be many.
SMALL_S = 5.0
#: The first segment of a list's path: the list of the interface, and its title.
LISTS = {
    "": ("topstories", "Hacker News"),
    "news": ("topstories", "Hacker News"),
    "newest": ("newstories", "Hacker News: new stories"),
    "best": ("beststories", "Hacker News: best stories"),
    "ask": ("askstories", "Ask HN"),
    "show": ("showstories", "Show HN"),
    "jobs": ("jobstories", "Hacker News: jobs"),
}


def read_item(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """A story, job, poll or comment, with its first ten comments. Raises FetchError: not_found also
    for what was deleted or killed.
    """
    tries, tally, http = Tries(), Tally(), deps.http
    one = item_in(_one(http, found["id"]), found["id"])
    kids = (
        [str(kid) for kid in one.get("kids", []) if isinstance(kid, int)]
        if isinstance(one.get("kids"), list)
        else []
    )
    tree = tries.run("hn:algolia", lambda: children_in(_tree(http, found["id"]))) if kids else None
    said = (_comment(each, tally) for each in _each(http, kids, tree or {}, tries, COMMENTS))
    comments = list(islice(filter(None, said), COMMENTS))
    page = _item_page(url, one, comments, max(len(kids), number(one, "descendants") or 0), tally)
    return replace(page, hidden=tally.hidden, attempts=tuple(tries.made))


def _item_page(url: str, one: Json, comments: list[str], written: int, tally: Tally) -> Page:
    """written: how many comments there are in all."""
    by, published, linked = (
        line(text(one, "by")),
        of_seconds(one.get("time")),
        line(text(one, "url")),
    )
    title = truncate(line(text(one, "title")) or f"Comment by {by} on {NAME}", 300)
    amounts = counted(points=number(one, "score"), comments=number(one, "descendants"))
    facts = ", ".join(filter(None, (f"Posted by {by}" if by else "", published, amounts)))
    blocks = [
        facts,
        f"Link: {linked}" if linked else "",
        from_html(text(one, "text"), tally),
        heading(2, "Comments" if comments else ""),
        *comments,
    ]
    cut = (
        f"The first {len(comments)} of {written:,} comments were read."
        if written > len(comments)
        else ""
    )
    about = _metadata(by, f"{SITE}/item?id={one['id']}", cut)
    return Page(url, about.canonical, title, document(title, *blocks), "hn", published, about)


def read_list(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """The first twenty stories of a list, in its order. Raises FetchError."""
    which, title = LISTS[found["list"]]
    tries, http = Tries(), deps.http
    ids = ids_in(json_in(ask(http, NAME, f"{API}/{which}.json"), NAME))[:STORIES]
    hits = tries.run("hn:algolia", lambda: hits_in(_search(http, ids))) or {}
    stories = list(_each(http, ids, hits, tries, STORIES))
    if not stories:
        raise tries.failed(
            tries.error
            or FetchError("Hacker News has no story on this list.", kind="content_empty")
        )
    about = _metadata("", f"{SITE}/{found['list']}")
    return Page(
        url,
        about.canonical,
        title,
        document(title, *map(_row, stories)),
        "hn",
        "",
        about,
        attempts=tuple(tries.made),
    )


def read_user(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """A user's karma, day of joining and own words. Raises FetchError."""
    user = json_in(ask(deps.http, NAME, f"{API}/user/{found['user']}.json"), NAME)
    if user is None:
        raise missing("Hacker News has no such user.")
    name, karma = line(text(user, "id")), number(user, "karma")
    if not name or karma is None:
        raise changed(NAME, "a user without name or karma")
    title = f"{name} on {NAME}"
    tally = Tally()
    blocks = [
        item(f"Karma: {karma:,}"),
        item(f"Joined: {of_seconds(user.get('created'))}"),
        from_html(text(user, "about"), tally),
    ]
    about = _metadata(name, f"{SITE}/user?id={name}")
    return Page(
        url, about.canonical, title, document(title, *blocks), "hn", "", about, tally.hidden
    )


def _metadata(by: str, address: str, cut: str = "") -> Metadata:
    return Metadata(names([by]), NAME, canonical=address, type="forum", cut=cut)


# ---------------------------------------------------------------- what is asked


def _one(http: Http, id: str) -> Any:
    return json_in(ask(http, NAME, f"{API}/item/{id}.json", timeout_s=SMALL_S), NAME)


def _tree(http: Http, id: str) -> Json:
    return object_in(ask(http, SEARCH, f"{ALGOLIA}/items/{id}"), SEARCH)


def _search(http: Http, ids: list[str]) -> Json:
    wanted = ",".join(f"story_{id}" for id in ids)
    params = {"tags": f"(story,job,poll),({wanted})", "hitsPerPage": str(STORIES)}
    return object_in(ask(http, SEARCH, f"{ALGOLIA}/search", params=params), SEARCH)


def _each(
    http: Http, ids: list[str], known: Mapping[str, Json], tries: Tries, most: int
) -> Iterator[Json]:
    """The items in their order. Of those not known the ones among the first `most` are asked for,
    until the site fails to answer.
    """
    answers = True
    for place, id in enumerate(ids):
        if id in known:
            yield known[id]
        elif answers and place < most:
            try:
                yield _as_hit(item_in(_one(http, id), id))
            except FetchError as error:
                if error.kind != "not_found":  # what was deleted or killed is simply not there
                    tries.note("hn:item", error)
                    answers = False


def _comment(one: Json, tally: Tally) -> str:
    words = from_html(text(one, "text"), tally)
    head = ", ".join(
        filter(None, (line(text(one, "author")) or "somebody", of_seconds(one.get("created_at_i"))))
    )
    return f"{heading(3, head)}\n\n{words}" if words else ""


# ---------------------------------------------------------------- what was answered


def item_in(value: Any, id: str) -> Json:
    """An item of the site's own interface. Raises FetchError: not_found for none, a deleted or a
    killed one; bad_reply.
    """
    if value is None:
        raise missing("Hacker News has no such item.")
    if not isinstance(value, dict) or number(value, "id") != int(id):
        raise changed(NAME, "the item is not the one that was asked for")
    if value.get("deleted") is True:
        raise missing("The item was deleted by its author.")
    if value.get("dead") is True:
        raise missing("The item was killed by moderators or readers.")
    if (
        not (line(text(value, "title")) or line(text(value, "text")))
        or not line(text(value, "by"))
        or not of_seconds(value.get("time"))
    ):
        raise changed(NAME, "the item has no author, no day, or neither title nor text")
    return value


def children_in(value: Json) -> dict[str, Json]:
    """The comments directly under an item of Algolia's, by id. Raises FetchError bad_reply."""
    if not isinstance(value.get("children"), list):
        raise changed(SEARCH, "the item has no list of comments")
    return {
        str(child["id"]): child
        for child in rows(value, "children")
        if number(child, "id") is not None
    }


def ids_in(value: Any) -> list[str]:
    """The items of a list. Raises FetchError: bad_reply, content_empty."""
    if not isinstance(value, list) or not all(isinstance(id, int) for id in value):
        raise changed(NAME, "the list is no list of numbers")
    if not value:
        raise FetchError("Hacker News has no story on this list.", kind="content_empty")
    return [str(id) for id in value]


def hits_in(value: Json) -> dict[str, Json]:
    """Algolia's stories by id. Raises FetchError bad_reply."""
    if not isinstance(value.get("hits"), list):
        raise changed(SEARCH, "there is no list of hits")
    return {text(hit, "objectID"): hit for hit in rows(value, "hits") if line(text(hit, "title"))}


def _as_hit(one: Json) -> Json:
    names = {
        "id": "objectID",
        "by": "author",
        "score": "points",
        "descendants": "num_comments",
        "time": "created_at_i",
    }
    return {names.get(name, name): value for name, value in one.items()} | {
        "objectID": str(one["id"])
    }


def _row(story: Json) -> str:
    address = f"{SITE}/item?id={text(story, 'objectID')}"
    by, published = line(text(story, "author")), of_seconds(story.get("created_at_i"))
    said = counted(points=number(story, "points"), comments=number(story, "num_comments"))
    facts = ", ".join(filter(None, (by, published, said)))
    return item(f"{text(story, 'title')} ({facts}) {text(story, 'url') or address}")
