"""Recognise files by their first bytes: documents, and kinds that hold no readable text.

The error for an unreadable file can then name it.
"""

from __future__ import annotations

import re

from research_core.errors import FetchError

SAVE_AS_NEXT_STEP = "Save it as PDF, DOCX, HTML or text, or look for such a version of it."

#: First bytes and the file type; the first match counts. Each is long enough that no text begins
#: so by chance.
SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (rb"\x89PNG\r\n\x1a\n", "an image (PNG)"),
    (rb"\xff\xd8\xff", "an image (JPEG)"),
    (rb"GIF8[79]a", "an image (GIF)"),
    (rb"RIFF....WEBP", "an image (WebP)"),
    (rb"II\*\x00|MM\x00\*", "an image (TIFF)"),
    (rb"BM.{4}\x00\x00\x00\x00", "an image (BMP)"),
    (rb"\x00\x00[\x01\x02]\x00.\x00", "an icon"),
    (rb"8BPS\x00", "an image (Photoshop)"),
    (rb"\x00\x00\x00\x0cjP  |\xff\x4f\xff\x51", "an image (JPEG 2000)"),
    (rb"\xff\x0a|\x00\x00\x00\x0cJXL ", "an image (JPEG XL)"),
    (rb"\x00\x00\x00.ftypavi[fs]", "an image (AVIF)"),
    (rb"\x00\x00\x00.ftyp(?:hei|mif1)", "an image (HEIC)"),
    (rb"\x00\x00\x00.ftypM4[AB]", "a sound recording (M4A)"),
    (rb"\x00\x00\x00.ftyp", "a video (MP4)"),
    (rb"RIFF....WAVE", "a sound recording (WAV)"),
    (rb"RIFF....AVI ", "a video (AVI)"),
    (rb"ID3[\x02-\x04]|\xff[\xfb\xf3\xf2]", "a sound recording (MP3)"),
    (rb"OggS\x00", "a sound recording or video (Ogg)"),
    (rb"fLaC\x00", "a sound recording (FLAC)"),
    (rb"MThd\x00", "a music file (MIDI)"),
    (rb"\x1a\x45\xdf\xa3", "a video (Matroska or WebM)"),
    (rb"FLV\x01", "a video (FLV)"),
    (rb"\x00\x00\x01[\xba\xb3]", "a video (MPEG)"),
    (rb"\x1f\x8b", "an archive (gzip)"),
    (rb"BZh[1-9]1AY&SY", "an archive (bzip2)"),
    (rb"\xfd7zXZ\x00", "an archive (xz)"),
    (rb"7z\xbc\xaf\x27\x1c", "an archive (7z)"),
    (rb"Rar!\x1a\x07", "an archive (RAR)"),
    (rb"\x28\xb5\x2f\xfd", "an archive (Zstandard)"),
    (rb".{257}ustar[\x00 ]", "an archive (tar)"),
    (rb"!<arch>\n", "an archive (ar)"),
    (rb"\{\\rtf", "a document (RTF)"),
    (rb"%!PS-", "a document (PostScript)"),
    (rb"\xf7\x02\x01\x83", "a document (DVI)"),
    (rb"AT&TFORM", "a document (DjVu)"),
    (rb".{60}BOOKMOBI", "an e-book (MOBI)"),
    (rb"wOF[F2]\x00|OTTO\x00|\x00\x01\x00\x00\x00", "a font"),
    (rb"\x7fELF|MZ.\x00|\xca\xfe\xba\xbe|\xcf\xfa\xed\xfe|\x00asm", "a program"),
    (rb"SQLite format 3\x00", "a database (SQLite)"),
    (rb"PAR1[\x00-\x1f]", "a data file (Parquet)"),
    (rb"\x89HDF\r\n\x1a\n", "a data file (HDF5)"),
)
_PATTERNS = tuple((re.compile(mark, re.DOTALL), name) for mark, name in SIGNATURES)
#: Bytes of a document (PDF, DOCX, PPTX); and how many of the first are examined to recognise
#: one.
MAX_DOCUMENT_BYTES, SAMPLE_BYTES = 50_000_000, 1_024
COMPOUND_FILE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: Streams that only such compound files have -> what the file is. An encrypted one may be of any
#: kind.
_COMPOUND_STREAMS = {
    "EncryptedPackage": "an encrypted Office document that needs a password",
    "WordDocument": "a document (DOC)",
    "PowerPoint Document": "a presentation (PPT)",
    "Workbook": "a spreadsheet (XLS)",
    "__substg1.0_": "an e-mail (MSG)",
}


def is_document(head: bytes | bytearray) -> bool:
    """Return whether the first bytes are those of a PDF or of an office container.

    Some servers put something before a PDF's mark.
    """
    return head.startswith(b"PK\x03\x04") or b"%PDF-" in head[:SAMPLE_BYTES]


def name_file_type(body: bytes) -> str:
    """Name the type of these bytes, or "" if no signature matches."""
    if body.startswith(COMPOUND_FILE_MARK):
        return next(
            (
                name
                for stream, name in _COMPOUND_STREAMS.items()
                if stream.encode("utf-16-le") in body
            ),
            "an old Office document",
        )
    return next((name for mark, name in _PATTERNS if mark.match(body)), "")


def make_unreadable_error(name: str) -> FetchError:
    """Return the error for a file type that is not read."""
    return FetchError(
        f"This is {name}, which Assay does not read.",
        kind="unsupported",
        next_step=SAVE_AS_NEXT_STEP,
    )
