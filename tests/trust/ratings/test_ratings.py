"""Lists of expert ratings: what is read as one, what is kept, and what a run is told of a host and
records.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import UsageError
from research_core.journal.database import Database
from research_core.journal.tables import open_database
from research_core.policy import Override
from research_core.trust import ratings
from research_core.trust.ratings import importing, store
from research_core.trust.ratings.grids import MAX_ROWS
from research_core.trust.ratings.importing import ImportRequest
from research_core.trust.ratings.lists import _SIMPLE_HOST, explain_guesses, parse_list
from research_core.trust.ratings.presets import PRESETS, Preset
from research_core.trust.ratings.scales import WORD_RATINGS, parse_scale
from research_core.trust.ratings.store import RatingList
from research_core.urls import find_host
from research_core.userdata import overrides
from tests.logs import ANN, BEN, CLEO


@pytest.mark.parametrize(
    ("body", "rows", "scale"),
    [
        (
            "domain,pc1\nA.example,1\nb.example,0.25\n",
            {"a.example": 1.0, "b.example": 0.25},
            (0.0, 1.0),
        ),
        (
            "host\tscore\nwww.a.example\t50\nb.example\t100\n",
            {"a.example": 0.5, "b.example": 1.0},
            (0.0, 100.0),
        ),
        (
            "url,rating\nhttps://a.example/,3\nhttps://b.example,5\n",
            {"a.example": 0.6, "b.example": 1.0},
            (0.0, 5.0),
        ),
        (
            "domain,score\na.example,-1\nb.example,1\nc.example,0\n",
            {"a.example": 0.0, "b.example": 1.0, "c.example": 0.5},
            (-1.0, 1.0),
        ),
        (
            "domain,reporting\na.example,very-high\nb.example,Low\n",
            {"a.example": 1.0, "b.example": 0.15},
            None,
        ),
        (
            '[{"domain": "a.example", "score": 0.5}, {"domain": "a.example", "score": 0.7}]',
            {"a.example": 0.6},
            (0.0, 1.0),
        ),
        (
            '{"version": 5, "sources": [{"domain": "a.example", "reporting": "mixed"}]}',
            {"a.example": 0.35},
            None,
        ),
        ('{"a.example": 0.1, "b.example": 0.9}', {"a.example": 0.1, "b.example": 0.9}, (0.0, 1.0)),
        ("\ufeffdomain,rating\nmünchen.example,1\n", {"xn--mnchen-3ya.example": 1.0}, (0.0, 1.0)),
        (
            "Domain;Grade\na.example;0,25\nb.example;4,5\n",
            {"a.example": 0.05, "b.example": 0.9},
            (0.0, 5.0),
        ),
        (
            'domain,pct\na.example,3\n"b.example","4"\n',
            {"a.example": 0.03, "b.example": 0.04},
            (0.0, 100.0),
        ),
        (
            "domain,pct\na.example,0.3\nb.example,0.4\n",
            {"a.example": 0.3, "b.example": 0.4},
            (0.0, 1.0),
        ),
        (
            "domain\trating\na.example\t1 %\nb.example\t3%\n",
            {"a.example": 0.01, "b.example": 0.03},
            (0.0, 100.0),
        ),
        (
            "Website,Factual_Reporting\na.example,VERY HIGH\nb.example,mostly factual\n",
            {"a.example": 1.0, "b.example": 0.65},
            None,
        ),
        (
            "domain,rating\r\n\r\na.example,1\r\nwww.com,0\r\nb.example",
            {"a.example": 1.0, "www.com": 0.0},
            (0.0, 1.0),
        ),
    ],
)
def test_a_list_is_read_on_its_own_scale(
    body: str, rows: dict[str, float], scale: tuple[float, float] | None
) -> None:
    found = parse_list(body.encode())
    assert dict(found.rows) == rows
    assert (found.scale, found.left) == (scale, body.endswith("b.example"))


def test_columns_and_scale_can_be_named() -> None:
    body = b"where,how\na.example,7\nb.example,1\n"
    assert dict(parse_list(body, host_column="Where", value_column="how", scale=(1, 7)).rows) == {
        "a.example": 1.0,
        "b.example": 0.0,
    }
    assert parse_list(body, host_column="where", value_column="how", scale=(1, 5)).left == 1


def test_what_cannot_be_read_is_counted_and_told() -> None:
    found = parse_list(
        b"domain,rating\na.example,0.5\nb.example/news,0.5\n,0.1\nlocalhost,0.5\nc.example,good enough\nd.example,nan\n"
    )
    assert dict(found.rows) == {"a.example": 0.5}
    assert found.left == 5
    assert found.told[0] == "row 2: 'b.example/news' is a page, not a host"
    assert found.told[3] == "row 5: 'good enough' is no rating"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "no row"),
        (b"domain,rating\n", "no row"),
        (b"name,colour\na,b\n", "hold the host; it has name, colour"),
        (b"domain,colour\na.example,b\n", "hold the rating"),
        (b"domain,rating\nnot a host,1\n", "No row of this list can be read"),
        (b"\xff\xfe\x00", "no text"),
        (b"domain,rating\na.example,\x81\n", "no text"),
        (b"domain,rating\na\xe9.example,\x01\n", "no text"),
        (b"{", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"domain,rating\n\0,1\n", "no text"),
    ],
)
def test_what_is_no_list_is_refused_with_a_reason(body: bytes, says: str) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        parse_list(body)
    assert refused.value.next_step


@given(st.binary(max_size=300))
def test_any_bytes_are_a_list_or_refused(body: bytes) -> None:
    try:
        found = parse_list(body)
    except UsageError:
        return
    assert all(0.0 <= value <= 1.0 and "." in host for host, value in found.rows.items())


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_numbers_on_a_scale_that_is_named_keep_their_order(numbers: list[float]) -> None:
    body = "domain,rating\n" + "".join(
        f"h{n}.example,{value!r}\n" for n, value in enumerate(numbers)
    )
    rows = parse_list(body.encode(), scale=(-1e6, 1e6)).rows
    for n, one in enumerate(numbers):
        for m, other in enumerate(numbers):
            assert not one < other or rows[f"h{n}.example"] <= rows[f"h{m}.example"] + 1e-9


@given(st.lists(st.floats(-300, 300), min_size=1, max_size=20))
def test_numbers_without_a_scale_are_on_a_usual_one_or_refused(numbers: list[float]) -> None:
    body = "domain,rating\n" + "".join(
        f"h{n}.example,{value!r}\n" for n, value in enumerate(numbers)
    )
    low, high = min(numbers), max(numbers)
    if high > 100 or (low < 0 and not (low >= -1 and high <= 1)):
        with pytest.raises(UsageError, match="no usual scale") as refused:
            parse_list(body.encode())
        assert "--scale" in (refused.value.next_step or "")
    else:
        found = parse_list(body.encode())
        assert found.scale in {(0.0, 1.0), (0.0, 5.0), (0.0, 10.0), (0.0, 100.0), (-1.0, 1.0)}
        assert found.left == 0


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("1-5", (1, 5)),
        ("-3-3", (-3, 3)),
        ("-3 to -1", (-3, -1)),
        (" 0.5:2.5 ", (0.5, 2.5)),
        ("0–100", (0, 100)),
    ],
)
def test_a_scale_can_be_written_as_people_do(text: str, scale: tuple[float, float]) -> None:
    assert parse_scale(text) == scale


@pytest.mark.parametrize("text", ["", "5", "5-1", "1-1", "a-b", "1-5-9"])
def test_what_is_no_scale_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="give the worst rating and the best"):
        parse_scale(text)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "domain,rating\na.example,1\nb.example,5\n",
            ["is 0 to 5 was taken from its numbers", "--scale 1-5"],
        ),
        ("domain,reporting\na.example,high\nb.example,high\n", ["All its ratings are the same"]),
        (
            "domain,reporting\na.example,high\na.example,low\nb.example,low\n",
            ["1 host stands more than once", "the mean counts"],
        ),
        ("domain,reporting\na.example,high\nA.example,high\nb.example,low\n", []),
        ("domain,reporting\na.example,high\n", []),
    ],
)
def test_what_was_taken_for_granted_is_told(body: str, said: list[str]) -> None:
    told = " ".join(explain_guesses(parse_list(body.encode())))
    assert all(part in told for part in said)
    assert bool(told) == bool(said)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("domain;rating\na.example;0,75\n".encode("utf-16"), "It was read as UTF-16."),
        ("domain;rating;título\na.example;0,75;é\n".encode("latin-1"), "It was read as Latin-1."),
        (b"domain;rating\na.example;0,75\n", "0,75 is 0.75"),
    ],
)
def test_other_letters_and_decimal_commas_are_read_and_told(body: bytes, said: str) -> None:
    found = parse_list(body)
    assert dict(found.rows) == {"a.example": 0.75}
    assert said in " ".join(explain_guesses(found))


@pytest.mark.full
def test_a_list_of_too_many_rows_is_refused() -> None:
    with pytest.raises(UsageError, match="more than 1,000,000 rows"):
        parse_list(b"domain,rating\n" + b"a.com,1\n" * (MAX_ROWS + 1))


@given(st.from_regex(_SIMPLE_HOST, fullmatch=True))
def test_a_host_that_is_taken_as_it_stands_is_as_it_would_be_read(name: str) -> None:
    try:
        assert find_host(f"https://{name}") == name
    except ValueError:
        assert len(name) > 253


def test_words_for_ratings_lie_between_0_and_1() -> None:
    assert all(0.0 <= value <= 1.0 for value in WORD_RATINGS.values())


def test_presets_name_an_edition_and_whose_it_is() -> None:
    for preset in PRESETS.values():
        assert preset.url.startswith("https://")
        assert len(preset.sha256) == 64
        assert all((preset.title, preset.terms, preset.host, preset.value))


# -- kept ------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def db() -> Database:
    return open_database("sqlite://")


def put(
    db: Database,
    who: Any = ANN,
    name: str = "lin",
    rows: dict[str, float] | None = None,
    digest: str = "a" * 64,
) -> RatingList:
    rows = rows or {"a.example": 0.9, "news.a.example": 0.2, "b.example": 0.5}
    made = RatingList(name, "A list", "a file", digest, len(rows), 5.0)
    store.replace_list(db, who, made, rows)
    return made


def test_a_list_is_the_tenants_and_is_replaced_as_a_whole(db: Database) -> None:
    old = put(db)
    assert store.read_lists(db, BEN) == (old,)  # of the same tenant
    assert store.read_lists(db, CLEO) == ()
    assert store.find_ratings(db, CLEO, [old.mark], ["a.example"]) == {}
    new = put(db, rows={"c.example": 0.1}, digest="b" * 64)
    assert store.read_lists(db, ANN) == (new,)
    assert store.find_ratings(db, ANN, [new.mark], ["a.example", "c.example"]) == {
        "c.example": {"lin": 0.1}
    }
    assert store.find_ratings(db, ANN, [old.mark], ["a.example", "c.example"]) == {}, (
        "a run that began with the old edition"
    )
    store.remove_list(db, ANN, "lin")
    assert store.read_lists(db, ANN) == ()
    with pytest.raises(UsageError, match="called 'lin'"):
        store.remove_list(db, ANN, "lin")


def test_the_longest_name_that_a_host_is_under_speaks_for_it(db: Database) -> None:
    one, other = put(db), put(db, name="other", rows={"a.example": 0.4})
    found = store.find_ratings(
        db,
        ANN,
        [one.mark, other.mark],
        ["x.news.a.example", "www.a.example", "nota.example", "b.example"],
    )
    assert found == {
        "x.news.a.example": {"lin": 0.2, "other": 0.4},
        "www.a.example": {"lin": 0.9, "other": 0.4},
        "b.example": {"lin": 0.5},
    }


def test_a_users_words_are_theirs_alone_and_the_last_one_stands(db: Database) -> None:
    overrides.save_override(db, ANN, Override("a.example", 0.2, "first"), 1.0)
    overrides.save_override(db, ANN, Override("a.example", 0.3, "then"), 2.0)
    assert overrides.list_overrides(db, ANN) == (Override("a.example", 0.3, "then"),)
    assert overrides.list_overrides(db, BEN) == overrides.list_overrides(db, CLEO) == ()
    assert overrides.remove_override(db, ANN, "a.example")
    assert not overrides.remove_override(db, ANN, "a.example")


# -- imported --------------------------------------------------------------------------------------------------------------


def test_a_file_is_imported_under_its_own_name(db: Database, tmp_path: Any) -> None:
    file = tmp_path / "My List (2026).csv"
    file.write_text("domain,rating\na.example,1\n")
    made, found = importing.store_list(db, ANN, ImportRequest(str(file)), file.read_bytes(), 7.0)
    assert (made.name, made.hosts, made.added) == ("my-list-2026", 1, 7.0)
    assert made.digest == hashlib.sha256(file.read_bytes()).hexdigest()
    assert store.find_ratings(db, ANN, [made.mark], ["a.example"]) == {
        "a.example": {"my-list-2026": 1.0}
    }
    assert found.columns == ("domain", "rating")


def test_a_file_named_like_a_published_list_does_not_pass_for_it(db: Database) -> None:
    body = b"domain,rating\na.example,1\n"
    made, _ = importing.store_list(db, ANN, ImportRequest("/tmp/MBFC2026.csv"), body, 7.0)
    assert made.name == "mbfc2026-own"
    with pytest.raises(UsageError, match="is the name of a published list"):
        importing.store_list(db, ANN, ImportRequest("/tmp/x.csv", name="MBFC2026"), body, 7.0)
    with pytest.raises(UsageError, match="is the name of a published list"):
        importing.store_list(
            db, ANN, ImportRequest("lin2023", name="mbfc2026"), body, 7.0, PRESETS["lin2023"]
        )
    assert [each.name for each in store.read_lists(db, ANN)] == ["mbfc2026-own"]


def test_a_published_list_by_its_name_keeps_it_and_its_scale_is_no_guess(db: Database) -> None:
    preset = Preset("Some list", "https://a.example/list.csv", "0" * 64, "domain", "pc1", "terms")
    made, found = importing.store_list(
        db, ANN, ImportRequest("lin2023"), b"domain,pc1\na.example,1\n", 7.0, preset
    )
    assert (made.name, made.title, found.guessed) == ("lin2023", "Some list", False)


@pytest.mark.parametrize("name", ["LIN2023", " Lin2023 "])
def test_the_names_of_published_lists_are_known_in_any_case(db: Database, name: str) -> None:
    class Reply:
        status, body = 200, b"domain,pc1\na.example,1\n"

    class Http:
        def send(self, _method: str, url: str, **_how: Any) -> Reply:
            assert url == PRESETS["lin2023"].url
            return Reply()

    class Deps:
        http = Http()

    with pytest.raises(UsageError, match="at the address of lin2023 is not the edition"):
        importing.add_list(db, ANN, Deps(), ImportRequest(name))  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", ["co.uk", "github.io", "gov.uk", "mi.it", "blogspot.com"])
def test_there_is_no_word_on_a_suffix(db: Database, suffix: str) -> None:
    assert overrides.is_public_suffix(suffix)
    with pytest.raises(UsageError, match="not a site but a suffix") as refused:
        overrides.save_override(db, ANN, Override(suffix, 0.5, "x"), 1.0)
    assert f"example.{suffix}" in (refused.value.next_step or "")
    for site in (f"www.{suffix}", f"a.{suffix}", "wordpress.com", "example.org", "sub.example.org"):
        assert not overrides.is_public_suffix(site)


def test_a_reason_has_an_end(db: Database) -> None:
    overrides.save_override(db, ANN, Override("a.example", 0.5, "x" * 2000), 1.0)
    with pytest.raises(UsageError, match="2,001 characters; at most 2,000 are allowed"):
        overrides.save_override(db, ANN, Override("a.example", 0.5, "x" * 2001), 1.0)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (ImportRequest("x.csv", name="a b"), "no name for a list"),
        (ImportRequest("x.csv", scale=(5, 1)), "no length"),
        (ImportRequest("x.csv", value_column="zzz"), "no column 'zzz'"),
    ],
)
def test_what_cannot_be_imported_changes_nothing(
    db: Database, wanted: ImportRequest, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        importing.store_list(db, ANN, wanted, b"domain,rating\na.example,1\n", 7.0)
    assert store.read_lists(db, ANN) == ()


def test_a_run_without_lists_looks_nothing_up() -> None:
    class Nothing:
        ratings = ()

    class Deps:
        run = Nothing()

    assert ratings.look_up_ratings(Deps(), ["https://a.example/"]) == {}  # type: ignore[arg-type]
    assert ratings.rate_redirect(Deps(), "https://a.example/", "https://b.example/") == {}  # type: ignore[arg-type]
