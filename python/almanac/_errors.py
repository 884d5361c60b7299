"""What can go wrong, as exceptions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from ._results import Result


@dataclass(frozen=True)
class Problem:
    """One mistake in a model, with its place. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class AlmanacError(Exception):
    """The command failed. `status` is its exit status, `stderr` what it printed about it."""

    def __init__(self, message: str, status: Optional[int] = None, stderr: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.stderr = stderr


class AlmanacWarning(UserWarning):
    """The command did its work, and had something to say about it."""


class CommandNotFound(AlmanacError, FileNotFoundError):
    """There is no almanac program, or it cannot be started."""


class UsageError(AlmanacError, ValueError):
    """An argument is wrong: a name that the model does not have, a value, an option."""


class ModelError(UsageError):
    """The model has mistakes.

    `problems` lists all of them. `file`, `line` and `column` are the place of the first. For a model
    that is a dict, the place is in its JSON text, `source`, and the message shows the line.
    """

    def __init__(self, problems: list[Problem], status: int, stderr: str, source: Optional[str] = None) -> None:
        lines = source.splitlines() if source is not None else []
        told = []
        for p in problems:
            told.append(str(p))
            if 1 <= p.line <= len(lines) and len(lines[p.line - 1].strip()) > 1:  # more than a bracket
                told.append("    " + lines[p.line - 1].strip())
        super().__init__("\n".join(told), status, stderr)
        self.problems = problems
        self.source = source
        self.file, self.line, self.column = problems[0].file, problems[0].line, problems[0].column


class RunError(AlmanacError):
    """The work failed: too little memory, a time limit, a hub that cannot be reached.

    `result` has what was recorded until then, marked as incomplete, or is None.
    """

    def __init__(self, message: str, status: int, stderr: str, result: Optional["Result"] = None) -> None:
        super().__init__(message, status, stderr)
        self.result = result


_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<message>.*)$")


def problems_in(stderr: str, source: Optional[str]) -> list[Problem]:
    """The lines "file:line:column: message". Standard input is the dict that was given."""
    found: list[Problem] = []
    for line in stderr.splitlines():
        m = _PLACE.match(line)
        if m is None or line.startswith("almanac: "):
            continue
        file = "model" if source is not None and m["file"] == "standard input" else m["file"]
        found.append(Problem(file, int(m["line"]), int(m["column"]), m["message"]))
    return found


def error_from(status: int, stderr: str, source: Optional[str] = None, result: Any = None) -> AlmanacError:
    """The exception for an exit status and what was printed."""
    problems = problems_in(stderr, source)
    if status == 2 and problems:
        return ModelError(problems, status, stderr, source)
    told = [line for line in stderr.splitlines() if line.strip()]
    reasons = [line[len("almanac: "):] for line in told if line.startswith("almanac: ")]
    message = "\n".join(reasons or told) or f"almanac ended with status {status}"
    if status == 2:
        return UsageError(message, status, stderr)
    return RunError(message, status, stderr, result)
