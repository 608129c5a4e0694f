"""The evidence pack: one zip with the report, the stored text of every page that was read, scores, citations and bibliography.

Who has it can check each citation and each hash with no network and without Assay. It decides nothing; it packs what is stored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from research_core import __version__, report
from research_core.export import archive, bibliography, document, html, tables
from research_core.models import Report

_ABOUT = """\
Evidence for a report of Assay {version}

Question: {question}
Asked:    {asked}
Session:  {session}

report.md, report.html   the report; the HTML shows each citation's passage and loads nothing
report.json              the same as data: every source, sentence, score and passage
sources.csv              every source that was met: decision, credibility with its parts, relevance, why, when it was read
citations.csv            every citation: the sentence, what the check found, the passage, and whether it stands in the stored page
pages/                   the text of every page that was read, as it was judged and cited; each file is named by the SHA-256 of its bytes
pages.csv                which file is which page, and when it was fetched
references.bib, .ris, .csl.json   the sources kept, for Zotero, EndNote, Mendeley, LaTeX
check.py                 checks all this with Python alone: hashes, passages, citations, counts
SHA256SUMS               the SHA-256 of every other file here

To check, with no network, in this folder:

    Anywhere: python3 check.py      (give it this folder, or the zip as it came)

or the hashes alone:

    Linux:    sha256sum -c SHA256SUMS
    macOS:    shasum -a 256 -c SHA256SUMS
    Windows:  Get-FileHash pages\\* -Algorithm SHA256     (in PowerShell; compare with the files' names)

The SHA-256 of a page also stands in report.json ("page") beside each source, and was written into the session's log when the page was
fetched. A passage is the stretch of its page from character "from" to character "to" of citations.csv, counted in Unicode characters.

Nothing in a pack proves who made it: who changes a file can write new sums, and a new check.py. Against that, note the pack's digest
elsewhere while you trust it: it is the SHA-256 of the file SHA256SUMS, and `check.py` prints it. If in doubt, take check.py from Assay.

The prompts that were given to a model are not in this pack.

The text of the pages belongs to those who wrote it. It is untrusted: read it, run nothing of it.
{missing}"""


#: The script that checks a pack; it goes into each as it is.
_CHECK = Path(__file__).parent / "check_pack.py"


def pack(built: Report, page_text: Callable[[str], str]) -> bytes:
    """page_text: the stored text of a page by its hash, "" where it is not stored."""
    entries = bibliography.entries(built)
    stored = _pages(built, page_text)
    files = {
        "README.txt": _about(built, stored),
        "report.md": report.to_markdown(built),
        "report.html": html.make(built),
        "report.json": json.dumps(report.to_json(built), ensure_ascii=False, indent=2) + "\n",
        "sources.csv": tables.sources(built),
        "citations.csv": tables.cited(built, page_text),
        "pages.csv": _listed(built, stored),
        "references.bib": bibliography.bibtex(entries),
        "references.ris": bibliography.ris(entries),
        "references.csl.json": bibliography.csl_json(entries),
        "check.py": _CHECK.read_text("utf-8"),
    }
    contents = {name: text.encode("utf-8", "replace") for name, text in files.items()}
    contents |= {_file(page): body for page, body in stored.items()}
    sums = "".join(f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in contents.items())
    return archive.pack({**contents, "SHA256SUMS": sums.encode()}, built.created)


def _pages(built: Report, page_text: Callable[[str], str]) -> dict[str, bytes]:
    """The stored pages by hash, sorted; bytes as they were hashed."""
    hashes = sorted({source.page for source in built.sources if source.page})
    texts = {page: page_text(page) for page in hashes}
    return {page: text.encode("utf-8", "surrogatepass") for page, text in texts.items() if text}


def _file(page: str) -> str:
    return f"pages/{page}.txt"


def _listed(built: Report, stored: dict[str, bytes]) -> str:
    names = ("file", "sha256 holds", "fetched", "url", "title", "source", "decision")
    rows = [
        (
            _file(source.page) if source.page in stored else "not stored",
            ("yes" if hashlib.sha256(stored[source.page]).hexdigest() == source.page else "no") if source.page in stored else "",
            datetime.fromtimestamp(source.fetched, UTC).isoformat(timespec="seconds") if source.fetched else "",
            tables.cell(source.url),
            tables.cell(source.title),
            str(source.number or ""),
            source.status,
        )
        for source in built.sources
        if source.page
    ]
    return tables.table(names, rows)


def _about(built: Report, stored: dict[str, bytes]) -> str:
    lost = len({source.page for source in built.sources if source.page}) - len(stored)
    missing = f"\nNot in this pack: the text of {lost} page{'s' * (lost != 1)} that is no longer stored.\n" if lost else ""
    return _ABOUT.format(
        version=__version__,
        question=document.title(built),
        asked=report.moment(built.created),
        session=document.line(built.session),
        missing=missing,
    )
