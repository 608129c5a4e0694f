"""Tell what the report makes of its sources: which it never quotes, and which a rewrite read anew."""

from __future__ import annotations

from parts.shared import watch
from research_core.errors import UsageError
from research_core.models import Report
from research_core.pipeline import report
from research_core.sessions.snapshot import Snapshot


def build_report(snapshot: Snapshot) -> Report:
    """Return the session's report. Call it through `watch.derive`."""
    return report.build(snapshot.run)


def list_unquoted(snapshot: Snapshot) -> frozenset[str]:
    """Return the URLs of the kept sources that no sentence cites; none without a report."""
    if snapshot.run.report is None or snapshot.run.report["decision"] == "insufficient_data":
        return frozenset()
    built = watch.derive(snapshot, build_report)
    cited: set[str] = set()
    for block in built.blocks:
        for sentence in block.sentences:
            cited.update(sentence.citations)
    unquoted = set()
    for source in built.sources:
        if source.number and cited.isdisjoint(passage.id for passage in source.passages):
            unquoted.add(source.url)
    return frozenset(unquoted)


def find_new_reads(snapshot: Snapshot) -> frozenset[str]:
    """Return the URLs of pages that this rewrite read and the version before it did not.

    None for a session of its own, for a follow-up, and where the version before is deleted.
    """
    row = snapshot.info.row
    if not row.parent or row.settings.get("after") == row.parent:
        return frozenset()
    return watch.derive(snapshot, _compare_with_parent)


def _compare_with_parent(snapshot: Snapshot) -> frozenset[str]:
    try:
        parent = watch.read_parent(snapshot)
    except UsageError:
        return frozenset()
    known = {source.url for source in parent.sources if source.page}
    return frozenset(source.url for source in snapshot.sources if source.page) - known


def list_new_titles(snapshot: Snapshot) -> list[str]:
    """Return the titles of the pages of `find_new_reads`, in the order of the sources."""
    new = find_new_reads(snapshot)
    return [source.title for source in snapshot.sources if source.url in new]
