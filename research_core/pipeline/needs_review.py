"""List the sentences of a report that a reader must check before relying on it.

The states are those of `verify` and `verify_with_model`; nothing is judged again here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from research_core.models import Block, Sentence
from research_core.text.support import lacks_facts


@dataclass(frozen=True)
class ReviewFlags:
    """Sentences to check, each group in the order of the text; False if there are none.

    lacking: a date, figure or quotation is not in the source; doubtful: otherwise partly or not
    supported; unchecked: nothing could be compared.
    """

    lacking: tuple[Sentence, ...] = ()
    doubtful: tuple[Sentence, ...] = ()
    unchecked: tuple[Sentence, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lacking or self.doubtful or self.unchecked)

    @property
    def notice(self) -> str:
        """One sentence for the head of a report, "" if there is nothing to check."""
        if not self:
            return ""
        counts = (
            _format_count(
                self.lacking, "with a figure, unit, date or quotation that is not in the source"
            ),
            _format_count(self.doubtful, "that the source does not hold, or in part only"),
            _format_count(self.unchecked, "that could not be checked"),
        )
        said = "; ".join(count for count in counts if count)
        return f"To be checked before you rely on it: {said}."


def find_flags(blocks: Iterable[Block], passages: Mapping[str, str]) -> ReviewFlags:
    """Find the sentences to check. passages: the texts of the cited passages by id."""
    lacking = []
    doubtful = []
    unchecked = []
    for block in blocks:
        if block.kind == "heading":
            continue
        for sentence in block.sentences:
            if not sentence.citations:
                continue
            if sentence.state == "could not check":
                unchecked.append(sentence)
            elif sentence.state in ("partly", "not found"):
                texts = [passages.get(name, "") for name in sentence.citations]
                if lacks_facts(sentence.text, texts):
                    lacking.append(sentence)
                else:
                    doubtful.append(sentence)
    return ReviewFlags(tuple(lacking), tuple(doubtful), tuple(unchecked))


def _format_count(sentences: tuple[Sentence, ...], what: str) -> str:
    if not sentences:
        return ""
    noun = "sentence" if len(sentences) == 1 else "sentences"
    return f"{len(sentences)} {noun} {what}"
