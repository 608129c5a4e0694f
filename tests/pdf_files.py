"""PDF files for tests, written out object by object: as many pages as are wanted, in no time."""

from __future__ import annotations

import zlib


def pdf(*pages: str, information: str = "") -> bytes:
    """A PDF whose pages hold these lines, in Helvetica of 10 pt. information: what stands in its
    dictionary, "/Title (…)".
    """
    first = 5
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< {information} >>",
    ]
    for n, page in enumerate(pages):
        shown = " ".join(f"({_escaped(line)}) Tj 0 -12 Td" for line in page.split("\n"))
        content = f"BT /F1 10 Tf 40 800 Td {shown} ET"
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {first + 2 * n + 1} 0 R {resources} >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    return _file(objects)


def linked(*links: tuple[str, str, str]) -> bytes:
    """A PDF of one page with a line for each (text before, linked words, address), in Courier.

    The address stands in an annotation alone. "" for no link.
    """
    first, width, lines, rows = 7, 6, [], []
    for number, (before, words, address) in enumerate(links):
        up = 760 - 14 * number
        lines.append(f"BT /F1 10 Tf 40 {up} Td ({_escaped(before + words)}) Tj ET")
        if address:
            left, right = 40 + width * len(before), 40 + width * len(before + words)
            rows.append(
                f"<< /Type /Annot /Subtype /Link /Rect [{left} {up - 3} {right} {up + 9}]"
                f" /A << /S /URI /URI ({_escaped(address)}) >> >>"
            )
    content = "\n".join(lines)
    named = " ".join(f"{first + n} 0 R" for n in range(len(rows)))
    held = f"/Resources << /Font << /F1 3 0 R >> >> /Annots [{named}]"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
        "<< >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 800] /Contents 6 0 R {held} >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    ]
    return _file([*objects, *rows])


def swollen(unit: bytes, count: int) -> bytes:
    """A PDF of one page whose content is packed, and unpacks to so many of these."""
    packed = zlib.compress(unit * count, 9)
    resources = "/Resources << /Font << /F1 3 0 R >> >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R {resources} >>",
        f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n{packed.decode('latin-1')}\nendstream",
    ]
    return _file(objects)


def repeated(content: str, pages: int) -> bytes:
    """A PDF of so many pages that all have this content."""
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
    kids = " ".join(f"{6 + n} 0 R" for n in range(pages))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    ]
    return _file([*objects, *[page] * pages])


def drawn(content: str, *objects: str, resources: str = "") -> bytes:
    """A PDF of one page of 600 to 800 points with this content. objects: further ones, from number
    7 on; resources: how it names them.
    """
    held = f"/Resources << /Font << /F1 3 0 R >> {resources} >>"
    first = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 6 0 R {held} >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    ]
    return _file([*first, *objects])


def form(content: str, resources: str = "") -> str:
    """A form, an object of its own that a page draws. resources: what it can name but the font."""
    held = f"/BBox [-9999 -9999 9999 9999] /Resources << /Font << /F1 3 0 R >> {resources} >>"
    return f"<< /Type /XObject /Subtype /Form {held} /Length {len(content)} >>\nstream\n{content}\nendstream"


PICTURE = (
    "<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace "
    "/DeviceGray /BitsPerComponent 8 /Length 4 >>\nstream\nabcd\nendstream"
)


def illustrated(words: str, picture: bytes) -> bytes:
    """A PDF of one page, with a line and under it a grey picture of these bytes."""
    content = f"q 500 0 0 500 40 0 cm /P Do Q BT /F1 10 Tf 40 800 Td ({_escaped(words)}) Tj ET"
    resources = "/Resources << /Font << /F1 3 0 R >> /XObject << /P 7 0 R >> >>"
    shape = (
        f"/Width 1000 /Height {len(picture) // 1000} /ColorSpace /DeviceGray /BitsPerComponent 8"
    )
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R {resources} >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        f"<< /Type /XObject /Subtype /Image {shape} /Length {len(picture)} >>\nstream\n{picture.decode('latin-1')}\nendstream",
    ]
    return _file(objects)


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _file(objects: list[str]) -> bytes:
    """The file of these objects, numbered from 1; the first is the catalogue, the fourth the
    information.
    """
    out, places = bytearray(b"%PDF-1.4\n"), list[int]()
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n".encode("latin-1")
    start = len(out)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n".encode()
    out += f"<< /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
