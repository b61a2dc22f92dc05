"""Bodies with their units: arrays, files, and other packages' systems."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, NoReturn, Optional, Sequence, Union, overload

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import number as one_number
from ._arrays import number_or_array, plain, unmasked, vectors, whole_numbers
from ._errors import InputError
from ._units import has_unit, is_quantity

_Array = npt.NDArray[Any]


class Units(NamedTuple):
    """A system of units.

    >>> import manybody
    >>> manybody.Units.of("msun-pc-kms").name
    'msun-pc-kms'
    """

    #: "g1", "henon", "msun-pc-kms", "msun-kpc-kms", "msun-au-day", "gadget", "si", or henon:MASS:LENGTH with a scale.
    name: str
    #: The gravitational constant in these units.
    G: float
    #: Metres, kilograms and seconds to one unit of length, mass and time; `None` for a system without a scale.
    si: Optional[tuple[float, float, float]]

    @classmethod
    def of(cls, units: Union[str, Units]) -> Units:
        """The units of a name."""
        if not isinstance(units, (str, Units)):
            names = "'g1', 'henon', 'msun-pc-kms', 'msun-kpc-kms', 'msun-au-day', 'gadget', 'si' or 'henon:MASS:LENGTH'"
            raise InputError(f"units: {units!r}; must be a name, {names}, or manybody.Units")
        return units if isinstance(units, Units) else cls(*_native.units(units))

    @property
    def words(self) -> tuple[str, float, Optional[tuple[float, float, float]]]:
        """The same as a plain tuple."""
        return (self.name, self.G, self.si)

    def number(self, value: Any, dimension: str, name: str) -> Any:
        """A quantity of astropy, or a text such as "10 Myr", as a number in these units; numbers are in them
        already."""
        if isinstance(value, str):
            return _native.quantity(name, value, dimension, self.words)
        if has_unit(value) and isinstance(value, tuple):
            return tuple(self.number(part, dimension, f"{name}[{k}]") for k, part in enumerate(value))
        if has_unit(value) and isinstance(value, list):
            return np.array([self.number(part, dimension, f"{name}[{k}]") for k, part in enumerate(value)])
        if not is_quantity(value):
            return value
        from astropy import units

        try:
            return value.to_value(self.unit(dimension))
        except units.UnitConversionError:
            raise InputError(f"{name}: in {value.unit}; must be a {dimension}") from None

    def unit(self, dimension: str) -> Any:
        """The unit of "mass", "length", "time" or "velocity" as one of astropy."""
        from astropy import units

        if self.si is None:
            raise InputError(f"units: {self.name} have no physical scale; must be units that have one")
        metre, kilogram, second = self.si
        sizes = {
            "length": metre * units.m,
            "mass": kilogram * units.kg,
            "time": second * units.s,
            "velocity": metre / second * (units.m / units.s),
        }
        return units.Unit(sizes[dimension])


class Bodies:
    """Bodies: masses, positions, velocities, and further columns by name.

    Parameters
    ----------
    m : masses, an array [n], or one number for all
    x : positions, [n, 3] or a tuple of three arrays [n]
    v : velocities in the same form; 0 by default
    id : whole numbers that name the bodies; 0 to n - 1 by default
    eps : softening lengths of the bodies' own, [n]
    kind : Gadget's particle types, 0 to 5, [n]
    units : a name (`Units`), by default "g1": G = 1; with quantities of astropy "msun-pc-kms"
    time : the time that they are of
    columns : further columns, [n] each, by name: `Bodies(..., q=charges)`

    Attributes have these names; further columns are `bodies["q"]`. Arrays are float64. A slice, a mask or an array of
    indices gives some of the bodies as `Bodies` of their own: `bodies[:10]`, `bodies[bodies.m > 1]`, `bodies[[3, 1]]`.

    Examples
    --------
    >>> import numpy as np, manybody
    >>> pair = manybody.Bodies(m=[1.0, 3.0], x=[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0]])
    >>> len(pair), pair.center_of_mass()
    (2, array([3., 0., 0.]))
    >>> pair[pair.m > 2].x
    array([[4., 0., 0.]])
    """

    def __init__(
        self,
        m: Any,
        x: Any,
        v: Any = None,
        *,
        id: Any = None,
        eps: Any = None,
        kind: Any = None,
        units: Union[str, Units, None] = None,
        time: Any = 0.0,
        meta: Optional[dict[str, str]] = None,
        **columns: Any,
    ) -> None:
        for name, column in _OF_BODIES.items():
            if name in columns:
                raise InputError(f"{name}: a further column with the name of one that all bodies have; must be {column}")
        quantities = any(map(has_unit, (m, x, v, eps)))
        for name, value in {"m": m, "x": x, "v": v, "eps": eps}.items():
            parts = value if has_unit(value) and isinstance(value, (tuple, list)) else (value,)
            for k, part in enumerate(parts):
                # a text has its unit, and 0 needs no unit
                if quantities and not (part is None or isinstance(part, str) or has_unit(part)) and np.any(part):
                    place = name if part is value else f"{name}[{k}]"
                    raise InputError(f"{place}: without a unit, beside arguments that have one; must have one too")
        scaled = quantities or is_quantity(time)
        self.units = Units.of(("msun-pc-kms" if scaled else "g1") if units is None else units)
        number = self.units.number
        self._set(
            _native.Snapshot(
                number_or_array(number(m, "mass", "m"), "m"),
                vectors(number(x, "length", "x"), "x"),
                None if v is None else vectors(number(v, "velocity", "v"), "v"),
                None if id is None else whole_numbers(id, "id"),
                None if eps is None else number_or_array(number(eps, "length", "eps"), "eps"),
                None if kind is None else _kinds(kind),
                {name: plain(column, name) for name, column in columns.items()},
                self.units.words,
                one_number(number(time, "time", "time"), "time"),
                dict(meta or {}),
            )
        )

    def _set(self, native: _native.Snapshot) -> None:
        self.units = Units(*native.units)
        self.m: _Array = native.m
        self.x: _Array = native.x
        self.v: _Array = native.v
        self.id: _Array = native.id
        self.eps: Optional[_Array] = native.eps
        self.kind: Optional[_Array] = native.kind
        self.columns: dict[str, _Array] = native.columns
        self.time: float = native.time
        self.meta: dict[str, str] = native.meta
        #: What was assumed or left out when they were read from a file.
        self.notes: list[str] = native.notes

    @classmethod
    def _of(cls, native: _native.Snapshot) -> Bodies:
        bodies = cls.__new__(cls)
        bodies._set(native)
        return bodies

    def __iter__(self) -> NoReturn:
        one = "bodies[3:4] is one of them, and zip(bodies.id, bodies.m, bodies.x, bodies.v) goes through their numbers"
        raise TypeError(f"Bodies are arrays, and no sequence: {one}")

    def __len__(self) -> int:
        return len(self.m)

    @overload
    def __getitem__(self, name: str) -> _Array: ...

    @overload
    def __getitem__(self, name: Union[slice, Sequence[int], Sequence[bool], _Array]) -> Bodies: ...

    def __getitem__(self, name: Any) -> Any:
        """A column by the name that it has in files: "mass", "x", "vx", "eps", "q".

        Of a slice, a mask [n] or an array of indices, those bodies with all that they have, as a copy."""
        return self._column(name) if isinstance(name, str) else self._some(indices(name, len(self)))

    def _some(self, rows: _Array) -> Bodies:
        """The bodies of these indices, in this order."""
        whole = native(self)
        meta = {name: value for name, value in whole.meta.items() if not name.startswith(_OF_A_RUN)}
        names = meta.get("names", "").split()
        if len(names) == len(self):
            meta["names"] = " ".join(names[row] for row in rows)
        some = _native.Snapshot(
            whole.m[rows],
            whole.x[rows],
            whole.v[rows],
            whole.id[rows].tolist(),
            None if whole.eps is None else whole.eps[rows],
            None if whole.kind is None else whole.kind[rows].tolist(),
            {name: column[rows] for name, column in whole.columns.items()},
            whole.units,
            whole.time,
            meta,
        )
        bodies = Bodies._of(some)
        bodies.notes = list(self.notes)
        return bodies

    def _column(self, name: str) -> _Array:
        axes = {"x": 0, "y": 1, "z": 2}
        plain_names = {"m": self.m, "mass": self.m, "id": self.id, "eps": self.eps, "kind": self.kind}
        if name in self.columns:
            return self.columns[name]
        if name in axes:
            return np.asarray(self.x[:, axes[name]])
        if name[:1] == "v" and name[1:] in axes:
            return np.asarray(self.v[:, axes[name[1:]]])
        found = plain_names.get(name)
        if found is None:
            raise KeyError(f"{name}: no such column; there are: {', '.join(self.names())}")
        return found

    def __setitem__(self, name: str, column: Any) -> None:
        """Sets a column by the name that it has in files: one that there is, or a further one."""
        if name in ("id", "kind"):
            raise InputError(f"{name}: is no column of numbers; must be set as bodies.{name}")
        array = plain(column, name).astype(np.float64)
        if array.shape != (len(self),):
            raise InputError(f"{name}: an array with shape {array.shape}; must have shape ({len(self)},)")
        if name in ("m", "mass"):
            self.m = array
        elif name == "eps":
            self.eps = array
        elif name in ("x", "y", "z", "vx", "vy", "vz"):
            self._column(name)[:] = array
        else:
            self.columns[name] = array

    def names(self) -> list[str]:
        """The columns that there are."""
        own = ["id", "mass", "x", "y", "z", "vx", "vy", "vz"]
        own += [name for name in ("eps", "kind") if getattr(self, name) is not None]
        return own + list(self.columns)

    def __repr__(self) -> str:
        at = f", time {self.time:g}" if self.time else ""
        return f"<Bodies: {len(self)}, units {self.units.name}{at}; {', '.join(self.names())}>"

    def copy(self) -> Bodies:
        """Bodies of the same values in memory of their own."""
        return Bodies._of(native(self))

    def total_mass(self) -> float:
        """The sum of all masses."""
        return float(self.m.sum())

    def center_of_mass(self) -> _Array:
        """The centre of mass: [3], length."""
        return np.asarray(self.m @ self.x / self.m.sum())

    def move_to_com(self) -> None:
        """Moves the origin to the centre of mass, in position and velocity."""
        self.x = np.asfortranarray(self.x - self.center_of_mass())
        self.v = np.asfortranarray(self.v - self.m @ self.v / self.m.sum())

    def lagrangian_radii(self, fractions: Any = (0.1, 0.5, 0.9), center: Any = None) -> _Array:
        """The radii about a centre, the centre of mass unless given, that hold these shares of the mass."""
        shares = plain(fractions, "fractions").astype(np.float64).ravel()
        wrong = shares[~((shares > 0) & (shares <= 1))]
        if wrong.size:
            raise InputError(f"fractions: {wrong[0]}; must be shares of the mass, above 0 and at most 1")
        at = None if center is None else plain(center, "center").astype(np.float64)
        if at is not None and at.shape != (3,):
            raise InputError(f"center: an array with shape {at.shape}; must be three numbers")
        return np.array(native(self).lagrangian_radii(shares.tolist(), None if at is None else at.tolist()))

    def to(self, units: Union[str, Units]) -> Bodies:
        """The same bodies in other units."""
        return Bodies._of(native(self).to(Units.of(units).words))

    def quantity(self, name: str) -> Any:
        """`m`, `x`, `v`, `eps` or `time` as a quantity of astropy."""
        from astropy import units

        kinds = {"m": "mass", "x": "length", "v": "velocity", "eps": "length", "time": "time"}
        if name not in kinds:
            raise InputError(f"name: {name!r}; must be one of {', '.join(kinds)}")
        return units.Quantity(getattr(self, name), self.units.unit(kinds[name]))

    def write(
        self,
        path: Union[str, os.PathLike[str]],
        *,
        format: Optional[str] = None,
        precision: Optional[str] = None,
        columns: Optional[str] = None,
    ) -> list[str]:
        """Writes a file, whole or not at all; the extension says the format: .hdf5 .tipsy .nemo .csv .txt.

        `precision` ("f32", "f64") where the format leaves the choice, `columns` ("mass-first", "mass-last") for plain
        text. Returns what the format cannot hold, in words.
        """
        return native(self).write(os.fspath(path), format, precision, columns)

    @classmethod
    def from_rebound(cls, sim: Any, *, units: Union[str, Units, None] = None) -> Bodies:
        """The particles of a simulation of REBOUND.

        Without `units`, numbers stay as they are, and REBOUND's G becomes that of the units "g1" by scaling the masses. With
        `units`, lengths, times and velocities are converted from those that the simulation names (`sim.units`), and masses
        so that G m stays the same: in kilograms they differ by 3e-5, as its constant G does.
        """
        if not hasattr(sim, "serialize_particle_data"):
            raise InputError(f"sim: {sim!r}; must be a rebound.Simulation")
        n = sim.N
        x, v, m = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n)
        sim.serialize_particle_data(xyz=x, vxvyvz=v, m=m)
        gm, time, eps, of = m * sim.G, sim.t, float(sim.softening), None
        if units is not None:
            of = Units.of(units)
            length, duration = _scales_of_rebound(sim, of)
            x, v, time, eps = x * length, v * (length / duration), time * duration, eps * length
            gm = gm * (length**3 / duration**2) / of.G
        bodies = cls(gm, x, v, time=time, units=of)
        if eps:
            bodies.meta["run.eps"] = repr(float(eps))
        return bodies

    def to_rebound(self) -> Any:
        """A simulation of REBOUND with these bodies, their G and their time."""
        import rebound

        sim = rebound.Simulation()
        sim.G, sim.t = self.units.G, self.time
        for m, x, v in zip(self.m.tolist(), self.x.tolist(), self.v.tolist()):
            sim.add(m=m, x=x[0], y=x[1], z=x[2], vx=v[0], vy=v[1], vz=v[2])
        return sim

    def to_pynbody(self) -> Any:
        """A snapshot of pynbody with these bodies as stars, in memory; with units where these have a scale."""
        import pynbody

        snapshot = pynbody.new(star=len(self))
        for name, ours, unit in (("pos", self.x, "length"), ("vel", self.v, "velocity"), ("mass", self.m, "mass")):
            snapshot[name] = pynbody.array.SimArray(np.ascontiguousarray(ours), self._pynbody_unit(unit))
        snapshot["iord"] = self.id.astype(np.int64)
        for name, column in self.columns.items():
            snapshot[name] = column
        snapshot.properties["time"] = self.time * pynbody.units.Unit(self._pynbody_unit("time"))
        return snapshot

    def _pynbody_unit(self, dimension: str) -> str:
        if self.units.si is None:
            return "1"
        metre, kilogram, second = self.units.si
        sizes = {
            "length": (metre, "m"),
            "mass": (kilogram, "kg"),
            "time": (second, "s"),
            "velocity": (metre / second, "m s**-1"),
        }
        size, unit = sizes[dimension]
        return f"{size!r} {unit}"


def _scales_of_rebound(sim: Any, units: Units) -> tuple[float, float]:
    """A unit of length and one of time of a simulation of REBOUND, in these units."""
    from rebound import units as theirs

    if units.si is None:
        expected = "must be units that have one, or left out, for G = 1"
        raise InputError(f"units: {units.name} have no physical scale; {expected}")
    names = sim.units
    if names["length"] is None or names["time"] is None:
        raise InputError("sim: a simulation without units; must have sim.units where units are given")
    metre, _, second = units.si
    return theirs.lengths_SI[names["length"]] / metre, theirs.times_SI[names["time"]] / second


#: Columns that bodies always have, by their names in files, and what gives them to `Bodies`.
_OF_BODIES = {
    "mass": "the argument m",
    **{axis: f"column {k} of the argument x" for k, axis in enumerate("yz", 1)},
    **{f"v{axis}": f"column {k} of the argument v" for k, axis in enumerate("xyz")},
}

#: What a snapshot keeps of where its run stands: it does not hold for some of the bodies.
_OF_A_RUN = ("run.start", "run.origin", "run.step", "run.initial", "run.error", "run.frame", "run.forces")


def _kinds(kind: Any) -> list[int]:
    """Gadget's particle types."""
    found = whole_numbers(kind, "kind")
    if any(one > 5 for one in found):
        raise InputError(f"kind: {max(found)}; must be Gadget's particle types, 0 to 5")
    return found


