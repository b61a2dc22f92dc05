"""Runs: step by step in the memory, and with files by the library's driver."""

from __future__ import annotations

import math
import os
import time
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._bodies import Bodies, Units, native
from ._errors import InputError
from ._law import law_word
from ._progress import bar
from ._settings import TABLE, unknown, word
from ._units import is_quantity

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._settings import RunSettings, SimulationSettings

_Path = Union[str, "os.PathLike[str]"]


class Force(NamedTuple):
    """A force beside those of a run's settings, by a function on arrays.

    `acceleration(x, v, m, time)` returns accelerations [n, 3]; `x` and `v` are [n, 3], `m` is [n]. With `potential`, a
    function of the same arguments that returns potentials per mass [n], the energy of the run is known. A force that
    reads velocities says so with `reads_velocities`.
    """

    acceleration: Callable[..., Any]
    potential: Optional[Callable[..., Any]] = None
    reads_velocities: bool = False
    name: str = "function"


class Event(NamedTuple):
    """Two bodies have merged, or one has escaped. Numbers are in the units of the bodies."""

    #: For a merger the end of the step in which the bodies have touched.
    time: float
    #: "merger" or "escape".
    kind: str
    #: The body that is left, or that has escaped.
    id: int
    #: The body that has become a part of it.
    other_id: Optional[int]
    #: The mass after it, or that of the escaper.
    mass: float
    other_mass: Optional[float]
    radius: Optional[float]
    position: npt.NDArray[np.float64]
    velocity: npt.NDArray[np.float64]
    #: Of the two bodies relative to each other, or of the escaper relative to the centre of mass.
    speed: float
    #: The change of the energy of the system.
    energy: float


class Diagnostics(NamedTuple):
    """What is known of a system at one time, in its units."""

    time: float
    mass: float
    kinetic: float
    #: Half the sum of m phi; of external fields the whole sum. NaN where the forces have no potential.
    potential: float
    momentum: npt.NDArray[np.float64]
    angular_momentum: npt.NDArray[np.float64]
    center_of_mass: npt.NDArray[np.float64]
    half_mass_radius: float
    #: (E - E0) / |E0| since the start of the run; NaN where the forces do not conserve it.
    energy_error: float
    #: |P - P0| over the sum of m |v| at the start.
    momentum_error: float
    #: |L - L0| over the sum of m |x x v| at the start.
    angular_momentum_error: float
    #: The units of these numbers.
    units: Units

    @property
    def energy(self) -> float:
        """Kinetic and potential energy."""
        return self.kinetic + self.potential

    @property
    def virial_ratio(self) -> float:
        """2 T / |W| with T about the centre of mass, as the command prints it: 1 in equilibrium; NaN without W."""
        of_center = float(self.momentum @ self.momentum) / (2 * self.mass) if self.mass > 0 else 0.0
        return -2 * (self.kinetic - of_center) / self.potential if self.potential else float("nan")

    def quantity(self, name: str) -> Any:
        """One of these numbers as a quantity of astropy, as "energy" or "half_mass_radius"; errors have no unit."""
        mass, length, speed = ("mass",), ("length",), ("velocity",)
        kinds = {
            "time": ("time",),
            "mass": mass,
            "kinetic": mass + 2 * speed,
            "potential": mass + 2 * speed,
            "energy": mass + 2 * speed,
            "momentum": mass + speed,
            "angular_momentum": mass + length + speed,
            "center_of_mass": length,
            "half_mass_radius": length,
        }
        if name not in kinds:
            raise InputError(f"name: {name!r}; must be one of {', '.join(kinds)}")
        from astropy import units

        parts = [self.units.unit(kind) for kind in kinds[name]]
        return units.Quantity(getattr(self, name), math.prod(parts[1:], start=parts[0]))


def _diagnostics(found: Any, units: Units) -> Diagnostics:
    time, mass, kinetic, potential, momentum, angular, center, half, errors = found
    vectors = (np.array(momentum), np.array(angular), np.array(center))
    of_energy, of_momentum, of_turning = errors
    return Diagnostics(time, mass, kinetic, potential, *vectors, half, of_energy, of_momentum, of_turning, units)


