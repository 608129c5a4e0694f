"""The table of sites: which addresses each takes, what it may ask, and that no bad answer of a
service becomes a page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import ERROR_KINDS, CallForbidden, FetchError
from research_core.text.references import find_references
from research_core.urls import canonical_url
from research_core.values import SITES as NAMES
from research_core.web import sites
from research_core.web.sites import SITES
from tests.rows import over_rows
from tests.site_replies import GOOD, Answer, Services, body, outcome, read

ROOT = Path(__file__).parents[3]

# ---------------------------------------------------------------- addresses

TAKEN = [
    ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", "youtube", {"id": "dQw4w9WgXcQ"}),
    ("https://www.youtube.com/watch?list=PL1&v=dQw4w9WgXcQ&t=42s", "youtube", {"id": "dQw4w9WgXcQ"}),
    ("http://m.youtube.com/watch?v=dQw4w9WgXcQ#top", "youtube", {"id": "dQw4w9WgXcQ"}),
    ("https://m.youtube.com/watch?v=a-_4w9WgXcQ", "youtube", {"id": "a-_4w9WgXcQ"}),
    ("https://youtu.be/dQw4w9WgXcQ?si=x", "youtube", {"id": "dQw4w9WgXcQ"}),
    ("https://www.youtube.com/shorts/dQw4w9WgXcQ", "youtube", {"id": "dQw4w9WgXcQ"}),
    ("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?rel=0", "youtube", {"id": "dQw4w9WgXcQ"}),
    ("https://youtube.com/live/dQw4w9WgXcQ/", "youtube", {"id": "dQw4w9WgXcQ"}),
    ("https://news.ycombinator.com/item?id=8863", "hn", {"id": "8863"}),
    ("https://news.ycombinator.com/item?id=8863&p=2", "hn", {"id": "8863"}),
    ("https://news.ycombinator.com/item/8863", "hn", {"id": "8863"}),
    ("https://news.ycombinator.com/user?id=pg", "hn", {"user": "pg"}),
    ("https://news.ycombinator.com/user/pg", "hn", {"user": "pg"}),
    ("https://news.ycombinator.com", "hn", {"list": ""}),
    *((f"https://news.ycombinator.com/{name}", "hn", {"list": name}) for name in ("news", "newest", "best", "ask", "show", "jobs")),
    ("https://arxiv.org/abs/1706.03762", "arxiv", {"id": "1706.03762"}),
    ("http://www.arxiv.org/abs/1706.03762v7?context=cs", "arxiv", {"id": "1706.03762v7"}),
    ("https://arxiv.org/pdf/1706.03762v7.pdf", "arxiv", {"id": "1706.03762v7"}),
    ("https://arxiv.org/pdf/2403.01234", "arxiv", {"id": "2403.01234"}),
    ("https://arxiv.org/html/2403.01234v1/#S1", "arxiv", {"id": "2403.01234v1"}),
    ("https://export.arxiv.org/abs/hep-th/9901001v3", "arxiv", {"id": "hep-th/9901001v3"}),
    ("https://arxiv.org/abs/math.GT/0309136", "arxiv", {"id": "math.GT/0309136"}),
    ("https://pubmed.ncbi.nlm.nih.gov/22663011/?from=x", "pubmed", {"id": "22663011"}),
    ("https://www.ncbi.nlm.nih.gov/pubmed/22663011", "pubmed", {"id": "22663011"}),
    ("https://europepmc.org/article/MED/22663011", "pubmed", {"id": "22663011"}),
    ("https://pmc.ncbi.nlm.nih.gov/articles/PMC3040717/", "pubmed", {"id": "3040717"}),
    ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC3040717/pdf/x.pdf", "pubmed", {"id": "3040717"}),
    ("https://x.com/jack/status/20", "x", {"user": "jack", "id": "20"}),
    ("https://twitter.com/jack/status/20?s=21", "x", {"user": "jack", "id": "20"}),
    ("https://mobile.twitter.com/jack/statuses/20/photo/1", "x", {"user": "jack", "id": "20"}),
    ("https://x.com/i/web/status/20", "x", {"user": "i/web", "id": "20"}),
    ("https://x.com/i/status/20", "x", {"user": "i", "id": "20"}),
    ("https://x.com/jack/article/20", "x", {"user": "jack", "id": "20"}),
    ("https://x.com/jack", "x", {"user": "jack"}),
    ("https://github.com/o-1/r.x/blob/main/a%20b.py#L3", "github", {"owner": "o-1", "repo": "r.x", "ref": "main", "path": "a%20b.py"}),
    ("https://github.com/o/r/raw/v1.0/README", "github", {"owner": "o", "repo": "r", "ref": "v1.0", "path": "README"}),
    ("https://github.com/o/r", "github", {"owner": "o", "repo": "r"}),
    ("https://github.com/o/r.git?tab=readme-ov-file", "github", {"owner": "o", "repo": "r"}),
    ("https://gist.github.com/o/aa5a315d61ae9438b18d", "github", {"id": "aa5a315d61ae9438b18d"}),
]  # fmt: skip


@pytest.mark.parametrize(("url", "name", "parts"), TAKEN)
def test_a_site_takes_its_addresses(url: str, name: str, parts: Mapping[str, str]) -> None:
    site = sites.find_site(url)
    assert site is not None
    assert (site.name, site.parts(url)) == (name, parts)


@pytest.mark.parametrize(
    "url",
    [
        "https://notyoutube.com/watch?v=dQw4w9WgXcQ",
        "https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ",
        "https://evil.example/youtube.com/watch?v=dQw4w9WgXcQ",
        "https://evil.example/?u=https://www.youtube.com/watch?v=dQw4w9WgXcQ",
        "https://www.youtube.com@evil.example/watch?v=dQw4w9WgXcQ",
        "https://www.youtube.com:8443/watch?v=dQw4w9WgXcQ",
        "https://www.youtube.com/watch?v=short",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQtoolong",
        "https://www.youtube.com/watch?vv=dQw4w9WgXcQ",
        "https://www.youtube.com/@channel",
        "https://netflix.com/jack/status/20",
        "https://x.com/",
        "https://x.com/home",
        "https://x.com/search?q=tides",
        "https://x.com/i/lists/20",
        "https://x.com/jack/status/abc",
        "https://news.ycombinator.com/item?id=abc",
        "https://news.ycombinator.com/from?site=x.com",
        "https://arxiv.org/list/cs.CL/recent",
        "https://info.arxiv.org/abs/1706.03762",
        "https://arxiv.org/abs/not-an-id",
        "https://www.ncbi.nlm.nih.gov/books/NBK1/",
        "https://github.com/topics/tides",
        "https://github.com/o/r/issues/1",
        "https://github.com/o",
        "https://gist.github.com/o",
        "https://www.reddit.com/r/tides/comments/abc/x/",
        "document:abc",
        "ftp://arxiv.org/abs/1706.03762",
        "https://[broken/abs/1706.03762",
        "",
    ],
)
def test_any_other_address_is_an_ordinary_page(url: str) -> None:
    assert sites.find_site(url) is None


@pytest.mark.full
@given(st.text(max_size=200) | st.from_regex(r"https://[a-z.]{1,20}/[!-~]{0,60}", fullmatch=True))
def test_no_address_is_too_strange_to_be_looked_up(url: str) -> None:
    assert sites.find_site(url) is None or canonical_url(url)


def test_the_names_that_can_be_switched_off_are_those_of_the_table() -> None:
    assert tuple(dict.fromkeys(site.name for site in SITES)) == NAMES


def test_a_site_that_is_switched_off_is_an_ordinary_page() -> None:
    assert sites.find_site("https://x.com/jack/status/20", ("hn", "arxiv")) is None
    assert sites.find_site("https://x.com/jack/status/20", ()) is None
    assert sites.find_site("https://arxiv.org/abs/1706.03762", ("hn", "arxiv"))


def test_a_site_reads_no_address_that_is_not_its_own() -> None:
    site = sites.find_site("https://x.com/jack/status/20")
    assert site
    with pytest.raises(ValueError, match="no address of x"):
        site.read("https://evil.example/", None)  # type: ignore[arg-type]


# ---------------------------------------------------------------- every reader on good answers

#: Files that are read as they are, and whose lack says nothing of the page.
READMES = ("github readme", "github readme of another name")
#: Whom each site asks. docs/settings.md says so: change both.
SERVICES = {
    "youtube": {"www.youtube.com"},
    "hn": {"hacker-news.firebaseio.com", "hn.algolia.com"},
    "arxiv": {"export.arxiv.org", "arxiv.org"},
    "pubmed": {"eutils.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov"},
    "x": {"api.fxtwitter.com"},
    "github": {"raw.githubusercontent.com", "api.github.com"},
}


def test_every_row_of_the_table_is_read_here() -> None:
    readers = {site.reader for site in SITES}
    assert {site.reader for url, _ in GOOD.values() if (site := sites.find_site(url))} == readers
    assert set(SERVICES) == set(NAMES)


@pytest.mark.parametrize("case", GOOD)
def test_a_page_of_a_site_is_made_of_blocks_and_says_where_it_stands(case: str) -> None:
    url, answers = GOOD[case]
    services = Services(answers)
    page, site = read(url, services), sites.find_site(url)
    assert site
    assert page.url == url
    assert page.attempts[-1].tier == site.name
    assert page.attempts[-1].outcome == ""
    assert all(
        attempt.outcome and attempt.tier.startswith((site.name, "pmc:"))
        for attempt in page.attempts[:-1]
    )
    assert page.final_url == canonical_url(page.final_url) == page.metadata.canonical
    assert (again := sites.find_site(page.final_url)) is not None
    assert again.name == site.name
    assert page.metadata.site
    assert page.title
    if case not in READMES:  # whose own first line is its title
        assert page.text.startswith(f"# {page.title}\n\n")
    assert "\n\n\n" not in page.text
    assert page.text == page.text.strip()


@pytest.mark.parametrize("case", GOOD)
def test_lists_of_references_are_told_from_all_else(case: str) -> None:
    text = read(GOOD[case][0], Services(GOOD[case][1])).text
    found = [text[start:end] for start, end in find_references(text)]
    assert found == ([text[text.index("## References") :]] if case in ("arxiv", "pmc") else [])


@pytest.mark.parametrize("case", GOOD)
def test_a_site_asks_only_the_services_it_is_documented_to_ask(case: str) -> None:
    url, answers = GOOD[case]
    for services in (Services(answers), Services(otherwise=500), Services(otherwise=b"{}")):
        outcome(url, services)
        site = sites.find_site(url)
        assert site
        asked = [urlsplit(each.split(" ", 1)[1]) for each in services.asked]
        assert {each.scheme for each in asked} == {"https"}
        assert {each.netloc for each in asked} <= SERVICES[site.name]
        assert len(asked) <= 24
        assert len(set(services.asked)) == len(services.asked)


def test_the_docs_say_whom_each_site_asks() -> None:
    settings = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", settings, re.MULTILINE))
    hosts = {
        name: set(re.findall(r"[\w-]+(?:\.[\w-]+)+", rows[name])) - {"robots.txt"} for name in NAMES
    }
    assert hosts == SERVICES


@pytest.mark.parametrize("case", GOOD)
def test_the_same_answers_always_make_the_same_page(case: str) -> None:
    url, answers = GOOD[case]
    assert read(url, Services(answers)) == read(url, Services(answers))


# ---------------------------------------------------------------- every reader on bad answers

#: What every request gets, and the kinds the failure may have.
BAD: dict[str, tuple[Answer, set[str]]] = {
    "busy": (429, {"rate_limited"}),
    "broken": (500, {"upstream_unavailable"}),
    "no gateway": (502, {"upstream_unavailable"}),
    "refused": (403, {"blocked"}),
    "login": (401, {"auth_required"}),
    "gone": (404, {"not_found"}),
    "redirected to nowhere": (301, {"bad_reply"}),
    "nothing": (b" \n", {"content_empty"}),
    "unreachable": (FetchError("No.", kind="network"), {"network"}),
    "late": (FetchError("Late.", kind="timeout"), {"timeout"}),
    "huge": (FetchError("Big.", kind="too_large"), {"too_large"}),
}
#: The same, for services that promise a format.
CHANGED: dict[str, Answer] = {
    "a web page": b"<!doctype html><html><head><title>Sorry</title></head><body><p>Something else.</p></body></html>",
    "an empty object": b"{}",
    "an empty list": b"[]",
    "null": b"null",
    "a number": b"7",
    "a list of lists": b"[[[]]]",
    "deep": b"[" * 100_000,
    "another object": b'{"error": {"message": "Permission denied"}}',
    "another document": b"<?xml version='1.0'?><note><to>you</to></note>",
    "entities": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "b"><!ENTITY c "&b;&b;">]><a>&c;</a>',
    "no bytes of text": bytes(range(256)) * 4,
}
PROMISED = [
    case for case in GOOD if case not in ("github file", *READMES)
]  # a file may be anything


@pytest.mark.parametrize("bad", BAD)
@over_rows("case", GOOD)
def test_a_service_in_trouble_is_a_failure_that_names_its_kind(case: str, bad: str) -> None:
    answer, kinds = BAD[bad]
    with pytest.raises(FetchError) as failure:
        read(GOOD[case][0], Services(otherwise=answer))
    assert failure.value.kind in (
        kinds if bad != "gone" or case not in READMES else {"content_empty"}
    )
    if bad == "busy":
        assert failure.value.retry_after == 7


@pytest.mark.parametrize("bad", CHANGED)
@over_rows("case", PROMISED)
def test_an_answer_nobody_promised_is_never_a_page(case: str, bad: str) -> None:
    with pytest.raises(FetchError) as failure:
        read(GOOD[case][0], Services(otherwise=CHANGED[bad]))
    assert failure.value.kind in ("bad_reply", "not_found", "content_empty")
    if failure.value.kind != "bad_reply":  # what the service itself says there is not
        assert bad in ("null", "an empty list") or (bad == "an empty object" and case == "video")


@pytest.mark.parametrize("case", PROMISED)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_an_answer_cut_short_is_a_failure_or_a_page_with_text(case: str, share: float) -> None:
    url, answers = GOOD[case]
    cut = {
        start: raw[: int(len(raw) * share)]
        for start, answer in answers.items()
        if (raw := _bytes(answer))
    }
    first = next(iter(answers))
    for broken in (cut, {**answers, first: cut[first]}):
        found = outcome(url, Services(broken))
        if isinstance(found, FetchError):
            assert found.kind in ("bad_reply", "not_found", "content_empty", "unsupported")
        else:
            assert found.text.partition("\n\n")[2].strip()


@pytest.mark.parametrize("case", GOOD)
def test_one_service_in_trouble_leaves_a_page_or_a_failure(case: str) -> None:
    url, answers = GOOD[case]
    for start in answers:
        for trouble in (500, FetchError("No.", kind="network"), b"{}"):
            found = outcome(url, Services({**answers, start: trouble}))
            if isinstance(found, FetchError):
                # A file may well be that, and a repository without a README is an ordinary page.
                empty = case in READMES and (trouble == b"{}" or case != "github readme")
                assert (
                    found.kind == "content_empty"
                    if empty
                    else found.kind in ("upstream_unavailable", "network", "bad_reply", "not_found")
                )
            else:
                assert found.text.partition("\n\n")[2].strip() or case in READMES


@pytest.mark.parametrize("case", GOOD)
def test_a_call_that_is_forbidden_is_no_failure_of_the_site(case: str) -> None:
    with pytest.raises(CallForbidden):
        read(GOOD[case][0], Services(otherwise=CallForbidden("A replay asked.")))


def _bytes(answer: Answer) -> bytes:
    assert isinstance(answer, str | bytes)
    return body(answer) if isinstance(answer, str) else answer


# ---------------------------------------------------------------- fuzzed

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.just("4100"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "title", "text", "kids", "hits"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@st.composite
def spoiled(draw: st.DrawFn, good: object) -> object:
    """JSON with one of its values, anywhere, replaced by another or left out."""
    if isinstance(good, dict) and good and draw(st.booleans()) | (len(good) < 3):
        name = draw(st.sampled_from(sorted(good)))
        rest = {key: value for key, value in good.items() if key != name}
        return rest if draw(st.integers(0, 5)) == 0 else rest | {name: draw(spoiled(good[name]))}
    if isinstance(good, list) and good and draw(st.booleans()):
        at = draw(st.integers(0, len(good) - 1))
        return [*good[:at], draw(spoiled(good[at])), *good[at + 1 :]]
    return draw(JSON)


@st.composite
def answers(draw: st.DrawFn) -> tuple[str, dict[str, Answer]]:
    """An address and its services' good answers, one of them spoiled: a value of its JSON, or bytes
    anywhere.
    """
    url, good = GOOD[draw(st.sampled_from(PROMISED))]
    start = draw(st.sampled_from(sorted(good)))
    raw = _bytes(good[start])
    if raw[:1] in (b"{", b"[") and draw(st.booleans()):
        return url, {**good, start: json.dumps(draw(spoiled(json.loads(raw)))).encode()}
    at, length = draw(st.integers(0, len(raw))), draw(st.integers(0, 40))
    put = draw(
        st.binary(max_size=10)
        | st.sampled_from(
            [
                b"<",
                b">",
                b'"',
                b"{",
                b"}",
                b"\x00",
                b"&#0;",
                b"</p>",
                b"<p>",
                b"\xff\xfe",
                b"<div>" * 300,
            ]
        )
    )
    return url, {**good, start: raw[:at] + put + raw[at + length :]}


@given(answers())
def test_whatever_a_service_answers_is_a_page_with_text_or_a_failure(
    case: tuple[str, dict[str, Answer]],
) -> None:
    url, answered = case
    page = outcome(url, Services(answered))
    if isinstance(page, FetchError):
        assert page.kind in ERROR_KINDS
        assert page.message
    else:
        assert page.title
        assert page.text.partition("\n")[2].strip()
        assert page.published == "" or len(page.published) in (4, 7, 10)
        assert canonical_url(page.final_url)
        page.text.encode()  # no lone surrogate
        assert not set(page.text) & set("\x00\u200b\u202e\U000e0041")


@given(
    st.sampled_from(PROMISED),
    st.binary(max_size=300) | JSON.map(lambda value: json.dumps(value).encode()),
)
def test_any_bytes_at_all_are_no_page(case: str, raw: bytes) -> None:
    with pytest.raises(FetchError):
        read(GOOD[case][0], Services(otherwise=raw))
