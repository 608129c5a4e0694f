"""The evidence pack: one zip with the report and all it rests on: stored pages, checks, scores, what models were asked, bibliography.

Who has it can check each citation and each hash with no network and without Assay. The same session gives the same bytes. It decides
nothing; it packs what is stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from research_core import __version__, report
from research_core.asked import Requests
from research_core.export import archive, bibliography, document, findings, html, prompts, tables
from research_core.models import Report

_ABOUT = """\
EVIDENCE FOR A REPORT OF ASSAY {version}

Question: {question}
Asked:    {asked}
Session:  {session}

WHAT THIS IS

A computer program searched for sources, read them and wrote a report. This folder holds the report and everything it rests on, so that
you can follow each sentence back to the words it was taken from, without the program, without a network, and without trusting whoever
gave it to you.

WHAT TO READ

report.html              the report, for any browser; hover over a number to see the words it stands on. report.md has the same text
verification.csv         every sentence of the report: what the check found and why, which sources it names, and the words it stands on
contradictions.csv       where two sources give different figures for the same thing, and what may explain it
confidence.json          how far the whole can be relied on, measure by measure
sources.csv              every source that was met: whether it was used and why, its scores, when it was read
assessments.csv          what each score of a source is made of, ratings by others and your own word on it among that
citations.csv            every citation, with the words cited and whether they stand in the stored page
pages/, pages.csv        the text of every page that was read, as it was judged and cited, and when each was fetched
prompts/, prompts.csv    what language models were asked, word for word, which model answered, and when
references.bib, .ris, .csl.json   the sources kept, as a bibliography

Tables (.csv) open in any spreadsheet. report.json, verification.json, contradictions.json, assessments.json and prompts.json hold the same
as data, for programs.

HOW TO CHECK IT

In this folder, with Python 3.9 or newer and nothing else (it may be given the zip as it came, too):

    python3 check.py
    python3 check.py --digest DIGEST      with a digest that you noted, or were told, before

or the sums alone:

    Linux:    sha256sum -c SHA256SUMS
    macOS:    shasum -a 256 -c SHA256SUMS
    Windows:  Get-FileHash pages\\* -Algorithm SHA256     (in PowerShell; compare with the files' names)

check.py says line by line whether: no file was changed, added or lost since the pack was made; every passage stands in its page; every
sentence, score, contradiction and request to a model leads to what it names; report.md has the sentences, scores and
addresses of report.json and no other text before its sources. Of report.html it only sees that each sentence stands there somewhere: read
report.md where it matters. Citations beside sentences, the funnel, and the methodology are not compared.

WHAT THE CHECK CANNOT SAY

It does not say that a source is right, nor that the report is. And nothing in a pack proves who made it: who changes a file can write new
sums, and a new check.py. Against that stands the pack's digest, one line of 64 letters and figures: the SHA-256 of the file SHA256SUMS.
Assay shows it where the pack is made, and check.py prints it. Note it elsewhere at once (in a letter, a file note, a message); whoever has
it can tell later whether this is still the same pack. If in doubt, take check.py from Assay itself.

HOW IT HANGS TOGETHER

Each file in pages/ and prompts/ is named by the SHA-256 of its bytes. That of a page stands in report.json ("page") beside its source, and
was written into the session's log when the page was fetched. A passage is the stretch of its page from character "from" to character
"to", counted in Unicode characters. Times are in UTC. The "sha256" of a request in prompts.json is the one under which the log recorded
it: of model, kind, texts and data in one spelling, which check.py works out anew. The model "offline" is Assay's own and no language
model; it works on the data beside a prompt. What looks like a key or a password is taken out of a request, which is marked "masked".

The text of the pages belongs to those who wrote it. It is untrusted: read it, run nothing of it.
{missing}"""


#: The script that checks a pack; it goes into each as it is.
_CHECK = Path(__file__).parent / "check_pack.py"
SUMS = "SHA256SUMS"


#: What is told of the requests where nobody gave them.
UNKNOWN = Requests(unread="This pack was made of the report alone, without the log of its session.")


def pack(built: Report, page_text: Callable[[str], str], asked: Requests = UNKNOWN) -> bytes:
    """page_text: the stored text of a page by its hash, "" where it is not stored; asked: what models were asked in the session."""
    entries, stored, said = bibliography.entries(built), _pages(built, page_text), report.to_json(built)
    files = {
        "README.txt": _about(built, stored, asked),
        "report.md": report.to_markdown(built),
        "report.html": html.make(built),
        "report.json": findings.text(said),
        "sources.csv": tables.sources(built),
        "citations.csv": tables.cited(built, page_text),
        "pages.csv": _listed(built, stored),
        **findings.files(built, said, page_text),
        "references.bib": bibliography.bibtex(entries),
        "references.ris": bibliography.ris(entries),
        "references.csl.json": bibliography.csl_json(entries),
        "check.py": _CHECK.read_text("utf-8"),
    }
    contents = {name: text.encode("utf-8", "replace") for name, text in files.items()}
    contents |= {**prompts.files(asked), **{_file(page): body for page, body in stored.items()}}
    sums = "".join(f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in contents.items())
    return archive.pack({**contents, SUMS: sums.encode()}, built.created)


def digest(packed: bytes) -> str:
    """By which a pack that we made is known: the SHA-256 of its SHA256SUMS, in hex, as its script prints it."""
    return hashlib.sha256(archive.unpack(packed)[SUMS]).hexdigest()


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


def _about(built: Report, stored: dict[str, bytes], asked: Requests) -> str:
    return _ABOUT.format(
        version=__version__,
        question=document.title(built),
        asked=report.moment(built.created),
        session=document.line(built.session),
        missing="".join(f"\nNot in this pack: {lack}\n" for lack in _missing(built, stored, asked)),
    )


def _missing(built: Report, stored: dict[str, bytes], asked: Requests) -> Iterator[str]:
    """What should be here and is not, in sentences without their beginning."""
    if lost := len({source.page for source in built.sources if source.page}) - len(stored):
        yield f"the text of {lost} page{'s' * (lost != 1)} that is no longer stored."
    if asked.unread:
        yield f"what models were asked. {document.line(asked.unread)}"
    if lost := sum(request.params is None for request in asked.made):
        yield f"the words of {lost} request{'s' * (lost != 1)} to models; prompts.csv says why."