def _checks(settings: Mapping[str, object]) -> tuple[bool, bool]:
    """Whether the forces are audited, and whether the energy is checked, where a run stops."""
    forces = any(settings.get(name) is not None for name in ("audit", "audit_limit"))
    return forces, settings.get("max_energy_error") is not None


#: Settings of what a run writes to files, which a run in the memory does not do.
_OF_FILES = ("snapshot_every", "log")


def _words(arguments: Mapping[str, object], what: str, in_memory: bool) -> list[tuple[str, Any]]:
    """Settings as the library reads them; what is no setting is refused."""
    words = []
    for name, value in arguments.items():
        own = ["bodies" if what == "Simulation" else "path", "extra"] if in_memory else ["description", "observer"]
        known = [*own, *(key for key, (of_memory, _) in TABLE.items() if not in_memory or of_memory)]
        if in_memory:
            known = [key for key in known if key not in _OF_FILES]
        if name not in TABLE or (name == "threads" and in_memory):
            raise unknown(name, known, what)
        if name not in known:
            raise TypeError(f"{name} is no keyword of {what}: it belongs to manybody.run, which reads and writes files")
        if value is not None:
            words.append((name, _word(name, value)))
    return words


def _word(name: str, value: Any) -> Any:
    if is_quantity(value) and not value.ndim:
        from astropy import units

        for unit, text in ((units.Myr, "Myr"), (units.pc, "pc"), (units.Msun, "Msun")):
            if value.unit.is_equivalent(unit):
                return f"{float(value.to_value(unit))!r} {text}"
        raise InputError(f"{name}: in {value.unit}; must be a time or a length")
    if name == "par" and isinstance(value, dict):
        return [f"{key}={','.join(repr(float(q)) for q in np.ravel(v))}" for key, v in value.items()]
    if isinstance(value, (list, tuple)) and any(isinstance(one, os.PathLike) or is_quantity(one) for one in value):
        return [_word(name, one) for one in value]
    return word(name, os.fspath(value) if isinstance(value, os.PathLike) else value)


_Extra = Union[_Path, "tuple[_Path, dict[str, Any]]", Force, Callable[..., Any]]


def _extra(extra: Union[_Extra, Sequence[_Extra]]) -> list[Any]:
    """Further forces as the library takes them."""
    with_parameters = isinstance(extra, tuple) and len(extra) == 2 and isinstance(extra[1], dict)
    single = isinstance(extra, (str, os.PathLike, Force)) or with_parameters or callable(extra)
    words: list[Any] = []
    if not (single or isinstance(extra, (list, tuple))):
        raise InputError(f"extra: {extra!r}; must be the text of a law, a function, or a Force, or a list of them")
    for one in [extra] if single else list(extra):  # type: ignore[arg-type]
        if isinstance(one, (str, os.PathLike)):
            words.append((law_word(one, "extra"), []))
        elif isinstance(one, Force):
            words.append((one.acceleration, one.potential, one.reads_velocities, one.name))
        elif isinstance(one, tuple):
            law, par = one
            words.append((law_word(law, "extra"), _word("par", par)))
        elif callable(one):
            words.append((one, None, False, getattr(one, "__name__", "function")))
        else:
            raise InputError(f"extra: {one!r}; must be the text of a law, a function, or a Force")
    return words


