"""No secret is left in what is logged, whatever shape it comes in."""

import json
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.observe.masking import escape_controls, is_secret_name, mask, mask_text
from holdfast.settings import Address, Secret

PASSKEY = "0123456789abcdef0123456789ABCDEF"
HUSH = "hush-hush-4711"


@dataclass
class Member:
    name: str
    passkey: str
    note: str = field(default=HUSH, repr=False)


class Opaque:
    def __repr__(self) -> str:
        return f"Opaque(passkey='{HUSH}', token={HUSH})"


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError(HUSH)


@pytest.mark.parametrize(
    "text",
    [
        f"GET /{PASSKEY}/announce?info_hash=%12&left=0 HTTP/1.1",
        f"http://localhost:6969/{PASSKEY}/scrape",
        f"/x/{PASSKEY}/announce",
        f"/{PASSKEY[:-1]}/announce",
        f"/{PASSKEY}0/ANNOUNCE",
        f"/%30{PASSKEY[1:]}/announce",
        f"the passkey {PASSKEY} is unknown",
        f"/a?x=1&passkey={PASSKEY[:9]}&y=2",
        f"Authorization: Bearer {PASSKEY[:9]}",
        f"sent Basic {PASSKEY[:9]}==",
        f"{{'session_token': '{PASSKEY[:9]}'}}",
        f'{{"password": "{PASSKEY[:9]}"}}',
        f"Set-Cookie: {PASSKEY[:9]}; HttpOnly",
        f"no route to postgresql://ann:{PASSKEY[:9]}@p@db:5432/x",
        f"PASSWORD={PASSKEY[:9]}",
    ],
)
def test_a_secret_within_a_text_is_masked(text: str) -> None:
    masked = mask_text(text)
    assert "***" in masked
    assert PASSKEY[1:9] not in masked


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost/announce",
        "http://tracker.example.org:6969/announce",
        "/sdfg/announce was asked for",
        "a" * 40,
        "wrote 3 tokens to data/run.json",
        "postgresql://db/x at 12:30 by ann@example.org",
        "the passkey of ann was rotated",
    ],
)
def test_a_text_without_a_secret_is_left_as_it_is(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize(
    "name",
    ["passkey", "oldPasskey", "X-Api-Token", "PASSWORD", "set-cookie", "Authorization", "webhook_secret"],
)
def test_a_name_with_a_secret_word_in_it_is_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["tokens", "name", "category", "secretary", "part", "event"])
def test_a_name_that_merely_looks_alike_is_not(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    "value",
    [
        Secret(HUSH),
        Address(f"redis://:{HUSH}@db"),
        {"a": [{"token": HUSH}]},
        {b"Cookie": HUSH.encode()},
        [("content-type", "x"), (b"authorization", HUSH.encode())],
        Member("ann", HUSH),
        Opaque(),
        [[[[[[[[{"password": HUSH}]]]]]]]],
        ValueError(f"token={HUSH}"),
        {Secret(HUSH)},
        Broken(),
    ],
)
def test_a_secret_within_a_value_is_masked_however_deep_it_stands(value: object) -> None:
    assert HUSH not in json.dumps(mask(value))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.builds(Broken),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.text() | st.binary(), inner) | st.tuples(inner, inner)
        ),
        max_leaves=20,
    )
)
def test_whatever_is_logged_becomes_json_that_every_parser_reads(value: object) -> None:
    json.loads(json.dumps(mask(value)), parse_constant=pytest.fail)


@given(st.text(max_size=30), st.text(max_size=30))
def test_a_passkey_in_an_announce_path_is_masked_whatever_stands_around_it(before: str, after: str) -> None:
    assert PASSKEY not in mask_text(f"{before}/{PASSKEY}/announce{after}")


def test_a_value_that_holds_itself_is_cut_off() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert "..." in json.dumps(mask(loop))


@given(st.text())
def test_no_control_character_reaches_a_terminal(text: str) -> None:
    assert escape_controls(text).isprintable()
    assert escape_controls(text, "\n").replace("\n", "").isprintable()


@pytest.mark.parametrize("text", ["token=x", "http://u:p@", "?passkey=x", "token:x"])
def test_the_shortest_secrets_are_masked_too(text: str) -> None:
    assert "***" in mask_text(text)
