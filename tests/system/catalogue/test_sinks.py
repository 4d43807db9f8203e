"""E-mail and webhooks as a server on the other side sees them."""

import asyncio
import email
import email.policy
import hashlib
import hmac
from dataclasses import replace
from email.message import EmailMessage

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.catalogue import rules
from holdfast.catalogue.service import sinks as sinks_module
from holdfast.catalogue.service.sinks import EmailSink, UndeliveredError, WebhookSink, sinks
from holdfast.catalogue.store.notices import Due
from holdfast.errors import InvalidError
from holdfast.settings.tree import Email, Notices, Webhook
from holdfast.settings.values import Secret
from tests.servers import free_port
from tests.system.catalogue.posts import ENDLESS, REDIRECT, SILENT, mail_server, status, webhook

DUE = Due(7, "email", 0, "test", "A subject", "A body.", 1_000_000.0, 3, "ann", "ann@example.org")
KEY = "a key that both sides know"


def mail(port: int, **changes: object) -> Email:
    plain = Email(host="127.0.0.1", port=port, sender="Holdfast <holdfast@example.org>", starttls=False)
    return replace(plain, **changes)  # type: ignore[arg-type]


def carried(due: Due, **answers: str) -> tuple[EmailMessage, list[str]]:
    """The one message that arrives, and what was said to the server."""

    async def carry() -> tuple[bytes, list[str]]:
        async with mail_server(**answers) as mailbox:
            await EmailSink(mail(mailbox.port)).carry(due)
            (message,) = mailbox.messages
            return message, mailbox.said

    message, said = asyncio.run(carry())
    parsed = email.message_from_bytes(message.removesuffix(b".\r\n"), policy=email.policy.default)
    return parsed, said


def refused(**answers: str) -> UndeliveredError:
    with pytest.raises(UndeliveredError) as told:
        carried(DUE, **answers)
    return told.value


def test_a_notice_arrives_as_a_letter_to_its_reader() -> None:
    message, said = carried(DUE)
    assert message["To"] == "ann@example.org"
    assert message["From"] == "Holdfast <holdfast@example.org>"
    assert message["Subject"] == "A subject"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Date"] == "Mon, 12 Jan 1970 13:46:40 -0000"
    assert message["Message-ID"].endswith("@example.org>")
    assert message.get_content().replace("\r\n", "\n") == "Dear ann,\n\nA body.\n"
    assert "rcpt TO:<ann@example.org>" in said
    assert sum(line.startswith("rcpt") for line in said) == 1


def test_letters_of_every_language_arrive_whole() -> None:
    due = replace(DUE, subject="Ваш “фильм” 日本語 🐋", body="Größe\n\n日本語 " * 100, member_name="Zoë")
    message, _ = carried(due)
    assert message["Subject"] == due.subject
    content = message.get_content().replace("\r\n", "\n")
    assert content == f"Dear Zoë,\n\n{due.body}\n"


def test_a_line_with_a_dot_alone_does_not_end_the_letter() -> None:
    message, said = carried(replace(DUE, body="one\n.\nQUIT\ntwo"))
    assert message.get_content().replace("\r\n", "\n").endswith("one\n..\nQUIT\ntwo\n")
    assert [line.upper() for line in said].count("QUIT") == 1


@pytest.mark.parametrize(
    "text",
    [
        "x\nBcc: all@example.org",
        "x\r\nBcc: all@example.org",
        "x\rBcc: all@example.org",
        "x\u2028Bcc: all@example.org",
        "x\x0bBcc: all@example.org",
        "x\0Bcc: all@example.org",
        "x\n\nanother body",
    ],
)
def test_no_subject_or_name_can_add_a_header(text: str) -> None:
    usual, _ = carried(DUE)
    message, said = carried(replace(DUE, subject=text, member_name=text))
    assert message.keys() == usual.keys()
    assert message["Bcc"] is None
    assert "all@example.org" not in " ".join(said)


@settings(max_examples=40)
@given(
    subject=st.text(st.characters(exclude_categories=["Cs"]), max_size=120),
    name=st.text(st.characters(exclude_categories=["Cs"]), max_size=64),
    body=st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
)
def test_whatever_is_written_in_a_notice_the_headers_are_ours(subject: str, name: str, body: str) -> None:
    written = EmailSink(mail(25))._message(replace(DUE, subject=subject, member_name=name, body=body))
    read = email.message_from_bytes(written.as_bytes(), policy=email.policy.SMTP)
    ours = {"From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted"}
    assert set(read.keys()) - {"Content-Type", "Content-Transfer-Encoding", "MIME-Version"} == ours
    assert read["To"] == "ann@example.org"


@settings(max_examples=200)
@given(st.from_regex(rules.EMAIL, fullmatch=True))
def test_every_address_that_is_taken_is_one_recipient(address: str) -> None:
    try:
        rules.email_address(address)
    except InvalidError:
        return
    to = EmailSink(mail(25))._message(replace(DUE, email=address))["To"]
    assert len(to.addresses) == 1


def test_a_member_without_an_address_by_now_gets_no_letter() -> None:
    for gone in (None, ""):
        with pytest.raises(UndeliveredError, match="no e-mail address any more") as told:
            asyncio.run(EmailSink(mail(1)).carry(replace(DUE, email=gone)))
        assert told.value.in_vain


