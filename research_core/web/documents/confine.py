"""Restrict this process for good to what a document reader needs.

It loses unbounded memory, writing files, connections and programs; it may still read files. On
Linux the kernel enforces this: resource limits everywhere, and a filter of system calls on x86-64
and ARM. Elsewhere, or without such filters, fewer restrictions apply; the parent's deadline holds
in any case.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

# A filter is a program of instructions (code, jump if true, jump if false, value) over the number
# and arguments of a call.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1  # EPERM
_NUMBER, _ARCHITECTURE, _ARGUMENT = (
    0,
    4,
    (16, 24, 32),
)  # where each stands in what the filter is shown
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_NO_NEW_PRIVILEGES, _SET_FILTER, _MODE_FILTER = 38, 22, 2

#: Architecture -> its audit code; the numbers of the refused calls; and {call that opens files:
#: argument with its flags}. The refused calls are, in this order: socket connect socketpair execve
#: execveat clone ptrace kill process_vm_readv process_vm_writev bpf unlinkat renameat2 setsid
#: setpgid. Numbers from 424 on are the same everywhere: io_uring_setup, clone3, openat2.
_MACHINES: dict[str, tuple[int, tuple[int, ...], dict[int, int]]] = {
    "x86_64": (
        0xC000003E,
        # Then: fork, vfork, rename, unlink, rmdir, truncate, ftruncate, creat, chmod, renameat,
        # tkill.
        (
            41,
            42,
            53,
            59,
            322,
            56,
            101,
            62,
            310,
            311,
            321,
            263,
            316,
            112,
            109,
            57,
            58,
            82,
            87,
            84,
            76,
            77,
            85,
            90,
            264,
            200,
        ),
        {2: 1, 257: 2},  # open, openat
    ),
    "aarch64": (
        0xC00000B7,
        (198, 203, 199, 221, 281, 220, 117, 129, 270, 271, 280, 35, 276, 157, 154, 45, 46, 38, 130),
        {56: 2},
    ),
}
_CALLS_ON_ALL_MACHINES = (425, 435, 437)
_X32_CALL_BIT = 0x40000000  # x86-64 has a second table of calls from here on


def confine_process(memory: int) -> None:
    """Limit this process to so many bytes of data; deny files, network and processes."""
    if resource:
        for what, most in (
            (resource.RLIMIT_DATA, memory),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(what, (most, most))
    if sys.platform == "linux" and platform.machine() in _MACHINES:
        _install_filter(_build_filter(*_MACHINES[platform.machine()]))


def _build_filter(architecture: int, refused: tuple[int, ...], opening: dict[int, int]) -> bytes:
    steps = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _REFUSE)]
    steps += [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32_CALL_BIT), (_RETURN, 0, 0, _REFUSE)]
    for number in (*refused, *_CALLS_ON_ALL_MACHINES):
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    for number, flags in opening.items():
        steps += [
            (_EQUAL, 0, 4, number),
            (_LOAD, 0, 0, _ARGUMENT[flags]),
            (_ANY_BIT, 0, 1, _WRITE_FLAGS),
            (_RETURN, 0, 0, _REFUSE),
        ]
        steps += [(_RETURN, 0, 0, _ALLOW)]
    steps += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(
        struct.pack("HBBI", code, true, false, value) for code, true, false, value in steps
    )


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_void_p))


def _install_filter(program: bytes) -> None:
    """Install a system call filter.

    A kernel without filters returns an error, and only the resource limits apply.
    """
    held = ctypes.create_string_buffer(program, len(program))
    rules = _Filter(len(program) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(_SET_FILTER, _MODE_FILTER, ctypes.byref(rules), 0, 0)
