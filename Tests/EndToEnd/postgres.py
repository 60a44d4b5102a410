"""A PostgreSQL of its own for a test, and a PgBouncer before it; both vanish with it."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlsplit

from waiting import eventually

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/postgres"
IS_INSTALLED = any(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or shutil.which("initdb") is not None
needs_postgres = unittest.skipUnless(IS_INSTALLED, "there is no PostgreSQL: run scripts/setup --tests")
needs_pgbouncer = unittest.skipUnless(IS_INSTALLED and shutil.which("pgbouncer"), "there is no pgbouncer: run scripts/setup --tests")


class Postgres:
    """`url` names it. Durable: what it confirmed is on the disk."""

    def __init__(self):
        self.parent = tempfile.mkdtemp(prefix="desk-postgres-")
        os.chmod(self.parent, 0o755)
        self.folder = os.path.join(self.parent, "server")
        self.url = self._do("start", "--durable").strip()
        self.bouncer = None

    def _do(self, action, *options) -> str:
        done = subprocess.run([SCRIPT, action, *options, self.folder], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"scripts/postgres {action}: {done.stderr}"
        return done.stdout

    def halt(self):
        self._do("halt")

    def resume(self):
        self._do("resume")

    def bounce(self) -> str:
        """Starts a PgBouncer in transaction mode; its URL for the desk."""
        parts = urlsplit(self.url)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        folder = os.path.join(self.parent, "bouncer")
        os.mkdir(folder)
        users, settings = os.path.join(folder, "users"), os.path.join(folder, "pgbouncer.ini")
        Path(users).write_text(f'"{parts.username}" "{parts.password}"\n')
        Path(settings).write_text(
            f"[databases]\npostgres = host=127.0.0.1 port={parts.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
            f"auth_type = plain\nauth_file = {users}\npool_mode = transaction\nunix_socket_dir =\nlogfile = {folder}/log\n"
            "default_pool_size = 6\n")
        shutil.chown(folder, "postgres") if os.getuid() == 0 else None
        as_owner = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        self.bouncer = subprocess.Popen(as_owner + [shutil.which("pgbouncer"), "-q", settings], start_new_session=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually(lambda: self._listens(port), what="PgBouncer listens")
        return f"postgres://{parts.username}:{parts.password}@127.0.0.1:{port}/postgres?pooling=transaction"

    @staticmethod
    def _listens(port: int) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def close(self):
        if self.bouncer:
            os.killpg(self.bouncer.pid, signal.SIGTERM)
            self.bouncer.wait(20)
        self._do("stop")
        shutil.rmtree(self.parent, ignore_errors=True)
