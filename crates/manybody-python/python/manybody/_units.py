"""Quantities of astropy, where it is used; it is not needed."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple


def is_quantity(value: Any) -> bool:
    """Whether a value has a unit of astropy."""
    return "astropy.units" in sys.modules and isinstance(value, sys.modules["astropy.units"].Quantity)


class System(NamedTuple):
    """Units in which G = 1: those of the arguments, and the time that follows from them."""

    length: Any
    mass: Any
    time: Any

    def number(self, value: Any, unit: Any, name: str) -> Any:
        """A quantity, or a number without a unit that is 0, as a number in `unit`."""
        from astropy import units

        from ._errors import InputError

        try:
            return units.Quantity(value).to_value(unit)
        except units.UnitConversionError:
            raise InputError(f"{name}: in {units.Quantity(value).unit}; must be in {unit}, or a unit like it") from None


def system_of(x: Any, m: Any, G: Any) -> System:
    """The units of positions and masses, with the gravitational constant of astropy unless another one is given."""
    from astropy import constants, units

    g = G if is_quantity(G) else constants.G
    first = x[0] if isinstance(x, tuple) else x
    length, mass = units.Quantity(first).unit, units.Quantity(m).unit
    time = units.Unit(((length**3 / (mass * units.Quantity(g))) ** 0.5).to(units.s))
    return System(length, mass, time)
