"""Titles are text, whatever markup their record has them in."""

from __future__ import annotations

import pytest

from research_core.citations.formats import csl, reading
from research_core.citations.formats.markup import render_title
from research_core.citations.formats.plain import parse_reference
from research_core.citations.formats.sources import build_source_item, render_titles
from tests.timing import check_cpu_time

MATHS = 'xmlns:mml="http://www.w3.org/1998/Math/MathML"'


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("H<sub>2</sub>SO<sub>4</sub>", "H₂SO₄"),
        ("Ca<sup>2+</sup> and Fe<sup>3+</sup>", "Ca²⁺ and Fe³⁺"),
        ("E = mc<jats:sup>2</jats:sup>", "E = mc²"),
        ("E<sub>gap</sub> of 10<sup>2.5</sup>", "Egap of 10^2.5"),
        ("La 1<sup>re</sup> guerre", "La 1re guerre"),
        ("N<inf>2</inf> fixation", "N₂ fixation"),
        ("<span lang='la'>Homo</span> <strong>et</strong> <em>natura</em>", "Homo et natura"),
        ("&lt;i&gt;Danio rerio&lt;/i&gt; fins", "Danio rerio fins"),
        ("Law &amp;amp;amp; order", "Law & order"),
        ("Bücher &amp;quot;heute&amp;quot;", 'Bücher "heute"'),
        ("$\\less$i$\\greater$Arabidopsis$\\less$/i$\\greater$ roots", "Arabidopsis roots"),
        ("$\\less$sup$\\greater$13$\\less$/sup$\\greater$C shifts", "¹³C shifts"),
        ("Bound on $\\alpha$ and $\\Omega_{\\mathrm{m}}$", "Bound on α and Ωₘ"),
        ("Springer's $$_3$$ law", "Springer's ₃ law"),
        (
            f"A <mml:math {MATHS}><mml:msub><mml:mi>K</mml:mi><mml:mn>3</mml:mn></mml:msub></mml:math> graph",
            "A K₃ graph",
        ),
        (
            "<math><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>+</mo><msqrt><mn>2</mn></msqrt></math>",
            "a/b+√2",
        ),
        ("<p>One</p><p>Two</p>", "One Two"),
        ("Line<br/>break", "Line break"),
        ("<scp>dna</scp><!-- x --> repair", "dna repair"),
        ("The <canvas> element, <b> and a < b > c", "The <canvas> element, <b> and a < b > c"),
        ("AT&T & Q&A;", "AT&T & Q&A;"),
        ("From $5 to $10", "From $5 to $10"),
    ],
)
def test_markup_is_rendered(markup: str, text: str) -> None:
    assert csl.read_line(markup) == text
    assert render_titles(build_source_item("https://a.example/", markup)).title == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Bound on <tex-math>\\alpha</tex-math>", "Bound on α"),
        (
            "The <jats:inline-formula><jats:tex-math>$E_{2}$</jats:tex-math></jats:inline-formula> term",
            "The E₂ term",
        ),
        (
            "A <tex-math>\\documentclass[12pt]{minimal}\\usepackage{amsmath}\\begin{document}$$\\beta ^{2}$$"
            "\\end{document}</tex-math> decay",
            "A β² decay",
        ),
        ("<inline-formula><tex-math>n_k = 3</tex-math></inline-formula> Körper", "nₖ = 3 Körper"),
        (
            "Le <alternatives><tex-math>$x^2$</tex-math><mml:math><mml:msup><mml:mi>x</mml:mi>"
            "<mml:mn>2</mml:mn></mml:msup></mml:math></alternatives> réel",
            "Le x² réel",
        ),
        (
            "Of <math><semantics><mi>q</mi><annotation>q_{tex}</annotation></semantics></math>",
            "Of q",
        ),
        ("Empty <tex-math></tex-math> formula", "Empty formula"),
    ],
)  # fmt: skip
def test_a_formula_is_rendered_once_in_whichever_notation_it_has(markup: str, text: str) -> None:
    assert csl.read_line(markup) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("$\\less$em$\\greater$Escherichia$\\less$/em$\\greater$ in soil", "Escherichia in soil"),
        ("{T}he {RNA} {W}orld", "The RNA World"),
        ("{{The Whole Title}}", "The Whole Title"),
        ("CO$_2$ at 10$^{-6}$ mol", "CO₂ at 10⁻⁶ mol"),
        ("CO\\textsubscript{2} by \\textit{E. coli}", "CO₂ by E. coli"),
        ("\\textless{}sub\\textgreater{}x\\textless{}/sub\\textgreater{} of R\\&amp;D", "ₓ of R&D"),
        ("Ein {\\\"U}berblick", "Ein Überblick"),
        ("$\\mathrm{H}_{2}\\mathrm{O}$ on $\\beta$-cells", "H₂O on β-cells"),
    ],
)  # fmt: skip
def test_titles_of_bibtex_are_rendered(value: str, text: str) -> None:
    found = reading.read_bibliography(f"@article{{a, title={{{value}}}, year=2001}}")
    assert found.entries[0].item.title == text
    assert render_title(value) == text


@pytest.mark.parametrize(
    "title",
    [
        "50% of {Curly} & $x_1$ \\input{y}",
        "The set {a, b} and the map ${x}",
        "Write \\usepackage{url} once",
        "Templates with {{ name }}",
        "C:\\temp and D:\\data",
    ],
)
def test_signs_that_are_no_markup_stay(title: str) -> None:
    assert render_title(title) == title


def test_a_reference_in_words_loses_its_markup() -> None:
    work = parse_reference(
        "Ward, A. (1999). Growth of &lt;i&gt;Ulva&lt;/i&gt; in H<sub>2</sub>O &amp;amp; salt."
        " Reef Notes, 1(2), 3-5."
    )
    assert (work.title, work.container) == ("Growth of Ulva in H₂O & salt", "Reef Notes")


@pytest.mark.full
@pytest.mark.parametrize(
    "repeated",
    ["<math>", "<mml:math>", "<mml:math></math>", "<tex-math>", "<i>", "<sub><sup>", "$\\alpha", "&amp;",
     "{A", "<math><mi>"],
)  # fmt: skip
def test_a_hostile_title_takes_no_time(repeated: str) -> None:
    with check_cpu_time(2):
        render_title(repeated * (60_000 // len(repeated)))
