"""Arrays of PyTorch, CuPy and JAX in the memory of a GPU: beside the same call with arrays of the CPU on the same GPU, bit by
bit; that nothing is copied to the host; strides, number types, streams, lifetimes, gradients and messages.

    python -m pytest -rs tests/python/test_device_arrays.py

Where a package is not installed, or has no GPU, its tests are skipped, and say so. test_package_device.py needs no GPU.
"""

import gc
import os
import threading

import numpy as np
import pytest

# JAX takes most of the memory otherwise, and has no f64
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("JAX_ENABLE_X64", "1")

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")
from manybody import _native  # noqa: E402

GPUS = [device for device in mb.devices() if device["device"] == "cuda"]
SIZES = [0, 1, 7, 1000, 65_537]


class Torch:
    """PyTorch on the first GPU."""

    def __init__(self):
        self.torch = pytest.importorskip("torch", reason="PyTorch is not installed")
        if not self.torch.cuda.is_available():
            pytest.skip("PyTorch has no GPU")
        self.kind = self.torch.Tensor

    def to(self, array, device=0):
        return self.torch.from_numpy(np.array(array)).to(f"cuda:{device}")

    def back(self, array):
        return array.detach().cpu().numpy()

    def is_on_the_gpu(self, array):
        return array.device == self.torch.device("cuda:0")

    def wait(self):
        self.torch.cuda.synchronize()


class Cupy:
    """CuPy on the first GPU."""

    def __init__(self):
        self.cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
        try:
            self.cupy.cuda.runtime.getDeviceCount()
            self.cupy.zeros(1)
        except Exception as error:  # noqa: BLE001: whatever CuPy says
            pytest.skip(f"CuPy has no GPU: {error}")
        self.kind = self.cupy.ndarray

    def to(self, array, device=0):
        with self.cupy.cuda.Device(device):
            return self.cupy.asarray(array, order="K")

    def back(self, array):
        return self.cupy.asnumpy(array)

    def is_on_the_gpu(self, array):
        return array.device.id == 0

    def wait(self):
        self.cupy.cuda.Device().synchronize()


class Jax:
    """JAX on the first GPU."""

    def __init__(self):
        self.jax = pytest.importorskip("jax", reason="JAX is not installed")
        try:
            self.devices = self.jax.devices("gpu")
        except RuntimeError as error:
            pytest.skip(f"JAX has no GPU: {error}")
        self.kind = self.jax.Array

    def to(self, array, device=0):
        return self.jax.device_put(np.asarray(array), self.devices[device])

    def back(self, array):
        return np.asarray(array)

    def is_on_the_gpu(self, array):
        return array.devices() == {self.devices[0]}

    def wait(self):
        pass


@pytest.fixture(params=[Torch, Cupy, Jax], ids=["torch", "cupy", "jax"])
def package(request):
    if not GPUS:
        pytest.skip("no GPU of CUDA is here")
    return request.param()


@pytest.fixture
def torch():
    if not GPUS:
        pytest.skip("no GPU of CUDA is here")
    return Torch()


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def bodies(rng, n, kind):
    x, v = rng.normal(size=(n, 3)) + [3.0, -1e3, 0.0], rng.normal(size=(n, 3))
    m, eps = rng.uniform(0.5, 1.5, size=n), rng.uniform(0.01, 0.1, size=n)
    return [part.astype(kind) for part in (x, v, m, eps)]


def same(package, found, want):
    """The bits of the host's result, on the GPU, as an array of the package."""
    assert isinstance(found, package.kind) and package.is_on_the_gpu(found)
    back = package.back(found)
    assert back.dtype == want.dtype and back.shape == want.shape
    assert np.array_equal(back, want), np.abs(back.astype(float) - want).max()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", SIZES)
