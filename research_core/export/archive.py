"""Write zip files whose bytes depend only on their content and one moment.

Used for the evidence pack, and for DOCX, which is a zip too.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime

#: The first moment that a zip can hold.
_EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)


def pack(files: Mapping[str, bytes], at: float) -> bytes:
    """Zip the files in the given order, all dated `at` (seconds since the epoch, in UTC)."""
    moment = max(datetime.fromtimestamp(at, UTC), _EARLIEST)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, body in files.items():
            entry = zipfile.ZipInfo(name, moment.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # or it would say which system packed it
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, body)
    return out.getvalue()


def unpack(body: bytes) -> dict[str, bytes]:
    """Return the files of a zip that this program just made; unsafe for any other zip."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
