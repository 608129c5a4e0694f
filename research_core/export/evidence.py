"""Build the evidence pack: one zip with the report and everything it rests on.

Anyone can check each citation and each hash with no network and without Assay. The same session
gives the same bytes.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from research_core import __version__
from research_core.export import (
    archive,
    bibliography,
    check_tables,
    check_words,
    document,
    findings,
    html,
    prompts,
    tables,
)
from research_core.models import Report, ReportSource
from research_core.pipeline import report
from research_core.pipeline.methodology import format_moment
from research_core.sessions.model_requests import RecordedRequests

_README = """\
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
contradictions.csv       where two sources differ on one thing (figure, date, name, denial), and what may explain it
confidence.json          how far the whole can be relied on, measure by measure
sources.csv              every source that was met: whether it was used and why, its scores, when it was read
assessments.csv          what each score of a source is made of, ratings by others and your own word on it among that
citations.csv            every citation, with the words cited and whether they stand in the stored page
pages/, pages.csv        the text of every page that was read, as it was judged and cited, and when each was fetched
prompts/, prompts.csv    what language models were asked, word for word, which model answered, and when
references.bib, .ris, .csl.json   the sources kept, as a bibliography

Tables (.csv) open in any spreadsheet. report.json, verification.json, contradictions.json, assessments.json and prompts.json hold the same
as data, for programs; text.json holds the lines of report.md and report.html that are no sentences of the report.

HOW TO CHECK IT

In this folder, with Python 3.9 or newer and nothing else (it may be given the zip as it came, too):

    python3 check.py
    python3 check.py --digest DIGEST      with a digest that you noted, or were told, before

