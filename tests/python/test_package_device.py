"""Arrays in the memory of a GPU, without one: what the package makes of arguments, and its messages. The device is played by
the CPU, with arrays that say that they are on a GPU. test_device_arrays.py computes on one."""

import ctypes
import gc
import sys

import numpy as np
import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")
from manybody import _device, _native  # noqa: E402

HAS_GPU = any(device["device"] == "cuda" for device in mb.devices())


class Played:
    """An array of the CPU that says that it is on a GPU."""

    def __init__(self, array, ordinal=0):
        self.array, self.ordinal = array, ordinal

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    T = property(lambda self: Played(self.array.T, self.ordinal))

    def tolist(self):
        return self.array.tolist()

    def __float__(self):
        return float(self.array)

    def __dlpack_device__(self):
        return (2, self.ordinal)

    def __dlpack__(self, *, stream):
        assert stream == 77  # our stream, which the owner's work must be ahead of
        return self.array.__dlpack__()


class Interfaced:
    """An array of the CPU that has nothing but the interface of CUDA."""

    def __init__(self, array, stream=None):
        self.array = array
        made = array.__array_interface__
        self.interface = {key: made[key] for key in ("shape", "typestr", "data", "strides")} | {"version": 3}
        self.interface["stream"] = stream

    shape = property(lambda self: self.array.shape)
    ndim = property(lambda self: self.array.ndim)
    __cuda_array_interface__ = property(lambda self: self.interface)


class PlayedQueue:
    stream = 77

    def __init__(self, ordinal):
        self.ordinal, self.waited = ordinal, []
        PlayedQueue.last = self

    def wait_for(self, stream):
        self.waited.append(stream)


class PlayedShared:
    of_capsule = staticmethod(_native.SharedArray.of_capsule)

    @staticmethod
    def empty(queue, shape, kind):
        made = PlayedShared()
        made.array = np.full(shape, -99, kind)
        made.address, made.shape, made.strides = made.array.ctypes.data, list(shape), list(made.array.strides)
        return made

    T = property(lambda self: self.array.T)


def numbers(place, n):
    """The numbers of a column, by its address."""
    if isinstance(place, float):
        return np.full(n, place)
    address, stride, kind = place
    size = int(kind[1])
    read = (ctypes.string_at(address + k * stride, size) for k in range(n))
    return np.array([np.frombuffer(one, kind)[0] for one in read], np.float64)


def write(place, column):
    address, stride, kind = place
    for k, value in enumerate(column):
        one = np.array(value).astype(kind).tobytes()
        ctypes.memmove(address + k * stride, one, len(one))


def on_the_host(how):
    assert ("device", "cuda") in how
    return [word for word in how if word[0] != "device"] + [("device", "cpu")]


def evaluate(queue, law, i, j, parameters, lens, same, single, how, results):
    i = [numbers(place, lens[0]) for place in i]
    j = i if same and law.has_one_kind else [numbers(place, lens[1]) for place in j]
    found = law.evaluate(i, j, parameters, lens, same, single, on_the_host(how))
    for place, column in zip(results, found, strict=True):
        write(place, column)


def forces(queue, n, x, m, v, eps, g, targets, single, how, acceleration, potential, jerk):
    kind = np.float32 if single else np.float64
    vectors = lambda columns: np.stack([numbers(place, n) for place in columns], axis=1).astype(kind)
    each = lambda place: place if isinstance(place, float) else numbers(place, n)
    a, pot, j = _native.forces(
        vectors(x), each(m), v and vectors(v), each(eps), g, targets, potential is not None, on_the_host(how)
    )
    for places, found in ((acceleration, a), (jerk, j)):
        for place, column in zip(places or (), () if found is None else found.T):
            write(place, column)
    if potential is not None:
        write(potential, pot)


