"""What is said of a host's reliability, by our table and by an owner's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SettingsError
from research_core.settings import Settings
from research_core.trust import reputation


def table(file: Path | str = "") -> reputation.ReputationTable:
    return reputation.load_reputation(
        Settings(home=Path("unused"), database_url="", reputation_path=str(file))
    )


def put(tmp_path: Path, **told: Any) -> Path:
    file = tmp_path / "own.json"
    file.write_text(
        json.dumps(
            {
                "version": 3,
                "basis": "Ours.",
                "domains": {"bad.example": {"tier": "low", "note": "Made up."}},
            }
            | told
        )
    )
    return file


def test_our_table_is_small_says_its_basis_and_calls_nobody_low() -> None:
    ours = table()
    assert 40 <= len(ours.domains) <= 120
    assert {tier for tier, _ in ours.domains.values()} == {"high", "mixed"}
    assert all(note for _, note in ours.domains.values())
    assert ours.version
    assert "no verdict" in ours.basis


@pytest.mark.parametrize(
    ("host", "tier"),
    [
        ("nature.com", "high"),
        ("www.nature.com", "high"),
        ("en.wikipedia.org", "mixed"),
        ("notnature.com", None),
        ("nature.com.evil.example", None),
        ("com", None),
        ("", None),
        ("127.0.0.1", None),
    ],
)
def test_a_host_stands_for_its_subdomains_by_whole_labels(host: str, tier: str | None) -> None:
    assert table().describe_host(host).get("tier") == tier


def test_of_two_hosts_that_fit_the_longer_one_counts(tmp_path: Path) -> None:
    own = table(
        put(
            tmp_path,
            domains={
                "a.example": {"tier": "high"},
                "blogs.a.example": {"tier": "mixed", "note": "Anyone."},
            },
        )
    )
    assert own.describe_host("x.blogs.a.example") == {
        "tier": "mixed",
        "note": "Anyone.",
        "basis": "Ours.",
    }
    assert own.describe_host("www.a.example") == {"tier": "high", "basis": "Ours."}


def test_an_owner_s_file_replaces_ours_whole_and_may_say_low(tmp_path: Path) -> None:
    own = table(put(tmp_path))
    assert own.describe_host("www.bad.example")["tier"] == "low"
    assert own.describe_host("nature.com") == {}


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"domains": []}, "no object"),
        ({"domains": {"bad.example": "low"}}, "the tier of 'bad.example'"),
        ({"domains": {"bad.example": {"tier": "awful"}}}, "is none of high, mixed, low"),
        ({"domains": {"bad.example": {"tier": "low", "note": 1}}}, "the note of 'bad.example'"),
        ({"domains": {"https://bad.example": {"tier": "low"}}}, "'https://bad.example' is no host"),
        ({"domains": {"Bad.example": {"tier": "low"}}}, "no host in lower case"),
        ({"domains": {"bad.example/x": {"tier": "low"}}}, "without scheme and path"),
        ({"domains": {"": {"tier": "low"}}}, "is no host"),
        ({"basis": ""}, '"basis"'),
        ({"version": None}, '"version"'),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_is_wrong(
    tmp_path: Path, told: dict[str, Any], why: str
) -> None:
    file = put(tmp_path, **told)
    with pytest.raises(SettingsError) as caught:
        table(file)
    assert f"REPUTATION_PATH: {file} " in caught.value.message
    assert why in caught.value.message


@pytest.mark.parametrize("body", [None, b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_no_file_and_a_file_of_anything_else_are_named_too(
    tmp_path: Path, body: bytes | None
) -> None:
    file = tmp_path / "own.json"
    if body is not None:
        file.write_bytes(body)
    with pytest.raises(SettingsError, match=r"REPUTATION_PATH: .*own\.json"):
        table(file)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


HOSTS = st.dictionaries(
    st.text("ab.-:/@%é", max_size=8),
    JSON | st.fixed_dictionaries({"tier": st.sampled_from(reputation.TIERS)}),
)


@given(
    st.fixed_dictionaries(
        {"version": JSON | st.just(1), "basis": JSON | st.just("Ours."), "domains": JSON | HOSTS}
    )
    | JSON
)
def test_no_file_breaks_the_reader(told: Any) -> None:
    try:
        found = reputation.parse_reputation(told)
    except ValueError:
        return
    assert found.basis
    assert all(found.describe_host(host)["tier"] in reputation.TIERS for host in found.domains)
