"""Initial conditions: seeded, and the same bits on every machine.

>>> from manybody import ic
>>> cluster = ic.king(1000, w0=7, seed=42)
>>> len(cluster), cluster.units.name
(1000, 'henon')
>>> scaled = ic.plummer(1000, mass="1e4 Msun", half_mass_radius="2 pc")
>>> scaled.units.name, round(scaled.total_mass())
('msun-pc-kms', 10000)
"""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any, Optional, TypedDict, Union

from . import _native
from ._arrays import number, whole_number
from ._bodies import Bodies, Units
from ._errors import InputError
from ._settings import unknown

__all__ = [
    "collision",
    "disc",
    "figure8",
    "hernquist",
    "kepler",
    "king",
    "models",
    "plummer",
    "pythagorean",
    "solar_system",
    "uniform_sphere",
]


def models() -> dict[str, str]:
    """The models, each with what it is and its parameters.

    >>> from manybody import ic
    >>> ic.models()["king"]
    "King's lowered isothermal sphere; w0 = 6"
    """
    found = {}
    for name, about, _, parameters in _native.models():
        words = [about, *(f"{_keyword(key)} = {default}" for key, default, _ in parameters)]
        found[_keyword(name)] = "; ".join(words)
    return found


def _keyword(name: str) -> str:
    return name.replace("-", "_")


def _make(
    name: str,
    n: Optional[int],
    seed: int,
    parameters: dict[str, Any],
    mass: Any = None,
    length: Any = None,
    half_mass_radius: Any = None,
    units: Union[str, Units, None] = None,
) -> Bodies:
    """The bodies of a model, with a physical scale and in other units where these are given."""
    known = next([_keyword(key) for key, _, _ in p] for model, _, _, p in _native.models() if model == name)
    if name == "collision":
        known += [_keyword(key) for model, _, _, p in _native.models() for key, _, _ in p]
    for key in parameters:
        if key not in known:
            if n is None and key in ("n", "seed"):
                raise TypeError(f"{key} is no keyword of ic.{_keyword(name)}: the model has the same bodies always")
            drawn = [] if n is None else ["n", "seed"]
            every = [*known, *drawn, "mass", "length", "half_mass_radius", "units"]
            raise unknown(key, every, f"ic.{_keyword(name)}")
    words = {key.replace("_", "-"): str(value) for key, value in parameters.items()}
    n = None if n is None else whole_number(n, "n")
    made = Bodies._of(_native.initial_condition(name, n, whole_number(seed, "seed"), words))
    if mass is None:
        if length is not None or half_mass_radius is not None:
            raise InputError("mass: no mass is given; must be given with a length or a half-mass radius")
    else:
        made = _scaled(made, mass, length, half_mass_radius)
        units = units or "msun-pc-kms"
    return made if units is None else made.to(units)


def _scaled(made: Bodies, mass: Any, length: Any, half_mass_radius: Any) -> Bodies:
    """The same bodies in units with a scale: the mass of all, and the unit of length or the radius of half of them."""
    if made.units.si is not None:
        raise InputError(f"mass: {mass}; must not be given: the model has a scale of its own, {made.units.name}")
    if (length is None) == (half_mass_radius is None):
        raise InputError("length: must be given with mass, or half_mass_radius in its place")
    if not len(made):
        raise InputError("n: 0; must be 1 or more where a mass is given")
    whole = _size(mass, "mass", "mass") / made.total_mass()
    if length is not None:
        size = _size(length, "length", "length")
    else:
        half = made.lagrangian_radii([0.5])[0]
        if not half > 0:
            expected = "must be more with half_mass_radius: half of the mass is within a radius of 0; or give length"
            raise InputError(f"n: {len(made)}; {expected}")
        size = _size(half_mass_radius, "length", "half_mass_radius") / half
    kind = made.units.name.partition(":")[0]
    made.units = Units.of(f"{kind}:{float(whole)!r}msun:{float(size)!r}pc")
    return made


def _size(value: Any, dimension: str, name: str) -> float:
    """A mass or a length of an argument in Msun or pc."""
    size = number(Units.of("msun-pc-kms").number(value, dimension, name), name)
    if not (math.isfinite(size) and size > 0):
        raise InputError(f"{name}: {value}; must be a finite {dimension} above 0")
    return size


