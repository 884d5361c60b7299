"""The functions: a command each."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Optional, TypeVar, Union

from . import _tables
from ._arguments import Model, model_argument, names, options, pairs, values
from ._command import Progress, binary as program, call, set_binary
from ._errors import AlmanacWarning, CommandNotFound, UsageError, error_from
from ._results import Check, Comparison, Fit, Result, Run, Scratch, Sweep

_R = TypeVar("_R", bound=Result)
_Path = Union[str, "os.PathLike[str]"]
_Names = Union[str, Iterable[str], None]


class _Kept:
    """An argument that was left out."""

    def __repr__(self) -> str:
        return "as it is"


_KEPT = _Kept()

# What is said of every saved state, and is no warning.
_ASKED_FOR = re.compile(r"almanac: (--from-state: replicas go on from |.* has the state of [\d,]+ replicas? at )")


def use(*, binary: Union[_Path, None, _Kept] = _KEPT, frames: Union[str, None, _Kept] = _KEPT) -> None:
    """Says which program and which data frames to use: pandas, polars, arrow or plain.

    What is left out stays, and what is None is found again: the program in $ALMANAC, in this
    package, on $PATH, or where `go install` puts it; the first of these frames that is installed.
    Without arguments both are found again.
    """
    nothing = isinstance(binary, _Kept) and isinstance(frames, _Kept)
    if not isinstance(frames, _Kept) or nothing:
        _tables.set_frames(None if isinstance(frames, _Kept) else frames)
    if not isinstance(binary, _Kept) or nothing:
        set_binary(None if isinstance(binary, _Kept) else binary)


def version() -> str:
    """The version of the program."""
    return _done(["version"], None, False, None).strip()


def run(
    model: Optional[Model] = None,
    *,
    set: Optional[Mapping[str, Any]] = None,  # noqa: A002: the name of the option
    replicas: Optional[int] = None,
    seed: Optional[int] = None,
    size: Optional[int] = None,
    until: Any = None,
    scenario: Optional[str] = None,
    from_fit: Union[Fit, _Path, None] = None,
    from_state: Union[_Path, bool, None] = None,
    save_at: Any = None,
    as_: Optional[_Path] = None,
    events: bool = False,
    show: _Names = None,
    panels: _Names = None,
    log: bool = False,
    per: Optional[int] = None,
    title: Optional[str] = None,
    data: Optional[_Path] = None,
    out: Optional[_Path] = None,
    progress: Progress = None,
    **more: Any,
) -> Run:
    """Runs a model, a file or a dict, and returns what it recorded.

    `set` replaces parameters: {"beta": "0.4 per day"}. It is run once, with seed 1, unless `replicas` and
    `seed` say otherwise. `from_fit` goes on with the runs of a fit. `save_at` ends the run at a time and
    saves the state of each replica to the file `as_`; `from_state` goes on with that file, without a
    model or with one that has other interventions, with its replicas and its seed. With `from_fit`,
    from_state=True goes on with the states that the fit has saved.
    `show`, `panels`, `log`, `per`, `title` and `data` say what plot() shows. `out` is a directory that
    keeps the files. `progress` is True, False or a function of the share done and a text; without it,
    progress is shown on a terminal and in a notebook. Other options of the command are taken by their
    names: workers=4, replica=7, hub="nats://…".
    """
    picture = {"show": names(show), "panels": names(panels), "log": log or None, "per": per, "title": title,
               "data": data}
    drawn = any(v is not None for v in picture.values())
    args = [*_common(set, replicas, seed, size, until, scenario, from_fit, from_state),
            *options({**picture, "save_at": save_at, "as": as_, "events": events or None})]
    return _study(Run, "run", model, args, more, out, progress, series=True, draw=drawn)


def sweep(
    model: Optional[Model],
    vary: Mapping[str, Any],
    *,
    output: _Names = None,
    replicas: Optional[int] = None,
    sample: Optional[int] = None,
    design: Optional[str] = None,
    precision: Optional[str] = None,
    set: Optional[Mapping[str, Any]] = None,  # noqa: A002
    seed: Optional[int] = None,
    size: Optional[int] = None,
    until: Any = None,
    scenario: Optional[str] = None,
    from_fit: Union[Fit, _Path, None] = None,
    from_state: Union[_Path, bool, None] = None,
    out: Optional[_Path] = None,
    progress: Progress = None,
    **more: Any,
) -> Sweep:
    """Runs a model at many points, 100 times at each unless `replicas` says otherwise.

    `vary` says what varies: {"beta": "0.2..0.6 per day by 0.1"}, or a list of values. `output` is what
    each replica reports: "peak(infectious)", or a list of such. Other arguments are those of `run`; with
    `from_state`, the model may be None.
    """
    args = [*pairs("--vary", vary, values),
            *_common(set, replicas, seed, size, until, scenario, from_fit, from_state),
            *options({"output": _each(output), "sample": sample, "design": design, "precision": precision})]
    return _study(Sweep, "sweep", model, args, more, out, progress, series=True)


def compare(
    model: Optional[Model] = None,
    *,
    scenarios: _Names = None,
    output: _Names = None,
    replicas: Optional[int] = None,
    set: Optional[Mapping[str, Any]] = None,  # noqa: A002
    seed: Optional[int] = None,
    size: Optional[int] = None,
    until: Any = None,
    from_fit: Union[Fit, _Path, None] = None,
    from_state: Union[_Path, bool, None] = None,
    out: Optional[_Path] = None,
    progress: Progress = None,
    **more: Any,
) -> Comparison:
    """Runs the scenarios of a model with common random numbers, and compares them with the first.

    `scenarios` are those to compare, and in which order. Other arguments are those of `sweep`.
    """
    args = [*_common(set, replicas, seed, size, until, None, from_fit, from_state),
            *options({"scenarios": names(scenarios), "output": _each(output)})]
    return _study(Comparison, "compare", model, args, more, out, progress)


def fit(
    model: Optional[Model] = None,
    *,
    data: Optional[_Path] = None,
    unknown: Optional[Mapping[str, str]] = None,
    match: _Names = None,
    method: Optional[str] = None,
    budget: Optional[int] = None,
    population: Optional[int] = None,
    states: Optional[int] = None,
    from_state: Optional[_Path] = None,
    set: Optional[Mapping[str, Any]] = None,  # noqa: A002
    seed: Optional[int] = None,
    size: Optional[int] = None,
    until: Any = None,
    scenario: Optional[str] = None,
    out: Optional[_Path] = None,
    progress: Progress = None,
    **more: Any,
) -> Fit:
    """Estimates parameters from data.

    Without `data`, `unknown` and `match`, the model says in its section `fit` what is estimated from
    what. `unknown` maps names to priors: {"beta": "uniform 0.1..1.5 per day"}; `match` says what a
    column is compared with: "cases = incidence susceptible->infectious poisson". `states` saves the
    states of so many runs at the last data point, for run(…, from_fit=f, from_state=True).
    """
    args = [*pairs("--unknown", unknown), *_common(set, None, seed, size, until, scenario, None, from_state),
            *options({"data": data, "match": _each(match), "method": method, "budget": budget,
                      "population": population, "states": states})]
    return _study(Fit, "fit", model, args, more, out, progress)


def check(
    model: Model,
    *,
    set: Optional[Mapping[str, Any]] = None,  # noqa: A002
    size: Optional[int] = None,
    until: Any = None,
    scenario: Optional[str] = None,
) -> Check:
    """Explains a model in words, or raises ModelError with everything that is wrong with it."""
    args = [*pairs("--set", set), *options({"size": size, "until": until, "scenario": scenario})]
    return _study(Check, "check", model, args, {}, None, False)


def read(directory: _Path) -> Result:
    """What an earlier command wrote with --out, or a function here with `out`."""
    directory = Path(directory)
    try:
        with open(directory / "study.json", encoding="utf-8") as file:
            sort = json.load(file)["sort"]
        kind = {"run": Run, "sweep": Sweep, "compare": Comparison, "fit": Fit}[sort]
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise UsageError(f"{directory} has no results of run, sweep, compare or fit ({err})") from err
    return kind(directory, f"{sort} in {directory}\n")


def examples(directory: _Path) -> list[Path]:
    """Writes the example models and the tables that they read into a directory, and returns the
    models."""
    _done(["examples", os.fspath(directory)], None, False, None)
    return sorted(Path(directory).glob("*.yaml"))


def _common(changes: Optional[Mapping[str, Any]], replicas: Optional[int], seed: Optional[int], size: Optional[int],
            until: Any, scenario: Optional[str], from_fit: Union[Fit, _Path, None],
            from_state: Union[_Path, bool, None]) -> list[str]:
    source = from_fit.directory if isinstance(from_fit, Fit) else from_fit
    return [*pairs("--set", changes),
            *options({"replicas": replicas, "seed": seed, "size": size, "until": until, "scenario": scenario,
                      "from": source, "from_state": from_state or None})]


def _each(value: _Names) -> Optional[list[str]]:
    if value is None:
        return None
    return [value] if isinstance(value, str) else list(value)


def _study(kind: type[_R], command: str, model: Optional[Model], args: list[str], more: Mapping[str, Any],
           out: Optional[_Path], progress: Progress, series: bool = False, draw: bool = False) -> _R:
    """Runs a command that writes a directory."""
    scratch = Scratch() if out is None else None
    directory = scratch.path if scratch is not None else Path(os.fspath(out or ""))
    names, source = model_argument(model)
    line = [command, *names, *args, f"--out={directory}", *options(more)]
    if series and "format" not in more:
        line.append("--format=" + _tables.file_format())
    if draw:
        directory.mkdir(parents=True, exist_ok=True)
        line.append(f"--picture={directory / 'picture.svg'}")

    def partial() -> Optional[Result]:
        try:
            with open(directory / "summary.json", encoding="utf-8") as file:
                incomplete = json.load(file)["incomplete"]
        except OSError:
            return None
        # A complete one in the caller's directory is of an earlier run, which stays.
        return kind(directory, "", scratch) if incomplete or scratch else None

    printed = _done(line, source, progress, partial)
    if not directory.is_dir() or not any(directory.iterdir()):
        raise CommandNotFound(f"{program()} has written no results: is it almanac?")
    return kind(directory, printed, scratch)


def _done(line: list[str], source: Optional[str], progress: Progress, partial: Any) -> str:
    """What a command prints, or the exception for why it failed."""
    output = call(line, source, progress)
    if output.status != 0:
        raise error_from(output.status, output.stderr, source, partial() if partial else None)
    for said in output.stderr.splitlines():
        if said.startswith("almanac: ") and not _ASKED_FOR.match(said):
            warnings.warn(said[len("almanac: "):], AlmanacWarning, stacklevel=4)
    return output.stdout
