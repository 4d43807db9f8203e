"""Names of keys: what is written is read back, classic adds nothing, tagged keeps an owner together."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holdfast.errors import InvalidError, SettingsError
from holdfast.store.live.keys import KeyName, Layout, document
from holdfast.store.live.slots import slot

ACTIVE = KeyName("t:u:{user_id}:active", "set", "uploads the user takes part in", owner="user_id")
TORRENT = KeyName("t:t:{info_hash}", "hash", "a swarm's counts", owner="torrent_id")
PEER = KeyName("t:p:{torrent_id}:{peer_id}", "hash", "a peer", owner="torrent_id")
SEEDERS = KeyName("t:stats:seeders", "string", "seeders everywhere")
PASSKEY = KeyName("t:user:{passkey}", "hash", "who holds a passkey")

value = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
tame = st.text("abc:{}*?[\\]-0", min_size=1, max_size=6)
literal = st.text("ab:-", min_size=1, max_size=4) | st.sampled_from(["one", "two", "elsewhere"])


@st.composite
def key_names(draw: st.DrawFn) -> KeyName:
    """Any pattern of up to three parts, with or without an owner, within the name or not."""
    parts = draw(st.lists(st.sampled_from(["one", "two", "three"]), unique=True, max_size=3))
    pattern = draw(literal) + "".join(f"{{{part}}}{draw(literal)}" for part in parts)
    owner = draw(st.sampled_from([None, "elsewhere", *parts]))
    return KeyName(pattern, "string", "anything", owner=owner)


def given_to(key: KeyName, values: st.SearchStrategy[str], data: st.DataObject) -> dict[str, str]:
    return {part: data.draw(values) for part in sorted(key.needs(Layout.TAGGED))}


@given(key_names(), st.sampled_from(Layout), st.data())
def test_a_name_is_read_back_exactly_or_refused_as_ambiguous(
    key: KeyName, layout: Layout, data: st.DataObject
) -> None:
    values = given_to(key, st.one_of(tame, value), data)
    try:
        name = key.name(layout, **values)
    except InvalidError:
        assert layout is Layout.TAGGED
        assert any("{" in part or "}" in part for part in values.values())
        return
    written = {part: values[part] for part in key.needs(layout)}
    try:
        read = key.parse(layout, name)
    except InvalidError:
        assert len(written) > 1
        assert sum(len(part) for part in written.values()) > len(written)
    else:
        assert read == written


@given(key_names(), st.sampled_from(Layout), st.data())
def test_parts_without_separators_are_never_ambiguous(
    key: KeyName, layout: Layout, data: st.DataObject
) -> None:
    values = given_to(key, st.text("xyz019", min_size=1), data)
    read = key.parse(layout, key.name(layout, **values))
    assert read == {part: values[part] for part in key.needs(layout)}


@given(key_names(), st.data())
def test_the_classic_name_is_the_pattern_with_its_parts_and_nothing_else(
    key: KeyName, data: st.DataObject
) -> None:
    values = given_to(key, value, data)
    assert key.name(Layout.CLASSIC, **values) == key.pattern.format(**values)


@given(st.lists(key_names(), min_size=2, max_size=4), st.data())
def test_all_keys_of_one_owner_share_a_slot_when_tagged(keys: list[KeyName], data: st.DataObject) -> None:
    owned = [key for key in keys if key.owner is not None]
    assume(len(owned) > 1)
    owner = data.draw(st.text("abc:-7", min_size=1))
    slots = set()
    for key in owned:
        values = given_to(key, st.text("abc:-7", min_size=1), data) | {str(key.owner): owner}
        slots.add(slot(key.name(Layout.TAGGED, **values)))
    assert len(slots) == 1


@given(key_names(), st.sampled_from(Layout), st.data())
def test_a_glob_matches_the_names_of_its_known_parts(
    key: KeyName, layout: Layout, data: st.DataObject
) -> None:
    values = given_to(key, st.text("ab*?[]\\:", min_size=1, max_size=4), data)
    known = {part: values[part] for part in sorted(key.needs(layout)) if data.draw(st.booleans())}
    assert globbed(key.glob(layout, **known), key.name(layout, **values))


def globbed(pattern: str, name: str) -> bool:
    """How the store matches, as far as `glob` writes it: `*`, and signs behind a backslash."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(globbed(pattern[1:], name[at:]) for at in range(len(name) + 1))
    sign, rest = (pattern[1], pattern[2:]) if pattern[0] == "\\" else (pattern[0], pattern[1:])
    return name[:1] == sign and globbed(rest, name[1:])


