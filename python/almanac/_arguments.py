"""Models, values and options of Python as arguments of the command."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

from ._errors import UsageError

#: A model file, or the model itself as a dict with the sections of a model file.
Model = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def model_argument(model: Optional[Model]) -> tuple[list[str], Optional[str]]:
    """The argument for a model, and what goes to standard input: the text of a dict. A model in the
    file of a state, None, has neither.

    JSON is YAML. Tables that a dict names are found from the current directory.
    """
    if model is None:
        return [], None
    if isinstance(model, Mapping):
        return ["-"], _json(model, "the model", indent=2) + "\n"
    if not isinstance(model, (str, bytes, os.PathLike)):
        raise UsageError(f"the model is {_short(model)}; expected the path of a file, or a dict")
    path = os.fsdecode(model)
    # A path that looks like an option, or like standard input, is still a path.
    return [os.path.join(os.curdir, path) if path.startswith("-") else path], None


def _json(value: Any, what: str, **more: Any) -> str:
    """A value as JSON; what names it in an error."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain, **more)
    except (TypeError, ValueError, RecursionError) as err:
        raise UsageError(f"{what} cannot be written as a model file has it: {err}") from err


def _short(value: Any) -> str:
    """A value in an error."""
    said = repr(value)
    return said if len(said) <= 60 else said[:57] + "..."


def _plain(value: Any) -> Any:
    """What json does not know: numbers of numpy, dates, paths, other mappings and sequences."""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):  # a number or an array of numpy, a column of pandas
        return value.tolist()
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{value!r} has no form in a model file")


def text(value: Any) -> str:
    """A value as a model file or --set writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))  # 3.0 years are 3 years, and a count must be whole
    return _json(value, _short(value))


def values(value: Any) -> str:
    """What --vary takes: a text such as "0.2..0.6 per day by 0.1", or a list of values."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return text(value)
    return ", ".join(text(_plain(v) if hasattr(v, "tolist") else v) for v in value)


def pairs(flag: str, changes: Optional[Mapping[str, Any]], write: Any = text) -> list[str]:
    """--set NAME=VALUE for each entry."""
    args: list[str] = []
    if changes is not None and not isinstance(changes, Mapping):
        raise UsageError(f"{flag.strip('-')} is {_short(changes)}; expected a dict, such as {{'beta': '0.5 per day'}}")
    for name, value in (changes or {}).items():
        args += [flag, f"{name}={write(value)}"]
    return args


def names(value: Union[str, Iterable[str], None]) -> Optional[str]:
    """A list that the command takes with commas."""
    if value is None or isinstance(value, str):
        return value
    return ",".join(value)


def options(given: Mapping[str, Any]) -> list[str]:
    """Other options by their names: limit_time="10m" is --limit-time 10m, True is a flag alone, None
    is left out, and a list is the option repeated."""
    args: list[str] = []
    for name, value in given.items():
        flag = "--" + name.strip("_").replace("_", "-")
        if value is None:
            continue
        if value is True:
            args.append(flag)
        elif value is False:
            args.append(flag + "=false")
        elif isinstance(value, (list, tuple)):
            for one in value:
                args += [flag, text(one)]
        else:
            args.append(flag + "=" + text(value))
    return args
