"""A catalogue on either database."""

import pytest

from holdfast.store.records import Records
from tests.catalogue.ground import Ground
from tests.clocks import StillClock


@pytest.fixture
def ground(records: Records, clock: StillClock) -> Ground:
    return Ground(records, clock)
