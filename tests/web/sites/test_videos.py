"""Videos: which captions are taken, the ways they are asked for, and what a video without any still
says.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import FetchError
from research_core.models import Attempt, Page
from research_core.web.sites import captions
from research_core.web.sites.youtube import parse_watch_page
from tests.site_replies import YOUTUBE, Services, body, outcome, read, reply

URL = "https://www.youtube.com/watch?v=tide_gauge1"
WATCH, PLAYER, TEXT = (
    f"{YOUTUBE}/watch",
    f"{YOUTUBE}/youtubei/v1/player",
    f"{YOUTUBE}/api/timedtext",
)


def watched(**changes: Any) -> bytes:
    """A watch page whose player answers with these fields changed; None leaves one out."""
    player = parse_watch_page(reply("youtube/watch.html"), "tide_gauge1").player
    said = {name: value for name, value in {**player, **changes}.items() if value is not None}
    return b"<script>var ytInitialPlayerResponse = " + json.dumps(said).encode() + b";</script>"


NO_CAPTIONS = watched(captions=None)
BARE = watched(
    captions=None,
    videoDetails={"videoId": "tide_gauge1", "title": "Gauge", "shortDescription": " "},
)


def test_a_video_is_its_captions_with_title_channel_and_day() -> None:
    services = Services({WATCH: "youtube/watch.html", TEXT: "youtube/captions.json"})
    page = read(URL, services)
    assert page.title == 'Reading a tide gauge; "properly" {at last}'
    assert (page.kind, page.published, page.final_url) == ("youtube", "2024-03-05", URL)
    assert (page.metadata.authors, page.metadata.site, page.metadata.language) == (
        ("Harbour Office",),
        "YouTube",
        "en-GB",
    )
    assert page.metadata.cut == ""
    assert page.text.split("\n\n")[1:] == [
        "## Transcript (captions, en-GB)",
        "[0:01] The gauge stands on the north pier, and it is read twice a day.",
        "[1:01] At spring tide it shows 4.2 metres.",
        "[1:04] >> Is that high?",
        "[62:05] >> Higher than last year.",
    ]
    assert services.asked == [
        f"GET {WATCH}?v=tide_gauge1&hl=en",
        f"GET {TEXT}?v=tide_gauge1&expire=1795000000&signature=AA.DD&key=yt8&lang=en-GB&fmt=json3",
    ]


def test_captions_that_need_a_token_are_asked_for_as_a_client_that_needs_none() -> None:
    services = Services(
        {
            WATCH: "youtube/watch-token.html",
            PLAYER: "youtube/player.json",
            TEXT: "youtube/captions.xml",
        }
    )
    page = read(URL, services)
    assert "[0:01] The gauge stands on the north pier, and it's read twice a day." in page.text
    assert page.published == "2024-03-05"  # which only the watch page says
    assert page.attempts == (
        Attempt(
            "youtube:captions", "These captions need a token that only YouTube's own player has"
        ),
        Attempt("youtube"),
    )
    assert [each.split("?")[0] for each in services.asked] == [
        f"GET {WATCH}",
        f"POST {PLAYER}",
        f"GET {TEXT}",
    ]
    headers, asked = services.sent[1]
    assert asked["videoId"] == "tide_gauge1"
    assert asked["context"]["client"]["clientName"] == "ANDROID_VR"
    assert (
        asked["context"]["client"]["visitorData"]
        == headers["x-goog-visitor-id"]
        == "CgtWaXNpdG9yXzEyMw%3D%3D"
    )
    assert "fmt=json3" in services.asked[2]
    assert "srv3" not in services.asked[2]


def test_captions_that_come_empty_are_asked_for_elsewhere() -> None:
    answers = {
        f"{TEXT}?v=tide_gauge1&expire=1795000000&signature=AA.DD": b"",
        TEXT: "youtube/captions.json",
    }
    page = read(
        URL, Services({WATCH: "youtube/watch.html", PLAYER: "youtube/player.json", **answers})
    )
    assert [attempt.tier for attempt in page.attempts] == ["youtube:captions", "youtube"]
    assert "[1:01] At spring tide" in page.text


def test_last_of_all_captions_are_asked_for_without_a_signature() -> None:
    answers = {
        f"{TEXT}?v=tide_gauge1&lang=en-US": "youtube/captions.json",
        f"{TEXT}?v=tide_gauge1&lang=en&": b"<transcript></transcript>",
    }
    services = Services({WATCH: "youtube/watch-token.html", PLAYER: 400, **answers})
    page = read(URL, services)
    assert [attempt.tier for attempt in page.attempts] == [
        "youtube:captions",
        "youtube:android_vr",
        "youtube",
    ]
    assert page.metadata.language == "en-US"
    assert [each.rpartition("lang=")[2] for each in services.asked[2:]] == [
        "en&fmt=json3",
        "en-US&fmt=json3",
    ]


def test_a_video_without_captions_is_its_description_and_says_so() -> None:
    services = Services({WATCH: NO_CAPTIONS, PLAYER: 404})
    page = read(URL, services)
    assert page.text.split("\n\n")[1:] == [
        "## Description",
        "How the harbour office reads its gauge.",
        "Notes: https://harbour.example.org/notes",
    ]
    assert page.metadata.cut == "The description was read, not what is said in the video."
    assert page.attempts[0] == Attempt("youtube:captions", "The video has no captions")
    assert not [each for each in services.asked if TEXT in each]  # the video was said to have none


def test_a_video_in_a_country_that_asks_for_consent_is_read_through_the_player() -> None:
    consent = b'<form action="https://consent.youtube.com/s"><input name="v" value="cb"></form>'
    services = Services(
        {WATCH: consent, PLAYER: "youtube/player.json", TEXT: "youtube/captions.json"}
    )
    page = read(URL, services)
    assert (page.title, page.metadata.authors) == ("Reading a tide gauge", ("Harbour Office",))
    assert page.attempts[0].tier == "youtube:watch"
    assert services.sent[0][0]["cookie"] == "SOCS=CAI"  # no to all, said beforehand


@pytest.mark.parametrize(
    ("watch", "player", "kind"),
    [
        ("youtube/gone.json", "youtube/gone.json", "not_found"),
        ("youtube/private.json", "youtube/private.json", "auth_required"),
        ("youtube/bot.json", "youtube/bot.json", "blocked"),
        (503, "youtube/gone.json", "not_found"),
        ("youtube/gone.json", 503, "not_found"),
        (429, 503, "rate_limited"),
    ],
)
def test_a_video_that_is_not_shown_says_why(watch: str | int, player: str | int, kind: str) -> None:
    shown = (
        b"<script>var ytInitialPlayerResponse = " + body(watch) + b";"
        if isinstance(watch, str)
        else watch
    )
    with pytest.raises(FetchError) as failure:
        read(URL, Services({WATCH: shown, PLAYER: player}))
    assert failure.value.kind == kind
    assert failure.value.tried[0]["tier"].startswith("youtube:")


@pytest.mark.parametrize(
    ("status", "reason", "kind"),
    [
        ("UNPLAYABLE", "Video unavailable. This video is private.", "auth_required"),
        ("UNPLAYABLE", "This video has been removed by the uploader", "not_found"),
        ("UNPLAYABLE", "The uploader has not made this video available in your country", "blocked"),
        ("AGE_CHECK_REQUIRED", "", "blocked"),
        ("LOGIN_REQUIRED", "This video may be inappropriate for some users.", "auth_required"),
    ],
)
def test_why_a_video_is_not_shown_has_a_kind(status: str, reason: str, kind: str) -> None:
    refused = {
        "playabilityStatus": {"status": status, "reason": reason},
        "captions": None,
        "videoDetails": None,
    }
    with pytest.raises(FetchError) as failure:
        read(URL, Services({WATCH: watched(**refused)}))
    assert failure.value.kind == kind


def test_a_video_that_may_not_be_played_still_has_its_description() -> None:
    page = read(
        URL,
        Services(
            {
                WATCH: watched(
                    playabilityStatus={"status": "LOGIN_REQUIRED", "reason": "Age"}, captions=None
                )
            }
        ),
    )
    assert "How the harbour office reads its gauge." in page.text


def test_a_video_that_says_nothing_at_all_is_no_page() -> None:
    with pytest.raises(FetchError) as failure:
        read(URL, Services({WATCH: BARE}))
    assert failure.value.kind == "content_empty"


def test_another_video_is_never_taken_for_the_one_asked_for() -> None:
    other = json.dumps(
        {
            "playabilityStatus": {"status": "OK"},
            "videoDetails": {"videoId": "aQvGIIdgFDM", "title": "Update the app"},
        }
    )
    found = outcome(URL, Services({WATCH: NO_CAPTIONS, PLAYER: other.encode()}))
    assert isinstance(found, Page)
    assert "Update the app" not in found.text
    assert (
        found.attempts[1].outcome
        == "YouTube gave an answer that cannot be read: the player answers with another video"
    )


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/api/timedtext?v=1",
        "//evil.example/t",
        "http://www.youtube.com/t",
        "https://youtube.com.evil.example/t",
        "ftp:/t",
    ],
)
def test_captions_are_asked_only_of_youtube(address: str) -> None:
    track = {
        "playerCaptionsTracklistRenderer": {
            "captionTracks": [{"baseUrl": address, "languageCode": "en"}]
        }
    }
    services = Services({WATCH: watched(captions=track)})
    assert isinstance(outcome(URL, services), Page)  # the description
    assert all(each.split(" ")[1].startswith(f"{YOUTUBE}/") for each in services.asked)


# ---------------------------------------------------------------- captions


def track(language: str, *, automatic: bool = False) -> dict[str, str]:
    return {"baseUrl": "/t", "languageCode": language} | ({"kind": "asr"} if automatic else {})


@pytest.mark.parametrize(
    ("tracks", "chosen"),
    [
        ([track("en", automatic=True), track("en-GB"), track("en-US"), track("en")], 3),
        ([track("en", automatic=True), track("en-GB"), track("en-US")], 2),
        ([track("en", automatic=True), track("en-GB")], 1),
        ([track("de"), track("en", automatic=True)], 1),
        ([track("de"), track("en-CA"), track("en", automatic=True)], 1),
        ([track("zh"), track("de"), track("fr")], 0),
        ([track("zh", automatic=True), track("de")], 1),
        ([track("zh", automatic=True)], 0),
        ([{"languageCode": "en"}, track("de")], 1),
    ],
)
def test_the_track_that_is_taken(tracks: list[dict[str, str]], chosen: int) -> None:
    assert captions.choose_track(tracks) is tracks[chosen]


def test_no_track_is_no_choice() -> None:
    assert captions.choose_track([]) is None
    assert captions.choose_track([{"languageCode": "en"}]) is None


def lines(*said: tuple[float, str]) -> tuple[str, ...]:
    events = [{"tStartMs": second * 1000, "segs": [{"utf8": words}]} for second, words in said]
    return captions.build_transcript({}, json.dumps({"events": events}).encode()).lines


def test_cues_are_put_together_into_sentences() -> None:
    assert lines(
        (0, "The gauge"),
        (2, "on the pier is read by hand, and"),
        (4, "that takes an hour each time."),
        (9, "Nobody minds."),
    ) == (
        "[0:00] The gauge on the pier is read by hand, and that takes an hour each time.",
        "[0:09] Nobody minds.",
    )


def test_captions_without_sentences_are_cut_at_their_cues() -> None:
    found = lines(*((second, f"word{second} and some more of them") for second in range(40)))
    assert max(map(len, found)) < captions.MAX_PARAGRAPH + 60
    assert [line.split("]")[0] for line in found][:3] == [
        "[0:00",
        "[0:09",
        "[0:18",
    ]  # nine cues of 28 characters reach 240
    assert sum(line.count("word") for line in found) == 40


def test_short_captions_stay_together() -> None:
    assert lines((0, "Yes."), (1, "No."), (2, "Perhaps.")) == ("[0:00] Yes. No. Perhaps.",)


def test_no_more_than_100_kb_of_captions_are_read_and_the_rest_is_owned_up_to() -> None:
    events = [{"tStartMs": n * 60_000, "segs": [{"utf8": "ä" * 200 + "."}]} for n in range(600)]
    found = captions.build_transcript({}, json.dumps({"events": events}).encode())
    assert 99_000 < len("\n\n".join(found.lines).encode()) <= captions.MAX_BYTES
    assert found.cut == f"The captions were read up to {len(found.lines)}:00."


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (
            b'<transcript><text start="61.5" dur="1">A &amp;amp; B</text><text start="63">&lt;i&gt;C&lt;/i&gt;</text></transcript>',
            ("[1:01] A & B C",),
        ),
        (
            b'<timedtext format="3"><body><p t="61500" d="1"><s>A</s><s t="3"> B</s></p></body></timedtext>',
            ("[1:01] A B",),
        ),
        (b'{"events": [{"tStartMs": "nan", "segs": [{"utf8": "A"}]}]}', ("[0:00] A",)),
        (
            b'{"events": [{"segs": null}, {"tStartMs": -5, "segs": [{"utf8": "A"}, {"utf8": 7}]}]}',
            ("[0:00] A",),
        ),
        (b'{"events": []}', ()),
    ],
)
def test_captions_in_every_format_youtube_gives(raw: bytes, said: tuple[str, ...]) -> None:
    assert captions.build_transcript({}, raw).lines == said


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"WEBVTT",
        b"{}",
        b"[]",
        b'{"events": 7}',
        b"<html></html>",
        b"<transcript>",
        b"{" * 100_000,
    ],
)
def test_captions_in_no_known_format_are_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"JSON|XML"):
        captions.build_transcript({}, raw)


@given(st.lists(st.tuples(st.floats(0, 1e6), st.text(max_size=80)), max_size=30))
def test_no_word_of_the_captions_is_lost_and_time_never_runs_back(
    said: list[tuple[float, str]],
) -> None:
    said.sort(key=lambda cue: cue[0])
    found = lines(*said)
    stamps = [tuple(map(int, line[1:].partition("]")[0].split(":"))) for line in found]
    assert stamps == sorted(stamps)
    words = [word for _, text in said for word in captions.one_line(text).split()]
    assert [word for line in found for word in line.partition("] ")[2].split()] == words