def indices(which: Any, n: int, name: str = "index") -> _Array:
    """The indices of bodies that a slice, a mask or an array of indices says; negative ones count from the end."""
    if isinstance(which, slice):
        return np.arange(n)[which]
    if isinstance(which, (int, np.integer)) and not isinstance(which, (bool, np.bool_)):
        at = f"{which}:{which + 1}" if which != -1 else "-1:"
        advice = f"; bodies[{at}] is that body" if name == "index" else ""
        raise InputError(f"{name}: {which}; must be a slice, a mask or an array of indices{advice}")
    column = "a column's name, " if name == "index" else ""
    expected = f"must be {column}a slice, a mask or an array of indices"
    unmasked(which, name)
    array = np.asarray(which)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
        raise InputError(f"{name}: an array of {array.dtype} with shape {array.shape}; {expected}")
    if array.dtype == np.bool_:
        if len(array) != n:
            raise InputError(f"{name}: a mask with shape {array.shape}; must have shape ({n},), one for each body")
        return np.flatnonzero(array)
    rows = array.astype(np.int64)
    outside = rows[(rows < -n) | (rows >= n)]
    if len(outside):
        raise InputError(f"{name}: {outside[0]}; must be at least {-n} and below {n}, the number of bodies")
    return np.where(rows < 0, rows + n, rows)


