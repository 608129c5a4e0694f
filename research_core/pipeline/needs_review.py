"""The sentences of a report that a reader has to look at before it goes anywhere: what of them is
not in their source.

Read from a report and the passages it cites; the states are those of the check (`verify`,
`verify_with_model`) and are not judged again here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from research_core.models import Block, Sentence
from research_core.text.support import lacks_facts


@dataclass(frozen=True)
class ReviewFlags:
    """lacking: a date, figure or quotation of theirs is not in their source; doubtful: others that
    are partly or not supported;

    unchecked: nothing could be compared. Each in the order of the text; with none of all three it
    is false.
    """

    lacking: tuple[Sentence, ...] = ()
    doubtful: tuple[Sentence, ...] = ()
    unchecked: tuple[Sentence, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lacking or self.doubtful or self.unchecked)

    @property
    def notice(self) -> str:
        """One sentence for the head of a report; "" where there is nothing to look at."""
        said = (
            _format_count(
                self.lacking, "with a figure, unit, date or quotation that is not in the source"
            ),
            _format_count(self.doubtful, "that the source does not hold, or in part only"),
            _format_count(self.unchecked, "that could not be checked"),
        )
        return (
            f"To be checked before you rely on it: {'; '.join(filter(None, said))}." if self else ""
        )


def find_flags(blocks: Iterable[Block], passages: Mapping[str, str]) -> ReviewFlags:
    """passages: their texts by id."""
    cited = [
        sentence
        for block in blocks
        if block.kind != "heading"
        for sentence in block.sentences
        if sentence.citations
    ]
    doubted = [sentence for sentence in cited if sentence.state in ("partly", "not found")]
    lacking = [
        sentence
        for sentence in doubted
        if lacks_facts(sentence.text, [passages.get(name, "") for name in sentence.citations])
    ]
    return ReviewFlags(
        lacking=tuple(lacking),
        doubtful=tuple(sentence for sentence in doubted if sentence not in lacking),
        unchecked=tuple(sentence for sentence in cited if sentence.state == "could not check"),
    )


def _format_count(those: tuple[Sentence, ...], what: str) -> str:
    return f"{len(those)} {'sentence' if len(those) == 1 else 'sentences'} {what}" if those else ""
