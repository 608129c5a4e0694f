"""What people read of an evidence pack, changed by hand with new sums: its script finds each
change. The pack is of a real run.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from research_core.export import archive, check, document, evidence
from research_core.pipeline import confidence
from research_core.pipeline.report import MAX_NAMED_SOURCES
from tests.terminal import ask, assay, whales

Files = dict[str, bytes]

#: What, the file, the words that are changed (a pattern, its first place), what stands there then.
CHANGES = (
    ("a figure of a sentence", "report.md", r"dive 1,200 metres", "dive 1,300 metres"),
    ("a word of a sentence", "report.md", r"depends on squid", "depends on krill"),
    ("a not", "report.md", r"as deep as 2,035", "never as deep as 2,035"),
    ("a sentence left out", "report.md", r"- A team followed [^\n]*\n", ""),
    ("a sentence more, as a line", "report.md", r"\n## Conflicting", "\nVaccines kill everybody.\n\n## Conflicting"),
    ("a sentence more, behind another", "report.md", r"600 metres here\. \[3\] ◇", "600 metres here. [3] ◇ Vaccines kill everybody."),
    ("a sentence more, at the end of the text", "report.md", r"\n## Sources", "\nVaccines kill everybody.\n\n## Sources"),
    ("a notice more", "report.md", r"\n## Executive", "\n> All of it was read by two people.\n\n## Executive"),
    ("a heading more", "report.md", r"\n## Conflicting", "\n## Vaccines kill everybody\n\n## Conflicting"),
    ("a sentence to check more", "report.md", r"\n## Sources", "\n- “Whales sing.” [1]: It is so.\n\n## Sources"),
    ("a notice more in the page", "report.html", r"<main>", '<main><p class="notice">All of it was read by two people.</p>'),
    ("a sentence more, in a comment", "report.md", r"\n## Conflicting", "\n<!-- Vaccines kill everybody. -->\n\n## Conflicting"),
    ("two sentences the other way round", "report.md", r"(- A team [^\n]*\n)(- How deep [^\n]*\n)", r"\2\1"),
    ("a sentence struck through", "report.md", r"A team followed ([^\n]*)metres\.", r"~~A team followed \1metres.~~"),
    ("a heading", "report.md", r"## Conflicting Information", "## Agreement"),
    ("the title", "report.md", r"# How deep do", "# How high do"),
    ("a citation", "report.md", r"600 metres here\. \[3\]", "600 metres here. [1]"),
    ("a citation left out", "report.md", r"600 metres here\. \[3\]", "600 metres here."),
    ("a fact on one source, not said to be", "report.md", r"(600 metres here\. \[3\]) ◇", r"\1"),
    ("a check that found less", "report.md", r"(600 metres here\. \[3\] ◇)", r"\1 *(partly supported)*"),
    ("the confidence", "report.md", r"\*\*moderate\*\* confidence", "**high** confidence"),
    ("a measure of it", "report.md", r"cited on the question: \d", "cited on the question: 9"),
    ("the reason of its level", "report.md", r"confidence\. \w+", "confidence. Nobody"),
    ("a level of it", "report.md", r"(rest on one source: [^(;]*) \(low;", r"\1 (high;"),
    ("a contradiction left out", "report.md", r"- Different figures[^\n]*\n", ""),
    ("a figure of a contradiction", "report.md", r"“600 metres” \[3\]", "“900 metres” [3]"),
    ("a score", "report.md", r"Credibility Score: 0\.78", "Credibility Score: 0.98"),
    ("an address", "report.md", r"\(https://tide\.example\.edu/dives\)", "(https://evil.example/dives)"),
    ("the title of a source", "report.md", r"\[Deep dives of sperm whales\]", "[Shallow dives of sperm whales]"),
    ("a source more", "report.md", r"\n### Not used", "\n[5]. [Evil](https://evil.example/) (Credibility Score: 0.99)\n\n### Not used"),
    ("the score of a source not used", "report.md", r"kilns\) 0\.28", "kilns) 0.48"),
    ("the funnel", "report.md", r"Funnel: 5 found", "Funnel: 50 found"),
    ("the decision", "report.md", r"4 of 4 pages have", "9 of 9 pages have"),
    ("a sentence of the page", "report.html", r"dive 1,200 metres", "dive 1,300 metres"),
    ("a sentence of the page left out", "report.html", r"<li dir=\"auto\">A team.*?</li>", ""),
    ("a sentence of the page hidden", "report.html", r"A team followed[^<]*", r'<span class="pop">\g<0></span>'),
    ("a sentence more in the page", "report.html", r"<h2 dir=\"auto\">Conflicting", "<p>Vaccines kill everybody.</p>\n\\g<0>"),
    ("the sign of a check in the page", "report.html", r">3”<", ">3◐<"),
    ("the confidence in the page", "report.html", r"<strong>moderate</strong> confidence", "<strong>high</strong> confidence"),
    ("a score in the page", "report.html", r"credibility 0\.78", "credibility 0.98"),
    ("an address in the page", "report.html", r"https://tide\.example\.edu/dives", "https://evil.example/dives"),
    ("a contradiction left out of the page", "report.html", r"<li dir=\"auto\">Different figures.*?</li>", ""),
)  # fmt: skip
#: As above; of these the script says only that text.json has them otherwise, or that the table
#: beside them has.
ELSEWHERE = (
    ("a count of the methodology", "report.md", r"Independent of each other: \d", "Independent of each other: 9"),
    ("a line more in the methodology", "report.md", r"\n- Cost:", "\n- Read by two people.\n- Cost:"),
    ("a script in the page", "report.html", r"</body>", "<script>alert(1)</script></body>"),
    ("a picture in the page", "report.html", r"</footer>", '<img src="https://evil.example/a.png"></footer>'),
    ("the page's style", "report.html", r"<style>", "<style>main{display:none}"),
    ("the page's policy", "report.html", r"default-src 'none'", "default-src *"),
    ("the passage shown on hover", "report.html", r"(class=\"pop\".*?)1,200", r"\g<1>1,300"),
    ("a passage in the page's list of citations", "report.html", r"(<q class=\"passage\"[^>]*>[^<]*)1,200", r"\g<1>1,300"),
    ("a score of the table", "sources.csv", r'"0\.7800"', '"0.9800"'),
    ("the address of the table", "sources.csv", r"https://tide\.example\.edu/dives", "https://evil.example/dives"),
    ("the decision of the table", "sources.csv", r'"blocked"', '"kept"'),
    ("the reason of the table", "sources.csv", r"needs more than 0\.50", "needs more than 0.10"),
    ("a row of the table left out", "sources.csv", r'"3","kept"[^\n]*\n', ""),
    ("the site of the table", "sources.csv", r'"tide\.example\.edu"', '"evil.example"'),
    ("when a page was read", "sources.csv", r"20\d\d-", "1999-"),
    ("a sentence of the citations", "citations.csv", r"1,200 metres", "1,300 metres"),
    ("a check of the citations", "citations.csv", r'"quoted word for word"', '"not found in the passage"'),
    ("whether a passage stands there", "citations.csv", r'"yes"', '"no"'),
    ("an address of the pages", "pages.csv", r"https://tide\.example\.edu/dives", "https://evil.example/dives"),
    ("an address of the verification", "verification.csv", r"https://tide\.example\.edu/dives", "https://evil.example/dives"),
    ("why a score is what it is", "assessments.csv", r"organisation", "academic or government"),
    ("an address in BibTeX", "references.bib", r"https://tide\.example\.edu/dives", "https://evil.example/dives"),
    ("a title in BibTeX", "references.bib", r"Deep dives", "Shallow dives"),
    ("a score in BibTeX", "references.bib", r"score 0\.78", "score 0.98"),
    ("an address in RIS", "references.ris", r"https://tide\.example\.edu/dives", "https://evil.example/dives"),
    ("a title in RIS", "references.ris", r"Deep dives", "Shallow dives"),
    ("a day in RIS", "references.ris", r"Y2  - 20\d\d", "Y2  - 1999"),
    ("an address in CSL", "references.csl.json", r"https://tide\.example\.edu/dives", "https://evil.example/dives"),
    ("a title in CSL", "references.csl.json", r"Deep dives", "Shallow dives"),
    ("a score in CSL", "references.csl.json", r"score 0\.78", "score 0.98"),
    ("an author in CSL", "references.csl.json", r'"title"', '"author": [{"literal": "A. Liar"}], "title"'),
)  # fmt: skip


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The files of the pack of a session that was run for it."""
    folder = tmp_path_factory.mktemp("tampering")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_HOME", str(folder / "home"))
        patch.setenv("ASSAY_SEMANTIC", "0")
        assert assay("library", "add", str(whales(folder / "pages")), "--name", "whales").code == 0
        assert (
            assay(
                "export", ask().session, "--format", "zip", "--out", str(folder / "pack.zip")
            ).code
            == 0
        )
    return archive.unpack((folder / "pack.zip").read_bytes())