def test_gravity_has_the_bits_of_arrays_of_the_host(package, rng, n, kind):
    x, v, m, eps = bodies(rng, n, kind)
    gx, gv, gm, geps = map(package.to, (x, v, m, eps))
    same(package, mb.accelerations(gx, gm, eps=0.05), mb.accelerations(x, m, eps=0.05, device="cuda"))
    same(package, mb.accelerations(gx, 0.5, eps=0.05, G=2.0), mb.accelerations(x, 0.5, eps=0.05, G=2.0, device="cuda"))
    same(package, mb.potential(gx, gm, eps=geps), mb.potential(x, m, eps=eps, device="cuda"))
    want = mb.forces(x, m, v=v, eps=0.05, device="cuda")
    for one, other in zip(mb.forces(gx, gm, v=gv, eps=0.05, device="cuda"), want):
        same(package, one, other)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_gravity_of_solvers_precisions_and_sums(package, rng, kind):
    x, _, m, _ = bodies(rng, 10_000, kind)
    gx, gm = package.to(x), package.to(m)
    choices = [dict(solver="direct"), dict(solver="symmetric"), dict(precision="f32"), dict(precision="f64")]
    if kind == np.float32:
        choices += [dict(precision="mixed"), dict(sum="compensated"), dict(sum="f64"), dict(sum="pairwise")]
    for how in choices:
        same(package, mb.accelerations(gx, gm, eps=0.05, **how), mb.accelerations(x, m, eps=0.05, device="cuda", **how))
    with pytest.raises(mb.InputError, match="fixed"):
        mb.accelerations(gx, gm, eps=0.05, precision="f32", sum="fixed")


def test_gravity_without_mass_and_of_some_targets(package, rng):
    x, _, m, _ = bodies(rng, 5000, np.float64)
    m[rng.permutation(5000)[:3000]] = 0
    targets = rng.permutation(5000)[:777]
    for mass in (m, np.zeros(5000), np.ones(5000)):
        gx, gm = package.to(x), package.to(mass)
        same(package, mb.accelerations(gx, gm, eps=0.05), mb.accelerations(x, mass, eps=0.05, device="cuda"))
        for some in (targets, np.arange(5000)[::-1], targets[:0]):
            want = mb.accelerations(x, mass, eps=0.05, device="cuda", targets=some)
            same(package, mb.accelerations(gx, gm, eps=0.05, targets=some), want)
    same(package, mb.potential(gx, gm, eps=0.05, targets=package.to(targets)),
         mb.potential(x, mass, eps=0.05, device="cuda", targets=targets))


