"""Addresses: every form is read, everything else refused, and no password is ever shown."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import SettingsError
from holdfast.store.live.address import Endpoint, LiveAddress, Login, Shape


def test_a_socket() -> None:
    address = LiveAddress.parse("unix:///run/a%20b/live.sock?db=2")
    assert address == LiveAddress(Shape.SINGLE, (Endpoint(path="/run/a b/live.sock"),), db=2)
    assert str(address) == "unix:///run/a b/live.sock?db=2"


def test_one_server() -> None:
    address = LiveAddress.parse("redis://me:p%40ss@store.example:7000/3")
    assert address.endpoints == (Endpoint("store.example", 7000),)
    assert (address.login, address.db, address.tls) == (Login("me", "p@ss"), 3, False)
    assert LiveAddress.parse("redis://store").endpoints == (Endpoint("store", 6379),)
    assert LiveAddress.parse("redis://[::1]:7000").endpoints == (Endpoint("::1", 7000),)
    assert str(LiveAddress.parse("redis://[::1]")) == "redis://[::1]:6379"


def test_one_server_behind_tls() -> None:
    address = LiveAddress.parse("rediss://:secret@store:7000?ca=/etc/ca.pem")
    assert (address.tls, address.ca, address.login) == (True, "/etc/ca.pem", Login(None, "secret"))


def test_a_service_behind_sentinels() -> None:
    text = "redis+sentinel://:secret@a:1,b/holdfast/2?sentinel_user=s&sentinel_password=p"
    address = LiveAddress.parse(text)
    assert address.shape is Shape.SENTINEL
    assert address.endpoints == (Endpoint("a", 1), Endpoint("b", 26379))
    assert (address.service, address.db, address.sentinel_login) == ("holdfast", 2, Login("s", "p"))
    assert str(address) == "redis+sentinel://a:1,b:26379/holdfast/2"


def test_a_cluster() -> None:
    address = LiveAddress.parse("rediss+cluster://me:pw@a:1,b:2,c")
    assert (address.shape, address.tls, len(address.endpoints)) == (Shape.CLUSTER, True, 3)
    assert str(address) == "rediss+cluster://me@a:1,b:2,c:6379"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "lacks a scheme"),
        ("localhost:6379", "lacks a scheme"),
        ("http://x", "none of unix, redis"),
        ("redis+ring://x", "none of unix, redis"),
        ("unix://relative", "whole path"),
        ("redis://", "no host and port"),
        ("redis://h:port", "is no port"),
        ("redis://h:0", "is no port"),
        ("redis://h:65536", "is no port"),
        ("redis://::1", "brackets"),
        ("redis://[::1", "brackets"),
        ("redis://a,b", "several servers"),
        ("redis://h/x", "database is a number"),
        ("redis://user@h", "user:password"),
        ("redis://h?ca=/x", "rediss instead"),
        ("redis://h?timeout=3", "unknown"),
        ("redis://h?db", "name=value"),
        ("redis+sentinel://h", "name of the service|service that the sentinels"),
        ("redis+cluster://h/1", "only database 0"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why):
        LiveAddress.parse(text)


secret = st.text("abcdefgh", min_size=12, max_size=20)
host = st.sampled_from(["h", "h:1", "h:x", "[::1", "::1", "a,b", "", "h/x", "h?ca=1", "h?x=1"])
scheme = st.sampled_from(["redis", "rediss", "redis+sentinel", "redis+cluster", "nonsense", "unix"])


@given(scheme, st.sampled_from(["", "user"]), secret, host)
def test_a_password_is_shown_nowhere(scheme: str, user: str, secret: str, host: str) -> None:
    shown: object
    try:
        shown = LiveAddress.parse(f"{scheme}://{user}:{secret}@{host}")
    except SettingsError as error:
        shown = error
    assert secret not in f"{shown} {shown!r}"


@given(st.text(max_size=40))
def test_any_text_is_an_address_or_a_settings_error(text: str) -> None:
    for prefix in ("", "redis://", "redis+sentinel://", "unix:///"):
        try:
            LiveAddress.parse(prefix + text)
        except SettingsError:
            continue


def test_a_certificate_file_may_be_a_path() -> None:
    assert LiveAddress.parse(f"rediss://h?ca={Path('/x/ca.pem')}").ca == "/x/ca.pem"
