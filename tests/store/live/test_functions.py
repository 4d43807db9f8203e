"""Lua libraries: named by content, refused early when they cannot work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import SettingsError
from holdfast.store.live.functions import Library

ADD = "local function add(keys, args) return 1 end\nregister('add', add)\n"


def test_names_carry_the_library_and_the_content() -> None:
    library = Library("items", ADD)
    add = library.function("add")
    assert library.full_name == f"hf_items_{library.version}"
    assert add.full_name == f"items_add_{library.version}"
    assert library.code.splitlines()[0] == f"#!lua name={library.full_name}"
    assert library.code.splitlines()[1].endswith("local function add(keys, args) return 1 end")


@given(st.text("ab \n", max_size=9), st.text("ab \n", max_size=9))
def test_the_same_source_is_the_same_library_and_another_is_another(one: str, other: str) -> None:
    first, second = Library("items", f"{ADD}-- {one}"), Library("items", f"{ADD}-- {other}")
    assert (first.full_name == second.full_name) == (one == other)
    assert (first.function("add").full_name == second.function("add").full_name) == (one == other)


def test_what_it_offers_is_what_it_registers() -> None:
    library = Library("x", """register('a', a)\n  register ( "b_2" , b, 'no-writes')\n-- register('c', c)""")
    assert library.offers == {"a", "b_2"}
    with pytest.raises(SettingsError, match="has no 'c'; it offers a, b_2"):
        library.function("c")


def test_lua_that_offers_nothing_or_has_odd_names_is_refused() -> None:
    with pytest.raises(SettingsError, match="offers no"):
        Library("x", "return 1")
    for name, source in (("x-y", ADD), ("x", "register('a-b', f)"), ("", ADD)):
        with pytest.raises(SettingsError, match="cannot name a Lua function"):
            Library(name, source)


def test_a_file_beside_the_code_is_read_and_named_after_its_package(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path_factory.mktemp("packages")
    package = root / "some_part_with_lua"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "functions.lua").write_text(ADD)
    monkeypatch.syspath_prepend(root)
    library = Library.read("some_part_with_lua")
    assert (library.name, library.source) == ("some_part_with_lua", ADD)
