"""What stands between the internet and a desk: nginx and Caddy with the configurations of this repository, or the desk's own TLS.

Each listens on free ports of this machine for the name `localhost`."""

import contextlib
import datetime
import ipaddress
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from desk import ROOT, Background, Desk

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
CADDY = shutil.which("caddy")
HOST = "refunds.example.com"  # In the configurations; here it is localhost.


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens at now."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def certificate(folder: str) -> tuple[str, str]:
    """A certificate for localhost that is its own authority: its file and its key's."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True).sign(key, hashes.SHA256()))
    files = os.path.join(folder, "fullchain.pem"), os.path.join(folder, "privkey.pem")
    Path(files[0]).write_bytes(made.public_bytes(serialization.Encoding.PEM))
    Path(files[1]).write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    os.chmod(files[1], 0o600)
    return files


class Front:
    """``https`` is the port, ``http`` that of the redirect (None where there is none), ``root`` the authority's file."""

    speaks = ["1.1", "2"]

    def __init__(self, **app):
        self.http, self.https = free_ports(2)
        self.process = None
        self.desk = Desk(app=app, top={"publicURL": f"https://localhost:{self.https}"})
        self.folder = self.desk.folder
        self.begin()

    def begin(self):
        self.root, self.key = certificate(self.folder)
        self.launch(self.write())
        self.wait_for(self.https)

    def launch(self, words):
        self.log = open(os.path.join(self.folder, "front.log"), "wb")
        environment = os.environ | {"REFUND_DESK_HOST": "localhost", "REFUND_DESK_UPSTREAM": f"127.0.0.1:{self.desk.port}",
                                    "HOME": self.folder, "XDG_DATA_HOME": self.folder, "XDG_CONFIG_HOME": self.folder}
        self.process = subprocess.Popen(words, stdout=self.log, stderr=subprocess.STDOUT, env=environment)

    def wait_for(self, port, seconds=30):
        end = time.monotonic() + seconds
        while True:
            assert self.process is None or self.process.poll() is None, Path(self.folder, "front.log").read_text()[-1500:]
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return
            assert time.monotonic() < end, f"nobody listens at {port}"
            time.sleep(0.05)

    def close(self):
        if self.process:
            self.process.terminate()
            self.process.wait(20)
            self.log.close()
        self.desk.close()


class Nginx(Front):
    def write(self):
        """The repository's file with this machine's ports and paths in it. Every place must be there, or the test tests something else."""
        text = (ROOT / "packaging/nginx/refund-desk.conf").read_text()
        places = [
            (r"listen \[::\]:(80|443)[^;]*;", "", 2), (r"listen 80;", f"listen 127.0.0.1:{self.http};", 1),
            (r"listen 443 ", f"listen 127.0.0.1:{self.https} ", 1), (r"server 127\.0\.0\.1:8080;", f"server 127.0.0.1:{self.desk.port};", 1),
            (f"/etc/letsencrypt/live/{re.escape(HOST)}/", f"{self.folder}/", 2), (f"server_name {re.escape(HOST)};", "server_name localhost;", 2),
            (r"root /var/www/html;", f"root {self.folder}/html;", 1),
        ]
        for pattern, replacement, count in places:
            text, found = re.subn(pattern, replacement, text)
            assert found == count, (pattern, found)
        temporary = "".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        owner = "user root;" if os.geteuid() == 0 else ""
        file = Path(self.folder, "nginx.conf")
        file.write_text(f"daemon off; {owner} pid {self.folder}/nginx.pid; error_log stderr; events {{}}\n"
                        f"http {{ access_log off; {temporary}\n{text}\n}}\n")
        return [NGINX, "-p", self.folder, "-e", "stderr", "-c", str(file)]


class Caddy(Front):
    def write(self):
        file = Path(self.folder, "Caddyfile")
        file.write_text(f"{{\n\tadmin off\n\thttp_port {self.http}\n\thttps_port {self.https}\n\tskip_install_trust\n}}\n"
                        f"import {ROOT}/packaging/caddy/Caddyfile\n")
        return [CADDY, "run", "--config", str(file), "--adapter", "caddyfile"]

    def begin(self):
        super().begin()
        # Its own authority, as the name is one that nobody signs.
        self.root = os.path.join(self.folder, "caddy/pki/authorities/local/root.crt")
        end = time.monotonic() + 30
        while not self.has_certificate():
            assert time.monotonic() < end, Path(self.folder, "front.log").read_text()[-1500:]
            time.sleep(0.05)

    def has_certificate(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.https), 5) as plain:
            with ssl.create_default_context(cafile=self.root).wrap_socket(plain, server_hostname="localhost"):
                return True
        return False


class BuiltIn(Front):
    """The desk itself, with `tls`."""

    speaks = ["1.1"]

    def begin(self):
        self.root, self.key = certificate(self.folder)
        self.http = None
        assert self.desk.stop() == 0
        self.desk.configuration |= {"listen": f"127.0.0.1:{self.https}",
                                    "tls": {"certificateFile": "fullchain.pem", "privateKeyFile": "privkey.pem"}}
        self.desk.configure()
        self.start()

    def start(self):
        self.desk.running = Background(["serve", "--config", "desk.json5"], rf"^refund-desk listening on https://127\.0\.0\.1:{self.https}$",
                                       self.folder)
