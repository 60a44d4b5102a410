"""A headless Chromium that writes down what a page complains about and whom it asks.

A page may be replaced, whole by a form or in parts by its own script, between any two commands to the driver. So whatever leads to another
page goes through ``follow``, and what a living page says is read in one command (``text``, ``attribute``)."""

import base64
import json
from pathlib import Path
from urllib.parse import urlsplit

import selenium_axe_python
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PHONE, DESKTOP = (360, 740), (1280, 800)
AXE = (Path(selenium_axe_python.__file__).parent / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


class Browser:
    """``scripts`` off is a browser without JavaScript."""

    def __init__(self, url: str, size=DESKTOP, language="en", dark=False, scripts=True):
        self.url, self.size = url, size
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--no-first-run", "--disable-background-networking", "--disable-component-update"):
            options.add_argument(word)
        options.binary_location = "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        if not scripts:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"Accept-Language": language}})
        self.resize(size)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def resize(self, size):
        self.size = size
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 500})

    def close(self):
        self.driver.quit()

    def open(self, path: str):
        self.driver.get(self.url + path)

    def find(self, selector: str):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait(self, condition, what: str, seconds=60):
        patience = WebDriverWait(self.driver, seconds, poll_frequency=0.1, ignored_exceptions=[StaleElementReferenceException])
        return patience.until(lambda _: condition(), what)

    def text(self, selector: str) -> str | None:
        """What the first such element says, read in one command; None where there is none."""
        return self.driver.execute_script("return document.querySelector(arguments[0])?.innerText ?? null", selector)

    def attribute(self, selector: str, name: str) -> str | None:
        return self.driver.execute_script("return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null", selector, name)

    def press(self, key: str):
        """To whatever has the focus."""
        self.driver.switch_to.active_element.send_keys(key)

    def click(self, selector: str):
        """An element that was replaced before the click was not clicked: the one in its place is."""
        self.wait(lambda: self.find(selector).click() or True, selector)

    def follow(self, act):
        """Does ``act``, a form or link that leads to another page, and waits until that page is all there."""
        before = self._page()
        act()
        self.wait(lambda: self._page() != before, "another page")
        self.wait(lambda: self.driver.execute_script("return document.readyState") == "complete", "the whole of another page")

    def _page(self) -> str:
        """Another with each page that is loaded, from the same address too."""
        return self.driver.execute_cdp_cmd("Page.getFrameTree", {})["frameTree"]["frame"]["loaderId"]

    def log_in(self, token: str):
        self.open("/login")
        self.find("#token").send_keys(token)
        self.follow(lambda: self.click("main .primary"))
        assert self.all(".account"), "not logged in"

    def choose_language(self, code: str):
        """By the page's own select, as a person would."""
        self.follow(lambda: self.driver.execute_script(
            "const s = document.getElementById('language'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", code))
        assert self.attribute("html", "lang") == code, f"the page is not in {code}"

    def complaints(self) -> list[str]:
        """What the console said since the last call, hints apart."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] not in ("DEBUG", "INFO")]

    def foreign_requests(self) -> list[str]:
        """Whom pages asked since the last call beside the desk itself."""
        own, asked = urlsplit(self.url).netloc, []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        return [url for url in asked if urlsplit(url).netloc != own and not url.startswith(("data:", "about:", "chrome"))]

    def accessibility_violations(self) -> list[str]:
        """axe-core's, in the page's own world apart, so that the page's content policy holds for the page alone."""
        frame = self.driver.execute_cdp_cmd("Page.getFrameTree", {})["frameTree"]["frame"]["id"]
        world = self.driver.execute_cdp_cmd("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"]
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE, "contextId": world})
        found = self.driver.execute_cdp_cmd("Runtime.evaluate", {
            "expression": "axe.run(document).then(r => JSON.stringify(r.violations.map(v => [v.id, v.help, v.nodes.map(n => n.html)])))",
            "contextId": world, "awaitPromise": True})
        if "exceptionDetails" in found:
            raise AssertionError(f"axe did not run: {found['exceptionDetails']}")
        return [f"{name} ({text}): {nodes[:3]}" for name, text, nodes in json.loads(found["result"]["value"])]

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return self.driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")

    def spilled(self) -> list[str]:
        """What holds more than it is wide, and shows it beyond its edge; the frames of tables reach over by 4 pixels."""
        return self.driver.execute_script("""
            const isCut = e => ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(e).overflowX);
            const isMeant = e => e.matches('.timeline li, tr') || getComputedStyle(e).display === 'inline';  // dots on the line; heads for ears alone
            return [...document.querySelectorAll('main *')].filter(e => e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 4 && !isCut(e) && !isMeant(e))
                .map(e => `${e.tagName}.${e.className} ${e.innerText.slice(0, 60)}: ${e.scrollWidth} in ${e.clientWidth}`).slice(0, 5)""")

    def screenshot(self, file: Path):
        height = self.driver.execute_script("return document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": self.size[0], "height": min(height, 4000), "scale": 1}
        picture = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        file.write_bytes(base64.b64decode(picture["data"]))