LAWS = {
    "gaussian": "body x[3], w; param h = 0.7; sum s = j.w * exp(-dot(j.x - i.x, j.x - i.x) / (2 * h^2)); self include",
    "coulomb": "body x[3], w; d = j.x - i.x; sum p = j.w / norm(d); sum f = -i.w * j.w * d / norm(d)^3; self exclude",
    "extremes": "body x[3], w; r = norm(j.x - i.x); count n = r < 0.5; min least = r; max most = j.w; self exclude",
    "logsumexp": "body x[3], w; logsumexp s = j.w - dot(j.x - i.x, j.x - i.x); self include",
}


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", LAWS)
def test_laws_have_the_bits_of_arrays_of_the_host(package, rng, name, n, kind):
    law = mb.Law(LAWS[name])
    x, _, w, _ = bodies(rng, n, kind)
    y = (x[: n // 2] + 0.25).astype(kind)
    gx, gw, gy = package.to(x), package.to(w), package.to(y)
    calls = [(dict(x=gx, w=gw), dict(x=x, w=w)), (dict(x=gx, w=2), dict(x=x, w=2))]
    if n > 1:
        calls.append((dict(x_i=gy, w_i=1.0, x_j=gx, w_j=gw), dict(x_i=y, w_i=1.0, x_j=x, w_j=w)))
    for there, here in calls:
        found, want = law(**there), law(**here, device="cuda")
        assert list(found) == list(want)
        for key, array in want.items():
            if name == "logsumexp":  # the last logarithm is that of the GPU: an ulp of f64
                back = package.back(found[key])
                assert package.is_on_the_gpu(found[key]) and back.dtype == array.dtype
                assert np.allclose(back, array, rtol=4 * np.finfo(array.dtype).eps, atol=0)
            else:
                same(package, found[key], array)


def test_leading_dimensions_broadcast(package, rng):
    law = mb.Law("gaussian")
    y, x, w = rng.normal(size=(4, 1, 70, 3)), rng.normal(size=(5, 300, 3)), rng.normal(size=300)
    want = law(x_i=y, x_j=x, w_j=w, h=0.5, device="cuda").s
    same(package, law(x_i=package.to(y), x_j=package.to(x), w_j=package.to(w), h=package.to(0.5)).s, want)


def test_slices_strides_and_parts_are_read_in_place(torch, rng):
    """Views into larger arrays, by PyTorch's and CuPy's slices."""
    law = mb.Law(LAWS["coulomb"])
    wide, every = rng.normal(size=(2000, 7)), rng.uniform(1, 2, size=3000)
    x, w = np.ascontiguousarray(wide[::2, 1:7:2]), np.ascontiguousarray(every[::3])
    want, a = law(x=x, w=w, device="cuda"), mb.accelerations(x, w, eps=0.1, device="cuda")
    gwide, gevery = torch.to(wide), torch.to(every)
    gx, gw = gwide[::2, 1:7:2], gevery[::3]
    assert not gx.is_contiguous()
    forms = [(gx, gw), (gx.t().contiguous().t(), gw), (tuple(gx[:, k] for k in range(3)), gw)]
    for places, weights in forms:
        found = law(x=places, w=weights)
        assert np.array_equal(torch.back(found.p), want.p) and np.array_equal(torch.back(found.f), want.f)
        acc = mb.accelerations(places, weights, eps=0.1)
        acc = torch.torch.stack(acc, dim=1) if isinstance(acc, tuple) else acc
        assert np.array_equal(torch.back(acc), a)
    # one number for all, without memory for each
    one = torch.to(np.float64(2.0)).expand(1000)
    assert np.array_equal(torch.back(law(x=gx, w=one).p), law(x=x, w=np.full(1000, 2.0), device="cuda").p)


def test_addresses_of_no_alignment_and_negative_strides(rng):
    if not GPUS:
        pytest.skip("no GPU of CUDA is here")
    cupy = Cupy().cupy
    x, w = rng.normal(size=(500, 3)), rng.uniform(1, 2, size=500)
    law = mb.Law(LAWS["coulomb"])
    want = law(x=x[::-1], w=w, device="cuda").p
    found = law(x=cupy.asarray(x)[::-1], w=cupy.asarray(w)).p
    assert np.array_equal(cupy.asnumpy(found), want)

    class Odd:
        """Nothing but the interface, at an odd address."""

        bytes = cupy.asarray(np.frombuffer(b"-" + w.tobytes(), np.uint8))
        shape, ndim = w.shape, 1
        __cuda_array_interface__ = {
            "shape": w.shape, "typestr": "<f8", "data": (bytes.data.ptr + 1, True), "version": 3, "strides": None, "stream": 1,
        }

    found = law(x=cupy.asarray(x)[::-1], w=Odd()).p
    assert np.array_equal(cupy.asnumpy(found), want)
    alone = mb.Law("body w; sum s = j.w - i.w")(w=Odd()).s
    assert isinstance(alone, _native.SharedArray)
    assert np.array_equal(cupy.asnumpy(cupy.from_dlpack(alone)), mb.Law("body w; sum s = j.w - i.w")(w=w, device="cuda").s)
    assert np.array_equal(cupy.asnumpy(cupy.asarray(alone)), cupy.asnumpy(cupy.from_dlpack(alone)))


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "int32", "int64", "uint8", "bool"])
def test_other_number_types(torch, rng, kind):
    law = mb.Law("body x, w; sum s = j.w * abs(j.x - i.x)")
    x, w = torch.to(rng.uniform(0, 100, size=300)), torch.to(rng.uniform(0, 100, size=300))
    x, w = (part.to(getattr(torch.torch, kind)) for part in (x, w))
    single = kind in ("float16", "bfloat16")
    wide = torch.torch.float32 if single else torch.torch.float64
    found, want = law(x=x, w=w).s, law(x=torch.back(x.to(wide)), w=torch.back(w.to(wide)), device="cuda").s
    assert found.dtype == wide and np.array_equal(torch.back(found), want)
    with pytest.raises(mb.InputError, match="x: .*complex"):
        law(x=x.to(torch.torch.complex64), w=w)


