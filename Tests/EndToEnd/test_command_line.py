"""How the command line behaves: help that teaches, advice, exit codes, results for programs, terminals and pipes."""

import json
import os
import pty
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

from desk import BINARY, Desk, command
from payloads import APP, period, purchase, request
from signing import CHAIN


def commands() -> list[str]:
    """Every command's name, as the overview lists it."""
    listed = command("--help").stdout.split("commands:\n")[1].split("\n\n")[0]
    return [re.split(r" {2,}", line.strip())[0] for line in listed.splitlines()]


def on_terminal(words, folder, streams=("stderr",), environment=None) -> tuple[int, str, str]:
    """Runs a command with a terminal as its standard error or output, the rest into pipes: exit code, terminal's text, pipe's text."""
    ours, theirs = pty.openpty()
    pipe = subprocess.PIPE
    process = subprocess.Popen([BINARY, *words], cwd=folder, stdin=subprocess.DEVNULL, env=os.environ | (environment or {}),
                               stdout=theirs if "stdout" in streams else pipe, stderr=theirs if "stderr" in streams else pipe)
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:  # Linux's way of saying that nobody writes to it any more.
        pass
    os.close(ours)
    out, err = process.communicate(timeout=60)
    return process.returncode, seen.decode(), ((out or b"") + (err or b"")).decode()


class Help(unittest.TestCase):
    def test_every_command_teaches(self):
        """Each has examples, and every option in them is one that the command takes."""
        names = commands()
        self.assertGreater(len(names), 20)
        for name in names:
            with self.subTest(name):
                text = command(*name.split(), "--help").stdout
                self.assertTrue(text.startswith(f"usage: refund-desk {name}"), text[:80])
                known = set(re.findall(r"--[a-z-]+", text.split("examples:")[0]))
                examples = [line for line in text.split("examples:\n")[1].splitlines() if not line.startswith("  #")]
                self.assertTrue(examples)
                for line in examples:
                    self.assertIn(f"refund-desk {name}", line)
                    self.assertLessEqual(set(re.findall(r" (--[a-z-]+)", line)), known, line)

    def test_the_ways_to_help_are_one(self):
        wanted = command("token", "create", "--help").stdout
        for words in (["help", "token", "create"], ["token", "create", "-h"], ["token", "create", "--config", "x", "--help"]):
            done = command(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, wanted, ""), words)
        self.assertEqual(command("help").stdout, command("--help").stdout)
        self.assertEqual(command("help", "nonsense").returncode, 2)

    def test_advice(self):
        for words, advice in (
                (["sreve"], 'did you mean "serve"?'), (["tokn", "create"], 'did you mean "token"?'),
                (["token", "crate"], 'did you mean "token create"?'), (["token"], "token create, token list, token revoke"),
                (["serve", "--confg", "x"], 'did you mean "--config"?'), (["doctor", "--aap", "x"], 'did you mean "--app"?'),
                (["serve"], "--config FILE is required"), (["qqqqqqqq"], "refund-desk --help"), (["serve", "more"], "serve --help"),
                (["verify", "--at", "soon"], "whole number")):
            with self.subTest(words):
                done = command(*words, stdin="")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(advice, done.stderr)

    def test_a_missing_app_is_told_what_apps_there_are(self):
        with Desk(start=False) as desk:
            for words in (["backfill"], ["reconcile"], ["policy", "test"], ["export"], ["doctor"], ["forget", "--customer", "x"]):
                self.assertIn(APP, desk.run(*words, "--app", "acmee", code=2).stderr, words)