def faults(files: Files) -> list[str]:
    return [fault for _, one in check.CHECKS for fault in check.run_check(one, files)]


def summed(files: Files) -> Files:
    """The files with new sums, as who changes one would write them."""
    listed = {name: body for name, body in files.items() if name != evidence.SUMS_FILE}
    sums = "".join(f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in listed.items())
    return {**listed, evidence.SUMS_FILE: sums.encode()}


def changed(files: Files, name: str, pattern: str, other: str) -> Files:
    text, count = re.subn(pattern, other, files[name].decode(), count=1, flags=re.DOTALL)
    assert count == 1, f"{pattern} is not in {name}"
    assert text.encode() != files[name]
    return summed({**files, name: text.encode()})


def test_a_pack_that_nobody_changed_holds(pack: Files) -> None:
    assert faults(pack) == []
    assert faults(summed(pack)) == []


@pytest.mark.parametrize(("what", "name", "pattern", "other"), [*CHANGES, *ELSEWHERE])
def test_a_change_with_new_sums_is_found(
    pack: Files, what: str, name: str, pattern: str, other: str
) -> None:
    found = faults(changed(pack, name, pattern, other))
    assert found, what
    assert not [fault for fault in found if fault.startswith("could not be checked")], what


@pytest.mark.parametrize(("what", "name", "pattern", "other"), CHANGES)
def test_what_report_json_says_is_found_though_text_json_was_written_anew(
    pack: Files, what: str, name: str, pattern: str, other: str
) -> None:
    files = changed(pack, name, pattern, other)
    told = {
        **check.list_own_lines(files),
        "sources.csv": check.list_unreported_cells(files),
        "citations.csv": check.list_heading_rows(files),
    }
    assert faults(summed({**files, "text.json": json.dumps(told).encode()})), what


def test_the_script_and_the_report_name_as_many() -> None:
    assert check.MAX_CONTRADICTIONS == confidence.MAX_SHOWN_CONTRADICTIONS
    assert check.MAX_NAMED_SOURCES == MAX_NAMED_SOURCES
    assert check.MAX_UNUSED_SOURCES == document.MAX_UNUSED_SOURCES


def test_the_readme_and_the_script_say_what_is_compared_and_what_is_not(pack: Files) -> None:
    about, script = (" ".join(pack[name].decode().split()) for name in ("README.txt", "check.py"))
    for said in (about, script):
        assert "text.json" in said
        assert "--digest" in said
        assert re.search(r"README\.txt[^.]*SHA256SUMS alone", said)
    assert "only if you received the pack's digest apart from the pack" in about
    assert pack["check.py"] == Path(check.__file__).read_bytes()
