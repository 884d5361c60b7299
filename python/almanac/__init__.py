"""Individual-based models in continuous time: runs the almanac command and reads its results.

    import almanac
    r = almanac.run("sir.yaml", set={"beta": "0.4 per day"}, replicas=100)
    r.states      # a data frame: replica, time, state, count
    r.incidence   # replica, time, kind, flow, incidence
    r.plot()      # a picture, which a notebook shows

A model is a file, or a dict with the sections of a model file. Frames are of pandas, polars or
arrow, the first that is installed; without any, they are a Table of lists.
"""

from ._api import check, compare, examples, fit, read, run, sweep, use, version
from ._errors import AlmanacError, AlmanacWarning, CommandNotFound, ModelError, Problem, RunError, UsageError
from ._pictures import Picture
from ._results import Check, Comparison, Fit, Result, Run, Sweep
from ._tables import Table

__version__ = "0.1.0"

__all__ = [
    "AlmanacError", "AlmanacWarning", "Check", "CommandNotFound", "Comparison", "Fit", "ModelError", "Picture",
    "Problem", "Result", "Run", "RunError", "Sweep", "Table", "UsageError", "check", "compare", "examples", "fit",
    "read", "run", "sweep", "use", "version",
]
