# SPDX-License-Identifier: MIT
"""The two ways in which a firmware run ends without a result; each is one line for a person."""


class FirmwareError(Exception):
    """Wrong usage, a bad board file, a missing tool, a build that fails: exit code 2."""


class FirmwareNo(Exception):
    """The answer is no: does not fit, faults, hangs, is not free of the heap: exit code 1."""