class Simulation:
    """A run of bodies in the memory.

    Every setting of `manybody run` that is no file is a keyword, by the same rules (docs/settings.md): `dt`, `eps`,
    `integrator`, `device`, `precision`, `solver`, `law` with `par`, `field`, ... What is not given is chosen for the
    bodies; `notes` say what was. Quantities are numbers in the units of the bodies, texts such as "1/128" or "10 Myr",
    or quantities of astropy.

    With `audit`, `audit_limit` or `max_energy_error` the forces are audited, and the energy is checked, at each time at
    which `run` stops, as `manybody run` does at its snapshots: what is beyond the limits is a `ComputationError`, and large
    errors that the precision explains are a warning. `audit=0.001` is what the command does.

    `extra` are forces beside those of the settings: a law as `Law` takes it, (law, {parameter: value}), a function
    `f(x, v, m, time)` that returns accelerations [n, 3], a `Force`, or a list of these.

    Examples
    --------
    >>> import manybody
    >>> sim = manybody.Simulation(manybody.ic.plummer(200, seed=1), dt="1/64", eps=0.05)
    >>> for s in sim.run(to=0.5, every=0.25):
    ...     print(s.time, abs(s.energy_error) < 1e-3)
    0.25 True
    0.5 True
    """

    def __init__(
        self, bodies: Bodies, *, extra: Union[_Extra, Sequence[_Extra]] = (), **settings: Unpack[SimulationSettings]
    ) -> None:
        if not isinstance(bodies, Bodies):
            raise InputError(f"bodies: {type(bodies).__name__}; must be Bodies, as of manybody.Bodies(m, x, v)")
        words = _words(settings, "Simulation", True)
        forces = _extra(extra)
        self._has_extra = bool(forces)
        self._native = _native.Simulation(native(bodies), words, forces)
        self._units = self.bodies.units
        self._checks = _checks(settings)
        self._end_given = settings.get("t_end") is not None

    @classmethod
    def resume(
        cls, path: _Path, *, extra: Union[_Extra, Sequence[_Extra]] = (), **settings: Unpack[SimulationSettings]
    ) -> Simulation:
        """Goes on from a file that `save`, or a run of the command, has written: the same bits as without the pause.

        `extra` forces, and the settings of forces beside them (`eps`, `law`, `field`), must be given again.
        """
        sim = cls.__new__(cls)
        words = _words(settings, "Simulation.resume", True)
        forces = _extra(extra)
        sim._has_extra = bool(forces)
        sim._native = _native.Simulation.resume(os.fspath(path), words, forces)
        sim._units = sim.bodies.units
        sim._checks = _checks(settings)
        sim._end_given = settings.get("t_end") is not None
        return sim

    def run(
        self,
        to: Any = None,
        *,
        every: Any = None,
        callback: Optional[Callable[[Simulation], Optional[bool]]] = None,
        progress: bool = False,
    ) -> Iterator[Simulation]:
        """Advances to the time `to` (by default the setting t_end) and yields this simulation at each multiple of
        `every` from here, or at the end alone. Both are numbers in the units of the bodies, texts such as "0.1 Myr", or
        quantities of astropy.

        A time between two steps is that of the step after it, and each step is yielded once; `to` is met exactly, by a
        shorter last step. `callback` is called at the same times, before they are yielded; False ends the run. `progress`
        shows a bar of tqdm, if it is installed, which moves as steps are made. The steps are made while the iterator is
        consumed: `for s in sim.run(...)`, or `sim.advance(to)`.
        """
        end = self._end(to)
        step = None if every is None else self._time(every, "every")
        if step is not None and not step > 0:
            raise InputError(f"every: {every}; must be a finite time above 0")
        if callback is not None and not callable(callback):
            raise InputError(f"callback: {callback!r}; must be a function of one simulation")
        return self._steps(end, step, callback, progress)

    def _time(self, value: Any, name: str) -> float:
        """A time of an argument as a number in the units of the bodies."""
        if isinstance(value, str) or is_quantity(value):
            value = self._units.number(value, "time", name)
        try:
            time = float(value)
        except (TypeError, ValueError):
            form = "must be a number, a text such as '0.1 Myr', or a quantity of astropy"
            raise InputError(f"{name}: {value!r}; {form}") from None
        if not np.isfinite(time):
            raise InputError(f"{name}: {value}; must be a finite time")
        return time

    def _end(self, to: Any) -> float:
        if to is None:
            if not self._end_given:
                raise InputError("to: no time is given; must be given, or the setting t_end")
            return self._t_end
        end = self._time(to, "to")
        if end < self.time:
            raise InputError(f"to: {end}; must be {self.time} or later, the time of the bodies")
        if end != self._t_end and end != self.time:
            self._native.set_end(end)
        self._end_given = True
        return end

    @property
    def _t_end(self) -> float:
        return float(self.settings["t_end"])

    def _steps(self, end: float, every: Optional[float], callback: Any, progress: bool) -> Iterator[Simulation]:
        start, k, dt = self.time, 0, float(self.settings["dt"])
        # each step, as a smaller part of one would give, too
        every = None if every is None else max(every, dt * 1e-6)
        shown = bar(end - start, 0, "t") if progress else None
        try:
            while self.time < end:
                k += 1
                # at once where a step has gone past several
                if every is not None:
                    k = max(k, math.floor((self.time - start) / every))
                target = end if every is None else min(start + k * every, end)
                before = self.time
                self._advance(target, dt, shown, start)
                if self.time == before:
                    # this step has been yielded
                    if every is not None and every >= dt and target < end:
                        continue
                    self._advance(before + dt / 100, dt, shown, start)
                self._check()
                if callback is not None and callback(self) is False:
                    return
                yield self
        finally:
            if shown is not None:
                shown.close()

    def _advance(self, until: float, dt: float, shown: Any, start: float) -> None:
        """Advances to the first step at `until` or later, in parts of about a tenth of a second where a bar is shown."""
        if shown is None:
            self._native.advance(until)
            return
        part = dt
        while self.time < until:
            before, begin = self.time, time.monotonic()
            self._native.advance(min(until, before + part))
            if self.time == before:
                return
            seconds = time.monotonic() - begin
            part = part * 2 if seconds < 0.05 else max(part / 2, dt) if seconds > 0.2 else part
            shown.update(self.time - start - shown.n)

    def advance(self, to: Any, *, progress: bool = False) -> Simulation:
        """Advances to the time `to`, as `run` takes it, and returns this simulation."""
        for _ in self.run(to, progress=progress):
            pass
        return self

    def _check(self) -> None:
        """Audits and checks what the settings of this run name."""
        if any(self._checks):
            warning = self._native.check(*self._checks)
            if warning is not None:
                warnings.warn(warning, stacklevel=4)

    @property
    def notes(self) -> list[str]:
        """What was chosen for the bodies, in words."""
        return self._native.notes

    @property
    def time(self) -> float:
        """The time, in the units of the bodies."""
        return self._native.time

    @property
    def step(self) -> int:
        """The number of steps since the start of the run, those before a `save` and `resume` included."""
        return self._native.step

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the run, given and chosen, as text."""
        return dict(self._native.settings)

    @property
    def forces(self) -> str:
        """What computes the forces, in words."""
        return self._native.forces_name

    @property
    def bodies(self) -> Bodies:
        """The bodies as they are now, in arrays of their own."""
        return Bodies._of(self._native.snapshot())

    @property
    def events(self) -> list[Event]:
        """Mergers (`collisions="merge"`) and escapes (`remove_escapers=`) since this simulation was made or resumed."""
        return [Event(*e[:7], np.array(e[7]), np.array(e[8]), *e[9:]) for e in self._native.events]

    def measure(self) -> Diagnostics:
        """Energies, momenta and errors now, at the cost of a force evaluation in f64."""
        return _diagnostics(self._native.measure(), self._units)

    @property
    def initial(self) -> Diagnostics:
        """What `measure` gave at the start of the run."""
        return _diagnostics(self._native.initial, self._units)

    @property
    def energy(self) -> float:
        """Kinetic and potential energy now; `measure` gives all at once, and its `quantity` with units of astropy."""
        return self.measure().energy

    @property
    def energy_error(self) -> float:
        """(E - E0) / |E0| now."""
        return self.measure().energy_error

    def lagrangian_radii(self, fractions: Any = (0.1, 0.5, 0.9), center: Any = None) -> npt.NDArray[np.float64]:
        """The radii that hold these shares of the mass, now."""
        return self.bodies.lagrangian_radii(fractions, center)

    def save(self, path: _Path) -> list[str]:
        """Writes the state to a file, from which `resume` and `manybody run --resume` go on. Returns what the format
        cannot
        hold, in words."""
        return self._native.save(os.fspath(path))

    def to_rebound(self) -> Any:
        """The bodies, the softening and the step as a simulation of REBOUND, by its leapfrog: drift-kick-drift, as
        "leapfrog-dkd" is here; a run by "leapfrog" has another error of second order, which is a warning.

        What REBOUND's leapfrog does not have is refused: other schemes, laws, fields, forces of one's own and softenings
        of the bodies' own. `simulation.bodies.to_rebound()` gives the bodies alone.
        """
        settings = self.settings
        scheme = str(settings.get("integrator", "leapfrog"))
        alone = "simulation.bodies.to_rebound() gives the bodies alone"
        if scheme not in ("leapfrog", "leapfrog-kdk", "leapfrog-dkd"):
            raise InputError(f"integrator: {scheme!r}; must be leapfrog-dkd, which REBOUND has; {alone}")
        for name in ("law", "field", "collisions", "remove_escapers"):
            if settings.get(name) not in (None, "gravity"):
                raise InputError(f"{name}: {settings[name]!r}; must be left out for REBOUND; {alone}")
        if self._has_extra:
            raise InputError(f"extra: must be left out for REBOUND; {alone}")
        if self.bodies.eps is not None:
            raise InputError(f"eps: softenings of the bodies' own; must be left out for REBOUND; {alone}")
        if settings.get("softening", "plummer") != "plummer":
            raise InputError(f"softening: {settings['softening']!r}; must be plummer, which REBOUND has; {alone}")
        if scheme != "leapfrog-dkd":
            warnings.warn("REBOUND's leapfrog is leapfrog-dkd; this run is by leapfrog", stacklevel=2)
        sim = self.bodies.to_rebound()
        sim.integrator, sim.dt = "leapfrog", float(settings["dt"])
        sim.softening = float(settings.get("eps", 0.0))
        return sim

    def to_pynbody(self) -> Any:
        """The bodies as a snapshot of pynbody."""
        return self.bodies.to_pynbody()

    def __repr__(self) -> str:
        return f"<Simulation: {self.forces}, time {self.time:g}, step {self.step}>"


class Outcome(NamedTuple):
    """What came of a run with files."""

    #: "finished", "missed" (the accuracy that was set by rtol), "interrupted" or "finished-before".
    end: str
    #: The file with its last state.
    file: str
    #: The TOML file that repeats it.
    description: str
    energy_error: Optional[float]
    #: The largest force error that was found, |da| / rms |a|.
    force_error: Optional[float]
    time: float
    steps: int
    seconds: float
    warnings: list[str]


def run(
    description: Optional[_Path] = None,
    *,
    observer: Optional[Callable[[dict[str, Any]], Optional[bool]]] = None,
    **settings: Unpack[RunSettings],
) -> Outcome:
    """Makes a run with files, as `manybody run` does: snapshots, audits, limits, resume and lock.

    Every setting is a keyword (docs/settings.md): `ic` or `file`, `n`, `seed`, `dt`, `t_end`, `eps`, `out`,
    `snapshot_every`, `resume`, ... `description` is a TOML file with settings. `observer` is called with a dictionary
    at each event ("started", "advanced", "audit", "log", "snapshot", "merger", "escape", "note", "warning", "ended"); where it
    returns False, the run keeps a snapshot and ends. So does Ctrl-C.

    >>> import manybody
    >>> out = manybody.run(ic="plummer", n=100, dt="1/64", t_end=0.125, eps=0.05, out="small.hdf5")
    >>> out.end, out.time, out.steps
    ('finished', 0.125, 8)
    """
    words = _words(settings, "run", False)
    if observer is not None and not callable(observer):
        raise InputError(f"observer: {observer!r}; must be a function of one dictionary")
    found = _native.drive(words, None if description is None else os.fspath(description), observer)
    return Outcome(**{key: os.fspath(v) if key in ("file", "description") else v for key, v in found.items()})


def settings() -> dict[str, str]:
    """Every setting of a run, with what it is and its default.

    >>> import manybody
    >>> manybody.settings()["dt_max"]
    'Largest time step that a body may have, where time steps vary [dt]'
    """
    rows = _native.settings_table()
    return {name: f"{text} [{default}]" if default else text for name, _, text, default, *_ in rows}
