"""What a run says of its own errors, at sizes that only an optimised build computes in a test's time."""

import json
import os

import pytest

OPTIMISED = "release" in os.environ.get("MANYBODY_BIN", "")


# Every force is wrong by some error at random, so that N of them add up to sqrt(N) errors: of forces that are right to
# 1e-7, to 3e-10 of the sum of their sizes. One running sum of 1e5 terms is wrong by 1e-5.
@pytest.mark.skipif(not OPTIMISED, reason="minutes without optimisation")
@pytest.mark.parametrize(
    "n, words, bound",
    [
        ("1e5", "--precision f32", 1e-9),
        ("1e5", "--precision f64", 1e-16),
        # one-sided and slow by nature: fewer bodies, or they take minutes
        ("2e4", "--precision f32 --sum direct", 1e-7),
        ("2e4", "--precision f32 --sum blocked:256", 1e-8),
        ("2e4", "--precision f32 --sum pairwise", 1e-8),
        ("2e4", "--precision f32 --sum compensated", 1e-8),
        ("2e4", "--precision f32 --sum f64", 1e-8),
        ("2e4", "--precision f32 --sum fixed", 1e-8),
    ],
)
def test_momentum_of_many_bodies(manybody, tmp_path, n, words, bound):
    bodies = tmp_path / "in.hdf5"
    manybody("ic", "plummer", "-n", n, "-o", bodies)
    options = ["--eps", "0.05", "--device", "cpu", "--audit", "1e-5", "--json"]
    done = manybody("force", bodies, "-o", tmp_path / "f.csv", *words.split(), *options, timeout=300)
    error = json.loads(done.stdout)["error"]
    assert error["sample"] == 256
    assert 0 <= error["net"] < bound, f"{words}: {error}"


@pytest.mark.skipif(not OPTIMISED or "MANYBODY_TIMES" not in os.environ, reason="a measurement, for a quiet machine")
@pytest.mark.parametrize("n, steps", [(1500, 512), (16384, 32)])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_an_audit_costs_little(manybody, tmp_path, n, steps, precision):
    """The bar is 2 % (MANYBODY_TIMES=1 and a release build measure it); other programs on the machine may hit the audits of a run and not the rest, so the best counts."""
    share = 1.0
    for attempt in range(3):
        out = tmp_path / f"{attempt}.hdf5"
        options = ["-n", n, "--dt", "1/1024", "--t-end", f"{steps}/1024", "--eps", "0.05", "--precision", precision]
        done = manybody("run", *options, "--device", "cpu", "--out", out, "--json", timeout=300)
        end = json.loads(done.stdout.splitlines()[-1])
        share = min(share, end["audit_s"] / end["elapsed_s"])
    assert share < 0.02, f"{n} bodies, {steps} steps, {precision}: {share:.4f}"
