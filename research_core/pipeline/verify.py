"""Check every sentence of a report against its cited passages, by words, numbers and quotations.

No model is needed. A check that fails gives "could not check", never a judgement on the sentence.
`find_flags` lists the sentences that a reader must check before relying on the report.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from research_core.citations.assertions import is_assertion, names_fact
from research_core.i18n import N_, _, gettext, join_clauses, list_translations, ngettext
from research_core.journal.rule_versions import RULE_VERSIONS, WORDING_VERSION, runs_under
from research_core.models import Block, Passage, Sentence
from research_core.pipeline import draft
from research_core.text.languages import guess_language
from research_core.text.support import check_support, lacks_facts

ABOUT_THE_EVIDENCE = "Confidence Assessment"
#: Notes on a sentence, to be translated.
UNCITED_NOTE = N_("States a figure, a date or a name without a citation.")
LOST_NOTE = N_("Its citation was removed, because it named no passage that was read.")
UNSOURCED_NOTE = N_("States a fact without a citation.")


def verify(
    blocks: Sequence[Block],
    passages: Mapping[str, Passage],
    rules: Mapping[str, int | str] = RULE_VERSIONS,
    uncited: Collection[str] = (),
) -> tuple[Block, ...]:
    """Return the blocks with a state on every sentence; headings are left as they are.

    rules: the versions that the session began under. uncited: texts of the sentences whose only
    citation named no passage and was removed.

    Sentences under ABOUT_THE_EVIDENCE count the sources and cite none, so their figures are not
    marked as uncited; nor are cells whose row is cited in another cell.
    """
    checked = []
    language = guess_language(" ".join(_iterate_texts(blocks)))
    compare_wording = runs_under(rules, "scoring", WORDING_VERSION)
    for section, block in iterate_sections(blocks):
        if block.kind == "heading":
            checked.append(block)
            continue
        sentences = tuple(
            check_sentence(sentence, passages, language, claim, compare_wording=compare_wording)
            for sentence, claim in zip(block.sentences, draft.state_claims(block), strict=True)
        )
        if section == ABOUT_THE_EVIDENCE or draft.cites_by_row(block):
            sentences = tuple(
                sentence if sentence.citations else replace(sentence, note="")
                for sentence in sentences
            )
        sentences = tuple(_note_lost(sentence, uncited) for sentence in sentences)
        checked.append(replace(block, sentences=sentences))
    return tuple(checked)


def _note_lost(sentence: Sentence, uncited: Collection[str]) -> Sentence:
    if sentence.citations or sentence.text not in uncited:
        return sentence
    return replace(sentence, note=gettext(LOST_NOTE))


def has_lost_citation(sentence: Sentence) -> bool:
    """Return True if the only citation of a sentence was removed, as it named no passage."""
    return not sentence.citations and sentence.note in list_translations(LOST_NOTE)


def iterate_sections(blocks: Sequence[Block]) -> Iterator[tuple[str, Block]]:
    """Yield (section, block), where section is the level 1 or 2 heading the block is under, or "".

    A heading is in its own section.
    """
    section = ""
    for block in blocks:
        if block.kind == "heading" and block.level <= 2 and block.sentences:
            section = block.sentences[0].text
        yield section, block


def _iterate_texts(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        for sentence in block.sentences:
            yield sentence.text


def check_sentence(
    sentence: Sentence,
    passages: Mapping[str, Passage],
    language: str = "",
    claim: str = "",
    *,
    compare_wording: bool = True,
) -> Sentence:
    """Return the sentence with its state and a note on what is missing.

    passages: by id. language: of the report. claim: what is compared with the passages, by default
    the text of the sentence. compare_wording: as in `check_support`.
    """
    if not sentence.citations:
        return replace(sentence, state="uncited", note=_note_uncited(sentence.text, language))
    missing = [name for name in sentence.citations if name not in passages]
    if missing:
        return replace(
            sentence,
            state="could not check",
            note=_("The cited passage {id} is not stored.").format(id=missing[0]),
        )
    cited = [passages[name].text for name in sentence.citations]
    state, note = check_support(claim or sentence.text, cited, compare_wording=compare_wording)
    return replace(sentence, state=state, note=note)


def _note_uncited(text: str, language: str) -> str:
    if not is_assertion(text, language):
        return ""
    return gettext(UNCITED_NOTE if names_fact(text, language) else UNSOURCED_NOTE)


# -- sentences to check --------------------------------------------------------


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
                len(self.lacking),
                ngettext(
                    "{count} sentence with a figure, unit, date or quotation that is not in the"
                    " source",
                    "{count} sentences with a figure, unit, date or quotation that is not in the"
                    " source",
                    len(self.lacking),
                ),
            ),
            _format_count(
                len(self.doubtful),
                ngettext(
                    "{count} sentence that the source does not support, or only in part",
                    "{count} sentences that the source does not support, or only in part",
                    len(self.doubtful),
                ),
            ),
            _format_count(
                len(self.unchecked),
                ngettext(
                    "{count} sentence that could not be checked",
                    "{count} sentences that could not be checked",
                    len(self.unchecked),
                ),
            ),
        )
        remarks = join_clauses([count for count in counts if count])
        return _("Check before you rely on this report: {remarks}.").format(remarks=remarks)


def find_flags(blocks: Iterable[Block], passages: Mapping[str, str]) -> ReviewFlags:
    """Find the sentences to check by their states. passages: texts of cited passages by id."""
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


def _format_count(count: int, words: str) -> str:
    return words.format(count=count) if count else ""
