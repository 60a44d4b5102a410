"""One message of the oracle, and the world it is made in."""

from dataclasses import dataclass
from random import Random

import payloads
from jws import compact
from pki import Forge, make_chain


@dataclass(frozen=True)
class Profile:
    """What the verifier is set up for."""

    environment: str
    bundle: str = payloads.BUNDLE
    app_id: int = payloads.APP_ID


PRODUCTION, SANDBOX = Profile("Production"), Profile("Sandbox")


@dataclass
class Message:
    group: str
    name: str
    # notification, transaction, renewalInfo or appTransaction: which of Apple's methods is asked.
    kind: str
    # A JWS, or for notifications the body of a request.
    content: bytes
    profile: Profile = PRODUCTION
    # The listed difference that it must show; None: both sides agree.
    difference: str | None = None
    # Whether both must accept (True) or both refuse (False); None: only that they agree.
    accepted: bool | None = None


def body(jws: str) -> bytes:
    return compact({"signedPayload": jws})


class World:
    """The trusted chain, another under the same intermediate, a foreign one, and the randomness of a group."""

    def __init__(self, seed: int):
        self.seed = seed
        forge = Forge(Random(f"{seed} world"))
        self.chain = make_chain(forge)
        self.foreign = make_chain(forge)

    def random(self, group: str) -> Random:
        """A group's own, so that adding to one group changes no other."""
        return Random(f"{self.seed} {group}")

    def forge(self, group: str) -> Forge:
        return Forge(Random(f"{self.seed} forge {group}"))
