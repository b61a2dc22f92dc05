"""Bars of tqdm, where it is installed."""

from __future__ import annotations

import warnings
from typing import Any

#: Numbers of a bar, and its text.
_FORMAT = "{l_bar}{bar}| {n:.6g}/{total:.6g} [{elapsed}<{remaining}]"


def bar(total: float, initial: float, unit: str) -> Any:
    """A bar; without tqdm `None`, and a warning."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        # Python prints a warning of one place once
        warnings.warn("progress: tqdm is not installed, so that no bar is shown", RuntimeWarning, stacklevel=2)
        return None
    return tqdm(total=total, initial=initial, unit=unit, bar_format=_FORMAT)
