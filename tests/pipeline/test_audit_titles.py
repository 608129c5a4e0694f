"""Works of a report without an address: found by their titles, or left unread with the reason."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from research_core.citations.checks.cited_source import has_searchable_title
from research_core.citations.source_labels import strip_entry_marks
from research_core.journal.events import STOP_AUDIT
from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.pipeline import report
from research_core.sessions import audits, session_control, snapshot
from research_core.sessions.audits import AuditRequest
from research_core.sessions.replay import replay_session
from research_core.wiring import LOCAL_USER, open_log
from tests.audits import AuditWeb, Killed, attempt, audit, open_resources, page, refused
from tests.journal.test_rule_versions import store_rules
from tests.timing import LONG_S, wait_until

ADDRESS = "https://doi.org/10.1002/aqc.2790"
TITLE = "Harbour seals avoid tidal turbines during operation"
REPORT = f"""# Seals

Seals kept 200 metres away from the turning blades [1]. They sang at night [2]. They swam [3].

## References

1. Sparling, C. (2018). {TITLE}. Aquatic Conservation.
2. Nobody, N. (2031). The imaginary songs of invented harbour seals at midnight. Nothing.
3. Interview.
4. file:///etc/passwd harbour seals avoid turbines
"""
WORK = {
    "DOI": "10.1002/aqc.2790",
    "title": [TITLE],
    "author": [{"given": "C", "family": "Sparling"}],
    "issued": {"date-parts": [[2018]]},
    "container-title": ["Aquatic Conservation"],
    "URL": ADDRESS,
    "type": "journal-article",
}
PAGES: dict[str, Any] = {
    "https://api.crossref.org/works": json.dumps(
        {"status": "ok", "message": {"total-results": 1, "items": [WORK]}}
    ),
    "https://api.crossref.org/works/10.1002/aqc.2790": json.dumps(
        {"status": "ok", "message": WORK}
    ),
    "https://api.openalex.org/works": '{"meta": {"count": 0}, "results": []}',
    "https://api.datacite.org/dois": '{"data": [], "meta": {"total": 0}}',
    ADDRESS: page(
        TITLE,
        "Observers on the shore found that seals kept 200 metres away from the turning blades.",
        "The review covers visits by boat and by air in all seasons of the licence.",
    ),
}
NO_WORK = '{"status": "ok", "message": {"total-results": 0, "items": []}}'


def test_a_work_is_read_where_a_registry_has_its_title(tmp_path: Path) -> None:
    web = AuditWeb(PAGES)
    resources = open_resources(tmp_path, web)
    session, result = audit(resources, REPORT)
    assert [claim.verdict for claim in result.cited] == [
        "supported",
        "could not check",
        "could not check",
    ]
    assert [(source.key, source.state, source.marks) for source in result.sources] == [
        (ADDRESS, "live", ("1",)),
        ("[2]", "not read", ("2",)),
        ("[3]", "not read", ("3",)),
        ("[4]", "not read", ("4",)),
    ]
    found, invented, short, _ = result.sources
    assert found.reason == "Found by its title."
    assert "no registry has a work of this title" in invented.reason
    assert short.reason == "The report gives no address of it."
    assert not [call for call in web.calls if "passwd" in call]
    again = replay_session(resources, LOCAL_USER, session)
    assert again.same
    assert not again.differences


@pytest.mark.parametrize(
    ("pages", "state", "reason"),
    [
        ({ADDRESS: (404, "<html><body>Gone.</body></html>")}, "not read", ""),
        ({ADDRESS: refused("The page cannot be read.", kind="auth_required")}, "paywalled", ""),
        (
            {name: refused("No answer.", kind="network") for name in PAGES if "api." in name},
            "not read",
            "no registry could be asked",
        ),
        ({"https://api.crossref.org/works": NO_WORK}, "not read", "no registry has a work"),
    ],
)
def test_no_work_without_an_address_is_called_dead_or_invented(
    tmp_path: Path, pages: dict[str, Any], state: str, reason: str
) -> None:
    _, result = audit(open_resources(tmp_path, AuditWeb({**PAGES, **pages})), REPORT)
    assert result.sources[0].state == state
    assert reason in result.sources[0].reason
    assert not result.card.dead + result.card.never_existed


def test_without_the_web_no_title_is_searched(tmp_path: Path) -> None:
    resources = open_resources(tmp_path, AuditWeb(PAGES))
    request = AuditRequest("r.md", library="my", library_only=True)
    _, result = audit(resources, REPORT, request)
    assert {source.state for source in result.sources} == {"not read"}
    assert resources.web.calls == []


def test_a_check_begun_under_older_rules_searches_no_title(tmp_path: Path) -> None:
    first = open_resources(tmp_path, AuditWeb(PAGES, kill_at=1))
    session = audits.new_audit(first, REPORT, AuditRequest("report.md"))
    with pytest.raises(Killed):
        attempt(first, session)
    store_rules(first, session, {**RULE_VERSIONS, "scoring": 5})
    first.db.close()
    second = open_resources(tmp_path, AuditWeb(PAGES))
    assert attempt(second, session) == "done"
    result = audits.read_audit(second, session)
    assert result is not None
    assert {source.reason for source in result.sources} == {"The report gives no address of it."}
    assert second.web.calls == []


def test_a_kill_at_any_request_finds_the_same_and_asks_nothing_twice(tmp_path: Path) -> None:
    undisturbed = open_resources(tmp_path / "whole", AuditWeb(PAGES))
    _, expected = audit(undisturbed, REPORT)
    for number in range(1, len(undisturbed.web.calls) + 1):
        home = tmp_path / str(number)
        first = open_resources(home, AuditWeb(PAGES, kill_at=number))
        session = audits.new_audit(first, REPORT, AuditRequest("report.md"))
        with pytest.raises(Killed):
            attempt(first, session)
        first.db.close()
        second = open_resources(home, AuditWeb(PAGES))
        assert attempt(second, session) == "done"
        result = audits.read_audit(second, session)
        assert result is not None
        assert replace(result, session="", created=0.0, name="") == replace(
            expected, session="", created=0.0, name=""
        )
        asked = [*first.web.calls[: number - 1], *second.web.calls]
        assert ADDRESS in " ".join(asked)
        assert len(asked) == len(set(asked)), number


def stop_at_search(web: AuditWeb, resources: Any, session: str) -> None:
    """Stop the run when the first title is searched; the answer comes once it has stopped."""
    lock = threading.Lock()
    done: list[str] = []

    def stop(url: str) -> None:
        with lock:
            if not url.endswith("crossref.org/works") or done:
                return
            done.append(url)
        session_control.send_command(resources, session, "stop")
        log = open_log(resources, LOCAL_USER, session, readonly=True)
        wait_until(lambda: any(e.data["do"] == STOP_AUDIT for e in log.read(kinds=("decide",))))

    web.on_call = stop


@pytest.mark.parametrize(
    "listed",
    [
        REPORT,
        # The report has the address of the same work too.
        REPORT.replace("3. Interview.", f"3. {TITLE}. {ADDRESS}"),
    ],
)
def test_a_title_found_just_when_the_run_is_stopped_replays_to_the_same(
    tmp_path: Path, listed: str
) -> None:
    web = AuditWeb(PAGES)
    resources = open_resources(tmp_path, web)
    session = audits.new_audit(resources, listed, AuditRequest("report.md"))
    stop_at_search(web, resources, session)
    assert attempt(resources, session) == "done"
    result = audits.read_audit(resources, session)
    assert result is not None
    assert (result.sources[0].key, result.sources[0].state) == ("[1]", "not read")
    assert "stopped" in result.sources[0].reason
    calls = len(web.calls)
    for _ in range(3):
        again = replay_session(resources, LOCAL_USER, session)
        assert again.same
        assert not again.differences
    assert len(web.calls) == calls


OTHER_TITLE = "Porpoises return to quiet harbours in warm winters"
OTHER_ADDRESS = "https://doi.org/10.1002/aqc.3111"
OTHER_WORK = {**WORK, "DOI": "10.1002/aqc.3111", "title": [OTHER_TITLE], "URL": OTHER_ADDRESS}
BOTH = {
    **PAGES,
    "https://api.crossref.org/works": json.dumps(
        {"status": "ok", "message": {"total-results": 2, "items": [WORK, OTHER_WORK]}}
    ),
    "https://api.crossref.org/works/10.1002/aqc.3111": json.dumps(
        {"status": "ok", "message": OTHER_WORK}
    ),
    OTHER_ADDRESS: page(
        OTHER_TITLE,
        "Porpoises returned to quiet harbours in the warm winters of the last decade.",
        "The counts were made by boat.",
    ),
}


class SlowFirst(AuditWeb):
    """A web on which the first title that is searched is answered after the second."""

    def send(self, method: str, url: str, **options: Any) -> Any:
        reply = super().send(method, url, **options)
        if url.endswith("crossref.org/works"):
            asked = dict(options.get("params") or {}).get("query.bibliographic", "")
            if TITLE in asked and "1999" not in asked:
                assert self.second.wait(LONG_S)
            else:
                self.second.set()
        return reply

    @cached_property
    def second(self) -> threading.Event:
        return threading.Event()


@pytest.mark.parametrize(
    ("entry", "keys", "kept"),
    [
        # The same work once more, in another form: the first is read.
        (f"2. Sparling, C. (1999). {TITLE}. Preprint.", [ADDRESS, "[2]"], [ADDRESS]),
        (
            f"2. {OTHER_TITLE}. Marine Life, 2018.",
            [ADDRESS, OTHER_ADDRESS],
            [ADDRESS, OTHER_ADDRESS],
        ),
    ],
)
def test_the_order_in_which_titles_are_found_changes_nothing(
    tmp_path: Path, entry: str, keys: list[str], kept: list[str]
) -> None:
    text = REPORT.split("\n2. ")[0].replace("[3]", "[2]") + f"\n{entry}\n"
    web = SlowFirst(BOTH)
    web.second  # noqa: B018 - made before two threads need it
    resources = open_resources(tmp_path, web)
    session, result = audit(resources, text)
    assert [source.key for source in result.sources] == keys
    if kept == [ADDRESS]:
        assert result.sources[1].reason == "The report lists the same work with its address."
    built = report.build(snapshot.read_session(resources, session).run)
    assert [source.url for source in built.sources if source.number] == kept
    for _ in range(3):
        again = replay_session(resources, LOCAL_USER, session)
        assert again.same
        assert not again.differences


@pytest.mark.parametrize(
    ("entry", "searchable"),
    [
        (f"1. Sparling, C. (2018). {TITLE}. Aquatic Conservation.", True),
        ("[1] Müller, K. (2020). Die Rückkehr der Kegelrobben an die Nordsee. Natur 3, 4.", True),
        ("1. Interview.", False),
        ("1. https://a.example.org/x", False),
        ("1. file:///etc/passwd of harbour seals", False),
    ],
)
def test_a_title_that_registries_are_asked_for(entry: str, searchable: bool) -> None:
    assert has_searchable_title({"url": "", "entry": entry, "marks": ("1",)}) is searchable


@pytest.mark.parametrize(
    ("entry", "marks", "text"),
    [
        ("1. A work", ("1",), "A work"),
        ("[1] [4] A work", ("1", "4"), "A work"),
        ("[^note]: A work", ("note",), "A work"),
        ("【2】 著作", ("2",), "著作"),
        ("10 Downing Street papers", ("1",), "10 Downing Street papers"),
        ("- A work", (), "A work"),
    ],
)
def test_an_entry_without_its_marks(entry: str, marks: tuple[str, ...], text: str) -> None:
    assert strip_entry_marks(entry, marks) == text
