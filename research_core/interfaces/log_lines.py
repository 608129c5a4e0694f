"""Write the log of a server to standard error, a line for each record, as text or as JSON.

Records of all libraries pass through here, so that a client that closed its connection is one line
and no traceback. Lines of JSON have "at", "level", "program", "logger" and "message", and where
there are such "session", "outcome", "seconds" and "traceback".
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime

from research_core.errors import SettingsError
from research_core.interfaces import terminal
from research_core.settings import Settings

#: Exceptions of libraries that say the other side closed the connection, by the name of their
#: class: importing their modules here would slow down programs that have no such connection.
HANG_UPS = frozenset(
    {"BrokenResourceError", "ClientDisconnect", "ClosedResourceError", "WebSocketDisconnect"}
)
#: The same among the exceptions of Python; a refused connection is one that this process asked for.
CLOSED_CONNECTIONS = (BrokenPipeError, ConnectionAbortedError, ConnectionResetError)
#: What each session did is logged under this name; lines of text leave it out.
SESSION_LOG = "research_core.sessions.workers.ends"
#: Facts that records may have beside their message.
FIELDS = ("session", "outcome", "seconds")


def set_up_logging(program: str, *, as_json: bool) -> None:
    """Send all records of this process to standard error.

    program: app, worker or mcp.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(program, as_json=as_json))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("research_core").setLevel(logging.INFO)
    logging.getLogger(SESSION_LOG).setLevel(logging.INFO if as_json else logging.WARNING)
    logging.captureWarnings(as_json)
    terminal.redirect_lines(log_line if as_json else None)


def set_up_from_environment(program: str) -> None:
    """Do so as the settings of this process say, before it has opened anything.

    Settings that cannot be used are reported by the program itself.
    """
    try:
        as_json = Settings.from_env().log_format == "json"
    except SettingsError:
        as_json = False
    set_up_logging(program, as_json=as_json)


def _writes_json() -> bool:
    formatters = [handler.formatter for handler in logging.getLogger().handlers]
    return any(isinstance(one, LineFormatter) and one.as_json for one in formatters)


def log_line(line: str) -> bool:
    """Log a line of a program as JSON; return False, and do nothing, if its log is text."""
    if not _writes_json():
        return False
    logging.getLogger("research_core").info(line)
    return True


def take_over_loggers() -> None:
    """Have the loggers that a framework gave handlers of its own write JSON like all others."""
    if not _writes_json():
        return
    for logger in logging.getLogger().manager.loggerDict.values():
        if isinstance(logger, logging.Logger) and logger.handlers:
            logger.handlers[:] = []
            logger.propagate = True


def is_hang_up(error: BaseException | None) -> bool:
    """Return True if the error only says that the other side closed the connection."""
    if isinstance(error, BaseExceptionGroup):
        return all(is_hang_up(one) for one in error.exceptions)
    return isinstance(error, CLOSED_CONNECTIONS) or type(error).__name__ in HANG_UPS


class LineFormatter(logging.Formatter):
    """Formats a record as one line of text or JSON; text has the traceback of an error below it."""

    def __init__(self, program: str, *, as_json: bool) -> None:
        super().__init__()
        self._program, self.as_json = program, as_json

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        message = " ".join(record.getMessage().split())
        level = record.levelname.lower()
        if is_hang_up(error):
            level = "info"
            message = f"The client closed the connection ({type(error).__name__}): {message}"
            error = None
        lines = "".join(traceback.format_exception(error)) if error is not None else ""
        if not self.as_json:
            return f"{message}\n{lines}".rstrip("\n")
        row = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": level,
            "program": self._program,
            "logger": record.name,
            "message": message.removeprefix("· "),
        }
        for name in FIELDS:
            if hasattr(record, name):
                row[name] = getattr(record, name)
        if lines:
            row["traceback"] = lines
        return json.dumps(row, ensure_ascii=False)
