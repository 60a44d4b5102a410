"""The files that packages, images and formulas are made from: whether they fit each other and the checkout."""

import fnmatch
import hashlib
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from desk import KEY_PEM, ROOT, command

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
                if words[0] in ("COPY", "ADD"):
                    sources = [word for word in words[1:-1] if not word.startswith("--") and word != "."]
                    if any(word.startswith("--from=") for word in words):  # What the first stage copied from here, or what it made.
                        sources = [source.removeprefix("/src/") for source in sources if source.startswith("/src/")]
                    for source in sources:
                        self.assertSeen(source, "the Dockerfile")
                if words[0] == "RUN":
                    for script in re.findall(r"(?<!\S)(scripts/[\w-]+)", line):
                        self.assertSeen(script, "the Dockerfile")
                        self.assertSeen("scripts/common.bash", script)

    def test_the_checkouts_secrets_and_builds_stay_outside(self):
        for path in (".git", ".build/release/refund-desk", "packaging/docker/.env", "packaging/docker/desk/AuthKey_2X9R4HXF34.p8"):
            self.assertFalse(self.context.has(path), path)


class Examples(unittest.TestCase):
    """The configurations that are installed: without a mistake but for what only the owner has."""

    def check(self, path: str, environment: dict):
        with tempfile.TemporaryDirectory() as folder:
            text = (PACKAGING / path).read_text(encoding="utf-8").replace("sqlite:/var/lib/refund-desk/", "sqlite:")
            Path(folder, "desk.json5").write_text(text, encoding="utf-8")
            key = Path(folder, re.search(r'privateKeyFile: "([^"]+)"', text)[1])
            key.write_bytes(KEY_PEM)
            key.chmod(0o600)
            done = command("check-config", "--config", str(Path(folder, "desk.json5")), environment=environment)
            self.assertEqual((done.returncode, re.findall("^warning.*", done.stdout, re.MULTILINE)), (0, []), done.stdout + done.stderr)

    def test_of_the_debian_package(self):
        self.check("desk.json5", {})

    def test_of_the_containers(self):
        self.check("docker/desk/desk.json5", {"REFUND_DESK_HOST": "refunds.example.com", "POSTGRES_PASSWORD": "0" * 48})

    def test_the_containers_proxy_is_believed_and_nothing_else(self):
        compose = (PACKAGING / "docker/compose.yaml").read_text(encoding="utf-8")
        networks = re.findall(r"subnet: (\S+)", compose)
        self.assertEqual(len(networks), 1)
        trusted = re.search(r"trustedProxies: (\[.*?\])", (PACKAGING / "docker/desk/desk.json5").read_text(encoding="utf-8"))
        self.assertEqual(json.loads(trusted[1]), networks)

    def test_what_compose_asks_for_is_in_its_example(self):
        wanted = set(re.findall(r"\$\{([A-Z_]+):\?", (PACKAGING / "docker/compose.yaml").read_text(encoding="utf-8")))
        given = set(re.findall(r"^([A-Z_]+)=", (PACKAGING / "docker/.env.example").read_text(encoding="utf-8"), re.MULTILINE))
        self.assertEqual(given, wanted)


class Copyright(unittest.TestCase):
    def test_every_licence_that_is_named_stands_there(self):
        text = (PACKAGING / "debian/copyright").read_text(encoding="utf-8")
        self.assertTrue(all(part.startswith(("Format:", "Files:", "License:")) for part in text.split("\n\n")))
        named = {each for line in re.findall(r"^License: (.+)\n(?! )", text, re.MULTILINE) for each in re.split(r" and ", line)}
        given = set(re.findall(r"^License: (.+)\n ", text, re.MULTILINE))
        self.assertEqual(named, given)
        self.assertIn("Unicode-3.0", named, "Foundation brings ICU, and a static build links it in")


class Formula(unittest.TestCase):
    """Homebrew's, which no test builds: that what it names is there, and that it claims no system that the server does not build on."""

    def setUp(self):
        with tempfile.NamedTemporaryFile() as sources:
            sources.write(b"sources")
            sources.flush()
            self.text = subprocess.run([ROOT / "scripts/homebrew-formula", "https://example.com", "https://example.com/0.1.0.tar.gz", sources.name],
                                       capture_output=True, text=True, check=True, timeout=60).stdout

    def test_nothing_is_left_to_fill_in(self):
        self.assertNotRegex(self.text, r"@[A-Z0-9]+@")
        self.assertIn(hashlib.sha256(b"sources").hexdigest(), self.text)

    def test_it_is_for_linux_alone(self):
        self.assertIn("depends_on :linux", self.text)
        self.assertNotRegex(self.text, r"depends_on (macos|xcode)|uses_from_macos")
        for page in ("README.md", "docs/installing.md", "CHANGELOG.md"):
            for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
                if "Homebrew" in line and "](" not in line:
                    self.assertNotRegex(line, r"\bMac\b", page)

    def test_what_it_replaces_and_installs_is_there(self):
        replaced = re.findall(r'inreplace "([^"]+)", "([^"]+)"', self.text)
        self.assertTrue(replaced)
        for path, text in replaced:
            self.assertIn(text, (ROOT / path).read_text(encoding="utf-8"))
        example = (PACKAGING / "desk.json5").read_text(encoding="utf-8")
        for _, text in replaced:
            example = example.replace(text, "")
        self.assertNotIn("/var/", example, "a path that is not Homebrew's")
        for path in re.findall(r'\.install "(packaging/[^"]+)"', self.text):
            self.assertTrue((ROOT / path).is_file(), path)


if __name__ == "__main__":
    unittest.main()
