"""Keep the pages read last, so that a body that comes again is not parsed again.

Parsing depends on the bytes and on what came with them, and on nothing else. What could not be
parsed is not kept: it may have been the time or the memory of this machine that did not suffice.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

from research_core.models import Page

#: Characters of text, and pages, that are kept in all.
MAX_CHARACTERS = 16_000_000
MAX_PAGES = 256
Key = tuple[str, ...]


class PageReadings:
    """The pages read last, up to a number of pages and of characters. Thread-safe."""

    def __init__(self, *, max_characters: int = MAX_CHARACTERS, max_pages: int = MAX_PAGES) -> None:
        self._max_characters = max_characters
        self._max_pages = max_pages
        self._lock = threading.Lock()
        self._pages: OrderedDict[Key, Page] = OrderedDict()
        self._characters = 0

    def read(self, body: bytes, context: Key, parse: Callable[[], Page]) -> Page:
        """Return the page in these bytes, parsed now only if it is not kept.

        context: everything else that parsing depends on.
        """
        key = (hashlib.sha256(body).hexdigest(), *context)
        with self._lock:
            page = self._pages.get(key)
            if page is not None:
                self._pages.move_to_end(key)
                return page
        page = parse()
        self._keep(key, page)
        return page

    def _keep(self, key: Key, page: Page) -> None:
        with self._lock:
            if key in self._pages:
                return
            self._pages[key] = page
            self._characters += len(page.text)
            while self._characters > self._max_characters or len(self._pages) > self._max_pages:
                _, oldest = self._pages.popitem(last=False)
                self._characters -= len(oldest.text)


#: What this process has read.
SHARED_READINGS = PageReadings()
