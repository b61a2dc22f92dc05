"""The disc keeps its profile for five turns; one that is not in equilibrium does not keep it for one.

A turn is that of the circular orbit at 2.2 scale lengths, where the disc's own rotation curve has its maximum: 12.73
time units (`disc.rs` holds that number to its potential).

20,480 bodies, of which 6,144 make the disc: 40 s on two idle cores. Rings are counted about the disc's own centre
and axis, for disc and halo swing about each other by 0.1 and tilt by a degree or two.
"""

import numpy as np
import pytest

TURN = 12.73
RINGS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 5])
DISC = 2


def profile(columns):
    """Of each ring, the count over the exponential's and its Poisson noise; the median height over that of sech^2."""
    disc = columns["component"] == DISC
    x, v = (np.stack([columns[a + b][disc] for b in "xyz"], axis=1) for a in ("", "v"))
    center = np.zeros(3)
    for _ in range(20):
        near = ((x - center) ** 2).sum(1) < 9
        center = x[near].mean(0)
    x, v = x - center, v - v[near].mean(0)
    axis = np.cross(x, v).sum(0)
    axis /= np.sqrt(axis @ axis)
    z = x @ axis
    r = np.sqrt((x * x).sum(1) - z * z)
    expected = len(r) * -np.diff((1 + RINGS) * np.exp(-RINGS))
    # half the bodies of sech^2(z/z0) lie below z0 atanh(1/2)
    heights = [np.median(abs(z[(r >= a) & (r < b)])) for a, b in zip(RINGS, RINGS[1:])]
    height = np.median(abs(z[r < 5]))
    unit = 0.2 * np.arctanh(0.5)
    counts = np.histogram(r, RINGS)[0]
    return counts / expected, 1 / np.sqrt(expected), np.array(heights) / unit, height / unit


def evolve(manybody, start, out, turns):
    """Profiles at the start and after 1 and `turns` turns."""
    manybody("run", start, "--dt", "1/8", "--eps", 0.05, "--precision", "f32", "--t-end", turns * TURN,
             "--snapshot-every", TURN, "--out", out, timeout=900)  # fmt: skip
    first = out.with_name(f"{out.stem}.0001.csv") if turns > 1 else out
    found = [profile(manybody.columns(file)) for file in (start, first, out)]
    for name, (density, noise, heights, height) in zip(["start", "one turn", f"{turns} turns"], found):
        print(f"\n{name}: density {density.round(3)}\nnoise {noise.round(3)}\nheights {heights.round(3)} {height:.3f}")
    return found


def is_exponential(density, noise):
    # four times the noise of a ring, which is 3 to 6%, and a tenth: waves and the bodies' own graininess (a halo body
    # is three times as heavy as one of the disc). Measured after five turns: 14% at most within 4 scale
    # lengths, 24% beyond
    return (abs(density - 1) < 4 * noise + 0.1).all()


@pytest.fixture
def start(manybody, tmp_path):
    path = tmp_path / "start.csv"
    manybody("ic", "disc", "-n", 20480, "--seed", 1, "--disc-share", 0.3, "-o", path)
    return path


def test_five_turns(manybody, start, tmp_path):
    (density, noise, heights, height), one, five = evolve(manybody, start, tmp_path / "b.csv", 5)
    # the sample itself: four times Poisson's noise of counts; a median's is 1.25 times a mean's of spread 0.9
    assert (abs(density - 1) < 4 * noise).all()
    assert (abs(heights - 1) < 4 * 1.6 * noise).all()
    # one turn: a disc out of vertical balance swings in a fifth of that; heating is worth 5%
    assert is_exponential(*one[:2])
    assert abs(one[3] / height - 1) < 0.12
    # five turns: heating by encounters, 18 to 30% here, 3 to 27% with 32,768 equally heavy bodies, 26 to 50% with
    # 12,288; a ring's noise on top
    assert is_exponential(*five[:2])
    assert 0.9 < five[3] / height < 1.45
    assert (five[2] < 1.45 + 4 * noise).all()


def test_a_disc_out_of_balance(manybody, start, tmp_path):
    """Every disc body a tenth too slow: the rings run inwards, and the same check sees it after one turn."""
    lines = start.read_text().splitlines()
    head = next(k for k, line in enumerate(lines) if line.startswith("id,"))
    names = [name.split(" [")[0] for name in lines[head].split(",")]
    component, speeds = names.index("component"), [names.index(name) for name in ("vx", "vy", "vz")]
    for k in range(head + 1, len(lines)):
        words = lines[k].split(",")
        if float(words[component]) == DISC:
            for at in speeds:
                words[at] = repr(0.9 * float(words[at]))
            lines[k] = ",".join(words)
    slow = tmp_path / "slow.csv"
    # edited on purpose: without the line of the checksum
    slow.write_text("\n".join(line for line in lines if not line.startswith("# checksum")) + "\n")
    _, one, _ = evolve(manybody, slow, tmp_path / "b.csv", 1)
    assert not is_exponential(*one[:2])
