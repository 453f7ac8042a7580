# SPDX-License-Identifier: MIT
"""The host side of firmware/: see scripts/run_firmware.py."""
