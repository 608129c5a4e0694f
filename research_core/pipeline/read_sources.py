"""What a run has read, and what was judged of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from research_core.decisions.gate import TITLES_VERSION, passes_cutoff
from research_core.journal.rule_versions import runs_under
from research_core.model_messages import Json
from research_core.models import Judgement, Page, Summary
from research_core.modes import ResearchMode
from research_core.pipeline import batch_judge
from research_core.trust import independence


class ReadSources:
    """The pages of a run that were read, by the URL that a search listed.

    begun: those whose judging has begun; judgements: as `relevance.score_source` returns them;
    rules: the versions that the run began under.
    """

    def __init__(self, rules: Mapping[str, int | str]) -> None:
        self.summaries: dict[str, Summary] = {}
        self.begun: set[str] = set()
        self.judgements: dict[str, Mapping[str, Any]] = {}
        self._identities: dict[str, independence.SourceIdentity] = {}
        self._by_title = runs_under(rules, "scoring", TITLES_VERSION)

    def add(self, url: str, page: Page, facts: Json, summary: Summary) -> None:
        """Record that a page was read. facts: what its event says of it."""
        self.summaries[url] = summary
        self._identities[url] = independence.identify_page(page, facts)

    def may_begin_judging(self, url: str) -> bool:
        """Return True if the page was read and its judging has not begun."""
        return url in self.summaries and url not in self.begun

    def list_unscored(self, among: Collection[str]) -> list[Summary]:
        """Return those of the given sources that are worth a second attempt at a score."""
        return [self.summaries[url] for url in batch_judge.find_unscored(self.judgements, among)]

    def list_without_score(self, among: Collection[str]) -> list[Summary]:
        """Return those of the given sources that were judged and got no score, by address."""
        return [
            self.summaries[url]
            for url, judgement in sorted(self.judgements.items())
            if url in among and not judgement["scored"]
        ]

    def select_kept(self, among: Collection[str], mode: ResearchMode) -> list[str]:
        """Return those of the given sources that were judged and that the cutoff keeps."""
        return [
            url
            for url in sorted(among)
            if url in self.judgements
            and passes_cutoff(Judgement.from_json(self.judgements[url]), mode)
        ]

    def list_dropped(self, among: Collection[str], mode: ResearchMode) -> list[Summary]:
        """Return those of the given sources that were judged and that the cutoff drops."""
        judged = among & self.judgements.keys()
        kept = self.select_kept(judged, mode)
        return [self.summaries[url] for url in sorted(judged - set(kept))]

    def list_promising(self, among: Collection[str], mode: ResearchMode) -> list[str]:
        """Return those of the given sources that were read and that no judgement drops so far."""
        unjudged = self.summaries.keys() - self.judgements.keys()
        return sorted({*self.select_kept(among, mode), *(unjudged & set(among))})

    def has_relevant(self, among: Collection[str], mode: ResearchMode) -> bool:
        """Return True if one of the given sources got a score that the cutoff keeps."""
        return any(self.judgements[url]["scored"] for url in self.select_kept(among, mode))

    def count_survivors(self, among: Collection[str], mode: ResearchMode) -> int:
        """Count those of the given sources that the gate would keep, each text once."""
        identities = {url: self._identities[url] for url in self.select_kept(among, mode)}
        copies = independence.map_shared_texts(identities, by_title=self._by_title)
        return len(identities) - len(copies)