def test_the_seeds_names_in_both_layouts() -> None:
    assert ACTIVE.name(Layout.CLASSIC, user_id=7) == "t:u:7:active"
    assert ACTIVE.name(Layout.TAGGED, user_id=7) == "t:u:{7}:active"
    assert TORRENT.name(Layout.CLASSIC, info_hash="ab") == "t:t:ab"
    assert TORRENT.name(Layout.CLASSIC, info_hash="ab", torrent_id=3) == "t:t:ab"
    assert TORRENT.name(Layout.TAGGED, info_hash="ab", torrent_id=3) == "t:t:ab:{3}"
    assert PEER.name(Layout.TAGGED, torrent_id=3, peer_id="2d") == "t:p:{3}:2d"
    assert {SEEDERS.name(layout) for layout in Layout} == {"t:stats:seeders"}
    assert {PASSKEY.name(layout, passkey="k") for layout in Layout} == {"t:user:k"}


def test_keys_of_one_realm_share_a_slot_whoever_owns_them() -> None:
    peer = KeyName("t:p:{torrent_id}:{peer_id}", "hash", "a peer", realm="t")
    totals = KeyName("t:u:{user_id}", "hash", "a member's totals", realm="t")
    assert peer.name(Layout.CLASSIC, torrent_id=3, peer_id="2d") == "t:p:3:2d"
    names = [peer.name(Layout.TAGGED, torrent_id=3, peer_id="2d"), totals.name(Layout.TAGGED, user_id=7)]
    assert names == ["{t}:p:3:2d", "{t}:u:7"]
    assert len({slot(name) for name in names}) == 1
    assert totals.parse(Layout.TAGGED, names[1]) == {"user_id": "7"}
    assert totals.glob(Layout.TAGGED) == "{t}:u:*"


@pytest.mark.parametrize(("pattern", "owner"), [("u:{user_id}", None), ("t:u:{user_id}", "user_id")])
def test_a_realm_begins_the_name_and_has_no_owner_beside(pattern: str, owner: str | None) -> None:
    with pytest.raises(SettingsError, match="realm"):
        KeyName(pattern, "hash", "totals", owner=owner, realm="t")


def test_separators_within_a_part_are_read_where_only_one_reading_is_possible() -> None:
    assert PASSKEY.parse(Layout.CLASSIC, "t:user:a:b:c") == {"passkey": "a:b:c"}
    assert ACTIVE.parse(Layout.CLASSIC, "t:u:a:active:active") == {"user_id": "a:active"}
    assert PEER.parse(Layout.TAGGED, "t:p:{3:4}:a:b") == {"torrent_id": "3:4", "peer_id": "a:b"}
    with pytest.raises(InvalidError, match="more than one way"):
        PEER.parse(Layout.CLASSIC, "t:p:3:a:b")


def test_another_keys_name_is_none_of_ours() -> None:
    assert ACTIVE.parse(Layout.CLASSIC, "t:u:7:complete") is None
    assert ACTIVE.parse(Layout.TAGGED, "t:u:7:active") is None
    assert ACTIVE.parse(Layout.CLASSIC, "t:u::active") is None
    assert SEEDERS.parse(Layout.CLASSIC, "t:stats:seeders") == {}


def test_wrong_parts_are_named() -> None:
    with pytest.raises(InvalidError, match="takes user_id, not nothing"):
        ACTIVE.name(Layout.CLASSIC)
    with pytest.raises(InvalidError, match="takes info_hash, torrent_id, not info_hash"):
        TORRENT.name(Layout.TAGGED, info_hash="ab")
    with pytest.raises(InvalidError, match="not user_id, x"):
        ACTIVE.name(Layout.CLASSIC, user_id=7, x=1)
    for wrong in ("", "a{b", "a}b"):
        with pytest.raises(InvalidError, match="cannot be the user_id"):
            ACTIVE.name(Layout.TAGGED, user_id=wrong)


def test_a_pattern_with_loose_braces_is_refused() -> None:
    for pattern in ("t:{", "t:{a b}", "t:{}", "t:{a}:{a}"):
        with pytest.raises(SettingsError, match="no key pattern"):
            KeyName(pattern, "set", "x")


def test_a_glob_escapes_what_the_store_would_take_as_a_sign() -> None:
    assert PEER.glob(Layout.CLASSIC) == "t:p:*:*"
    assert PEER.glob(Layout.TAGGED, torrent_id=3) == "t:p:{3}:*"
    assert PASSKEY.glob(Layout.CLASSIC, passkey="a*[b]?") == r"t:user:a\*\[b\]\?"


def test_the_documentation_is_a_table_of_what_each_key_says_of_itself() -> None:
    key = KeyName(
        "t:p:{torrent_id}:{peer_id}",
        "hash",
        "a peer | or so",
        owner="torrent_id",
        fields={"user_id": "who"},
        ttl="400 s",
    )
    assert document([key, SEEDERS]).splitlines()[2:] == [
        r"| `t:p:{torrent_id}:{peer_id}` | hash | torrent_id | 400 s | a peer \| or so<br>`user_id`: who |",
        "| `t:stats:seeders` | string |  |  | seeders everywhere |",
    ]
