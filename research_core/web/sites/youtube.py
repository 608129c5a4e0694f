"""Read a YouTube video: its captions, else its description.

In order: the captions the watch page names; those the player API names to a client that needs no
token; the caption service without a signature; the description. Since 2025 the web client's
captions mostly need a token that only YouTube's own player can make; such a track is not requested.
YouTube's robots.txt closes that API to crawlers. Reading a video that a person's question led to is
not crawling; to exclude the site, leave it out of ASSAY_SITES.

youtube-transcript-api was considered and rejected: it needs a `requests` session instead of our
doorway, and the same answers would be read again for title, channel, date and description.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from research_core.errors import FetchError
from research_core.models import HttpReply, Metadata, Page
from research_core.text.dates import parse_iso_date
from research_core.text.words import truncate
from research_core.web.charsets import decode
from research_core.web.sites import captions
from research_core.web.sites.captions import Track, Transcript
from research_core.web.sites.layout import format_heading, join_document, one_line, split_paragraphs
from research_core.web.sites.service import (
    Attempts,
    ask_service,
    get_objects,
    get_text,
    get_value,
    make_not_found_error,
    make_unexpected_answer_error,
    parse_object_reply,
)

if TYPE_CHECKING:
    from research_core.journal.deps import Deps, Http

SERVICE_NAME = "YouTube"
WATCH_URL = "https://www.youtube.com/watch"
PLAYER_URL = "https://www.youtube.com/youtubei/v1/player"
TIMEDTEXT_URL = "https://www.youtube.com/api/timedtext"
#: Rejects all cookies at the consent question that some countries get.
WATCH_HEADERS = {"accept-language": "en", "cookie": "SOCS=CAI"}
#: The client that gets captions without a token, as the player API describes it.
CLIENT_CONTEXT = {
    "clientName": "ANDROID_VR", "clientVersion": "1.65.10", "deviceMake": "Oculus",
    "deviceModel": "Quest 3", "androidSdkVersion": 32,
    "osName": "Android", "osVersion": "12L", "hl": "en",
}  # fmt: skip
CLIENT_NUMBER = "28"

#: Places in a page examined for the player's answer.
MAX_PLACES = 8
_PLAYER_RESPONSE = re.compile(r"""\bytInitialPlayerResponse["']?\]?\s*=\s*(?=\{)""")
_VISITOR = re.compile(r'"visitorData"\s*:\s*"([\w%=+/.-]{1,500})"', re.ASCII)
_HOST = re.compile(r"(?:www\.)?youtube\.com")


@dataclass(frozen=True)
class WatchPage:
    """A watch page: the player's answer within it, and the visitor id."""

    player: Mapping[str, Any] = field(default_factory=dict)
    visitor: str = ""


