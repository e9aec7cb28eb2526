"""Imports the `wyoming` package's client once: on Python before 3.13 it imports audioop, whose deprecation is not ours."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import wyoming.audio  # noqa: F401
