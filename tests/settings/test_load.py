"""The settings in force come from the right place, and everything wrong in them is refused at once."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import Exit, SettingsError
from holdfast.settings import Fsync, HostPort, Layout, Secret, load_settings, settings_file
from holdfast.settings.kinds import number, secret
from holdfast.settings.load import load


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "holdfast.toml"


def refusal(file: Path | None, environ: dict[str, str] | None = None, **overrides: object) -> list[str]:
    with pytest.raises(SettingsError) as refused:
        load_settings(file, environ or {}, overrides)
    assert refused.value.exit == Exit.SETTINGS
    return str(refused.value).splitlines()


def test_the_command_line_goes_before_the_environment_before_the_file_before_the_default(file: Path) -> None:
    file.write_text("[records]\npool = 2\n[web]\nfeed_queue = 2\nsign_in_attempts = 2\n")
    environ = {"HOLDFAST_WEB_FEED_QUEUE": "3", "HOLDFAST_WEB_SIGN_IN_ATTEMPTS": "3", "PATH": "/bin"}
    settings = load_settings(file, environ, {"web.sign_in_attempts": 4, "web.listen": None})
    assert (settings.records.pool, settings.web.feed_queue, settings.web.sign_in_attempts) == (2, 3, 4)
    assert settings.web.listen == HostPort("127.0.0.1", 8080)
    assert settings.origins == {
        "records.pool": str(file),
        "web.feed_queue": "environment, HOLDFAST_WEB_FEED_QUEUE",
        "web.sign_in_attempts": "command line",
    }


def test_every_kind_of_value_is_read_from_the_environment() -> None:
    settings = load_settings(
        None,
        {
            "HOLDFAST_DATA": "/srv/holdfast",
            "HOLDFAST_COMMUNITY": "Kelp & Söhne",
            "HOLDFAST_WEB_LISTEN": "[::1]:0",
            "HOLDFAST_WEB_PUBLIC_URL": "https://kelp.example.org/",
            "HOLDFAST_WEB_TRUSTED_PROXIES": "10.0.0.0/8, ::1/128",
            "HOLDFAST_CATALOGUE_UPLOAD_AWARD": "False",
            "HOLDFAST_LIVE_FSYNC": "always",
            "HOLDFAST_LIVE_WAIT": "500 ms",
            "HOLDFAST_LIVE_MAX_MEMORY": "1 GiB",
            "HOLDFAST_LIVE_TLS_CA": "",
        },
        {},
    )
    assert settings.data == Path("/srv/holdfast")
    assert settings.community == "Kelp & Söhne"
    assert settings.web.listen == ("::1", 0)
    assert settings.web.public_url == "https://kelp.example.org"
    assert settings.web.trusted_proxies == ("10.0.0.0/8", "::1/128")
    assert settings.catalogue.upload_award is False
    assert settings.live.fsync is Fsync.ALWAYS
    assert (settings.live.wait, settings.live.max_memory, settings.live.tls_ca) == (0.5, 1 << 30, None)


def test_an_option_may_be_a_value_of_its_type_already() -> None:
    given_values = {"data": Path("/x"), "web.listen": HostPort("", 80), "live.layout": Layout.TAGGED}
    settings = load_settings(None, {}, given_values | {"notices.webhook.url": Secret("https://h")})
    assert (settings.data, settings.web.listen, settings.live.layout) == tuple(given_values.values())
    assert settings.notices.webhook.url.reveal() == "https://h"


def test_all_problems_are_told_at_once_with_line_and_nearest_right_name(file: Path) -> None:
    file.write_text(
        'comunity = "x"\n'  # 1
        "[web]\n"  # 2
        "# a comment\n"  # 3
        'listn = "x"\n'  # 4
        'trusted_proxies = [\n  "10.0.0.1/8",\n]\n'  # 5 to 7
        "pool = 3\n"  # 8
        'live.wait = "2 s"\n'  # 9
        "[wbe]\nport = 1\n"  # 10
        "[notices]\nattempts = 0\n"  # 12
        "email = {port = true, host = 3}\n"  # 14
        "[[logs]]\n"  # 15
    )
    assert refusal(file, {"HOLDFAST_WEB_LISTN": "x", "HOLDFAST_RECORDS_POOL": "ten"}, frobnicate=1) == [
        f"{file}, line 1: comunity is not a setting; did you mean community?",
        f"{file}, line 4: web.listn is not a setting; did you mean web.listen?",
        (
            f"{file}, line 5: web.trusted_proxies must be a list of networks such as "
            '["10.0.0.0/8", "::1/128"], not ["10.0.0.1/8"].'
        ),
        f"{file}, line 8: web.pool is not a setting; did you mean records.pool?",
        f"{file}, line 9: web.live is not a setting; did you mean live?",
        f"{file}, line 10: wbe is not a setting; did you mean web?",
        f"{file}, line 13: notices.attempts must be a whole number from 1 to 100, not 0.",
        f"{file}, line 14: notices.email.port must be a whole number from 1 to 65535, not true.",
        f"{file}, line 14: notices.email.host must be a text of 0 to 200 printable characters, not 3.",
        f"{file}, line 15: logs is a section, not a value; write its settings below [logs].",
        "HOLDFAST_WEB_LISTN is not a setting; did you mean HOLDFAST_WEB_LISTEN?",
        'HOLDFAST_RECORDS_POOL must be a whole number from 1 to 100, not "ten".',
        "On the command line, frobnicate is not a setting; remove it.",
    ]


def test_a_quoted_key_with_a_dot_is_not_mistaken_for_a_section(file: Path) -> None:
    file.write_text('\n"web.listen" = ":1"\n')
    assert refusal(file) == [f'{file}, line 2: "web.listen" is not a setting; did you mean web.listen?']


def test_a_line_is_counted_by_newlines_alone(file: Path) -> None:
    file.write_text('community = "a\u2028b"\r\ntypo = 1\r\n', "utf-8", newline="")
    assert [problem.split(": ")[0] for problem in refusal(file)] == [f"{file}, line 1", f"{file}, line 2"]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (b"a = 1\nb = = 2\n", "line 2, column 5: this is not TOML: invalid value."),
        (b"\n\nx = [1,\n", "line 3: this is not TOML: invalid value."),
        (b"[web]\nx = 1\nx = 2\n", "line 3, column 6: this is not TOML: cannot overwrite a value."),
        (b"a = 1\n# caf\xe9\n", "line 2: this is not UTF-8; save the file as UTF-8."),
    ],
)
def test_a_file_that_is_no_toml_is_refused_with_its_line_beside_other_problems(
    file: Path, written: bytes, told: str
) -> None:
    file.write_bytes(written)
    assert refusal(file, {"HOLDFAST_X": "1"}) == [
        f"{file}, {told}",
        "HOLDFAST_X is not a setting; remove it.",
    ]


@given(st.binary(max_size=60) | st.text("[]{}=\"'.,\n #aweb19-_", max_size=60).map(str.encode))
def test_any_bytes_at_all_are_settings_or_refused_by_sentences(
    tmp_path_factory: pytest.TempPathFactory, written: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_bytes(written)
    told = f"{file}: ."
    try:
        load_settings(file, {}, {})
    except SettingsError as refused:
        told = str(refused)
    assert all(str(file) in line and line[-1] in ".?" for line in told.split("\n"))


@pytest.mark.parametrize(
    "written", ["x = " + "9" * 5000, "x = " + "[" * 20_000, "[records]\npool = 0x" + "f" * 5000]
)
def test_absurd_nesting_and_numbers_are_refused_by_a_sentence(file: Path, written: str) -> None:
    file.write_text(written)
    assert len(refusal(file)) == 1


def test_a_named_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no.toml") == [
        f"The settings file {tmp_path / 'no.toml'} cannot be read: no such file or directory."
    ]
    assert refusal(tmp_path) == [f"The settings file {tmp_path} cannot be read: is a directory."]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("data", ""),
        ("data", "a\0b"),
        ("community", " "),
        ("community", "a\nb"),
        ("community", "x" * 81),
        ("web.listen", 8080),
        ("web.feed_queue", 2.0),
        ("web.feed_queue", True),
        ("web.public_url", "holdfast.example.org"),
        ("web.public_url", "https://x/?a=1"),
        ("web.public_url", "https://ann:hush@x/"),
        ("web.public_url", "https://x:99999"),
        ("tracker.public_udp_url", "udp://tracker.example.org"),
        ("tracker.public_udp_url", "https://tracker.example.org:6969"),
        ("tracker.public_udp_url", "udp://tracker.example.org:6969/announce"),
        ("web.session_lifetime", 30),
        ("web.session_lifetime", "1 s"),
        ("web.secure_cookies", "Auto"),
        ("web.trusted_proxies", "10.0.0.0/33"),
        ("web.trusted_proxies", [1]),
        ("live.address", "embeded"),
        ("live.address", "redis://"),
        ("live.address", "redis://ann:pw@"),
        ("live.address", "postgresql://x"),
        ("live.max_memory", "1 KiB"),
        ("live.tls_ca", 3),
        ("records.address", "mysql://x"),
        ("catalogue.upload_award", "yes"),
        ("catalogue.upload_award", 1),
        ("notices.webhook.url", "ftp://x"),
        ("notices.email.password", "a\nb"),
    ],
)
def test_a_value_of_the_wrong_type_or_out_of_range_is_refused(name: str, value: object) -> None:
    (told,) = refusal(None, None, **{name: value})
    assert told.startswith(f"On the command line, {name} must be ")


def test_no_refusal_repeats_a_secret(file: Path) -> None:
    file.write_text(
        '[live]\naddress = "http://ann:hush@x"\n[notices.webhook]\nurl = "hush"\nsecret = ["hush"]\n'
    )
    problems = refusal(file, {"HOLDFAST_RECORDS_ADDRESS": "mysql://ann:hush@x"})
    assert len(problems) == 4
    assert "hush" not in "".join(problems)


def test_a_secret_may_stand_in_a_file_of_its_own(tmp_path: Path, file: Path) -> None:
    held = tmp_path / "mail"
    held.write_text("hush hush\n")
    held.chmod(0o600)
    file.write_text(f'[notices.email]\nuser = "ann"\npassword_file = "{held}"\n')
    settings = load_settings(file, {"HOLDFAST_LIVE_ADDRESS_FILE": ""}, {})
    assert settings.notices.email.password == Secret("hush hush")
    assert settings.origins["notices.email.password"] == str(held)
    assert settings.findings == ()


def test_a_secret_in_a_file_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    held = tmp_path / "address"
    held.write_text("hush")
    environ = {
        "HOLDFAST_RECORDS_ADDRESS_FILE": str(held),
        "HOLDFAST_LIVE_ADDRESS_FILE": f"{held}2",
        "HOLDFAST_NOTICES_EMAIL_PASSWORD_FILE": str(held),
        "HOLDFAST_NOTICES_EMAIL_PASSWORD": "x",
    }
    assert refusal(None, environ) == [
        (
            f'HOLDFAST_RECORDS_ADDRESS_FILE names {held}, which must hold "sqlite" or an address starting '
            "with postgresql://."
        ),
        f"HOLDFAST_LIVE_ADDRESS_FILE names {held}2, which cannot be read: no such file or directory.",
        "HOLDFAST_NOTICES_EMAIL_PASSWORD_FILE is given beside notices.email.password; keep one of them.",
    ]


def test_a_file_with_secrets_that_others_can_read_is_found_but_not_refused(file: Path) -> None:
    file.write_text('[notices.webhook]\nsecret = "hush"\n[live]\naddress = "redis://db:1"\n')
    file.chmod(0o640)
    assert load_settings(file, {}, {}).findings == (
        f"{file} holds notices.webhook.secret and can be read by others; run chmod 600 {file}.",
    )
    file.chmod(0o600)
    assert load_settings(file, {}, {}).findings == ()


def test_the_settings_file_is_looked_for_in_the_data_folder_that_is_named(tmp_path: Path, file: Path) -> None:
    elsewhere = {"HOLDFAST_DATA": str(tmp_path / "elsewhere")}
    assert settings_file(elsewhere, {"data": tmp_path}) is None
    file.touch()
    assert settings_file(elsewhere, {"data": tmp_path}) == file
    assert settings_file({"HOLDFAST_DATA": str(tmp_path)}, {"data": None}) == file
    assert settings_file(elsewhere, {}) is None


def test_any_tree_of_sections_loads_the_same_way() -> None:
    @dataclass(frozen=True)
    class Own:
        ratio: float = number(0.5, "A ratio.", least=0, most=1)
        token: Secret = secret("A token.")  # noqa: RUF009

    assert load(Own, None, {"HOLDFAST_RATIO": "0.25"}, {})[0].ratio == 0.25
    assert load(Own, None, {}, {"ratio": 1})[0].ratio == 1.0
    for wrong in ("nan", "inf", "-0.1", 10**400, True):
        with pytest.raises(SettingsError):
            load(Own, None, {}, {"ratio": wrong})
