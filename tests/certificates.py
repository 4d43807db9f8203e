"""Certificates made for the occasion, as an operator makes them."""

import shutil
import subprocess
from pathlib import Path

import pytest


def make_certificate(folder: Path, name: str = "server", *, days: int = 3650) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that vouches for itself, and its key; made anew if it is there already."""
    if shutil.which("openssl") is None:
        pytest.skip("NOT TESTED: openssl is not installed")
    file, key = folder / f"{name}.pem", folder / f"{name}.key"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subject = ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-days", str(days)]
    subprocess.run(
        ["openssl", "req", "-x509", *curve, *subject, "-keyout", str(key), "-out", str(file)],
        check=True,
        capture_output=True,
    )
    return file, key
