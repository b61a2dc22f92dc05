"""Times REBOUND's direct sum on bodies from standard input: n eps repeat, then m x y z a line, then the sample."""

import ctypes
import json
import sys
import time

import rebound

n, eps, repeat = sys.stdin.readline().split()
n, repeat = int(n), int(repeat)
sim = rebound.Simulation()
sim.G = 1.0
sim.softening = float(eps)
sim.gravity = "basic"
for _ in range(n):
    m, x, y, z = map(float, sys.stdin.readline().split())
    sim.add(m=m, x=x, y=y, z=z)
sample = [int(i) for i in sys.stdin.readline().split()]
evaluate = rebound.clibrebound.reb_simulation_update_acceleration
evaluate(ctypes.byref(sim))
seconds = []
for _ in range(repeat):
    start = time.perf_counter()
    evaluate(ctypes.byref(sim))
    seconds.append(time.perf_counter() - start)
particles = sim.particles
acc = [a for i in sample for a in (particles[i].ax, particles[i].ay, particles[i].az)]
print(json.dumps({"version": rebound.__version__, "seconds": seconds, "acc": acc}))