or the sums alone:

    Linux:    sha256sum -c SHA256SUMS
    macOS:    shasum -a 256 -c SHA256SUMS
    Windows:  Get-FileHash pages\\* -Algorithm SHA256     (in PowerShell; compare with the files' names)

check.py says line by line whether: no file was changed, added or lost since the pack was made; every passage stands in its page; every
sentence, score, contradiction and request to a model leads to what it names; and whether what people read says what report.json says:

report.md, report.html   the text up to the sources: every sentence, word for word, in its order and under its heading, with the sources
                         it cites and what the check found, and nothing beside them but the notices, confidence and contradictions of
                         report.json. Of the lists of sources the titles, addresses, scores and reasons. The other lines (facts about a
                         source, the passages shown beside a citation, methodology) are compared with text.json, and with nothing else
sources.csv              every cell with report.json, but site, kind of page, when it was read and what was not: these with text.json
references.bib, .ris, .csl.json    addresses, titles, authors and scores with report.json, all else with each other
all other tables         with the data beside them, and that with report.json and the stored pages

Of sentences white space is not compared, nor the signs by which Markdown draws a word bold or as code. README.txt, which you read, is held
by SHA256SUMS alone.

WHAT THE CHECK CANNOT SAY

It does not say that a source is right, nor that the report is. And nothing in a pack proves who made it. The sums show what went wrong by
accident, and the comparisons what was changed in one place; who changes a file in every place that says the same can write new sums, and a
new check.py. The sums protect against that only if you received the pack's digest apart from the pack: one line of 64 letters and figures,
the SHA-256 of the file SHA256SUMS. Assay shows it where the pack is made, and check.py prints it. Note it elsewhere at once (in a letter, a
file note, a message) and give it to check.py with --digest; whoever has it can tell later whether this is still the same pack. If in doubt,
take check.py from a pack that Assay makes for you.

HOW IT HANGS TOGETHER

Each file in pages/ and prompts/ is named by the SHA-256 of its bytes. That of a page stands in report.json ("page") beside its source, and
was written into the session's log when the page was fetched. A passage is the stretch of its page from character "from" to character
"to", counted in Unicode characters. Times are in UTC. The "sha256" of a request in prompts.json is the one under which the log recorded
it: of model, kind, texts and data in one spelling, which check.py works out anew. The model "offline" is Assay's own and no language
model; it works on the data beside a prompt. What looks like a key or a password is taken out of a request, which is marked "masked".

The text of the pages belongs to those who wrote it. It is untrusted: read it, run nothing of it.
{missing}"""


#: The modules of the script that checks a pack, in order. It goes into each pack as one file.
_CHECK_MODULES = ("check_base", "check_words", "check_tables", "check_pack")
SUMS_FILE = "SHA256SUMS"


#: Stands for the requests to models if nobody gave them.
UNKNOWN_REQUESTS = RecordedRequests(
    unread="This pack was made of the report alone, without the log of its session."
)


def build_pack(
    built: Report,
    page_text: Callable[[str], str],
    asked: RecordedRequests = UNKNOWN_REQUESTS,
) -> bytes:
    """Build the evidence pack of a report.

    page_text: returns the stored text of a page by its hash, "" if it is not stored; asked: the
    session's requests to models.
    """
    items = bibliography.build_items(built)
    stored = _collect_pages(built, page_text)
    data = report.to_json(built)
    texts = {
        "README.txt": _format_readme(built, stored, asked),
        "report.md": report.to_markdown(built),
        "report.html": html.render_html(built),
        "report.json": findings.format_json(data),
        "sources.csv": tables.format_source_table(built),
        "citations.csv": tables.format_citation_table(built, page_text),
        "pages.csv": _build_pages_table(built, stored),
        **findings.build_files(built, data, page_text),
        "references.bib": bibliography.format_bibtex(items),
        "references.ris": bibliography.format_ris(items),
        "references.csl.json": bibliography.format_csl_json(items),
        "check.py": build_check_script(),
    }
    contents = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    contents["text.json"] = _build_text_json(contents)
    contents |= prompts.build_files(asked)
    for page, body in stored.items():
        contents[_page_file_name(page)] = body
    sums = [f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in contents.items()]
    contents[SUMS_FILE] = "".join(sums).encode()
    return archive.pack(contents, built.created)


@cache
def build_check_script() -> str:
    """Join the modules of the check script into one file, without their mutual imports."""
    folder = Path(__file__).parent
    sources = [(folder / f"{name}.py").read_text("utf-8") for name in _CHECK_MODULES]
    # The script has one docstring: that of the last module, which runs the checks.
    docstring = ast.get_source_segment(sources[-1], ast.parse(sources[-1]).body[0])
    head = f"{docstring}\n\nfrom __future__ import annotations"
    return "\n\n".join([head, *map(_extract_script_part, sources)]) + "\n"


def _extract_script_part(source: str) -> str:
    """Return a module's source without docstring and without imports of the package."""
    docstring, *rest = ast.parse(source).body
    dropped = [docstring]
    for node in rest:
        if not isinstance(node, ast.ImportFrom):
            continue
        if str(node.module).startswith(("__future__", "research_core")):
            dropped.append(node)
    gone: set[int] = set()
    for statement in dropped:
        gone.update(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
    lines = enumerate(source.split("\n"), 1)
    return "\n".join(line for number, line in lines if number not in gone).strip()


def _build_text_json(files: dict[str, bytes]) -> bytes:
    """Build text.json: what people read in the report and report.json does not say."""
    told = {
        **check_words.list_own_lines(files),
        "sources.csv": check_tables.list_unreported_cells(files),
        "citations.csv": check_tables.list_heading_rows(files),
    }
    return findings.format_json(told).encode("utf-8", "replace")


def compute_digest(packed: bytes) -> str:
    """Return the digest of a pack that we made: the SHA-256 of its SHA256SUMS, in hex."""
    return hashlib.sha256(archive.unpack(packed)[SUMS_FILE]).hexdigest()


def _collect_pages(built: Report, page_text: Callable[[str], str]) -> dict[str, bytes]:
    """Return the stored pages by hash, sorted, as the bytes that were hashed."""
    hashes = sorted({source.page for source in built.sources if source.page})
    texts = {page: page_text(page) for page in hashes}
    return {page: text.encode("utf-8", "surrogatepass") for page, text in texts.items() if text}


def _page_file_name(page: str) -> str:
    return f"pages/{page}.txt"


def _build_pages_table(built: Report, stored: dict[str, bytes]) -> str:
    names = ("file", "sha256 holds", "fetched", "url", "title", "source", "decision")
    rows = [_build_page_row(source, stored) for source in built.sources if source.page]
    return tables.format_csv(names, rows)


def _build_page_row(source: ReportSource, stored: dict[str, bytes]) -> tuple[str, ...]:
    file, holds, fetched = "not stored", "", ""
    if source.page in stored:
        file = _page_file_name(source.page)
        digest = hashlib.sha256(stored[source.page]).hexdigest()
        holds = "yes" if digest == source.page else "no"
    if source.fetched:
        fetched = datetime.fromtimestamp(source.fetched, UTC).isoformat(timespec="seconds")
    return (
        file,
        holds,
        fetched,
        tables.clean_cell(source.url),
        tables.clean_cell(source.title),
        str(source.number or ""),
        source.status,
    )


def _format_readme(built: Report, stored: dict[str, bytes], asked: RecordedRequests) -> str:
    return _README.format(
        version=__version__,
        question=document.format_title(built),
        asked=format_moment(built.created),
        session=document.clean_line(built.session),
        missing="".join(
            f"\nNot in this pack: {lack}\n" for lack in _list_missing(built, stored, asked)
        ),
    )


def _list_missing(
    built: Report, stored: dict[str, bytes], asked: RecordedRequests
) -> Iterator[str]:
    """Yield sentences, without their beginning, on what should be in the pack and is not."""
    read = {source.page for source in built.sources if source.page}
    lost = len(read) - len(stored)
    if lost:
        yield f"the text of {lost} page{'s' * (lost != 1)} that is no longer stored."
    if asked.unread:
        yield f"what models were asked. {document.clean_line(asked.unread)}"
    lost = sum(request.params is None for request in asked.made)
    if lost:
        yield f"the words of {lost} request{'s' * (lost != 1)} to models; prompts.csv says why."
