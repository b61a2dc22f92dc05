"""Pairwise interactions of many bodies, fast on CPUs and GPUs, with measured errors.

>>> import numpy as np
>>> import manybody
>>> x = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
>>> m = np.array([1.0, 2.0])
>>> manybody.accelerations(x, m)
array([[ 2.,  0.,  0.],
       [-1.,  0.,  0.]])
"""

import os as _os

from . import _native, ic
from ._bodies import Bodies, Units, read
from ._errors import ComputationError, DeviceError, Error, InputError
from ._gravity import ForceErrors, Forces, accelerations, audit, devices, forces, potential
from ._law import Law, Member, Results, laws
from ._pairs import PairCounts, TripleForces, collisions, correlation, count_pairs, distances, triples
from ._simulation import Diagnostics, Event, Force, Outcome, Simulation, run, settings
from ._sweep import rows, sweep

__version__: str = _native.VERSION

__all__ = [
    "Bodies",
    "ComputationError",
    "DeviceError",
    "Diagnostics",
    "Event",
    "Error",
    "Force",
    "ForceErrors",
    "Forces",
    "InputError",
    "Law",
    "Member",
    "Outcome",
    "PairCounts",
    "Results",
    "Simulation",
    "TripleForces",
    "Units",
    "accelerations",
    "audit",
    "collisions",
    "correlation",
    "count_pairs",
    "devices",
    "distances",
    "forces",
    "ic",
    "laws",
    "potential",
    "read",
    "rows",
    "run",
    "settings",
    "sweep",
    "triples",
]

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.after_fork)