def read_video(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read the video with this id as a page. Raises FetchError, whose kind says why."""
    video, tries, http = found["id"], Attempts(), deps.http
    watch = tries.run("youtube:watch", lambda: _fetch_watch_page(http, video)) or WatchPage()
    said = None
    if watch.player:
        said = tries.run("youtube:captions", lambda: _fetch_captions(http, watch.player))
    player: Mapping[str, Any] = {}
    if said is None:
        player = (
            tries.run("youtube:android_vr", lambda: _fetch_player(http, video, watch.visitor)) or {}
        )
        if player:
            said = tries.run("youtube:android_vr captions", lambda: _fetch_captions(http, player))
    if said is None and not _has_no_captions(watch.player, player):
        said = tries.run("youtube:timedtext", lambda: _fetch_timedtext(http, video))
    facts = watch.player if _get_video_details(watch.player) else player
    if said is None and not one_line(get_text(_get_video_details(facts), "shortDescription")):
        raise tries.attach_to(_make_video_error(tries, watch.player, player))
    return _build_page(url, video, facts, said, tries)


# ---------------------------------------------------------------- what is asked


def _fetch_watch_page(http: Http, video: str) -> WatchPage:
    return parse_watch_page(
        ask_service(
            http,
            SERVICE_NAME,
            WATCH_URL,
            params={"v": video, "hl": "en"},
            headers=WATCH_HEADERS,
            page=True,
        ),
        video,
    )


def parse_watch_page(reply: HttpReply, video: str) -> WatchPage:
    """Parse a watch page.

    Raises FetchError: blocked if it asks for consent or a captcha, bad_reply without a player's
    answer.
    """
    source = decode(reply.body, reply.headers.get("content-type", ""))
    for mark in islice(_PLAYER_RESPONSE.finditer(source), MAX_PLACES):
        try:
            player, _ = json.JSONDecoder().raw_decode(source, mark.end())
        except (ValueError, RecursionError):
            continue
        if isinstance(player, dict) and player:
            visitor = _VISITOR.search(source)
            return WatchPage(_check_player(video, player), visitor[1] if visitor else "")
    if "consent.youtube.com" in source or 'class="g-recaptcha"' in source:
        raise FetchError(
            "YouTube asks for consent or a captcha before it shows the video.", kind="blocked"
        )
    raise make_unexpected_answer_error(SERVICE_NAME, "the watch page holds no answer of the player")


def _fetch_player(http: Http, video: str, visitor: str) -> Mapping[str, Any]:
    client = CLIENT_CONTEXT | ({"visitorData": visitor} if visitor else {})
    headers = {
        "x-youtube-client-name": CLIENT_NUMBER,
        "x-youtube-client-version": CLIENT_CONTEXT["clientVersion"],
    }
    headers |= {"x-goog-visitor-id": visitor} if visitor else {}
    body = {
        "context": {"client": client},
        "videoId": video,
        "contentCheckOk": True,
        "racyCheckOk": True,
    }
    reply = ask_service(
        http,
        SERVICE_NAME,
        PLAYER_URL,
        method="POST",
        params={"prettyPrint": "false"},
        headers=headers,
        json=body,
    )
    player = _check_player(video, parse_object_reply(reply, SERVICE_NAME))
    if not isinstance(player.get("playabilityStatus"), dict):
        raise make_unexpected_answer_error(
            SERVICE_NAME, "the player does not say whether the video can be played"
        )
    return player


def _check_player(video: str, player: dict[str, Any]) -> dict[str, Any]:
    """Check that a player's answer is for this video; some clients get another one's."""
    if get_text(player, "videoDetails", "videoId") not in ("", video):
        raise make_unexpected_answer_error(SERVICE_NAME, "the player answers with another video")
    return player


def _fetch_captions(http: Http, player: Mapping[str, Any]) -> Transcript:
    """Return the transcript of the best track in a player's answer. Raises FetchError."""
    reason = _find_refusal(player)
    if reason:
        raise reason
    track = captions.choose_track(
        get_objects(player, "captions", "playerCaptionsTracklistRenderer", "captionTracks")
    )
    if track is None:
        raise FetchError("The video has no captions.", kind="content_empty")
    address = urlsplit(get_text(track, "baseUrl"))
    if address.scheme not in ("", "https") or (
        address.netloc and not _HOST.fullmatch(address.netloc)
    ):
        raise make_unexpected_answer_error(
            SERVICE_NAME, "the captions are said to stand on another site"
        )
    params = {name: values[-1] for name, values in parse_qs(address.query).items()}
    if params.get("exp", "").startswith("xp"):  # xpe, xpv: without a token the answer is empty
        raise FetchError(
            "These captions need a token that only YouTube's own player has.", kind="blocked"
        )
    return _parse_transcript(
        track,
        ask_service(
            http,
            SERVICE_NAME,
            f"https://www.youtube.com{address.path}",
            params=params | {"fmt": "json3"},
        ),
    )


def _fetch_timedtext(http: Http, video: str) -> Transcript:
    """Return the captions in the first available language. Raises FetchError: content_empty."""
    for language in captions.LANGUAGES:
        try:
            reply = ask_service(
                http,
                SERVICE_NAME,
                TIMEDTEXT_URL,
                params={"v": video, "lang": language, "fmt": "json3"},
            )
            return _parse_transcript({"languageCode": language}, reply)
        except FetchError as error:
            if error.kind != "content_empty":
                raise
    raise FetchError("The video has no freely available English captions.", kind="content_empty")


def _parse_transcript(track: Track, reply: HttpReply) -> Transcript:
    try:
        found = captions.build_transcript(track, reply.body)
    except ValueError as error:
        raise make_unexpected_answer_error(SERVICE_NAME, f"captions that are {error}") from error
    if not found.lines:
        raise FetchError("The captions are empty.", kind="content_empty")
    return found


# ---------------------------------------------------------------- what was answered

#: The first row whose status and words match names the failure of a video that cannot be played.
_REFUSALS = (
    ("LOGIN_REQUIRED", re.compile(r"\bbot\b", re.IGNORECASE), "blocked"),
    ("LOGIN_REQUIRED", re.compile(""), "auth_required"),
    ("ERROR", re.compile(""), "not_found"),
    ("", re.compile(r"private", re.IGNORECASE), "auth_required"),
    ("", re.compile(r"removed|deleted|terminated|no longer available", re.IGNORECASE), "not_found"),
    ("", re.compile(""), "blocked"),
)


def _find_refusal(player: Mapping[str, Any]) -> FetchError | None:
    status = get_text(player, "playabilityStatus", "status")
    if status in ("", "OK", "LIVE_STREAM_OFFLINE"):
        return None
    reason = truncate(one_line(get_text(player, "playabilityStatus", "reason")), 200) or status
    kind = next(
        kind for wanted, words, kind in _REFUSALS if wanted in ("", status) and words.search(reason)
    )
    return FetchError(f"YouTube does not show the video: {reason}", kind=kind)


def _has_no_captions(*players: Mapping[str, Any]) -> bool:
    """Return whether one of these answers is for a playable video without captions."""
    tracks = ("captions", "playerCaptionsTracklistRenderer", "captionTracks")
    return any(
        get_text(each, "playabilityStatus", "status") == "OK" and not get_objects(each, *tracks)
        for each in players
    )


def _make_video_error(tries: Attempts, *players: Mapping[str, Any]) -> FetchError:
    refusals = [reason for reason in map(_find_refusal, players) if reason]
    if refusals:
        return refusals[-1]
    if any(map(_get_video_details, players)):
        return FetchError(
            "The video has neither captions that can be read nor a description.",
            kind="content_empty",
        )
    return tries.error or make_not_found_error("YouTube does not know this video.")


def _get_video_details(player: Mapping[str, Any]) -> Mapping[str, Any]:
    found = get_value(player, "videoDetails")
    return found if isinstance(found, dict) else {}


def _build_page(
    url: str, video: str, player: Mapping[str, Any], said: Transcript | None, tries: Attempts
) -> Page:
    details = _get_video_details(player)
    more = get_value(player, "microformat", "playerMicroformatRenderer")
    title = truncate(one_line(get_text(details, "title")), 300) or f"YouTube video {video}"
    channel = one_line(get_text(details, "author") or get_text(more, "ownerChannelName"))
    if said:
        source = "automatic captions" if said.automatic else "captions"
        made = ", ".join(filter(None, (source, said.language)))
        blocks = [format_heading(2, f"Transcript ({made})"), *said.lines]
        language = said.language
        cut = said.cut
    else:
        description = split_paragraphs(get_text(details, "shortDescription"))
        blocks = [format_heading(2, "Description"), description]
        language = ""
        cut = "The description was read, not what is said in the video."
    published = parse_iso_date(get_text(more, "publishDate"))
    if not published:
        published = parse_iso_date(get_text(more, "uploadDate"))
    about = Metadata(
        authors=(channel,) if channel else (),
        site=SERVICE_NAME,
        language=language,
        canonical=f"{WATCH_URL}?v={video}",
        cut=cut,
    )
    return Page(
        url,
        about.canonical,
        title,
        join_document(title, *blocks),
        "youtube",
        published,
        about,
        attempts=tuple(tries.made),
    )
