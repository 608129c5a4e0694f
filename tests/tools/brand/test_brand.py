"""What brand research reads from a page: colours, typefaces, tone of voice, logos, whose site it
is; and that it survives any page.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import SearchResult
from research_core.tools.brand.addresses import find_brand_addresses, find_own_site
from research_core.tools.brand.colours import (
    compute_brightness,
    find_colours,
    group_by_role,
    parse_hex,
)
from research_core.tools.brand.findings import build_design_tokens, extract_brand, merge_findings
from research_core.tools.brand.identity import find_accounts, find_logos, read_identity, read_logos
from research_core.tools.brand.markup import Markup, parse
from research_core.tools.brand.pages import is_about_brand
from research_core.tools.brand.typography import read_typography
from research_core.tools.brand.voice import read_tone_of_voice


def told(text: str) -> list[tuple[str, ...]]:
    return [
        tuple(str(entry.get(name, "")) for name in ("hex", "name", "role"))
        for entry in find_colours(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- Midnight: #0A0B33", [("#0a0b33", "Midnight", "")]),
        ("Primary colour: Fuse (#FF3B00)", [("#ff3b00", "Primary colour: Fuse", "primary")]),
        ("#### Smoke\n\nHEX 445566", [("#445566", "Smoke", "")]),
        ("HEX: abc", [("#aabbcc", "", "")]),
        (
            "## Secondary colours\n\nSmoke\n\nRGB 68 85 102\n\n#445566",
            [("#445566", "Smoke", "secondary")],
        ),
        ("#445566 Smoke\n\n#112233 Ink", [("#445566", "Smoke", ""), ("#112233", "Ink", "")]),
        (
            "## Palette\n\n#445566\n\nSmoke\n\n#112233\n\nInk",
            [("#445566", "Smoke", ""), ("#112233", "Ink", "")],
        ),
        (
            "| Name | Hex | Use |\n| --- | --- | --- |\n| Smoke | #445566 | Background |",
            [("#445566", "Smoke", "background")],
        ),
        ("One: #111111, two: #222222.", [("#111111", "One", ""), ("#222222", "two", "")]),
        ("Smoke #445566\n\nSmoke again #445566", [("#445566", "Smoke", "")]),
        ("We closed #123 and see #1234567, https://a.example/#aabbcc and issue#445566.", []),
        (
            "Write to us at any time: our accent colour, which we love, is Sky (#00AAFF).",
            [("#00aaff", "Sky", "accent")],
        ),
        ("Nothing is said of any colour here.", []),
    ],
)
def test_a_colour_has_the_name_and_the_role_that_stand_beside_it(
    text: str, expected: list[tuple[str, ...]]
) -> None:
    assert told(text) == expected


def test_other_notations_are_those_of_the_same_colour() -> None:
    red, smoke = find_colours(
        "### Red\n\n#FF0000\n\nRGB: 255, 0, 0\n\nPMS 485 C\n\n### Smoke\n\n#445566\n\nCMYK 33% 17% 0% 60%"
    )
    assert (red["rgb"], red["pantone"], smoke["cmyk"]) == ("255, 0, 0", "485 C", "33, 17, 0, 60")
    assert not {"cmyk"} & set(red)
    assert not {"rgb", "pantone"} & set(smoke)


@pytest.mark.parametrize(
    ("code", "expected"),
    [("#000000", 0), ("#ffffff", 255), ("#ff0000", 76), ("#00ff00", 150), ("#0000ff", 29)],
)
def test_brightness_is_the_weighted_mean(code: str, expected: int) -> None:
    assert compute_brightness(code) == expected


def test_the_first_colour_of_a_role_stands_for_it() -> None:
    assert group_by_role(
        find_colours("Primary: #111111\n\nPrimary light: #eeeeee\n\nPage background: #ffffff")
    ) == {
        "primary": "#111111",
        "background": "#ffffff",
    }


@given(st.text(alphabet="#abcdefABCDEF0123456789 \nHEXRGB:|-PANTOE()", max_size=300))
def test_a_palette_holds_codes_once_and_within_bounds(text: str) -> None:
    entries = find_colours(text)
    assert len({entry["hex"] for entry in entries}) == len(entries) <= 64
    assert all(
        parse_hex(entry["hex"]) == entry["hex"] and 0 <= entry["brightness"] <= 255
        for entry in entries
    )
    json.dumps(build_design_tokens({"palette": entries}, {}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Headline font: Circular Std Bold",
            {"heading": {"family": "Circular Std", "weights": [700]}},
        ),
        (
            "Body text is set in Open Sans, a font for everything.",
            {"body": {"family": "Open Sans"}},
        ),
        (
            "## Typography\n\nJetBrains Mono is used for code.",
            {"mono": {"family": "JetBrains Mono"}},
        ),
        ("We use Inter for body copy; the typeface is free.", {"body": {"family": "Inter"}}),
        ("Our primary typeface is Inter.", {}),  # of what, it does not say
        ("Headings: Download", {}),  # nothing is said of type
        ("Our fonts are loved by all.", {}),
    ],
)
def test_a_typeface_is_what_is_said_to_be_for_something(text: str, expected: Any) -> None:
    assert read_typography(text, ()) == expected


def test_a_link_to_a_library_of_fonts_names_a_family() -> None:
    links = [
        "https://acme.com/",
        "https://fonts.googleapis.com/css2?family=Open+Sans:wght@400;700&family=Lora",
    ]
    found = read_typography("Heading typeface: Lora. Body typeface: Open Sans.", links)
    assert found["google_fonts_url"] == links[1]
    assert (found["heading"]["origin_id"], found["body"]["origin"]) == ("Lora", "google_fonts")


def test_the_tone_of_voice_ends_with_its_section() -> None:
    text = "## Tone of voice\n\nWe are calm.\n\n### Human\n\n### Do\n\n- Be brief.\n\n## Logo\n\n### Don't\n\n- Stretch it."
    assert read_tone_of_voice(text) == {
        "summary": "We are calm.",
        "attributes": ["Human"],
        "dos_and_donts": {"dos": ["Be brief."]},
    }
    assert read_tone_of_voice("## Logo\n\nWe are calm.") == {}


def test_logos_are_pictures_that_are_called_so() -> None:
    pictures = (
        ("Team", "https://a.example/team.png", 0, 0),
        ("Logo, reversed", "https://a.example/w.svg", 0, 0),
    )
    links = (
        ("Download", "https://a.example/acme_logo.png"),
        ("Logo page", "https://a.example/logo"),
    )
    assert find_logos(Markup("https://a.example/", pictures=pictures, links=links)) == {
        "primary": {"url": "https://a.example/acme_logo.png", "format": "png"},
        "dark": {"url": "https://a.example/w.svg", "format": "svg"},
    }


def test_what_was_found_first_stays() -> None:
    first = {
        "identity": {"name": "Acme"},
        "colors": {"palette": [{"hex": "#111111", "name": "Ink"}]},
    }
    later = {
        "identity": {"name": "Other", "tagline": "Up"},
        "colors": {"palette": [{"hex": "#111111"}, {"hex": "#222222"}]},
    }
    found, added = merge_findings(first, later)
    assert found["identity"] == {"name": "Acme", "tagline": "Up"}
    assert found["colors"]["palette"] == [{"hex": "#111111", "name": "Ink"}, {"hex": "#222222"}]
    assert added == ["identity.tagline", "colors.palette"]


@pytest.mark.parametrize(
    ("title", "text", "speaks"),
    [
        ("Acme brand guidelines", "", True),
        ("Acme", "Our design system is open.", True),
        ("Acme", "Logos, colours and typefaces to download.", True),
        ("Acme", "A logo. Two logos. Three logos.", False),
        ("Acme", "Brand new rockets, for sale.", False),
        ("Acme", f"{'Rockets. ' * 600} Brand guidelines", False),
    ],
)
def test_a_brand_page_says_at_its_beginning_that_it_is_one(
    title: str, text: str, speaks: bool
) -> None:
    assert is_about_brand(Markup("https://acme.com/x", title, text=text)) is speaks


@pytest.mark.parametrize(
    ("name", "urls", "expected"),
    [
        (
            "Acme",
            [
                "https://en.wikipedia.org/wiki/Acme",
                "https://news.example/acme",
                "https://www.acme.com/",
            ],
            "acme.com",
        ),
        ("The Acme Company", ["https://shop.example/x", "https://acme.co.uk/about"], "acme.co.uk"),
        (
            "International Business Machines",
            ["https://www.britannica.com/x", "https://www.ibm.com/"],
            "ibm.com",
        ),
        ("Twitter", ["https://twitter.com/"], "twitter.com"),
        ("Acme", ["https://other.example/x"], ""),
        ("Acme", [], ""),
    ],
)
def test_a_company_s_site_is_called_like_it(name: str, urls: list[str], expected: str) -> None:
    assert find_own_site(name, [SearchResult("A page", url, "") for url in urls]) == expected


def test_results_about_a_brand_are_its_own_pages_or_those_of_who_keeps_them() -> None:
    urls = ["https://acme.com/brand", "https://acme.com/shop", "https://acme.frontify.com/d/x", "https://frontify.com/other",
            "https://github.com/acme/design-system", "https://blog.example/acme-brand"]  # fmt: skip
    assert find_brand_addresses(
        [SearchResult("", url, "") for url in urls], "acme.com", "Acme"
    ) == [
        urls[0],
        urls[2],
        urls[4],
    ]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda part: (
        st.lists(part, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "url", "@type", "@id", "@value"]), part, max_size=3
        )
    ),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "name",
                "logo",
                "sameAs",
                "address",
                "foundingDate",
                "slogan",
                "industry",
                "description",
            ]
        ),
        _JSON,
    )
)
def test_a_company_s_node_may_hold_anything(node: Any) -> None:
    page = Markup("https://acme.com/", company=node, meta={})
    json.dumps([read_identity(page, "acme.com"), read_logos(page), find_accounts(page)])


@given(
    st.binary(max_size=400)
    | st.text(alphabet="<>/abch1ltdr='\" \n#&;", max_size=300).map(str.encode)
)
def test_any_bytes_are_taken_apart(body: bytes) -> None:
    found = parse(body, "https://acme.com/", "text/html")
    json.dumps(found)
    extract_brand(Markup("https://acme.com/", text=found["text"]))
