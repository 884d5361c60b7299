"""The program: where it is, and how it is run."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional, Union

from ._errors import CommandNotFound

#: Called with the share that is done, from 0 to 1, and a few words.
ProgressCallback = Callable[[float, str], None]

#: True, False, a function, or None: show it on a terminal and in a notebook.
Progress = Union[bool, ProgressCallback, None]

_binary: Optional[str] = None

# How long a run may take to end after an interrupt, before it is killed.
_GRACE = 10.0


def set_binary(path: Union[str, os.PathLike[str], None]) -> None:
    """Use this program from now on; None looks for it again."""
    global _binary
    _binary = None if path is None else os.fspath(path)


def binary() -> str:
    """The program: the one set with `use`, $ALMANAC, the one in this package, the one on $PATH, or
    where `go install` puts it."""
    if _binary is not None:
        return _binary
    if os.environ.get("ALMANAC"):
        return os.environ["ALMANAC"]
    name = "almanac.exe" if os.name == "nt" else "almanac"
    inside = Path(__file__).parent / "bin" / name
    if inside.is_file():
        return str(inside)
    found = shutil.which("almanac")
    if found:
        return found
    of_go = os.path.join(os.environ.get("GOPATH") or os.path.expanduser("~/go"), "bin")
    for folder in (os.environ.get("GOBIN"), of_go):
        if folder and os.path.isfile(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise CommandNotFound(
        "there is no program almanac: install it with "
        "'go install github.com/almanac-sim/almanac/cmd/almanac@latest', "
        "or say where it is with almanac.use(binary=PATH) or the environment variable ALMANAC"
    )


@dataclass(frozen=True)
class Output:
    """What a command printed, and its exit status."""

    status: int
    stdout: str
    stderr: str


def call(args: list[str], stdin: Optional[str] = None, progress: Progress = None) -> Output:
    """Runs the program and waits for it. An interrupt ends it and is passed on."""
    report = _reporter(progress)
    environment = dict(os.environ)
    if report is not None:
        environment["ALMANAC_PROGRESS"] = "json"
    else:
        environment.pop("ALMANAC_PROGRESS", None)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as printed:
        if stdin is not None:
            given.write(stdin.encode())
            given.seek(0)
        # In a group of its own, it does not get the terminal's Ctrl-C beside us: we pass it on.
        own: dict[str, Any] = {"start_new_session": True}
        if os.name == "nt":
            own = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP")}
        program = binary()
        try:
            process = subprocess.Popen([program, *args], stdin=given, stdout=printed, stderr=subprocess.PIPE,
                                       env=environment, **own)
        except OSError as err:
            raise CommandNotFound(f"{program} cannot be started: {err.strerror or err}") from err
        try:
            stderr = _follow(process, report)
            status = process.wait()
        except BaseException:
            _stop(process)
            raise
        finally:
            if report is not None and isinstance(report, _Line):
                report.clear()
            if process.stderr is not None:
                process.stderr.close()
        printed.seek(0)
        return Output(status, printed.read().decode("utf-8", "replace"), stderr)


def _follow(process: subprocess.Popen[bytes], report: Optional[ProgressCallback]) -> str:
    """Reads standard error until it ends: progress is reported in this thread, the rest returned.

    Another thread reads, because on Windows an interrupt does not end a read.
    """
    lines: queue.Queue[Optional[bytes]] = queue.Queue()

    def read() -> None:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                lines.put(line)
        except ValueError:
            pass  # closed after an interrupt
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    told: list[str] = []
    while True:
        try:
            line = lines.get(timeout=0.2)
        except queue.Empty:
            continue
        if line is None:
            return "".join(told)
        if line.startswith(b'{"progress":'):
            step = json.loads(line)
            if report is not None:
                report(step["progress"], step["text"])
        else:
            told.append(line.decode("utf-8", "replace"))


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the program as Ctrl-C would, and kills it if that takes too long."""
    if process.poll() is not None:
        return
    try:
        process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))  # the former on Windows
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    except BaseException:  # a second interrupt
        process.kill()
        process.wait()
        raise


def _reporter(progress: Progress) -> Optional[ProgressCallback]:
    if callable(progress):
        return progress
    if progress is None:
        progress = "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())
    return _Line() if progress else None


class _Line:
    """Progress as one line on standard error, which is written again and again."""

    def __init__(self) -> None:
        self._width = 0

    def __call__(self, done: float, text: str) -> None:
        line = f"{100 * done:3.0f} % {text}"[:100]
        print("\r" + line.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(line)

    def clear(self) -> None:
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
            self._width = 0
