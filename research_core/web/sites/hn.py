"""Read Hacker News from its API and Algolia's: stories with comments, lists and users.

The API says what there is and in which order, in one request; Algolia gives all texts in one more.
Only what Algolia lacks is requested singly, in order. Answers to comments are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import Metadata, Page
from research_core.text.dates import format_timestamp_day
from research_core.text.words import truncate
from research_core.web.documents.tally import HiddenTextTally
from research_core.web.sites.layout import (
    format_heading,
    format_item,
    join_document,
    one_line,
    read_html_paragraphs,
)
from research_core.web.sites.service import (
    Attempts,
    ask_service,
    format_counts,
    get_number,
    get_objects,
    get_text,
    limit_names,
    make_not_found_error,
    make_unexpected_answer_error,
    parse_json_reply,
    parse_object_reply,
)

if TYPE_CHECKING:
    from research_core.journal.deps import Deps, Http

SERVICE_NAME, SEARCH_NAME = "Hacker News", "Hacker News search"
API_URL = "https://hacker-news.firebaseio.com/v0"
ALGOLIA_URL = "https://hn.algolia.com/api/v1"
SITE_URL = "https://news.ycombinator.com"
MAX_COMMENTS, MAX_STORIES = 10, 20
#: Seconds for each of the many small requests.
ITEM_TIMEOUT_S = 5.0
#: First path segment of a list -> its name in the API, and its title.
STORY_LISTS = {
    "": ("topstories", "Hacker News"),
    "news": ("topstories", "Hacker News"),
    "newest": ("newstories", "Hacker News: new stories"),
    "best": ("beststories", "Hacker News: best stories"),
    "ask": ("askstories", "Ask HN"),
    "show": ("showstories", "Show HN"),
    "jobs": ("jobstories", "Hacker News: jobs"),
}


def read_item(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read a story, job, poll or comment, with its first ten comments.

    Raises FetchError; not_found also for deleted or killed items.
    """
    tries, tally, http = Attempts(), HiddenTextTally(), deps.http
    one = parse_item(_fetch_item(http, found["id"]), found["id"])
    listed = one.get("kids")
    kids = []
    if isinstance(listed, list):
        kids = [str(kid) for kid in listed if isinstance(kid, int)]
    tree = None
    if kids:
        tree = tries.run("hn:algolia", lambda: parse_children(_fetch_comments(http, found["id"])))
    comments: list[str] = []
    for each in _collect_items(http, kids, tree or {}, tries, MAX_COMMENTS):
        comment = _format_comment(each, tally)
        if comment:
            comments.append(comment)
        if len(comments) == MAX_COMMENTS:
            break
    written = max(len(kids), get_number(one, "descendants") or 0)
    page = _build_item_page(url, one, comments, written, tally)
    return replace(page, hidden=tally.hidden, attempts=tuple(tries.made))


def _build_item_page(
    url: str, one: Json, comments: list[str], written: int, tally: HiddenTextTally
) -> Page:
    """Build the page of an item. written: how many comments there are in all."""
    by = one_line(get_text(one, "by"))
    published = format_timestamp_day(one.get("time"))
    linked = one_line(get_text(one, "url"))
    title = one_line(get_text(one, "title")) or f"Comment by {by} on {SERVICE_NAME}"
    title = truncate(title, 300)
    amounts = format_counts(
        {"point": get_number(one, "score"), "comment": get_number(one, "descendants")}
    )
    facts = ", ".join(filter(None, (f"Posted by {by}" if by else "", published, amounts)))
    blocks = [
        facts,
        f"Link: {linked}" if linked else "",
        read_html_paragraphs(get_text(one, "text"), tally),
        format_heading(2, "Comments" if comments else ""),
        *comments,
    ]
    cut = ""
    if written > len(comments):
        cut = f"The first {len(comments)} of {written:,} comments were read."
    about = _build_item_metadata(by, f"{SITE_URL}/item?id={one['id']}", cut)
    return Page(url, about.canonical, title, join_document(title, *blocks), "hn", published, about)


