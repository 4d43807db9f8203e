"""Values are read and written as people write them, and secrets never show."""

import copy
import dataclasses
import json
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.settings import Address, HostPort, Secret
from holdfast.settings.values import (
    mask_url,
    parse_duration,
    parse_size,
    write_duration,
    write_size,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10 s", 10),
        ("5 min", 300),
        ("1.5 h", 5400),
        ("28 days", 2_419_200),
        ("1day", 86_400),
        ("250 ms", 0.25),
    ],
)
def test_a_duration_is_read_as_seconds(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "10", "s", "-1 s", "1e3 s", "1 parsec", "1 s s", "٣ s", "1,5 s", "1  s"]
)
def test_a_duration_without_number_or_known_unit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text) or None):
        parse_duration(text)


@given(st.decimals(0, 10**9, allow_nan=False, places=3))
def test_a_duration_reads_back_as_it_was_written(seconds: float) -> None:
    assert parse_duration(write_duration(float(seconds))) == float(seconds)


@pytest.mark.parametrize(
    ("text", "size"),
    [("512 MiB", 512 << 20), ("1.5 GiB", 3 << 29), ("10 MB", 10_000_000), ("7 B", 7), ("2tib", 2 << 40)],
)
def test_a_size_is_read_as_bytes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "512", "0.5 B", "-1 B", "1 Mi", "MiB", "1 PiB"])
def test_a_size_that_is_no_whole_number_of_bytes_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text) or None):
        parse_size(text)


@given(st.integers(0, 1 << 49))
def test_a_size_reads_back_as_it_was_written(size: int) -> None:
    assert parse_size(write_size(size)) == size


HOSTS = st.from_regex(r"\A[a-z0-9][a-z0-9.-]{0,20}\Z") | st.ip_addresses().map(str) | st.just("")


@given(HOSTS, st.integers(0, 65535))
def test_a_host_and_port_reads_back_as_it_was_written(host: str, port: int) -> None:
    assert HostPort.parse(str(HostPort(host, port))) == (host, port)


@pytest.mark.parametrize(
    "text", ["", "host", "host:", "host:65536", "::1:80", "[1.2.3.4]:80", "a b:1", "[::1]80", "h:1\n"]
)
def test_a_host_and_port_that_could_mean_two_things_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(text) or None):
        HostPort.parse(text)


PASSWORDS = st.text(st.characters(exclude_categories=("C", "Z")), min_size=9).filter(
    lambda text: text not in "redis://ann:***@example.org:6379/0"
)


@given(PASSWORDS)
def test_a_secret_never_shows_however_it_is_printed(password: str) -> None:
    secret = Secret(password)
    shown = [
        str(secret),
        repr(secret),
        f"{secret}",
        f"{secret!r:>20}",
        repr([secret]),
    ]
    shown += [json.dumps({"a": secret}, default=str), str(copy.deepcopy(secret))]
    assert not any(password in text for text in shown)
    assert secret.reveal() == password


@given(PASSWORDS)
def test_the_password_of_an_address_never_shows_even_when_it_is_not_quoted(password: str) -> None:
    address = Address(f"redis://ann:{password}@example.org:6379/0")
    assert password not in f"{address} {address!r}"
    assert address.is_secret
    assert address.reveal() == f"redis://ann:{password}@example.org:6379/0"


def test_an_address_shows_all_but_its_secrets() -> None:
    assert mask_url("postgresql://ann:hush@db/x?sslmode=require&password=hush&a=1") == (
        "postgresql://ann:***@db/x?sslmode=require&password=***&a=1"
    )
    for open_one in ("embedded", "redis://db:6379/0", "redis+cluster://a:1,b:2", "postgresql:///x?host=/run"):
        assert mask_url(open_one) == open_one
        assert not Address(open_one).is_secret


def test_no_encoder_writes_a_secret_out_by_itself() -> None:
    @dataclasses.dataclass
    class Sealed:
        password: Secret

    sealed = Sealed(Secret("hush"))
    with pytest.raises(TypeError):
        json.dumps(dataclasses.asdict(sealed))
    with pytest.raises(TypeError):
        msgspec.json.encode(sealed)


def test_secrets_are_equal_by_their_text_and_never_equal_a_text() -> None:
    assert Secret("a") == Secret("a")
    assert hash(Secret("a")) == hash(Secret("a"))
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert not Secret("")
