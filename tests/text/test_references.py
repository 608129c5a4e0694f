"""Lists of references: what is one by its heading and shape, and above all what is none."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.references import find_references, remove_references
from tests.everyday import mark_nth_everyday
from tests.timing import check_cpu_time

PROSE = (
    "Sperm whales dive to about 1,000 meters and stay down for an hour, which was first seen in"
    " 1820 by people on a ship."
)
MORE = (
    "Some dives went deeper than 2,000 meters (Watkins et al. 2002), and it is not known how the"
    " whales bear the cold there."
)
NUMBERED = "\n".join(
    f"[{n}] Smith J (20{n}). How deep sperm whales dive. J. Whales, vol. {n}, pp. 1-9."
    for n in range(10, 16)
)
YEARS = """\
Brandt, R. B. (1979). A theory of the good and the right. Oxford: Clarendon Press.
Müller, Hans: Die Wale des Nordens. Berlin 1999, S. 12–14.
van der Maaten, L.J.P.; Hinton, G.E. (Nov 2008). "Visualizing Data Using t-SNE". Journal of Machine Learning Research. 9: 2579.
Watkins WA, Daher MA. Sperm whales tagged with transponders. Mar Mamm Sci. 1993;9(1):55-67."""
WIKI = """\
1. ^ a b "Office 2019 is now available for Windows and Mac". Microsoft. September 24, 2018. Retrieved January 18, 2024.
2. ^ "Update history for Office for Mac". Microsoft Learn. Archived from the original on November 12, 2020.
3. ^ Fritz, Ben (April 10, 2012). "DreamWorks Studios stays alive". Los Angeles Times."""
ITEMS = "- Seite der Stadt Bergen über die Wale\n- Das Walmuseum"
SONGS = (
    '1. "Perfect" – Ed Sheeran (2017)\n2. Elvis Presley, "Can\'t Help Falling in Love" (1961)\n'
    '3. Etta James – "At Last" (1960)'
)
FOOTNOTES = (
    "[^1]: Smith (2010), p. 5.\n[^2]: Jones (2011), pp. 7-9.\n"
    "[^3]: See https://whales.example.org (accessed 2 May 2020)."
)

LISTS = {
    **{
        f"below {heading}": (f"{heading}\n\n{NUMBERED}", True)
        for heading in (
            "References",
            "## References",
            "**References**",
            "REFERENCES:",
            "7. References",
            "VII. References",
            "### References[edit]",
            "References (12)",
            "## Bibliography",
            "Works cited",
            "Literature Cited",
            "Notes and references",
            "Sources",
            "Notes",
            "Literatur",
            "## Quellen",
            "Literaturverzeichnis",
            "Einzelnachweise",
            "Références",
            "Bibliografía",
            "Referencias",
            "Riferimenti",
            "Literatuurlijst",
            "Källor",
            "Lähteet",
            "Przypisy",
            "Список литературы",
            "参考文献",
            "参考文献：",
            "참고문헌",
            "المراجع",
        )
    },
    "author and year": (f"## References\n\n{YEARS}", True),
    "of an encyclopedia": (f"## References[edit]\n\n{WIKI}", True),
    "items without a sign": (f"## Références\n\n{ITEMS}", True),
    "addresses": (
        "# references\n\nhttps://whales.example.org/1\nhttps://whales.example.org/2",
        True,
    ),
    "with parts": (f"## References\n\n### Books\n\n{YEARS}\n\n### Papers\n\n{NUMBERED}", True),
    "wrapped": (
        "References\n\n[1] J. Smith and K. Jones, A title that goes on and\n"
        "on and on, in: Proc. of Whales, pp. 1-9, 2010.\n"
        "[2] K. Brown, Another, J. of Seals, vol. 3,\npp. 7-8, 2011.",
        True,
    ),
    "with notes on the entries": (
        f"## References\n\n{YEARS}\n{PROSE} {PROSE} {PROSE}\n{NUMBERED}",
        True,
    ),
    "at the end": (NUMBERED, True),
    "at the end, by author": (YEARS, True),
    "at the end, of an encyclopedia": (WIKI, True),
    "footnotes": (FOOTNOTES, True),
    "notes in prose": (f"## Notes\n\n{PROSE}\n\n{MORE}", False),
    "numbered notes in prose": (f"## Notes\n\n1. {PROSE}\n2. {MORE}\n3. {PROSE}", False),
    "notes on a recipe": (
        "### Notes\n\n- Flour: take any other kind of flour you like.\n- Sugar: any sugar will do.",
        False,
    ),
    "springs": (f"## Quellen\n\n{PROSE}\n\n{MORE}", False),
    "a country's literature": (f"## Literatur\n\n{PROSE}\n\n{MORE}", False),
    "what is said of references": (f"## References\n\n{PROSE}\n\n{MORE}", False),
    "nothing": ("## References", False),
    "contents": ("References\nContact\nAbout us\nImprint", False),
    "a list of songs": (SONGS, False),
    "people": (
        "1. John Smith, Chairman\n2. Smith, John, London\n3. Jane Q. Public, Secretary\n"
        "4. K. Brown, Treasurer",
        False,
    ),
    "prose that cites": (f"{MORE}\n\n{MORE}\n\n{MORE}\n\n{MORE}", False),
    "rules with pages": (
        "1. In 2010 the city changed its rules, see p. 12.\n2. In 2011, p. 3 was changed.\n"
        "3. It is in force.",
        False,
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_what_is_a_list_of_references(name: str) -> None:
    listed, is_list = LISTS[name]
    text = f"# Whales\n\n{PROSE}\n\n{MORE}\n\n{listed}\n"
    assert [text[start:end] for start, end in find_references(text)] == (
        [listed] if is_list else []
    )


@pytest.mark.parametrize(
    ("listed", "after"),
    [
        (f"References\n\n{NUMBERED}", f"Appendix\n\n{PROSE}"),
        (f"## References\n\n{NUMBERED}", f"## Appendix\n\n{PROSE}"),
        (f"### Literatur\n\n{YEARS}", f"## Anhang\n\n{PROSE}"),
        (f"## References\n\n{NUMBERED}", f"{PROSE}\n\n{PROSE}\n\n{PROSE}"),
        (f"## References\n\n{NUMBERED}", "## External links\n\n- The museum of whales"),
        (NUMBERED, "Share this page\n\nAbout us"),
    ],
)
def test_text_begins_again_below(listed: str, after: str) -> None:
    text = f"{PROSE}\n\n{listed}\n\n{after}"
    assert [text[start:end] for start, end in find_references(text)] == [listed]
    assert remove_references(text).split("\n\n\n\n") == [PROSE, after]


def test_two_lists_of_one_text() -> None:
    text = f"{PROSE}\n\n## Notes\n\n{WIKI}\n\n## References\n\n{YEARS}\n\n## Appendix\n\n{PROSE}"
    assert [text[start:end].split("\n")[0] for start, end in find_references(text)] == [
        "## Notes",
        "## References",
    ]


LINES = st.sampled_from(
    [
        *NUMBERED.split("\n"),
        *YEARS.split("\n"),
        *WIKI.split("\n"),
        PROSE,
        MORE,
        "",
        "References",
        "## Notes",
        "# Appendix",
        "Appendix",
        "- a",
    ]
)


@given(st.text() | st.lists(LINES).map("\n".join))
def test_lists_are_in_order_and_begin_and_end_with_a_line(text: str) -> None:
    found = find_references(text)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(one[1] < other[0] for one, other in pairwise(found))
    for start, end in found:
        assert text[start:end].strip() == text[start:end]
        assert not text[:start].rpartition("\n")[2].strip()
        assert not text[end:].partition("\n")[0].strip()


@given(
    st.lists(
        st.sampled_from(
            [PROSE, "# A part", "The whales were seen again.", "- They dive.", "## Notes"]
        ),
        max_size=12,
    )
)
def test_prose_is_never_a_list(lines: list[str]) -> None:
    assert find_references("\n\n".join(lines)) == ()


HOSTILE = {
    "names": "References\n\n" * 50_000,
    "a name and nothing": "Notes\n" + "foo\n" * 200_000,
    "names and nothing": "Notes\nfoo bar x\n" * 30_000,
    "entries": "[1] Smith J (2010). A. J. Whales, vol. 1, pp. 1-9.\n" * 10_000,
    "initials": "References\n" + ("A. " * 230 + "\n") * 2_500,
    "words": "References\n" + ("Aa " * 230 + "\n") * 2_500,
    "quotes": "References\n" + ('"' * 600 + "\n") * 3_000,
    "brackets": "References\n" + ("(" * 600 + "\n") * 3_000,
    "one line": "x" * 2_000_000,
}


@pytest.mark.parametrize("name", mark_nth_everyday(HOSTILE, 5))
def test_hostile_text_takes_time_as_it_is_long(name: str) -> None:
    with check_cpu_time(3):
        find_references(HOSTILE[name])
