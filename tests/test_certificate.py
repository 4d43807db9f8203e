"""Certificates are read with care, and renewed ones are taken up without a word."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.certificate import Certificate, good_until, load
from holdfast.doctor.model import Level
from holdfast.doctor.rules.network import certificate as thought
from holdfast.errors import SettingsError
from tests.certificates import make_certificate

Spoil = Callable[[Path, Path], object]


def test_a_renewed_certificate_replaces_the_old_one_once_its_key_is_there_too(tmp_path: Path) -> None:
    file, key = make_certificate(tmp_path)
    shown = Certificate(file, key)
    first = shown.context
    shown.renew()
    assert shown.context is first
    new_file, new_key = make_certificate(tmp_path, "renewed")
    new_file.replace(file)
    shown.renew()
    assert shown.context is first
    new_key.replace(key)
    shown.renew()
    assert shown.context is not first


def test_files_that_vanish_leave_the_certificate_as_it_was(tmp_path: Path) -> None:
    shown = Certificate(*make_certificate(tmp_path))
    first = shown.context
    for path in tmp_path.iterdir():
        path.unlink()
    shown.renew()
    assert shown.context is first


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda file, _key: file.unlink(), r"server\.pem cannot be read \(No such file"),
        (lambda _file, key: key.unlink(), r"server\.key cannot be read \(No such file"),
        (lambda file, _key: file.write_text("nonsense"), "must be in PEM form"),
        (lambda _file, key: key.write_bytes(b""), "must be in PEM form"),
        (lambda file, key: make_certificate(file.parent, "other")[1].replace(key), "not that of the certif"),
        (lambda _file, key: encrypt(key), "wants a password"),
    ],
)
def test_files_that_cannot_be_used_are_told_apart(tmp_path: Path, spoil: Spoil, complaint: str) -> None:
    file, key = make_certificate(tmp_path)
    spoil(file, key)
    with pytest.raises(SettingsError, match=complaint):
        load(file, key)


def encrypt(key: Path) -> None:
    import subprocess

    made = ["openssl", "ec", "-aes128", "-passout", "pass:secret", "-in", str(key), "-out", str(key)]
    subprocess.run(made, check=True, capture_output=True)


@pytest.mark.parametrize(("days", "level"), [(400, Level.OK), (10, Level.HINT), (1, Level.HINT)])
def test_the_doctor_says_in_time_that_a_certificate_ends(tmp_path: Path, days: int, level: Level) -> None:
    file, _ = make_certificate(tmp_path, days=days)
    until = good_until(file)
    assert until is not None
    assert abs(until - time.time() - days * 86400) < 3600
    assert [found.level for found in thought(until, time.time())] == [level]
    assert [found.level for found in thought(until, until + 1)] == [Level.PROBLEM]


def test_a_file_without_a_certificate_ends_at_no_time(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("nonsense")
    assert good_until(tmp_path / "x") is None
    assert [found.level for found in thought(None, 0.0)] == [Level.OK]
