"""The live keys of getting in."""

from holdfast.store.live.keys import KeyName

ATTEMPTS = KeyName(
    pattern="hf:sign_in:{kind}:{who}",
    kind="string",
    meaning="How many sign-ins failed; kind is `name` or `address`, who the SHA-256 of it, cut short.",
    owner="who",
    ttl="web.sign_in_window after the first failure",
)
KEYS = (ATTEMPTS,)
