"""What runs and studies found: frames and pictures, read from the files of the command."""

from __future__ import annotations

import html
import json
import shlex
import shutil
import tempfile
import weakref
from functools import cached_property
from pathlib import Path
from typing import Any, Optional

from . import _tables
from ._errors import UsageError
from ._pictures import Picture
from ._tables import FLOAT, GUESS, INT, OPTIONAL_INT, TEXT

_RUN = {"replica": INT, "time": FLOAT, "count": INT, "incidence": INT}
_OUTCOMES = {"replica": INT, "time": FLOAT, "value": FLOAT}
_SUPPLIES = {"replica": INT, "time": FLOAT, "left": INT, "used": INT, "lost": INT, "refused": INT}
_OBSERVED = {"replica": INT, "time": FLOAT, "count": FLOAT, "value": FLOAT}
_PLACES = {"replica": INT, "time": FLOAT, "size": OPTIONAL_INT, "count": INT}
_NETWORKS = {"replica": INT, "time": FLOAT, "count": INT}
_TREE = {"replica": INT, "infected": INT, "time": FLOAT, "by": OPTIONAL_INT, "by time": FLOAT, "generation": INT,
         "root": INT}


class _PeopleKinds(dict[str, str]):
    """The kinds of the columns of a line list, of which any number are times."""

    def get(self, name: str, other: Any = None) -> Any:
        return FLOAT if name.startswith("time of ") else super().get(name, other)


_PEOPLE = _PeopleKinds({"replica": INT, "number": INT, "entered": FLOAT, "left": FLOAT, "mother": OPTIONAL_INT})
_EVENTS = {"replica": INT, "time": FLOAT, "individual": INT, "by": OPTIONAL_INT}
_STATISTICS = {"output": TEXT, "kind": TEXT, "name": TEXT, "units": TEXT, "quantiles": TEXT, "scenario": TEXT,
               "replicas": INT, "pairs": INT, "replica": INT,
               **{name: FLOAT for name in (
                   "time", "mean", "sd", "low", "high", "q05", "q25", "median", "q75", "q95", "mean_difference",
                   "mean_ci_low", "mean_ci_high", "runs_low", "runs_high", "baseline", "value", "difference", "cost",
                   "effect", "willingness_to_pay", "probability")}}
_DRAWS = {"weight": FLOAT, "replica": INT, "run.seed": OPTIONAL_INT, "run.forks": TEXT, "run.check": OPTIONAL_INT}


# What a table is of, where not every command writes it.
_OF = {
    "events": "a run with events=True", "outcomes": "a model with outcomes", "supplies": "a model with supplies",
    "values": "a model with record: values", "observed": "a model with observe", "tree": "a model with record: tree",
    "people": "a model with record: people", "places": "a model with places", "networks": "a model with networks",
    "draws": "a run with from_fit", "projection": "a run with from_fit and from_state=True",
    "icer": 'a comparison with icer="cost/qalys"', "acceptability": 'a comparison with icer="cost/qalys"',
}


