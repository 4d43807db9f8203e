"""Measures our torrent maker against mktorrent, torf and libtorrent on the same warm files."""

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import libtorrent
import torf

from holdfast.catalogue.torrent_maker import make_torrent
from holdfast.wire.metainfo import Metainfo, TorrentVersion, parse_torrent
from holdfast.wire.torrent_layout import choose_piece_length

MIB = 1024 * 1024
LEAST_PIECE = 32 * 1024
"""mktorrent makes no smaller ones."""
TRACKER = "http://tracker.example/announce"
FEW = [600, 300, 124]


@dataclass
class Contender:
    """One way of making one kind of torrent, and what each round took."""

    name: str
    make: Callable[[], Metainfo]
    seconds: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    hashes: tuple[bytes, ...] = ()

    def run(self) -> None:
        begun, busy = time.perf_counter(), processor_time()
        self.hashes = self.make().tracker_hashes
        self.seconds.append(time.perf_counter() - begun)
        self.busy.append(processor_time() - busy)

    def forget(self) -> None:
        self.seconds.clear()
        self.busy.clear()


def processor_time() -> float:
    """Of this process and of those it has waited for: what a busy neighbour disturbs least."""
    return sum(os.times()[:4])


def lay_out(top: Path, sizes: list[int]) -> int:
    """Write files of these sizes from a cheap random stream; the total."""
    top.mkdir()
    for number, size in enumerate(sizes):
        with (top / f"file {number:05}").open("wb") as file:
            for at in range(0, size, MIB):
                file.write(os.urandom(min(MIB, size - at)))
    return sum(sizes)


def by_us(top: Path, piece_length: int, version: TorrentVersion) -> Metainfo:
    return make_torrent(top, version=version, piece_length=piece_length).metainfo


def by_mktorrent(top: Path, piece_length: int) -> Metainfo:
    out = top.with_suffix(".torrent")
    out.unlink(missing_ok=True)
    exponent = str(piece_length.bit_length() - 1)
    command = ["mktorrent", "-p", "-d", "-l", exponent, "-a", TRACKER, "-o", str(out), str(top)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return parse_torrent(out.read_bytes())


def by_torf(top: Path, piece_length: int) -> Metainfo:
    torrent = torf.Torrent(path=str(top), trackers=[TRACKER], private=True)
    torrent.piece_size_max = max(piece_length, torrent.piece_size_max)
    torrent.piece_size = piece_length
    torrent.generate()
    return parse_torrent(torrent.dump())


def by_libtorrent(top: Path, piece_length: int, version: TorrentVersion) -> Metainfo:
    flags = {
        TorrentVersion.V1: libtorrent.create_torrent.v1_only,
        TorrentVersion.V2: libtorrent.create_torrent.v2_only,
    }
    files = [
        libtorrent.create_file_entry(f"{top.name}/{path.name}", path.stat().st_size)
        for path in sorted(top.iterdir())
    ]
    maker = libtorrent.create_torrent(files, piece_length, flags.get(version, 0))
    maker.set_priv(True)
    maker.add_tracker(TRACKER)
    libtorrent.set_piece_hashes(maker, str(top.parent))
    return parse_torrent(libtorrent.bencode(maker.generate()))


def contenders(top: Path, piece_length: int) -> dict[TorrentVersion, list[Contender]]:
    """Ours comes first: the ratios are to it."""
    found = {
        version: [
            Contender("holdfast", lambda v=version: by_us(top, piece_length, v)),  # type: ignore[misc]
            Contender("libtorrent", lambda v=version: by_libtorrent(top, piece_length, v)),  # type: ignore[misc]
        ]
        for version in TorrentVersion
    }
    found[TorrentVersion.V1].append(Contender("torf", lambda: by_torf(top, piece_length)))
    if shutil.which("mktorrent"):
        found[TorrentVersion.V1].append(Contender("mktorrent", lambda: by_mktorrent(top, piece_length)))
    else:
        print("mktorrent is not installed and is left out")
    return found


def report(total: int, found: dict[TorrentVersion, list[Contender]]) -> None:
    print("                     MiB/s   MiB/s   MiB per CPU  | holdfast against it, by")
    print("                    median    best        second  | median    best     CPU")
    for version, rivals in found.items():
        for rival in rivals:
            mine, theirs = figures(rivals[0]), figures(rival)
            speeds = [total / MIB / seconds for seconds in theirs]
            ratios = [other / own for other, own in zip(theirs, mine, strict=True)]
            note = "" if rival.hashes == rivals[0].hashes else "  (another info hash)"
            print(
                f"{version:6} {rival.name:10} {speeds[0]:8.0f} {speeds[1]:7.0f} {speeds[2]:13.0f}"
                f"  | {ratios[0]:6.2f}  {ratios[1]:6.2f}  {ratios[2]:6.2f}{note}"
            )


def figures(contender: Contender) -> tuple[float, float, float]:
    """Seconds by the median and the best round, and processor seconds by the median one."""
    return (
        statistics.median(contender.seconds),
        min(contender.seconds),
        statistics.median(contender.busy),
    )


def measure(title: str, sizes: list[int], rounds: int, inside: Path) -> None:
    top = inside / title
    total = lay_out(top, sizes)
    piece_length = max(choose_piece_length(total), LEAST_PIECE)
    found = contenders(top, piece_length)
    everybody = [contender for rivals in found.values() for contender in rivals]
    for contender in everybody:
        contender.run()
        contender.forget()
    for number in range(rounds):
        # Each round begins with another one, so that nobody always follows the same rival.
        for at in range(len(everybody)):
            everybody[(at + number) % len(everybody)].run()
    pieces = f"pieces of {piece_length // 1024} KiB"
    print(f"\n{title}: {len(sizes)} files, {total // MIB} MiB, {pieces}, {rounds} rounds")
    report(total, found)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--scale", type=float, default=1.0, help="share of the full 1 GiB and 128 MiB")
    ask.add_argument("--rounds", type=int, default=7)
    asked = ask.parse_args()
    print(f"libtorrent {libtorrent.version}, torf {torf.__version__}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="torrent-maker-") as inside:
        few = [int(size * MIB * asked.scale) for size in FEW]
        measure("few", few, asked.rounds, Path(inside))
        many = [32 * 1024 + number % 7 for number in range(int(4096 * asked.scale))]
        measure("many", many, min(asked.rounds, 5), Path(inside))


if __name__ == "__main__":
    main()
