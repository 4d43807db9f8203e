"""Lets seesaw 0.10.3, the newest on PyPI, run on a Python that came after it."""

import collections
import collections.abc

collections.MutableMapping = collections.abc.MutableMapping  # type: ignore[attr-defined]