class Scratch:
    """A temporary directory that is removed when nothing refers to it any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="almanac-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class Result:
    """The files of a command, which are read when they are first asked for, once.

    `directory` is where they are: a temporary one, which lasts as long as this object, or `out`.
    `text` is what the command printed. `str()` gives it, too.
    """

    _picture = ""  # what plot shows by default

    def __init__(self, directory: Path, text: str, scratch: Optional[Scratch] = None) -> None:
        self.directory = directory
        self.text = text
        self._scratch = scratch

    def _read(self, name: str, kinds: dict[str, str], other: str = TEXT) -> Any:
        try:
            return _tables.read(self.directory, name, kinds, other)
        except FileNotFoundError as err:
            if name not in _OF:
                raise
            raise UsageError(f"there is no table of {name} here: only of {_OF[name]}") from err

    def _json(self, name: str) -> Any:
        with open(self.directory / name, encoding="utf-8") as file:
            return json.load(file)

    @property
    def pictures(self) -> list[str]:
        """The names of the pictures, for plot."""
        return sorted(p.stem for p in self.directory.glob("*.svg"))

    def plot(self, name: Optional[str] = None) -> Picture:
        """A picture, which a notebook shows: the usual one, or one of `pictures`."""
        wanted = self._usual() if name is None else name
        path = self.directory / f"{wanted}.svg"
        if not path.exists():
            raise ValueError(f"there is no picture {wanted!r}; expected one of {', '.join(self.pictures)}")
        return Picture(path, self._scratch)

    def _usual(self) -> str:
        return self._picture

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        first = next(iter(self.text.splitlines()), "")
        return f"<{type(self).__name__} {first}>"

    def _repr_html_(self) -> str:
        try:
            picture = self.plot().svg
            picture = picture[max(0, picture.find("<svg")):]
        except ValueError:
            picture = ""
        return f"<div>{picture}<pre>{html.escape(self.text)}</pre></div>"


class Run(Result):
    """What `run` recorded. Frames have one row for each observation."""

    _picture = "states"

    def _usual(self) -> str:
        return "picture" if (self.directory / "picture.svg").exists() else self._picture

    @cached_property
    def states(self) -> Any:
        """replica, time (and date), state, the groups that the model records by, count.

        Rows with an empty group are about everybody.
        """
        return self._read("series", _RUN)

    @cached_property
    def flows(self) -> Any:
        """replica, time (and date), kind, flow, groups, count: events since the start."""
        return self._read("flows", _RUN)

    @cached_property
    def incidence(self) -> Any:
        """replica, time (and date), kind, flow, groups, incidence: events since the time before.

        The first row has the events at the start.
        """
        return _tables.increments(self.flows)

    @cached_property
    def events(self) -> Any:
        """Every event, of a run with events=True."""
        return self._read("events", _EVENTS)

    @cached_property
    def outcomes(self) -> Any:
        """replica, time (and date), outcome, groups, value: what has accrued since the start, of a model
        with outcomes."""
        return self._read("outcomes", _OUTCOMES)

    @cached_property
    def supplies(self) -> Any:
        """replica, time (and date), supply, left, used, lost, refused, of a model with supplies."""
        return self._read("supplies", _SUPPLIES)

    @cached_property
    def values(self) -> Any:
        """replica, time (and date), name, value, of a model with record: values."""
        return self._read("values", _OBSERVED)

    @cached_property
    def observed(self) -> Any:
        """replica, time (and date), name, what, groups, count, of a model with observe: how many were seen
        since the start and, in a survey, tested and expected."""
        return self._read("observed", _OBSERVED)

    @cached_property
    def tree(self) -> Any:
        """replica, infected, time, by, by time, generation, root, among, of a model with record: tree: who
        infected whom."""
        return self._read("tree", _TREE)

    @cached_property
    def people(self) -> Any:
        """replica, number, id, entered, left, how, mother, state, attributes, and the time of what the model
        names, of a model with record: people: a line list."""
        return self._read("people", _PEOPLE)

    @cached_property
    def places(self) -> Any:
        """replica, time (and date), kind, what, size, count, of a model with places."""
        return self._read("places", _PLACES)

    @cached_property
    def networks(self) -> Any:
        """replica, time (and date), network, what, degree, count, of a model with networks."""
        return self._read("networks", _NETWORKS)

    @cached_property
    def draws(self) -> Any:
        """The parameters of each replica, of a run with from_fit."""
        return self._read("draws", _DRAWS, GUESS)

    @cached_property
    def projection(self) -> Any:
        """What would be reported, of a run that goes on with a fit: quantiles at each time."""
        return self._read("projection", {**_STATISTICS, "column": TEXT, "data": FLOAT})

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Everything recorded, over the replicas: the content of summary.json."""
        return dict(self._json("summary.json"))

    @property
    def parameters(self) -> dict[str, str]:
        """The values that the run began with, after `scenario` and `set`."""
        return dict(self.summary["parameters"])

    @property
    def incomplete(self) -> bool:
        """Whether the run was cut short."""
        return bool(self.summary["incomplete"])


