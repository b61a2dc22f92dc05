#!/usr/bin/env python3
"""Prints the references of crates/manybody/tests/subsystems.rs: triples and an encounter by REBOUND's IAS15.

    pip install rebound==5.2.2
    python3 scripts/subsystems_reference.py

A binary of two masses 0.5, semi-major axis 1e-3 and eccentricity 0.5 has a third body of mass 1 on an inclined circle of
10 to 50 of its apocentres. What the third body has done to the binary by t = 1/16, 314 of its periods, is in its
elements: semi-major axis, eccentricity and the angle of the pericentre. The same for a
third body on an orbit that leads it in and out of the subsystem, and for third bodies so far away that their tides change
the binary in thousands of its periods, with what the binary does to their orbits. Beside them are their changes where IAS15
begins with another step, which is what its errors make of them.
"""

import math

import rebound


def triple(axis, apocentres):
    """Masses, places and velocities."""
    r, v = 1.5 * axis, math.sqrt(1 / axis / 3)
    d = apocentres * r
    w = math.sqrt(2 / d)
    return [
        (0.5, [-0.5 * d + 0.5 * r, 0, 0], [0, -0.5 * w + 0.5 * v, 0]),
        (0.5, [-0.5 * d - 0.5 * r, 0, 0], [0, -0.5 * w - 0.5 * v, 0]),
        (1.0, [0.5 * d, 0, 0], [0, 0.5 * w * math.cos(0.6), 0.5 * w * math.sin(0.6)]),
    ]


def encounter(impact):
    """A binary of axis 0.01 and a body that falls towards it from a distance of 0.5."""
    axis = 0.01
    v = math.sqrt(1 / axis)
    return [
        (0.5, [0.5 * axis, 0, 0], [0, 0.5 * v, 0]),
        (0.5, [-0.5 * axis, 0, 0], [0, -0.5 * v, 0]),
        (0.5, [0.5, impact, 0.002], [-1, 0, 0]),
    ]


def crossing(mass, apocentres, eccentricity):
    """A binary of axis 1e-3 and a body that falls from so many of its apocentres to a pericentre on an inclined orbit."""
    axis = 1e-3
    r, v = 1.5 * axis, math.sqrt(1 / axis / 3)
    d = apocentres * r
    w = math.sqrt((1 + mass) / d * (1 - eccentricity))
    return [
        (0.5, [0.5 * r, 0, 0], [0, 0.5 * v, 0]),
        (0.5, [-0.5 * r, 0, 0], [0, -0.5 * v, 0]),
        (mass, [d, 0, 0], [0, w * math.cos(0.6), w * math.sin(0.6)]),
    ]


def hierarchy(masses, inner, outer):
    """A binary and a third body at their apocentres: axes, eccentricities, and the inclination of the two orbits."""
    (axis, e, inclination), (far, far_e) = inner, outer
    pair, total = masses[0] + masses[1], sum(masses)
    r, v = axis * (1 + e), math.sqrt(pair / axis * (1 - e) / (1 + e))
    d, w = far * (1 - far_e), math.sqrt(total / far * (1 + far_e) / (1 - far_e))
    sin, cos = math.sin(inclination), math.cos(inclination)
    up, right = math.sin(1.0), math.cos(1.0)

    def within(x, y):
        x, y = right * x - up * y, up * x + right * y
        return [x, y * cos, y * sin]

    x, u = within(r, 0), within(0, v)
    back, share = -masses[2] / total, pair / total
    bodies = [
        (m, [back * d + part * x[0], part * x[1], part * x[2]], [part * u[0], back * w + part * u[1], part * u[2]])
        for m, part in [(masses[0], -masses[1] / pair), (masses[1], masses[0] / pair)]
    ]
    return [*bodies, (masses[2], [share * d, 0, 0], [0, share * w, 0])]


def quadruple():
    """A pair with a third body at ten of its axes, and a fourth far away, on circles."""
    inner, middle, far = 2.5e-4, 2.5e-3, 0.3
    u, v, w = math.sqrt(0.4 / inner), math.sqrt(0.6 / middle), math.sqrt(1.6 / far)
    sin, cos = math.sin(0.9), math.cos(0.9)

    def at(mass, pair, third, fourth):
        place = [pair * inner + third * middle + fourth * far, 0, 0]
        return (mass, place, [0, pair * u + third * v * cos + fourth * w, third * v * sin])

    back = -1 / 1.6
    return [at(0.2, 0.5, -1 / 3, back), at(0.2, -0.5, -1 / 3, back), at(0.2, 0, 2 / 3, back), at(1.0, 0, 0, 0.6 / 1.6)]


