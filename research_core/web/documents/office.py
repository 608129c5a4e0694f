"""Read a ZIP container as a page, in the child process; recognised by its parts, not its name.

Word documents and presentations are read (`word`, `slides`); for any other container the error says
what it is.
"""

from __future__ import annotations

from dataclasses import replace

from research_core.errors import FetchError
from research_core.models import Page
from research_core.text.words import strip_invisible, truncate
from research_core.web.documents import slides, word
from research_core.web.documents.container import Container
from research_core.web.documents.ooxml import TYPES_PART, Package, Reader
from research_core.web.documents.plain_text import TITLE_LENGTH, get_first_heading_text
from research_core.web.documents.properties import read_core_properties
from research_core.web.documents.tally import HiddenTextTally
from research_core.web.signatures import make_unreadable_error

#: Part of a main part's content type -> its kind and its reader.
OFFICE_READERS: dict[str, tuple[str, Reader]] = {
    "wordprocessingml.document.main": ("docx", word.read_document),
    "wordprocessingml.template.main": ("docx", word.read_document),
    "ms-word.document.macroenabled.main": ("docx", word.read_document),
    "ms-word.template.macroenabledtemplate.main": ("docx", word.read_document),
    "presentationml.presentation.main": ("pptx", slides.read_slides),
    "presentationml.slideshow.main": ("pptx", slides.read_slides),
    "presentationml.template.main": ("pptx", slides.read_slides),
    "ms-powerpoint.presentation.macroenabled.main": ("pptx", slides.read_slides),
    "ms-powerpoint.slideshow.macroenabled.main": ("pptx", slides.read_slides),
}
#: Parts that only such files have, or the content of `mimetype` -> what the file is.
OTHER_PARTS = {
    "xl/workbook.xml": "a spreadsheet (XLSX)",
    "xl/workbook.bin": "a spreadsheet (XLSB)",
    "visio/document.xml": "a drawing (VSDX)",
    "AndroidManifest.xml": "a program (APK)",
    "META-INF/MANIFEST.MF": "a program (JAR)",
    "Index/Document.iwa": "an iWork document",
    "Index.zip": "an iWork document",
}
OTHER_MIMETYPES = {
    "application/epub+zip": "an e-book (EPUB)",
    "application/vnd.oasis.opendocument.text": "a document (ODT)",
    "application/vnd.oasis.opendocument.spreadsheet": "a spreadsheet (ODS)",
    "application/vnd.oasis.opendocument.presentation": "a presentation (ODP)",
}


def parse(body: bytes, url: str = "", *, links: bool = False) -> Page:
    """Read the page in a ZIP container. links: keep the links of a text document as Markdown.

    Raises FetchError: unsupported (another kind, broken, encrypted), too_large (a bomb),
    content_empty.
    """
    container = Container(body)
    package = Package(container, keeps_links=links)
    for part, content_type in package.types.items() if TYPES_PART in container else ():
        for mark, (kind, reader) in OFFICE_READERS.items():
            if mark in content_type.lower() and part in container:
                return _build_page(package, part, kind, reader, url)
    raise make_unreadable_error(_name_unreadable_kind(container))


def _build_page(package: Package, main: str, kind: str, reader: Reader, url: str) -> Page:
    tally = HiddenTextTally()
    found = reader(package, main, tally)
    if not found.text:
        raise FetchError("The document holds no text.", kind="content_empty")
    said = read_core_properties(package.container.read("docProps/core.xml"))
    title = said.title or truncate(
        " ".join(strip_invisible(found.title).split()) or get_first_heading_text(found.text),
        TITLE_LENGTH,
    )
    return Page(
        url,
        url,
        title,
        found.text,
        kind,
        said.published,
        metadata=replace(said.metadata, cut=found.cut),
        hidden=tally.hidden,
    )


def _name_unreadable_kind(container: Container) -> str:
    """Name the kind of a container that is not read."""
    mimetype = container.read("mimetype")[:100].decode("ascii", "replace").strip()
    for part, name in OTHER_PARTS.items():
        if part in container:
            return name
    return OTHER_MIMETYPES.get(mimetype, "an archive (ZIP)")