def _model(name: str, about: str, sized: bool) -> Any:
    if not sized:

        def fixed(**parameters: Any) -> Bodies:
            scale = {key: parameters.pop(key, None) for key in ("mass", "length", "half_mass_radius", "units")}
            return _make(name, None, 1, parameters, **scale)

        made: Any = fixed
    else:

        def drawn(
            n: int = 16_384,
            *,
            seed: int = 1,
            mass: Any = None,
            length: Any = None,
            half_mass_radius: Any = None,
            units: Union[str, Units, None] = None,
            **parameters: Any,
        ) -> Bodies:
            return _make(name, n, seed, parameters, mass, length, half_mass_radius, units)

        made = drawn
    made.__name__ = made.__qualname__ = _keyword(name)
    made.__doc__ = about
    made.__signature__ = _signature(name, sized)
    return made


def _signature(name: str, sized: bool) -> inspect.Signature:
    """What `help` shows: the parameters of the model by name."""
    at, only = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("n", at, default=16_384), inspect.Parameter("seed", only, default=1)] if sized else []
    own = next(rows for model, _, _, rows in _native.models() if model == name)
    defaults = {_keyword(key): _value(default) for key, default, _ in own}
    scale = dict.fromkeys(("mass", "length", "half_mass_radius", "units"))
    parameters += [inspect.Parameter(key, only, default=value) for key, value in {**defaults, **scale}.items()]
    if name == "collision":
        parameters.append(inspect.Parameter("of_the_model", inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(parameters, return_annotation="Bodies")


def _value(text: str) -> Any:
    """A default of the table; `None` for one that depends on others."""
    try:
        return float(text)
    except ValueError:
        return text or None


_ABOUT = """{about}.

{sized}{parameters}`mass` and `length`, or `half_mass_radius`, give a model without a scale one: the mass of all bodies,
and the unit of length or the radius that holds half of the mass. They are numbers in Msun and pc, texts such as "1e5
Msun", or quantities of astropy. `units` are those of the result, "msun-pc-kms" where a scale is given.
"""


def _functions() -> dict[str, Any]:
    found = {}
    for name, about, n, parameters in _native.models():
        lines = "".join(f"- `{_keyword(key)}` ({default}): {what}\n" for key, default, what in parameters)
        sized = (
            "`n` bodies, drawn with `seed`: the same seed gives the same bits on every machine.\n\n"
            if n is None
            else ""
        )
        text = _ABOUT.format(about=about, sized=sized, parameters=lines + "\n" if lines else "")
        found[_keyword(name)] = _model(name, text, n is None)
    return found


if TYPE_CHECKING:
    from typing_extensions import Unpack

    class Scale(TypedDict, total=False):
        """A physical scale, and the units of the result."""

        mass: Any
        length: Any
        half_mass_radius: Any
        units: Union[str, Units, None]

    # the parameters of the library's table, for editors and type checkers; a test compares them with it
    def plummer(
        n: int = 16_384, *, seed: int = 1, cutoff_radius: float = ..., mass_fraction: float = ..., **scale: Unpack[Scale]
    ) -> Bodies: ...
    def king(n: int = 16_384, *, seed: int = 1, w0: float = ..., **scale: Unpack[Scale]) -> Bodies: ...
    def hernquist(n: int = 16_384, *, seed: int = 1, cutoff_scales: float = ..., **scale: Unpack[Scale]) -> Bodies: ...
    def uniform_sphere(n: int = 16_384, *, seed: int = 1, virial: float = ..., **scale: Unpack[Scale]) -> Bodies: ...
    def disc(
        n: int = 16_384,
        *,
        seed: int = 1,
        toomre_q: float = ...,
        thickness: float = ...,
        halo_mass: float = ...,
        halo_scale: float = ...,
        halo_cutoff_scales: float = ...,
        bulge_mass: float = ...,
        bulge_scale: float = ...,
        disc_share: float = ...,
        **scale: Unpack[Scale],
    ) -> Bodies: ...
    def collision(
        n: int = 16_384,
        *,
        seed: int = 1,
        mass: Any = None,
        length: Any = None,
        half_mass_radius: Any = None,
        units: Union[str, Units, None] = None,
        model: str = ...,
        mass_ratio: float = ...,
        size_ratio: float = ...,
        pericenter: float = ...,
        eccentricity: float = ...,
        separation: float = ...,
        inclination1: float = ...,
        inclination2: float = ...,
        argument1: float = ...,
        argument2: float = ...,
        **of_the_model: Any,
    ) -> Bodies: ...
    def kepler(
        *,
        semi_major_axis: float = ...,
        eccentricity: float = ...,
        mass_ratio: float = ...,
        phase: float = ...,
        **scale: Unpack[Scale],
    ) -> Bodies: ...
    def figure8(**scale: Unpack[Scale]) -> Bodies: ...
    def pythagorean(**scale: Unpack[Scale]) -> Bodies: ...
    def solar_system(**scale: Unpack[Scale]) -> Bodies: ...
else:
    globals().update(_functions())
