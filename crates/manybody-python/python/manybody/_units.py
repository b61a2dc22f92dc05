"""Quantities of astropy, where it is used; it is not needed."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from ._errors import InputError


def is_quantity(value: Any) -> bool:
    """Whether a value has a unit of astropy."""
    return "astropy.units" in sys.modules and isinstance(value, sys.modules["astropy.units"].Quantity)


def has_unit(value: Any) -> bool:
    """Whether a value, or one of those in a tuple or a list, has a unit of astropy."""
    return any(map(is_quantity, value)) if isinstance(value, (tuple, list)) else is_quantity(value)


class System(NamedTuple):
    """Units in which G = 1: those of the arguments, and the time that follows from them."""

    length: Any
    mass: Any
    time: Any

    def number(self, value: Any, unit: Any, name: str, kind: str) -> Any:
        """A quantity as a number in `unit`, which is of "a length", "a mass", ...; each part of a tuple."""
        if isinstance(value, tuple):
            return tuple(self.number(part, unit, f"{name}[{k}]", kind) for k, part in enumerate(value))
        return _quantity(value, unit, name, kind).to_value(unit)


def system_of(x: Any, m: Any, G: Any) -> System:
    """The units of positions and masses, with the gravitational constant of astropy unless another one is given."""
    from astropy import constants, units

    first, name = (x[0], "x[0]") if isinstance(x, tuple) and x else (x, "x")
    length = _quantity(first, units.m, name, "a length").unit
    mass = _quantity(m, units.kg, "m", "a mass").unit
    # the number 1 is the default, in whose place that of astropy is taken
    is_default = isinstance(G, (int, float)) and G == 1
    g = constants.G if is_default else _quantity(G, constants.G.unit, "G", "a gravitational constant")
    time = units.Unit(((length**3 / (mass * units.Quantity(g))) ** 0.5).to(units.s))
    return System(length, mass, time)


def _quantity(value: Any, unit: Any, name: str, kind: str) -> Any:
    """A quantity of the kind of `unit`, as must stand beside others that are quantities."""
    from astropy import units

    expected = f"must be {kind} with a unit, as in {_EXAMPLES[kind]}"
    if not has_unit(value):
        raise InputError(f"{name}: without a unit, beside arguments that have one; {expected}")
    quantity = value if is_quantity(value) else units.Quantity(value)
    if not quantity.unit.is_equivalent(unit):
        raise InputError(f"{name}: in {quantity.unit or 'no unit'}; {expected}")
    return quantity


#: Units of the arguments in messages, where those of a computation are long.
_EXAMPLES = {
    "a length": "pc or m",
    "a mass": "Msun or kg",
    "a velocity": "km / s",
    "an acceleration": "m / s2",
    "a potential": "m2 / s2",
    "a gravitational constant": "m3 / (kg s2)",
}


def lengths_in_one_unit(**values: Any) -> tuple[Any, tuple[Any, ...]]:
    """Lengths as numbers in the unit of the first one, and that unit; `None` where no value has a unit. A value may be
    `None`; if one has a unit, all must have one."""
    if not any(map(has_unit, values.values())):
        return None, tuple(values.values())
    from astropy import units

    name, first = next(iter(values.items()))
    unit = _quantity(first[0] if isinstance(first, tuple) else first, units.m, name, "a length").unit

    def number(value: Any, name: str) -> Any:
        if value is None:
            return None
        if isinstance(value, tuple):
            return tuple(number(part, f"{name}[{k}]") for k, part in enumerate(value))
        return _quantity(value, units.m, name, "a length").to_value(unit)

    return unit, tuple(number(value, name) for name, value in values.items())
