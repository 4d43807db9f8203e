"""Bencode is read strictly, written canonically, and never brings the reader down."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.wire.bencode import (
    MAX_CONTAINERS,
    MAX_DEPTH,
    BencodeError,
    Value,
    decode,
    decode_document,
    encode,
)

WIDEST = 10**20 - 1
VALUES: st.SearchStrategy[Value] = st.recursive(
    st.integers(-WIDEST, WIDEST) | st.binary(max_size=40),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.binary(max_size=8), inner, max_size=6),
    max_leaves=40,
)
NEARLY_BENCODE = st.lists(
    st.sampled_from([b"d", b"l", b"e", b"i", b"0", b"1", b"2", b":", b"-", b"1:a", b"1:b", b"i7e"]),
    max_size=30,
).map(b"".join)


@given(VALUES)
def test_what_was_encoded_decodes_to_the_same_value(value: Value) -> None:
    assert decode(encode(value)) == value


@given(NEARLY_BENCODE | st.binary(max_size=60))
@example(b"d1:ai1e1:bi2ee")
@example(b"i-0e")
def test_bytes_are_either_refused_or_encode_back_to_themselves(data: bytes) -> None:
    try:
        value = decode(data)
    except BencodeError:
        return
    assert encode(value) == data


@given(VALUES, st.data())
def test_any_cut_of_a_value_is_refused(value: Value, data: st.DataObject) -> None:
    whole = encode(value)
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(BencodeError, match="byte"):
        decode(cut)


@given(st.dictionaries(st.binary(max_size=8), VALUES, max_size=6))
def test_a_document_knows_the_original_bytes_of_each_of_its_values(fields: dict[bytes, Value]) -> None:
    document = decode_document(encode(fields))
    assert document.fields == fields
    assert {key: document.raw(key) for key in document.spans} == {k: encode(v) for k, v in fields.items()}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "it ends at byte 0 inside a value"),
        (b"i12", "it ends at byte 3 inside a value"),
        (b"i-", "it ends at byte 2 inside a value"),
        (b"l1:a12", "it ends at byte 6 inside a value"),
        (b"l4:spam", "it ends at byte 7 inside a value"),
        (b"l5:spam", "the string at byte 1 needs 1 more"),
        (b"i-0e", "integer at byte 0 is minus zero"),
        (b"li007ee", "integer at byte 1 has a leading zero"),
        (b"i-03e", "integer at byte 0 is minus zero, or has a leading zero"),
        (b"i" + b"9" * 21 + b"e", "integer at byte 0 has more than 20 digits"),
        (b"i-" + b"9" * 10**6 + b"e", "integer at byte 0 has more than 20 digits"),
        (b"i1.5e", "integer at byte 0 is not a number"),
        (b"i e", "integer at byte 0 is not a number"),
        (b"ie", "integer at byte 0 is not a number"),
        (b"-1:a", "string at byte 0 has a negative length"),
        (b"01:a", "string at byte 0 has a leading zero"),
        (b"99999999999:a", "string at byte 0 claims an impossible length"),
        (b"4spam", "string at byte 0 does not end in a colon"),
        (b"9999999999:a", "string at byte 0 needs 9999999998 more"),
        (b"x", "No value can begin as byte 0 does"),
        (b"e", "missing at byte 0"),
        (b"i1ei2e", "ends at byte 3, but 3 more bytes follow"),
        (b"4:spam\n", "ends at byte 6, but 1 more"),
        (b"l" + b"d1:ae" + b"e", "dictionary at byte 1 has a key without a value: b'a'"),
        (b"di1ei2ee", "dictionary at byte 0 has a key that is not a string"),
        (b"dlelee", "dictionary at byte 0 has a key that is not a string"),
        (b"ld1:bi1e1:ai2eee", "dictionary at byte 1 has its key b'a' out of order"),
        (b"d1:ai1e1:ai2ee", "dictionary at byte 0 has the key b'a' more than once"),
    ],
)
def test_a_fault_is_refused_with_its_offset(data: bytes, sentence: str) -> None:
    with pytest.raises(BencodeError) as refused:
        decode(data)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("opening", [b"l", b"d1:a", b"d0:l"])
def test_endless_nesting_is_refused_and_does_not_exhaust_the_stack(opening: bytes) -> None:
    with pytest.raises(BencodeError, match=f"nested deeper than {MAX_DEPTH} levels at byte"):
        decode(opening * 1_000_000)
    with pytest.raises(BencodeError, match=f"nested deeper than {MAX_DEPTH} levels at byte"):
        decode_document(b"d1:a" + opening * 1_000_000)


def test_nesting_as_deep_as_the_limit_is_read_and_written() -> None:
    deepest = b"l" * MAX_DEPTH + b"e" * MAX_DEPTH
    assert encode(decode(deepest)) == deepest
    in_document = b"d1:a" + deepest[1:-1] + b"e"
    assert decode_document(in_document).raw(b"a") == deepest[1:-1]


def test_a_value_nested_beyond_the_limit_is_not_written() -> None:
    value: list[Value] = []
    value.append(value)
    with pytest.raises(BencodeError, match="nested deeper"):
        encode(value)


def test_millions_of_empty_lists_are_refused_before_they_fill_the_memory() -> None:
    with pytest.raises(BencodeError, match=f"more than {MAX_CONTAINERS} lists and dictionaries by byte"):
        decode(b"l" + b"le" * MAX_CONTAINERS + b"e")


def test_unsorted_keys_are_tolerated_when_asked_for_and_noted() -> None:
    data = b"d4:infod1:bi1e1:ai2ee1:ai3ee"
    document = decode_document(data, strict=False)
    assert document.fields == {b"info": {b"b": 1, b"a": 2}, b"a": 3}
    assert document.raw(b"info") == b"d1:bi1e1:ai2ee"
    assert not document.in_order
    assert decode_document(b"d1:ai1ee", strict=False).in_order


def test_a_duplicate_key_is_refused_even_where_unsorted_ones_are_tolerated() -> None:
    with pytest.raises(BencodeError, match="byte 0 has the key b'b' more than once"):
        decode(b"d1:bi1e1:ai2e1:bi3ee", strict=False)
    with pytest.raises(BencodeError, match="byte 0 has the key b'info' more than once"):
        decode_document(b"d4:infode4:infodee", strict=False)


@pytest.mark.parametrize("data", [b"", b"le", b"i1e", b"4:spam", b"<!DOCTYPE html>"])
def test_what_is_no_dictionary_is_no_document(data: bytes) -> None:
    with pytest.raises(BencodeError, match="no dictionary at byte 0"):
        decode_document(data)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"d", "ends at byte 1"),
        (b"d1:a", "ends at byte 4"),
        (b"d1:ae", "missing at byte 4"),
        (b"di1ei2ee", "key that is not a string"),
        (b"d1:bi1e1:ai2ee", "byte 0 has its key b'a' out of order"),
        (b"d1:ai1eee", "ends at byte 8, but 1 more"),
    ],
)
def test_a_faulty_document_is_refused_with_the_offset(data: bytes, sentence: str) -> None:
    with pytest.raises(BencodeError) as refused:
        decode_document(data)
    assert sentence in str(refused.value)


def test_a_large_document_is_read_whole() -> None:
    files: list[Value] = [
        {b"length": number, b"path": [b"folder", b"file %d" % number]} for number in range(50_000)
    ]
    fields: dict[bytes, Value] = {b"info": {b"files": files, b"pieces": bytes(4_000_000)}}
    assert decode_document(encode(fields)).fields == fields


def test_keys_are_written_sorted() -> None:
    assert encode({b"b": 1, b"a": [b"x", (2, 3)]}) == b"d1:al1:xli2ei3eee1:bi1ee"


def test_an_integer_too_wide_to_be_read_is_not_written() -> None:
    with pytest.raises(BencodeError, match="20 digits"):
        encode(-(10**20))


@pytest.mark.parametrize("value", [True, 1.5, None, "text", {"text": 1}])
def test_what_bencode_does_not_know_is_a_fault_of_the_caller(value: object) -> None:
    with pytest.raises(TypeError):
        encode(value)  # type: ignore[arg-type]
