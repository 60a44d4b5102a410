"""The dashboard in a real browser: each page in each language, on a phone and on a desk, in the dark and in the light; each action; the
keyboard; and without JavaScript. Screenshots are kept in .build/screenshots."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from browser import DESKTOP, PHONE, Browser  # noqa: E402
from desk import Desk  # noqa: E402
from payloads import APP, COINS, now_ms, purchase, revoked  # noqa: E402

LANGUAGES = ["en", "fr", "uk", "vi", "zh-Hant"]
SCREENSHOTS = ROOT / ".build/screenshots"
HOLD = {"rules": [{"name": "look at it", "when": {"price": {"atLeast": 5}, "currency": "USD"},
                   "then": {"hold": "2h", "otherwise": {"answer": "data-only"}}}]}


def ask(desk: Desk, identity: str, product=COINS, reason="UNINTENDED_PURCHASE", **fields):
    """A request about a purchase, by a customer who agreed."""
    desk.consent("704" + identity)
    bought = purchase(product, transactionId=identity, appTransactionId="704" + identity, **fields)
    desk.post("CONSUMPTION_REQUEST", None, bought, reason=reason)


class Filled(unittest.TestCase):
    """One desk for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        cls.desk = Desk(app={"policy": HOLD, "webhooks": [{"url": "http://127.0.0.1:9/hook?key=secret", "secret": "whsec_" + "A" * 32}]},
                        top={"allowPrivateTargets": True})
        cls.addClassCleanup(cls.desk.close)
        ask(cls.desk, "5001", price=9990)
        ask(cls.desk, "5002", price=990)
        ask(cls.desk, "5003", "<script>alert(1)</script>", "OTHER", price=990)
        cls.desk.post("REFUND", None, revoked(purchase(transactionId="5004", appTransactionId="7045004"), now_ms()))
        cls.url = f"http://127.0.0.1:{cls.desk.port}"
        cls.uuid = cls.desk.post("TEST")

    def browser(self, *arguments, **options) -> Browser:
        browser = Browser(self.url, *arguments, **options)
        self.addCleanup(browser.close)
        return browser

    def pages(self) -> dict[str, str]:
        return {name: f"/apps/{APP}/{path}" for name, path in {
            "queue": "queue", "cases": "cases", "case-held": "cases/5001", "case-answered": "cases/5002", "case-refunded": "cases/5004",
            "customers": "customers", "customer": "customer?ref=7045001", "policy": "policy", "reports": "reports",
            **{f"reports-{kind}": f"reports?report={kind}" for kind in ("outcomes", "costs", "customers", "prevention")},
            "reports-reason": "reports?by=reason", "health": "health",
            "notifications": "notifications", "notification": f"notifications/{self.uuid}", "audit": "audit", "nothing": "search?q=nobody"}.items()}


class PagesTest(Filled):
    WEIGHT = 5

    def look(self, browser: Browser, name: str):
        self.assertEqual(browser.accessibility_violations(), [], name)
        self.assertLessEqual(browser.overflow(), 0, f"{name} is wider than the window")
        self.assertEqual(browser.spilled(), [], name)
        complaints = [text for text in browser.complaints() if "404 (Not Found)" not in text or name.split("-")[0] != "nothing"]
        self.assertEqual(complaints, [], name)
        self.assertEqual(browser.foreign_requests(), [], name)
        browser.screenshot(SCREENSHOTS / f"{name}.png")

    def test_every_page_in_every_language_at_both_sizes(self):
        browser = self.browser()
        browser.log_in(self.desk.token)
        for language in LANGUAGES:
            browser.resize(DESKTOP)
            browser.open(f"/apps/{APP}/queue")
            if browser.attribute("html", "lang") != language:
                browser.choose_language(language)
            for name, path in self.pages().items():
                browser.open(path)
                for size in (1100, 1000, 760):
                    browser.resize((size, 800))
                    self.assertEqual((browser.overflow() > 0, browser.spilled()), (False, []), f"{name} in {language}, {size} pixels wide")
                for size in (DESKTOP, PHONE):
                    browser.resize(size)
                    self.assertEqual(browser.attribute("html", "lang"), language)
                    self.look(browser, f"{name}-{language}-{size[0]}")

    def test_in_the_dark(self):
        browser = self.browser(dark=True)
        browser.open("/")
        self.look(browser, "login-dark")
        browser.log_in(self.desk.token)
        for name, path in self.pages().items():
            browser.open(path)
            self.look(browser, f"{name}-dark")

    def test_the_login_in_every_language_by_the_browsers_wish(self):
        for language, wish in zip(LANGUAGES, ["en-GB", "fr-CA,en;q=0.5", "uk", "vi-VN", "zh-TW"]):
            browser = self.browser(PHONE, wish)
            browser.open("/")
            self.assertEqual(browser.attribute("html", "lang"), language)
            self.look(browser, f"login-{language}")


