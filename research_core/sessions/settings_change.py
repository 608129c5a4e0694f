"""Change the settings of models and the language of screens: in the file `.env`, and at once here.

Only the variables of CHANGEABLE can be changed. No value reaches a log, an event or an error.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from research_core import llm
from research_core.errors import SettingsError, UsageError
from research_core.i18n import _, join_list, set_interface_language
from research_core.settings import (
    Settings,
    find_env_file,
    is_possible_key,
    origin_of,
    parse_value,
)
from research_core.wiring import Resources

#: The fields of `Settings` by the variables that can be changed.
CHANGEABLE = {
    "GEMINI_API_KEY": "gemini_api_key",
    "ASSAY_OPENAI_BASE_URL": "openai_base_url",
    "ASSAY_OPENAI_API_KEY": "openai_api_key",
    "ASSAY_OPENAI_MODELS": "openai_models",
    "ASSAY_MODEL": "model",
    "ASSAY_LANGUAGE": "language",
}
KEYS = ("GEMINI_API_KEY", "ASSAY_OPENAI_API_KEY")
#: A line KEY=VALUE as `run.py` reads it, with its parts: before the value, the key, after it.
ENV_LINE = re.compile(
    r"""((?:export\s+)?([A-Za-z_]\w*)\s*=\s*)(?:"[^"]*"|'[^']*'|(?:[^\s"'#].*?)?)((?:\s+\#.*)?)""",
    re.ASCII,
)
#: Keys of fewer characters are not shown in part.
SHORT_KEY = 16
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class SettingsFile:
    """The file `.env`, whether it exists or not.

    overridden: variables that the environment of this process sets itself, so that the file's
    values do not count.
    """

    path: Path
    overridden: frozenset[str]


def find_settings_file(env: Mapping[str, str] | None = None) -> SettingsFile | None:
    """Return the file that `run.py` read when it started this process; None if it did not."""
    found = find_env_file(env)
    return SettingsFile(*found) if found else None


def is_writable(path: Path) -> bool:
    """Return True if the file, or a new one in its place, may be written."""
    path = path.resolve()
    try:
        if path.exists() and not path.stat().st_mode & stat.S_IWUSR:
            return False  # root could write it, but somebody protected it
    except OSError:
        return False
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def describe_key(key: str) -> str:
    """Return the last characters of a key with an ellipsis; "" of one too short for that."""
    return f"…{key[-4:]}" if len(key) >= SHORT_KEY else ""


def change_settings(resources: Resources, file: SettingsFile, changes: Mapping[str, str]) -> None:
    """Write these variables to the file, and use them from the next run on. "" removes one.

    A key of the model server is removed with a change of its address, unless the changes name one:
    it belongs to the old address. Raises UsageError and SettingsError, and changes nothing then.
    """
    with _one_at_a_time:
        changes = _complete_changes(resources.settings, changes)
        fields = {CHANGEABLE[name]: parse_value(name, text) for name, text in changes.items()}
        settings = replace(resources.settings, **fields)
        if {*changes} != {"ASSAY_LANGUAGE"}:
            llm.choose_model(settings)  # raises SettingsError for a default that cannot be used
        overridden = sorted(file.overridden & changes.keys())
        if overridden:
            raise UsageError(
                _("The environment in which Assay was started sets {names}.").format(
                    names=join_list(overridden)
                ),
                next_step=_("Remove what is set there, then start Assay again."),
            )
        _write_file(file.path, changes)
        resources.change_models(settings)
        set_interface_language(settings.language)


def _complete_changes(settings: Settings, changes: Mapping[str, str]) -> dict[str, str]:
    """Return the changes without outer spaces, and with the removal of a key of another address."""
    changes = {name: text.strip() for name, text in changes.items()}
    for name in KEYS:
        if not is_possible_key(changes.get(name, "")):
            raise UsageError(
                _("The key has spaces, or characters that no key has."),
                next_step=_("Copy it again from its provider."),
            )
    address = changes.get("ASSAY_OPENAI_BASE_URL")
    if address is not None and "ASSAY_OPENAI_API_KEY" not in changes and settings.openai_api_key:
        new, old = parse_value("ASSAY_OPENAI_BASE_URL", address), settings.openai_base_url
        if not new or not old or origin_of(new) != origin_of(old):
            changes["ASSAY_OPENAI_API_KEY"] = ""
    return changes


def _write_file(path: Path, changes: Mapping[str, str]) -> None:
    """Replace the file at once by its changed text, readable by its owner only."""
    path = path.resolve()  # a link keeps leading to the file
    try:
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
        changed = set_values(text, changes)
        number, name = tempfile.mkstemp(prefix=".env-", dir=path.parent)  # mode 0600
        try:
            with os.fdopen(number, "wb") as file:
                file.write(changed.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else _("it is not UTF-8")
        raise SettingsError(
            _("{file} could not be written: {reason}.").format(file=path, reason=reason),
            next_step=_("Add the lines by hand, then restart Assay."),
        ) from None


def set_values(text: str, changes: Mapping[str, str]) -> str:
    """Return the text of `.env` with these values; every other line stays as it is.

    The last line that sets a variable counts, and is changed; a new one goes to the end. "" removes
    all lines that set the variable. Raises UsageError for a value that no line can hold.
    """
    lines = text.split("\n")
    for name, value in changes.items():
        places = [at for at, line in enumerate(lines) if _find_name(line) == name]
        if not value:
            lines = [line for at, line in enumerate(lines) if at not in places]
        elif places:
            lines[places[-1]] = _put_value(lines[places[-1]], quote_value(value))
        else:
            ending = "\r" if "\r\n" in text else ""
            added = f"{name}={quote_value(value)}{ending}"
            last = lines[-1]
            if last:  # the file does not end with a line break
                lines[-1] = last + ending
                lines += [added, ""]
            else:
                lines[-1:] = [added, ""]
    return "\n".join(lines)


def _find_name(line: str) -> str:
    match = ENV_LINE.fullmatch(line.removeprefix("\ufeff").strip())
    return match[2] if match else ""


def _put_value(line: str, value: str) -> str:
    """Return the line with another value; its white space, export and comment stay."""
    inner = line.removeprefix("\ufeff").strip()
    start = line.index(inner)
    match = ENV_LINE.fullmatch(inner)
    assert match is not None
    return f"{line[:start]}{match[1]}{value}{match[3]}{line[start + len(inner) :]}"


def quote_value(value: str) -> str:
    """Return a value as a line of `.env` holds it. Raises UsageError for one that none can hold."""
    if not value.isprintable():
        raise UsageError(_("A setting cannot have line breaks or control characters."))
    if re.fullmatch(r"[^\s\"'#](?:[^\s#]*[^\s#])?", value):
        return value
    if '"' not in value:
        return f'"{value}"'
    if "'" not in value:
        return f"'{value}'"
    raise UsageError(_("A setting cannot have both kinds of quotation marks."))
