"""The exceptions of manybody."""


class Error(Exception):
    """What can go wrong in manybody; every other exception of the package is one."""


class InputError(Error, ValueError):
    """An argument, a setting or a file is not what it must be. The message names it and its value."""


class DeviceError(Error, RuntimeError):
    """A device is not there, or has failed."""


class ComputationError(Error, ArithmeticError):
    """A result is not finite, or is further from the reference than its precision explains."""
