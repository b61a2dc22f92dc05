"""As bits.c, with the package of Python, and the command's file of forces in the same bytes.

bits.py package FILE PRECISION SOLVER EPS OUT
bits.py table FORCES.csv OUT
"""

import csv
import sys

import numpy as np

if sys.argv[1] == "table":
    with open(sys.argv[2], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    acceleration = np.array([[float(row[axis]) for axis in ("ax", "ay", "az")] for row in rows])
    potential = np.array([float(row["pot"]) for row in rows])
else:
    import manybody

    bodies = manybody.read(sys.argv[2])
    how = {"device": "cpu", "precision": sys.argv[3], "solver": sys.argv[4]}
    acceleration, potential, _ = manybody.forces(bodies.x, bodies.m, eps=float(sys.argv[5]), **how)
with open(sys.argv[-1], "wb") as out:
    out.write(np.ascontiguousarray(acceleration).tobytes() + potential.tobytes())