def test_nothing_goes_to_the_host(torch, rng):
    """What PyTorch's profiler sees of the driver: copies to the host are some numbers a column, whatever n is."""
    profiler = pytest.importorskip("torch.profiler")
    law, n = mb.Law(LAWS["gaussian"]), 200_000
    x, w = torch.to(rng.normal(size=(n, 3)).astype(np.float32)), torch.to(rng.uniform(size=n).astype(np.float32))
    calls = [lambda: law(x=x, w=w), lambda: mb.accelerations(x, w, eps=0.05)]
    for call in calls:
        call()  # compiles
        torch.wait()
        with profiler.profile(activities=[profiler.ProfilerActivity.CUDA, profiler.ProfilerActivity.CPU]) as seen:
            call()
            torch.wait()
        copies = [event for event in seen.events() if "memcpy" in event.name.lower() and "dtoh" in event.name.lower()]
        took = sum(getattr(event, "device_time_total", 0) or getattr(event, "cuda_time_total", 0) for event in copies)
        # 200,000 numbers of four bytes take 15 microseconds on the fastest bus, and there are four columns
        assert took < 60 and len(copies) < 20, (took, [event.name for event in copies])


def test_memory_is_that_of_the_package(torch, rng):
    law = mb.Law(LAWS["gaussian"])
    x, w = torch.to(rng.normal(size=(10_000, 3))), torch.to(rng.uniform(size=10_000))
    before = torch.torch.cuda.memory_allocated()
    found = law(x=x, w=w).s
    assert torch.torch.cuda.memory_allocated() - before == 80_384  # 80,000 bytes in units of 512
    del found
    gc.collect()
    assert torch.torch.cuda.memory_allocated() == before
    again, used = [], []
    for _ in range(20):
        again.append(law(x=x, w=w).s.sum().item())
        used.append(torch.torch.cuda.mem_get_info()[0])
    assert len(set(again)) == 1 and used[-1] >= used[2] - (1 << 20)  # nothing is left behind


def test_work_on_other_streams_is_waited_for(torch, rng):
    """Arrays that are still being computed, on a stream of the caller's, and results that are read at once."""
    t = torch.torch
    law = mb.Law(LAWS["gaussian"])
    x, w = rng.normal(size=(20_000, 3)).astype(np.float32), np.ones(20_000, np.float32)
    want = law(x=x, w=w, device="cuda").s
    gx, gw, large = torch.to(x), torch.to(w), t.rand(6000, 6000, device="cuda")
    torch.wait()
    for stream in (t.cuda.Stream(), t.cuda.default_stream()):
        with t.cuda.stream(stream):
            late = gx.clone().zero_()
            for _ in range(20):
                large @ large  # keeps the stream busy
            late.copy_(gx)
            found = law(x=late, w=gw).s.clone()
        torch.wait()
        assert np.array_equal(torch.back(found), want)


def test_results_of_our_own_memory_outlive_everything(rng):
    """JAX gets our memory: it lives as long as the array, and goes after what reads it."""
    if not GPUS:
        pytest.skip("no GPU of CUDA is here")
    jax = Jax()
    x = jax.to(rng.normal(size=(3000, 3)))
    want = mb.accelerations(np.asarray(x), 1.0, eps=0.1, device="cuda")
    found = [mb.accelerations(x, 1.0, eps=0.1) for _ in range(5)]
    del x
    gc.collect()
    twice = [2 * one for one in found]
    del found
    gc.collect()
    assert all(np.array_equal(np.asarray(one), 2 * want) for one in twice)


def test_jax_under_jit_and_grad_as_before(rng):
    if not GPUS:
        pytest.skip("no GPU of CUDA is here")
    jax = Jax()
    law = mb.Law("body x; sum s = (j.x - i.x)^2")
    x = jax.to(rng.normal(size=50))
    direct = law(x=x).s
    traced = jax.jax.jit(lambda x: law(x=x).s)(x)
    assert np.allclose(np.asarray(direct), np.asarray(traced), rtol=1e-12)
    grad = jax.jax.grad(lambda x: law(x=x).s.sum())(x)
    assert np.allclose(np.asarray(grad), 4 * (50 * np.asarray(x) - np.asarray(x).sum()), rtol=1e-9)


