"""`manybody render` against the same picture computed in NumPy and SciPy, and read by an own decoder."""

import struct
import zlib

import numpy as np
import pytest
from scipy import special


def png(path):
    """The pixels of an 8-bit RGB PNG file, [height, width, 3]."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, body = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + chunk)
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", chunk)
            assert (depth, colour, interlace) == (8, 2, 0)
        elif kind == b"IDAT":
            body += chunk
        at += 12 + length
    raw = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, 1 + 3 * width).astype(int)
    out = np.zeros((height, 3 * width), int)
    for y, (kind, line) in enumerate(zip(raw[:, 0], raw[:, 1:])):
        up = out[y - 1] if y else np.zeros(3 * width, int)
        if kind in (0, 2):
            out[y] = (line + (up if kind == 2 else 0)) % 256
            continue
        for x in range(3 * width):
            a, b, c = (out[y, x - 3] if x >= 3 else 0), up[x], (up[x - 3] if x >= 3 else 0)
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            out[y, x] = (line[x] + {1: a, 3: (a + b) // 2, 4: paeth}[kind]) % 256
    return out.reshape(height, width, 3)


def spots(x, y, value, sigma, width, height, median=None):
    """Gaussians of width sigma, integrated over each pixel and cut off where they are faint: [height, width]."""
    def weights(q, reach, count):
        first, last = np.floor(q - reach), np.floor(q + reach)
        edges = np.arange(count + 1)
        phi = special.ndtr((edges - q) / sigma)
        inside = (edges[:-1] >= first) & (edges[:-1] <= last)
        whole = special.ndtr((last + 1 - q) / sigma) - special.ndtr((first - q) / sigma)
        return np.where(inside, np.diff(phi), 0) / whole
    median = np.sort(value)[len(value) // 2] if median is None else median
    image = np.zeros((height, width))
    for q, r, v in zip(x, y, value):
        reach = sigma * np.clip(np.sqrt(max(0, 2 * np.log(2000 * v / median))), 4, 8)
        image += v * np.outer(weights(r, reach, height), weights(q, reach, width))
    return image


def frame(direction, up):
    forward = np.array(direction, float) / np.linalg.norm(direction)
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    return right, np.cross(right, forward), forward


@pytest.mark.parametrize("stretch", ["asinh", "log", "linear"])
@pytest.mark.parametrize("eye", [False, True])
def test_a_picture_is_that_of_numpy(manybody, tmp_path, stretch, eye):
    manybody("ic", "king", "--w0", 7, "-n", 800, "-o", tmp_path / "king.csv")
    bodies = manybody.columns(tmp_path / "king.csv")
    # masses of several orders of magnitude: spots of all sizes
    bodies["mass"] *= 10 ** np.random.default_rng(5).normal(0, 1.5, 800)
    with open(tmp_path / "a.csv", "w") as file:
        names = ["mass", "x", "y", "z", "vx", "vy", "vz"]
        print(",".join(names), file=file)
        for row in zip(*(bodies[name] for name in names)):
            print(",".join(repr(float(value)) for value in row), file=file)
    place = np.column_stack([bodies[axis] for axis in "xyz"])
    width, height, sigma, low, high = 140, 100, 1.3, 0.05, 20.0
    centre, direction, up = np.array([0.1, -0.2, 0.0]), (1, 2, -0.5), (0.2, 0, 1)
    words = lambda v: ",".join(map(str, v))
    lens = ["--distance", 5, "--fov", 40] if eye else ["--width", 4]
    manybody("render", tmp_path / "a.csv", "-o", tmp_path / "a.png", "--size", f"{width}x{height}", "--map", "gray",
             f"--direction={words(direction)}", f"--up={words(up)}", f"--centre={words(centre)}", *lens,
             "--spot", sigma, "--range", f"{low},{high}", "--stretch", stretch, "--no-labels")
    right, upward, forward = frame(direction, up)
    q = place - centre
    depth = 5 + q @ forward if eye else np.ones(len(q))
    pixel = 2 * depth * np.tan(np.radians(20)) / width if eye else 4 / width * depth
    assert np.all(depth > 0)
    image = spots(width / 2 + q @ right / pixel, height / 2 - q @ upward / pixel, bodies["mass"] / pixel**2, sigma,
                  width, height)
    with np.errstate(divide="ignore"):
        tone = {"asinh": np.arcsinh(image / low) / np.arcsinh(high / low),
                "log": np.log(image / low) / np.log(high / low),
                "linear": image / high}[stretch]
    expected = 255 * np.clip(tone, 0, 1)
    found = png(tmp_path / "a.png")
    assert np.all(found == found[..., :1]) and found.max() > 20
    # half a level of rounding; both images are off by some units of the 15th digit
    assert np.abs(found[..., 0] - expected).max() <= 0.5 + 1e-9


def test_groups_are_mixed_as_squares(manybody, tmp_path):
    random = np.random.default_rng(3)
    place = random.uniform(-1, 1, (60, 3))
    group = np.arange(60) % 3
    with open(tmp_path / "a.csv", "w") as file:
        print("mass,x,y,z,vx,vy,vz,group", file=file)
        for p, g in zip(place, group):
            print(*[1, *map(float, p), 0, 0, 0, g], sep=",", file=file)
    low, high, sigma = 0.3, 60.0, 3.0
    manybody("render", tmp_path / "a.csv", "-o", tmp_path / "a.png", "--size", 80, "--colour", "group", "--width", 3,
             "--centre", "0,0,0", "--spot", sigma, "--range", f"{low},{high}", "--no-labels")
    # the first three colours of Tableau's palette, as d3 has it
    colours = np.array([[78, 121, 167], [242, 142, 44], [225, 87, 89]])
    pixel = 3 / 80
    x, y, value = 40 + place[:, 0] / pixel, 40 - place[:, 1] / pixel, np.full(60, 1 / pixel**2)
    images = [spots(x[group == g], y[group == g], value[group == g], sigma, 80, 80, value[0]) for g in range(3)]
    whole = sum(images)
    tone = np.clip(np.arcsinh(whole / low) / np.arcsinh(high / low), 0, 1)
    squares = sum(image[..., None] * (colours[g] / 255) ** 2 for g, image in enumerate(images))
    expected = 255 * np.sqrt(tone[..., None] * squares / np.where(whole > 0, whole, 1)[..., None])
    # half a level of rounding; shades are f32: 6e-8 of 255 levels
    assert np.abs(png(tmp_path / "a.png") - expected).max() <= 0.5 + 1e-4