class Sweep(Result):
    """What `sweep` found at its points."""

    def _usual(self) -> str:
        names = [n for n in self.pictures if n.startswith("map-")] or self.pictures
        return names[0] if names else ""

    @cached_property
    def points(self) -> Any:
        """A column for each thing varied, replicas, output, mean, sd, low, high: the 95 % interval of
        the mean; units."""
        return self._read("points", _STATISTICS, GUESS)

    @cached_property
    def series(self) -> Any:
        """States and flows over time at each point: mean, sd and quantiles."""
        return self._read("series", _STATISTICS, GUESS)


class Comparison(Result):
    """What `compare` found: scenarios, and their differences from the first."""

    _picture = "forest"

    @cached_property
    def differences(self) -> Any:
        """scenario, output, pairs, mean_difference, its 95 % confidence interval, and where 95 % of
        the paired runs lie."""
        return self._read("differences", _STATISTICS)

    @cached_property
    def scenarios(self) -> Any:
        """scenario, replicas, output, mean, sd and the two intervals."""
        return self._read("scenarios", _STATISTICS)

    @cached_property
    def pairs(self) -> Any:
        """A row for each scenario, replica and output: baseline, value, difference."""
        return self._read("pairs", _STATISTICS)

    @cached_property
    def series(self) -> Any:
        """States and incidence of each scenario over time."""
        return self._read("series", _STATISTICS)

    @cached_property
    def icer(self) -> Any:
        """scenario, cost, effect, icer, low, high, of a comparison with icer="cost/qalys"; icer is a text
        if a scenario dominates or is dominated."""
        return self._read("icer", _STATISTICS, GUESS)

    @cached_property
    def acceptability(self) -> Any:
        """scenario, willingness_to_pay, probability, of a comparison with icer."""
        return self._read("acceptability", _STATISTICS)

    @cached_property
    def series_differences(self) -> Any:
        """Differences from the first scenario over time."""
        return self._read("series-differences", _STATISTICS)


class Fit(Result):
    """What `fit` estimated."""

    _picture = "predictive"

    @cached_property
    def posterior(self) -> Any:
        """A row for each point of the sample: a column for each unknown, in the unit of its prior,
        and weight."""
        return self._read("posterior", _DRAWS, GUESS)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """All numbers: the content of fit.json."""
        return dict(self._json("fit.json"))

    @cached_property
    def unknowns(self) -> Any:
        """name, unit, prior, best, mean, sd, quantiles as q05 to q95, contraction, moved."""
        columns: dict[str, list[Any]] = {}
        for unknown in self.summary["unknowns"]:
            row = {k: unknown.get(k, "") for k in ("name", "unit", "prior")}
            row.update({k: unknown.get(k) for k in ("best", "mean", "sd")})
            for share, value in zip(unknown.get("shares") or [], unknown.get("quantiles") or []):
                row["median" if share == 0.5 else "q" + f"{100 * share:g}".zfill(2)] = value  # q05, q97.5
            row.update({k: unknown.get(k) for k in ("contraction", "moved")})
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
        return _tables.make(columns)

    @property
    def best(self) -> dict[str, str]:
        """The best point, as run(…, set=…) takes it."""
        words = shlex.split(self.summary.get("set") or "")
        return dict(w.split("=", 1) for w in words if w != "--set")

    @property
    def notes(self) -> list[str]:
        """Warnings about the fit: read them."""
        return list(self.summary.get("notes") or [])


class Check(Result):
    """A model that is right, in words. plot() draws its states and the ways between them."""

    _picture = "states"
