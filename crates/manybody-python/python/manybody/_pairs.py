"""Distances, collisions, correlations and triples of points."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import is_parts, number, number_or_array, package_of, plain
from ._errors import InputError
from ._units import lengths_in_one_unit


def _points(value: Any, name: str) -> npt.NDArray[Any]:
    """Points as an array [n, d]; a tuple of arrays [n] is one array a dimension."""
    if type(value) is tuple and all(getattr(part, "ndim", None) == 1 for part in value):
        parts = [plain(part, f"{name}[{k}]") for k, part in enumerate(value)]
        return np.asarray(np.stack(parts).T)
    array = plain(value, name)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def _sides(box: Any, dimensions: int) -> Optional[list[float]]:
    """The sides of a periodic box: one number for all, or one for each dimension."""
    if box is None:
        return None
    sides = np.asarray(plain(box, "box"), dtype=np.float64)
    expected = f"must be a number, or {dimensions} of them, one for each dimension"
    if sides.ndim > 1 or (sides.ndim == 1 and len(sides) != dimensions):
        found = f"{len(sides)} sides" if sides.ndim == 1 else f"an array with shape {sides.shape}"
        raise InputError(f"box: {found}; {expected}")
    if not np.all(np.isfinite(sides) & (sides > 0)):
        raise InputError(f"box: {box}; sides must be finite lengths above 0")
    every: list[float] = np.broadcast_to(sides, (dimensions,)).tolist()
    return every


def distances(x: Any) -> Any:
    """The distances of all pairs of points i < j, packed as `scipy.spatial.distance.pdist` packs them.

    `x` is an array [n, d] of float32 or float64, or a tuple of d arrays [n]. Returns an array [n (n - 1) / 2] of its
    number type, in the order 01 02 03 ... 12 13 ...; `squareform` of SciPy unpacks it. Computed on the CPU.

    >>> import numpy as np, manybody
    >>> manybody.distances(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    array([5.        , 1.        , 4.24264069])
    """
    unit, (x,) = lengths_in_one_unit(x=x)
    found = package_of(x)(_native.distances(_points(x, "x")))
    return found if unit is None else found * unit


def collisions(x: Any, radii: Any) -> npt.NDArray[np.uint32]:
    """The pairs of spheres that touch: indices [k, 2] with i < j, ordered by i, then by j.

    `x` are the centres, an array [n, d] in one, two or three dimensions; `radii` an array [n], or one number for all.
    Spheres touch where their distance is at most the sum of their radii. Computed on the CPU.

    >>> import numpy as np, manybody
    >>> manybody.collisions(np.array([[0.0], [1.0], [5.0]]), 0.5)
    array([[0, 1]], dtype=uint32)
    """
    _, (x, radii) = lengths_in_one_unit(x=x, radii=radii)
    return _native.collisions(_points(x, "x"), number_or_array(radii, "radii"))


class PairCounts(NamedTuple):
    """Pairs of points in bins of distance."""

    #: The ends of the bins: [bins + 1].
    edges: npt.NDArray[np.float64]
    #: Pairs in each bin, lower end included: [bins].
    counts: npt.NDArray[np.uint64]
    #: The sum of w_i w_j over these pairs: [bins].
    weights: npt.NDArray[np.float64]
    #: The sum of w_i w_j over all pairs, in a bin or not.
    total: float

    @property
    def normalized(self) -> npt.NDArray[np.float64]:
        """Weights over their total: [bins]."""
        return np.asarray(self.weights / self.total)


def count_pairs(
    x: Any, edges: Any, *, y: Any = None, box: Any = None, weights: Any = None, weights_y: Any = None
) -> PairCounts:
    """Counts the pairs of points in bins of distance: i < j within `x`, or all pairs between `x` and `y`.

    `x` and `y` are arrays [n, d]; `edges` are the ends of the bins, ascending from 0 or more; `box` are the sides of a
    periodic box, one number for all or one for each dimension, at least twice the largest edge; `weights` and
    `weights_y` arrays [n]. Computed on the CPU.

    >>> import numpy as np, manybody
    >>> manybody.count_pairs(np.array([[0.0], [1.0], [3.0]]), [0, 1.5, 4]).counts
    array([1, 2], dtype=uint64)
    """
    if (y is not None) and ((weights is None) != (weights_y is None)):
        raise InputError("weights_y: must be given together with weights, or neither")
    unit, (x, edges, y, box) = lengths_in_one_unit(x=x, edges=edges, y=y, box=box)
    ends = plain(edges, "edges").astype(np.float64)
    points = _points(x, "x")
    sides = _sides(box, points.shape[-1])
    of_x = None if weights is None else number_or_array(weights, "weights")
    of_y = None if weights_y is None else number_or_array(weights_y, "weights_y")
    other = None if y is None else _points(y, "y")
    counts, sums, total = _native.count_pairs(points, other, ends.ravel().tolist(), sides, of_x, of_y)
    return PairCounts(ends if unit is None else ends * unit, counts, sums, total)


def correlation(
    x: Any, edges: Any, *, random: Any = None, box: Any = None, weights: Any = None, estimator: Optional[str] = None
) -> npt.NDArray[np.float64]:
    """The two-point correlation function of points in bins of distance: [bins].

    Beside points `random` that fill the same volume, by the estimator "landy-szalay", (DD - 2 DR + RR) / RR, or
    "davis-peebles", DD / DR - 1, or "peebles-hauser", DD / RR - 1. Without them in a periodic `box`, where the pairs of
    points without correlation are known; its sides are one number for all, or one for each dimension. `x` and `random`
    are arrays [n, d]; NaN where no pair of random points is.

    >>> import numpy as np, manybody
    >>> rng = np.random.default_rng(1)
    >>> x = rng.uniform(size=(2000, 3))
    >>> bool(np.all(np.abs(manybody.correlation(x, [0.1, 0.2, 0.3], box=1.0)) < 0.05))
    True
    """
    _, (x, edges, random, box) = lengths_in_one_unit(x=x, edges=edges, random=random, box=box)
    dd = count_pairs(x, edges, box=box, weights=weights)
    if random is None:
        if box is None:
            raise InputError("random: no points are given; must be given, or a periodic box")
        if estimator is not None:
            raise InputError(f"estimator: {estimator!r}; must be given with random points")
        return _beside_a_box(dd, np.array(_sides(box, _points(x, "x").shape[-1])))
    n = len(_points(random, "random"))
    ones = None if weights is None else np.ones(n)
    rr = count_pairs(random, edges, box=box).normalized
    with np.errstate(divide="ignore", invalid="ignore"):
        if estimator == "peebles-hauser":
            return np.asarray(dd.normalized / rr - 1)
        dr = count_pairs(x, edges, y=random, box=box, weights=weights, weights_y=ones).normalized
        if estimator == "davis-peebles":
            return np.asarray(dd.normalized / dr - 1)
        if estimator in (None, "landy-szalay"):
            return np.asarray((dd.normalized - 2 * dr + rr) / rr)
    raise InputError(f"estimator: {estimator!r}; must be landy-szalay, davis-peebles or peebles-hauser")


def _beside_a_box(dd: PairCounts, sides: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The excess over points without correlation in a periodic box: the volumes of the shells know their pairs."""
    balls = {1: 2.0, 2: np.pi, 3: 4 / 3 * np.pi}
    if len(sides) not in balls:
        raise InputError(f"box: {len(sides)} sides; must be 1, 2 or 3, one for each dimension")
    shells = np.diff(balls[len(sides)] * dd.edges ** len(sides))
    return np.asarray(dd.normalized / (shells / np.prod(sides)) - 1)


class TripleForces(NamedTuple):
    """What all triples of points make together."""

    #: The energy, each triple counted once.
    energy: float
    #: The force on each point: [n, 3], energy / length.
    force: npt.NDArray[np.float64]


def triples(x: Any, nu: float = 1.0, *, cutoff: Optional[float] = None, box: Any = None) -> TripleForces:
    """Energy and forces of all triples i < j < k by Axilrod and Teller's triple-dipole law.

    E = nu sum (1 + 3 cos a cos b cos c) / (r_ij r_jk r_ik)^3, with the angles of the triangle.

    `x` is an array [n, 3] of float64; `nu` the strength, energy x length^9. With `cutoff`, triples whose three sides
    are all shorter; in a periodic `box`, whose sides are one number for all or three, at least three
    cut-offs each, nearest images. Computed on the CPU.

    >>> import numpy as np, manybody
    >>> triangle = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.75**0.5, 0.0]])
    >>> round(manybody.triples(triangle, nu=2.0).energy, 12)
    2.75
    """
    points = np.stack([plain(p, "x") for p in x]).T if is_parts(x) else plain(x, "x")
    sides = _sides(box, 3)
    if sides is not None and cutoff is None:
        raise InputError(f"cutoff: is not given; must be, in a box: at most a third of the shortest side, {min(sides)}")
    most = None if cutoff is None else number(cutoff, "cutoff")
    energy, force = _native.triples(points.astype(np.float64, copy=False), number(nu, "nu"), most, sides)
    return TripleForces(energy, force)