class ActionsTest(Filled):
    WEIGHT = 4

    def test_deciding_a_held_case_from_the_queue(self):
        ask(self.desk, "5101", price=9990)
        browser = self.browser()
        browser.log_in(self.desk.token)
        browser.open(f"/apps/{APP}/queue")
        browser.follow(lambda: browser.click("#case-5101 button[value=DECLINE]"))
        self.assertTrue(browser.all(".notice.good"))
        self.assertEqual(browser.all("#case-5101.held"), [])
        decision = self.desk.case("5101")["rounds"][-1]["decision"]
        self.assertEqual((decision["preference"], decision["rule"]), ("DECLINE", "person"))
        acts = [item for item in self.desk.items("/audit") if item["transactionId"] == "5101" and item["kind"] == "decision"]
        self.assertEqual(acts[0]["actor"], "tests")

    def test_deciding_to_send_nothing_from_the_case(self):
        ask(self.desk, "5102", price=9990)
        browser = self.browser(PHONE)
        browser.log_in(self.desk.token)
        browser.open(f"/apps/{APP}/cases/5102")
        browser.follow(lambda: browser.click("button[value=abstain]"))
        self.assertTrue(browser.all(".notice.good"))
        self.assertEqual(self.desk.case("5102")["rounds"][-1]["decision"]["kind"], "abstain")

    def test_who_may_only_read_sees_no_buttons(self):
        token = self.desk.run("token", "create", "--name", "reader", "--scope", "read").stdout.strip()
        browser = self.browser()
        browser.log_in(token)
        browser.open(f"/apps/{APP}/cases/5001")
        self.assertEqual(browser.all("button[name=choice]"), [])
        self.desk.run("token", "revoke", "--name", "reader")
        browser.open(f"/apps/{APP}/queue")
        self.assertTrue(browser.all("#token"), "a revoked token's session goes on")

    def test_a_draft_is_tried(self):
        browser = self.browser()
        browser.log_in(self.desk.token)
        browser.open(f"/apps/{APP}/policy")
        field = browser.find("#draft-text")
        field.clear()
        field.send_keys('{ default: { prefer: "DECLINE" } }')
        browser.follow(lambda: browser.click("main .primary"))
        self.assertTrue(browser.all("#trial"))
        self.assertIn("Guideline 5.6", browser.find("main").text)
        browser.screenshot(SCREENSHOTS / "policy-trial.png")
        browser.find("#draft-text").clear()
        browser.find("#draft-text").send_keys("{ rules: 1 }")
        browser.follow(lambda: browser.click("main .primary"))
        self.assertTrue(browser.all("#remarks"))

    def test_searching(self):
        browser = self.browser()
        browser.log_in(self.desk.token)
        for text, place in (("5002", "/cases/5002"), ("7045001", "/customer?ref=7045001")):
            browser.follow(lambda: browser.find("#q").send_keys(text + "\n"))
            self.assertTrue(browser.driver.current_url.endswith(place), browser.driver.current_url)
        browser.open(f"/apps/{APP}/cases/5002")
        browser.wait(lambda: (browser.text("#decide") or "").startswith("Decision"), "a case that Apple has an answer to offers nothing to decide")
        self.assertEqual(browser.all("button[name=choice]"), [])

    def test_a_test_notification(self):
        browser = self.browser()
        browser.log_in(self.desk.token)
        browser.open(f"/apps/{APP}/health")
        browser.follow(lambda: browser.click("form[action$='/health/test'] button"))
        self.assertTrue(browser.all(".notice"))

    def test_logging_out(self):
        browser = self.browser()
        browser.log_in(self.desk.token)
        browser.follow(lambda: browser.click("form[action='/logout'] button"))
        self.assertTrue(browser.all("#token"))
        browser.open(f"/apps/{APP}/queue")
        self.assertTrue(browser.all("#token"))

    def test_a_link_fills_the_login_in(self):
        browser = self.browser()
        browser.open(f"/login#{self.desk.token}")
        browser.wait(lambda: browser.find("#token").get_attribute("value") == self.desk.token, "the token in the form")
        self.assertNotIn("#", browser.driver.current_url)
        browser.follow(lambda: browser.click("main .primary"))
        self.assertTrue(browser.all(".account"))


