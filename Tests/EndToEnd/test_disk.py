"""A full disk, a database that cannot be written to at the start or under way: nothing acknowledged is lost, and it recovers by itself."""

import errno
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

from desk import BINARY, Desk
from payloads import APP, body, notification, period, purchase, renewal, request
from signing import now_ms
from waiting import eventually

SIZE = 12 << 20
NOBODY = 65_534


def can_mount() -> bool:
    if os.getuid() != 0:
        return False
    folder = tempfile.mkdtemp(prefix="desk-mount-")
    try:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True)
        if done.returncode == 0:
            subprocess.run(["umount", folder], check=True)
        return done.returncode == 0
    finally:
        os.rmdir(folder)


needs_mount = unittest.skipUnless(can_mount(), "mounting needs root, and a system that permits it")


class VolumeDesk(unittest.TestCase):
    """The database stands in a folder of its own."""

    def setUp(self):
        self.desk = Desk(app={"consent": {"mode": "blanket", "attestation": "the tests"}}, top={"database": "sqlite:volume/desk.db"}, start=False)
        self.addCleanup(self.desk.close)
        self.volume = os.path.join(self.desk.folder, "volume")
        os.mkdir(self.volume)
        self.prepare()
        self.desk.token = self.desk.run("token", "create", "--name", "tests", "--scope", "admin").stdout.strip()
        self.desk.start()
        self.acknowledged = []

    def prepare(self):
        pass

    def prepare_volume(self):
        """A small file system."""
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", self.volume], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.volume], check=True)

    def fill(self):
        with open(os.path.join(self.volume, "filler"), "ab", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(4_096))
            except OSError as error:
                self.assertEqual(error.errno, errno.ENOSPC)

    def make_room(self):
        os.remove(os.path.join(self.volume, "filler"))

    def post(self) -> tuple:
        """One notification of Apple's size; its status and headers. Remembers what was acknowledged."""
        transaction = period()
        payload = request(transaction) if len(self.acknowledged) % 3 == 0 else notification(
            "SUBSCRIBED", "INITIAL_BUY", transaction, renewal(transaction), bundleVersion="9" * 6_000)
        status, answer, headers = self.desk.http("POST", f"/v1/apps/{APP}/notifications", body(payload), token=False)
        if status == 200:
            self.acknowledged.append(payload["notificationUUID"])
        else:
            self.assertEqual((status, headers["retry-after"].isdigit(), answer["code"]), (503, True, "unavailable"))
        return status

    def ready(self) -> tuple:
        return self.desk.http("GET", "/readyz", token=False)[:2]

    def all_is_there(self):
        kept = {item["notificationUUID"] for item in self.desk.items("/notifications", limit=100)}
        self.assertEqual(set(self.acknowledged) - kept, set())


@needs_mount
class FullDisk(VolumeDesk):
    def prepare(self):
        self.prepare_volume()

    def test_503_until_there_is_room_and_nothing_is_lost(self):
        before = [self.post() for _ in range(20)]
        self.assertEqual((set(before), self.ready()), ({200}, (200, {"status": "ready"})))
        known = purchase()
        self.desk.post_payload(notification("ONE_TIME_CHARGE", transaction=known))
        pid = self.desk.running.process.pid
        self.fill()
        eventually(lambda: self.post() == 503, 60, "the disk is full to the desk too")
        self.assertEqual({self.post() for _ in range(10)} - {200, 503}, set())
        status, problem = self.ready()
        self.assertEqual(status, 503)
        self.assertIn("disk is full", problem["detail"])
        refused = self.desk.api("PUT", "/customers/x/consent", {"consented": True, "source": "in-app dialog", "textVersion": "1"}, 503)
        self.assertEqual(refused["code"], "unavailable")
        # Meanwhile everything can be read, and the process is alive.
        self.all_is_there()
        self.assertEqual(self.desk.entitlements(known["appTransactionId"])["balances"][0]["net"], 100)
        self.assertEqual(self.desk.http("GET", "/healthz", token=False)[0], 200)
        self.assertIn("the disk is full", self.desk.errors())
        self.make_room()
        eventually(lambda: self.post() == 200, 30, "it takes notifications again")
        eventually(lambda: self.ready()[0] == 200, 20, "it says so")
        self.assertEqual(self.desk.running.process.pid, pid, "by itself")
        self.all_is_there()
        asked = [case["transactionId"] for case in self.desk.items("/cases", limit=100)]
        self.assertGreater(len(asked), 5)
        eventually(lambda: set(asked) <= {call["path"].rsplit("/", 1)[1] for call in self.desk.store.answers()}, 90, "all are answered")
        self.desk.check_replay()

    def test_killed_while_it_is_full(self):
        for _ in range(10):
            self.assertEqual(self.post(), 200)
        self.fill()
        eventually(lambda: self.post() == 503, 60, "the disk is full to the desk too")
        self.desk.stop(signal.SIGKILL)
        done = subprocess.run([BINARY, "serve", "--config", "desk.json5"], cwd=self.desk.folder, capture_output=True, text=True, timeout=5) \
            if not self.starts_full() else None
        if done:
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("disk", done.stderr)
        self.make_room()
        if done:
            self.desk.start()
        eventually(lambda: self.post() == 200, 30)
        self.all_is_there()
        self.desk.check_replay()

    def starts_full(self) -> bool:
        """Whether it serves, as far as a full disk lets it."""
        try:
            self.desk.start()
        except AssertionError:
            return False
        return True