def test_an_address_that_is_refused_for_good_is_tried_in_vain() -> None:
    error = refused(RCPT="550 no such mailbox")
    assert error.in_vain
    assert "no such mailbox" in str(error)


def test_a_server_that_asks_for_patience_is_tried_again() -> None:
    assert not refused(RCPT="450 greylisted, come back").in_vain


@pytest.mark.parametrize(
    "answers",
    [
        {"DATA": "451 busy"},
        {".": "452 full"},
        {"MAIL": "550 not you"},
        {"EHLO": "", "HELO": ""},
        {"RCPT": ""},
    ],
)
def test_a_server_that_fails_is_tried_again(answers: dict[str, str]) -> None:
    assert not refused(**answers).in_vain


def test_no_server_at_all_is_tried_again() -> None:
    with pytest.raises(UndeliveredError, match="the mail server") as told:
        asyncio.run(EmailSink(mail(free_port())).carry(DUE))
    assert not told.value.in_vain


def test_a_server_without_starttls_is_not_sent_anything_in_the_open() -> None:
    async def carry() -> list[str]:
        async with mail_server(STARTTLS="502 not here") as mailbox:
            with pytest.raises(UndeliveredError):
                await EmailSink(mail(mailbox.port, starttls=True, user="me", password=Secret("hush"))).carry(
                    DUE
                )
            assert mailbox.messages == []
            return mailbox.said

    said = " ".join(asyncio.run(carry()))
    assert "ann@example.org" not in said
    assert "AUTH" not in said.upper()


def test_a_server_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sinks_module, "SECONDS", 0.1)

    async def carry() -> None:
        async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
        async with server:
            await EmailSink(mail(server.sockets[0].getsockname()[1])).carry(DUE)

    with pytest.raises(UndeliveredError, match="timed out"):
        asyncio.run(carry())


def posted(*answers: bytes, times: int = 1) -> list[tuple[str, dict[str, str], bytes]]:
    async def post() -> list[tuple[str, dict[str, str], bytes]]:
        async with webhook(answers) as hook:
            sink = WebhookSink(Webhook(url=Secret(hook.url), secret=Secret(KEY)))
            for _ in range(times):
                try:
                    await sink.carry(DUE)
                except UndeliveredError as error:
                    said.append(str(error))
            return hook.posted

    said: list[str] = []
    requests = asyncio.run(post())
    if said:
        raise UndeliveredError("; ".join(said))
    return requests


def test_a_notice_is_posted_as_json() -> None:
    ((path, headers, body),) = posted(status(200))
    assert path == "/hook"
    assert headers["content-type"] == "application/json"
    assert msgspec.json.decode(body) == {
        "id": 7,
        "kind": "test",
        "subject": "A subject",
        "body": "A body.",
        "created": 1_000_000.0,
        "member": {"id": 3, "name": "ann"},
    }
    assert b"ann@example.org" not in body


def test_the_signature_is_that_of_the_body_under_the_shared_key() -> None:
    ((_, headers, body),) = posted(status(204))
    wanted = hmac.new(KEY.encode(), body, hashlib.sha256).hexdigest()
    assert hmac.compare_digest(headers["x-holdfast-signature"], f"sha256={wanted}")


def test_a_receiver_that_failed_is_posted_to_again() -> None:
    with pytest.raises(UndeliveredError, match=r"^the webhook answered 500$"):
        posted(status(500), status(200), times=2)


@pytest.mark.parametrize("code", [300, 301, 404, 410, 429, 503])
def test_only_a_good_answer_counts_as_taken(code: int) -> None:
    with pytest.raises(UndeliveredError, match=f"answered {code}"):
        posted(status(code))


def test_a_redirect_is_not_followed() -> None:
    """Whoever can answer must not be able to choose where members' notices go."""

    async def post() -> list[str]:
        async with webhook([REDIRECT, status(200)]) as hook:
            sink = WebhookSink(Webhook(url=Secret(hook.url), secret=Secret(KEY)))
            with pytest.raises(UndeliveredError, match="answered 302"):
                await sink.carry(DUE)
            return [path for path, _, _ in hook.posted]

    assert asyncio.run(post()) == ["/hook"]


def test_an_endless_answer_is_not_read() -> None:
    assert len(posted(ENDLESS)) == 1


def test_a_receiver_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sinks_module, "SECONDS", 0.1)
    with pytest.raises(UndeliveredError, match=r"the webhook: \w+"):
        posted(SILENT)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://[", "nonsense", "ftp://127.0.0.1/"])
def test_an_address_where_nobody_is_fails_with_a_reason(url: str) -> None:
    with pytest.raises(UndeliveredError, match=r"the webhook: .+"):
        asyncio.run(WebhookSink(Webhook(url=Secret(url))).carry(DUE))


def test_only_what_the_operator_has_set_up_is_a_way_out() -> None:
    assert sinks(Notices()) == {}
    both = Notices(email=mail(25), webhook=Webhook(url=Secret("http://127.0.0.1:1/")))
    assert sinks(both).keys() == {"email", "webhook"}