@pytest.fixture
def played(monkeypatch):
    """A GPU that is played by the CPU."""
    monkeypatch.setattr(_native, "Queue", PlayedQueue)
    monkeypatch.setattr(_native, "SharedArray", PlayedShared)
    monkeypatch.setattr(_native, "evaluate_on_device", evaluate)
    monkeypatch.setattr(_native, "forces_on_device", forces)
    monkeypatch.setattr(_native, "ordinal_of", lambda address: 0)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_laws_read_every_form_and_leave_results_there(played, rng):
    law = mb.Law("body x[3], q; param k[2] = (1, 2); sum p = k[1] * j.q / norm(j.x - i.x); sum f = j.x - i.x; self exclude")
    x, q = rng.normal(size=(40, 3)), rng.normal(size=40)
    want = law(x=x, q=q, k=[1.0, 3.0], device="cpu")
    wide, every = rng.normal(size=(80, 7)), np.zeros(120)
    wide[::2, 1:7:2], every[::-3] = x, q
    forms = {
        "plain": (Played(x), Played(q)),
        "columns": (Played(np.asfortranarray(x)), Played(q)),
        "strides": (Played(wide[::2, 1:7:2]), Played(every[::-3])),
        "parts": (tuple(Played(np.ascontiguousarray(part)) for part in x.T), Played(q)),
        "interface": (Interfaced(wide[::2, 1:7:2]), Interfaced(q, stream=2)),
    }
    for name, (places, charges) in forms.items():
        found = law(x=places, q=charges, k=Played(np.array([1.0, 3.0])))
        assert list(found) == ["p", "f"] and all(type(one) is PlayedShared for one in found.values()), name
        assert np.array_equal(found.p.array, want.p) and np.array_equal(found.f.array, want.f), name
    assert PlayedQueue.last.waited == [2]


def test_laws_broadcast_and_have_numbers_for_all_bodies(played, rng):
    law = mb.Law("gaussian")
    y, x, w = rng.normal(size=(4, 1, 7, 3)), rng.normal(size=(5, 9, 3)), rng.normal(size=9)
    want = law(x_i=y, x_j=x, w_j=w, h=0.5, device="cpu").s
    found = law(x_i=Played(y), x_j=Played(x), w_j=Played(w), h=Played(np.array(0.5))).s
    assert found.array.shape == (4, 5, 7) and np.array_equal(found.array, want)
    one = law(x_i=np.array([0.5, 0.25, 1.0]), x_j=Played(x[0]), w_j=2, h=0.5).s
    assert np.array_equal(one.array, law(x_i=np.array([0.5, 0.25, 1.0]), x_j=x[0], w_j=2, h=0.5, device="cpu").s)
    same = law(x=Played(x[0]), w=Played(np.array(2.0)), h=0.5).s
    assert np.array_equal(same.array, law(x=x[0], w=2.0, h=0.5, device="cpu").s)


def test_number_types_and_results_of_laws(played, rng):
    law = mb.Law("body x; id k; count n = j.x < i.x; argmin near = abs(j.x - i.x), j.k; logsumexp s = j.x; self exclude")
    x, k = rng.normal(size=20), np.arange(20)
    for kind in (np.float32, np.float64, np.float16, np.int32):
        of = (8 * x).astype(kind)
        labels = k.astype(np.float32 if kind in (np.float32, np.float16) else np.int64)
        found, want = law(x=Played(of), k=Played(labels)), law(x=of, k=labels, device="cpu")
        assert list(found) == list(want)
        for name, array in want.items():
            assert found[name].array.dtype == array.dtype and np.array_equal(found[name].array, array), (kind, name)
    empty = law(x=Played(np.zeros(0)), k=Played(np.zeros(0)))
    assert empty.n.array.shape == (0,)


def test_arrays_without_numbers_need_no_capsule(played):
    class Empty(Played):
        dtype = property(lambda self: self.array.dtype)

        def __dlpack__(self, *, stream):
            raise BufferError("no memory")

    x, w = Empty(np.zeros((0, 3), np.float32)), Empty(np.zeros(0, np.float32))
    assert mb.accelerations(x, w).array.shape == (0, 3) and mb.Law("gaussian")(x=x, w=w, h=1.0).s.array.dtype == np.float32
    with pytest.raises(mb.InputError, match="x: Empty; must be an array that DLPack has: no memory"):
        mb.accelerations(Empty(np.zeros((1, 3))), 1.0)