class ExitCodes(unittest.TestCase):
    """0 done, 1 the thing asked about is not so, 2 wrong usage or configuration: for every command."""

    def setUp(self):
        self.desk = Desk(start=False)
        self.addCleanup(self.desk.close)
        self.file = os.path.join(self.desk.folder, "desk.json5")
        self.tried = {}

    def ends(self, code, *words, configured=True, stdin=""):
        words = [*words, "--config", self.file] if configured else list(words)
        done = command(*words, folder=self.desk.folder, stdin=stdin)
        self.assertEqual(done.returncode, code, (words, done.stdout[-600:], done.stderr[-600:]))
        if code == 2:
            self.assertEqual((done.stdout, len(done.stderr.strip().splitlines())), ("", 1), (words, done.stderr))
        name = next(name for name in commands() if words[:len(name.split())] == name.split())
        self.tried.setdefault(name, set()).add(code)
        return done

    def test_each(self):
        self.tokens()
        self.files()
        self.database()
        self.ledger()
        self.store()
        self.shells()
        never_not_so = {"token list", "completion", "manual", "demo", "serve", "simulator", "policy test", "migrate"}
        # With an Apple that does not answer: test_catchup.py and test_reconcile.py. A desk in good health: test_doctor.py.
        elsewhere = {("backfill", 1), ("reconcile", 1), ("doctor", 0)}
        for name in commands():
            if name.split()[0] in {"report", "sales"}:
                continue  # With sales and refunds to report on: test_reports.py.
            with self.subTest(name):
                # Servers end by a signal, with 0: desk.py demands that of each.
                wanted = {2} | (set() if name in {"demo", "serve", "simulator"} else {0})
                wanted |= set() if name in never_not_so else {1}
                self.assertGreaterEqual(self.tried.get(name, set()), {code for code in wanted if (name, code) not in elsewhere})

    def tokens(self):
        self.ends(0, "token", "create", "--name", "a", "--scope", "read")
        self.ends(1, "token", "create", "--name", "a")
        self.ends(2, "token", "create", "--name", "b", "--scope", "much")
        self.ends(0, "token", "list")
        self.ends(2, "token", "list", configured=False)
        self.ends(0, "token", "revoke", "--name", "a")
        self.ends(1, "token", "revoke", "--name", "a")
        self.ends(2, "token", "revoke")

    def files(self):
        self.ends(0, "check-config")
        self.desk.write("bad.json5", b"{ listen: 5 }")
        self.ends(1, "check-config", "--config", "bad.json5", configured=False)
        self.ends(2, "check-config", configured=False)
        self.desk.write("policy.json5", b"{ rules: [] }")
        self.ends(0, "policy", "check", "policy.json5", configured=False)
        self.ends(1, "policy", "check", "bad.json5", configured=False)
        self.ends(2, "policy", "check", configured=False)
        signed = CHAIN.sign(purchase())
        self.ends(0, "verify", "-", "--root", "root.pem", configured=False, stdin=signed)
        self.ends(1, "verify", "-", configured=False, stdin=signed)
        self.ends(2, "verify", "none.json", configured=False)

    def database(self):
        self.ends(0, "migrate")
        self.ends(2, "migrate", "--from", "sqlite:none.db")
        self.ends(0, "replay", "--check")
        self.ends(0, "export")
        self.ends(2, "export", "--app", "nobody")
        self.ends(0, "audit", "verify")
        self.ends(1, "audit", "verify", "--hash", "ab" * 32)
        self.ends(2, "audit", "verify", "--hash", "ab")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "token", "list", "--json", "--config", self.file], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1, "what could not be written looks like all there is")
        self.assertIn("not all", done.stderr)

    def ledger(self):
        self.desk.token = self.desk.run("token", "create", "--name", "tests", "--scope", "admin").stdout.strip()
        self.desk.start()
        transaction = period()
        self.desk.post_payload(request(transaction))
        self.assertEqual(self.desk.stop(), 0)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "export", "--config", self.file], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.tried["export"].add(1)
        with sqlite3.connect(os.path.join(self.desk.folder, "desk.db")) as database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE name LIKE '%purchase%' AND type = 'table'")]
            self.assertTrue(tables)
            for name in tables:
                database.execute(f'DELETE FROM "{name}"')
        self.ends(1, "replay", "--check")
        self.ends(0, "replay")
        self.ends(2, "replay", configured=False)
        self.ends(0, "policy", "test", "--app", APP)
        self.ends(2, "policy", "test", "--app", APP, "--since", "soon")
        self.ends(1, "forget", "--app", APP, "--customer", "nobody")
        self.ends(0, "forget", "--app", APP, "--customer", transaction["originalTransactionId"])
        self.ends(2, "forget", "--app", APP)

    def store(self):
        self.ends(0, "backfill", "--app", APP)
        self.ends(2, "backfill", "--app", APP, "--since", "soon")
        self.ends(0, "reconcile", "--app", APP)
        self.ends(2, "reconcile", "--app", "nobody")
        self.ends(2, "doctor", "--app", "nobody")
        self.ends(1, "doctor")  # The test notification is lost.
        self.ends(2, "demo", "--fast", "0", configured=False)
        self.ends(2, "serve", "--listen", "nowhere")
        self.ends(2, "simulator", configured=False)
        self.ends(0, "simulate", "list", configured=False)
        self.ends(2, "simulate", "nonsense", configured=False)
        self.ends(1, "simulate", "forged", "--data", "store", "--to", "http://127.0.0.1:1/", configured=False)

    def shells(self):
        self.ends(0, "completion", "bash", configured=False)
        self.ends(2, "completion", "csh", configured=False)
        self.ends(0, "manual", configured=False)
        self.ends(2, "manual", "more", configured=False)


class ForPrograms(unittest.TestCase):
    def test_json_alone_on_stdout(self):
        with Desk() as desk:
            desk.post_payload(request(period()))
            for words, key in (
                    (["check-config"], "mistakes"), (["token", "create", "--name", "x"], "token"), (["token", "list"], None),
                    (["policy", "test", "--app", APP], "requests"), (["backfill", "--app", APP], "ledgers"), (["migrate"], "schema"),
                    (["reconcile", "--app", APP], "asked"), (["replay", "--check"], "differences"), (["audit", "verify"], "head"),
                    (["doctor"], "checks"), (["forget", "--app", APP, "--customer", "nobody"], None)):
                with self.subTest(words):
                    done = desk.run(*words, "--json", code=None)
                    if words[0] == "forget":
                        self.assertEqual((done.returncode, done.stdout), (1, ""))
                        continue
                    value = json.loads(done.stdout)
                    self.assertIn(key, value) if key else self.assertIsInstance(value, list)
            for line in desk.run("export").stdout.splitlines():
                json.loads(line)
        self.assertIsInstance(json.loads(command("simulate", "list", "--json").stdout), list)
        self.assertFalse(json.loads(command("verify", "-", "--json", stdin="a.b.c").stdout)["valid"])

    def test_every_command_that_prints_a_result_takes_json(self):
        """But for those whose result is a token alone, JSON lines, a script, a page, or a line that says where a server listens."""
        without = {"serve", "simulator", "export", "completion", "manual", "token revoke"}
        for name in commands():
            text = command(*name.split(), "--help").stdout
            self.assertEqual("--json" in text or "--format" in text, name not in without, name)


