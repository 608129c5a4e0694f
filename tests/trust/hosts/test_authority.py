"""What is known of a host, in what order it counts, and what that makes of a score; the specified
score knows nothing of it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from babel.messages.extract import extract_from_file
from hypothesis import given
from hypothesis import strategies as st

from docs.messages import KEYWORDS
from research_core.errors import UsageError
from research_core.i18n import gettext, use_language
from research_core.pipeline.assessment import AssessmentPart, describe_part
from research_core.policy import (
    AUTHORITY_PARTS,
    DEFAULT_TIERS,
    CredibilityPolicy,
    Override,
    RunSettings,
)
from research_core.trust.credibility import (
    SPECIFIED_POLICY,
    assess,
    compute_terms,
    explain_score,
    find_deciding_part,
    score_source,
)
from research_core.trust.hosts import authority, institutions, kinds
from research_core.trust.hosts.authority import (
    find_host_facts,
    find_reason_text,
    translate_reason,
)
from research_core.trust.hosts.kinds import HOST_KINDS
from research_core.trust.hosts.outlets import find_outlet, load_outlets

ALL = CredibilityPolicy()


def test_the_table_of_outlets_is_sorted_and_holds_hosts_and_known_kinds() -> None:
    rows = load_outlets()
    assert list(rows) == sorted(rows)
    assert len(rows) > 5000
    assert {kind for kind, _ in rows.values()} <= set(HOST_KINDS)
    assert all(
        host == host.lower() and "." in host and "/" not in host and not host.startswith("www.")
        for host in rows
    )
    assert all(
        country == "INT" or (len(country) == 2 and country.isupper())
        for _, country in rows.values()
    )


@pytest.mark.parametrize("kind", HOST_KINDS.values(), ids=HOST_KINDS)
def test_every_kind_of_outlet_has_a_value_a_name_and_a_reason(kind: tuple[float, str, str]) -> None:
    value, label, why = kind
    assert 0.0 <= value <= 1.0
    assert all(text and text == text.strip() for text in (label, why))


def test_a_row_stands_for_what_is_under_it_and_for_nothing_that_only_ends_like_it() -> None:
    assert (found := find_outlet("amp.dailymail.co.uk")) is not None
    assert (found.host, found.kind.label) == ("dailymail.co.uk", "tabloid")
    assert find_outlet("notdailymail.co.uk") is None
    assert find_outlet("co.uk") is None
    assert find_outlet("") is None


@pytest.mark.parametrize(
    ("host", "ratings", "basis", "value"),
    [
        ("www.dailymail.co.uk", {}, "outlet", 0.3),
        ("www.dailymail.co.uk", {"lin": 0.4}, "ratings", 0.4),
        ("www.dailymail.co.uk", {"lin": 0.4, "other": 0.5}, "ratings", 0.45),
        ("nobody-knows-this.example", {}, "unknown", 0.4),
        ("nobody-knows-this.example.org", {}, "unknown", 0.7),
        ("nobody-knows-this.example", {"lin": 0.9}, "ratings", 0.9),
        ("techcrunch.com", {"lin": 0.1}, "tier", 0.8),
        ("medium.com", {}, "tier", 0.8),
        ("x.com", {}, "tier", 0.3),
        ("www.cdc.gov", {"lin": 0.1}, "tier", 0.9),
        ("web.mit.edu", {}, "tier", 0.9),
    ],
)
def test_only_open_tiers_are_refined(
    host: str, ratings: dict[str, float], basis: str, value: float
) -> None:
    parts = assess(f"https://{host}/a", "", "anything at all", ALL, ratings=ratings)
    assert (parts.basis, parts.domain) == (basis, value)
    assert bool(parts.kind) == bool(parts.why) == (basis in AUTHORITY_PARTS)


@pytest.mark.parametrize(
    "host", ["web.mit.edu", "techcrunch.com", "x.com", "nobody.example", "dailymail.co.uk"]
)
def test_the_analysts_word_counts_in_every_tier(host: str) -> None:
    policy = replace(
        ALL, overrides=(Override("example", 0.1, "too wide"), Override(host, 0.77, "I know them."))
    )
    parts = assess(f"https://sub.{host}/", "", "anything", policy)
    assert (parts.basis, parts.domain, parts.why) == ("override", 0.77, "I know them.")


def test_the_narrowest_word_counts() -> None:
    policy = replace(
        ALL,
        overrides=(
            Override("news.example", 0.2, "wide"),
            Override("good.news.example", 0.9, "narrow"),
        ),
    )
    assert find_deciding_part("a.good.news.example", policy)[1].value == 0.9  # type: ignore[union-attr]
    assert find_deciding_part("bad.news.example", policy)[1].value == 0.2  # type: ignore[union-attr]
    assert find_deciding_part("oldnews.example", policy)[1] is None


SHARE = st.floats(0, 1)


@given(
    st.sampled_from(
        [
            "web.mit.edu",
            "techcrunch.com",
            "x.com",
            "nobody.example",
            "dailymail.co.uk",
            "münchen.example",
        ]
    ),
    st.text(max_size=40),
    st.builds(
        CredibilityPolicy,
        minimum=SHARE,
        domain_weight=SHARE,
        relevance_weight=SHARE,
        recency_bonus=SHARE,
    ),
)
def test_a_word_of_0_keeps_every_page_of_the_host_out_under_any_policy(
    host: str, snippet: str, policy: CredibilityPolicy
) -> None:
    word = Override("xn--mnchen-3ya.example" if host.startswith("m") else host, 0.0, "They invent.")
    never, asked = (
        replace(policy, overrides=(word,)),
        ("bread prices", f"{snippet} bread prices in 2025, 2 days ago"),
    )
    for address in (f"https://{host}/a", f"https://sub.{host}/"):
        parts = assess(address, asked[1], asked[0], never, ratings={"lin": 1.0})
        assert (parts.score, parts.kind, parts.why) == (0.0, "your word: never", "They invent.")
        assert (parts.relevance, parts.recency) == (1.0, policy.recency_bonus), (
            "what it is made of can still be seen"
        )
        assert never.blocks(parts.score)
        assert replace(never, minimum=0.0).blocks(parts.score)
        assert "your word: never, 100% keyword match" in explain_score(parts, never)
        terms = compute_terms(parts, policy.domain_weight, policy.relevance_weight)
        assert (terms.capped, sum(terms.widths)) == ("set to 0 by your word", 0.0)
        off = replace(never, parts=tuple(part for part in AUTHORITY_PARTS if part != "override"))
        assert assess(address, *reversed(asked), off).kind != "your word: never"
        assert (
            score_source(address, *reversed(asked))
            == assess(address, *reversed(asked), SPECIFIED_POLICY).score
        )


def test_a_word_above_0_says_for_how_much_of_a_score_it_counts() -> None:
    policy = replace(ALL, overrides=(Override("a.example", 0.2, "why"),))
    parts = assess("https://a.example/", "bread prices 2025", "bread prices", policy)
    assert parts.score == 0.68
    assert (
        ": your word, 0.20 for authority (40% of the score), 100% keyword match"
        in explain_score(parts, policy)
    )
    assert not compute_terms(parts, 0.4, 0.5).capped


@pytest.mark.parametrize("part", ["ratings", "outlet"])
def test_a_part_that_is_switched_off_does_not_count(part: str) -> None:
    policy = replace(ALL, parts=tuple(each for each in AUTHORITY_PARTS if each != part))
    found = assess("https://dailymail.co.uk/", "", "q", policy, ratings={"lin": 0.4})
    assert found.basis == ("outlet" if part == "ratings" else "ratings")
    assert (
        assess(
            "https://dailymail.co.uk/", "", "q", replace(ALL, parts=()), ratings={"lin": 0.4}
        ).basis
        == ""
    )


def test_a_part_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="'rumour'"):
        CredibilityPolicy(parts=("rumour",))


HOSTS = st.sampled_from(
    [
        *list(load_outlets())[::400],
        "example.com",
        "web.mit.edu",
        "x.com",
        "who.int",
        "some.example.org",
    ]
)


@given(HOSTS, st.text(max_size=60), st.text(max_size=60))
def test_the_specified_score_knows_tiers_alone(host: str, snippet: str, question: str) -> None:
    parts = assess(f"https://{host}/", snippet, question, SPECIFIED_POLICY)
    assert score_source(f"https://{host}/", snippet, question) == parts.score
    assert parts.domain in {tier.value for tier in DEFAULT_TIERS}
    assert (parts.basis, parts.kind, parts.why) == ("", "", "")


@given(
    HOSTS,
    st.dictionaries(st.sampled_from("abc"), st.floats(0, 1)),
    st.sets(st.sampled_from(AUTHORITY_PARTS)),
)
def test_a_score_stays_a_score_whatever_is_known(
    host: str, ratings: dict[str, float], parts: set[str]
) -> None:
    policy = replace(ALL, parts=tuple(part for part in AUTHORITY_PARTS if part in parts))
    found = assess(f"https://{host}/", "words", "words", policy, ratings=ratings)
    assert 0.0 <= found.domain <= 1.0
    assert 0.0 <= found.score <= 1.0
    assert all(
        0.0 <= one.value <= 1.0 and one.label and one.why
        for one in find_host_facts(host, (), ratings)
    )


def test_what_a_reader_is_told_names_what_is_known_or_that_nothing_is() -> None:
    tabloid = assess("https://dailymail.co.uk/", "bread", "bread prices", ALL)
    assert "tabloid, 50% keyword match" in explain_score(tabloid, ALL)
    assert "unknown site (general web), " in explain_score(
        assess("https://a.example/", "bread", "bread prices", ALL), ALL
    )
    assert "general web, " in explain_score(
        assess("https://a.example/", "bread", "bread prices", SPECIFIED_POLICY), SPECIFIED_POLICY
    )


def test_a_policy_goes_to_json_and_back_and_an_older_one_goes_by_tiers_alone() -> None:
    policy = CredibilityPolicy(
        parts=("override", "outlet"), overrides=(Override("a.example", 0.2, "why"),)
    )
    run = RunSettings(credibility=policy, ratings=("lin:abc",))
    assert RunSettings.from_json(json.loads(json.dumps(run.to_json()))) == run
    stored = json.loads(json.dumps(run.to_json()))
    del stored["credibility"]["parts"], stored["credibility"]["overrides"]
    assert RunSettings.from_json(stored).credibility.parts == ()
    assert RunSettings.from_json({}).credibility == CredibilityPolicy()
    assert asdict(policy)["overrides"][0] == {"host": "a.example", "value": 0.2, "reason": "why"}


def test_a_row_on_an_outlet_says_more_than_the_suffix_it_stands_under() -> None:
    assert [one.part for one in find_host_facts("www.vtv.gob.ve")] == ["outlet", "institution"]
    assert [one.part for one in find_host_facts("www.gob.mx")] == ["institution"]


# ---------------------------------------------------------------- in the reader's language


@pytest.mark.parametrize(
    ("host", "text", "values"),
    [
        ("bbc.co.uk", "{host} ({country}): {why}", {"host": "bbc.co.uk", "country": "GB"}),
        ("3gpp.org", "{host}: {why}", {"host": "3gpp.org"}),
        ("www.mit.edu", "under .{ending}, which is for nobody else", {"ending": "edu"}),
        ("kommun.gouv.qc.ca", "under .{ending}, which is its own", {"ending": "gouv.qc.ca"}),
        ("gouv.qc.ca", "its own domain", {}),
        ("gob.mx", ".{ending} is for nobody else", {"ending": "gob.mx"}),
        ("liceum.edu.pl", "under .{ending}, which is meant for it; nobody checks",
         {"ending": "edu.pl"}),
        ("town.broadway.va.us", "under .{ending}, by the names that only such bodies get",
         {"ending": "va.us"}),
        ("hochschule-kempten.de",
         "“{label}” is how a university names itself; anybody can register a name",
         {"label": "hochschule-kempten"}),
        ("cityofmadison.com",
         "“{label}” is how a local government names itself; anybody can register a name",
         {"label": "cityofmadison"}),
        ("ijsrjournal.com",
         "“{label}” looks like the name of a publisher that prints what is paid for; not proved",
         {"label": "ijsrjournal"}),
    ],
)  # fmt: skip
def test_the_reason_for_a_host_s_value_is_a_text(
    host: str, text: str, values: dict[str, str]
) -> None:
    fact = next(find_host_facts(host))
    known = find_reason_text(fact.why)
    assert known is not None
    kind = known[1].pop("why", "")
    assert known == (text, values)
    assert fact.why == text.format(**values, why=kind)
    assert {fact.label, known[0], *filter(None, [kind])} <= MARKED


MARKED = {
    message
    for module in (authority, institutions, kinds)
    for _line, message, _comments, _context in extract_from_file(
        "python", module.__file__, KEYWORDS
    )
}


def test_every_host_of_the_tables_has_a_label_and_a_reason_that_can_be_translated() -> None:
    hosts = [*load_outlets(), *institutions.load_institutions()]
    facts = [fact for host in hosts[::7] for fact in find_host_facts(host, (), {"a": 0.5})]
    assert len(facts) > 2000
    assert {fact.label for fact in facts} <= MARKED
    unknown = {
        fact.why for fact in facts if fact.part != "ratings" and not find_reason_text(fact.why)
    }
    assert unknown == set()


@pytest.mark.parametrize("why", ["They invent.", "a.example: nobody knows", "", "lin 0.80, b 0.20"])
def test_other_reasons_stay_as_they_are(why: str) -> None:
    assert find_reason_text(why) is None
    with use_language("de"):
        assert translate_reason(why) == why


def test_the_reason_of_an_analyst_is_not_translated() -> None:
    own = AssessmentPart("override", "your word", 0.2, "refused")
    table = AssessmentPart("outlet", "government", 0.85, "example.org (DE): refused")
    with use_language("de"):
        assert describe_part(own)[1] == "refused" != gettext("refused")
        assert describe_part(table)[0] == gettext("government") != "government"