def test_gravity_in_every_form(played, rng):
    x, v, m, eps = rng.normal(size=(30, 3)), rng.normal(size=(30, 3)), rng.uniform(size=30), rng.uniform(0.1, 1, size=30)
    for kind in (np.float32, np.float64):
        x1, v1, m1, e1 = (part.astype(kind) for part in (x, v, m, eps))
        want = mb.forces(x1, m1, v=v1, eps=e1, G=2.0, device="cpu")
        found = mb.forces(Played(x1), Played(m1), v=Played(v1), eps=Played(e1), G=2.0)
        for one, other in zip(found, want):
            assert one.array.dtype == kind and np.array_equal(one.array, other)
        accelerations = mb.accelerations(Played(x1), 0.5, eps=0.1, device="cuda", gpus=1)
        assert np.array_equal(accelerations.array, mb.accelerations(x1, 0.5, eps=0.1, device="cpu"))
        by_columns = mb.accelerations(Played(np.asfortranarray(x1)), Played(m1), eps=0.1)
        assert np.array_equal(by_columns, mb.accelerations(x1, m1, eps=0.1, device="cpu")) and by_columns.flags.f_contiguous
        parts = mb.accelerations(tuple(Played(np.ascontiguousarray(p)) for p in x1.T), Played(m1), eps=0.1)
        assert type(parts) is tuple and np.array_equal(parts[2].array, by_columns[:, 2])
        some = mb.potential(Played(x1), Played(m1), eps=0.1, targets=Played(np.array([4, 2])))
        assert np.array_equal(some.array, mb.potential(x1, m1, eps=0.1, targets=[4, 2], device="cpu"))


X, M = np.arange(12.0).reshape(4, 3), np.ones(4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (dict(x=Played(X), m=M), ["m: an array in the memory of the CPU", "cuda:0, as x is"]),
        (dict(x=X, m=Played(M)), ["x: an array in the memory of the CPU", "cuda:0, as m is"]),
        (dict(x=Played(X), m=[1, 2, 3, 4]), ["m: a list", "cuda:0, as x is"]),
        (dict(x=Played(X), m=Played(M, 1)), ["m: an array in the memory of cuda:1", "cuda:0, as x is"]),
        (dict(x=Played(X), m=1.0, eps=M), ["eps: an array in the memory of the CPU"]),
        (dict(x=(Played(X[:, 0]), X[:, 1], X[:, 2]), m=1.0), ["x: an array in the memory of the CPU"]),
        (dict(x=Played(X), m=1.0, device="cpu"), ["device = cpu: x is in the memory of cuda:0", "must be cuda"]),
        (dict(x=Played(X), m=1.0, device="wgpu"), ["device = wgpu"]),
        (dict(x=Played(X, 1), m=1.0, gpus="id:0"), ["gpus = id:0: x is in the memory of cuda:1"]),
        (dict(x=Played(X), m=1.0, gpus=2), ["gpus = 2"]),
        (dict(x=Played(X), m=1.0, solver="fmm"), ["solver = fmm", "all pairs"]),
        (dict(x=Played(X), m=1.0, rtol=1e-3), ["rtol = 0.001", "all pairs"]),
    ],
)
def test_arguments_that_do_not_fit_are_named_before_a_device_is_opened(arguments, words):
    with pytest.raises(mb.InputError) as error:
        mb.accelerations(**arguments)
    for word in words:
        assert word in str(error.value), str(error.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (dict(x=Played(X[:, :2]), m=1.0), ["x: an array of float64 with shape (4, 2); must be an array"]),
        (dict(x=Played(X), m=Played(np.ones(5))), ["m: an array of float64 with shape (5,); must be a number, or"]),
        (dict(x=Played(X), m=1.0, v=Played(X[:3])), ["v: 3 vectors; must have 4 vectors"]),
        (dict(x=Played(X), m=1.0, eps=-1.0), ["eps: -1.0; must be a finite softening length"]),
        (dict(x=Played(X.astype(complex)), m=1.0), ["x: an array of complex numbers of 128 bits with shape (4, 3)"]),
    ],
)
def test_arrays_that_do_not_fit_are_named(played, arguments, words):
    with pytest.raises(mb.InputError) as error:
        mb.forces(**arguments)
    for word in words:
        assert word in str(error.value), str(error.value)


