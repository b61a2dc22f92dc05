"""The command `manybody`, as the wheel carries it."""

import signal
import sys

from . import _native


def main() -> None:
    """Runs the command with the arguments of this process, and ends it."""
    # the command has handlers of its own, beside which Python's would print a traceback
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _native.run_command(["manybody", *sys.argv[1:]])
