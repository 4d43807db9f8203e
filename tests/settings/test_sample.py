"""The sample file is the defaults, the reference page is the tree, and what is shown keeps its secrets."""

import json
import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from holdfast.settings import Settings, as_seen, load_settings, reference, sample
from holdfast.settings.kinds import leaves, literal

REFERENCE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_sample_loaded_back_gives_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "holdfast.toml"
    file.write_text(sample(Settings), "utf-8")
    settings = load_settings(file, {}, {})
    assert settings == Settings()
    assert set(settings.origins) == {leaf.name for leaf in leaves(Settings)}


def test_the_sample_says_of_every_setting_what_it_is_and_how_it_is_given() -> None:
    flowing = " ".join(line.removeprefix("# ") for line in sample(Settings).splitlines())
    for leaf in leaves(Settings):
        assert leaf.doc in flowing
        assert (
            f"Takes {leaf.kind.expected}. Variable: {leaf.variable} {leaf.name.rpartition('.')[2]} ="
            in flowing
        )


def test_the_reference_page_is_up_to_date() -> None:
    assert REFERENCE.read_text("utf-8") == reference(Settings) + "\n", (
        "run: python -m holdfast.settings > docs/settings.md"
    )


@given(st.text() | st.integers() | st.booleans() | st.lists(st.text()))
def test_a_value_is_written_as_toml_reads_it(value: str | int | bool | list[str]) -> None:
    assert tomllib.loads(f"x = {literal(value)}") == {"x": value}


def test_what_is_seen_names_the_value_its_origin_and_its_meaning_but_no_secret(tmp_path: Path) -> None:
    file = tmp_path / "holdfast.toml"
    file.write_text('[notices.email]\nuser = "ann"\npassword = "hush"\n[web]\nsession_lifetime = "60 min"\n')
    settings = load_settings(
        file, {"HOLDFAST_RECORDS_ADDRESS": "postgresql://ann:hush@db/x"}, {"data": str(tmp_path)}
    )
    seen = {each.name: each for each in as_seen(settings)}
    assert seen["data"][1:3] == (str(tmp_path), "command line")
    assert seen["notices.email.password"][1:3] == ("***", str(file))
    assert seen["records.address"][1:3] == (
        "postgresql://ann:***@db/x",
        "environment, HOLDFAST_RECORDS_ADDRESS",
    )
    assert seen["web.session_lifetime"][1:3] == ("1 h", str(file))
    assert seen["web.public_url"][1:3] == ("", "default")
    assert seen["live.max_memory"].value == "512 MiB"
    assert seen["live.max_memory"].doc.startswith("The memory ceiling")
    assert "hush" not in json.dumps(as_seen(settings)) + repr(settings) + str(settings)