class LivingTest(Filled):
    WEIGHT = 3

    def test_the_queue_keeps_itself_up_to_date(self):
        browser = self.browser()
        browser.log_in(self.desk.token)
        browser.open(f"/apps/{APP}/queue")
        browser.wait(lambda: "min" in (browser.text("#case-5002 [data-countdown]") or ""), "a countdown")
        ask(self.desk, "5201", price=990)
        browser.wait(lambda: browser.all("#case-5201"), "the new case")
        self.assertEqual(browser.complaints(), [])

    def test_the_keyboard(self):
        browser = self.browser()
        browser.log_in(self.desk.token)
        browser.open(f"/apps/{APP}/queue")
        browser.press("j")
        first = browser.attribute("[data-chosen]", "id")
        self.assertIsNotNone(first)
        browser.press("j")
        self.assertNotIn(browser.attribute("[data-chosen]", "id"), (first, None))
        browser.press("k")
        self.assertEqual(browser.attribute("[data-chosen]", "id"), first)
        ask(self.desk, "5202", price=990)
        browser.wait(lambda: browser.all("#case-5202"), "the new case")
        self.assertEqual(browser.attribute("[data-chosen]", "id"), first, "a page that renews itself forgets which row is chosen")
        browser.follow(lambda: browser.press("\n"))
        self.assertIn("/cases/", browser.driver.current_url)
        browser.press("?")
        browser.wait(lambda: browser.find("#keys").is_displayed(), "the help")
        self.assertEqual(browser.accessibility_violations(), [])
        browser.click("#keys button")
        browser.wait(lambda: not browser.find("#keys").is_displayed(), "the help's end")
        browser.press("/")
        browser.wait(lambda: browser.driver.execute_script("return document.activeElement.id") == "q", "the search field")

    def test_instants_are_in_the_viewers_zone_with_utc_on_hover(self):
        browser = self.browser()
        browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Ho_Chi_Minh"})
        browser.log_in(self.desk.token)
        browser.open(f"/apps/{APP}/cases")
        time_element = browser.find("time[data-local]")
        self.assertNotIn("UTC", time_element.text)
        self.assertTrue(time_element.get_attribute("title").endswith("UTC"))

    def test_without_javascript(self):
        ask(self.desk, "5301", price=9990)
        browser = self.browser(scripts=False)
        browser.log_in(self.desk.token)
        browser.open(f"/apps/{APP}/queue")
        self.assertIn("UTC", browser.attribute("#case-5301 [data-countdown]", "title"))
        browser.find("#language").send_keys("Fran")
        browser.follow(lambda: browser.click(".languages button"))
        self.assertEqual(browser.attribute("html", "lang"), "fr")
        browser.follow(lambda: browser.click("#case-5301 button[value=GRANT_FULL]"))
        self.assertTrue(browser.all(".notice.good"))
        self.assertEqual(self.desk.case("5301")["rounds"][-1]["decision"]["preference"], "GRANT_FULL")

    def test_a_report_without_javascript(self):
        browser = self.browser(scripts=False)
        browser.log_in(self.desk.token)
        browser.open(f"/apps/{APP}/reports")
        browser.find("select[name=by]").send_keys("Reason")
        browser.find("select[name=zone]").send_keys("Pacific")
        browser.follow(lambda: browser.click("main .filters button"))
        self.assertIn("America/Los_Angeles", browser.find("[aria-labelledby=byRequestDate]").text)
        self.assertTrue(browser.all("[aria-labelledby=byRequestDate] svg"), "a chart that needs no script")
        link = browser.attribute("[aria-labelledby=byRequestDate] a[href*='table.csv']", "href")
        self.assertIn("by=reason", link)
        self.assertIn("zone=America%2FLos_Angeles", link)


if __name__ == "__main__":
    unittest.main()
