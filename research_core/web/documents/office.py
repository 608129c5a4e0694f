"""A ZIP container as a page, in the child process (see `sandbox`): told by its parts, never by a
name.

Word documents and presentations are read (`word`, `slides`); of every other container it is said
what it is.
"""

from __future__ import annotations

from dataclasses import replace

from research_core.errors import FetchError
from research_core.models import Page
from research_core.text.words import truncate, visible
from research_core.web.documents import TITLE_LENGTH, heading, slides, word
from research_core.web.documents.container import Container
from research_core.web.documents.ooxml import TYPES, Package, Reader
from research_core.web.documents.properties import of_core
from research_core.web.documents.signatures import unreadable
from research_core.web.documents.tally import Tally

#: What the content type of a main part holds, with or without macros, document or template: its
#: kind, and who reads it.
READERS: dict[str, tuple[str, Reader]] = {
    "wordprocessingml.document.main": ("docx", word.read),
    "wordprocessingml.template.main": ("docx", word.read),
    "ms-word.document.macroenabled.main": ("docx", word.read),
    "ms-word.template.macroenabledtemplate.main": ("docx", word.read),
    "presentationml.presentation.main": ("pptx", slides.read),
    "presentationml.slideshow.main": ("pptx", slides.read),
    "presentationml.template.main": ("pptx", slides.read),
    "ms-powerpoint.presentation.macroenabled.main": ("pptx", slides.read),
    "ms-powerpoint.slideshow.macroenabled.main": ("pptx", slides.read),
}
#: A part that only such files have, or what the part `mimetype` says: what the file is.
OTHERS = {
    "xl/workbook.xml": "a spreadsheet (XLSX)",
    "xl/workbook.bin": "a spreadsheet (XLSB)",
    "visio/document.xml": "a drawing (VSDX)",
    "AndroidManifest.xml": "an Android program (APK)",
    "META-INF/MANIFEST.MF": "a Java program (JAR)",
    "Index/Document.iwa": "an iWork document",
    "Index.zip": "an iWork document",
}
MIMETYPES = {
    "application/epub+zip": "a digital publication (EPUB)",
    "application/vnd.oasis.opendocument.text": "an OpenDocument text (ODT)",
    "application/vnd.oasis.opendocument.spreadsheet": "an OpenDocument spreadsheet (ODS)",
    "application/vnd.oasis.opendocument.presentation": "an OpenDocument presentation (ODP)",
}


def parse(body: bytes, url: str = "") -> Page:
    """The page in a ZIP container. Raises FetchError: unsupported (another kind, broken, locked),
    too_large (a bomb), content_empty.
    """
    container = Container(body)
    package = Package(container)
    for part, content_type in package.types.items() if TYPES in container else ():
        for mark, (kind, reader) in READERS.items():
            if mark in content_type.lower() and part in container:
                return _page(package, part, kind, reader, url)
    raise unreadable(_named(container))


def _page(package: Package, main: str, kind: str, reader: Reader, url: str) -> Page:
    tally = Tally()
    found = reader(package, main, tally)
    if not found.text:
        raise FetchError("The document holds no text.", kind="content_empty")
    said = of_core(package.container.read("docProps/core.xml"))
    title = said.title or truncate(
        " ".join(visible(found.title).split()) or heading(found.text), TITLE_LENGTH
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


def _named(container: Container) -> str:
    """What the container is, where it is none that is read."""
    said = container.read("mimetype")[:100].decode("ascii", "replace").strip()
    known = next(
        (name for part, name in OTHERS.items() if part in container), MIMETYPES.get(said, "")
    )
    return known or f"a ZIP archive of {len(container.names):,} files"
