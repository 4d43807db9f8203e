"""The ways out of the house for a notice: e-mail and a webhook, each as small as it can be."""

import asyncio
import hashlib
import hmac
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from typing import Protocol

import msgspec

from holdfast.catalogue.store.notices import EMAIL, WEBHOOK, Due
from holdfast.settings.tree import Email, Notices, Webhook

SECONDS = 20.0
SIGNATURE = "X-Holdfast-Signature"


class UndeliveredError(Exception):
    """A notice could not be handed over; it will be tried again unless that is in vain."""

    def __init__(self, reason: str, *, in_vain: bool = False) -> None:
        super().__init__(reason)
        self.in_vain = in_vain


class Sink(Protocol):
    name: str

    async def carry(self, due: Due) -> None:
        """Hand the notice over; `UndeliveredError` when that failed."""
        ...


def sinks(settings: Notices) -> dict[str, Sink]:
    """The sinks that the operator has set up."""
    found: list[Sink] = []
    if settings.email.host:
        found.append(EmailSink(settings.email))
    if settings.webhook.url:
        found.append(WebhookSink(settings.webhook))
    return {sink.name: sink for sink in found}


class EmailSink:
    """One message for each notice, through the operator's own mail server."""

    name = EMAIL

    def __init__(self, settings: Email) -> None:
        self._settings = settings

    async def carry(self, due: Due) -> None:
        await asyncio.to_thread(self._send, due)

    def _send(self, due: Due) -> None:
        if not due.email:
            raise UndeliveredError("the member has no e-mail address any more", in_vain=True)
        settings = self._settings
        try:
            with smtplib.SMTP(settings.host, settings.port, timeout=SECONDS) as server:
                if settings.starttls:
                    server.starttls(context=ssl.create_default_context())
                if settings.user:
                    server.login(settings.user, settings.password.reveal())
                server.send_message(self._message(due))
        except smtplib.SMTPRecipientsRefused as error:
            # A server that does not know us may ask to be tried again in a while, with a code below 500.
            for_good = all(code >= 500 for code, _ in error.recipients.values())
            raise UndeliveredError(
                f"the mail server refuses the address: {error}", in_vain=for_good
            ) from error
        except (OSError, smtplib.SMTPException) as error:
            raise UndeliveredError(f"the mail server: {error}") from error

    def _message(self, due: Due) -> EmailMessage:
        message = EmailMessage()
        message["From"] = self._settings.sender
        message["To"] = due.email
        message["Subject"] = _one_line(due.subject)
        message["Date"] = formatdate(due.created)
        message["Message-ID"] = make_msgid(
            f"notice-{due.notice_id}", parseaddr(self._settings.sender)[1].rpartition("@")[2]
        )
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(f"Dear {due.member_name},\n\n{due.body}\n")
        return message


def _one_line(text: str) -> str:
    """A header ends with its line: whatever follows would be read as another header."""
    return "".join(c if c.isprintable() else " " for c in text)


class WebhookSink:
    """Each notice as JSON to another program, signed so that it can be told from a forgery."""

    name = WEBHOOK

    def __init__(self, settings: Webhook) -> None:
        self._settings = settings

    async def carry(self, due: Due) -> None:
        import httpx  # noqa: PLC0415 - costs memory that a community without a webhook need not spend

        body = msgspec.json.encode(
            {
                "id": due.notice_id,
                "kind": due.kind,
                "subject": due.subject,
                "body": due.body,
                "created": due.created,
                "member": {"id": due.member_id, "name": due.member_name},
            }
        )
        headers = {"Content-Type": "application/json", SIGNATURE: self._signature(body)}
        url = self._settings.url.reveal()
        try:
            # Only the status is read: an answer may be as long, and come as slowly, as somebody likes.
            async with (
                asyncio.timeout(SECONDS),
                httpx.AsyncClient(timeout=SECONDS) as client,
                client.stream("POST", url, content=body, headers=headers) as answer,
            ):
                status = answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise UndeliveredError(f"the webhook: {str(error) or type(error).__name__}") from error
        if not 200 <= status < 300:
            raise UndeliveredError(f"the webhook answered {status}")

    def _signature(self, body: bytes) -> str:
        key = self._settings.secret.reveal().encode()
        return "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
