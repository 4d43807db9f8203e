"""Inputs that a fuzzer once found interesting are read again: each reached lines that no other did."""

from pathlib import Path

import pytest

from tests.wire.fuzzed import PARSERS

CORPUS = Path(__file__).with_name("corpus")
FOUND = sorted(each for each in CORPUS.glob("*/*") if each.is_file())


def test_every_parser_has_inputs_of_its_own() -> None:
    assert {each.parent.name for each in FOUND} == set(PARSERS)


@pytest.mark.parametrize("found", FOUND, ids=lambda found: f"{found.parent.name}/{found.name[:10]}")
def test_what_a_fuzzer_found_is_read_or_refused_as_it_should_be(found: Path) -> None:
    PARSERS[found.parent.name](found.read_bytes())
