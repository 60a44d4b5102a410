"""A folder as the documentation speaks of it: a desk with an App Store simulator behind it, some facts, and `refund-desk` on PATH."""

import functools
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.request
from pathlib import Path

from desk import BINARY, ROOT, Background, command
from postgres import Postgres

# Names in the documentation, and what stands for them here.
POSTGRES_URL = "postgres://desk:${PGPASSWORD}@db.internal/desk"
READY = {"serve": r"^refund-desk listening on http://", "demo": r"^Refund Desk demo: http://", "simulator": r"http://"}


_one_at_a_time = threading.Lock()


def promtool() -> str:
    """Where it is; nothing where there is none and none can be had."""
    with _one_at_a_time:
        return _find_promtool()


@functools.cache
def _find_promtool() -> str:
    done = subprocess.run([ROOT / "scripts/promtool"], capture_output=True, text=True, timeout=120)
    return done.stdout.strip() if done.returncode == 0 else ""


def _free_port() -> int:
    with socket.socket() as socket_:
        socket_.bind(("127.0.0.1", 0))
        return socket_.getsockname()[1]


class PreparedFolder:
    """Commands are run one after the other, as somebody would type them. Variables that a command sets stay set."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="refund-desk-docs-")
        self.data = os.path.join(self.folder, "simulator")
        os.mkdir(self.data)
        self.simulator = Background(["simulator", "--listen", "127.0.0.1:0", "--data", self.data],
                                    r"production (http://\S+?), sandbox (http://\S+?),", self.data)
        self.port, self.postgres, self.serving = _free_port(), None, None
        self._write_files()
        self.environment = os.environ | {
            "PATH": os.path.join(self.folder, "bin") + os.pathsep + os.environ["PATH"], "DESK": f"http://127.0.0.1:{self.port}",
            "NO_COLOR": "1"}
        self.environment["TOKEN"] = self.bash("refund-desk token create --config desk.json5 --name tests --scope admin").stdout.strip()
        self.start()
        self._name_the_url()
        for scenario in ("request-granted", "commitment-past-month"):
            self._simulate(scenario)
        self._name_a_customer("u-42")

    def _write_files(self):
        known = json.loads(Path(self.data, "simulator.json").read_text())
        key = known["privateKeyFile"]
        app = known["apps"][0]
        self.bundle = app["bundleId"]
        for name in ("root.pem", key):
            shutil.copy2(os.path.join(self.data, name), self.folder)
        os.chmod(os.path.join(self.folder, key), 0o600)
        configuration = {
            "listen": f"127.0.0.1:{self.port}", "database": f"sqlite:{self.folder}/desk.db", "simulated": True, "apps": [{
                "id": "acme", "name": "Acme", "bundleId": app["bundleId"], "appAppleId": app["appAppleId"],
                "environments": ["Production", "Sandbox"], "trustedRoots": [f"{self.folder}/root.pem"],
                "serverAPI": {"issuerId": known["issuerId"], "keyId": known["keyId"], "privateKeyFile": key,
                              "productionURL": self.simulator.match[1], "sandboxURL": self.simulator.match[2]},
                "consent": {"mode": "perCustomer"}, "products": {"*": {"sampleContentProvided": True, "delivery": "DELIVERED"}}}]}
        Path(self.folder, "desk.json5").write_text(json.dumps(configuration, indent=1))
        Path(self.folder, "policy.json5").write_text('{ default: { answer: "data-only" } }')
        os.mkdir(os.path.join(self.folder, "bin"))
        os.symlink(BINARY, os.path.join(self.folder, "bin/refund-desk"))
        if promtool():
            os.symlink(promtool(), os.path.join(self.folder, "bin/promtool"))
        os.symlink(ROOT / "monitoring", os.path.join(self.folder, "monitoring"))

    def _name_the_url(self):
        """As App Store Connect is told where notifications go, for both environments."""
        for store in self.simulator.match[1], self.simulator.match[2]:
            told = {"bundleId": self.bundle, "url": f"{self.environment['DESK']}/v1/apps/acme/notifications"}
            asked = urllib.request.Request(f"{store}/control/notification-url", json.dumps(told).encode(), method="PUT")
            urllib.request.urlopen(asked).close()

    def _simulate(self, scenario):
        done = command("simulate", scenario, "--to", f"http://127.0.0.1:{self.port}/v1/apps/acme/notifications", "--data", self.data)
        assert done.returncode == 0, done.stdout + done.stderr

    def _name_a_customer(self, user: str):
        """The documentation's customer is one who bought something."""
        token = {"Authorization": f"Bearer {self.environment['TOKEN']}", "Content-Type": "application/json"}
        base = f"{self.environment['DESK']}/v1/apps/acme"
        with urllib.request.urlopen(urllib.request.Request(f"{base}/cases?limit=1", headers=token)) as answer:
            transaction = json.load(answer)["items"][0]["originalTransactionId"]
        link = urllib.request.Request(f"{base}/transactions/{transaction}/user", json.dumps({"userId": user}).encode(), token, method="PUT")
        urllib.request.urlopen(link).close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.serving:
            self.serving.stop(signal.SIGKILL)
        self.simulator.stop(signal.SIGKILL)
        if self.postgres:
            self.postgres.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # The desk, as a service manager would start and stop it

    def start(self, words=("serve", "--config", "desk.json5")):
        self.stop()
        self.serving = Background(list(words), READY["serve"], self.folder, {"PGPASSWORD": self.environment.get("PGPASSWORD", "")})

    def stop(self):
        if self.serving:
            code = self.serving.stop()
            assert code == 0, f"serve ended with {code}"
        self.serving = None

    def run(self, line: str):
        """One command of the documentation; fails where the command does."""
        line = self._with_postgres(line)
        words = re.sub(r"^sudo ", "", line.split("#")[0].strip())
        service = re.fullmatch(r"systemctl (start|stop|restart) refund-desk", words)
        assignment = re.match(r"(?:export )?([A-Z_]+)=\$\(", line)
        if service:
            self.start() if service[1] != "stop" else self.stop()
        elif match := re.match(r"refund-desk (serve|demo|simulator)\b", words):
            self._run_until_ready(match[1], shlex.split(words)[1:])
        elif assignment:
            self.environment[assignment[1]] = self.bash(f"{line}\nprintf %s \"${assignment[1]}\"").stdout
        else:
            self.bash(line)

    def _run_until_ready(self, name, words):
        if name == "serve":
            return self.start(words)
        running = Background(words, READY[name], self.folder)
        assert running.stop() == 0, f"{name} did not end well"

    def bash(self, line: str) -> subprocess.CompletedProcess:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", line], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=120)
        assert done.returncode == 0, f"`{line}` ended with {done.returncode}: {done.stdout[-1500:]} {done.stderr[-1500:]}"
        return done

    def _with_postgres(self, line: str) -> str:
        """An empty database under the name that the documentation uses, once it is named."""
        if "db.internal" not in line and "DESK_POSTGRES" not in line:
            return line
        if not self.postgres:
            self.postgres = Postgres()
            self.environment |= {"DESK_POSTGRES": self.postgres.url, "PGPASSWORD": "unused"}
        return line.replace(POSTGRES_URL, self.postgres.url)