def native(bodies: Bodies) -> _native.Snapshot:
    """Bodies as the library keeps them."""
    return _native.Snapshot(
        plain(bodies.m, "m"),
        vectors(bodies.x, "x"),
        vectors(bodies.v, "v"),
        np.asarray(bodies.id).tolist(),
        None if bodies.eps is None else number_or_array(bodies.eps, "eps"),
        None if bodies.kind is None else np.asarray(bodies.kind).tolist(),
        {name: plain(column, name) for name, column in bodies.columns.items()},
        Units.of(bodies.units).words,
        float(bodies.time),
        dict(bodies.meta),
    )


def read(
    path: Union[str, os.PathLike[str]],
    *,
    format: Optional[str] = None,
    columns: Optional[str] = None,
    frame: Optional[int] = None,
) -> Bodies:
    """Reads bodies from a file: Gadget HDF5, tipsy, NEMO, CSV or plain text, by its name and content.

    `columns` ("mass-first", "mass-last") for plain text, `frame` the snapshot of a file that holds several, the last by
    default. What was assumed or left out is in `bodies.notes`.

    >>> import manybody
    >>> bodies = manybody.ic.plummer(10, seed=1)
    >>> bodies.write("plummer.hdf5")
    []
    >>> bool((manybody.read("plummer.hdf5").x == bodies.x).all())
    True
    """
    return Bodies._of(_native.read(os.fspath(path), format, columns, frame))
