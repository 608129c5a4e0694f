"""Read the captions of a video: choose a track, and format its lines as "[M:SS] text".

Cues are joined into lines of whole sentences, as far as the captions have any, at most 100 KB;
nothing is reworded. It sends no requests.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from research_core.model_messages import Json
from research_core.web.documents.sandbox import SHARED_SANDBOX, Sandbox
from research_core.web.parser_memory import raise_if_out_of_memory
from research_core.web.sites.layout import one_line
from research_core.web.sites.service import (
    get_objects,
    get_text,
    get_texts,
    get_value,
    parse_in_sandbox,
)

#: Languages in order of preference; other English ones come next, then the first there is. Human
#: captions come before automatic ones.
LANGUAGES = ("en", "en-US", "en-GB")
MAX_BYTES = 100_000
#: Characters from which a line ends with its sentence, and from which it ends with its cue.
MIN_PARAGRAPH, MAX_PARAGRAPH = 60, 240

Track = Mapping[str, Any]
Cue = tuple[float, str]

_SENTENCE_END = re.compile(r"[.!?…。！？؟][\"'”’»)\]]*$")
_TAG = re.compile(r"<[^<>]*>")
_SPEAKER = re.compile(r"(?:>>|-\s|–\s|—\s)")


@dataclass(frozen=True)
class Transcript:
    """The captions of a video.

    lines: "[M:SS] text"; automatic: made by a machine; cut: a sentence, if it is longer than is
    read.
    """

    lines: tuple[str, ...]
    language: str
    automatic: bool
    cut: str = ""


def choose_track(tracks: Sequence[Track]) -> Track | None:
    """Return the best track, or None.

    A track has "baseUrl", "languageCode", and "kind": "asr" if a machine made it.
    """
    usable = [track for track in tracks if get_text(track, "baseUrl")]
    return min(usable, key=_rank_track, default=None)  # the first of equals


def _rank_track(track: Track) -> tuple[bool, bool, int]:
    language = get_text(track, "languageCode")
    english = language.partition("-")[0].lower() == "en"
    place = LANGUAGES.index(language) if language in LANGUAGES else len(LANGUAGES)
    return not english, track.get("kind") == "asr", place


def build_transcript(track: Track, body: bytes) -> Transcript:
    """Return the transcript in a track's captions; it may have no lines. Raises as `parse_cues`."""
    found, size = list[str](), 0
    cut = ""
    for second, words in _join_cues(parse_cues(body)):
        stamp = f"{int(second) // 60}:{int(second) % 60:02d}"
        size += len(f"[{stamp}] {words}\n\n".encode("utf-8", "replace"))
        if size > MAX_BYTES:
            cut = f"The captions were read up to {stamp}."
            break
        found.append(f"[{stamp}] {words}")
    return Transcript(
        tuple(found),
        one_line(get_text(track, "languageCode"))[:35],
        track.get("kind") == "asr",
        cut,
    )


def parse_cues(body: bytes, sandbox: Sandbox = SHARED_SANDBOX) -> list[Cue]:
    """Return (second, text) of each cue of a json3 or XML (srv1, srv3) answer.

    Raises ValueError if it is neither; FetchError if it is long and the child that parses it fails.
    """
    said = parse_in_sandbox("captions", parse, body, sandbox=sandbox)
    if broken := get_text(said, "broken"):
        raise ValueError(broken)
    return [
        (_convert_to_seconds(second), one_line(words))
        for second, words in zip(
            get_value(said, "seconds") or (), get_texts(said, "words"), strict=False
        )
    ]


def parse(body: bytes) -> Json:
    """Return {"seconds", "words"} of the cues in order, or {"broken": the reason}."""
    start = body.lstrip()[:1]
    if start not in (b"{", b"<"):
        return {"broken": "neither JSON nor XML"}
    read_cues = _iterate_json_cues if start == b"{" else _iterate_xml_cues
    seconds = []
    words = []
    try:
        for second, text in read_cues(body):
            if text:
                seconds.append(second)
                words.append(text)
    except ValueError as error:
        return {"broken": str(error)}
    return {"seconds": seconds, "words": words}


def _iterate_json_cues(body: bytes) -> Iterator[Cue]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError("broken JSON") from error
    if not isinstance(get_value(value, "events"), list):
        raise ValueError("JSON without a list of events")
    for event in get_objects(value, "events"):
        said = "".join(get_text(piece, "utf8") for piece in get_objects(event, "segs"))
        yield _convert_to_seconds(event.get("tStartMs")) / 1000, one_line(said)


def _iterate_xml_cues(body: bytes) -> Iterator[Cue]:
    if b"<!ENTITY" in body:
        raise ValueError("XML with entities of its own")
    try:
        root = etree.fromstring(
            body, parser=etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        )
    except etree.XMLSyntaxError as error:
        raise_if_out_of_memory(error)
        raise ValueError("broken XML") from error
    if root.tag not in ("transcript", "timedtext"):
        raise ValueError("XML of another kind")
    for cue in root.iter("text", "p"):  # srv1 counts in seconds, srv3 in milliseconds
        second = (
            _convert_to_seconds(cue.get("start"))
            if cue.tag == "text"
            else _convert_to_seconds(cue.get("t")) / 1000
        )
        yield second, one_line(_TAG.sub("", html.unescape("".join(cue.itertext()))))


def _convert_to_seconds(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 0.0
    return number if 0 <= number < 1e9 else 0.0


def _join_cues(found: Sequence[Cue]) -> Iterator[Cue]:
    start, held, length = 0.0, list[str](), 0
    for second, words in found:
        done = length >= MAX_PARAGRAPH or (
            length >= MIN_PARAGRAPH and held and _SENTENCE_END.search(held[-1])
        )
        if held and (done or _SPEAKER.match(words)):
            yield start, " ".join(held)
            held, length = [], 0
        start = start if held else second
        held.append(words)
        length += len(words) + 1
    if held:
        yield start, " ".join(held)
