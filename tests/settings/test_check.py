"""Combinations that cannot work are refused with advice, those that work badly are warned of."""

import pytest

from holdfast.errors import SettingsError
from holdfast.settings import load_settings


@pytest.mark.parametrize(
    ("overrides", "advice"),
    [
        ({"live.address": "redis+cluster://a:1"}, 'set live.layout = "tagged"'),
        ({"live.address": "redis://a", "live.tls_ca": "/ca.pem"}, "use rediss:// there"),
        ({"live.tls_ca": "/ca.pem"}, "leave live.tls_ca empty"),
        ({"web.listen": ":6969"}, "give one of them another"),
        ({"web.listen": "127.0.0.1:6969"}, "give one of them another"),
        ({"web.public_url": "http://x", "web.secure_cookies": "always"}, 'set "auto"'),
        ({"tracker.tls_certificate": "/x.pem"}, "set both or neither"),
        ({"tracker.tls_key": "/x.key"}, "set both or neither"),
        ({"notices.email.host": "mail"}, "notices.email.sender"),
        ({"notices.email.user": "ann"}, "set both or neither"),
        ({"notices.email.password": "hush"}, "set both or neither"),
    ],
)
def test_a_combination_that_cannot_work_is_refused_with_advice(
    overrides: dict[str, object], advice: str
) -> None:
    with pytest.raises(SettingsError, match=advice):
        load_settings(None, {}, overrides)


@pytest.mark.parametrize(
    "overrides",
    [
        {"live.address": "rediss+cluster://a:1", "live.layout": "tagged", "live.tls_ca": "/ca.pem"},
        {"web.listen": "127.0.0.1:0", "tracker.listen": "127.0.0.1:0"},
        {"web.listen": "127.0.0.2:6969"},
        {"notices.email.host": "mail", "notices.email.sender": "holdfast@example.org"},
    ],
)
def test_a_combination_that_works_is_taken_without_a_word(overrides: dict[str, object]) -> None:
    assert load_settings(None, {}, overrides).findings == ()


@pytest.mark.parametrize(
    ("overrides", "found"),
    [
        (
            {"live.address": "redis://a", "live.fsync": "always"},
            "live.fsync is for the embedded server alone",
        ),
        (
            {"notices.email.user": "ann", "notices.email.password": "x", "notices.email.starttls": False},
            "unencrypted",
        ),
        ({"web.public_url": "https://x", "web.secure_cookies": "never"}, "over plain HTTP"),
        (
            {"tracker.tls_certificate": "/x", "tracker.tls_key": "/y", "tracker.public_url": "http://x"},
            "set it to https://",
        ),
    ],
)
def test_a_combination_that_works_otherwise_than_it_looks_is_found(
    overrides: dict[str, object], found: str
) -> None:
    (finding,) = load_settings(None, {}, overrides).findings
    assert found in finding
