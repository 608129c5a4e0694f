"""Read a bibliography in any supported format, which is detected by its content.

An unsupported format is refused by name, with advice; a broken entry is refused with its line, and
the rest is read. Nothing is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from research_core.citations.formats import (
    plain,
    read_bibtex,
    read_csl,
    read_isi,
    read_medline,
    read_refer,
    read_ris,
)
from research_core.citations.formats.entries import BibliographyReading
from research_core.errors import UsageError

#: The reader of each format, by name.
READERS: dict[str, Callable[[str], BibliographyReading]] = {
    "csl-json": read_csl.read_csl,
    "ris": read_ris.read_ris,
    "bibtex": read_bibtex.read_bibtex,
    "nbib": read_medline.read_medline,
    "ovid": read_medline.read_ovid,
    "endnote": read_refer.read_refer,
    "isi": read_isi.read_isi,
    "refworks": read_refer.read_refworks,
    "text": plain.read_references,
}
#: Patterns of formats, tried in this order at the start of a document; a format "" is not
#: supported.
_FORMAT_SIGNS = (
    (
        "",
        "MODS",
        r"\s*<[^\x00]{0,3000}?<(?:\w+:)?mods(?:Collection)?[\s>]"
        r"|\s*<(?:\w+:)?mods(?:Collection)?[\s>]",
    ),
    (
        "",
        "PubMed XML",
        r"\s*<[^\x00]{0,600}?<?(?:PubmedArticleSet|PubmedBookArticle|PubmedArticle"
        r"|MedlineCitation|eFetchResult)",
    ),
    ("", "MARC XML", r"\s*<[^\x00]{0,1500}?(?:MARC21/slim|<(?:\w+:)?leader>)"),
    ("", "METS", r"\s*<[^\x00]{0,600}?mets:METS|\s*<[^\x00]{0,600}?<mets[\s>]"),
    (
        "",
        "Crossref's Unixref XML",
        r"\s*<[^\x00]{0,1500}?(?:<doi_records?>|crossref_result|<crossref[\s>])",
    ),
    ("", "EndNote XML", r"\s*<[^\x00]{0,600}?<xml>\s*<records>|\s*<[^\x00]{0,600}?<source-app"),
    ("", "RDF", r"\s*<[^\x00]{0,600}?<rdf:RDF"),
    ("", "Word's bibliography XML", r"\s*<[^\x00]{0,600}?<b:Sources"),
    ("ovid", "", r"\s*<\s*\d+\s*\.?\s*>[ \t]*\n[A-Z][A-Z0-9] {1,3}-"),
    ("", "Ovid's export of whole field names", r"\s*<\s*\d+\s*\.?\s*>"),
    ("", "XML", r"\s*<(?:\?xml|!|[A-Za-z][\w:.-]*[\s>])"),
    ("", "MARC", r"\s*\d{5}[a-z][a-z ]{2,4}[\da-z ]?\s?22\d{5}|[^\n]{0,400}\x1e"),
    (
        "",
        "OpenAlex JSON",
        r"\s*[\[{][^\x00]{0,4000}?\"(?:id\"\s*:\s*\"https://openalex\.org/|authorships\"\s*:)",
    ),
    (
        "",
        "DataCite JSON",
        r"\s*[\[{](?=[^\x00]{0,20000}?\"creators\"\s*:)[^\x00]{0,20000}?\"titles\"\s*:",
    ),
    ("csl-json", "", r"\s*(?:\[\s*(?:\{|\]|\Z)|\{\s*(?:\"|\}|\Z))"),
    ("isi", "", r"(?:[^\n]*\n){0,20}?(?:FN [^\n]*\nVR |PT [A-Z]\s*\n(?:[A-Z][A-Z0-9] |\s))"),
    ("ris", "", r"(?:[^\n]*\n){0,60}?\s{0,3}TY\s{1,2}-\s?"),
    (
        "nbib",
        "",
        (
            r"(?:[^\n]*\n){0,20}?(?:PMID|PMCR|OWN|STAT|FAU|DCOM|DEP|MH|JT|PT|TI|BTI|FED|AID|LID)"
            r" {0,3}- "
        ),
    ),
    ("ris", "", r"(?:[^\n]*\n){0,20}?[A-Z][A-Z0-9]  - [^\n]*\n[A-Z][A-Z0-9]  - "),
    ("refworks", "", r"(?:[^\n]*\n){0,20}?RT [A-Z]"),
    ("endnote", "", r"(?:[^\n]*\n){0,20}?\s{0,3}%[0ATDJE](?:[ \t]|\n)"),
    ("", "Biblioscape", r"\s*--[A-Z]{2}--"),
    ("", "Copac", r"\s*[A-Z]{2}- {1,2}\S"),
    ("", "RePEc", r"\s*Template-Type:"),
)
_FORMAT_PATTERNS = tuple(
    (name, refused, re.compile(pattern)) for name, refused, pattern in _FORMAT_SIGNS
)
#: Characters of a document in which its format is looked for.
MAX_DETECT_CHARS = 50_000
_EXPORT_ADVICE = (
    "Export the references as BibTeX, RIS or CSL-JSON, as Zotero, EndNote, Mendeley and most"
    " databases do, and give that."
)


def read_bibliography(text: str, format: str = "auto") -> BibliographyReading:
    """Read the works of a bibliography with their lines, and the refused entries.

    format: "auto", or a name in `READERS`. Raises UsageError if nothing can be read: an unknown
    format, an empty document, no entry. An unsupported format is refused in the same words whatever
    format is given; as "text" anything is read.
    """
    text = re.sub(r"\r\n?", "\n", text.removeprefix("\ufeff"))
    if format != "auto" and format not in READERS:
        detect_format(
            text
        )  # a kind that is not read here is refused as that, whatever it is called
        raise UsageError(
            f"There is no format {format[:40]!r}.",
            next_step=f"Choose one of: auto, {', '.join(READERS)}.",
        )
    if not text.strip():
        raise UsageError(
            "The bibliography is empty.",
            next_step="Give the text of a BibTeX, RIS or CSL-JSON file.",
        )
    if "\x00" in text[:MAX_DETECT_CHARS]:
        raise UsageError(
            "Line 1: this is no text but a file's bytes, or text in another encoding.",
            next_step="Save the file as UTF-8.",
        )
    chosen = detect_format(text) if format == "auto" else format
    reading = READERS[chosen](text)
    if not reading.entries:
        detect_format(text)
    if not reading.entries and not reading.refused:
        raise UsageError(
            f"Line 1: there is no entry in this, read as {chosen}.", next_step=_EXPORT_ADVICE
        )
    return reading


def detect_format(text: str) -> str:
    """Return the format of a document: a name in `READERS`.

    Raises UsageError, with the line, for an unsupported format.
    """
    head = text[:MAX_DETECT_CHARS]
    blank = head[: len(head) - len(head.lstrip())]
    line = blank.count("\n") + 1
    for name, refused, pattern in _FORMAT_PATTERNS:
        if not pattern.match(head):
            continue
        if refused:
            raise UsageError(
                f"Line {line}: this is {refused}, which Assay does not read.",
                next_step=_EXPORT_ADVICE,
            )
        return name
    return "bibtex" if read_bibtex.ENTRY_START.search(text) else "text"
