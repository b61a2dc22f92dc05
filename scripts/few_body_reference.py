"""Prints the reference of crates/manybody/tests/few_body.rs: the Pythagorean problem at t = 80.

heyoka (PyPI, 7.13.2 made the numbers of the test) integrates it by Taylor series in quadruple precision, at a
tolerance of 1e-30 and, for comparison, of 1e-25. In f64 its error at a tolerance of 1e-18 is 3e-2, in the 80 bits
of long double 1e-4: places at t = 80 are 1e8 times as sensitive as those at t = 0, and differences of places lose
digits in each encounter.

    python3 -m venv venv && venv/bin/pip install heyoka==7.13.2 && venv/bin/python scripts/few_body_reference.py
"""

import heyoka
import numpy as np

MASSES = [3, 4, 5]
PLACES = [[1, 3, 0], [-2, -1, 0], [1, -1, 0]]
END = 80
Number = heyoka.real128


def solve(tolerance):
    """Places and velocities [body, (x, v), axis] at the end."""
    system = heyoka.model.nbody(len(MASSES), masses=[Number(m) for m in MASSES])
    start = [Number(q) for place in PLACES for q in [*place, 0, 0, 0]]
    solver = heyoka.taylor_adaptive(system, np.array(start, dtype=Number), fp_type=Number, tol=Number(tolerance))
    solver.propagate_until(Number(END))
    return solver.state.reshape(len(MASSES), 2, 3)


def root(x):
    """The square root, which NumPy does not have for these numbers."""
    guess = Number(float(x) ** 0.5)
    for _ in range(4):
        guess = (guess + x / guess) / Number(2)
    return guess


def elements(mass, x, v):
    """Semi-major axis (below 0 of a hyperbola) and eccentricity of a relative orbit."""
    dot = lambda a, b: sum((p * q for p, q in zip(a, b)), Number(0))
    r = root(dot(x, x))
    axis = Number(1) / (Number(2) / r - dot(v, v) / Number(mass))
    vector = [(dot(v, v) / Number(mass) - Number(1) / r) * p - dot(x, v) / Number(mass) * q for p, q in zip(x, v)]
    return axis, root(dot(vector, vector))


def main():
    coarse, state = solve("1e-25"), solve("1e-30")
    print(f"heyoka {heyoka.__version__}, real128, tolerances 1e-30 and 1e-25, which differ by", end=" ")
    print(max(abs(float(p - q)) for p, q in zip(state.ravel(), coarse.ravel())))
    for body, (x, v) in enumerate(state):
        print(f"body {body} of mass {MASSES[body]}:", *(str(q) for q in [*x[:2], *v[:2]]))
    inner = state[2] - state[1]
    axis, eccentricity = elements(9, *inner)
    print("pair 4 + 5: a", axis, "e", eccentricity)
    center = (Number(4) * state[1] + Number(5) * state[2]) / Number(9)
    axis, eccentricity = elements(12, *(state[0] - center))
    print("escaper 3: a", axis, "e", eccentricity, "speed at infinity", root(Number(12) / -axis))


if __name__ == "__main__":
    main()
