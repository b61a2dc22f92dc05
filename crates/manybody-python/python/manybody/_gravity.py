"""Forces of bodies on each other by gravity, once."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _native
from ._arrays import is_parts, number, number_or_array, on_host, package_of, plain, vectors
from ._bodies import indices
from ._device import place_of
from ._errors import InputError
from ._settings import given
from ._units import has_unit, system_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._settings import ForceSettings

#: The arguments of each function, beside the settings.
_ARGUMENTS = ("x", "m", "eps", "G", "targets")
_NUMBERS = frozenset([np.dtype(np.float32), np.dtype(np.float64)])


class Forces(NamedTuple):
    """The forces on bodies, in the form of the positions: arrays [n, 3], or three arrays [n]."""

    #: Accelerations: [n, 3], length / time^2.
    acceleration: Any
    #: Potentials per mass, of all other bodies at the place of each: [n], length^2 / time^2, negative.
    potential: Any
    #: Time derivatives of the accelerations: [n, 3], length / time^3; `None` where no velocities are given.
    jerk: Any = None


def accelerations(
    x: Any,
    m: Any,
    *,
    eps: Any = 0.0,
    G: Any = 1.0,
    targets: Any = None,
    **settings: Unpack[ForceSettings],
) -> Any:
    """The gravitational accelerations of bodies.

    a_i = G sum_j m_j (x_j - x_i) / (|x_j - x_i|^2 + eps^2)^(3/2)

    Parameters
    ----------
    x : positions, an array [n, 3] or a tuple of three arrays [n]; length. Of NumPy, PyTorch, CuPy, JAX and others; where it is
        in the memory of an NVIDIA GPU, that GPU computes, and the result is an array of the same package there.
    m : masses, an array [n], or one number for all; 0 or more
    eps : softening length, one number or an array [n]; length. Of two bodies with softenings of their own, the
        mean of the squares counts.
    softening : what that is: "plummer", the default, as in the formula; or "spline", bodies as balls of radius 2.8 eps,
        beyond which forces are Newton's (docs/running.md)
    G : the gravitational constant
    targets : the bodies whose accelerations are computed, all by default: indices, a mask [n] or a slice
    device : "auto", "cpu", "cuda" or "wgpu"; auto, the default, takes the fastest that is here
    precision : "f32", "mixed" or "f64"; by default that of `x`. Sums of f32 are relative to the centre of mass.
    solver : "symmetric", "direct", "reference" (CPU) or "auto" (GPUs); or not all pairs: "fmm" or "tree"
    sum : how terms are added: "blocked", and others in f32 (docs/settings.md)
    simd : vector instructions of the CPU, "scalar", "neon", "avx2" or "avx512"; the widest by default
    gpus : how many GPUs share the computation, or which, as "id:0,2"
    rtol : the error of the accelerations to stay below. With the solvers fmm and tree, the relative error that 99 of 100
        bodies stay below, checked at 512 of them (1e-3 by default). Without a solver, the cheapest solver and precision
        that have the error: all pairs for few bodies, fmm for many (docs/accuracy.md).
    order, tolerance, theta : of the solvers fmm and tree, in place of what suits the error (docs/settings.md)

    Returns
    -------
    An array [n, 3], or three arrays [n], of the number type of `x`; length / time^2. The same bits on any number of
    threads. With quantities of astropy: in m / s^2.

    Examples
    --------
    >>> import numpy as np, manybody
    >>> x = np.array([[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]])
    >>> manybody.accelerations(x, np.array([25.0, 0.0]))
    array([[ 0. ,  0. ,  0. ],
           [-0.6, -0.8,  0. ]])
    """
    if type(x) is np.ndarray and x.dtype in _NUMBERS and type(m) is np.ndarray and m.dtype in _NUMBERS:
        if targets is None and type(eps) is float and type(G) is float:
            return _native.forces(x, m, None, eps, G, None, False, given(settings, "accelerations", _ARGUMENTS))[0]
    how = given(settings, "accelerations", _ARGUMENTS)
    return _forces(x, m, None, eps, G, targets, False, how).acceleration


def potential(
    x: Any,
    m: Any,
    *,
    eps: Any = 0.0,
    G: Any = 1.0,
    targets: Any = None,
    **settings: Unpack[ForceSettings],
) -> Any:
    """The gravitational potential of all other bodies at the place of each, per mass.

    phi_i = -G sum_(j != i) m_j / sqrt(|x_j - x_i|^2 + eps^2), with the softening "plummer"

    Parameters are those of `accelerations`. Returns an array [n], length^2 / time^2; the energy of the bodies is half
    the sum of m phi. With quantities of astropy: in m^2 / s^2.

    >>> import numpy as np, manybody
    >>> x = np.array([[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]])
    >>> manybody.potential(x, np.array([25.0, 10.0]))
    array([-2., -5.])
    """
    return _forces(x, m, None, eps, G, targets, True, given(settings, "potential", _ARGUMENTS)).potential


def forces(
    x: Any,
    m: Any,
    *,
    v: Any = None,
    eps: Any = 0.0,
    G: Any = 1.0,
    targets: Any = None,
    **settings: Unpack[ForceSettings],
) -> Forces:
    """Accelerations and potentials of bodies, and with velocities `v` [n, 3] their jerks, in one evaluation.

    Parameters are those of `accelerations`. The command `manybody force` computes the same, to the last bit.

    >>> import numpy as np, manybody
    >>> x = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    >>> found = manybody.forces(x, np.array([4.0, 4.0]), v=np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    >>> found.acceleration[0], found.potential[0], found.jerk[0]
    (array([1., 0., 0.]), np.float64(-2.0), array([0. , 0.5, 0. ]))
    """
    return _forces(x, m, v, eps, G, targets, True, given(settings, "forces", (*_ARGUMENTS, "v")))


class ForceErrors(NamedTuple):
    """How far accelerations are from their reference, at a sample of the bodies. In units of the root mean square
    acceleration, where nothing else is said."""

    #: How many bodies were looked at.
    sample: int
    #: Half of them are below.
    median: float
    #: 99 % are at most this.
    p99: float
    #: 99.9 % are at most this.
    p999: float
    #: The largest.
    max: float
    #: |sum m a| / sum m |a| of all bodies: 0 by Newton's third law, rounding apart.
    net: float
    #: 99 % have an error of at most this, relative to their own acceleration. `None` for solvers of all pairs.
    relative: Any
    #: The largest error of a potential, in units of their root mean square; `None` without potentials.
    potential: Any


def audit(
    x: Any,
    m: Any,
    found: Any,
    *,
    eps: Any = 0.0,
    G: Any = 1.0,
    sample: int = 512,
    limit: float | None = None,
    **settings: Unpack[ForceSettings],
) -> ForceErrors:
    """How wrong accelerations of bodies by gravity are, by this package or by any other.

    A random sample of the bodies, the same one at each call, gets its acceleration a second time: in f64, pair by pair, with
    compensated sums, by a loop that shares no code with any solver. Accelerations that are further from it than their
    precision explains are an error, as in the command `manybody force`.

    Parameters
    ----------
    x, m, eps, G : as of `accelerations`
    found : accelerations of all bodies, in one of the forms of `x`; or the `Forces` of `forces`, whose potentials are then
        compared, too
    sample : how many bodies are looked at, all if there are fewer; each costs the pairs with all others
    limit : the largest error that is accepted, in units of the root mean square acceleration, in place of what the precision
        explains
    settings : those by which they were computed, as of `accelerations`, which say what explains an error; by default f32
        where `x` or the accelerations are of that type, otherwise f64

    Raises
    ------
    ComputationError for accelerations and potentials that are further off, or not finite. A UserWarning says where an error
    is explained, but above a tenth.

    Examples
    --------
    >>> import numpy as np, manybody
    >>> b = manybody.ic.plummer(1000, seed=1)
    >>> errors = manybody.audit(b.x, b.m, manybody.accelerations(b.x, b.m, eps=0.01), eps=0.01)
    >>> errors.sample, errors.max < 1e-13
    (512, True)
    """
    how = given(settings, "audit", ("x", "m", "found", "eps", "G", "sample", "limit"))
    acceleration, pot = (found.acceleration, found.potential) if isinstance(found, Forces) else (found, None)
    if any(map(has_unit, (x, m, acceleration, pot, eps, G))):
        system = system_of(x, m, G)
        of_potential = system.length**2 / system.time**2
        x, m, G = system.number(x, system.length, "x", "a length"), system.number(m, system.mass, "m", "a mass"), 1.0
        acceleration = system.number(acceleration, system.length / system.time**2, "found", "an acceleration")
        pot = None if pot is None else system.number(pot, of_potential, "found.potential", "a potential")
        eps = system.number(eps, system.length, "eps", "a length") if has_unit(eps) or np.any(eps) else 0.0
    if isinstance(sample, bool) or not isinstance(sample, (int, np.integer)) or sample < 1:
        raise InputError(f"sample: {sample!r}; must be a number of bodies, 1 or more")
    x, m, acceleration, pot, eps = map(on_host, (x, m, acceleration, pot, eps))
    errors, warning = _native.audit_forces(
        vectors(x, "x"),
        number_or_array(m, "m"),
        vectors(acceleration, "found"),
        None if pot is None else plain(pot, "found.potential"),
        number_or_array(eps, "eps"),
        number(G, "G"),
        int(sample),
        None if limit is None else number(limit, "limit"),
        how,
    )
    if warning is not None:
        warnings.warn(warning, stacklevel=2)
    return ForceErrors(*errors)


def _forces(x: Any, m: Any, v: Any, eps: Any, G: Any, targets: Any, potential: bool, how: Any) -> Forces:
    """Forces of arrays of any package."""
    if any(map(has_unit, (x, m, v, eps, G))):
        return _quantities(x, m, v, eps, G, targets, potential, how)
    place = place_of({"x": x, "m": m, "v": v, "eps": eps})
    if place is not None:
        from ._device_gravity import forces_on

        return forces_on(place, x, m, v, eps, G, targets, potential, how)
    give = package_of(x)
    found = _native.forces(
        vectors(x, "x"),
        number_or_array(m, "m"),
        None if v is None else vectors(v, "v"),
        number_or_array(eps, "eps"),
        number(G, "G"),
        None if targets is None else targets_of(targets, len(x[0] if is_parts(x) else x)),
        potential,
        how,
    )
    return Forces(*(None if part is None else give(part) for part in found))


def targets_of(targets: Any, n: int) -> list[int]:
    """The indices of targets: a slice, a mask [n], or indices, of which negative ones count from the end."""
    if isinstance(targets, (int, np.integer)) and not isinstance(targets, bool):
        targets = [targets]
    of_package = hasattr(targets, "tolist") and not isinstance(targets, np.ndarray)
    on_host = np.array(targets.tolist()) if of_package else targets
    found: list[int] = indices(on_host, n, "targets").tolist()
    return found


def _quantities(x: Any, m: Any, v: Any, eps: Any, G: Any, targets: Any, potential: bool, how: Any) -> Forces:
    """Forces of quantities, computed in their own units with G = 1."""
    from astropy import units

    system = system_of(x, m, G)
    plain_v = None if v is None else system.number(v, system.length / system.time, "v", "a velocity")
    plain_eps = system.number(eps, system.length, "eps", "a length") if has_unit(eps) or np.any(eps) else 0.0
    found = _forces(
        system.number(x, system.length, "x", "a length"),
        system.number(m, system.mass, "m", "a mass"),
        plain_v,
        plain_eps,
        1.0,
        targets,
        potential,
        how,
    )

    def quantity(part: Any, unit: Any, si: Any) -> Any:
        if part is None:
            return None
        if isinstance(part, tuple):
            return tuple(units.Quantity(column, unit).to(si) for column in part)
        return units.Quantity(part, unit).to(si)

    return Forces(
        quantity(found.acceleration, system.length / system.time**2, units.m / units.s**2),
        quantity(found.potential, system.length**2 / system.time**2, units.m**2 / units.s**2),
        quantity(found.jerk, system.length / system.time**3, units.m / units.s**3),
    )


def devices() -> list[dict[str, Any]]:
    """The devices that forces can be computed on, one dictionary each, the CPU first.

    >>> import manybody
    >>> manybody.devices()[0]["device"]
    'cpu'
    """
    return _native.devices()