def test_laws_name_arguments(played):
    law = mb.Law("body x[3], q; param k = 1; sum p = k * j.q / norm(j.x - i.x); self exclude")
    for arguments, word in (
        (dict(x=Played(X), q=M), "q: an array in the memory of the CPU"),
        (dict(x=Played(X), q=Played(M, 1)), "q: an array in the memory of cuda:1"),
        (dict(x=Played(X[:, :2]), q=1.0), r"x: an array of float64 with shape \(4, 2\); must have shape \(n, 3\)"),
        (dict(x=Played(X), q=Played(np.ones(3))), "q: 3 bodies i; must be 4, as many as of x"),
        (dict(x=Played(X), q=1.0, solver="fmm", rtol=1e-3), "solver = fmm: x is in the memory of cuda:0"),
        (dict(x=Played(X), q=1.0, device="cpu"), "device = cpu"),
        (dict(x=Played(X), q=Played(M.astype("datetime64[s]"))), "q: "),
    ):
        with pytest.raises(mb.InputError, match=word):
            law(**arguments)
    with pytest.raises(TypeError, match="q is missing"):
        law(x=Played(X))


@pytest.mark.skipif(HAS_GPU, reason="a GPU is here")
def test_without_a_gpu_the_device_is_missed():
    for call in (lambda: mb.accelerations(Played(X), 1.0), lambda: mb.Law("gaussian")(x=Played(X), w=1.0, h=1.0)):
        with pytest.raises(mb.DeviceError, match="device cuda: no NVIDIA GPU"):
            call()
    assert _native.ordinal_of(X.ctypes.data) is None


@pytest.mark.parametrize("kind", ["f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"])
def test_capsules_are_read_as_they_lie(kind):
    for array in (np.zeros((4, 3), kind), np.zeros((9, 5), kind).T[1::2, ::-1], np.zeros((), kind), np.zeros((0, 3), kind)):
        shared = _native.SharedArray.of_capsule(array.__dlpack__(), "x")
        assert shared.kind == kind and tuple(shared.shape) == array.shape
        assert shared.__dlpack_device__() == (1, 0)
        if array.size:
            assert shared.address == array.ctypes.data and tuple(shared.strides) == array.strides


def test_capsules_of_both_versions_keep_their_arrays():
    array = np.arange(10.0)
    for options in ({}, {"max_version": (1, 0)}):
        before = sys.getrefcount(array)
        try:
            capsule = array.__dlpack__(**options)
        except TypeError:
            continue  # this NumPy has the older version alone
        shared = _native.SharedArray.of_capsule(capsule, "x")
        del capsule
        gc.collect()
        assert sys.getrefcount(array) > before and shared.address == array.ctypes.data
        del shared
        gc.collect()
        assert sys.getrefcount(array) == before


def test_what_is_no_capsule_is_refused():
    capsule = X.__dlpack__()
    _native.SharedArray.of_capsule(capsule, "x")
    for wrong in (capsule, 3):
        with pytest.raises(mb.InputError, match="x: .*must be a capsule of DLPack"):
            _native.SharedArray.of_capsule(wrong, "x")
    shared = _native.SharedArray.of_capsule(X.__dlpack__(), "x")
    with pytest.raises(BufferError, match="belongs to another package"):
        shared.__dlpack__()


def test_views_are_broadcast_and_sliced_as_numpy_has_it(rng):
    array = rng.normal(size=(2, 1, 7, 3))[:, :, ::2]
    view = _device.View(array.ctypes.data, array.shape, array.strides, "f8")
    wide = np.broadcast_to(array, (2, 5, 4, 3))
    found = view.last(1).broadcast((2, 5, 4)).at((1, 3))
    assert np.array_equal(numbers(found.column(), 4), wide[1, 3, :, 1])
    with pytest.raises(ValueError):
        view.broadcast((3, 1, 4, 3))
