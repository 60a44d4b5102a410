"""The files that packages, images and formulas are made from: whether they fit each other and the checkout."""

import fnmatch
import hashlib
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from desk import ROOT

PACKAGING = ROOT / "packaging"


def stages(dockerfile: str) -> list[list[str]]:
    """The instructions of each stage; comments and continued lines are gone."""
    text = re.sub(r"^\s*#.*\n", "", dockerfile, flags=re.MULTILINE).replace("\\\n", " ")
    return [part.strip().splitlines() for part in re.split(r"^(?=FROM )", text, flags=re.MULTILINE) if part.strip()]


class Context:
    """What of the checkout an image's build gets to see, by .dockerignore: the last pattern that matches a path or a folder above it decides."""

    def __init__(self, text: str):
        lines = [line.strip() for line in text.splitlines()]
        self.patterns = [line for line in lines if line and not line.startswith("#")]

    def has(self, path: str) -> bool:
        parts = Path(path).parts
        above = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        seen = True
        for pattern in self.patterns:
            if any(fnmatch.fnmatchcase(each, pattern.lstrip("!").strip("/")) for each in above):
                seen = pattern.startswith("!")
        return seen


class Image(unittest.TestCase):
    def setUp(self):
        self.dockerfile = (PACKAGING / "docker/Dockerfile").read_text(encoding="utf-8")
        self.context = Context((ROOT / ".dockerignore").read_text(encoding="utf-8"))

    def assertSeen(self, path: str, why: str):
        self.assertTrue((ROOT / path).exists(), f"{why} names {path}, which is not there")
        self.assertTrue(self.context.has(path), f".dockerignore keeps {path} from the build, and {why} names it")

    def test_the_build_sees_every_target(self):
        manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
        paths = re.findall(r'\bpath: "([^"]+)"', manifest)
        self.assertGreater(len(paths), 3)
        self.assertTrue(any(path.startswith("Examples/") for path in paths))
        for path in ["Package.swift", "Sources", "Tests", *paths]:
            self.assertSeen(path, "Package.swift")

    def test_the_build_sees_what_the_dockerfile_copies_and_runs(self):
        for lines in stages(self.dockerfile):
            for line in lines:
                words = line.split()
                if words[0] in ("COPY", "ADD") and not any(word.startswith("--from=") for word in words):
                    for source in [word for word in words[1:-1] if not word.startswith("--") and word != "."]:
                        self.assertSeen(source, "the Dockerfile")
                if words[0] == "RUN":
                    for script in re.findall(r"(?<!\S)(scripts/[\w-]+)", line):
                        self.assertSeen(script, "the Dockerfile")
                        self.assertSeen("scripts/common.bash", script)

    def test_the_checkouts_secrets_and_builds_stay_outside(self):
        for path in (".git", ".build/release/refund-desk", "packaging/docker/.env", "packaging/docker/desk/AuthKey_2X9R4HXF34.p8"):
            self.assertFalse(self.context.has(path), path)


if __name__ == "__main__":
    unittest.main()
