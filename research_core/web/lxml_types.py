"""Name the types of lxml, which ships none."""

from __future__ import annotations

from typing import Any

#: An element of a tree, as lxml and its HTML parser give them.
Element = Any
