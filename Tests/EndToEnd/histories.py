"""Random histories of customers, as the App Store would tell them, and what must come of each, computed from the plan and not from the messages.

Everything happens on the half hours around an anchor, so that at the anchor, when a test runs, nothing is just beginning or ending.
A message is what is posted: a decoded notification, with its payloads signed inside."""

import random
import uuid
from dataclasses import dataclass, field

from payloads import BASIC, COINS, LIFETIME, MAX, PRO, SEASON, YEARLY, new_id, notification, period, purchase, renewal, without_none
from signing import CHAIN, DAY, HOUR, MINUTE, now_ms

GRANTED = 100  # Coins in one pack.
LEVELS = [BASIC, PRO, MAX]


@dataclass
class Span:
    """A transaction that grants access from its start to its end, as it stands when the history is over."""

    transaction: dict
    start: int
    end: int | None
    revoked: int | None = None
    share: int = 100_000

    @property
    def stop(self):
        ends = [each for each in (self.end, self.revoked) if each is not None]
        return max(self.start, min(ends)) if ends else None

    def covers(self, at: int) -> bool:
        return self.start <= at and (self.stop is None or at < self.stop)


@dataclass
class Line:
    """A subscription chain, or one purchase."""

    original: str
    spans: list[Span]
    grace: int | None = None

    def access(self, at: int) -> tuple[bool, str]:
        """Whether it grants access, and through which product: within a chain only the last period begun can."""
        begun = [span for span in self.spans if span.start <= at]
        newest = begun[-1] if begun else self.spans[0]
        active = newest.covers(at)
        if self.grace and newest is self.spans[-1] and newest.stop == newest.end and newest.end <= at < self.grace:
            active = True
        return active, newest.transaction["productId"]

    def boundaries(self):
        found = [each for span in self.spans for each in (span.start, span.end, span.revoked)] + [self.grace]
        return {each for each in found if each is not None}


