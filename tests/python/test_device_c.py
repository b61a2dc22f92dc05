"""The calls of C for arrays in the memory of a GPU, through the shared library, with tensors of PyTorch: beside the same calls of
arrays of the CPU on the same GPU, bit by bit.

    MANYBODY_LIBRARY=target/release/libmanybody.so python -m pytest -rs tests/python/test_device_c.py

Without the library, PyTorch or a GPU the tests are skipped, and say so.
"""

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if not torch.cuda.is_available():
    pytest.skip("PyTorch has no GPU", allow_module_level=True)
LIBRARY = Path(os.environ.get("MANYBODY_LIBRARY", Path(__file__).parents[2] / "target/release/libmanybody.so"))
if not LIBRARY.exists():
    pytest.skip(f"{LIBRARY} is missing: cargo build --release -p manybody-c", allow_module_level=True)

C = ctypes.CDLL(str(LIBRARY))
C.mb_last_error.restype = ctypes.c_char_p
N = 1500


def good(status):
    assert status == 0, C.mb_last_error().decode()


def bad(status, words):
    assert status != 0 and words in C.mb_last_error().decode(), C.mb_last_error().decode()


def at(array):
    """The address of an array of NumPy or PyTorch; `None` where there is no array."""
    if array is None:
        return None
    return ctypes.c_void_p(array.data_ptr() if isinstance(array, torch.Tensor) else array.ctypes.data)


def gpu(*arrays):
    return [torch.from_numpy(array).to("cuda:0") for array in arrays]


class Simulation:
    def __init__(self, settings, x, v, m):
        given, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        good(C.mb_settings_new(ctypes.byref(given)))
        for name, value in settings.items():
            good(C.mb_settings_set(given, name.encode(), value.encode()))
        n = ctypes.c_int64(len(m))
        good(C.mb_simulation_new(given, None, n, at(x), at(v), at(m), ctypes.byref(self.handle)))
        C.mb_settings_free(given)

    def step(self, steps):
        good(C.mb_simulation_step(self.handle, ctypes.c_int64(steps), None))

    def state(self):
        x, v, m = np.empty((N, 3)), np.empty((N, 3)), np.empty(N)
        good(C.mb_simulation_bodies(self.handle, ctypes.c_int64(N), at(x), at(v), at(m)))
        return x, v, m

    def __del__(self):
        C.mb_simulation_free(self.handle)


@pytest.fixture
def cluster():
    rng = np.random.default_rng(3)
    return rng.normal(size=(N, 3)), 0.1 * rng.normal(size=(N, 3)), rng.uniform(0.5, 1.5, N) / N


@pytest.mark.parametrize("device, precision", [("cuda", "f32"), ("cuda", "f64"), ("cpu", "f64")])
def test_bodies_that_are_kept_come_from_and_go_to_a_gpu(cluster, device, precision):
    settings = {"device": device, "precision": precision, "eps": "0.05", "dt": "1/128"}
    host = Simulation(settings, *cluster)
    nothing = np.empty(0)
    here = Simulation(settings, nothing, nothing, nothing)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        # what writes them is still at work when the call is made
        busy = torch.zeros(1 << 27, device="cuda:0")
        for _ in range(20):
            busy.add_(1)
        x, v, m = (torch.from_numpy(part).pin_memory().to("cuda:0", non_blocking=True) + 0 * busy[0].double() for part in cluster)
    queue = ctypes.c_void_p(stream.cuda_stream)
    good(C.mb_simulation_set_bodies_device(here.handle, queue, ctypes.c_int64(N), at(x), at(v), at(m)))
    for mine, theirs in zip(here.state(), cluster):
        np.testing.assert_array_equal(mine, theirs)
    host.step(20)
    here.step(20)
    a = np.empty((N, 3))
    good(C.mb_simulation_accelerations(host.handle, ctypes.c_int64(N), at(a)))
    x, v, m, b = gpu(np.zeros((N, 3)), np.zeros((N, 3)), np.zeros(N), np.zeros((N, 3)))
    good(C.mb_simulation_bodies_device(here.handle, None, ctypes.c_int64(N), at(x), at(v), at(m)))
    good(C.mb_simulation_accelerations_device(here.handle, None, ctypes.c_int64(N), at(b)))
    for mine, theirs in zip((x, v, m, b), (*host.state(), a)):
        np.testing.assert_array_equal(mine.cpu().numpy(), theirs)
    # at rest where no velocities are given; only the velocities are written
    good(C.mb_simulation_set_bodies_device(here.handle, None, ctypes.c_int64(N), at(x), None, at(m)))
    v.fill_(7)
    good(C.mb_simulation_bodies_device(here.handle, None, ctypes.c_int64(N), None, at(v), None))
    assert not v.any()


def test_arrays_of_a_gpu_are_checked(cluster):
    sim = Simulation({"dt": "1/128", "eps": "0.05"}, *cluster)
    x, v, m = gpu(*cluster)
    n = ctypes.c_int64(N)
    bad(C.mb_simulation_set_bodies_device(sim.handle, None, n, at(cluster[0]), None, at(m)), "x: is not in the memory of a GPU")
    bad(C.mb_simulation_bodies_device(sim.handle, None, n, at(x), at(x), None), "overlaps")
    x[5, 1] = float("nan")
    bad(C.mb_simulation_set_bodies_device(sim.handle, None, n, at(x), at(v), at(m)), "x[5][1] = NaN")
    np.testing.assert_array_equal(sim.state()[0], cluster[0])


def test_forces_and_laws_are_those_of_arrays_of_the_cpu(cluster):
    given = ctypes.c_void_p()
    good(C.mb_settings_new(ctypes.byref(given)))
    good(C.mb_settings_set(given, b"device", b"cuda"))
    n, one, eps = ctypes.c_int64(N), ctypes.c_double(1), ctypes.c_double(0.05)
    x, v, m = cluster
    a, phi = np.empty((N, 3)), np.empty(N)
    good(C.mb_forces(given, n, at(x), at(v), at(m), None, one, eps, at(a), at(phi), None))
    gx, gv, gm, ga, gphi = gpu(x, v, m, np.zeros((N, 3)), np.zeros(N))
    good(C.mb_forces_device(given, None, n, at(gx), at(gv), at(gm), None, one, eps, at(ga), at(gphi), None))
    np.testing.assert_array_equal(ga.cpu().numpy(), a)
    np.testing.assert_array_equal(gphi.cpu().numpy(), phi)
    law = b"body x[3], q; d = j.x - i.x; sum p = j.q / sqrt(dot(d, d) + 0.1)"
    rows, f = np.column_stack([x, m]), np.empty(N)
    zero = ctypes.c_int64(0)
    good(C.mb_evaluate(given, law, n, 4, at(rows), zero, None, 1, at(f)))
    (grows, gf) = gpu(rows, np.zeros(N))
    good(C.mb_evaluate_device(given, None, law, n, 4, at(grows), zero, None, 1, at(gf)))
    np.testing.assert_array_equal(gf.cpu().numpy(), f)
    C.mb_settings_free(given)
