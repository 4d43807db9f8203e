"""The tree has one unmistakable name in the environment for each setting, and documents all of them."""

from pathlib import Path

from holdfast.settings import Settings
from holdfast.settings.kinds import leaves


def test_no_two_settings_share_an_environment_variable() -> None:
    variables = [leaf.variable for leaf in leaves(Settings)]
    variables += [leaf.variable + "_FILE" for leaf in leaves(Settings) if leaf.kind.secret]
    assert len(set(variables)) == len(variables)
    assert "HOLDFAST_WEB_LISTEN" in variables
    assert "HOLDFAST_NOTICES_EMAIL_PASSWORD_FILE" in variables


def test_every_setting_is_documented_by_a_sentence() -> None:
    assert all(leaf.doc.endswith(".") for leaf in leaves(Settings))


def test_every_default_is_one_that_its_own_kind_takes() -> None:
    for leaf in leaves(Settings):
        assert leaf.kind.take(leaf.kind.plain(leaf.default)) == leaf.default


def test_the_defaults_are_those_of_a_system_at_home() -> None:
    settings = Settings()
    assert settings.data == Path("data")
    assert str(settings.web.listen) == "127.0.0.1:8080"
    assert str(settings.tracker.listen) == "127.0.0.1:6969"
    assert settings.live.address.scheme == "embedded"
    assert settings.live.max_memory == 512 * 1024 * 1024
    assert settings.records.address.scheme == "sqlite"
