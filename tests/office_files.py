"""Office documents for tests, made in memory part by part.

What a part says is written out, so that a test shows what is in it. They hold what readers look at,
and would not satisfy the programs they are named after.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
_REFERRED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_CORE = (
    '<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>{title}'
    "</dc:title><dc:creator>{author}</dc:creator><dcterms:created>{created}</dcterms:created><dcterms:modified>{modified}</dcterms:modified>"
    "<dc:language>{language}</dc:language></cp:coreProperties>"
)


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file of these parts, the same bytes for the same parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(zipfile.ZipInfo(name), part)
    return out.getvalue()


def parts_of(body: bytes) -> dict[str, bytes]:
    """The parts of a ZIP file, by name."""
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        return {name: file.read(name) for name in file.namelist()}


def core(
    title: str = "", author: str = "", created: str = "", modified: str = "", language: str = ""
) -> str:
    return _CORE.format(
        title=title, author=author, created=created, modified=modified, language=language
    )


def types(parts: Mapping[str, str]) -> str:
    said = "".join(
        f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, kind in parts.items()
    )
    return f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{said}</Types>'


def references(parts: Mapping[str, str]) -> str:
    """parts: id -> "type target"."""
    rows = ((name, *said.split(" ")) for name, said in parts.items())
    said = "".join(
        f'<Relationship Id="{name}" Type="{_REFERRED}/{kind}" Target="{target}"/>'
        for name, kind, target in rows
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{said}</Relationships>'


_WORD_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_SLIDES_MAIN = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"


def docx(
    body: str,
    *,
    styles: str = "",
    numbering: str = "",
    footnotes: str = "",
    said: str = "",
    main_type: str = _WORD_MAIN,
) -> bytes:
    """A Word document. body, styles …: what stands in the parts; said: docProps/core.xml."""
    parts = {
        "[Content_Types].xml": types({"word/document.xml": main_type}),
        "word/document.xml": f"<w:document {W} {R} {MC}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": references(
            {name: f"{name} {name}.xml" for name in ("styles", "numbering", "footnotes")}
        ),
        "word/styles.xml": f"<w:styles {W}>{styles}</w:styles>",
        "word/numbering.xml": f"<w:numbering {W}>{numbering}</w:numbering>",
        "word/footnotes.xml": f"<w:footnotes {W}>{footnotes}</w:footnotes>",
    }
    return archive(parts | ({"docProps/core.xml": said} if said else {}))


def p(text: str = "", settings: str = "", run: str = "") -> str:
    """A paragraph of one run. settings: what stands in its pPr; run: in the rPr."""
    return f"<w:p><w:pPr>{settings}</w:pPr>{r(text, run)}</w:p>"


def r(text: str, settings: str = "") -> str:
    return f'<w:r><w:rPr>{settings}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{p(text)}</w:tc>" for text in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def pptx(
    *slides: str,
    notes: Mapping[int, str] | None = None,
    said: str = "",
    hidden: frozenset[int] = frozenset(),
) -> bytes:
    """A presentation. slides: what stands in each shape tree, from 1; notes: slide -> what stands
    in that of its notes.
    """
    names = {f"rId{n}": f"slide slides/slide{n}.xml" for n in range(1, len(slides) + 1)}
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="{name}"/>' for n, name in enumerate(names, 1))
    parts = {
        "[Content_Types].xml": types({"ppt/presentation.xml": _SLIDES_MAIN}),
        "ppt/presentation.xml": f'<p:presentation {P} {R}><p:sldIdLst>{listed}</p:sldIdLst><p:sldSz cx="1000" cy="500"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": references(names),
    }
    for number, slide in enumerate(slides, 1):
        show = ' show="0"' if number in hidden else ""
        parts[f"ppt/slides/slide{number}.xml"] = (
            f"<p:sld {P} {R}{show}><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>"
        )
    for number, note in (notes or {}).items():
        parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = references(
            {"rId1": f"notesSlide ../notesSlides/notesSlide{number}.xml"}
        )
        parts[f"ppt/notesSlides/notesSlide{number}.xml"] = (
            f"<p:notes {P}><p:cSld><p:spTree>{note}</p:spTree></p:cSld></p:notes>"
        )
    return archive(parts | ({"docProps/core.xml": said} if said else {}))


def shape(
    *paragraphs: str,
    kind: str | None = None,
    at: tuple[int, int] | None = None,
    hidden: bool = False,
) -> str:
    """A shape with text. kind: of its placeholder, None for a text box; at: its place, 100 wide and
    high.
    """
    holder = "" if kind is None else f'<p:ph type="{kind}"/>' if kind else "<p:ph/>"
    frame = (
        f'<a:xfrm><a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="100" cy="100"/></a:xfrm>' if at else ""
    )
    words = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)
    named = f'<p:cNvPr id="2" name="x"{" hidden=" + chr(34) + "1" + chr(34) if hidden else ""}/>'
    return f"<p:sp><p:nvSpPr>{named}<p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr>{frame}</p:spPr><p:txBody>{words}</p:txBody></p:sp>"