class ReadOnly(unittest.TestCase):
    """As a user that is not root: root may write anywhere."""

    def setUp(self):
        self.desk = Desk(start=False)
        self.addCleanup(self.desk.close)
        self.folder = os.path.join(self.desk.folder, "data")
        os.mkdir(self.folder)
        self.desk.configuration["database"] = "sqlite:data/desk.db"
        self.desk.configure()
        self.prefix = []
        if os.getuid() == 0:
            if not shutil.which("setpriv"):
                self.skipTest("there is no setpriv")
            self.prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            for folder, _, names in os.walk(self.desk.folder):
                for name in [folder, *(os.path.join(folder, each) for each in names)]:
                    os.chown(name, NOBODY, NOBODY)

    def as_user(self, *words, code):
        done = subprocess.run([*self.prefix, BINARY, *words, "--config", "desk.json5"], cwd=self.desk.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def refused(self, *names, code=2):
        """One line that names the file or folder and says what to do; nothing on stdout."""
        done = self.as_user("serve", code=code)
        self.assertEqual((done.stdout, len(done.stderr.strip().splitlines())), ("", 1), done.stderr)
        for name in names:
            self.assertIn(name, done.stderr)
        self.assertRegex(done.stderr, "check the permissions|give this user the right")

    def test_a_folder_that_cannot_be_written_to(self):
        os.chmod(self.folder, 0o500)
        self.addCleanup(os.chmod, self.folder, 0o700)
        self.refused("database", self.folder)

    def test_a_file_that_cannot_be_written_to(self):
        self.as_user("token", "create", "--name", "tests", code=0)
        os.chmod(os.path.join(self.folder, "desk.db"), 0o400)
        self.refused("desk.db", code=1)
        done = self.as_user("token", "create", "--name", "more", code=2)
        self.assertIn("desk.db", done.stderr)

    def test_a_folder_that_became_read_only_later(self):
        self.as_user("token", "create", "--name", "tests", code=0)
        os.chmod(self.folder, 0o500)
        self.addCleanup(os.chmod, self.folder, 0o700)
        self.refused("database", self.folder)


class ReadOnlyUnderWay(VolumeDesk):
    def immutable(self, flag) -> bool:
        """The database and its log. The index of the log is memory shared by a mapping: what takes that away ends any process that uses it."""
        files = [os.path.join(self.volume, name) for name in os.listdir(self.volume) if not name.endswith("-shm")]
        return subprocess.run(["chattr", flag, *files], capture_output=True).returncode == 0

    def test_503_until_it_can_be_written_to_again(self):
        self.assertEqual({self.post() for _ in range(10)}, {200})
        if not self.immutable("+i"):
            self.skipTest("this file system has no immutable files")
        self.addCleanup(self.immutable, "-i")
        if self.post() == 200:
            self.skipTest("this file system lets open files be written to")
        self.assertEqual({self.post() for _ in range(5)}, {503})
        self.assertEqual(self.ready()[0], 503)
        self.all_is_there()
        self.immutable("-i")
        eventually(lambda: self.post() == 200, 30, "it takes notifications again")
        eventually(lambda: self.ready()[0] == 200, 20, "it says so")
        self.all_is_there()
        self.desk.check_replay()
