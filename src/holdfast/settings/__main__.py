"""Prints the reference of all settings: `python -m holdfast.settings > docs/settings.md`."""

import sys

from holdfast.settings import Settings, reference

sys.stdout.write(reference(Settings) + "\n")
