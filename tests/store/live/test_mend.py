"""Mending an append-only file: what is kept is whole, and as much as there is."""

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import NotFoundError
from holdfast.store.live.conversation import pack
from holdfast.store.live.mend import Cut, mend, sound_end

commands = st.lists(
    st.lists(st.binary(max_size=8), min_size=1, max_size=4).map(lambda words: pack((b"SET", *words))),
    max_size=8,
)


@given(commands)
def test_a_sound_file_is_kept_whole(parts: list[bytes]) -> None:
    file = b"".join(parts) + b"#TS:1700000000\r\n"
    assert sound_end(BytesIO(file)) == len(file)


@given(commands, st.data())
def test_a_file_cut_anywhere_is_kept_up_to_its_last_whole_command(
    parts: list[bytes], data: st.DataObject
) -> None:
    file = b"".join(parts)
    at = data.draw(st.integers(0, len(file)))
    ends = [sum(len(part) for part in parts[:count]) for count in range(len(parts) + 1)]
    assert sound_end(BytesIO(file[:at])) == max(end for end in ends if end <= at)


@given(commands, st.binary(min_size=1, max_size=30), st.data())
def test_damage_in_the_middle_never_costs_what_stands_before_it(
    parts: list[bytes], damage: bytes, data: st.DataObject
) -> None:
    file = b"".join(parts)
    at = data.draw(st.integers(0, len(file)))
    kept = sound_end(BytesIO(file[:at] + damage + file[at + len(damage) :]))
    ends = [sum(len(part) for part in parts[:count]) for count in range(len(parts) + 1)]
    assert kept >= max(end for end in ends if end <= at)


def test_a_transaction_without_its_end_is_no_whole_command() -> None:
    before, begun = pack(("SET", "a", 1)), pack(("MULTI",)) + pack(("SET", "b", 2))
    assert sound_end(BytesIO(before + begun)) == len(before)
    whole = before + begun + pack(("EXEC",))
    assert sound_end(BytesIO(whole)) == len(whole)


def write(folder: Path, files: dict[str, bytes]) -> Path:
    kept = folder / "live" / "appendonlydir"
    kept.mkdir(parents=True)
    (kept / "base.rdb").write_bytes(b"\0")
    lines = ["file base.rdb seq 1 type b"]
    for number, (name, content) in enumerate(files.items(), 1):
        (kept / name).write_bytes(content)
        lines.append(f"file {name} seq {number} type i")
    (kept / "appendonly.aof.manifest").write_text("\n".join(lines) + "\n")
    return kept


def test_what_follows_the_damage_is_cut_off_and_a_copy_kept(tmp_path: Path) -> None:
    good, bad = pack(("SET", "a", 1)), b"XXXX"
    kept = write(tmp_path, {"1.aof": good, "2.aof": good + bad + good, "3.aof": good})
    assert mend(tmp_path) == [
        Cut(kept / "2.aof", len(good), len(good + bad)),
        Cut(kept / "3.aof", 0, len(good)),
    ]
    assert [(kept / name).read_bytes() for name in ("1.aof", "2.aof", "3.aof")] == [good, good, b""]
    assert (kept.parent / "appendonlydir.damaged-1" / "2.aof").read_bytes() == good + bad + good


def test_sound_files_are_left_alone(tmp_path: Path) -> None:
    kept = write(tmp_path, {"1.aof": pack(("SET", "a", 1))})
    with pytest.raises(NotFoundError, match="are sound"):
        mend(tmp_path)
    assert [folder.name for folder in kept.parent.iterdir()] == ["appendonlydir"]
    with pytest.raises(NotFoundError, match="no list"):
        mend(tmp_path / "elsewhere")