def read_list(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read the first twenty stories of a list, in order. Raises FetchError."""
    which, title = STORY_LISTS[found["list"]]
    tries, http = Attempts(), deps.http
    ids = parse_ids(
        parse_json_reply(ask_service(http, SERVICE_NAME, f"{API_URL}/{which}.json"), SERVICE_NAME)
    )[:MAX_STORIES]
    hits = tries.run("hn:algolia", lambda: parse_hits(_search_stories(http, ids))) or {}
    stories = list(_collect_items(http, ids, hits, tries, MAX_STORIES))
    if not stories:
        raise tries.attach_to(
            tries.error
            or FetchError("Hacker News has no story on this list.", kind="content_empty")
        )
    about = _build_item_metadata("", f"{SITE_URL}/{found['list']}")
    return Page(
        url,
        about.canonical,
        title,
        join_document(title, *map(_format_story_line, stories)),
        "hn",
        "",
        about,
        attempts=tuple(tries.made),
    )


def read_user(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read a user's karma, joining day and description. Raises FetchError."""
    user = parse_json_reply(
        ask_service(deps.http, SERVICE_NAME, f"{API_URL}/user/{found['user']}.json"), SERVICE_NAME
    )
    if user is None:
        raise make_not_found_error("Hacker News has no such user.")
    name, karma = one_line(get_text(user, "id")), get_number(user, "karma")
    if not name or karma is None:
        raise make_unexpected_answer_error(SERVICE_NAME, "a user without name or karma")
    title = f"{name} on {SERVICE_NAME}"
    tally = HiddenTextTally()
    blocks = [
        format_item(f"Karma: {karma:,}"),
        format_item(f"Joined: {format_timestamp_day(user.get('created'))}"),
        read_html_paragraphs(get_text(user, "about"), tally),
    ]
    about = _build_item_metadata(name, f"{SITE_URL}/user?id={name}")
    return Page(
        url, about.canonical, title, join_document(title, *blocks), "hn", "", about, tally.hidden
    )


def _build_item_metadata(by: str, address: str, cut: str = "") -> Metadata:
    return Metadata(limit_names([by]), SERVICE_NAME, canonical=address, type="forum", cut=cut)


# ---------------------------------------------------------------- what is asked


def _fetch_item(http: Http, id: str) -> Any:
    return parse_json_reply(
        ask_service(http, SERVICE_NAME, f"{API_URL}/item/{id}.json", timeout_s=ITEM_TIMEOUT_S),
        SERVICE_NAME,
    )


def _fetch_comments(http: Http, id: str) -> Json:
    return parse_object_reply(
        ask_service(http, SEARCH_NAME, f"{ALGOLIA_URL}/items/{id}"), SEARCH_NAME
    )


def _search_stories(http: Http, ids: list[str]) -> Json:
    wanted = ",".join(f"story_{id}" for id in ids)
    params = {"tags": f"(story,job,poll),({wanted})", "hitsPerPage": str(MAX_STORIES)}
    return parse_object_reply(
        ask_service(http, SEARCH_NAME, f"{ALGOLIA_URL}/search", params=params), SEARCH_NAME
    )


def _collect_items(
    http: Http, ids: list[str], known: Mapping[str, Json], tries: Attempts, most: int
) -> Iterator[Json]:
    """Yield the items in order.

    Of those not known, the ones among the first `most` are requested until the site fails to
    answer.
    """
    answers = True
    for place, id in enumerate(ids):
        if id in known:
            yield known[id]
        elif answers and place < most:
            try:
                yield _convert_item_to_hit(parse_item(_fetch_item(http, id), id))
            except FetchError as error:
                if error.kind != "not_found":  # what was deleted or killed is simply not there
                    tries.note("hn:item", error)
                    answers = False


def _format_comment(one: Json, tally: HiddenTextTally) -> str:
    words = read_html_paragraphs(get_text(one, "text"), tally)
    head = ", ".join(
        filter(
            None,
            (
                one_line(get_text(one, "author")) or "somebody",
                format_timestamp_day(one.get("created_at_i")),
            ),
        )
    )
    return f"{format_heading(3, head)}\n\n{words}" if words else ""


# ---------------------------------------------------------------- what was answered


def parse_item(value: Any, id: str) -> Json:
    """Check an item of the API. Raises FetchError: not_found, bad_reply.

    Missing, deleted and killed items are not_found.
    """
    if value is None:
        raise make_not_found_error("Hacker News has no such item.")
    if not isinstance(value, dict) or get_number(value, "id") != int(id):
        raise make_unexpected_answer_error(
            SERVICE_NAME, "the item is not the one that was asked for"
        )
    if value.get("deleted") is True:
        raise make_not_found_error("The item was deleted by its author.")
    if value.get("dead") is True:
        raise make_not_found_error("The item was killed by moderators or readers.")
    has_words = one_line(get_text(value, "title")) or one_line(get_text(value, "text"))
    has_author = one_line(get_text(value, "by"))
    if not has_words or not has_author or not format_timestamp_day(value.get("time")):
        raise make_unexpected_answer_error(
            SERVICE_NAME, "the item has no author, no day, or neither title nor text"
        )
    return value


def parse_children(value: Json) -> dict[str, Json]:
    """Return the comments directly under an Algolia item, by id. Raises FetchError bad_reply."""
    if not isinstance(value.get("children"), list):
        raise make_unexpected_answer_error(SEARCH_NAME, "the item has no list of comments")
    return {
        str(child["id"]): child
        for child in get_objects(value, "children")
        if get_number(child, "id") is not None
    }


def parse_ids(value: Any) -> list[str]:
    """Return the item ids of a list. Raises FetchError: bad_reply, content_empty."""
    if not isinstance(value, list) or not all(isinstance(id, int) for id in value):
        raise make_unexpected_answer_error(SERVICE_NAME, "the list is no list of numbers")
    if not value:
        raise FetchError("Hacker News has no story on this list.", kind="content_empty")
    return [str(id) for id in value]


def parse_hits(value: Json) -> dict[str, Json]:
    """Return Algolia's stories by id. Raises FetchError bad_reply."""
    if not isinstance(value.get("hits"), list):
        raise make_unexpected_answer_error(SEARCH_NAME, "there is no list of hits")
    return {
        get_text(hit, "objectID"): hit
        for hit in get_objects(value, "hits")
        if one_line(get_text(hit, "title"))
    }


def _convert_item_to_hit(one: Json) -> Json:
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


def _format_story_line(story: Json) -> str:
    address = f"{SITE_URL}/item?id={get_text(story, 'objectID')}"
    by, published = (
        one_line(get_text(story, "author")),
        format_timestamp_day(story.get("created_at_i")),
    )
    said = format_counts(
        {"point": get_number(story, "points"), "comment": get_number(story, "num_comments")}
    )
    facts = ", ".join(filter(None, (by, published, said)))
    return format_item(f"{get_text(story, 'title')} ({facts}) {get_text(story, 'url') or address}")