def test_gradients_of_tensors_stay_on_the_gpu(torch, rng):
    t = torch.torch
    law = mb.Law(LAWS["gaussian"])
    x, w, h = rng.normal(size=(300, 3)), rng.uniform(size=300), np.float64(0.7)
    found, want = [], []
    for device, into in (("cpu", want), ("cuda", found)):
        tensors = [t.from_numpy(np.array(part)).to(device).requires_grad_() for part in (x, w, h)]
        out = law(x=tensors[0], w=tensors[1], h=tensors[2], **({"device": "cpu"} if device == "cpu" else {}))
        (out.s**2).sum().backward()
        into += [tensor.grad for tensor in tensors]
    for one, other in zip(found, want):
        assert one.is_cuda and t.allclose(one.cpu(), other, rtol=1e-9, atol=1e-12)
    # two sets of bodies, one of them broadcast
    y = torch.to(rng.normal(size=(2, 40, 3))).requires_grad_()
    q = torch.to(np.float64(0.5)).requires_grad_()
    law(x_i=y, w_i=0.0, x_j=torch.to(x), w_j=q).s.sum().backward()
    assert y.grad.shape == y.shape and q.grad.shape == ()
    assert t.isclose(q.grad * 0.5, law(x_i=y, w_i=0.0, x_j=torch.to(x), w_j=q).s.sum().detach(), rtol=1e-9)


def test_numbers_that_cannot_be_used_are_named_as_on_the_host(package, rng):
    x, v, m, _ = bodies(rng, 1000, np.float64)

    def both(there, here):
        with pytest.raises(mb.Error) as want:
            here()
        with pytest.raises(type(want.value)) as found:
            there()
        assert str(found.value) == str(want.value)

    for column, at, value in (("x", (700, 1), np.nan), ("m", 3, -1.0), ("v", (5, 2), np.inf), ("m", 999, np.nan)):
        wrong = {"x": x.copy(), "m": m.copy(), "v": v.copy()}
        wrong[column][at] = value
        there = {name: package.to(array) for name, array in wrong.items()}
        both(lambda: mb.forces(**there, eps=0.1), lambda: mb.forces(**wrong, eps=0.1, device="cuda"))
    twice = x.copy()
    twice[900] = twice[17]
    both(lambda: mb.accelerations(package.to(twice), package.to(m)), lambda: mb.accelerations(twice, m, device="cuda"))
    assert mb.accelerations(package.to(twice), package.to(m), eps=0.1) is not None
    law = mb.Law(LAWS["coulomb"])
    wrong = x.copy()
    wrong[42, 2] = np.nan
    both(lambda: law(x=package.to(wrong), w=1.0), lambda: law(x=wrong, w=1.0, device="cuda"))
    both(lambda: law(x=package.to(twice), w=1.0), lambda: law(x=twice, w=1.0, device="cuda"))
    # without a partner the smallest distance is infinite, which is right
    far = mb.Law("body x; min r = j.x when j.x > 5; self exclude")
    same(package, far(x=package.to(m)).r, far(x=m, device="cuda").r)


def test_arrays_of_two_devices(package, rng):
    x, _, m, _ = bodies(rng, 10, np.float64)
    with pytest.raises(mb.InputError, match="m: an array in the memory of the CPU.*cuda:0, as x is"):
        mb.accelerations(package.to(x), m)
    with pytest.raises(mb.InputError, match="device = cpu: x is in the memory of cuda:0"):
        mb.accelerations(package.to(x), 1.0, device="cpu")
    if len(GPUS) < 2:
        pytest.skip("one GPU is here: arrays on two are not tried")
    with pytest.raises(mb.InputError, match="m: an array in the memory of cuda:1; must be in that of cuda:0"):
        mb.accelerations(package.to(x), package.to(m, 1))
    found = mb.accelerations(package.to(x, 1), package.to(m, 1), eps=0.1)
    assert np.array_equal(package.back(found), mb.accelerations(x, m, eps=0.1, device="cuda"))


def test_the_current_device_and_stream_stay(torch, rng):
    t = torch.torch
    x = torch.to(rng.normal(size=(100, 3)))
    before = t.cuda.current_device(), t.cuda.current_stream()
    mb.accelerations(x, 1.0, eps=0.1)
    assert (t.cuda.current_device(), t.cuda.current_stream()) == before
    assert (x + 1).is_cuda


def test_threads_compute_beside_each_other(torch, rng):
    law = mb.Law(LAWS["gaussian"])
    sets = [rng.normal(size=(n, 3)) for n in (3000, 4000, 5000, 6000)]
    want = [law(x=x, w=1.0, device="cuda").s for x in sets]
    found = [None] * len(sets)

    def compute(k):
        x = torch.to(sets[k])
        for _ in range(5):
            found[k] = law(x=x, w=1.0).s

    threads = [threading.Thread(target=compute, args=(k,)) for k in range(len(sets))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(torch.back(one), other) for one, other in zip(found, want))