class Terminals(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.addCleanup(self.desk.close)
        for _ in range(3):
            self.desk.post_payload(request(period()))
        self.desk.stop()

    def words(self, *words):
        return [*words, "--config", "desk.json5"]

    def test_progress_only_on_terminals_and_on_stderr(self):
        for words, text in ((["replay", "--check"], "log entries folded: "), (["export"], "log entries written: "),
                            (["backfill", "--app", APP], "seen"), (["doctor"], "looking at: ")):
            with self.subTest(words):
                _, seen, piped = on_terminal(self.words(*words), self.desk.folder)
                self.assertIn(text, seen)
                self.assertIn("\r", seen)
                self.assertTrue(seen.rstrip("\n").endswith("\x1b[K"), f"the line is not cleared: {seen!r}")
                self.assertTrue(piped and "\r" not in piped and "\x1b" not in piped, piped[:200])
                self.assertNotRegex(on_terminal(self.words(*words), self.desk.folder, environment={"TERM": "dumb"})[1], r"\r[^\n]|\x1b")
                quiet = self.desk.run(*words, code=None)
                self.assertNotRegex(quiet.stdout + quiet.stderr, r"[\r\x1b]")

    def test_colours_only_on_terminals_that_want_them(self):
        words = self.words("doctor")
        self.assertIn("\x1b[3", on_terminal(words, self.desk.folder, ["stdout"])[1])
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b[3", on_terminal(words, self.desk.folder, ["stdout"], environment)[1], environment)
        self.assertIn("\x1b[3", on_terminal(words, self.desk.folder, ["stdout"], {"NO_COLOR": ""})[1], "set but empty asks for nothing")


class WrittenFromTheTable(unittest.TestCase):
    """Completions and manual say all that the commands' own help says."""

    def test_the_manual(self):
        page = command("manual").stdout
        plain = page.replace("\\-", "-").replace("\\(aq", "'").replace("\\(ga", "`").replace("\\e", "\\")
        for name in commands():
            self.assertIn(f'.SS "refund-desk {name}', plain)
            for option in re.findall(r"^  (--\S+)", command(*name.split(), "--help").stdout, re.M):
                self.assertIn(option, plain.split(f'.SS "refund-desk {name}')[1].split(".SS")[0], name)
        if not shutil.which("man"):
            self.skipTest("there is no man to look at it")
        with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
            file.write(page)
            file.flush()
            done = subprocess.run(["man", "--warnings", "-l", file.name], capture_output=True, text=True,
                                  env=os.environ | {"LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def complete(self, *words) -> set[str]:
        """What bash offers for a line's last word."""
        script = command("completion", "bash").stdout + (
            f'\nCOMP_WORDS=({" ".join(repr(word) for word in ["refund-desk", *words])}); COMP_CWORD={len(words)}'
            '\n_refund_desk; printf "%s\\n" "${COMPREPLY[@]}"')
        folder = os.path.dirname(BINARY)
        done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, cwd=Path(__file__).parent,
                              env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return set(done.stdout.split())

    def test_bash(self):
        self.assertEqual(self.complete("se"), {"serve"})
        self.assertLessEqual({name.split()[0] for name in commands()}, self.complete(""))
        self.assertEqual(self.complete("token", ""), {"create", "list", "revoke", "--help"})
        self.assertEqual(self.complete("token", "create", "--"), {"--config", "--name", "--scope", "--json", "--help"})
        self.assertEqual(self.complete("token", "create", "--scope", ""), {"read", "write", "admin"})
        self.assertEqual(self.complete("backfill", "--environment", "S"), {"Sandbox"})
        self.assertEqual(self.complete("serve", "--config", "requirements"), {"requirements.txt"})
        self.assertEqual(self.complete("policy", "check", "requirements"), {"requirements.txt"})
        self.assertIn("request-granted", self.complete("simulate", "request"))
        self.assertEqual(self.complete("completion", ""), {"bash", "zsh", "fish"})
        for name in commands():
            options = set(re.findall(r"^  (--[a-z-]+)", command(*name.split(), "--help").stdout, re.M)) | {"--help"}
            self.assertEqual(self.complete(*name.split(), "-"), options, name)

    def test_the_other_shells_read_theirs(self):
        for shell in ("zsh", "fish"):
            with self.subTest(shell):
                script = command("completion", shell).stdout
                for name in commands():
                    self.assertIn(name.split()[-1], script)
                if path := shutil.which(shell):
                    done = subprocess.run([path, "-n"], input=script, capture_output=True, text=True)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