HIERARCHIES = [
    ((0.5, 0.5, 1.0), (1e-3, 0.1, 1.2), (0.15, 0.0), 40.0),
    ((0.7, 0.3, 1.0), (1e-3, 0.3, 1.2), (0.15, 0.1), 10.0),
    ((0.5, 0.5, 1.0), (1e-3, 0.5, 0.6), (0.13, 0.2), 2.0),
]


def solve(bodies, end, first_step):
    """The bodies at the end."""
    sim = rebound.Simulation()
    for mass, (x, y, z), (vx, vy, vz) in bodies:
        sim.add(m=mass, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    sim.integrator = "ias15"
    sim.dt = first_step
    first = sim.energy()
    sim.integrate(end)
    return sim, abs(sim.energy() / first - 1)


def elements(a, b):
    """Semi-major axis, eccentricity, and the angle of the pericentre in the plane z = 0."""
    x = [b.x - a.x, b.y - a.y, b.z - a.z]
    v = [b.vx - a.vx, b.vy - a.vy, b.vz - a.vz]
    mass, r = a.m + b.m, math.hypot(*x)
    v2, xv = sum(q * q for q in v), sum(p * q for p, q in zip(x, v))
    vector = [(v2 / mass - 1 / r) * p - xv / mass * q for p, q in zip(x, v)]
    return 1 / (2 / r - v2 / mass), math.hypot(*vector), math.atan2(vector[1], vector[0])


def center(sim, of):
    """The centre of mass of some bodies."""
    p = sim.particles
    mass = sum(p[k].m for k in of)
    mean = {q: sum(p[k].m * getattr(p[k], q) for k in of) / mass for q in ["x", "y", "z", "vx", "vy", "vz"]}
    one = rebound.Simulation()
    one.add(m=mass, **mean)
    return one.particles[0].copy()


def show(name, bodies, end, pairs):
    """The elements of pairs of bodies, or of their centres of mass, and by how much they differ with another first step."""
    (sim, error), (other, _) = solve(bodies, end, 1e-5), solve(bodies, end, 1e-6)
    print(f"{name}: energy error {error:.1e}", flush=True)

    for i, j in pairs:
        here, there = (elements(center(run, i), center(run, j)) for run in (sim, other))
        differences = ", ".join(f"{abs(p - q):.0e}" for p, q in zip(here, there))
        print(f"    {i} {j}: {list(here)} +- {differences}")


if __name__ == "__main__":
    for apocentres in [10, 15, 30, 50]:
        show(f"{apocentres} apocentres", triple(1e-3, apocentres), 1 / 16, [([0], [1])])
    for mass, apocentres, eccentricity in [(0.02, 12, 0.5), (0.02, 30, 0.58), (1.0, 20, 0.43)]:
        bodies = crossing(mass, apocentres, eccentricity)
        show(f"crossing {mass} {apocentres} {eccentricity}", bodies, 1 / 16, [([0], [1])])
        third = solve(bodies, 1 / 16, 1e-5)[0].particles[2]
        print(f"    third body at {[third.x, third.y, third.z]}")
    for impact in [0.01, 0.03, 0.05, 0.07]:
        show(f"encounter {impact}", encounter(impact), 1.0, [([0], [1]), ([0], [2]), ([1], [2])])
    for masses, inner, outer, end in HIERARCHIES:
        name = f"hierarchy {masses} {inner} {outer} to {end:g}"
        show(name, hierarchy(masses, inner, outer), end, [([0], [1]), ([0, 1], [2])])
    show("quadruple", quadruple(), 1 / 4, [([0], [1]), ([0, 1], [2]), ([0, 1, 2], [3])])
    sim = solve(quadruple(), 1 / 4, 1e-5)[0]
    two, third = center(sim, [0, 1]), sim.particles[2]
    x, v = ([getattr(third, q) - getattr(two, q) for q in axes] for axes in (["x", "y", "z"], ["vx", "vy", "vz"]))
    print(f"    third about the pair: {[x[i - 2] * v[i - 1] - x[i - 1] * v[i - 2] for i in range(3)]}")
