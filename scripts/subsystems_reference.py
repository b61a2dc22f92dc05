#!/usr/bin/env python3
"""Prints the references of crates/manybody/tests/subsystems.rs: triples and an encounter by REBOUND's IAS15.

    pip install rebound==5.2.2
    python3 scripts/subsystems_reference.py

A binary of two masses 0.5, semi-major axis 1e-3 and eccentricity 0.5 has a third body of mass 1 on an inclined circle of
10 to 50 of its apocentres. What the third body has done to the binary by t = 1/16, 314 of its periods, is in its
elements: semi-major axis, eccentricity and the angle of the pericentre. The same for a
third body on an orbit that leads it in and out of the subsystem. Beside them are their changes where IAS15
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


def elements(sim, i, j):
    """Semi-major axis, eccentricity, and the angle of the pericentre in the plane z = 0."""
    a, b = sim.particles[i], sim.particles[j]
    x = [b.x - a.x, b.y - a.y, b.z - a.z]
    v = [b.vx - a.vx, b.vy - a.vy, b.vz - a.vz]
    mass, r = a.m + b.m, math.hypot(*x)
    v2, xv = sum(q * q for q in v), sum(p * q for p, q in zip(x, v))
    vector = [(v2 / mass - 1 / r) * p - xv / mass * q for p, q in zip(x, v)]
    return 1 / (2 / r - v2 / mass), math.hypot(*vector), math.atan2(vector[1], vector[0])


def show(name, bodies, end, pairs):
    """The elements of pairs, and by how much they differ with another first step."""
    (sim, error), (other, _) = solve(bodies, end, 1e-5), solve(bodies, end, 1e-6)
    print(f"{name}: energy error {error:.1e}")
    for i, j in pairs:
        here, there = elements(sim, i, j), elements(other, i, j)
        differences = ", ".join(f"{abs(p - q):.0e}" for p, q in zip(here, there))
        print(f"    {i} {j}: {list(here)} +- {differences}")


if __name__ == "__main__":
    for apocentres in [10, 15, 30, 50]:
        show(f"{apocentres} apocentres", triple(1e-3, apocentres), 1 / 16, [(0, 1)])
    for mass, apocentres, eccentricity in [(0.02, 12, 0.5), (0.02, 30, 0.58), (1.0, 20, 0.43)]:
        bodies = crossing(mass, apocentres, eccentricity)
        show(f"crossing {mass} {apocentres} {eccentricity}", bodies, 1 / 16, [(0, 1)])
        third = solve(bodies, 1 / 16, 1e-5)[0].particles[2]
        print(f"    third body at {[third.x, third.y, third.z]}")
    for impact in [0.01, 0.03, 0.05, 0.07]:
        show(f"encounter {impact}", encounter(impact), 1.0, [(0, 1), (0, 2), (1, 2)])