@dataclass
class Customer:
    ref: str
    token: str | None
    environment: str
    lines: list[Line] = field(default_factory=list)
    packs: list[tuple[Span, int]] = field(default_factory=list)
    messages: list[dict] = field(default_factory=list)
    # Truth about chains, as Get All Subscription Statuses would tell it: original id to (status, transaction, renewal info).
    statuses: dict[str, tuple] = field(default_factory=dict)

    def access(self, at: int) -> dict:
        return {line.original: line.access(at) for line in self.lines}

    def balance(self, at: int) -> tuple[int, int] | None:
        """Bought and refunded units of coins; None before the first pack."""
        bought = [(span, units) for span, units in self.packs if span.start <= at]
        refunded = sum(units * span.share // 100_000 for span, units in bought if span.revoked is not None and span.revoked <= at)
        return (sum(units for _, units in bought), refunded) if bought else None


class Author:
    """Writes one customer's history."""

    def __init__(self, chance: random.Random, anchor: int, environment="Production"):
        self.chance, self.anchor, self.ticks = chance, anchor, 0
        self.words = {}  # The newest renewal info of each chain.
        identity = new_id()
        token = str(uuid.UUID(int=chance.getrandbits(128), version=4)) if chance.random() < 0.5 else None
        # Of some customers the first periods carry no name: a later message tells whose they are.
        self.is_old = chance.random() < 0.3
        self.customer = Customer("704" + identity[-13:], token, environment)

    def hours(self, low: int, high: int) -> int:
        return self.chance.randrange(low, high) * HOUR

    def ago(self, days: int) -> int:
        return self.anchor - 30 * MINUTE - days * DAY - self.hours(0, 24)

    def flip(self, share: float) -> bool:
        return self.chance.random() < share

    def write(self) -> Customer:
        for part in self.chance.sample([self.subscription, self.commitment, self.coins, self.lifetime, self.season, self.family],
                                       self.chance.choice((1, 1, 2, 3, 4))):
            part()
        for original, info in list(self.words.items()) if self.is_old else ():
            span = next(line for line in self.customer.lines if line.original == original).spans[-1]
            self.tell("PRICE_INCREASE", "ACCEPTED", span.transaction | without_none(self.names()), info, self.anchor - 30 * MINUTE)
        return self.customer

    # Telling

    def names(self) -> dict:
        """The customer's ids, as a transaction carries them."""
        return {"appTransactionId": self.customer.ref, "appAccountToken": self.customer.token, "environment": self.customer.environment}

    def signed_at(self, at: int) -> int:
        """A date of signing shortly after, different each time."""
        self.ticks += 1
        return at + 1_000 + self.ticks

    def tell(self, kind, subtype, transaction, info=None, at=0, **fields):
        """A notification signed after `at`, sometimes told again under another UUID."""
        signed = self.signed_at(at)
        transaction = transaction | {"signedDate": signed}
        if info:
            info = self.words[info["originalTransactionId"]] = info | {"signedDate": signed}
        message = notification(kind, subtype, transaction, info, signed=signed, **fields)
        self.customer.messages.append(message)
        if kind in ("SUBSCRIBED", "DID_RENEW", "ONE_TIME_CHARGE", "REFUND") and self.flip(0.1):
            self.customer.messages.append(message | {"notificationUUID": str(uuid.uuid4()), "signedDate": signed + 4 * HOUR})

    # Refunds

    def dispute(self, span: Span, at: int, info=None, share=None, may_reverse=True) -> int:
        """Requests, declines, a refund and its reversal from `at` on; when it was over."""
        transaction = span.transaction
        if self.flip(0.6):
            self.tell("CONSUMPTION_REQUEST", None, transaction, info, at, reason="OTHER")
            at += self.hours(1, 6)
            if self.flip(0.3):
                self.tell("REFUND_DECLINED", None, transaction, info, at)
                return at
        span.revoked, span.share = at, share or 100_000
        refunded = transaction | {"revocationDate": at, "revocationReason": self.chance.choice((0, 1)), "revocationPercentage": span.share,
                                  "revocationType": "REFUND_PRORATED" if share else "REFUND_FULL"}
        self.tell("REFUND", None, refunded, info, at)
        if may_reverse and self.flip(0.35):
            at += self.hours(6, 30)
            kept = without_none(refunded | {"revocationPercentage": None}) if self.flip(0.4) else transaction
            self.tell("REFUND_REVERSED", None, kept, info, at)
            span.revoked, span.share = None, 100_000
            if self.flip(0.25):
                at += self.hours(6, 30)
                span.revoked = at
                span.transaction = transaction | {"revocationDate": at, "revocationReason": 1, "revocationType": "REFUND_FULL",
                                                  "revocationPercentage": 100_000}
                self.tell("REFUND", None, span.transaction, info, at)
        else:
            span.transaction = refunded
        return at

    # Subscriptions

    def begin(self, line, product, start, days=30, **fields) -> Span:
        original = line.original if line else None
        nameless = {"appTransactionId": None, "appAccountToken": None} if self.is_old and line is None else {}
        transaction = period(product, start, days, original, **self.names() | nameless | fields)
        span = Span(transaction, start, transaction["expiresDate"])
        if line is None:
            self.line = Line(transaction["originalTransactionId"], [])
            self.customer.lines.append(self.line)
            line = self.line
        line.spans.append(span)
        return span

    def subscription(self, **fields):
        """Months that follow each other, with all that may happen in one; ends somewhere before or after the anchor."""
        start = self.ago(self.chance.randrange(20, 200))
        span, info = self.begin(None, self.chance.choice(LEVELS), start, **fields), None
        line, has_renewed_off = self.line, False
        self.tell("SUBSCRIBED", "INITIAL_BUY", span.transaction, renewal(span.transaction), start, status=1)
        while True:
            info = renewal(span.transaction, autoRenewStatus=0 if has_renewed_off else 1)
            span, info, has_renewed_off = self.month(line, span, info, has_renewed_off)
            if span.end > self.anchor:
                return
            following = self.turn(line, span, info, has_renewed_off, **fields)
            if following is None:
                return
            span = following

    def month(self, line, span, info, has_renewed_off):
        """What happens within a period that began before the anchor."""
        now = span.start + self.hours(12, 96)
        if now < self.anchor and self.flip(0.15):
            has_renewed_off = not has_renewed_off
            info = info | {"autoRenewStatus": 0 if has_renewed_off else 1}
            self.tell("DID_CHANGE_RENEWAL_STATUS", f"AUTO_RENEW_{'DISABLED' if has_renewed_off else 'ENABLED'}", span.transaction, info, now)
        now += self.hours(12, 96)
        level = LEVELS.index(span.transaction["productId"])
        if now < self.anchor and self.flip(0.12) and level < 2 and span.revoked is None:
            upgraded = self.begin(line, LEVELS[level + 1], now, transactionReason="PURCHASE", **self.kept(span))
            info = renewal(upgraded.transaction)
            self.tell("DID_CHANGE_RENEWAL_PREF", "UPGRADE", upgraded.transaction, info, now)
            span.end = min(span.end, now)
            span, has_renewed_off = upgraded, False
            now += self.hours(12, 96)
        if now < self.anchor and self.flip(0.1):
            self.tell("PRICE_INCREASE", "PENDING", span.transaction, info | {"priceIncreaseStatus": 0}, now)
        now += self.hours(12, 96)
        disputed = self.chance.choice(line.spans)
        if now + 4 * DAY < min(span.end, self.anchor) and self.flip(0.2) and disputed.revoked is None and disputed.transaction[
                "expiresDate"] == disputed.end and disputed.transaction["inAppOwnershipType"] == "PURCHASED":
            self.dispute(disputed, now, info)
        return span, info, has_renewed_off

    @staticmethod
    def kept(span) -> dict:
        return {key: span.transaction[key] for key in ("inAppOwnershipType", "subscriptionGroupIdentifier", "originalPurchaseDate")}

    def turn(self, line, span, info, has_renewed_off, **fields):
        """The end of a period: the next one, or None."""
        end = span.end
        if has_renewed_off or (span.revoked is not None and self.flip(0.7)):
            if self.flip(0.7):
                self.tell("EXPIRED", "VOLUNTARY", span.transaction, info | {"autoRenewStatus": 0, "expirationIntent": 1}, end, status=2)
            return self.resubscription(line, span, end, **fields)
        if self.flip(0.15):
            return self.failure(line, span, info, **fields)
        product, kind = span.transaction["productId"], "DID_RENEW"
        if self.flip(0.1) and product != BASIC:
            product = BASIC
            self.tell("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", span.transaction, info | {"autoRenewProductId": product}, end - HOUR)
        following = self.begin(line, product, end, **self.kept(span) | fields)
        self.tell(kind, None, following.transaction, renewal(following.transaction), end)
        return following

    def resubscription(self, line, span, end, **fields):
        start = end + self.chance.randrange(1, 40) * DAY
        if start > self.anchor - DAY or self.flip(0.5):
            return None
        following = self.begin(line, self.chance.choice(LEVELS), start, transactionReason="PURCHASE", **self.kept(span) | fields)
        self.tell("SUBSCRIBED", "RESUBSCRIBE", following.transaction, renewal(following.transaction), start)
        return following

    def failure(self, line, span, info, **fields):
        """A renewal that is not paid, with a grace period or not; paid later, given up, or still open at the anchor."""
        end, has_grace = span.end, self.flip(0.5)
        grace = end + 16 * DAY if has_grace else None
        info = info | without_none({"isInBillingRetryPeriod": True, "expirationIntent": 2, "gracePeriodExpiresDate": grace})
        self.tell("DID_FAIL_TO_RENEW", "GRACE_PERIOD" if has_grace else None, span.transaction, info, end, status=4 if has_grace else 3)
        recovery = end + self.chance.randrange(1, 50) * DAY
        if recovery < self.anchor - DAY and self.flip(0.7):
            following = self.begin(line, span.transaction["productId"], recovery, **self.kept(span) | fields)
            self.tell("DID_RENEW", "BILLING_RECOVERY", following.transaction, renewal(following.transaction), recovery)
            return following
        line.grace = grace if span.revoked is None else None
        if grace and grace < self.anchor and self.flip(0.7):
            info = info | {"gracePeriodExpiresDate": grace}
            self.tell("GRACE_PERIOD_EXPIRED", None, span.transaction, info, grace, status=3)
        if end + 60 * DAY < self.anchor:
            info = without_none(info | {"isInBillingRetryPeriod": False, "autoRenewStatus": 0})
            self.tell("EXPIRED", "BILLING_RETRY", span.transaction, info, end + 60 * DAY, status=2)
        return None

    def family(self):
        """Access through someone else's subscription, until it is no longer shared."""
        told = len(self.customer.messages)
        self.subscription(inAppOwnershipType="FAMILY_SHARED")
        span = self.line.spans[-1]
        at = max(span.start, *(message["signedDate"] // HOUR * HOUR for message in self.customer.messages[told:]))
        at += (span.start - at) % HOUR + self.hours(2, 200)  # After all that was told, and on the half hour.
        if at < min(span.end, self.anchor) and span.revoked is None and self.flip(0.6):
            span.revoked = at
            span.transaction = span.transaction | {"revocationDate": at, "revocationReason": 0, "revocationType": "FAMILY_REVOKE"}
            self.tell("REVOKE", None, span.transaction, None, at)

    def commitment(self):
        """A year in months: cancelled or not, a month refunded, one paid late, perhaps a second year."""
        start, number, gap = self.ago(self.chance.randrange(20, 420)), 1, 0
        term, cancelled, line, group = start + 360 * DAY, 1, None, "21000003"
        while start < self.anchor:
            info = {"billingPeriodNumber": number, "totalBillingPeriods": 12, "commitmentExpiresDate": term, "commitmentPrice": 131_880}
            original = {"originalPurchaseDate": line.spans[0].start} if line else {}
            span = self.begin(line, YEARLY, start, billingPlanType="MONTHLY", commitmentInfo=info, price=10_990, subscriptionGroupIdentifier=group,
                              **original)
            line = self.line if line is None else line
            word = self.commitment_renewal(span, cancelled, term)
            kind, subtype = ("SUBSCRIBED", "INITIAL_BUY") if len(line.spans) == 1 else ("DID_RENEW", "BILLING_RECOVERY" if gap else None)
            self.tell(kind, subtype, span.transaction, word, start, status=1)
            gap = 0
            now = start + self.hours(24, 120)
            if now < self.anchor and self.flip(0.1) and cancelled:
                cancelled = 0
                word = self.commitment_renewal(span, cancelled, term)
                self.tell("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", span.transaction, word, now)
            now += self.hours(24, 120)
            disputed = self.chance.choice(line.spans)
            if now + 4 * DAY < min(span.end, self.anchor) and self.flip(0.12) and disputed.revoked is None and disputed.transaction[
                    "expiresDate"] == disputed.end:
                is_current = disputed is span
                self.dispute(disputed, now, word, may_reverse=not is_current)
                if is_current and span.revoked is not None:
                    break
            if number == 12 and not cancelled:
                if span.end < self.anchor:
                    self.tell("EXPIRED", "VOLUNTARY", span.transaction, word | {"autoRenewStatus": 0, "expirationIntent": 1}, span.end, status=2)
                break
            if span.end < self.anchor and self.flip(0.08):
                word = word | {"isInBillingRetryPeriod": True, "expirationIntent": 2}
                self.tell("DID_FAIL_TO_RENEW", None, span.transaction, word, span.end, status=3)
                gap = self.chance.randrange(1, 20) * DAY
            start, term, number = span.end + gap, term + gap, number + 1
            if number == 13:
                number, term = 1, start + 360 * DAY
        newest = line.spans[-1]
        status = 5 if newest.revoked else 1 if newest.end > self.anchor else 3 if self.words[line.original].get("isInBillingRetryPeriod") else 2
        self.customer.statuses[line.original] = status, newest.transaction, self.words[line.original]

    def commitment_renewal(self, span, cancelled, term) -> dict:
        return renewal(span.transaction, renewalBillingPlanType="MONTHLY", commitmentInfo={
            "commitmentAutoRenewProductId": YEARLY, "commitmentAutoRenewStatus": cancelled, "commitmentRenewalBillingPlanType": "MONTHLY",
            "commitmentRenewalDate": term, "commitmentRenewalPrice": 10_990})

    # One-time purchases

    def charge(self, product, kind, start, end=None, **fields) -> Span:
        span = Span(purchase(product, kind, purchaseDate=start, **self.names() | fields), start, end)
        self.tell("ONE_TIME_CHARGE", None, span.transaction, None, start)
        return span

    def coins(self):
        for _ in range(self.chance.choice((1, 2, 4))):
            quantity = self.chance.choice((1, 1, 2, 3))
            span = self.charge(COINS, "Consumable", self.ago(self.chance.randrange(10, 200)), quantity=quantity, price=990 * quantity)
            self.customer.packs.append((span, GRANTED * quantity))
            if self.flip(0.5):
                share = self.chance.randrange(1, 100_000) if self.flip(0.5) else None
                self.dispute(span, span.start + self.hours(24, 100), share=share)

    def lifetime(self):
        start = self.ago(self.chance.randrange(20, 200))
        for _ in range(2):
            span = self.charge(LIFETIME, "Non-Consumable", start, price=149_990)
            self.customer.lines.append(Line(span.transaction["originalTransactionId"], [span]))
            if self.flip(0.5):
                return
            over = self.dispute(span, start + self.hours(24, 100))
            start = over + self.hours(6, 24)
            if span.revoked is None or start > self.anchor:
                return

    def season(self):
        start = self.ago(self.chance.randrange(5, 60))
        span = self.charge(SEASON, "Non-Renewing Subscription", start, start + 30 * DAY, price=19_990)
        self.customer.lines.append(Line(span.transaction["originalTransactionId"], [span]))
        if self.flip(0.3):
            self.dispute(span, start + self.hours(24, 72))


def customers(chance: random.Random, count: int, anchor: int) -> list[Customer]:
    return [Author(chance, anchor).write() for _ in range(count)]


def status_answer(customer: Customer, original: str):
    """Get All Subscription Statuses, as Apple would answer now: with all names."""
    status, transaction, info = customer.statuses[original]
    transaction = transaction | without_none({"appTransactionId": customer.ref, "appAccountToken": customer.token})
    now = now_ms()
    return {"environment": customer.environment, "bundleId": transaction["bundleId"], "data": [{
        "subscriptionGroupIdentifier": transaction["subscriptionGroupIdentifier"], "lastTransactions": [{
            "originalTransactionId": original, "status": status, "signedTransactionInfo": CHAIN.sign(transaction | {"signedDate": now}),
            "signedRenewalInfo": CHAIN.sign(info | {"signedDate": now})}]}]}
