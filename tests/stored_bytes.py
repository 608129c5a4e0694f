"""Everything a database holds, to look for what must not be written: its files, and what is
compressed in them.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from research_core.journal.tables import decompress

COMPRESSED_COLUMNS = (("event", "data"), ("blob", "body"), ("session", "settings"))


def read_stored_bytes(folder: Path) -> bytes:
    """The bytes of the database `assay.db` and its side files, and the bodies as they were given."""
    stored = [path.read_bytes() for path in sorted(folder.glob("assay.db*"))]
    with closing(sqlite3.connect(folder / "assay.db")) as conn:
        for table, column in COMPRESSED_COLUMNS:
            bodies = conn.execute(f"SELECT {column} FROM {table}")
            stored += [decompress(body) for (body,) in bodies]
    return b"".join(stored)
