"""Makes the pictures of the documentation: a demo is run, and its dashboard looked at.

The binary is REFUND_DESK, else the checkout's release or debug build. usage: picture.py FOLDER"""

import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from browser import Browser  # noqa: E402
from desk import BINARY  # noqa: E402


def demo():
    """The process, its URL and its token."""
    process = subprocess.Popen([BINARY, "demo", "--listen", "127.0.0.1:0", "--fast", "20"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
    said = ""
    while "login#" not in said:
        line = process.stdout.readline()
        assert line, f"the demo ended: {said}"
        said += line
    url, token = re.search(r"(http://\S+)/login#(\S+)", said).groups()
    return process, url, token


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    process, url, token = demo()
    try:
        browser = Browser(url, size=(1100, 720))
        browser.log_in(token)
        end = time.monotonic() + 120
        while True:  # Live traffic runs: wait for a queue with something to decide.
            browser.open("/apps/acme/queue")
            if len(browser.all("main tr")) >= 4 or time.monotonic() > end:
                break
            time.sleep(1)
        browser.screenshot(folder / "queue.png")
        browser.close()
    finally:
        process.terminate()
        process.wait(30)


main()
